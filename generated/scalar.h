/* scalar: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */

static ATTNI_FORCE_INLINE int32_t attni_max_bits(int32_t a, float b) {
  return (uint32_t)a > attni_bits(b) ? a : (int32_t)attni_bits(b);
}

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

/* As f32, ATTN_I8 without its scale. */
static void attni_scalar_widen_row(const void *from, attn_type type, int64_t count, float *to) {
  if (type == ATTN_F32) {
    memcpy(to, from, (size_t)count * sizeof(float));
  } else {
    attni_scalar_widen(from, type, 1.0f, count, to);
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

/* to[d][row] = rows[row][d] * scale, 1 rows by 1 columns at a time. */
static void attni_scalar_prefill_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const float scale_v = (scale);
  int32_t row, d;
  for (row = t->row0; row < 4; row += 1) {
    const float *const *const r = rows + row;
    float *out = to + row;
    for (d = 0; d + 1 <= size; d += 1, out += 4) {
      float x[1];
      x[0] = (*(r[0] + d)) * (scale_v);
      *(out + 0) = x[0];
    }
    for (; d < size; ++d, out += 4) {
      int32_t i;
      for (i = 0; i < 1; ++i) out[i] = r[i][d] * scale;
    }
  }
}

static bool attni_scalar_prefill_finite(const float *x, int64_t stride, int32_t rows, int32_t size) {
  int32_t largest[1];
  int32_t max = 0;
  int32_t row, i;
  for (row = 0; row < rows; ++row, x += stride) {
    for (i = 0; i + 4 <= size; i += 4) {
      const float x0 = *(x + i);
      const float x1 = *(x + i + 1);
      const float x2 = *(x + i + 2);
      const float x3 = *(x + i + 3);
      max = attni_max_magnitude(max, x0);
      max = attni_max_magnitude(max, x1);
      max = attni_max_magnitude(max, x2);
      max = attni_max_magnitude(max, x3);
    }
    for (; i + 1 <= size; i += 1) {
      const float x_i = *(x + i);
      max = attni_max_magnitude(max, x_i);
    }
    for (; i < size; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  *(largest) = max;
  return attni_lanes_below(largest, 1, ATTNI_INFINITY_BITS);
}

/* Where the keys before key_from and from key_full on are not allowed; all of them with a bias. */
static void attni_scalar_prefill_mask(const attni_tile *t, uint32_t fill) {
  const float fill_v = attni_float(fill);
  const float *const bias = t->bias_masks ? t->bias : NULL;
  float *const st = t->st;
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t *const start = t->start + row, *const limit = t->limit + row;
    const int32_t from = t->key_from[row / 1], full = t->key_full[row / 1];
    const int32_t end = t->key_end[row / 1];
    for (key = t->key_begin; key < end; ++key) {
      const size_t at = (size_t)key * 4 + (size_t)row;
      float s;
      if (key == from && key < full) {
        key = full - 1;
        continue;
      }
      s = *(st + at);
      s = (*(start) > (key) ? (fill_v) : (s));
      s = (*(limit) > (key) ? (s) : (fill_v));
      if (bias != NULL) {
        const float b = *(bias + at);
        s = (attni_bits(b) == (ATTNI_NEG_INFINITY_BITS) ? (fill_v) : (s));
      }
      *(st + at) = s;
    }
  }
}

static void attni_scalar_prefill_softcap(const attni_tile *t, float cap, float slope) {
  const float cap_v = (cap), slope_v = (slope);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t end = t->key_end[row / 1];
    float *st = t->st + (size_t)begin * 4 + row;
    float max = *(t->m + row), max_1 = max;

    for (key = begin; key + 2 <= end; key += 2, st += 8) {
      {
        float s = *(st);
        s = attni_softcap(s, cap_v, slope_v);
        max = ((max) > (s) ? (max) : (s));
        *(st) = s;
      }
      {
        float s = *(st + 4);
        s = attni_softcap(s, cap_v, slope_v);
        max_1 = ((max_1) > (s) ? (max_1) : (s));
        *(st + 4) = s;
      }
    }
    if (key < end) {
      float s = *(st);
      s = attni_softcap(s, cap_v, slope_v);
      max = ((max) > (s) ? (max) : (s));
      *(st) = s;
    }
    *(t->row_max + row) = ((max) > (max_1) ? (max) : (max_1));
  }
}

static bool attni_scalar_prefill_add_bias(const attni_tile *t) {
  int32_t largest[1];
  int32_t most = 0;
  int32_t row, key, i;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t keys = t->key_end[row / 1] - t->key_begin;
    const float *const *const r = t->bias_rows + row;
    float *st = t->st + (size_t)t->key_begin * 4 + row;
    float max = *(t->m + row), max_1 = max; /* in turns: each waits for its last */
    for (key = 0; key + 1 <= keys; key += 1, st += 4) {
      float x[1];
      x[0] = *(r[0] + key);
      most = attni_max_bits(most, x[0]);
      x[0] = (*(st + 0)) + (x[0]);
      max = ((max) > (x[0]) ? (max) : (x[0]));
      *(st + 0) = x[0];
    }
    for (; key < keys; ++key, st += 4) {
      float column[1];
      float x;
      for (i = 0; i < 1; ++i) column[i] = r[i][key];
      x = *(column);
      most = attni_max_bits(most, x);
      x = (*(st)) + (x);
      max = ((max) > (x) ? (max) : (x));
      *(st) = x;
    }
    *(t->row_max + row) = ((max) > (max_1) ? (max) : (max_1));
  }
  *(largest) = most;
  return attni_lanes_below(largest, 1, ATTNI_NEG_INFINITY_BITS);
}

