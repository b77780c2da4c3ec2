/* scalar, f32, head size any. Generated from gen/templates/products.h.j2. */

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 4 rows (4 vectors of 1)
 * by up to 64 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_scalar_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t size = t->head_size;
  const int64_t asks = attni_ceil_div(t->kv.keys, 2);
  const int64_t ahead_step = attni_ceil_div(t->ahead_rows / 2, asks);
  attni_ahead *ahead = t->ahead;
  int32_t key = t->key_begin;
  /* 2 keys by 4 vectors: 8 accumulators, 4 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 2) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
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
      acc_k0_q0 = ATTNI_FMA(b, q0, acc_k0_q0);
      acc_k0_q1 = ATTNI_FMA(b, q1, acc_k0_q1);
      acc_k0_q2 = ATTNI_FMA(b, q2, acc_k0_q2);
      acc_k0_q3 = ATTNI_FMA(b, q3, acc_k0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = ATTNI_FMA(b, q0, acc_k1_q0);
      acc_k1_q1 = ATTNI_FMA(b, q1, acc_k1_q1);
      acc_k1_q2 = ATTNI_FMA(b, q2, acc_k1_q2);
      acc_k1_q3 = ATTNI_FMA(b, q3, acc_k1_q3);
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
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
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
      acc_k0_q0 = ATTNI_FMA(b, q0, acc_k0_q0);
      acc_k0_q1 = ATTNI_FMA(b, q1, acc_k0_q1);
      acc_k0_q2 = ATTNI_FMA(b, q2, acc_k0_q2);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = ATTNI_FMA(b, q0, acc_k1_q0);
      acc_k1_q1 = ATTNI_FMA(b, q1, acc_k1_q1);
      acc_k1_q2 = ATTNI_FMA(b, q2, acc_k1_q2);
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
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
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
      acc_k0_q0 = ATTNI_FMA(b, q0, acc_k0_q0);
      acc_k0_q1 = ATTNI_FMA(b, q1, acc_k0_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = ATTNI_FMA(b, q0, acc_k1_q0);
      acc_k1_q1 = ATTNI_FMA(b, q1, acc_k1_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k2 + d);
      acc_k2_q0 = ATTNI_FMA(b, q0, acc_k2_q0);
      acc_k2_q1 = ATTNI_FMA(b, q1, acc_k2_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k3 + d);
      acc_k3_q0 = ATTNI_FMA(b, q0, acc_k3_q0);
      acc_k3_q1 = ATTNI_FMA(b, q1, acc_k3_q1);
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
    const float *const k1 = k0 + (key + 1 <= last ? stride : 0);
    const float *const k2 = k1 + (key + 2 <= last ? stride : 0);
    const float *const k3 = k2 + (key + 3 <= last ? stride : 0);
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
      acc_k0_q0 = ATTNI_FMA(b, q0, acc_k0_q0);
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = ATTNI_FMA(b, q0, acc_k1_q0);
      ATTNI_FENCE();
      b = *(k2 + d);
      acc_k2_q0 = ATTNI_FMA(b, q0, acc_k2_q0);
      ATTNI_FENCE();
      b = *(k3 + d);
      acc_k3_q0 = ATTNI_FMA(b, q0, acc_k3_q0);
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

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row]. The innermost loop runs over keys: a
 * literal head size would gain nothing.
 * 2 features by 4 vectors: 8 accumulators, 4 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_scalar_prefill_pv_f32_any(const attni_tile *t) {
  const int32_t size = t->head_size_v, begin = t->key_begin;
  const int32_t end0 = attni_max_i32(begin, t->key_end[0]), keys0 = end0 - begin;
  const int32_t end1 = attni_max_i32(end0, t->key_end[1]), keys1 = end1 - end0;
  const int32_t end2 = attni_max_i32(end1, t->key_end[2]), keys2 = end2 - end1;
  const int32_t end3 = attni_max_i32(end2, t->key_end[3]), keys3 = end3 - end2;
  const int64_t stride = t->kv.v_stride;
  const float *const value = (const float *)t->kv.v + begin * stride;
  const float *const weights = t->st + (size_t)begin * 4;
  const int64_t asks = attni_ceil_div(size, 2);
  const int64_t ahead_step = attni_ceil_div(attni_left_ahead(t), attni_max(1, asks));
  attni_ahead *ahead = attni_next_ahead(t, t->ahead);
  int32_t f;
  for (f = 0; f + 2 <= size; f += 2) {
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float *const ot = t->ot + (size_t)f * 4;
    const float *p = weights;
    const float *vk = value + f;
    int32_t key;
    float acc_f0_q0 = 0.0f;
    float acc_f0_q1 = 0.0f;
    float acc_f0_q2 = 0.0f;
    float acc_f0_q3 = 0.0f;
    float acc_f1_q0 = 0.0f;
    float acc_f1_q1 = 0.0f;
    float acc_f1_q2 = 0.0f;
    float acc_f1_q3 = 0.0f;
    ATTNI_UNROLL(4)
    for (key = keys0; key > 0; --key, p += 4, vk += stride) {
      const float p0 = *(p + 0);
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q0 = ATTNI_FMA(b, p0, acc_f0_q0);
      acc_f0_q1 = ATTNI_FMA(b, p1, acc_f0_q1);
      acc_f0_q2 = ATTNI_FMA(b, p2, acc_f0_q2);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q0 = ATTNI_FMA(b, p0, acc_f1_q0);
      acc_f1_q1 = ATTNI_FMA(b, p1, acc_f1_q1);
      acc_f1_q2 = ATTNI_FMA(b, p2, acc_f1_q2);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();

    }
    ATTNI_UNROLL(4)
    for (key = keys1; key > 0; --key, p += 4, vk += stride) {
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q1 = ATTNI_FMA(b, p1, acc_f0_q1);
      acc_f0_q2 = ATTNI_FMA(b, p2, acc_f0_q2);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q1 = ATTNI_FMA(b, p1, acc_f1_q1);
      acc_f1_q2 = ATTNI_FMA(b, p2, acc_f1_q2);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();

    }
    ATTNI_UNROLL(4)
    for (key = keys2; key > 0; --key, p += 4, vk += stride) {
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q2 = ATTNI_FMA(b, p2, acc_f0_q2);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q2 = ATTNI_FMA(b, p2, acc_f1_q2);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();

    }
    ATTNI_UNROLL(4)
    for (key = keys3; key > 0; --key, p += 4, vk += stride) {
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();

    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const float factor = *(t->factor + 0);
        acc_f0_q0 = ATTNI_FMA(*(ot + 0), factor, acc_f0_q0);
        acc_f1_q0 = ATTNI_FMA(*(ot + 4), factor, acc_f1_q0);
      }
      *(ot + 0) = acc_f0_q0;
      *(ot + 4) = acc_f1_q0;
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const float factor = *(t->factor + 1);
        acc_f0_q1 = ATTNI_FMA(*(ot + 1), factor, acc_f0_q1);
        acc_f1_q1 = ATTNI_FMA(*(ot + 5), factor, acc_f1_q1);
      }
      *(ot + 1) = acc_f0_q1;
      *(ot + 5) = acc_f1_q1;
    }
    if (t->group0 <= 2) {
      if (!t->first) {
        const float factor = *(t->factor + 2);
        acc_f0_q2 = ATTNI_FMA(*(ot + 2), factor, acc_f0_q2);
        acc_f1_q2 = ATTNI_FMA(*(ot + 6), factor, acc_f1_q2);
      }
      *(ot + 2) = acc_f0_q2;
      *(ot + 6) = acc_f1_q2;
    }
    {
      if (!t->first) {
        const float factor = *(t->factor + 3);
        acc_f0_q3 = ATTNI_FMA(*(ot + 3), factor, acc_f0_q3);
        acc_f1_q3 = ATTNI_FMA(*(ot + 7), factor, acc_f1_q3);
      }
      *(ot + 3) = acc_f0_q3;
      *(ot + 7) = acc_f1_q3;
    }
}
  for (; f < size; f += 2) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t f1 = attni_min_i32(1, size - 1 - f);
    float *const ot = t->ot + (size_t)f * 4;
    const float *p = weights;
    const float *vk = value + f;
    int32_t key;
    float acc_f0_q0 = 0.0f;
    float acc_f0_q1 = 0.0f;
    float acc_f0_q2 = 0.0f;
    float acc_f0_q3 = 0.0f;
    float acc_f1_q0 = 0.0f;
    float acc_f1_q1 = 0.0f;
    float acc_f1_q2 = 0.0f;
    float acc_f1_q3 = 0.0f;
    for (key = keys0; key > 0; --key, p += 4, vk += stride) {
      const float p0 = *(p + 0);
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q0 = ATTNI_FMA(b, p0, acc_f0_q0);
      acc_f0_q1 = ATTNI_FMA(b, p1, acc_f0_q1);
      acc_f0_q2 = ATTNI_FMA(b, p2, acc_f0_q2);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q0 = ATTNI_FMA(b, p0, acc_f1_q0);
      acc_f1_q1 = ATTNI_FMA(b, p1, acc_f1_q1);
      acc_f1_q2 = ATTNI_FMA(b, p2, acc_f1_q2);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();

    }
    for (key = keys1; key > 0; --key, p += 4, vk += stride) {
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q1 = ATTNI_FMA(b, p1, acc_f0_q1);
      acc_f0_q2 = ATTNI_FMA(b, p2, acc_f0_q2);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q1 = ATTNI_FMA(b, p1, acc_f1_q1);
      acc_f1_q2 = ATTNI_FMA(b, p2, acc_f1_q2);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();

    }
    for (key = keys2; key > 0; --key, p += 4, vk += stride) {
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q2 = ATTNI_FMA(b, p2, acc_f0_q2);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q2 = ATTNI_FMA(b, p2, acc_f1_q2);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();

    }
    for (key = keys3; key > 0; --key, p += 4, vk += stride) {
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q3 = ATTNI_FMA(b, p3, acc_f0_q3);
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q3 = ATTNI_FMA(b, p3, acc_f1_q3);
      ATTNI_FENCE();

    }
    if (t->group0 <= 0) {
      if (!t->first) {
        const float factor = *(t->factor + 0);
        acc_f0_q0 = ATTNI_FMA(*(ot + 0), factor, acc_f0_q0);
        acc_f1_q0 = ATTNI_FMA(*(ot + 4), factor, acc_f1_q0);
      }
      *(ot + 0) = acc_f0_q0;
      *(ot + 4) = acc_f1_q0;
    }
    if (t->group0 <= 1) {
      if (!t->first) {
        const float factor = *(t->factor + 1);
        acc_f0_q1 = ATTNI_FMA(*(ot + 1), factor, acc_f0_q1);
        acc_f1_q1 = ATTNI_FMA(*(ot + 5), factor, acc_f1_q1);
      }
      *(ot + 1) = acc_f0_q1;
      *(ot + 5) = acc_f1_q1;
    }
    if (t->group0 <= 2) {
      if (!t->first) {
        const float factor = *(t->factor + 2);
        acc_f0_q2 = ATTNI_FMA(*(ot + 2), factor, acc_f0_q2);
        acc_f1_q2 = ATTNI_FMA(*(ot + 6), factor, acc_f1_q2);
      }
      *(ot + 2) = acc_f0_q2;
      *(ot + 6) = acc_f1_q2;
    }
    {
      if (!t->first) {
        const float factor = *(t->factor + 3);
        acc_f0_q3 = ATTNI_FMA(*(ot + 3), factor, acc_f0_q3);
        acc_f1_q3 = ATTNI_FMA(*(ot + 7), factor, acc_f1_q3);
      }
      *(ot + 3) = acc_f0_q3;
      *(ot + 7) = acc_f1_q3;
    }
}
}

/* 4 rows by 1 key: 4 accumulators, 4 of qt, 1 of k. Of fewer rows the last is repeated. */
static void attni_scalar_decode_qk_f32_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef float element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t whole = t->head_size / 1 * 1;
  const size_t floats = attni_scalar_decode_row_floats(t->head_size);
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
  for (key = begin; key < end; key += 1) {
    float acc_k0_q0 = 0.0f;
    float acc_k0_q1 = 0.0f;
    float acc_k0_q2 = 0.0f;
    float acc_k0_q3 = 0.0f;
    float sums[4];
    {
      const element *const k0 = k + key * stride;
      const uintptr_t next = (uintptr_t)k0 + 1 * step;
      uintptr_t soon = next;
      int32_t d = 0;
      if (row == t->row0) ahead = attni_take_ahead(t, ahead, 1, next, step, bytes, &soon);
      while (d < whole) {
        const uintptr_t at = (uintptr_t)d * sizeof(element);
        const int32_t stop = attni_min_i32(d + 16, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        for (; d < stop; d += 1) {
          const float q0_d = *(q0 + d);
          const float q1_d = *(q1 + d);
          const float q2_d = *(q2 + d);
          const float q3_d = *(q3 + d);
          float k_d;
          k_d = *(k0 + d);
          acc_k0_q0 = ATTNI_FMA(k_d, q0_d, acc_k0_q0);
          acc_k0_q1 = ATTNI_FMA(k_d, q1_d, acc_k0_q1);
          acc_k0_q2 = ATTNI_FMA(k_d, q2_d, acc_k0_q2);
          acc_k0_q3 = ATTNI_FMA(k_d, q3_d, acc_k0_q3);
          ATTNI_FENCE();
        }
      }
    }
    {
      *(sums) = acc_k0_q0;
    }
    {
      *(sums + 1) = acc_k0_q1;
    }
    {
      *(sums + 2) = acc_k0_q2;
    }
    {
      *(sums + 3) = acc_k0_q3;
    }
    memcpy(st0 + key, sums, 1 * sizeof(float));
    memcpy(st1 + key, sums + 1, 1 * sizeof(float));
    memcpy(st2 + key, sums + 2, 1 * sizeof(float));
    memcpy(st3 + key, sums + 3, 1 * sizeof(float));
  }
}

