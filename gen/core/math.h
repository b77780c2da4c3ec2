/* ----------------------------------------------------------------- math -- */

#define ATTNI_LOG2E 1.4426950408889634074
#define ATTNI_LN2 0.69314718055994530942

static float attni_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t attni_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* By their bits, so that -ffast-math cannot assume them away. */
#define ATTNI_INFINITY_BITS 0x7f800000u
#define ATTNI_NAN_BITS 0x7fc00000u
#define ATTNI_NEG_INFINITY attni_float(0xff800000u)

static bool attni_is_finite(float x) { return (attni_bits(x) & 0x7fffffffu) < ATTNI_INFINITY_BITS; }

/* 2^x for x <= 0; 0 below -126. The scalar form of the vector kernels' exponential. */
static ATTNI_UNUSED float attni_exp2(float x) {
  const uint32_t bits = attni_bits(x);
  int32_t n;
  float r, y;
  if (bits >> 31 == 0 && bits >= 0x43000000u) return x; /* 128 and up, or NaN */
  if (bits > 0xff800000u) return x;                      /* NaN */
  if (bits > 0xc2fc0000u) return 0.0f;                   /* below -126 */
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
