/* avx512, bf16, head size any. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

#ifdef ATTNI_HAVE_AVX512_BF16

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by up to 128 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding.
 * Two features at a time; scores are multiplied by scale. */
ATTNI_TARGET_AVX512_BF16
static void attni_avx512_prefill_qk_bf16_any(const attni_tile *t) {
  const uint16_t *const k = (const uint16_t *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t size = (t->head_size + 1) / 2;
  const int64_t asks = attni_ceil_div(t->kv.keys, 8);
  const int64_t ahead_step = attni_ceil_div(t->ahead_rows / 2, asks);
  attni_ahead *ahead = t->ahead;
  int32_t key = t->key_begin;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const uint16_t *const k0 = k + key * stride;
    const uint16_t *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const uint16_t *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const uint16_t *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const uint16_t *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const uint16_t *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const uint16_t *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const uint16_t *const k7 = k6 + (key + 7 <= last ? stride : 0);
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k0 + 2 * d)));
      acc_k0_q0 = _mm512_dpbf16_ps(acc_k0_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k0_q1 = _mm512_dpbf16_ps(acc_k0_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k0_q2 = _mm512_dpbf16_ps(acc_k0_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k1 + 2 * d)));
      acc_k1_q0 = _mm512_dpbf16_ps(acc_k1_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k1_q1 = _mm512_dpbf16_ps(acc_k1_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k1_q2 = _mm512_dpbf16_ps(acc_k1_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k2 + 2 * d)));
      acc_k2_q0 = _mm512_dpbf16_ps(acc_k2_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k2_q1 = _mm512_dpbf16_ps(acc_k2_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k2_q2 = _mm512_dpbf16_ps(acc_k2_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k3 + 2 * d)));
      acc_k3_q0 = _mm512_dpbf16_ps(acc_k3_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k3_q1 = _mm512_dpbf16_ps(acc_k3_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k3_q2 = _mm512_dpbf16_ps(acc_k3_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k4 + 2 * d)));
      acc_k4_q0 = _mm512_dpbf16_ps(acc_k4_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k4_q1 = _mm512_dpbf16_ps(acc_k4_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k4_q2 = _mm512_dpbf16_ps(acc_k4_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k5 + 2 * d)));
      acc_k5_q0 = _mm512_dpbf16_ps(acc_k5_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k5_q1 = _mm512_dpbf16_ps(acc_k5_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k5_q2 = _mm512_dpbf16_ps(acc_k5_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k6 + 2 * d)));
      acc_k6_q0 = _mm512_dpbf16_ps(acc_k6_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k6_q1 = _mm512_dpbf16_ps(acc_k6_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k6_q2 = _mm512_dpbf16_ps(acc_k6_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k7 + 2 * d)));
      acc_k7_q0 = _mm512_dpbf16_ps(acc_k7_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k7_q1 = _mm512_dpbf16_ps(acc_k7_q1, (__m512bh)(b), (__m512bh)(q1));
      acc_k7_q2 = _mm512_dpbf16_ps(acc_k7_q2, (__m512bh)(b), (__m512bh)(q2));
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);

    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    const __m512 scale = _mm512_set1_ps(t->scale);
    acc_k0_q0 = _mm512_mul_ps(acc_k0_q0, scale);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    acc_k0_q1 = _mm512_mul_ps(acc_k0_q1, scale);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    acc_k0_q2 = _mm512_mul_ps(acc_k0_q2, scale);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    acc_k1_q0 = _mm512_mul_ps(acc_k1_q0, scale);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    acc_k1_q1 = _mm512_mul_ps(acc_k1_q1, scale);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    acc_k1_q2 = _mm512_mul_ps(acc_k1_q2, scale);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    acc_k2_q0 = _mm512_mul_ps(acc_k2_q0, scale);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    acc_k2_q1 = _mm512_mul_ps(acc_k2_q1, scale);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    acc_k2_q2 = _mm512_mul_ps(acc_k2_q2, scale);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    acc_k3_q0 = _mm512_mul_ps(acc_k3_q0, scale);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    acc_k3_q1 = _mm512_mul_ps(acc_k3_q1, scale);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    acc_k3_q2 = _mm512_mul_ps(acc_k3_q2, scale);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    acc_k4_q0 = _mm512_mul_ps(acc_k4_q0, scale);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    acc_k4_q1 = _mm512_mul_ps(acc_k4_q1, scale);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    acc_k4_q2 = _mm512_mul_ps(acc_k4_q2, scale);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    acc_k5_q0 = _mm512_mul_ps(acc_k5_q0, scale);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    acc_k5_q1 = _mm512_mul_ps(acc_k5_q1, scale);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    acc_k5_q2 = _mm512_mul_ps(acc_k5_q2, scale);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    acc_k6_q0 = _mm512_mul_ps(acc_k6_q0, scale);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    acc_k6_q1 = _mm512_mul_ps(acc_k6_q1, scale);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    acc_k6_q2 = _mm512_mul_ps(acc_k6_q2, scale);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    acc_k7_q0 = _mm512_mul_ps(acc_k7_q0, scale);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    acc_k7_q1 = _mm512_mul_ps(acc_k7_q1, scale);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    acc_k7_q2 = _mm512_mul_ps(acc_k7_q2, scale);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const uint16_t *const k0 = k + key * stride;
    const uint16_t *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const uint16_t *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const uint16_t *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const uint16_t *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const uint16_t *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const uint16_t *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const uint16_t *const k7 = k6 + (key + 7 <= last ? stride : 0);
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k0 + 2 * d)));
      acc_k0_q0 = _mm512_dpbf16_ps(acc_k0_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k0_q1 = _mm512_dpbf16_ps(acc_k0_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k1 + 2 * d)));
      acc_k1_q0 = _mm512_dpbf16_ps(acc_k1_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k1_q1 = _mm512_dpbf16_ps(acc_k1_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k2 + 2 * d)));
      acc_k2_q0 = _mm512_dpbf16_ps(acc_k2_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k2_q1 = _mm512_dpbf16_ps(acc_k2_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k3 + 2 * d)));
      acc_k3_q0 = _mm512_dpbf16_ps(acc_k3_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k3_q1 = _mm512_dpbf16_ps(acc_k3_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k4 + 2 * d)));
      acc_k4_q0 = _mm512_dpbf16_ps(acc_k4_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k4_q1 = _mm512_dpbf16_ps(acc_k4_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k5 + 2 * d)));
      acc_k5_q0 = _mm512_dpbf16_ps(acc_k5_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k5_q1 = _mm512_dpbf16_ps(acc_k5_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k6 + 2 * d)));
      acc_k6_q0 = _mm512_dpbf16_ps(acc_k6_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k6_q1 = _mm512_dpbf16_ps(acc_k6_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k7 + 2 * d)));
      acc_k7_q0 = _mm512_dpbf16_ps(acc_k7_q0, (__m512bh)(b), (__m512bh)(q0));
      acc_k7_q1 = _mm512_dpbf16_ps(acc_k7_q1, (__m512bh)(b), (__m512bh)(q1));
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);

    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    const __m512 scale = _mm512_set1_ps(t->scale);
    acc_k0_q0 = _mm512_mul_ps(acc_k0_q0, scale);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    acc_k0_q1 = _mm512_mul_ps(acc_k0_q1, scale);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    acc_k1_q0 = _mm512_mul_ps(acc_k1_q0, scale);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    acc_k1_q1 = _mm512_mul_ps(acc_k1_q1, scale);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    acc_k2_q0 = _mm512_mul_ps(acc_k2_q0, scale);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    acc_k2_q1 = _mm512_mul_ps(acc_k2_q1, scale);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    acc_k3_q0 = _mm512_mul_ps(acc_k3_q0, scale);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    acc_k3_q1 = _mm512_mul_ps(acc_k3_q1, scale);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    acc_k4_q0 = _mm512_mul_ps(acc_k4_q0, scale);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    acc_k4_q1 = _mm512_mul_ps(acc_k4_q1, scale);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    acc_k5_q0 = _mm512_mul_ps(acc_k5_q0, scale);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    acc_k5_q1 = _mm512_mul_ps(acc_k5_q1, scale);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    acc_k6_q0 = _mm512_mul_ps(acc_k6_q0, scale);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    acc_k6_q1 = _mm512_mul_ps(acc_k6_q1, scale);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    acc_k7_q0 = _mm512_mul_ps(acc_k7_q0, scale);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    acc_k7_q1 = _mm512_mul_ps(acc_k7_q1, scale);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const uint16_t *const k0 = k + key * stride;
    const uint16_t *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const uint16_t *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const uint16_t *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const uint16_t *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const uint16_t *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const uint16_t *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const uint16_t *const k7 = k6 + (key + 7 <= last ? stride : 0);
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k0 + 2 * d)));
      acc_k0_q0 = _mm512_dpbf16_ps(acc_k0_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k1 + 2 * d)));
      acc_k1_q0 = _mm512_dpbf16_ps(acc_k1_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k2 + 2 * d)));
      acc_k2_q0 = _mm512_dpbf16_ps(acc_k2_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k3 + 2 * d)));
      acc_k3_q0 = _mm512_dpbf16_ps(acc_k3_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k4 + 2 * d)));
      acc_k4_q0 = _mm512_dpbf16_ps(acc_k4_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k5 + 2 * d)));
      acc_k5_q0 = _mm512_dpbf16_ps(acc_k5_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k6 + 2 * d)));
      acc_k6_q0 = _mm512_dpbf16_ps(acc_k6_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(k7 + 2 * d)));
      acc_k7_q0 = _mm512_dpbf16_ps(acc_k7_q0, (__m512bh)(b), (__m512bh)(q0));
      ATTNI_CLANG_FENCE();

    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    const __m512 scale = _mm512_set1_ps(t->scale);
    acc_k0_q0 = _mm512_mul_ps(acc_k0_q0, scale);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    acc_k1_q0 = _mm512_mul_ps(acc_k1_q0, scale);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    acc_k2_q0 = _mm512_mul_ps(acc_k2_q0, scale);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    acc_k3_q0 = _mm512_mul_ps(acc_k3_q0, scale);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    acc_k4_q0 = _mm512_mul_ps(acc_k4_q0, scale);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    acc_k5_q0 = _mm512_mul_ps(acc_k5_q0, scale);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    acc_k6_q0 = _mm512_mul_ps(acc_k6_q0, scale);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    acc_k7_q0 = _mm512_mul_ps(acc_k7_q0, scale);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row]. The innermost loop runs over keys: a
 * literal head size would gain nothing.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. Two keys at a time. */
