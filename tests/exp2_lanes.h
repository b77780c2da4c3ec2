/* The kernels' exponentials, one float at a time, for a unit that includes the implementation:
 * exp2_of(isa) gives a function y[i] = 2^x[i] over n floats, n a multiple of 16, or null. */
#ifndef TESTS_EXP2_LANES_H
#define TESTS_EXP2_LANES_H

typedef void (*exp2_function)(const float *x, float *y, int n);

static void exp2_scalar(const float *x, float *y, int n) {
  int i;
  for (i = 0; i < n; ++i) y[i] = attni_exp2(x[i]);
}

#ifdef ATTNI_HAVE_AVX2
ATTNI_TARGET_AVX2
static void exp2_avx2(const float *x, float *y, int n) {
  int i;
  for (i = 0; i < n; i += 8) _mm256_storeu_ps(y + i, attni_avx2_exp2(_mm256_loadu_ps(x + i)));
}
#endif

#ifdef ATTNI_HAVE_AVX512
ATTNI_TARGET_AVX512
static void exp2_avx512(const float *x, float *y, int n) {
  int i;
  for (i = 0; i < n; i += 16) _mm512_storeu_ps(y + i, attni_avx512_exp2(_mm512_loadu_ps(x + i)));
}
#endif

#ifdef ATTNI_HAVE_NEON
static void exp2_neon(const float *x, float *y, int n) {
  int i;
  for (i = 0; i < n; i += 4) vst1q_f32(y + i, attni_neon_exp2(vld1q_f32(x + i)));
}
#endif

static exp2_function exp2_of(attn_isa isa) {
  if (isa == ATTN_ISA_SCALAR) return exp2_scalar;
#ifdef ATTNI_HAVE_AVX2
  if (isa == ATTN_ISA_AVX2) return exp2_avx2;
#endif
#ifdef ATTNI_HAVE_AVX512
  if (isa == ATTN_ISA_AVX512) return exp2_avx512;
#endif
#ifdef ATTNI_HAVE_NEON
  if (isa == ATTN_ISA_NEON) return exp2_neon;
#endif
  return NULL;
}

/* The distance of y from the exact value in units of the last place of a float of that size. */
static double exp2_ulps(float y, double exact) {
  int exponent;
  (void)frexp(exact, &exponent);
  return fabs((double)y - exact) / ldexp(1.0, exponent - 24);
}

#endif
