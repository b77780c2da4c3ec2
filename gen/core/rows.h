/* -------------------------------------------- rows: rotary embedding, caches -- */

/* The kernels that convert; every instruction set's give the same bits. */
static attn_status attni_pick_converters(const attni_kernels **kernels) {
  attn_isa isa = ATTN_ISA_AUTO;
  const attn_status status = attni_pick_isa(ATTN_ISA_AUTO, &isa);
  if (status == ATTN_OK) *kernels = attni_find_kernels(isa, ATTN_FAMILY_PREFILL, ATTN_F32);
  return status;
}

/* Whether two tensors are the same one, which a function that works row by row may write to. */
static bool attni_same_rows(const attn_tensor *a, const attn_tensor *b, int64_t batch,
                            int64_t heads, int64_t len) {
  return a->data == b->data && a->type == b->type && (batch == 1 || a->stride_b == b->stride_b) &&
         (heads == 1 || a->stride_h == b->stride_h) && (len == 1 || a->stride_s == b->stride_s);
}

/* -- rotary embedding -- */

#define ATTNI_TURNS 256 /* pairs whose cosines and sines are kept from one head to the next */

typedef struct attni_rotation {
  int64_t pairs;       /* 0: nothing turns */
  int64_t step, apart; /* pair i: features i * step and i * step + apart */
  bool known;          /* cosine and sine are those of ... */
  int64_t position, first;
  double frequency[ATTN_MAX_HEAD_SIZE / 2]; /* radians per position */
  float cosine[ATTNI_TURNS], sine[ATTNI_TURNS];
} attni_rotation;

static attn_status attni_check_rotary(const attn_rotary *rotary, int64_t head_size) {
  const unsigned pairs = (unsigned)rotary->pairs;
  const int64_t size = rotary->size == 0 ? head_size : rotary->size;
  const uint32_t theta = attni_bits(rotary->theta);
  if (pairs != ATTN_PAIRS_INTERLEAVED && pairs != ATTN_PAIRS_HALF_SPLIT) return ATTN_ERR_PAIRS;
  if (size < 2 || size > head_size || size % 2 != 0) return ATTN_ERR_ROTARY_SIZE;
  if (theta << 1 != 0 && theta >= ATTNI_INFINITY_BITS) return ATTN_ERR_THETA;
  return ATTN_OK;
}

static void attni_start_rotation(const attn_rotary *rotary, int64_t head_size,
                                 attni_rotation *rotation) {
  const int64_t size = rotary->size == 0 ? head_size : rotary->size;
  const uint32_t bits = attni_bits(rotary->theta);
  const double theta = bits << 1 == 0 ? 10000.0 : attni_value(bits);
  const bool interleaved = rotary->pairs == ATTN_PAIRS_INTERLEAVED;
  int64_t i;
  rotation->pairs = size / 2;
  rotation->step = interleaved ? 2 : 1;
  rotation->apart = interleaved ? 1 : size / 2;
  rotation->known = false;
  for (i = 0; i < rotation->pairs; ++i) {
    rotation->frequency[i] = pow(theta, -2.0 * (double)i / (double)size);
  }
}

/* Cosines and sines of pairs first .. first+count-1. */
static void attni_find_turns(attni_rotation *rotation, int64_t position, int64_t first,
                             int64_t count) {
  int64_t i;
  if (rotation->known && rotation->position == position && rotation->first == first) return;
  for (i = 0; i < count; ++i) {
    const double angle = (double)position * rotation->frequency[first + i];
    rotation->cosine[i] = (float)cos(angle);
    rotation->sine[i] = (float)sin(angle);
  }
  rotation->known = true;
  rotation->position = position;
  rotation->first = first;
}

/* Products of two floats are exact in double, so that it does not matter whether the compiler
 * contracts them with the sum: one rounding to double, one to f32. */
static void attni_rotate(attni_rotation *rotation, int64_t position, float *x) {
  int64_t first, i;
  for (first = 0; first < rotation->pairs; first += ATTNI_TURNS) {
    const int64_t count = attni_min(ATTNI_TURNS, rotation->pairs - first);
    float *const a = x + first * rotation->step, *const b = a + rotation->apart;
    attni_find_turns(rotation, position, first, count);
    for (i = 0; i < count; ++i) {
      const int64_t at = i * rotation->step;
      const double cosine = (double)rotation->cosine[i], sine = (double)rotation->sine[i];
      const double from_a = (double)a[at], from_b = (double)b[at];
      a[at] = (float)(from_a * cosine - from_b * sine);
      b[at] = (float)(from_a * sine + from_b * cosine);
    }
  }
}