static void attni_scalar_prefill_alibi(const attni_tile *t) {
  const float zero = 0.0f, two = (2.0f);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t end = t->key_end[row / 1];
    float *st = t->st + (size_t)begin * 4 + row;
    float max = *(t->m + row), max_1 = max;
    const float slope = (zero) - (*(t->slope + row)), position = *(t->position + row);
    float at = ((float)begin), at_1 = ((float)(begin + 1));
    for (key = begin; key + 2 <= end; key += 2, st += 8) {
      {
        float s = *(st);
        s = ATTNI_FMA(slope, attni_float(attni_bits((position) - (at)) & 0x7fffffffu), s);
        at = (at) + (two);
        max = ((max) > (s) ? (max) : (s));
        *(st) = s;
      }
      {
        float s = *(st + 4);
        s = ATTNI_FMA(slope, attni_float(attni_bits((position) - (at_1)) & 0x7fffffffu), s);
        at_1 = (at_1) + (two);
        max_1 = ((max_1) > (s) ? (max_1) : (s));
        *(st + 4) = s;
      }
    }
    if (key < end) {
      float s = *(st);
      s = ATTNI_FMA(slope, attni_float(attni_bits((position) - (at)) & 0x7fffffffu), s);
      at = (at) + (two);
      max = ((max) > (s) ? (max) : (s));
      *(st) = s;
    }
    *(t->row_max + row) = ((max) > (max_1) ? (max) : (max_1));
  }
}

