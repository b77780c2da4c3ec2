/* ----------------------------------------------------------------- bias -- */

/* Masks within a row's range, and the bias, reach the kernels as rows that are added to the scores:
 * the bias or 0, and -infinity where a key is not allowed. */

static const void *attni_matrix_at(const attn_matrix *x, int64_t batch, int64_t head, int64_t query,
                                   int64_t key) {
  return attni_at(
      x->data, x->type,
      batch * x->stride_b + head * x->stride_h + query * x->stride_q + key * x->stride_k);
}

/* One row of a tile, and what is added to its scores. No address is formed of a key that is not
 * among its keys: the stride of a single key may be anything. */
typedef struct attni_bias_row {
  int64_t batch, head, query, position, key0;
  int32_t begin, end; /* its keys within the tile */
  float *to;          /* [tile_k] */
} attni_bias_row;

static attni_bias_row attni_bias_row_of(const attn_plan *plan, const attni_entry *entry,
                                        int64_t head_kv, const attni_tile *t, int32_t lane) {
  const int64_t at = t->row + lane - t->row0;
  attni_bias_row row;
  row.batch = entry->batch;
  row.head = head_kv * plan->group + at % plan->group;
  row.query = at / plan->group;
  row.position = row.query + entry->offset;
  row.key0 = t->kv.key0;
  row.begin = t->start[lane] > t->key_begin ? t->start[lane] : t->key_begin;
  row.end = t->limit[lane] > row.begin ? t->limit[lane] : row.begin;
  row.to = NULL;
  return row;
}

static void attni_forbid(const attni_bias_row *row, int32_t begin, int32_t end) {
  int32_t key;
  for (key = begin; key < end; ++key) row->to[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
}

static float attni_matrix_value(const attn_matrix *x, const void *at) {
  float value = 0.0f;
  uint16_t half;
  if (x->type == ATTN_F32) {
    memcpy(&value, at, sizeof value);
    return value;
  }
  memcpy(&half, at, sizeof half);
  return x->type == ATTN_F16 ? attni_from_f16(half) : attni_from_bf16(half);
}

static void attni_copy_bias(const attni_kernels *kernels, const attn_matrix *bias,
                            const attni_bias_row *row) {
  const int32_t count = row->end - row->begin;
  const char *at;
  int32_t i;
  if (count == 0) return;
  at = (const char *)attni_matrix_at(bias, row->batch, row->head, row->query,
                                     row->key0 + row->begin);
  if (bias->stride_k == 1 && bias->type == ATTN_F32) {
    memcpy(row->to + row->begin, at, (size_t)count * sizeof(float));
  } else if (bias->stride_k == 1) {
    kernels->widen(at, bias->type, 1.0f, count, row->to + row->begin);
  } else {
    for (i = 0; i < count; ++i) {
      const void *const x = attni_at(at, bias->type, i * bias->stride_k);
      row->to[row->begin + i] = attni_matrix_value(bias, x);
    }
  }
}

/* The row's mask, from its first key on; it has one. */
static const uint8_t *attni_mask_row(const attn_matrix *mask, const attni_bias_row *row) {
  return (const uint8_t *)attni_matrix_at(mask, row->batch, row->head, row->query,
                                          row->key0 + row->begin);
}

static void attni_apply_mask(const attn_matrix *mask, const attni_bias_row *row) {
  const int32_t count = row->end - row->begin;
  float *const to = row->to + row->begin;
  const uint8_t *allowed;
  int32_t i;
  if (count == 0) return;
  allowed = attni_mask_row(mask, row);
  for (i = 0; i < count; ++i) {
    /* Without a branch: a mask may be as good as random. */
    const uint32_t keep = 0u - (uint32_t)(allowed[i * mask->stride_k] != 0);
    to[i] = attni_float((attni_bits(to[i]) & keep) | (ATTNI_NEG_INFINITY_BITS & ~keep));
  }
}

/* Whether none of n bytes is 0, eight at a time. */
static bool attni_all_set(const uint8_t *bytes, int64_t n) {
  const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t x;
    memcpy(&x, bytes + i, sizeof x);
    if (((x - ones) & ~x & tops) != 0) return false;
  }
  for (; i < n; ++i) {
    if (bytes[i] == 0) return false;
  }
  return true;
}

