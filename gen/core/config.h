#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(ATTN_STATIC) && !defined(ATTN_IMPLEMENTATION)
#define ATTN_IMPLEMENTATION
#endif

#if defined(__GNUC__) || defined(__clang__)
#define ATTNI_UNUSED __attribute__((unused))
#define ATTNI_INLINE inline __attribute__((unused))
#define ATTNI_FORCE_INLINE inline __attribute__((always_inline, unused))
#elif defined(_MSC_VER)
#define ATTNI_UNUSED
#define ATTNI_INLINE __inline
#define ATTNI_FORCE_INLINE __forceinline
#else
#define ATTNI_UNUSED
#define ATTNI_INLINE inline
#define ATTNI_FORCE_INLINE inline
#endif

#ifndef ATTN_API
#ifdef ATTN_STATIC
#define ATTN_API static ATTNI_UNUSED
#else
#define ATTN_API extern
#endif
#endif

#define ATTNI_VERSIONED(name) ATTNI_PASTE(name, ATTN_INTERFACE)
#define ATTNI_PASTE(name, version) ATTNI_PASTE2(name, version)
#define ATTNI_PASTE2(name, version) name##_v##version

/* a * b for extents; INT64_MAX if it overflows or if either is negative. */
static ATTNI_INLINE int64_t attni_mul_sat(int64_t a, int64_t b) {
  if (a < 0 || b < 0 || (b != 0 && a > INT64_MAX / b)) return INT64_MAX;
  return a * b;
}
