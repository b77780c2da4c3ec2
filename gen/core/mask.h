/* ----------------------------------------------------------------- mask -- */

/* One batch entry: where it lies, and how long it is. */
typedef struct attni_entry {
  int64_t batch;
  int64_t query0, key0; /* positions of its first query and key in their tensors */
  int64_t len_q, len_kv;
  int64_t offset; /* of query 0 among the keys */
} attni_entry;

static attni_entry attni_entry_of(const attn_params *p, int64_t batch) {
  attni_entry entry;
  entry.batch = batch;
  entry.query0 = entry.key0 = 0;
  entry.len_q = p->len_q;
  entry.len_kv = p->len_kv;
  if (p->cu_seqlens_q != NULL) {
    entry.query0 = p->cu_seqlens_q[batch];
    entry.len_q = p->cu_seqlens_q[batch + 1] - entry.query0;
  }
  if (p->cu_seqlens_kv != NULL) {
    entry.key0 = p->cu_seqlens_kv[batch];
    entry.len_kv = p->cu_seqlens_kv[batch + 1] - entry.key0;
  }
  if (p->seqlens_kv != NULL) entry.len_kv = p->seqlens_kv[batch];
  entry.offset = p->align == ATTN_ALIGN_BOTTOM_RIGHT ? entry.len_kv - entry.len_q : p->offset;
  return entry;
}

/* Keys begin .. end-1. */
typedef struct attni_range {
  int64_t begin, end;
} attni_range;

static attni_range attni_clip(attni_range range, int64_t begin, int64_t end) {
  range.begin = attni_max(range.begin, begin);
  range.end = attni_max(range.begin, attni_min(range.end, end));
  return range;
}

/* The keys of the entry that there are. */
static attni_range attni_present(const attn_params *p, const attni_entry *entry) {
  const attni_range keys = {0, entry->len_kv};
  return p->ring_size > 0 ? attni_clip(keys, entry->len_kv - p->ring_size, keys.end) : keys;
}

/* What causality leaves of them to the query at this position. */
static attni_range attni_past(attni_range present, bool causal, int64_t position) {
  return causal ? attni_clip(present, 0, position + 1) : present;
}

/* The window around position p, without what dilation leaves out or globals and stride add. */
static attni_range attni_window(const attn_params *p, attni_range past, int64_t position) {
  if (!p->window) return past;
  return attni_clip(past, p->window_left < 0 ? past.begin : position - p->window_left,
                    p->window_right < 0 ? past.end : position + p->window_right + 1);
}

/* Whether a window is more than a range of keys. */
static bool attni_has_pattern(const attn_params *p) {
  return p->window_dilation > 1 || p->window_globals > 0 || p->window_stride > 0;
}

/* Whether single keys within a row's range may be forbidden. */
static bool attni_has_masks(const attn_params *p) {
  return p->mask.data != NULL || p->bias.data != NULL || p->block_mask.data != NULL ||
         attni_has_pattern(p);
}

/* Whether scores are kept in units of e: options work on them. */
static bool attni_is_natural(const attn_params *p) {
  return p->softcap > 0 || p->bias.data != NULL || p->alibi_slopes != NULL;
}

static bool attni_is_global(const attn_params *p, int64_t position) {
  return position >= 0 && position < p->window_globals;
}

/* What the window leaves of `past`; with a pattern, a range that contains it. A rule that forbids
 * keys within it has its place in attni_fill_bias_row. */
static attni_range attni_window_range(const attn_params *p, attni_range past, int64_t position) {
  attni_range range = attni_window(p, past, position);
  if (p->window_stride > 0 || attni_is_global(p, position)) return past;
  if (p->window_globals > 0 && past.begin < attni_min(past.end, p->window_globals)) {
    range.end = attni_max(range.end, attni_min(past.end, p->window_globals));
    range.begin = past.begin;
  }
  return range;
}

/* The ranges of `rows` rows from `first` on, and the last one's again up to `lanes`, widened so
 * that neither end descends: only patterns need that. */
static void attni_find_ranges(const attn_plan *plan, const attni_entry *entry, int64_t first,
                              int32_t rows, int32_t lanes, int64_t *start, int64_t *limit) {
  const attn_params *const p = &plan->params;
  const bool causal = p->causal, window = p->window;
  const attni_range present = attni_present(p, entry);
  const int64_t group = plan->group;
  int64_t position = first / group + entry->offset, head = first % group;
  int32_t row;
  for (row = 0; row < rows; ++row) {
    attni_range range = attni_past(present, causal, position);
    if (window) range = attni_window_range(p, range, position);
    start[row] = range.begin;
    limit[row] = range.end;
    if (++head < group) continue;
    head = 0;
    ++position;
  }
  for (; row < lanes; ++row) {
    start[row] = start[row - 1];
    limit[row] = limit[row - 1];
  }
  if (!plan->masks || !attni_has_pattern(p)) return;
  for (row = 1; row < lanes; ++row) limit[row] = attni_max(limit[row], limit[row - 1]);
  for (row = lanes - 1; row > 0; --row) start[row - 1] = attni_min(start[row - 1], start[row]);
}

/* Which part of a key tile the rows of a query tile may attend to. */
typedef enum attni_cover {
  ATTNI_SKIP,   /* nothing */
  ATTNI_FULL,   /* every key by every row */
  ATTNI_PARTIAL /* see the bounds of the tile, and its bias */
} attni_cover;

/* Whether any row's range meets keys key0 .. key1-1. */
static bool attni_meets(const attni_tile *t, int32_t tile_q, int64_t key0, int64_t key1) {
  return key0 < key1 && t->row_start[t->row0] < key1 && t->row_limit[tile_q - 1] > key0;
}

/* Classify the key tile by the rows' ranges, within `keys`, and fill the tile's bounds. */
static attni_cover attni_cover_tile(attni_tile *t, const attni_kernels *kernels, attni_range keys) {
  const int32_t lanes = kernels->lanes, groups = kernels->groups, rows = kernels->tile_q;
  const int64_t *const row_start = t->row_start, *const row_limit = t->row_limit;
  const int64_t key0 = t->kv.key0;
  int32_t *const start = t->start, *const limit = t->limit;
  int32_t group, row;
  if (!attni_meets(t, rows, keys.begin, keys.end)) return ATTNI_SKIP;
  t->key_begin = 0;
  for (group = 0; group < t->group0; ++group) {
    t->key_from[group] = t->key_full[group] = t->key_end[group] = 0;
  }
  if (row_limit[t->row0] >= key0 + t->kv.keys && row_start[rows - 1] <= key0 &&
      keys.begin == key0 && keys.end == key0 + t->kv.keys) {
    for (; group < groups; ++group) {
      t->key_from[group] = 0;
      t->key_full[group] = t->key_end[group] = t->kv.keys;
    }
    return ATTNI_FULL;
  }
  for (row = t->row0; row < rows; ++row) {
    start[row] = (int32_t)(attni_max(keys.begin, attni_min(keys.end, row_start[row])) - key0);
    limit[row] = (int32_t)(attni_max(keys.begin, attni_min(keys.end, row_limit[row])) - key0);
  }
  t->key_begin = start[t->row0] / kernels->pad * kernels->pad;
  for (; group < groups; ++group) {
    t->key_from[group] = start[group * lanes + lanes - 1];
    t->key_full[group] = limit[group * lanes];
    t->key_end[group] = limit[group * lanes + lanes - 1];
  }
  return ATTNI_PARTIAL;
}
