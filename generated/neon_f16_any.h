/* neon, f16, head size any. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* 4 rows by 2 keys: 8 accumulators, 4 of qt, 1 of k. Of fewer rows the last is repeated. */
static void attni_neon_decode_qk_f16_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef uint16_t element;
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
        const int32_t stop = attni_min_i32(d + 32, whole);
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
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k0 + d)));
          acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
          acc_k0_q1 = vfmaq_f32(acc_k0_q1, k_d, q1_d);
          acc_k0_q2 = vfmaq_f32(acc_k0_q2, k_d, q2_d);
          acc_k0_q3 = vfmaq_f32(acc_k0_q3, k_d, q3_d);
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k1 + d)));
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
        k_d = attni_neon_load_part_f16(k0 + d, rest);
        acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
        acc_k0_q1 = vfmaq_f32(acc_k0_q1, k_d, q1_d);
        acc_k0_q2 = vfmaq_f32(acc_k0_q2, k_d, q2_d);
        acc_k0_q3 = vfmaq_f32(acc_k0_q3, k_d, q3_d);
        k_d = attni_neon_load_part_f16(k1 + d, rest);
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
static void attni_neon_decode_qk_f16_any_r1(const attni_tile *t, int32_t row) {
  typedef uint16_t element;
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
        const int32_t stop = attni_min_i32(d + 32, whole);
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
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k0 + d)));
          acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k1 + d)));
          acc_k1_q0 = vfmaq_f32(acc_k1_q0, k_d, q0_d);
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k2 + d)));
          acc_k2_q0 = vfmaq_f32(acc_k2_q0, k_d, q0_d);
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k3 + d)));
          acc_k3_q0 = vfmaq_f32(acc_k3_q0, k_d, q0_d);
        }
      }
      if (rest > 0) {
        const float32x4_t q0_d = vld1q_f32(q0 + d);
        float32x4_t k_d;
        k_d = attni_neon_load_part_f16(k0 + d, rest);
        acc_k0_q0 = vfmaq_f32(acc_k0_q0, k_d, q0_d);
        k_d = attni_neon_load_part_f16(k1 + d, rest);
        acc_k1_q0 = vfmaq_f32(acc_k1_q0, k_d, q0_d);
        k_d = attni_neon_load_part_f16(k2 + d, rest);
        acc_k2_q0 = vfmaq_f32(acc_k2_q0, k_d, q0_d);
        k_d = attni_neon_load_part_f16(k3 + d, rest);
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
        const int32_t stop = attni_min_i32(d + 32, whole);
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
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k4 + d)));
          acc_k4_q0 = vfmaq_f32(acc_k4_q0, k_d, q0_d);
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k5 + d)));
          acc_k5_q0 = vfmaq_f32(acc_k5_q0, k_d, q0_d);
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k6 + d)));
          acc_k6_q0 = vfmaq_f32(acc_k6_q0, k_d, q0_d);
          k_d = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(k7 + d)));
          acc_k7_q0 = vfmaq_f32(acc_k7_q0, k_d, q0_d);
        }
      }
      if (rest > 0) {
        const float32x4_t q0_d = vld1q_f32(q0 + d);
        float32x4_t k_d;
        k_d = attni_neon_load_part_f16(k4 + d, rest);
        acc_k4_q0 = vfmaq_f32(acc_k4_q0, k_d, q0_d);
        k_d = attni_neon_load_part_f16(k5 + d, rest);
        acc_k5_q0 = vfmaq_f32(acc_k5_q0, k_d, q0_d);
        k_d = attni_neon_load_part_f16(k6 + d, rest);
        acc_k6_q0 = vfmaq_f32(acc_k6_q0, k_d, q0_d);
        k_d = attni_neon_load_part_f16(k7 + d, rest);
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
static void attni_neon_decode_qk_f16_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_neon_decode_qk_f16_any_r4(t, row, rows);
    } else {
      attni_neon_decode_qk_f16_any_r1(t, row);
    }
  }
  attni_neon_decode_find_max(t);
}

/* 4 rows by up to 2 vectors of features: 8 accumulators, 2 of v, 1 of st */
static void attni_neon_decode_pv_f16_any_r4(const attni_tile *t, int32_t row, int32_t count) {
  typedef uint16_t element;
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
        const float32x4_t v0 = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk)));
        const float32x4_t v1 = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 4)));
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
        const float32x4_t v0 = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk)));
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
        const float32x4_t v0 = attni_neon_load_part_f16(vk, rest);
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
static void attni_neon_decode_pv_f16_any_r1(const attni_tile *t, int32_t row) {
  typedef uint16_t element;
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
        at += at_step;
        float32x4_t w;
        w = vld1q_dup_f32(p0 + key);
        ATTNI_FENCE();
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk))), w);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 4))), w);
        acc_q0_f2 = vfmaq_f32(acc_q0_f2, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 8))), w);
        acc_q0_f3 = vfmaq_f32(acc_q0_f3, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 12))), w);
        acc_q0_f4 = vfmaq_f32(acc_q0_f4, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 16))), w);
        acc_q0_f5 = vfmaq_f32(acc_q0_f5, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 20))), w);
        acc_q0_f6 = vfmaq_f32(acc_q0_f6, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 24))), w);
        acc_q0_f7 = vfmaq_f32(acc_q0_f7, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 28))), w);
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
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk))), w);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 4))), w);
        acc_q0_f2 = vfmaq_f32(acc_q0_f2, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 8))), w);
        acc_q0_f3 = vfmaq_f32(acc_q0_f3, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 12))), w);
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
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk))), w);
        acc_q0_f1 = vfmaq_f32(acc_q0_f1, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk + 4))), w);
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
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(vk))), w);
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
        acc_q0_f0 = vfmaq_f32(acc_q0_f0, attni_neon_load_part_f16(vk, rest), w);
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
static void attni_neon_decode_pv_f16_any(const attni_tile *t) {
  int32_t row, rows;
  for (row = t->row0; row < 16; row += rows) {
    rows = attni_rows_together(t, row, 16);
    if (rows > 1) {
      attni_neon_decode_pv_f16_any_r4(t, row, rows);
    } else {
      attni_neon_decode_pv_f16_any_r1(t, row);
    }
  }
}

#endif /* ATTNI_HAVE_NEON */
