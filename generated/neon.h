/* neon: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* What is below -127, minus infinity included, is raised to it, which gives 0; not NaN. Where the compiler
 * may assume that there is none, scale2 finds what is below -126 by its bits. */
static ATTNI_FORCE_INLINE float32x4_t attni_neon_clamp_tiny(float32x4_t x) {
#if ATTNI_FINITE_MATH
  return x;
#else
  return vmaxq_f32(vdupq_n_f32(-127.0f), x);
#endif
}

/* y * 2^n, by adding n to the exponent. */
static ATTNI_FORCE_INLINE float32x4_t attni_neon_scale2(float32x4_t y, float32x4_t n, float32x4_t x) {
  const int32x4_t scaled = vaddq_s32(vreinterpretq_s32_f32(y), vshlq_n_s32(vcvtq_s32_f32(n), 23));
#if ATTNI_FINITE_MATH
  const uint32x4_t i = vsubq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(ATTNI_TINY_FIRST));
  const uint32x4_t tiny = vcleq_u32(i, vdupq_n_u32(ATTNI_TINY_RANGE));
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_s32(scaled), tiny));
#else
  (void)x;
  return vreinterpretq_f32_s32(scaled);
#endif
}

/* As attni_to_bf16. */
static void attni_neon_store_bf16(uint16_t *p, float32x4_t x) {
  const uint32x4_t bits = vreinterpretq_u32_f32(x), upper = vshrq_n_u32(bits, 16);
  const uint32x4_t half = vaddq_u32(vandq_u32(upper, vdupq_n_u32(1)), vdupq_n_u32(0x7fff));
  const uint32x4_t rounded = vshrq_n_u32(vaddq_u32(bits, half), 16);
  const uint32x4_t nan = vcgtq_u32(vandq_u32(bits, vdupq_n_u32(0x7fffffff)), vdupq_n_u32(ATTNI_INFINITY_BITS));
  vst1_u16(p, vmovn_u32(vbslq_u32(nan, vorrq_u32(upper, vdupq_n_u32(0x40)), rounded)));
}

static ATTNI_UNUSED float32x4_t attni_neon_load_i8(const int8_t *p) {
  uint32_t four;
  memcpy(&four, p, sizeof four);
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(four))))));
}

/* The first n floats, 0 < n < 4; the other lanes are 0 and their memory is not read. */
static ATTNI_UNUSED float32x4_t attni_neon_load_part(const float *p, int32_t n) {
  float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  memcpy(part, p, (size_t)n * sizeof(float));
  return vld1q_f32(part);
}

#ifdef ATTN_USE_SLEEF
#ifdef __cplusplus
extern "C"
#endif
float32x4_t Sleef_exp2f4_u10advsimd(float32x4_t);
#endif

/* 2^x for x <= 0; below -126 it falls to 0, which it is from -127 on. The polynomial is for 2^r on [-1/2, 1/2]; its constant is exactly 1, so
 * that 2^0 = 1 exactly. Error and coefficients: docs/numerics.md. */
static ATTNI_FORCE_INLINE float32x4_t attni_neon_exp2(float32x4_t x) {
#ifdef ATTN_USE_SLEEF
  return Sleef_exp2f4_u10advsimd(x);
#else
  const float32x4_t clamped = attni_neon_clamp_tiny(x);
  const float32x4_t n = vrndnq_f32(clamped);
  const float32x4_t r = vsubq_f32(clamped, n);
  float32x4_t y = vdupq_n_f32(ATTNI_EXP2_C5);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C4), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C3), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C2), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C1), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C0), y, r);
  return attni_neon_scale2(y, n, clamped);
#endif
}

/* cap * tanh(s / cap), where slope = 2 log2(e) / cap: with e = exp(2 s / cap) - 1 it is cap * e / (e + 2). The polynomial
 * gives 2^r - 1 to its own relative error, so that small scores lose nothing. */
static ATTNI_FORCE_INLINE float32x4_t attni_neon_softcap(float32x4_t s, float32x4_t cap, float32x4_t slope) {
  const float32x4_t one = vdupq_n_f32(1.0f);
  const float32x4_t limited = vminq_f32(vdupq_n_f32(30.0f), vmulq_f32(s, slope));
  const float32x4_t x = vmaxq_f32(vdupq_n_f32(-30.0f), limited);
  const float32x4_t n = vrndnq_f32(x);
  const float32x4_t r = vsubq_f32(x, n);
  const float32x4_t power = attni_neon_scale2(one, n, x);
  float32x4_t y = vdupq_n_f32(0.00015383237f);
  y = vfmaq_f32(vdupq_n_f32(0.001338739f), y, r);
  y = vfmaq_f32(vdupq_n_f32(0.009618308f), y, r);
  y = vfmaq_f32(vdupq_n_f32(0.055503674f), y, r);
  y = vfmaq_f32(vdupq_n_f32(0.24022649f), y, r);
  y = vfmaq_f32(vdupq_n_f32(0.6931472f), y, r);
  y = vfmaq_f32(vsubq_f32(power, one), vmulq_f32(y, r), power);
  y = vmulq_f32(cap, vdivq_f32(y, vaddq_f32(y, vdupq_n_f32(2.0f))));
  return vbslq_f32(vcgtq_u32(vandq_u32(vreinterpretq_u32_f32(s), vdupq_n_u32(0x7fffffff)), vdupq_n_u32(ATTNI_INFINITY_BITS)), s, y);
}

/* The first n elements, 0 < n < 4; the other lanes are 0 and their memory is not read. */
static ATTNI_UNUSED float32x4_t attni_neon_load_part_f16(const uint16_t *p, int32_t n) {
  uint16_t part[4] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(part)));
}

