/* ---------------------------------------------------------------- merge -- */

#define ATTNI_MERGE 128 /* features that are merged at a time */

static attn_status attni_check_part(const attn_merge_params *p, int64_t part) {
  static const attni_rules o = {ATTN_BF16, ATTN_ERR_O_PARTS, ATTN_ERR_O_PARTS, ATTN_ERR_O_PARTS};
  static const attni_rules lse = {ATTN_F32, ATTN_ERR_LSE_PARTS, ATTN_ERR_LSE_PARTS,
                                  ATTN_ERR_LSE_PARTS};
  const attn_tensor *const o_part = &p->o_parts[part], *const lse_part = &p->lse_parts[part];
  const int64_t batch = p->batch, heads = p->heads, len = p->len;
  attn_tensor lse_rows = *lse_part; /* which have no features */
  attn_status status = attni_check_tensor(o_part, batch, heads, len, p->head_size_v, true, o);
  lse_rows.stride_d = 0;
  if (status == ATTN_OK) status = attni_check_tensor(&lse_rows, batch, heads, len, 1, true, lse);
  if (status != ATTN_OK || len == 0) return status;
  if (p->o.data == lse_part->data ||
      (p->o.data == o_part->data && !attni_same_rows(&p->o, o_part, batch, heads, len))) {
    return ATTN_ERR_O_OVERLAP;
  }
  if (p->lse.data != NULL &&
      (p->lse.data == o_part->data ||
       (p->lse.data == lse_part->data && !attni_same_rows(&p->lse, lse_part, batch, heads, len)))) {
    return ATTN_ERR_LSE_OVERLAP;
  }
  return ATTN_OK;
}

static attn_status attni_check_merge(const attn_merge_params *p) {
  static const attni_rules o = {ATTN_BF16, ATTN_ERR_O_DATA, ATTN_ERR_O_TYPE, ATTN_ERR_O_STRIDE};
  static const attni_rules lse = {ATTN_F32, ATTN_ERR_LSE_DATA, ATTN_ERR_LSE_TYPE,
                                  ATTN_ERR_LSE_STRIDE};
  attn_tensor lse_rows = p->lse;
  attn_status status;
  int64_t part;
  if (p->batch < 1) return ATTN_ERR_BATCH;
  if (p->heads < 1) return ATTN_ERR_HEADS_Q;
  if (p->len < 0) return ATTN_ERR_LEN_Q;
  if (p->head_size_v < 1 || p->head_size_v > ATTN_MAX_HEAD_SIZE) return ATTN_ERR_HEAD_SIZE_V;
  if (p->parts < 1) return ATTN_ERR_PARTS;
  if (p->o_parts == NULL) return ATTN_ERR_O_PARTS;
  if (p->lse_parts == NULL) return ATTN_ERR_LSE_PARTS;
  if (!attni_aligned(p->sinks, sizeof(float))) return ATTN_ERR_SINKS;
  status = attni_check_tensor(&p->o, p->batch, p->heads, p->len, p->head_size_v, true, o);
  if (status != ATTN_OK) return status;
  if (attni_rows_coincide(&p->o, p->batch, p->heads, p->len, p->head_size_v)) {
    return ATTN_ERR_O_STRIDE;
  }
  if (p->lse.data != NULL) {
    lse_rows.stride_d = 0;
    status = attni_check_tensor(&lse_rows, p->batch, p->heads, p->len, 1, false, lse);
    if (status != ATTN_OK) return status;
    if (attni_rows_coincide(&p->lse, p->batch, p->heads, p->len, 1)) return ATTN_ERR_LSE_STRIDE;
    if (p->len > 0 && p->lse.data == p->o.data) return ATTN_ERR_LSE_OVERLAP;
  }
  for (part = 0; part < p->parts && status == ATTN_OK; ++part) status = attni_check_part(p, part);
  return status;
}

/* The sum of exp over the parts of a row, and the sink: total * exp(largest). */
typedef struct attni_sum {
  bool nan, empty;
  bool infinite; /* the sink is, and takes all weight; it is no matter of arithmetic, which
                    -ffast-math would take for finite */
  double largest, total;
} attni_sum;

/* One more lse, by its bits; first for the largest, then for the total. */
static void attni_see_lse(attni_sum *sum, uint32_t lse) {
  if (lse == ATTNI_NEG_INFINITY_BITS) return;
  if ((lse & 0x7fffffffu) >= ATTNI_INFINITY_BITS) {
    sum->nan = true;
  } else if (sum->empty || attni_value(lse) > sum->largest) {
    sum->empty = false;
    sum->largest = attni_value(lse);
  }
}

/* A sum that has seen the sink. */
static attni_sum attni_start_sum(uint32_t sink) {
  attni_sum sum;
  sum.nan = false;
  sum.infinite = sink == ATTNI_INFINITY_BITS;
  sum.empty = !sum.infinite;
  sum.largest = sum.total = 0.0;
  if (!sum.infinite) attni_see_lse(&sum, sink);
  return sum;
}