static void attni_scalar_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t end = t->key_end[row / 1];
    const float *st = t->st + (size_t)t->key_begin * 4 + row;
    float max0 = *(t->m + row), max1 = max0, max2 = max0, max3 = max0;
    for (key = t->key_begin; key + 4 <= end; key += 4, st += 16) {
      const float s0 = *(st + 0);
      const float s1 = *(st + 4);
      const float s2 = *(st + 8);
      const float s3 = *(st + 12);
      max0 = ((max0) > (s0) ? (max0) : (s0));
      max1 = ((max1) > (s1) ? (max1) : (s1));
      max2 = ((max2) > (s2) ? (max2) : (s2));
      max3 = ((max3) > (s3) ? (max3) : (s3));
    }
    for (; key < end; ++key, st += 4) {
      const float s = *(st);
      max0 = ((max0) > (s) ? (max0) : (s));
    }
    max0 = ((max0) > (max1) ? (max0) : (max1));
    max2 = ((max2) > (max3) ? (max2) : (max3));
    *(t->row_max + row) = ((max0) > (max2) ? (max0) : (max2));
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
static void attni_scalar_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t end = t->key_end[row / 1];
    const float max = *(t->row_max + row);
    float old = (*(t->m + row)) - (max);
    float factor;
    float *st = t->st + (size_t)t->key_begin * 4 + row;
    float sum0 = 0.0f;
    float sum1 = 0.0f;
    float sum2 = 0.0f;
    float sum3 = 0.0f;
    for (key = end; key % 4 != 0; ++key) {
      *(t->st + (size_t)key * 4 + row) = attni_float(ATTNI_NEG_INFINITY_BITS);
    }
    if (t->natural) {
      old = (old) * (((float)ATTNI_LOG2E));
      for (key = t->key_begin; key < end; key += 4, st += 16) {
        {
          const float x = ((*(st + 0)) - (max)) * (((float)ATTNI_LOG2E));
          const float w = attni_exp2(x);
          *(st + 0) = w;
          sum0 = (sum0) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
        {
          const float x = ((*(st + 4)) - (max)) * (((float)ATTNI_LOG2E));
          const float w = attni_exp2(x);
          *(st + 4) = w;
          sum1 = (sum1) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
        {
          const float x = ((*(st + 8)) - (max)) * (((float)ATTNI_LOG2E));
          const float w = attni_exp2(x);
          *(st + 8) = w;
          sum2 = (sum2) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
        {
          const float x = ((*(st + 12)) - (max)) * (((float)ATTNI_LOG2E));
          const float w = attni_exp2(x);
          *(st + 12) = w;
          sum3 = (sum3) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
      }
    } else {
      for (key = t->key_begin; key < end; key += 4, st += 16) {
        {
          const float x = (*(st + 0)) - (max);
          const float w = attni_exp2(x);
          *(st + 0) = w;
          sum0 = (sum0) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
        {
          const float x = (*(st + 4)) - (max);
          const float w = attni_exp2(x);
          *(st + 4) = w;
          sum1 = (sum1) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
        {
          const float x = (*(st + 8)) - (max);
          const float w = attni_exp2(x);
          *(st + 8) = w;
          sum2 = (sum2) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
        {
          const float x = (*(st + 12)) - (max);
          const float w = attni_exp2(x);
          *(st + 12) = w;
          sum3 = (sum3) + (w);
          ATTNI_FENCE(); /* see the decode family's */
        }
      }
    }
    factor = attni_exp2(old);
    sum0 = ((sum0) + (sum1)) + ((sum2) + (sum3));
    *(t->l + row) = ATTNI_FMA(*(t->l + row), factor, sum0);
    *(t->factor + row) = factor;
  }
}

/* The careful product: slow, and rarely needed. Weights of -0 tell which keys to leave out. */
static void attni_scalar_prefill_pv_masked(const attni_tile *t, attn_type type) {
  int32_t row, f, key;
  (void)type;
  attni_scalar_prefill_mask(t, ATTNI_NEG_ZERO_BITS);
  for (row = t->row0; row < 4; row += 1) {
    const float factor = *(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 4 + row;
      const float *vk = (const float *)t->kv.v + t->key_begin * t->kv.v_stride + f;
      float acc = 0.0f;
      for (key = t->key_begin; key < t->key_end[row / 1]; ++key, vk += t->kv.v_stride) {
        const float p = *(t->st + (size_t)key * 4 + row);
        const float b = *(vk);
        const float next = ATTNI_FMA(b, p, acc);
        acc = (attni_bits(p) == (ATTNI_NEG_ZERO_BITS) ? (acc) : (next));
      }
      if (!t->first) acc = ATTNI_FMA(*(ot), factor, acc);
      *(ot) = acc;
    }
  }
}

static void attni_scalar_prefill_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const float zero = (attni_zero);
  int32_t row, f, i;
  for (row = t->row0; row < 4; row += 1) {
    const float scale = *(inverse + row);
    float *const *const r = rows + row;
    const float *ot = t->ot + row;
    for (f = 0; f + 1 <= t->head_size_v; f += 1, ot += 4) {
      float x[1];
      x[0] = ATTNI_FMA(*(ot + 0), scale, zero);
      *(r[0] + f) = x[0];
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

/* to[row][d] = rows[row][d] * scale, and 0 behind the last column. */
static void attni_scalar_decode_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const int32_t floats = (int32_t)attni_scalar_decode_row_floats(size);
  int32_t row, d;
  for (row = t->row0; row < 16; ++row) {
    float *const out = to + (size_t)row * (size_t)floats;
    d = 0;
    for (; d < size; ++d) out[d] = rows[row][d] * scale;
    for (; d < floats; ++d) out[d] = 0.0f;
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
    for (key = t->key_begin; key < end; key += 1) {
      *(st + key) = (*(st + key)) * (*(scale + key));
    }
  }
}

/* Where keys before start are not allowed; with a bias, where it says so. */
static void attni_scalar_decode_mask(const attni_tile *t, uint32_t fill) {
  const float fill_f = attni_float(fill);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row], start = attni_min_i32(t->start[row], end);
    for (key = t->key_begin; key < start; ++key) st[key] = fill_f;
    if (t->bias_masks) {
      const float *const bias = t->bias + (size_t)row * 264;
      const float fill_v = attni_float(fill);
      for (key = t->key_begin; key < end; key += 1) {
        const float bias_v = *(bias + key);
        *(st + key) = (attni_bits(bias_v) == (ATTNI_NEG_INFINITY_BITS) ? (fill_v) : (*(st + key)));
      }
    }
  }
}

static void attni_scalar_decode_softcap(const attni_tile *t, float cap, float slope) {
  const float cap_v = (cap), slope_v = (slope);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];

    for (key = t->key_begin; key < end; key += 1) {
      const float s = *(st + key);
      *(st + key) = attni_softcap(s, cap_v, slope_v);
    }
  }
}

static bool attni_scalar_decode_add_bias(const attni_tile *t) {
  int32_t largest[1];
  int32_t most = 0;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    const float *const bias = t->bias_rows[row] - t->key_begin;
    for (key = t->key_begin; key < end; key += 1) {
      const float s = *(st + key);
      const float b = *(bias + key);
      most = attni_max_bits(most, b);
      *(st + key) = (s) + (b);
    }
  }
*(largest) = most;
  return attni_lanes_below(largest, 1, ATTNI_NEG_INFINITY_BITS);
}

static void attni_scalar_decode_alibi(const attni_tile *t) {
  const float counting = *(attni_counting);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    const float slope = (-t->slope[row]), position = (t->position[row]);
    for (key = t->key_begin; key < end; key += 1) {
      const float s = *(st + key);
      const float at = (((float)key)) + (counting);
      const float apart = (position) - (at);
      *(st + key) = ATTNI_FMA(slope, attni_float(attni_bits(apart) & 0x7fffffffu), s);
    }
  }
}

