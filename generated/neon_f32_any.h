/* neon, f32, head size any. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by up to 96 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t size = t->head_size;
  const int64_t asks = attni_ceil_div(t->kv.keys, 8);
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
    for (d = 0; d < size; ++d, q += 12) {
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
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const float *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const float *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const float *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const float *const k7 = k6 + (key + 7 <= last ? stride : 0);
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
    for (d = 0; d < size; ++d, q += 12) {
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
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
    const float *const k4 = k3 + (key + 4 <= last ? stride : 0);
    const float *const k5 = k4 + (key + 5 <= last ? stride : 0);
    const float *const k6 = k5 + (key + 6 <= last ? stride : 0);
    const float *const k7 = k6 + (key + 7 <= last ? stride : 0);
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
    for (d = 0; d < size; ++d, q += 12) {
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

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row]. The innermost loop runs over keys: a
 * literal head size would gain nothing.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_any(const attni_tile *t) {
  const int32_t size = t->head_size_v, begin = t->key_begin;
  const int32_t end0 = attni_max_i32(begin, t->key_end[0]), keys0 = end0 - begin;
  const int32_t end1 = attni_max_i32(end0, t->key_end[1]), keys1 = end1 - end0;
  const int32_t end2 = attni_max_i32(end1, t->key_end[2]), keys2 = end2 - end1;
  const int64_t stride = t->kv.v_stride;
  const float *const value = (const float *)t->kv.v + begin * stride;
  const float *const weights = t->st + (size_t)begin * 12;
  const int64_t asks = attni_ceil_div(size, 8);
  const int64_t ahead_step = attni_ceil_div(attni_left_ahead(t), attni_max(1, asks));
  attni_ahead *ahead = attni_next_ahead(t, t->ahead);
  int32_t f;
  for (f = 0; f + 8 <= size; f += 8) {
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = weights;
    const float *vk = value + f;
    int32_t key;
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
    for (key = keys0; key > 0; --key, p += 12, vk += stride) {
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
    for (key = keys1; key > 0; --key, p += 12, vk += stride) {
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
    for (key = keys2; key > 0; --key, p += 12, vk += stride) {
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
  for (; f < size; f += 4) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t f1 = attni_min_i32(1, size - 1 - f);
    const int32_t f2 = attni_min_i32(2, size - 1 - f);
    const int32_t f3 = attni_min_i32(3, size - 1 - f);
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = weights;
    const float *vk = value + f;
    int32_t key;
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
    for (key = keys0; key > 0; --key, p += 12, vk += stride) {
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
      b = vld1q_dup_f32(vk + f1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + f2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + f3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);

    }
    for (key = keys1; key > 0; --key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + f1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + f2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + f3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);

    }
    for (key = keys2; key > 0; --key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();

    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const float32x4_t factor = vld1q_f32(t->factor + 0);
        acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor);
        acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor);
        acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor);
        acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor);
      }
      vst1q_f32(ot + 0, acc_f0_q0);
      vst1q_f32(ot + 12, acc_f1_q0);
      vst1q_f32(ot + 24, acc_f2_q0);
      vst1q_f32(ot + 36, acc_f3_q0);
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const float32x4_t factor = vld1q_f32(t->factor + 4);
        acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor);
        acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor);
        acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor);
        acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor);
      }
      vst1q_f32(ot + 4, acc_f0_q1);
      vst1q_f32(ot + 16, acc_f1_q1);
      vst1q_f32(ot + 28, acc_f2_q1);
      vst1q_f32(ot + 40, acc_f3_q1);
    }
    {
      if (!t->first) {
        const float32x4_t factor = vld1q_f32(t->factor + 8);
        acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor);
        acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor);
        acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor);
        acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor);
      }
      vst1q_f32(ot + 8, acc_f0_q2);
      vst1q_f32(ot + 20, acc_f1_q2);
      vst1q_f32(ot + 32, acc_f2_q2);
      vst1q_f32(ot + 44, acc_f3_q2);
    }
}
}

/* 4 rows by 2 keys: 8 accumulators, 4 of qt, 1 of k. Of fewer rows the last is repeated. */
static void attni_neon_decode_qk_f32_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef float element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 4 * 4;
  const int32_t rest = t->head_size - whole;
  const size_t floats = attni_neon_decode_row_floats(t->head_size);
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
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q3 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q3 = vdupq_n_f32(0.0f);
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
        for (; d < stop; d += 4) {
          const float32x4_t q0_d = vld1q_f32(q0 + d);
          const float32x4_t q1_d = vld1q_f32(q1 + d);
          const float32x4_t q2_d = vld1q_f32(q2 + d);
          const float32x4_t q3_d = vld1q_f32(q3 + d);
          float32x4_t k_d;
          k_d = vld1q_f32(k0 + d);
          acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
          acc_k0_q1 = vfmaq_f32(acc_k0_q1, k_d, q1_d);
          acc_k0_q2 = vfmaq_f32(acc_k0_q2, k_d, q2_d);
          acc_k0_q3 = vfmaq_f32(acc_k0_q3, k_d, q3_d);
          k_d = vld1q_f32(k1 + d);
          acc_k1_q0 = vfmaq_f32(acc_k1_q0, k_d, q0_d);
          acc_k1_q1 = vfmaq_f32(acc_k1_q1, k_d, q1_d);
          acc_k1_q2 = vfmaq_f32(acc_k1_q2, k_d, q2_d);
          acc_k1_q3 = vfmaq_f32(acc_k1_q3, k_d, q3_d);
        }
      }
      if (rest > 0) {
        const float32x4_t q0_d = vld1q_f32(q0 + d);
        const float32x4_t q1_d = vld1q_f32(q1 + d);
        const float32x4_t q2_d = vld1q_f32(q2 + d);
        const float32x4_t q3_d = vld1q_f32(q3 + d);
        float32x4_t k_d;
        k_d = attni_neon_load_part(k0 + d, rest);
        acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
        acc_k0_q1 = vfmaq_f32(acc_k0_q1, k_d, q1_d);
        acc_k0_q2 = vfmaq_f32(acc_k0_q2, k_d, q2_d);
        acc_k0_q3 = vfmaq_f32(acc_k0_q3, k_d, q3_d);
        k_d = attni_neon_load_part(k1 + d, rest);
        acc_k1_q0 = vfmaq_f32(acc_k1_q0, k_d, q0_d);
        acc_k1_q1 = vfmaq_f32(acc_k1_q1, k_d, q1_d);
        acc_k1_q2 = vfmaq_f32(acc_k1_q2, k_d, q2_d);
        acc_k1_q3 = vfmaq_f32(acc_k1_q3, k_d, q3_d);
      }
    }
    {
      const float32x4_t sum_32_2_0 = vaddq_f32(vzip1q_f32(acc_k0_q0, acc_k1_q0), vzip2q_f32(acc_k0_q0, acc_k1_q0));
      const float32x4_t sum_32_2_1 = vaddq_f32(vzip1q_f32(acc_k0_q1, acc_k1_q1), vzip2q_f32(acc_k0_q1, acc_k1_q1));
      const float32x4_t sum_64_1_0 = vaddq_f32(vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))), vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))));
      vst1q_f32(sums, sum_64_1_0);
    }
    {
      const float32x4_t sum_32_2_0 = vaddq_f32(vzip1q_f32(acc_k0_q2, acc_k1_q2), vzip2q_f32(acc_k0_q2, acc_k1_q2));
      const float32x4_t sum_32_2_1 = vaddq_f32(vzip1q_f32(acc_k0_q3, acc_k1_q3), vzip2q_f32(acc_k0_q3, acc_k1_q3));
      const float32x4_t sum_64_1_0 = vaddq_f32(vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))), vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))));
      vst1q_f32(sums + 4, sum_64_1_0);
    }
    memcpy(st0 + key, sums, 2 * sizeof(float));
    memcpy(st1 + key, sums + 2, 2 * sizeof(float));
    memcpy(st2 + key, sums + 4, 2 * sizeof(float));
    memcpy(st3 + key, sums + 6, 2 * sizeof(float));
  }
}