/* The first n elements, 0 < n < 4; the other lanes are 0 and their memory is not read. */
static ATTNI_UNUSED float32x4_t attni_neon_load_part_bf16(const uint16_t *p, int32_t n) {
  uint16_t part[4] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(part), 16));
}

/* The first n elements, 0 < n < 4; the other lanes are 0 and their memory is not read. */
static ATTNI_UNUSED float32x4_t attni_neon_load_part_i8(const int8_t *p, int32_t n) {
  int8_t part[4] = {0};
  memcpy(part, p, (size_t)n * sizeof part[0]);
  return attni_neon_load_i8(part);
}

static void attni_neon_widen(const void *from, attn_type type, float scale, int64_t count, float *to) {
  int64_t i = 0;
  if (type == ATTN_F16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 4 <= count; i += 4) {
      const float32x4_t x_i = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x + i)));
      vst1q_f32(to + i, x_i);
    }
    for (; i < count; ++i) to[i] = attni_from_f16(x[i]);
  } else if (type == ATTN_BF16) {
    const uint16_t *const x = (const uint16_t *)from;
    for (; i + 4 <= count; i += 4) {
      const float32x4_t x_i = vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(x + i), 16));
      vst1q_f32(to + i, x_i);
    }
    for (; i < count; ++i) to[i] = attni_from_bf16(x[i]);
  } else {
    const int8_t *const x = (const int8_t *)from;
    const float32x4_t scale_v = vdupq_n_f32(scale);
    for (; i + 4 <= count; i += 4) {
      const float32x4_t x_i = attni_neon_load_i8(x + i);
      vst1q_f32(to + i, vmulq_f32(x_i, scale_v));
    }
    for (; i < count; ++i) to[i] = (float)x[i] * scale;
  }
}

/* As f32, ATTN_I8 without its scale. */
static void attni_neon_widen_row(const void *from, attn_type type, int64_t count, float *to) {
  if (type == ATTN_F32) {
    memcpy(to, from, (size_t)count * sizeof(float));
  } else {
    attni_neon_widen(from, type, 1.0f, count, to);
  }
}

static void attni_neon_narrow(const float *from, attn_type type, int64_t count, void *to) {
  uint16_t *const x = (uint16_t *)to;
  int64_t i = 0;
  if (type == ATTN_F16) {
    for (; i + 4 <= count; i += 4) {
      const float32x4_t from_i = vld1q_f32(from + i);
      vst1_u16(x + i, vreinterpret_u16_f16(vcvt_f16_f32(from_i)));
    }
    for (; i < count; ++i) x[i] = attni_to_f16(from[i]);
  } else {
    for (; i + 4 <= count; i += 4) {
      const float32x4_t from_i = vld1q_f32(from + i);
      attni_neon_store_bf16(x + i, from_i);
    }
    for (; i < count; ++i) x[i] = attni_to_bf16(from[i]);
  }
}

/* x[i] lane j = x[j] lane i. */
static ATTNI_FORCE_INLINE void attni_neon_transpose(float32x4_t *x) {
  const float32x4_t t0_0 = vzip1q_f32(x[0], x[1]);
  const float32x4_t t0_1 = vzip2q_f32(x[0], x[1]);
  const float32x4_t t0_2 = vzip1q_f32(x[2], x[3]);
  const float32x4_t t0_3 = vzip2q_f32(x[2], x[3]);
  const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
  const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
  const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
  const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
  x[0] = t1_0;
  x[1] = t1_1;
  x[2] = t1_2;
  x[3] = t1_3;
}

/* to[d][row] = rows[row][d] * scale, 4 rows by 4 columns at a time. */
static void attni_neon_prefill_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const float32x4_t scale_v = vdupq_n_f32(scale);
  int32_t row, d;
  for (row = t->row0; row < 12; row += 4) {
    const float *const *const r = rows + row;
    float *out = to + row;
    for (d = 0; d + 4 <= size; d += 4, out += 48) {
      float32x4_t x[4];
      x[0] = vmulq_f32(vld1q_f32(r[0] + d), scale_v);
      x[1] = vmulq_f32(vld1q_f32(r[1] + d), scale_v);
      x[2] = vmulq_f32(vld1q_f32(r[2] + d), scale_v);
      x[3] = vmulq_f32(vld1q_f32(r[3] + d), scale_v);
      attni_neon_transpose(x);
      vst1q_f32(out + 0, x[0]);
      vst1q_f32(out + 12, x[1]);
      vst1q_f32(out + 24, x[2]);
      vst1q_f32(out + 36, x[3]);
    }
    for (; d < size; ++d, out += 12) {
      int32_t i;
      for (i = 0; i < 4; ++i) out[i] = r[i][d] * scale;
    }
  }
}

static bool attni_neon_prefill_finite(const float *x, int64_t stride, int32_t rows, int32_t size) {
  int32_t largest[4];
  int32x4_t max = vdupq_n_s32(0);
  int32_t row, i;
  for (row = 0; row < rows; ++row, x += stride) {
    for (i = 0; i + 16 <= size; i += 16) {
      const float32x4_t x0 = vld1q_f32(x + i);
      const float32x4_t x1 = vld1q_f32(x + i + 4);
      const float32x4_t x2 = vld1q_f32(x + i + 8);
      const float32x4_t x3 = vld1q_f32(x + i + 12);
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(x0), vdupq_n_s32(INT32_MAX)));
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(x1), vdupq_n_s32(INT32_MAX)));
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(x2), vdupq_n_s32(INT32_MAX)));
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(x3), vdupq_n_s32(INT32_MAX)));
    }
    for (; i + 4 <= size; i += 4) {
      const float32x4_t x_i = vld1q_f32(x + i);
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(x_i), vdupq_n_s32(INT32_MAX)));
    }
    for (; i < size; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  vst1q_s32(largest, max);
  return attni_lanes_below(largest, 4, ATTNI_INFINITY_BITS);
}

