/* avx512, f32, head size 80. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by up to 128 keys, head size 80. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t asks = attni_ceil_div(t->kv.keys, 8) * attni_ceil_div(80, 32);
  const int64_t ahead_step = attni_ceil_div(t->ahead_rows / 2, asks);
  attni_ahead *ahead = t->ahead;
  int32_t key = t->key_begin;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const float *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const float *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const float *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const float *const k7 = k6 + (key + 7 <= last ? stride : 0);
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
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
    int32_t d = 0;
    while (d < 80) {
      const int32_t stop = attni_min_i32(d + 32, 80);
      ahead = attni_look_ahead(t, ahead, ahead_step);
      ATTNI_UNROLL(4)
      for (; d < stop; ++d, q += 48) {
        const __m512 q0 = _mm512_load_ps(q + 0);
        const __m512 q1 = _mm512_load_ps(q + 16);
        const __m512 q2 = _mm512_load_ps(q + 32);
        __m512 b;
        b = _mm512_set1_ps(*(k0 + d));
        acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
        acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
        acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
        ATTNI_CLANG_SETTLE("v", acc_k0_q0);
        ATTNI_CLANG_SETTLE("v", acc_k0_q1);
        ATTNI_CLANG_SETTLE("v", acc_k0_q2);
        b = _mm512_set1_ps(*(k1 + d));
        acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
        acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
        acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
        ATTNI_CLANG_SETTLE("v", acc_k1_q0);
        ATTNI_CLANG_SETTLE("v", acc_k1_q1);
        ATTNI_CLANG_SETTLE("v", acc_k1_q2);
        b = _mm512_set1_ps(*(k2 + d));
        acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
        acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
        acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
        ATTNI_CLANG_SETTLE("v", acc_k2_q0);
        ATTNI_CLANG_SETTLE("v", acc_k2_q1);
        ATTNI_CLANG_SETTLE("v", acc_k2_q2);
        b = _mm512_set1_ps(*(k3 + d));
        acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
        acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
        acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
        ATTNI_CLANG_SETTLE("v", acc_k3_q0);
        ATTNI_CLANG_SETTLE("v", acc_k3_q1);
        ATTNI_CLANG_SETTLE("v", acc_k3_q2);
        b = _mm512_set1_ps(*(k4 + d));
        acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
        acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
        acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
        ATTNI_CLANG_SETTLE("v", acc_k4_q0);
        ATTNI_CLANG_SETTLE("v", acc_k4_q1);
        ATTNI_CLANG_SETTLE("v", acc_k4_q2);
        b = _mm512_set1_ps(*(k5 + d));
        acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
        acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
        acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
        ATTNI_CLANG_SETTLE("v", acc_k5_q0);
        ATTNI_CLANG_SETTLE("v", acc_k5_q1);
        ATTNI_CLANG_SETTLE("v", acc_k5_q2);
        b = _mm512_set1_ps(*(k6 + d));
        acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
        acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
        acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
        ATTNI_CLANG_SETTLE("v", acc_k6_q0);
        ATTNI_CLANG_SETTLE("v", acc_k6_q1);
        ATTNI_CLANG_SETTLE("v", acc_k6_q2);
        b = _mm512_set1_ps(*(k7 + d));
        acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
        acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
        acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
        ATTNI_CLANG_SETTLE("v", acc_k7_q0);
        ATTNI_CLANG_SETTLE("v", acc_k7_q1);
        ATTNI_CLANG_SETTLE("v", acc_k7_q2);

      }
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const float *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const float *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const float *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const float *const k7 = k6 + (key + 7 <= last ? stride : 0);
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
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
    int32_t d = 0;
    while (d < 80) {
      const int32_t stop = attni_min_i32(d + 32, 80);
      ahead = attni_look_ahead(t, ahead, ahead_step);
      ATTNI_UNROLL(4)
      for (; d < stop; ++d, q += 48) {
        const __m512 q0 = _mm512_load_ps(q + 0);
        const __m512 q1 = _mm512_load_ps(q + 16);
        __m512 b;
        b = _mm512_set1_ps(*(k0 + d));
        acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
        acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
        ATTNI_CLANG_SETTLE("v", acc_k0_q0);
        ATTNI_CLANG_SETTLE("v", acc_k0_q1);
        b = _mm512_set1_ps(*(k1 + d));
        acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
        acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
        ATTNI_CLANG_SETTLE("v", acc_k1_q0);
        ATTNI_CLANG_SETTLE("v", acc_k1_q1);
        b = _mm512_set1_ps(*(k2 + d));
        acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
        acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
        ATTNI_CLANG_SETTLE("v", acc_k2_q0);
        ATTNI_CLANG_SETTLE("v", acc_k2_q1);
        b = _mm512_set1_ps(*(k3 + d));
        acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
        acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
        ATTNI_CLANG_SETTLE("v", acc_k3_q0);
        ATTNI_CLANG_SETTLE("v", acc_k3_q1);
        b = _mm512_set1_ps(*(k4 + d));
        acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
        acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
        ATTNI_CLANG_SETTLE("v", acc_k4_q0);
        ATTNI_CLANG_SETTLE("v", acc_k4_q1);
        b = _mm512_set1_ps(*(k5 + d));
        acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
        acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
        ATTNI_CLANG_SETTLE("v", acc_k5_q0);
        ATTNI_CLANG_SETTLE("v", acc_k5_q1);
        b = _mm512_set1_ps(*(k6 + d));
        acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
        acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
        ATTNI_CLANG_SETTLE("v", acc_k6_q0);
        ATTNI_CLANG_SETTLE("v", acc_k6_q1);
        b = _mm512_set1_ps(*(k7 + d));
        acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
        acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
        ATTNI_CLANG_SETTLE("v", acc_k7_q0);
        ATTNI_CLANG_SETTLE("v", acc_k7_q1);

      }
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const float *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const float *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const float *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const float *const k7 = k6 + (key + 7 <= last ? stride : 0);
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d = 0;
    while (d < 80) {
      const int32_t stop = attni_min_i32(d + 32, 80);
      ahead = attni_look_ahead(t, ahead, ahead_step);
      ATTNI_UNROLL(4)
      for (; d < stop; ++d, q += 48) {
        const __m512 q0 = _mm512_load_ps(q + 0);
        __m512 b;
        b = _mm512_set1_ps(*(k0 + d));
        acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
        ATTNI_CLANG_FENCE();
        b = _mm512_set1_ps(*(k1 + d));
        acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
        ATTNI_CLANG_FENCE();
        b = _mm512_set1_ps(*(k2 + d));
        acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
        ATTNI_CLANG_FENCE();
        b = _mm512_set1_ps(*(k3 + d));
        acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
        ATTNI_CLANG_FENCE();
        b = _mm512_set1_ps(*(k4 + d));
        acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
        ATTNI_CLANG_FENCE();
        b = _mm512_set1_ps(*(k5 + d));
        acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
        ATTNI_CLANG_FENCE();
        b = _mm512_set1_ps(*(k6 + d));
        acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
        ATTNI_CLANG_FENCE();
        b = _mm512_set1_ps(*(k7 + d));
        acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
        ATTNI_CLANG_FENCE();

      }
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

#endif /* ATTNI_HAVE_AVX512 */
