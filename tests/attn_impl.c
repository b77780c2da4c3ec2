/* The library under test, as a C program would build it. */
#ifdef ATTN_TEST_SOFT_AVX512
#include "soft_avx512.h"
#endif
#ifdef ATTN_TEST_SOFT_BF16
#include "soft_bf16.h"
#endif
#if defined(__x86_64__) && !defined(ATTNI_CPU_FLAGS)
/* All that the CPU has, also what does not pay on it. */
#define ATTNI_CPU_FLAGS() attni_cpu_decode(attni_cpu_read())
#endif
#define ATTN_IMPLEMENTATION
#include "attn.h"

/* What compiled the library, for the accuracy campaign. */
#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif
extern const char *const attn_impl_compiler;
const char *const attn_impl_compiler = COMPILER;
