/* avx512: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */
#ifdef ATTNI_HAVE_AVX512

#define ATTNI_AVX512_ALL ((__mmask16)0xffff)

/* As attni_to_bf16. */
ATTNI_TARGET_AVX512
static void attni_avx512_store_bf16(uint16_t *p, __m512 x) {
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i upper = _mm512_maskz_srli_epi32(ATTNI_AVX512_ALL, bits, 16);
  const __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
  const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  const __m512i rounded = _mm512_maskz_srli_epi32(ATTNI_AVX512_ALL, _mm512_add_epi32(bits, half), 16);
  const __mmask16 nan = _mm512_cmpgt_epi32_mask(_mm512_and_si512(bits, _mm512_set1_epi32(INT32_MAX)),
                                                _mm512_set1_epi32((int32_t)ATTNI_INFINITY_BITS));
  const __m512i y = _mm512_mask_or_epi32(rounded, nan, upper, _mm512_set1_epi32(0x40));
  _mm256_storeu_si256((__m256i *)(void *)p, _mm512_maskz_cvtepi32_epi16(ATTNI_AVX512_ALL, y));
}

#ifdef ATTN_USE_SLEEF
#ifdef __cplusplus
extern "C"
#endif
ATTNI_TARGET_AVX512
__m512 Sleef_exp2f16_u10avx512f(__m512);
#endif

/* 2^x for x <= 0; below -126 it falls to 0, which it is from -127 on. The polynomial is for 2^r on [-1/2, 1/2]; its constant is exactly 1, so
 * that 2^0 = 1 exactly. Error and coefficients: docs/numerics.md. */
ATTNI_TARGET_AVX512
static ATTNI_FORCE_INLINE __m512 attni_avx512_exp2(__m512 x) {
#ifdef ATTN_USE_SLEEF
  return Sleef_exp2f16_u10avx512f(x);
#else
  const __m512 clamped = x;
  const __m512 n = _mm512_maskz_cvtepi32_ps(ATTNI_AVX512_ALL, _mm512_maskz_cvtps_epi32(ATTNI_AVX512_ALL, clamped));
  const __m512 r = _mm512_sub_ps(clamped, n);
  __m512 y = _mm512_set1_ps(ATTNI_EXP2_C5);
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C4));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C3));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C2));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C1));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C0));
  return _mm512_maskz_scalef_ps(_mm512_cmpgt_epu32_mask(_mm512_sub_epi32(_mm512_castps_si512(clamped), _mm512_set1_epi32((int32_t)ATTNI_TINY_FIRST)), _mm512_set1_epi32((int32_t)ATTNI_TINY_RANGE)), y, n);
#endif
}

/* cap * tanh(s / cap), where slope = 2 log2(e) / cap: with e = exp(2 s / cap) - 1 it is cap * e / (e + 2). The polynomial
 * gives 2^r - 1 to its own relative error, so that small scores lose nothing. */
ATTNI_TARGET_AVX512
static ATTNI_FORCE_INLINE __m512 attni_avx512_softcap(__m512 s, __m512 cap, __m512 slope) {
  const __m512 one = _mm512_set1_ps(1.0f);
  const __m512 limited = _mm512_maskz_min_ps(ATTNI_AVX512_ALL, _mm512_set1_ps(30.0f), _mm512_mul_ps(s, slope));
  const __m512 x = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, _mm512_set1_ps(-30.0f), limited);
  const __m512 n = _mm512_maskz_cvtepi32_ps(ATTNI_AVX512_ALL, _mm512_maskz_cvtps_epi32(ATTNI_AVX512_ALL, x));
  const __m512 r = _mm512_sub_ps(x, n);
  const __m512 power = _mm512_maskz_scalef_ps(_mm512_cmpgt_epu32_mask(_mm512_sub_epi32(_mm512_castps_si512(x), _mm512_set1_epi32((int32_t)ATTNI_TINY_FIRST)), _mm512_set1_epi32((int32_t)ATTNI_TINY_RANGE)), one, n);
  __m512 y = _mm512_set1_ps(0.00015383237f);
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.001338739f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.009618308f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.055503674f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.24022649f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.6931472f));
  y = _mm512_fmadd_ps(_mm512_mul_ps(y, r), power, _mm512_sub_ps(power, one));
  y = _mm512_mul_ps(cap, _mm512_div_ps(y, _mm512_add_ps(y, _mm512_set1_ps(2.0f))));
  return _mm512_mask_blend_ps(_mm512_cmpgt_epi32_mask(_mm512_and_si512(_mm512_castps_si512(s), _mm512_set1_epi32(INT32_MAX)), _mm512_set1_epi32((int32_t)ATTNI_INFINITY_BITS)), y, s);
}

/* The first n elements, 0 < n < 16; the other lanes are 0 and their memory is not read. */
ATTNI_TARGET_AVX512
static ATTNI_UNUSED __m512 attni_avx512_load_part_f16(const uint16_t *p, int32_t n) {
  uint16_t part[16] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return _mm512_maskz_cvtph_ps(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(part)));
}

/* The first n elements, 0 < n < 16; the other lanes are 0 and their memory is not read. */
ATTNI_TARGET_AVX512
static ATTNI_UNUSED __m512 attni_avx512_load_part_bf16(const uint16_t *p, int32_t n) {
  uint16_t part[16] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(part))), 16));
}

/* The first n elements, 0 < n < 16; the other lanes are 0 and their memory is not read. */
ATTNI_TARGET_AVX512
static ATTNI_UNUSED __m512 attni_avx512_load_part_i8(const int8_t *p, int32_t n) {
  int8_t part[16] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return _mm512_maskz_cvtepi32_ps(ATTNI_AVX512_ALL, _mm512_maskz_cvtepi8_epi32(ATTNI_AVX512_ALL, _mm_loadu_si128((const __m128i *)(const void *)(part))));
}

ATTNI_TARGET_AVX512
static void attni_avx512_widen(const void *from, attn_type type, float scale, int64_t count, float *to) {
  int64_t i = 0;
  if (type == ATTN_F16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 16 <= count; i += 16) {
      const __m512 x_i = _mm512_maskz_cvtph_ps(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(x + i)));
      _mm512_storeu_ps(to + i, x_i);
    }
    for (; i < count; ++i) to[i] = attni_from_f16(x[i]);
  } else if (type == ATTN_BF16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 16 <= count; i += 16) {
      const __m512 x_i = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(x + i))), 16));
      _mm512_storeu_ps(to + i, x_i);
    }
    for (; i < count; ++i) to[i] = attni_from_bf16(x[i]);
  } else {
    const int8_t *const x = (const int8_t *)from;
    const __m512 scale_v = _mm512_set1_ps(scale);
    for (; i + 16 <= count; i += 16) {
      const __m512 x_i = _mm512_maskz_cvtepi32_ps(ATTNI_AVX512_ALL, _mm512_maskz_cvtepi8_epi32(ATTNI_AVX512_ALL, _mm_loadu_si128((const __m128i *)(const void *)(x + i))));
      _mm512_storeu_ps(to + i, _mm512_mul_ps(x_i, scale_v));
    }
    for (; i < count; ++i) to[i] = (float)x[i] * scale;
  }
}

