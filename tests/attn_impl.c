/* The library under test, as a C program would build it. */
#ifdef ATTN_TEST_SOFT_AVX512
#include "soft_avx512.h"
#endif
#ifdef ATTN_TEST_SOFT_BF16
#include "soft_bf16.h"
#endif
#define ATTN_IMPLEMENTATION
#include "attn.h"
