/* ----------------------------------------------------------------- mask -- */

/* How many keys, from key 0 on, query `query` may attend to. A rule that is not a prefix (a window,
 * a mask array) adds its own bound here, in attni_cover_tile, and in the driver's attni_first_tile,
 * which takes for granted that later tiles see no fewer keys. */
static int64_t attni_row_limit(const attn_plan *plan, int64_t query) {
  const int64_t len_kv = plan->params.len_kv;
  if (!plan->params.causal) return len_kv;
  return attni_max(0, attni_min(len_kv, query + plan->offset + 1));
}

/* The limits of `rows` rows from `first` on, and the last one's again up to `lanes`. */
static void attni_find_limits(const attn_plan *plan, int64_t first, int32_t rows, int32_t lanes,
                              int64_t *limit) {
  const int64_t group = plan->group;
  int64_t query = first / group, head = first % group, keys = attni_row_limit(plan, query);
  int32_t row;
  for (row = 0; row < rows; ++row) {
    limit[row] = keys;
    if (++head < group) continue;
    head = 0;
    keys = attni_row_limit(plan, ++query);
  }
  for (; row < lanes; ++row) limit[row] = limit[row - 1];
}

/* Which part of a key tile the rows of a query tile may attend to. */
typedef enum attni_cover {
  ATTNI_SKIP,   /* nothing */
  ATTNI_FULL,   /* every key by every row */
  ATTNI_PARTIAL /* see limit, key_full and key_end of the tile */
} attni_cover;

/* Classify keys key0 .. key0 + t->kv.keys - 1 and fill the tile's bounds. The rows' limits never
 * descend. */
static attni_cover attni_cover_tile(attni_tile *t, const attni_kernels *kernels, int64_t key0) {
  const int32_t lanes = kernels->lanes, groups = kernels->groups, rows = kernels->tile_q;
  const int64_t *const row_limit = t->row_limit;
  const int64_t keys = t->kv.keys;
  int32_t *const limit = t->limit;
  int32_t group, row;
  if (row_limit[rows - 1] <= key0) return ATTNI_SKIP;
  for (group = 0; group < t->group0; ++group) t->key_full[group] = t->key_end[group] = 0;
  if (row_limit[t->row0] >= key0 + keys) {
    for (; group < groups; ++group) t->key_full[group] = t->key_end[group] = t->kv.keys;
    return ATTNI_FULL;
  }
  for (row = t->row0; row < rows; ++row) {
    limit[row] = (int32_t)attni_max(0, attni_min(keys, row_limit[row] - key0));
  }
  for (; group < groups; ++group) {
    t->key_full[group] = limit[group * lanes];
    t->key_end[group] = limit[group * lanes + lanes - 1];
  }
  return ATTNI_PARTIAL;
}