/* As f32, ATTN_I8 without its scale. */
static void attni_avx512_widen_row(const void *from, attn_type type, int64_t count, float *to) {
  if (type == ATTN_F32) {
    memcpy(to, from, (size_t)count * sizeof(float));
  } else {
    attni_avx512_widen(from, type, 1.0f, count, to);
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_narrow(const float *from, attn_type type, int64_t count, void *to) {
  uint16_t *const x = (uint16_t *)to;
  int64_t i = 0;
  if (type == ATTN_F16) {
    for (; i + 16 <= count; i += 16) {
      const __m512 from_i = _mm512_loadu_ps(from + i);
      _mm256_storeu_si256((__m256i *)(void *)(x + i), _mm512_maskz_cvtps_ph(ATTNI_AVX512_ALL, from_i, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    for (; i < count; ++i) x[i] = attni_to_f16(from[i]);
  } else {
    for (; i + 16 <= count; i += 16) {
      const __m512 from_i = _mm512_loadu_ps(from + i);
      attni_avx512_store_bf16(x + i, from_i);
    }
    for (; i < count; ++i) x[i] = attni_to_bf16(from[i]);
  }
}

/* x[i] lane j = x[j] lane i. */
ATTNI_TARGET_AVX512
static ATTNI_FORCE_INLINE void attni_avx512_transpose(__m512 *x) {
  const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[0], x[1]);
  const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[0], x[1]);
  const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[2], x[3]);
  const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[2], x[3]);
  const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[4], x[5]);
  const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[4], x[5]);
  const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[6], x[7]);
  const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[6], x[7]);
  const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[8], x[9]);
  const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[8], x[9]);
  const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[10], x[11]);
  const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[10], x[11]);
  const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[12], x[13]);
  const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[12], x[13]);
  const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x[14], x[15]);
  const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x[14], x[15]);
  const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
  const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
  const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
  const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
  const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
  const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
  const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
  const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
  const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
  const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
  const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
  const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
  const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
  const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
  const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
  const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
  const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
  const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
  const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
  const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
  const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
  const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
  const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
  const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
  const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
  const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
  const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
  const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
  const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
  const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
  const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
  const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
  const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
  const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
  const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
  const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
  const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
  const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
  const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
  const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
  const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
  const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
  const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
  const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
  const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
  const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
  const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
  const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
  x[0] = t3_0;
  x[1] = t3_1;
  x[2] = t3_2;
  x[3] = t3_3;
  x[4] = t3_4;
  x[5] = t3_5;
  x[6] = t3_6;
  x[7] = t3_7;
  x[8] = t3_8;
  x[9] = t3_9;
  x[10] = t3_10;
  x[11] = t3_11;
  x[12] = t3_12;
  x[13] = t3_13;
  x[14] = t3_14;
  x[15] = t3_15;
}

