/* ------------------------------------------------------------------ API -- */

/* Version of the library, and of the interface: the structs and functions below. Every public
 * symbol carries the interface version, so that two translation units built with headers of
 * different interfaces fail to link instead of failing at run time. */
#define ATTN_VERSION_MAJOR 0
#define ATTN_VERSION_MINOR 1
#define ATTN_VERSION_PATCH 0
#define ATTN_INTERFACE 1

#define attn_cpu_isa ATTNI_VERSIONED(attn_cpu_isa)
#define attn_family_name ATTNI_VERSIONED(attn_family_name)
#define attn_forward ATTNI_VERSIONED(attn_forward)
#define attn_isa_name ATTNI_VERSIONED(attn_isa_name)
#define attn_isa_supported ATTNI_VERSIONED(attn_isa_supported)
#define attn_kv_append ATTNI_VERSIONED(attn_kv_append)
#define attn_plan_describe ATTNI_VERSIONED(attn_plan_describe)
#define attn_plan_finish ATTNI_VERSIONED(attn_plan_finish)
#define attn_plan_get_info ATTNI_VERSIONED(attn_plan_get_info)
#define attn_plan_init ATTNI_VERSIONED(attn_plan_init)
#define attn_plan_run ATTNI_VERSIONED(attn_plan_run)
#define attn_plan_scratch_size ATTNI_VERSIONED(attn_plan_scratch_size)
#define attn_plan_shared_size ATTNI_VERSIONED(attn_plan_shared_size)
#define attn_plan_tasks ATTNI_VERSIONED(attn_plan_tasks)
#define attn_plan_update ATTNI_VERSIONED(attn_plan_update)
#define attn_set_isa ATTNI_VERSIONED(attn_set_isa)
#define attn_status_string ATTNI_VERSIONED(attn_status_string)
#define attn_type_name ATTNI_VERSIONED(attn_type_name)
#define attn_type_size ATTNI_VERSIONED(attn_type_size)
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
  X(ATTN_ERR_HEAD_SIZE_V, "head_size_v must be from 1 to 1024 (0: the same as head_size)")         \
  X(ATTN_ERR_CAPACITY_Q, "len_q exceeds capacity_q")                                               \
  X(ATTN_ERR_CAPACITY_KV, "len_kv exceeds capacity_kv")                                            \
  X(ATTN_ERR_SCALE, "scale must be finite and at most 2e38 (0: 1/sqrt(head_size))")                \
  X(ATTN_ERR_ALIGN, "align is not one of attn_align")                                              \
  X(ATTN_ERR_OFFSET, "offset is out of range, or given without ATTN_ALIGN_OFFSET")                 \
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
  X(ATTN_ERR_POSITION, "position must not be negative")                                            \
  X(ATTN_ERR_O_OVERLAP, "o starts at the same address as an input")                                \
  X(ATTN_ERR_ISA, "params.isa is unknown, not compiled in, or not supported by this CPU")          \
  X(ATTN_ERR_ISA_ENV, "the environment variable ATTN_ISA names no instruction set of this CPU")    \
  X(ATTN_ERR_OVERFLOW, "the sizes overflow: batch, heads_q, len_q or len_kv is too large")         \
  X(ATTN_ERR_PLAN, "plan is a null pointer or was not initialised by attn_plan_init")              \
  X(ATTN_ERR_PLAN_CHANGED, "the update changes more than data, strides, lengths and offset")       \
  X(ATTN_ERR_TASK, "task is not from 0 to attn_plan_tasks() - 1")                                  \
  X(ATTN_ERR_SCRATCH, "scratch is null or smaller than attn_plan_scratch_size()")                  \
  X(ATTN_ERR_SHARED, "shared is null or smaller than attn_plan_shared_size()")                     \
  X(ATTN_ERR_WORKSPACE, "workspace is smaller than attn_workspace_size() says")                    \
  X(ATTN_ERR_RESULT, "the pointer that receives the result is null")                               \
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
  ATTN_I8       /* int8_t, times a scale for each row: params.k_scale, v_scale */
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