static void attni_apply_block_mask(const attn_params *p, const attni_bias_row *row) {
  int32_t key = row->begin, end;
  for (; key < row->end; key = end) {
    const int64_t block = (row->key0 + key) / p->block_k;
    const uint8_t *const allowed = (const uint8_t *)attni_matrix_at(
        &p->block_mask, row->batch, row->head, row->query / p->block_q, block);
    end = (int32_t)attni_min(row->end, (block + 1) * p->block_k - row->key0);
    if (*allowed == 0) attni_forbid(row, key, end);
  }
}

/* Whether the window with its pattern allows key `key`, which length and causality do. */
static bool attni_pattern_allows(const attn_params *p, const attni_bias_row *row,
                                 attni_range window, int64_t key) {
  const int64_t apart = row->position - key;
  if (key >= window.begin && key < window.end &&
      (p->window_dilation <= 1 || apart % p->window_dilation == 0)) {
    return true;
  }
  return key < p->window_globals || attni_is_global(p, row->position) ||
         (p->window_stride > 0 && apart % p->window_stride == 0);
}

static void attni_apply_pattern(const attn_params *p, const attni_entry *entry,
                                const attni_bias_row *row) {
  const attni_range past = attni_past(attni_present(p, entry), p->causal, row->position);
  const attni_range window = attni_window(p, past, row->position);
  int32_t key;
  for (key = row->begin; key < row->end; ++key) {
    if (!attni_pattern_allows(p, row, window, row->key0 + key)) attni_forbid(row, key, key + 1);
  }
}

static void attni_fill_bias_row(const attn_plan *plan, const attni_entry *entry,
                                const attni_bias_row *row) {
  const attn_params *const p = &plan->params;
  if (p->bias.data != NULL) {
    attni_copy_bias(plan->kernels, &p->bias, row);
  } else {
    memset(row->to + row->begin, 0, (size_t)(row->end - row->begin) * sizeof(float));
  }
  if (p->mask.data != NULL) attni_apply_mask(&p->mask, row);
  if (p->block_mask.data != NULL) attni_apply_block_mask(p, row);
  if (attni_has_pattern(p)) attni_apply_pattern(p, entry, row);
}

/* Whether rows of the bias tensor can be added as they are. */
static bool attni_bias_is_plain(const attn_plan *plan) {
  const attn_params *const p = &plan->params;
  const attn_matrix *const x = &p->bias;
  return plan->kernels->packs && x->data != NULL && x->type == ATTN_F32 && x->stride_k == 1 &&
         p->mask.data == NULL && p->block_mask.data == NULL && !attni_has_pattern(p);
}

/* Which keys of a tile the block mask and the pattern leave to any of its rows, and whether they
 * leave those to all of them. */
typedef struct attni_visible {
  attni_range keys;
  bool all;
} attni_visible;

static void attni_see_blocks(const attn_plan *plan, const attni_entry *entry, int64_t head_kv,
                             const attni_tile *t, attni_visible *seen) {
  const attn_params *const p = &plan->params;
  const int64_t group = plan->group, last = t->row + t->rows - 1;
  const int64_t head0 = head_kv * group;
  const int64_t heads = p->block_mask.stride_h == 0 ? 1 : group;
  const int64_t query_blocks = last / group / p->block_q;
  attni_range left = {INT64_MAX, 0};
  int64_t block = seen->keys.begin / p->block_k, q, head;
  for (; block * p->block_k < seen->keys.end; ++block) {
    bool any = false;
    for (q = t->row / group / p->block_q; q <= query_blocks; ++q) {
      for (head = head0; head < head0 + heads; ++head) {
        const uint8_t allowed =
            *(const uint8_t *)attni_matrix_at(&p->block_mask, entry->batch, head, q, block);
        if (allowed != 0) any = true;
        if (allowed == 0) seen->all = false;
      }
    }
    if (!any) continue;
    left.begin = attni_min(left.begin, block * p->block_k);
    left.end = (block + 1) * p->block_k;
  }
  seen->keys = attni_clip(seen->keys, attni_min(left.begin, seen->keys.end), left.end);
}

