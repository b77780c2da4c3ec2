/* ------------------------------------------------------------------ API -- */

/* Version of the library, and of the interface: the structs and functions below. Every public
 * symbol carries the interface version, so that two translation units built with headers of
 * different interfaces fail to link instead of failing at run time. */
#define ATTN_VERSION_MAJOR 0
#define ATTN_VERSION_MINOR 1
#define ATTN_VERSION_PATCH 0
#define ATTN_VERSION (10000 * ATTN_VERSION_MAJOR + 100 * ATTN_VERSION_MINOR + ATTN_VERSION_PATCH)
#define ATTN_INTERFACE 1

#define attn_alibi_slopes ATTNI_VERSIONED(attn_alibi_slopes)
#define attn_block_mask_build ATTNI_VERSIONED(attn_block_mask_build)
#define attn_block_mask_size ATTNI_VERSIONED(attn_block_mask_size)
#define attn_cpu_isa ATTNI_VERSIONED(attn_cpu_isa)
#define attn_family_name ATTNI_VERSIONED(attn_family_name)
#define attn_forward ATTNI_VERSIONED(attn_forward)
#define attn_isa_name ATTNI_VERSIONED(attn_isa_name)
#define attn_isa_supported ATTNI_VERSIONED(attn_isa_supported)
#define attn_kv_append ATTNI_VERSIONED(attn_kv_append)
#define attn_merge ATTNI_VERSIONED(attn_merge)
#define attn_plan_describe ATTNI_VERSIONED(attn_plan_describe)
#define attn_plan_finish ATTNI_VERSIONED(attn_plan_finish)
#define attn_plan_get_info ATTNI_VERSIONED(attn_plan_get_info)
#define attn_plan_init ATTNI_VERSIONED(attn_plan_init)
#define attn_plan_run ATTNI_VERSIONED(attn_plan_run)
#define attn_plan_scratch_size ATTNI_VERSIONED(attn_plan_scratch_size)
#define attn_plan_shared_size ATTNI_VERSIONED(attn_plan_shared_size)
#define attn_plan_tasks ATTNI_VERSIONED(attn_plan_tasks)
#define attn_plan_update ATTNI_VERSIONED(attn_plan_update)
#define attn_rope ATTNI_VERSIONED(attn_rope)
#define attn_set_isa ATTNI_VERSIONED(attn_set_isa)
#define attn_status_string ATTNI_VERSIONED(attn_status_string)
#define attn_type_name ATTNI_VERSIONED(attn_type_name)
#define attn_type_size ATTNI_VERSIONED(attn_type_size)
#define attn_version ATTNI_VERSIONED(attn_version)
#define attn_weights ATTNI_VERSIONED(attn_weights)
#define attn_weights_workspace_size ATTNI_VERSIONED(attn_weights_workspace_size)
#define attn_workspace_size ATTNI_VERSIONED(attn_workspace_size)

/* The largest head_size and head_size_v. */
#define ATTN_MAX_HEAD_SIZE 1024

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns. Everything but ATTN_OK is an error that names the argument at fault; after
 * an error no byte of the caller's memory has been written. */