/* Where the keys before key_from and from key_full on are not allowed; all of them with a bias. */
static void attni_neon_prefill_mask(const attni_tile *t, uint32_t fill) {
  const float32x4_t fill_v = vreinterpretq_f32_u32(vdupq_n_u32(fill));
  const float *const bias = t->bias_masks ? t->bias : NULL;
  float *const st = t->st;
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t *const start = t->start + row, *const limit = t->limit + row;
    const int32_t from = t->key_from[row / 4], full = t->key_full[row / 4];
    const int32_t end = t->key_end[row / 4];
    for (key = t->key_begin; key < end; ++key) {
      const size_t at = (size_t)key * 12 + (size_t)row;
      float32x4_t s;
      if (key == from && key < full) {
        key = full - 1;
        continue;
      }
      s = vld1q_f32(st + at);
      s = vbslq_f32(vcgtq_s32(vld1q_s32(start), vdupq_n_s32(key)), fill_v, s);
      s = vbslq_f32(vcgtq_s32(vld1q_s32(limit), vdupq_n_s32(key)), s, fill_v);
      if (bias != NULL) {
        const float32x4_t b = vld1q_f32(bias + at);
        s = vbslq_f32(vceqq_u32(vreinterpretq_u32_f32(b), vdupq_n_u32(ATTNI_NEG_INFINITY_BITS)), fill_v, s);
      }
      vst1q_f32(st + at, s);
    }
  }
}

static void attni_neon_prefill_softcap(const attni_tile *t, float cap, float slope) {
  const float32x4_t cap_v = vdupq_n_f32(cap), slope_v = vdupq_n_f32(slope);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t end = t->key_end[row / 4];
    float *st = t->st + (size_t)begin * 12 + row;
    float32x4_t max = vld1q_f32(t->m + row), max_1 = max;

    for (key = begin; key + 2 <= end; key += 2, st += 24) {
      {
        float32x4_t s = vld1q_f32(st);
        s = attni_neon_softcap(s, cap_v, slope_v);
        max = vmaxq_f32(max, s);
        vst1q_f32(st, s);
      }
      {
        float32x4_t s = vld1q_f32(st + 12);
        s = attni_neon_softcap(s, cap_v, slope_v);
        max_1 = vmaxq_f32(max_1, s);
        vst1q_f32(st + 12, s);
      }
    }
    if (key < end) {
      float32x4_t s = vld1q_f32(st);
      s = attni_neon_softcap(s, cap_v, slope_v);
      max = vmaxq_f32(max, s);
      vst1q_f32(st, s);
    }
    vst1q_f32(t->row_max + row, vmaxq_f32(max, max_1));
  }
}

static bool attni_neon_prefill_add_bias(const attni_tile *t) {
  int32_t largest[4];
  int32x4_t most = vdupq_n_s32(0);
  int32_t row, key, i;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t keys = t->key_end[row / 4] - t->key_begin;
    const float *const *const r = t->bias_rows + row;
    float *st = t->st + (size_t)t->key_begin * 12 + row;
    float32x4_t max = vld1q_f32(t->m + row), max_1 = max; /* in turns: each waits for its last */
    for (key = 0; key + 4 <= keys; key += 4, st += 48) {
      float32x4_t x[4];
      x[0] = vld1q_f32(r[0] + key);
      x[1] = vld1q_f32(r[1] + key);
      x[2] = vld1q_f32(r[2] + key);
      x[3] = vld1q_f32(r[3] + key);
      attni_neon_transpose(x);
      most = vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32(most), vreinterpretq_u32_f32(x[0])));
      x[0] = vaddq_f32(vld1q_f32(st + 0), x[0]);
      max = vmaxq_f32(max, x[0]);
      vst1q_f32(st + 0, x[0]);
      most = vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32(most), vreinterpretq_u32_f32(x[1])));
      x[1] = vaddq_f32(vld1q_f32(st + 12), x[1]);
      max_1 = vmaxq_f32(max_1, x[1]);
      vst1q_f32(st + 12, x[1]);
      most = vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32(most), vreinterpretq_u32_f32(x[2])));
      x[2] = vaddq_f32(vld1q_f32(st + 24), x[2]);
      max = vmaxq_f32(max, x[2]);
      vst1q_f32(st + 24, x[2]);
      most = vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32(most), vreinterpretq_u32_f32(x[3])));
      x[3] = vaddq_f32(vld1q_f32(st + 36), x[3]);
      max_1 = vmaxq_f32(max_1, x[3]);
      vst1q_f32(st + 36, x[3]);
    }
    for (; key < keys; ++key, st += 12) {
      float column[4];
      float32x4_t x;
      for (i = 0; i < 4; ++i) column[i] = r[i][key];
      x = vld1q_f32(column);
      most = vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32(most), vreinterpretq_u32_f32(x)));
      x = vaddq_f32(vld1q_f32(st), x);
      max = vmaxq_f32(max, x);
      vst1q_f32(st, x);
    }
    vst1q_f32(t->row_max + row, vmaxq_f32(max, max_1));
  }
  vst1q_s32(largest, most);
  return attni_lanes_below(largest, 4, ATTNI_NEG_INFINITY_BITS);
}

