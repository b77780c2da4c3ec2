/* ----------------------------------------------------------------- plan -- */

#define ATTNI_PLAN_MAGIC (0x6174746eu + ATTN_INTERFACE)
#define ATTNI_MAX_CHUNKS 64
#define ATTNI_MAX_OFFSET ((int64_t)1 << 61)
#define ATTNI_MAX_THREADS 1024
/* Scores over a larger one could be flushed to zero. A float even where constants have more. */
#define ATTNI_MAX_SOFTCAP ((float)1e30f)
#define ATTNI_TASKS_PER_THREAD 4
#define ATTNI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* -- instruction sets -- */

static bool attni_isa_runs(attn_isa isa) {
  size_t i;
  for (i = 0; i < ATTNI_COUNT(attni_kernel_table); ++i) {
    const attni_kernels *kernels = &attni_kernel_table[i];
    if (kernels->isa == isa) return (kernels->cpu & ~attni_cpu_flags()) == 0;
  }
  return false;
}

/* The table is sorted from the best instruction set to the scalar one, which always runs. */
static attn_isa attni_best_isa(void) {
  size_t i;
  for (i = 0; i < ATTNI_COUNT(attni_kernel_table); ++i) {
    if (attni_isa_runs(attni_kernel_table[i].isa)) return attni_kernel_table[i].isa;
  }
  return ATTN_ISA_SCALAR;
}

/* The environment's choice, read once: an attn_isa, ATTN_ISA_AUTO if it is not set, or -1. */
#define ATTNI_ENV_BAD (-1)
static int attni_env_isa(void) {
#ifdef ATTN_NO_ENV
  return ATTN_ISA_AUTO;
#else
  static attni_shared_int cached = -2;
  int choice = attni_load(&cached);
  if (choice == -2) {
    const char *name = getenv("ATTN_ISA");
    size_t i;
    choice = name == NULL || name[0] == 0 ? (int)ATTN_ISA_AUTO : ATTNI_ENV_BAD;
    for (i = 0; choice == ATTNI_ENV_BAD && i < ATTNI_COUNT(attni_isa_names); ++i) {
      const attn_isa isa = attni_isa_names[i].isa;
      if (strcmp(name, attni_isa_names[i].name) == 0 && attni_isa_runs(isa)) choice = (int)isa;
    }
    attni_store(&cached, choice);
  }
  return choice;
#endif
}

static attni_shared_int attni_default_isa = ATTN_ISA_AUTO;

/* The call's own choice, else attn_set_isa's, else the environment's, else the CPU's best. */
static attn_status attni_pick_isa(attn_isa wanted, attn_isa *isa) {
  int choice = (int)wanted;
  if (choice == ATTN_ISA_AUTO) choice = attni_load(&attni_default_isa);
  if (choice == ATTN_ISA_AUTO) {
    choice = attni_env_isa();
    if (choice == ATTNI_ENV_BAD) return ATTN_ERR_ISA_ENV;
  }
  *isa = choice == ATTN_ISA_AUTO ? attni_best_isa() : (attn_isa)choice;
  return attni_isa_runs(*isa) ? ATTN_OK : ATTN_ERR_ISA;
}

/* -- kernels -- */

/* Those that multiply in this type if there are any and the CPU has what they need, else in f32. */
static const attni_kernels *attni_find_kernels(attn_isa isa, attn_family family, attn_type type) {
  const attni_kernels *found = NULL;
  size_t i;
  for (i = 0; i < ATTNI_COUNT(attni_kernel_table); ++i) {
    const attni_kernels *kernels = &attni_kernel_table[i];
    if (kernels->isa == isa && kernels->family == family &&
        (kernels->type == ATTN_F32 || kernels->type == type) &&
        (kernels->cpu & ~attni_cpu_flags()) == 0) {
      found = kernels;
    }
  }
  return found;
}

/* The type that a call would multiply in, if it can. */
static attn_type attni_product_type(const attn_params *p) {
  const bool bf16 = p->q.type == ATTN_BF16 && p->k.type == ATTN_BF16 && p->v.type == ATTN_BF16;
  return bf16 && !p->exact_bf16 ? ATTN_BF16 : ATTN_F32;
}

/* The product made for this head size, else the one for any. Specialised ones stand first. Packed
 * key tiles are of the products' type, whatever the cache is. */
static const attni_product *attni_find_product(const attni_kernels *kernels,
                                               attni_product_kind kind, attn_type type,
                                               int64_t head_size) {
  size_t i;
  if (kernels->packs) type = kernels->type;
  for (i = 0; i < ATTNI_COUNT(attni_product_table); ++i) {
    const attni_product *product = &attni_product_table[i];
    if (product->isa == kernels->isa && product->family == kernels->family &&
        product->kind == kind && product->type == type &&
        (product->head_size == head_size || product->head_size == 0) &&
        (product->cpu & ~attni_cpu_flags()) == 0) {
      return product;
    }
  }
  return NULL;
}

