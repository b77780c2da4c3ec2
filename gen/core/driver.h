/* --------------------------------------------------------------- driver -- */

/* One task: a block of query tiles of one batch entry and K/V head, against one chunk of the keys.
 */
typedef struct attni_task {
  attni_entry entry;
  int64_t head_kv;
  int64_t tiles_q; /* query tiles of the entry and head */
  int64_t tile;    /* first query tile of the block */
  int64_t tiles;   /* query tiles in the block, maybe none */
  int64_t chunk;   /* which chunk of the keys */
  attni_range keys;
} attni_task;

/* The last digit of *index, where that has `count` values; the others stay. */
static int64_t attni_digit(int64_t *index, int64_t count) {
  const int64_t digit = *index % count;
  *index /= count;
  return digit;
}

/* Blocks run from the last to the first, so that under a causal mask the longest start first. Tasks
 * that read the same rows of a bias or mask follow each other: in memory those lie pages apart, and
 * cost more to find again than keys. */
static attni_task attni_task_of(const attn_plan *plan, int64_t index) {
  const attn_params *const p = &plan->params;
  const bool biased = p->bias.data != NULL || p->mask.data != NULL;
  const bool heads_share = biased && p->bias.stride_h == 0 && p->mask.stride_h == 0,
             entries_share = biased && p->bias.stride_b == 0 && p->mask.stride_b == 0;
  int64_t batch = 0, chunk_keys;
  attni_task task;
  task.head_kv = 0;
  task.chunk = attni_digit(&index, plan->chunks);
  if (heads_share) task.head_kv = attni_digit(&index, p->heads_kv);
  if (entries_share) batch = attni_digit(&index, p->batch);
  task.tile = (plan->blocks - 1 - attni_digit(&index, plan->blocks)) * plan->block;
  if (!heads_share) task.head_kv = attni_digit(&index, p->heads_kv);
  if (!entries_share) batch = index;
  task.entry = attni_entry_of(p, batch);
  task.tiles_q = attni_tiles_of(plan, plan->group * task.entry.len_q);
  task.tiles = attni_max(0, attni_min(plan->block, task.tiles_q - task.tile));
  chunk_keys = attni_chunk_keys(plan->kernels, task.entry.len_kv);
  task.keys.begin = attni_min(task.entry.len_kv, task.chunk * chunk_keys);
  task.keys.end = attni_min(task.entry.len_kv, task.keys.begin + chunk_keys);
  return task;
}

/* Where row `row` of q, o or lse lies, among the rows that one K/V head serves. Inputs are not
 * written through it. */
static void *attni_row(const attn_plan *plan, const attni_task *task, const attn_tensor *x,
                       int64_t row) {
  const int64_t query = task->entry.query0 + row / plan->group,
                head = task->head_kv * plan->group + row % plan->group;
  return attni_tensor_row(x, task->entry.batch, head, query);
}

/* Rows first .. first+count-1 of an f32 tensor, among the rows that one K/V head serves. */
static void attni_find_rows(const attn_plan *plan, const attni_task *task, const attn_tensor *x,
                            int64_t first, int32_t count, float **rows) {
  /* Unsigned, since a step behind the last row may lead anywhere. */
  const uint64_t step = (uint64_t)(plan->group == 1 ? x->stride_s : x->stride_h);
  int64_t row = 0;
  while (row < count) {
    const int64_t stop = row + attni_rows_at_stride(plan, first + row, first + count);
    float *const from = (float *)attni_row(plan, task, x, first + row);
    uint64_t at = 0;
    for (; row < stop; ++row, at += step) rows[row] = from + (int64_t)at;
  }
}

/* The rows of q or o, of `size` features, that belong to the lanes row0 to tile_q - 1 of a tile:
 * in the tensor, or in the stage that a type other than f32 passes through. */
static void attni_find_lanes(const attn_plan *plan, const attni_task *task, const attn_tensor *x,
                             const attni_tile *t, int64_t size, float **rows) {
  int32_t row;
  if (x->type == ATTN_F32) {
    attni_find_rows(plan, task, x, t->row, t->rows, rows + t->row0);
  } else {
    for (row = 0; row < t->rows; ++row) rows[t->row0 + row] = t->stage + row * size;
  }
  for (row = t->row0 + t->rows; row < plan->kernels->tile_q; ++row) rows[row] = rows[row - 1];
}

/* Where a key lies in a cache or in its scales: which batch entry or page, and at which position of
 * it. The layout of caches is known here and in attni_is_strided alone. */
typedef struct attni_place {
  int64_t batch, position;
} attni_place;

static attni_place attni_place_of(int64_t page_size, const int32_t *page_table,
                                  int64_t page_table_stride, int64_t ring_size, int64_t batch,
                                  int64_t key) {
  attni_place place;
  place.batch = batch;
  place.position = key;
  if (page_size > 0) {
    place.batch = page_table[batch * page_table_stride + key / page_size];
    place.position = key % page_size;
  } else if (ring_size > 0) {
    place.position = key % ring_size;
  }
  return place;
}

/* Where key `key` of the entry lies in k, v or their scales. */
static const void *attni_key(const attn_params *p, const attni_task *task, const attn_tensor *x,
                             int64_t key) {
  const attni_place place = attni_place_of(p->page_size, p->page_table, p->page_table_stride,
                                           p->ring_size, task->entry.batch, key);
  return attni_tensor_row(x, place.batch, task->head_kv, place.position + task->entry.key0);
}

/* Whether keys key0 .. key0+keys-1 lie at one stride. */
static bool attni_is_strided(const attn_params *p, int64_t key0, int64_t keys) {
  const int64_t turn = p->page_size > 0 ? p->page_size : p->ring_size;
  return turn == 0 || key0 / turn == (key0 + keys - 1) / turn;
}

