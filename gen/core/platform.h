/* ------------------------------------------------------------- platform -- */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef ATTN_USE_OPENMP
#ifndef _OPENMP
#error "ATTN_USE_OPENMP needs a compiler flag that turns OpenMP on, such as -fopenmp"
#endif
#include <omp.h>
#endif

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
#define ATTNI_X86 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define ATTNI_ARM64 1
#endif

/* The intrinsics come in here, outside any target region. */
#ifdef ATTNI_X86
#include <immintrin.h>
#ifndef _MSC_VER
#include <cpuid.h>
#endif
#endif
#ifdef _MSC_VER
#include <intrin.h>
#endif
#ifdef ATTNI_ARM64
#include <arm_neon.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define ATTNI_TARGET(features)
#elif !defined(ATTNI_TARGET)
#define ATTNI_TARGET(features) __attribute__((target(features)))
#endif

/* How a target attribute names an extension of AArch64, on top of what the command line has. */
#ifdef __clang__
#define ATTNI_EXTENSION(name) name
#else
#define ATTNI_EXTENSION(name) "+" name
#endif

/* Clang 18 to 20 count vectors of 512 bits as a feature of their own, which the command line may
 * have taken away, as that of zig cc does. */
#if defined(__clang__) && !defined(__APPLE__) && __clang_major__ >= 18 && __clang_major__ <= 20
#define ATTNI_EVEX512 ",evex512"
#else
#define ATTNI_EVEX512
#endif

/* Clang's headers lack AVX512_BF16 for 32 bits, and Clang 16 and 17 crash where it is used. Apple's
 * compilers have numbers of their own, and its computers no such processor. */
#if defined(__i386__) || defined(__APPLE__) ||                                                     \
    (defined(__clang__) && (__clang_major__ == 16 || __clang_major__ == 17))
#define ATTNI_WITHOUT_AVX512_BF16 1
#endif

/* Whether the compiler is GCC, or Clang, of at least these major versions. */
#if defined(__clang__)
#define ATTNI_COMPILER(gcc, clang) (__clang_major__ >= (clang))
#elif defined(__GNUC__)
#define ATTNI_COMPILER(gcc, clang) (__GNUC__ >= (gcc))
#else
#define ATTNI_COMPILER(gcc, clang) 0
#endif

/* Clang, and GCC for AArch64, left to themselves, load operands ahead of their turn, for which the
 * register budget has no room. No memory access crosses a fence; Clang moves arithmetic past it,
 * but not past the line that settles its result x, a vector register of the class in `constraint`.
 * Both emit nothing. */
#if defined(__GNUC__) || defined(__clang__)
#define ATTNI_FENCE() __asm__ volatile("" ::: "memory")
#else
#define ATTNI_FENCE() (void)0
#endif
/* Older Clang takes no such operand in a function that has its instruction set by attribute. */
#if defined(__clang__) && __clang_major__ >= 12
#define ATTNI_SETTLES 1
#define ATTNI_SETTLE(constraint, x) __asm__ volatile("" : "+" constraint(x) : : "memory")
#else
#define ATTNI_SETTLES 0
#define ATTNI_SETTLE(constraint, x) ATTNI_FENCE()
#endif
#ifdef __clang__
#define ATTNI_CLANG_SETTLE(constraint, x) ATTNI_SETTLE(constraint, x)
#define ATTNI_CLANG_FENCE() ATTNI_FENCE()
#else
#define ATTNI_CLANG_SETTLE(constraint, x) (void)0
#define ATTNI_CLANG_FENCE() (void)0
#endif

/* Unroll the loop that follows, for fewer instructions per multiply-add. Clang that does not settle
 * would spill. */
#define ATTNI_PRAGMA(text) _Pragma(#text)
#if ATTNI_SETTLES
#define ATTNI_UNROLL(n) ATTNI_PRAGMA(clang loop unroll_count(n))
#elif defined(__GNUC__) && __GNUC__ >= 8 && !defined(__clang__)
#define ATTNI_UNROLL(n) ATTNI_PRAGMA(GCC unroll n)
#else
#define ATTNI_UNROLL(n)
#endif

/* Ask for the cache line of an address, which need not be valid: into the first-level cache, or
 * only into the second. */
#if defined(__GNUC__) || defined(__clang__)
#define ATTNI_PREFETCH(address) __builtin_prefetch((const void *)(address))
#define ATTNI_PREFETCH_L2(address) __builtin_prefetch((const void *)(address), 0, 2)
#elif defined(ATTNI_X86)
#define ATTNI_PREFETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
#define ATTNI_PREFETCH_L2(address) _mm_prefetch((const char *)(address), _MM_HINT_T1)
#else
#define ATTNI_PREFETCH(address) (void)(address)
#define ATTNI_PREFETCH_L2(address) (void)(address)
#endif

#ifndef ATTN_MALLOC
#define ATTN_MALLOC(size) malloc(size)
#define ATTN_FREE(pointer) free(pointer)
#endif

/* Scratch arrays start at multiples of this, so that no vector load crosses a cache line. */
#define ATTNI_ALIGNMENT 64

static void *attni_align_up(void *pointer) {
  const uintptr_t mask = ATTNI_ALIGNMENT - 1;
  return (void *)(((uintptr_t)pointer + mask) & ~mask);
}

static bool attni_aligned(const void *pointer, size_t size) {
  return (uintptr_t)pointer % size == 0;
}

static size_t attni_round_up(size_t n, size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/* The fused multiply-add of plain C: by name where the processor is sure to have it, since
 * compilers left to themselves contract some products and sums and not others (GCC when tuning for
 * Zen). */
#if (defined(__GNUC__) || defined(__clang__)) &&                                                   \
    (defined(__FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA))
#define ATTNI_FMA(a, b, c) __builtin_fmaf(a, b, c)
#elif ATTNI_SETTLES && defined(__FAST_MATH__) && defined(__SSE__)
/* Clang changes the order of a chain of sums that nothing settles. */
static ATTNI_FORCE_INLINE float attni_multiply_add(float a, float b, float c) {
  float sum = a * b + c;
  ATTNI_SETTLE("x", sum);
  return sum;
}
#define ATTNI_FMA(a, b, c) attni_multiply_add(a, b, c)
#else
#define ATTNI_FMA(a, b, c) ((a) * (b) + (c))
#endif

static ATTNI_FORCE_INLINE int32_t attni_min_i32(int32_t a, int32_t b) {
  return a < b ? a : b;
}
static ATTNI_FORCE_INLINE int32_t attni_max_i32(int32_t a, int32_t b) {
  return a > b ? a : b;
}
static int64_t attni_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t attni_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static int64_t attni_ceil_div(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

/* A process-wide int that any thread may read and write. */
#if defined(__GNUC__) || defined(__clang__)
typedef int attni_shared_int;
static int attni_load(const attni_shared_int *p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static void attni_store(attni_shared_int *p, int x) {
  __atomic_store_n(p, x, __ATOMIC_RELEASE);
}
#elif defined(_MSC_VER)
typedef volatile long attni_shared_int;
static int attni_load(attni_shared_int *p) {
  return (int)_InterlockedOr(p, 0);
}
static void attni_store(attni_shared_int *p, int x) {
  (void)_InterlockedExchange(p, x);
}
#else
typedef volatile int attni_shared_int;
static int attni_load(const attni_shared_int *p) {
  return *p;
}
static void attni_store(attni_shared_int *p, int x) {
  *p = x;
}
#endif
