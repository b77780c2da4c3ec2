/* scalar: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */

static ATTNI_FORCE_INLINE int32_t attni_max_magnitude(int32_t a, float b) {
  const int32_t magnitude = (int32_t)(attni_bits(b) & 0x7fffffffu);
  return a > magnitude ? a : magnitude;
}

static void attni_scalar_widen(const void *from, attn_type type, float scale, int64_t count, float *to) {
  int64_t i = 0;
  if (type == ATTN_F16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 1 <= count; i += 1) {
      const float x_i = attni_from_f16(*(x + i));
      *(to + i) = x_i;
    }
  } else if (type == ATTN_BF16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 1 <= count; i += 1) {
      const float x_i = attni_from_bf16(*(x + i));
      *(to + i) = x_i;
    }
  } else {
    const int8_t *const x = (const int8_t *)from;
    const float scale_v = (scale);
    for (; i + 1 <= count; i += 1) {
      const float x_i = (float)*(x + i);
      *(to + i) = (x_i) * (scale_v);
    }
  }
}

static void attni_scalar_narrow(const float *from, attn_type type, int64_t count, void *to) {
  uint16_t *const x = (uint16_t *)to;
  int64_t i = 0;
  if (type == ATTN_F16) {
    for (; i < count; ++i) x[i] = attni_to_f16(from[i]);
  } else {
    for (; i < count; ++i) x[i] = attni_to_bf16(from[i]);
  }
}

/* qt[d][row] = rows[row][d] * scale, 1 rows by 1 features at a time. */
static void attni_scalar_prefill_pack_q(const attni_tile *t, const float *const *rows) {
  const float scale = (t->scale);
  int32_t row, d;
  for (row = t->row0; row < 4; row += 1) {
    const float *const *const r = rows + row;
    float *qt = t->qt + row;
    for (d = 0; d + 1 <= t->head_size; d += 1, qt += 4) {
      const float x0 = (*(r[0] + d)) * (scale);
      *(qt + 0) = x0;
    }
    for (; d < t->head_size; ++d, qt += 4) {
      int32_t i;
      for (i = 0; i < 1; ++i) qt[i] = r[i][d] * t->scale;
    }
  }
}

static bool attni_scalar_prefill_finite(const attni_keys *kv, int32_t begin, int32_t end, int32_t head_size_v) {
  const float *x = (const float *)kv->v + begin * kv->v_stride;
  int32_t largest[1];
  int32_t max = 0;
  int32_t key, i;
  for (key = begin; key < end; ++key, x += kv->v_stride) {
    for (i = 0; i + 4 <= head_size_v; i += 4) {
      const float x0 = *(x + i);
      const float x1 = *(x + i + 1);
      const float x2 = *(x + i + 2);
      const float x3 = *(x + i + 3);
      max = attni_max_magnitude(max, x0);
      max = attni_max_magnitude(max, x1);
      max = attni_max_magnitude(max, x2);
      max = attni_max_magnitude(max, x3);
    }
    for (; i + 1 <= head_size_v; i += 1) {
      const float x_i = *(x + i);
      max = attni_max_magnitude(max, x_i);
    }
    for (; i < head_size_v; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  *(largest) = max;
  for (i = 0; i < 1; ++i) {
    if (largest[i] >= (int32_t)ATTNI_INFINITY_BITS) return false;
  }
  return true;
}

static void attni_scalar_prefill_mask(const attni_tile *t, uint32_t fill) {
  const float fill_v = attni_float(fill);
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    for (key = t->key_full[row / 1]; key < t->key_end[row / 1]; ++key) {
      float *const st = t->st + (size_t)key * 4 + row;
      const float s = *(st);
      *(st) = (*(t->limit + row) > (key) ? (s) : (fill_v));
    }
  }
}

static void attni_scalar_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const float *st = t->st + row;
    float max = *(t->m + row);
    for (key = 0; key < t->key_end[row / 1]; ++key, st += 4) {
      const float s = *(st);
      max = ((max) > (s) ? (max) : (s));
    }
    *(t->row_max + row) = max;
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
static void attni_scalar_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t end = t->key_end[row / 1];
    const float max = *(t->row_max + row);
    const float old = (*(t->m + row)) - (max);
    const float factor = attni_exp2(old);
    float *st = t->st + row;
    float sum0 = 0.0f;
    float sum1 = 0.0f;
    float sum2 = 0.0f;
    float sum3 = 0.0f;
    for (key = end; key % 4 != 0; ++key) {
      *(st + (size_t)key * 4) = attni_float(ATTNI_NEG_INFINITY_BITS);
    }
    for (key = 0; key < end; key += 4, st += 16) {
      {
        const float x = (*(st + 0)) - (max);
        const float w = attni_exp2(x);
        *(st + 0) = w;
        sum0 = (sum0) + (w);
      }
      {
        const float x = (*(st + 4)) - (max);
        const float w = attni_exp2(x);
        *(st + 4) = w;
        sum1 = (sum1) + (w);
      }
      {
        const float x = (*(st + 8)) - (max);
        const float w = attni_exp2(x);
        *(st + 8) = w;
        sum2 = (sum2) + (w);
      }
      {
        const float x = (*(st + 12)) - (max);
        const float w = attni_exp2(x);
        *(st + 12) = w;
        sum3 = (sum3) + (w);
      }
    }
    sum0 = ((sum0) + (sum1)) + ((sum2) + (sum3));
    *(t->l + row) = ATTNI_FMA(*(t->l + row), factor, sum0);
    *(t->factor + row) = factor;
  }
}