static attn_status attni_check_positions(const attn_rope_params *p) {
  const int64_t most = PTRDIFF_MAX / (int64_t)sizeof(int32_t);
  if (p->position < -ATTNI_MAX_OFFSET || p->position > ATTNI_MAX_OFFSET) return ATTN_ERR_POSITION;
  if (p->positions != NULL && p->row_positions != NULL) return ATTN_ERR_POSITION;
  if (!attni_aligned(p->positions, sizeof(int32_t)) ||
      !attni_aligned(p->row_positions, sizeof(int32_t))) {
    return ATTN_ERR_POSITION;
  }
  if (p->row_positions != NULL && attni_mul_sat(p->batch, p->len) > most) return ATTN_ERR_OVERFLOW;
  return p->len > ATTNI_MAX_OFFSET ? ATTN_ERR_OVERFLOW : ATTN_OK;
}

static attn_status attni_check_rope(const attn_rope_params *p) {
  static const attni_rules from = {ATTN_BF16, ATTN_ERR_ROWS, ATTN_ERR_ROWS, ATTN_ERR_ROWS};
  static const attni_rules to = {ATTN_BF16, ATTN_ERR_ROTATED, ATTN_ERR_ROTATED, ATTN_ERR_ROTATED};
  attn_status status;
  if (p->batch < 1) return ATTN_ERR_BATCH;
  if (p->heads < 1) return ATTN_ERR_HEADS_Q;
  if (p->len < 0) return ATTN_ERR_LEN_Q;
  if (p->head_size < 1 || p->head_size > ATTN_MAX_HEAD_SIZE) return ATTN_ERR_HEAD_SIZE;
  status = attni_check_rotary(&p->rotary, p->head_size);
  if (status == ATTN_OK) status = attni_check_positions(p);
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->rows, p->batch, p->heads, p->len, p->head_size, true, from);
  }
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->rotated, p->batch, p->heads, p->len, p->head_size, true, to);
  }
  if (status != ATTN_OK || p->len == 0) return status;
  if (attni_rows_coincide(&p->rotated, p->batch, p->heads, p->len, p->head_size) ||
      (p->rotated.data == p->rows.data &&
       !attni_same_rows(&p->rotated, &p->rows, p->batch, p->heads, p->len))) {
    return ATTN_ERR_ROTATED;
  }
  return ATTN_OK;
}

static int64_t attni_rope_position(const attn_rope_params *p, int64_t b, int64_t i) {
  if (p->row_positions != NULL) return p->position + p->row_positions[b * p->len + i];
  return p->position + (p->positions == NULL ? 0 : p->positions[b]) + i;
}

ATTN_API attn_status attn_rope(const attn_rope_params *params) {
  const attni_kernels *kernels = NULL;
  attni_rotation rotation;
  float x[ATTN_MAX_HEAD_SIZE];
  attn_status status;
  int64_t b, i, h;
  if (params == NULL) return ATTN_ERR_PARAMS;
  status = attni_check_rope(params);
  if (status == ATTN_OK) status = attni_pick_converters(&kernels);
  if (status != ATTN_OK || params->len == 0) return status;
  attni_start_rotation(&params->rotary, params->head_size, &rotation);
  for (b = 0; b < params->batch; ++b) {
    for (i = 0; i < params->len; ++i) {
      const int64_t position = attni_rope_position(params, b, i);
      for (h = 0; h < params->heads; ++h) {
        attni_read_row(kernels, attni_tensor_row(&params->rows, b, h, i), params->rows.type, 1.0f,
                       params->head_size, x);
        attni_rotate(&rotation, position, x);
        attni_write_row(kernels, x, params->rotated.type, params->head_size,
                        attni_tensor_row(&params->rotated, b, h, i));
      }
    }
  }
  return ATTN_OK;
}

/* -- appending to a cache -- */