static void attni_see_pattern(const attn_plan *plan, const attni_entry *entry, const attni_tile *t,
                              attni_visible *seen) {
  const attn_params *const p = &plan->params;
  const int64_t first = t->row / plan->group + entry->offset,
                last = (t->row + t->rows - 1) / plan->group + entry->offset;
  const attni_range all = {INT64_MIN / 4, INT64_MAX / 4};
  const attni_range a = attni_window(p, all, first), z = attni_window(p, all, last);
  const attni_range keys = seen->keys;
  if (p->window_dilation <= 1 && z.begin <= keys.begin && a.end >= keys.end) return;
  seen->all = false;
  if (p->window_stride > 0 || (last >= 0 && first < p->window_globals) ||
      keys.begin < p->window_globals) {
    return;
  }
  seen->keys = attni_clip(keys, attni_min(a.begin, keys.end), z.end);
}

static attni_visible attni_see(const attn_plan *plan, const attni_entry *entry, int64_t head_kv,
                               const attni_tile *t, int64_t key0, int64_t keys) {
  const attn_params *const p = &plan->params;
  attni_visible seen;
  seen.keys.begin = key0;
  seen.keys.end = key0 + keys;
  seen.all = true;
  if (!plan->masks) return seen;
  if (attni_has_pattern(p)) attni_see_pattern(plan, entry, t, &seen);
  if (p->block_mask.data != NULL && seen.keys.begin < seen.keys.end) {
    attni_see_blocks(plan, entry, head_kv, t, &seen);
  }
  return seen;
}

/* Where row `row` of a tile is made: in the decode family, in its place. */
static float *attni_bias_place(const attni_kernels *kernels, const attni_tile *t, float *bias,
                               float *rows, int32_t row) {
  if (kernels->packs) return rows + row * kernels->tile_k;
  return bias + (t->row0 + row) * (kernels->tile_k + kernels->pad);
}

/* Whether the mask allows every row of the tile all keys of its range, as can be told quickly. */
static bool attni_mask_is_open(const attn_plan *plan, const attni_entry *entry, int64_t head_kv,
                               const attni_tile *t) {
  const attn_matrix *const mask = &plan->params.mask;
  int32_t i;
  if (mask->stride_k != 1) return false;
  for (i = 0; i < t->rows; ++i) {
    const attni_bias_row row = attni_bias_row_of(plan, entry, head_kv, t, t->row0 + i);
    if (row.begin < row.end && !attni_all_set(attni_mask_row(mask, &row), row.end - row.begin)) {
      return false;
    }
  }
  return true;
}

/* How many rows from `row` on, before `end`, lie one stride apart: those of one head, or the heads
 * of one query. */
static int64_t attni_rows_at_stride(const attn_plan *plan, int64_t row, int64_t end) {
  if (plan->group == 1) return end - row;
  return attni_min(end - row, plan->group - row % plan->group);
}

