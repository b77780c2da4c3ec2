/* --------------------------------------------------------------- driver -- */

/* One task: a block of query tiles of one batch entry and K/V head, against one chunk of the keys.
 */
typedef struct attni_task {
  int64_t batch, head_kv;
  int64_t tile;  /* first query tile of the block */
  int64_t tiles; /* query tiles in the block */
  int64_t chunk; /* which chunk of the keys */
  int64_t key_begin, key_end;
} attni_task;

/* Blocks run from the last to the first, so that under a causal mask the longest start first. */
static attni_task attni_task_of(const attn_plan *plan, int64_t index) {
  attni_task task;
  task.chunk = index % plan->chunks;
  index /= plan->chunks;
  task.tile = (plan->blocks - 1 - index % plan->blocks) * plan->block;
  index /= plan->blocks;
  task.tiles = attni_min(plan->block, plan->tiles_q - task.tile);
  task.head_kv = index % plan->params.heads_kv;
  task.batch = index / plan->params.heads_kv;
  task.key_begin = task.chunk * plan->chunk_keys;
  task.key_end = attni_min(plan->params.len_kv, task.key_begin + plan->chunk_keys);
  return task;
}

/* The element at `index` of an array of this type. */
static const void *attni_at(const void *array, attn_type type, int64_t index) {
  return (const char *)array + index * (int64_t)attni_size_of(type);
}

/* Elements from element 0 of a tensor to row `row` of q, o or lse, among the rows that one K/V head
 * serves. */
static int64_t attni_row_offset(const attn_plan *plan, int64_t batch, int64_t head_kv,
                                const attn_tensor *x, int64_t row) {
  const int64_t query = row / plan->group, head = head_kv * plan->group + row % plan->group;
  return batch * x->stride_b + head * x->stride_h + query * x->stride_s;
}

/* Where that row lies. Inputs are not written through it. */
static void *attni_row(const attn_plan *plan, int64_t batch, int64_t head_kv, const attn_tensor *x,
                       int64_t row) {
  const int64_t offset = attni_row_offset(plan, batch, head_kv, x, row);
  return (void *)(uintptr_t)attni_at(x->data, x->type, offset);
}

/* Rows first .. first+count-1 of an f32 tensor, among the rows that one K/V head serves. */
static void attni_find_rows(const attn_plan *plan, int64_t batch, int64_t head_kv,
                            const attn_tensor *x, int64_t first, int32_t count, float **rows) {
  /* Unsigned, since a step behind the last row may lead anywhere. */
  const uint64_t next_head = (uint64_t)x->stride_h,
                 next_query = (uint64_t)x->stride_s - (uint64_t)(plan->group - 1) * next_head;
  uint64_t at = (uint64_t)attni_row_offset(plan, batch, head_kv, x, first);
  int64_t head = first % plan->group;
  int32_t row;
  for (row = 0; row < count; ++row) {
    const bool last = ++head == plan->group;
    rows[row] = (float *)x->data + (int64_t)at;
    at += last ? next_query : next_head;
    if (last) head = 0;
  }
}

/* The rows of q or o, of `size` features, that belong to the lanes row0 to tile_q - 1 of a tile:
 * in the tensor, or in the stage that a type other than f32 passes through. */
static void attni_find_lanes(const attn_plan *plan, const attni_task *task, const attn_tensor *x,
                             const attni_tile *t, int64_t size, float **rows) {
  int32_t row;
  if (x->type == ATTN_F32) {
    attni_find_rows(plan, task->batch, task->head_kv, x, t->row, t->rows, rows + t->row0);
  } else {
    for (row = 0; row < t->rows; ++row) rows[t->row0 + row] = t->stage + row * size;
  }
  for (row = t->row0 + t->rows; row < plan->kernels->tile_q; ++row) rows[row] = rows[row - 1];
}

static const void *attni_locate_row(const attn_tensor *x, const attni_task *task, int64_t key) {
  return attni_at(x->data, x->type,
                  task->batch * x->stride_b + task->head_kv * x->stride_h + key * x->stride_s);
}

