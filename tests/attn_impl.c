/* The library under test, as a C program would build it. */
#define ATTN_IMPLEMENTATION
#include "attn.h"