static attn_family attni_pick_family(attn_isa isa, attn_family wanted, int64_t rows) {
  if (wanted != ATTN_FAMILY_AUTO) return wanted;
  return rows <= attni_find_kernels(isa, ATTN_FAMILY_DECODE, ATTN_F32)->few_rows
             ? ATTN_FAMILY_DECODE
             : ATTN_FAMILY_PREFILL;
}

/* -- validation -- */

/* What a tensor must be: the last of the types it may have, and the statuses of its faults. */
typedef struct attni_rules {
  attn_type last_type;
  attn_status data, type, stride;
} attni_rules;

/* a += |stride| * (extent - 1); false on overflow of 2^62. */
static bool attni_add_extent(int64_t *a, int64_t stride, int64_t extent) {
  const int64_t limit = (int64_t)1 << 62;
  if (stride < -limit || stride > limit) return false;
  *a += attni_min(limit, attni_mul_sat(stride < 0 ? -stride : stride, extent - 1));
  return *a < limit;
}

/* Check one tensor of the given extents. An empty tensor is not accessed: its data may be null. */
static attn_status attni_check_tensor(const attn_tensor *x, int64_t batch, int64_t heads,
                                      int64_t len, int64_t features, bool need_data,
                                      attni_rules rules) {
  const size_t element = attni_size_of(x->type);
  int64_t span = features;
  if (element == 0 || x->type > rules.last_type) return rules.type;
  if (x->stride_d != 0 && x->stride_d != 1) return rules.stride;
  if (len == 0) return ATTN_OK;
  if (!attni_add_extent(&span, x->stride_b, batch) ||
      !attni_add_extent(&span, x->stride_h, heads) || !attni_add_extent(&span, x->stride_s, len) ||
      span > PTRDIFF_MAX / (int64_t)element) {
    return rules.stride;
  }
  if (need_data && x->data == NULL) return rules.data;
  return (uintptr_t)x->data % element == 0 ? ATTN_OK : rules.data;
}

/* An output's rows must not coincide. Only certain faults are found: a stride of 0, or rows that
 * are closer than they are long. */
static bool attni_rows_coincide(const attn_tensor *x, int64_t batch, int64_t heads, int64_t len,
                                int64_t features) {
  const int64_t b = x->stride_b, h = x->stride_h, s = x->stride_s;
  if (len == 0) return false;
  return (batch > 1 && b < features && b > -features) ||
         (heads > 1 && h < features && h > -features) || (len > 1 && s < features && s > -features);
}

/* The scales of a tensor of rows: one number per row, for ATTN_I8 alone. */
static attn_status attni_check_scales(const attn_tensor *scale, attn_type type, int64_t batch,
                                      int64_t heads, int64_t len, bool need_data,
                                      attni_rules rules) {
  attn_tensor rows = *scale;
  rows.stride_d = 0;
  if (type != ATTN_I8) return scale->data == NULL ? ATTN_OK : rules.data;
  return attni_check_tensor(&rows, batch, heads, len, 1, need_data, rules);
}

/* Positions of q, o and lse, and of k and v (of each page), that a call may read or write. */
static int64_t attni_positions_q(const attn_params *p) {
  return p->cu_seqlens_q == NULL ? p->len_q : p->cu_seqlens_q[p->batch];
}

static int64_t attni_positions_kv(const attn_params *p) {
  if (p->page_size > 0) return p->len_kv == 0 || p->pages == 0 ? 0 : p->page_size;
  if (p->ring_size > 0) return attni_min(p->ring_size, p->len_kv);
  return p->cu_seqlens_kv == NULL ? p->len_kv : p->cu_seqlens_kv[p->batch];
}

/* Whether an output starts where an input does; those without elements are no inputs. */
static bool attni_is_input(const attn_params *p, const void *data) {
  if (data == NULL || p->len_q == 0) return false;
  if (data == p->q.data) return true;
  if (p->len_kv == 0) return false;
  return data == p->k.data || data == p->v.data || data == p->k_scale.data ||
         data == p->v_scale.data || data == p->mask.data || data == p->bias.data ||
         data == p->block_mask.data;
}

