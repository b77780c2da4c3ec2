/* avx2, f32, head size any. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by up to 128 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t size = t->head_size;
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
    for (d = 0; d < size; ++d, q += 24) {
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
    for (d = 0; d < size; ++d, q += 24) {
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
    for (d = 0; d < size; ++d, q += 24) {
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

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row]. The innermost loop runs over keys: a
 * literal head size would gain nothing.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_any(const attni_tile *t) {
  const int32_t size = t->head_size_v, begin = t->key_begin;
  const int32_t end0 = attni_max_i32(begin, t->key_end[0]), keys0 = end0 - begin;
  const int32_t end1 = attni_max_i32(end0, t->key_end[1]), keys1 = end1 - end0;
  const int32_t end2 = attni_max_i32(end1, t->key_end[2]), keys2 = end2 - end1;
  const int64_t stride = t->kv.v_stride;
  const float *const value = (const float *)t->kv.v + begin * stride;
  const float *const weights = t->st + (size_t)begin * 24;
  const int64_t asks = attni_ceil_div(size, 4);
  const int64_t ahead_step = attni_ceil_div(attni_left_ahead(t), attni_max(1, asks));
  attni_ahead *ahead = attni_next_ahead(t, t->ahead);
  int32_t f;
  for (f = 0; f + 4 <= size; f += 4) {
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = weights;
    const float *vk = value + f;
    int32_t key;
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
    for (key = keys0; key > 0; --key, p += 24, vk += stride) {
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
    for (key = keys1; key > 0; --key, p += 24, vk += stride) {
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
    for (key = keys2; key > 0; --key, p += 24, vk += stride) {
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
  for (; f < size; f += 4) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t f1 = attni_min_i32(1, size - 1 - f);
    const int32_t f2 = attni_min_i32(2, size - 1 - f);
    const int32_t f3 = attni_min_i32(3, size - 1 - f);
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = weights;
    const float *vk = value + f;
    int32_t key;
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
    for (key = keys0; key > 0; --key, p += 24, vk += stride) {
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
      b = _mm256_broadcast_ss(vk + f1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + f2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + f3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);

    }
    for (key = keys1; key > 0; --key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + f1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + f2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + f3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);

    }
    for (key = keys2; key > 0; --key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + f1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + f2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + f3);
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

/* 4 rows by 2 keys: 8 accumulators, 4 of qt, 1 of k. Of fewer rows the last is repeated. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef float element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 8 * 8;
  const int32_t rest = t->head_size - whole;
  const size_t floats = attni_avx2_decode_row_floats(t->head_size);
  const float *const q0 = t->qt + (size_t)(row) * floats;
  const float *const q1 = t->qt + (size_t)(row + attni_min_i32(1, count - 1)) * floats;
  const float *const q2 = t->qt + (size_t)(row + attni_min_i32(2, count - 1)) * floats;
  const float *const q3 = t->qt + (size_t)(row + attni_min_i32(3, count - 1)) * floats;
  float *const st0 = t->st + (size_t)(row) * 264;
  float *const st1 = t->st + (size_t)(row + attni_min_i32(1, count - 1)) * 264;
  float *const st2 = t->st + (size_t)(row + attni_min_i32(2, count - 1)) * 264;
  float *const st3 = t->st + (size_t)(row + attni_min_i32(3, count - 1)) * 264;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const size_t bytes = (size_t)t->head_size * sizeof(element);
  attni_ahead *ahead = t->ahead;
  int32_t key;
  for (key = begin; key < end; key += 2) {
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k0_q3 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q3 = _mm256_setzero_ps();
    float sums[8];
    {
      const element *const k0 = k + key * stride;
      const element *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const uintptr_t next = (uintptr_t)k0 + 2 * step;
      uintptr_t soon = next;
      int32_t d = 0;
      if (row == t->row0) ahead = attni_take_ahead(t, ahead, 2, next, step, bytes, &soon);
      while (d < whole) {
        const uintptr_t at = (uintptr_t)d * sizeof(element);
        const int32_t stop = attni_min_i32(d + 16, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        for (; d < stop; d += 8) {
          const __m256 q0_d = _mm256_load_ps(q0 + d);
          const __m256 q1_d = _mm256_load_ps(q1 + d);
          const __m256 q2_d = _mm256_load_ps(q2 + d);
          const __m256 q3_d = _mm256_load_ps(q3 + d);
          __m256 k_d;
          k_d = _mm256_loadu_ps(k0 + d);
          acc_k0_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k0_q0);
          acc_k0_q1 = _mm256_fmadd_ps(k_d, q1_d, acc_k0_q1);
          acc_k0_q2 = _mm256_fmadd_ps(k_d, q2_d, acc_k0_q2);
          acc_k0_q3 = _mm256_fmadd_ps(k_d, q3_d, acc_k0_q3);
          k_d = _mm256_loadu_ps(k1 + d);
          acc_k1_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k1_q0);
          acc_k1_q1 = _mm256_fmadd_ps(k_d, q1_d, acc_k1_q1);
          acc_k1_q2 = _mm256_fmadd_ps(k_d, q2_d, acc_k1_q2);
          acc_k1_q3 = _mm256_fmadd_ps(k_d, q3_d, acc_k1_q3);
        }
      }
      if (rest > 0) {
        const __m256 q0_d = _mm256_load_ps(q0 + d);
        const __m256 q1_d = _mm256_load_ps(q1 + d);
        const __m256 q2_d = _mm256_load_ps(q2 + d);
        const __m256 q3_d = _mm256_load_ps(q3 + d);
        __m256 k_d;
        k_d = _mm256_maskload_ps(k0 + d, attni_avx2_first(rest));
        acc_k0_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k0_q0);
        acc_k0_q1 = _mm256_fmadd_ps(k_d, q1_d, acc_k0_q1);
        acc_k0_q2 = _mm256_fmadd_ps(k_d, q2_d, acc_k0_q2);
        acc_k0_q3 = _mm256_fmadd_ps(k_d, q3_d, acc_k0_q3);
        k_d = _mm256_maskload_ps(k1 + d, attni_avx2_first(rest));
        acc_k1_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k1_q0);
        acc_k1_q1 = _mm256_fmadd_ps(k_d, q1_d, acc_k1_q1);
        acc_k1_q2 = _mm256_fmadd_ps(k_d, q2_d, acc_k1_q2);
        acc_k1_q3 = _mm256_fmadd_ps(k_d, q3_d, acc_k1_q3);
      }
    }
    {
      const __m256 sum_32_4_0 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k0_q0, acc_k1_q0), _mm256_unpackhi_ps(acc_k0_q0, acc_k1_q0));
      const __m256 sum_32_4_1 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k0_q1, acc_k1_q1), _mm256_unpackhi_ps(acc_k0_q1, acc_k1_q1));
      const __m256 sum_32_4_2 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k0_q2, acc_k1_q2), _mm256_unpackhi_ps(acc_k0_q2, acc_k1_q2));
      const __m256 sum_32_4_3 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k0_q3, acc_k1_q3), _mm256_unpackhi_ps(acc_k0_q3, acc_k1_q3));
      const __m256 sum_64_2_0 = _mm256_add_ps(_mm256_shuffle_ps(sum_32_4_0, sum_32_4_1, 0x44), _mm256_shuffle_ps(sum_32_4_0, sum_32_4_1, 0xee));
      const __m256 sum_64_2_1 = _mm256_add_ps(_mm256_shuffle_ps(sum_32_4_2, sum_32_4_3, 0x44), _mm256_shuffle_ps(sum_32_4_2, sum_32_4_3, 0xee));
      const __m256 sum_128_1_0 = _mm256_add_ps(_mm256_permute2f128_ps(sum_64_2_0, sum_64_2_1, 0x20), _mm256_permute2f128_ps(sum_64_2_0, sum_64_2_1, 0x31));
      _mm256_storeu_ps(sums, sum_128_1_0);
    }
    memcpy(st0 + key, sums, 2 * sizeof(float));
    memcpy(st1 + key, sums + 2, 2 * sizeof(float));
    memcpy(st2 + key, sums + 4, 2 * sizeof(float));
    memcpy(st3 + key, sums + 6, 2 * sizeof(float));
  }
}

/* 1 row by 8 keys: 8 accumulators, 1 of qt, 1 of k */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_any_r1(const attni_tile *t, int32_t row) {
  typedef float element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 8 * 8;
  const int32_t rest = t->head_size - whole;
  const size_t floats = attni_avx2_decode_row_floats(t->head_size);
  const float *const q0 = t->qt + (size_t)(row) * floats;
  float *const st0 = t->st + (size_t)(row) * 264;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const size_t bytes = (size_t)t->head_size * sizeof(element);
  attni_ahead *ahead = t->ahead;
  int32_t key;
  for (key = begin; key < end; key += 8) {
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    float sums[8];
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
        const int32_t stop = attni_min_i32(d + 16, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        ATTNI_PREFETCH_L2(soon + at + 2 * step);
        ATTNI_PREFETCH(next + at + 2 * step);
        ATTNI_PREFETCH_L2(soon + at + 3 * step);
        ATTNI_PREFETCH(next + at + 3 * step);
        for (; d < stop; d += 8) {
          const __m256 q0_d = _mm256_load_ps(q0 + d);
          __m256 k_d;
          k_d = _mm256_loadu_ps(k0 + d);
          acc_k0_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k0_q0);
          k_d = _mm256_loadu_ps(k1 + d);
          acc_k1_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k1_q0);
          k_d = _mm256_loadu_ps(k2 + d);
          acc_k2_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k2_q0);
          k_d = _mm256_loadu_ps(k3 + d);
          acc_k3_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k3_q0);
        }
      }
      if (rest > 0) {
        const __m256 q0_d = _mm256_load_ps(q0 + d);
        __m256 k_d;
        k_d = _mm256_maskload_ps(k0 + d, attni_avx2_first(rest));
        acc_k0_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k0_q0);
        k_d = _mm256_maskload_ps(k1 + d, attni_avx2_first(rest));
        acc_k1_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k1_q0);
        k_d = _mm256_maskload_ps(k2 + d, attni_avx2_first(rest));
        acc_k2_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k2_q0);
        k_d = _mm256_maskload_ps(k3 + d, attni_avx2_first(rest));
        acc_k3_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k3_q0);
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
        const int32_t stop = attni_min_i32(d + 16, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        ATTNI_PREFETCH_L2(soon + at + 1 * step);
        ATTNI_PREFETCH(next + at + 1 * step);
        ATTNI_PREFETCH_L2(soon + at + 2 * step);
        ATTNI_PREFETCH(next + at + 2 * step);
        ATTNI_PREFETCH_L2(soon + at + 3 * step);
        ATTNI_PREFETCH(next + at + 3 * step);
        for (; d < stop; d += 8) {
          const __m256 q0_d = _mm256_load_ps(q0 + d);
          __m256 k_d;
          k_d = _mm256_loadu_ps(k4 + d);
          acc_k4_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k4_q0);
          k_d = _mm256_loadu_ps(k5 + d);
          acc_k5_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k5_q0);
          k_d = _mm256_loadu_ps(k6 + d);
          acc_k6_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k6_q0);
          k_d = _mm256_loadu_ps(k7 + d);
          acc_k7_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k7_q0);
        }
      }
      if (rest > 0) {
        const __m256 q0_d = _mm256_load_ps(q0 + d);
        __m256 k_d;
        k_d = _mm256_maskload_ps(k4 + d, attni_avx2_first(rest));
        acc_k4_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k4_q0);
        k_d = _mm256_maskload_ps(k5 + d, attni_avx2_first(rest));
        acc_k5_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k5_q0);
        k_d = _mm256_maskload_ps(k6 + d, attni_avx2_first(rest));
        acc_k6_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k6_q0);
        k_d = _mm256_maskload_ps(k7 + d, attni_avx2_first(rest));
        acc_k7_q0 = _mm256_fmadd_ps(k_d, q0_d, acc_k7_q0);
      }
    }
    {
      const __m256 sum_32_4_0 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k0_q0, acc_k1_q0), _mm256_unpackhi_ps(acc_k0_q0, acc_k1_q0));
      const __m256 sum_32_4_1 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k2_q0, acc_k3_q0), _mm256_unpackhi_ps(acc_k2_q0, acc_k3_q0));
      const __m256 sum_32_4_2 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k4_q0, acc_k5_q0), _mm256_unpackhi_ps(acc_k4_q0, acc_k5_q0));
      const __m256 sum_32_4_3 = _mm256_add_ps(_mm256_unpacklo_ps(acc_k6_q0, acc_k7_q0), _mm256_unpackhi_ps(acc_k6_q0, acc_k7_q0));
      const __m256 sum_64_2_0 = _mm256_add_ps(_mm256_shuffle_ps(sum_32_4_0, sum_32_4_1, 0x44), _mm256_shuffle_ps(sum_32_4_0, sum_32_4_1, 0xee));
      const __m256 sum_64_2_1 = _mm256_add_ps(_mm256_shuffle_ps(sum_32_4_2, sum_32_4_3, 0x44), _mm256_shuffle_ps(sum_32_4_2, sum_32_4_3, 0xee));
      const __m256 sum_128_1_0 = _mm256_add_ps(_mm256_permute2f128_ps(sum_64_2_0, sum_64_2_1, 0x20), _mm256_permute2f128_ps(sum_64_2_0, sum_64_2_1, 0x31));
      _mm256_storeu_ps(sums, sum_128_1_0);
    }
    memcpy(st0 + key, sums, 8 * sizeof(float));
  }
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, each score one accumulator, summed
 * over its lanes at the end of a step. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_avx2_decode_qk_f32_any_r4(t, row, rows);
    } else {
      attni_avx2_decode_qk_f32_any_r1(t, row);
    }
  }
  attni_avx2_decode_find_max(t);
}

