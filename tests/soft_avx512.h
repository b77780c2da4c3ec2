/* The AVX-512 intrinsics that attn.h uses, as functions in AVX2, FMA and F16C: by their definition
 * in Intel's manual (volume 2). attn_impl.c includes this with ATTN_TEST_SOFT_AVX512, so that the
 * AVX-512 kernels run on a CPU that lacks it, a few times slower than the real ones and not 400
 * times, as in an emulator. What this does not show is what the compiler makes of the real
 * intrinsics: the emulator is there for that.
 *
 * For GCC, with -mavx2 -mfma -mf16c -Wno-psabi: vectors of 64 bytes without the instructions. */
#ifndef TESTS_SOFT_AVX512_H
#define TESTS_SOFT_AVX512_H

#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SOFT static inline __attribute__((always_inline, unused))

/* What would fault, or what is not written here, must not pass. */
#define SOFT_MUST(condition) ((condition) ? (void)0 : abort())
#define SOFT_ALL(mask) SOFT_MUST((__mmask16)(mask) == 0xffff)
#define SOFT_NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define SOFT_ALIGNED(p) SOFT_MUST((uintptr_t)(p) % 64 == 0)

/* -- halves -- */

SOFT __m256 soft_ps(__m512 x, int half) {
  __m256 y;
  memcpy(&y, (const char *)&x + 32 * half, sizeof y);
  return y;
}

SOFT __m256i soft_si(__m512i x, int half) {
  __m256i y;
  memcpy(&y, (const char *)&x + 32 * half, sizeof y);
  return y;
}

SOFT __m512 soft_join_ps(__m256 low, __m256 high) {
  __m512 x;
  memcpy(&x, &low, sizeof low);
  memcpy((char *)&x + 32, &high, sizeof high);
  return x;
}

SOFT __m512i soft_join_si(__m256i low, __m256i high) {
  return (__m512i)soft_join_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
}

/* Functions of both halves, named after the intrinsic of one. */
#define SOFT_PS(name)                                                                              \
  SOFT __m512 soft_##name(__m512 a, __m512 b) {                                                    \
    return soft_join_ps(_mm256_##name(soft_ps(a, 0), soft_ps(b, 0)),                               \
                        _mm256_##name(soft_ps(a, 1), soft_ps(b, 1)));                              \
  }
#define SOFT_SI(name)                                                                              \
  SOFT __m512i soft_##name(__m512i a, __m512i b) {                                                 \
    return soft_join_si(_mm256_##name(soft_si(a, 0), soft_si(b, 0)),                               \
                        _mm256_##name(soft_si(a, 1), soft_si(b, 1)));                              \
  }
#define SOFT_SHIFT(name)                                                                           \
  SOFT __m512i soft_##name(__m512i x, int count) {                                                 \
    return soft_join_si(_mm256_##name(soft_si(x, 0), count), _mm256_##name(soft_si(x, 1), count)); \
  }

SOFT __mmask16 soft_mask(__m256i low, __m256i high) {
  return (__mmask16)(_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
                     _mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8);
}

/* -- loads and stores -- */

SOFT __m512 soft_load(const void *p) {
  __m512 x;
  memcpy(&x, p, sizeof x);
  return x;
}

SOFT __m512 soft_load_ps(const void *p) {
  SOFT_ALIGNED(p);
  return soft_load(p);
}

SOFT __m512 soft_maskz_loadu_ps(__mmask16 mask, const float *p) {
  __m512 x = {0};
  int i;
  for (i = 0; i < 16; ++i) {
    if (mask >> i & 1) x[i] = p[i];
  }
  return x;
}

SOFT void soft_store(void *p, __m512 x) {
  memcpy(p, &x, sizeof x);
}

SOFT void soft_store_ps(void *p, __m512 x) {
  SOFT_ALIGNED(p);
  soft_store(p, x);
}

/* -- arithmetic -- */

SOFT __m512 soft_set1_ps(float x) {
  return soft_join_ps(_mm256_set1_ps(x), _mm256_set1_ps(x));
}

SOFT __m512i soft_set1_epi32(int x) {
  return soft_join_si(_mm256_set1_epi32(x), _mm256_set1_epi32(x));
}