ATTNI_TARGET_AVX512_BF16
static void attni_avx512_prefill_pv_bf16_any(const attni_tile *t) {
  const int32_t size = t->head_size_v, begin = t->key_begin / 2;
  const int32_t end0 = attni_max_i32(begin, (t->key_end[0] + 1) / 2), keys0 = end0 - begin;
  const int32_t end1 = attni_max_i32(end0, (t->key_end[1] + 1) / 2), keys1 = end1 - end0;
  const int32_t end2 = attni_max_i32(end1, (t->key_end[2] + 1) / 2), keys2 = end2 - end1;
  const int64_t stride = t->kv.v_stride;
  const uint16_t *const value = (const uint16_t *)t->kv.v + begin * stride;
  const float *const weights = t->st + (size_t)begin * 48;
  const int64_t asks = attni_ceil_div(size, 8);
  const int64_t ahead_step = attni_ceil_div(attni_left_ahead(t), attni_max(1, asks));
  attni_ahead *ahead = attni_next_ahead(t, t->ahead);
  int32_t f;
  for (f = 0; f + 8 <= size; f += 8) {
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = weights;
    const uint16_t *vk = value + 2 * f;
    int32_t key;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (key = keys0; key > 0; --key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 0)));
      acc_f0_q0 = _mm512_dpbf16_ps(acc_f0_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f0_q1 = _mm512_dpbf16_ps(acc_f0_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f0_q2 = _mm512_dpbf16_ps(acc_f0_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 1)));
      acc_f1_q0 = _mm512_dpbf16_ps(acc_f1_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f1_q1 = _mm512_dpbf16_ps(acc_f1_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f1_q2 = _mm512_dpbf16_ps(acc_f1_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 2)));
      acc_f2_q0 = _mm512_dpbf16_ps(acc_f2_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f2_q1 = _mm512_dpbf16_ps(acc_f2_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f2_q2 = _mm512_dpbf16_ps(acc_f2_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 3)));
      acc_f3_q0 = _mm512_dpbf16_ps(acc_f3_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f3_q1 = _mm512_dpbf16_ps(acc_f3_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f3_q2 = _mm512_dpbf16_ps(acc_f3_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 4)));
      acc_f4_q0 = _mm512_dpbf16_ps(acc_f4_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f4_q1 = _mm512_dpbf16_ps(acc_f4_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f4_q2 = _mm512_dpbf16_ps(acc_f4_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 5)));
      acc_f5_q0 = _mm512_dpbf16_ps(acc_f5_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f5_q1 = _mm512_dpbf16_ps(acc_f5_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f5_q2 = _mm512_dpbf16_ps(acc_f5_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 6)));
      acc_f6_q0 = _mm512_dpbf16_ps(acc_f6_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f6_q1 = _mm512_dpbf16_ps(acc_f6_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f6_q2 = _mm512_dpbf16_ps(acc_f6_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 7)));
      acc_f7_q0 = _mm512_dpbf16_ps(acc_f7_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f7_q1 = _mm512_dpbf16_ps(acc_f7_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f7_q2 = _mm512_dpbf16_ps(acc_f7_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);

    }
    ATTNI_UNROLL(4)
    for (key = keys1; key > 0; --key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 0)));
      acc_f0_q1 = _mm512_dpbf16_ps(acc_f0_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f0_q2 = _mm512_dpbf16_ps(acc_f0_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 1)));
      acc_f1_q1 = _mm512_dpbf16_ps(acc_f1_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f1_q2 = _mm512_dpbf16_ps(acc_f1_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 2)));
      acc_f2_q1 = _mm512_dpbf16_ps(acc_f2_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f2_q2 = _mm512_dpbf16_ps(acc_f2_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 3)));
      acc_f3_q1 = _mm512_dpbf16_ps(acc_f3_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f3_q2 = _mm512_dpbf16_ps(acc_f3_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 4)));
      acc_f4_q1 = _mm512_dpbf16_ps(acc_f4_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f4_q2 = _mm512_dpbf16_ps(acc_f4_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 5)));
      acc_f5_q1 = _mm512_dpbf16_ps(acc_f5_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f5_q2 = _mm512_dpbf16_ps(acc_f5_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 6)));
      acc_f6_q1 = _mm512_dpbf16_ps(acc_f6_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f6_q2 = _mm512_dpbf16_ps(acc_f6_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 7)));
      acc_f7_q1 = _mm512_dpbf16_ps(acc_f7_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f7_q2 = _mm512_dpbf16_ps(acc_f7_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);

    }
    ATTNI_UNROLL(4)
    for (key = keys2; key > 0; --key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 0)));
      acc_f0_q2 = _mm512_dpbf16_ps(acc_f0_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 1)));
      acc_f1_q2 = _mm512_dpbf16_ps(acc_f1_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 2)));
      acc_f2_q2 = _mm512_dpbf16_ps(acc_f2_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 3)));
      acc_f3_q2 = _mm512_dpbf16_ps(acc_f3_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 4)));
      acc_f4_q2 = _mm512_dpbf16_ps(acc_f4_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 5)));
      acc_f5_q2 = _mm512_dpbf16_ps(acc_f5_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 6)));
      acc_f6_q2 = _mm512_dpbf16_ps(acc_f6_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * 7)));
      acc_f7_q2 = _mm512_dpbf16_ps(acc_f7_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();

    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const __m512 factor = _mm512_load_ps(t->factor + 0);
        acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor, acc_f0_q0);
        acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor, acc_f1_q0);
        acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor, acc_f2_q0);
        acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor, acc_f3_q0);
        acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor, acc_f4_q0);
        acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor, acc_f5_q0);
        acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor, acc_f6_q0);
        acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor, acc_f7_q0);
      }
      _mm512_store_ps(ot + 0, acc_f0_q0);
      _mm512_store_ps(ot + 48, acc_f1_q0);
      _mm512_store_ps(ot + 96, acc_f2_q0);
      _mm512_store_ps(ot + 144, acc_f3_q0);
      _mm512_store_ps(ot + 192, acc_f4_q0);
      _mm512_store_ps(ot + 240, acc_f5_q0);
      _mm512_store_ps(ot + 288, acc_f6_q0);
      _mm512_store_ps(ot + 336, acc_f7_q0);
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const __m512 factor = _mm512_load_ps(t->factor + 16);
        acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor, acc_f0_q1);
        acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor, acc_f1_q1);
        acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor, acc_f2_q1);
        acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor, acc_f3_q1);
        acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor, acc_f4_q1);
        acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor, acc_f5_q1);
        acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor, acc_f6_q1);
        acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor, acc_f7_q1);
      }
      _mm512_store_ps(ot + 16, acc_f0_q1);
      _mm512_store_ps(ot + 64, acc_f1_q1);
      _mm512_store_ps(ot + 112, acc_f2_q1);
      _mm512_store_ps(ot + 160, acc_f3_q1);
      _mm512_store_ps(ot + 208, acc_f4_q1);
      _mm512_store_ps(ot + 256, acc_f5_q1);
      _mm512_store_ps(ot + 304, acc_f6_q1);
      _mm512_store_ps(ot + 352, acc_f7_q1);
    }
    {
      if (!t->first) {
        const __m512 factor = _mm512_load_ps(t->factor + 32);
        acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor, acc_f0_q2);
        acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor, acc_f1_q2);
        acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor, acc_f2_q2);
        acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor, acc_f3_q2);
        acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor, acc_f4_q2);
        acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor, acc_f5_q2);
        acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor, acc_f6_q2);
        acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor, acc_f7_q2);
      }
      _mm512_store_ps(ot + 32, acc_f0_q2);
      _mm512_store_ps(ot + 80, acc_f1_q2);
      _mm512_store_ps(ot + 128, acc_f2_q2);
      _mm512_store_ps(ot + 176, acc_f3_q2);
      _mm512_store_ps(ot + 224, acc_f4_q2);
      _mm512_store_ps(ot + 272, acc_f5_q2);
      _mm512_store_ps(ot + 320, acc_f6_q2);
      _mm512_store_ps(ot + 368, acc_f7_q2);
    }
}
  for (; f < size; f += 4) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t f1 = attni_min_i32(1, size - 1 - f);
    const int32_t f2 = attni_min_i32(2, size - 1 - f);
    const int32_t f3 = attni_min_i32(3, size - 1 - f);
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = weights;
    const uint16_t *vk = value + 2 * f;
    int32_t key;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    for (key = keys0; key > 0; --key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 0)));
      acc_f0_q0 = _mm512_dpbf16_ps(acc_f0_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f0_q1 = _mm512_dpbf16_ps(acc_f0_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f0_q2 = _mm512_dpbf16_ps(acc_f0_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f1)));
      acc_f1_q0 = _mm512_dpbf16_ps(acc_f1_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f1_q1 = _mm512_dpbf16_ps(acc_f1_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f1_q2 = _mm512_dpbf16_ps(acc_f1_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f2)));
      acc_f2_q0 = _mm512_dpbf16_ps(acc_f2_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f2_q1 = _mm512_dpbf16_ps(acc_f2_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f2_q2 = _mm512_dpbf16_ps(acc_f2_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f3)));
      acc_f3_q0 = _mm512_dpbf16_ps(acc_f3_q0, (__m512bh)(b), (__m512bh)(p0));
      acc_f3_q1 = _mm512_dpbf16_ps(acc_f3_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f3_q2 = _mm512_dpbf16_ps(acc_f3_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);

    }
    for (key = keys1; key > 0; --key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 0)));
      acc_f0_q1 = _mm512_dpbf16_ps(acc_f0_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f0_q2 = _mm512_dpbf16_ps(acc_f0_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f1)));
      acc_f1_q1 = _mm512_dpbf16_ps(acc_f1_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f1_q2 = _mm512_dpbf16_ps(acc_f1_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f2)));
      acc_f2_q1 = _mm512_dpbf16_ps(acc_f2_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f2_q2 = _mm512_dpbf16_ps(acc_f2_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f3)));
      acc_f3_q1 = _mm512_dpbf16_ps(acc_f3_q1, (__m512bh)(b), (__m512bh)(p1));
      acc_f3_q2 = _mm512_dpbf16_ps(acc_f3_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);

    }
    for (key = keys2; key > 0; --key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 0)));
      acc_f0_q2 = _mm512_dpbf16_ps(acc_f0_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f1)));
      acc_f1_q2 = _mm512_dpbf16_ps(acc_f1_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f2)));
      acc_f2_q2 = _mm512_dpbf16_ps(acc_f2_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();
      b = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair(vk + 2 * f3)));
      acc_f3_q2 = _mm512_dpbf16_ps(acc_f3_q2, (__m512bh)(b), (__m512bh)(p2));
      ATTNI_CLANG_FENCE();

    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const __m512 factor = _mm512_load_ps(t->factor + 0);
        acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor, acc_f0_q0);
        acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor, acc_f1_q0);
        acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor, acc_f2_q0);
        acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor, acc_f3_q0);
      }
      _mm512_store_ps(ot + 0, acc_f0_q0);
      _mm512_store_ps(ot + 48, acc_f1_q0);
      _mm512_store_ps(ot + 96, acc_f2_q0);
      _mm512_store_ps(ot + 144, acc_f3_q0);
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const __m512 factor = _mm512_load_ps(t->factor + 16);
        acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor, acc_f0_q1);
        acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor, acc_f1_q1);
        acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor, acc_f2_q1);
        acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor, acc_f3_q1);
      }
      _mm512_store_ps(ot + 16, acc_f0_q1);
      _mm512_store_ps(ot + 64, acc_f1_q1);
      _mm512_store_ps(ot + 112, acc_f2_q1);
      _mm512_store_ps(ot + 160, acc_f3_q1);
    }
    {
      if (!t->first) {
        const __m512 factor = _mm512_load_ps(t->factor + 32);
        acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor, acc_f0_q2);
        acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor, acc_f1_q2);
        acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor, acc_f2_q2);
        acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor, acc_f3_q2);
      }
      _mm512_store_ps(ot + 32, acc_f0_q2);
      _mm512_store_ps(ot + 80, acc_f1_q2);
      _mm512_store_ps(ot + 128, acc_f2_q2);
      _mm512_store_ps(ot + 176, acc_f3_q2);
    }
}
}