static attn_status attni_check_lse(const attn_params *p, int64_t outputs, int64_t len_q) {
  static const attni_rules rules = {ATTN_F32, ATTN_ERR_LSE_DATA, ATTN_ERR_LSE_TYPE,
                                    ATTN_ERR_LSE_STRIDE};
  const void *const data = p->lse.data;
  attn_tensor lse = p->lse; /* which has no features */
  attn_status status;
  if (data == NULL) return ATTN_OK;
  lse.stride_d = 0;
  status = attni_check_tensor(&lse, p->batch, p->heads_q, len_q, 1, false, rules);
  if (status != ATTN_OK) return status;
  if (attni_rows_coincide(&lse, outputs, p->heads_q, len_q, 1)) return ATTN_ERR_LSE_STRIDE;
  if (attni_is_input(p, data) || (p->len_q > 0 && data == p->o.data)) return ATTN_ERR_LSE_OVERLAP;
  return ATTN_OK;
}

static attn_status attni_check_tensors(const attn_params *p, bool need_data) {
  static const attni_rules q = {ATTN_BF16, ATTN_ERR_Q_DATA, ATTN_ERR_Q_TYPE, ATTN_ERR_Q_STRIDE};
  static const attni_rules k = {ATTN_I8, ATTN_ERR_K_DATA, ATTN_ERR_K_TYPE, ATTN_ERR_K_STRIDE};
  static const attni_rules v = {ATTN_I8, ATTN_ERR_V_DATA, ATTN_ERR_V_TYPE, ATTN_ERR_V_STRIDE};
  static const attni_rules o = {ATTN_BF16, ATTN_ERR_O_DATA, ATTN_ERR_O_TYPE, ATTN_ERR_O_STRIDE};
  static const attni_rules k_scale = {ATTN_F32, ATTN_ERR_K_SCALE, ATTN_ERR_K_SCALE,
                                      ATTN_ERR_K_SCALE_STRIDE};
  static const attni_rules v_scale = {ATTN_F32, ATTN_ERR_V_SCALE, ATTN_ERR_V_SCALE,
                                      ATTN_ERR_V_SCALE_STRIDE};
  const int64_t hq = p->heads_q, hkv = p->heads_kv;
  const int64_t len_q = attni_positions_q(p), len_kv = attni_positions_kv(p);
  const int64_t n = p->batch, n_kv = p->page_size > 0 ? p->pages : p->batch;
  const int64_t outputs = p->cu_seqlens_q == NULL ? n : 1; /* packed entries follow each other */
  attn_status status = attni_check_tensor(&p->q, n, hq, len_q, p->head_size, need_data, q);
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->k, n_kv, hkv, len_kv, p->head_size, need_data, k);
  }
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->v, n_kv, hkv, len_kv, p->head_size_v, need_data, v);
  }
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->o, n, hq, len_q, p->head_size_v, need_data, o);
  }
  if (status == ATTN_OK) {
    status = attni_check_scales(&p->k_scale, p->k.type, n_kv, hkv, len_kv, need_data, k_scale);
  }
  if (status == ATTN_OK) {
    status = attni_check_scales(&p->v_scale, p->v.type, n_kv, hkv, len_kv, need_data, v_scale);
  }
  if (status != ATTN_OK) return status;
  if (attni_rows_coincide(&p->o, outputs, hq, len_q, p->head_size_v)) return ATTN_ERR_O_STRIDE;
  if (attni_is_input(p, p->o.data)) return ATTN_ERR_O_OVERLAP;
  return attni_check_lse(p, outputs, len_q);
}

/* The largest lengths that updates may bring. */
static int64_t attni_max_len_q(const attn_params *p) {
  return p->capacity_q == 0 ? p->len_q : p->capacity_q;
}

static int64_t attni_max_len_kv(const attn_params *p) {
  return p->capacity_kv == 0 ? p->len_kv : p->capacity_kv;
}

static attn_status attni_check_sizes(const attn_params *p) {
  if (p->batch < 1) return ATTN_ERR_BATCH;
  if (p->heads_q < 1) return ATTN_ERR_HEADS_Q;
  if (p->heads_kv < 1 || p->heads_q % p->heads_kv != 0) return ATTN_ERR_HEADS_KV;
  if (p->len_q < 0) return ATTN_ERR_LEN_Q;
  if (p->len_kv < 0) return ATTN_ERR_LEN_KV;
  if (p->head_size < 1 || p->head_size > ATTN_MAX_HEAD_SIZE) return ATTN_ERR_HEAD_SIZE;
  if (p->head_size_v < 1 || p->head_size_v > ATTN_MAX_HEAD_SIZE) return ATTN_ERR_HEAD_SIZE_V;
  if (attni_max_len_q(p) < p->len_q) return ATTN_ERR_CAPACITY_Q;
  if (attni_max_len_kv(p) < p->len_kv) return ATTN_ERR_CAPACITY_KV;
  if (attni_max_len_kv(p) > ATTNI_MAX_OFFSET ||
      attni_mul_sat(p->batch, p->heads_q) > ATTNI_MAX_OFFSET ||
      attni_mul_sat(attni_mul_sat(p->batch, p->heads_q), attni_max_len_q(p)) > ATTNI_MAX_OFFSET) {
    return ATTN_ERR_OVERFLOW;
  }
  return ATTN_OK;
}