/* Where the keys of a tile lie. Another layout of the cache changes this function only. */
static attni_keys attni_locate(const attn_plan *plan, const attni_task *task, int64_t key0) {
  const attn_params *const p = &plan->params;
  attni_keys kv;
  kv.k = attni_locate_row(&p->k, task, key0);
  kv.v = attni_locate_row(&p->v, task, key0);
  kv.k_scale = kv.v_scale = NULL;
  if (p->k.type == ATTN_I8) kv.k_scale = (const float *)attni_locate_row(&p->k_scale, task, key0);
  if (p->v.type == ATTN_I8) kv.v_scale = (const float *)attni_locate_row(&p->v_scale, task, key0);
  /* The stride of one single key may be anything: no pointer is formed with it. */
  kv.k_stride = p->len_kv > 1 ? p->k.stride_s : 0;
  kv.v_stride = p->len_kv > 1 ? p->v.stride_s : 0;
  kv.k_scale_stride = p->len_kv > 1 ? p->k_scale.stride_s : 0;
  kv.v_scale_stride = p->len_kv > 1 ? p->v_scale.stride_s : 0;
  kv.keys = (int32_t)attni_min(plan->kernels->tile_k, task->key_end - key0);
  return kv;
}

/* The first row of a query tile. Tiles share the rows evenly, in whole groups. */
static int64_t attni_tile_row(const attn_plan *plan, int64_t tile) {
  const int64_t rows = plan->group * plan->params.len_q;
  const int64_t lanes = plan->kernels->lanes, groups = plan->kernels->groups;
  int64_t spare;
  if (tile == 0) return 0;
  if (tile == plan->tiles_q) return rows;
  spare = groups * plan->tiles_q - attni_ceil_div(rows, lanes);
  return (groups * tile - attni_ceil_div(spare * tile, plan->tiles_q)) * lanes;
}

/* Lay out the arrays of the tile that has rows first .. end-1. Nothing has been computed yet:
 * m = -FLT_MAX, l = 0. */
static void attni_start_tile(const attn_plan *plan, const attni_scratch_layout *size, int64_t first,
                             int64_t end, float *st, float *stage, float *scales, float *at,
                             attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  int64_t query = first / plan->group, head = first % plan->group;
  int32_t row;
  t->row = first;
  t->rows = (int32_t)(end - first);
  t->group0 = (kernels->tile_q - t->rows) / kernels->lanes;
  t->row0 = t->group0 * kernels->lanes;
  t->head_size = (int32_t)plan->params.head_size;
  t->head_size_v = (int32_t)plan->params.head_size_v;
  t->scale = (float)((double)plan->params.scale * ATTNI_LOG2E);
  t->v_size = attni_size_of(plan->params.v.type);
  t->v_bytes = t->v_size * (size_t)t->head_size_v;
  t->st = st;
  t->stage = stage;
  t->scales_k = scales;
  t->scales_v = scales + size->scale;
  t->qt = at;
  t->ot = (at += size->qt);
  t->row_limit = (int64_t *)(void *)(at += size->ot);
  t->row_max = (at += size->row_limit);
  t->m = (at += size->row);
  t->l = (at += size->row);
  t->factor = (at += size->row);
  t->limit = (int32_t *)(void *)(at += size->row);
  t->first = true;
  for (row = t->row0; row < kernels->tile_q; ++row) {
    t->row_limit[row] = attni_row_limit(plan, query);
    t->m[row] = t->row_max[row] = -FLT_MAX;
    t->l[row] = 0.0f;
    if (row - t->row0 < t->rows - 1 && ++head == plan->group) {
      head = 0;
      ++query;
    }
  }
}

/* A row as f32, or as bf16 for products of that type: then with a 0 behind an odd last element. */
static void attni_convert_row(const attni_kernels *kernels, const void *from, attn_type type,
                              float scale, int64_t size, float *to) {
  if (kernels->type == ATTN_BF16) {
    memset((char *)to + (size - 1) / 2 * 4, 0, 4);
    memcpy(to, from, (size_t)size * attni_size_of(type));
  } else if (type == ATTN_F32) {
    memcpy(to, from, (size_t)size * sizeof(float));
  } else {
    kernels->widen(from, type, scale, size, to);
  }
}