#define ATTNI_STATUS_LIST(X)                                                                       \
  X(ATTN_OK, "ok")                                                                                 \
  X(ATTN_ERR_PARAMS, "params is a null pointer")                                                   \
  X(ATTN_ERR_BATCH, "batch must be at least 1")                                                    \
  X(ATTN_ERR_HEADS_Q, "heads_q must be at least 1")                                                \
  X(ATTN_ERR_HEADS_KV, "heads_kv must divide heads_q (0: the same as heads_q)")                    \
  X(ATTN_ERR_LEN_Q, "len_q must not be negative")                                                  \
  X(ATTN_ERR_LEN_KV, "len_kv must not be negative")                                                \
  X(ATTN_ERR_HEAD_SIZE, "head_size must be from 1 to 1024")                                        \
  X(ATTN_ERR_HEAD_SIZE_V,                                                                          \
    "head_size_v must be from 1 to 1024 (attn_params, 0: the same as head_size)")                  \
  X(ATTN_ERR_CAPACITY_Q, "len_q exceeds capacity_q")                                               \
  X(ATTN_ERR_CAPACITY_KV, "len_kv exceeds capacity_kv")                                            \
  X(ATTN_ERR_SCALE,                                                                                \
    "scale must be finite, and at most FLT_MAX / log2(e) either way (0: 1/sqrt(head_size))")       \
  X(ATTN_ERR_ALIGN, "align is not one of attn_align")                                              \
  X(ATTN_ERR_OFFSET, "offset is out of range, or given without ATTN_ALIGN_OFFSET")                 \
  X(ATTN_ERR_WINDOW, "window_left and window_right must be -1 or more, and 0 without window")      \
  X(ATTN_ERR_WINDOW_PATTERN,                                                                       \
    "window_dilation, window_globals and window_stride must not be negative, and need window")     \
  X(ATTN_ERR_MASK, "mask must be ATTN_BOOL, with strides that do not overflow")                    \
  X(ATTN_ERR_BIAS, "bias must be F32, F16 or BF16, aligned, with strides that do not overflow")    \
  X(ATTN_ERR_BLOCK_MASK,                                                                           \
    "block_mask must be ATTN_BOOL, with block_q and block_k at least 1, which are 0 without it")   \
  X(ATTN_ERR_SOFTCAP, "softcap must be from 0 to 1e30")                                            \
  X(ATTN_ERR_ALIBI, "alibi_slopes is not aligned to float")                                        \
  X(ATTN_ERR_SINKS, "sinks is not aligned to float")                                               \
  X(ATTN_ERR_SEQLENS_KV, "seqlens_kv: misaligned, or an entry is not from 0 to its capacity")      \
  X(ATTN_ERR_CU_SEQLENS_Q, "cu_seqlens_q must ascend, from 0 or more, by at most len_q")           \
  X(ATTN_ERR_CU_SEQLENS_KV,                                                                        \
    "cu_seqlens_kv must ascend, from 0 or more, by at most len_kv; no pages")                      \
  X(ATTN_ERR_PAGE_SIZE, "page_size must not be negative; without it no page_table, pages")         \
  X(ATTN_ERR_PAGE_TABLE, "page_table: null, misaligned, too narrow, or names no page of the pool") \
  X(ATTN_ERR_RING, "ring_size must not be negative, nor come with pages or cu_seqlens_kv")         \
  X(ATTN_ERR_FAMILY, "family is not one of attn_family")                                           \
  X(ATTN_ERR_THREADS, "threads must be from 0 to 1024")                                            \
  X(ATTN_ERR_Q_DATA, "q.data is null or not aligned to its type")                                  \
  X(ATTN_ERR_K_DATA, "k.data is null or not aligned to its type")                                  \
  X(ATTN_ERR_V_DATA, "v.data is null or not aligned to its type")                                  \
  X(ATTN_ERR_O_DATA, "o.data is null or not aligned to its type")                                  \
  X(ATTN_ERR_LSE_DATA, "lse.data is not aligned to its type")                                      \
  X(ATTN_ERR_Q_TYPE, "q.type is not supported")                                                    \
  X(ATTN_ERR_K_TYPE, "k.type is not supported")                                                    \
  X(ATTN_ERR_V_TYPE, "v.type is not supported")                                                    \
  X(ATTN_ERR_O_TYPE, "o.type is not supported")                                                    \
  X(ATTN_ERR_LSE_TYPE, "lse.type must be ATTN_F32")                                                \
  X(ATTN_ERR_Q_STRIDE, "a stride of q overflows, or its stride_d is not 1")                        \
  X(ATTN_ERR_K_STRIDE, "a stride of k overflows, or its stride_d is not 1")                        \
  X(ATTN_ERR_V_STRIDE, "a stride of v overflows, or its stride_d is not 1")                        \
  X(ATTN_ERR_O_STRIDE, "a stride of o overflows, makes elements coincide, or stride_d is not 1")   \
  X(ATTN_ERR_LSE_STRIDE, "a stride of lse overflows or makes elements coincide")                   \
  X(ATTN_ERR_K_SCALE, "k_scale must be F32 data where k is ATTN_I8, and null elsewhere")           \
  X(ATTN_ERR_V_SCALE, "v_scale must be F32 data where v is ATTN_I8, and null elsewhere")           \
  X(ATTN_ERR_K_SCALE_STRIDE, "a stride of k_scale overflows")                                      \
  X(ATTN_ERR_V_SCALE_STRIDE, "a stride of v_scale overflows")                                      \
  X(ATTN_ERR_ROWS, "rows: null, misaligned, of no type that can be copied, or strides overflow")   \
  X(ATTN_ERR_CACHE,                                                                                \
    "cache: null, misaligned, of an unknown type, or strides overflow or coincide")                \
  X(ATTN_ERR_CACHE_SCALE,                                                                          \
    "cache_scale: F32 data for ATTN_I8, else null; strides must not coincide")                     \
  X(ATTN_ERR_POSITION, "position is out of range, or positions misaligned or given twice")         \
  X(ATTN_ERR_ROTATED,                                                                              \
    "rotated: null, misaligned, of no type of rows, at rows with other strides, or coinciding")    \
  X(ATTN_ERR_PAIRS, "rotary.pairs is not one of attn_pairs, which has no default")                 \
  X(ATTN_ERR_ROTARY_SIZE, "rotary.size must be even, from 2 to head_size (0: head_size)")          \
  X(ATTN_ERR_THETA, "rotary.theta must be finite and positive (0: 10000)")                         \
  X(ATTN_ERR_PARTS, "parts must be at least 1")                                                    \
  X(ATTN_ERR_O_PARTS, "o_parts: null, or one is null, misaligned, of no type of o, or overflows")  \
  X(ATTN_ERR_LSE_PARTS, "lse_parts: null, or one is null, misaligned, not F32, or overflows")      \
  X(ATTN_ERR_WHAT, "what is a null pointer")                                                       \
  X(ATTN_ERR_STAGE, "stage is not one of attn_stage, which has no default")                        \
  X(ATTN_ERR_CHOSEN_HEADS,                                                                         \
    "heads: misaligned, one is not from 0 to heads_q - 1, or head_count does not go with it")      \
  X(ATTN_ERR_QUERIES, "first_query and queries must not be negative, nor their sum over len_q")    \
  X(ATTN_ERR_OUT,                                                                                  \
    "out: null, misaligned, not F32, at an input, or its strides overflow or coincide")            \
  X(ATTN_ERR_RANDOM_BLOCKS, "random_blocks must not be negative")                                  \
  X(ATTN_ERR_O_OVERLAP, "o starts where an input does that is not o itself")                       \
  X(ATTN_ERR_LSE_OVERLAP, "lse starts where o does, or an input that is not lse itself")           \
  X(ATTN_ERR_ISA, "params.isa is unknown, not compiled in, or not supported by this CPU")          \
  X(ATTN_ERR_ISA_ENV, "the environment variable ATTN_ISA names no instruction set of this CPU")    \
  X(ATTN_ERR_OVERFLOW, "the sizes overflow: batch, heads_q, len_q or len_kv is too large")         \
  X(ATTN_ERR_PLAN, "plan is a null pointer or was not initialised by attn_plan_init")              \
  X(ATTN_ERR_PLAN_CHANGED,                                                                         \
    "the update changes what a plan is made for: sizes, types, scale, kernels, options")           \
  X(ATTN_ERR_TASK, "task is not from 0 to attn_plan_tasks() - 1")                                  \
  X(ATTN_ERR_SCRATCH, "scratch is null or smaller than attn_plan_scratch_size()")                  \
  X(ATTN_ERR_SHARED, "shared is null or smaller than attn_plan_shared_size()")                     \
  X(ATTN_ERR_WORKSPACE, "workspace is smaller than attn_workspace_size() says")                    \
  X(ATTN_ERR_RESULT, "the memory for the result is null, too small or misaligned")                 \
  X(ATTN_ERR_MEMORY, "ATTN_MALLOC returned null")