static void attni_neon_prefill_alibi(const attni_tile *t) {
  const float32x4_t zero = vdupq_n_f32(0.0f), two = vdupq_n_f32(2.0f);
  const int32_t begin = t->key_begin;
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t end = t->key_end[row / 4];
    float *st = t->st + (size_t)begin * 12 + row;
    float32x4_t max = vld1q_f32(t->m + row), max_1 = max;
    const float32x4_t slope = vsubq_f32(zero, vld1q_f32(t->slope + row)), position = vld1q_f32(t->position + row);
    float32x4_t at = vdupq_n_f32((float)begin), at_1 = vdupq_n_f32((float)(begin + 1));
    for (key = begin; key + 2 <= end; key += 2, st += 24) {
      {
        float32x4_t s = vld1q_f32(st);
        s = vfmaq_f32(s, slope, vabsq_f32(vsubq_f32(position, at)));
        at = vaddq_f32(at, two);
        max = vmaxq_f32(max, s);
        vst1q_f32(st, s);
      }
      {
        float32x4_t s = vld1q_f32(st + 12);
        s = vfmaq_f32(s, slope, vabsq_f32(vsubq_f32(position, at_1)));
        at_1 = vaddq_f32(at_1, two);
        max_1 = vmaxq_f32(max_1, s);
        vst1q_f32(st + 12, s);
      }
    }
    if (key < end) {
      float32x4_t s = vld1q_f32(st);
      s = vfmaq_f32(s, slope, vabsq_f32(vsubq_f32(position, at)));
      at = vaddq_f32(at, two);
      max = vmaxq_f32(max, s);
      vst1q_f32(st, s);
    }
    vst1q_f32(t->row_max + row, vmaxq_f32(max, max_1));
  }
}

static void attni_neon_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t end = t->key_end[row / 4];
    const float *st = t->st + (size_t)t->key_begin * 12 + row;
    float32x4_t max0 = vld1q_f32(t->m + row), max1 = max0, max2 = max0, max3 = max0;
    for (key = t->key_begin; key + 4 <= end; key += 4, st += 48) {
      const float32x4_t s0 = vld1q_f32(st + 0);
      const float32x4_t s1 = vld1q_f32(st + 12);
      const float32x4_t s2 = vld1q_f32(st + 24);
      const float32x4_t s3 = vld1q_f32(st + 36);
      max0 = vmaxq_f32(max0, s0);
      max1 = vmaxq_f32(max1, s1);
      max2 = vmaxq_f32(max2, s2);
      max3 = vmaxq_f32(max3, s3);
    }
    for (; key < end; ++key, st += 12) {
      const float32x4_t s = vld1q_f32(st);
      max0 = vmaxq_f32(max0, s);
    }
    max0 = vmaxq_f32(max0, max1);
    max2 = vmaxq_f32(max2, max3);
    vst1q_f32(t->row_max + row, vmaxq_f32(max0, max2));
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
static void attni_neon_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t end = t->key_end[row / 4];
    const float32x4_t max = vld1q_f32(t->row_max + row);
    float32x4_t old = vsubq_f32(vld1q_f32(t->m + row), max);
    float32x4_t factor;
    float *st = t->st + (size_t)t->key_begin * 12 + row;
    float32x4_t sum0 = vdupq_n_f32(0.0f);
    float32x4_t sum1 = vdupq_n_f32(0.0f);
    float32x4_t sum2 = vdupq_n_f32(0.0f);
    float32x4_t sum3 = vdupq_n_f32(0.0f);
    for (key = end; key % 4 != 0; ++key) {
      vst1q_f32(t->st + (size_t)key * 12 + row, vreinterpretq_f32_u32(vdupq_n_u32(ATTNI_NEG_INFINITY_BITS)));
    }
    if (t->natural) {
      old = vmulq_f32(old, vdupq_n_f32((float)ATTNI_LOG2E));
      for (key = t->key_begin; key < end; key += 4, st += 48) {
        {
          const float32x4_t x = vmulq_f32(vsubq_f32(vld1q_f32(st + 0), max), vdupq_n_f32((float)ATTNI_LOG2E));
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 0, w);
          sum0 = vaddq_f32(sum0, w);
        }
        {
          const float32x4_t x = vmulq_f32(vsubq_f32(vld1q_f32(st + 12), max), vdupq_n_f32((float)ATTNI_LOG2E));
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 12, w);
          sum1 = vaddq_f32(sum1, w);
        }
        {
          const float32x4_t x = vmulq_f32(vsubq_f32(vld1q_f32(st + 24), max), vdupq_n_f32((float)ATTNI_LOG2E));
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 24, w);
          sum2 = vaddq_f32(sum2, w);
        }
        {
          const float32x4_t x = vmulq_f32(vsubq_f32(vld1q_f32(st + 36), max), vdupq_n_f32((float)ATTNI_LOG2E));
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 36, w);
          sum3 = vaddq_f32(sum3, w);
        }
      }
    } else {
      for (key = t->key_begin; key < end; key += 4, st += 48) {
        {
          const float32x4_t x = vsubq_f32(vld1q_f32(st + 0), max);
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 0, w);
          sum0 = vaddq_f32(sum0, w);
        }
        {
          const float32x4_t x = vsubq_f32(vld1q_f32(st + 12), max);
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 12, w);
          sum1 = vaddq_f32(sum1, w);
        }
        {
          const float32x4_t x = vsubq_f32(vld1q_f32(st + 24), max);
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 24, w);
          sum2 = vaddq_f32(sum2, w);
        }
        {
          const float32x4_t x = vsubq_f32(vld1q_f32(st + 36), max);
          const float32x4_t w = attni_neon_exp2(x);
          vst1q_f32(st + 36, w);
          sum3 = vaddq_f32(sum3, w);
        }
      }
    }
    factor = attni_neon_exp2(old);
    sum0 = vaddq_f32(vaddq_f32(sum0, sum1), vaddq_f32(sum2, sum3));
    vst1q_f32(t->l + row, vfmaq_f32(sum0, vld1q_f32(t->l + row), factor));
    vst1q_f32(t->factor + row, factor);
  }
}