/* exp(lse - largest), 0 of an empty part and beside an infinite sink. */
static double attni_weigh_lse(const attni_sum *sum, uint32_t lse) {
  if (sum->infinite || lse == ATTNI_NEG_INFINITY_BITS) return 0.0;
  return exp(attni_value(lse) - sum->largest);
}

static double attni_weigh_sink(const attni_sum *sum, uint32_t sink) {
  return sum->infinite ? 1.0 : attni_weigh_lse(sum, sink);
}

static uint32_t attni_part_lse(const attn_merge_params *p, int64_t part, int64_t b, int64_t h,
                               int64_t i) {
  return attni_bits(*(const float *)attni_tensor_row(&p->lse_parts[part], b, h, i));
}

static attni_sum attni_sum_parts(const attn_merge_params *p, int64_t b, int64_t h, int64_t i) {
  const uint32_t sink = p->sinks == NULL ? ATTNI_NEG_INFINITY_BITS : attni_bits(p->sinks[h]);
  attni_sum sum = attni_start_sum(sink);
  int64_t part;
  for (part = 0; part < p->parts; ++part) attni_see_lse(&sum, attni_part_lse(p, part, b, h, i));
  if (sum.nan || sum.empty) return sum;
  sum.total = attni_weigh_sink(&sum, sink);
  for (part = 0; part < p->parts; ++part) {
    sum.total += attni_weigh_lse(&sum, attni_part_lse(p, part, b, h, i));
  }
  return sum;
}

/* `count` features of a row's output, from `first` on. */
static void attni_merge_features(const attn_merge_params *p, const attni_kernels *kernels,
                                 const attni_sum *sum, int64_t b, int64_t h, int64_t i,
                                 int64_t first, int64_t count, float *x) {
  double merged[ATTNI_MERGE];
  int64_t part, d;
  memset(merged, 0, sizeof merged);
  for (part = 0; part < p->parts; ++part) {
    const attn_tensor *const o = &p->o_parts[part];
    const uint32_t lse = attni_part_lse(p, part, b, h, i);
    double weight;
    if (lse == ATTNI_NEG_INFINITY_BITS) continue;
    weight = attni_weigh_lse(sum, lse) / sum->total;
    attni_read_row(kernels, attni_at(attni_tensor_row(o, b, h, i), o->type, first), o->type, 1.0f,
                   count, x);
    for (d = 0; d < count; ++d) merged[d] += weight * (double)x[d];
  }
  for (d = 0; d < count; ++d) x[d] = (float)merged[d];
}

static float attni_merged_lse(const attni_sum *sum) {
  if (sum->nan) return attni_float(ATTNI_NAN_BITS);
  if (sum->empty) return attni_float(ATTNI_NEG_INFINITY_BITS);
  if (sum->infinite) return attni_float(ATTNI_INFINITY_BITS);
  return (float)(sum->largest + log(sum->total));
}

static void attni_merge_parts(const attn_merge_params *p, const attni_kernels *kernels, int64_t b,
                              int64_t h, int64_t i) {
  const attni_sum sum = attni_sum_parts(p, b, h, i);
  char *const o = (char *)attni_tensor_row(&p->o, b, h, i);
  const int64_t element = (int64_t)attni_size_of(p->o.type);
  float x[ATTNI_MERGE];
  int64_t first, d;
  for (first = 0; first < p->head_size_v; first += ATTNI_MERGE) {
    const int64_t count = attni_min(ATTNI_MERGE, p->head_size_v - first);
    if (sum.nan || sum.empty) {
      for (d = 0; d < count; ++d) x[d] = attni_float(sum.nan ? ATTNI_NAN_BITS : 0u);
    } else {
      attni_merge_features(p, kernels, &sum, b, h, i, first, count, x);
    }
    attni_write_row(kernels, x, p->o.type, count, o + first * element);
  }
  if (p->lse.data != NULL) { /* last, since it may be a part's */
    *(float *)attni_tensor_row(&p->lse, b, h, i) = attni_merged_lse(&sum);
  }
}

ATTN_API attn_status attn_merge(const attn_merge_params *params) {
  const attni_kernels *kernels = NULL;
  attn_status status;
  int64_t b, h, i;
  if (params == NULL) return ATTN_ERR_PARAMS;
  status = attni_check_merge(params);
  if (status == ATTN_OK) status = attni_pick_converters(&kernels);
  if (status != ATTN_OK || params->len == 0) return status;
  for (b = 0; b < params->batch; ++b) {
    for (h = 0; h < params->heads; ++h) {
      for (i = 0; i < params->len; ++i) attni_merge_parts(params, kernels, b, h, i);
    }
  }
  return ATTN_OK;
}
