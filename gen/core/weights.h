/* -------------------------------------------------------------- weights -- */

/* What stands at keys that are not allowed until a row becomes weights: a NaN that no score is,
 * since those that are NaN become ATTNI_NAN_BITS. */
#define ATTNI_FORBIDDEN_BITS 0xffffffffu

static int64_t attni_chosen_heads(const attn_params *p, const attn_weights_params *what) {
  return what->heads == NULL ? p->heads_q : what->head_count;
}

static attn_status attni_check_out(const attn_params *p, const attn_weights_params *what,
                                   bool need_data) {
  static const attni_rules rules = {ATTN_F32, ATTN_ERR_OUT, ATTN_ERR_OUT, ATTN_ERR_OUT};
  const int64_t heads = what->mean_heads ? 1 : attni_chosen_heads(p, what);
  const attn_tensor *const out = &what->out;
  attn_status status;
  if (p->len_kv == 0) return ATTN_OK; /* out has no element */
  status = attni_check_tensor(out, p->batch, heads, what->queries, p->len_kv, need_data, rules);
  if (status != ATTN_OK) return status;
  if (attni_rows_coincide(out, p->batch, heads, what->queries, p->len_kv)) return ATTN_ERR_OUT;
  return what->queries > 0 && attni_is_input(p, out->data) ? ATTN_ERR_OUT : ATTN_OK;
}

static attn_status attni_check_what(const attn_params *p, const attn_weights_params *what,
                                    bool need_data) {
  const unsigned stage = (unsigned)what->stage;
  int64_t i;
  if (stage < ATTN_STAGE_SCALED || stage > ATTN_STAGE_WEIGHTS) return ATTN_ERR_STAGE;
  if (!attni_aligned(what->heads, sizeof(int32_t))) return ATTN_ERR_CHOSEN_HEADS;
  if (what->heads == NULL ? what->head_count != 0 : what->head_count < 1) {
    return ATTN_ERR_CHOSEN_HEADS;
  }
  for (i = 0; i < what->head_count; ++i) {
    if (what->heads[i] < 0 || what->heads[i] >= p->heads_q) return ATTN_ERR_CHOSEN_HEADS;
  }
  if (what->first_query < 0 || what->queries < 0 || what->first_query > p->len_q ||
      what->queries > p->len_q - what->first_query) {
    return ATTN_ERR_QUERIES;
  }
  return attni_check_out(p, what, need_data);
}

/* Take out of the call what comes after the stage. */
static void attni_stop_at(attn_params *p, attn_stage stage) {
  if (stage != ATTN_STAGE_WEIGHTS) p->sinks = NULL;
  if (stage == ATTN_STAGE_SCALED) p->softcap = 0;
  if (stage != ATTN_STAGE_SCALED && stage != ATTN_STAGE_SOFTCAP) return;
  p->causal = p->window = false;
  p->window_left = p->window_right = 0;
  p->window_dilation = p->window_globals = p->window_stride = 0;
  p->mask.data = p->bias.data = p->block_mask.data = NULL;
  p->block_q = p->block_k = 0;
  p->alibi_slopes = NULL;
}

/* A plan of the decode family for the rows alone: in place of v and o it has what is not accessed.
 */
static attn_status attni_plan_weights(attn_plan *plan, const attn_params *params,
                                      const attn_weights_params *what, bool need_data) {
  static const float nothing[2] = {0.0f, 0.0f};
  attn_params p;
  attn_status status;
  if (params == NULL) return ATTN_ERR_PARAMS;
  if (what == NULL) return ATTN_ERR_WHAT;
  p = *params;
  memset(&p.v_scale, 0, sizeof p.v_scale);
  memset(&p.lse, 0, sizeof p.lse);
  p.v = attn_strided(&nothing[0], ATTN_F32, 0, 0, 0);
  p.o = attn_strided(&nothing[1], ATTN_F32, 1, 1, 1);
  p.head_size_v = 1;
  p.family = ATTN_FAMILY_DECODE;
  p.capacity_q = p.capacity_kv = 0;
  p.threads = 1;
  status = attni_make_plan(plan, &p, need_data);
  if (status == ATTN_OK) status = attni_check_what(&plan->params, what, need_data);
  if (status != ATTN_OK) return status;
  attni_stop_at(&plan->params, what->stage);
  plan->masks = attni_has_masks(&plan->params);
  plan->natural = true; /* scores in units of e */
  return ATTN_OK;
}