/* to[d][row] = rows[row][d] * scale, 16 rows by 16 columns at a time. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const __m512 scale_v = _mm512_set1_ps(scale);
  int32_t row, d;
  for (row = t->row0; row < 48; row += 16) {
    const float *const *const r = rows + row;
    float *out = to + row;
    for (d = 0; d + 16 <= size; d += 16, out += 768) {
      __m512 x[16];
      x[0] = _mm512_mul_ps(_mm512_loadu_ps(r[0] + d), scale_v);
      x[1] = _mm512_mul_ps(_mm512_loadu_ps(r[1] + d), scale_v);
      x[2] = _mm512_mul_ps(_mm512_loadu_ps(r[2] + d), scale_v);
      x[3] = _mm512_mul_ps(_mm512_loadu_ps(r[3] + d), scale_v);
      x[4] = _mm512_mul_ps(_mm512_loadu_ps(r[4] + d), scale_v);
      x[5] = _mm512_mul_ps(_mm512_loadu_ps(r[5] + d), scale_v);
      x[6] = _mm512_mul_ps(_mm512_loadu_ps(r[6] + d), scale_v);
      x[7] = _mm512_mul_ps(_mm512_loadu_ps(r[7] + d), scale_v);
      x[8] = _mm512_mul_ps(_mm512_loadu_ps(r[8] + d), scale_v);
      x[9] = _mm512_mul_ps(_mm512_loadu_ps(r[9] + d), scale_v);
      x[10] = _mm512_mul_ps(_mm512_loadu_ps(r[10] + d), scale_v);
      x[11] = _mm512_mul_ps(_mm512_loadu_ps(r[11] + d), scale_v);
      x[12] = _mm512_mul_ps(_mm512_loadu_ps(r[12] + d), scale_v);
      x[13] = _mm512_mul_ps(_mm512_loadu_ps(r[13] + d), scale_v);
      x[14] = _mm512_mul_ps(_mm512_loadu_ps(r[14] + d), scale_v);
      x[15] = _mm512_mul_ps(_mm512_loadu_ps(r[15] + d), scale_v);
      attni_avx512_transpose(x);
      _mm512_store_ps(out + 0, x[0]);
      _mm512_store_ps(out + 48, x[1]);
      _mm512_store_ps(out + 96, x[2]);
      _mm512_store_ps(out + 144, x[3]);
      _mm512_store_ps(out + 192, x[4]);
      _mm512_store_ps(out + 240, x[5]);
      _mm512_store_ps(out + 288, x[6]);
      _mm512_store_ps(out + 336, x[7]);
      _mm512_store_ps(out + 384, x[8]);
      _mm512_store_ps(out + 432, x[9]);
      _mm512_store_ps(out + 480, x[10]);
      _mm512_store_ps(out + 528, x[11]);
      _mm512_store_ps(out + 576, x[12]);
      _mm512_store_ps(out + 624, x[13]);
      _mm512_store_ps(out + 672, x[14]);
      _mm512_store_ps(out + 720, x[15]);
    }
    for (; d < size; ++d, out += 48) {
      int32_t i;
      for (i = 0; i < 16; ++i) out[i] = r[i][d] * scale;
    }
  }
}

ATTNI_TARGET_AVX512
static bool attni_avx512_prefill_finite(const float *x, int64_t stride, int32_t rows, int32_t size) {
  int32_t largest[16];
  __m512i max = _mm512_setzero_si512();
  int32_t row, i;
  for (row = 0; row < rows; ++row, x += stride) {
    for (i = 0; i + 64 <= size; i += 64) {
      const __m512 x0 = _mm512_loadu_ps(x + i);
      const __m512 x1 = _mm512_loadu_ps(x + i + 16);
      const __m512 x2 = _mm512_loadu_ps(x + i + 32);
      const __m512 x3 = _mm512_loadu_ps(x + i + 48);
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(x0), _mm512_set1_epi32(INT32_MAX)));
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(x1), _mm512_set1_epi32(INT32_MAX)));
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(x2), _mm512_set1_epi32(INT32_MAX)));
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(x3), _mm512_set1_epi32(INT32_MAX)));
    }
    for (; i + 16 <= size; i += 16) {
      const __m512 x_i = _mm512_loadu_ps(x + i);
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(x_i), _mm512_set1_epi32(INT32_MAX)));
    }
    for (; i < size; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  _mm512_storeu_si512(largest, max);
  return attni_lanes_below(largest, 16, ATTNI_INFINITY_BITS);
}

/* Where the keys before key_from and from key_full on are not allowed; all of them with a bias. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_mask(const attni_tile *t, uint32_t fill) {
  const __m512 fill_v = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)(fill)));
  const float *const bias = t->bias_masks ? t->bias : NULL;
  float *const st = t->st;
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t *const start = t->start + row, *const limit = t->limit + row;
    const int32_t from = t->key_from[row / 16], full = t->key_full[row / 16];
    const int32_t end = t->key_end[row / 16];
    for (key = t->key_begin; key < end; ++key) {
      const size_t at = (size_t)key * 48 + (size_t)row;
      __m512 s;
      if (key == from && key < full) {
        key = full - 1;
        continue;
      }
      s = _mm512_load_ps(st + at);
      s = _mm512_mask_blend_ps(_mm512_cmpgt_epi32_mask(_mm512_load_si512(start), _mm512_set1_epi32(key)), s, fill_v);
      s = _mm512_mask_blend_ps(_mm512_cmpgt_epi32_mask(_mm512_load_si512(limit), _mm512_set1_epi32(key)), fill_v, s);
      if (bias != NULL) {
        const __m512 b = _mm512_load_ps(bias + at);
        s = _mm512_mask_blend_ps(_mm512_cmpeq_epi32_mask(_mm512_castps_si512(b), _mm512_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))), s, fill_v);
      }
      _mm512_store_ps(st + at, s);
    }
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_prefill_softcap(const attni_tile *t, float cap, float slope) {
  const __m512 cap_v = _mm512_set1_ps(cap), slope_v = _mm512_set1_ps(slope);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t end = t->key_end[row / 16];
    float *st = t->st + (size_t)begin * 48 + row;
    __m512 max = _mm512_load_ps(t->m + row), max_1 = max;

    for (key = begin; key + 2 <= end; key += 2, st += 96) {
      {
        __m512 s = _mm512_load_ps(st);
        s = attni_avx512_softcap(s, cap_v, slope_v);
        max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, s);
        _mm512_store_ps(st, s);
      }
      {
        __m512 s = _mm512_load_ps(st + 48);
        s = attni_avx512_softcap(s, cap_v, slope_v);
        max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, s);
        _mm512_store_ps(st + 48, s);
      }
    }
    if (key < end) {
      __m512 s = _mm512_load_ps(st);
      s = attni_avx512_softcap(s, cap_v, slope_v);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, s);
      _mm512_store_ps(st, s);
    }
    _mm512_store_ps(t->row_max + row, _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, max_1));
  }
}

ATTNI_TARGET_AVX512
static bool attni_avx512_prefill_add_bias(const attni_tile *t) {
  int32_t largest[16];
  __m512i most = _mm512_setzero_si512();
  int32_t row, key, i;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t keys = t->key_end[row / 16] - t->key_begin;
    const float *const *const r = t->bias_rows + row;
    float *st = t->st + (size_t)t->key_begin * 48 + row;
    __m512 max = _mm512_load_ps(t->m + row), max_1 = max; /* in turns: each waits for its last */
    for (key = 0; key + 16 <= keys; key += 16, st += 768) {
      __m512 x[16];
      x[0] = _mm512_loadu_ps(r[0] + key);
      x[1] = _mm512_loadu_ps(r[1] + key);
      x[2] = _mm512_loadu_ps(r[2] + key);
      x[3] = _mm512_loadu_ps(r[3] + key);
      x[4] = _mm512_loadu_ps(r[4] + key);
      x[5] = _mm512_loadu_ps(r[5] + key);
      x[6] = _mm512_loadu_ps(r[6] + key);
      x[7] = _mm512_loadu_ps(r[7] + key);
      x[8] = _mm512_loadu_ps(r[8] + key);
      x[9] = _mm512_loadu_ps(r[9] + key);
      x[10] = _mm512_loadu_ps(r[10] + key);
      x[11] = _mm512_loadu_ps(r[11] + key);
      x[12] = _mm512_loadu_ps(r[12] + key);
      x[13] = _mm512_loadu_ps(r[13] + key);
      x[14] = _mm512_loadu_ps(r[14] + key);
      x[15] = _mm512_loadu_ps(r[15] + key);
      attni_avx512_transpose(x);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[0]));
      x[0] = _mm512_add_ps(_mm512_load_ps(st + 0), x[0]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[0]);
      _mm512_store_ps(st + 0, x[0]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[1]));
      x[1] = _mm512_add_ps(_mm512_load_ps(st + 48), x[1]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[1]);
      _mm512_store_ps(st + 48, x[1]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[2]));
      x[2] = _mm512_add_ps(_mm512_load_ps(st + 96), x[2]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[2]);
      _mm512_store_ps(st + 96, x[2]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[3]));
      x[3] = _mm512_add_ps(_mm512_load_ps(st + 144), x[3]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[3]);
      _mm512_store_ps(st + 144, x[3]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[4]));
      x[4] = _mm512_add_ps(_mm512_load_ps(st + 192), x[4]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[4]);
      _mm512_store_ps(st + 192, x[4]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[5]));
      x[5] = _mm512_add_ps(_mm512_load_ps(st + 240), x[5]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[5]);
      _mm512_store_ps(st + 240, x[5]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[6]));
      x[6] = _mm512_add_ps(_mm512_load_ps(st + 288), x[6]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[6]);
      _mm512_store_ps(st + 288, x[6]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[7]));
      x[7] = _mm512_add_ps(_mm512_load_ps(st + 336), x[7]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[7]);
      _mm512_store_ps(st + 336, x[7]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[8]));
      x[8] = _mm512_add_ps(_mm512_load_ps(st + 384), x[8]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[8]);
      _mm512_store_ps(st + 384, x[8]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[9]));
      x[9] = _mm512_add_ps(_mm512_load_ps(st + 432), x[9]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[9]);
      _mm512_store_ps(st + 432, x[9]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[10]));
      x[10] = _mm512_add_ps(_mm512_load_ps(st + 480), x[10]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[10]);
      _mm512_store_ps(st + 480, x[10]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[11]));
      x[11] = _mm512_add_ps(_mm512_load_ps(st + 528), x[11]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[11]);
      _mm512_store_ps(st + 528, x[11]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[12]));
      x[12] = _mm512_add_ps(_mm512_load_ps(st + 576), x[12]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[12]);
      _mm512_store_ps(st + 576, x[12]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[13]));
      x[13] = _mm512_add_ps(_mm512_load_ps(st + 624), x[13]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[13]);
      _mm512_store_ps(st + 624, x[13]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[14]));
      x[14] = _mm512_add_ps(_mm512_load_ps(st + 672), x[14]);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x[14]);
      _mm512_store_ps(st + 672, x[14]);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x[15]));
      x[15] = _mm512_add_ps(_mm512_load_ps(st + 720), x[15]);
      max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, x[15]);
      _mm512_store_ps(st + 720, x[15]);
    }
    for (; key < keys; ++key, st += 48) {
      float column[16];
      __m512 x;
      for (i = 0; i < 16; ++i) column[i] = r[i][key];
      x = _mm512_loadu_ps(column);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(x));
      x = _mm512_add_ps(_mm512_load_ps(st), x);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, x);
      _mm512_store_ps(st, x);
    }
    _mm512_store_ps(t->row_max + row, _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, max_1));
  }
  _mm512_storeu_si512(largest, most);
  return attni_lanes_below(largest, 16, ATTNI_NEG_INFINITY_BITS);
}