/* Exact scaled-dot-product attention. For batch entry b, query head h, query i with position
 * p = i + offset, and key/value head g = h / (heads_q / heads_kv):
 *
 *   s[j] = scale * sum over d of q[b][h][i][d] * k[b][g][j][d]
 *   o[b][h][i] = sum over allowed j of softmax(s)[j] * v[b][g][j]
 *   lse[b][h][i] = log(sum over allowed j of exp(s[j]))
 *
 * Key j is allowed if j < len_kv and, when causal, j <= p. A row with no allowed key gives o = 0
 * and lse = -infinity. What lies at keys that are not allowed never influences a result, NaN
 * included. (Vaswani et al., "Attention Is All You Need", 2017; tiled with an online softmax as in
 * Dao et al., "FlashAttention", 2022.) Zero every field that is not used: {0} in C, {} in C++. */
typedef struct attn_params {
  attn_tensor q;   /* [batch, heads_q, len_q, head_size], read */
  attn_tensor k;   /* [batch, heads_kv, len_kv, head_size], read */
  attn_tensor v;   /* [batch, heads_kv, len_kv, head_size_v], read */
  attn_tensor o;   /* [batch, heads_q, len_q, head_size_v], written; must not overlap an input */
  attn_tensor lse; /* [batch, heads_q, len_q], F32, written; data null: not wanted; no stride_d */
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

  float scale;      /* 0: 1/sqrt(head_size); may be negative */
  bool causal;      /* query i attends to keys j <= i + offset */
  attn_align align; /* how offset is derived; 0: bottom-right */
  int64_t offset;   /* for ATTN_ALIGN_OFFSET, else 0; may be negative: those rows are empty */

  attn_isa isa;        /* 0: attn_set_isa(), else the variable ATTN_ISA, else the CPU's best */
  attn_family family;  /* 0: chosen by the planner */
  int64_t capacity_q;  /* the largest len_q that updates of a plan may bring; 0: it stays */
  int64_t capacity_kv; /* the largest len_kv that updates of a plan may bring; 0: it stays */
  int32_t threads;     /* that will run the tasks, of which each gets several; 0: OpenMP's default
                          with ATTN_USE_OPENMP, which starts them, else 1 */

  /* false: if q, k and v are all ATTN_BF16, a prefill multiplies bf16 where the CPU has
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
  int64_t offset;                      /* position of query 0 among the keys */
  const struct attni_kernels *kernels; /* of the instruction set and family that run */
  const struct attni_product *qk;      /* scores of a tile */
  const struct attni_product *pv;      /* weighted sum of a tile's values */
  int64_t tiles_q;                     /* query tiles per batch entry and K/V head */
  int64_t block;                       /* query tiles per task; they share the key tiles */
  int64_t blocks;                      /* tasks per batch entry, K/V head and chunk */
  int64_t chunk_keys;                  /* keys per chunk, a multiple of tile_k if there are two */
  int64_t chunks;                      /* chunks of the keys */
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

/* Compute attention. Without ATTN_USE_OPENMP on the calling thread alone. workspace is memory of at
 * least attn_workspace_size() bytes, of any alignment and content; or null with size 0, and
 * ATTN_MALLOC is called once. */
ATTN_API attn_status attn_forward(const attn_params *params, void *workspace,
                                  size_t workspace_size);

/* The bytes that attn_forward needs as workspace for these params. Does not depend on data
 * pointers, which may be null here. A prefill's workspace does not grow with its lengths, beyond
 * 192 rows (len_q * heads_q / heads_kv). */
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

/* Point a plan at other data: pointers, strides, len_q, len_kv, causal alignment and offset may
 * differ from the params it was made of, the rest may not (threads is not looked at: it stays).
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

/* Write rows to a cache: cache[b][h][position + i] = rows[b][h][i] for i < len, features 0 to
 * size - 1, converted to the cache's type: rounded to nearest, ties to even; beyond its range
 * infinity; NaN stays NaN. rows may be F32, F16 or BF16; extents are [batch, heads, len, size].
 *
 * An ATTN_I8 cache is quantised symmetrically, row by row: cache_scale[b][h][position + i] becomes
 * s = max |x| / 127, and an element the integer nearest x / s, so that |x - s * element| is at most
 * 0.5001 s. A row with an infinity or NaN gets s = NaN, a row of zeros s = 0. cache_scale, F32, is
 * null for other types.
 *
 * The cache must not overlap rows. One call for k, one for v. */
ATTN_API attn_status attn_kv_append(const attn_tensor *rows, const attn_tensor *cache,
                                    const attn_tensor *cache_scale, int64_t batch, int64_t heads,
                                    int64_t len, int64_t size, int64_t position);

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
