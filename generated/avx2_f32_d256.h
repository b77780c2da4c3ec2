/* avx2, f32, head size 256. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by up to 128 keys, head size 256. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t asks = attni_ceil_div(t->kv.keys, 4);
  const int64_t ahead_step = attni_ceil_div(t->ahead_rows / 2, asks);
  attni_ahead *ahead = t->ahead;
  int32_t key = t->key_begin;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);

    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);

    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
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
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();

    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

#endif /* ATTNI_HAVE_AVX2 */