#define ATTNI_STATUS_ENUM(name, text) name,
typedef enum attn_status { ATTNI_STATUS_LIST(ATTNI_STATUS_ENUM) ATTN_STATUS_COUNT } attn_status;
#undef ATTNI_STATUS_ENUM

/* Element types. q and o may be F32, F16 or BF16, k and v any, in any mix. Whatever the types, the
 * arithmetic is f32, on the exact values of the elements; o is rounded once, to nearest, ties to
 * even. One exception: params.exact_bf16. */
typedef enum attn_type {
  ATTN_F32 = 0, /* IEEE 754 binary32 */
  ATTN_F16,     /* IEEE 754 binary16, as uint16_t */
  ATTN_BF16,    /* the upper 16 bits of a binary32, as uint16_t */
  ATTN_I8,      /* int8_t, times a scale for each row: params.k_scale, v_scale */
  ATTN_BOOL     /* one byte, 0 for false; of masks alone */
} attn_type;

/* Where query 0 stands among the keys; see attn_params.align. */
typedef enum attn_align {
  ATTN_ALIGN_BOTTOM_RIGHT = 0, /* offset = len_kv - len_q: the last query sees the last key */
  ATTN_ALIGN_TOP_LEFT,         /* offset = 0: the first query sees the first key */
  ATTN_ALIGN_OFFSET            /* attn_params.offset */
} attn_align;

/* The kernel families. One family computes a row to the same bits whatever the number of threads,
 * the batch, the other query rows and the strides; two families agree within the error bound. */
typedef enum attn_family {
  ATTN_FAMILY_AUTO = 0, /* the planner picks by the number of query rows per K/V head */
  ATTN_FAMILY_PREFILL,  /* vector lanes are queries: many rows */
  ATTN_FAMILY_DECODE    /* vector lanes are features and keys: one row or few */
} attn_family;

/* A tensor of four extents: batch, head, position in the sequence, feature. Strides are in elements
 * and may have any sign; features are contiguous (stride_d 1, or 0 which means 1). An input may
 * repeat rows (stride 0); o may not. data must be aligned to its element type, to nothing more.
 * Data reached through q, k and v is never written. */
typedef struct attn_tensor {
  void *data;
  attn_type type;
  int64_t stride_b; /* from one batch entry to the next */
  int64_t stride_h; /* from one head to the next */
  int64_t stride_s; /* from one position (query or key) to the next */
  int64_t stride_d; /* from one feature to the next: 1, or 0 for 1 */
} attn_tensor;

/* A value for every query and key, [batch, heads_q, len_q, len_kv]: a mask or a bias. Strides are
 * in elements; 0 repeats one value along that extent (so {data, type, 0, 0, len_kv, 1} is one
 * matrix for all batch entries and heads). data null: none. */
typedef struct attn_matrix {
  const void *data;
  attn_type type;
  int64_t stride_b; /* from one batch entry to the next */
  int64_t stride_h; /* from one query head to the next */
  int64_t stride_q; /* from one query to the next */
  int64_t stride_k; /* from one key to the next */
} attn_matrix;