/* 1 row by 4 keys: 4 accumulators, 1 of qt, 1 of k */
static void attni_scalar_decode_qk_f32_any_r1(const attni_tile *t, int32_t row) {
  typedef float element;
  const element *const k = (const element *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t begin = t->key_begin, end = t->key_end[row];
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 1 * 1;
  const size_t floats = attni_scalar_decode_row_floats(t->head_size);
  const float *const q0 = t->qt + (size_t)(row) * floats;
  float *const st0 = t->st + (size_t)(row) * 264;
  const uintptr_t step = (uintptr_t)stride * sizeof(element);
  const size_t bytes = (size_t)t->head_size * sizeof(element);
  attni_ahead *ahead = t->ahead;
  int32_t key;
  for (key = begin; key < end; key += 4) {
    float acc_k0_q0 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k2_q0 = 0.0f;
    float acc_k3_q0 = 0.0f;
    float sums[4];
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
        for (; d < stop; d += 1) {
          const float q0_d = *(q0 + d);
          float k_d;
          k_d = *(k0 + d);
          acc_k0_q0 = ATTNI_FMA(k_d, q0_d, acc_k0_q0);
          ATTNI_FENCE();
          k_d = *(k1 + d);
          acc_k1_q0 = ATTNI_FMA(k_d, q0_d, acc_k1_q0);
          ATTNI_FENCE();
          k_d = *(k2 + d);
          acc_k2_q0 = ATTNI_FMA(k_d, q0_d, acc_k2_q0);
          ATTNI_FENCE();
          k_d = *(k3 + d);
          acc_k3_q0 = ATTNI_FMA(k_d, q0_d, acc_k3_q0);
          ATTNI_FENCE();
        }
      }
    }
    {
      *(sums) = acc_k0_q0;
    }
    {
      *(sums + 1) = acc_k1_q0;
    }
    {
      *(sums + 2) = acc_k2_q0;
    }
    {
      *(sums + 3) = acc_k3_q0;
    }
    memcpy(st0 + key, sums, 4 * sizeof(float));
  }
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, each score one accumulator, summed
 * over its lanes at the end of a step. */