/* 1 row by 8 keys: 8 accumulators, 1 of qt, 1 of k */
static void attni_neon_decode_qk_f32_any_r1(const attni_tile *t, int32_t row) {
  typedef float element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 4 * 4;
  const int32_t rest = t->head_size - whole;
  const size_t floats = attni_neon_decode_row_floats(t->head_size);
  const float *const q0 = t->qt + (size_t)(row) * floats;
  float *const st0 = t->st + (size_t)(row) * 264;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const size_t bytes = (size_t)t->head_size * sizeof(element);
  attni_ahead *ahead = t->ahead;
  int32_t key;
  for (key = begin; key < end; key += 8) {
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
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
        for (; d < stop; d += 4) {
          const float32x4_t q0_d = vld1q_f32(q0 + d);
          float32x4_t k_d;
          k_d = vld1q_f32(k0 + d);
          acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
          k_d = vld1q_f32(k1 + d);
          acc_k1_q0 = vfmaq_f32(acc_k1_q0, k_d, q0_d);
          k_d = vld1q_f32(k2 + d);
          acc_k2_q0 = vfmaq_f32(acc_k2_q0, k_d, q0_d);
          k_d = vld1q_f32(k3 + d);
          acc_k3_q0 = vfmaq_f32(acc_k3_q0, k_d, q0_d);
        }
      }
      if (rest > 0) {
        const float32x4_t q0_d = vld1q_f32(q0 + d);
        float32x4_t k_d;
        k_d = attni_neon_load_part(k0 + d, rest);
        acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
        k_d = attni_neon_load_part(k1 + d, rest);
        acc_k1_q0 = vfmaq_f32(acc_k1_q0, k_d, q0_d);
        k_d = attni_neon_load_part(k2 + d, rest);
        acc_k2_q0 = vfmaq_f32(acc_k2_q0, k_d, q0_d);
        k_d = attni_neon_load_part(k3 + d, rest);
        acc_k3_q0 = vfmaq_f32(acc_k3_q0, k_d, q0_d);
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
        for (; d < stop; d += 4) {
          const float32x4_t q0_d = vld1q_f32(q0 + d);
          float32x4_t k_d;
          k_d = vld1q_f32(k4 + d);
          acc_k4_q0 = vfmaq_f32(acc_k4_q0, k_d, q0_d);
          k_d = vld1q_f32(k5 + d);
          acc_k5_q0 = vfmaq_f32(acc_k5_q0, k_d, q0_d);
          k_d = vld1q_f32(k6 + d);
          acc_k6_q0 = vfmaq_f32(acc_k6_q0, k_d, q0_d);
          k_d = vld1q_f32(k7 + d);
          acc_k7_q0 = vfmaq_f32(acc_k7_q0, k_d, q0_d);
        }
      }
      if (rest > 0) {
        const float32x4_t q0_d = vld1q_f32(q0 + d);
        float32x4_t k_d;
        k_d = attni_neon_load_part(k4 + d, rest);
        acc_k4_q0 = vfmaq_f32(acc_k4_q0, k_d, q0_d);
        k_d = attni_neon_load_part(k5 + d, rest);
        acc_k5_q0 = vfmaq_f32(acc_k5_q0, k_d, q0_d);
        k_d = attni_neon_load_part(k6 + d, rest);
        acc_k6_q0 = vfmaq_f32(acc_k6_q0, k_d, q0_d);
        k_d = attni_neon_load_part(k7 + d, rest);
        acc_k7_q0 = vfmaq_f32(acc_k7_q0, k_d, q0_d);
      }
    }
    {
      const float32x4_t sum_32_2_0 = vaddq_f32(vzip1q_f32(acc_k0_q0, acc_k1_q0), vzip2q_f32(acc_k0_q0, acc_k1_q0));
      const float32x4_t sum_32_2_1 = vaddq_f32(vzip1q_f32(acc_k2_q0, acc_k3_q0), vzip2q_f32(acc_k2_q0, acc_k3_q0));
      const float32x4_t sum_64_1_0 = vaddq_f32(vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))), vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))));
      vst1q_f32(sums, sum_64_1_0);
    }
    {
      const float32x4_t sum_32_2_0 = vaddq_f32(vzip1q_f32(acc_k4_q0, acc_k5_q0), vzip2q_f32(acc_k4_q0, acc_k5_q0));
      const float32x4_t sum_32_2_1 = vaddq_f32(vzip1q_f32(acc_k6_q0, acc_k7_q0), vzip2q_f32(acc_k6_q0, acc_k7_q0));
      const float32x4_t sum_64_1_0 = vaddq_f32(vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))), vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(sum_32_2_0), vreinterpretq_f64_f32(sum_32_2_1))));
      vst1q_f32(sums + 4, sum_64_1_0);
    }
    memcpy(st0 + key, sums, 8 * sizeof(float));
  }
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, each score one accumulator, summed
 * over its lanes at the end of a step. */