/* 4 rows by up to 2 vectors of features: 8 accumulators, 2 of v, 1 of st */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef float element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_avx2_decode_row_floats(size);
  const float *const p0 = t->st + (size_t)(row) * 264;
  float *const ot0 = t->ot + (size_t)(row) * floats;
  const float *const p1 = t->st + (size_t)(row + attni_min_i32(1, count - 1)) * 264;
  float *const ot1 = t->ot + (size_t)(row + attni_min_i32(1, count - 1)) * floats;
  const float *const p2 = t->st + (size_t)(row + attni_min_i32(2, count - 1)) * 264;
  float *const ot2 = t->ot + (size_t)(row + attni_min_i32(2, count - 1)) * floats;
  const float *const p3 = t->st + (size_t)(row + attni_min_i32(3, count - 1)) * 264;
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
    for (; f + 16 <= size; f += 16) {
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      __m256 acc_q0_f1 = _mm256_setzero_ps();
      __m256 acc_q1_f0 = _mm256_setzero_ps();
      __m256 acc_q1_f1 = _mm256_setzero_ps();
      __m256 acc_q2_f0 = _mm256_setzero_ps();
      __m256 acc_q2_f1 = _mm256_setzero_ps();
      __m256 acc_q3_f0 = _mm256_setzero_ps();
      __m256 acc_q3_f1 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 16 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const __m256 v0 = _mm256_loadu_ps(vk);
        const __m256 v1 = _mm256_loadu_ps(vk + 8);
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(v0, w, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(v1, w, acc_q0_f1);
        w = _mm256_broadcast_ss(p1 + key);
        ATTNI_CLANG_FENCE();
        acc_q1_f0 = _mm256_fmadd_ps(v0, w, acc_q1_f0);
        acc_q1_f1 = _mm256_fmadd_ps(v1, w, acc_q1_f1);
        w = _mm256_broadcast_ss(p2 + key);
        ATTNI_CLANG_FENCE();
        acc_q2_f0 = _mm256_fmadd_ps(v0, w, acc_q2_f0);
        acc_q2_f1 = _mm256_fmadd_ps(v1, w, acc_q2_f1);
        w = _mm256_broadcast_ss(p3 + key);
        ATTNI_CLANG_FENCE();
        acc_q3_f0 = _mm256_fmadd_ps(v0, w, acc_q3_f0);
        acc_q3_f1 = _mm256_fmadd_ps(v1, w, acc_q3_f1);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 8), factor_q0, acc_q0_f1);
        const __m256 factor_q1 = _mm256_broadcast_ss(factor + attni_min_i32(1, count - 1));
        acc_q1_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot1 + f), factor_q1, acc_q1_f0);
        acc_q1_f1 = _mm256_fmadd_ps(_mm256_load_ps(ot1 + f + 8), factor_q1, acc_q1_f1);
        const __m256 factor_q2 = _mm256_broadcast_ss(factor + attni_min_i32(2, count - 1));
        acc_q2_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot2 + f), factor_q2, acc_q2_f0);
        acc_q2_f1 = _mm256_fmadd_ps(_mm256_load_ps(ot2 + f + 8), factor_q2, acc_q2_f1);
        const __m256 factor_q3 = _mm256_broadcast_ss(factor + attni_min_i32(3, count - 1));
        acc_q3_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot3 + f), factor_q3, acc_q3_f0);
        acc_q3_f1 = _mm256_fmadd_ps(_mm256_load_ps(ot3 + f + 8), factor_q3, acc_q3_f1);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
      _mm256_store_ps(ot0 + f + 8, acc_q0_f1);
      _mm256_store_ps(ot1 + f, acc_q1_f0);
      _mm256_store_ps(ot1 + f + 8, acc_q1_f1);
      _mm256_store_ps(ot2 + f, acc_q2_f0);
      _mm256_store_ps(ot2 + f + 8, acc_q2_f1);
      _mm256_store_ps(ot3 + f, acc_q3_f0);
      _mm256_store_ps(ot3 + f + 8, acc_q3_f1);
    }
    for (; f + 8 <= size; f += 8) {
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      __m256 acc_q1_f0 = _mm256_setzero_ps();
      __m256 acc_q2_f0 = _mm256_setzero_ps();
      __m256 acc_q3_f0 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 8 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const __m256 v0 = _mm256_loadu_ps(vk);
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(v0, w, acc_q0_f0);
        w = _mm256_broadcast_ss(p1 + key);
        ATTNI_CLANG_FENCE();
        acc_q1_f0 = _mm256_fmadd_ps(v0, w, acc_q1_f0);
        w = _mm256_broadcast_ss(p2 + key);
        ATTNI_CLANG_FENCE();
        acc_q2_f0 = _mm256_fmadd_ps(v0, w, acc_q2_f0);
        w = _mm256_broadcast_ss(p3 + key);
        ATTNI_CLANG_FENCE();
        acc_q3_f0 = _mm256_fmadd_ps(v0, w, acc_q3_f0);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        const __m256 factor_q1 = _mm256_broadcast_ss(factor + attni_min_i32(1, count - 1));
        acc_q1_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot1 + f), factor_q1, acc_q1_f0);
        const __m256 factor_q2 = _mm256_broadcast_ss(factor + attni_min_i32(2, count - 1));
        acc_q2_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot2 + f), factor_q2, acc_q2_f0);
        const __m256 factor_q3 = _mm256_broadcast_ss(factor + attni_min_i32(3, count - 1));
        acc_q3_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot3 + f), factor_q3, acc_q3_f0);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
      _mm256_store_ps(ot1 + f, acc_q1_f0);
      _mm256_store_ps(ot2 + f, acc_q2_f0);
      _mm256_store_ps(ot3 + f, acc_q3_f0);
    }
    if (f < size) {
      const int32_t rest = size - f;
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      __m256 acc_q1_f0 = _mm256_setzero_ps();
      __m256 acc_q2_f0 = _mm256_setzero_ps();
      __m256 acc_q3_f0 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 8 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const __m256 v0 = _mm256_maskload_ps(vk, attni_avx2_first(rest));
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(v0, w, acc_q0_f0);
        w = _mm256_broadcast_ss(p1 + key);
        ATTNI_CLANG_FENCE();
        acc_q1_f0 = _mm256_fmadd_ps(v0, w, acc_q1_f0);
        w = _mm256_broadcast_ss(p2 + key);
        ATTNI_CLANG_FENCE();
        acc_q2_f0 = _mm256_fmadd_ps(v0, w, acc_q2_f0);
        w = _mm256_broadcast_ss(p3 + key);
        ATTNI_CLANG_FENCE();
        acc_q3_f0 = _mm256_fmadd_ps(v0, w, acc_q3_f0);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        const __m256 factor_q1 = _mm256_broadcast_ss(factor + attni_min_i32(1, count - 1));
        acc_q1_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot1 + f), factor_q1, acc_q1_f0);
        const __m256 factor_q2 = _mm256_broadcast_ss(factor + attni_min_i32(2, count - 1));
        acc_q2_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot2 + f), factor_q2, acc_q2_f0);
        const __m256 factor_q3 = _mm256_broadcast_ss(factor + attni_min_i32(3, count - 1));
        acc_q3_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot3 + f), factor_q3, acc_q3_f0);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
      _mm256_store_ps(ot1 + f, acc_q1_f0);
      _mm256_store_ps(ot2 + f, acc_q2_f0);
      _mm256_store_ps(ot3 + f, acc_q3_f0);
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* 1 row by up to 8 vectors of features: 8 accumulators, 1 of v, 1 of st */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_any_r1(const attni_tile *t, int32_t row) {
  typedef float element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_avx2_decode_row_floats(size);
  const float *const p0 = t->st + (size_t)(row) * 264;
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
    for (; f + 64 <= size; f += 64) {
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      __m256 acc_q0_f1 = _mm256_setzero_ps();
      __m256 acc_q0_f2 = _mm256_setzero_ps();
      __m256 acc_q0_f3 = _mm256_setzero_ps();
      __m256 acc_q0_f4 = _mm256_setzero_ps();
      __m256 acc_q0_f5 = _mm256_setzero_ps();
      __m256 acc_q0_f6 = _mm256_setzero_ps();
      __m256 acc_q0_f7 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 64 * sizeof(element) : step;
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
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk), w, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc_q0_f1);
        acc_q0_f2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc_q0_f2);
        acc_q0_f3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc_q0_f3);
        acc_q0_f4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc_q0_f4);
        acc_q0_f5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc_q0_f5);
        acc_q0_f6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc_q0_f6);
        acc_q0_f7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc_q0_f7);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 8), factor_q0, acc_q0_f1);
        acc_q0_f2 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 16), factor_q0, acc_q0_f2);
        acc_q0_f3 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 24), factor_q0, acc_q0_f3);
        acc_q0_f4 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 32), factor_q0, acc_q0_f4);
        acc_q0_f5 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 40), factor_q0, acc_q0_f5);
        acc_q0_f6 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 48), factor_q0, acc_q0_f6);
        acc_q0_f7 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 56), factor_q0, acc_q0_f7);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
      _mm256_store_ps(ot0 + f + 8, acc_q0_f1);
      _mm256_store_ps(ot0 + f + 16, acc_q0_f2);
      _mm256_store_ps(ot0 + f + 24, acc_q0_f3);
      _mm256_store_ps(ot0 + f + 32, acc_q0_f4);
      _mm256_store_ps(ot0 + f + 40, acc_q0_f5);
      _mm256_store_ps(ot0 + f + 48, acc_q0_f6);
      _mm256_store_ps(ot0 + f + 56, acc_q0_f7);
    }
    for (; f + 32 <= size; f += 32) {
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      __m256 acc_q0_f1 = _mm256_setzero_ps();
      __m256 acc_q0_f2 = _mm256_setzero_ps();
      __m256 acc_q0_f3 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 32 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        ATTNI_PREFETCH_L2(at + 64);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step + 64);
        at += at_step;
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk), w, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc_q0_f1);
        acc_q0_f2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc_q0_f2);
        acc_q0_f3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc_q0_f3);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 8), factor_q0, acc_q0_f1);
        acc_q0_f2 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 16), factor_q0, acc_q0_f2);
        acc_q0_f3 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 24), factor_q0, acc_q0_f3);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
      _mm256_store_ps(ot0 + f + 8, acc_q0_f1);
      _mm256_store_ps(ot0 + f + 16, acc_q0_f2);
      _mm256_store_ps(ot0 + f + 24, acc_q0_f3);
    }
    for (; f + 16 <= size; f += 16) {
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      __m256 acc_q0_f1 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 16 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk), w, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc_q0_f1);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f + 8), factor_q0, acc_q0_f1);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
      _mm256_store_ps(ot0 + f + 8, acc_q0_f1);
    }
    for (; f + 8 <= size; f += 8) {
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 8 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk), w, acc_q0_f0);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
    }
    if (f < size) {
      const int32_t rest = size - f;
      __m256 acc_q0_f0 = _mm256_setzero_ps();
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 8 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        __m256 w;
        w = _mm256_broadcast_ss(p0 + key);
        ATTNI_CLANG_FENCE();
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_maskload_ps(vk, attni_avx2_first(rest)), w, acc_q0_f0);
      }
      if (!t->first || !start) {
        const __m256 factor_q0 = _mm256_broadcast_ss(factor);
        acc_q0_f0 = _mm256_fmadd_ps(_mm256_load_ps(ot0 + f), factor_q0, acc_q0_f0);
      }
      _mm256_store_ps(ot0 + f, acc_q0_f0);
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, 64 keys a chain. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_avx2_decode_pv_f32_any_r4(t, row, rows);
    } else {
      attni_avx2_decode_pv_f32_any_r1(t, row);
    }
  }
}

#endif /* ATTNI_HAVE_AVX2 */
