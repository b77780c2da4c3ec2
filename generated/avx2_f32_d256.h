/* avx2, f32, head size 256. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 256. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
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
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
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
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
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

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 256.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 256; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const __m256 factor = _mm256_load_ps(t->factor + 0);
        acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor, acc_f0_q0);
        acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor, acc_f1_q0);
        acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor, acc_f2_q0);
        acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor, acc_f3_q0);
      }
      _mm256_store_ps(ot + 0, acc_f0_q0);
      _mm256_store_ps(ot + 24, acc_f1_q0);
      _mm256_store_ps(ot + 48, acc_f2_q0);
      _mm256_store_ps(ot + 72, acc_f3_q0);
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const __m256 factor = _mm256_load_ps(t->factor + 8);
        acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor, acc_f0_q1);
        acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor, acc_f1_q1);
        acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor, acc_f2_q1);
        acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor, acc_f3_q1);
      }
      _mm256_store_ps(ot + 8, acc_f0_q1);
      _mm256_store_ps(ot + 32, acc_f1_q1);
      _mm256_store_ps(ot + 56, acc_f2_q1);
      _mm256_store_ps(ot + 80, acc_f3_q1);
    }
    {
      if (!t->first) {
        const __m256 factor = _mm256_load_ps(t->factor + 16);
        acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor, acc_f0_q2);
        acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor, acc_f1_q2);
        acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor, acc_f2_q2);
        acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor, acc_f3_q2);
      }
      _mm256_store_ps(ot + 16, acc_f0_q2);
      _mm256_store_ps(ot + 40, acc_f1_q2);
      _mm256_store_ps(ot + 64, acc_f2_q2);
      _mm256_store_ps(ot + 88, acc_f3_q2);
    }
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 256. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 256;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 256; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
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
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 256. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 256;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 256; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */
