/* Values of attn_forward over shapes, element types and options, on each instruction set and in
 * both families, against the definition in double precision. Its bounds are those of
 * docs/numerics.md. The unit only calls: link it with impl.c. */
#include "attn.h"
#include "check.h"

enum {
  CAUSAL = 1,
  WINDOW = 2,
  PATTERN = 4, /* dilation, globals and stride */
  MASK = 8,
  BIAS = 16, /* of the type of q */
  BLOCKS = 32,
  SOFTCAP = 64,
  ALIBI = 128,
  SINKS = 256,
  LENGTHS = 512,
  PACKED = 1024,
  PAGED = 2048,
  RING = 4096,
  PRODUCTS_OF_BF16 = 8192
};

enum {
  BATCH = 2,
  PAGE = 16,
  BLOCK_Q = 8,
  BLOCK_K = 16,
  MAX_HEADS = 4,
  MAX_LEN_Q = 70,
  MAX_LEN_KV = 210,
  MAX_SIZE = 96,
  MAX_PAGES = BATCH * (MAX_LEN_KV / PAGE + 1),
  MAX_ROWS_Q = BATCH * MAX_LEN_Q,
  MAX_ROWS_KV = MAX_PAGES * PAGE
};

typedef struct values_case {
  const char *name;
  int64_t heads_q, heads_kv, len_q, len_kv, size, size_v;
  attn_type q, k, v, o;
  unsigned options;
} values_case;

static const values_case cases[] = {
    {"plain", 2, 2, 70, 210, 64, 64, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, 0},
    {"causal", 4, 2, 70, 201, 64, 64, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, CAUSAL},
    {"odd sizes", 3, 1, 33, 97, 67, 5, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, CAUSAL},
    {"one feature", 1, 1, 5, 3, 1, 1, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, 0},
    {"empty rows", 2, 1, 40, 17, 16, 96, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, CAUSAL},
    {"one query", 4, 1, 1, 210, 64, 64, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, CAUSAL},
    {"f16", 4, 2, 30, 130, 64, 64, ATTN_F16, ATTN_F16, ATTN_F16, ATTN_F16, CAUSAL},
    {"bf16", 4, 2, 30, 130, 64, 64, ATTN_BF16, ATTN_BF16, ATTN_BF16, ATTN_BF16, CAUSAL},
    {"products of bf16", 4, 2, 30, 130, 64, 64, ATTN_BF16, ATTN_BF16, ATTN_BF16, ATTN_F32,
     PRODUCTS_OF_BF16},
    {"int8", 4, 2, 30, 130, 64, 64, ATTN_F32, ATTN_I8, ATTN_I8, ATTN_F32, CAUSAL},
    {"mixed types", 2, 1, 9, 111, 40, 24, ATTN_F16, ATTN_I8, ATTN_BF16, ATTN_BF16, CAUSAL},
    {"window", 2, 2, 60, 150, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, CAUSAL | WINDOW},
    {"pattern", 2, 2, 60, 150, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, WINDOW | PATTERN},
    {"mask", 2, 1, 50, 140, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, MASK},
    {"bias", 2, 1, 50, 140, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, BIAS},
    {"bias in f16", 2, 1, 50, 140, 32, 32, ATTN_F16, ATTN_F32, ATTN_F32, ATTN_F32, BIAS | CAUSAL},
    {"bias in bf16", 2, 1, 50, 140, 32, 32, ATTN_BF16, ATTN_F32, ATTN_F32, ATTN_F32, BIAS},
    {"blocks", 2, 1, 50, 140, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, BLOCKS | CAUSAL},
    {"softcap", 2, 1, 30, 140, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, SOFTCAP},
    {"alibi and sinks", 2, 1, 30, 140, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32,
     ALIBI | SINKS | CAUSAL},
    {"lengths", 2, 1, 30, 140, 32, 32, ATTN_F32, ATTN_F16, ATTN_F16, ATTN_F32, LENGTHS | CAUSAL},
    {"packed", 2, 1, 30, 140, 32, 32, ATTN_F32, ATTN_F32, ATTN_F32, ATTN_F32, PACKED | CAUSAL},
    {"paged int8", 2, 1, 30, 140, 32, 32, ATTN_F32, ATTN_I8, ATTN_I8, ATTN_F32, PAGED | CAUSAL},
    {"ring", 2, 1, 30, 140, 32, 32, ATTN_F32, ATTN_BF16, ATTN_BF16, ATTN_F32, RING | CAUSAL},
    {"everything", 4, 2, 33, 140, 40, 24, ATTN_F16, ATTN_I8, ATTN_F16, ATTN_F16,
     CAUSAL | WINDOW | PATTERN | MASK | BIAS | BLOCKS | SOFTCAP | ALIBI | SINKS | LENGTHS | PAGED}};