ATTNI_TARGET_AVX512
static void attni_avx512_prefill_alibi(const attni_tile *t) {
  const __m512 zero = _mm512_setzero_ps(), two = _mm512_set1_ps(2.0f);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t end = t->key_end[row / 16];
    float *st = t->st + (size_t)begin * 48 + row;
    __m512 max = _mm512_load_ps(t->m + row), max_1 = max;
    const __m512 slope = _mm512_sub_ps(zero, _mm512_load_ps(t->slope + row)), position = _mm512_load_ps(t->position + row);
    __m512 at = _mm512_set1_ps((float)begin), at_1 = _mm512_set1_ps((float)(begin + 1));
    for (key = begin; key + 2 <= end; key += 2, st += 96) {
      {
        __m512 s = _mm512_load_ps(st);
        s = _mm512_fmadd_ps(slope, _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(_mm512_sub_ps(position, at)), _mm512_set1_epi32(INT32_MAX))), s);
        at = _mm512_add_ps(at, two);
        max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, s);
        _mm512_store_ps(st, s);
      }
      {
        __m512 s = _mm512_load_ps(st + 48);
        s = _mm512_fmadd_ps(slope, _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(_mm512_sub_ps(position, at_1)), _mm512_set1_epi32(INT32_MAX))), s);
        at_1 = _mm512_add_ps(at_1, two);
        max_1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_1, s);
        _mm512_store_ps(st + 48, s);
      }
    }
    if (key < end) {
      __m512 s = _mm512_load_ps(st);
      s = _mm512_fmadd_ps(slope, _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(_mm512_sub_ps(position, at)), _mm512_set1_epi32(INT32_MAX))), s);
      at = _mm512_add_ps(at, two);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, s);
      _mm512_store_ps(st, s);
    }
    _mm512_store_ps(t->row_max + row, _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, max_1));
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t end = t->key_end[row / 16];
    const float *st = t->st + (size_t)t->key_begin * 48 + row;
    __m512 max0 = _mm512_load_ps(t->m + row), max1 = max0, max2 = max0, max3 = max0;
    for (key = t->key_begin; key + 4 <= end; key += 4, st += 192) {
      const __m512 s0 = _mm512_load_ps(st + 0);
      const __m512 s1 = _mm512_load_ps(st + 48);
      const __m512 s2 = _mm512_load_ps(st + 96);
      const __m512 s3 = _mm512_load_ps(st + 144);
      max0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max0, s0);
      max1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max1, s1);
      max2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max2, s2);
      max3 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max3, s3);
    }
    for (; key < end; ++key, st += 48) {
      const __m512 s = _mm512_load_ps(st);
      max0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max0, s);
    }
    max0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max0, max1);
    max2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max2, max3);
    _mm512_store_ps(t->row_max + row, _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max0, max2));
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t end = t->key_end[row / 16];
    const __m512 max = _mm512_load_ps(t->row_max + row);
    __m512 old = _mm512_sub_ps(_mm512_load_ps(t->m + row), max);
    __m512 factor;
    float *st = t->st + (size_t)t->key_begin * 48 + row;
    __m512 sum0 = _mm512_setzero_ps();
    __m512 sum1 = _mm512_setzero_ps();
    __m512 sum2 = _mm512_setzero_ps();
    __m512 sum3 = _mm512_setzero_ps();
    for (key = end; key % 4 != 0; ++key) {
      _mm512_store_ps(t->st + (size_t)key * 48 + row, _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))));
    }
    if (t->natural) {
      old = _mm512_mul_ps(old, _mm512_set1_ps((float)ATTNI_LOG2E));
      for (key = t->key_begin; key < end; key += 4, st += 192) {
        {
          const __m512 x = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 0), max), _mm512_set1_ps((float)ATTNI_LOG2E));
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 0, w);
          sum0 = _mm512_add_ps(sum0, w);
        }
        {
          const __m512 x = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 48), max), _mm512_set1_ps((float)ATTNI_LOG2E));
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 48, w);
          sum1 = _mm512_add_ps(sum1, w);
        }
        {
          const __m512 x = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 96), max), _mm512_set1_ps((float)ATTNI_LOG2E));
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 96, w);
          sum2 = _mm512_add_ps(sum2, w);
        }
        {
          const __m512 x = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 144), max), _mm512_set1_ps((float)ATTNI_LOG2E));
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 144, w);
          sum3 = _mm512_add_ps(sum3, w);
        }
      }
    } else {
      for (key = t->key_begin; key < end; key += 4, st += 192) {
        {
          const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 0), max);
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 0, w);
          sum0 = _mm512_add_ps(sum0, w);
        }
        {
          const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 48), max);
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 48, w);
          sum1 = _mm512_add_ps(sum1, w);
        }
        {
          const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 96), max);
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 96, w);
          sum2 = _mm512_add_ps(sum2, w);
        }
        {
          const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 144), max);
          const __m512 w = attni_avx512_exp2(x);
          _mm512_store_ps(st + 144, w);
          sum3 = _mm512_add_ps(sum3, w);
        }
      }
    }
    factor = attni_avx512_exp2(old);
    sum0 = _mm512_add_ps(_mm512_add_ps(sum0, sum1), _mm512_add_ps(sum2, sum3));
    _mm512_store_ps(t->l + row, _mm512_fmadd_ps(_mm512_load_ps(t->l + row), factor, sum0));
    _mm512_store_ps(t->factor + row, factor);
  }
}