/* The careful product: slow, and rarely needed. Weights of -0 tell which keys to leave out. */
static void attni_neon_prefill_pv_masked(const attni_tile *t, attn_type type) {
  int32_t row, f, key;
  (void)type;
  attni_neon_prefill_mask(t, ATTNI_NEG_ZERO_BITS);
  for (row = t->row0; row < 12; row += 4) {
    const float32x4_t factor = vld1q_f32(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 12 + row;
      const float *vk = (const float *)t->kv.v + t->key_begin * t->kv.v_stride + f;
      float32x4_t acc = vdupq_n_f32(0.0f);
      for (key = t->key_begin; key < t->key_end[row / 4]; ++key, vk += t->kv.v_stride) {
        const float32x4_t p = vld1q_f32(t->st + (size_t)key * 12 + row);
        const float32x4_t b = vld1q_dup_f32(vk);
        const float32x4_t next = vfmaq_f32(acc, b, p);
        acc = vbslq_f32(vceqq_u32(vreinterpretq_u32_f32(p), vdupq_n_u32(ATTNI_NEG_ZERO_BITS)), acc, next);
      }
      if (!t->first) acc = vfmaq_f32(acc, vld1q_f32(ot), factor);
      vst1q_f32(ot, acc);
    }
  }
}

static void attni_neon_prefill_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const float32x4_t zero = vdupq_n_f32(attni_zero);
  int32_t row, f, i;
  for (row = t->row0; row < 12; row += 4) {
    const float32x4_t scale = vld1q_f32(inverse + row);
    float *const *const r = rows + row;
    const float *ot = t->ot + row;
    for (f = 0; f + 4 <= t->head_size_v; f += 4, ot += 48) {
      float32x4_t x[4];
      x[0] = vfmaq_f32(zero, vld1q_f32(ot + 0), scale);
      x[1] = vfmaq_f32(zero, vld1q_f32(ot + 12), scale);
      x[2] = vfmaq_f32(zero, vld1q_f32(ot + 24), scale);
      x[3] = vfmaq_f32(zero, vld1q_f32(ot + 36), scale);
      attni_neon_transpose(x);
      vst1q_f32(r[0] + f, x[0]);
      vst1q_f32(r[1] + f, x[1]);
      vst1q_f32(r[2] + f, x[2]);
      vst1q_f32(r[3] + f, x[3]);
    }
    for (; f < t->head_size_v; ++f, ot += 12) {
      float x[4];
      vst1q_f32(x, vfmaq_f32(zero, vld1q_f32(ot), scale));
      for (i = 0; i < 4; ++i) r[i][f] = x[i];
    }
  }
}

#ifdef ATTNI_HAVE_NEON_BF16

ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float32x4_t attni_neon_dot2(float32x4_t a, float32x4_t b, float32x4_t sum) {
  __asm__("bfdot %0.4s, %1.8h, %2.8h" : "+w"(sum) : "w"(a), "w"(b));
  return sum;
}

ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float32x4_t attni_neon_dot2_pair(float a, float32x4_t b, float32x4_t sum) {
  __asm__("bfdot %0.4s, %1.8h, %2.2h[0]" : "+w"(sum) : "w"(b), "w"(a));
  return sum;
}

/* As a float, since an integer would come by way of a general register. */
ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float attni_neon_load_pair(const uint16_t *p) {
  float pair;
  memcpy(&pair, p, sizeof pair);
  return pair;
}

ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float32x4_t attni_neon_pair_bf16(float32x4_t a, float32x4_t b) {
  uint16x8_t low, high;
  __asm__("bfcvtn %0.4h, %1.4s" : "=w"(low) : "w"(a));
  __asm__("bfcvtn %0.4h, %1.4s" : "=w"(high) : "w"(b));
  return vreinterpretq_f32_u16(vzip1q_u16(low, high));
}

/* qt[d / 2][row] = features d and d+1 of rows[row], 4 rows by 4 pairs at a time. Pairs are moved as
 * floats, but never computed with: any bits must arrive. */
ATTNI_TARGET_NEON_BF16
static void attni_neon_prefill_bf16_pack_q(const attni_tile *t, const float *const *rows) {
  const int32_t pairs = (t->head_size + 1) / 2;
  int32_t row, d;
  for (row = t->row0; row < 12; row += 4) {
    const float *const *const r = rows + row;
    float *qt = t->qt + row;
    for (d = 0; d + 4 <= pairs; d += 4, qt += 48) {
      float32x4_t x[4];
      x[0] = vld1q_f32(r[0] + d);
      x[1] = vld1q_f32(r[1] + d);
      x[2] = vld1q_f32(r[2] + d);
      x[3] = vld1q_f32(r[3] + d);
      attni_neon_transpose(x);
      vst1q_f32(qt + 0, x[0]);
      vst1q_f32(qt + 12, x[1]);
      vst1q_f32(qt + 24, x[2]);
      vst1q_f32(qt + 36, x[3]);
    }
    for (; d < pairs; ++d, qt += 12) {
      int32_t i;
      for (i = 0; i < 4; ++i) memcpy(qt + i, r[i] + d, sizeof qt[i]);
    }
  }
}