/* The scale of a row whose largest magnitude has these bits: a 127th of it. */
static float attni_row_scale(uint32_t largest) {
  const double least = (double)FLT_MIN * 127.0, unit = (double)FLT_MIN / 8388608.0;
  const double magnitude = attni_value(largest);
  if (largest >= ATTNI_INFINITY_BITS) return attni_float(ATTNI_NAN_BITS);
  if (magnitude >= least) return (float)(magnitude / 127.0);
  /* A subnormal scale, a multiple of 2^-149, is rounded up: so it is 0 for rows of zeros alone. */
  return attni_float(((uint32_t)(magnitude / unit) + 126) / 127);
}

/* Symmetric quantisation of one row. By bits and in double precision, so that neither -ffast-math
 * nor a processor that takes subnormals for zero matters. */
static void attni_quantise(const float *x, int64_t size, int8_t *to, float *scale) {
  uint32_t largest = 0;
  double step;
  int64_t i;
  for (i = 0; i < size; ++i) {
    const uint32_t magnitude = attni_bits(x[i]) & 0x7fffffffu;
    if (magnitude > largest) largest = magnitude;
  }
  *scale = attni_row_scale(largest);
  step = attni_value(attni_bits(*scale));
  for (i = 0; i < size; ++i) {
    double y = 0.0;
    if (largest > 0 && largest < ATTNI_INFINITY_BITS) y = attni_value(attni_bits(x[i])) / step;
    if (y > 127.0) y = 127.0;
    if (y < -127.0) y = -127.0;
    to[i] = (int8_t)(int32_t)(y < 0.0 ? y - 0.5 : y + 0.5);
  }
}

static bool attni_turns(const attn_rotary *rotary) {
  return (unsigned)rotary->pairs != 0 || rotary->size != 0 || attni_bits(rotary->theta) << 1 != 0;
}

/* The key number of entry b's first row. */
static int64_t attni_first_key(const attn_append_params *p, int64_t b) {
  return p->position + (p->positions == NULL ? 0 : p->positions[b]);
}

/* Key numbers are not negative; *end is behind the largest. */
static attn_status attni_check_keys(const attn_append_params *p, int64_t *end) {
  int64_t b;
  *end = 0;
  if (p->position < 0 || p->position > ATTNI_MAX_OFFSET) return ATTN_ERR_POSITION;
  if (!attni_aligned(p->positions, sizeof(int32_t))) return ATTN_ERR_POSITION;
  if (p->len > ATTNI_MAX_OFFSET) return ATTN_ERR_OVERFLOW;
  if (p->len == 0) return ATTN_OK;
  for (b = 0; b < (p->positions == NULL ? 1 : p->batch); ++b) {
    const int64_t first = attni_first_key(p, b);
    if (first < 0) return ATTN_ERR_POSITION;
    *end = attni_max(*end, first + p->len);
  }
  return ATTN_OK;
}

/* The pages that rows go to must be there. */
static attn_status attni_check_pages(const attn_append_params *p, int64_t end) {
  int64_t b, page;
  if (p->page_size < 0) return ATTN_ERR_PAGE_SIZE;
  if (p->page_size == 0) {
    return p->page_table == NULL && p->page_table_stride == 0 && p->pages == 0 ? ATTN_OK
                                                                               : ATTN_ERR_PAGE_SIZE;
  }
  if (p->len == 0) return ATTN_OK;
  if (p->page_table == NULL || !attni_aligned(p->page_table, sizeof(int32_t)) ||
      !attni_table_ok(p->batch, p->page_table_stride, attni_ceil_div(end, p->page_size))) {
    return ATTN_ERR_PAGE_TABLE;
  }
  for (b = 0; b < p->batch; ++b) {
    const int64_t first = attni_first_key(p, b);
    for (page = first / p->page_size; page <= (first + p->len - 1) / p->page_size; ++page) {
      const int32_t number = p->page_table[b * p->page_table_stride + page];
      if (number < 0 || number >= p->pages) return ATTN_ERR_PAGE_TABLE;
    }
  }
  return ATTN_OK;
}

