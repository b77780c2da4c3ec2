/* avx2: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* What is below -127, minus infinity included, is raised to it, which gives 0; NaN stays, since max then
 * gives its second operand. Where the compiler may swap them, scale2 finds what is below -126 by its bits. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE __m256 attni_avx2_clamp_tiny(__m256 x) {
#if ATTNI_FINITE_MATH
  return x;
#else
  return _mm256_max_ps(_mm256_set1_ps(-127.0f), x);
#endif
}

/* y * 2^n, by adding n to the exponent. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE __m256 attni_avx2_scale2(__m256 y, __m256 n, __m256 x) {
  const __m256i scaled = _mm256_add_epi32(_mm256_castps_si256(y), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23));
#if ATTNI_FINITE_MATH
  const __m256i range = _mm256_set1_epi32((int32_t)ATTNI_TINY_RANGE);
  const __m256i i = _mm256_sub_epi32(_mm256_castps_si256(x), _mm256_set1_epi32((int32_t)ATTNI_TINY_FIRST));
  const __m256i tiny = _mm256_cmpeq_epi32(_mm256_min_epu32(i, range), i);
  return _mm256_castsi256_ps(_mm256_andnot_si256(tiny, scaled));
#else
  (void)x;
  return _mm256_castsi256_ps(scaled);
#endif
}

/* As attni_to_bf16. */
ATTNI_TARGET_AVX2
static void attni_avx2_store_bf16(uint16_t *p, __m256 x) {
  const __m256i bits = _mm256_castps_si256(x), upper = _mm256_srli_epi32(bits, 16);
  const __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
  const __m256i nan = _mm256_cmpgt_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(INT32_MAX)),
                                         _mm256_set1_epi32((int32_t)ATTNI_INFINITY_BITS));
  const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
  const __m256i y = _mm256_blendv_epi8(rounded, quiet, nan);
  _mm_storeu_si128((__m128i *)(void *)p,
                   _mm_packus_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1)));
}

/* The mask of the first n lanes, 0 < n < 8. */
ATTNI_TARGET_AVX2
static ATTNI_UNUSED __m256i attni_avx2_first(int32_t n) {
  static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  return _mm256_loadu_si256((const __m256i *)(const void *)(ones + 8 - n));
}

#ifdef ATTN_USE_SLEEF
#ifdef __cplusplus
extern "C"
#endif
ATTNI_TARGET_AVX2
__m256 Sleef_exp2f8_u10avx2(__m256);
#endif

/* 2^x for x <= 0; below -126 it falls to 0, which it is from -127 on. The polynomial is for 2^r on [-1/2, 1/2]; its constant is exactly 1, so
 * that 2^0 = 1 exactly. Error and coefficients: docs/numerics.md. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE __m256 attni_avx2_exp2(__m256 x) {
#ifdef ATTN_USE_SLEEF
  return Sleef_exp2f8_u10avx2(x);
#else
  const __m256 clamped = attni_avx2_clamp_tiny(x);
  const __m256 n = _mm256_round_ps(clamped, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256 r = _mm256_sub_ps(clamped, n);
  __m256 y = _mm256_set1_ps(ATTNI_EXP2_C5);
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C4));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C3));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C2));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C1));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C0));
  return attni_avx2_scale2(y, n, clamped);
#endif
}

/* cap * tanh(s / cap), where slope = 2 log2(e) / cap: with e = exp(2 s / cap) - 1 it is cap * e / (e + 2). The polynomial
 * gives 2^r - 1 to its own relative error, so that small scores lose nothing. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE __m256 attni_avx2_softcap(__m256 s, __m256 cap, __m256 slope) {
  const __m256 one = _mm256_set1_ps(1.0f);
  const __m256 limited = _mm256_min_ps(_mm256_set1_ps(30.0f), _mm256_mul_ps(s, slope));
  const __m256 x = _mm256_max_ps(_mm256_set1_ps(-30.0f), limited);
  const __m256 n = _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256 r = _mm256_sub_ps(x, n);
  const __m256 power = attni_avx2_scale2(one, n, x);
  __m256 y = _mm256_set1_ps(0.00015383237f);
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(0.001338739f));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(0.009618308f));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(0.055503674f));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(0.24022649f));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(0.6931472f));
  y = _mm256_fmadd_ps(_mm256_mul_ps(y, r), power, _mm256_sub_ps(power, one));
  y = _mm256_mul_ps(cap, _mm256_div_ps(y, _mm256_add_ps(y, _mm256_set1_ps(2.0f))));
  return _mm256_blendv_ps(y, s, _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_and_si256(_mm256_castps_si256(s), _mm256_set1_epi32(INT32_MAX)), _mm256_set1_epi32((int32_t)ATTNI_INFINITY_BITS))));
}

/* The first n elements, 0 < n < 8; the other lanes are 0 and their memory is not read. */
ATTNI_TARGET_AVX2
static ATTNI_UNUSED __m256 attni_avx2_load_part_f16(const uint16_t *p, int32_t n) {
  uint16_t part[8] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(part)));
}