static void attni_load_rows(const attn_plan *plan, const attni_task *task, const attni_tile *t) {
  const attn_tensor *const q = &plan->params.q;
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t i;
  attni_find_lanes(plan, task, q, t, t->head_size, rows);
  for (i = 0; q->type != ATTN_F32 && i < t->rows; ++i) {
    attni_convert_row(plan->kernels, attni_row(plan, task->batch, task->head_kv, q, t->row + i),
                      q->type, 1.0f, t->head_size, rows[t->row0 + i]);
  }
  plan->kernels->pack_q(t, (const float *const *)rows);
}

/* Values at keys that some row of a group must not see reach the product, with weight 0: also the
 * other one of a pair of bf16. That is harmless unless one is not finite; then the careful product
 * leaves them out. */
static void attni_partial_pv(const attn_plan *plan, const attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  const int32_t pairs = kernels->type == ATTN_BF16;
  int32_t begin = t->kv.keys, end = 0, group;
  for (group = t->group0; group < kernels->groups; ++group) {
    const int32_t reached = t->key_end[group] + (pairs & t->key_end[group]);
    if (t->key_full[group] == reached) continue;
    begin = attni_min_i32(begin, t->key_full[group]);
    end = reached;
  }
  if (begin >= end || kernels->finite(&t->kv, begin, end, t->head_size_v)) {
    plan->pv->run(t);
  } else {
    kernels->pv_masked(t);
  }
}

/* One scale per key, and 0 behind them up to whole vectors. */
static void attni_gather_scales(const float *from, int64_t stride, int32_t keys, int32_t pad,
                                float *to) {
  int32_t key;
  if (from == NULL) return;
  for (key = 0; key < keys; ++key) to[key] = from[key * stride];
  for (; key < keys + pad; ++key) to[key] = 0.0f;
}