/* A mask or bias of these extents and types first .. last: bytes of its reach must not overflow. */
static bool attni_matrix_ok(const attn_matrix *x, const attn_params *p, int64_t rows, int64_t keys,
                            attn_type first, attn_type last) {
  const size_t element = attni_size_of(x->type);
  int64_t span = 1;
  if (x->data == NULL) return true;
  return element != 0 && x->type >= first && x->type <= last && (uintptr_t)x->data % element == 0 &&
         attni_add_extent(&span, x->stride_b, p->batch) &&
         attni_add_extent(&span, x->stride_h, p->heads_q) &&
         attni_add_extent(&span, x->stride_q, attni_max(1, rows)) &&
         attni_add_extent(&span, x->stride_k, attni_max(1, keys)) &&
         span <= PTRDIFF_MAX / (int64_t)element;
}

static attn_status attni_check_masks(const attn_params *p) {
  const bool blocks = p->block_mask.data != NULL;
  if (!attni_matrix_ok(&p->mask, p, p->len_q, p->len_kv, ATTN_BOOL, ATTN_BOOL))
    return ATTN_ERR_MASK;
  if (!attni_matrix_ok(&p->bias, p, p->len_q, p->len_kv, ATTN_F32, ATTN_BF16)) return ATTN_ERR_BIAS;
  if (blocks ? p->block_q < 1 || p->block_k < 1 : p->block_q != 0 || p->block_k != 0) {
    return ATTN_ERR_BLOCK_MASK;
  }
  if (blocks && !attni_matrix_ok(&p->block_mask, p, attni_ceil_div(p->len_q, p->block_q),
                                 attni_ceil_div(p->len_kv, p->block_k), ATTN_BOOL, ATTN_BOOL)) {
    return ATTN_ERR_BLOCK_MASK;
  }
  return ATTN_OK;
}

static attn_status attni_check_window(const attn_params *p) {
  const int64_t left = p->window_left, right = p->window_right;
  const int64_t most =
      attni_max(p->window_dilation, attni_max(p->window_globals, p->window_stride));
  if (left < -1 || right < -1) return ATTN_ERR_WINDOW;
  if (!p->window && (left != 0 || right != 0)) return ATTN_ERR_WINDOW;
  if (p->window_dilation < 0 || p->window_globals < 0 || p->window_stride < 0) {
    return ATTN_ERR_WINDOW_PATTERN;
  }
  return most > 0 && !p->window ? ATTN_ERR_WINDOW_PATTERN : ATTN_OK;
}

static bool attni_cu_seqlens_ok(const int32_t *cu_seqlens, int64_t batch, int64_t most) {
  int64_t i;
  if (cu_seqlens == NULL) return true;
  if (!attni_aligned(cu_seqlens, sizeof *cu_seqlens) || cu_seqlens[0] < 0) return false;
  for (i = 0; i < batch; ++i) {
    const int64_t len = (int64_t)cu_seqlens[i + 1] - cu_seqlens[i];
    if (len < 0 || len > most) return false;
  }
  return true;
}

static attn_status attni_check_lengths(const attn_params *p) {
  int64_t batch;
  if (!attni_aligned(p->seqlens_kv, sizeof *p->seqlens_kv)) return ATTN_ERR_SEQLENS_KV;
  if (!attni_cu_seqlens_ok(p->cu_seqlens_q, p->batch, p->len_q)) return ATTN_ERR_CU_SEQLENS_Q;
  if (!attni_cu_seqlens_ok(p->cu_seqlens_kv, p->batch, p->len_kv)) return ATTN_ERR_CU_SEQLENS_KV;
  for (batch = 0; p->seqlens_kv != NULL && batch < p->batch; ++batch) {
    int64_t room = p->len_kv;
    if (p->cu_seqlens_kv != NULL) {
      room = (int64_t)p->cu_seqlens_kv[batch + 1] - p->cu_seqlens_kv[batch];
    }
    if (p->seqlens_kv[batch] < 0 || p->seqlens_kv[batch] > room) return ATTN_ERR_SEQLENS_KV;
  }
  return ATTN_OK;
}

/* Whether the rows of a page table, each of so many pages, do not overlap, nor overflow. */
static bool attni_table_ok(int64_t batch, int64_t stride, int64_t pages) {
  const int64_t most = PTRDIFF_MAX / (int64_t)sizeof(int32_t);
  return batch == 1 || (stride >= pages && attni_mul_sat(batch, stride) <= most);
}