/* The first n elements, 0 < n < 8; the other lanes are 0 and their memory is not read. */
ATTNI_TARGET_AVX2
static ATTNI_UNUSED __m256 attni_avx2_load_part_bf16(const uint16_t *p, int32_t n) {
  uint16_t part[8] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(part))), 16));
}

/* The first n elements, 0 < n < 8; the other lanes are 0 and their memory is not read. */
ATTNI_TARGET_AVX2
static ATTNI_UNUSED __m256 attni_avx2_load_part_i8(const int8_t *p, int32_t n) {
  int8_t part[8] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(part))));
}

ATTNI_TARGET_AVX2
static void attni_avx2_widen(const void *from, attn_type type, float scale, int64_t count, float *to) {
  int64_t i = 0;
  if (type == ATTN_F16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 8 <= count; i += 8) {
      const __m256 x_i = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(x + i)));
      _mm256_storeu_ps(to + i, x_i);
    }
    for (; i < count; ++i) to[i] = attni_from_f16(x[i]);
  } else if (type == ATTN_BF16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 8 <= count; i += 8) {
      const __m256 x_i = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(x + i))), 16));
      _mm256_storeu_ps(to + i, x_i);
    }
    for (; i < count; ++i) to[i] = attni_from_bf16(x[i]);
  } else {
    const int8_t *const x = (const int8_t *)from;
    const __m256 scale_v = _mm256_set1_ps(scale);
    for (; i + 8 <= count; i += 8) {
      const __m256 x_i = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(x + i))));
      _mm256_storeu_ps(to + i, _mm256_mul_ps(x_i, scale_v));
    }
    for (; i < count; ++i) to[i] = (float)x[i] * scale;
  }
}