#endif /* ATTNI_HAVE_AVX512_BF16 */

/* 4 rows by 4 keys: 16 accumulators, 4 of qt, 1 of k. Of fewer rows the last is repeated. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_bf16_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef uint16_t element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 16 * 16;
  const int32_t rest = t->head_size - whole;
  const size_t floats = attni_avx512_decode_row_floats(t->head_size);
  const float *const q0 = t->qt + (size_t)(row) * floats;
  const float *const q1 = t->qt + (size_t)(row + attni_min_i32(1, count - 1)) * floats;
  const float *const q2 = t->qt + (size_t)(row + attni_min_i32(2, count - 1)) * floats;
  const float *const q3 = t->qt + (size_t)(row + attni_min_i32(3, count - 1)) * floats;
  float *const st0 = t->st + (size_t)(row) * 272;
  float *const st1 = t->st + (size_t)(row + attni_min_i32(1, count - 1)) * 272;
  float *const st2 = t->st + (size_t)(row + attni_min_i32(2, count - 1)) * 272;
  float *const st3 = t->st + (size_t)(row + attni_min_i32(3, count - 1)) * 272;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const size_t bytes = (size_t)t->head_size * sizeof(element);
  attni_ahead *ahead = t->ahead;
  int32_t key;
  for (key = begin; key < end; key += 4) {
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k0_q3 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q3 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q3 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q3 = _mm512_setzero_ps();
    float sums[16];
    {
      const element *const k0 = k + key * stride;
      const element *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const element *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const element *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const uintptr_t next = (uintptr_t)k0 + 4 * step;
      uintptr_t soon = next;
      int32_t d = 0;
      if (row == t->row0) ahead = attni_take_ahead(t, ahead, 4, next, step, bytes, &soon);
      while (d < whole) {
        const uintptr_t at = (uintptr_t)d * sizeof(element);
        const int32_t stop = attni_min_i32(d + 32, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        ATTNI_PREFETCH_L2(soon + at + 2 * step);
        ATTNI_PREFETCH(next + at + 2 * step);
        ATTNI_PREFETCH_L2(soon + at + 3 * step);
        ATTNI_PREFETCH(next + at + 3 * step);
        for (; d < stop; d += 16) {
          const __m512 q0_d = _mm512_load_ps(q0 + d);
          const __m512 q1_d = _mm512_load_ps(q1 + d);
          const __m512 q2_d = _mm512_load_ps(q2 + d);
          const __m512 q3_d = _mm512_load_ps(q3 + d);
          __m512 k_d;
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k0 + d))), 16));
          acc_k0_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k0_q0);
          acc_k0_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k0_q1);
          acc_k0_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k0_q2);
          acc_k0_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k0_q3);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k1 + d))), 16));
          acc_k1_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k1_q0);
          acc_k1_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k1_q1);
          acc_k1_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k1_q2);
          acc_k1_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k1_q3);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k2 + d))), 16));
          acc_k2_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k2_q0);
          acc_k2_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k2_q1);
          acc_k2_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k2_q2);
          acc_k2_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k2_q3);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k3 + d))), 16));
          acc_k3_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k3_q0);
          acc_k3_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k3_q1);
          acc_k3_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k3_q2);
          acc_k3_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k3_q3);
        }
      }
      if (rest > 0) {
        const __m512 q0_d = _mm512_load_ps(q0 + d);
        const __m512 q1_d = _mm512_load_ps(q1 + d);
        const __m512 q2_d = _mm512_load_ps(q2 + d);
        const __m512 q3_d = _mm512_load_ps(q3 + d);
        __m512 k_d;
        k_d = attni_avx512_load_part_bf16(k0 + d, rest);
        acc_k0_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k0_q0);
        acc_k0_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k0_q1);
        acc_k0_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k0_q2);
        acc_k0_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k0_q3);
        k_d = attni_avx512_load_part_bf16(k1 + d, rest);
        acc_k1_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k1_q0);
        acc_k1_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k1_q1);
        acc_k1_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k1_q2);
        acc_k1_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k1_q3);
        k_d = attni_avx512_load_part_bf16(k2 + d, rest);
        acc_k2_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k2_q0);
        acc_k2_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k2_q1);
        acc_k2_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k2_q2);
        acc_k2_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k2_q3);
        k_d = attni_avx512_load_part_bf16(k3 + d, rest);
        acc_k3_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k3_q0);
        acc_k3_q1 = _mm512_fmadd_ps(k_d, q1_d, acc_k3_q1);
        acc_k3_q2 = _mm512_fmadd_ps(k_d, q2_d, acc_k3_q2);
        acc_k3_q3 = _mm512_fmadd_ps(k_d, q3_d, acc_k3_q3);
      }
    }
    {
      const __m512 sum_32_8_0 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0_q0, acc_k1_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0_q0, acc_k1_q0));
      const __m512 sum_32_8_1 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2_q0, acc_k3_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2_q0, acc_k3_q0));
      const __m512 sum_32_8_2 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0_q1, acc_k1_q1), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0_q1, acc_k1_q1));
      const __m512 sum_32_8_3 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2_q1, acc_k3_q1), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2_q1, acc_k3_q1));
      const __m512 sum_32_8_4 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0_q2, acc_k1_q2), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0_q2, acc_k1_q2));
      const __m512 sum_32_8_5 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2_q2, acc_k3_q2), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2_q2, acc_k3_q2));
      const __m512 sum_32_8_6 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0_q3, acc_k1_q3), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0_q3, acc_k1_q3));
      const __m512 sum_32_8_7 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2_q3, acc_k3_q3), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2_q3, acc_k3_q3));
      const __m512 sum_64_4_0 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_0, sum_32_8_1, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_0, sum_32_8_1, 0xee));
      const __m512 sum_64_4_1 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_2, sum_32_8_3, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_2, sum_32_8_3, 0xee));
      const __m512 sum_64_4_2 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_4, sum_32_8_5, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_4, sum_32_8_5, 0xee));
      const __m512 sum_64_4_3 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_6, sum_32_8_7, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_6, sum_32_8_7, 0xee));
      const __m512 sum_128_2_0 = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_0, sum_64_4_1, 0x88), _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_0, sum_64_4_1, 0xdd));
      const __m512 sum_128_2_1 = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_2, sum_64_4_3, 0x88), _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_2, sum_64_4_3, 0xdd));
      const __m512 sum_128_1_0 = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_128_2_0, sum_128_2_1, 0x88), _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_128_2_0, sum_128_2_1, 0xdd));
      _mm512_storeu_ps(sums, sum_128_1_0);
    }
    memcpy(st0 + key, sums, 4 * sizeof(float));
    memcpy(st1 + key, sums + 4, 4 * sizeof(float));
    memcpy(st2 + key, sums + 8, 4 * sizeof(float));
    memcpy(st3 + key, sums + 12, 4 * sizeof(float));
  }
}

/* 1 row by 16 keys: 16 accumulators, 1 of qt, 1 of k */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_bf16_any_r1(const attni_tile *t, int32_t row) {
  typedef uint16_t element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 16 * 16;
  const int32_t rest = t->head_size - whole;
  const size_t floats = attni_avx512_decode_row_floats(t->head_size);
  const float *const q0 = t->qt + (size_t)(row) * floats;
  float *const st0 = t->st + (size_t)(row) * 272;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const size_t bytes = (size_t)t->head_size * sizeof(element);
  attni_ahead *ahead = t->ahead;
  int32_t key;
  for (key = begin; key < end; key += 16) {
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k8_q0 = _mm512_setzero_ps();
    __m512 acc_k9_q0 = _mm512_setzero_ps();
    __m512 acc_k10_q0 = _mm512_setzero_ps();
    __m512 acc_k11_q0 = _mm512_setzero_ps();
    __m512 acc_k12_q0 = _mm512_setzero_ps();
    __m512 acc_k13_q0 = _mm512_setzero_ps();
    __m512 acc_k14_q0 = _mm512_setzero_ps();
    __m512 acc_k15_q0 = _mm512_setzero_ps();
    float sums[16];
    {
      const element *const k0 = k + key * stride;
      const element *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const element *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const element *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const uintptr_t next = (uintptr_t)k0 + 4 * step;
      uintptr_t soon = next;
      int32_t d = 0;
      if (row == t->row0) ahead = attni_take_ahead(t, ahead, 4, next, step, bytes, &soon);
      while (d < whole) {
        const uintptr_t at = (uintptr_t)d * sizeof(element);
        const int32_t stop = attni_min_i32(d + 32, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        ATTNI_PREFETCH_L2(soon + at + 2 * step);
        ATTNI_PREFETCH(next + at + 2 * step);
        ATTNI_PREFETCH_L2(soon + at + 3 * step);
        ATTNI_PREFETCH(next + at + 3 * step);
        for (; d < stop; d += 16) {
          const __m512 q0_d = _mm512_load_ps(q0 + d);
          __m512 k_d;
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k0 + d))), 16));
          acc_k0_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k0_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k1 + d))), 16));
          acc_k1_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k1_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k2 + d))), 16));
          acc_k2_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k2_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k3 + d))), 16));
          acc_k3_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k3_q0);
        }
      }
      if (rest > 0) {
        const __m512 q0_d = _mm512_load_ps(q0 + d);
        __m512 k_d;
        k_d = attni_avx512_load_part_bf16(k0 + d, rest);
        acc_k0_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k0_q0);
        k_d = attni_avx512_load_part_bf16(k1 + d, rest);
        acc_k1_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k1_q0);
        k_d = attni_avx512_load_part_bf16(k2 + d, rest);
        acc_k2_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k2_q0);
        k_d = attni_avx512_load_part_bf16(k3 + d, rest);
        acc_k3_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k3_q0);
      }
    }
    {
      const element *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const element *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const element *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const element *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const uintptr_t next = (uintptr_t)k4 + 4 * step;
      uintptr_t soon = next;
      int32_t d = 0;
      if (row == t->row0) ahead = attni_take_ahead(t, ahead, 4, next, step, bytes, &soon);
      while (d < whole) {
        const uintptr_t at = (uintptr_t)d * sizeof(element);
        const int32_t stop = attni_min_i32(d + 32, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        ATTNI_PREFETCH_L2(soon + at + 2 * step);
        ATTNI_PREFETCH(next + at + 2 * step);
        ATTNI_PREFETCH_L2(soon + at + 3 * step);
        ATTNI_PREFETCH(next + at + 3 * step);
        for (; d < stop; d += 16) {
          const __m512 q0_d = _mm512_load_ps(q0 + d);
          __m512 k_d;
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k4 + d))), 16));
          acc_k4_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k4_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k5 + d))), 16));
          acc_k5_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k5_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k6 + d))), 16));
          acc_k6_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k6_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k7 + d))), 16));
          acc_k7_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k7_q0);
        }
      }
      if (rest > 0) {
        const __m512 q0_d = _mm512_load_ps(q0 + d);
        __m512 k_d;
        k_d = attni_avx512_load_part_bf16(k4 + d, rest);
        acc_k4_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k4_q0);
        k_d = attni_avx512_load_part_bf16(k5 + d, rest);
        acc_k5_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k5_q0);
        k_d = attni_avx512_load_part_bf16(k6 + d, rest);
        acc_k6_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k6_q0);
        k_d = attni_avx512_load_part_bf16(k7 + d, rest);
        acc_k7_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k7_q0);
      }
    }
    {
      const element *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const element *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const element *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const element *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const uintptr_t next = (uintptr_t)k8 + 4 * step;
      uintptr_t soon = next;
      int32_t d = 0;
      if (row == t->row0) ahead = attni_take_ahead(t, ahead, 4, next, step, bytes, &soon);
      while (d < whole) {
        const uintptr_t at = (uintptr_t)d * sizeof(element);
        const int32_t stop = attni_min_i32(d + 32, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        ATTNI_PREFETCH_L2(soon + at + 2 * step);
        ATTNI_PREFETCH(next + at + 2 * step);
        ATTNI_PREFETCH_L2(soon + at + 3 * step);
        ATTNI_PREFETCH(next + at + 3 * step);
        for (; d < stop; d += 16) {
          const __m512 q0_d = _mm512_load_ps(q0 + d);
          __m512 k_d;
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k8 + d))), 16));
          acc_k8_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k8_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k9 + d))), 16));
          acc_k9_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k9_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k10 + d))), 16));
          acc_k10_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k10_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k11 + d))), 16));
          acc_k11_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k11_q0);
        }
      }
      if (rest > 0) {
        const __m512 q0_d = _mm512_load_ps(q0 + d);
        __m512 k_d;
        k_d = attni_avx512_load_part_bf16(k8 + d, rest);
        acc_k8_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k8_q0);
        k_d = attni_avx512_load_part_bf16(k9 + d, rest);
        acc_k9_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k9_q0);
        k_d = attni_avx512_load_part_bf16(k10 + d, rest);
        acc_k10_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k10_q0);
        k_d = attni_avx512_load_part_bf16(k11 + d, rest);
        acc_k11_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k11_q0);
      }
    }
    {
      const element *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const element *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const element *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const element *const k15 = k + attni_min_i32(key + 15, last) * stride;
      const uintptr_t next = (uintptr_t)k12 + 4 * step;
      uintptr_t soon = next;
      int32_t d = 0;
      if (row == t->row0) ahead = attni_take_ahead(t, ahead, 4, next, step, bytes, &soon);
      while (d < whole) {
        const uintptr_t at = (uintptr_t)d * sizeof(element);
        const int32_t stop = attni_min_i32(d + 32, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        ATTNI_PREFETCH_L2(soon + at + 2 * step);
        ATTNI_PREFETCH(next + at + 2 * step);
        ATTNI_PREFETCH_L2(soon + at + 3 * step);
        ATTNI_PREFETCH(next + at + 3 * step);
        for (; d < stop; d += 16) {
          const __m512 q0_d = _mm512_load_ps(q0 + d);
          __m512 k_d;
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k12 + d))), 16));
          acc_k12_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k12_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k13 + d))), 16));
          acc_k13_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k13_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k14 + d))), 16));
          acc_k14_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k14_q0);
          k_d = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(k15 + d))), 16));
          acc_k15_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k15_q0);
        }
      }
      if (rest > 0) {
        const __m512 q0_d = _mm512_load_ps(q0 + d);
        __m512 k_d;
        k_d = attni_avx512_load_part_bf16(k12 + d, rest);
        acc_k12_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k12_q0);
        k_d = attni_avx512_load_part_bf16(k13 + d, rest);
        acc_k13_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k13_q0);
        k_d = attni_avx512_load_part_bf16(k14 + d, rest);
        acc_k14_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k14_q0);
        k_d = attni_avx512_load_part_bf16(k15 + d, rest);
        acc_k15_q0 = _mm512_fmadd_ps(k_d, q0_d, acc_k15_q0);
      }
    }
    {
      const __m512 sum_32_8_0 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0_q0, acc_k1_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0_q0, acc_k1_q0));
      const __m512 sum_32_8_1 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2_q0, acc_k3_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2_q0, acc_k3_q0));
      const __m512 sum_32_8_2 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4_q0, acc_k5_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4_q0, acc_k5_q0));
      const __m512 sum_32_8_3 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6_q0, acc_k7_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6_q0, acc_k7_q0));
      const __m512 sum_32_8_4 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8_q0, acc_k9_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8_q0, acc_k9_q0));
      const __m512 sum_32_8_5 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10_q0, acc_k11_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10_q0, acc_k11_q0));
      const __m512 sum_32_8_6 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12_q0, acc_k13_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12_q0, acc_k13_q0));
      const __m512 sum_32_8_7 = _mm512_add_ps(_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14_q0, acc_k15_q0), _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14_q0, acc_k15_q0));
      const __m512 sum_64_4_0 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_0, sum_32_8_1, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_0, sum_32_8_1, 0xee));
      const __m512 sum_64_4_1 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_2, sum_32_8_3, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_2, sum_32_8_3, 0xee));
      const __m512 sum_64_4_2 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_4, sum_32_8_5, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_4, sum_32_8_5, 0xee));
      const __m512 sum_64_4_3 = _mm512_add_ps(_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_6, sum_32_8_7, 0x44), _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, sum_32_8_6, sum_32_8_7, 0xee));
      const __m512 sum_128_2_0 = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_0, sum_64_4_1, 0x88), _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_0, sum_64_4_1, 0xdd));
      const __m512 sum_128_2_1 = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_2, sum_64_4_3, 0x88), _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_64_4_2, sum_64_4_3, 0xdd));
      const __m512 sum_128_1_0 = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_128_2_0, sum_128_2_1, 0x88), _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, sum_128_2_0, sum_128_2_1, 0xdd));
      _mm512_storeu_ps(sums, sum_128_1_0);
    }
    memcpy(st0 + key, sums, 16 * sizeof(float));
  }
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, each score one accumulator, summed
 * over its lanes at the end of a step. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_bf16_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_avx512_decode_qk_bf16_any_r4(t, row, rows);
    } else {
      attni_avx512_decode_qk_bf16_any_r1(t, row);
    }
  }
  attni_avx512_decode_find_max(t);
}