/* Exact scaled-dot-product attention. For batch entry b, query head h, query i with position
 * p = i + offset, and key/value head g = h / (heads_q / heads_kv):
 *
 *   s[j] = scale * sum over d of q[b][h][i][d] * k[b][g][j][d]
 *   s[j] = softcap * tanh(s[j] / softcap)                               if softcap > 0
 *   s[j] = s[j] + bias[b][h][i][j] - alibi_slopes[h] * |p - j|           those that are given
 *   o[b][h][i] = sum over allowed j of softmax(s)[j] * v[b][g][j]
 *   lse[b][h][i] = log(sum over allowed j of exp(s[j]))
 *
 * with one more term, exp(sinks[h]), in the denominator and in lse if sinks are given. Key j is
 * allowed if all of these hold that apply:
 *
 *   j < len_kv (of that batch entry: seqlens_kv, cu_seqlens_kv)
 *   causal:     j <= p
 *   window:     p - window_left <= j <= p + window_right and, with window_dilation n > 1,
 *               (p - j) mod n = 0; or j < window_globals, or 0 <= p < window_globals; or, with
 *               window_stride n > 0, (p - j) mod n = 0
 *   mask:       mask[b][h][i][j] is not 0
 *   bias:       bias[b][h][i][j] is not -infinity
 *   block_mask: block_mask[b][h][i / block_q][j / block_k] is not 0
 *   ring_size:  j >= len_kv - ring_size
 *
 * A row with no allowed key gives o = 0 and lse = -infinity (the sink, if there is one). What lies
 * at keys that are not allowed never influences a result, NaN included; a finite bias, however
 * negative, is a number like any other. (Vaswani et al., "Attention Is All You Need", 2017; tiled
 * with an online softmax as in Dao et al., "FlashAttention", 2022. Softcap: Gemma 2, 2024. ALiBi:
 * Press et al., 2022. Sinks: gpt-oss, 2025. Windows: Beltagy et al., "Longformer", 2020; Child et
 * al., "Sparse Transformers", 2019.) Zero every field that is not used: {0} in C, {} in C++. */
typedef struct attn_params {
  attn_tensor q;   /* [batch, heads_q, len_q, head_size], read */
  attn_tensor k;   /* [batch, heads_kv, len_kv, head_size], read */
  attn_tensor v;   /* [batch, heads_kv, len_kv, head_size_v], read */
  attn_tensor o;   /* [batch, heads_q, len_q, head_size_v], written; must not overlap an input */
  attn_tensor lse; /* [batch, heads_q, len_q], F32, written; must not overlap o or an input; data
                      null: not wanted; no stride_d */
  attn_tensor k_scale,
      v_scale; /* [batch, heads_kv, len_kv], F32, read: what the rows of an ATTN_I8
                  k or v are multiplied by; data null for other types; no stride_d */

  int64_t batch;       /* at least 1 */
  int64_t heads_q;     /* at least 1 */
  int64_t heads_kv;    /* divides heads_q (grouped-query attention); 0: heads_q */
  int64_t len_q;       /* queries per batch entry; 0: nothing to do */
  int64_t len_kv;      /* keys per batch entry; 0: every row is empty */
  int64_t head_size;   /* features of q and k, 1 to ATTN_MAX_HEAD_SIZE */
  int64_t head_size_v; /* features of v and o, 1 to ATTN_MAX_HEAD_SIZE; 0: head_size */

  float scale;      /* 0: 1/sqrt(head_size); may be negative; at most FLT_MAX / log2(e) */
  bool causal;      /* query i attends to keys j <= i + offset */
  attn_align align; /* how offset is derived; 0: bottom-right */
  int64_t offset;   /* for ATTN_ALIGN_OFFSET, else 0; may be negative: those rows are empty */

  bool window;             /* whether the fields below apply */
  int64_t window_left;     /* keys before the query's own position; -1: all; 0: none */
  int64_t window_right;    /* keys after it; -1: all; 0: none */
  int64_t window_dilation; /* only every n-th key, counted from the query; 0 or 1: every one */
  int64_t window_globals;  /* the first n positions see all and are seen by all; 0: none */
  int64_t window_stride;   /* every n-th key before and after, whatever the window; 0: none */

  attn_matrix mask;          /* ATTN_BOOL: 0 forbids */
  attn_matrix bias;          /* F32, F16 or BF16, added to the scores; -infinity forbids */
  attn_matrix block_mask;    /* ATTN_BOOL, [batch, heads_q, len_q / block_q, len_kv / block_k, both
                                rounded up]: 0 forbids a block of queries a block of keys */
  int64_t block_q, block_k;  /* queries and keys of a block */
  float softcap;             /* 0: none; at most 1e30 */
  const float *alibi_slopes; /* [heads_q], see attn_alibi_slopes; null: none */
  const float *sinks; /* [heads_q]: a logit that takes weight and gives nothing; null: none */

  const int32_t *seqlens_kv;    /* [batch]: keys of each entry, at most len_kv; null: len_kv */
  const int32_t *cu_seqlens_q;  /* [batch + 1]: entry b's queries are positions cu_seqlens_q[b] to
                                   cu_seqlens_q[b + 1] - 1 of q, o and lse (stride_b 0 as a rule);
                                   len_q is the longest; null: 0 to len_q - 1 */
  const int32_t *cu_seqlens_kv; /* the same for k and v */

  int64_t page_size;         /* keys per page of a paged cache; 0: not paged. Then stride_b of k, v,
                                k_scale and v_scale leads from page to page, stride_s within one: key
                                j of entry b lies in page page_table[b * page_table_stride + j /
                                page_size], at position j % page_size */
  const int32_t *page_table; /* [batch, at least len_kv / page_size, rounded up] */
  int64_t page_table_stride; /* from one batch entry to the next */
  int64_t pages;             /* in the pool: what page_table may hold is 0 to pages - 1 */
  int64_t ring_size; /* positions of a ring buffer: key j lies at position j % ring_size, and
                        only the last ring_size keys are there; 0: not a ring */

  attn_isa isa;        /* 0: attn_set_isa(), else the variable ATTN_ISA, else the CPU's best */
  attn_family family;  /* 0: chosen by the planner */
  int64_t capacity_q;  /* the largest len_q that updates of a plan may bring; 0: it stays */
  int64_t capacity_kv; /* the largest len_kv that updates of a plan may bring; 0: it stays */
  int32_t threads;     /* that will run the tasks, of which each gets several; 0: OpenMP's default
                          with ATTN_USE_OPENMP, which starts them, else 1 */

  /* false: if q, k and v are all ATTN_BF16, a prefill multiplies bf16 where the CPU has fast
   * instructions for it. Sums stay f32, but weights are rounded to bf16 (an error of at most 2^-8
   * max|v| more) and subnormals count as 0. true: all arithmetic is f32, as for other types. */
  bool exact_bf16;
} attn_params;