static void attni_key_tile(const attn_plan *plan, attni_tile *t, attni_cover cover) {
  const attni_kernels *const kernels = plan->kernels;
  const size_t bytes = (size_t)(kernels->tile_q - t->row0) * sizeof(float);
  if (!kernels->packs) {
    attni_gather_scales(t->kv.k_scale, t->kv.k_scale_stride, t->kv.keys, kernels->pad, t->scales_k);
    attni_gather_scales(t->kv.v_scale, t->kv.v_scale_stride, t->kv.keys, kernels->pad, t->scales_v);
  }
  plan->qk->run(t);
  if (cover == ATTNI_PARTIAL && kernels->mask != NULL) {
    kernels->mask(t, ATTNI_NEG_INFINITY_BITS);
    kernels->find_max(t);
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

/* 1 / l. A row with l = 0 is empty and gives 0, unless it had keys, all with scores of -infinity.
 */
static ATTNI_FORCE_INLINE float attni_inverse(float l, bool empty) {
  if (attni_bits(l) == 0) return attni_float(empty ? 0u : ATTNI_NAN_BITS);
  return (float)(1.0 / (double)l);
}

/* The natural logarithm of the sum of exp(score), from m in units of log2. */
static ATTNI_FORCE_INLINE float attni_lse(float m, float l, bool empty) {
  if (attni_bits(l) == 0) return attni_float(empty ? ATTNI_NEG_INFINITY_BITS : ATTNI_NAN_BITS);
  return (float)((double)m * ATTNI_LN2 + log((double)l));
}

static void attni_write_lse(const attn_plan *plan, const attni_task *task, const attni_tile *t) {
  const attn_tensor *const lse = &plan->params.lse;
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t i;
  if (lse->data == NULL) return;
  attni_find_rows(plan, task->batch, task->head_kv, lse, t->row, t->rows, rows);
  for (i = 0; i < t->rows; ++i) {
    const int32_t row = t->row0 + i;
    *rows[i] = attni_lse(t->m[row], t->l[row], t->row_limit[row] == 0);
  }
}

/* Write the tile's rows of o and lse. */
static void attni_finish_tile(const attn_plan *plan, const attni_task *task, const attni_tile *t) {
  const attn_tensor *const o = &plan->params.o;
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t row, i;
  attni_write_lse(plan, task, t);
  attni_find_lanes(plan, task, o, t, t->head_size_v, rows);
  for (row = t->row0; row < plan->kernels->tile_q; ++row) {
    /* The same division for every row: in a vectorised loop -ffast-math takes an approximation. */
    ATTNI_FENCE();
    t->factor[row] = attni_inverse(t->l[row], t->row_limit[row] == 0);
  }
  plan->kernels->store_o(t, rows, t->factor);
  for (i = 0; o->type != ATTN_F32 && i < t->rows; ++i) {
    plan->kernels->narrow(rows[t->row0 + i], o->type, t->head_size_v,
                          attni_row(plan, task->batch, task->head_kv, o, t->row + i));
  }
}

/* A chunk's part of a row: [head_size_v] of output, m, l. */
static float *attni_part(const attn_plan *plan, void *shared, int64_t batch, int64_t head_kv,
                         int64_t row, int64_t chunk) {
  const int64_t rows = plan->group * plan->params.len_q;
  const int64_t index =
      ((batch * plan->params.heads_kv + head_kv) * rows + row) * plan->chunks + chunk;
  return (float *)attni_align_up(shared) + index * attni_part_floats(&plan->params);
}

static void attni_store_parts(const attn_plan *plan, const attni_task *task, const attni_tile *t,
                              void *shared) {
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t row;
  for (row = t->row0; row < plan->kernels->tile_q; ++row) {
    const int64_t i = t->row + attni_min_i32(row - t->row0, t->rows - 1);
    rows[row] = attni_part(plan, shared, task->batch, task->head_kv, i, task->chunk);
    rows[row][t->head_size_v] = t->m[row];
    rows[row][t->head_size_v + 1] = t->l[row];
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
  attni_ahead *ahead;
  attni_tile tiles[ATTNI_MAX_BLOCK];
} attni_block;

static void attni_start_block(const attn_plan *plan, int64_t index, void *scratch, attni_block *b) {
  float *at = (float *)attni_align_up(scratch);
  float *const st = at;
  float *stage, *scales;
  int64_t i, first, end;
  b->plan = plan;
  b->task = attni_task_of(plan, index);
  b->size = attni_scratch_of(plan->kernels, &plan->params);
  at += b->size.st;
  b->ahead = (attni_ahead *)(void *)at;
  at += b->size.ahead;
  for (i = 0; i < 2; ++i) {
    b->packed_k[i] = at;
    b->packed_v[i] = (at += b->size.k);
    at += b->size.v;
  }
  stage = at;
  scales = (at += b->size.stage);
  at += 2 * b->size.scale;
  first = attni_tile_row(plan, b->task.tile);
  for (i = 0; i < b->task.tiles; ++i, first = end, at += b->size.tile) {
    end = attni_tile_row(plan, b->task.tile + i + 1);
    attni_start_tile(plan, &b->size, first, end, st, stage, scales, at, &b->tiles[i]);
  }
}

/* The first tile, from `tile` on, with rows that may attend to key0; the number of tiles if there
 * is none. Later tiles see as many keys or more. */
static int64_t attni_first_tile(const attni_block *b, int64_t tile, int64_t key0) {
  const int32_t last_row = b->plan->kernels->tile_q - 1;
  if (key0 >= b->task.key_end) return b->task.tiles;
  while (tile < b->task.tiles && b->tiles[tile].row_limit[last_row] <= key0) ++tile;
  return tile;
}

/* Whether rows of `size` lie so far apart, with something between them, that those of a tile share
 * few sets of the first-level cache. */
static bool attni_far_apart(attn_type type, int64_t stride, int64_t size) {
  const int64_t limit = 1024 / (int64_t)attni_size_of(type);
  return stride != size && (stride > limit || stride < -limit);
}

/* Whether rows of k or v are packed for `tiles` query tiles: always if the products need them in
 * another form, otherwise if it pays. */
static bool attni_packs(const attni_block *b, attn_type type, bool other_form, int64_t stride,
                        int64_t size, int64_t tiles) {
  if (!b->plan->kernels->packs) return false;
  return other_form || (tiles > 1 && attni_far_apart(type, stride, size));
}

static bool attni_packs_k(const attni_block *b, const attni_keys *kv, int64_t tiles) {
  const attn_params *const p = &b->plan->params;
  const attn_type type = b->plan->kernels->type;
  const bool odd = type == ATTN_BF16 && p->head_size % 2 != 0;
  return attni_packs(b, type, p->k.type != type || odd, kv->k_stride, p->head_size, tiles);
}

static bool attni_packs_v(const attni_block *b, const attni_keys *kv, int64_t tiles) {
  const attn_params *const p = &b->plan->params;
  const bool other_form = p->v.type != ATTN_F32; /* of bf16 pairs of keys are wanted */
  return attni_packs(b, p->v.type, other_form, kv->v_stride, p->head_size_v, tiles);
}

/* Rows begin .. end-1, converted, one after the other. */
static void attni_pack_rows(const attn_plan *plan, const void *rows, attn_type type, int64_t stride,
                            const float *scale, int64_t scale_stride, int32_t begin, int32_t end,
                            int64_t size, float *out) {
  const int64_t floats = attni_packed_floats(plan->kernels, size);
  int32_t row;
  for (row = begin; row < end; ++row) {
    attni_convert_row(plan->kernels, attni_at(rows, type, row * stride), type,
                      scale == NULL ? 1.0f : scale[row * scale_stride], size, out + row * floats);
  }
}

/* Keys begin .. end-1 in pairs, begin even; end is even or the last. */
static void attni_pack_pairs(const attn_plan *plan, const attni_keys *kv, int32_t begin,
                             int32_t end, int64_t size, float *out) {
  const uint16_t *const v = (const uint16_t *)kv->v;
  int32_t key;
  for (key = begin; key < end; key += 2) {
    const uint16_t *const other = key + 1 < end ? v + (key + 1) * kv->v_stride : NULL;
    plan->kernels->pack_v(v + key * kv->v_stride, other, size, out + key / 2 * size);
  }
}

/* Pack keys begin .. end-1 of a key tile for `tiles` query tiles, where it is to be packed. */
static void attni_pack(const attni_block *b, const attni_keys *kv, int32_t begin, int32_t end,
                       int64_t tiles, int buffer) {
  const attn_params *const p = &b->plan->params;
  if (attni_packs_k(b, kv, tiles)) {
    attni_pack_rows(b->plan, kv->k, p->k.type, kv->k_stride, kv->k_scale, kv->k_scale_stride, begin,
                    end, p->head_size, b->packed_k[buffer]);
  }
  if (!attni_packs_v(b, kv, tiles)) return;
  if (b->plan->kernels->type == ATTN_BF16) {
    attni_pack_pairs(b->plan, kv, begin, end, p->head_size_v, b->packed_v[buffer]);
  } else {
    attni_pack_rows(b->plan, kv->v, p->v.type, kv->v_stride, kv->v_scale, kv->v_scale_stride, begin,
                    end, p->head_size_v, b->packed_v[buffer]);
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
    const void *const first = attni_row(b->plan, b->task.batch, b->task.head_kv, x, row);
    count = attni_min(of->row + of->rows - row, group == 1 ? of->rows : group - row % group);
    attni_add_ahead(t, first, x->type, group == 1 ? x->stride_s : x->stride_h, count, size);
  }
}

/* Tile i of the block: what it should bring into the cache while it computes. Its part of the next
 * key tile's rows; the next tile's queries, if those have not been read; its own output, if it ends
 * with this key tile, unless that is its only one. */
static void attni_plan_ahead(attni_block *b, int64_t i, const attni_keys *next, int32_t begin,
                             int32_t end, bool ends) {
  const attn_params *const p = &b->plan->params;
  attni_tile *const t = &b->tiles[i];
  t->ahead = b->ahead;
  t->aheads = 0;
  t->ahead_rows = 0;
  if (!b->plan->kernels->packs) return;
  attni_add_ahead(t, attni_at(next->k, p->k.type, begin * next->k_stride), p->k.type,
                  next->k_stride, end - begin, p->head_size);
  attni_add_ahead(t, attni_at(next->v, p->v.type, begin * next->v_stride), p->v.type,
                  next->v_stride, end - begin, p->head_size_v);
  if (i + 1 < b->task.tiles && t[1].first) attni_add_rows_ahead(b, t, &p->q, t + 1, p->head_size);
  if (ends && !t->first) attni_add_rows_ahead(b, t, &p->o, t, p->head_size_v);
}

/* Every key tile is read by the query tiles of the block in turn. If its rows must be converted, or
 * lie far apart and there are several query tiles, it is packed. While they compute, each brings
 * its part of the next key tile into the cache, and packs it afterwards. */
static void attni_run_keys(attni_block *b) {
  const attn_plan *const plan = b->plan;
  const int64_t tiles = b->task.tiles;
  int64_t key0 = b->task.key_begin, i, tile = attni_first_tile(b, 0, key0);
  attni_keys kv;
  int buffer = 0;
  if (tile == tiles) return;
  kv = attni_locate(plan, &b->task, key0);
  attni_pack(b, &kv, 0, kv.keys, tiles - tile, buffer);
  kv = attni_packed(b, &kv, tiles - tile, buffer);
  while (tile < tiles) {
    const int64_t next0 = key0 + plan->kernels->tile_k,
                  next_tile = attni_first_tile(b, tile, next0);
    attni_keys next = kv;
    int32_t begin = 0, end;
    next.keys = 0;
    if (next_tile < tiles) next = attni_locate(plan, &b->task, next0);
    buffer ^= 1;
    for (i = tile; i < tiles; ++i, begin = end) {
      attni_tile *const t = &b->tiles[i];
      attni_cover cover;
      end = (int32_t)((i - tile + 1) * next.keys / (tiles - tile));
      if (i + 1 < tiles) end -= end % 2; /* pairs of keys are packed together */
      if (t->first) attni_load_rows(plan, &b->task, t);
      t->kv = kv;
      attni_plan_ahead(b, i, &next, begin, end, i < next_tile);
      cover = attni_cover_tile(t, plan->kernels, key0);
      if (cover != ATTNI_SKIP) attni_key_tile(plan, t, cover);
      attni_pack(b, &next, begin, end, tiles - next_tile, buffer);
    }
    kv = attni_packed(b, &next, tiles - next_tile, buffer);
    key0 = next0;
    tile = next_tile;
  }
}

static void attni_run_task(const attn_plan *plan, int64_t index, void *scratch, void *shared) {
  attni_block b;
  int64_t i;
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

/* Merge the chunks of one row, in ascending order: each weighs exp2(its m - the largest m). */
static void attni_merge_row(const attn_plan *plan, void *shared, int64_t batch, int64_t head_kv,
                            int64_t row) {
  const attn_params *const p = &plan->params;
  const int64_t stride = attni_part_floats(p), n = p->head_size_v;
  float *const part = attni_part(plan, shared, batch, head_kv, row, 0);
  const bool empty = attni_row_limit(plan, row / plan->group) == 0;
  void *const o = attni_row(plan, batch, head_kv, &p->o, row);
  float m = -FLT_MAX, inverse;
  double l = 0;
  int64_t chunk, d;
  for (chunk = 0; chunk < plan->chunks; ++chunk) {
    const float m_chunk = part[chunk * stride + n];
    if (m_chunk > m) m = m_chunk;
  }
  for (chunk = 0; chunk < plan->chunks; ++chunk) {
    float *const end = part + chunk * stride + n;
    end[0] = (float)exp2((double)end[0] - (double)m);
    l += (double)end[0] * (double)end[1];
  }
  inverse = attni_inverse((float)l, empty);
  for (d = 0; d < n; ++d) {
    double sum = 0;
    for (chunk = 0; chunk < plan->chunks; ++chunk) {
      sum += (double)part[chunk * stride + n] * (double)part[chunk * stride + d];
    }
    part[d] = (float)(sum * (double)inverse);
  }
  if (p->o.type == ATTN_F32) {
    memcpy(o, part, (size_t)n * sizeof(float));
  } else {
    plan->kernels->narrow(part, p->o.type, n, o);
  }
  if (p->lse.data != NULL) {
    float *const lse = (float *)attni_row(plan, batch, head_kv, &p->lse, row);
    *lse = attni_lse(m, (float)l, empty);
  }
}

static void attni_merge(const attn_plan *plan, void *shared) {
  const int64_t rows = plan->group * plan->params.len_q;
  int64_t batch, head_kv, row;
  if (plan->chunks == 1 || rows == 0) return;
  for (batch = 0; batch < plan->params.batch; ++batch) {
    for (head_kv = 0; head_kv < plan->params.heads_kv; ++head_kv) {
      for (row = 0; row < rows; ++row) attni_merge_row(plan, shared, batch, head_kv, row);
    }
  }
}