/* to[f] = value f of two keys, b's in the upper half, or 0 if b is null. */
ATTNI_TARGET_NEON_BF16
static void attni_neon_prefill_bf16_pack_v(const uint16_t *a, const uint16_t *b, int64_t count, float *to) {
  int64_t f = 0;
  for (; b != NULL && f + 4 <= count; f += 4) {
    vst1q_f32(to + f, vreinterpretq_f32_u32(vorrq_u32(vmovl_u16(vld1_u16(a + f)), vshll_n_u16(vld1_u16(b + f), 16))));
  }
  for (; f < count; ++f) {
    const uint32_t pair = a[f] | (b == NULL ? 0 : (uint32_t)b[f] << 16);
    memcpy(to + f, &pair, sizeof pair);
  }
}

ATTNI_TARGET_NEON_BF16
static bool attni_neon_prefill_bf16_finite_pairs(const float *x, int64_t stride, int32_t rows, int32_t size) {
  int32_t largest[4];
  int32x4_t max = vdupq_n_s32(0);
  int32_t row, i;
  for (row = 0; row < rows; ++row, x += stride) {
    for (i = 0; i + 4 <= size; i += 4) {
      const float32x4_t x_i = vld1q_f32(x + i);
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(x_i), vdupq_n_s32(INT32_MAX)));
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(x_i), 16))), vdupq_n_s32(INT32_MAX)));
    }
    for (; i < size; ++i) {
      const uint32_t pair = attni_pair((const uint16_t *)(const void *)(x + i));
      if (!attni_is_finite(attni_float(pair)) || !attni_is_finite(attni_float(pair << 16))) return false;
    }
  }
  vst1q_s32(largest, max);
  return attni_lanes_below(largest, 4, ATTNI_INFINITY_BITS);
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0.
 * Pairs of weights take the place of the scores; the sum is that of the weights before they are rounded. */
ATTNI_TARGET_NEON_BF16
static void attni_neon_prefill_bf16_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t end = t->key_end[row / 4];
    const float32x4_t max = vld1q_f32(t->row_max + row);
    float32x4_t old = vsubq_f32(vld1q_f32(t->m + row), max);
    float32x4_t factor;
    float *st = t->st + (size_t)t->key_begin * 12 + row;
    float *pairs = t->st + (size_t)(t->key_begin / 2) * 12 + row;
    float32x4_t sum0 = vdupq_n_f32(0.0f);
    float32x4_t sum1 = vdupq_n_f32(0.0f);
    float32x4_t sum2 = vdupq_n_f32(0.0f);
    float32x4_t sum3 = vdupq_n_f32(0.0f);
    for (key = end; key % 4 != 0; ++key) {
      vst1q_f32(t->st + (size_t)key * 12 + row, vreinterpretq_f32_u32(vdupq_n_u32(ATTNI_NEG_INFINITY_BITS)));
    }
    if (t->natural) {
      old = vmulq_f32(old, vdupq_n_f32((float)ATTNI_LOG2E));
      for (key = t->key_begin; key < end; key += 4, st += 48) {
        const float32x4_t x0 = vmulq_f32(vsubq_f32(vld1q_f32(st + 0), max), vdupq_n_f32((float)ATTNI_LOG2E));
        const float32x4_t w0 = attni_neon_exp2(x0);
        const float32x4_t x1 = vmulq_f32(vsubq_f32(vld1q_f32(st + 12), max), vdupq_n_f32((float)ATTNI_LOG2E));
        const float32x4_t w1 = attni_neon_exp2(x1);
        const float32x4_t x2 = vmulq_f32(vsubq_f32(vld1q_f32(st + 24), max), vdupq_n_f32((float)ATTNI_LOG2E));
        const float32x4_t w2 = attni_neon_exp2(x2);
        const float32x4_t x3 = vmulq_f32(vsubq_f32(vld1q_f32(st + 36), max), vdupq_n_f32((float)ATTNI_LOG2E));
        const float32x4_t w3 = attni_neon_exp2(x3);
        vst1q_f32(pairs, attni_neon_pair_bf16(w0, w1));
        vst1q_f32(pairs + 12, attni_neon_pair_bf16(w2, w3));
        sum0 = vaddq_f32(sum0, w0);
        sum1 = vaddq_f32(sum1, w1);
        sum2 = vaddq_f32(sum2, w2);
        sum3 = vaddq_f32(sum3, w3);
        pairs += 24;
      }
    } else {
      for (key = t->key_begin; key < end; key += 4, st += 48) {
        const float32x4_t x0 = vsubq_f32(vld1q_f32(st + 0), max);
        const float32x4_t w0 = attni_neon_exp2(x0);
        const float32x4_t x1 = vsubq_f32(vld1q_f32(st + 12), max);
        const float32x4_t w1 = attni_neon_exp2(x1);
        const float32x4_t x2 = vsubq_f32(vld1q_f32(st + 24), max);
        const float32x4_t w2 = attni_neon_exp2(x2);
        const float32x4_t x3 = vsubq_f32(vld1q_f32(st + 36), max);
        const float32x4_t w3 = attni_neon_exp2(x3);
        vst1q_f32(pairs, attni_neon_pair_bf16(w0, w1));
        vst1q_f32(pairs + 12, attni_neon_pair_bf16(w2, w3));
        sum0 = vaddq_f32(sum0, w0);
        sum1 = vaddq_f32(sum1, w1);
        sum2 = vaddq_f32(sum2, w2);
        sum3 = vaddq_f32(sum3, w3);
        pairs += 24;
      }
    }
    factor = attni_neon_exp2(old);
    sum0 = vaddq_f32(vaddq_f32(sum0, sum1), vaddq_f32(sum2, sum3));
    vst1q_f32(t->l + row, vfmaq_f32(sum0, vld1q_f32(t->l + row), factor));
    vst1q_f32(t->factor + row, factor);
  }
}