/* A validated call: which kernels run on what. Plain memory that owns nothing: copy it, drop it.
 * The fields are private. */
typedef struct attn_plan {
  uint32_t magic;                      /* ATTNI_PLAN_MAGIC once initialised */
  attn_params params;                  /* with every default filled in */
  int64_t group;                       /* query heads per key/value head */
  bool natural;                        /* scores are in units of e: options work on them */
  bool masks;                          /* single keys within a row's range may be forbidden */
  const struct attni_kernels *kernels; /* of the instruction set and family that run */
  const struct attni_product *qk;      /* scores of a tile */
  const struct attni_product *pv;      /* weighted sum of a tile's values */
  int32_t tile_k;                      /* keys per tile */
  int64_t segment;                     /* query tiles do not cross multiples of so many rows */
  int64_t tiles_q;                     /* most query tiles per batch entry and K/V head */
  int64_t block;                       /* query tiles per task; they share the key tiles */
  int64_t blocks;                      /* tasks per batch entry, K/V head and chunk */
  int64_t chunks;                      /* most chunks that the keys of an entry are split into */
  int64_t tasks;                       /* batch * heads_kv * blocks * chunks */
  size_t scratch_size;                 /* bytes per thread, for the largest update */
  size_t shared_size;                  /* bytes per run, for the largest update */
} attn_plan;

/* What a plan chose. Strings are static. */
typedef struct attn_plan_info {
  attn_isa isa;
  attn_family family;
  const char *kernel_qk; /* name of the kernel for scores, e.g. "avx2 prefill qk f32 d64" */
  const char *kernel_pv; /* name of the kernel for the weighted sum of values */
  int32_t tile_q;        /* most query rows (queries times heads of a group) of a tile */
  int32_t tile_k;        /* keys per tile */
  int32_t tiles;         /* query tiles per task; they take each key tile in turn */
  int32_t chunks;        /* parts that the keys of one entry are split into, 1 to 64 */
  int64_t tasks;         /* independent tasks of attn_plan_run */
  size_t scratch_size;   /* bytes per thread */
  size_t shared_size;    /* bytes per plan */
  size_t workspace_size; /* bytes for attn_forward */
} attn_plan_info;

/* Which features a rotary embedding turns together. Models differ, and results with the wrong one
 * look almost right, so there is no default. */
typedef enum attn_pairs {
  ATTN_PAIRS_INTERLEAVED = 1, /* (0, 1), (2, 3), ..: RoFormer, GPT-J, Llama's own weights */
  ATTN_PAIRS_HALF_SPLIT       /* (0, n/2), (1, n/2 + 1), ..: GPT-NeoX, Hugging Face's weights */
} attn_pairs;

/* A rotary embedding (Su et al., "RoFormer", 2021): of the first n = size features of a row x at
 * position p, pair number i = 0 .. n/2 - 1, which is (a, b), becomes
 *
 *   y[a] = x[a] * cos(t) - x[b] * sin(t)
 *   y[b] = x[a] * sin(t) + x[b] * cos(t),   t = p * theta^(-2i / n) radians
 *
 * and the features beyond n stay as they are. Angles are computed in double precision, cos and sin
 * are rounded to f32, the sums are double, and the result is rounded to f32: for |p| up to 2^24
 * and theta of at least 1 within 2^-23 of |x[a]| + |x[b]|. */
typedef struct attn_rotary {
  attn_pairs pairs;
  int64_t size; /* features that turn: even, 2 to head_size; 0: head_size */
  float theta;  /* the base; 0: 10000 */
} attn_rotary;

/* What attn_rope rotates. Rows may be q or k, before the product or before they enter a cache. */
typedef struct attn_rope_params {
  attn_tensor rows;    /* [batch, heads, len, head_size], F32, F16 or BF16, read */
  attn_tensor rotated; /* the same extents, any of these types, written; rows itself (the same data,
                          type and strides), or memory that does not overlap it */

  int64_t batch;     /* at least 1 */
  int64_t heads;     /* at least 1 */
  int64_t len;       /* rows per batch entry and head; 0: nothing to do */
  int64_t head_size; /* 1 to ATTN_MAX_HEAD_SIZE */
  attn_rotary rotary;

  int64_t position;             /* of row 0; may be negative, which turns back */
  const int32_t *positions;     /* [batch]: row i of entry b is at position + positions[b] + i;
                                   null: position + i */
  const int32_t *row_positions; /* [batch, len], dense: at position + row_positions[b * len + i]
                                   instead; not with positions */
} attn_rope_params;