/* 4 rows by up to 4 vectors of features: 16 accumulators, 4 of v, 1 of st */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_bf16_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef uint16_t element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_avx512_decode_row_floats(size);
  const float *const p0 = t->st + (size_t)(row) * 272;
  float *const ot0 = t->ot + (size_t)(row) * floats;
  const float *const p1 = t->st + (size_t)(row + attni_min_i32(1, count - 1)) * 272;
  float *const ot1 = t->ot + (size_t)(row + attni_min_i32(1, count - 1)) * floats;
  const float *const p2 = t->st + (size_t)(row + attni_min_i32(2, count - 1)) * 272;
  float *const ot2 = t->ot + (size_t)(row + attni_min_i32(2, count - 1)) * floats;
  const float *const p3 = t->st + (size_t)(row + attni_min_i32(3, count - 1)) * 272;
  float *const ot3 = t->ot + (size_t)(row + attni_min_i32(3, count - 1)) * floats;
  int32_t begin = t->key_begin, stop;
  bool start = true;
  attni_ahead *ahead = t->ahead;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const bool dense = step == t->v_bytes;
  uintptr_t soon; /* rows that are asked for meanwhile: if dense, in the order of memory */
  do { /* once even without keys: ot is set */
    const float *const factor = start ? t->factor + row : attni_ones;
    int32_t f = 0;
    stop = attni_chain_end(begin, end, start, 64);
    soon = (uintptr_t)(value + begin * stride);
    if (row == t->row0 && begin < stop) ahead = attni_take_ahead(t, ahead, stop - begin, soon, step, t->v_bytes, &soon);
    for (; f + 64 <= size; f += 64) {
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      __m512 acc_q0_f1 = _mm512_setzero_ps();
      __m512 acc_q0_f2 = _mm512_setzero_ps();
      __m512 acc_q0_f3 = _mm512_setzero_ps();
      __m512 acc_q1_f0 = _mm512_setzero_ps();
      __m512 acc_q1_f1 = _mm512_setzero_ps();
      __m512 acc_q1_f2 = _mm512_setzero_ps();
      __m512 acc_q1_f3 = _mm512_setzero_ps();
      __m512 acc_q2_f0 = _mm512_setzero_ps();
      __m512 acc_q2_f1 = _mm512_setzero_ps();
      __m512 acc_q2_f2 = _mm512_setzero_ps();
      __m512 acc_q2_f3 = _mm512_setzero_ps();
      __m512 acc_q3_f0 = _mm512_setzero_ps();
      __m512 acc_q3_f1 = _mm512_setzero_ps();
      __m512 acc_q3_f2 = _mm512_setzero_ps();
      __m512 acc_q3_f3 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 64 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        ATTNI_PREFETCH_L2(at + 64);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step + 64);
        at += at_step;
        const __m512 v0 = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk))), 16));
        const __m512 v1 = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 16))), 16));
        const __m512 v2 = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 32))), 16));
        const __m512 v3 = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 48))), 16));
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(v0, w, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(v1, w, acc_q0_f1);
        acc_q0_f2 = _mm512_fmadd_ps(v2, w, acc_q0_f2);
        acc_q0_f3 = _mm512_fmadd_ps(v3, w, acc_q0_f3);
        w = _mm512_set1_ps(*(p1 + key));
        ATTNI_CLANG_FENCE();
        acc_q1_f0 = _mm512_fmadd_ps(v0, w, acc_q1_f0);
        acc_q1_f1 = _mm512_fmadd_ps(v1, w, acc_q1_f1);
        acc_q1_f2 = _mm512_fmadd_ps(v2, w, acc_q1_f2);
        acc_q1_f3 = _mm512_fmadd_ps(v3, w, acc_q1_f3);
        w = _mm512_set1_ps(*(p2 + key));
        ATTNI_CLANG_FENCE();
        acc_q2_f0 = _mm512_fmadd_ps(v0, w, acc_q2_f0);
        acc_q2_f1 = _mm512_fmadd_ps(v1, w, acc_q2_f1);
        acc_q2_f2 = _mm512_fmadd_ps(v2, w, acc_q2_f2);
        acc_q2_f3 = _mm512_fmadd_ps(v3, w, acc_q2_f3);
        w = _mm512_set1_ps(*(p3 + key));
        ATTNI_CLANG_FENCE();
        acc_q3_f0 = _mm512_fmadd_ps(v0, w, acc_q3_f0);
        acc_q3_f1 = _mm512_fmadd_ps(v1, w, acc_q3_f1);
        acc_q3_f2 = _mm512_fmadd_ps(v2, w, acc_q3_f2);
        acc_q3_f3 = _mm512_fmadd_ps(v3, w, acc_q3_f3);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 16), factor_q0, acc_q0_f1);
        acc_q0_f2 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 32), factor_q0, acc_q0_f2);
        acc_q0_f3 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 48), factor_q0, acc_q0_f3);
        const __m512 factor_q1 = _mm512_set1_ps(*(factor + attni_min_i32(1, count - 1)));
        acc_q1_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f), factor_q1, acc_q1_f0);
        acc_q1_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f + 16), factor_q1, acc_q1_f1);
        acc_q1_f2 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f + 32), factor_q1, acc_q1_f2);
        acc_q1_f3 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f + 48), factor_q1, acc_q1_f3);
        const __m512 factor_q2 = _mm512_set1_ps(*(factor + attni_min_i32(2, count - 1)));
        acc_q2_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f), factor_q2, acc_q2_f0);
        acc_q2_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f + 16), factor_q2, acc_q2_f1);
        acc_q2_f2 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f + 32), factor_q2, acc_q2_f2);
        acc_q2_f3 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f + 48), factor_q2, acc_q2_f3);
        const __m512 factor_q3 = _mm512_set1_ps(*(factor + attni_min_i32(3, count - 1)));
        acc_q3_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f), factor_q3, acc_q3_f0);
        acc_q3_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f + 16), factor_q3, acc_q3_f1);
        acc_q3_f2 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f + 32), factor_q3, acc_q3_f2);
        acc_q3_f3 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f + 48), factor_q3, acc_q3_f3);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
      _mm512_store_ps(ot0 + f + 16, acc_q0_f1);
      _mm512_store_ps(ot0 + f + 32, acc_q0_f2);
      _mm512_store_ps(ot0 + f + 48, acc_q0_f3);
      _mm512_store_ps(ot1 + f, acc_q1_f0);
      _mm512_store_ps(ot1 + f + 16, acc_q1_f1);
      _mm512_store_ps(ot1 + f + 32, acc_q1_f2);
      _mm512_store_ps(ot1 + f + 48, acc_q1_f3);
      _mm512_store_ps(ot2 + f, acc_q2_f0);
      _mm512_store_ps(ot2 + f + 16, acc_q2_f1);
      _mm512_store_ps(ot2 + f + 32, acc_q2_f2);
      _mm512_store_ps(ot2 + f + 48, acc_q2_f3);
      _mm512_store_ps(ot3 + f, acc_q3_f0);
      _mm512_store_ps(ot3 + f + 16, acc_q3_f1);
      _mm512_store_ps(ot3 + f + 32, acc_q3_f2);
      _mm512_store_ps(ot3 + f + 48, acc_q3_f3);
    }
    for (; f + 32 <= size; f += 32) {
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      __m512 acc_q0_f1 = _mm512_setzero_ps();
      __m512 acc_q1_f0 = _mm512_setzero_ps();
      __m512 acc_q1_f1 = _mm512_setzero_ps();
      __m512 acc_q2_f0 = _mm512_setzero_ps();
      __m512 acc_q2_f1 = _mm512_setzero_ps();
      __m512 acc_q3_f0 = _mm512_setzero_ps();
      __m512 acc_q3_f1 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 32 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const __m512 v0 = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk))), 16));
        const __m512 v1 = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 16))), 16));
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(v0, w, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(v1, w, acc_q0_f1);
        w = _mm512_set1_ps(*(p1 + key));
        ATTNI_CLANG_FENCE();
        acc_q1_f0 = _mm512_fmadd_ps(v0, w, acc_q1_f0);
        acc_q1_f1 = _mm512_fmadd_ps(v1, w, acc_q1_f1);
        w = _mm512_set1_ps(*(p2 + key));
        ATTNI_CLANG_FENCE();
        acc_q2_f0 = _mm512_fmadd_ps(v0, w, acc_q2_f0);
        acc_q2_f1 = _mm512_fmadd_ps(v1, w, acc_q2_f1);
        w = _mm512_set1_ps(*(p3 + key));
        ATTNI_CLANG_FENCE();
        acc_q3_f0 = _mm512_fmadd_ps(v0, w, acc_q3_f0);
        acc_q3_f1 = _mm512_fmadd_ps(v1, w, acc_q3_f1);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 16), factor_q0, acc_q0_f1);
        const __m512 factor_q1 = _mm512_set1_ps(*(factor + attni_min_i32(1, count - 1)));
        acc_q1_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f), factor_q1, acc_q1_f0);
        acc_q1_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f + 16), factor_q1, acc_q1_f1);
        const __m512 factor_q2 = _mm512_set1_ps(*(factor + attni_min_i32(2, count - 1)));
        acc_q2_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f), factor_q2, acc_q2_f0);
        acc_q2_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f + 16), factor_q2, acc_q2_f1);
        const __m512 factor_q3 = _mm512_set1_ps(*(factor + attni_min_i32(3, count - 1)));
        acc_q3_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f), factor_q3, acc_q3_f0);
        acc_q3_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f + 16), factor_q3, acc_q3_f1);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
      _mm512_store_ps(ot0 + f + 16, acc_q0_f1);
      _mm512_store_ps(ot1 + f, acc_q1_f0);
      _mm512_store_ps(ot1 + f + 16, acc_q1_f1);
      _mm512_store_ps(ot2 + f, acc_q2_f0);
      _mm512_store_ps(ot2 + f + 16, acc_q2_f1);
      _mm512_store_ps(ot3 + f, acc_q3_f0);
      _mm512_store_ps(ot3 + f + 16, acc_q3_f1);
    }
    for (; f + 16 <= size; f += 16) {
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      __m512 acc_q1_f0 = _mm512_setzero_ps();
      __m512 acc_q2_f0 = _mm512_setzero_ps();
      __m512 acc_q3_f0 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 16 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const __m512 v0 = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk))), 16));
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(v0, w, acc_q0_f0);
        w = _mm512_set1_ps(*(p1 + key));
        ATTNI_CLANG_FENCE();
        acc_q1_f0 = _mm512_fmadd_ps(v0, w, acc_q1_f0);
        w = _mm512_set1_ps(*(p2 + key));
        ATTNI_CLANG_FENCE();
        acc_q2_f0 = _mm512_fmadd_ps(v0, w, acc_q2_f0);
        w = _mm512_set1_ps(*(p3 + key));
        ATTNI_CLANG_FENCE();
        acc_q3_f0 = _mm512_fmadd_ps(v0, w, acc_q3_f0);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        const __m512 factor_q1 = _mm512_set1_ps(*(factor + attni_min_i32(1, count - 1)));
        acc_q1_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f), factor_q1, acc_q1_f0);
        const __m512 factor_q2 = _mm512_set1_ps(*(factor + attni_min_i32(2, count - 1)));
        acc_q2_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f), factor_q2, acc_q2_f0);
        const __m512 factor_q3 = _mm512_set1_ps(*(factor + attni_min_i32(3, count - 1)));
        acc_q3_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f), factor_q3, acc_q3_f0);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
      _mm512_store_ps(ot1 + f, acc_q1_f0);
      _mm512_store_ps(ot2 + f, acc_q2_f0);
      _mm512_store_ps(ot3 + f, acc_q3_f0);
    }
    if (f < size) {
      const int32_t rest = size - f;
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      __m512 acc_q1_f0 = _mm512_setzero_ps();
      __m512 acc_q2_f0 = _mm512_setzero_ps();
      __m512 acc_q3_f0 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 16 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const __m512 v0 = attni_avx512_load_part_bf16(vk, rest);
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(v0, w, acc_q0_f0);
        w = _mm512_set1_ps(*(p1 + key));
        ATTNI_CLANG_FENCE();
        acc_q1_f0 = _mm512_fmadd_ps(v0, w, acc_q1_f0);
        w = _mm512_set1_ps(*(p2 + key));
        ATTNI_CLANG_FENCE();
        acc_q2_f0 = _mm512_fmadd_ps(v0, w, acc_q2_f0);
        w = _mm512_set1_ps(*(p3 + key));
        ATTNI_CLANG_FENCE();
        acc_q3_f0 = _mm512_fmadd_ps(v0, w, acc_q3_f0);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        const __m512 factor_q1 = _mm512_set1_ps(*(factor + attni_min_i32(1, count - 1)));
        acc_q1_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot1 + f), factor_q1, acc_q1_f0);
        const __m512 factor_q2 = _mm512_set1_ps(*(factor + attni_min_i32(2, count - 1)));
        acc_q2_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot2 + f), factor_q2, acc_q2_f0);
        const __m512 factor_q3 = _mm512_set1_ps(*(factor + attni_min_i32(3, count - 1)));
        acc_q3_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot3 + f), factor_q3, acc_q3_f0);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
      _mm512_store_ps(ot1 + f, acc_q1_f0);
      _mm512_store_ps(ot2 + f, acc_q2_f0);
      _mm512_store_ps(ot3 + f, acc_q3_f0);
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* 1 row by up to 8 vectors of features: 8 accumulators, 1 of v, 1 of st */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_bf16_any_r1(const attni_tile *t, int32_t row) {
  typedef uint16_t element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_avx512_decode_row_floats(size);
  const float *const p0 = t->st + (size_t)(row) * 272;
  float *const ot0 = t->ot + (size_t)(row) * floats;
  int32_t begin = t->key_begin, stop;
  bool start = true;
  attni_ahead *ahead = t->ahead;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const bool dense = step == t->v_bytes;
  uintptr_t soon; /* rows that are asked for meanwhile: if dense, in the order of memory */
  do { /* once even without keys: ot is set */
    const float *const factor = start ? t->factor + row : attni_ones;
    int32_t f = 0;
    stop = attni_chain_end(begin, end, start, 64);
    soon = (uintptr_t)(value + begin * stride);
    if (row == t->row0 && begin < stop) ahead = attni_take_ahead(t, ahead, stop - begin, soon, step, t->v_bytes, &soon);
    for (; f + 128 <= size; f += 128) {
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      __m512 acc_q0_f1 = _mm512_setzero_ps();
      __m512 acc_q0_f2 = _mm512_setzero_ps();
      __m512 acc_q0_f3 = _mm512_setzero_ps();
      __m512 acc_q0_f4 = _mm512_setzero_ps();
      __m512 acc_q0_f5 = _mm512_setzero_ps();
      __m512 acc_q0_f6 = _mm512_setzero_ps();
      __m512 acc_q0_f7 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 128 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        ATTNI_PREFETCH_L2(at + 64);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step + 64);
        ATTNI_PREFETCH_L2(at + 128);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step + 128);
        ATTNI_PREFETCH_L2(at + 192);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step + 192);
        at += at_step;
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk))), 16)), w, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 16))), 16)), w, acc_q0_f1);
        acc_q0_f2 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 32))), 16)), w, acc_q0_f2);
        acc_q0_f3 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 48))), 16)), w, acc_q0_f3);
        acc_q0_f4 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 64))), 16)), w, acc_q0_f4);
        acc_q0_f5 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 80))), 16)), w, acc_q0_f5);
        acc_q0_f6 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 96))), 16)), w, acc_q0_f6);
        acc_q0_f7 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 112))), 16)), w, acc_q0_f7);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 16), factor_q0, acc_q0_f1);
        acc_q0_f2 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 32), factor_q0, acc_q0_f2);
        acc_q0_f3 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 48), factor_q0, acc_q0_f3);
        acc_q0_f4 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 64), factor_q0, acc_q0_f4);
        acc_q0_f5 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 80), factor_q0, acc_q0_f5);
        acc_q0_f6 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 96), factor_q0, acc_q0_f6);
        acc_q0_f7 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 112), factor_q0, acc_q0_f7);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
      _mm512_store_ps(ot0 + f + 16, acc_q0_f1);
      _mm512_store_ps(ot0 + f + 32, acc_q0_f2);
      _mm512_store_ps(ot0 + f + 48, acc_q0_f3);
      _mm512_store_ps(ot0 + f + 64, acc_q0_f4);
      _mm512_store_ps(ot0 + f + 80, acc_q0_f5);
      _mm512_store_ps(ot0 + f + 96, acc_q0_f6);
      _mm512_store_ps(ot0 + f + 112, acc_q0_f7);
    }
    for (; f + 64 <= size; f += 64) {
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      __m512 acc_q0_f1 = _mm512_setzero_ps();
      __m512 acc_q0_f2 = _mm512_setzero_ps();
      __m512 acc_q0_f3 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 64 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        ATTNI_PREFETCH_L2(at + 64);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step + 64);
        at += at_step;
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk))), 16)), w, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 16))), 16)), w, acc_q0_f1);
        acc_q0_f2 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 32))), 16)), w, acc_q0_f2);
        acc_q0_f3 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 48))), 16)), w, acc_q0_f3);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 16), factor_q0, acc_q0_f1);
        acc_q0_f2 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 32), factor_q0, acc_q0_f2);
        acc_q0_f3 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 48), factor_q0, acc_q0_f3);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
      _mm512_store_ps(ot0 + f + 16, acc_q0_f1);
      _mm512_store_ps(ot0 + f + 32, acc_q0_f2);
      _mm512_store_ps(ot0 + f + 48, acc_q0_f3);
    }
    for (; f + 32 <= size; f += 32) {
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      __m512 acc_q0_f1 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 32 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk))), 16)), w, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk + 16))), 16)), w, acc_q0_f1);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f + 16), factor_q0, acc_q0_f1);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
      _mm512_store_ps(ot0 + f + 16, acc_q0_f1);
    }
    for (; f + 16 <= size; f += 16) {
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 16 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)(vk))), 16)), w, acc_q0_f0);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
    }
    if (f < size) {
      const int32_t rest = size - f;
      __m512 acc_q0_f0 = _mm512_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 16 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        __m512 w;
        w = _mm512_set1_ps(*(p0 + key));
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm512_fmadd_ps(attni_avx512_load_part_bf16(vk, rest), w, acc_q0_f0);
      }
      if (!t->first || !start) {
        const __m512 factor_q0 = _mm512_set1_ps(*(factor));
        acc_q0_f0 = _mm512_fmadd_ps(_mm512_load_ps(ot0 + f), factor_q0, acc_q0_f0);
      }
      _mm512_store_ps(ot0 + f, acc_q0_f0);
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, 64 keys a chain. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_bf16_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_avx512_decode_pv_bf16_any_r4(t, row, rows);
    } else {
      attni_avx512_decode_pv_bf16_any_r1(t, row);
    }
  }
}

#endif /* ATTNI_HAVE_AVX512 */