static attni_keys attni_locate(const attn_plan *plan, const attni_task *task, int64_t key0) {
  const attn_params *const p = &plan->params;
  attni_keys kv;
  kv.key0 = key0;
  kv.keys = (int32_t)attni_min(plan->tile_k, task->keys.end - key0);
  kv.strided = attni_is_strided(p, key0, kv.keys);
  kv.k = attni_key(p, task, &p->k, key0);
  kv.v = attni_key(p, task, &p->v, key0);
  /* The stride of one single key may be anything: no pointer is formed with it. */
  kv.k_stride = kv.keys > 1 ? p->k.stride_s : 0;
  kv.v_stride = kv.keys > 1 ? p->v.stride_s : 0;
  return kv;
}

/* The first row of a query tile. Tiles share the rows of a segment evenly, in whole groups. */
static int64_t attni_tile_row(const attn_plan *plan, const attni_task *task, int64_t tile) {
  const int64_t rows = plan->group * task->entry.len_q;
  const int64_t lanes = plan->kernels->lanes, groups = plan->kernels->groups;
  int64_t per_segment, before, here, tiles, spare;
  if (tile == 0) return 0;
  if (tile == task->tiles_q) return rows;
  per_segment = attni_tiles_of(plan, attni_min(plan->segment, rows));
  before = tile / per_segment * plan->segment; /* rows of the segments before it */
  tile %= per_segment;
  if (tile == 0) return before;
  here = attni_min(plan->segment, rows - before);
  tiles = attni_tiles_of(plan, here);
  spare = groups * tiles - attni_ceil_div(here, lanes);
  return before + (groups * tile - attni_ceil_div(spare * tile, tiles)) * lanes;
}

/* Lay out the arrays of the tile that has rows first .. end-1. Nothing has been computed yet:
 * m = -FLT_MAX, l = 0. */
static void attni_start_tile(const attn_plan *plan, const attni_task *task,
                             const attni_scratch_layout *size, int64_t first, int64_t end,
                             float *at, attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  const int32_t tile_q = kernels->tile_q;
  float *row_max, *m, *l;
  int32_t row;
  t->row = first;
  t->rows = (int32_t)(end - first);
  t->group0 = (tile_q - t->rows) / kernels->lanes;
  t->row0 = t->group0 * kernels->lanes;
  t->head_size = (int32_t)plan->params.head_size;
  t->head_size_v = (int32_t)plan->params.head_size_v;
  t->natural = plan->natural;
  t->scale = (float)((double)plan->params.scale * (t->natural ? 1.0 : ATTNI_LOG2E));
  t->v_bytes = attni_size_of(plan->params.v.type) * (size_t)t->head_size_v;
  t->bias_masks = false;
  t->bias_rows = NULL;
  t->bias = NULL;
  t->qt = at;
  t->ot = (at += size->qt);
  t->row_start = (int64_t *)(void *)(at += size->ot);
  t->row_limit = (int64_t *)(void *)(at += size->row_limit);
  t->row_max = row_max = (at += size->row_limit);
  t->m = m = (at += size->row);
  t->l = l = (at += size->row);
  t->factor = (at += size->row);
  t->slope = (at += size->row);
  t->position = (at += size->row);
  t->start = (int32_t *)(void *)(at += size->row);
  t->limit = (int32_t *)(void *)(at += size->row);
  t->any = (bool *)(void *)(at += size->row);
  t->first = true;
  for (row = t->row0; row < tile_q; ++row) {
    row_max[row] = m[row] = -FLT_MAX;
    l[row] = 0.0f;
  }
  attni_find_ranges(plan, &task->entry, first, t->rows, tile_q - t->row0, t->row_start + t->row0,
                    t->row_limit + t->row0);
  /* Masks find out which rows may attend to anything. */
  if (plan->masks) memset(t->any, 0, (size_t)tile_q * sizeof(bool));
}

static ATTNI_FORCE_INLINE bool attni_row_empty(const attn_plan *plan, const attni_tile *t,
                                               int32_t row) {
  if (plan->masks) return !t->any[row];
  return t->row_start[row] == t->row_limit[row];
}

/* A row as f32, or as bf16 for products of that type: then with a 0 behind an odd last element. */
static void attni_convert_row(const attni_kernels *kernels, const void *from, attn_type type,
                              float scale, int64_t size, float *to) {
  if (kernels->type == ATTN_BF16) {
    memset((char *)to + (size - 1) / 2 * 4, 0, 4);
    memcpy(to, from, (size_t)size * attni_size_of(type));
  } else {
    attni_read_row(kernels, from, type, scale, size, to);
  }
}

static void attni_load_rows(const attn_plan *plan, const attni_task *task, const attni_tile *t) {
  const attn_tensor *const q = &plan->params.q;
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t i;
  attni_find_lanes(plan, task, q, t, t->head_size, rows);
  for (i = 0; q->type != ATTN_F32 && i < t->rows; ++i) {
    attni_convert_row(plan->kernels, attni_row(plan, task, q, t->row + i), q->type, 1.0f,
                      t->head_size, rows[t->row0 + i]);
  }
  if (plan->kernels->type == ATTN_BF16) {
    plan->kernels->pack_q(t, (const float *const *)rows);
  } else {
    plan->kernels->pack(t, (const float *const *)rows, t->scale, t->head_size, t->qt);
  }
}

/* Whether the values of keys begin .. end-1, which some row must not see, are all finite; of bf16
 * those of their pairs. */