static attn_status attni_check_layout(const attn_params *p, bool need_data) {
  int64_t batch, i;
  if (p->page_size < 0 || p->pages < 0) return ATTN_ERR_PAGE_SIZE;
  if (p->ring_size < 0 || (p->ring_size > 0 && (p->page_size > 0 || p->cu_seqlens_kv != NULL))) {
    return ATTN_ERR_RING;
  }
  if (p->page_size == 0) {
    return p->page_table == NULL && p->page_table_stride == 0 && p->pages == 0 ? ATTN_OK
                                                                               : ATTN_ERR_PAGE_SIZE;
  }
  if (p->cu_seqlens_kv != NULL) return ATTN_ERR_CU_SEQLENS_KV;
  if (p->page_table == NULL) return need_data && p->len_kv > 0 ? ATTN_ERR_PAGE_TABLE : ATTN_OK;
  if (!attni_aligned(p->page_table, sizeof *p->page_table)) return ATTN_ERR_PAGE_TABLE;
  if (!attni_table_ok(p->batch, p->page_table_stride, attni_ceil_div(p->len_kv, p->page_size))) {
    return ATTN_ERR_PAGE_TABLE;
  }
  for (batch = 0; batch < p->batch; ++batch) {
    const int64_t used = attni_ceil_div(attni_entry_of(p, batch).len_kv, p->page_size);
    for (i = 0; i < used; ++i) {
      const int32_t page = p->page_table[batch * p->page_table_stride + i];
      if (page < 0 || page >= p->pages) return ATTN_ERR_PAGE_TABLE;
    }
  }
  return ATTN_OK;
}

static attn_status attni_check_scores(const attn_params *p) {
  if (!attni_is_finite(p->softcap) || p->softcap < 0 || p->softcap > ATTNI_MAX_SOFTCAP) {
    return ATTN_ERR_SOFTCAP;
  }
  if (!attni_aligned(p->alibi_slopes, sizeof(float))) return ATTN_ERR_ALIBI;
  return attni_aligned(p->sinks, sizeof(float)) ? ATTN_OK : ATTN_ERR_SINKS;
}

static attn_status attni_check_options(const attn_params *p) {
  const unsigned align = (unsigned)p->align, family = (unsigned)p->family;
  if (!attni_is_finite(p->scale) || fabs((double)p->scale) * ATTNI_LOG2E > (double)FLT_MAX) {
    return ATTN_ERR_SCALE;
  }
  if (align > ATTN_ALIGN_OFFSET) return ATTN_ERR_ALIGN;
  if (align == ATTN_ALIGN_OFFSET ? p->offset < -ATTNI_MAX_OFFSET || p->offset > ATTNI_MAX_OFFSET
                                 : p->offset != 0) {
    return ATTN_ERR_OFFSET;
  }
  if (family > ATTN_FAMILY_DECODE) return ATTN_ERR_FAMILY;
  if (p->threads < 0 || p->threads > ATTNI_MAX_THREADS) return ATTN_ERR_THREADS;
  return ATTN_OK;
}

/* Everything that can be wrong with the arguments. */
static attn_status attni_check_params(const attn_params *p, bool need_data) {
  attn_status status = attni_check_sizes(p);
  if (status == ATTN_OK) status = attni_check_options(p);
  if (status == ATTN_OK) status = attni_check_window(p);
  if (status == ATTN_OK) status = attni_check_masks(p);
  if (status == ATTN_OK) status = attni_check_scores(p);
  if (status == ATTN_OK) status = attni_check_lengths(p);
  if (status == ATTN_OK) status = attni_check_layout(p, need_data);
  if (status == ATTN_OK) status = attni_check_tensors(p, need_data);
  return status;
}

/* No position is further from another than 2^62, so that a larger window is all. */
static void attni_fill_defaults(attn_params *p) {
  const int64_t most = (int64_t)1 << 62;
  if (p->window_left > most) p->window_left = -1;
  if (p->window_right > most) p->window_right = -1;
  if (p->heads_kv == 0) p->heads_kv = p->heads_q;
  if (p->head_size_v == 0) p->head_size_v = p->head_size;
  if (attni_bits(p->scale) << 1 == 0 && p->head_size > 0) {
    p->scale = (float)(1.0 / sqrt((double)p->head_size));
  }
}

/* -- derivation -- */

/* A task's scratch, in floats: what its query tiles share, and what each has for itself. */
typedef struct attni_scratch_layout {
  size_t tiles, st, bias, bias_rows, ahead, k, v, stage, scale, shared;
  size_t qt, ot, row, row_limit, tile;
} attni_scratch_layout;

/* Whether the keys of a tile may lie at no common stride. */
static bool attni_is_scattered(const attn_params *p) {
  return p->page_size > 0 || p->ring_size > 0;
}

/* Floats that a packed row takes, at most. */
static int64_t attni_packed_floats(const attni_kernels *kernels, int64_t size) {
  return kernels->type == ATTN_BF16 ? attni_ceil_div(size, 2) : size;
}