/* As f32, ATTN_I8 without its scale. */
static void attni_avx2_widen_row(const void *from, attn_type type, int64_t count, float *to) {
  if (type == ATTN_F32) {
    memcpy(to, from, (size_t)count * sizeof(float));
  } else {
    attni_avx2_widen(from, type, 1.0f, count, to);
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_narrow(const float *from, attn_type type, int64_t count, void *to) {
  uint16_t *const x = (uint16_t *)to;
  int64_t i = 0;
  if (type == ATTN_F16) {
    for (; i + 8 <= count; i += 8) {
      const __m256 from_i = _mm256_loadu_ps(from + i);
      _mm_storeu_si128((__m128i *)(void *)(x + i), _mm256_cvtps_ph(from_i, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    for (; i < count; ++i) x[i] = attni_to_f16(from[i]);
  } else {
    for (; i + 8 <= count; i += 8) {
      const __m256 from_i = _mm256_loadu_ps(from + i);
      attni_avx2_store_bf16(x + i, from_i);
    }
    for (; i < count; ++i) x[i] = attni_to_bf16(from[i]);
  }
}

/* x[i] lane j = x[j] lane i. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE void attni_avx2_transpose(__m256 *x) {
  const __m256 t0_0 = _mm256_unpacklo_ps(x[0], x[1]);
  const __m256 t0_1 = _mm256_unpackhi_ps(x[0], x[1]);
  const __m256 t0_2 = _mm256_unpacklo_ps(x[2], x[3]);
  const __m256 t0_3 = _mm256_unpackhi_ps(x[2], x[3]);
  const __m256 t0_4 = _mm256_unpacklo_ps(x[4], x[5]);
  const __m256 t0_5 = _mm256_unpackhi_ps(x[4], x[5]);
  const __m256 t0_6 = _mm256_unpacklo_ps(x[6], x[7]);
  const __m256 t0_7 = _mm256_unpackhi_ps(x[6], x[7]);
  const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
  const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
  const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
  const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
  const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
  const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
  const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
  const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
  const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
  const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
  const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
  const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
  const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
  const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
  const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
  const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
  x[0] = t2_0;
  x[1] = t2_1;
  x[2] = t2_2;
  x[3] = t2_3;
  x[4] = t2_4;
  x[5] = t2_5;
  x[6] = t2_6;
  x[7] = t2_7;
}

/* to[d][row] = rows[row][d] * scale, 8 rows by 8 columns at a time. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const __m256 scale_v = _mm256_set1_ps(scale);
  int32_t row, d;
  for (row = t->row0; row < 24; row += 8) {
    const float *const *const r = rows + row;
    float *out = to + row;
    for (d = 0; d + 8 <= size; d += 8, out += 192) {
      __m256 x[8];
      x[0] = _mm256_mul_ps(_mm256_loadu_ps(r[0] + d), scale_v);
      x[1] = _mm256_mul_ps(_mm256_loadu_ps(r[1] + d), scale_v);
      x[2] = _mm256_mul_ps(_mm256_loadu_ps(r[2] + d), scale_v);
      x[3] = _mm256_mul_ps(_mm256_loadu_ps(r[3] + d), scale_v);
      x[4] = _mm256_mul_ps(_mm256_loadu_ps(r[4] + d), scale_v);
      x[5] = _mm256_mul_ps(_mm256_loadu_ps(r[5] + d), scale_v);
      x[6] = _mm256_mul_ps(_mm256_loadu_ps(r[6] + d), scale_v);
      x[7] = _mm256_mul_ps(_mm256_loadu_ps(r[7] + d), scale_v);
      attni_avx2_transpose(x);
      _mm256_store_ps(out + 0, x[0]);
      _mm256_store_ps(out + 24, x[1]);
      _mm256_store_ps(out + 48, x[2]);
      _mm256_store_ps(out + 72, x[3]);
      _mm256_store_ps(out + 96, x[4]);
      _mm256_store_ps(out + 120, x[5]);
      _mm256_store_ps(out + 144, x[6]);
      _mm256_store_ps(out + 168, x[7]);
    }
    for (; d < size; ++d, out += 24) {
      int32_t i;
      for (i = 0; i < 8; ++i) out[i] = r[i][d] * scale;
    }
  }
}

ATTNI_TARGET_AVX2
static bool attni_avx2_prefill_finite(const float *x, int64_t stride, int32_t rows, int32_t size) {
  int32_t largest[8];
  __m256i max = _mm256_setzero_si256();
  int32_t row, i;
  for (row = 0; row < rows; ++row, x += stride) {
    for (i = 0; i + 32 <= size; i += 32) {
      const __m256 x0 = _mm256_loadu_ps(x + i);
      const __m256 x1 = _mm256_loadu_ps(x + i + 8);
      const __m256 x2 = _mm256_loadu_ps(x + i + 16);
      const __m256 x3 = _mm256_loadu_ps(x + i + 24);
      max = _mm256_max_epi32(max, _mm256_and_si256(_mm256_castps_si256(x0), _mm256_set1_epi32(INT32_MAX)));
      max = _mm256_max_epi32(max, _mm256_and_si256(_mm256_castps_si256(x1), _mm256_set1_epi32(INT32_MAX)));
      max = _mm256_max_epi32(max, _mm256_and_si256(_mm256_castps_si256(x2), _mm256_set1_epi32(INT32_MAX)));
      max = _mm256_max_epi32(max, _mm256_and_si256(_mm256_castps_si256(x3), _mm256_set1_epi32(INT32_MAX)));
    }
    for (; i + 8 <= size; i += 8) {
      const __m256 x_i = _mm256_loadu_ps(x + i);
      max = _mm256_max_epi32(max, _mm256_and_si256(_mm256_castps_si256(x_i), _mm256_set1_epi32(INT32_MAX)));
    }
    for (; i < size; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  _mm256_storeu_si256((__m256i *)(largest), max);
  return attni_lanes_below(largest, 8, ATTNI_INFINITY_BITS);
}

/* Where the keys before key_from and from key_full on are not allowed; all of them with a bias. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_mask(const attni_tile *t, uint32_t fill) {
  const __m256 fill_v = _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)(fill)));
  const float *const bias = t->bias_masks ? t->bias : NULL;
  float *const st = t->st;
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    const int32_t *const start = t->start + row, *const limit = t->limit + row;
    const int32_t from = t->key_from[row / 8], full = t->key_full[row / 8];
    const int32_t end = t->key_end[row / 8];
    for (key = t->key_begin; key < end; ++key) {
      const size_t at = (size_t)key * 24 + (size_t)row;
      __m256 s;
      if (key == from && key < full) {
        key = full - 1;
        continue;
      }
      s = _mm256_load_ps(st + at);
      s = _mm256_blendv_ps(s, fill_v, _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_load_si256((const __m256i *)(start)), _mm256_set1_epi32(key))));
      s = _mm256_blendv_ps(fill_v, s, _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_load_si256((const __m256i *)(limit)), _mm256_set1_epi32(key))));
      if (bias != NULL) {
        const __m256 b = _mm256_load_ps(bias + at);
        s = _mm256_blendv_ps(s, fill_v, _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_castps_si256(b), _mm256_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS)))));
      }
      _mm256_store_ps(st + at, s);
    }
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_prefill_softcap(const attni_tile *t, float cap, float slope) {
  const __m256 cap_v = _mm256_set1_ps(cap), slope_v = _mm256_set1_ps(slope);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    const int32_t end = t->key_end[row / 8];
    float *st = t->st + (size_t)begin * 24 + row;
    __m256 max = _mm256_load_ps(t->m + row), max_1 = max;

    for (key = begin; key + 2 <= end; key += 2, st += 48) {
      {
        __m256 s = _mm256_load_ps(st);
        s = attni_avx2_softcap(s, cap_v, slope_v);
        max = _mm256_max_ps(max, s);
        _mm256_store_ps(st, s);
      }
      {
        __m256 s = _mm256_load_ps(st + 24);
        s = attni_avx2_softcap(s, cap_v, slope_v);
        max_1 = _mm256_max_ps(max_1, s);
        _mm256_store_ps(st + 24, s);
      }
    }
    if (key < end) {
      __m256 s = _mm256_load_ps(st);
      s = attni_avx2_softcap(s, cap_v, slope_v);
      max = _mm256_max_ps(max, s);
      _mm256_store_ps(st, s);
    }
    _mm256_store_ps(t->row_max + row, _mm256_max_ps(max, max_1));
  }
}

ATTNI_TARGET_AVX2
static bool attni_avx2_prefill_add_bias(const attni_tile *t) {
  int32_t largest[8];
  __m256i most = _mm256_setzero_si256();
  int32_t row, key, i;
  for (row = t->row0; row < 24; row += 8) {
    const int32_t keys = t->key_end[row / 8] - t->key_begin;
    const float *const *const r = t->bias_rows + row;
    float *st = t->st + (size_t)t->key_begin * 24 + row;
    __m256 max = _mm256_load_ps(t->m + row), max_1 = max; /* in turns: each waits for its last */
    for (key = 0; key + 8 <= keys; key += 8, st += 192) {
      __m256 x[8];
      x[0] = _mm256_loadu_ps(r[0] + key);
      x[1] = _mm256_loadu_ps(r[1] + key);
      x[2] = _mm256_loadu_ps(r[2] + key);
      x[3] = _mm256_loadu_ps(r[3] + key);
      x[4] = _mm256_loadu_ps(r[4] + key);
      x[5] = _mm256_loadu_ps(r[5] + key);
      x[6] = _mm256_loadu_ps(r[6] + key);
      x[7] = _mm256_loadu_ps(r[7] + key);
      attni_avx2_transpose(x);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[0]));
      x[0] = _mm256_add_ps(_mm256_load_ps(st + 0), x[0]);
      max = _mm256_max_ps(max, x[0]);
      _mm256_store_ps(st + 0, x[0]);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[1]));
      x[1] = _mm256_add_ps(_mm256_load_ps(st + 24), x[1]);
      max_1 = _mm256_max_ps(max_1, x[1]);
      _mm256_store_ps(st + 24, x[1]);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[2]));
      x[2] = _mm256_add_ps(_mm256_load_ps(st + 48), x[2]);
      max = _mm256_max_ps(max, x[2]);
      _mm256_store_ps(st + 48, x[2]);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[3]));
      x[3] = _mm256_add_ps(_mm256_load_ps(st + 72), x[3]);
      max_1 = _mm256_max_ps(max_1, x[3]);
      _mm256_store_ps(st + 72, x[3]);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[4]));
      x[4] = _mm256_add_ps(_mm256_load_ps(st + 96), x[4]);
      max = _mm256_max_ps(max, x[4]);
      _mm256_store_ps(st + 96, x[4]);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[5]));
      x[5] = _mm256_add_ps(_mm256_load_ps(st + 120), x[5]);
      max_1 = _mm256_max_ps(max_1, x[5]);
      _mm256_store_ps(st + 120, x[5]);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[6]));
      x[6] = _mm256_add_ps(_mm256_load_ps(st + 144), x[6]);
      max = _mm256_max_ps(max, x[6]);
      _mm256_store_ps(st + 144, x[6]);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x[7]));
      x[7] = _mm256_add_ps(_mm256_load_ps(st + 168), x[7]);
      max_1 = _mm256_max_ps(max_1, x[7]);
      _mm256_store_ps(st + 168, x[7]);
    }
    for (; key < keys; ++key, st += 24) {
      float column[8];
      __m256 x;
      for (i = 0; i < 8; ++i) column[i] = r[i][key];
      x = _mm256_loadu_ps(column);
      most = _mm256_max_epu32(most, _mm256_castps_si256(x));
      x = _mm256_add_ps(_mm256_load_ps(st), x);
      max = _mm256_max_ps(max, x);
      _mm256_store_ps(st, x);
    }
    _mm256_store_ps(t->row_max + row, _mm256_max_ps(max, max_1));
  }
  _mm256_storeu_si256((__m256i *)(largest), most);
  return attni_lanes_below(largest, 8, ATTNI_NEG_INFINITY_BITS);
}