static bool attni_values_finite(const attn_plan *plan, const attni_tile *t, int32_t begin,
                                int32_t end) {
  const attni_kernels *const kernels = plan->kernels;
  const attn_type type = kernels->packs ? kernels->type : plan->params.v.type;
  float row[ATTN_MAX_HEAD_SIZE];
  int32_t key;
  if (begin >= end) return true;
  if (type == ATTN_I8) return kernels->finite(t->scales_v + begin, 0, 1, end - begin);
  if (type == ATTN_F32) {
    return kernels->finite((const float *)t->kv.v + begin * t->kv.v_stride, t->kv.v_stride,
                           end - begin, t->head_size_v);
  }
  if (kernels->packs) {
    const int64_t stride = t->kv.v_stride / 2; /* of floats */
    const int32_t pair = begin / 2;
    return kernels->finite_pairs((const float *)t->kv.v + pair * stride, stride,
                                 (end + 1) / 2 - pair, t->head_size_v);
  }
  for (key = begin; key < end; ++key) {
    kernels->widen(attni_at(t->kv.v, type, key * t->kv.v_stride), type, 1.0f, t->head_size_v, row);
    if (!kernels->finite(row, 0, 1, t->head_size_v)) return false;
  }
  return true;
}

/* The keys that some row must not see, but whose values reach its product: those before the last
 * key_from, and from the first key_full on. Of bf16 an odd last key brings the one behind it. */
static bool attni_hidden_finite(const attn_plan *plan, const attni_tile *t) {
  const int32_t groups = plan->kernels->groups, pairs = plan->kernels->type == ATTN_BF16;
  const int32_t last = t->key_end[groups - 1], end = last + (pairs & last);
  int32_t from = t->key_begin, full = end, group;
  if (t->bias_masks) return attni_values_finite(plan, t, t->key_begin, end);
  for (group = t->group0; group < groups; ++group) {
    const int32_t reached = t->key_end[group] + (pairs & t->key_end[group]);
    if (t->key_from[group] > from) from = t->key_from[group];
    if (t->key_full[group] < full && t->key_full[group] < reached) full = t->key_full[group];
  }
  from = attni_min_i32(from, end);
  full = full > from ? full : from;
  return attni_values_finite(plan, t, t->key_begin, from) &&
         attni_values_finite(plan, t, full, end);
}

/* Values at keys that some row of a group must not see reach the product, with weight 0: also the
 * other one of a pair of bf16. That is harmless unless one is not finite; then the careful product
 * leaves them out. */
static void attni_partial_pv(const attn_plan *plan, const attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  if (attni_hidden_finite(plan, t)) {
    plan->pv->run(t);
  } else {
    kernels->pv_masked(t, plan->params.v.type);
  }
}

/* The scales of the tile's keys, one after the other, and 0 behind them up to whole vectors. */
static void attni_gather_scales(const attn_params *p, const attni_task *task, const attn_tensor *x,
                                const attni_keys *kv, int32_t pad, float *to) {
  const float *const first = (const float *)attni_key(p, task, x, kv->key0);
  const int64_t stride = kv->keys > 1 ? x->stride_s : 0;
  int32_t key;
  if (!kv->strided) {
    for (key = 0; key < kv->keys; ++key) {
      to[key] = *(const float *)attni_key(p, task, x, kv->key0 + key);
    }
  } else if (stride == 1) {
    memcpy(to, first, (size_t)kv->keys * sizeof(float));
  } else {
    for (key = 0; key < kv->keys; ++key) to[key] = first[key * stride];
  }
  for (key = kv->keys; key < kv->keys + pad; ++key) to[key] = 0.0f;
}

static void attni_set_alibi(const attn_plan *plan, const attni_task *task, attni_tile *t) {
  const float *const slopes = plan->params.alibi_slopes + task->head_kv * plan->group;
  int64_t head = t->row % plan->group;
  int64_t position = t->row / plan->group + task->entry.offset - t->kv.key0;
  int32_t row;
  for (row = t->row0; row < plan->kernels->tile_q; ++row) {
    t->slope[row] = slopes[head];
    t->position[row] = (float)position;
    if (row + 1 >= t->row0 + t->rows) continue; /* repeated in the lanes behind it */
    if (++head < plan->group) continue;
    head = 0;
    ++position;
  }
}

/* From products to scores: softcap, bias, ALiBi, masks. What may be seen turns out here, since the
 * bias is looked at only while it is added. */
static attni_cover attni_change_scores(const attn_plan *plan, const attni_task *task, attni_tile *t,
                                       attni_cover cover) {
  const attni_kernels *const kernels = plan->kernels;
  const attn_params *const p = &plan->params;
  if (!t->natural && t->bias_rows == NULL && cover == ATTNI_FULL) return cover;
  if (p->softcap > 0) {
    const double slope = 2 * ATTNI_LOG2E / (double)p->softcap;
    kernels->softcap(t, p->softcap, slope < (double)FLT_MAX ? (float)slope : FLT_MAX);
  }
  if (t->bias_rows != NULL && !kernels->add_bias(t)) {
    attni_keep_masks(kernels, t);
    cover = ATTNI_PARTIAL;
  }
  if (p->alibi_slopes != NULL) {
    attni_set_alibi(plan, task, t);
    kernels->alibi(t);
  }
  if (cover == ATTNI_PARTIAL) kernels->mask(t, ATTNI_NEG_INFINITY_BITS);
  if (cover == ATTNI_PARTIAL || !kernels->packs) kernels->find_max(t);
  return cover;
}

/* The scores of the key tile, and what its rows may see of it. */
static attni_cover attni_score_tile(const attn_plan *plan, const attni_task *task, attni_tile *t,
                                    attni_cover cover) {
  const attni_kernels *const kernels = plan->kernels;
  const attn_params *const p = &plan->params;
  if (!kernels->packs && p->k.type == ATTN_I8) {
    attni_gather_scales(p, task, &p->k_scale, &t->kv, kernels->pad, t->scales_k);
  }
  plan->qk->run(t);
  return attni_change_scores(plan, task, t, cover);
}

