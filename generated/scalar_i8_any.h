/* scalar, i8, head size any. Generated from gen/templates/products.h.j2. */

/* 4 rows by 1 key: 4 accumulators, 4 of qt, 1 of k. Of fewer rows the last is repeated. */
static void attni_scalar_decode_qk_i8_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef int8_t element;
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
        const int32_t stop = attni_min_i32(d + 64, whole);
        ATTNI_PREFETCH_L2(soon + at);
        ATTNI_PREFETCH(next + at);
        for (; d < stop; d += 1) {
          const float q0_d = *(q0 + d);
          const float q1_d = *(q1 + d);
          const float q2_d = *(q2 + d);
          const float q3_d = *(q3 + d);
          float k_d;
          k_d = (float)*(k0 + d);
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
static void attni_scalar_decode_qk_i8_any_r1(const attni_tile *t, int32_t row) {
  typedef int8_t element;
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
        const int32_t stop = attni_min_i32(d + 64, whole);
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
          k_d = (float)*(k0 + d);
          acc_k0_q0 = ATTNI_FMA(k_d, q0_d, acc_k0_q0);
          ATTNI_FENCE();
          k_d = (float)*(k1 + d);
          acc_k1_q0 = ATTNI_FMA(k_d, q0_d, acc_k1_q0);
          ATTNI_FENCE();
          k_d = (float)*(k2 + d);
          acc_k2_q0 = ATTNI_FMA(k_d, q0_d, acc_k2_q0);
          ATTNI_FENCE();
          k_d = (float)*(k3 + d);
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
static void attni_scalar_decode_qk_i8_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_scalar_decode_qk_i8_any_r4(t, row, rows);
    } else {
      attni_scalar_decode_qk_i8_any_r1(t, row);
    }
  }
  attni_scalar_decode_scale(t, t->scales_k);
  attni_scalar_decode_find_max(t);
}

/* 4 rows by up to 1 vectors of features: 4 accumulators, 1 of v, 1 of st */
static void attni_scalar_decode_pv_i8_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef int8_t element;
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
        const float v0 = (float)*(vk);
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
static void attni_scalar_decode_pv_i8_any_r1(const attni_tile *t, int32_t row) {
  typedef int8_t element;
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
        acc_q0_f0 = ATTNI_FMA((float)*(vk), w, acc_q0_f0);
        acc_q0_f1 = ATTNI_FMA((float)*(vk + 1), w, acc_q0_f1);
        acc_q0_f2 = ATTNI_FMA((float)*(vk + 2), w, acc_q0_f2);
        acc_q0_f3 = ATTNI_FMA((float)*(vk + 3), w, acc_q0_f3);
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
        acc_q0_f0 = ATTNI_FMA((float)*(vk), w, acc_q0_f0);
        acc_q0_f1 = ATTNI_FMA((float)*(vk + 1), w, acc_q0_f1);
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
        acc_q0_f0 = ATTNI_FMA((float)*(vk), w, acc_q0_f0);
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
static void attni_scalar_decode_pv_i8_any(const attni_tile *t) {
  int32_t row, rows;
  attni_scalar_decode_scale(t, t->scales_v);
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_scalar_decode_pv_i8_any_r4(t, row, rows);
    } else {
      attni_scalar_decode_pv_i8_any_r1(t, row);
    }
  }
}