static const float softcap = 2;

/* The values of the elements, and the elements, which hold them exactly. */
static float q_values[MAX_ROWS_Q * MAX_HEADS * MAX_SIZE];
static float k_values[MAX_ROWS_KV * MAX_HEADS * MAX_SIZE];
static float v_values[MAX_ROWS_KV * MAX_HEADS * MAX_SIZE];
static float q_data[MAX_ROWS_Q * MAX_HEADS * MAX_SIZE];
static float k_data[MAX_ROWS_KV * MAX_HEADS * MAX_SIZE];
static float v_data[MAX_ROWS_KV * MAX_HEADS * MAX_SIZE];
static float o_data[MAX_ROWS_Q * MAX_HEADS * MAX_SIZE];
static float k_scales[MAX_ROWS_KV * MAX_HEADS], v_scales[MAX_ROWS_KV * MAX_HEADS];
static float lse[MAX_ROWS_Q * MAX_HEADS];
static float bias_values[MAX_LEN_Q * MAX_LEN_KV], bias_data[MAX_LEN_Q * MAX_LEN_KV];
static uint8_t mask[MAX_HEADS * MAX_LEN_Q * MAX_LEN_KV];
static uint8_t blocks[MAX_LEN_Q * MAX_LEN_KV];
static float slopes[MAX_HEADS], sinks[MAX_HEADS];
static int32_t lengths[BATCH], starts_q[BATCH + 1], starts_kv[BATCH + 1], pages[MAX_PAGES];

/* From memory: -ffast-math takes for granted that no argument and no result is infinite or NaN. */
static uint32_t bits_at(const float *x) {
  uint32_t bits;
  memcpy(&bits, x, sizeof bits);
  return bits;
}

static bool is_finite(uint32_t bits) {
  return (bits & 0x7f800000u) != 0x7f800000u;
}

/* Store element i: x is zero, or has few bits and an exponent that every type has. */
static void put(void *data, attn_type type, int64_t i, float x, float scale) {
  const uint32_t bits = bits_at(&x), sign = bits >> 16 & 0x8000u;
  if (type == ATTN_F32) ((float *)data)[i] = x;
  if (type == ATTN_BF16) ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
  if (type == ATTN_F16) {
    const uint32_t half = x == 0 ? 0 : ((bits & 0x7fffffffu) >> 13) - (112u << 10);
    ((uint16_t *)data)[i] = (uint16_t)(sign | half);
  }
  if (type == ATTN_I8) ((int8_t *)data)[i] = (int8_t)(x / scale);
}

static void put_minus_infinity(void *data, attn_type type, int64_t i) {
  static const uint32_t minus_infinity = 0xff800000u;
  if (type == ATTN_F32) memcpy((float *)data + i, &minus_infinity, sizeof minus_infinity);
  if (type == ATTN_BF16) ((uint16_t *)data)[i] = 0xff80u;
  if (type == ATTN_F16) ((uint16_t *)data)[i] = 0xfc00u;
}