SOFT __m512 soft_fmadd_ps(__m512 a, __m512 b, __m512 c) {
  return soft_join_ps(_mm256_fmadd_ps(soft_ps(a, 0), soft_ps(b, 0), soft_ps(c, 0)),
                      _mm256_fmadd_ps(soft_ps(a, 1), soft_ps(b, 1), soft_ps(c, 1)));
}

SOFT_PS(max_ps)
SOFT_PS(min_ps)
SOFT_SI(add_epi32)
SOFT_SI(sub_epi32)
SOFT_SI(max_epi32)
SOFT_SI(max_epu32)
SOFT_SHIFT(slli_epi32)
SOFT_SHIFT(srli_epi32)

/* -- comparisons and choices -- */

SOFT __mmask16 soft_cmpeq_epi32_mask(__m512i a, __m512i b) {
  return soft_mask(_mm256_cmpeq_epi32(soft_si(a, 0), soft_si(b, 0)),
                   _mm256_cmpeq_epi32(soft_si(a, 1), soft_si(b, 1)));
}

SOFT __mmask16 soft_cmpgt_epi32_mask(__m512i a, __m512i b) {
  return soft_mask(_mm256_cmpgt_epi32(soft_si(a, 0), soft_si(b, 0)),
                   _mm256_cmpgt_epi32(soft_si(a, 1), soft_si(b, 1)));
}

SOFT __mmask16 soft_cmpgt_epu32_mask(__m512i a, __m512i b) {
  const __m512i sign = soft_set1_epi32(INT32_MIN);
  return soft_cmpgt_epi32_mask(a ^ sign, b ^ sign);
}

/* The lanes of a mask, all bits of each. */
SOFT __m512i soft_lanes(__mmask16 mask) {
  const __m256i bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  const __m256i low = _mm256_and_si256(_mm256_set1_epi32(mask), bits);
  const __m256i high = _mm256_and_si256(_mm256_set1_epi32(mask >> 8), bits);
  return soft_join_si(_mm256_cmpeq_epi32(low, bits), _mm256_cmpeq_epi32(high, bits));
}

/* a * 2^floor(b), rounded once: exact in double. Beyond +-300 a float is 0 or infinite anyway. */
SOFT __m512 soft_maskz_scalef_ps(__mmask16 mask, __m512 a, __m512 b) {
  __m512 x;
  int i;
  for (i = 0; i < 16; ++i) {
    const float power = b[i] > 300 ? 300 : b[i] > -300 ? b[i] : -300; /* of NaN -300: set below */
    const int64_t floored = (int64_t)power - (power < (float)(int64_t)power);
    const uint64_t bits = (uint64_t)(floored + 1023) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    x[i] = b[i] != b[i] ? b[i] : (float)((double)a[i] * factor);
  }
  return (__m512)((__m512i)x & soft_lanes(mask));
}

/* b where the mask is set, else a. */
SOFT __m512i soft_blend(__mmask16 mask, __m512i a, __m512i b) {
  const __m512i lanes = soft_lanes(mask);
  return (lanes & b) | (~lanes & a);
}

SOFT __m512 soft_mask_blend_ps(__mmask16 mask, __m512 a, __m512 b) {
  return (__m512)soft_blend(mask, (__m512i)a, (__m512i)b);
}

/* -- moves -- */

SOFT_PS(unpacklo_ps)
SOFT_PS(unpackhi_ps)

/* Parts of 128 bits: two of a, then two of b. */
SOFT __m512 soft_shuffle_f32x4(__m512 a, __m512 b, int parts) {
  __m512 x;
  int i;
  for (i = 0; i < 4; ++i) {
    const char *const from = (const char *)(i < 2 ? &a : &b) + 16 * (parts >> 2 * i & 3);
    memcpy((char *)&x + 16 * i, from, 16);
  }
  return x;
}

/* Within each part of 128 bits two floats of a, then two of b. */
SOFT __m512 soft_shuffle_ps(__m512 a, __m512 b, int floats) {
  __m512 x;
  int i;
  for (i = 0; i < 16; ++i) {
    x[i] = (i % 4 < 2 ? a : b)[i / 4 * 4 + (floats >> 2 * (i % 4) & 3)];
  }
  return x;
}