ATTNI_TARGET_AVX2
static void attni_avx2_prefill_alibi(const attni_tile *t) {
  const __m256 zero = _mm256_setzero_ps(), two = _mm256_set1_ps(2.0f);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    const int32_t end = t->key_end[row / 8];
    float *st = t->st + (size_t)begin * 24 + row;
    __m256 max = _mm256_load_ps(t->m + row), max_1 = max;
    const __m256 slope = _mm256_sub_ps(zero, _mm256_load_ps(t->slope + row)), position = _mm256_load_ps(t->position + row);
    __m256 at = _mm256_set1_ps((float)begin), at_1 = _mm256_set1_ps((float)(begin + 1));
    for (key = begin; key + 2 <= end; key += 2, st += 48) {
      {
        __m256 s = _mm256_load_ps(st);
        s = _mm256_fmadd_ps(slope, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(position, at)), s);
        at = _mm256_add_ps(at, two);
        max = _mm256_max_ps(max, s);
        _mm256_store_ps(st, s);
      }
      {
        __m256 s = _mm256_load_ps(st + 24);
        s = _mm256_fmadd_ps(slope, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(position, at_1)), s);
        at_1 = _mm256_add_ps(at_1, two);
        max_1 = _mm256_max_ps(max_1, s);
        _mm256_store_ps(st + 24, s);
      }
    }
    if (key < end) {
      __m256 s = _mm256_load_ps(st);
      s = _mm256_fmadd_ps(slope, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(position, at)), s);
      at = _mm256_add_ps(at, two);
      max = _mm256_max_ps(max, s);
      _mm256_store_ps(st, s);
    }
    _mm256_store_ps(t->row_max + row, _mm256_max_ps(max, max_1));
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    const int32_t end = t->key_end[row / 8];
    const float *st = t->st + (size_t)t->key_begin * 24 + row;
    __m256 max0 = _mm256_load_ps(t->m + row), max1 = max0, max2 = max0, max3 = max0;
    for (key = t->key_begin; key + 4 <= end; key += 4, st += 96) {
      const __m256 s0 = _mm256_load_ps(st + 0);
      const __m256 s1 = _mm256_load_ps(st + 24);
      const __m256 s2 = _mm256_load_ps(st + 48);
      const __m256 s3 = _mm256_load_ps(st + 72);
      max0 = _mm256_max_ps(max0, s0);
      max1 = _mm256_max_ps(max1, s1);
      max2 = _mm256_max_ps(max2, s2);
      max3 = _mm256_max_ps(max3, s3);
    }
    for (; key < end; ++key, st += 24) {
      const __m256 s = _mm256_load_ps(st);
      max0 = _mm256_max_ps(max0, s);
    }
    max0 = _mm256_max_ps(max0, max1);
    max2 = _mm256_max_ps(max2, max3);
    _mm256_store_ps(t->row_max + row, _mm256_max_ps(max0, max2));
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    const int32_t end = t->key_end[row / 8];
    const __m256 max = _mm256_load_ps(t->row_max + row);
    __m256 old = _mm256_sub_ps(_mm256_load_ps(t->m + row), max);
    __m256 factor;
    float *st = t->st + (size_t)t->key_begin * 24 + row;
    __m256 sum0 = _mm256_setzero_ps();
    __m256 sum1 = _mm256_setzero_ps();
    __m256 sum2 = _mm256_setzero_ps();
    __m256 sum3 = _mm256_setzero_ps();
    for (key = end; key % 4 != 0; ++key) {
      _mm256_store_ps(t->st + (size_t)key * 24 + row, _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))));
    }
    if (t->natural) {
      old = _mm256_mul_ps(old, _mm256_set1_ps((float)ATTNI_LOG2E));
      for (key = t->key_begin; key < end; key += 4, st += 96) {
        {
          const __m256 x = _mm256_mul_ps(_mm256_sub_ps(_mm256_load_ps(st + 0), max), _mm256_set1_ps((float)ATTNI_LOG2E));
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 0, w);
          sum0 = _mm256_add_ps(sum0, w);
        }
        {
          const __m256 x = _mm256_mul_ps(_mm256_sub_ps(_mm256_load_ps(st + 24), max), _mm256_set1_ps((float)ATTNI_LOG2E));
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 24, w);
          sum1 = _mm256_add_ps(sum1, w);
        }
        {
          const __m256 x = _mm256_mul_ps(_mm256_sub_ps(_mm256_load_ps(st + 48), max), _mm256_set1_ps((float)ATTNI_LOG2E));
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 48, w);
          sum2 = _mm256_add_ps(sum2, w);
        }
        {
          const __m256 x = _mm256_mul_ps(_mm256_sub_ps(_mm256_load_ps(st + 72), max), _mm256_set1_ps((float)ATTNI_LOG2E));
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 72, w);
          sum3 = _mm256_add_ps(sum3, w);
        }
      }
    } else {
      for (key = t->key_begin; key < end; key += 4, st += 96) {
        {
          const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 0), max);
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 0, w);
          sum0 = _mm256_add_ps(sum0, w);
        }
        {
          const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 24), max);
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 24, w);
          sum1 = _mm256_add_ps(sum1, w);
        }
        {
          const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 48), max);
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 48, w);
          sum2 = _mm256_add_ps(sum2, w);
        }
        {
          const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 72), max);
          const __m256 w = attni_avx2_exp2(x);
          _mm256_store_ps(st + 72, w);
          sum3 = _mm256_add_ps(sum3, w);
        }
      }
    }
    factor = attni_avx2_exp2(old);
    sum0 = _mm256_add_ps(_mm256_add_ps(sum0, sum1), _mm256_add_ps(sum2, sum3));
    _mm256_store_ps(t->l + row, _mm256_fmadd_ps(_mm256_load_ps(t->l + row), factor, sum0));
    _mm256_store_ps(t->factor + row, factor);
  }
}

