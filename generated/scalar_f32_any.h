/* scalar, f32, head size any. Generated from gen/templates/products.h.j2. */

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 4 rows (4 vectors of 1)
 * by 64 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_scalar_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (2 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  const int32_t size = t->head_size;
  int32_t key = 0;
  /* 2 keys by 4 vectors: 8 accumulators, 4 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 2) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 4 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k0_q1 = 0.0f;
    float acc_k0_q2 = 0.0f;
    float acc_k0_q3 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k1_q1 = 0.0f;
    float acc_k1_q2 = 0.0f;
    float acc_k1_q3 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      const float q1 = *(q + 1);
      const float q2 = *(q + 2);
      const float q3 = *(q + 3);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      acc_k0_q1 = (b) * (q1) + (acc_k0_q1);
      acc_k0_q2 = (b) * (q2) + (acc_k0_q2);
      acc_k0_q3 = (b) * (q3) + (acc_k0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      acc_k1_q1 = (b) * (q1) + (acc_k1_q1);
      acc_k1_q2 = (b) * (q2) + (acc_k1_q2);
      acc_k1_q3 = (b) * (q3) + (acc_k1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 0);
    float max_q1 = *(t->row_max + 1);
    float max_q2 = *(t->row_max + 2);
    float max_q3 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 1) = acc_k0_q1;
    max_q1 = ((max_q1) > (acc_k0_q1) ? (max_q1) : (acc_k0_q1));
    *(st + 2) = acc_k0_q2;
    max_q2 = ((max_q2) > (acc_k0_q2) ? (max_q2) : (acc_k0_q2));
    *(st + 3) = acc_k0_q3;
    max_q3 = ((max_q3) > (acc_k0_q3) ? (max_q3) : (acc_k0_q3));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 5) = acc_k1_q1;
    max_q1 = ((max_q1) > (acc_k1_q1) ? (max_q1) : (acc_k1_q1));
    *(st + 6) = acc_k1_q2;
    max_q2 = ((max_q2) > (acc_k1_q2) ? (max_q2) : (acc_k1_q2));
    *(st + 7) = acc_k1_q3;
    max_q3 = ((max_q3) > (acc_k1_q3) ? (max_q3) : (acc_k1_q3));
    *(t->row_max + 0) = max_q0;
    *(t->row_max + 1) = max_q1;
    *(t->row_max + 2) = max_q2;
    *(t->row_max + 3) = max_q3;
  }
  /* 2 keys by 3 vectors: 6 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 2) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *q = t->qt + 1;
    float *const st = t->st + (size_t)key * 4 + 1;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k0_q1 = 0.0f;
    float acc_k0_q2 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k1_q1 = 0.0f;
    float acc_k1_q2 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      const float q1 = *(q + 1);
      const float q2 = *(q + 2);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      acc_k0_q1 = (b) * (q1) + (acc_k0_q1);
      acc_k0_q2 = (b) * (q2) + (acc_k0_q2);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      acc_k1_q1 = (b) * (q1) + (acc_k1_q1);
      acc_k1_q2 = (b) * (q2) + (acc_k1_q2);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 1);
    float max_q1 = *(t->row_max + 2);
    float max_q2 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 1) = acc_k0_q1;
    max_q1 = ((max_q1) > (acc_k0_q1) ? (max_q1) : (acc_k0_q1));
    *(st + 2) = acc_k0_q2;
    max_q2 = ((max_q2) > (acc_k0_q2) ? (max_q2) : (acc_k0_q2));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 5) = acc_k1_q1;
    max_q1 = ((max_q1) > (acc_k1_q1) ? (max_q1) : (acc_k1_q1));
    *(st + 6) = acc_k1_q2;
    max_q2 = ((max_q2) > (acc_k1_q2) ? (max_q2) : (acc_k1_q2));
    *(t->row_max + 1) = max_q0;
    *(t->row_max + 2) = max_q1;
    *(t->row_max + 3) = max_q2;
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 2;
    float *const st = t->st + (size_t)key * 4 + 2;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k0_q1 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k1_q1 = 0.0f;
    float acc_k2_q0 = 0.0f;
    float acc_k2_q1 = 0.0f;
    float acc_k3_q0 = 0.0f;
    float acc_k3_q1 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      const float q1 = *(q + 1);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      acc_k0_q1 = (b) * (q1) + (acc_k0_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      acc_k1_q1 = (b) * (q1) + (acc_k1_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k2 + d);
      acc_k2_q0 = (b) * (q0) + (acc_k2_q0);
      acc_k2_q1 = (b) * (q1) + (acc_k2_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k3 + d);
      acc_k3_q0 = (b) * (q0) + (acc_k3_q0);
      acc_k3_q1 = (b) * (q1) + (acc_k3_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 2);
    float max_q1 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 1) = acc_k0_q1;
    max_q1 = ((max_q1) > (acc_k0_q1) ? (max_q1) : (acc_k0_q1));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 5) = acc_k1_q1;
    max_q1 = ((max_q1) > (acc_k1_q1) ? (max_q1) : (acc_k1_q1));
    *(st + 8) = acc_k2_q0;
    max_q0 = ((max_q0) > (acc_k2_q0) ? (max_q0) : (acc_k2_q0));
    *(st + 9) = acc_k2_q1;
    max_q1 = ((max_q1) > (acc_k2_q1) ? (max_q1) : (acc_k2_q1));
    *(st + 12) = acc_k3_q0;
    max_q0 = ((max_q0) > (acc_k3_q0) ? (max_q0) : (acc_k3_q0));
    *(st + 13) = acc_k3_q1;
    max_q1 = ((max_q1) > (acc_k3_q1) ? (max_q1) : (acc_k3_q1));
    *(t->row_max + 2) = max_q0;
    *(t->row_max + 3) = max_q1;
  }
  /* 4 keys by 1 vectors: 4 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[3]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 3;
    float *const st = t->st + (size_t)key * 4 + 3;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k2_q0 = 0.0f;
    float acc_k3_q0 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      ATTNI_FENCE();
      b = *(k2 + d);
      acc_k2_q0 = (b) * (q0) + (acc_k2_q0);
      ATTNI_FENCE();
      b = *(k3 + d);
      acc_k3_q0 = (b) * (q0) + (acc_k3_q0);
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 8) = acc_k2_q0;
    max_q0 = ((max_q0) > (acc_k2_q0) ? (max_q0) : (acc_k2_q0));
    *(st + 12) = acc_k3_q0;
    max_q0 = ((max_q0) > (acc_k3_q0) ? (max_q0) : (acc_k3_q0));
    *(t->row_max + 3) = max_q0;
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size t->head_size_v.
 * 2 features by 4 vectors: 8 accumulators, 4 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_scalar_prefill_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  int32_t f;
  for (f = 0; f < size - 1; f += 2) {
    float *const ot = t->ot + (size_t)f * 4;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    const int32_t end3 = t->key_end[3];
    int32_t key = 0;
    float acc_f0_q0 = 0.0f;
    float acc_f0_q1 = 0.0f;
    float acc_f0_q2 = 0.0f;
    float acc_f0_q3 = 0.0f;
    float acc_f1_q0 = 0.0f;
    float acc_f1_q1 = 0.0f;
    float acc_f1_q2 = 0.0f;
    float acc_f1_q3 = 0.0f;
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 4, vk += stride) {
      const float p0 = *(p + 0);
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q0 = (b) * (p0) + (acc_f0_q0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q0 = (b) * (p0) + (acc_f1_q0);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 4, vk += stride) {
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 4, vk += stride) {
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    ATTNI_UNROLL(4)
    for (; key < end3; ++key, p += 4, vk += stride) {
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const float factor = *(t->factor + 0);
        acc_f0_q0 = (*(ot + 0)) * (factor) + (acc_f0_q0);
        acc_f1_q0 = (*(ot + 4)) * (factor) + (acc_f1_q0);
      }
      *(ot + 0) = acc_f0_q0;
      *(ot + 4) = acc_f1_q0;
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const float factor = *(t->factor + 1);
        acc_f0_q1 = (*(ot + 1)) * (factor) + (acc_f0_q1);
        acc_f1_q1 = (*(ot + 5)) * (factor) + (acc_f1_q1);
      }
      *(ot + 1) = acc_f0_q1;
      *(ot + 5) = acc_f1_q1;
    }
    if (t->group0 <= 2) {
      if (!t->first) {
        const float factor = *(t->factor + 2);
        acc_f0_q2 = (*(ot + 2)) * (factor) + (acc_f0_q2);
        acc_f1_q2 = (*(ot + 6)) * (factor) + (acc_f1_q2);
      }
      *(ot + 2) = acc_f0_q2;
      *(ot + 6) = acc_f1_q2;
    }
    {
      if (!t->first) {
        const float factor = *(t->factor + 3);
        acc_f0_q3 = (*(ot + 3)) * (factor) + (acc_f0_q3);
        acc_f1_q3 = (*(ot + 7)) * (factor) + (acc_f1_q3);
      }
      *(ot + 3) = acc_f0_q3;
      *(ot + 7) = acc_f1_q3;
    }
}
  if (f < size) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t last = size - 1 - f;
    const int32_t f1 = attni_min_i32(1, last);
    float *const ot = t->ot + (size_t)f * 4;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    const int32_t end3 = t->key_end[3];
    int32_t key = 0;
    float acc_f0_q0 = 0.0f;
    float acc_f0_q1 = 0.0f;
    float acc_f0_q2 = 0.0f;
    float acc_f0_q3 = 0.0f;
    float acc_f1_q0 = 0.0f;
    float acc_f1_q1 = 0.0f;
    float acc_f1_q2 = 0.0f;
    float acc_f1_q3 = 0.0f;
    for (; key < end0; ++key, p += 4, vk += stride) {
      const float p0 = *(p + 0);
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q0 = (b) * (p0) + (acc_f0_q0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q0 = (b) * (p0) + (acc_f1_q0);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    for (; key < end1; ++key, p += 4, vk += stride) {
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    for (; key < end2; ++key, p += 4, vk += stride) {
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    for (; key < end3; ++key, p += 4, vk += stride) {
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const float factor = *(t->factor + 0);
        acc_f0_q0 = (*(ot + 0)) * (factor) + (acc_f0_q0);
        acc_f1_q0 = (*(ot + 4)) * (factor) + (acc_f1_q0);
      }
      *(ot + 0) = acc_f0_q0;
      *(ot + 4) = acc_f1_q0;
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const float factor = *(t->factor + 1);
        acc_f0_q1 = (*(ot + 1)) * (factor) + (acc_f0_q1);
        acc_f1_q1 = (*(ot + 5)) * (factor) + (acc_f1_q1);
      }
      *(ot + 1) = acc_f0_q1;
      *(ot + 5) = acc_f1_q1;
    }
    if (t->group0 <= 2) {
      if (!t->first) {
        const float factor = *(t->factor + 2);
        acc_f0_q2 = (*(ot + 2)) * (factor) + (acc_f0_q2);
        acc_f1_q2 = (*(ot + 6)) * (factor) + (acc_f1_q2);
      }
      *(ot + 2) = acc_f0_q2;
      *(ot + 6) = acc_f1_q2;
    }
    {
      if (!t->first) {
        const float factor = *(t->factor + 3);
        acc_f0_q3 = (*(ot + 3)) * (factor) + (acc_f0_q3);
        acc_f1_q3 = (*(ot + 7)) * (factor) + (acc_f1_q3);
      }
      *(ot + 3) = acc_f0_q3;
      *(ot + 7) = acc_f1_q3;
    }
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 4 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size t->head_size. */
static void attni_scalar_decode_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 1 * 1;
  const int32_t row_floats = (t->head_size + 7) / 8 * 8;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * (size_t)row_floats;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 4) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      float acc_k0 = 0.0f;
      float acc_k1 = 0.0f;
      float acc_k2 = 0.0f;
      float acc_k3 = 0.0f;
      int32_t d;
      for (d = 0; d < whole; d += 1) {
        const float qd = *(q + d);
        acc_k0 = (*(k0 + d)) * (qd) + (acc_k0);
        acc_k1 = (*(k1 + d)) * (qd) + (acc_k1);
        acc_k2 = (*(k2 + d)) * (qd) + (acc_k2);
        acc_k3 = (*(k3 + d)) * (qd) + (acc_k3);
      }
      {
        *(st + key) = acc_k0;
      }
      {
        *(st + key + 1) = acc_k1;
      }
      {
        *(st + key + 2) = acc_k2;
      }
      {
        *(st + key + 3) = acc_k3;
      }
    }
  }
  attni_scalar_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 4
 * vectors of them at a time. Head size t->head_size_v. */