/* The careful product: slow, and rarely needed. Weights of -0 tell which keys to leave out. */
static void attni_scalar_prefill_pv_masked(const attni_tile *t) {
  int32_t row, f, key;
  attni_scalar_prefill_mask(t, ATTNI_NEG_ZERO_BITS);
  for (row = t->row0; row < 4; row += 1) {
    const float factor = *(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 4 + row;
      const float *vk = (const float *)t->kv.v + f;
      float acc = 0.0f;
      for (key = 0; key < t->key_end[row / 1]; ++key, vk += t->kv.v_stride) {
        const float p = *(t->st + (size_t)key * 4 + row);
        const float b = *(vk);
        const float next = ATTNI_FMA(b, p, acc);
        acc = (attni_bits(p) == ATTNI_NEG_ZERO_BITS ? (acc) : (next));
      }
      if (!t->first) acc = ATTNI_FMA(*(ot), factor, acc);
      *(ot) = acc;
    }
  }
}

/* Adding 0 makes -0 into +0: the sign of a zero could tell how many masked keys were passed. */
static void attni_scalar_prefill_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const float zero = 0.0f;
  int32_t row, f, i;
  for (row = t->row0; row < 4; row += 1) {
    const float scale = *(inverse + row);
    float *const *const r = rows + row;
    const float *ot = t->ot + row;
    for (f = 0; f + 1 <= t->head_size_v; f += 1, ot += 4) {
      const float x0 = ATTNI_FMA(*(ot + 0), scale, zero);
      *(r[0] + f) = x0;
    }
    for (; f < t->head_size_v; ++f, ot += 4) {
      float x[1];
      *(x) = ATTNI_FMA(*(ot), scale, zero);
      for (i = 0; i < 1; ++i) r[i][f] = x[i];
    }
  }
}

/* A row of qt or ot takes whole multiples of 8 floats. */
static size_t attni_scalar_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 7) / 8 * 8;
}

/* qt[row][d] = rows[row][d] * scale, and 0 behind the last feature. */
static void attni_scalar_decode_pack_q(const attni_tile *t, const float *const *rows) {
  const size_t floats = attni_scalar_decode_row_floats(t->head_size);
  const size_t size = (size_t)t->head_size;
  int32_t row;
  size_t d;
  for (row = t->row0; row < 16; ++row) {
    float *const qt = t->qt + (size_t)row * floats;
    for (d = 0; d < size; ++d) qt[d] = rows[row][d] * t->scale;
    for (; d < floats; ++d) qt[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_scalar_decode_max_lanes(const float *x) {
  return x[0];
}

/* The sum of the lanes, as a tree. */
static float attni_scalar_decode_sum_lanes(const float *x) {
  return x[0];
}

/* st[row][key] times scale[key], the scales of ATTN_I8: of scores, and then of weights, which PV takes so. */
static void attni_scalar_decode_scale(const attni_tile *t, const float *scale) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    for (key = end; key % 1 != 0; ++key) st[key] = 0.0f;
    for (key = 0; key < end; key += 1) {
      *(st + key) = (*(st + key)) * (*(scale + key));
    }
  }
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
static void attni_scalar_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    float lanes[1];
    float max = (t->m[row]);
    for (key = end; key % 1 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = 0; key < end; key += 1) {
      const float s = *(st + key);
      max = ((max) > (s) ? (max) : (s));
    }
    *(lanes) = max;
    t->row_max[row] = attni_scalar_decode_max_lanes(lanes);
  }
}

static void attni_scalar_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    const float max = (t->row_max[row]);
    const float old = ((t->m[row])) - (max);
    const float factor = attni_exp2(old);
    float lanes[1];
    float sum = 0.0f;
    for (key = 0; key < end;) {
      const int32_t stop = attni_min_i32(end, key + 64);
      float part = 0.0f;
      for (; key < stop; key += 1) {
        const float x = (*(st + key)) - (max);
        const float w = attni_exp2(x);
        *(st + key) = w;
        part = (part) + (w);
      }
      sum = (sum) + (part);
    }
    *(lanes) = factor;
    t->factor[row] = lanes[0];
    *(lanes) = sum;
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_scalar_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
static void attni_scalar_decode_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const size_t floats = attni_scalar_decode_row_floats(t->head_size_v);
  const float zero = 0.0f;
  int32_t row, f;
  for (row = t->row0; row < 16; ++row) {
    const float *const ot = t->ot + (size_t)row * floats;
    const float scale = (inverse[row]);
    for (f = 0; f + 1 <= t->head_size_v; f += 1) {
      *(rows[row] + f) = ATTNI_FMA(*(ot + f), scale, zero);
    }
  }
}