/* The careful product: slow, and rarely needed. Each row of values is converted for each row of weights, and its
 * part of an output is summed in the order of the fast product. */
static void attni_scalar_decode_pv_masked(const attni_tile *t, attn_type type) {
  const size_t floats = attni_scalar_decode_row_floats(t->head_size_v);
  float acc[ATTN_MAX_HEAD_SIZE], value[ATTN_MAX_HEAD_SIZE];
  int32_t row, key, f;
  attni_scalar_decode_mask(t, ATTNI_NEG_ZERO_BITS);
  memset(value, 0, floats * sizeof(float));
  for (row = t->row0; row < 16; ++row) {
    const float *const st = t->st + (size_t)row * 264;
    float *const ot = t->ot + (size_t)row * floats;
    const int32_t end = t->key_end[row];
    int32_t begin = t->key_begin, stop;
    bool start = true;
    do {
      const float factor = (start ? t->factor[row] : 1.0f);
      stop = attni_chain_end(begin, end, start, 64);
      memset(acc, 0, floats * sizeof(float));
      for (key = begin; key < stop; ++key) {
        const float w = (type == ATTN_I8 ? st[key] * t->scales_v[key] : st[key]);
        if (attni_bits(st[key]) == ATTNI_NEG_ZERO_BITS) continue;
        attni_scalar_widen_row(attni_at(t->kv.v, type, key * t->kv.v_stride), type, t->head_size_v, value);
        for (f = 0; f < (int32_t)floats; f += 1) {
          const float v_f = *(value + f);
          *(acc + f) = ATTNI_FMA(v_f, w, *(acc + f));
        }
      }
      for (f = 0; f < (int32_t)floats; f += 1) {
        const float sum = *(acc + f);
        *(ot + f) = t->first && start ? sum : ATTNI_FMA(*(ot + f), factor, sum);
      }
      begin = stop;
      start = false;
    } while (begin < end);
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
    for (key = t->key_begin; key < end; key += 1) {
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
    float max = (t->row_max[row]);
    float old = ((t->m[row])) - (max);
    float factor;
    float lanes[1];
    float sum = 0.0f;
    if (t->natural) {
      const float log2e = ((float)ATTNI_LOG2E);
      old = (old) * (log2e);
      for (key = t->key_begin; key < end; key += 1) {
        const float x = (*(st + key)) - (max);
        *(st + key) = (x) * (log2e);
      }
      max = 0.0f;
    }
    factor = attni_exp2(old);
    for (key = t->key_begin; key < end;) {
      const int32_t stop = attni_min_i32(end, key - key % 64 + 64);
      float part = 0.0f;
      for (; key < stop; key += 1) {
        const float x = (*(st + key)) - (max);
        const float w = attni_exp2(x);
        *(st + key) = w;
        part = (part) + (w);
        ATTNI_FENCE();
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
  const float zero = (attni_zero);
  int32_t row, f;
  for (row = t->row0; row < 16; ++row) {
    const float *const ot = t->ot + (size_t)row * floats;
    const float scale = (inverse[row]);
    for (f = 0; f + 1 <= t->head_size_v; f += 1) {
      *(rows[row] + f) = ATTNI_FMA(*(ot + f), scale, zero);
    }
  }
}