static void attni_scalar_decode_qk_f32_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_scalar_decode_qk_f32_any_r4(t, row, rows);
    } else {
      attni_scalar_decode_qk_f32_any_r1(t, row);
    }
  }
  attni_scalar_decode_find_max(t);
}

/* 4 rows by up to 1 vectors of features: 4 accumulators, 1 of v, 1 of st */
static void attni_scalar_decode_pv_f32_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef float element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_scalar_decode_row_floats(size);
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
    for (; f + 1 <= size; f += 1) {
      float acc_q0_f0 = 0.0f;
      float acc_q1_f0 = 0.0f;
      float acc_q2_f0 = 0.0f;
      float acc_q3_f0 = 0.0f;
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 1 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        const float v0 = *(vk);
        float w;
        w = *(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = ATTNI_FMA(v0, w, acc_q0_f0);
        w = *(p1 + key);
        ATTNI_FENCE();
        acc_q1_f0 = ATTNI_FMA(v0, w, acc_q1_f0);
        w = *(p2 + key);
        ATTNI_FENCE();
        acc_q2_f0 = ATTNI_FMA(v0, w, acc_q2_f0);
        w = *(p3 + key);
        ATTNI_FENCE();
        acc_q3_f0 = ATTNI_FMA(v0, w, acc_q3_f0);
      }
      if (!t->first || !start) {
        const float factor_q0 = *(factor);
        acc_q0_f0 = ATTNI_FMA(*(ot0 + f), factor_q0, acc_q0_f0);
        const float factor_q1 = *(factor + attni_min_i32(1, count - 1));
        acc_q1_f0 = ATTNI_FMA(*(ot1 + f), factor_q1, acc_q1_f0);
        const float factor_q2 = *(factor + attni_min_i32(2, count - 1));
        acc_q2_f0 = ATTNI_FMA(*(ot2 + f), factor_q2, acc_q2_f0);
        const float factor_q3 = *(factor + attni_min_i32(3, count - 1));
        acc_q3_f0 = ATTNI_FMA(*(ot3 + f), factor_q3, acc_q3_f0);
      }
      *(ot0 + f) = acc_q0_f0;
      *(ot1 + f) = acc_q1_f0;
      *(ot2 + f) = acc_q2_f0;
      *(ot3 + f) = acc_q3_f0;
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* 1 row by up to 4 vectors of features: 4 accumulators, 1 of v, 1 of st */
static void attni_scalar_decode_pv_f32_any_r1(const attni_tile *t, int32_t row) {
  typedef float element;
  const element *const value = (const element *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t end = t->key_end[row];
  const int32_t size = t->head_size_v;
  const size_t floats = attni_scalar_decode_row_floats(size);
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
    for (; f + 4 <= size; f += 4) {
      float acc_q0_f0 = 0.0f;
      float acc_q0_f1 = 0.0f;
      float acc_q0_f2 = 0.0f;
      float acc_q0_f3 = 0.0f;
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 4 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        float w;
        w = *(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = ATTNI_FMA(*(vk), w, acc_q0_f0);
        acc_q0_f1 = ATTNI_FMA(*(vk + 1), w, acc_q0_f1);
        acc_q0_f2 = ATTNI_FMA(*(vk + 2), w, acc_q0_f2);
        acc_q0_f3 = ATTNI_FMA(*(vk + 3), w, acc_q0_f3);
      }
      if (!t->first || !start) {
        const float factor_q0 = *(factor);
        acc_q0_f0 = ATTNI_FMA(*(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = ATTNI_FMA(*(ot0 + f + 1), factor_q0, acc_q0_f1);
        acc_q0_f2 = ATTNI_FMA(*(ot0 + f + 2), factor_q0, acc_q0_f2);
        acc_q0_f3 = ATTNI_FMA(*(ot0 + f + 3), factor_q0, acc_q0_f3);
      }
      *(ot0 + f) = acc_q0_f0;
      *(ot0 + f + 1) = acc_q0_f1;
      *(ot0 + f + 2) = acc_q0_f2;
      *(ot0 + f + 3) = acc_q0_f3;
    }
    for (; f + 2 <= size; f += 2) {
      float acc_q0_f0 = 0.0f;
      float acc_q0_f1 = 0.0f;
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 2 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        float w;
        w = *(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = ATTNI_FMA(*(vk), w, acc_q0_f0);
        acc_q0_f1 = ATTNI_FMA(*(vk + 1), w, acc_q0_f1);
      }
      if (!t->first || !start) {
        const float factor_q0 = *(factor);
        acc_q0_f0 = ATTNI_FMA(*(ot0 + f), factor_q0, acc_q0_f0);
        acc_q0_f1 = ATTNI_FMA(*(ot0 + f + 1), factor_q0, acc_q0_f1);
      }
      *(ot0 + f) = acc_q0_f0;
      *(ot0 + f + 1) = acc_q0_f1;
    }
    for (; f + 1 <= size; f += 1) {
      float acc_q0_f0 = 0.0f;
      const element *vk = value + begin * stride + f;
      int32_t key;
      uintptr_t at = soon + (uintptr_t)f * sizeof(element) * (dense ? (uintptr_t)(stop - begin) : 1);
      const uintptr_t at_step = dense ? 1 * sizeof(element) : step;
      for (key = begin; key < stop; ++key, vk += stride) {
        ATTNI_PREFETCH_L2(at);
        ATTNI_PREFETCH((uintptr_t)vk + 8 * step);
        at += at_step;
        float w;
        w = *(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = ATTNI_FMA(*(vk), w, acc_q0_f0);
      }
      if (!t->first || !start) {
        const float factor_q0 = *(factor);
        acc_q0_f0 = ATTNI_FMA(*(ot0 + f), factor_q0, acc_q0_f0);
      }
      *(ot0 + f) = acc_q0_f0;
    }
    begin = stop;
    start = false;
  } while (begin < end);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, 64 keys a chain. */
static void attni_scalar_decode_pv_f32_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_scalar_decode_pv_f32_any_r4(t, row, rows);
    } else {
      attni_scalar_decode_pv_f32_any_r1(t, row);
    }
  }
}
