/* neon, f32, head size 80. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 80. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
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
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 80.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 80; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const float32x4_t factor = vld1q_f32(t->factor + 0);
        acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor);
        acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor);
        acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor);
        acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor);
        acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor);
        acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor);
        acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor);
        acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor);
      }
      vst1q_f32(ot + 0, acc_f0_q0);
      vst1q_f32(ot + 12, acc_f1_q0);
      vst1q_f32(ot + 24, acc_f2_q0);
      vst1q_f32(ot + 36, acc_f3_q0);
      vst1q_f32(ot + 48, acc_f4_q0);
      vst1q_f32(ot + 60, acc_f5_q0);
      vst1q_f32(ot + 72, acc_f6_q0);
      vst1q_f32(ot + 84, acc_f7_q0);
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const float32x4_t factor = vld1q_f32(t->factor + 4);
        acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor);
        acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor);
        acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor);
        acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor);
        acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor);
        acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor);
        acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor);
        acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor);
      }
      vst1q_f32(ot + 4, acc_f0_q1);
      vst1q_f32(ot + 16, acc_f1_q1);
      vst1q_f32(ot + 28, acc_f2_q1);
      vst1q_f32(ot + 40, acc_f3_q1);
      vst1q_f32(ot + 52, acc_f4_q1);
      vst1q_f32(ot + 64, acc_f5_q1);
      vst1q_f32(ot + 76, acc_f6_q1);
      vst1q_f32(ot + 88, acc_f7_q1);
    }
    {
      if (!t->first) {
        const float32x4_t factor = vld1q_f32(t->factor + 8);
        acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor);
        acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor);
        acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor);
        acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor);
        acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor);
        acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor);
        acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor);
        acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor);
      }
      vst1q_f32(ot + 8, acc_f0_q2);
      vst1q_f32(ot + 20, acc_f1_q2);
      vst1q_f32(ot + 32, acc_f2_q2);
      vst1q_f32(ot + 44, acc_f3_q2);
      vst1q_f32(ot + 56, acc_f4_q2);
      vst1q_f32(ot + 68, acc_f5_q2);
      vst1q_f32(ot + 80, acc_f6_q2);
      vst1q_f32(ot + 92, acc_f7_q2);
    }
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 80. */
static void attni_neon_decode_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 80;
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
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 80; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 80. */
static void attni_neon_decode_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 80;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 80; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
    for (; f + 16 <= 80; f += 16) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
}
  }
}

#endif /* ATTNI_HAVE_NEON */