/* The most keys of a tile of this call. */
static int32_t attni_tile_keys(const attni_kernels *kernels, const attn_params *p) {
  return p->head_size + p->head_size_v > ATTNI_NARROW ? kernels->tile_k_wide : kernels->tile_k;
}

static attni_scratch_layout attni_scratch_of(const attni_kernels *kernels, const attn_params *p) {
  const size_t unit = ATTNI_ALIGNMENT / sizeof(float);
  const size_t rows = (size_t)kernels->tile_q, tile_k = (size_t)kernels->tile_k;
  const size_t keys = (size_t)attni_tile_keys(kernels, p);
  const size_t head_size = attni_round_up((size_t)p->head_size, unit); /* pad divides unit */
  const size_t head_size_v = attni_round_up((size_t)p->head_size_v, unit);
  const size_t packed_k = (size_t)attni_packed_floats(kernels, p->head_size);
  const size_t packed_v = (size_t)attni_packed_floats(kernels, p->head_size_v);
  attni_scratch_layout size;
  size.tiles =
      attni_round_up((size_t)kernels->block * sizeof(attni_tile) / sizeof(float) + 1, unit);
  size.st = attni_round_up(rows * (tile_k + (size_t)kernels->pad), unit);
  size.bias = attni_has_masks(p) ? size.st : 0;
  size.bias_rows =
      attni_has_masks(p) && kernels->packs ? attni_round_up(rows * (tile_k + 16), unit) : 0;
  size.k = size.v = 0;
  if (kernels->packs || attni_is_scattered(p)) { /* the decode family's copies are no larger */
    size.k = attni_round_up(keys * packed_k, unit);
    size.v = attni_round_up(keys * packed_v, unit);
  }
  /* two ranges for k and v, at most one per row for q, o, bias and mask */
  size.ahead = (2 + 4 * rows) * (sizeof(attni_ahead) / sizeof(float));
  if (!kernels->packs) size.ahead = 3 * (sizeof(attni_ahead) / sizeof(float)); /* k, v, next k */
  size.ahead = attni_round_up(size.ahead, unit);
  size.scale = kernels->packs ? 0 : attni_round_up(tile_k + (size_t)kernels->pad, unit);
  size.stage = 0;
  if (p->q.type != ATTN_F32 || p->o.type != ATTN_F32) {
    size.stage = attni_round_up(rows * (size_t)attni_max(p->head_size, p->head_size_v), unit);
  }
  size.shared = size.tiles + size.st + size.bias + size.bias_rows + size.ahead +
                2 * (size.k + size.v) + size.stage + 2 * size.scale;
  size.qt = attni_round_up(rows * head_size, unit);
  size.ot = attni_round_up(rows * head_size_v, unit);
  size.row = attni_round_up(rows, unit);
  size.row_limit = attni_round_up(rows * (sizeof(int64_t) / sizeof(float)), unit);
  /* row_start, row_limit; row_max, m, l, factor, slope, position, start, limit, any */
  size.tile = size.qt + size.ot + 2 * size.row_limit + 9 * size.row;
  return size;
}

static int64_t attni_wanted_threads(const attn_params *p) {
  int64_t threads = p->threads;
#ifdef ATTN_USE_OPENMP
  if (threads == 0) threads = omp_get_max_threads();
#endif
  return attni_max(1, attni_min(threads, ATTNI_MAX_THREADS));
}

/* Keys per tile: all that the kernels take, or so many that the blocks of a mask hold whole tiles.
 */
static int32_t attni_pick_tile_k(const attni_kernels *kernels, const attn_params *p) {
  const int32_t most = attni_tile_keys(kernels, p), least = kernels->tile_k_wide / 3;
  int32_t keys = most;
  if (!kernels->packs || p->block_mask.data == NULL) return most;
  while (keys > least && (keys % kernels->pad != 0 || p->block_k % keys != 0)) --keys;
  return keys > least ? keys : most;
}

/* Rows that query tiles do not cross the multiples of: those of a mask's blocks, if there are
 * enough for a tile. */
static int64_t attni_pick_segment(const attni_kernels *kernels, const attn_params *p,
                                  int64_t group) {
  const int64_t rows = attni_mul_sat(p->block_q, group);
  if (p->block_mask.data == NULL || rows < kernels->tile_q) return INT64_MAX;
  return rows;
}

/* The query tiles of so many rows. */
static int64_t attni_tiles_of(const attn_plan *plan, int64_t rows) {
  const int64_t tile_q = plan->kernels->tile_q;
  if (rows <= plan->segment) return attni_ceil_div(rows, tile_q);
  return rows / plan->segment * attni_ceil_div(plan->segment, tile_q) +
         attni_ceil_div(rows % plan->segment, tile_q);
}