/* Behind the weights: per pair of keys and row, a mask of what the row may see of the pair. */
static void attni_neon_prefill_bf16_keep(const attni_tile *t, float *keep) {
  int32_t row, key, i;
  for (row = t->row0; row < 12; row += 4) {
    for (key = t->key_begin; key < t->key_end[row / 4]; key += 2) {
      for (i = row; i < row + 4; ++i) {
        bool low = key >= t->start[i] && key < t->limit[i];
        bool high = key + 1 >= t->start[i] && key + 1 < t->limit[i];
        uint32_t mask;
        if (t->bias_masks) {
          const float *const bias = t->bias + (size_t)key * 12 + i;
          low = low && attni_bits(bias[0]) != ATTNI_NEG_INFINITY_BITS;
          high = high && attni_bits(bias[12]) != ATTNI_NEG_INFINITY_BITS;
        }
        mask = (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u);
        memcpy(keep + (size_t)(key / 2) * 12 + i, &mask, sizeof mask);
      }
    }
  }
}

/* The careful product: a row takes 0 for the values of keys that it must not see. */
ATTNI_TARGET_NEON_BF16
static void attni_neon_prefill_bf16_pv_masked(const attni_tile *t, attn_type type) {
  float *const keep = t->st + 576;
  int32_t row, f, key;
  (void)type;
  attni_neon_prefill_bf16_keep(t, keep);
  for (row = t->row0; row < 12; row += 4) {
    const float32x4_t factor = vld1q_f32(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 12 + row;
      const uint16_t *vk = (const uint16_t *)t->kv.v + t->key_begin / 2 * t->kv.v_stride + 2 * f;
      float32x4_t acc = vdupq_n_f32(0.0f);
      for (key = t->key_begin; key < t->key_end[row / 4]; key += 2, vk += t->kv.v_stride) {
        const size_t at = (size_t)(key / 2) * 12 + (size_t)row;
        const float32x4_t b = vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(vld1q_f32(keep + at)), vreinterpretq_u32_f32(vreinterpretq_f32_u32(vdupq_n_u32(attni_pair(vk))))));
        acc = attni_neon_dot2(b, vld1q_f32(t->st + at), acc);
      }
      if (!t->first) acc = vfmaq_f32(acc, vld1q_f32(ot), factor);
      vst1q_f32(ot, acc);
    }
  }
}

#endif /* ATTNI_HAVE_NEON_BF16 */

/* A row of qt or ot takes whole multiples of 8 floats. */
static size_t attni_neon_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 7) / 8 * 8;
}

/* to[row][d] = rows[row][d] * scale, and 0 behind the last column. */
static void attni_neon_decode_pack(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to) {
  const int32_t floats = (int32_t)attni_neon_decode_row_floats(size);
  const float32x4_t scale_v = vdupq_n_f32(scale);
  int32_t row, d;
  for (row = t->row0; row < 16; ++row) {
    float *const out = to + (size_t)row * (size_t)floats;
    d = 0;
    for (; d + 4 <= size; d += 4) {
      vst1q_f32(out + d, vmulq_f32(vld1q_f32(rows[row] + d), scale_v));
    }
    for (; d < size; ++d) out[d] = rows[row][d] * scale;
    for (; d < floats; ++d) out[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_neon_decode_max_lanes(const float *x) {
  float y[4];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 2; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] = y[i + n] > y[i] ? y[i + n] : y[i];
  }
  return y[0];
}

/* The sum of the lanes, as a tree. */
static float attni_neon_decode_sum_lanes(const float *x) {
  float y[4];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 2; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] += y[i + n];
  }
  return y[0];
}

/* st[row][key] times scale[key], the scales of ATTN_I8: of scores, and then of weights, which PV takes so. */
static void attni_neon_decode_scale(const attni_tile *t, const float *scale) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    for (key = end; key % 4 != 0; ++key) st[key] = 0.0f;
    for (key = t->key_begin; key < end; key += 4) {
      vst1q_f32(st + key, vmulq_f32(vld1q_f32(st + key), vld1q_f32(scale + key)));
    }
  }
}

/* Where keys before start are not allowed; with a bias, where it says so. */
static void attni_neon_decode_mask(const attni_tile *t, uint32_t fill) {
  const float fill_f = attni_float(fill);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row], start = attni_min_i32(t->start[row], end);
    for (key = t->key_begin; key < start; ++key) st[key] = fill_f;
    if (t->bias_masks) {
      const float *const bias = t->bias + (size_t)row * 264;
      const float32x4_t fill_v = vreinterpretq_f32_u32(vdupq_n_u32(fill));
      for (key = t->key_begin; key < end; key += 4) {
        const float32x4_t bias_v = vld1q_f32(bias + key);
        vst1q_f32(st + key, vbslq_f32(vceqq_u32(vreinterpretq_u32_f32(bias_v), vdupq_n_u32(ATTNI_NEG_INFINITY_BITS)), fill_v, vld1q_f32(st + key)));
      }
    }
  }
}

static void attni_neon_decode_softcap(const attni_tile *t, float cap, float slope) {
  const float32x4_t cap_v = vdupq_n_f32(cap), slope_v = vdupq_n_f32(slope);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];

    for (key = t->key_begin; key < end; key += 4) {
      const float32x4_t s = vld1q_f32(st + key);
      vst1q_f32(st + key, attni_neon_softcap(s, cap_v, slope_v));
    }
  }
}

static bool attni_neon_decode_add_bias(const attni_tile *t) {
  int32_t largest[4];
  int32x4_t most = vdupq_n_s32(0);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    const float *const bias = t->bias_rows[row] - t->key_begin;
    for (key = t->key_begin; key < end; key += 4) {
      const float32x4_t s = vld1q_f32(st + key);
      const float32x4_t b = vld1q_f32(bias + key);
      most = vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32(most), vreinterpretq_u32_f32(b)));
      vst1q_f32(st + key, vaddq_f32(s, b));
    }
  }