/* What attn_kv_append writes, and where: row i of entry b becomes the cache's key number
 * j = position + positions[b] + i. Where that lies is told as in attn_params. */
typedef struct attn_append_params {
  attn_tensor rows;  /* [batch, heads, len, size], F32, F16 or BF16, read */
  attn_tensor cache; /* [batch, heads, positions, size], F32, F16, BF16 or I8, written; must not
                        overlap rows */
  attn_tensor cache_scale; /* [batch, heads, positions], F32, written, if cache is ATTN_I8; data
                              null for other types; no stride_d */

  int64_t batch; /* at least 1 */
  int64_t heads; /* key/value heads, at least 1 */
  int64_t len;   /* new rows per batch entry; 0: nothing to do */
  int64_t size;  /* features of a row, 1 to ATTN_MAX_HEAD_SIZE */

  int64_t position; /* key number of row 0, not negative; see positions */
  const int32_t
      *positions; /* [batch]: added to position, for entries of different length; null: 0 */

  int64_t ring_size; /* key j lies at position j % ring_size, so that only the last ring_size of the
                        rows are written; 0: not a ring */
  int64_t page_size; /* keys per page of a paged cache; 0: not paged. Then stride_b of cache and
                        cache_scale leads from page to page, stride_s within one: key j of entry b
                        lies in page page_table[b * page_table_stride + j / page_size], at position
                        j % page_size */
  const int32_t *page_table; /* [batch, at least as many pages as the last row needs]; only those of
                                the rows are looked at. No two entries may write to one place */
  int64_t page_table_stride; /* from one batch entry to the next */
  int64_t pages;             /* in the pool: what page_table may hold is 0 to pages - 1 */

  attn_rotary rotary; /* turn the rows by their key numbers j first, and round them to the cache's
                         type once; all zero: do not turn */
} attn_append_params;

/* Results of attention to disjoint parts of the keys, and the result of attention to all of them:
 *
 *   lse = log(sum over parts n of exp(lse_n), plus exp(sinks[h]) if sinks are given)
 *   o   = sum over parts n of exp(lse_n - lse) * o_n
 *
 * for each batch entry, head and query, in double precision, o and lse rounded once. (Dao et al.,
 * "FlashAttention", 2022, section 3.1; Flash-Decoding, 2023.) A part with lse = -infinity is empty:
 * its o is not looked at. If all are, the result is: o = 0 and lse = -infinity, or the sink. A part
 * whose lse is NaN or +infinity makes the row NaN, o and lse; a sink of +infinity takes all weight,
 * as in attn_forward. Merging in any grouping gives the same within rounding. Sinks count once:
 * merge parts that were computed without, and give them to the last merge alone. */
typedef struct attn_merge_params {
  const attn_tensor *o_parts; /* [parts] tensors [batch, heads, len, head_size_v], F32, F16 or BF16,
                                 each of its own, read */
  const attn_tensor *lse_parts; /* [parts] tensors [batch, heads, len], F32, read; no stride_d */
  attn_tensor o; /* [batch, heads, len, head_size_v], written; may be a part itself (the same data,
                    type and strides), must not overlap an input otherwise */
  attn_tensor lse; /* [batch, heads, len], F32, written; the same, and must not overlap o; data
                      null: not wanted */

  int64_t parts;       /* at least 1 */
  int64_t batch;       /* at least 1 */
  int64_t heads;       /* query heads, at least 1 */
  int64_t len;         /* queries; 0: nothing to do */
  int64_t head_size_v; /* features of o, 1 to ATTN_MAX_HEAD_SIZE */
  const float *sinks;  /* [heads]: as in attn_params; null: none */
} attn_merge_params;

/* What of a row attn_weights writes. ONNX's Attention calls these the modes 0, 2, 1 and 3 of
 * qk_matmul_output_mode. */
typedef enum attn_stage {
  ATTN_STAGE_SCALED = 1, /* scale * q k, for every key of the entry, whatever causality, window,
                            masks and bias forbid (ONNX: 0) */
  ATTN_STAGE_SOFTCAP,    /* the same after softcap (2) */
  ATTN_STAGE_BIASED,     /* after bias and ALiBi; -infinity where a key is not allowed (1) */
  ATTN_STAGE_WEIGHTS /* softmax of that: what v is multiplied by; 0 where a key is not allowed (3)
                      */
} attn_stage;

/* Which scores or weights of a call attn_weights writes, and where. */
typedef struct attn_weights_params {
  attn_stage stage;     /* no default */
  const int32_t *heads; /* [head_count]: query heads, in the order of out; null: all of them */
  int64_t head_count;   /* 0 without heads */
  bool mean_heads;      /* one row for all of these heads: their mean */
  int64_t first_query;  /* of each batch entry */
  int64_t queries;      /* rows from there on; 0: nothing to do */
  attn_tensor out;      /* [batch, chosen heads or 1 for their mean, queries, len_kv], F32, written;
                           stride_d 1; must not overlap an input */
} attn_weights_params;

