/* --------------------------------------------------------------- driver -- */

/* One task: a query tile of one batch entry and K/V head, against one chunk of the keys. */
typedef struct attni_task {
  int64_t batch, head_kv;
  int64_t row;   /* first row of the tile among the len_q * group rows */
  int32_t rows;  /* rows in the tile */
  int64_t chunk; /* which chunk of the keys */
  int64_t key_begin, key_end;
} attni_task;

/* Tiles run from the last to the first, so that under a causal mask the longest start first. */
static attni_task attni_task_of(const attn_plan *plan, int64_t index) {
  const int64_t rows = plan->group * plan->params.len_q;
  const int32_t tile_q = plan->kernels->tile_q;
  attni_task task;
  task.chunk = index % plan->chunks;
  index /= plan->chunks;
  task.row = (plan->tiles_q - 1 - index % plan->tiles_q) * tile_q;
  index /= plan->tiles_q;
  task.head_kv = index % plan->params.heads_kv;
  task.batch = index / plan->params.heads_kv;
  task.rows = (int32_t)attni_min(tile_q, rows - task.row);
  task.key_begin = task.chunk * plan->chunk_keys;
  task.key_end = attni_min(plan->params.len_kv, task.key_begin + plan->chunk_keys);
  return task;
}

/* The element offset of a row of q, o or lse. */
static int64_t attni_row_offset(const attn_plan *plan, const attn_tensor *x, int64_t batch,
                                int64_t head_kv, int64_t row) {
  const int64_t query = row / plan->group;
  const int64_t head = head_kv * plan->group + row % plan->group;
  return batch * x->stride_b + head * x->stride_h + query * x->stride_s;
}

static const float *attni_input(const attn_tensor *x, int64_t offset) {
  return (const float *)x->data + offset;
}

static float *attni_output(const attn_tensor *x, int64_t offset) {
  return (float *)x->data + offset;
}

/* Where the keys of a tile lie. Another layout of the cache changes this function only. */
static void attni_locate(const attn_plan *plan, const attni_task *task, int64_t key0,
                         attni_tile *t) {
  const attn_tensor *const k = &plan->params.k, *const v = &plan->params.v;
  t->k = attni_input(k, task->batch * k->stride_b + task->head_kv * k->stride_h +
                            key0 * k->stride_s);
  t->v = attni_input(v, task->batch * v->stride_b + task->head_kv * v->stride_h +
                            key0 * v->stride_s);
  /* The stride of one single key may be anything: no pointer is formed with it. */
  t->k_stride = plan->params.len_kv > 1 ? k->stride_s : 0;
  t->v_stride = plan->params.len_kv > 1 ? v->stride_s : 0;
  t->keys = (int32_t)attni_min(plan->kernels->tile_k, task->key_end - key0);
}

/* Lay the tile's arrays out in scratch. Nothing has been computed yet: m = -FLT_MAX, l = 0. */
static void attni_start_tile(const attn_plan *plan, const attni_task *task, void *scratch,
                             attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  const attni_scratch_layout size = attni_scratch_of(kernels, &plan->params);
  float *at = (float *)attni_align_up(scratch);
  int32_t row;
  t->row0 = (kernels->tile_q - task->rows) / kernels->lanes * kernels->lanes;
  t->head_size = (int32_t)plan->params.head_size;
  t->head_size_v = (int32_t)plan->params.head_size_v;
  t->qt = at;
  t->st = (at += size.qt);
  t->ot = (at += size.st);
  t->row_max = (at += size.ot);
  t->m = (at += size.row);
  t->l = (at += size.row);
  t->factor = (at += size.row);
  t->limit = (int32_t *)(void *)(at += size.row);
  t->first = true;
  memset(t->l, 0, size.row * sizeof(float));
  for (row = 0; row < kernels->tile_q; ++row) {
    t->m[row] = t->row_max[row] = -FLT_MAX;
    t->factor[row] = 1.0f;
    t->limit[row] = 0;
  }
}

/* The rows of the tile, where they are read, and how far each may see. */
static void attni_load_rows(const attn_plan *plan, const attni_task *task, const attni_tile *t,
                            int64_t *row_limit) {
  const float *rows[ATTNI_MAX_TILE_Q];
  const attn_tensor *const q = &plan->params.q;
  const int32_t tile_q = plan->kernels->tile_q;
  int64_t query = task->row / plan->group, head = task->row % plan->group;
  int32_t row;
  for (row = t->row0; row < tile_q; ++row) {
    rows[row] = attni_input(q, task->batch * q->stride_b +
                                   (task->head_kv * plan->group + head) * q->stride_h +
                                   query * q->stride_s);
    row_limit[row] = attni_row_limit(plan, query);
    if (row - t->row0 < task->rows - 1 && ++head == plan->group) {
      head = 0;
      ++query;
    }
  }
  plan->kernels->pack_q(t, rows, (float)((double)plan->params.scale * ATTNI_LOG2E));
}

/* Values at keys that some row of a group must not see reach the product, with weight 0. That is
 * harmless unless one is not finite; then their weights become -0, which tells the careful product to
 * leave them out. */
static void attni_partial_pv(const attn_plan *plan, const attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  const int32_t groups = kernels->tile_q / kernels->lanes;
  int32_t begin = t->keys, end = 0, group;
  for (group = t->row0 / kernels->lanes; group < groups; ++group) {
    if (t->key_full[group] == t->key_end[group]) continue;
    begin = attni_min_i32(begin, t->key_full[group]);
    end = t->key_end[group];
  }
  if (begin >= end || kernels->finite((const float *)t->v + begin * t->v_stride, t->v_stride,
                                      end - begin, t->head_size_v)) {
    plan->pv->run(t);
    return;
  }
  kernels->mask(t, ATTNI_NEG_ZERO_BITS);
  kernels->pv_masked(t);
}