/* The careful product: slow, and rarely needed. Weights of -0 tell which keys to leave out. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_masked(const attni_tile *t, attn_type type) {
  int32_t row, f, key;
  (void)type;
  attni_avx512_prefill_mask(t, ATTNI_NEG_ZERO_BITS);
  for (row = t->row0; row < 48; row += 16) {
    const __m512 factor = _mm512_load_ps(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 48 + row;
      const float *vk = (const float *)t->kv.v + t->key_begin * t->kv.v_stride + f;
      __m512 acc = _mm512_setzero_ps();
      for (key = t->key_begin; key < t->key_end[row / 16]; ++key, vk += t->kv.v_stride) {
        const __m512 p = _mm512_load_ps(t->st + (size_t)key * 48 + row);
        const __m512 b = _mm512_set1_ps(*(vk));
        const __m512 next = _mm512_fmadd_ps(b, p, acc);
        acc = _mm512_mask_blend_ps(_mm512_cmpeq_epi32_mask(_mm512_castps_si512(p), _mm512_set1_epi32((int32_t)(ATTNI_NEG_ZERO_BITS))), next, acc);
      }
      if (!t->first) acc = _mm512_fmadd_ps(_mm512_load_ps(ot), factor, acc);
      _mm512_store_ps(ot, acc);
    }
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_prefill_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const __m512 zero = _mm512_set1_ps(attni_zero);
  int32_t row, f, i;
  for (row = t->row0; row < 48; row += 16) {
    const __m512 scale = _mm512_load_ps(inverse + row);
    float *const *const r = rows + row;
    const float *ot = t->ot + row;
    for (f = 0; f + 16 <= t->head_size_v; f += 16, ot += 768) {
      __m512 x[16];
      x[0] = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), scale, zero);
      x[1] = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), scale, zero);
      x[2] = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), scale, zero);
      x[3] = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), scale, zero);
      x[4] = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), scale, zero);
      x[5] = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), scale, zero);
      x[6] = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), scale, zero);
      x[7] = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), scale, zero);
      x[8] = _mm512_fmadd_ps(_mm512_load_ps(ot + 384), scale, zero);
      x[9] = _mm512_fmadd_ps(_mm512_load_ps(ot + 432), scale, zero);
      x[10] = _mm512_fmadd_ps(_mm512_load_ps(ot + 480), scale, zero);
      x[11] = _mm512_fmadd_ps(_mm512_load_ps(ot + 528), scale, zero);
      x[12] = _mm512_fmadd_ps(_mm512_load_ps(ot + 576), scale, zero);
      x[13] = _mm512_fmadd_ps(_mm512_load_ps(ot + 624), scale, zero);
      x[14] = _mm512_fmadd_ps(_mm512_load_ps(ot + 672), scale, zero);
      x[15] = _mm512_fmadd_ps(_mm512_load_ps(ot + 720), scale, zero);
      attni_avx512_transpose(x);
      _mm512_storeu_ps(r[0] + f, x[0]);
      _mm512_storeu_ps(r[1] + f, x[1]);
      _mm512_storeu_ps(r[2] + f, x[2]);
      _mm512_storeu_ps(r[3] + f, x[3]);
      _mm512_storeu_ps(r[4] + f, x[4]);
      _mm512_storeu_ps(r[5] + f, x[5]);
      _mm512_storeu_ps(r[6] + f, x[6]);
      _mm512_storeu_ps(r[7] + f, x[7]);
      _mm512_storeu_ps(r[8] + f, x[8]);
      _mm512_storeu_ps(r[9] + f, x[9]);
      _mm512_storeu_ps(r[10] + f, x[10]);
      _mm512_storeu_ps(r[11] + f, x[11]);
      _mm512_storeu_ps(r[12] + f, x[12]);
      _mm512_storeu_ps(r[13] + f, x[13]);
      _mm512_storeu_ps(r[14] + f, x[14]);
      _mm512_storeu_ps(r[15] + f, x[15]);
    }
    for (; f < t->head_size_v; ++f, ot += 48) {
      float x[16];
      _mm512_storeu_ps(x, _mm512_fmadd_ps(_mm512_load_ps(ot), scale, zero));
      for (i = 0; i < 16; ++i) r[i][f] = x[i];
    }
  }
}

#ifdef ATTNI_HAVE_AVX512_BF16

ATTNI_TARGET_AVX512_BF16
static ATTNI_FORCE_INLINE __m512 attni_avx512_pair_bf16(__m512 a, __m512 b) {
  /* a's numbers, words 0 to 15 of the conversion, and b's, 16 to 31, in turns */
  const __m512i order = _mm512_set_epi32(
      0x1f000f, 0x1e000e, 0x1d000d, 0x1c000c, 0x1b000b, 0x1a000a, 0x190009, 0x180008, 0x170007,
      0x160006, 0x150005, 0x140004, 0x130003, 0x120002, 0x110001, 0x100000);
  return _mm512_castsi512_ps(_mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(b, a)));
}

/* qt[d / 2][row] = features d and d+1 of rows[row], 16 rows by 16 pairs at a time. Pairs are moved as
 * floats, but never computed with: any bits must arrive. */