/* A block of one tile, and for means a row of doubles and one of floats; SIZE_MAX on overflow. */
static size_t attni_weights_bytes(const attn_plan *plan, const attn_weights_params *what) {
  const attni_scratch_layout size = attni_scratch_of(plan->kernels, &plan->params);
  const size_t block = (size.shared + size.tile) * sizeof(float) + 2 * ATTNI_ALIGNMENT;
  const int64_t key = (int64_t)(sizeof(double) + sizeof(float));
  if (!what->mean_heads) return block;
  if (plan->params.len_kv > (PTRDIFF_MAX - (int64_t)block) / key) return SIZE_MAX;
  return block + (size_t)(plan->params.len_kv * key);
}

static ATTNI_FORCE_INLINE void attni_put_bits(float *to, uint32_t bits) {
  memcpy(to, &bits, sizeof bits);
}

/* The scores of the key tile's one row, with `forbidden` at keys that are not allowed. */
static void attni_take_scores(const attn_plan *plan, const attni_tile *t, attni_cover cover,
                              uint32_t forbidden, float *to) {
  const int64_t place = (int64_t)t->row0 * (plan->kernels->tile_k + plan->kernels->pad);
  const float *const st = t->st + place;
  const float *const bias = t->bias_masks && cover != ATTNI_SKIP ? t->bias + place : NULL;
  int32_t begin = 0, end = t->kv.keys, key;
  if (cover == ATTNI_SKIP) end = 0;
  if (cover == ATTNI_PARTIAL) {
    begin = t->start[t->row0];
    end = t->limit[t->row0];
  }
  for (key = 0; key < t->kv.keys; ++key) {
    uint32_t bits = forbidden;
    if (key >= begin && key < end &&
        (bias == NULL || attni_bits(bias[key]) != ATTNI_NEG_INFINITY_BITS)) {
      bits = attni_bits(st[key]);
      if ((bits & 0x7fffffffu) > ATTNI_INFINITY_BITS) bits = ATTNI_NAN_BITS;
    }
    attni_put_bits(to + key, bits);
  }
}

/* The scores of row `row` of the block's task; `at` is room for its tile. */
static void attni_score_row(attni_block *b, int64_t row, float *at, uint32_t forbidden, float *to) {
  const attn_plan *const plan = b->plan;
  const attn_params *const p = &plan->params;
  attni_tile *const t = &b->tiles[0];
  int64_t key0;
  attni_place_tile(b, row, row + 1, at, t);
  attni_load_rows(plan, &b->task, t);
  for (key0 = 0; key0 < b->task.keys.end; key0 += plan->tile_k) {
    attni_cover cover;
    t->kv = attni_locate(plan, &b->task, key0);
    cover = attni_open_tile(b, 0);
    if (cover != ATTNI_SKIP) {
      if (!t->kv.strided) {
        attni_pack_rows(b, &p->k, &p->k_scale, &t->kv, 0, t->kv.keys, p->head_size, b->packed_k[0]);
        t->kv.k = b->packed_k[0];
        t->kv.k_stride = p->head_size;
      }
      cover = attni_score_tile(plan, &b->task, t, cover);
    }
    attni_take_scores(plan, t, cover, forbidden, to + key0);
  }
}

/* From scores to weights. */
static void attni_weigh_row(uint32_t sink, int64_t keys, float *row) {
  attni_sum sum = attni_start_sum(sink);
  int64_t key;
  for (key = 0; key < keys; ++key) {
    if (attni_bits(row[key]) != ATTNI_FORBIDDEN_BITS) attni_see_lse(&sum, attni_bits(row[key]));
  }
  if (!sum.nan && !sum.empty) {
    sum.total = attni_weigh_sink(&sum, sink);
    for (key = 0; key < keys; ++key) {
      if (attni_bits(row[key]) != ATTNI_FORBIDDEN_BITS) {
        sum.total += attni_weigh_lse(&sum, attni_bits(row[key]));
      }
    }
  }
  for (key = 0; key < keys; ++key) {
    const uint32_t bits = attni_bits(row[key]);
    if (bits == ATTNI_FORBIDDEN_BITS) {
      row[key] = 0.0f;
    } else if (sum.nan || sum.empty) {
      attni_put_bits(row + key, ATTNI_NAN_BITS);
    } else {
      row[key] = (float)(attni_weigh_lse(&sum, bits) / sum.total);
    }
  }
}