/* Which blocks a block mask allows: those with any pair of a query i at position p = i + offset and
 * a key j to which one of these applies, and random ones. Whether j may be beyond p is left to
 * attn_params.causal.
 *
 *   window_left, window_right:  p - window_left <= j <= p + window_right
 *   window_globals:             0 <= j < window_globals or 0 <= p < window_globals
 *   window_stride:              (p - j) mod window_stride = 0
 *   random_blocks:              as many blocks more in each row of blocks, of those that are not
 *                               allowed yet, each as likely as any other; or all, if they are fewer
 *
 * Sliding window and global tokens: Beltagy et al., "Longformer", 2020. With random blocks:
 * BigBird, Zaheer et al., 2020. window_left = window_stride = n and window_right = 0: the strided
 * pattern of Sparse Transformers, Child et al., 2019. */
typedef struct attn_block_pattern {
  int64_t len_q, len_kv;    /* not negative */
  int64_t block_q, block_k; /* queries and keys of a block, at least 1 */
  int64_t offset;           /* position of query 0: with attn_params' defaults len_kv - len_q */

  bool window;            /* whether the fields of the window apply */
  int64_t window_left;    /* keys before the query's own position; -1: all; 0: none */
  int64_t window_right;   /* keys after it; -1: all; 0: none */
  int64_t window_globals; /* the first n positions see all and are seen by all; 0: none */
  int64_t window_stride;  /* every n-th key before and after, whatever the window; 0: none */
  int64_t random_blocks;  /* per row of blocks; 0: none */
  uint64_t seed;          /* of the random blocks: the same on every machine */
} attn_block_pattern;

/* Compute attention. Without ATTN_USE_OPENMP on the calling thread alone. workspace is memory of at
 * least attn_workspace_size() bytes, of any alignment and content; or null with size 0, and
 * ATTN_MALLOC is called once. */
ATTN_API attn_status attn_forward(const attn_params *params, void *workspace,
                                  size_t workspace_size);

/* The bytes that attn_forward needs as workspace for these params. The data pointers of q, k, v, o,
 * lse and the scales may be null here; those of options may not, since they say which options are
 * used, and lists of lengths and pages are read. A prefill's workspace does not grow with its
 * lengths, beyond 192 rows (len_q * heads_q / heads_kv). */
ATTN_API attn_status attn_workspace_size(const attn_params *params, size_t *size);

/* For programs with threads of their own. Make a plan, then run tasks 0 to attn_plan_tasks() - 1,
 * each once, in any order, on any threads, then finish once:
 *
 *   attn_plan_init(&plan, &params);
 *   for each task, on some thread: attn_plan_run(&plan, task, scratch, scratch_size,
 *                                                shared, shared_size);
 *   attn_plan_finish(&plan, shared, shared_size);
 *
 * scratch belongs to one task at a time, shared to the whole run; both of any alignment and
 * content. The params are copied; the tensors are read and written by run and finish. */
ATTN_API attn_status attn_plan_init(attn_plan *plan, const attn_params *params);
ATTN_API attn_status attn_plan_run(const attn_plan *plan, int64_t task, void *scratch,
                                   size_t scratch_size, void *shared, size_t shared_size);
ATTN_API attn_status attn_plan_finish(const attn_plan *plan, void *shared, size_t shared_size);

/* Point a plan at other data: pointers, strides, lengths, alignment, offset and the numbers of
 * options (window, softcap, block_q, sizes of pages and rings) may differ from the params it was
 * made of. Sizes, types, scale, isa, family and exact_bf16 may not, nor whether there are masks or
 * biases, a block_mask, options on scores, pages or a ring (threads is not looked at: it stays).
 * Lengths stay within the capacities of the first params, and so do the sizes below; the number of
 * tasks may change. After an error the plan is what it was. */
ATTN_API attn_status attn_plan_update(attn_plan *plan, const attn_params *params);

/* The number of tasks, and the bytes of each task's scratch and of the shared memory (which may be
 * 0). All are 0 for a plan of zeros. */
ATTN_API int64_t attn_plan_tasks(const attn_plan *plan);
ATTN_API size_t attn_plan_scratch_size(const attn_plan *plan);
ATTN_API size_t attn_plan_shared_size(const attn_plan *plan);

/* What the plan chose, as a struct, or in words: describe writes at most size bytes with the
 * closing zero and returns the length of the whole text, as snprintf does. */
ATTN_API attn_status attn_plan_get_info(const attn_plan *plan, attn_plan_info *info);
ATTN_API int attn_plan_describe(const attn_plan *plan, char *text, size_t size);

/* Write rows to a cache, and turn them first if asked to; features 0 to size - 1 are converted to
 * the cache's type: rounded to nearest, ties to even; beyond its range infinity; NaN stays NaN.
 *
 * An ATTN_I8 cache is quantised symmetrically, row by row: the row's cache_scale becomes
 * s = max |x| / 127, and an element the integer nearest x / s, so that |x - s * element| is at most
 * 0.5001 s. A row with an infinity or NaN gets s = NaN, a row of zeros s = 0.
 *
 * One call for k, one for v. */
ATTN_API attn_status attn_kv_append(const attn_append_params *params);