ATTNI_TARGET_AVX512_BF16
static void attni_avx512_prefill_bf16_pack_q(const attni_tile *t, const float *const *rows) {
  const int32_t pairs = (t->head_size + 1) / 2;
  int32_t row, d;
  for (row = t->row0; row < 48; row += 16) {
    const float *const *const r = rows + row;
    float *qt = t->qt + row;
    for (d = 0; d + 16 <= pairs; d += 16, qt += 768) {
      __m512 x[16];
      x[0] = _mm512_loadu_ps(r[0] + d);
      x[1] = _mm512_loadu_ps(r[1] + d);
      x[2] = _mm512_loadu_ps(r[2] + d);
      x[3] = _mm512_loadu_ps(r[3] + d);
      x[4] = _mm512_loadu_ps(r[4] + d);
      x[5] = _mm512_loadu_ps(r[5] + d);
      x[6] = _mm512_loadu_ps(r[6] + d);
      x[7] = _mm512_loadu_ps(r[7] + d);
      x[8] = _mm512_loadu_ps(r[8] + d);
      x[9] = _mm512_loadu_ps(r[9] + d);
      x[10] = _mm512_loadu_ps(r[10] + d);
      x[11] = _mm512_loadu_ps(r[11] + d);
      x[12] = _mm512_loadu_ps(r[12] + d);
      x[13] = _mm512_loadu_ps(r[13] + d);
      x[14] = _mm512_loadu_ps(r[14] + d);
      x[15] = _mm512_loadu_ps(r[15] + d);
      attni_avx512_transpose(x);
      _mm512_store_ps(qt + 0, x[0]);
      _mm512_store_ps(qt + 48, x[1]);
      _mm512_store_ps(qt + 96, x[2]);
      _mm512_store_ps(qt + 144, x[3]);
      _mm512_store_ps(qt + 192, x[4]);
      _mm512_store_ps(qt + 240, x[5]);
      _mm512_store_ps(qt + 288, x[6]);
      _mm512_store_ps(qt + 336, x[7]);
      _mm512_store_ps(qt + 384, x[8]);
      _mm512_store_ps(qt + 432, x[9]);
      _mm512_store_ps(qt + 480, x[10]);
      _mm512_store_ps(qt + 528, x[11]);
      _mm512_store_ps(qt + 576, x[12]);
      _mm512_store_ps(qt + 624, x[13]);
      _mm512_store_ps(qt + 672, x[14]);
      _mm512_store_ps(qt + 720, x[15]);
    }
    for (; d < pairs; ++d, qt += 48) {
      int32_t i;
      for (i = 0; i < 16; ++i) memcpy(qt + i, r[i] + d, sizeof qt[i]);
    }
  }
}

/* to[f] = value f of two keys, b's in the upper half, or 0 if b is null. */
ATTNI_TARGET_AVX512_BF16
static void attni_avx512_prefill_bf16_pack_v(const uint16_t *a, const uint16_t *b, int64_t count, float *to) {
  int64_t f = 0;
  for (; b != NULL && f + 16 <= count; f += 16) {
    _mm512_storeu_ps(to + f, _mm512_castsi512_ps(_mm512_or_si512(_mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(a + f))), _mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(b + f))), 16))));
  }
  for (; f < count; ++f) {
    const uint32_t pair = a[f] | (b == NULL ? 0 : (uint32_t)b[f] << 16);
    memcpy(to + f, &pair, sizeof pair);
  }
}

ATTNI_TARGET_AVX512_BF16
static bool attni_avx512_prefill_bf16_finite_pairs(const float *x, int64_t stride, int32_t rows, int32_t size) {
  int32_t largest[16];
  __m512i max = _mm512_setzero_si512();
  int32_t row, i;
  for (row = 0; row < rows; ++row, x += stride) {
    for (i = 0; i + 16 <= size; i += 16) {
      const __m512 x_i = _mm512_loadu_ps(x + i);
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(x_i), _mm512_set1_epi32(INT32_MAX)));
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_castps_si512(x_i), 16))), _mm512_set1_epi32(INT32_MAX)));
    }
    for (; i < size; ++i) {
      const uint32_t pair = attni_pair((const uint16_t *)(const void *)(x + i));
      if (!attni_is_finite(attni_float(pair)) || !attni_is_finite(attni_float(pair << 16))) return false;
    }
  }
  _mm512_storeu_si512(largest, max);
  return attni_lanes_below(largest, 16, ATTNI_INFINITY_BITS);
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0.
 * Pairs of weights take the place of the scores; the sum is that of the weights before they are rounded. */
ATTNI_TARGET_AVX512_BF16
static void attni_avx512_prefill_bf16_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t end = t->key_end[row / 16];
    const __m512 max = _mm512_load_ps(t->row_max + row);
    __m512 old = _mm512_sub_ps(_mm512_load_ps(t->m + row), max);
    __m512 factor;
    float *st = t->st + (size_t)t->key_begin * 48 + row;
    float *pairs = t->st + (size_t)(t->key_begin / 2) * 48 + row;
    __m512 sum0 = _mm512_setzero_ps();
    __m512 sum1 = _mm512_setzero_ps();
    __m512 sum2 = _mm512_setzero_ps();
    __m512 sum3 = _mm512_setzero_ps();
    for (key = end; key % 4 != 0; ++key) {
      _mm512_store_ps(t->st + (size_t)key * 48 + row, _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))));
    }
    if (t->natural) {
      old = _mm512_mul_ps(old, _mm512_set1_ps((float)ATTNI_LOG2E));
      for (key = t->key_begin; key < end; key += 4, st += 192) {
        const __m512 x0 = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 0), max), _mm512_set1_ps((float)ATTNI_LOG2E));
        const __m512 w0 = attni_avx512_exp2(x0);
        const __m512 x1 = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 48), max), _mm512_set1_ps((float)ATTNI_LOG2E));
        const __m512 w1 = attni_avx512_exp2(x1);
        const __m512 x2 = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 96), max), _mm512_set1_ps((float)ATTNI_LOG2E));
        const __m512 w2 = attni_avx512_exp2(x2);
        const __m512 x3 = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(st + 144), max), _mm512_set1_ps((float)ATTNI_LOG2E));
        const __m512 w3 = attni_avx512_exp2(x3);
        _mm512_store_ps(pairs, attni_avx512_pair_bf16(w0, w1));
        _mm512_store_ps(pairs + 48, attni_avx512_pair_bf16(w2, w3));
        sum0 = _mm512_add_ps(sum0, w0);
        sum1 = _mm512_add_ps(sum1, w1);
        sum2 = _mm512_add_ps(sum2, w2);
        sum3 = _mm512_add_ps(sum3, w3);
        pairs += 96;
      }
    } else {
      for (key = t->key_begin; key < end; key += 4, st += 192) {
        const __m512 x0 = _mm512_sub_ps(_mm512_load_ps(st + 0), max);
        const __m512 w0 = attni_avx512_exp2(x0);
        const __m512 x1 = _mm512_sub_ps(_mm512_load_ps(st + 48), max);
        const __m512 w1 = attni_avx512_exp2(x1);
        const __m512 x2 = _mm512_sub_ps(_mm512_load_ps(st + 96), max);
        const __m512 w2 = attni_avx512_exp2(x2);
        const __m512 x3 = _mm512_sub_ps(_mm512_load_ps(st + 144), max);
        const __m512 w3 = attni_avx512_exp2(x3);
        _mm512_store_ps(pairs, attni_avx512_pair_bf16(w0, w1));
        _mm512_store_ps(pairs + 48, attni_avx512_pair_bf16(w2, w3));
        sum0 = _mm512_add_ps(sum0, w0);
        sum1 = _mm512_add_ps(sum1, w1);
        sum2 = _mm512_add_ps(sum2, w2);
        sum3 = _mm512_add_ps(sum3, w3);
        pairs += 96;
      }
    }
    factor = attni_avx512_exp2(old);
    sum0 = _mm512_add_ps(_mm512_add_ps(sum0, sum1), _mm512_add_ps(sum2, sum3));
    _mm512_store_ps(t->l + row, _mm512_fmadd_ps(_mm512_load_ps(t->l + row), factor, sum0));
    _mm512_store_ps(t->factor + row, factor);
  }
}

