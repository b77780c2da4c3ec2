/* The instructions of AVX512_BF16 that attn.h uses, as functions in AVX-512F and BW: by their
 * definition in Intel's manual (volume 2, VDPBF16PS and VCVTNE2PS2BF16). attn_impl.c includes this
 * with ATTN_TEST_SOFT_BF16, so that the kernels run on a CPU, or in an emulator, that lacks them;
 * everything else of what they execute is what the compiler emits for attn.h. */
#ifndef TESTS_SOFT_BF16_H
#define TESTS_SOFT_BF16_H

#include <immintrin.h>

#ifdef TESTS_SOFT_AVX512_H
#define SOFT_TARGET __attribute__((unused))
#else
#define SOFT_TARGET __attribute__((target("avx512f,avx512bw"), unused))
#define SOFT_CPU 0u
#endif

/* A subnormal float becomes zero of its sign. */
SOFT_TARGET static __m512i soft_flush(__m512i x) {
  const __m512i exponent = _mm512_and_si512(x, _mm512_set1_epi32(0x7f800000));
  const __mmask16 small = _mm512_cmpeq_epi32_mask(exponent, _mm512_setzero_si512());
  return _mm512_mask_and_epi32(x, small, x, _mm512_set1_epi32((int)0x80000000u));
}

/* One fused multiply-add, rounded to nearest even, subnormal operands and results taken for zero.
 */
SOFT_TARGET static __m512 soft_fma(__m512i a, __m512i b, __m512 c) {
  const __m512 operand = _mm512_castsi512_ps(soft_flush(_mm512_castps_si512(c)));
  const __m512 sum =
      _mm512_fmadd_round_ps(_mm512_castsi512_ps(soft_flush(a)), _mm512_castsi512_ps(soft_flush(b)),
                            operand, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm512_castsi512_ps(soft_flush(_mm512_castps_si512(sum)));
}

/* The odd elements first. */
SOFT_TARGET static __m512 soft_dpbf16_ps(__m512 sum, __m512i a, __m512i b) {
  const __m512i odd = _mm512_set1_epi32((int)0xffff0000u);
  sum = soft_fma(_mm512_and_si512(a, odd), _mm512_and_si512(b, odd), sum);
  return soft_fma(_mm512_slli_epi32(a, 16), _mm512_slli_epi32(b, 16), sum);
}

SOFT_TARGET static __m512i soft_round(__m512 x) {
  const __m512i bits = soft_flush(_mm512_castps_si512(x)), upper = _mm512_srli_epi32(bits, 16);
  const __m512i bias =
      _mm512_add_epi32(_mm512_and_si512(upper, _mm512_set1_epi32(1)), _mm512_set1_epi32(0x7fff));
  const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16);
  const __m512i size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
  const __mmask16 nan = _mm512_cmpgt_epi32_mask(size, _mm512_set1_epi32(0x7f800000));
  return _mm512_mask_or_epi32(rounded, nan, upper, _mm512_set1_epi32(0x40));
}

/* The lower 16 words are of the second operand. */
SOFT_TARGET static __m512i soft_cvtne2ps_pbh(__m512 high, __m512 low) {
  const __m256i a = _mm512_cvtepi32_epi16(soft_round(low));
  const __m256i b = _mm512_cvtepi32_epi16(soft_round(high));
  return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

#define _mm512_dpbf16_ps(c, a, b) soft_dpbf16_ps(c, (__m512i)(a), (__m512i)(b))
#define _mm512_cvtne2ps_pbh(a, b) soft_cvtne2ps_pbh(a, b)
#define ATTNI_CPU_FLAGS() (attni_cpu_decode(attni_cpu_read()) | SOFT_CPU | ATTNI_CPU_AVX512BF16)

#endif