/* The careful product: slow, and rarely needed. Weights of -0 tell which keys to leave out. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_masked(const attni_tile *t, attn_type type) {
  int32_t row, f, key;
  (void)type;
  attni_avx2_prefill_mask(t, ATTNI_NEG_ZERO_BITS);
  for (row = t->row0; row < 24; row += 8) {
    const __m256 factor = _mm256_load_ps(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 24 + row;
      const float *vk = (const float *)t->kv.v + t->key_begin * t->kv.v_stride + f;
      __m256 acc = _mm256_setzero_ps();
      for (key = t->key_begin; key < t->key_end[row / 8]; ++key, vk += t->kv.v_stride) {
        const __m256 p = _mm256_load_ps(t->st + (size_t)key * 24 + row);
        const __m256 b = _mm256_broadcast_ss(vk);
        const __m256 next = _mm256_fmadd_ps(b, p, acc);
        acc = _mm256_blendv_ps(next, acc, _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_castps_si256(p), _mm256_set1_epi32((int32_t)(ATTNI_NEG_ZERO_BITS)))));
      }
      if (!t->first) acc = _mm256_fmadd_ps(_mm256_load_ps(ot), factor, acc);
      _mm256_store_ps(ot, acc);
    }
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_prefill_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const __m256 zero = _mm256_set1_ps(attni_zero);
  int32_t row, f, i;
  for (row = t->row0; row < 24; row += 8) {
    const __m256 scale = _mm256_load_ps(inverse + row);
    float *const *const r = rows + row;
    const float *ot = t->ot + row;
    for (f = 0; f + 8 <= t->head_size_v; f += 8, ot += 192) {
      __m256 x[8];
      x[0] = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), scale, zero);
      x[1] = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), scale, zero);
      x[2] = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), scale, zero);
      x[3] = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), scale, zero);
      x[4] = _mm256_fmadd_ps(_mm256_load_ps(ot + 96), scale, zero);
      x[5] = _mm256_fmadd_ps(_mm256_load_ps(ot + 120), scale, zero);
      x[6] = _mm256_fmadd_ps(_mm256_load_ps(ot + 144), scale, zero);
      x[7] = _mm256_fmadd_ps(_mm256_load_ps(ot + 168), scale, zero);
      attni_avx2_transpose(x);
      _mm256_storeu_ps(r[0] + f, x[0]);
      _mm256_storeu_ps(r[1] + f, x[1]);
      _mm256_storeu_ps(r[2] + f, x[2]);
      _mm256_storeu_ps(r[3] + f, x[3]);
      _mm256_storeu_ps(r[4] + f, x[4]);
      _mm256_storeu_ps(r[5] + f, x[5]);
      _mm256_storeu_ps(r[6] + f, x[6]);
      _mm256_storeu_ps(r[7] + f, x[7]);
    }
    for (; f < t->head_size_v; ++f, ot += 24) {
      float x[8];
      _mm256_storeu_ps(x, _mm256_fmadd_ps(_mm256_load_ps(ot), scale, zero));
      for (i = 0; i < 8; ++i) r[i][f] = x[i];
    }
  }
}

/* A row of qt or ot takes whole multiples of 8 floats. */
static size_t attni_avx2_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 7) / 8 * 8;
}