static void attni_neon_decode_qk_f32_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_neon_decode_qk_f32_any_r4(t, row, rows);
    } else {
      attni_neon_decode_qk_f32_any_r1(t, row);
    }
  }
  attni_neon_decode_find_max(t);
}

/* 4 rows by up to 2 vectors of features: 8 accumulators, 2 of v, 1 of st */
static void attni_neon_decode_pv_f32_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef float element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_neon_decode_row_floats(size);
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
    for (; f + 8 <= size; f += 8) {
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f1 = vdupq_n_f32(0.0f);
      float32x4_t acc_q1_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q1_f1 = vdupq_n_f32(0.0f);
      float32x4_t acc_q2_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q2_f1 = vdupq_n_f32(0.0f);
      float32x4_t acc_q3_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q3_f1 = vdupq_n_f32(0.0f);
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 8 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const float32x4_t v0 = vld1q_f32(vk);
        const float32x4_t v1 = vld1q_f32(vk + 4);
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, v0, w);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, v1, w);
        w = vld1q_dup_f32(p1 + key);
        ATTNI_FENCE();
        acc_q1_f0 = vfmaq_f32(acc_q1_f0, v0, w);
        acc_q1_f1 = vfmaq_f32(acc_q1_f1, v1, w);
        w = vld1q_dup_f32(p2 + key);
        ATTNI_FENCE();
        acc_q2_f0 = vfmaq_f32(acc_q2_f0, v0, w);
        acc_q2_f1 = vfmaq_f32(acc_q2_f1, v1, w);
        w = vld1q_dup_f32(p3 + key);
        ATTNI_FENCE();
        acc_q3_f0 = vfmaq_f32(acc_q3_f0, v0, w);
        acc_q3_f1 = vfmaq_f32(acc_q3_f1, v1, w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vld1q_f32(ot0 + f + 4), factor_q0);
        const float32x4_t factor_q1 = vld1q_dup_f32(factor + attni_min_i32(1, count - 1));
        acc_q1_f0 = vfmaq_f32(acc_q1_f0, vld1q_f32(ot1 + f), factor_q1);
        acc_q1_f1 = vfmaq_f32(acc_q1_f1, vld1q_f32(ot1 + f + 4), factor_q1);
        const float32x4_t factor_q2 = vld1q_dup_f32(factor + attni_min_i32(2, count - 1));
        acc_q2_f0 = vfmaq_f32(acc_q2_f0, vld1q_f32(ot2 + f), factor_q2);
        acc_q2_f1 = vfmaq_f32(acc_q2_f1, vld1q_f32(ot2 + f + 4), factor_q2);
        const float32x4_t factor_q3 = vld1q_dup_f32(factor + attni_min_i32(3, count - 1));
        acc_q3_f0 = vfmaq_f32(acc_q3_f0, vld1q_f32(ot3 + f), factor_q3);
        acc_q3_f1 = vfmaq_f32(acc_q3_f1, vld1q_f32(ot3 + f + 4), factor_q3);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
      vst1q_f32(ot0 + f + 4, acc_q0_f1);
      vst1q_f32(ot1 + f, acc_q1_f0);
      vst1q_f32(ot1 + f + 4, acc_q1_f1);
      vst1q_f32(ot2 + f, acc_q2_f0);
      vst1q_f32(ot2 + f + 4, acc_q2_f1);
      vst1q_f32(ot3 + f, acc_q3_f0);
      vst1q_f32(ot3 + f + 4, acc_q3_f1);
    }
    for (; f + 4 <= size; f += 4) {
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q1_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q2_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q3_f0 = vdupq_n_f32(0.0f);
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 4 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const float32x4_t v0 = vld1q_f32(vk);
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, v0, w);
        w = vld1q_dup_f32(p1 + key);
        ATTNI_FENCE();
        acc_q1_f0 = vfmaq_f32(acc_q1_f0, v0, w);
        w = vld1q_dup_f32(p2 + key);
        ATTNI_FENCE();
        acc_q2_f0 = vfmaq_f32(acc_q2_f0, v0, w);
        w = vld1q_dup_f32(p3 + key);
        ATTNI_FENCE();
        acc_q3_f0 = vfmaq_f32(acc_q3_f0, v0, w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
        const float32x4_t factor_q1 = vld1q_dup_f32(factor + attni_min_i32(1, count - 1));
        acc_q1_f0 = vfmaq_f32(acc_q1_f0, vld1q_f32(ot1 + f), factor_q1);
        const float32x4_t factor_q2 = vld1q_dup_f32(factor + attni_min_i32(2, count - 1));
        acc_q2_f0 = vfmaq_f32(acc_q2_f0, vld1q_f32(ot2 + f), factor_q2);
        const float32x4_t factor_q3 = vld1q_dup_f32(factor + attni_min_i32(3, count - 1));
        acc_q3_f0 = vfmaq_f32(acc_q3_f0, vld1q_f32(ot3 + f), factor_q3);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
      vst1q_f32(ot1 + f, acc_q1_f0);
      vst1q_f32(ot2 + f, acc_q2_f0);
      vst1q_f32(ot3 + f, acc_q3_f0);
    }
    if (f < size) {
      const int32_t rest = size - f;
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q1_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q2_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q3_f0 = vdupq_n_f32(0.0f);
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 4 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const float32x4_t v0 = attni_neon_load_part(vk, rest);
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, v0, w);
        w = vld1q_dup_f32(p1 + key);
        ATTNI_FENCE();
        acc_q1_f0 = vfmaq_f32(acc_q1_f0, v0, w);
        w = vld1q_dup_f32(p2 + key);
        ATTNI_FENCE();
        acc_q2_f0 = vfmaq_f32(acc_q2_f0, v0, w);
        w = vld1q_dup_f32(p3 + key);
        ATTNI_FENCE();
        acc_q3_f0 = vfmaq_f32(acc_q3_f0, v0, w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
        const float32x4_t factor_q1 = vld1q_dup_f32(factor + attni_min_i32(1, count - 1));
        acc_q1_f0 = vfmaq_f32(acc_q1_f0, vld1q_f32(ot1 + f), factor_q1);
        const float32x4_t factor_q2 = vld1q_dup_f32(factor + attni_min_i32(2, count - 1));
        acc_q2_f0 = vfmaq_f32(acc_q2_f0, vld1q_f32(ot2 + f), factor_q2);
        const float32x4_t factor_q3 = vld1q_dup_f32(factor + attni_min_i32(3, count - 1));
        acc_q3_f0 = vfmaq_f32(acc_q3_f0, vld1q_f32(ot3 + f), factor_q3);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
      vst1q_f32(ot1 + f, acc_q1_f0);
      vst1q_f32(ot2 + f, acc_q2_f0);
      vst1q_f32(ot3 + f, acc_q3_f0);
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* 1 row by up to 8 vectors of features: 8 accumulators, 1 of v, 1 of st */
static void attni_neon_decode_pv_f32_any_r1(const attni_tile *t, int32_t row) {
  typedef float element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_neon_decode_row_floats(size);
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
    for (; f + 32 <= size; f += 32) {
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f1 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f2 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f3 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f4 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f5 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f6 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f7 = vdupq_n_f32(0.0f);
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
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(vk), w);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vld1q_f32(vk + 4), w);
        acc_q0_f2 = vfmaq_f32(acc_q0_f2, vld1q_f32(vk + 8), w);
        acc_q0_f3 = vfmaq_f32(acc_q0_f3, vld1q_f32(vk + 12), w);
        acc_q0_f4 = vfmaq_f32(acc_q0_f4, vld1q_f32(vk + 16), w);
        acc_q0_f5 = vfmaq_f32(acc_q0_f5, vld1q_f32(vk + 20), w);
        acc_q0_f6 = vfmaq_f32(acc_q0_f6, vld1q_f32(vk + 24), w);
        acc_q0_f7 = vfmaq_f32(acc_q0_f7, vld1q_f32(vk + 28), w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vld1q_f32(ot0 + f + 4), factor_q0);
        acc_q0_f2 = vfmaq_f32(acc_q0_f2, vld1q_f32(ot0 + f + 8), factor_q0);
        acc_q0_f3 = vfmaq_f32(acc_q0_f3, vld1q_f32(ot0 + f + 12), factor_q0);
        acc_q0_f4 = vfmaq_f32(acc_q0_f4, vld1q_f32(ot0 + f + 16), factor_q0);
        acc_q0_f5 = vfmaq_f32(acc_q0_f5, vld1q_f32(ot0 + f + 20), factor_q0);
        acc_q0_f6 = vfmaq_f32(acc_q0_f6, vld1q_f32(ot0 + f + 24), factor_q0);
        acc_q0_f7 = vfmaq_f32(acc_q0_f7, vld1q_f32(ot0 + f + 28), factor_q0);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
      vst1q_f32(ot0 + f + 4, acc_q0_f1);
      vst1q_f32(ot0 + f + 8, acc_q0_f2);
      vst1q_f32(ot0 + f + 12, acc_q0_f3);
      vst1q_f32(ot0 + f + 16, acc_q0_f4);
      vst1q_f32(ot0 + f + 20, acc_q0_f5);
      vst1q_f32(ot0 + f + 24, acc_q0_f6);
      vst1q_f32(ot0 + f + 28, acc_q0_f7);
    }
    for (; f + 16 <= size; f += 16) {
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f1 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f2 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f3 = vdupq_n_f32(0.0f);
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 16 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(vk), w);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vld1q_f32(vk + 4), w);
        acc_q0_f2 = vfmaq_f32(acc_q0_f2, vld1q_f32(vk + 8), w);
        acc_q0_f3 = vfmaq_f32(acc_q0_f3, vld1q_f32(vk + 12), w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vld1q_f32(ot0 + f + 4), factor_q0);
        acc_q0_f2 = vfmaq_f32(acc_q0_f2, vld1q_f32(ot0 + f + 8), factor_q0);
        acc_q0_f3 = vfmaq_f32(acc_q0_f3, vld1q_f32(ot0 + f + 12), factor_q0);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
      vst1q_f32(ot0 + f + 4, acc_q0_f1);
      vst1q_f32(ot0 + f + 8, acc_q0_f2);
      vst1q_f32(ot0 + f + 12, acc_q0_f3);
    }
    for (; f + 8 <= size; f += 8) {
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      float32x4_t acc_q0_f1 = vdupq_n_f32(0.0f);
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 8 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(vk), w);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vld1q_f32(vk + 4), w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vld1q_f32(ot0 + f + 4), factor_q0);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
      vst1q_f32(ot0 + f + 4, acc_q0_f1);
    }
    for (; f + 4 <= size; f += 4) {
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 4 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(vk), w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
    }
    if (f < size) {
      const int32_t rest = size - f;
      float32x4_t acc_q0_f0 = vdupq_n_f32(0.0f);
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 4 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, attni_neon_load_part(vk, rest), w);
      }
      if (!t->first || !start) {
        const float32x4_t factor_q0 = vld1q_dup_f32(factor);
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vld1q_f32(ot0 + f), factor_q0);
      }
      vst1q_f32(ot0 + f, acc_q0_f0);
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, 64 keys a chain. */
static void attni_neon_decode_pv_f32_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_neon_decode_pv_f32_any_r4(t, row, rows);
    } else {
      attni_neon_decode_pv_f32_any_r1(t, row);
    }
  }
}

#endif /* ATTNI_HAVE_NEON */