SOFT __m512i soft_permutexvar_epi16(__m512i order, __m512i x) {
  uint16_t from[32], index[32], to[32];
  int i;
  memcpy(from, &x, sizeof from);
  memcpy(index, &order, sizeof index);
  for (i = 0; i < 32; ++i) to[i] = from[index[i] % 32];
  memcpy(&x, to, sizeof x);
  return x;
}

/* -- conversions -- */

SOFT __m512i soft_cvtepu16_epi32(__m256i x) {
  return soft_join_si(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(x)),
                      _mm256_cvtepu16_epi32(_mm256_extracti128_si256(x, 1)));
}

SOFT __m512i soft_cvtepi8_epi32(__m128i x) {
  return soft_join_si(_mm256_cvtepi8_epi32(x), _mm256_cvtepi8_epi32(_mm_srli_si128(x, 8)));
}

SOFT __m512 soft_cvtepi32_ps(__m512i x) {
  return soft_join_ps(_mm256_cvtepi32_ps(soft_si(x, 0)), _mm256_cvtepi32_ps(soft_si(x, 1)));
}

SOFT __m512i soft_cvtps_epi32(__m512 x) {
  return soft_join_si(_mm256_cvtps_epi32(soft_ps(x, 0)), _mm256_cvtps_epi32(soft_ps(x, 1)));
}

SOFT __m512 soft_cvtph_ps(__m256i x) {
  return soft_join_ps(_mm256_cvtph_ps(_mm256_castsi256_si128(x)),
                      _mm256_cvtph_ps(_mm256_extracti128_si256(x, 1)));
}

SOFT __m256i soft_cvtps_ph(__m512 x, int rounding) {
  SOFT_MUST(rounding == SOFT_NEAREST);
  return _mm256_set_m128i(_mm256_cvtps_ph(soft_ps(x, 1), SOFT_NEAREST),
                          _mm256_cvtps_ph(soft_ps(x, 0), SOFT_NEAREST));
}

/* The lower halves. */
SOFT __m256i soft_cvtepi32_epi16(__m512i x) {
  uint32_t from[16];
  uint16_t to[16];
  __m256i y;
  int i;
  memcpy(from, &x, sizeof from);
  for (i = 0; i < 16; ++i) to[i] = (uint16_t)from[i];
  memcpy(&y, to, sizeof y);
  return y;
}

/* -- names -- */

#define _mm512_add_epi32(a, b) soft_add_epi32(a, b)
#define _mm512_add_ps(a, b) ((__m512)(a) + (__m512)(b))
#define _mm512_and_si512(a, b) ((__m512i)(a) & (__m512i)(b))
#define _mm512_castps_si512(a) ((__m512i)(a))
#define _mm512_castsi256_si512(a) soft_join_si(a, _mm256_setzero_si256())
#define _mm512_castsi512_ps(a) ((__m512)(a))
#define _mm512_cmpeq_epi32_mask(a, b) soft_cmpeq_epi32_mask(a, b)
#define _mm512_cmpgt_epi32_mask(a, b) soft_cmpgt_epi32_mask(a, b)
#define _mm512_cmpgt_epu32_mask(a, b) soft_cmpgt_epu32_mask(a, b)
#define _mm512_cvtepi32_epi16(a) soft_cvtepi32_epi16(a)
#define _mm512_div_ps(a, b) ((__m512)(a) / (__m512)(b))
#define _mm512_fmadd_ps(a, b, c) soft_fmadd_ps(a, b, c)
#define _mm512_fmadd_round_ps(a, b, c, rounding)                                                   \
  (SOFT_MUST((rounding) == SOFT_NEAREST), soft_fmadd_ps(a, b, c))