static void attni_scalar_decode_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  const int32_t row_floats = (size + 7) / 8 * 8;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * (size_t)row_floats;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 4 <= size; f += 4) {
      float acc0 = 0.0f;
      float acc1 = 0.0f;
      float acc2 = 0.0f;
      float acc3 = 0.0f;
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float w = *(p + key);
        ATTNI_FENCE();
        acc0 = (*(vk + 0)) * (w) + (acc0);
        acc1 = (*(vk + 1)) * (w) + (acc1);
        acc2 = (*(vk + 2)) * (w) + (acc2);
        acc3 = (*(vk + 3)) * (w) + (acc3);
      }
      if (!t->first) {
        const float factor = (t->factor[row]);
        acc0 = (*(ot + f + 0)) * (factor) + (acc0);
        acc1 = (*(ot + f + 1)) * (factor) + (acc1);
        acc2 = (*(ot + f + 2)) * (factor) + (acc2);
        acc3 = (*(ot + f + 3)) * (factor) + (acc3);
      }
      *(ot + f + 0) = acc0;
      *(ot + f + 1) = acc1;
      *(ot + f + 2) = acc2;
      *(ot + f + 3) = acc3;
}
    for (; f + 2 <= size; f += 2) {
      float acc0 = 0.0f;
      float acc1 = 0.0f;
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float w = *(p + key);
        ATTNI_FENCE();
        acc0 = (*(vk + 0)) * (w) + (acc0);
        acc1 = (*(vk + 1)) * (w) + (acc1);
      }
      if (!t->first) {
        const float factor = (t->factor[row]);
        acc0 = (*(ot + f + 0)) * (factor) + (acc0);
        acc1 = (*(ot + f + 1)) * (factor) + (acc1);
      }
      *(ot + f + 0) = acc0;
      *(ot + f + 1) = acc1;
}
    for (; f + 1 <= size; f += 1) {
      float acc0 = 0.0f;
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float w = *(p + key);
        ATTNI_FENCE();
        acc0 = (*(vk + 0)) * (w) + (acc0);
      }
      if (!t->first) {
        const float factor = (t->factor[row]);
        acc0 = (*(ot + f + 0)) * (factor) + (acc0);
      }
      *(ot + f + 0) = acc0;
}
  }
}
