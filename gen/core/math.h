/* ----------------------------------------------------------------- math -- */

#define ATTNI_LOG2E 1.4426950408889634074
#define ATTNI_LN2 0.69314718055994530942

/* Forced inline, with all that follow: under -ffast-math Clang takes for granted that no argument
 * and no result of a function is infinite or NaN. */
static ATTNI_FORCE_INLINE float attni_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static ATTNI_FORCE_INLINE uint32_t attni_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* By their bits, so that -ffast-math cannot assume them away. */
#define ATTNI_INFINITY_BITS 0x7f800000u
#define ATTNI_NAN_BITS 0x7fc00000u
#define ATTNI_NEG_INFINITY_BITS 0xff800000u
#define ATTNI_NEG_ZERO_BITS 0x80000000u

/* Whether the compiler may assume that no float is infinite or NaN. (Clang's -fno-honor-nans alone
 * does not say so, and is not supported.) */
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#define ATTNI_FINITE_MATH 1
#else
#define ATTNI_FINITE_MATH 0
#endif

/* Floats below -126, minus infinity included, are those whose bits, less the first of them, are
 * no more than this as an unsigned number. NaN is not among them, of either sign. */
#define ATTNI_TINY_FIRST 0xc2fc0001u
#define ATTNI_TINY_RANGE (ATTNI_NEG_INFINITY_BITS - ATTNI_TINY_FIRST)

static ATTNI_FORCE_INLINE bool attni_is_finite(float x) {
  return (attni_bits(x) & 0x7fffffffu) < ATTNI_INFINITY_BITS;
}

/* 2^x for x <= 0; 0 below -126. The scalar form of the vector kernels' exponential. */
static ATTNI_FORCE_INLINE float attni_exp2(float x) {
  const uint32_t bits = attni_bits(x);
  int32_t n;
  float r, y;
  if (bits >> 31 == 0 && bits >= 0x43000000u) return x; /* 128 and up, or NaN */
  if (bits > ATTNI_NEG_INFINITY_BITS) return x;         /* NaN */
  if (bits >= ATTNI_TINY_FIRST) return 0.0f;
  n = (int32_t)(bits >> 31 ? x - 0.5f : x + 0.5f);
  r = x - (float)n;
  y = ATTNI_EXP2_C5;
  y = y * r + ATTNI_EXP2_C4;
  y = y * r + ATTNI_EXP2_C3;
  y = y * r + ATTNI_EXP2_C2;
  y = y * r + ATTNI_EXP2_C1;
  y = (float)((double)y * (double)r + (double)ATTNI_EXP2_C0); /* as one rounding: within 2 ULP */
  return attni_float(attni_bits(y) + ((uint32_t)n << 23));
}