static void attni_key_tile(const attn_plan *plan, const attni_task *task, attni_tile *t,
                           attni_cover cover) {
  const attni_kernels *const kernels = plan->kernels;
  const attn_params *const p = &plan->params;
  const size_t bytes = (size_t)(kernels->tile_q - t->row0) * sizeof(float);
  cover = attni_score_tile(plan, task, t, cover);
  if (!kernels->packs && p->v.type == ATTN_I8) {
    attni_gather_scales(p, task, &p->v_scale, &t->kv, kernels->pad, t->scales_v);
  }
  kernels->softmax(t);
  if (cover == ATTNI_PARTIAL) {
    attni_partial_pv(plan, t);
  } else {
    plan->pv->run(t);
  }
  memcpy(t->m + t->row0, t->row_max + t->row0, bytes);
  t->first = false;
}

/* m in units of e. */
static ATTNI_FORCE_INLINE double attni_in_e(const attn_plan *plan, float m) {
  return (double)m * (plan->natural ? 1.0 : ATTNI_LN2);
}

/* The sink of a row's head; -infinity if there is none. */
static ATTNI_FORCE_INLINE float attni_sink(const attn_plan *plan, const attni_task *task,
                                           int64_t row) {
  if (plan->params.sinks == NULL) return attni_float(ATTNI_NEG_INFINITY_BITS);
  return plan->params.sinks[task->head_kv * plan->group + row % plan->group];
}

/* 1 / l. A row with l = 0 is empty and gives 0, unless it had keys, all with scores of -infinity.
 */
static ATTNI_FORCE_INLINE float attni_inverse(float l, bool empty) {
  if (attni_bits(l) == 0) return attni_float(empty ? 0u : ATTNI_NAN_BITS);
  return (float)(1.0 / (double)l);
}

/* The same with a sink, which joins the sum. */
static ATTNI_FORCE_INLINE float attni_sink_inverse(double m, float l, float sink, bool empty) {
  if (attni_bits(sink) == ATTNI_NEG_INFINITY_BITS) return attni_inverse(l, empty);
  if (attni_bits(l) == 0) return 0.0f;
  return (float)(1.0 / ((double)l + exp((double)sink - m)));
}

/* The natural logarithm of the sum of exp(score). */
static ATTNI_FORCE_INLINE float attni_lse(double m, float l, float sink, bool empty) {
  const bool no_sink = attni_bits(sink) == ATTNI_NEG_INFINITY_BITS;
  if (attni_bits(l) == 0) {
    if (!no_sink) return sink;
    return attni_float(empty ? ATTNI_NEG_INFINITY_BITS : ATTNI_NAN_BITS);
  }
  if (no_sink) return (float)(m + log((double)l));
  if ((double)sink > m) return (float)((double)sink + log1p((double)l * exp(m - (double)sink)));
  return (float)(m + log((double)l + exp((double)sink - m)));
}

static void attni_write_lse(const attn_plan *plan, const attni_task *task, const attni_tile *t) {
  const attn_tensor *const lse = &plan->params.lse;
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t i;
  if (lse->data == NULL) return;
  attni_find_rows(plan, task, lse, t->row, t->rows, rows);
  for (i = 0; i < t->rows; ++i) {
    const int32_t row = t->row0 + i;
    *rows[i] = attni_lse(attni_in_e(plan, t->m[row]), t->l[row], attni_sink(plan, task, t->row + i),
                         attni_row_empty(plan, t, row));
  }
}

/* What each row's output is multiplied by. */
static void attni_find_inverses(const attn_plan *plan, const attni_task *task, const attni_tile *t,
                                float *inverse) {
  const int32_t tile_q = plan->kernels->tile_q;
  const float *const l = t->l, *const m = t->m;
  int32_t row;
  for (row = t->row0; row < tile_q; ++row) {
    const bool empty = attni_row_empty(plan, t, row);
    /* The same division for every row: in a vectorised loop -ffast-math takes an approximation. */
    ATTNI_FENCE();
    if (plan->params.sinks == NULL) {
      inverse[row] = attni_inverse(l[row], empty);
    } else {
      const int64_t at = t->row + attni_min_i32(row - t->row0, t->rows - 1);
      inverse[row] =
          attni_sink_inverse(attni_in_e(plan, m[row]), l[row], attni_sink(plan, task, at), empty);
    }
  }
}

/* Write the tile's rows of o and lse. */
static void attni_finish_tile(const attn_plan *plan, const attni_task *task, const attni_tile *t) {
  const attn_tensor *const o = &plan->params.o;
  float *const inverse = t->factor;
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t i;
  attni_write_lse(plan, task, t);
  attni_find_lanes(plan, task, o, t, t->head_size_v, rows);
  attni_find_inverses(plan, task, t, inverse);
  plan->kernels->store_o(t, rows, inverse);
  for (i = 0; o->type != ATTN_F32 && i < t->rows; ++i) {
    plan->kernels->narrow(rows[t->row0 + i], o->type, t->head_size_v,
                          attni_row(plan, task, o, t->row + i));
  }
}

/* A chunk's part of a row: [head_size_v] of output, m, l, 1 if a key was allowed. */
static float *attni_part(const attn_plan *plan, void *shared, const attni_task *task, int64_t row,
                         int64_t chunk) {
  const int64_t rows = plan->group * plan->params.len_q;
  const int64_t head = task->entry.batch * plan->params.heads_kv + task->head_kv;
  const int64_t index = (head * rows + row) * plan->chunks + chunk;
  return (float *)attni_align_up(shared) + index * attni_part_floats(&plan->params);
}