static void attni_key_tile(const attn_plan *plan, attni_tile *t, attni_cover cover) {
  const attni_kernels *const kernels = plan->kernels;
  const size_t bytes = (size_t)(kernels->tile_q - t->row0) * sizeof(float);
  plan->qk->run(t);
  if (cover == ATTNI_PARTIAL && kernels->mask != NULL) {
    kernels->mask(t, ATTNI_NEG_INFINITY_BITS);
    kernels->find_max(t);
  }
  t->rescale = !t->first && memcmp(t->row_max + t->row0, t->m + t->row0, bytes) != 0;
  kernels->softmax(t);
  if (cover == ATTNI_PARTIAL) {
    attni_partial_pv(plan, t);
  } else {
    plan->pv->run(t);
  }
  memcpy(t->m + t->row0, t->row_max + t->row0, bytes);
  t->first = false;
}

/* 1 / l. A row with l = 0 is empty and gives 0, unless it had keys, all with scores of -infinity. */
static ATTNI_FORCE_INLINE float attni_inverse(float l, bool empty) {
  if (attni_bits(l) == 0) return attni_float(empty ? 0u : ATTNI_NAN_BITS);
  return (float)(1.0 / (double)l);
}

/* The natural logarithm of the sum of exp(score), from m in units of log2. */
static ATTNI_FORCE_INLINE float attni_lse(float m, float l, bool empty) {
  if (attni_bits(l) == 0) return attni_float(empty ? ATTNI_NEG_INFINITY_BITS : ATTNI_NAN_BITS);
  return (float)((double)m * ATTNI_LN2 + log((double)l));
}

/* Write the tile's rows of o and lse. */
static void attni_finish_tile(const attn_plan *plan, const attni_task *task, const attni_tile *t,
                              const int64_t *row_limit) {
  float *rows[ATTNI_MAX_TILE_Q];
  const attn_params *const p = &plan->params;
  int32_t i;
  for (i = 0; i < task->rows; ++i) {
    const int32_t row = t->row0 + i;
    const bool empty = row_limit[row] == 0;
    const int64_t at = task->row + i;
    rows[i] = attni_output(&p->o, attni_row_offset(plan, &p->o, task->batch, task->head_kv, at));
    if (p->lse.data != NULL) {
      *attni_output(&p->lse,
                    attni_row_offset(plan, &p->lse, task->batch, task->head_kv, at)) =
          attni_lse(t->m[row], t->l[row], empty);
    }
    t->factor[row] = attni_inverse(t->l[row], empty);
  }
  for (i += t->row0; i < plan->kernels->tile_q; ++i) t->factor[i] = 0;
  plan->kernels->store_o(t, rows, task->rows, t->factor);
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
  int32_t i;
  for (i = 0; i < task->rows; ++i) {
    rows[i] = attni_part(plan, shared, task->batch, task->head_kv, task->row + i, task->chunk);
    rows[i][t->head_size_v] = t->m[t->row0 + i];
    rows[i][t->head_size_v + 1] = t->l[t->row0 + i];
  }
  for (i = t->row0; i < plan->kernels->tile_q; ++i) t->factor[i] = 1.0f;
  plan->kernels->store_o(t, rows, task->rows, t->factor);
}

static void attni_run_task(const attn_plan *plan, int64_t index, void *scratch, void *shared) {
  const attni_task task = attni_task_of(plan, index);
  const int32_t tile_k = plan->kernels->tile_k;
  int64_t row_limit[ATTNI_MAX_TILE_Q];
  int64_t key0;
  attni_tile t;
  attni_start_tile(plan, &task, scratch, &t);
  attni_load_rows(plan, &task, &t, row_limit);
  for (key0 = task.key_begin; key0 < task.key_end; key0 += tile_k) {
    attni_cover cover;
    attni_locate(plan, &task, key0, &t);
    cover = attni_cover_tile(&t, plan->kernels, row_limit, key0);
    if (cover == ATTNI_SKIP) break;
    attni_key_tile(plan, &t, cover);
  }
  if (t.first) memset(t.ot, 0, attni_scratch_of(plan->kernels, &plan->params).ot * sizeof(float));
  if (plan->chunks == 1) {
    attni_finish_tile(plan, &task, &t, row_limit);
  } else {
    attni_store_parts(plan, &task, &t, shared);
  }
}

/* Merge the chunks of one row, in ascending order: each weighs exp2(its m - the largest m). */
static void attni_merge_row(const attn_plan *plan, void *shared, int64_t batch, int64_t head_kv,
                            int64_t row) {
  const attn_params *const p = &plan->params;
  const int64_t stride = attni_part_floats(p), n = p->head_size_v;
  float *const part = attni_part(plan, shared, batch, head_kv, row, 0);
  float *const o =
      attni_output(&p->o, attni_row_offset(plan, &p->o, batch, head_kv, row));
  const bool empty = attni_row_limit(plan, row / plan->group) == 0;
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
    o[d] = (float)(sum * (double)inverse);
  }
  if (p->lse.data != NULL) {
    *attni_output(&p->lse, attni_row_offset(plan, &p->lse, batch, head_kv, row)) =
        attni_lse(m, (float)l, empty);
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
