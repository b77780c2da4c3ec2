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

/* The value of a finite float by its bits, exactly, where the processor may take subnormal floats
 * for zero. */
static ATTNI_FORCE_INLINE double attni_value(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7fffffffu;
  double value = (double)attni_float(bits & 0x7fffffffu);
  if (magnitude < 0x800000u) value = (double)magnitude * ((double)FLT_MIN / 8388608.0);
  return bits >> 31 ? -value : value;
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

/* -- 16-bit floats, by integers alone: right whatever the compiler assumes -- */

static ATTNI_FORCE_INLINE float attni_from_bf16(uint16_t h) {
  return attni_float((uint32_t)h << 16);
}

/* Two bf16 that lie one after the other, of any alignment. */
static ATTNI_FORCE_INLINE uint32_t attni_pair(const uint16_t *p) {
  uint32_t pair;
  memcpy(&pair, p, sizeof pair);
  return pair;
}

/* To nearest, ties to even. */
static ATTNI_FORCE_INLINE uint16_t attni_to_bf16(float x) {
  const uint32_t bits = attni_bits(x);
  if ((bits & 0x7fffffffu) > ATTNI_INFINITY_BITS) return (uint16_t)(bits >> 16 | 0x40u);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static ATTNI_FORCE_INLINE float attni_from_f16(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  uint32_t exponent = h >> 10 & 0x1fu, fraction = h & 0x3ffu;
  if (exponent == 31) { /* infinity, or NaN, made quiet as the instructions do */
    return attni_float(sign | ATTNI_INFINITY_BITS | fraction << 13 | (fraction ? 0x400000u : 0u));
  }
  if (exponent == 0) { /* zero, or subnormal: fraction times 2^-24 */
    if (fraction == 0) return attni_float(sign);
    for (exponent = 1; (fraction & 0x400u) == 0; --exponent) fraction <<= 1;
    fraction &= 0x3ffu;
  }
  return attni_float(sign | (exponent + 112) << 23 | fraction << 13);
}

/* x / 2^n to the nearest integer, ties to even; 0 < n < 32. */
static ATTNI_FORCE_INLINE uint32_t attni_round_shift(uint32_t x, uint32_t n) {
  return (x + (((uint32_t)1 << (n - 1)) - 1) + (x >> n & 1u)) >> n;
}

/* To nearest, ties to even; 65520 and up become infinity. */
static ATTNI_FORCE_INLINE uint16_t attni_to_f16(float x) {
  const uint32_t bits = attni_bits(x), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
  if (size > ATTNI_INFINITY_BITS) return (uint16_t)(sign | 0x7e00u | (size >> 13 & 0x3ffu));
  if (size >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (size < 0x33000000u) return (uint16_t)sign; /* below 2^-25 */
  if (size < 0x38800000u) {                      /* subnormal: a multiple of 2^-24 */
    return (uint16_t)(sign | attni_round_shift((size & 0x7fffffu) | 0x800000u, 126 - (size >> 23)));
  }
  return (uint16_t)(sign | (attni_round_shift(size, 13) - (112u << 10)));
}

static ATTNI_FORCE_INLINE bool attni_is_finite(float x) {
  return (attni_bits(x) & 0x7fffffffu) < ATTNI_INFINITY_BITS;
}

/* cap * tanh(s / cap). The scalar form of the vector kernels' softcap. */
static ATTNI_FORCE_INLINE float attni_softcap(float s, float cap, float slope) {
  (void)slope;
  if ((attni_bits(s) & 0x7fffffffu) > ATTNI_INFINITY_BITS) return s;
  return (float)((double)cap * tanh((double)s / (double)cap));
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
  y = ATTNI_FMA(y, r, ATTNI_EXP2_C4);
  y = ATTNI_FMA(y, r, ATTNI_EXP2_C3);
  y = ATTNI_FMA(y, r, ATTNI_EXP2_C2);
  y = ATTNI_FMA(y, r, ATTNI_EXP2_C1);
  y = (float)((double)y * (double)r + (double)ATTNI_EXP2_C0); /* as one rounding: within 2 ULP */
  return attni_float(attni_bits(y) + ((uint32_t)n << 23));
}