/* Turn rows by a rotary embedding. */
ATTN_API attn_status attn_rope(const attn_rope_params *params);

/* Merge the results of attention to parts of the keys. */
ATTN_API attn_status attn_merge(const attn_merge_params *params);

/* Look into attention: write the scores or weights of the chosen heads and queries, which
 * attn_forward never holds at once. params are attn_forward's, with every option; v, v_scale, o,
 * lse, head_size_v, family, threads and the capacities are not looked at, and may be zero. Every
 * element of out is written: keys beyond an entry's length, or no longer in its ring, and queries
 * that an entry does not have, are not allowed. The weights of a row add up to 1, less the sink's
 * share; an empty row has weights 0. In a row that is NaN the allowed keys are. The scores are
 * those of the decode family, computed a row at a time on the calling thread; workspace is as in
 * attn_forward, and grows with len_kv for means alone. */
ATTN_API attn_status attn_weights(const attn_params *params, const attn_weights_params *what,
                                  void *workspace, size_t workspace_size);
ATTN_API attn_status attn_weights_workspace_size(const attn_params *params,
                                                 const attn_weights_params *what, size_t *size);

/* The slopes of ALiBi for attn_params.alibi_slopes, [heads]: with n the largest power of two that
 * is at most heads, slopes[h] = 2^(-8 (h + 1) / n) for h < n; the rest are every other one of 2n
 * heads, from the first on: 2^(-4 (2 (h - n) + 1) / n). (Press et al., "Train Short, Test Long",
 * 2022, and their code.) */
ATTN_API attn_status attn_alibi_slopes(int64_t heads, float *slopes);

/* Write a block mask: one byte per block, 1 if allowed, else 0, as a dense matrix of len_q /
 * block_q rows and len_kv / block_k columns, both rounded up. mask is memory of at least
 * attn_block_mask_size() bytes. For attn_params.block_mask: {mask, ATTN_BOOL, 0, 0, columns, 1}. */
ATTN_API attn_status attn_block_mask_build(const attn_block_pattern *pattern, uint8_t *mask,
                                           size_t size);
ATTN_API attn_status attn_block_mask_size(const attn_block_pattern *pattern, size_t *size);

/* ATTN_VERSION of the implementation that is linked, a number such as 10203 for version 1.2.3. That
 * of a shared library may differ from the header's. */
ATTN_API int attn_version(void);

/* Bytes of an element, "bf16"; 0 and "unknown" for a value out of range. */
ATTN_API size_t attn_type_size(attn_type type);
ATTN_API const char *attn_type_name(attn_type type);

/* The best instruction set that is compiled in and that this CPU and its operating system support.
 */
ATTN_API attn_isa attn_cpu_isa(void);

/* Whether this instruction set is compiled in and supported here. */
ATTN_API bool attn_isa_supported(attn_isa isa);

/* Set the instruction set of all calls whose params.isa is 0; ATTN_ISA_AUTO takes it back. Returns
 * ATTN_ERR_ISA and changes nothing if it is not supported. Safe from any thread. */
ATTN_API attn_status attn_set_isa(attn_isa isa);

/* Static strings: "avx2"; "prefill"; a sentence. "unknown" for a value out of range. */
ATTN_API const char *attn_isa_name(attn_isa isa);
ATTN_API const char *attn_family_name(attn_family family);
ATTN_API const char *attn_status_string(attn_status status);

/* Params with every field zero, for those who like it in words. */
static ATTNI_INLINE attn_params attn_params_init(void) {
  attn_params params;
  memset(&params, 0, sizeof params);
  return params;
}

/* A tensor of any strides, in elements. */
static ATTNI_INLINE attn_tensor attn_strided(const void *data, attn_type type, int64_t stride_b,
                                             int64_t stride_h, int64_t stride_s) {
  attn_tensor tensor;
  tensor.data = (void *)(uintptr_t)data;
  tensor.type = type;
  tensor.stride_b = stride_b;
  tensor.stride_h = stride_h;
  tensor.stride_s = stride_s;
  tensor.stride_d = 1;
  return tensor;
}

/* A dense tensor [batch, len, heads, head_size], the layout of a projection's output. Products of
 * extents that overflow become INT64_MAX, which the call then rejects. */
static ATTNI_INLINE attn_tensor attn_bshd(const void *data, attn_type type, int64_t len,
                                          int64_t heads, int64_t head_size) {
  const int64_t row = attni_mul_sat(heads, head_size);
  return attn_strided(data, type, attni_mul_sat(len, row), head_size, row);
}

/* A dense tensor [batch, heads, len, head_size], the layout of most KV caches: there len is the
 * cache's capacity. */
static ATTNI_INLINE attn_tensor attn_bhsd(const void *data, attn_type type, int64_t len,
                                          int64_t heads, int64_t head_size) {
  const int64_t head = attni_mul_sat(len, head_size);
  return attn_strided(data, type, attni_mul_sat(heads, head), head, head_size);
}

/* A dense lse [batch, heads, len]. */
static ATTNI_INLINE attn_tensor attn_bhs(float *data, int64_t len, int64_t heads) {
  return attn_strided(data, ATTN_F32, attni_mul_sat(heads, len), len, 1);
}

#ifdef __cplusplus
}
#endif