/* The cache and its scales, of these extents, of which so many rows of an entry are written. */
static attn_status attni_check_cache(const attn_append_params *p, int64_t batch, int64_t len,
                                     int64_t written) {
  static const attni_rules to = {ATTN_I8, ATTN_ERR_CACHE, ATTN_ERR_CACHE, ATTN_ERR_CACHE};
  static const attni_rules scales = {ATTN_F32, ATTN_ERR_CACHE_SCALE, ATTN_ERR_CACHE_SCALE,
                                     ATTN_ERR_CACHE_SCALE};
  const attn_type type = p->cache.type;
  attn_status status = attni_check_tensor(&p->cache, batch, p->heads, len, p->size, true, to);
  if (status == ATTN_OK) {
    status = attni_check_scales(&p->cache_scale, type, batch, p->heads, len, true, scales);
  }
  if (status != ATTN_OK) return status;
  if (attni_rows_coincide(&p->cache, batch, p->heads, written, p->size)) return ATTN_ERR_CACHE;
  if (type == ATTN_I8 && attni_rows_coincide(&p->cache_scale, batch, p->heads, written, 1)) {
    return ATTN_ERR_CACHE_SCALE;
  }
  return ATTN_OK;
}

static attn_status attni_check_append(const attn_append_params *p) {
  static const attni_rules from = {ATTN_BF16, ATTN_ERR_ROWS, ATTN_ERR_ROWS, ATTN_ERR_ROWS};
  int64_t end = 0;
  attn_status status;
  if (p->batch < 1) return ATTN_ERR_BATCH;
  if (p->heads < 1) return ATTN_ERR_HEADS_KV;
  if (p->len < 0) return ATTN_ERR_LEN_KV;
  if (p->size < 1 || p->size > ATTN_MAX_HEAD_SIZE) return ATTN_ERR_HEAD_SIZE;
  if (p->ring_size < 0 || (p->ring_size > 0 && p->page_size > 0)) return ATTN_ERR_RING;
  status = attni_turns(&p->rotary) ? attni_check_rotary(&p->rotary, p->size) : ATTN_OK;
  if (status == ATTN_OK) status = attni_check_keys(p, &end);
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->rows, p->batch, p->heads, p->len, p->size, true, from);
  }
  if (status == ATTN_OK) status = attni_check_pages(p, end);
  if (status != ATTN_OK) return status;
  if (p->page_size > 0) {
    const int64_t len = p->len == 0 ? 0 : p->page_size;
    return attni_check_cache(p, attni_max(1, p->pages), len, len);
  }
  if (p->ring_size > 0) {
    return attni_check_cache(p, p->batch, attni_min(end, p->ring_size),
                             attni_min(p->len, p->ring_size));
  }
  return attni_check_cache(p, p->batch, end, p->len);
}

/* One row of every head to the cache's type, by way of f32. */
static void attni_append_rows(const attn_append_params *p, const attni_kernels *kernels, int64_t b,
                              int64_t i, attni_rotation *rotation) {
  const int64_t key = attni_first_key(p, b) + i;
  const attni_place place =
      attni_place_of(p->page_size, p->page_table, p->page_table_stride, p->ring_size, b, key);
  float x[ATTN_MAX_HEAD_SIZE];
  int64_t h;
  for (h = 0; h < p->heads; ++h) {
    void *const to = attni_tensor_row(&p->cache, place.batch, h, place.position);
    attni_read_row(kernels, attni_tensor_row(&p->rows, b, h, i), p->rows.type, 1.0f, p->size, x);
    attni_rotate(rotation, key, x);
    if (p->cache.type == ATTN_I8) {
      attni_quantise(x, p->size, (int8_t *)to,
                     (float *)attni_tensor_row(&p->cache_scale, place.batch, h, place.position));
    } else {
      attni_write_row(kernels, x, p->cache.type, p->size, to);
    }
  }
}

ATTN_API attn_status attn_kv_append(const attn_append_params *params) {
  const attni_kernels *kernels = NULL;
  attni_rotation rotation;
  attn_status status;
  int64_t b, i, first = 0;
  if (params == NULL) return ATTN_ERR_PARAMS;
  status = attni_check_append(params);
  if (status == ATTN_OK) status = attni_pick_converters(&kernels);
  if (status != ATTN_OK || params->len == 0) return status;
  rotation.pairs = 0;
  if (attni_turns(&params->rotary)) {
    attni_start_rotation(&params->rotary, params->size, &rotation);
  }
  /* What a ring would overwrite at once is left out. */
  if (params->ring_size > 0) first = attni_max(0, params->len - params->ring_size);
  for (b = 0; b < params->batch; ++b) {
    for (i = first; i < params->len; ++i) attni_append_rows(params, kernels, b, i, &rotation);
  }
  return ATTN_OK;
}