/* Query tiles per task: many, so that each key tile is packed and brought into the cache for all of
 * them; but as few as it takes to give every thread several tasks. It changes no bit of the result.
 */
static int64_t attni_pick_block(const attni_kernels *kernels, const attn_params *p, int64_t tiles_q,
                                int64_t segment_tiles) {
  const int64_t tiles = attni_mul_sat(attni_mul_sat(p->batch, p->heads_kv), tiles_q);
  const int64_t threads = attni_wanted_threads(p);
  int64_t block = attni_min(kernels->block, tiles_q);
  if (segment_tiles <= block) block -= block % segment_tiles;
  if (threads > 1) block = attni_min(block, tiles / (ATTNI_TASKS_PER_THREAD * threads));
  return attni_max(1, block);
}

/* Keys per chunk. It depends on the length alone, so that results do not depend on threads. */
static int64_t attni_chunk_keys(const attni_kernels *kernels, int64_t len_kv) {
  int64_t tiles;
  if (kernels->chunk_keys == 0) return attni_max(1, len_kv);
  tiles = attni_ceil_div(attni_ceil_div(len_kv, ATTNI_MAX_CHUNKS), kernels->tile_k);
  return attni_max(kernels->chunk_keys, tiles * kernels->tile_k);
}

/* A chunk's part of one row: its output, its m, its l, and whether a key was allowed. */
static int64_t attni_part_floats(const attn_params *p) {
  return p->head_size_v + 3;
}

/* Bytes that the parts of a run may need, as the largest lengths have it; SIZE_MAX on overflow. */
static size_t attni_shared_bytes(const attni_kernels *kernels, const attn_params *p, int64_t rows) {
  int64_t chunks = 1, floats;
  if (kernels->chunk_keys > 0) {
    chunks = attni_min(ATTNI_MAX_CHUNKS, attni_ceil_div(attni_max_len_kv(p), kernels->chunk_keys));
  }
  if (chunks <= 1) return 0;
  floats = attni_mul_sat(attni_mul_sat(p->batch, p->heads_kv), attni_mul_sat(rows, chunks));
  floats = attni_mul_sat(floats, attni_part_floats(p));
  if (floats > PTRDIFF_MAX / (int64_t)sizeof(float) - ATTNI_ALIGNMENT) return SIZE_MAX;
  return (size_t)floats * sizeof(float) + ATTNI_ALIGNMENT;
}

/* Raise the plan's sizes to what a run of these kernels over at most `rows` rows needs. */
static attn_status attni_need(attn_plan *plan, const attni_kernels *kernels, int64_t rows) {
  const attn_params *const p = &plan->params;
  const attni_scratch_layout size = attni_scratch_of(kernels, p);
  const int64_t whole = attni_ceil_div(rows, kernels->tile_q); /* segments at most double it */
  const size_t tiles =
      (size_t)attni_min(kernels->block, p->block_mask.data == NULL ? whole : 2 * whole);
  const size_t scratch = (size.shared + tiles * size.tile) * sizeof(float) + ATTNI_ALIGNMENT;
  const size_t shared = attni_shared_bytes(kernels, p, rows);
  if (shared == SIZE_MAX) return ATTN_ERR_OVERFLOW;
  if (scratch > plan->scratch_size) plan->scratch_size = scratch;
  if (shared > plan->shared_size) plan->shared_size = shared;
  return ATTN_OK;
}

/* Sizes for this run, and for every run that updates within the capacities may come to. */
static attn_status attni_derive_sizes(attn_plan *plan) {
  const attn_params *const p = &plan->params;
  const attn_isa isa = plan->kernels->isa;
  const int64_t rows = plan->group * attni_max_len_q(p);
  const attn_type type = attni_product_type(p);
  attn_status status;
  plan->scratch_size = plan->shared_size = 0;
  status = attni_need(plan, plan->kernels, plan->group * p->len_q);
  if (status == ATTN_OK && p->capacity_q != 0) {
    const attni_kernels *decode = attni_find_kernels(isa, ATTN_FAMILY_DECODE, type);
    const attni_kernels *most =
        attni_find_kernels(isa, attni_pick_family(isa, p->family, rows), type);
    const int64_t few = p->family == ATTN_FAMILY_AUTO ? decode->few_rows : rows;
    status = attni_need(plan, most, rows);
    if (status == ATTN_OK && p->family != ATTN_FAMILY_PREFILL) {
      status = attni_need(plan, decode, attni_min(rows, few));
    }
  }
  return status;
}