static void attni_store_parts(const attn_plan *plan, const attni_task *task, const attni_tile *t,
                              void *shared) {
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t row;
  for (row = t->row0; row < plan->kernels->tile_q; ++row) {
    const int64_t i = t->row + attni_min_i32(row - t->row0, t->rows - 1);
    rows[row] = attni_part(plan, shared, task, i, task->chunk);
    rows[row][t->head_size_v] = t->m[row];
    rows[row][t->head_size_v + 1] = t->l[row];
    rows[row][t->head_size_v + 2] = attni_row_empty(plan, t, row) ? 0.0f : 1.0f;
    t->factor[row] = 1.0f;
  }
  plan->kernels->store_o(t, rows, t->factor);
}

/* -- a block of query tiles -- */

typedef struct attni_block {
  const attn_plan *plan;
  attni_task task;
  attni_scratch_layout size;
  float *packed_k[2], *packed_v[2]; /* the key tile in use, and the one that follows */
  float *bias, *bias_rows;          /* what is added to scores: as laid out like them, as made */
  const float *bias_from[ATTNI_MAX_TILE_Q]; /* where each row of it begins */
  attni_ahead *ahead;
  float *st, *stage, *scales; /* of every tile in turn */
  attni_tile *tiles;
  int64_t next_task; /* that this thread runs; the number of tasks if that is not known */
} attni_block;

/* Lay out what the tiles of a block share. Returns what follows it: the first tile's own. */
static float *attni_lay_out(const attn_plan *plan, void *scratch, attni_block *b) {
  float *at = (float *)attni_align_up(scratch);
  int64_t i;
  b->plan = plan;
  b->size = attni_scratch_of(plan->kernels, &plan->params);
  b->tiles = (attni_tile *)(void *)at; /* they would take too much of the stack */
  b->st = (at += b->size.tiles);
  b->bias = (at += b->size.st);
  b->bias_rows = (at += b->size.bias);
  at += b->size.bias_rows;
  b->ahead = (attni_ahead *)(void *)at;
  at += b->size.ahead;
  for (i = 0; i < 2; ++i) {
    b->packed_k[i] = at;
    b->packed_v[i] = (at += b->size.k);
    at += b->size.v;
  }
  b->stage = at;
  b->scales = (at += b->size.stage);
  return at + 2 * b->size.scale;
}

/* Start the tile of rows first .. end-1 of the block's task, whose own arrays lie at `at`. */
static void attni_place_tile(attni_block *b, int64_t first, int64_t end, float *at, attni_tile *t) {
  t->st = b->st;
  t->stage = b->stage;
  t->scales_k = b->scales;
  t->scales_v = b->scales + b->size.scale;
  t->ahead = b->ahead;
  t->aheads = 0;
  t->ahead_rows = 0;
  attni_start_tile(b->plan, &b->task, &b->size, first, end, at, t);
}

static void attni_start_block(const attn_plan *plan, int64_t index, void *scratch, attni_block *b) {
  float *at = attni_lay_out(plan, scratch, b);
  int64_t i, first, end;
  b->task = attni_task_of(plan, index);
  if (b->task.tiles == 0) return;
  first = attni_tile_row(plan, &b->task, b->task.tile);
  for (i = 0; i < b->task.tiles; ++i, first = end, at += b->size.tile) {
    end = attni_tile_row(plan, &b->task, b->task.tile + i + 1);
    attni_place_tile(b, first, end, at, &b->tiles[i]);
  }
}

/* What tile i may see of the key tile at key0. */
static attni_visible attni_look(const attni_block *b, int64_t i, int64_t key0) {
  const int64_t keys = attni_min(b->plan->tile_k, b->task.keys.end - key0);
  return attni_see(b->plan, &b->task.entry, b->task.head_kv, &b->tiles[i], key0, keys);
}

/* The query tiles that may see the key tile at key0, a bit each. */
static uint32_t attni_seers(const attni_block *b, int64_t key0) {
  uint32_t seers = 0;
  int64_t i;
  for (i = 0; i < b->task.tiles; ++i) {
    const attni_range keys = attni_look(b, i, key0).keys;
    if (attni_meets(&b->tiles[i], b->plan->kernels->tile_q, keys.begin, keys.end)) {
      seers |= (uint32_t)1 << i;
    }
  }
  return seers;
}

static int64_t attni_count(uint32_t seers) {
  int64_t count = 0;
  for (; seers != 0; seers &= seers - 1) ++count;
  return count;
}

/* The first key tile, from the one at *key0 on, that a query tile may see, and which ones do; none
 * if there is no such key tile. */
static uint32_t attni_next_keys(const attni_block *b, int64_t *key0) {
  const int32_t tile_k = b->plan->tile_k, tile_q = b->plan->kernels->tile_q;
  int64_t begin = INT64_MAX, end = 0, i;
  for (i = 0; i < b->task.tiles; ++i) {
    const attni_tile *const t = &b->tiles[i];
    begin = attni_min(begin, t->row_start[t->row0]);
    end = attni_max(end, t->row_limit[tile_q - 1]);
  }
  end = attni_min(end, b->task.keys.end);
  if (begin > *key0) *key0 = attni_max(*key0, begin / tile_k * tile_k);
  for (; *key0 < end; *key0 += tile_k) {
    const uint32_t seers = attni_seers(b, *key0);
    if (seers != 0) return seers;
  }
  return 0;
}

/* Whether rows of `size` lie so far apart, with something between them, that those of a tile share
 * few sets of the first-level cache. */