vst1q_s32(largest, most);
  return attni_lanes_below(largest, 4, ATTNI_NEG_INFINITY_BITS);
}

static void attni_neon_decode_alibi(const attni_tile *t) {
  const float32x4_t counting = vld1q_f32(attni_counting);
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    const float32x4_t slope = vdupq_n_f32(-t->slope[row]), position = vdupq_n_f32(t->position[row]);
    for (key = t->key_begin; key < end; key += 4) {
      const float32x4_t s = vld1q_f32(st + key);
      const float32x4_t at = vaddq_f32(vdupq_n_f32((float)key), counting);
      const float32x4_t apart = vsubq_f32(position, at);
      vst1q_f32(st + key, vfmaq_f32(s, slope, vabsq_f32(apart)));
    }
  }
}

/* The careful product: slow, and rarely needed. Each row of values is converted for each row of weights, and its
 * part of an output is summed in the order of the fast product. */
static void attni_neon_decode_pv_masked(const attni_tile *t, attn_type type) {
  const size_t floats = attni_neon_decode_row_floats(t->head_size_v);
  float acc[ATTN_MAX_HEAD_SIZE], value[ATTN_MAX_HEAD_SIZE];
  int32_t row, key, f;
  attni_neon_decode_mask(t, ATTNI_NEG_ZERO_BITS);
  memset(value, 0, floats * sizeof(float));
  for (row = t->row0; row < 16; ++row) {
    const float *const st = t->st + (size_t)row * 264;
    float *const ot = t->ot + (size_t)row * floats;
    const int32_t end = t->key_end[row];
    int32_t begin = t->key_begin, stop;
    bool start = true;
    do {
      const float32x4_t factor = vdupq_n_f32(start ? t->factor[row] : 1.0f);
      stop = attni_chain_end(begin, end, start, 64);
      memset(acc, 0, floats * sizeof(float));
      for (key = begin; key < stop; ++key) {
        const float32x4_t w = vdupq_n_f32(type == ATTN_I8 ? st[key] * t->scales_v[key] : st[key]);
        if (attni_bits(st[key]) == ATTNI_NEG_ZERO_BITS) continue;
        attni_neon_widen_row(attni_at(t->kv.v, type, key * t->kv.v_stride), type, t->head_size_v, value);
        for (f = 0; f < (int32_t)floats; f += 4) {
          const float32x4_t v_f = vld1q_f32(value + f);
          vst1q_f32(acc + f, vfmaq_f32(vld1q_f32(acc + f), v_f, w));
        }
      }
      for (f = 0; f < (int32_t)floats; f += 4) {
        const float32x4_t sum = vld1q_f32(acc + f);
        vst1q_f32(ot + f, t->first && start ? sum : vfmaq_f32(sum, vld1q_f32(ot + f), factor));
      }
      begin = stop;
      start = false;
    } while (begin < end);
  }
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
static void attni_neon_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    float lanes[4];
    float32x4_t max = vdupq_n_f32(t->m[row]);
    for (key = end; key % 4 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = t->key_begin; key < end; key += 4) {
      const float32x4_t s = vld1q_f32(st + key);
      max = vmaxq_f32(max, s);
    }
    vst1q_f32(lanes, max);
    t->row_max[row] = attni_neon_decode_max_lanes(lanes);
  }
}

static void attni_neon_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 264;
    const int32_t end = t->key_end[row];
    float32x4_t max = vdupq_n_f32(t->row_max[row]);
    float32x4_t old = vsubq_f32(vdupq_n_f32(t->m[row]), max);
    float32x4_t factor;
    float lanes[4];
    float32x4_t sum = vdupq_n_f32(0.0f);
    if (t->natural) {
      const float32x4_t log2e = vdupq_n_f32((float)ATTNI_LOG2E);
      old = vmulq_f32(old, log2e);
      for (key = t->key_begin; key < end; key += 4) {
        const float32x4_t x = vsubq_f32(vld1q_f32(st + key), max);
        vst1q_f32(st + key, vmulq_f32(x, log2e));
      }
      max = vdupq_n_f32(0.0f);
    }
    factor = attni_neon_exp2(old);
    for (key = t->key_begin; key < end; key += 4) {
      const float32x4_t x = vsubq_f32(vld1q_f32(st + key), max);
      const float32x4_t w = attni_neon_exp2(x);
      vst1q_f32(st + key, w);
      sum = vaddq_f32(sum, w);
    }
    vst1q_f32(lanes, factor);
    t->factor[row] = lanes[0];
    vst1q_f32(lanes, sum);
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_neon_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
static void attni_neon_decode_store_o(const attni_tile *t, float *const *rows, const float *inverse) {
  const size_t floats = attni_neon_decode_row_floats(t->head_size_v);
  const float32x4_t zero = vdupq_n_f32(attni_zero);
  int32_t row, f;
  for (row = t->row0; row < 16; ++row) {
    const float *const ot = t->ot + (size_t)row * floats;
    const float32x4_t scale = vdupq_n_f32(inverse[row]);
    for (f = 0; f + 4 <= t->head_size_v; f += 4) {
      vst1q_f32(rows[row] + f, vfmaq_f32(zero, vld1q_f32(ot + f), scale));
    }
    if (f < t->head_size_v) {
      float last[4];
      vst1q_f32(last, vfmaq_f32(zero, vld1q_f32(ot + f), scale));
      memcpy(rows[row] + f, last, (size_t)(t->head_size_v - f) * sizeof(float));
    }
  }
}

#endif /* ATTNI_HAVE_NEON */