/* Behind the weights: per pair of keys and row, a mask of what the row may see of the pair. */
static void attni_avx512_prefill_bf16_keep(const attni_tile *t, float *keep) {
  int32_t row, key, i;
  for (row = t->row0; row < 48; row += 16) {
    for (key = t->key_begin; key < t->key_end[row / 16]; key += 2) {
      for (i = row; i < row + 16; ++i) {
        bool low = key >= t->start[i] && key < t->limit[i];
        bool high = key + 1 >= t->start[i] && key + 1 < t->limit[i];
        uint32_t mask;
        if (t->bias_masks) {
          const float *const bias = t->bias + (size_t)key * 48 + i;
          low = low && attni_bits(bias[0]) != ATTNI_NEG_INFINITY_BITS;
          high = high && attni_bits(bias[48]) != ATTNI_NEG_INFINITY_BITS;
        }
        mask = (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u);
        memcpy(keep + (size_t)(key / 2) * 48 + i, &mask, sizeof mask);
      }
    }
  }
}

/* The careful product: a row takes 0 for the values of keys that it must not see. */
ATTNI_TARGET_AVX512_BF16
static void attni_avx512_prefill_bf16_pv_masked(const attni_tile *t, attn_type type) {
  float *const keep = t->st + 3072;
  int32_t row, f, key;
  (void)type;
  attni_avx512_prefill_bf16_keep(t, keep);
  for (row = t->row0; row < 48; row += 16) {
    const __m512 factor = _mm512_load_ps(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 48 + row;
      const uint16_t *vk = (const uint16_t *)t->kv.v + t->key_begin / 2 * t->kv.v_stride + 2 * f;
      __m512 acc = _mm512_setzero_ps();
      for (key = t->key_begin; key < t->key_end[row / 16]; key += 2, vk += t->kv.v_stride) {
        const size_t at = (size_t)(key / 2) * 48 + (size_t)row;
        const __m512 b = _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(_mm512_load_ps(keep + at)), _mm512_castps_si512(_mm512_castsi512_ps(_mm512_set1_epi32((int32_t)(attni_pair(vk)))))));
        acc = _mm512_dpbf16_ps(acc, (__m512bh)(b), (__m512bh)(_mm512_load_ps(t->st + at)));
      }
      if (!t->first) acc = _mm512_fmadd_ps(_mm512_load_ps(ot), factor, acc);
      _mm512_store_ps(ot, acc);
    }
  }
}

#endif /* ATTNI_HAVE_AVX512_BF16 */

/* A row of qt or ot takes whole multiples of 16 floats. */
static size_t attni_avx512_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 15) / 16 * 16;
}

/* to[row][d] = rows[row][d] * scale, and 0 behind the last column. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const int32_t floats = (int32_t)attni_avx512_decode_row_floats(size);
  const __m512 scale_v = _mm512_set1_ps(scale);
  int32_t row, d;
  for (row = t->row0; row < 16; ++row) {
    float *const out = to + (size_t)row * (size_t)floats;
    d = 0;
    for (; d + 16 <= size; d += 16) {
      _mm512_store_ps(out + d, _mm512_mul_ps(_mm512_loadu_ps(rows[row] + d), scale_v));
    }
    for (; d < size; ++d) out[d] = rows[row][d] * scale;
    for (; d < floats; ++d) out[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_avx512_decode_max_lanes(const float *x) {
  float y[16];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 8; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] = y[i + n] > y[i] ? y[i + n] : y[i];
  }
  return y[0];
}

/* The sum of the lanes, as a tree. */
static float attni_avx512_decode_sum_lanes(const float *x) {
  float y[16];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 8; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] += y[i + n];
  }
  return y[0];
}

