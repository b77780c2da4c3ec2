/* The library under test, as a C program would build it. */
#ifdef ATTN_TEST_SOFT_BF16
#include "soft_bf16.h"
#endif
#define ATTN_IMPLEMENTATION
#include "attn.h"