/* The most chunks of any entry. */
static int64_t attni_most_chunks(const attni_kernels *kernels, const attn_params *p) {
  int64_t most = 1, batch;
  const int64_t entries = p->seqlens_kv == NULL && p->cu_seqlens_kv == NULL ? 1 : p->batch;
  for (batch = 0; batch < entries; ++batch) {
    const int64_t len_kv = attni_entry_of(p, batch).len_kv;
    most = attni_max(most, attni_ceil_div(len_kv, attni_chunk_keys(kernels, len_kv)));
  }
  return most;
}

/* What depends on the lengths: family, kernels, tiles, chunks, tasks. */
static attn_status attni_derive_run(attn_plan *plan, attn_isa isa) {
  attn_params *const p = &plan->params;
  const int64_t rows = plan->group * p->len_q;
  const attn_family family = attni_pick_family(isa, p->family, rows);
  plan->kernels = attni_find_kernels(isa, family, attni_product_type(p));
  plan->qk = attni_find_product(plan->kernels, ATTNI_QK, p->k.type, p->head_size);
  plan->pv = attni_find_product(plan->kernels, ATTNI_PV, p->v.type, p->head_size_v);
  if (plan->qk == NULL) return ATTN_ERR_K_TYPE;
  if (plan->pv == NULL) return ATTN_ERR_V_TYPE;
  plan->tile_k = attni_pick_tile_k(plan->kernels, p);
  plan->segment = attni_pick_segment(plan->kernels, p, plan->group);
  plan->tiles_q = attni_tiles_of(plan, rows);
  plan->block =
      attni_pick_block(plan->kernels, p, plan->tiles_q, attni_tiles_of(plan, plan->segment));
  plan->blocks = attni_ceil_div(plan->tiles_q, plan->block);
  plan->chunks = attni_most_chunks(plan->kernels, p);
  plan->tasks = attni_mul_sat(p->batch * p->heads_kv, attni_mul_sat(plan->blocks, plan->chunks));
  return plan->tasks < INT64_MAX ? ATTN_OK : ATTN_ERR_OVERFLOW;
}

static attn_status attni_make_plan(attn_plan *plan, const attn_params *params, bool need_data) {
  attn_isa isa = ATTN_ISA_AUTO;
  attn_status status;
  if (params == NULL) return ATTN_ERR_PARAMS;
  memset(plan, 0, sizeof *plan);
  plan->params = *params;
  attni_fill_defaults(&plan->params);
  status = attni_check_params(&plan->params, need_data);
  if (status == ATTN_OK) status = attni_pick_isa(params->isa, &isa);
  if (status != ATTN_OK) return status;
  plan->group = plan->params.heads_q / plan->params.heads_kv;
  plan->natural = attni_is_natural(&plan->params);
  plan->masks = attni_has_masks(&plan->params);
  status = attni_derive_run(plan, isa);
  if (status == ATTN_OK) status = attni_derive_sizes(plan);
  plan->magic = ATTNI_PLAN_MAGIC;
  return status;
}

/* Whether two calls need the same scratch for their options, which may differ in what they point
 * to, in their numbers and strides. */
static bool attni_same_options(const attn_params *a, const attn_params *b) {
  return attni_has_masks(a) == attni_has_masks(b) && attni_is_natural(a) == attni_is_natural(b) &&
         attni_is_scattered(a) == attni_is_scattered(b) &&
         (a->block_mask.data == NULL) == (b->block_mask.data == NULL);
}

/* What an update must leave as it is, capacities aside: everything but data, strides, lengths, and
 * where the queries stand. */
static bool attni_same_call(const attn_params *a, const attn_params *b) {
  return attni_same_options(a, b) && a->batch == b->batch && a->heads_q == b->heads_q &&
         a->heads_kv == b->heads_kv && a->head_size == b->head_size &&
         a->head_size_v == b->head_size_v && attni_bits(a->scale) == attni_bits(b->scale) &&
         a->family == b->family && a->isa == b->isa && a->exact_bf16 == b->exact_bf16 &&
         a->q.type == b->q.type && a->k.type == b->k.type && a->v.type == b->v.type &&
         a->o.type == b->o.type;
}

/* The caller's workspace, or our own if there is none, which *own is then: of so many bytes. */
static attn_status attni_take_workspace(size_t bytes, size_t given, void **workspace, void **own) {
  *own = NULL;
  if (bytes == SIZE_MAX) return ATTN_ERR_OVERFLOW;
  if (*workspace != NULL) return given < bytes ? ATTN_ERR_WORKSPACE : ATTN_OK;
  if (given != 0) return ATTN_ERR_WORKSPACE;
  *own = *workspace = ATTN_MALLOC(bytes);
  return *own == NULL ? ATTN_ERR_MEMORY : ATTN_OK;
}

static bool attni_plan_ok(const attn_plan *plan) {
  return plan != NULL && plan->magic == ATTNI_PLAN_MAGIC;
}