/* Query i of those wanted, by head `head`: its row of out, in `to`. */
static void attni_weights_row(attni_block *b, const attn_weights_params *what, int64_t i,
                              int64_t head, float *at, float *to) {
  const attn_params *const p = &b->plan->params;
  const int64_t query = what->first_query + i, group = b->plan->group;
  const bool weights = what->stage == ATTN_STAGE_WEIGHTS;
  const uint32_t forbidden = weights ? ATTNI_FORBIDDEN_BITS : ATTNI_NEG_INFINITY_BITS;
  int64_t key = 0;
  if (query < b->task.entry.len_q) {
    b->task.head_kv = head / group;
    attni_score_row(b, query * group + head % group, at, forbidden, to);
    key = b->task.keys.end;
  }
  for (; key < p->len_kv; ++key) attni_put_bits(to + key, forbidden);
  if (weights) {
    attni_weigh_row(p->sinks == NULL ? ATTNI_NEG_INFINITY_BITS : attni_bits(p->sinks[head]),
                    p->len_kv, to);
  }
}

static int64_t attni_chosen_head(const attn_weights_params *what, int64_t i) {
  return what->heads == NULL ? i : what->heads[i];
}

static void attni_mean_weights(attni_block *b, const attn_weights_params *what, double *sums,
                               float *row, float *at) {
  const attn_params *const p = &b->plan->params;
  const int64_t heads = attni_chosen_heads(p, what), len_kv = p->len_kv;
  int64_t i, head, key;
  for (i = 0; i < what->queries; ++i) {
    float *const to = (float *)attni_tensor_row(&what->out, b->task.entry.batch, 0, i);
    for (key = 0; key < len_kv; ++key) sums[key] = 0.0;
    for (head = 0; head < heads; ++head) {
      attni_weights_row(b, what, i, attni_chosen_head(what, head), at, row);
      for (key = 0; key < len_kv; ++key) sums[key] += (double)row[key];
    }
    for (key = 0; key < len_kv; ++key) to[key] = (float)(sums[key] / (double)heads);
  }
}

static void attni_run_weights(const attn_plan *plan, const attn_weights_params *what,
                              void *workspace) {
  const int64_t len_kv = plan->params.len_kv, heads = attni_chosen_heads(&plan->params, what);
  double *const sums = (double *)attni_align_up(workspace);
  float *row = (float *)(void *)sums, *at;
  attni_block b;
  int64_t batch, head, i;
  if (len_kv == 0) return;
  if (what->mean_heads) row = (float *)(void *)(sums + len_kv);
  memset(&b.task, 0, sizeof b.task);
  at = attni_lay_out(plan, what->mean_heads ? row + len_kv : row, &b);
  for (batch = 0; batch < plan->params.batch; ++batch) {
    b.task.entry = attni_entry_of(&plan->params, batch);
    b.task.keys.begin = 0;
    b.task.keys.end = b.task.entry.len_kv;
    b.task.tiles = 1;
    if (what->mean_heads) {
      attni_mean_weights(&b, what, sums, row, at);
      continue;
    }
    for (head = 0; head < heads; ++head) {
      for (i = 0; i < what->queries; ++i) {
        attni_weights_row(&b, what, i, attni_chosen_head(what, head), at,
                          (float *)attni_tensor_row(&what->out, batch, head, i));
      }
    }
  }
}

ATTN_API attn_status attn_weights_workspace_size(const attn_params *params,
                                                 const attn_weights_params *what, size_t *size) {
  attn_plan plan;
  attn_status status;
  size_t bytes;
  if (size == NULL) return ATTN_ERR_RESULT;
  status = attni_plan_weights(&plan, params, what, false);
  if (status != ATTN_OK) return status;
  bytes = attni_weights_bytes(&plan, what);
  if (bytes == SIZE_MAX) return ATTN_ERR_OVERFLOW;
  *size = bytes;
  return ATTN_OK;
}

ATTN_API attn_status attn_weights(const attn_params *params, const attn_weights_params *what,
                                  void *workspace, size_t workspace_size) {
  attn_plan plan;
  void *own;
  attn_status status = attni_plan_weights(&plan, params, what, true);
  if (status != ATTN_OK) return status;
  status = attni_take_workspace(attni_weights_bytes(&plan, what), workspace_size, &workspace, &own);
  if (status != ATTN_OK) return status;
  attni_run_weights(&plan, what, workspace);
  if (own != NULL) ATTN_FREE(own);
  return ATTN_OK;
}