/* to[row][d] = rows[row][d] * scale, and 0 behind the last column. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const int32_t floats = (int32_t)attni_avx2_decode_row_floats(size);
  const __m256 scale_v = _mm256_set1_ps(scale);
  int32_t row, d;
  for (row = t->row0; row < 16; ++row) {
    float *const out = to + (size_t)row * (size_t)floats;
    d = 0;
    for (; d + 8 <= size; d += 8) {
      _mm256_store_ps(out + d, _mm256_mul_ps(_mm256_loadu_ps(rows[row] + d), scale_v));
    }
    for (; d < size; ++d) out[d] = rows[row][d] * scale;
    for (; d < floats; ++d) out[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_avx2_decode_max_lanes(const float *x) {
  float y[8];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 4; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] = y[i + n] > y[i] ? y[i + n] : y[i];
  }
  return y[0];
}

/* The sum of the lanes, as a tree. */
static float attni_avx2_decode_sum_lanes(const float *x) {
  float y[8];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 4; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] += y[i + n];
  }
  return y[0];
}

/* st[row][key] times scale[key], the scales of ATTN_I8: of scores, and then of weights, which PV takes so. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_scale(const attni_tile *t, const float *scale) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    for (key = end; key % 8 != 0; ++key) st[key] = 0.0f;
    for (key = t->key_begin; key < end; key += 8) {
      _mm256_store_ps(st + key, _mm256_mul_ps(_mm256_load_ps(st + key), _mm256_load_ps(scale + key)));
    }
  }
}

/* Where keys before start are not allowed; with a bias, where it says so. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_mask(const attni_tile *t, uint32_t fill) {
  const float fill_f = attni_float(fill);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row], start = attni_min_i32(t->start[row], end);
    for (key = t->key_begin; key < start; ++key) st[key] = fill_f;
    if (t->bias_masks) {
      const float *const bias = t->bias + (size_t)row * 264;
      const __m256 fill_v = _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)(fill)));
      for (key = t->key_begin; key < end; key += 8) {
        const __m256 bias_v = _mm256_load_ps(bias + key);
        _mm256_store_ps(st + key, _mm256_blendv_ps(_mm256_load_ps(st + key), fill_v, _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_castps_si256(bias_v), _mm256_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))))));
      }
    }
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_decode_softcap(const attni_tile *t, float cap, float slope) {
  const __m256 cap_v = _mm256_set1_ps(cap), slope_v = _mm256_set1_ps(slope);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];

    for (key = t->key_begin; key < end; key += 8) {
      const __m256 s = _mm256_load_ps(st + key);
      _mm256_store_ps(st + key, attni_avx2_softcap(s, cap_v, slope_v));
    }
  }
}

ATTNI_TARGET_AVX2
static bool attni_avx2_decode_add_bias(const attni_tile *t) {
  int32_t largest[8];
  __m256i most = _mm256_setzero_si256();
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    const float *const bias = t->bias_rows[row] - t->key_begin;
    for (key = t->key_begin; key < end; key += 8) {
      const __m256 s = _mm256_load_ps(st + key);
      const __m256 b = _mm256_load_ps(bias + key);
      most = _mm256_max_epu32(most, _mm256_castps_si256(b));
      _mm256_store_ps(st + key, _mm256_add_ps(s, b));
    }
  }
_mm256_storeu_si256((__m256i *)(largest), most);
  return attni_lanes_below(largest, 8, ATTNI_NEG_INFINITY_BITS);
}

ATTNI_TARGET_AVX2
static void attni_avx2_decode_alibi(const attni_tile *t) {
  const __m256 counting = _mm256_loadu_ps(attni_counting);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    const __m256 slope = _mm256_set1_ps(-t->slope[row]), position = _mm256_set1_ps(t->position[row]);
    for (key = t->key_begin; key < end; key += 8) {
      const __m256 s = _mm256_load_ps(st + key);
      const __m256 at = _mm256_add_ps(_mm256_set1_ps((float)key), counting);
      const __m256 apart = _mm256_sub_ps(position, at);
      _mm256_store_ps(st + key, _mm256_fmadd_ps(slope, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), apart), s));
    }
  }
}

/* The careful product: slow, and rarely needed. Each row of values is converted for each row of weights, and its
 * part of an output is summed in the order of the fast product. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_masked(const attni_tile *t, attn_type type) {
  const size_t floats = attni_avx2_decode_row_floats(t->head_size_v);
  float acc[ATTN_MAX_HEAD_SIZE], value[ATTN_MAX_HEAD_SIZE];
  int32_t row, key, f;
  attni_avx2_decode_mask(t, ATTNI_NEG_ZERO_BITS);
  memset(value, 0, floats * sizeof(float));
  for (row = t->row0; row < 16; ++row) {
    const float *const st = t->st + (size_t)row * 264;
    float *const ot = t->ot + (size_t)row * floats;
    const int32_t end = t->key_end[row];
    int32_t begin = t->key_begin, stop;
    bool start = true;
    do {
      const __m256 factor = _mm256_set1_ps(start ? t->factor[row] : 1.0f);
      stop = attni_chain_end(begin, end, start, 64);
      memset(acc, 0, floats * sizeof(float));
      for (key = begin; key < stop; ++key) {
        const __m256 w = _mm256_set1_ps(type == ATTN_I8 ? st[key] * t->scales_v[key] : st[key]);
        if (attni_bits(st[key]) == ATTNI_NEG_ZERO_BITS) continue;
        attni_avx2_widen_row(attni_at(t->kv.v, type, key * t->kv.v_stride), type, t->head_size_v, value);
        for (f = 0; f < (int32_t)floats; f += 8) {
          const __m256 v_f = _mm256_loadu_ps(value + f);
          _mm256_storeu_ps(acc + f, _mm256_fmadd_ps(v_f, w, _mm256_loadu_ps(acc + f)));
        }
      }
      for (f = 0; f < (int32_t)floats; f += 8) {
        const __m256 sum = _mm256_loadu_ps(acc + f);
        _mm256_store_ps(ot + f, t->first && start ? sum : _mm256_fmadd_ps(_mm256_load_ps(ot + f), factor, sum));
      }
      begin = stop;
      start = false;
    } while (begin < end);
  }
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    float lanes[8];
    __m256 max = _mm256_set1_ps(t->m[row]);
    for (key = end; key % 8 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = t->key_begin; key < end; key += 8) {
      const __m256 s = _mm256_load_ps(st + key);
      max = _mm256_max_ps(max, s);
    }
    _mm256_storeu_ps(lanes, max);
    t->row_max[row] = attni_avx2_decode_max_lanes(lanes);
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    __m256 max = _mm256_set1_ps(t->row_max[row]);
    __m256 old = _mm256_sub_ps(_mm256_set1_ps(t->m[row]), max);
    __m256 factor;
    float lanes[8];
    __m256 sum = _mm256_setzero_ps();
    if (t->natural) {
      const __m256 log2e = _mm256_set1_ps((float)ATTNI_LOG2E);
      old = _mm256_mul_ps(old, log2e);
      for (key = t->key_begin; key < end; key += 8) {
        const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + key), max);
        _mm256_store_ps(st + key, _mm256_mul_ps(x, log2e));
      }
      max = _mm256_setzero_ps();
    }
    factor = attni_avx2_exp2(old);
    for (key = t->key_begin; key < end; key += 8) {
      const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + key), max);
      const __m256 w = attni_avx2_exp2(x);
      _mm256_store_ps(st + key, w);
      sum = _mm256_add_ps(sum, w);
    }
    _mm256_storeu_ps(lanes, factor);
    t->factor[row] = lanes[0];
    _mm256_storeu_ps(lanes, sum);
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_avx2_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const size_t floats = attni_avx2_decode_row_floats(t->head_size_v);
  const __m256 zero = _mm256_set1_ps(attni_zero);
  int32_t row, f;
  for (row = t->row0; row < 16; ++row) {
    const float *const ot = t->ot + (size_t)row * floats;
    const __m256 scale = _mm256_set1_ps(inverse[row]);
    for (f = 0; f + 8 <= t->head_size_v; f += 8) {
      _mm256_storeu_ps(rows[row] + f, _mm256_fmadd_ps(_mm256_load_ps(ot + f), scale, zero));
    }
    if (f < t->head_size_v) {
      float last[8];
      _mm256_storeu_ps(last, _mm256_fmadd_ps(_mm256_load_ps(ot + f), scale, zero));
      memcpy(rows[row] + f, last, (size_t)(t->head_size_v - f) * sizeof(float));
    }
  }
}

#endif /* ATTNI_HAVE_AVX2 */
