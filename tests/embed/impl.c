/* The unit that holds the implementation, as C or as C++. */
#define ATTN_IMPLEMENTATION
#include "attn.h"