#define _mm512_inserti64x4(a, b, half) (SOFT_MUST((half) == 1), soft_join_si(soft_si(a, 0), b))
#define _mm512_load_ps(p) soft_load_ps(p)
#define _mm512_load_si512(p) ((__m512i)soft_load_ps(p))
#define _mm512_loadu_ps(p) soft_load(p)
#define _mm512_mask_and_epi32(from, k, a, b) soft_blend(k, from, (a) & (b))
#define _mm512_mask_blend_ps(k, a, b) soft_mask_blend_ps(k, a, b)
#define _mm512_mask_or_epi32(from, k, a, b) soft_blend(k, from, (a) | (b))
#define _mm512_maskz_cvtepi32_epi16(k, a) (SOFT_ALL(k), soft_cvtepi32_epi16(a))
#define _mm512_maskz_cvtepi32_ps(k, a) (SOFT_ALL(k), soft_cvtepi32_ps(a))
#define _mm512_maskz_cvtepi8_epi32(k, a) (SOFT_ALL(k), soft_cvtepi8_epi32(a))
#define _mm512_maskz_cvtepu16_epi32(k, a) (SOFT_ALL(k), soft_cvtepu16_epi32(a))
#define _mm512_maskz_cvtph_ps(k, a) (SOFT_ALL(k), soft_cvtph_ps(a))
#define _mm512_maskz_cvtps_epi32(k, a) (SOFT_ALL(k), soft_cvtps_epi32(a))
#define _mm512_maskz_cvtps_ph(k, a, rounding) (SOFT_ALL(k), soft_cvtps_ph(a, rounding))
#define _mm512_maskz_loadu_ps(k, p) soft_maskz_loadu_ps(k, p)
#define _mm512_maskz_max_epi32(k, a, b) (SOFT_ALL(k), soft_max_epi32(a, b))
#define _mm512_maskz_max_epu32(k, a, b) (SOFT_ALL(k), soft_max_epu32(a, b))
#define _mm512_maskz_max_ps(k, a, b) (SOFT_ALL(k), soft_max_ps(a, b))
#define _mm512_maskz_min_ps(k, a, b) (SOFT_ALL(k), soft_min_ps(a, b))
#define _mm512_maskz_scalef_ps(k, a, b) soft_maskz_scalef_ps(k, a, b)
#define _mm512_maskz_shuffle_f32x4(k, a, b, parts) (SOFT_ALL(k), soft_shuffle_f32x4(a, b, parts))
#define _mm512_maskz_shuffle_ps(k, a, b, floats) (SOFT_ALL(k), soft_shuffle_ps(a, b, floats))
#define _mm512_maskz_slli_epi32(k, a, count) (SOFT_ALL(k), soft_slli_epi32(a, count))
#define _mm512_maskz_srli_epi32(k, a, count) (SOFT_ALL(k), soft_srli_epi32(a, count))
#define _mm512_maskz_unpackhi_ps(k, a, b) (SOFT_ALL(k), soft_unpackhi_ps(a, b))
#define _mm512_maskz_unpacklo_ps(k, a, b) (SOFT_ALL(k), soft_unpacklo_ps(a, b))
#define _mm512_mul_ps(a, b) ((__m512)(a) * (__m512)(b))
#define _mm512_or_si512(a, b) ((__m512i)(a) | (__m512i)(b))
#define _mm512_permutexvar_epi16(order, a) soft_permutexvar_epi16(order, a)
#define _mm512_set1_epi32(a) soft_set1_epi32(a)
#define _mm512_set1_ps(a) soft_set1_ps(a)
#define _mm512_set_epi32(p, o, n, m, l, k, j, i, h, g, f, e, d, c, b, a)                           \
  soft_join_si(_mm256_set_epi32(h, g, f, e, d, c, b, a), _mm256_set_epi32(p, o, n, m, l, k, j, i))
#define _mm512_setzero_ps() soft_set1_ps(0.0f)
#define _mm512_setzero_si512() soft_set1_epi32(0)
#define _mm512_slli_epi32(a, count) soft_slli_epi32(a, count)
#define _mm512_srli_epi32(a, count) soft_srli_epi32(a, count)
#define _mm512_store_ps(p, a) soft_store_ps(p, a)
#define _mm512_storeu_ps(p, a) soft_store(p, a)
#define _mm512_storeu_si512(p, a) soft_store(p, (__m512)(a))
#define _mm512_sub_epi32(a, b) soft_sub_epi32(a, b)
#define _mm512_sub_ps(a, b) ((__m512)(a) - (__m512)(b))

/* -- what attn.h is told: no attributes that would enable AVX-512, and a CPU that has it -- */

#define ATTNI_TARGET(features)
#define SOFT_CPU (ATTNI_CPU_AVX512F | ATTNI_CPU_AVX512BW | ATTNI_CPU_AVX512VL)

#endif