static bool attni_far_apart(attn_type type, int64_t stride, int64_t size) {
  const int64_t limit = 1024 / (int64_t)attni_size_of(type);
  return stride != size && (stride > limit || stride < -limit);
}

/* Whether rows of k or v are packed for `tiles` query tiles: always if they must be, since the
 * products need them in another form or at one stride, otherwise if it pays. */
static bool attni_packs(const attni_block *b, const attni_keys *kv, attn_type type, bool other_form,
                        int64_t stride, int64_t size, int64_t tiles) {
  if (!kv->strided) return true;
  if (!b->plan->kernels->packs) return false;
  return other_form || (tiles > 1 && attni_far_apart(type, stride, size));
}

static bool attni_packs_k(const attni_block *b, const attni_keys *kv, int64_t tiles) {
  const attn_params *const p = &b->plan->params;
  const attn_type type = b->plan->kernels->type;
  const bool odd = type == ATTN_BF16 && p->head_size % 2 != 0;
  return attni_packs(b, kv, type, p->k.type != type || odd, kv->k_stride, p->head_size, tiles);
}

static bool attni_packs_v(const attni_block *b, const attni_keys *kv, int64_t tiles) {
  const attn_params *const p = &b->plan->params;
  const bool other_form = p->v.type != ATTN_F32; /* of bf16 pairs of keys are wanted */
  return attni_packs(b, kv, p->v.type, other_form, kv->v_stride, p->head_size_v, tiles);
}

/* Rows begin .. end-1 of the key tile, one after the other: converted for the prefill family, as
 * they are for the decode family. */
static void attni_pack_rows(const attni_block *b, const attn_tensor *x, const attn_tensor *scale,
                            const attni_keys *kv, int32_t begin, int32_t end, int64_t size,
                            float *out) {
  const attn_params *const p = &b->plan->params;
  const attni_kernels *const kernels = b->plan->kernels;
  const int64_t floats = attni_packed_floats(kernels, size);
  int32_t row;
  for (row = begin; row < end; ++row) {
    const void *const from = attni_key(p, &b->task, x, kv->key0 + row);
    if (kernels->packs) {
      float factor = 1.0f;
      if (x->type == ATTN_I8)
        factor = *(const float *)attni_key(p, &b->task, scale, kv->key0 + row);
      attni_convert_row(kernels, from, x->type, factor, size, out + row * floats);
    } else {
      memcpy((void *)(uintptr_t)attni_at(out, x->type, row * size), from,
             (size_t)size * attni_size_of(x->type));
    }
  }
}

/* Values of keys begin .. end-1 in pairs of bf16; begin is even, end is even or the last. */
static void attni_pack_pairs(const attni_block *b, const attni_keys *kv, int32_t begin, int32_t end,
                             float *out) {
  const attn_params *const p = &b->plan->params;
  int32_t key;
  for (key = begin; key < end; key += 2) {
    const void *const one = attni_key(p, &b->task, &p->v, kv->key0 + key);
    const void *const other =
        key + 1 < end ? attni_key(p, &b->task, &p->v, kv->key0 + key + 1) : NULL;
    b->plan->kernels->pack_v((const uint16_t *)one, (const uint16_t *)other, p->head_size_v,
                             out + key / 2 * p->head_size_v);
  }
}

/* Pack keys begin .. end-1 of a key tile for `tiles` query tiles, where it is to be packed. */
static void attni_pack(const attni_block *b, const attni_keys *kv, int32_t begin, int32_t end,
                       int64_t tiles, int buffer) {
  const attn_params *const p = &b->plan->params;
  if (attni_packs_k(b, kv, tiles)) {
    attni_pack_rows(b, &p->k, &p->k_scale, kv, begin, end, p->head_size, b->packed_k[buffer]);
  }
  if (!attni_packs_v(b, kv, tiles)) return;
  if (b->plan->kernels->type == ATTN_BF16) {
    attni_pack_pairs(b, kv, begin, end, b->packed_v[buffer]);
  } else {
    attni_pack_rows(b, &p->v, &p->v_scale, kv, begin, end, p->head_size_v, b->packed_v[buffer]);
  }
}

/* The key tile as attni_pack has left it. */
static attni_keys attni_packed(const attni_block *b, const attni_keys *kv, int64_t tiles,
                               int buffer) {
  const attn_params *const p = &b->plan->params;
  const bool pairs = b->plan->kernels->type == ATTN_BF16;
  attni_keys packed = *kv;
  if (attni_packs_k(b, kv, tiles)) {
    packed.k = b->packed_k[buffer];
    packed.k_stride = p->head_size + (pairs ? p->head_size % 2 : 0);
  }
  if (attni_packs_v(b, kv, tiles)) {
    packed.v = b->packed_v[buffer];
    packed.v_stride = pairs ? 2 * p->head_size_v : p->head_size_v;
  }
  return packed;
}

/* One more range of the tile's rows ahead. */
static void attni_add_ahead(attni_tile *t, const void *rows, attn_type type, int64_t stride,
                            int64_t count, int64_t size) {
  attni_ahead *const ahead = &t->ahead[t->aheads];
  if (count == 0) return;
  ahead->at = (uintptr_t)rows;
  ahead->stride = (uintptr_t)stride * attni_size_of(type);
  ahead->rows = count;
  ahead->bytes = (size_t)size * attni_size_of(type);
  t->ahead_rows += count;
  ++t->aheads;
}