/* st[row][key] times scale[key], the scales of ATTN_I8: of scores, and then of weights, which PV takes so. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_scale(const attni_tile *t, const float *scale) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 272;
    const int32_t end = t->key_end[row];
    for (key = end; key % 16 != 0; ++key) st[key] = 0.0f;
    for (key = t->key_begin; key < end; key += 16) {
      _mm512_store_ps(st + key, _mm512_mul_ps(_mm512_load_ps(st + key), _mm512_load_ps(scale + key)));
    }
  }
}

/* Where keys before start are not allowed; with a bias, where it says so. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_mask(const attni_tile *t, uint32_t fill) {
  const float fill_f = attni_float(fill);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 272;
    const int32_t end = t->key_end[row], start = attni_min_i32(t->start[row], end);
    for (key = t->key_begin; key < start; ++key) st[key] = fill_f;
    if (t->bias_masks) {
      const float *const bias = t->bias + (size_t)row * 272;
      const __m512 fill_v = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)(fill)));
      for (key = t->key_begin; key < end; key += 16) {
        const __m512 bias_v = _mm512_load_ps(bias + key);
        _mm512_store_ps(st + key, _mm512_mask_blend_ps(_mm512_cmpeq_epi32_mask(_mm512_castps_si512(bias_v), _mm512_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))), _mm512_load_ps(st + key), fill_v));
      }
    }
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_decode_softcap(const attni_tile *t, float cap, float slope) {
  const __m512 cap_v = _mm512_set1_ps(cap), slope_v = _mm512_set1_ps(slope);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 272;
    const int32_t end = t->key_end[row];

    for (key = t->key_begin; key < end; key += 16) {
      const __m512 s = _mm512_load_ps(st + key);
      _mm512_store_ps(st + key, attni_avx512_softcap(s, cap_v, slope_v));
    }
  }
}

ATTNI_TARGET_AVX512
static bool attni_avx512_decode_add_bias(const attni_tile *t) {
  int32_t largest[16];
  __m512i most = _mm512_setzero_si512();
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 272;
    const int32_t end = t->key_end[row];
    const float *const bias = t->bias_rows[row] - t->key_begin;
    for (key = t->key_begin; key < end; key += 16) {
      const __m512 s = _mm512_load_ps(st + key);
      const __m512 b = _mm512_load_ps(bias + key);
      most = _mm512_maskz_max_epu32(ATTNI_AVX512_ALL, most, _mm512_castps_si512(b));
      _mm512_store_ps(st + key, _mm512_add_ps(s, b));
    }
  }
_mm512_storeu_si512(largest, most);
  return attni_lanes_below(largest, 16, ATTNI_NEG_INFINITY_BITS);
}

ATTNI_TARGET_AVX512
static void attni_avx512_decode_alibi(const attni_tile *t) {
  const __m512 counting = _mm512_loadu_ps(attni_counting);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 272;
    const int32_t end = t->key_end[row];
    const __m512 slope = _mm512_set1_ps(-t->slope[row]), position = _mm512_set1_ps(t->position[row]);
    for (key = t->key_begin; key < end; key += 16) {
      const __m512 s = _mm512_load_ps(st + key);
      const __m512 at = _mm512_add_ps(_mm512_set1_ps((float)key), counting);
      const __m512 apart = _mm512_sub_ps(position, at);
      _mm512_store_ps(st + key, _mm512_fmadd_ps(slope, _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(apart), _mm512_set1_epi32(INT32_MAX))), s));
    }
  }
}

/* The careful product: slow, and rarely needed. Each row of values is converted for each row of weights, and its
 * part of an output is summed in the order of the fast product. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_masked(const attni_tile *t, attn_type type) {
  const size_t floats = attni_avx512_decode_row_floats(t->head_size_v);
  float acc[ATTN_MAX_HEAD_SIZE], value[ATTN_MAX_HEAD_SIZE];
  int32_t row, key, f;
  attni_avx512_decode_mask(t, ATTNI_NEG_ZERO_BITS);
  memset(value, 0, floats * sizeof(float));
  for (row = t->row0; row < 16; ++row) {
    const float *const st = t->st + (size_t)row * 272;
    float *const ot = t->ot + (size_t)row * floats;
    const int32_t end = t->key_end[row];
    int32_t begin = t->key_begin, stop;
    bool start = true;
    do {
      const __m512 factor = _mm512_set1_ps(start ? t->factor[row] : 1.0f);
      stop = attni_chain_end(begin, end, start, 64);
      memset(acc, 0, floats * sizeof(float));
      for (key = begin; key < stop; ++key) {
        const __m512 w = _mm512_set1_ps(type == ATTN_I8 ? st[key] * t->scales_v[key] : st[key]);
        if (attni_bits(st[key]) == ATTNI_NEG_ZERO_BITS) continue;
        attni_avx512_widen_row(attni_at(t->kv.v, type, key * t->kv.v_stride), type, t->head_size_v, value);
        for (f = 0; f < (int32_t)floats; f += 16) {
          const __m512 v_f = _mm512_loadu_ps(value + f);
          _mm512_storeu_ps(acc + f, _mm512_fmadd_ps(v_f, w, _mm512_loadu_ps(acc + f)));
        }
      }
      for (f = 0; f < (int32_t)floats; f += 16) {
        const __m512 sum = _mm512_loadu_ps(acc + f);
        _mm512_store_ps(ot + f, t->first && start ? sum : _mm512_fmadd_ps(_mm512_load_ps(ot + f), factor, sum));
      }
      begin = stop;
      start = false;
    } while (begin < end);
  }
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 272;
    const int32_t end = t->key_end[row];
    float lanes[16];
    __m512 max = _mm512_set1_ps(t->m[row]);
    for (key = end; key % 16 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = t->key_begin; key < end; key += 16) {
      const __m512 s = _mm512_load_ps(st + key);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, s);
    }
    _mm512_storeu_ps(lanes, max);
    t->row_max[row] = attni_avx512_decode_max_lanes(lanes);
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 272;
    const int32_t end = t->key_end[row];
    __m512 max = _mm512_set1_ps(t->row_max[row]);
    __m512 old = _mm512_sub_ps(_mm512_set1_ps(t->m[row]), max);
    __m512 factor;
    float lanes[16];
    __m512 sum = _mm512_setzero_ps();
    if (t->natural) {
      const __m512 log2e = _mm512_set1_ps((float)ATTNI_LOG2E);
      old = _mm512_mul_ps(old, log2e);
      for (key = t->key_begin; key < end; key += 16) {
        const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + key), max);
        _mm512_store_ps(st + key, _mm512_mul_ps(x, log2e));
      }
      max = _mm512_setzero_ps();
    }
    factor = attni_avx512_exp2(old);
    for (key = t->key_begin; key < end; key += 16) {
      const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + key), max);
      const __m512 w = attni_avx512_exp2(x);
      _mm512_store_ps(st + key, w);
      sum = _mm512_add_ps(sum, w);
    }
    _mm512_storeu_ps(lanes, factor);
    t->factor[row] = lanes[0];
    _mm512_storeu_ps(lanes, sum);
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_avx512_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const size_t floats = attni_avx512_decode_row_floats(t->head_size_v);
  const __m512 zero = _mm512_set1_ps(attni_zero);
  int32_t row, f;
  for (row = t->row0; row < 16; ++row) {
    const float *const ot = t->ot + (size_t)row * floats;
    const __m512 scale = _mm512_set1_ps(inverse[row]);
    for (f = 0; f + 16 <= t->head_size_v; f += 16) {
      _mm512_storeu_ps(rows[row] + f, _mm512_fmadd_ps(_mm512_load_ps(ot + f), scale, zero));
    }
    if (f < t->head_size_v) {
      float last[16];
      _mm512_storeu_ps(last, _mm512_fmadd_ps(_mm512_load_ps(ot + f), scale, zero));
      memcpy(rows[row] + f, last, (size_t)(t->head_size_v - f) * sizeof(float));
    }
  }
}

#endif /* ATTNI_HAVE_AVX512 */