/* Element i of o; what no result here is, 65536, for infinity and NaN. */
static double get(attn_type type, int64_t i) {
  const uint16_t half = ((const uint16_t *)o_data)[type == ATTN_F32 ? 0 : i];
  const double sign = half & 0x8000u ? -1 : 1;
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  if (type != ATTN_F16) {
    const uint32_t bits = type == ATTN_F32 ? bits_at(o_data + i) : (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return is_finite(bits) ? (double)x : 65536;
  }
  if (exponent == 0) return sign * ldexp(fraction, -24);
  return exponent == 31 ? 65536 : sign * ldexp(fraction + 1024, exponent - 25);
}

/* What one rounding to the type adds at most. */
static double rounding(attn_type type, double x) {
  if (type == ATTN_F16) return ldexp(fabs(x), -11) + ldexp(1, -25);
  return type == ATTN_BF16 ? ldexp(fabs(x), -8) : 0;
}

static bool has(const values_case *c, unsigned option) {
  return (c->options & option) != 0;
}

static int64_t queries_of(const values_case *c, int64_t b) {
  return has(c, PACKED) ? starts_q[b + 1] - starts_q[b] : c->len_q;
}

static int64_t keys_of(const values_case *c, int64_t b) {
  if (has(c, PACKED)) return starts_kv[b + 1] - starts_kv[b];
  return has(c, LENGTHS) ? lengths[b] : c->len_kv;
}

static int64_t pages_of_entry(const values_case *c) {
  return (c->len_kv + PAGE - 1) / PAGE;
}

static int64_t ring_size(const values_case *c) {
  return c->len_kv * 3 / 4;
}

/* Rows of k and v from one entry, or page, to the next. */
static int64_t entry_rows(const values_case *c) {
  if (has(c, PACKED)) return 0;
  if (has(c, PAGED)) return PAGE;
  return has(c, RING) ? ring_size(c) : c->len_kv;
}

static int64_t row_of_query(const values_case *c, int64_t b, int64_t i) {
  return has(c, PACKED) ? starts_q[b] + i : b * c->len_q + i;
}

static int64_t row_of_key(const values_case *c, int64_t b, int64_t j) {
  if (has(c, PACKED)) return starts_kv[b] + j;
  if (has(c, PAGED)) return pages[b * pages_of_entry(c) + j / PAGE] * PAGE + j % PAGE;
  return b * entry_rows(c) + (has(c, RING) ? j % ring_size(c) : j);
}

/* Sixteenths from -1 to 1. */
static float sixteenths(uint32_t *seed) {
  return (float)(int)(check_random(seed) * 17) / 16;
}

static void fill(float *values, void *data, attn_type type, float *scales, int64_t rows,
                 int64_t size, uint32_t seed) {
  int64_t row, d;
  for (row = 0; row < rows; ++row) {
    scales[row] = row % 3 == 0 ? 1.0f / 32 : 1.0f / 16;
    for (d = 0; d < size; ++d) {
      values[row * size + d] = sixteenths(&seed);
      put(data, type, row * size + d, values[row * size + d], scales[row]);
    }
  }
}

static void fill_options(const values_case *c) {
  const int32_t all_pages = (int32_t)(BATCH * pages_of_entry(c));
  uint32_t seed = 4;
  int64_t i, j;
  for (i = 0; i < c->heads_q * c->len_q * c->len_kv; ++i) mask[i] = check_random(&seed) > -0.3f;
  for (i = 0; i < c->len_q * c->len_kv; ++i) blocks[i] = check_random(&seed) > -0.5f;
  for (i = 0; i < c->len_q; ++i) {
    for (j = 0; j < c->len_kv; ++j) {
      const int64_t at = i * c->len_kv + j;
      bias_values[at] = sixteenths(&seed);
      put(bias_data, c->q, at, bias_values[at], 0);
      if (j % 7 == 3) put_minus_infinity(bias_data, c->q, at);
    }
  }
  for (i = 0; i < c->heads_q; ++i) {
    slopes[i] = 0.015625f * (float)(i + 1);
    sinks[i] = (float)i - 0.5f;
  }
  lengths[0] = (int32_t)c->len_kv - 7;
  lengths[1] = (int32_t)c->len_kv;
  starts_q[1] = (int32_t)c->len_q;
  starts_q[2] = 2 * (int32_t)c->len_q - 3;
  starts_kv[1] = (int32_t)c->len_kv;
  starts_kv[2] = 2 * (int32_t)c->len_kv - 5;
  for (i = 0; i < all_pages; ++i) pages[i] = all_pages - 1 - (int32_t)i;
}

static attn_tensor rows_of(const void *data, attn_type type, int64_t entry, int64_t heads,
                           int64_t size) {
  return attn_strided(data, type, entry * heads * size, size, heads * size);
}

static attn_matrix matrix(const void *data, attn_type type, int64_t head, int64_t row) {
  attn_matrix m;
  m.data = data;
  m.type = type;
  m.stride_b = 0;
  m.stride_h = head;
  m.stride_q = row;
  m.stride_k = 1;
  return m;
}

static int64_t blocks_k(const values_case *c) {
  return (c->len_kv + BLOCK_K - 1) / BLOCK_K;
}

static void set_tensors(attn_params *p, const values_case *c) {
  const int64_t entry_q = has(c, PACKED) ? 0 : c->len_q, entry = entry_rows(c);
  p->q = rows_of(q_data, c->q, entry_q, c->heads_q, c->size);
  p->k = rows_of(k_data, c->k, entry, c->heads_kv, c->size);
  p->v = rows_of(v_data, c->v, entry, c->heads_kv, c->size_v);
  p->o = rows_of(o_data, c->o, entry_q, c->heads_q, c->size_v);
  p->lse = rows_of(lse, ATTN_F32, entry_q, c->heads_q, 1);
  if (c->k == ATTN_I8) p->k_scale = rows_of(k_scales, ATTN_F32, entry, c->heads_kv, 1);
  if (c->v == ATTN_I8) p->v_scale = rows_of(v_scales, ATTN_F32, entry, c->heads_kv, 1);
  p->batch = BATCH;
  p->heads_q = c->heads_q;
  p->heads_kv = c->heads_kv;
  p->len_q = c->len_q;
  p->len_kv = c->len_kv;
  p->head_size = c->size;
  p->head_size_v = c->size_v;
  p->exact_bf16 = !has(c, PRODUCTS_OF_BF16);
}

static void set_options(attn_params *p, const values_case *c) {
  p->causal = has(c, CAUSAL);
  p->window = has(c, WINDOW);
  p->window_left = has(c, WINDOW) ? 30 : 0;
  p->window_right = has(c, WINDOW) ? 2 : 0;
  p->window_dilation = has(c, PATTERN) ? 3 : 0;
  p->window_globals = has(c, PATTERN) ? 2 : 0;
  p->window_stride = has(c, PATTERN) ? 17 : 0;
  if (has(c, MASK)) p->mask = matrix(mask, ATTN_BOOL, c->len_q * c->len_kv, c->len_kv);
  if (has(c, BIAS)) p->bias = matrix(bias_data, c->q, 0, c->len_kv);
  if (has(c, BLOCKS)) {
    p->block_mask = matrix(blocks, ATTN_BOOL, 0, blocks_k(c));
    p->block_q = BLOCK_Q;
    p->block_k = BLOCK_K;
  }
  if (has(c, SOFTCAP)) p->softcap = softcap;
  if (has(c, ALIBI)) p->alibi_slopes = slopes;
  if (has(c, SINKS)) p->sinks = sinks;
  if (has(c, LENGTHS)) p->seqlens_kv = lengths;
  if (has(c, PACKED)) {
    p->cu_seqlens_q = starts_q;
    p->cu_seqlens_kv = starts_kv;
  }
  if (has(c, PAGED)) {
    p->page_size = PAGE;
    p->page_table = pages;
    p->page_table_stride = pages_of_entry(c);
    p->pages = BATCH * pages_of_entry(c);
  }
  if (has(c, RING)) p->ring_size = ring_size(c);
}

static attn_params make_params(const values_case *c) {
  const int64_t rows_kv = has(c, PAGED) ? BATCH * pages_of_entry(c) * PAGE : BATCH * c->len_kv;
  attn_params p = attn_params_init();
  fill(q_values, q_data, c->q, lse, BATCH * c->len_q * c->heads_q, c->size, 1);
  fill(k_values, k_data, c->k, k_scales, rows_kv * c->heads_kv, c->size, 2);
  fill(v_values, v_data, c->v, v_scales, rows_kv * c->heads_kv, c->size_v, 3);
  fill_options(c);
  set_tensors(&p, c);
  set_options(&p, c);
  return p;
}

/* ---- The definition. */

static bool in_window(const values_case *c, int64_t position, int64_t j) {
  const int64_t behind = position - j;
  if (has(c, PATTERN)) {
    if (j < 2 || (position >= 0 && position < 2) || behind % 17 == 0) return true;
    if (behind % 3 != 0) return false;
  }
  return behind <= 30 && behind >= -2;
}

static bool is_allowed(const values_case *c, int64_t b, int64_t h, int64_t i, int64_t j) {
  const int64_t keys = keys_of(c, b), position = i + keys - queries_of(c, b);
  if (has(c, CAUSAL) && j > position) return false;
  if (has(c, WINDOW) && !in_window(c, position, j)) return false;
  if (has(c, MASK) && !mask[(h * c->len_q + i) * c->len_kv + j]) return false;
  if (has(c, BIAS) && j % 7 == 3) return false;
  if (has(c, BLOCKS) && !blocks[i / BLOCK_Q * blocks_k(c) + j / BLOCK_K]) return false;
  return !has(c, RING) || j >= keys - ring_size(c);
}

/* A score; magnitude is what its rounding errors are relative to. */
static double score(const values_case *c, int64_t b, int64_t h, int64_t i, int64_t j,
                    double *magnitude) {
  const int64_t g = h / (c->heads_q / c->heads_kv);
  const float *q = q_values + (row_of_query(c, b, i) * c->heads_q + h) * c->size;
  const float *k = k_values + (row_of_key(c, b, j) * c->heads_kv + g) * c->size;
  const double scale = 1 / sqrt((double)c->size);
  double sum = 0, added = 0;
  int64_t d;
  *magnitude = 0;
  for (d = 0; d < c->size; ++d) {
    const double product = scale * (double)q[d] * (double)k[d];
    sum += product;
    *magnitude += fabs(product);
  }
  if (has(c, SOFTCAP)) {
    const double part = tanh(sum / (double)softcap);
    sum = (double)softcap * part;
    *magnitude = *magnitude * (1 - part * part) + fabs(sum);
  }
  if (has(c, BIAS)) added = (double)bias_values[i * c->len_kv + j];
  *magnitude += fabs(added);
  if (has(c, ALIBI)) {
    const double distance = fabs((double)(i + keys_of(c, b) - queries_of(c, b) - j));
    added -= (double)slopes[h] * distance;
    *magnitude += (double)slopes[h] * distance;
  }
  return sum + added;
}

typedef struct row_result {
  bool empty;         /* no key is allowed */
  double o[MAX_SIZE]; /* times the total */
  double total;       /* of the weights; scores are small, so that no maximum is subtracted */
  double magnitude;   /* M of docs/numerics.md */
} row_result;

static row_result by_definition(const values_case *c, int64_t b, int64_t h, int64_t i) {
  const int64_t g = h / (c->heads_q / c->heads_kv);
  row_result row;
  int64_t j, d;
  memset(&row, 0, sizeof row);
  row.empty = true;
  for (j = 0; j < keys_of(c, b); ++j) {
    const float *v = v_values + (row_of_key(c, b, j) * c->heads_kv + g) * c->size_v;
    double weight, magnitude;
    if (!is_allowed(c, b, h, i, j)) continue;
    weight = exp(score(c, b, h, i, j, &magnitude));
    row.empty = false;
    row.total += weight;
    if (magnitude > row.magnitude) row.magnitude = magnitude;
    for (d = 0; d < c->size_v; ++d) row.o[d] += weight * (double)v[d];
  }
  if (has(c, SINKS)) {
    row.total += exp((double)sinks[h]);
    row.magnitude += fabs((double)sinks[h]);
  }
  return row;
}

/* ---- Comparisons. */

static int wrong(const values_case *c, const char *what, double got, double want) {
  printf("%s: %s is %g instead of %g\n", c->name, what, got, want);
  return 1;
}

static int check_lse(const values_case *c, const row_result *row, const float *got) {
  const double eps = ldexp(1, -24);
  if (row->total > 0) {
    const double want = log(row->total), bound = eps * (24 * (1 + row->magnitude) + 8);
    const double x = is_finite(bits_at(got)) ? (double)*got : 65536;
    if (fabs(x - want) > bound) return wrong(c, "lse", x, want);
  } else if (bits_at(got) != 0xff800000u) {
    return wrong(c, "lse of an empty row", 0, -1);
  }
  return 0;
}

static int check_values_row(const values_case *c, int64_t b, int64_t h, int64_t i) {
  const int64_t at = row_of_query(c, b, i) * c->heads_q + h;
  const row_result row = by_definition(c, b, h, i);
  double bound = ldexp(1, -24) * (8 * (1 + row.magnitude) + 8); /* values are at most 1 */
  int64_t d;
  if (has(c, PRODUCTS_OF_BF16)) bound += ldexp(1, -8);
  for (d = 0; d < c->size_v; ++d) {
    const double want = row.empty ? 0 : row.o[d] / row.total, got = get(c->o, at * c->size_v + d);
    const double allowed = row.empty ? 0 : bound + rounding(c->o, fabs(want) + bound);
    if (fabs(got - want) > allowed) return wrong(c, "o", got, want);
  }
  return check_lse(c, &row, lse + at);
}

static int check_values(const values_case *c, attn_isa isa, attn_family family) {
  attn_params p = make_params(c);
  int64_t b, h, i;
  p.isa = isa;
  p.family = family;
  memset(o_data, 0x7f, sizeof o_data); /* what stays unwritten is wrong */
  memset(lse, 0x7f, sizeof lse);
  if (check_forward(&p) != 0) return wrong(c, "the status", 1, 0);
  for (b = 0; b < BATCH; ++b) {
    for (h = 0; h < c->heads_q; ++h) {
      for (i = 0; i < queries_of(c, b); ++i) {
        if (check_values_row(c, b, h, i) == 0) continue;
        printf("%s, %s: row %d of head %d of entry %d\n", attn_isa_name(isa),
               attn_family_name(family), (int)i, (int)h, (int)b);
        return 1;
      }
    }
  }
  return 0;
}

/* The largest softcap, also where the compiler holds floats to more bits than they have. */
static int check_limit(void) {
  attn_params p = make_params(&cases[0]);
  p.softcap = 1e30f;
  return check_forward(&p);
}

int main(void) {
  int isa, family, failures = check_all() + check_limit();
  size_t n;
  for (isa = ATTN_ISA_SCALAR; strcmp(attn_isa_name((attn_isa)isa), "unknown") != 0; ++isa) {
    if (!attn_isa_supported((attn_isa)isa)) continue;
    for (family = ATTN_FAMILY_AUTO; family <= ATTN_FAMILY_DECODE; ++family) {
      for (n = 0; n < sizeof cases / sizeof cases[0]; ++n) {
        failures += check_values(&cases[n], (attn_isa)isa, (attn_family)family);
      }
    }
  }
  return failures > 100 ? 100 : failures;
}