/* Rows of q or o that tile `of` reads or writes: one range per query where heads share keys. */
static void attni_add_rows_ahead(const attni_block *b, attni_tile *t, const attn_tensor *x,
                                 const attni_tile *of, int64_t size) {
  const int64_t group = b->plan->group;
  int64_t row = of->row, count;
  for (; row < of->row + of->rows; row += count) {
    const void *const first = attni_row(b->plan, &b->task, x, row);
    count = attni_rows_at_stride(b->plan, row, of->row + of->rows);
    attni_add_ahead(t, first, x->type, group == 1 ? x->stride_s : x->stride_h, count, size);
  }
}

/* The bias or mask of query tile `of` for the key tile at key0, like its rows. */
static void attni_add_matrix_ahead(const attni_block *b, attni_tile *t, const attn_matrix *x,
                                   const attni_tile *of, int64_t key0) {
  const int64_t group = b->plan->group, stride = group == 1 ? x->stride_q : x->stride_h;
  const int64_t keys = attni_min(b->plan->tile_k, b->task.keys.end - key0);
  int64_t row = of->row, count;
  if (x->data == NULL) return;
  for (; row < of->row + of->rows; row += count) {
    const void *const first = attni_matrix_at(
        x, b->task.entry.batch, b->task.head_kv * group + row % group, row / group, key0);
    count = attni_rows_at_stride(b->plan, row, of->row + of->rows);
    attni_add_ahead(t, first, x->type, stride, stride == 0 ? 1 : count, keys);
  }
}

/* The first keys of the task that this thread runs next. Where a window hides most keys, they may
 * not be read: none then. */
static attni_keys attni_next_task_keys(const attni_block *b) {
  attni_task task;
  attni_keys keys;
  keys.keys = 0;
  if (b->next_task == b->plan->tasks || b->plan->params.window) return keys;
  task = attni_task_of(b->plan, b->next_task);
  if (task.tiles == 0 || task.keys.begin == task.keys.end) return keys;
  return attni_locate(b->plan, &task, task.keys.begin);
}

/* Decode: the rows of k behind those that have been asked for, those of v, and the first of the
 * next k, in the order in which they are read. */
static void attni_plan_stream(const attni_block *b, attni_tile *t, const attni_keys *next) {
  const attn_params *const p = &b->plan->params;
  const int32_t ahead = b->plan->kernels->ahead, asked = attni_min_i32(ahead, t->kv.keys);
  const attni_keys other = next->keys > 0 ? *next : attni_next_task_keys(b);
  if (t->kv.strided) {
    attni_add_ahead(t, attni_at(t->kv.k, p->k.type, asked * t->kv.k_stride), p->k.type,
                    t->kv.k_stride, t->kv.keys - asked, p->head_size);
    attni_add_ahead(t, t->kv.v, p->v.type, t->kv.v_stride, t->kv.keys, p->head_size_v);
  }
  if (other.keys > 0 && other.strided) {
    attni_add_ahead(t, other.k, p->k.type, other.k_stride, attni_min_i32(ahead, other.keys),
                    p->head_size);
  }
}

/* Tile i of the block: what it should bring into the cache while it computes. Its part of the next
 * key tile's rows; the next tile's queries, if those have not been read, its bias and mask; its own
 * output, if it ends with this key tile, unless that is its only one. */
static void attni_plan_ahead(attni_block *b, int64_t i, const attni_keys *next, int32_t begin,
                             int32_t end, bool ends) {
  const attn_params *const p = &b->plan->params;
  attni_tile *const t = &b->tiles[i];
  t->aheads = 0;
  t->ahead_rows = 0;
  if (!b->plan->kernels->packs) {
    attni_plan_stream(b, t, next);
    return;
  }
  if (next->strided) {
    attni_add_ahead(t, attni_at(next->k, p->k.type, begin * next->k_stride), p->k.type,
                    next->k_stride, end - begin, p->head_size);
    attni_add_ahead(t, attni_at(next->v, p->v.type, begin * next->v_stride), p->v.type,
                    next->v_stride, end - begin, p->head_size_v);
  }
  if (i + 1 < b->task.tiles) {
    if (t[1].first) attni_add_rows_ahead(b, t, &p->q, t + 1, p->head_size);
    attni_add_matrix_ahead(b, t, &p->bias, t + 1, t->kv.key0);
    attni_add_matrix_ahead(b, t, &p->mask, t + 1, t->kv.key0);
  } else if (next->keys > 0) {
    attni_add_matrix_ahead(b, t, &p->bias, b->tiles, next->key0);
    attni_add_matrix_ahead(b, t, &p->mask, b->tiles, next->key0);
  }
  if (ends && !t->first) attni_add_rows_ahead(b, t, &p->o, t, p->head_size_v);
}

/* What query tile i may see of the key tile that it holds: its bounds and its bias. */
static attni_cover attni_open_tile(attni_block *b, int64_t i) {
  const attn_plan *const plan = b->plan;
  const attn_params *const p = &plan->params;
  const attni_kernels *const kernels = plan->kernels;
  attni_tile *const t = &b->tiles[i];
  const attni_visible seen = attni_look(b, i, t->kv.key0);
  attni_cover cover = attni_cover_tile(t, kernels, seen.keys);
  int32_t row;
  t->bias_rows = NULL;
  t->bias_masks = false;
  if (cover == ATTNI_SKIP) return cover;
  if (plan->masks) {
    for (row = t->row0; cover == ATTNI_FULL && row < kernels->tile_q; ++row) {
      t->start[row] = 0;
      t->limit[row] = t->kv.keys;
    }
    const attni_entry *const entry = &b->task.entry;
    const bool masked =
        p->mask.data != NULL && !attni_mask_is_open(plan, entry, b->task.head_kv, t);
    if (p->bias.data != NULL || masked || !seen.all) {
      if (!attni_find_bias(plan, entry, b->task.head_kv, t, b->bias, b->bias_rows, b->bias_from)) {
        return ATTNI_SKIP;
      }
    } else {
      for (row = t->row0; row < kernels->tile_q; ++row) {
        if (t->start[row] < t->limit[row]) t->any[row] = true;
      }
    }
  }
  return cover;
}