/* Rows of the bias tensor for the key tile, from key_begin on. */
static void attni_take_bias(const attn_plan *plan, const attni_entry *entry, int64_t head_kv,
                            const attni_tile *t, const float **from) {
  const attn_matrix *const bias = &plan->params.bias;
  const int64_t group = plan->group, end = t->row + t->rows;
  /* Unsigned, since a step behind the last row may lead anywhere. */
  const uint64_t step = (uint64_t)(group == 1 ? bias->stride_q : bias->stride_h);
  int64_t row = t->row;
  from += t->row0;
  while (row < end) {
    const int64_t stop = row + attni_rows_at_stride(plan, row, end);
    const float *const first = (const float *)attni_matrix_at(
        bias, entry->batch, head_kv * group + row % group, row / group, t->kv.key0 + t->key_begin);
    uint64_t at = 0;
    for (; row < stop; ++row, at += step) *from++ = first + (int64_t)at;
  }
}

/* Rows to be added, made from masks and the bias: in `rows`, or of the decode family in `bias`. */
static void attni_make_bias(const attn_plan *plan, const attni_entry *entry, int64_t head_kv,
                            const attni_tile *t, float *bias, float *rows, const float **from) {
  const attni_kernels *const kernels = plan->kernels;
  const int32_t begin = t->key_begin, end = t->key_end[kernels->groups - 1];
  const int32_t stop = (end + kernels->pad - 1) / kernels->pad * kernels->pad;
  int32_t i;
  for (i = 0; i < t->rows; ++i) {
    attni_bias_row row = attni_bias_row_of(plan, entry, head_kv, t, t->row0 + i);
    row.to = attni_bias_place(kernels, t, bias, rows, i);
    memset(row.to + begin, 0, (size_t)(row.begin - begin) * sizeof(float));
    memset(row.to + row.end, 0, (size_t)(stop - row.end) * sizeof(float));
    attni_fill_bias_row(plan, entry, &row);
    from[t->row0 + i] = row.to + begin;
  }
}

/* Whether the rows to be added, from key_begin on, allow any key, and which of them do. Of rows
 * that are known to have one, no more is looked at than it takes to know it of the tile. */
static bool attni_find_allowed(const attni_tile *t, const float *const *from) {
  bool allowed = false;
  int32_t lane, key;
  for (lane = t->row0; lane < t->row0 + t->rows; ++lane) {
    if (allowed && t->any[lane]) continue;
    for (key = attni_max_i32(t->start[lane], t->key_begin); key < t->limit[lane]; ++key) {
      if (attni_bits(from[lane][key - t->key_begin]) == ATTNI_NEG_INFINITY_BITS) continue;
      allowed = t->any[lane] = true;
      break;
    }
  }
  return allowed;
}

/* Find what is to be added to the scores of the key tile, whose bounds are set; pointers to the
 * rows go to `from`. Whether any key is allowed. */
static bool attni_find_bias(const attn_plan *plan, const attni_entry *entry, int64_t head_kv,
                            attni_tile *t, float *bias, float *rows, const float **from) {
  const int32_t end = t->row0 + t->rows;
  bool allowed;
  int32_t lane;
  if (attni_bias_is_plain(plan)) {
    attni_take_bias(plan, entry, head_kv, t, from);
  } else {
    attni_make_bias(plan, entry, head_kv, t, bias, rows, from);
  }
  allowed = attni_find_allowed(t, from);
  for (lane = end; lane < plan->kernels->tile_q; ++lane) {
    from[lane] = from[lane - 1];
    t->any[lane] = t->any[lane - 1];
  }
  t->bias = bias;
  t->bias_rows = from;
  return allowed;
}

/* What was added may forbid keys: lay it out as the scores, for mask and the careful product. */
static void attni_keep_masks(const attni_kernels *kernels, attni_tile *t) {
  const int32_t begin = t->key_begin, end = t->key_end[kernels->groups - 1];
  int32_t group;
  if (kernels->packs) {
    kernels->pack(t, t->bias_rows, 1.0f, end - begin, t->bias + begin * kernels->tile_q);
  }
  for (group = t->group0; group < kernels->groups; ++group) t->key_from[group] = t->key_end[group];
  t->bias_masks = true;
}