/* Query tile i against the key tile that it holds. */
static void attni_run_tile(attni_block *b, int64_t i) {
  const attni_cover cover = attni_open_tile(b, i);
  if (cover != ATTNI_SKIP) attni_key_tile(b->plan, &b->task, &b->tiles[i], cover);
}

/* Every key tile is read by the query tiles of the block in turn. If its rows must be converted, or
 * lie far apart and there are several query tiles, it is packed. While they compute, each brings
 * its part of the next key tile into the cache, and packs it afterwards. */
static void attni_run_keys(attni_block *b) {
  const attn_plan *const plan = b->plan;
  int64_t key0 = b->task.keys.begin, i;
  uint32_t seers = attni_next_keys(b, &key0);
  attni_keys kv;
  int buffer = 0;
  if (seers == 0) return;
  kv = attni_locate(plan, &b->task, key0);
  attni_pack(b, &kv, 0, kv.keys, attni_count(seers), buffer);
  kv = attni_packed(b, &kv, attni_count(seers), buffer);
  while (seers != 0) {
    int64_t next0 = key0 + plan->tile_k, done = 0;
    const uint32_t next_seers = attni_next_keys(b, &next0);
    const int64_t count = attni_count(seers), next_count = attni_count(next_seers);
    attni_keys next = kv;
    int32_t begin = 0, end;
    next.keys = 0;
    if (next_seers != 0) next = attni_locate(plan, &b->task, next0);
    buffer ^= 1;
    for (i = 0; i < b->task.tiles; ++i) {
      attni_tile *const t = &b->tiles[i];
      if ((seers >> i & 1) == 0) continue;
      end = (int32_t)(++done * next.keys / count);
      if (done < count) end -= end % 2; /* pairs of keys are packed together */
      if (t->first) attni_load_rows(plan, &b->task, t);
      t->kv = kv;
      attni_plan_ahead(b, i, &next, begin, end, (next_seers >> i & 1) == 0);
      attni_run_tile(b, i);
      attni_pack(b, &next, begin, end, next_count, buffer);
      begin = end;
    }
    kv = attni_packed(b, &next, next_count, buffer);
    key0 = next0;
    seers = next_seers;
  }
}

/* `next` is the task that the same thread will run afterwards, plan->tasks if that is not known. */
static void attni_run_task(const attn_plan *plan, int64_t index, int64_t next, void *scratch,
                           void *shared) {
  attni_block b;
  int64_t i;
  b.next_task = next;
  attni_start_block(plan, index, scratch, &b);
  attni_run_keys(&b);
  for (i = 0; i < b.task.tiles; ++i) {
    const attni_tile *const t = &b.tiles[i];
    if (t->first) memset(t->ot, 0, b.size.ot * sizeof(float));
    if (plan->chunks == 1) {
      attni_finish_tile(plan, &b.task, t);
    } else {
      attni_store_parts(plan, &b.task, t, shared);
    }
  }
}

/* -- chunks -- */

/* Merge the chunks of one row, in ascending order: each weighs exp(its m - the largest m). */
static void attni_merge_row(const attn_plan *plan, void *shared, const attni_task *task,
                            int64_t row) {
  const attn_params *const p = &plan->params;
  const int64_t stride = attni_part_floats(p), n = p->head_size_v;
  const double to_log2 = plan->natural ? ATTNI_LOG2E : 1.0;
  const float sink = attni_sink(plan, task, row);
  float *const part = attni_part(plan, shared, task, row, 0);
  void *const o = attni_row(plan, task, &p->o, row);
  float m = -FLT_MAX, inverse;
  double l = 0;
  bool empty = true;
  int64_t chunk, d;
  for (chunk = 0; chunk < plan->chunks; ++chunk) {
    const float m_chunk = part[chunk * stride + n];
    if (m_chunk > m) m = m_chunk;
    if (attni_bits(part[chunk * stride + n + 2]) != 0) empty = false;
  }
  for (chunk = 0; chunk < plan->chunks; ++chunk) {
    float *const end = part + chunk * stride + n;
    end[0] = (float)exp2(((double)end[0] - (double)m) * to_log2);
    l += (double)end[0] * (double)end[1];
  }
  inverse = attni_sink_inverse(attni_in_e(plan, m), (float)l, sink, empty);
  for (d = 0; d < n; ++d) {
    double sum = 0;
    for (chunk = 0; chunk < plan->chunks; ++chunk) {
      sum += (double)part[chunk * stride + n] * (double)part[chunk * stride + d];
    }
    part[d] = (float)(sum * (double)inverse);
  }
  attni_write_row(plan->kernels, part, p->o.type, n, o);
  if (p->lse.data != NULL) {
    float *const lse = (float *)attni_row(plan, task, &p->lse, row);
    *lse = attni_lse(attni_in_e(plan, m), (float)l, sink, empty);
  }
}

static void attni_merge(const attn_plan *plan, void *shared) {
  attni_task task;
  int64_t batch, row;
  if (plan->chunks == 1 || plan->params.len_q == 0) return;
  memset(&task, 0, sizeof task);
  for (batch = 0; batch < plan->params.batch; ++batch) {
    task.entry = attni_entry_of(&plan->params, batch);
    for (task.head_kv = 0; task.head_kv < plan->params.heads_kv; ++task.head_kv) {
      for (row = 0; row < plan->group * task.entry.len_q; ++row) {
        attni_merge_row(plan, shared, &task, row);
      }
    }
  }
}
