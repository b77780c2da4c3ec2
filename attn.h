/* attn.h - exact attention for CPUs: FlashAttention in one C header. MIT licence; see LICENSE.
 *
 * Version 0.1.0. Emitted by gen/generate.py; do not edit.
 *
 * USE
 *   Copy this file. In exactly one C or C++ source file write
 *     #define ATTN_IMPLEMENTATION
 *     #include "attn.h"
 *   and elsewhere just #include "attn.h". C99 or C++11; no compiler flag; link with -lm.
 *
 *     attn_params p = attn_params_init();      // every field zero
 *     p.q = attn_bshd(q, ATTN_F32, len, heads, head_size);      // q[batch][len][heads][head_size]
 *     p.k = attn_bshd(k, ATTN_F32, len, heads, head_size);
 *     p.v = attn_bshd(v, ATTN_F32, len, heads, head_size);
 *     p.o = attn_bshd(o, ATTN_F32, len, heads, head_size);
 *     p.batch = 1; p.heads_q = heads; p.len_q = len; p.len_kv = len; p.head_size = head_size;
 *     p.causal = true;
 *     attn_status status = attn_forward(&p, NULL, 0);           // ATTN_OK, or what is wrong
 *     if (status != ATTN_OK) puts(attn_status_string(status));
 *
 *   One call serves prefill, decode, self- and cross-attention; struct attn_params below says what
 *   each field means and which formula is computed. Kernels for the head sizes that were generated,
 *   and one for any other from 1 to 1024, are chosen at run time by what the CPU can do.
 *
 * WHAT IS PROMISED
 *   - Exact softmax attention; the error bound is in docs/numerics.md.
 *   - A query that may attend to nothing gives o = 0 and lse = -infinity, never NaN.
 *   - What lies at masked keys, behind len_kv, or in the gaps of strides is never used and changes
 * no bit; outputs are written inside the described elements only.
 *   - Within one kernel family of one instruction set a row has the same bits whatever the number
 * of threads, the batch, the other rows, the layout and the alignment.
 *   - Nothing is printed, nothing aborts, no global state but the choice of the instruction set.
 * Memory comes from the caller's workspace, or from one ATTN_MALLOC per call. Bad arguments return
 * a status that names the argument, and then nothing has been written.
 *
 * OPTIONS: macros to define before the include
 *   ATTN_IMPLEMENTATION   emit the functions here
 *   ATTN_STATIC           the same, as static functions of this source file
 *   ATTN_API              what precedes each declaration and definition (default: extern)
 *   ATTN_NO_AVX512, ATTN_NO_AVX2, ATTN_NO_NEON   leave that instruction set out
 *   ATTN_NO_ENV           ignore the environment variable ATTN_ISA
 *   ATTN_MALLOC(size), ATTN_FREE(pointer)        instead of malloc and free; both or neither
 *   ATTN_USE_SLEEF        take the vector exponential from SLEEF; link with -lsleef
 *   ATTN_USE_OPENMP       attn_forward runs its tasks on OpenMP's threads
 *
 * ENVIRONMENT
 *   ATTN_ISA=scalar|avx2|avx512|neon chooses the instruction set of calls that do not choose one
 *   themselves. A name that is misspelt, or that this CPU lacks, is an error of each such call. */

#ifndef ATTN_H
#define ATTN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(ATTN_STATIC) && !defined(ATTN_IMPLEMENTATION)
#define ATTN_IMPLEMENTATION
#endif

#if defined(__GNUC__) || defined(__clang__)
#define ATTNI_UNUSED __attribute__((unused))
#define ATTNI_INLINE inline __attribute__((unused))
#define ATTNI_FORCE_INLINE inline __attribute__((always_inline, unused))
#elif defined(_MSC_VER)
#define ATTNI_UNUSED
#define ATTNI_INLINE __inline
#define ATTNI_FORCE_INLINE __forceinline
#else
#define ATTNI_UNUSED
#define ATTNI_INLINE inline
#define ATTNI_FORCE_INLINE inline
#endif

#ifndef ATTN_API
#ifdef ATTN_STATIC
#define ATTN_API static ATTNI_UNUSED
#else
#define ATTN_API extern
#endif
#endif

#define ATTNI_VERSIONED(name) ATTNI_PASTE(name, ATTN_INTERFACE)
#define ATTNI_PASTE(name, version) ATTNI_PASTE2(name, version)
#define ATTNI_PASTE2(name, version) name##_v##version

/* a * b for extents; INT64_MAX if it overflows or if either is negative. */
static ATTNI_INLINE int64_t attni_mul_sat(int64_t a, int64_t b) {
  if (a < 0 || b < 0 || (b != 0 && a > INT64_MAX / b)) return INT64_MAX;
  return a * b;
}

/* Instruction sets. The numbers are stable. */
typedef enum attn_isa {
  ATTN_ISA_AUTO = 0, /* no choice: the default applies */
  ATTN_ISA_SCALAR = 1,
  ATTN_ISA_AVX2 = 2,
  ATTN_ISA_AVX512 = 3,
  ATTN_ISA_NEON = 4
} attn_isa;

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

/* Element types. */
typedef enum attn_type {
  ATTN_F32 = 0 /* IEEE 754 binary32 */
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

#endif /* ATTN_H */

#if defined(ATTN_IMPLEMENTATION) && !defined(ATTNI_IMPLEMENTED)
#define ATTNI_IMPLEMENTED

/* ------------------------------------------------------------- platform -- */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef ATTN_USE_OPENMP
#ifndef _OPENMP
#error "ATTN_USE_OPENMP needs a compiler flag that turns OpenMP on, such as -fopenmp"
#endif
#include <omp.h>
#endif

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
#define ATTNI_X86 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define ATTNI_ARM64 1
#endif

/* The intrinsics come in here, outside any target region. */
#ifdef ATTNI_X86
#include <immintrin.h>
#ifndef _MSC_VER
#include <cpuid.h>
#endif
#endif
#ifdef _MSC_VER
#include <intrin.h>
#endif
#ifdef ATTNI_ARM64
#include <arm_neon.h>
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define ATTNI_TARGET(features)
#else
#define ATTNI_TARGET(features) __attribute__((target(features)))
#endif

/* Clang, and GCC for AArch64, left to themselves, load operands ahead of their turn, for which the
 * register budget has no room. No memory access crosses a fence; Clang moves arithmetic past it,
 * but not past the line that settles its result x, a vector register of the class in `constraint`.
 * Both emit nothing. */
#if defined(__GNUC__) || defined(__clang__)
#define ATTNI_FENCE() __asm__ volatile("" ::: "memory")
#else
#define ATTNI_FENCE() (void)0
#endif
/* Older Clang takes no such operand in a function that has its instruction set by attribute. */
#if defined(__clang__) && __clang_major__ >= 12
#define ATTNI_SETTLES 1
#define ATTNI_SETTLE(constraint, x) __asm__ volatile("" : "+" constraint(x) : : "memory")
#else
#define ATTNI_SETTLES 0
#define ATTNI_SETTLE(constraint, x) ATTNI_FENCE()
#endif
#ifdef __clang__
#define ATTNI_CLANG_SETTLE(constraint, x) ATTNI_SETTLE(constraint, x)
#define ATTNI_CLANG_FENCE() ATTNI_FENCE()
#else
#define ATTNI_CLANG_SETTLE(constraint, x) (void)0
#define ATTNI_CLANG_FENCE() (void)0
#endif

/* Unroll the loop that follows, for fewer instructions per multiply-add. Clang that does not settle
 * would spill. */
#define ATTNI_PRAGMA(text) _Pragma(#text)
#if ATTNI_SETTLES
#define ATTNI_UNROLL(n) ATTNI_PRAGMA(clang loop unroll_count(n))
#elif defined(__GNUC__) && __GNUC__ >= 8 && !defined(__clang__)
#define ATTNI_UNROLL(n) ATTNI_PRAGMA(GCC unroll n)
#else
#define ATTNI_UNROLL(n)
#endif

/* Ask for the cache line of an address, which need not be valid. */
#if defined(__GNUC__) || defined(__clang__)
#define ATTNI_PREFETCH(address) __builtin_prefetch((const void *)(address))
#elif defined(ATTNI_X86)
#define ATTNI_PREFETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
#else
#define ATTNI_PREFETCH(address) (void)(address)
#endif

#ifndef ATTN_MALLOC
#define ATTN_MALLOC(size) malloc(size)
#define ATTN_FREE(pointer) free(pointer)
#endif

/* Scratch arrays start at multiples of this, so that no vector load crosses a cache line. */
#define ATTNI_ALIGNMENT 64

static void *attni_align_up(void *pointer) {
  const uintptr_t mask = ATTNI_ALIGNMENT - 1;
  return (void *)(((uintptr_t)pointer + mask) & ~mask);
}

static size_t attni_round_up(size_t n, size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

static ATTNI_FORCE_INLINE int32_t attni_min_i32(int32_t a, int32_t b) {
  return a < b ? a : b;
}
static int64_t attni_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t attni_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static int64_t attni_ceil_div(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

/* A process-wide int that any thread may read and write. */
#if defined(__GNUC__) || defined(__clang__)
typedef int attni_shared_int;
static int attni_load(const attni_shared_int *p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static void attni_store(attni_shared_int *p, int x) {
  __atomic_store_n(p, x, __ATOMIC_RELEASE);
}
#elif defined(_MSC_VER)
typedef volatile long attni_shared_int;
static int attni_load(attni_shared_int *p) {
  return (int)_InterlockedOr(p, 0);
}
static void attni_store(attni_shared_int *p, int x) {
  (void)_InterlockedExchange(p, x);
}
#else
typedef volatile int attni_shared_int;
static int attni_load(const attni_shared_int *p) {
  return *p;
}
static void attni_store(attni_shared_int *p, int x) {
  *p = x;
}
#endif

/* ---------------------------------------------- instruction sets, generated -- */

#if defined(ATTNI_X86) && !defined(ATTN_NO_AVX2)
#define ATTNI_HAVE_AVX2 1
#endif
#define ATTNI_TARGET_AVX2 ATTNI_TARGET("avx2,fma")
#if defined(ATTNI_X86) && !defined(ATTN_NO_AVX512)
#define ATTNI_HAVE_AVX512 1
#endif
#define ATTNI_TARGET_AVX512 ATTNI_TARGET("avx512f")
#if defined(ATTNI_ARM64) && !defined(ATTN_NO_NEON)
#define ATTNI_HAVE_NEON 1
#endif

static const struct {
  attn_isa isa;
  const char *name;
} attni_isa_names[] = {
  {ATTN_ISA_SCALAR, "scalar"},
  {ATTN_ISA_AVX2, "avx2"},
  {ATTN_ISA_AVX512, "avx512"},
  {ATTN_ISA_NEON, "neon"}
};

/* The most rows of a query tile, and the most groups of rows, in any family. */
#define ATTNI_MAX_TILE_Q 48
#define ATTNI_MAX_GROUPS 16

/* The most query tiles that share a key tile. */
#define ATTNI_MAX_BLOCK 16

/* 2^r = 1 + r * (C1 + r * (C2 + ...)) on [-1/2, 1/2]; see docs/numerics.md. */
#define ATTNI_EXP2_C0 1.0f
#define ATTNI_EXP2_C1 0.693146825f
#define ATTNI_EXP2_C2 0.240222275f
#define ATTNI_EXP2_C3 0.055508893f
#define ATTNI_EXP2_C4 0.009672096f
#define ATTNI_EXP2_C5 0.0013225833f

/* ------------------------------------------------------------------ CPU -- */

/* What kernels may require. A bit is set only if the CPU has the instructions and the operating
 * system saves their registers. */
#define ATTNI_CPU_SSE41 (1u << 0)
#define ATTNI_CPU_AVX (1u << 1)
#define ATTNI_CPU_AVX2 (1u << 2)
#define ATTNI_CPU_FMA (1u << 3)
#define ATTNI_CPU_F16C (1u << 4)
#define ATTNI_CPU_AVX512F (1u << 5)
#define ATTNI_CPU_AVX512BW (1u << 6)
#define ATTNI_CPU_AVX512DQ (1u << 7)
#define ATTNI_CPU_AVX512VL (1u << 8)
#define ATTNI_CPU_AVX512VNNI (1u << 9)
#define ATTNI_CPU_AVX512BF16 (1u << 10)
#define ATTNI_CPU_NEON (1u << 11)

/* The words of CPUID and XGETBV that the detector looks at; 0 where a leaf does not exist. */
typedef struct attni_cpu_words {
  uint32_t leaf1_ecx;
  uint32_t leaf7_ebx;
  uint32_t leaf7_ecx;
  uint32_t leaf7_1_eax;
  uint32_t xcr0;
} attni_cpu_words;

#ifdef ATTNI_X86

static void attni_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]) {
#ifdef _MSC_VER
  int registers[4];
  __cpuidex(registers, (int)leaf, (int)subleaf);
  memcpy(words, registers, sizeof registers);
#else
  __cpuid_count(leaf, subleaf, words[0], words[1], words[2], words[3]);
#endif
}

static uint32_t attni_xgetbv0(void) {
#ifdef _MSC_VER
  return (uint32_t)_xgetbv(0);
#else
  uint32_t eax, edx;
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" /* xgetbv */ : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
#endif
}

static attni_cpu_words attni_cpu_read(void) {
  const uint32_t osxsave = 1u << 27;
  attni_cpu_words cpu = {0, 0, 0, 0, 0};
  uint32_t words[4];
  uint32_t max_leaf;
  attni_cpuid(0, 0, words);
  max_leaf = words[0];
  if (max_leaf >= 1) {
    attni_cpuid(1, 0, words);
    cpu.leaf1_ecx = words[2];
    if (cpu.leaf1_ecx & osxsave) cpu.xcr0 = attni_xgetbv0();
  }
  if (max_leaf >= 7) {
    attni_cpuid(7, 0, words);
    cpu.leaf7_ebx = words[1];
    cpu.leaf7_ecx = words[2];
    if (words[0] >= 1) {
      attni_cpuid(7, 1, words);
      cpu.leaf7_1_eax = words[0];
    }
  }
  return cpu;
}

#endif /* ATTNI_X86 */

static uint32_t attni_bit(uint32_t word, int bit, uint32_t flag) {
  return (word >> bit) & 1u ? flag : 0;
}

/* Bits of Intel SDM volume 2A, CPUID. XCR0: 1 SSE, 2 AVX; 5 opmask, 6 and 7 the ZMM halves. */
static ATTNI_UNUSED uint32_t attni_cpu_decode(attni_cpu_words cpu) {
  const bool os_avx = (cpu.xcr0 & 0x06u) == 0x06u;
  const bool os_avx512 = (cpu.xcr0 & 0xe6u) == 0xe6u;
  uint32_t flags = attni_bit(cpu.leaf1_ecx, 19, ATTNI_CPU_SSE41);
  if (os_avx && attni_bit(cpu.leaf1_ecx, 28, 1)) {
    flags |= ATTNI_CPU_AVX;
    flags |= attni_bit(cpu.leaf7_ebx, 5, ATTNI_CPU_AVX2);
    flags |= attni_bit(cpu.leaf1_ecx, 12, ATTNI_CPU_FMA);
    flags |= attni_bit(cpu.leaf1_ecx, 29, ATTNI_CPU_F16C);
  }
  if (os_avx512 && (flags & ATTNI_CPU_AVX2) && attni_bit(cpu.leaf7_ebx, 16, 1)) {
    flags |= ATTNI_CPU_AVX512F;
    flags |= attni_bit(cpu.leaf7_ebx, 30, ATTNI_CPU_AVX512BW);
    flags |= attni_bit(cpu.leaf7_ebx, 17, ATTNI_CPU_AVX512DQ);
    flags |= attni_bit(cpu.leaf7_ebx, 31, ATTNI_CPU_AVX512VL);
    flags |= attni_bit(cpu.leaf7_ecx, 11, ATTNI_CPU_AVX512VNNI);
    flags |= attni_bit(cpu.leaf7_1_eax, 5, ATTNI_CPU_AVX512BF16);
  }
  return flags;
}

/* A test may replace this function to play another CPU. */
#ifndef ATTNI_CPU_FLAGS
#if defined(ATTNI_X86)
#define ATTNI_CPU_FLAGS() attni_cpu_decode(attni_cpu_read())
#elif defined(ATTNI_ARM64)
#define ATTNI_CPU_FLAGS() ATTNI_CPU_NEON /* part of the architecture */
#else
#define ATTNI_CPU_FLAGS() 0u
#endif
#endif

/* Read once. Two threads that come first together compute the same value. */
static attni_shared_int attni_cpu_cache = -1;
static uint32_t attni_cpu_flags(void) {
  int flags = attni_load(&attni_cpu_cache);
  if (flags < 0) {
    flags = (int)(ATTNI_CPU_FLAGS());
    attni_store(&attni_cpu_cache, flags);
  }
  return (uint32_t)flags;
}

/* ----------------------------------------------------------------- math -- */

#define ATTNI_LOG2E 1.4426950408889634074
#define ATTNI_LN2 0.69314718055994530942

/* Forced inline, with all that follow: under -ffast-math Clang takes for granted that no argument
 * and no result of a function is infinite or NaN. */
static ATTNI_FORCE_INLINE float attni_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static ATTNI_FORCE_INLINE uint32_t attni_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* By their bits, so that -ffast-math cannot assume them away. */
#define ATTNI_INFINITY_BITS 0x7f800000u
#define ATTNI_NAN_BITS 0x7fc00000u
#define ATTNI_NEG_INFINITY_BITS 0xff800000u
#define ATTNI_NEG_ZERO_BITS 0x80000000u

/* Whether the compiler may assume that no float is infinite or NaN. (Clang's -fno-honor-nans alone
 * does not say so, and is not supported.) */
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#define ATTNI_FINITE_MATH 1
#else
#define ATTNI_FINITE_MATH 0
#endif

/* Floats below -126, minus infinity included, are those whose bits, less the first of them, are
 * no more than this as an unsigned number. NaN is not among them, of either sign. */
#define ATTNI_TINY_FIRST 0xc2fc0001u
#define ATTNI_TINY_RANGE (ATTNI_NEG_INFINITY_BITS - ATTNI_TINY_FIRST)

static ATTNI_FORCE_INLINE bool attni_is_finite(float x) {
  return (attni_bits(x) & 0x7fffffffu) < ATTNI_INFINITY_BITS;
}

/* 2^x for x <= 0; 0 below -126. The scalar form of the vector kernels' exponential. */
static ATTNI_FORCE_INLINE float attni_exp2(float x) {
  const uint32_t bits = attni_bits(x);
  int32_t n;
  float r, y;
  if (bits >> 31 == 0 && bits >= 0x43000000u) return x; /* 128 and up, or NaN */
  if (bits > ATTNI_NEG_INFINITY_BITS) return x;         /* NaN */
  if (bits >= ATTNI_TINY_FIRST) return 0.0f;
  n = (int32_t)(bits >> 31 ? x - 0.5f : x + 0.5f);
  r = x - (float)n;
  y = ATTNI_EXP2_C5;
  y = y * r + ATTNI_EXP2_C4;
  y = y * r + ATTNI_EXP2_C3;
  y = y * r + ATTNI_EXP2_C2;
  y = y * r + ATTNI_EXP2_C1;
  y = (float)((double)y * (double)r + (double)ATTNI_EXP2_C0); /* as one rounding: within 2 ULP */
  return attni_float(attni_bits(y) + ((uint32_t)n << 23));
}

/* ------------------------------------------------- the contract of kernels -- */

/* A query tile holds up to tile_q rows. With grouped heads the rows of one K/V head are packed
 * query by query, row = query * group + head, so that the heads of a group share every K and V they
 * read. Rows fall into groups of `lanes` (the vector lanes of the prefill family; 1 in the decode
 * family). A tile with fewer rows fills its last groups: it starts at row0, the lanes behind its
 * last row repeat that row, and the groups before row0 are left alone.
 *
 * Arrays of a tile, f32 in scratch, 64-byte aligned:
 *              prefill                      decode
 *   qt         [head_size][tile_q]          [tile_q][head_size, up]
 *   st         [tile_k + pad][tile_q]       [tile_q][tile_k + pad]
 *   ot         [head_size_v, up][tile_q]    [tile_q][head_size_v, up]
 *   row_max, m, l, factor, limit, row_limit [tile_q]
 * up: rounded up to a multiple of pad.
 *
 * Every score is one chain of FMAs over the features, every key tile's part of an output one chain
 * over its keys, in ascending order in every kernel of a family: so a row's bits do not depend on
 * its neighbours. */

/* A key tile, as it lies in the cache or as it was packed. */
typedef struct attni_keys {
  const void *k, *v;
  int64_t k_stride, v_stride; /* elements from one key to the next */
  int32_t keys;               /* 1 to tile_k */
} attni_keys;

/* Rows that will be read or written soon. The addresses are only asked for, never read: they may be
 * anything. */
typedef struct attni_ahead {
  uintptr_t at, stride; /* in bytes */
  int64_t rows;
  size_t bytes; /* of a row */
} attni_ahead;

typedef struct attni_tile {
  int64_t row;  /* among the len_q * group rows of its K/V head, the tile's first */
  int32_t rows; /* rows in the tile */
  int32_t row0; /* where the first one stands, a multiple of lanes */
  int32_t head_size, head_size_v;

  float *qt;      /* queries, times scale and log2(e) */
  float *st;      /* scores in units of log2, then weights */
  float *ot;      /* output, not yet divided by l */
  float *row_max; /* largest allowed score so far, this key tile included */
  float *m;      /* the same before this key tile; starts at -FLT_MAX, so that m - m is never NaN */
  float *l;      /* sum of the weights so far, relative to m */
  float *factor; /* exp2(m - row_max): what this key tile makes of older weights */
  bool first;    /* no key tile yet: ot is not set, and counts as 0 */

  attni_keys kv;
  attni_ahead *ahead; /* rows to bring into the cache meanwhile; used up on the way */
  int64_t aheads, ahead_rows;
  int64_t *row_limit; /* per row: keys 0 .. row_limit-1 of the whole cache are allowed */
  int32_t *limit;     /* per row: keys 0 .. limit-1 of this key tile are allowed, 0 to kv.keys */
  int32_t key_full[ATTNI_MAX_GROUPS]; /* per group: keys allowed to every row */
  int32_t key_end[ATTNI_MAX_GROUPS];  /* per group: keys allowed to any row; never descending */
} attni_tile;

/* Ask for up to `rows` of the tile's rows ahead, of which `ahead` holds the next ones; where the
 * others are is returned. */
static ATTNI_FORCE_INLINE attni_ahead *attni_look_ahead(const attni_tile *t, attni_ahead *ahead,
                                                        int64_t rows) {
  size_t byte;
  for (; rows > 0 && ahead < t->ahead + t->aheads; --rows) {
    for (byte = 0; byte < ahead->bytes; byte += 64) ATTNI_PREFETCH(ahead->at + byte);
    ahead->at += ahead->stride;
    if (--ahead->rows == 0) ++ahead;
  }
  return ahead;
}

/* Kernels of one instruction set and family that do not depend on the head size. */
typedef struct attni_kernels {
  attn_isa isa;
  attn_family family;
  uint32_t cpu;       /* ATTNI_CPU_ bits that all of them need */
  int32_t lanes;      /* rows per group */
  int32_t tile_q;     /* most rows of a query tile */
  int32_t tile_k;     /* keys per key tile, a multiple of 4 */
  int32_t block;      /* most query tiles that share a key tile; 1: no packing, no looking ahead */
  int32_t pad;        /* a multiple of the vector and of PV's step, no less than any step */
  int32_t few_rows;   /* decode: the planner takes it up to so many rows */
  int64_t chunk_keys; /* least keys per chunk of a split; 0: the family does not split */

  /* qt = rows[] * scale, for lanes row0 to tile_q - 1; each points to head_size f32. */
  void (*pack_q)(const attni_tile *t, const float *const *rows, float scale);
  /* Null where groups have one row: then key_full and key_end are the same.
   * Set st to the float of these bits where a key is not allowed, in [0, key_end) of each group. */
  void (*mask)(const attni_tile *t, uint32_t fill);
  /* row_max = max(m, st over [0, key_end)). */
  void (*find_max)(const attni_tile *t);
  /* st = exp2(st - row_max); factor = exp2(m - row_max); l = l * factor + sum of st. */
  void (*softmax)(const attni_tile *t);
  /* Null with mask. ot = ot * factor + st v, but keys whose weight is -0 are left out, whatever v
   * holds. */
  void (*pv_masked)(const attni_tile *t);
  /* Whether all values of keys begin .. end-1 are finite. */
  bool (*finite)(const attni_keys *kv, int32_t begin, int32_t end, int32_t head_size_v);
  /* rows[] = ot * inverse + 0 for count rows from row0 on; each points to head_size_v f32. */
  void (*store_o)(const attni_tile *t, float *const *rows, int32_t count, const float *inverse);
} attni_kernels;

/* The two products of a tile. They do not depend on each other, so the head sizes of K and V are
 * free. */
typedef enum attni_product_kind {
  ATTNI_QK, /* st = scores over [0, key_end) of each group, and row_max as find_max */
  ATTNI_PV  /* ot = ot * factor + st v, summed from 0 over [0, key_end) of each group */
} attni_product_kind;

typedef struct attni_product {
  const char *name;
  attni_product_kind kind;
  attn_isa isa;
  attn_family family;
  uint32_t cpu;      /* ATTNI_CPU_ bits it needs */
  attn_type type;    /* of K or V */
  int32_t head_size; /* the only one it serves; 0: any */
  void (*run)(const attni_tile *t);
} attni_product;

/* scalar: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */

static ATTNI_FORCE_INLINE int32_t attni_max_magnitude(int32_t a, float b) {
  const int32_t magnitude = (int32_t)(attni_bits(b) & 0x7fffffffu);
  return a > magnitude ? a : magnitude;
}

/* qt[d][row] = rows[row][d] * scale, 1 rows by 1 features at a time. */
static void attni_scalar_prefill_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const float scale_v = (scale);
  int32_t row, d;
  for (row = t->row0; row < 4; row += 1) {
    const float *const *const r = rows + row;
    float *qt = t->qt + row;
    for (d = 0; d + 1 <= t->head_size; d += 1, qt += 4) {
      const float x0 = (*(r[0] + d)) * (scale_v);
      *(qt + 0) = x0;
    }
    for (; d < t->head_size; ++d, qt += 4) {
      int32_t i;
      for (i = 0; i < 1; ++i) qt[i] = r[i][d] * scale;
    }
  }
}

static bool attni_scalar_prefill_finite(const attni_keys *kv, int32_t begin, int32_t end, int32_t head_size_v) {
  const float *x = (const float *)kv->v + begin * kv->v_stride;
  int32_t largest[1];
  int32_t max = 0;
  int32_t key, i;
  for (key = begin; key < end; ++key, x += kv->v_stride) {
    for (i = 0; i + 1 <= head_size_v; i += 1) {
      const float x_i = *(x + i);
      max = attni_max_magnitude(max, x_i);
    }
    for (; i < head_size_v; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  *(largest) = max;
  for (i = 0; i < 1; ++i) {
    if (largest[i] >= (int32_t)ATTNI_INFINITY_BITS) return false;
  }
  return true;
}

static void attni_scalar_prefill_mask(const attni_tile *t, uint32_t fill) {
  const float fill_v = attni_float(fill);
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    for (key = t->key_full[row / 1]; key < t->key_end[row / 1]; ++key) {
      float *const st = t->st + (size_t)key * 4 + row;
      const float s = *(st);
      *(st) = (*(t->limit + row) > (key) ? (s) : (fill_v));
    }
  }
}

static void attni_scalar_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const float *st = t->st + row;
    float max = *(t->m + row);
    for (key = 0; key < t->key_end[row / 1]; ++key, st += 4) {
      const float s = *(st);
      max = ((max) > (s) ? (max) : (s));
    }
    *(t->row_max + row) = max;
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
static void attni_scalar_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 4; row += 1) {
    const int32_t end = t->key_end[row / 1];
    const float max = *(t->row_max + row);
    const float old = (*(t->m + row)) - (max);
    const float factor = attni_exp2(old);
    float *st = t->st + row;
    float sum0 = 0.0f;
    float sum1 = 0.0f;
    float sum2 = 0.0f;
    float sum3 = 0.0f;
    for (key = end; key % 4 != 0; ++key) {
      *(st + (size_t)key * 4) = attni_float(ATTNI_NEG_INFINITY_BITS);
    }
    for (key = 0; key < end; key += 4, st += 16) {
      {
        const float x = (*(st + 0)) - (max);
        const float w = attni_exp2(x);
        *(st + 0) = w;
        sum0 = (sum0) + (w);
      }
      {
        const float x = (*(st + 4)) - (max);
        const float w = attni_exp2(x);
        *(st + 4) = w;
        sum1 = (sum1) + (w);
      }
      {
        const float x = (*(st + 8)) - (max);
        const float w = attni_exp2(x);
        *(st + 8) = w;
        sum2 = (sum2) + (w);
      }
      {
        const float x = (*(st + 12)) - (max);
        const float w = attni_exp2(x);
        *(st + 12) = w;
        sum3 = (sum3) + (w);
      }
    }
    sum0 = ((sum0) + (sum1)) + ((sum2) + (sum3));
    *(t->l + row) = (*(t->l + row)) * (factor) + (sum0);
    *(t->factor + row) = factor;
  }
}

/* The careful product: slow, and rarely needed. It too sets the rows before row0, which PV loads. */
static void attni_scalar_prefill_pv_masked(const attni_tile *t) {
  int32_t row, f, key;
  for (row = 0; row < 4; row += 1) {
    const float factor = *(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 4 + row;
      const float *vk = (const float *)t->kv.v + f;
      float acc = 0.0f;
      for (key = 0; key < t->key_end[row / 1]; ++key, vk += t->kv.v_stride) {
        const float p = *(t->st + (size_t)key * 4 + row);
        const float b = *(vk);
        const float next = (b) * (p) + (acc);
        acc = (attni_bits(p) == ATTNI_NEG_ZERO_BITS ? (acc) : (next));
      }
      if (!t->first) acc = (*(ot)) * (factor) + (acc);
      *(ot) = acc;
    }
  }
}

/* Adding 0 makes -0 into +0: the sign of a zero could tell how many masked keys were passed. */
static void attni_scalar_prefill_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const float zero = 0.0f;
  int32_t row, f, i;
  for (row = t->row0; row < 4; row += 1) {
    const float scale = *(inverse + row);
    float *const *const r = rows + (row - t->row0);
    const int32_t n = count - (row - t->row0);
    const float *ot = t->ot + row;
    for (f = 0; f + 1 <= t->head_size_v; f += 1, ot += 4) {
      const float x0 = (*(ot + 0)) * (scale) + (zero);
      if (n > 0) *(r[0] + f) = x0;
    }
    for (; f < t->head_size_v; ++f, ot += 4) {
      float x[1];
      *(x) = (*(ot)) * (scale) + (zero);
      for (i = 0; i < 1 && i < n; ++i) r[i][f] = x[i];
    }
  }
}

/* A row of qt or ot takes whole multiples of 8 floats. */
static size_t attni_scalar_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 7) / 8 * 8;
}

/* qt[row][d] = rows[row][d] * scale, and 0 behind the last feature. */
static void attni_scalar_decode_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const size_t floats = attni_scalar_decode_row_floats(t->head_size);
  const size_t size = (size_t)t->head_size;
  int32_t row;
  size_t d;
  for (row = t->row0; row < 16; ++row) {
    float *const qt = t->qt + (size_t)row * floats;
    for (d = 0; d < size; ++d) qt[d] = rows[row][d] * scale;
    for (; d < floats; ++d) qt[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_scalar_decode_max_lanes(const float *x) {
  return x[0];
}

/* The sum of the lanes, as a tree. */
static float attni_scalar_decode_sum_lanes(const float *x) {
  return x[0];
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
static void attni_scalar_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 72;
    const int32_t end = t->key_end[row];
    float lanes[1];
    float max = (t->m[row]);
    for (key = end; key % 1 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = 0; key < end; key += 1) {
      const float s = *(st + key);
      max = ((max) > (s) ? (max) : (s));
    }
    *(lanes) = max;
    t->row_max[row] = attni_scalar_decode_max_lanes(lanes);
  }
}

static void attni_scalar_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 72;
    const float max = (t->row_max[row]);
    const float old = ((t->m[row])) - (max);
    const float factor = attni_exp2(old);
    float lanes[1];
    float sum = 0.0f;
    for (key = 0; key < t->key_end[row]; key += 1) {
      const float x = (*(st + key)) - (max);
      const float w = attni_exp2(x);
      *(st + key) = w;
      sum = (sum) + (w);
    }
    *(lanes) = factor;
    t->factor[row] = lanes[0];
    *(lanes) = sum;
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_scalar_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
static void attni_scalar_decode_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const size_t floats = attni_scalar_decode_row_floats(t->head_size_v);
  const float zero = 0.0f;
  int32_t i, f;
  for (i = 0; i < count; ++i) {
    const int32_t row = t->row0 + i;
    const float *const ot = t->ot + (size_t)row * floats;
    const float scale = (inverse[row]);
    for (f = 0; f + 1 <= t->head_size_v; f += 1) {
      *(rows[i] + f) = (*(ot + f)) * (scale) + (zero);
    }
  }
}

/* scalar, f32, head size any. Generated from gen/templates/products.h.j2. */

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 4 rows (4 vectors of 1)
 * by 64 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_scalar_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (2 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  const int32_t size = t->head_size;
  int32_t key = 0;
  /* 2 keys by 4 vectors: 8 accumulators, 4 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 2) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 4 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k0_q1 = 0.0f;
    float acc_k0_q2 = 0.0f;
    float acc_k0_q3 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k1_q1 = 0.0f;
    float acc_k1_q2 = 0.0f;
    float acc_k1_q3 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      const float q1 = *(q + 1);
      const float q2 = *(q + 2);
      const float q3 = *(q + 3);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      acc_k0_q1 = (b) * (q1) + (acc_k0_q1);
      acc_k0_q2 = (b) * (q2) + (acc_k0_q2);
      acc_k0_q3 = (b) * (q3) + (acc_k0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      acc_k1_q1 = (b) * (q1) + (acc_k1_q1);
      acc_k1_q2 = (b) * (q2) + (acc_k1_q2);
      acc_k1_q3 = (b) * (q3) + (acc_k1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 0);
    float max_q1 = *(t->row_max + 1);
    float max_q2 = *(t->row_max + 2);
    float max_q3 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 1) = acc_k0_q1;
    max_q1 = ((max_q1) > (acc_k0_q1) ? (max_q1) : (acc_k0_q1));
    *(st + 2) = acc_k0_q2;
    max_q2 = ((max_q2) > (acc_k0_q2) ? (max_q2) : (acc_k0_q2));
    *(st + 3) = acc_k0_q3;
    max_q3 = ((max_q3) > (acc_k0_q3) ? (max_q3) : (acc_k0_q3));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 5) = acc_k1_q1;
    max_q1 = ((max_q1) > (acc_k1_q1) ? (max_q1) : (acc_k1_q1));
    *(st + 6) = acc_k1_q2;
    max_q2 = ((max_q2) > (acc_k1_q2) ? (max_q2) : (acc_k1_q2));
    *(st + 7) = acc_k1_q3;
    max_q3 = ((max_q3) > (acc_k1_q3) ? (max_q3) : (acc_k1_q3));
    *(t->row_max + 0) = max_q0;
    *(t->row_max + 1) = max_q1;
    *(t->row_max + 2) = max_q2;
    *(t->row_max + 3) = max_q3;
  }
  /* 2 keys by 3 vectors: 6 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 2) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *q = t->qt + 1;
    float *const st = t->st + (size_t)key * 4 + 1;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k0_q1 = 0.0f;
    float acc_k0_q2 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k1_q1 = 0.0f;
    float acc_k1_q2 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      const float q1 = *(q + 1);
      const float q2 = *(q + 2);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      acc_k0_q1 = (b) * (q1) + (acc_k0_q1);
      acc_k0_q2 = (b) * (q2) + (acc_k0_q2);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      acc_k1_q1 = (b) * (q1) + (acc_k1_q1);
      acc_k1_q2 = (b) * (q2) + (acc_k1_q2);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 1);
    float max_q1 = *(t->row_max + 2);
    float max_q2 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 1) = acc_k0_q1;
    max_q1 = ((max_q1) > (acc_k0_q1) ? (max_q1) : (acc_k0_q1));
    *(st + 2) = acc_k0_q2;
    max_q2 = ((max_q2) > (acc_k0_q2) ? (max_q2) : (acc_k0_q2));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 5) = acc_k1_q1;
    max_q1 = ((max_q1) > (acc_k1_q1) ? (max_q1) : (acc_k1_q1));
    *(st + 6) = acc_k1_q2;
    max_q2 = ((max_q2) > (acc_k1_q2) ? (max_q2) : (acc_k1_q2));
    *(t->row_max + 1) = max_q0;
    *(t->row_max + 2) = max_q1;
    *(t->row_max + 3) = max_q2;
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 2;
    float *const st = t->st + (size_t)key * 4 + 2;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k0_q1 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k1_q1 = 0.0f;
    float acc_k2_q0 = 0.0f;
    float acc_k2_q1 = 0.0f;
    float acc_k3_q0 = 0.0f;
    float acc_k3_q1 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      const float q1 = *(q + 1);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      acc_k0_q1 = (b) * (q1) + (acc_k0_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      acc_k1_q1 = (b) * (q1) + (acc_k1_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k2 + d);
      acc_k2_q0 = (b) * (q0) + (acc_k2_q0);
      acc_k2_q1 = (b) * (q1) + (acc_k2_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(k3 + d);
      acc_k3_q0 = (b) * (q0) + (acc_k3_q0);
      acc_k3_q1 = (b) * (q1) + (acc_k3_q1);
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 2);
    float max_q1 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 1) = acc_k0_q1;
    max_q1 = ((max_q1) > (acc_k0_q1) ? (max_q1) : (acc_k0_q1));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 5) = acc_k1_q1;
    max_q1 = ((max_q1) > (acc_k1_q1) ? (max_q1) : (acc_k1_q1));
    *(st + 8) = acc_k2_q0;
    max_q0 = ((max_q0) > (acc_k2_q0) ? (max_q0) : (acc_k2_q0));
    *(st + 9) = acc_k2_q1;
    max_q1 = ((max_q1) > (acc_k2_q1) ? (max_q1) : (acc_k2_q1));
    *(st + 12) = acc_k3_q0;
    max_q0 = ((max_q0) > (acc_k3_q0) ? (max_q0) : (acc_k3_q0));
    *(st + 13) = acc_k3_q1;
    max_q1 = ((max_q1) > (acc_k3_q1) ? (max_q1) : (acc_k3_q1));
    *(t->row_max + 2) = max_q0;
    *(t->row_max + 3) = max_q1;
  }
  /* 4 keys by 1 vectors: 4 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[3]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 3;
    float *const st = t->st + (size_t)key * 4 + 3;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float acc_k0_q0 = 0.0f;
    float acc_k1_q0 = 0.0f;
    float acc_k2_q0 = 0.0f;
    float acc_k3_q0 = 0.0f;
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 4) {
      const float q0 = *(q + 0);
      float b;
      b = *(k0 + d);
      acc_k0_q0 = (b) * (q0) + (acc_k0_q0);
      ATTNI_FENCE();
      b = *(k1 + d);
      acc_k1_q0 = (b) * (q0) + (acc_k1_q0);
      ATTNI_FENCE();
      b = *(k2 + d);
      acc_k2_q0 = (b) * (q0) + (acc_k2_q0);
      ATTNI_FENCE();
      b = *(k3 + d);
      acc_k3_q0 = (b) * (q0) + (acc_k3_q0);
      ATTNI_FENCE();
    }
    float max_q0 = *(t->row_max + 3);
    *(st + 0) = acc_k0_q0;
    max_q0 = ((max_q0) > (acc_k0_q0) ? (max_q0) : (acc_k0_q0));
    *(st + 4) = acc_k1_q0;
    max_q0 = ((max_q0) > (acc_k1_q0) ? (max_q0) : (acc_k1_q0));
    *(st + 8) = acc_k2_q0;
    max_q0 = ((max_q0) > (acc_k2_q0) ? (max_q0) : (acc_k2_q0));
    *(st + 12) = acc_k3_q0;
    max_q0 = ((max_q0) > (acc_k3_q0) ? (max_q0) : (acc_k3_q0));
    *(t->row_max + 3) = max_q0;
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size t->head_size_v.
 * 2 features by 4 vectors: 8 accumulators, 4 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_scalar_prefill_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  int32_t f;
  for (f = 0; f < size - 1; f += 2) {
    float *const ot = t->ot + (size_t)f * 4;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    const int32_t end3 = t->key_end[3];
    int32_t key = 0;
    float acc_f0_q0 = 0.0f;
    float acc_f0_q1 = 0.0f;
    float acc_f0_q2 = 0.0f;
    float acc_f0_q3 = 0.0f;
    float acc_f1_q0 = 0.0f;
    float acc_f1_q1 = 0.0f;
    float acc_f1_q2 = 0.0f;
    float acc_f1_q3 = 0.0f;
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 4, vk += stride) {
      const float p0 = *(p + 0);
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q0 = (b) * (p0) + (acc_f0_q0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q0 = (b) * (p0) + (acc_f1_q0);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 4, vk += stride) {
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 4, vk += stride) {
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    ATTNI_UNROLL(4)
    for (; key < end3; ++key, p += 4, vk += stride) {
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      b = *(vk + 1);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float factor_q0 = *(t->factor + 0);
      const float factor_q1 = *(t->factor + 1);
      const float factor_q2 = *(t->factor + 2);
      const float factor_q3 = *(t->factor + 3);
      acc_f0_q0 = (*(ot + 0)) * (factor_q0) + (acc_f0_q0);
      acc_f0_q1 = (*(ot + 1)) * (factor_q1) + (acc_f0_q1);
      acc_f0_q2 = (*(ot + 2)) * (factor_q2) + (acc_f0_q2);
      acc_f0_q3 = (*(ot + 3)) * (factor_q3) + (acc_f0_q3);
      acc_f1_q0 = (*(ot + 4)) * (factor_q0) + (acc_f1_q0);
      acc_f1_q1 = (*(ot + 5)) * (factor_q1) + (acc_f1_q1);
      acc_f1_q2 = (*(ot + 6)) * (factor_q2) + (acc_f1_q2);
      acc_f1_q3 = (*(ot + 7)) * (factor_q3) + (acc_f1_q3);
    }
    *(ot + 0) = acc_f0_q0;
    *(ot + 1) = acc_f0_q1;
    *(ot + 2) = acc_f0_q2;
    *(ot + 3) = acc_f0_q3;
    *(ot + 4) = acc_f1_q0;
    *(ot + 5) = acc_f1_q1;
    *(ot + 6) = acc_f1_q2;
    *(ot + 7) = acc_f1_q3;
}
  if (f < size) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t last = size - 1 - f;
    const int32_t f1 = attni_min_i32(1, last);
    float *const ot = t->ot + (size_t)f * 4;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    const int32_t end3 = t->key_end[3];
    int32_t key = 0;
    float acc_f0_q0 = 0.0f;
    float acc_f0_q1 = 0.0f;
    float acc_f0_q2 = 0.0f;
    float acc_f0_q3 = 0.0f;
    float acc_f1_q0 = 0.0f;
    float acc_f1_q1 = 0.0f;
    float acc_f1_q2 = 0.0f;
    float acc_f1_q3 = 0.0f;
    for (; key < end0; ++key, p += 4, vk += stride) {
      const float p0 = *(p + 0);
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q0 = (b) * (p0) + (acc_f0_q0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q0 = (b) * (p0) + (acc_f1_q0);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    for (; key < end1; ++key, p += 4, vk += stride) {
      const float p1 = *(p + 1);
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q1 = (b) * (p1) + (acc_f0_q1);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q1 = (b) * (p1) + (acc_f1_q1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    for (; key < end2; ++key, p += 4, vk += stride) {
      const float p2 = *(p + 2);
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q2 = (b) * (p2) + (acc_f0_q2);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q2 = (b) * (p2) + (acc_f1_q2);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
      ATTNI_FENCE();
    }
    for (; key < end3; ++key, p += 4, vk += stride) {
      const float p3 = *(p + 3);
      float b;
      b = *(vk + 0);
      acc_f0_q3 = (b) * (p3) + (acc_f0_q3);
      ATTNI_FENCE();
      b = *(vk + f1);
      acc_f1_q3 = (b) * (p3) + (acc_f1_q3);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float factor_q0 = *(t->factor + 0);
      const float factor_q1 = *(t->factor + 1);
      const float factor_q2 = *(t->factor + 2);
      const float factor_q3 = *(t->factor + 3);
      acc_f0_q0 = (*(ot + 0)) * (factor_q0) + (acc_f0_q0);
      acc_f0_q1 = (*(ot + 1)) * (factor_q1) + (acc_f0_q1);
      acc_f0_q2 = (*(ot + 2)) * (factor_q2) + (acc_f0_q2);
      acc_f0_q3 = (*(ot + 3)) * (factor_q3) + (acc_f0_q3);
      acc_f1_q0 = (*(ot + 4)) * (factor_q0) + (acc_f1_q0);
      acc_f1_q1 = (*(ot + 5)) * (factor_q1) + (acc_f1_q1);
      acc_f1_q2 = (*(ot + 6)) * (factor_q2) + (acc_f1_q2);
      acc_f1_q3 = (*(ot + 7)) * (factor_q3) + (acc_f1_q3);
    }
    *(ot + 0) = acc_f0_q0;
    *(ot + 1) = acc_f0_q1;
    *(ot + 2) = acc_f0_q2;
    *(ot + 3) = acc_f0_q3;
    *(ot + 4) = acc_f1_q0;
    *(ot + 5) = acc_f1_q1;
    *(ot + 6) = acc_f1_q2;
    *(ot + 7) = acc_f1_q3;
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 4 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size t->head_size. */
static void attni_scalar_decode_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 1 * 1;
  const int32_t row_floats = (t->head_size + 7) / 8 * 8;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * (size_t)row_floats;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 4) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      float acc_k0 = 0.0f;
      float acc_k1 = 0.0f;
      float acc_k2 = 0.0f;
      float acc_k3 = 0.0f;
      int32_t d;
      for (d = 0; d < whole; d += 1) {
        const float qd = *(q + d);
        acc_k0 = (*(k0 + d)) * (qd) + (acc_k0);
        acc_k1 = (*(k1 + d)) * (qd) + (acc_k1);
        acc_k2 = (*(k2 + d)) * (qd) + (acc_k2);
        acc_k3 = (*(k3 + d)) * (qd) + (acc_k3);
      }
      {
        *(st + key) = acc_k0;
      }
      {
        *(st + key + 1) = acc_k1;
      }
      {
        *(st + key + 2) = acc_k2;
      }
      {
        *(st + key + 3) = acc_k3;
      }
    }
  }
  attni_scalar_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 4
 * vectors of them at a time. Head size t->head_size_v. */
static void attni_scalar_decode_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  const int32_t row_floats = (size + 7) / 8 * 8;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * (size_t)row_floats;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 4 <= size; f += 4) {
      float acc0 = 0.0f;
      float acc1 = 0.0f;
      float acc2 = 0.0f;
      float acc3 = 0.0f;
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float w = *(p + key);
        ATTNI_FENCE();
        acc0 = (*(vk + 0)) * (w) + (acc0);
        acc1 = (*(vk + 1)) * (w) + (acc1);
        acc2 = (*(vk + 2)) * (w) + (acc2);
        acc3 = (*(vk + 3)) * (w) + (acc3);
      }
      if (!t->first) {
        const float factor = (t->factor[row]);
        acc0 = (*(ot + f + 0)) * (factor) + (acc0);
        acc1 = (*(ot + f + 1)) * (factor) + (acc1);
        acc2 = (*(ot + f + 2)) * (factor) + (acc2);
        acc3 = (*(ot + f + 3)) * (factor) + (acc3);
      }
      *(ot + f + 0) = acc0;
      *(ot + f + 1) = acc1;
      *(ot + f + 2) = acc2;
      *(ot + f + 3) = acc3;
}
    for (; f + 2 <= size; f += 2) {
      float acc0 = 0.0f;
      float acc1 = 0.0f;
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float w = *(p + key);
        ATTNI_FENCE();
        acc0 = (*(vk + 0)) * (w) + (acc0);
        acc1 = (*(vk + 1)) * (w) + (acc1);
      }
      if (!t->first) {
        const float factor = (t->factor[row]);
        acc0 = (*(ot + f + 0)) * (factor) + (acc0);
        acc1 = (*(ot + f + 1)) * (factor) + (acc1);
      }
      *(ot + f + 0) = acc0;
      *(ot + f + 1) = acc1;
}
    for (; f + 1 <= size; f += 1) {
      float acc0 = 0.0f;
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float w = *(p + key);
        ATTNI_FENCE();
        acc0 = (*(vk + 0)) * (w) + (acc0);
      }
      if (!t->first) {
        const float factor = (t->factor[row]);
        acc0 = (*(ot + f + 0)) * (factor) + (acc0);
      }
      *(ot + f + 0) = acc0;
}
  }
}

/* avx2: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* What is below -127, minus infinity included, is raised to it, which gives 0; NaN stays, since max then
 * gives its second operand. Where the compiler may swap them, scale2 finds what is below -126 by its bits. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE __m256 attni_avx2_clamp_tiny(__m256 x) {
#if ATTNI_FINITE_MATH
  return x;
#else
  return _mm256_max_ps(_mm256_set1_ps(-127.0f), x);
#endif
}

/* y * 2^n, by adding n to the exponent. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE __m256 attni_avx2_scale2(__m256 y, __m256 n, __m256 x) {
  const __m256i scaled = _mm256_add_epi32(_mm256_castps_si256(y), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23));
#if ATTNI_FINITE_MATH
  const __m256i range = _mm256_set1_epi32((int32_t)ATTNI_TINY_RANGE);
  const __m256i i = _mm256_sub_epi32(_mm256_castps_si256(x), _mm256_set1_epi32((int32_t)ATTNI_TINY_FIRST));
  const __m256i tiny = _mm256_cmpeq_epi32(_mm256_min_epu32(i, range), i);
  return _mm256_castsi256_ps(_mm256_andnot_si256(tiny, scaled));
#else
  (void)x;
  return _mm256_castsi256_ps(scaled);
#endif
}

/* The mask of the first n lanes, 0 < n < 8. */
ATTNI_TARGET_AVX2
static ATTNI_UNUSED __m256i attni_avx2_first(int32_t n) {
  static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  return _mm256_loadu_si256((const __m256i *)(const void *)(ones + 8 - n));
}

#ifdef ATTN_USE_SLEEF
#ifdef __cplusplus
extern "C"
#endif
ATTNI_TARGET_AVX2
__m256 Sleef_exp2f8_u10avx2(__m256);
#endif

/* 2^x for x <= 0; below -126 it falls to 0, which it is from -127 on. The polynomial is for 2^r on [-1/2, 1/2]; its constant is exactly 1, so
 * that 2^0 = 1 exactly. Error and coefficients: docs/numerics.md. */
ATTNI_TARGET_AVX2
static ATTNI_FORCE_INLINE __m256 attni_avx2_exp2(__m256 x) {
#ifdef ATTN_USE_SLEEF
  return Sleef_exp2f8_u10avx2(x);
#else
  const __m256 clamped = attni_avx2_clamp_tiny(x);
  const __m256 n = _mm256_round_ps(clamped, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256 r = _mm256_sub_ps(clamped, n);
  __m256 y = _mm256_set1_ps(ATTNI_EXP2_C5);
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C4));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C3));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C2));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C1));
  y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(ATTNI_EXP2_C0));
  return attni_avx2_scale2(y, n, clamped);
#endif
}

/* qt[d][row] = rows[row][d] * scale, 8 rows by 8 features at a time. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const __m256 scale_v = _mm256_set1_ps(scale);
  int32_t row, d;
  for (row = t->row0; row < 24; row += 8) {
    const float *const *const r = rows + row;
    float *qt = t->qt + row;
    for (d = 0; d + 8 <= t->head_size; d += 8, qt += 192) {
      const __m256 x0 = _mm256_mul_ps(_mm256_loadu_ps(r[0] + d), scale_v);
      const __m256 x1 = _mm256_mul_ps(_mm256_loadu_ps(r[1] + d), scale_v);
      const __m256 x2 = _mm256_mul_ps(_mm256_loadu_ps(r[2] + d), scale_v);
      const __m256 x3 = _mm256_mul_ps(_mm256_loadu_ps(r[3] + d), scale_v);
      const __m256 x4 = _mm256_mul_ps(_mm256_loadu_ps(r[4] + d), scale_v);
      const __m256 x5 = _mm256_mul_ps(_mm256_loadu_ps(r[5] + d), scale_v);
      const __m256 x6 = _mm256_mul_ps(_mm256_loadu_ps(r[6] + d), scale_v);
      const __m256 x7 = _mm256_mul_ps(_mm256_loadu_ps(r[7] + d), scale_v);
      const __m256 t0_0 = _mm256_unpacklo_ps(x0, x1);
      const __m256 t0_1 = _mm256_unpackhi_ps(x0, x1);
      const __m256 t0_2 = _mm256_unpacklo_ps(x2, x3);
      const __m256 t0_3 = _mm256_unpackhi_ps(x2, x3);
      const __m256 t0_4 = _mm256_unpacklo_ps(x4, x5);
      const __m256 t0_5 = _mm256_unpackhi_ps(x4, x5);
      const __m256 t0_6 = _mm256_unpacklo_ps(x6, x7);
      const __m256 t0_7 = _mm256_unpackhi_ps(x6, x7);
      const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
      const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
      const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
      const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
      const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
      const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
      const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
      const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
      const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
      const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
      const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
      const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
      const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
      const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
      const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
      const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
      _mm256_store_ps(qt + 0, t2_0);
      _mm256_store_ps(qt + 24, t2_1);
      _mm256_store_ps(qt + 48, t2_2);
      _mm256_store_ps(qt + 72, t2_3);
      _mm256_store_ps(qt + 96, t2_4);
      _mm256_store_ps(qt + 120, t2_5);
      _mm256_store_ps(qt + 144, t2_6);
      _mm256_store_ps(qt + 168, t2_7);
    }
    for (; d < t->head_size; ++d, qt += 24) {
      int32_t i;
      for (i = 0; i < 8; ++i) qt[i] = r[i][d] * scale;
    }
  }
}

ATTNI_TARGET_AVX2
static bool attni_avx2_prefill_finite(const attni_keys *kv, int32_t begin, int32_t end, int32_t head_size_v) {
  const float *x = (const float *)kv->v + begin * kv->v_stride;
  int32_t largest[8];
  __m256i max = _mm256_setzero_si256();
  int32_t key, i;
  for (key = begin; key < end; ++key, x += kv->v_stride) {
    for (i = 0; i + 8 <= head_size_v; i += 8) {
      const __m256 x_i = _mm256_loadu_ps(x + i);
      max = _mm256_max_epi32(max, _mm256_and_si256(_mm256_castps_si256(x_i), _mm256_set1_epi32(INT32_MAX)));
    }
    for (; i < head_size_v; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  _mm256_storeu_si256((__m256i *)(largest), max);
  for (i = 0; i < 8; ++i) {
    if (largest[i] >= (int32_t)ATTNI_INFINITY_BITS) return false;
  }
  return true;
}

ATTNI_TARGET_AVX2
static void attni_avx2_prefill_mask(const attni_tile *t, uint32_t fill) {
  const __m256 fill_v = _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)(fill)));
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    for (key = t->key_full[row / 8]; key < t->key_end[row / 8]; ++key) {
      float *const st = t->st + (size_t)key * 24 + row;
      const __m256 s = _mm256_load_ps(st);
      _mm256_store_ps(st, _mm256_blendv_ps(fill_v, s, _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_load_si256((const __m256i *)(t->limit + row)), _mm256_set1_epi32(key)))));
    }
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    const float *st = t->st + row;
    __m256 max = _mm256_load_ps(t->m + row);
    for (key = 0; key < t->key_end[row / 8]; ++key, st += 24) {
      const __m256 s = _mm256_load_ps(st);
      max = _mm256_max_ps(max, s);
    }
    _mm256_store_ps(t->row_max + row, max);
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 24; row += 8) {
    const int32_t end = t->key_end[row / 8];
    const __m256 max = _mm256_load_ps(t->row_max + row);
    const __m256 old = _mm256_sub_ps(_mm256_load_ps(t->m + row), max);
    const __m256 factor = attni_avx2_exp2(old);
    float *st = t->st + row;
    __m256 sum0 = _mm256_setzero_ps();
    __m256 sum1 = _mm256_setzero_ps();
    __m256 sum2 = _mm256_setzero_ps();
    __m256 sum3 = _mm256_setzero_ps();
    for (key = end; key % 4 != 0; ++key) {
      _mm256_store_ps(st + (size_t)key * 24, _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))));
    }
    for (key = 0; key < end; key += 4, st += 96) {
      {
        const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 0), max);
        const __m256 w = attni_avx2_exp2(x);
        _mm256_store_ps(st + 0, w);
        sum0 = _mm256_add_ps(sum0, w);
      }
      {
        const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 24), max);
        const __m256 w = attni_avx2_exp2(x);
        _mm256_store_ps(st + 24, w);
        sum1 = _mm256_add_ps(sum1, w);
      }
      {
        const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 48), max);
        const __m256 w = attni_avx2_exp2(x);
        _mm256_store_ps(st + 48, w);
        sum2 = _mm256_add_ps(sum2, w);
      }
      {
        const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + 72), max);
        const __m256 w = attni_avx2_exp2(x);
        _mm256_store_ps(st + 72, w);
        sum3 = _mm256_add_ps(sum3, w);
      }
    }
    sum0 = _mm256_add_ps(_mm256_add_ps(sum0, sum1), _mm256_add_ps(sum2, sum3));
    _mm256_store_ps(t->l + row, _mm256_fmadd_ps(_mm256_load_ps(t->l + row), factor, sum0));
    _mm256_store_ps(t->factor + row, factor);
  }
}

/* The careful product: slow, and rarely needed. It too sets the rows before row0, which PV loads. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_masked(const attni_tile *t) {
  int32_t row, f, key;
  for (row = 0; row < 24; row += 8) {
    const __m256 factor = _mm256_load_ps(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 24 + row;
      const float *vk = (const float *)t->kv.v + f;
      __m256 acc = _mm256_setzero_ps();
      for (key = 0; key < t->key_end[row / 8]; ++key, vk += t->kv.v_stride) {
        const __m256 p = _mm256_load_ps(t->st + (size_t)key * 24 + row);
        const __m256 b = _mm256_broadcast_ss(vk);
        const __m256 next = _mm256_fmadd_ps(b, p, acc);
        acc = _mm256_blendv_ps(next, acc, _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_castps_si256(p), _mm256_set1_epi32(INT32_MIN))));
      }
      if (!t->first) acc = _mm256_fmadd_ps(_mm256_load_ps(ot), factor, acc);
      _mm256_store_ps(ot, acc);
    }
  }
}

/* Adding 0 makes -0 into +0: the sign of a zero could tell how many masked keys were passed. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const __m256 zero = _mm256_setzero_ps();
  int32_t row, f, i;
  for (row = t->row0; row < 24; row += 8) {
    const __m256 scale = _mm256_load_ps(inverse + row);
    float *const *const r = rows + (row - t->row0);
    const int32_t n = count - (row - t->row0);
    const float *ot = t->ot + row;
    for (f = 0; f + 8 <= t->head_size_v; f += 8, ot += 192) {
      const __m256 x0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), scale, zero);
      const __m256 x1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), scale, zero);
      const __m256 x2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), scale, zero);
      const __m256 x3 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), scale, zero);
      const __m256 x4 = _mm256_fmadd_ps(_mm256_load_ps(ot + 96), scale, zero);
      const __m256 x5 = _mm256_fmadd_ps(_mm256_load_ps(ot + 120), scale, zero);
      const __m256 x6 = _mm256_fmadd_ps(_mm256_load_ps(ot + 144), scale, zero);
      const __m256 x7 = _mm256_fmadd_ps(_mm256_load_ps(ot + 168), scale, zero);
      const __m256 t0_0 = _mm256_unpacklo_ps(x0, x1);
      const __m256 t0_1 = _mm256_unpackhi_ps(x0, x1);
      const __m256 t0_2 = _mm256_unpacklo_ps(x2, x3);
      const __m256 t0_3 = _mm256_unpackhi_ps(x2, x3);
      const __m256 t0_4 = _mm256_unpacklo_ps(x4, x5);
      const __m256 t0_5 = _mm256_unpackhi_ps(x4, x5);
      const __m256 t0_6 = _mm256_unpacklo_ps(x6, x7);
      const __m256 t0_7 = _mm256_unpackhi_ps(x6, x7);
      const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
      const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
      const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
      const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
      const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
      const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
      const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
      const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
      const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
      const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
      const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
      const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
      const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
      const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
      const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
      const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
      if (n > 0) _mm256_storeu_ps(r[0] + f, t2_0);
      if (n > 1) _mm256_storeu_ps(r[1] + f, t2_1);
      if (n > 2) _mm256_storeu_ps(r[2] + f, t2_2);
      if (n > 3) _mm256_storeu_ps(r[3] + f, t2_3);
      if (n > 4) _mm256_storeu_ps(r[4] + f, t2_4);
      if (n > 5) _mm256_storeu_ps(r[5] + f, t2_5);
      if (n > 6) _mm256_storeu_ps(r[6] + f, t2_6);
      if (n > 7) _mm256_storeu_ps(r[7] + f, t2_7);
    }
    for (; f < t->head_size_v; ++f, ot += 24) {
      float x[8];
      _mm256_storeu_ps(x, _mm256_fmadd_ps(_mm256_load_ps(ot), scale, zero));
      for (i = 0; i < 8 && i < n; ++i) r[i][f] = x[i];
    }
  }
}

/* A row of qt or ot takes whole multiples of 8 floats. */
static size_t attni_avx2_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 7) / 8 * 8;
}

/* qt[row][d] = rows[row][d] * scale, and 0 behind the last feature. */
static void attni_avx2_decode_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const size_t floats = attni_avx2_decode_row_floats(t->head_size);
  const size_t size = (size_t)t->head_size;
  int32_t row;
  size_t d;
  for (row = t->row0; row < 16; ++row) {
    float *const qt = t->qt + (size_t)row * floats;
    for (d = 0; d < size; ++d) qt[d] = rows[row][d] * scale;
    for (; d < floats; ++d) qt[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_avx2_decode_max_lanes(const float *x) {
  float y[8];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 4; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] = y[i + n] > y[i] ? y[i + n] : y[i];
  }
  return y[0];
}

/* The sum of the lanes, as a tree. */
static float attni_avx2_decode_sum_lanes(const float *x) {
  float y[8];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 4; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] += y[i + n];
  }
  return y[0];
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 72;
    const int32_t end = t->key_end[row];
    float lanes[8];
    __m256 max = _mm256_set1_ps(t->m[row]);
    for (key = end; key % 8 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = 0; key < end; key += 8) {
      const __m256 s = _mm256_load_ps(st + key);
      max = _mm256_max_ps(max, s);
    }
    _mm256_storeu_ps(lanes, max);
    t->row_max[row] = attni_avx2_decode_max_lanes(lanes);
  }
}

ATTNI_TARGET_AVX2
static void attni_avx2_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 72;
    const __m256 max = _mm256_set1_ps(t->row_max[row]);
    const __m256 old = _mm256_sub_ps(_mm256_set1_ps(t->m[row]), max);
    const __m256 factor = attni_avx2_exp2(old);
    float lanes[8];
    __m256 sum = _mm256_setzero_ps();
    for (key = 0; key < t->key_end[row]; key += 8) {
      const __m256 x = _mm256_sub_ps(_mm256_load_ps(st + key), max);
      const __m256 w = attni_avx2_exp2(x);
      _mm256_store_ps(st + key, w);
      sum = _mm256_add_ps(sum, w);
    }
    _mm256_storeu_ps(lanes, factor);
    t->factor[row] = lanes[0];
    _mm256_storeu_ps(lanes, sum);
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_avx2_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const size_t floats = attni_avx2_decode_row_floats(t->head_size_v);
  const __m256 zero = _mm256_setzero_ps();
  int32_t i, f;
  for (i = 0; i < count; ++i) {
    const int32_t row = t->row0 + i;
    const float *const ot = t->ot + (size_t)row * floats;
    const __m256 scale = _mm256_set1_ps(inverse[row]);
    for (f = 0; f + 8 <= t->head_size_v; f += 8) {
      _mm256_storeu_ps(rows[i] + f, _mm256_fmadd_ps(_mm256_load_ps(ot + f), scale, zero));
    }
    if (f < t->head_size_v) {
      float last[8];
      _mm256_storeu_ps(last, _mm256_fmadd_ps(_mm256_load_ps(ot + f), scale, zero));
      memcpy(rows[i] + f, last, (size_t)(t->head_size_v - f) * sizeof(float));
    }
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size 32. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 32. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d32(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 32.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d32(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 32; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 32. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d32(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 32;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 32; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 32. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d32(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 32;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 32; f += 32) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size 64. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 64. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d64(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 64.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d64(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 64; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 64. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d64(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 64;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 64; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 64. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d64(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 64;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 64; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size 80. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 80. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 80.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 80; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 80. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 80;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 80; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 80. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 80;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 80; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
    for (; f + 16 <= 80; f += 16) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size 96. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 96. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d96(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 96.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d96(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 96; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 96. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d96(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 96;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 96; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 96. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d96(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 96;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 96; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
    for (; f + 32 <= 96; f += 32) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size 128. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 128. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d128(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 128.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d128(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 128; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 128. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d128(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 128;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 128; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 128. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d128(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 128;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 128; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size 192. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 192. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d192(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 192.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d192(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 192; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 192. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d192(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 192;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 192; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 192. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d192(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 192;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 192; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size 256. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size 256. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 256.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 256; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 256. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 256;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < 256; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 256. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 256;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 256; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx2, f32, head size any. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX2

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 24 rows (3 vectors of 8)
 * by 96 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (4 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  const int32_t size = t->head_size;
  int32_t key = 0;
  /* 4 keys by 3 vectors: 12 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 24 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k0_q2 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q2 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q2 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q2 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      const __m256 q2 = _mm256_load_ps(q + 16);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm256_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q2);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm256_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q2);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm256_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q2);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm256_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q2);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 0);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q2 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 16, acc_k0_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k0_q2);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 40, acc_k1_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k1_q2);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 64, acc_k2_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k2_q2);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(st + 88, acc_k3_q2);
    max_q2 = _mm256_max_ps(max_q2, acc_k3_q2);
    _mm256_store_ps(t->row_max + 0, max_q0);
    _mm256_store_ps(t->row_max + 8, max_q1);
    _mm256_store_ps(t->row_max + 16, max_q2);
  }
  /* 4 keys by 2 vectors: 8 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 4) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 24 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k0_q1 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q1 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q1 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q1 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      const __m256 q1 = _mm256_load_ps(q + 8);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm256_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("x", acc_k0_q0);
      ATTNI_CLANG_SETTLE("x", acc_k0_q1);
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm256_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("x", acc_k1_q0);
      ATTNI_CLANG_SETTLE("x", acc_k1_q1);
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm256_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("x", acc_k2_q0);
      ATTNI_CLANG_SETTLE("x", acc_k2_q1);
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm256_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("x", acc_k3_q0);
      ATTNI_CLANG_SETTLE("x", acc_k3_q1);
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 8);
    __m256 max_q1 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 8, acc_k0_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k0_q1);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 32, acc_k1_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k1_q1);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 56, acc_k2_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k2_q1);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 80, acc_k3_q1);
    max_q1 = _mm256_max_ps(max_q1, acc_k3_q1);
    _mm256_store_ps(t->row_max + 8, max_q0);
    _mm256_store_ps(t->row_max + 16, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 24 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m256 acc_k0_q0 = _mm256_setzero_ps();
    __m256 acc_k1_q0 = _mm256_setzero_ps();
    __m256 acc_k2_q0 = _mm256_setzero_ps();
    __m256 acc_k3_q0 = _mm256_setzero_ps();
    __m256 acc_k4_q0 = _mm256_setzero_ps();
    __m256 acc_k5_q0 = _mm256_setzero_ps();
    __m256 acc_k6_q0 = _mm256_setzero_ps();
    __m256 acc_k7_q0 = _mm256_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 24) {
      const __m256 q0 = _mm256_load_ps(q + 0);
      __m256 b;
      b = _mm256_broadcast_ss(k0 + d);
      acc_k0_q0 = _mm256_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k1 + d);
      acc_k1_q0 = _mm256_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k2 + d);
      acc_k2_q0 = _mm256_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k3 + d);
      acc_k3_q0 = _mm256_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k4 + d);
      acc_k4_q0 = _mm256_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k5 + d);
      acc_k5_q0 = _mm256_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k6 + d);
      acc_k6_q0 = _mm256_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(k7 + d);
      acc_k7_q0 = _mm256_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m256 max_q0 = _mm256_load_ps(t->row_max + 16);
    _mm256_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k0_q0);
    _mm256_store_ps(st + 24, acc_k1_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k1_q0);
    _mm256_store_ps(st + 48, acc_k2_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k2_q0);
    _mm256_store_ps(st + 72, acc_k3_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k3_q0);
    _mm256_store_ps(st + 96, acc_k4_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k4_q0);
    _mm256_store_ps(st + 120, acc_k5_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k5_q0);
    _mm256_store_ps(st + 144, acc_k6_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k6_q0);
    _mm256_store_ps(st + 168, acc_k7_q0);
    max_q0 = _mm256_max_ps(max_q0, acc_k7_q0);
    _mm256_store_ps(t->row_max + 16, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size t->head_size_v.
 * 4 features by 3 vectors: 12 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX2
static void attni_avx2_prefill_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  int32_t f;
  for (f = 0; f < size - 3; f += 4) {
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + 3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
  if (f < size) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t last = size - 1 - f;
    const int32_t f1 = attni_min_i32(1, last);
    const int32_t f2 = attni_min_i32(2, last);
    const int32_t f3 = attni_min_i32(3, last);
    float *const ot = t->ot + (size_t)f * 24;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m256 acc_f0_q0 = _mm256_setzero_ps();
    __m256 acc_f0_q1 = _mm256_setzero_ps();
    __m256 acc_f0_q2 = _mm256_setzero_ps();
    __m256 acc_f1_q0 = _mm256_setzero_ps();
    __m256 acc_f1_q1 = _mm256_setzero_ps();
    __m256 acc_f1_q2 = _mm256_setzero_ps();
    __m256 acc_f2_q0 = _mm256_setzero_ps();
    __m256 acc_f2_q1 = _mm256_setzero_ps();
    __m256 acc_f2_q2 = _mm256_setzero_ps();
    __m256 acc_f3_q0 = _mm256_setzero_ps();
    __m256 acc_f3_q1 = _mm256_setzero_ps();
    __m256 acc_f3_q2 = _mm256_setzero_ps();
    for (; key < end0; ++key, p += 24, vk += stride) {
      const __m256 p0 = _mm256_load_ps(p + 0);
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q0 = _mm256_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q0);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + f1);
      acc_f1_q0 = _mm256_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q0);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + f2);
      acc_f2_q0 = _mm256_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q0);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + f3);
      acc_f3_q0 = _mm256_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q0);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    for (; key < end1; ++key, p += 24, vk += stride) {
      const __m256 p1 = _mm256_load_ps(p + 8);
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q1 = _mm256_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("x", acc_f0_q1);
      ATTNI_CLANG_SETTLE("x", acc_f0_q2);
      b = _mm256_broadcast_ss(vk + f1);
      acc_f1_q1 = _mm256_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("x", acc_f1_q1);
      ATTNI_CLANG_SETTLE("x", acc_f1_q2);
      b = _mm256_broadcast_ss(vk + f2);
      acc_f2_q1 = _mm256_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("x", acc_f2_q1);
      ATTNI_CLANG_SETTLE("x", acc_f2_q2);
      b = _mm256_broadcast_ss(vk + f3);
      acc_f3_q1 = _mm256_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("x", acc_f3_q1);
      ATTNI_CLANG_SETTLE("x", acc_f3_q2);
    }
    for (; key < end2; ++key, p += 24, vk += stride) {
      const __m256 p2 = _mm256_load_ps(p + 16);
      __m256 b;
      b = _mm256_broadcast_ss(vk + 0);
      acc_f0_q2 = _mm256_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + f1);
      acc_f1_q2 = _mm256_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + f2);
      acc_f2_q2 = _mm256_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm256_broadcast_ss(vk + f3);
      acc_f3_q2 = _mm256_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m256 factor_q0 = _mm256_load_ps(t->factor + 0);
      const __m256 factor_q1 = _mm256_load_ps(t->factor + 8);
      const __m256 factor_q2 = _mm256_load_ps(t->factor + 16);
      acc_f0_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 8), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 16), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 24), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 32), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 40), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 48), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 56), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 64), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm256_fmadd_ps(_mm256_load_ps(ot + 72), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm256_fmadd_ps(_mm256_load_ps(ot + 80), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm256_fmadd_ps(_mm256_load_ps(ot + 88), factor_q2, acc_f3_q2);
    }
    _mm256_store_ps(ot + 0, acc_f0_q0);
    _mm256_store_ps(ot + 8, acc_f0_q1);
    _mm256_store_ps(ot + 16, acc_f0_q2);
    _mm256_store_ps(ot + 24, acc_f1_q0);
    _mm256_store_ps(ot + 32, acc_f1_q1);
    _mm256_store_ps(ot + 40, acc_f1_q2);
    _mm256_store_ps(ot + 48, acc_f2_q0);
    _mm256_store_ps(ot + 56, acc_f2_q1);
    _mm256_store_ps(ot + 64, acc_f2_q2);
    _mm256_store_ps(ot + 72, acc_f3_q0);
    _mm256_store_ps(ot + 80, acc_f3_q1);
    _mm256_store_ps(ot + 88, acc_f3_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size t->head_size. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 8 * 8;
  const int32_t rest = t->head_size - whole;
  const int32_t row_floats = (t->head_size + 7) / 8 * 8;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * (size_t)row_floats;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      __m256 acc_k0 = _mm256_setzero_ps();
      __m256 acc_k1 = _mm256_setzero_ps();
      __m256 acc_k2 = _mm256_setzero_ps();
      __m256 acc_k3 = _mm256_setzero_ps();
      __m256 acc_k4 = _mm256_setzero_ps();
      __m256 acc_k5 = _mm256_setzero_ps();
      __m256 acc_k6 = _mm256_setzero_ps();
      __m256 acc_k7 = _mm256_setzero_ps();
      int32_t d;
      for (d = 0; d < whole; d += 8) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_loadu_ps(k7 + d), qd, acc_k7);
      }
      if (rest > 0) {
        const __m256 qd = _mm256_load_ps(q + d);
        acc_k0 = _mm256_fmadd_ps(_mm256_maskload_ps(k0 + d, attni_avx2_first(rest)), qd, acc_k0);
        acc_k1 = _mm256_fmadd_ps(_mm256_maskload_ps(k1 + d, attni_avx2_first(rest)), qd, acc_k1);
        acc_k2 = _mm256_fmadd_ps(_mm256_maskload_ps(k2 + d, attni_avx2_first(rest)), qd, acc_k2);
        acc_k3 = _mm256_fmadd_ps(_mm256_maskload_ps(k3 + d, attni_avx2_first(rest)), qd, acc_k3);
        acc_k4 = _mm256_fmadd_ps(_mm256_maskload_ps(k4 + d, attni_avx2_first(rest)), qd, acc_k4);
        acc_k5 = _mm256_fmadd_ps(_mm256_maskload_ps(k5 + d, attni_avx2_first(rest)), qd, acc_k5);
        acc_k6 = _mm256_fmadd_ps(_mm256_maskload_ps(k6 + d, attni_avx2_first(rest)), qd, acc_k6);
        acc_k7 = _mm256_fmadd_ps(_mm256_maskload_ps(k7 + d, attni_avx2_first(rest)), qd, acc_k7);
      }
      {
        const __m256 t0_0 = _mm256_unpacklo_ps(acc_k0, acc_k1);
        const __m256 t0_1 = _mm256_unpackhi_ps(acc_k0, acc_k1);
        const __m256 t0_2 = _mm256_unpacklo_ps(acc_k2, acc_k3);
        const __m256 t0_3 = _mm256_unpackhi_ps(acc_k2, acc_k3);
        const __m256 t0_4 = _mm256_unpacklo_ps(acc_k4, acc_k5);
        const __m256 t0_5 = _mm256_unpackhi_ps(acc_k4, acc_k5);
        const __m256 t0_6 = _mm256_unpacklo_ps(acc_k6, acc_k7);
        const __m256 t0_7 = _mm256_unpackhi_ps(acc_k6, acc_k7);
        const __m256 t1_0 = _mm256_shuffle_ps(t0_0, t0_2, 0x44);
        const __m256 t1_1 = _mm256_shuffle_ps(t0_0, t0_2, 0xee);
        const __m256 t1_2 = _mm256_shuffle_ps(t0_1, t0_3, 0x44);
        const __m256 t1_3 = _mm256_shuffle_ps(t0_1, t0_3, 0xee);
        const __m256 t1_4 = _mm256_shuffle_ps(t0_4, t0_6, 0x44);
        const __m256 t1_5 = _mm256_shuffle_ps(t0_4, t0_6, 0xee);
        const __m256 t1_6 = _mm256_shuffle_ps(t0_5, t0_7, 0x44);
        const __m256 t1_7 = _mm256_shuffle_ps(t0_5, t0_7, 0xee);
        const __m256 t2_0 = _mm256_permute2f128_ps(t1_0, t1_4, 0x20);
        const __m256 t2_1 = _mm256_permute2f128_ps(t1_1, t1_5, 0x20);
        const __m256 t2_2 = _mm256_permute2f128_ps(t1_2, t1_6, 0x20);
        const __m256 t2_3 = _mm256_permute2f128_ps(t1_3, t1_7, 0x20);
        const __m256 t2_4 = _mm256_permute2f128_ps(t1_0, t1_4, 0x31);
        const __m256 t2_5 = _mm256_permute2f128_ps(t1_1, t1_5, 0x31);
        const __m256 t2_6 = _mm256_permute2f128_ps(t1_2, t1_6, 0x31);
        const __m256 t2_7 = _mm256_permute2f128_ps(t1_3, t1_7, 0x31);
        _mm256_store_ps(st + key, _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(t2_0, t2_4), _mm256_add_ps(t2_2, t2_6)), _mm256_add_ps(_mm256_add_ps(t2_1, t2_5), _mm256_add_ps(t2_3, t2_7))));
      }
    }
  }
  attni_avx2_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size t->head_size_v. */
ATTNI_TARGET_AVX2
static void attni_avx2_decode_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  const int32_t row_floats = (size + 7) / 8 * 8;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * (size_t)row_floats;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= size; f += 64) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      __m256 acc4 = _mm256_setzero_ps();
      __m256 acc5 = _mm256_setzero_ps();
      __m256 acc6 = _mm256_setzero_ps();
      __m256 acc7 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 32), w, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 40), w, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 48), w, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 56), w, acc7);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
        acc4 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 32), factor, acc4);
        acc5 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 40), factor, acc5);
        acc6 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 48), factor, acc6);
        acc7 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 56), factor, acc7);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
      _mm256_store_ps(ot + f + 32, acc4);
      _mm256_store_ps(ot + f + 40, acc5);
      _mm256_store_ps(ot + f + 48, acc6);
      _mm256_store_ps(ot + f + 56, acc7);
}
    for (; f + 32 <= size; f += 32) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      __m256 acc2 = _mm256_setzero_ps();
      __m256 acc3 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 16), w, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 24), w, acc3);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
        acc2 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 16), factor, acc2);
        acc3 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 24), factor, acc3);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
      _mm256_store_ps(ot + f + 16, acc2);
      _mm256_store_ps(ot + f + 24, acc3);
}
    for (; f + 16 <= size; f += 16) {
      __m256 acc0 = _mm256_setzero_ps();
      __m256 acc1 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 8), w, acc1);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 8), factor, acc1);
      }
      _mm256_store_ps(ot + f + 0, acc0);
      _mm256_store_ps(ot + f + 8, acc1);
}
    for (; f + 8 <= size; f += 8) {
      __m256 acc0 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_loadu_ps(vk + 0), w, acc0);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
      }
      _mm256_store_ps(ot + f + 0, acc0);
}
    if (f < size) {
      const int32_t rest = size - f;
      __m256 acc0 = _mm256_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m256 w = _mm256_broadcast_ss(p + key);
        ATTNI_CLANG_FENCE();
        acc0 = _mm256_fmadd_ps(_mm256_maskload_ps(vk, attni_avx2_first(rest)), w, acc0);
      }
      if (!t->first) {
        const __m256 factor = _mm256_set1_ps(t->factor[row]);
        acc0 = _mm256_fmadd_ps(_mm256_load_ps(ot + f + 0), factor, acc0);
      }
      _mm256_store_ps(ot + f + 0, acc0);
}
  }
}

#endif /* ATTNI_HAVE_AVX2 */

/* avx512: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */
#ifdef ATTNI_HAVE_AVX512

#define ATTNI_AVX512_ALL ((__mmask16)0xffff)

#ifdef ATTN_USE_SLEEF
#ifdef __cplusplus
extern "C"
#endif
ATTNI_TARGET_AVX512
__m512 Sleef_exp2f16_u10avx512f(__m512);
#endif

/* 2^x for x <= 0; below -126 it falls to 0, which it is from -127 on. The polynomial is for 2^r on [-1/2, 1/2]; its constant is exactly 1, so
 * that 2^0 = 1 exactly. Error and coefficients: docs/numerics.md. */
ATTNI_TARGET_AVX512
static ATTNI_FORCE_INLINE __m512 attni_avx512_exp2(__m512 x) {
#ifdef ATTN_USE_SLEEF
  return Sleef_exp2f16_u10avx512f(x);
#else
  const __m512 clamped = x;
  const __m512 n = _mm512_maskz_cvtepi32_ps(ATTNI_AVX512_ALL, _mm512_maskz_cvtps_epi32(ATTNI_AVX512_ALL, clamped));
  const __m512 r = _mm512_sub_ps(clamped, n);
  __m512 y = _mm512_set1_ps(ATTNI_EXP2_C5);
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C4));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C3));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C2));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C1));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(ATTNI_EXP2_C0));
  return _mm512_maskz_scalef_ps(_mm512_cmpgt_epu32_mask(_mm512_sub_epi32(_mm512_castps_si512(clamped), _mm512_set1_epi32((int32_t)ATTNI_TINY_FIRST)), _mm512_set1_epi32((int32_t)ATTNI_TINY_RANGE)), y, n);
#endif
}

/* qt[d][row] = rows[row][d] * scale, 16 rows by 16 features at a time. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const __m512 scale_v = _mm512_set1_ps(scale);
  int32_t row, d;
  for (row = t->row0; row < 48; row += 16) {
    const float *const *const r = rows + row;
    float *qt = t->qt + row;
    for (d = 0; d + 16 <= t->head_size; d += 16, qt += 768) {
      const __m512 x0 = _mm512_mul_ps(_mm512_loadu_ps(r[0] + d), scale_v);
      const __m512 x1 = _mm512_mul_ps(_mm512_loadu_ps(r[1] + d), scale_v);
      const __m512 x2 = _mm512_mul_ps(_mm512_loadu_ps(r[2] + d), scale_v);
      const __m512 x3 = _mm512_mul_ps(_mm512_loadu_ps(r[3] + d), scale_v);
      const __m512 x4 = _mm512_mul_ps(_mm512_loadu_ps(r[4] + d), scale_v);
      const __m512 x5 = _mm512_mul_ps(_mm512_loadu_ps(r[5] + d), scale_v);
      const __m512 x6 = _mm512_mul_ps(_mm512_loadu_ps(r[6] + d), scale_v);
      const __m512 x7 = _mm512_mul_ps(_mm512_loadu_ps(r[7] + d), scale_v);
      const __m512 x8 = _mm512_mul_ps(_mm512_loadu_ps(r[8] + d), scale_v);
      const __m512 x9 = _mm512_mul_ps(_mm512_loadu_ps(r[9] + d), scale_v);
      const __m512 x10 = _mm512_mul_ps(_mm512_loadu_ps(r[10] + d), scale_v);
      const __m512 x11 = _mm512_mul_ps(_mm512_loadu_ps(r[11] + d), scale_v);
      const __m512 x12 = _mm512_mul_ps(_mm512_loadu_ps(r[12] + d), scale_v);
      const __m512 x13 = _mm512_mul_ps(_mm512_loadu_ps(r[13] + d), scale_v);
      const __m512 x14 = _mm512_mul_ps(_mm512_loadu_ps(r[14] + d), scale_v);
      const __m512 x15 = _mm512_mul_ps(_mm512_loadu_ps(r[15] + d), scale_v);
      const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x0, x1);
      const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x0, x1);
      const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x2, x3);
      const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x2, x3);
      const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x4, x5);
      const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x4, x5);
      const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x6, x7);
      const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x6, x7);
      const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x8, x9);
      const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x8, x9);
      const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x10, x11);
      const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x10, x11);
      const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x12, x13);
      const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x12, x13);
      const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x14, x15);
      const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x14, x15);
      const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
      const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
      const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
      const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
      const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
      const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
      const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
      const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
      const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
      const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
      const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
      const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
      const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
      const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
      const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
      const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
      const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
      const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
      const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
      const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
      const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
      const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
      const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
      const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
      const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
      const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
      const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
      const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
      const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
      const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
      const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
      const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
      const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
      const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
      const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
      const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
      const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
      const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
      const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
      const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
      const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
      const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
      const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
      const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
      const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
      const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
      const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
      const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
      _mm512_store_ps(qt + 0, t3_0);
      _mm512_store_ps(qt + 48, t3_1);
      _mm512_store_ps(qt + 96, t3_2);
      _mm512_store_ps(qt + 144, t3_3);
      _mm512_store_ps(qt + 192, t3_4);
      _mm512_store_ps(qt + 240, t3_5);
      _mm512_store_ps(qt + 288, t3_6);
      _mm512_store_ps(qt + 336, t3_7);
      _mm512_store_ps(qt + 384, t3_8);
      _mm512_store_ps(qt + 432, t3_9);
      _mm512_store_ps(qt + 480, t3_10);
      _mm512_store_ps(qt + 528, t3_11);
      _mm512_store_ps(qt + 576, t3_12);
      _mm512_store_ps(qt + 624, t3_13);
      _mm512_store_ps(qt + 672, t3_14);
      _mm512_store_ps(qt + 720, t3_15);
    }
    for (; d < t->head_size; ++d, qt += 48) {
      int32_t i;
      for (i = 0; i < 16; ++i) qt[i] = r[i][d] * scale;
    }
  }
}

ATTNI_TARGET_AVX512
static bool attni_avx512_prefill_finite(const attni_keys *kv, int32_t begin, int32_t end, int32_t head_size_v) {
  const float *x = (const float *)kv->v + begin * kv->v_stride;
  int32_t largest[16];
  __m512i max = _mm512_setzero_si512();
  int32_t key, i;
  for (key = begin; key < end; ++key, x += kv->v_stride) {
    for (i = 0; i + 16 <= head_size_v; i += 16) {
      const __m512 x_i = _mm512_loadu_ps(x + i);
      max = _mm512_maskz_max_epi32(ATTNI_AVX512_ALL, max, _mm512_and_si512(_mm512_castps_si512(x_i), _mm512_set1_epi32(INT32_MAX)));
    }
    for (; i < head_size_v; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  _mm512_storeu_si512(largest, max);
  for (i = 0; i < 16; ++i) {
    if (largest[i] >= (int32_t)ATTNI_INFINITY_BITS) return false;
  }
  return true;
}

ATTNI_TARGET_AVX512
static void attni_avx512_prefill_mask(const attni_tile *t, uint32_t fill) {
  const __m512 fill_v = _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)(fill)));
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    for (key = t->key_full[row / 16]; key < t->key_end[row / 16]; ++key) {
      float *const st = t->st + (size_t)key * 48 + row;
      const __m512 s = _mm512_load_ps(st);
      _mm512_store_ps(st, _mm512_mask_blend_ps(_mm512_cmpgt_epi32_mask(_mm512_load_si512(t->limit + row), _mm512_set1_epi32(key)), fill_v, s));
    }
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const float *st = t->st + row;
    __m512 max = _mm512_load_ps(t->m + row);
    for (key = 0; key < t->key_end[row / 16]; ++key, st += 48) {
      const __m512 s = _mm512_load_ps(st);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, s);
    }
    _mm512_store_ps(t->row_max + row, max);
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 48; row += 16) {
    const int32_t end = t->key_end[row / 16];
    const __m512 max = _mm512_load_ps(t->row_max + row);
    const __m512 old = _mm512_sub_ps(_mm512_load_ps(t->m + row), max);
    const __m512 factor = attni_avx512_exp2(old);
    float *st = t->st + row;
    __m512 sum0 = _mm512_setzero_ps();
    __m512 sum1 = _mm512_setzero_ps();
    __m512 sum2 = _mm512_setzero_ps();
    __m512 sum3 = _mm512_setzero_ps();
    for (key = end; key % 4 != 0; ++key) {
      _mm512_store_ps(st + (size_t)key * 48, _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)(ATTNI_NEG_INFINITY_BITS))));
    }
    for (key = 0; key < end; key += 4, st += 192) {
      {
        const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 0), max);
        const __m512 w = attni_avx512_exp2(x);
        _mm512_store_ps(st + 0, w);
        sum0 = _mm512_add_ps(sum0, w);
      }
      {
        const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 48), max);
        const __m512 w = attni_avx512_exp2(x);
        _mm512_store_ps(st + 48, w);
        sum1 = _mm512_add_ps(sum1, w);
      }
      {
        const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 96), max);
        const __m512 w = attni_avx512_exp2(x);
        _mm512_store_ps(st + 96, w);
        sum2 = _mm512_add_ps(sum2, w);
      }
      {
        const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + 144), max);
        const __m512 w = attni_avx512_exp2(x);
        _mm512_store_ps(st + 144, w);
        sum3 = _mm512_add_ps(sum3, w);
      }
    }
    sum0 = _mm512_add_ps(_mm512_add_ps(sum0, sum1), _mm512_add_ps(sum2, sum3));
    _mm512_store_ps(t->l + row, _mm512_fmadd_ps(_mm512_load_ps(t->l + row), factor, sum0));
    _mm512_store_ps(t->factor + row, factor);
  }
}

/* The careful product: slow, and rarely needed. It too sets the rows before row0, which PV loads. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_masked(const attni_tile *t) {
  int32_t row, f, key;
  for (row = 0; row < 48; row += 16) {
    const __m512 factor = _mm512_load_ps(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 48 + row;
      const float *vk = (const float *)t->kv.v + f;
      __m512 acc = _mm512_setzero_ps();
      for (key = 0; key < t->key_end[row / 16]; ++key, vk += t->kv.v_stride) {
        const __m512 p = _mm512_load_ps(t->st + (size_t)key * 48 + row);
        const __m512 b = _mm512_set1_ps(*(vk));
        const __m512 next = _mm512_fmadd_ps(b, p, acc);
        acc = _mm512_mask_blend_ps(_mm512_cmpeq_epi32_mask(_mm512_castps_si512(p), _mm512_set1_epi32(INT32_MIN)), next, acc);
      }
      if (!t->first) acc = _mm512_fmadd_ps(_mm512_load_ps(ot), factor, acc);
      _mm512_store_ps(ot, acc);
    }
  }
}

/* Adding 0 makes -0 into +0: the sign of a zero could tell how many masked keys were passed. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const __m512 zero = _mm512_setzero_ps();
  int32_t row, f, i;
  for (row = t->row0; row < 48; row += 16) {
    const __m512 scale = _mm512_load_ps(inverse + row);
    float *const *const r = rows + (row - t->row0);
    const int32_t n = count - (row - t->row0);
    const float *ot = t->ot + row;
    for (f = 0; f + 16 <= t->head_size_v; f += 16, ot += 768) {
      const __m512 x0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), scale, zero);
      const __m512 x1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), scale, zero);
      const __m512 x2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), scale, zero);
      const __m512 x3 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), scale, zero);
      const __m512 x4 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), scale, zero);
      const __m512 x5 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), scale, zero);
      const __m512 x6 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), scale, zero);
      const __m512 x7 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), scale, zero);
      const __m512 x8 = _mm512_fmadd_ps(_mm512_load_ps(ot + 384), scale, zero);
      const __m512 x9 = _mm512_fmadd_ps(_mm512_load_ps(ot + 432), scale, zero);
      const __m512 x10 = _mm512_fmadd_ps(_mm512_load_ps(ot + 480), scale, zero);
      const __m512 x11 = _mm512_fmadd_ps(_mm512_load_ps(ot + 528), scale, zero);
      const __m512 x12 = _mm512_fmadd_ps(_mm512_load_ps(ot + 576), scale, zero);
      const __m512 x13 = _mm512_fmadd_ps(_mm512_load_ps(ot + 624), scale, zero);
      const __m512 x14 = _mm512_fmadd_ps(_mm512_load_ps(ot + 672), scale, zero);
      const __m512 x15 = _mm512_fmadd_ps(_mm512_load_ps(ot + 720), scale, zero);
      const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x0, x1);
      const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x0, x1);
      const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x2, x3);
      const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x2, x3);
      const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x4, x5);
      const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x4, x5);
      const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x6, x7);
      const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x6, x7);
      const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x8, x9);
      const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x8, x9);
      const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x10, x11);
      const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x10, x11);
      const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x12, x13);
      const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x12, x13);
      const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, x14, x15);
      const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, x14, x15);
      const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
      const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
      const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
      const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
      const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
      const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
      const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
      const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
      const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
      const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
      const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
      const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
      const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
      const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
      const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
      const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
      const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
      const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
      const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
      const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
      const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
      const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
      const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
      const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
      const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
      const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
      const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
      const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
      const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
      const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
      const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
      const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
      const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
      const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
      const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
      const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
      const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
      const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
      const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
      const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
      const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
      const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
      const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
      const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
      const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
      const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
      const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
      const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
      if (n > 0) _mm512_storeu_ps(r[0] + f, t3_0);
      if (n > 1) _mm512_storeu_ps(r[1] + f, t3_1);
      if (n > 2) _mm512_storeu_ps(r[2] + f, t3_2);
      if (n > 3) _mm512_storeu_ps(r[3] + f, t3_3);
      if (n > 4) _mm512_storeu_ps(r[4] + f, t3_4);
      if (n > 5) _mm512_storeu_ps(r[5] + f, t3_5);
      if (n > 6) _mm512_storeu_ps(r[6] + f, t3_6);
      if (n > 7) _mm512_storeu_ps(r[7] + f, t3_7);
      if (n > 8) _mm512_storeu_ps(r[8] + f, t3_8);
      if (n > 9) _mm512_storeu_ps(r[9] + f, t3_9);
      if (n > 10) _mm512_storeu_ps(r[10] + f, t3_10);
      if (n > 11) _mm512_storeu_ps(r[11] + f, t3_11);
      if (n > 12) _mm512_storeu_ps(r[12] + f, t3_12);
      if (n > 13) _mm512_storeu_ps(r[13] + f, t3_13);
      if (n > 14) _mm512_storeu_ps(r[14] + f, t3_14);
      if (n > 15) _mm512_storeu_ps(r[15] + f, t3_15);
    }
    for (; f < t->head_size_v; ++f, ot += 48) {
      float x[16];
      _mm512_storeu_ps(x, _mm512_fmadd_ps(_mm512_load_ps(ot), scale, zero));
      for (i = 0; i < 16 && i < n; ++i) r[i][f] = x[i];
    }
  }
}

/* A row of qt or ot takes whole multiples of 16 floats. */
static size_t attni_avx512_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 15) / 16 * 16;
}

/* qt[row][d] = rows[row][d] * scale, and 0 behind the last feature. */
static void attni_avx512_decode_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const size_t floats = attni_avx512_decode_row_floats(t->head_size);
  const size_t size = (size_t)t->head_size;
  int32_t row;
  size_t d;
  for (row = t->row0; row < 16; ++row) {
    float *const qt = t->qt + (size_t)row * floats;
    for (d = 0; d < size; ++d) qt[d] = rows[row][d] * scale;
    for (; d < floats; ++d) qt[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_avx512_decode_max_lanes(const float *x) {
  float y[16];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 8; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] = y[i + n] > y[i] ? y[i + n] : y[i];
  }
  return y[0];
}

/* The sum of the lanes, as a tree. */
static float attni_avx512_decode_sum_lanes(const float *x) {
  float y[16];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 8; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] += y[i + n];
  }
  return y[0];
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 80;
    const int32_t end = t->key_end[row];
    float lanes[16];
    __m512 max = _mm512_set1_ps(t->m[row]);
    for (key = end; key % 16 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = 0; key < end; key += 16) {
      const __m512 s = _mm512_load_ps(st + key);
      max = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max, s);
    }
    _mm512_storeu_ps(lanes, max);
    t->row_max[row] = attni_avx512_decode_max_lanes(lanes);
  }
}

ATTNI_TARGET_AVX512
static void attni_avx512_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 80;
    const __m512 max = _mm512_set1_ps(t->row_max[row]);
    const __m512 old = _mm512_sub_ps(_mm512_set1_ps(t->m[row]), max);
    const __m512 factor = attni_avx512_exp2(old);
    float lanes[16];
    __m512 sum = _mm512_setzero_ps();
    for (key = 0; key < t->key_end[row]; key += 16) {
      const __m512 x = _mm512_sub_ps(_mm512_load_ps(st + key), max);
      const __m512 w = attni_avx512_exp2(x);
      _mm512_store_ps(st + key, w);
      sum = _mm512_add_ps(sum, w);
    }
    _mm512_storeu_ps(lanes, factor);
    t->factor[row] = lanes[0];
    _mm512_storeu_ps(lanes, sum);
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_avx512_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const size_t floats = attni_avx512_decode_row_floats(t->head_size_v);
  const __m512 zero = _mm512_setzero_ps();
  int32_t i, f;
  for (i = 0; i < count; ++i) {
    const int32_t row = t->row0 + i;
    const float *const ot = t->ot + (size_t)row * floats;
    const __m512 scale = _mm512_set1_ps(inverse[row]);
    for (f = 0; f + 16 <= t->head_size_v; f += 16) {
      _mm512_storeu_ps(rows[i] + f, _mm512_fmadd_ps(_mm512_load_ps(ot + f), scale, zero));
    }
    if (f < t->head_size_v) {
      float last[16];
      _mm512_storeu_ps(last, _mm512_fmadd_ps(_mm512_load_ps(ot + f), scale, zero));
      memcpy(rows[i] + f, last, (size_t)(t->head_size_v - f) * sizeof(float));
    }
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size 32. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size 32. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d32(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 32.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_d32(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 32; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 32. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_d32(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 32;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < 32; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 32. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_d32(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * 32;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 32; f += 32) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size 64. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size 64. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d64(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 64.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_d64(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 64; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 64. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_d64(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 64;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < 64; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 64. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_d64(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * 64;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 64; f += 64) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size 80. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size 80. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 80.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 80; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 80. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 80;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < 80; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 80. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * 80;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 80; f += 64) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
}
    for (; f + 16 <= 80; f += 16) {
      __m512 acc0 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
      }
      _mm512_store_ps(ot + f + 0, acc0);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size 96. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size 96. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d96(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 96.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_d96(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 96; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 96. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_d96(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 96;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < 96; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 96. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_d96(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * 96;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 64 <= 96; f += 64) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
}
    for (; f + 32 <= 96; f += 32) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size 128. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size 128. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d128(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 128.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_d128(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 128; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 128. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_d128(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 128;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < 128; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 128. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_d128(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * 128;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 128 <= 128; f += 128) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      __m512 acc4 = _mm512_setzero_ps();
      __m512 acc5 = _mm512_setzero_ps();
      __m512 acc6 = _mm512_setzero_ps();
      __m512 acc7 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 64), w, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 80), w, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 96), w, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 112), w, acc7);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 64), factor, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 80), factor, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 96), factor, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 112), factor, acc7);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
      _mm512_store_ps(ot + f + 64, acc4);
      _mm512_store_ps(ot + f + 80, acc5);
      _mm512_store_ps(ot + f + 96, acc6);
      _mm512_store_ps(ot + f + 112, acc7);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size 192. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size 192. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d192(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 192.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_d192(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 192; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 192. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_d192(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 192;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < 192; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 192. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_d192(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * 192;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 128 <= 192; f += 128) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      __m512 acc4 = _mm512_setzero_ps();
      __m512 acc5 = _mm512_setzero_ps();
      __m512 acc6 = _mm512_setzero_ps();
      __m512 acc7 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 64), w, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 80), w, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 96), w, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 112), w, acc7);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 64), factor, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 80), factor, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 96), factor, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 112), factor, acc7);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
      _mm512_store_ps(ot + f + 64, acc4);
      _mm512_store_ps(ot + f + 80, acc5);
      _mm512_store_ps(ot + f + 96, acc6);
      _mm512_store_ps(ot + f + 112, acc7);
}
    for (; f + 64 <= 192; f += 64) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size 256. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size 256. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 256.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 256; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 256. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 256;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < 256; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 256. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * 256;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 128 <= 256; f += 128) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      __m512 acc4 = _mm512_setzero_ps();
      __m512 acc5 = _mm512_setzero_ps();
      __m512 acc6 = _mm512_setzero_ps();
      __m512 acc7 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 64), w, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 80), w, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 96), w, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 112), w, acc7);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 64), factor, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 80), factor, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 96), factor, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 112), factor, acc7);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
      _mm512_store_ps(ot + f + 64, acc4);
      _mm512_store_ps(ot + f + 80, acc5);
      _mm512_store_ps(ot + f + 96, acc6);
      _mm512_store_ps(ot + f + 112, acc7);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* avx512, f32, head size any. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_AVX512

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 48 rows (3 vectors of 16)
 * by 96 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  const int32_t size = t->head_size;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 48 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k0_q2 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q2 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q2 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q2 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q2 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q2 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q2 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q2 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      const __m512 q2 = _mm512_load_ps(q + 32);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      acc_k0_q2 = _mm512_fmadd_ps(b, q2, acc_k0_q2);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q2);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      acc_k1_q2 = _mm512_fmadd_ps(b, q2, acc_k1_q2);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q2);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      acc_k2_q2 = _mm512_fmadd_ps(b, q2, acc_k2_q2);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q2);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      acc_k3_q2 = _mm512_fmadd_ps(b, q2, acc_k3_q2);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q2);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      acc_k4_q2 = _mm512_fmadd_ps(b, q2, acc_k4_q2);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q2);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      acc_k5_q2 = _mm512_fmadd_ps(b, q2, acc_k5_q2);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q2);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      acc_k6_q2 = _mm512_fmadd_ps(b, q2, acc_k6_q2);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q2);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      acc_k7_q2 = _mm512_fmadd_ps(b, q2, acc_k7_q2);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q2);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 0);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q2 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 32, acc_k0_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k0_q2);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 80, acc_k1_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k1_q2);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 128, acc_k2_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k2_q2);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 176, acc_k3_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k3_q2);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 224, acc_k4_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k4_q2);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 272, acc_k5_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k5_q2);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 320, acc_k6_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k6_q2);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(st + 368, acc_k7_q2);
    max_q2 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q2, acc_k7_q2);
    _mm512_store_ps(t->row_max + 0, max_q0);
    _mm512_store_ps(t->row_max + 16, max_q1);
    _mm512_store_ps(t->row_max + 32, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 16;
    float *const st = t->st + (size_t)key * 48 + 16;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k0_q1 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q1 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q1 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q1 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q1 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q1 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q1 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q1 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      const __m512 q1 = _mm512_load_ps(q + 16);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      acc_k0_q1 = _mm512_fmadd_ps(b, q1, acc_k0_q1);
      ATTNI_CLANG_SETTLE("v", acc_k0_q0);
      ATTNI_CLANG_SETTLE("v", acc_k0_q1);
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      acc_k1_q1 = _mm512_fmadd_ps(b, q1, acc_k1_q1);
      ATTNI_CLANG_SETTLE("v", acc_k1_q0);
      ATTNI_CLANG_SETTLE("v", acc_k1_q1);
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      acc_k2_q1 = _mm512_fmadd_ps(b, q1, acc_k2_q1);
      ATTNI_CLANG_SETTLE("v", acc_k2_q0);
      ATTNI_CLANG_SETTLE("v", acc_k2_q1);
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      acc_k3_q1 = _mm512_fmadd_ps(b, q1, acc_k3_q1);
      ATTNI_CLANG_SETTLE("v", acc_k3_q0);
      ATTNI_CLANG_SETTLE("v", acc_k3_q1);
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      acc_k4_q1 = _mm512_fmadd_ps(b, q1, acc_k4_q1);
      ATTNI_CLANG_SETTLE("v", acc_k4_q0);
      ATTNI_CLANG_SETTLE("v", acc_k4_q1);
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      acc_k5_q1 = _mm512_fmadd_ps(b, q1, acc_k5_q1);
      ATTNI_CLANG_SETTLE("v", acc_k5_q0);
      ATTNI_CLANG_SETTLE("v", acc_k5_q1);
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      acc_k6_q1 = _mm512_fmadd_ps(b, q1, acc_k6_q1);
      ATTNI_CLANG_SETTLE("v", acc_k6_q0);
      ATTNI_CLANG_SETTLE("v", acc_k6_q1);
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      acc_k7_q1 = _mm512_fmadd_ps(b, q1, acc_k7_q1);
      ATTNI_CLANG_SETTLE("v", acc_k7_q0);
      ATTNI_CLANG_SETTLE("v", acc_k7_q1);
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 16);
    __m512 max_q1 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 16, acc_k0_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k0_q1);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 64, acc_k1_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k1_q1);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 112, acc_k2_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k2_q1);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 160, acc_k3_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k3_q1);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 208, acc_k4_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k4_q1);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 256, acc_k5_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k5_q1);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 304, acc_k6_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k6_q1);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(st + 352, acc_k7_q1);
    max_q1 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q1, acc_k7_q1);
    _mm512_store_ps(t->row_max + 16, max_q0);
    _mm512_store_ps(t->row_max + 32, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 32;
    float *const st = t->st + (size_t)key * 48 + 32;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    __m512 acc_k0_q0 = _mm512_setzero_ps();
    __m512 acc_k1_q0 = _mm512_setzero_ps();
    __m512 acc_k2_q0 = _mm512_setzero_ps();
    __m512 acc_k3_q0 = _mm512_setzero_ps();
    __m512 acc_k4_q0 = _mm512_setzero_ps();
    __m512 acc_k5_q0 = _mm512_setzero_ps();
    __m512 acc_k6_q0 = _mm512_setzero_ps();
    __m512 acc_k7_q0 = _mm512_setzero_ps();
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 48) {
      const __m512 q0 = _mm512_load_ps(q + 0);
      __m512 b;
      b = _mm512_set1_ps(*(k0 + d));
      acc_k0_q0 = _mm512_fmadd_ps(b, q0, acc_k0_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k1 + d));
      acc_k1_q0 = _mm512_fmadd_ps(b, q0, acc_k1_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k2 + d));
      acc_k2_q0 = _mm512_fmadd_ps(b, q0, acc_k2_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k3 + d));
      acc_k3_q0 = _mm512_fmadd_ps(b, q0, acc_k3_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k4 + d));
      acc_k4_q0 = _mm512_fmadd_ps(b, q0, acc_k4_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k5 + d));
      acc_k5_q0 = _mm512_fmadd_ps(b, q0, acc_k5_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k6 + d));
      acc_k6_q0 = _mm512_fmadd_ps(b, q0, acc_k6_q0);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(k7 + d));
      acc_k7_q0 = _mm512_fmadd_ps(b, q0, acc_k7_q0);
      ATTNI_CLANG_FENCE();
    }
    __m512 max_q0 = _mm512_load_ps(t->row_max + 32);
    _mm512_store_ps(st + 0, acc_k0_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k0_q0);
    _mm512_store_ps(st + 48, acc_k1_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k1_q0);
    _mm512_store_ps(st + 96, acc_k2_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k2_q0);
    _mm512_store_ps(st + 144, acc_k3_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k3_q0);
    _mm512_store_ps(st + 192, acc_k4_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k4_q0);
    _mm512_store_ps(st + 240, acc_k5_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k5_q0);
    _mm512_store_ps(st + 288, acc_k6_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k6_q0);
    _mm512_store_ps(st + 336, acc_k7_q0);
    max_q0 = _mm512_maskz_max_ps(ATTNI_AVX512_ALL, max_q0, acc_k7_q0);
    _mm512_store_ps(t->row_max + 32, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size t->head_size_v.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
ATTNI_TARGET_AVX512
static void attni_avx512_prefill_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  int32_t f;
  for (f = 0; f < size - 7; f += 8) {
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + 7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
  if (f < size) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t last = size - 1 - f;
    const int32_t f1 = attni_min_i32(1, last);
    const int32_t f2 = attni_min_i32(2, last);
    const int32_t f3 = attni_min_i32(3, last);
    const int32_t f4 = attni_min_i32(4, last);
    const int32_t f5 = attni_min_i32(5, last);
    const int32_t f6 = attni_min_i32(6, last);
    const int32_t f7 = attni_min_i32(7, last);
    float *const ot = t->ot + (size_t)f * 48;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    __m512 acc_f0_q0 = _mm512_setzero_ps();
    __m512 acc_f0_q1 = _mm512_setzero_ps();
    __m512 acc_f0_q2 = _mm512_setzero_ps();
    __m512 acc_f1_q0 = _mm512_setzero_ps();
    __m512 acc_f1_q1 = _mm512_setzero_ps();
    __m512 acc_f1_q2 = _mm512_setzero_ps();
    __m512 acc_f2_q0 = _mm512_setzero_ps();
    __m512 acc_f2_q1 = _mm512_setzero_ps();
    __m512 acc_f2_q2 = _mm512_setzero_ps();
    __m512 acc_f3_q0 = _mm512_setzero_ps();
    __m512 acc_f3_q1 = _mm512_setzero_ps();
    __m512 acc_f3_q2 = _mm512_setzero_ps();
    __m512 acc_f4_q0 = _mm512_setzero_ps();
    __m512 acc_f4_q1 = _mm512_setzero_ps();
    __m512 acc_f4_q2 = _mm512_setzero_ps();
    __m512 acc_f5_q0 = _mm512_setzero_ps();
    __m512 acc_f5_q1 = _mm512_setzero_ps();
    __m512 acc_f5_q2 = _mm512_setzero_ps();
    __m512 acc_f6_q0 = _mm512_setzero_ps();
    __m512 acc_f6_q1 = _mm512_setzero_ps();
    __m512 acc_f6_q2 = _mm512_setzero_ps();
    __m512 acc_f7_q0 = _mm512_setzero_ps();
    __m512 acc_f7_q1 = _mm512_setzero_ps();
    __m512 acc_f7_q2 = _mm512_setzero_ps();
    for (; key < end0; ++key, p += 48, vk += stride) {
      const __m512 p0 = _mm512_load_ps(p + 0);
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q0 = _mm512_fmadd_ps(b, p0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q0);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + f1));
      acc_f1_q0 = _mm512_fmadd_ps(b, p0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q0);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + f2));
      acc_f2_q0 = _mm512_fmadd_ps(b, p0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q0);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + f3));
      acc_f3_q0 = _mm512_fmadd_ps(b, p0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q0);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + f4));
      acc_f4_q0 = _mm512_fmadd_ps(b, p0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q0);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + f5));
      acc_f5_q0 = _mm512_fmadd_ps(b, p0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q0);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + f6));
      acc_f6_q0 = _mm512_fmadd_ps(b, p0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q0);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + f7));
      acc_f7_q0 = _mm512_fmadd_ps(b, p0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q0);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    for (; key < end1; ++key, p += 48, vk += stride) {
      const __m512 p1 = _mm512_load_ps(p + 16);
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q1 = _mm512_fmadd_ps(b, p1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_SETTLE("v", acc_f0_q1);
      ATTNI_CLANG_SETTLE("v", acc_f0_q2);
      b = _mm512_set1_ps(*(vk + f1));
      acc_f1_q1 = _mm512_fmadd_ps(b, p1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_SETTLE("v", acc_f1_q1);
      ATTNI_CLANG_SETTLE("v", acc_f1_q2);
      b = _mm512_set1_ps(*(vk + f2));
      acc_f2_q1 = _mm512_fmadd_ps(b, p1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_SETTLE("v", acc_f2_q1);
      ATTNI_CLANG_SETTLE("v", acc_f2_q2);
      b = _mm512_set1_ps(*(vk + f3));
      acc_f3_q1 = _mm512_fmadd_ps(b, p1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_SETTLE("v", acc_f3_q1);
      ATTNI_CLANG_SETTLE("v", acc_f3_q2);
      b = _mm512_set1_ps(*(vk + f4));
      acc_f4_q1 = _mm512_fmadd_ps(b, p1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_SETTLE("v", acc_f4_q1);
      ATTNI_CLANG_SETTLE("v", acc_f4_q2);
      b = _mm512_set1_ps(*(vk + f5));
      acc_f5_q1 = _mm512_fmadd_ps(b, p1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_SETTLE("v", acc_f5_q1);
      ATTNI_CLANG_SETTLE("v", acc_f5_q2);
      b = _mm512_set1_ps(*(vk + f6));
      acc_f6_q1 = _mm512_fmadd_ps(b, p1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_SETTLE("v", acc_f6_q1);
      ATTNI_CLANG_SETTLE("v", acc_f6_q2);
      b = _mm512_set1_ps(*(vk + f7));
      acc_f7_q1 = _mm512_fmadd_ps(b, p1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_SETTLE("v", acc_f7_q1);
      ATTNI_CLANG_SETTLE("v", acc_f7_q2);
    }
    for (; key < end2; ++key, p += 48, vk += stride) {
      const __m512 p2 = _mm512_load_ps(p + 32);
      __m512 b;
      b = _mm512_set1_ps(*(vk + 0));
      acc_f0_q2 = _mm512_fmadd_ps(b, p2, acc_f0_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + f1));
      acc_f1_q2 = _mm512_fmadd_ps(b, p2, acc_f1_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + f2));
      acc_f2_q2 = _mm512_fmadd_ps(b, p2, acc_f2_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + f3));
      acc_f3_q2 = _mm512_fmadd_ps(b, p2, acc_f3_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + f4));
      acc_f4_q2 = _mm512_fmadd_ps(b, p2, acc_f4_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + f5));
      acc_f5_q2 = _mm512_fmadd_ps(b, p2, acc_f5_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + f6));
      acc_f6_q2 = _mm512_fmadd_ps(b, p2, acc_f6_q2);
      ATTNI_CLANG_FENCE();
      b = _mm512_set1_ps(*(vk + f7));
      acc_f7_q2 = _mm512_fmadd_ps(b, p2, acc_f7_q2);
      ATTNI_CLANG_FENCE();
    }
    if (!t->first) {
      const __m512 factor_q0 = _mm512_load_ps(t->factor + 0);
      const __m512 factor_q1 = _mm512_load_ps(t->factor + 16);
      const __m512 factor_q2 = _mm512_load_ps(t->factor + 32);
      acc_f0_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 0), factor_q0, acc_f0_q0);
      acc_f0_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 16), factor_q1, acc_f0_q1);
      acc_f0_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 32), factor_q2, acc_f0_q2);
      acc_f1_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 48), factor_q0, acc_f1_q0);
      acc_f1_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 64), factor_q1, acc_f1_q1);
      acc_f1_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 80), factor_q2, acc_f1_q2);
      acc_f2_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 96), factor_q0, acc_f2_q0);
      acc_f2_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 112), factor_q1, acc_f2_q1);
      acc_f2_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 128), factor_q2, acc_f2_q2);
      acc_f3_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 144), factor_q0, acc_f3_q0);
      acc_f3_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 160), factor_q1, acc_f3_q1);
      acc_f3_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 176), factor_q2, acc_f3_q2);
      acc_f4_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 192), factor_q0, acc_f4_q0);
      acc_f4_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 208), factor_q1, acc_f4_q1);
      acc_f4_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 224), factor_q2, acc_f4_q2);
      acc_f5_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 240), factor_q0, acc_f5_q0);
      acc_f5_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 256), factor_q1, acc_f5_q1);
      acc_f5_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 272), factor_q2, acc_f5_q2);
      acc_f6_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 288), factor_q0, acc_f6_q0);
      acc_f6_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 304), factor_q1, acc_f6_q1);
      acc_f6_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 320), factor_q2, acc_f6_q2);
      acc_f7_q0 = _mm512_fmadd_ps(_mm512_load_ps(ot + 336), factor_q0, acc_f7_q0);
      acc_f7_q1 = _mm512_fmadd_ps(_mm512_load_ps(ot + 352), factor_q1, acc_f7_q1);
      acc_f7_q2 = _mm512_fmadd_ps(_mm512_load_ps(ot + 368), factor_q2, acc_f7_q2);
    }
    _mm512_store_ps(ot + 0, acc_f0_q0);
    _mm512_store_ps(ot + 16, acc_f0_q1);
    _mm512_store_ps(ot + 32, acc_f0_q2);
    _mm512_store_ps(ot + 48, acc_f1_q0);
    _mm512_store_ps(ot + 64, acc_f1_q1);
    _mm512_store_ps(ot + 80, acc_f1_q2);
    _mm512_store_ps(ot + 96, acc_f2_q0);
    _mm512_store_ps(ot + 112, acc_f2_q1);
    _mm512_store_ps(ot + 128, acc_f2_q2);
    _mm512_store_ps(ot + 144, acc_f3_q0);
    _mm512_store_ps(ot + 160, acc_f3_q1);
    _mm512_store_ps(ot + 176, acc_f3_q2);
    _mm512_store_ps(ot + 192, acc_f4_q0);
    _mm512_store_ps(ot + 208, acc_f4_q1);
    _mm512_store_ps(ot + 224, acc_f4_q2);
    _mm512_store_ps(ot + 240, acc_f5_q0);
    _mm512_store_ps(ot + 256, acc_f5_q1);
    _mm512_store_ps(ot + 272, acc_f5_q2);
    _mm512_store_ps(ot + 288, acc_f6_q0);
    _mm512_store_ps(ot + 304, acc_f6_q1);
    _mm512_store_ps(ot + 320, acc_f6_q2);
    _mm512_store_ps(ot + 336, acc_f7_q0);
    _mm512_store_ps(ot + 352, acc_f7_q1);
    _mm512_store_ps(ot + 368, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 16 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size t->head_size. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 16 * 16;
  const int32_t rest = t->head_size - whole;
  const int32_t row_floats = (t->head_size + 15) / 16 * 16;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * (size_t)row_floats;
    float *const st = t->st + (size_t)row * 80;
    for (key = 0; key < t->key_end[row]; key += 16) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      const float *const k8 = k + attni_min_i32(key + 8, last) * stride;
      const float *const k9 = k + attni_min_i32(key + 9, last) * stride;
      const float *const k10 = k + attni_min_i32(key + 10, last) * stride;
      const float *const k11 = k + attni_min_i32(key + 11, last) * stride;
      const float *const k12 = k + attni_min_i32(key + 12, last) * stride;
      const float *const k13 = k + attni_min_i32(key + 13, last) * stride;
      const float *const k14 = k + attni_min_i32(key + 14, last) * stride;
      const float *const k15 = k + attni_min_i32(key + 15, last) * stride;
      __m512 acc_k0 = _mm512_setzero_ps();
      __m512 acc_k1 = _mm512_setzero_ps();
      __m512 acc_k2 = _mm512_setzero_ps();
      __m512 acc_k3 = _mm512_setzero_ps();
      __m512 acc_k4 = _mm512_setzero_ps();
      __m512 acc_k5 = _mm512_setzero_ps();
      __m512 acc_k6 = _mm512_setzero_ps();
      __m512 acc_k7 = _mm512_setzero_ps();
      __m512 acc_k8 = _mm512_setzero_ps();
      __m512 acc_k9 = _mm512_setzero_ps();
      __m512 acc_k10 = _mm512_setzero_ps();
      __m512 acc_k11 = _mm512_setzero_ps();
      __m512 acc_k12 = _mm512_setzero_ps();
      __m512 acc_k13 = _mm512_setzero_ps();
      __m512 acc_k14 = _mm512_setzero_ps();
      __m512 acc_k15 = _mm512_setzero_ps();
      int32_t d;
      for (d = 0; d < whole; d += 16) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_loadu_ps(k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_loadu_ps(k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_loadu_ps(k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_loadu_ps(k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_loadu_ps(k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_loadu_ps(k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_loadu_ps(k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_loadu_ps(k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_loadu_ps(k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_loadu_ps(k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_loadu_ps(k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_loadu_ps(k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_loadu_ps(k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_loadu_ps(k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_loadu_ps(k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_loadu_ps(k15 + d), qd, acc_k15);
      }
      if (rest > 0) {
        const __m512 qd = _mm512_load_ps(q + d);
        acc_k0 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k0 + d), qd, acc_k0);
        acc_k1 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k1 + d), qd, acc_k1);
        acc_k2 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k2 + d), qd, acc_k2);
        acc_k3 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k3 + d), qd, acc_k3);
        acc_k4 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k4 + d), qd, acc_k4);
        acc_k5 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k5 + d), qd, acc_k5);
        acc_k6 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k6 + d), qd, acc_k6);
        acc_k7 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k7 + d), qd, acc_k7);
        acc_k8 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k8 + d), qd, acc_k8);
        acc_k9 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k9 + d), qd, acc_k9);
        acc_k10 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k10 + d), qd, acc_k10);
        acc_k11 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k11 + d), qd, acc_k11);
        acc_k12 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k12 + d), qd, acc_k12);
        acc_k13 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k13 + d), qd, acc_k13);
        acc_k14 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k14 + d), qd, acc_k14);
        acc_k15 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), k15 + d), qd, acc_k15);
      }
      {
        const __m512 t0_0 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_1 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k0, acc_k1);
        const __m512 t0_2 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_3 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k2, acc_k3);
        const __m512 t0_4 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_5 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k4, acc_k5);
        const __m512 t0_6 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_7 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k6, acc_k7);
        const __m512 t0_8 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_9 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k8, acc_k9);
        const __m512 t0_10 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_11 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k10, acc_k11);
        const __m512 t0_12 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_13 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k12, acc_k13);
        const __m512 t0_14 = _mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t0_15 = _mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, acc_k14, acc_k15);
        const __m512 t1_0 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0x44);
        const __m512 t1_1 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_0, t0_2, 0xee);
        const __m512 t1_2 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0x44);
        const __m512 t1_3 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_1, t0_3, 0xee);
        const __m512 t1_4 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0x44);
        const __m512 t1_5 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_4, t0_6, 0xee);
        const __m512 t1_6 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0x44);
        const __m512 t1_7 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_5, t0_7, 0xee);
        const __m512 t1_8 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0x44);
        const __m512 t1_9 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_8, t0_10, 0xee);
        const __m512 t1_10 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0x44);
        const __m512 t1_11 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_9, t0_11, 0xee);
        const __m512 t1_12 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0x44);
        const __m512 t1_13 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_12, t0_14, 0xee);
        const __m512 t1_14 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0x44);
        const __m512 t1_15 = _mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, t0_13, t0_15, 0xee);
        const __m512 t2_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0x88);
        const __m512 t2_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0x88);
        const __m512 t2_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0x88);
        const __m512 t2_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0x88);
        const __m512 t2_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0x88);
        const __m512 t2_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0x88);
        const __m512 t2_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0x88);
        const __m512 t2_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0x88);
        const __m512 t2_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_0, t1_4, 0xdd);
        const __m512 t2_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_1, t1_5, 0xdd);
        const __m512 t2_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_2, t1_6, 0xdd);
        const __m512 t2_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_3, t1_7, 0xdd);
        const __m512 t2_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_8, t1_12, 0xdd);
        const __m512 t2_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_9, t1_13, 0xdd);
        const __m512 t2_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_10, t1_14, 0xdd);
        const __m512 t2_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t1_11, t1_15, 0xdd);
        const __m512 t3_0 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0x88);
        const __m512 t3_1 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0x88);
        const __m512 t3_2 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0x88);
        const __m512 t3_3 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0x88);
        const __m512 t3_4 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0x88);
        const __m512 t3_5 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0x88);
        const __m512 t3_6 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0x88);
        const __m512 t3_7 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0x88);
        const __m512 t3_8 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_0, t2_4, 0xdd);
        const __m512 t3_9 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_1, t2_5, 0xdd);
        const __m512 t3_10 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_2, t2_6, 0xdd);
        const __m512 t3_11 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_3, t2_7, 0xdd);
        const __m512 t3_12 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_8, t2_12, 0xdd);
        const __m512 t3_13 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_9, t2_13, 0xdd);
        const __m512 t3_14 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_10, t2_14, 0xdd);
        const __m512 t3_15 = _mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, t2_11, t2_15, 0xdd);
        _mm512_store_ps(st + key, _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_0, t3_8), _mm512_add_ps(t3_4, t3_12)), _mm512_add_ps(_mm512_add_ps(t3_2, t3_10), _mm512_add_ps(t3_6, t3_14))), _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(t3_1, t3_9), _mm512_add_ps(t3_5, t3_13)), _mm512_add_ps(_mm512_add_ps(t3_3, t3_11), _mm512_add_ps(t3_7, t3_15)))));
      }
    }
  }
  attni_avx512_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size t->head_size_v. */
ATTNI_TARGET_AVX512
static void attni_avx512_decode_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  const int32_t row_floats = (size + 15) / 16 * 16;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 80;
    float *const ot = t->ot + (size_t)row * (size_t)row_floats;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 128 <= size; f += 128) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      __m512 acc4 = _mm512_setzero_ps();
      __m512 acc5 = _mm512_setzero_ps();
      __m512 acc6 = _mm512_setzero_ps();
      __m512 acc7 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 64), w, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 80), w, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 96), w, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 112), w, acc7);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
        acc4 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 64), factor, acc4);
        acc5 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 80), factor, acc5);
        acc6 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 96), factor, acc6);
        acc7 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 112), factor, acc7);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
      _mm512_store_ps(ot + f + 64, acc4);
      _mm512_store_ps(ot + f + 80, acc5);
      _mm512_store_ps(ot + f + 96, acc6);
      _mm512_store_ps(ot + f + 112, acc7);
}
    for (; f + 64 <= size; f += 64) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      __m512 acc2 = _mm512_setzero_ps();
      __m512 acc3 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 32), w, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 48), w, acc3);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
        acc2 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 32), factor, acc2);
        acc3 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 48), factor, acc3);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
      _mm512_store_ps(ot + f + 32, acc2);
      _mm512_store_ps(ot + f + 48, acc3);
}
    for (; f + 32 <= size; f += 32) {
      __m512 acc0 = _mm512_setzero_ps();
      __m512 acc1 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 16), w, acc1);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
        acc1 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 16), factor, acc1);
      }
      _mm512_store_ps(ot + f + 0, acc0);
      _mm512_store_ps(ot + f + 16, acc1);
}
    for (; f + 16 <= size; f += 16) {
      __m512 acc0 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_loadu_ps(vk + 0), w, acc0);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
      }
      _mm512_store_ps(ot + f + 0, acc0);
}
    if (f < size) {
      const int32_t rest = size - f;
      __m512 acc0 = _mm512_setzero_ps();
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const __m512 w = _mm512_set1_ps(*(p + key));
        ATTNI_CLANG_FENCE();
        acc0 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps((__mmask16)((1u << (rest)) - 1u), vk), w, acc0);
      }
      if (!t->first) {
        const __m512 factor = _mm512_set1_ps(t->factor[row]);
        acc0 = _mm512_fmadd_ps(_mm512_load_ps(ot + f + 0), factor, acc0);
      }
      _mm512_store_ps(ot + f + 0, acc0);
}
  }
}

#endif /* ATTNI_HAVE_AVX512 */

/* neon: the kernels that do not depend on the head size. Generated from gen/templates/kernels.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* What is below -127, minus infinity included, is raised to it, which gives 0; not NaN. Where the compiler
 * may assume that there is none, scale2 finds what is below -126 by its bits. */
static ATTNI_FORCE_INLINE float32x4_t attni_neon_clamp_tiny(float32x4_t x) {
#if ATTNI_FINITE_MATH
  return x;
#else
  return vmaxq_f32(vdupq_n_f32(-127.0f), x);
#endif
}

/* y * 2^n, by adding n to the exponent. */
static ATTNI_FORCE_INLINE float32x4_t attni_neon_scale2(float32x4_t y, float32x4_t n, float32x4_t x) {
  const int32x4_t scaled = vaddq_s32(vreinterpretq_s32_f32(y), vshlq_n_s32(vcvtq_s32_f32(n), 23));
#if ATTNI_FINITE_MATH
  const uint32x4_t i = vsubq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(ATTNI_TINY_FIRST));
  const uint32x4_t tiny = vcleq_u32(i, vdupq_n_u32(ATTNI_TINY_RANGE));
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_s32(scaled), tiny));
#else
  (void)x;
  return vreinterpretq_f32_s32(scaled);
#endif
}

/* The first n floats, 0 < n < 4; the other lanes are 0 and their memory is not read. */
static ATTNI_UNUSED float32x4_t attni_neon_load_part(const float *p, int32_t n) {
  float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  memcpy(part, p, (size_t)n * sizeof(float));
  return vld1q_f32(part);
}

#ifdef ATTN_USE_SLEEF
#ifdef __cplusplus
extern "C"
#endif
float32x4_t Sleef_exp2f4_u10advsimd(float32x4_t);
#endif

/* 2^x for x <= 0; below -126 it falls to 0, which it is from -127 on. The polynomial is for 2^r on [-1/2, 1/2]; its constant is exactly 1, so
 * that 2^0 = 1 exactly. Error and coefficients: docs/numerics.md. */
static ATTNI_FORCE_INLINE float32x4_t attni_neon_exp2(float32x4_t x) {
#ifdef ATTN_USE_SLEEF
  return Sleef_exp2f4_u10advsimd(x);
#else
  const float32x4_t clamped = attni_neon_clamp_tiny(x);
  const float32x4_t n = vrndnq_f32(clamped);
  const float32x4_t r = vsubq_f32(clamped, n);
  float32x4_t y = vdupq_n_f32(ATTNI_EXP2_C5);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C4), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C3), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C2), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C1), y, r);
  y = vfmaq_f32(vdupq_n_f32(ATTNI_EXP2_C0), y, r);
  return attni_neon_scale2(y, n, clamped);
#endif
}

/* qt[d][row] = rows[row][d] * scale, 4 rows by 4 features at a time. */
static void attni_neon_prefill_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const float32x4_t scale_v = vdupq_n_f32(scale);
  int32_t row, d;
  for (row = t->row0; row < 12; row += 4) {
    const float *const *const r = rows + row;
    float *qt = t->qt + row;
    for (d = 0; d + 4 <= t->head_size; d += 4, qt += 48) {
      const float32x4_t x0 = vmulq_f32(vld1q_f32(r[0] + d), scale_v);
      const float32x4_t x1 = vmulq_f32(vld1q_f32(r[1] + d), scale_v);
      const float32x4_t x2 = vmulq_f32(vld1q_f32(r[2] + d), scale_v);
      const float32x4_t x3 = vmulq_f32(vld1q_f32(r[3] + d), scale_v);
      const float32x4_t t0_0 = vzip1q_f32(x0, x1);
      const float32x4_t t0_1 = vzip2q_f32(x0, x1);
      const float32x4_t t0_2 = vzip1q_f32(x2, x3);
      const float32x4_t t0_3 = vzip2q_f32(x2, x3);
      const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
      const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
      const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
      const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
      vst1q_f32(qt + 0, t1_0);
      vst1q_f32(qt + 12, t1_1);
      vst1q_f32(qt + 24, t1_2);
      vst1q_f32(qt + 36, t1_3);
    }
    for (; d < t->head_size; ++d, qt += 12) {
      int32_t i;
      for (i = 0; i < 4; ++i) qt[i] = r[i][d] * scale;
    }
  }
}

static bool attni_neon_prefill_finite(const attni_keys *kv, int32_t begin, int32_t end, int32_t head_size_v) {
  const float *x = (const float *)kv->v + begin * kv->v_stride;
  int32_t largest[4];
  int32x4_t max = vdupq_n_s32(0);
  int32_t key, i;
  for (key = begin; key < end; ++key, x += kv->v_stride) {
    for (i = 0; i + 4 <= head_size_v; i += 4) {
      const float32x4_t x_i = vld1q_f32(x + i);
      max = vmaxq_s32(max, vandq_s32(vreinterpretq_s32_f32(x_i), vdupq_n_s32(INT32_MAX)));
    }
    for (; i < head_size_v; ++i) {
      if (!attni_is_finite(x[i])) return false;
    }
  }
  vst1q_s32(largest, max);
  for (i = 0; i < 4; ++i) {
    if (largest[i] >= (int32_t)ATTNI_INFINITY_BITS) return false;
  }
  return true;
}

static void attni_neon_prefill_mask(const attni_tile *t, uint32_t fill) {
  const float32x4_t fill_v = vreinterpretq_f32_u32(vdupq_n_u32(fill));
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    for (key = t->key_full[row / 4]; key < t->key_end[row / 4]; ++key) {
      float *const st = t->st + (size_t)key * 12 + row;
      const float32x4_t s = vld1q_f32(st);
      vst1q_f32(st, vbslq_f32(vcgtq_s32(vld1q_s32(t->limit + row), vdupq_n_s32(key)), s, fill_v));
    }
  }
}

static void attni_neon_prefill_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const float *st = t->st + row;
    float32x4_t max = vld1q_f32(t->m + row);
    for (key = 0; key < t->key_end[row / 4]; ++key, st += 12) {
      const float32x4_t s = vld1q_f32(st);
      max = vmaxq_f32(max, s);
    }
    vst1q_f32(t->row_max + row, max);
  }
}

/* Four keys at a time, each with a sum of its own: the order of a row's sums depends on the key alone.
 * Keys behind the end, up to a multiple of four, get the score -infinity and so the weight 0. */
static void attni_neon_prefill_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 12; row += 4) {
    const int32_t end = t->key_end[row / 4];
    const float32x4_t max = vld1q_f32(t->row_max + row);
    const float32x4_t old = vsubq_f32(vld1q_f32(t->m + row), max);
    const float32x4_t factor = attni_neon_exp2(old);
    float *st = t->st + row;
    float32x4_t sum0 = vdupq_n_f32(0.0f);
    float32x4_t sum1 = vdupq_n_f32(0.0f);
    float32x4_t sum2 = vdupq_n_f32(0.0f);
    float32x4_t sum3 = vdupq_n_f32(0.0f);
    for (key = end; key % 4 != 0; ++key) {
      vst1q_f32(st + (size_t)key * 12, vreinterpretq_f32_u32(vdupq_n_u32(ATTNI_NEG_INFINITY_BITS)));
    }
    for (key = 0; key < end; key += 4, st += 48) {
      {
        const float32x4_t x = vsubq_f32(vld1q_f32(st + 0), max);
        const float32x4_t w = attni_neon_exp2(x);
        vst1q_f32(st + 0, w);
        sum0 = vaddq_f32(sum0, w);
      }
      {
        const float32x4_t x = vsubq_f32(vld1q_f32(st + 12), max);
        const float32x4_t w = attni_neon_exp2(x);
        vst1q_f32(st + 12, w);
        sum1 = vaddq_f32(sum1, w);
      }
      {
        const float32x4_t x = vsubq_f32(vld1q_f32(st + 24), max);
        const float32x4_t w = attni_neon_exp2(x);
        vst1q_f32(st + 24, w);
        sum2 = vaddq_f32(sum2, w);
      }
      {
        const float32x4_t x = vsubq_f32(vld1q_f32(st + 36), max);
        const float32x4_t w = attni_neon_exp2(x);
        vst1q_f32(st + 36, w);
        sum3 = vaddq_f32(sum3, w);
      }
    }
    sum0 = vaddq_f32(vaddq_f32(sum0, sum1), vaddq_f32(sum2, sum3));
    vst1q_f32(t->l + row, vfmaq_f32(sum0, vld1q_f32(t->l + row), factor));
    vst1q_f32(t->factor + row, factor);
  }
}

/* The careful product: slow, and rarely needed. It too sets the rows before row0, which PV loads. */
static void attni_neon_prefill_pv_masked(const attni_tile *t) {
  int32_t row, f, key;
  for (row = 0; row < 12; row += 4) {
    const float32x4_t factor = vld1q_f32(t->factor + row);
    for (f = 0; f < t->head_size_v; ++f) {
      float *const ot = t->ot + (size_t)f * 12 + row;
      const float *vk = (const float *)t->kv.v + f;
      float32x4_t acc = vdupq_n_f32(0.0f);
      for (key = 0; key < t->key_end[row / 4]; ++key, vk += t->kv.v_stride) {
        const float32x4_t p = vld1q_f32(t->st + (size_t)key * 12 + row);
        const float32x4_t b = vld1q_dup_f32(vk);
        const float32x4_t next = vfmaq_f32(acc, b, p);
        acc = vbslq_f32(vceqq_s32(vreinterpretq_s32_f32(p), vdupq_n_s32(INT32_MIN)), acc, next);
      }
      if (!t->first) acc = vfmaq_f32(acc, vld1q_f32(ot), factor);
      vst1q_f32(ot, acc);
    }
  }
}

/* Adding 0 makes -0 into +0: the sign of a zero could tell how many masked keys were passed. */
static void attni_neon_prefill_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const float32x4_t zero = vdupq_n_f32(0.0f);
  int32_t row, f, i;
  for (row = t->row0; row < 12; row += 4) {
    const float32x4_t scale = vld1q_f32(inverse + row);
    float *const *const r = rows + (row - t->row0);
    const int32_t n = count - (row - t->row0);
    const float *ot = t->ot + row;
    for (f = 0; f + 4 <= t->head_size_v; f += 4, ot += 48) {
      const float32x4_t x0 = vfmaq_f32(zero, vld1q_f32(ot + 0), scale);
      const float32x4_t x1 = vfmaq_f32(zero, vld1q_f32(ot + 12), scale);
      const float32x4_t x2 = vfmaq_f32(zero, vld1q_f32(ot + 24), scale);
      const float32x4_t x3 = vfmaq_f32(zero, vld1q_f32(ot + 36), scale);
      const float32x4_t t0_0 = vzip1q_f32(x0, x1);
      const float32x4_t t0_1 = vzip2q_f32(x0, x1);
      const float32x4_t t0_2 = vzip1q_f32(x2, x3);
      const float32x4_t t0_3 = vzip2q_f32(x2, x3);
      const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
      const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
      const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
      const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
      if (n > 0) vst1q_f32(r[0] + f, t1_0);
      if (n > 1) vst1q_f32(r[1] + f, t1_1);
      if (n > 2) vst1q_f32(r[2] + f, t1_2);
      if (n > 3) vst1q_f32(r[3] + f, t1_3);
    }
    for (; f < t->head_size_v; ++f, ot += 12) {
      float x[4];
      vst1q_f32(x, vfmaq_f32(zero, vld1q_f32(ot), scale));
      for (i = 0; i < 4 && i < n; ++i) r[i][f] = x[i];
    }
  }
}

/* A row of qt or ot takes whole multiples of 8 floats. */
static size_t attni_neon_decode_row_floats(int32_t head_size) {
  return (size_t)(head_size + 7) / 8 * 8;
}

/* qt[row][d] = rows[row][d] * scale, and 0 behind the last feature. */
static void attni_neon_decode_pack_q(const attni_tile *t, const float *const *rows, float scale) {
  const size_t floats = attni_neon_decode_row_floats(t->head_size);
  const size_t size = (size_t)t->head_size;
  int32_t row;
  size_t d;
  for (row = t->row0; row < 16; ++row) {
    float *const qt = t->qt + (size_t)row * floats;
    for (d = 0; d < size; ++d) qt[d] = rows[row][d] * scale;
    for (; d < floats; ++d) qt[d] = 0.0f;
  }
}

/* The largest of the lanes, as a tree. */
static float attni_neon_decode_max_lanes(const float *x) {
  float y[4];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 2; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] = y[i + n] > y[i] ? y[i + n] : y[i];
  }
  return y[0];
}

/* The sum of the lanes, as a tree. */
static float attni_neon_decode_sum_lanes(const float *x) {
  float y[4];
  int32_t n, i;
  memcpy(y, x, sizeof y);
  for (n = 2; n > 0; n /= 2) {
    for (i = 0; i < n; ++i) y[i] += y[i + n];
  }
  return y[0];
}

/* Keys behind the end, up to a whole vector, get the score -infinity and so the weight 0. */
static void attni_neon_decode_find_max(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 72;
    const int32_t end = t->key_end[row];
    float lanes[4];
    float32x4_t max = vdupq_n_f32(t->m[row]);
    for (key = end; key % 4 != 0; ++key) st[key] = attni_float(ATTNI_NEG_INFINITY_BITS);
    for (key = 0; key < end; key += 4) {
      const float32x4_t s = vld1q_f32(st + key);
      max = vmaxq_f32(max, s);
    }
    vst1q_f32(lanes, max);
    t->row_max[row] = attni_neon_decode_max_lanes(lanes);
  }
}

static void attni_neon_decode_softmax(const attni_tile *t) {
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    float *const st = t->st + (size_t)row * 72;
    const float32x4_t max = vdupq_n_f32(t->row_max[row]);
    const float32x4_t old = vsubq_f32(vdupq_n_f32(t->m[row]), max);
    const float32x4_t factor = attni_neon_exp2(old);
    float lanes[4];
    float32x4_t sum = vdupq_n_f32(0.0f);
    for (key = 0; key < t->key_end[row]; key += 4) {
      const float32x4_t x = vsubq_f32(vld1q_f32(st + key), max);
      const float32x4_t w = attni_neon_exp2(x);
      vst1q_f32(st + key, w);
      sum = vaddq_f32(sum, w);
    }
    vst1q_f32(lanes, factor);
    t->factor[row] = lanes[0];
    vst1q_f32(lanes, sum);
    /* Contracted or not, it is the same for every row: this is its only place. */
    t->l[row] = t->l[row] * t->factor[row] + attni_neon_decode_sum_lanes(lanes);
  }
}

/* Adding 0 makes -0 into +0, as in the prefill family. */
static void attni_neon_decode_store_o(const attni_tile *t, float *const *rows, int32_t count, const float *inverse) {
  const size_t floats = attni_neon_decode_row_floats(t->head_size_v);
  const float32x4_t zero = vdupq_n_f32(0.0f);
  int32_t i, f;
  for (i = 0; i < count; ++i) {
    const int32_t row = t->row0 + i;
    const float *const ot = t->ot + (size_t)row * floats;
    const float32x4_t scale = vdupq_n_f32(inverse[row]);
    for (f = 0; f + 4 <= t->head_size_v; f += 4) {
      vst1q_f32(rows[i] + f, vfmaq_f32(zero, vld1q_f32(ot + f), scale));
    }
    if (f < t->head_size_v) {
      float last[4];
      vst1q_f32(last, vfmaq_f32(zero, vld1q_f32(ot + f), scale));
      memcpy(rows[i] + f, last, (size_t)(t->head_size_v - f) * sizeof(float));
    }
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size 32. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 32. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d32(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 32; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 32.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d32(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 32; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 32. */
static void attni_neon_decode_qk_f32_d32(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 32;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 32; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 32. */
static void attni_neon_decode_pv_f32_d32(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 32;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 32; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size 64. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 64. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d64(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 64; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 64.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d64(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 64; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 64. */
static void attni_neon_decode_qk_f32_d64(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 64;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 64; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 64. */
static void attni_neon_decode_pv_f32_d64(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 64;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 64; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size 80. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 80. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 80; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 80.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 80; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 80. */
static void attni_neon_decode_qk_f32_d80(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 80;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 80; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 80. */
static void attni_neon_decode_pv_f32_d80(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 80;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 80; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
    for (; f + 16 <= 80; f += 16) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size 96. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 96. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d96(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 96; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 96.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d96(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 96; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 96. */
static void attni_neon_decode_qk_f32_d96(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 96;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 96; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 96. */
static void attni_neon_decode_pv_f32_d96(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 96;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 96; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size 128. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 128. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d128(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 128; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 128.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d128(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 128; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 128. */
static void attni_neon_decode_qk_f32_d128(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 128;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 128; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 128. */
static void attni_neon_decode_pv_f32_d128(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 128;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 128; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size 192. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 192. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d192(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 192; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 192.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d192(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 192; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 192. */
static void attni_neon_decode_qk_f32_d192(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 192;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 192; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 192. */
static void attni_neon_decode_pv_f32_d192(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 192;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 192; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size 256. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size 256. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < 256; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size 256.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t f;
  for (f = 0; f < 256; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size 256. */
static void attni_neon_decode_qk_f32_d256(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * 256;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < 256; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size 256. */
static void attni_neon_decode_pv_f32_d256(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * 256;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= 256; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* neon, f32, head size any. Generated from gen/templates/products.h.j2. */
#ifdef ATTNI_HAVE_NEON

/* st[key][row] = sum over d of k[key][d] * qt[d][row], and row_max: 12 rows (3 vectors of 4)
 * by 96 keys, head size t->head_size. Vectors whose last key has passed drop out, first ones first.
 * A step past the last key repeats it; the scores land in the tile's padding. */
static void attni_neon_prefill_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int64_t ahead_step = (8 * t->ahead_rows + last) / t->kv.keys;
  attni_ahead *ahead = t->ahead;
  const int32_t size = t->head_size;
  int32_t key = 0;
  /* 8 keys by 3 vectors: 24 accumulators, 3 of qt, 1 of k */
  for (; key < t->key_end[0]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 0;
    float *const st = t->st + (size_t)key * 12 + 0;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q2 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      const float32x4_t q2 = vld1q_f32(q + 8);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      acc_k0_q2 = vfmaq_f32(acc_k0_q2, b, q2);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      ATTNI_SETTLE("w", acc_k0_q2);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      acc_k1_q2 = vfmaq_f32(acc_k1_q2, b, q2);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      ATTNI_SETTLE("w", acc_k1_q2);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      acc_k2_q2 = vfmaq_f32(acc_k2_q2, b, q2);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      ATTNI_SETTLE("w", acc_k2_q2);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      acc_k3_q2 = vfmaq_f32(acc_k3_q2, b, q2);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      ATTNI_SETTLE("w", acc_k3_q2);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      acc_k4_q2 = vfmaq_f32(acc_k4_q2, b, q2);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      ATTNI_SETTLE("w", acc_k4_q2);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      acc_k5_q2 = vfmaq_f32(acc_k5_q2, b, q2);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      ATTNI_SETTLE("w", acc_k5_q2);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      acc_k6_q2 = vfmaq_f32(acc_k6_q2, b, q2);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      ATTNI_SETTLE("w", acc_k6_q2);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      acc_k7_q2 = vfmaq_f32(acc_k7_q2, b, q2);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
      ATTNI_SETTLE("w", acc_k7_q2);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 0);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q2 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 8, acc_k0_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k0_q2);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 20, acc_k1_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k1_q2);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 32, acc_k2_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k2_q2);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 44, acc_k3_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k3_q2);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 56, acc_k4_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k4_q2);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 68, acc_k5_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k5_q2);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 80, acc_k6_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k6_q2);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(st + 92, acc_k7_q2);
    max_q2 = vmaxq_f32(max_q2, acc_k7_q2);
    vst1q_f32(t->row_max + 0, max_q0);
    vst1q_f32(t->row_max + 4, max_q1);
    vst1q_f32(t->row_max + 8, max_q2);
  }
  /* 8 keys by 2 vectors: 16 accumulators, 2 of qt, 1 of k */
  for (; key < t->key_end[1]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 4;
    float *const st = t->st + (size_t)key * 12 + 4;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q1 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      const float32x4_t q1 = vld1q_f32(q + 4);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      acc_k0_q1 = vfmaq_f32(acc_k0_q1, b, q1);
      ATTNI_SETTLE("w", acc_k0_q0);
      ATTNI_SETTLE("w", acc_k0_q1);
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      acc_k1_q1 = vfmaq_f32(acc_k1_q1, b, q1);
      ATTNI_SETTLE("w", acc_k1_q0);
      ATTNI_SETTLE("w", acc_k1_q1);
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      acc_k2_q1 = vfmaq_f32(acc_k2_q1, b, q1);
      ATTNI_SETTLE("w", acc_k2_q0);
      ATTNI_SETTLE("w", acc_k2_q1);
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      acc_k3_q1 = vfmaq_f32(acc_k3_q1, b, q1);
      ATTNI_SETTLE("w", acc_k3_q0);
      ATTNI_SETTLE("w", acc_k3_q1);
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      acc_k4_q1 = vfmaq_f32(acc_k4_q1, b, q1);
      ATTNI_SETTLE("w", acc_k4_q0);
      ATTNI_SETTLE("w", acc_k4_q1);
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      acc_k5_q1 = vfmaq_f32(acc_k5_q1, b, q1);
      ATTNI_SETTLE("w", acc_k5_q0);
      ATTNI_SETTLE("w", acc_k5_q1);
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      acc_k6_q1 = vfmaq_f32(acc_k6_q1, b, q1);
      ATTNI_SETTLE("w", acc_k6_q0);
      ATTNI_SETTLE("w", acc_k6_q1);
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      acc_k7_q1 = vfmaq_f32(acc_k7_q1, b, q1);
      ATTNI_SETTLE("w", acc_k7_q0);
      ATTNI_SETTLE("w", acc_k7_q1);
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 4);
    float32x4_t max_q1 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 4, acc_k0_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k0_q1);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 16, acc_k1_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k1_q1);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 28, acc_k2_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k2_q1);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 40, acc_k3_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k3_q1);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 52, acc_k4_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k4_q1);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 64, acc_k5_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k5_q1);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 76, acc_k6_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k6_q1);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(st + 88, acc_k7_q1);
    max_q1 = vmaxq_f32(max_q1, acc_k7_q1);
    vst1q_f32(t->row_max + 4, max_q0);
    vst1q_f32(t->row_max + 8, max_q1);
  }
  /* 8 keys by 1 vectors: 8 accumulators, 1 of qt, 1 of k */
  for (; key < t->key_end[2]; key += 8) {
    const float *const k0 = k + key * stride;
    const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
    const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
    const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
    const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
    const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
    const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
    const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
    const float *q = t->qt + 8;
    float *const st = t->st + (size_t)key * 12 + 8;
    ahead = attni_look_ahead(t, ahead, ahead_step);
    float32x4_t acc_k0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_k7_q0 = vdupq_n_f32(0.0f);
    int32_t d;
    ATTNI_UNROLL(4)
    for (d = 0; d < size; ++d, q += 12) {
      const float32x4_t q0 = vld1q_f32(q + 0);
      float32x4_t b;
      b = vld1q_dup_f32(k0 + d);
      acc_k0_q0 = vfmaq_f32(acc_k0_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k1 + d);
      acc_k1_q0 = vfmaq_f32(acc_k1_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k2 + d);
      acc_k2_q0 = vfmaq_f32(acc_k2_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k3 + d);
      acc_k3_q0 = vfmaq_f32(acc_k3_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k4 + d);
      acc_k4_q0 = vfmaq_f32(acc_k4_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k5 + d);
      acc_k5_q0 = vfmaq_f32(acc_k5_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k6 + d);
      acc_k6_q0 = vfmaq_f32(acc_k6_q0, b, q0);
      ATTNI_FENCE();
      b = vld1q_dup_f32(k7 + d);
      acc_k7_q0 = vfmaq_f32(acc_k7_q0, b, q0);
      ATTNI_FENCE();
    }
    float32x4_t max_q0 = vld1q_f32(t->row_max + 8);
    vst1q_f32(st + 0, acc_k0_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k0_q0);
    vst1q_f32(st + 12, acc_k1_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k1_q0);
    vst1q_f32(st + 24, acc_k2_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k2_q0);
    vst1q_f32(st + 36, acc_k3_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k3_q0);
    vst1q_f32(st + 48, acc_k4_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k4_q0);
    vst1q_f32(st + 60, acc_k5_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k5_q0);
    vst1q_f32(st + 72, acc_k6_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k6_q0);
    vst1q_f32(st + 84, acc_k7_q0);
    max_q0 = vmaxq_f32(max_q0, acc_k7_q0);
    vst1q_f32(t->row_max + 8, max_q0);
  }
}

/* ot[f][row] = ot[f][row] * factor[row] + sum over keys of v[key][f] * st[key][row], head size t->head_size_v.
 * 8 features by 3 vectors: 24 accumulators, 3 of st, 1 of v; kept over all keys, while vectors drop out as in QK. */
static void attni_neon_prefill_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  int32_t f;
  for (f = 0; f < size - 7; f += 8) {
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    ATTNI_UNROLL(4)
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    ATTNI_UNROLL(4)
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + 7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
  if (f < size) {
    /* the last features; those behind them repeat the last and land in the padding */
    const int32_t last = size - 1 - f;
    const int32_t f1 = attni_min_i32(1, last);
    const int32_t f2 = attni_min_i32(2, last);
    const int32_t f3 = attni_min_i32(3, last);
    const int32_t f4 = attni_min_i32(4, last);
    const int32_t f5 = attni_min_i32(5, last);
    const int32_t f6 = attni_min_i32(6, last);
    const int32_t f7 = attni_min_i32(7, last);
    float *const ot = t->ot + (size_t)f * 12;
    const float *p = t->st;
    const float *vk = value + f;
    const int32_t end0 = t->key_end[0];
    const int32_t end1 = t->key_end[1];
    const int32_t end2 = t->key_end[2];
    int32_t key = 0;
    float32x4_t acc_f0_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f0_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f1_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f2_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f3_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f4_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f5_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f6_q2 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q0 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q1 = vdupq_n_f32(0.0f);
    float32x4_t acc_f7_q2 = vdupq_n_f32(0.0f);
    for (; key < end0; ++key, p += 12, vk += stride) {
      const float32x4_t p0 = vld1q_f32(p + 0);
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, b, p0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q0);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + f1);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, b, p0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q0);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + f2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, b, p0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q0);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + f3);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, b, p0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q0);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + f4);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, b, p0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q0);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + f5);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, b, p0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q0);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + f6);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, b, p0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q0);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + f7);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, b, p0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q0);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    for (; key < end1; ++key, p += 12, vk += stride) {
      const float32x4_t p1 = vld1q_f32(p + 4);
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, b, p1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_SETTLE("w", acc_f0_q1);
      ATTNI_SETTLE("w", acc_f0_q2);
      b = vld1q_dup_f32(vk + f1);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, b, p1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_SETTLE("w", acc_f1_q1);
      ATTNI_SETTLE("w", acc_f1_q2);
      b = vld1q_dup_f32(vk + f2);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, b, p1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_SETTLE("w", acc_f2_q1);
      ATTNI_SETTLE("w", acc_f2_q2);
      b = vld1q_dup_f32(vk + f3);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, b, p1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_SETTLE("w", acc_f3_q1);
      ATTNI_SETTLE("w", acc_f3_q2);
      b = vld1q_dup_f32(vk + f4);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, b, p1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_SETTLE("w", acc_f4_q1);
      ATTNI_SETTLE("w", acc_f4_q2);
      b = vld1q_dup_f32(vk + f5);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, b, p1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_SETTLE("w", acc_f5_q1);
      ATTNI_SETTLE("w", acc_f5_q2);
      b = vld1q_dup_f32(vk + f6);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, b, p1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_SETTLE("w", acc_f6_q1);
      ATTNI_SETTLE("w", acc_f6_q2);
      b = vld1q_dup_f32(vk + f7);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, b, p1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_SETTLE("w", acc_f7_q1);
      ATTNI_SETTLE("w", acc_f7_q2);
    }
    for (; key < end2; ++key, p += 12, vk += stride) {
      const float32x4_t p2 = vld1q_f32(p + 8);
      float32x4_t b;
      b = vld1q_dup_f32(vk + 0);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f2);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f3);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f4);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f5);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f6);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, b, p2);
      ATTNI_FENCE();
      b = vld1q_dup_f32(vk + f7);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, b, p2);
      ATTNI_FENCE();
    }
    if (!t->first) {
      const float32x4_t factor_q0 = vld1q_f32(t->factor + 0);
      const float32x4_t factor_q1 = vld1q_f32(t->factor + 4);
      const float32x4_t factor_q2 = vld1q_f32(t->factor + 8);
      acc_f0_q0 = vfmaq_f32(acc_f0_q0, vld1q_f32(ot + 0), factor_q0);
      acc_f0_q1 = vfmaq_f32(acc_f0_q1, vld1q_f32(ot + 4), factor_q1);
      acc_f0_q2 = vfmaq_f32(acc_f0_q2, vld1q_f32(ot + 8), factor_q2);
      acc_f1_q0 = vfmaq_f32(acc_f1_q0, vld1q_f32(ot + 12), factor_q0);
      acc_f1_q1 = vfmaq_f32(acc_f1_q1, vld1q_f32(ot + 16), factor_q1);
      acc_f1_q2 = vfmaq_f32(acc_f1_q2, vld1q_f32(ot + 20), factor_q2);
      acc_f2_q0 = vfmaq_f32(acc_f2_q0, vld1q_f32(ot + 24), factor_q0);
      acc_f2_q1 = vfmaq_f32(acc_f2_q1, vld1q_f32(ot + 28), factor_q1);
      acc_f2_q2 = vfmaq_f32(acc_f2_q2, vld1q_f32(ot + 32), factor_q2);
      acc_f3_q0 = vfmaq_f32(acc_f3_q0, vld1q_f32(ot + 36), factor_q0);
      acc_f3_q1 = vfmaq_f32(acc_f3_q1, vld1q_f32(ot + 40), factor_q1);
      acc_f3_q2 = vfmaq_f32(acc_f3_q2, vld1q_f32(ot + 44), factor_q2);
      acc_f4_q0 = vfmaq_f32(acc_f4_q0, vld1q_f32(ot + 48), factor_q0);
      acc_f4_q1 = vfmaq_f32(acc_f4_q1, vld1q_f32(ot + 52), factor_q1);
      acc_f4_q2 = vfmaq_f32(acc_f4_q2, vld1q_f32(ot + 56), factor_q2);
      acc_f5_q0 = vfmaq_f32(acc_f5_q0, vld1q_f32(ot + 60), factor_q0);
      acc_f5_q1 = vfmaq_f32(acc_f5_q1, vld1q_f32(ot + 64), factor_q1);
      acc_f5_q2 = vfmaq_f32(acc_f5_q2, vld1q_f32(ot + 68), factor_q2);
      acc_f6_q0 = vfmaq_f32(acc_f6_q0, vld1q_f32(ot + 72), factor_q0);
      acc_f6_q1 = vfmaq_f32(acc_f6_q1, vld1q_f32(ot + 76), factor_q1);
      acc_f6_q2 = vfmaq_f32(acc_f6_q2, vld1q_f32(ot + 80), factor_q2);
      acc_f7_q0 = vfmaq_f32(acc_f7_q0, vld1q_f32(ot + 84), factor_q0);
      acc_f7_q1 = vfmaq_f32(acc_f7_q1, vld1q_f32(ot + 88), factor_q1);
      acc_f7_q2 = vfmaq_f32(acc_f7_q2, vld1q_f32(ot + 92), factor_q2);
    }
    vst1q_f32(ot + 0, acc_f0_q0);
    vst1q_f32(ot + 4, acc_f0_q1);
    vst1q_f32(ot + 8, acc_f0_q2);
    vst1q_f32(ot + 12, acc_f1_q0);
    vst1q_f32(ot + 16, acc_f1_q1);
    vst1q_f32(ot + 20, acc_f1_q2);
    vst1q_f32(ot + 24, acc_f2_q0);
    vst1q_f32(ot + 28, acc_f2_q1);
    vst1q_f32(ot + 32, acc_f2_q2);
    vst1q_f32(ot + 36, acc_f3_q0);
    vst1q_f32(ot + 40, acc_f3_q1);
    vst1q_f32(ot + 44, acc_f3_q2);
    vst1q_f32(ot + 48, acc_f4_q0);
    vst1q_f32(ot + 52, acc_f4_q1);
    vst1q_f32(ot + 56, acc_f4_q2);
    vst1q_f32(ot + 60, acc_f5_q0);
    vst1q_f32(ot + 64, acc_f5_q1);
    vst1q_f32(ot + 68, acc_f5_q2);
    vst1q_f32(ot + 72, acc_f6_q0);
    vst1q_f32(ot + 76, acc_f6_q1);
    vst1q_f32(ot + 80, acc_f6_q2);
    vst1q_f32(ot + 84, acc_f7_q0);
    vst1q_f32(ot + 88, acc_f7_q1);
    vst1q_f32(ot + 92, acc_f7_q2);
}
}

/* st[row][key] = sum over d of k[key][d] * qt[row][d], and row_max: lanes are features, 8 keys at a time with one
 * accumulator each, summed over the lanes by a transpose. Head size t->head_size. */
static void attni_neon_decode_qk_f32_any(const attni_tile *t) {
  const float *const k = (const float *)t->kv.k;
  const int64_t stride = t->kv.k_stride;
  const int32_t last = t->kv.keys - 1;
  const int32_t whole = t->head_size / 4 * 4;
  const int32_t rest = t->head_size - whole;
  const int32_t row_floats = (t->head_size + 7) / 8 * 8;
  int32_t row, key;
  for (row = t->row0; row < 16; ++row) {
    const float *const q = t->qt + (size_t)row * (size_t)row_floats;
    float *const st = t->st + (size_t)row * 72;
    for (key = 0; key < t->key_end[row]; key += 8) {
      const float *const k0 = k + key * stride;
      const float *const k1 = k + attni_min_i32(key + 1, last) * stride;
      const float *const k2 = k + attni_min_i32(key + 2, last) * stride;
      const float *const k3 = k + attni_min_i32(key + 3, last) * stride;
      const float *const k4 = k + attni_min_i32(key + 4, last) * stride;
      const float *const k5 = k + attni_min_i32(key + 5, last) * stride;
      const float *const k6 = k + attni_min_i32(key + 6, last) * stride;
      const float *const k7 = k + attni_min_i32(key + 7, last) * stride;
      float32x4_t acc_k0 = vdupq_n_f32(0.0f);
      float32x4_t acc_k1 = vdupq_n_f32(0.0f);
      float32x4_t acc_k2 = vdupq_n_f32(0.0f);
      float32x4_t acc_k3 = vdupq_n_f32(0.0f);
      float32x4_t acc_k4 = vdupq_n_f32(0.0f);
      float32x4_t acc_k5 = vdupq_n_f32(0.0f);
      float32x4_t acc_k6 = vdupq_n_f32(0.0f);
      float32x4_t acc_k7 = vdupq_n_f32(0.0f);
      int32_t d;
      for (d = 0; d < whole; d += 4) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, vld1q_f32(k0 + d), qd);
        acc_k1 = vfmaq_f32(acc_k1, vld1q_f32(k1 + d), qd);
        acc_k2 = vfmaq_f32(acc_k2, vld1q_f32(k2 + d), qd);
        acc_k3 = vfmaq_f32(acc_k3, vld1q_f32(k3 + d), qd);
        acc_k4 = vfmaq_f32(acc_k4, vld1q_f32(k4 + d), qd);
        acc_k5 = vfmaq_f32(acc_k5, vld1q_f32(k5 + d), qd);
        acc_k6 = vfmaq_f32(acc_k6, vld1q_f32(k6 + d), qd);
        acc_k7 = vfmaq_f32(acc_k7, vld1q_f32(k7 + d), qd);
      }
      if (rest > 0) {
        const float32x4_t qd = vld1q_f32(q + d);
        acc_k0 = vfmaq_f32(acc_k0, attni_neon_load_part(k0 + d, rest), qd);
        acc_k1 = vfmaq_f32(acc_k1, attni_neon_load_part(k1 + d, rest), qd);
        acc_k2 = vfmaq_f32(acc_k2, attni_neon_load_part(k2 + d, rest), qd);
        acc_k3 = vfmaq_f32(acc_k3, attni_neon_load_part(k3 + d, rest), qd);
        acc_k4 = vfmaq_f32(acc_k4, attni_neon_load_part(k4 + d, rest), qd);
        acc_k5 = vfmaq_f32(acc_k5, attni_neon_load_part(k5 + d, rest), qd);
        acc_k6 = vfmaq_f32(acc_k6, attni_neon_load_part(k6 + d, rest), qd);
        acc_k7 = vfmaq_f32(acc_k7, attni_neon_load_part(k7 + d, rest), qd);
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k0, acc_k1);
        const float32x4_t t0_1 = vzip2q_f32(acc_k0, acc_k1);
        const float32x4_t t0_2 = vzip1q_f32(acc_k2, acc_k3);
        const float32x4_t t0_3 = vzip2q_f32(acc_k2, acc_k3);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
      {
        const float32x4_t t0_0 = vzip1q_f32(acc_k4, acc_k5);
        const float32x4_t t0_1 = vzip2q_f32(acc_k4, acc_k5);
        const float32x4_t t0_2 = vzip1q_f32(acc_k6, acc_k7);
        const float32x4_t t0_3 = vzip2q_f32(acc_k6, acc_k7);
        const float32x4_t t1_0 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_1 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_0), vreinterpretq_f64_f32(t0_2)));
        const float32x4_t t1_2 = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        const float32x4_t t1_3 = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(t0_1), vreinterpretq_f64_f32(t0_3)));
        vst1q_f32(st + key + 4, vaddq_f32(vaddq_f32(t1_0, t1_2), vaddq_f32(t1_1, t1_3)));
      }
    }
  }
  attni_neon_decode_find_max(t);
}

/* ot[row][f] = ot[row][f] * factor[row] + sum over keys of st[row][key] * v[key][f]: lanes are features, up to 8
 * vectors of them at a time. Head size t->head_size_v. */
static void attni_neon_decode_pv_f32_any(const attni_tile *t) {
  const float *const value = (const float *)t->kv.v;
  const int64_t stride = t->kv.v_stride;
  const int32_t size = t->head_size_v;
  const int32_t row_floats = (size + 7) / 8 * 8;
  int32_t row;
  for (row = t->row0; row < 16; ++row) {
    const float *const p = t->st + (size_t)row * 72;
    float *const ot = t->ot + (size_t)row * (size_t)row_floats;
    const int32_t end = t->key_end[row];
    int32_t f = 0;
    for (; f + 32 <= size; f += 32) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      float32x4_t acc4 = vdupq_n_f32(0.0f);
      float32x4_t acc5 = vdupq_n_f32(0.0f);
      float32x4_t acc6 = vdupq_n_f32(0.0f);
      float32x4_t acc7 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
        acc4 = vfmaq_f32(acc4, vld1q_f32(vk + 16), w);
        acc5 = vfmaq_f32(acc5, vld1q_f32(vk + 20), w);
        acc6 = vfmaq_f32(acc6, vld1q_f32(vk + 24), w);
        acc7 = vfmaq_f32(acc7, vld1q_f32(vk + 28), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
        acc4 = vfmaq_f32(acc4, vld1q_f32(ot + f + 16), factor);
        acc5 = vfmaq_f32(acc5, vld1q_f32(ot + f + 20), factor);
        acc6 = vfmaq_f32(acc6, vld1q_f32(ot + f + 24), factor);
        acc7 = vfmaq_f32(acc7, vld1q_f32(ot + f + 28), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
      vst1q_f32(ot + f + 16, acc4);
      vst1q_f32(ot + f + 20, acc5);
      vst1q_f32(ot + f + 24, acc6);
      vst1q_f32(ot + f + 28, acc7);
}
    for (; f + 16 <= size; f += 16) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      float32x4_t acc2 = vdupq_n_f32(0.0f);
      float32x4_t acc3 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
        acc2 = vfmaq_f32(acc2, vld1q_f32(vk + 8), w);
        acc3 = vfmaq_f32(acc3, vld1q_f32(vk + 12), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
        acc2 = vfmaq_f32(acc2, vld1q_f32(ot + f + 8), factor);
        acc3 = vfmaq_f32(acc3, vld1q_f32(ot + f + 12), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
      vst1q_f32(ot + f + 8, acc2);
      vst1q_f32(ot + f + 12, acc3);
}
    for (; f + 8 <= size; f += 8) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      float32x4_t acc1 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
        acc1 = vfmaq_f32(acc1, vld1q_f32(vk + 4), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
        acc1 = vfmaq_f32(acc1, vld1q_f32(ot + f + 4), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
      vst1q_f32(ot + f + 4, acc1);
}
    for (; f + 4 <= size; f += 4) {
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, vld1q_f32(vk + 0), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
}
    if (f < size) {
      const int32_t rest = size - f;
      float32x4_t acc0 = vdupq_n_f32(0.0f);
      const float *vk = value + f;
      int32_t key;
      for (key = 0; key < end; ++key, vk += stride) {
        const float32x4_t w = vld1q_dup_f32(p + key);
        ATTNI_FENCE();
        acc0 = vfmaq_f32(acc0, attni_neon_load_part(vk, rest), w);
      }
      if (!t->first) {
        const float32x4_t factor = vdupq_n_f32(t->factor[row]);
        acc0 = vfmaq_f32(acc0, vld1q_f32(ot + f + 0), factor);
      }
      vst1q_f32(ot + f + 0, acc0);
}
  }
}

#endif /* ATTNI_HAVE_NEON */

/* ------------------------------------------------------- kernels, generated -- */

/* Sorted by preference: the best instruction set first, the scalar one last. */
static const attni_kernels attni_kernel_table[] = {
#ifdef ATTNI_HAVE_AVX512
    {ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL, ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F,
     16, 48, 96, 4, 16, 12, 0,
     attni_avx512_prefill_pack_q, attni_avx512_prefill_mask, attni_avx512_prefill_find_max, attni_avx512_prefill_softmax,
     attni_avx512_prefill_pv_masked, attni_avx512_prefill_finite, attni_avx512_prefill_store_o},
    {ATTN_ISA_AVX512, ATTN_FAMILY_DECODE, ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F,
     1, 16, 64, 1, 16, 12, 512,
     attni_avx512_decode_pack_q, NULL, attni_avx512_decode_find_max, attni_avx512_decode_softmax,
     NULL, NULL, attni_avx512_decode_store_o},
#endif
#ifdef ATTNI_HAVE_AVX2
    {ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL, ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA,
     8, 24, 96, 8, 8, 8, 0,
     attni_avx2_prefill_pack_q, attni_avx2_prefill_mask, attni_avx2_prefill_find_max, attni_avx2_prefill_softmax,
     attni_avx2_prefill_pv_masked, attni_avx2_prefill_finite, attni_avx2_prefill_store_o},
    {ATTN_ISA_AVX2, ATTN_FAMILY_DECODE, ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA,
     1, 16, 64, 1, 8, 8, 512,
     attni_avx2_decode_pack_q, NULL, attni_avx2_decode_find_max, attni_avx2_decode_softmax,
     NULL, NULL, attni_avx2_decode_store_o},
#endif
#ifdef ATTNI_HAVE_NEON
    {ATTN_ISA_NEON, ATTN_FAMILY_PREFILL, ATTNI_CPU_NEON,
     4, 12, 96, 16, 8, 4, 0,
     attni_neon_prefill_pack_q, attni_neon_prefill_mask, attni_neon_prefill_find_max, attni_neon_prefill_softmax,
     attni_neon_prefill_pv_masked, attni_neon_prefill_finite, attni_neon_prefill_store_o},
    {ATTN_ISA_NEON, ATTN_FAMILY_DECODE, ATTNI_CPU_NEON,
     1, 16, 64, 1, 8, 4, 512,
     attni_neon_decode_pack_q, NULL, attni_neon_decode_find_max, attni_neon_decode_softmax,
     NULL, NULL, attni_neon_decode_store_o},
#endif
    {ATTN_ISA_SCALAR, ATTN_FAMILY_PREFILL, 0,
     1, 4, 64, 16, 8, 1, 0,
     attni_scalar_prefill_pack_q, attni_scalar_prefill_mask, attni_scalar_prefill_find_max, attni_scalar_prefill_softmax,
     attni_scalar_prefill_pv_masked, attni_scalar_prefill_finite, attni_scalar_prefill_store_o},
    {ATTN_ISA_SCALAR, ATTN_FAMILY_DECODE, 0,
     1, 16, 64, 1, 8, 1, 512,
     attni_scalar_decode_pack_q, NULL, attni_scalar_decode_find_max, attni_scalar_decode_softmax,
     NULL, NULL, attni_scalar_decode_store_o},
};

/* Kernels made for one head size stand before the one for any. */
static const attni_product attni_product_table[] = {
#ifdef ATTNI_HAVE_AVX512
    {"avx512 prefill qk f32 d32", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 32, attni_avx512_prefill_qk_f32_d32},
    {"avx512 prefill pv f32 d32", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 32, attni_avx512_prefill_pv_f32_d32},
    {"avx512 decode qk f32 d32", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 32, attni_avx512_decode_qk_f32_d32},
    {"avx512 decode pv f32 d32", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 32, attni_avx512_decode_pv_f32_d32},
    {"avx512 prefill qk f32 d64", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 64, attni_avx512_prefill_qk_f32_d64},
    {"avx512 prefill pv f32 d64", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 64, attni_avx512_prefill_pv_f32_d64},
    {"avx512 decode qk f32 d64", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 64, attni_avx512_decode_qk_f32_d64},
    {"avx512 decode pv f32 d64", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 64, attni_avx512_decode_pv_f32_d64},
    {"avx512 prefill qk f32 d80", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 80, attni_avx512_prefill_qk_f32_d80},
    {"avx512 prefill pv f32 d80", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 80, attni_avx512_prefill_pv_f32_d80},
    {"avx512 decode qk f32 d80", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 80, attni_avx512_decode_qk_f32_d80},
    {"avx512 decode pv f32 d80", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 80, attni_avx512_decode_pv_f32_d80},
    {"avx512 prefill qk f32 d96", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 96, attni_avx512_prefill_qk_f32_d96},
    {"avx512 prefill pv f32 d96", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 96, attni_avx512_prefill_pv_f32_d96},
    {"avx512 decode qk f32 d96", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 96, attni_avx512_decode_qk_f32_d96},
    {"avx512 decode pv f32 d96", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 96, attni_avx512_decode_pv_f32_d96},
    {"avx512 prefill qk f32 d128", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 128, attni_avx512_prefill_qk_f32_d128},
    {"avx512 prefill pv f32 d128", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 128, attni_avx512_prefill_pv_f32_d128},
    {"avx512 decode qk f32 d128", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 128, attni_avx512_decode_qk_f32_d128},
    {"avx512 decode pv f32 d128", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 128, attni_avx512_decode_pv_f32_d128},
    {"avx512 prefill qk f32 d192", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 192, attni_avx512_prefill_qk_f32_d192},
    {"avx512 prefill pv f32 d192", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 192, attni_avx512_prefill_pv_f32_d192},
    {"avx512 decode qk f32 d192", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 192, attni_avx512_decode_qk_f32_d192},
    {"avx512 decode pv f32 d192", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 192, attni_avx512_decode_pv_f32_d192},
    {"avx512 prefill qk f32 d256", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 256, attni_avx512_prefill_qk_f32_d256},
    {"avx512 prefill pv f32 d256", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 256, attni_avx512_prefill_pv_f32_d256},
    {"avx512 decode qk f32 d256", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 256, attni_avx512_decode_qk_f32_d256},
    {"avx512 decode pv f32 d256", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 256, attni_avx512_decode_pv_f32_d256},
    {"avx512 prefill qk f32 any", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 0, attni_avx512_prefill_qk_f32_any},
    {"avx512 prefill pv f32 any", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 0, attni_avx512_prefill_pv_f32_any},
    {"avx512 decode qk f32 any", ATTNI_QK, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 0, attni_avx512_decode_qk_f32_any},
    {"avx512 decode pv f32 any", ATTNI_PV, ATTN_ISA_AVX512, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX2 | ATTNI_CPU_FMA | ATTNI_CPU_AVX512F, ATTN_F32, 0, attni_avx512_decode_pv_f32_any},
#endif
#ifdef ATTNI_HAVE_AVX2
    {"avx2 prefill qk f32 d32", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 32, attni_avx2_prefill_qk_f32_d32},
    {"avx2 prefill pv f32 d32", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 32, attni_avx2_prefill_pv_f32_d32},
    {"avx2 decode qk f32 d32", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 32, attni_avx2_decode_qk_f32_d32},
    {"avx2 decode pv f32 d32", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 32, attni_avx2_decode_pv_f32_d32},
    {"avx2 prefill qk f32 d64", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 64, attni_avx2_prefill_qk_f32_d64},
    {"avx2 prefill pv f32 d64", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 64, attni_avx2_prefill_pv_f32_d64},
    {"avx2 decode qk f32 d64", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 64, attni_avx2_decode_qk_f32_d64},
    {"avx2 decode pv f32 d64", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 64, attni_avx2_decode_pv_f32_d64},
    {"avx2 prefill qk f32 d80", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 80, attni_avx2_prefill_qk_f32_d80},
    {"avx2 prefill pv f32 d80", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 80, attni_avx2_prefill_pv_f32_d80},
    {"avx2 decode qk f32 d80", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 80, attni_avx2_decode_qk_f32_d80},
    {"avx2 decode pv f32 d80", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 80, attni_avx2_decode_pv_f32_d80},
    {"avx2 prefill qk f32 d96", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 96, attni_avx2_prefill_qk_f32_d96},
    {"avx2 prefill pv f32 d96", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 96, attni_avx2_prefill_pv_f32_d96},
    {"avx2 decode qk f32 d96", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 96, attni_avx2_decode_qk_f32_d96},
    {"avx2 decode pv f32 d96", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 96, attni_avx2_decode_pv_f32_d96},
    {"avx2 prefill qk f32 d128", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 128, attni_avx2_prefill_qk_f32_d128},
    {"avx2 prefill pv f32 d128", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 128, attni_avx2_prefill_pv_f32_d128},
    {"avx2 decode qk f32 d128", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 128, attni_avx2_decode_qk_f32_d128},
    {"avx2 decode pv f32 d128", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 128, attni_avx2_decode_pv_f32_d128},
    {"avx2 prefill qk f32 d192", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 192, attni_avx2_prefill_qk_f32_d192},
    {"avx2 prefill pv f32 d192", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 192, attni_avx2_prefill_pv_f32_d192},
    {"avx2 decode qk f32 d192", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 192, attni_avx2_decode_qk_f32_d192},
    {"avx2 decode pv f32 d192", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 192, attni_avx2_decode_pv_f32_d192},
    {"avx2 prefill qk f32 d256", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 256, attni_avx2_prefill_qk_f32_d256},
    {"avx2 prefill pv f32 d256", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 256, attni_avx2_prefill_pv_f32_d256},
    {"avx2 decode qk f32 d256", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 256, attni_avx2_decode_qk_f32_d256},
    {"avx2 decode pv f32 d256", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 256, attni_avx2_decode_pv_f32_d256},
    {"avx2 prefill qk f32 any", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 0, attni_avx2_prefill_qk_f32_any},
    {"avx2 prefill pv f32 any", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 0, attni_avx2_prefill_pv_f32_any},
    {"avx2 decode qk f32 any", ATTNI_QK, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 0, attni_avx2_decode_qk_f32_any},
    {"avx2 decode pv f32 any", ATTNI_PV, ATTN_ISA_AVX2, ATTN_FAMILY_DECODE,
     ATTNI_CPU_AVX | ATTNI_CPU_AVX2 | ATTNI_CPU_FMA, ATTN_F32, 0, attni_avx2_decode_pv_f32_any},
#endif
#ifdef ATTNI_HAVE_NEON
    {"neon prefill qk f32 d32", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 32, attni_neon_prefill_qk_f32_d32},
    {"neon prefill pv f32 d32", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 32, attni_neon_prefill_pv_f32_d32},
    {"neon decode qk f32 d32", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 32, attni_neon_decode_qk_f32_d32},
    {"neon decode pv f32 d32", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 32, attni_neon_decode_pv_f32_d32},
    {"neon prefill qk f32 d64", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 64, attni_neon_prefill_qk_f32_d64},
    {"neon prefill pv f32 d64", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 64, attni_neon_prefill_pv_f32_d64},
    {"neon decode qk f32 d64", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 64, attni_neon_decode_qk_f32_d64},
    {"neon decode pv f32 d64", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 64, attni_neon_decode_pv_f32_d64},
    {"neon prefill qk f32 d80", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 80, attni_neon_prefill_qk_f32_d80},
    {"neon prefill pv f32 d80", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 80, attni_neon_prefill_pv_f32_d80},
    {"neon decode qk f32 d80", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 80, attni_neon_decode_qk_f32_d80},
    {"neon decode pv f32 d80", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 80, attni_neon_decode_pv_f32_d80},
    {"neon prefill qk f32 d96", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 96, attni_neon_prefill_qk_f32_d96},
    {"neon prefill pv f32 d96", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 96, attni_neon_prefill_pv_f32_d96},
    {"neon decode qk f32 d96", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 96, attni_neon_decode_qk_f32_d96},
    {"neon decode pv f32 d96", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 96, attni_neon_decode_pv_f32_d96},
    {"neon prefill qk f32 d128", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 128, attni_neon_prefill_qk_f32_d128},
    {"neon prefill pv f32 d128", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 128, attni_neon_prefill_pv_f32_d128},
    {"neon decode qk f32 d128", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 128, attni_neon_decode_qk_f32_d128},
    {"neon decode pv f32 d128", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 128, attni_neon_decode_pv_f32_d128},
    {"neon prefill qk f32 d192", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 192, attni_neon_prefill_qk_f32_d192},
    {"neon prefill pv f32 d192", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 192, attni_neon_prefill_pv_f32_d192},
    {"neon decode qk f32 d192", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 192, attni_neon_decode_qk_f32_d192},
    {"neon decode pv f32 d192", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 192, attni_neon_decode_pv_f32_d192},
    {"neon prefill qk f32 d256", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 256, attni_neon_prefill_qk_f32_d256},
    {"neon prefill pv f32 d256", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 256, attni_neon_prefill_pv_f32_d256},
    {"neon decode qk f32 d256", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 256, attni_neon_decode_qk_f32_d256},
    {"neon decode pv f32 d256", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 256, attni_neon_decode_pv_f32_d256},
    {"neon prefill qk f32 any", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 0, attni_neon_prefill_qk_f32_any},
    {"neon prefill pv f32 any", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_PREFILL,
     ATTNI_CPU_NEON, ATTN_F32, 0, attni_neon_prefill_pv_f32_any},
    {"neon decode qk f32 any", ATTNI_QK, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 0, attni_neon_decode_qk_f32_any},
    {"neon decode pv f32 any", ATTNI_PV, ATTN_ISA_NEON, ATTN_FAMILY_DECODE,
     ATTNI_CPU_NEON, ATTN_F32, 0, attni_neon_decode_pv_f32_any},
#endif
    {"scalar prefill qk f32 any", ATTNI_QK, ATTN_ISA_SCALAR, ATTN_FAMILY_PREFILL,
     0, ATTN_F32, 0, attni_scalar_prefill_qk_f32_any},
    {"scalar prefill pv f32 any", ATTNI_PV, ATTN_ISA_SCALAR, ATTN_FAMILY_PREFILL,
     0, ATTN_F32, 0, attni_scalar_prefill_pv_f32_any},
    {"scalar decode qk f32 any", ATTNI_QK, ATTN_ISA_SCALAR, ATTN_FAMILY_DECODE,
     0, ATTN_F32, 0, attni_scalar_decode_qk_f32_any},
    {"scalar decode pv f32 any", ATTNI_PV, ATTN_ISA_SCALAR, ATTN_FAMILY_DECODE,
     0, ATTN_F32, 0, attni_scalar_decode_pv_f32_any},
};

/* ----------------------------------------------------------------- mask -- */

/* How many keys, from key 0 on, query `query` may attend to. A rule that is not a prefix (a window,
 * a mask array) adds its own bound here, in attni_cover_tile, and in the driver's attni_first_tile,
 * which takes for granted that later tiles see no fewer keys. */
static int64_t attni_row_limit(const attn_plan *plan, int64_t query) {
  const int64_t len_kv = plan->params.len_kv;
  if (!plan->params.causal) return len_kv;
  return attni_max(0, attni_min(len_kv, query + plan->offset + 1));
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
  const int32_t lanes = kernels->lanes;
  const int32_t groups = kernels->tile_q / lanes;
  const int64_t *const row_limit = t->row_limit;
  int32_t group, row;
  if (row_limit[kernels->tile_q - 1] <= key0) return ATTNI_SKIP;
  for (group = 0; group < t->row0 / lanes; ++group) t->key_full[group] = t->key_end[group] = 0;
  if (row_limit[t->row0] >= key0 + t->kv.keys) {
    for (; group < groups; ++group) t->key_full[group] = t->key_end[group] = t->kv.keys;
    return ATTNI_FULL;
  }
  for (row = t->row0; row < kernels->tile_q; ++row) {
    t->limit[row] = (int32_t)attni_max(0, attni_min(t->kv.keys, row_limit[row] - key0));
  }
  for (; group < groups; ++group) {
    t->key_full[group] = t->limit[group * lanes];
    t->key_end[group] = t->limit[group * lanes + lanes - 1];
  }
  return ATTNI_PARTIAL;
}

/* ----------------------------------------------------------------- plan -- */

#define ATTNI_PLAN_MAGIC (0x6174746eu + ATTN_INTERFACE)
#define ATTNI_MAX_CHUNKS 64
#define ATTNI_MAX_OFFSET ((int64_t)1 << 61)
#define ATTNI_MAX_THREADS 1024
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

static const attni_kernels *attni_find_kernels(attn_isa isa, attn_family family) {
  size_t i;
  for (i = 0; i < ATTNI_COUNT(attni_kernel_table); ++i) {
    const attni_kernels *kernels = &attni_kernel_table[i];
    if (kernels->isa == isa && kernels->family == family) return kernels;
  }
  return NULL;
}

/* The product made for this head size, else the one for any. Specialised ones stand first. */
static const attni_product *attni_find_product(const attni_kernels *kernels,
                                               attni_product_kind kind, attn_type type,
                                               int64_t head_size) {
  size_t i;
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
  return rows <= attni_find_kernels(isa, ATTN_FAMILY_DECODE)->few_rows ? ATTN_FAMILY_DECODE
                                                                       : ATTN_FAMILY_PREFILL;
}

/* -- validation -- */

/* The statuses of one tensor's faults. */
typedef struct attni_faults {
  attn_status data, type, stride;
} attni_faults;

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
                                      attni_faults faults) {
  const int64_t element = (int64_t)sizeof(float);
  int64_t span = features;
  if (x->type != ATTN_F32) return faults.type;
  if (x->stride_d != 0 && x->stride_d != 1) return faults.stride;
  if (len == 0) return ATTN_OK;
  if (!attni_add_extent(&span, x->stride_b, batch) ||
      !attni_add_extent(&span, x->stride_h, heads) || !attni_add_extent(&span, x->stride_s, len) ||
      span > PTRDIFF_MAX / element) {
    return faults.stride;
  }
  if (need_data && x->data == NULL) return faults.data;
  if ((uintptr_t)x->data % sizeof(float) != 0) return faults.data;
  return ATTN_OK;
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

static attn_status attni_check_tensors(const attn_params *p, bool need_data) {
  static const attni_faults q = {ATTN_ERR_Q_DATA, ATTN_ERR_Q_TYPE, ATTN_ERR_Q_STRIDE};
  static const attni_faults k = {ATTN_ERR_K_DATA, ATTN_ERR_K_TYPE, ATTN_ERR_K_STRIDE};
  static const attni_faults v = {ATTN_ERR_V_DATA, ATTN_ERR_V_TYPE, ATTN_ERR_V_STRIDE};
  static const attni_faults o = {ATTN_ERR_O_DATA, ATTN_ERR_O_TYPE, ATTN_ERR_O_STRIDE};
  static const attni_faults lse = {ATTN_ERR_LSE_DATA, ATTN_ERR_LSE_TYPE, ATTN_ERR_LSE_STRIDE};
  const int64_t n = p->batch, hq = p->heads_q, hkv = p->heads_kv;
  const void *const out = p->o.data;
  attn_tensor lse_rows = p->lse; /* which have no features */
  attn_status status = attni_check_tensor(&p->q, n, hq, p->len_q, p->head_size, need_data, q);
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->k, n, hkv, p->len_kv, p->head_size, need_data, k);
  }
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->v, n, hkv, p->len_kv, p->head_size_v, need_data, v);
  }
  if (status == ATTN_OK) {
    status = attni_check_tensor(&p->o, n, hq, p->len_q, p->head_size_v, need_data, o);
  }
  if (status != ATTN_OK) return status;
  if (attni_rows_coincide(&p->o, n, hq, p->len_q, p->head_size_v)) return ATTN_ERR_O_STRIDE;
  if (out != NULL && p->len_q > 0 &&
      (out == p->q.data || (p->len_kv > 0 && (out == p->k.data || out == p->v.data)))) {
    return ATTN_ERR_O_OVERLAP;
  }
  if (p->lse.data == NULL) return ATTN_OK;
  lse_rows.stride_d = 0;
  status = attni_check_tensor(&lse_rows, n, hq, p->len_q, 1, false, lse);
  if (status != ATTN_OK) return status;
  return attni_rows_coincide(&p->lse, n, hq, p->len_q, 1) ? ATTN_ERR_LSE_STRIDE : ATTN_OK;
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

static void attni_fill_defaults(attn_params *p) {
  if (p->heads_kv == 0) p->heads_kv = p->heads_q;
  if (p->head_size_v == 0) p->head_size_v = p->head_size;
  if (attni_bits(p->scale) << 1 == 0 && p->head_size > 0) {
    p->scale = (float)(1.0 / sqrt((double)p->head_size));
  }
}

/* -- derivation -- */

/* A task's scratch, in floats: what its query tiles share, and what each has for itself. */
typedef struct attni_scratch_layout {
  size_t st, ahead, k, v, shared;
  size_t qt, ot, row, row_limit, tile;
} attni_scratch_layout;

static attni_scratch_layout attni_scratch_of(const attni_kernels *kernels, const attn_params *p) {
  const size_t unit = ATTNI_ALIGNMENT / sizeof(float);
  const size_t rows = (size_t)kernels->tile_q, pad = (size_t)kernels->pad;
  const size_t tile_k = (size_t)kernels->tile_k;
  const size_t head_size = attni_round_up((size_t)p->head_size, pad);
  const size_t head_size_v = attni_round_up((size_t)p->head_size_v, pad);
  const bool shares = kernels->block > 1;
  attni_scratch_layout size;
  size.st = attni_round_up(rows * (tile_k + pad), unit);
  size.k = shares ? attni_round_up(tile_k * (size_t)p->head_size, unit) : 0;
  size.v = shares ? attni_round_up(tile_k * (size_t)p->head_size_v, unit) : 0;
  /* two ranges for k and v, at most one per row for q and o */
  size.ahead = attni_round_up((2 + 2 * rows) * (sizeof(attni_ahead) / sizeof(float)), unit);
  size.shared = size.st + size.ahead + 2 * (size.k + size.v);
  size.qt = attni_round_up(rows * head_size, unit);
  size.ot = attni_round_up(rows * head_size_v, unit);
  size.row = attni_round_up(rows, unit);
  size.row_limit = attni_round_up(rows * (sizeof(int64_t) / sizeof(float)), unit);
  size.tile = size.qt + size.ot + size.row_limit + 5 * size.row; /* row_max, m, l, factor, limit */
  return size;
}

static int64_t attni_wanted_threads(const attn_params *p) {
  int64_t threads = p->threads;
#ifdef ATTN_USE_OPENMP
  if (threads == 0) threads = omp_get_max_threads();
#endif
  return attni_max(1, attni_min(threads, ATTNI_MAX_THREADS));
}

/* Query tiles per task: many, so that each key tile is packed and brought into the cache for all of
 * them; but as few as it takes to give every thread several tasks. It changes no bit of the result.
 */
static int64_t attni_pick_block(const attni_kernels *kernels, const attn_params *p,
                                int64_t tiles_q) {
  const int64_t tiles = attni_mul_sat(attni_mul_sat(p->batch, p->heads_kv), tiles_q);
  const int64_t threads = attni_wanted_threads(p);
  int64_t block = attni_min(kernels->block, tiles_q);
  if (threads > 1) block = attni_min(block, tiles / (ATTNI_TASKS_PER_THREAD * threads));
  return attni_max(1, block);
}

/* Keys per chunk. It depends on the length alone, so that results do not depend on threads. */
static int64_t attni_chunk_keys(const attni_kernels *kernels, int64_t len_kv) {
  const int64_t tiles = attni_ceil_div(attni_ceil_div(len_kv, ATTNI_MAX_CHUNKS), kernels->tile_k);
  if (kernels->chunk_keys == 0) return attni_max(1, len_kv);
  return attni_max(kernels->chunk_keys, tiles * kernels->tile_k);
}

/* A chunk's part of one row: its output, its m and its l. */
static int64_t attni_part_floats(const attn_params *p) {
  return p->head_size_v + 2;
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
  const size_t tiles = (size_t)attni_min(kernels->block, attni_ceil_div(rows, kernels->tile_q));
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
  attn_status status;
  plan->scratch_size = plan->shared_size = 0;
  status = attni_need(plan, plan->kernels, plan->group * p->len_q);
  if (status == ATTN_OK && p->capacity_q != 0) {
    const attni_kernels *decode = attni_find_kernels(isa, ATTN_FAMILY_DECODE);
    const int64_t few = p->family == ATTN_FAMILY_AUTO ? decode->few_rows : rows;
    status =
        attni_need(plan, attni_find_kernels(isa, attni_pick_family(isa, p->family, rows)), rows);
    if (status == ATTN_OK && p->family != ATTN_FAMILY_PREFILL) {
      status = attni_need(plan, decode, attni_min(rows, few));
    }
  }
  return status;
}

/* What depends on the lengths: offset, family, kernels, tiles, chunks, tasks. */
static attn_status attni_derive_run(attn_plan *plan, attn_isa isa) {
  attn_params *const p = &plan->params;
  const int64_t rows = plan->group * p->len_q;
  const attn_family family = attni_pick_family(isa, p->family, rows);
  plan->offset = p->align == ATTN_ALIGN_BOTTOM_RIGHT ? p->len_kv - p->len_q : p->offset;
  plan->kernels = attni_find_kernels(isa, family);
  plan->qk = attni_find_product(plan->kernels, ATTNI_QK, p->k.type, p->head_size);
  plan->pv = attni_find_product(plan->kernels, ATTNI_PV, p->v.type, p->head_size_v);
  if (plan->qk == NULL) return ATTN_ERR_K_TYPE;
  if (plan->pv == NULL) return ATTN_ERR_V_TYPE;
  plan->tiles_q = attni_ceil_div(rows, plan->kernels->tile_q);
  plan->block = attni_pick_block(plan->kernels, p, plan->tiles_q);
  plan->blocks = attni_ceil_div(plan->tiles_q, plan->block);
  plan->chunk_keys = attni_chunk_keys(plan->kernels, p->len_kv);
  plan->chunks = attni_max(1, attni_ceil_div(p->len_kv, plan->chunk_keys));
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
  status = attni_check_sizes(&plan->params);
  if (status == ATTN_OK) status = attni_check_options(&plan->params);
  if (status == ATTN_OK) status = attni_check_tensors(&plan->params, need_data);
  if (status == ATTN_OK) status = attni_pick_isa(params->isa, &isa);
  if (status != ATTN_OK) return status;
  plan->group = plan->params.heads_q / plan->params.heads_kv;
  status = attni_derive_run(plan, isa);
  if (status == ATTN_OK) status = attni_derive_sizes(plan);
  plan->magic = ATTNI_PLAN_MAGIC;
  return status;
}

/* What an update must leave as it is, capacities aside: everything but data, strides, lengths, and
 * where the queries stand. */
static bool attni_same_call(const attn_params *a, const attn_params *b) {
  return a->batch == b->batch && a->heads_q == b->heads_q && a->heads_kv == b->heads_kv &&
         a->head_size == b->head_size && a->head_size_v == b->head_size_v &&
         attni_bits(a->scale) == attni_bits(b->scale) && a->family == b->family &&
         a->isa == b->isa && a->q.type == b->q.type && a->k.type == b->k.type &&
         a->v.type == b->v.type && a->o.type == b->o.type;
}

static bool attni_plan_ok(const attn_plan *plan) {
  return plan != NULL && plan->magic == ATTNI_PLAN_MAGIC;
}

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

static const float *attni_input(const attn_tensor *x, int64_t offset) {
  return (const float *)x->data + offset;
}

/* Rows first .. first+count-1 of q, o or lse, among the rows that one K/V head serves. */
static void attni_find_rows(const attn_plan *plan, int64_t batch, int64_t head_kv,
                            const attn_tensor *x, int64_t first, int32_t count, float **rows) {
  int64_t query = first / plan->group, head = first % plan->group;
  const int64_t base = batch * x->stride_b + head_kv * plan->group * x->stride_h;
  int32_t row;
  for (row = 0; row < count; ++row) {
    rows[row] = (float *)x->data + (base + head * x->stride_h + query * x->stride_s);
    if (++head == plan->group) {
      head = 0;
      ++query;
    }
  }
}

/* Where the keys of a tile lie. Another layout of the cache changes this function only. */
static attni_keys attni_locate(const attn_plan *plan, const attni_task *task, int64_t key0) {
  const attn_tensor *const k = &plan->params.k, *const v = &plan->params.v;
  attni_keys kv;
  kv.k =
      attni_input(k, task->batch * k->stride_b + task->head_kv * k->stride_h + key0 * k->stride_s);
  kv.v =
      attni_input(v, task->batch * v->stride_b + task->head_kv * v->stride_h + key0 * v->stride_s);
  /* The stride of one single key may be anything: no pointer is formed with it. */
  kv.k_stride = plan->params.len_kv > 1 ? k->stride_s : 0;
  kv.v_stride = plan->params.len_kv > 1 ? v->stride_s : 0;
  kv.keys = (int32_t)attni_min(plan->kernels->tile_k, task->key_end - key0);
  return kv;
}

/* The first row of a query tile. Tiles share the rows evenly, in whole groups. */
static int64_t attni_tile_row(const attn_plan *plan, int64_t tile) {
  const int64_t rows = plan->group * plan->params.len_q, lanes = plan->kernels->lanes;
  const int64_t groups = plan->kernels->tile_q / lanes; /* of a whole tile */
  const int64_t spare = groups * plan->tiles_q - attni_ceil_div(rows, lanes);
  return attni_min(rows, (groups * tile - attni_ceil_div(spare * tile, plan->tiles_q)) * lanes);
}

/* Lay out a tile's arrays. Nothing has been computed yet: m = -FLT_MAX, l = 0. */
static void attni_start_tile(const attn_plan *plan, const attni_scratch_layout *size, int64_t tile,
                             float *st, float *at, attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  const int32_t tile_q = kernels->tile_q;
  const int64_t first_row = attni_tile_row(plan, tile);
  int64_t query = first_row / plan->group, head = first_row % plan->group;
  int32_t row;
  t->row = first_row;
  t->rows = (int32_t)(attni_tile_row(plan, tile + 1) - first_row);
  t->row0 = (tile_q - t->rows) / kernels->lanes * kernels->lanes;
  t->head_size = (int32_t)plan->params.head_size;
  t->head_size_v = (int32_t)plan->params.head_size_v;
  t->st = st;
  t->qt = at;
  t->ot = (at += size->qt);
  t->row_limit = (int64_t *)(void *)(at += size->ot);
  t->row_max = (at += size->row_limit);
  t->m = (at += size->row);
  t->l = (at += size->row);
  t->factor = (at += size->row);
  t->limit = (int32_t *)(void *)(at += size->row);
  t->first = true;
  for (row = 0; row < tile_q; ++row) {
    t->row_limit[row] = attni_row_limit(plan, query);
    t->m[row] = t->row_max[row] = -FLT_MAX;
    t->l[row] = 0.0f;
    t->factor[row] = 1.0f;
    t->limit[row] = 0;
    if (row >= t->row0 && row - t->row0 < t->rows - 1 && ++head == plan->group) {
      head = 0;
      ++query;
    }
  }
}

/* Lanes behind the last row repeat it. */
static void attni_load_rows(const attn_plan *plan, const attni_task *task, const attni_tile *t) {
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t row;
  attni_find_rows(plan, task->batch, task->head_kv, &plan->params.q, t->row, t->rows,
                  rows + t->row0);
  for (row = t->row0 + t->rows; row < plan->kernels->tile_q; ++row) rows[row] = rows[row - 1];
  plan->kernels->pack_q(t, (const float *const *)rows,
                        (float)((double)plan->params.scale * ATTNI_LOG2E));
}

/* Values at keys that some row of a group must not see reach the product, with weight 0. That is
 * harmless unless one is not finite; then their weights become -0, which tells the careful product
 * to leave them out. */
static void attni_partial_pv(const attn_plan *plan, const attni_tile *t) {
  const attni_kernels *const kernels = plan->kernels;
  const int32_t groups = kernels->tile_q / kernels->lanes;
  int32_t begin = t->kv.keys, end = 0, group;
  for (group = t->row0 / kernels->lanes; group < groups; ++group) {
    if (t->key_full[group] == t->key_end[group]) continue;
    begin = attni_min_i32(begin, t->key_full[group]);
    end = t->key_end[group];
  }
  if (begin >= end || kernels->finite(&t->kv, begin, end, t->head_size_v)) {
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
  float *rows[ATTNI_MAX_TILE_Q];
  int32_t row;
  attni_write_lse(plan, task, t);
  attni_find_rows(plan, task->batch, task->head_kv, &plan->params.o, t->row, t->rows, rows);
  for (row = t->row0; row < plan->kernels->tile_q; ++row) {
    /* The same division for every row: in a vectorised loop -ffast-math takes an approximation. */
    ATTNI_FENCE();
    t->factor[row] = attni_inverse(t->l[row], t->row_limit[row] == 0);
  }
  plan->kernels->store_o(t, rows, t->rows, t->factor);
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
  for (i = 0; i < t->rows; ++i) {
    rows[i] = attni_part(plan, shared, task->batch, task->head_kv, t->row + i, task->chunk);
    rows[i][t->head_size_v] = t->m[t->row0 + i];
    rows[i][t->head_size_v + 1] = t->l[t->row0 + i];
  }
  for (i = t->row0; i < plan->kernels->tile_q; ++i) t->factor[i] = 1.0f;
  plan->kernels->store_o(t, rows, t->rows, t->factor);
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
  int64_t i;
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
  for (i = 0; i < b->task.tiles; ++i, at += b->size.tile) {
    attni_start_tile(plan, &b->size, b->task.tile + i, st, at, &b->tiles[i]);
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
static bool attni_far_apart(int64_t stride, int64_t size) {
  const int64_t limit = 1024 / (int64_t)sizeof(float);
  return stride != size && (stride > limit || stride < -limit);
}

/* Rows begin .. end-1, one after the other. */
static void attni_pack_rows(const float *rows, int64_t stride, int32_t begin, int32_t end,
                            int64_t size, float *out) {
  int32_t row;
  for (row = begin; row < end; ++row) {
    memcpy(out + row * size, rows + row * stride, (size_t)size * sizeof(float));
  }
}

/* Pack keys begin .. end-1 of a key tile, where its rows are far apart. */
static void attni_pack(const attni_block *b, const attni_keys *kv, int32_t begin, int32_t end,
                       int buffer) {
  const attn_params *const p = &b->plan->params;
  if (attni_far_apart(kv->k_stride, p->head_size)) {
    attni_pack_rows((const float *)kv->k, kv->k_stride, begin, end, p->head_size,
                    b->packed_k[buffer]);
  }
  if (attni_far_apart(kv->v_stride, p->head_size_v)) {
    attni_pack_rows((const float *)kv->v, kv->v_stride, begin, end, p->head_size_v,
                    b->packed_v[buffer]);
  }
}

/* The key tile as attni_pack has left it. */
static attni_keys attni_packed(const attni_block *b, const attni_keys *kv, int buffer) {
  const attn_params *const p = &b->plan->params;
  attni_keys packed = *kv;
  if (attni_far_apart(kv->k_stride, p->head_size)) {
    packed.k = b->packed_k[buffer];
    packed.k_stride = p->head_size;
  }
  if (attni_far_apart(kv->v_stride, p->head_size_v)) {
    packed.v = b->packed_v[buffer];
    packed.v_stride = p->head_size_v;
  }
  return packed;
}

/* One more range of the tile's rows ahead. */
static void attni_add_ahead(attni_tile *t, const void *rows, int64_t stride, int64_t count,
                            int64_t size) {
  attni_ahead *const ahead = &t->ahead[t->aheads];
  if (count == 0) return;
  ahead->at = (uintptr_t)rows;
  ahead->stride = (uintptr_t)stride * sizeof(float);
  ahead->rows = count;
  ahead->bytes = (size_t)size * sizeof(float);
  t->ahead_rows += count;
  ++t->aheads;
}

/* Rows of q or o that tile `of` reads or writes: one range per query where heads share keys. */
static void attni_add_rows_ahead(const attni_block *b, attni_tile *t, const attn_tensor *x,
                                 const attni_tile *of, int64_t size) {
  const int64_t group = b->plan->group;
  int64_t row = of->row, count;
  for (; row < of->row + of->rows; row += count) {
    float *first;
    attni_find_rows(b->plan, b->task.batch, b->task.head_kv, x, row, 1, &first);
    count = attni_min(of->row + of->rows - row, group == 1 ? of->rows : group - row % group);
    attni_add_ahead(t, first, group == 1 ? x->stride_s : x->stride_h, count, size);
  }
}

/* Tile i of the block: what it should bring into the cache while it computes. Its part of the next
 * key tile's rows; the next tile's queries, if those have not been read; its own output, if it ends
 * with this key tile, unless that is its only one. */
static void attni_plan_ahead(attni_block *b, int64_t i, const attni_keys *next, int32_t begin,
                             int32_t end, bool ends) {
  const attn_params *const p = &b->plan->params;
  attni_tile *const t = &b->tiles[i];
  const float *const k = (const float *)next->k, *const v = (const float *)next->v;
  t->ahead = b->ahead;
  t->aheads = 0;
  t->ahead_rows = 0;
  if (b->plan->kernels->block == 1) return;
  attni_add_ahead(t, k + begin * next->k_stride, next->k_stride, end - begin, p->head_size);
  attni_add_ahead(t, v + begin * next->v_stride, next->v_stride, end - begin, p->head_size_v);
  if (i + 1 < b->task.tiles && t[1].first) attni_add_rows_ahead(b, t, &p->q, t + 1, p->head_size);
  if (ends && !t->first) attni_add_rows_ahead(b, t, &p->o, t, p->head_size_v);
}

/* Every key tile is read by the query tiles of the block in turn. If there are several, and its
 * rows lie far apart, it is packed. While they compute, each brings its part of the next key tile
 * into the cache, and packs it afterwards. */
static void attni_run_keys(attni_block *b) {
  const attn_plan *const plan = b->plan;
  const int64_t tiles = b->task.tiles;
  int64_t key0 = b->task.key_begin, i, tile = attni_first_tile(b, 0, key0);
  attni_keys kv;
  int buffer = 0;
  if (tile == tiles) return;
  kv = attni_locate(plan, &b->task, key0);
  if (tiles - tile > 1) {
    attni_pack(b, &kv, 0, kv.keys, buffer);
    kv = attni_packed(b, &kv, buffer);
  }
  while (tile < tiles) {
    const int64_t next0 = key0 + plan->kernels->tile_k,
                  next_tile = attni_first_tile(b, tile, next0);
    attni_keys next = kv;
    next.keys = 0;
    if (next_tile < tiles) next = attni_locate(plan, &b->task, next0);
    buffer ^= 1;
    for (i = tile; i < tiles; ++i) {
      const int32_t begin = (int32_t)((i - tile) * next.keys / (tiles - tile));
      const int32_t end = (int32_t)((i - tile + 1) * next.keys / (tiles - tile));
      attni_tile *const t = &b->tiles[i];
      attni_cover cover;
      if (t->first) attni_load_rows(plan, &b->task, t);
      t->kv = kv;
      attni_plan_ahead(b, i, &next, begin, end, i < next_tile);
      cover = attni_cover_tile(t, plan->kernels, key0);
      if (cover != ATTNI_SKIP) attni_key_tile(plan, t, cover);
      if (tiles - next_tile > 1) attni_pack(b, &next, begin, end, buffer);
    }
    kv = tiles - next_tile > 1 ? attni_packed(b, &next, buffer) : next;
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
  float m = -FLT_MAX, inverse, *o;
  double l = 0;
  int64_t chunk, d;
  attni_find_rows(plan, batch, head_kv, &p->o, row, 1, &o);
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
    float *lse;
    attni_find_rows(plan, batch, head_kv, &p->lse, row, 1, &lse);
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

/* ------------------------------------------------------ public functions -- */

ATTN_API attn_status attn_plan_init(attn_plan *plan, const attn_params *params) {
  attn_plan made;
  attn_status status;
  if (plan == NULL) return ATTN_ERR_PLAN;
  status = attni_make_plan(&made, params, true);
  if (status == ATTN_OK) *plan = made;
  return status;
}

ATTN_API attn_status attn_plan_update(attn_plan *plan, const attn_params *params) {
  attn_plan next;
  attn_status status;
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (params == NULL) return ATTN_ERR_PARAMS;
  next = *plan;
  next.params = *params;
  attni_fill_defaults(&next.params);
  if (!attni_same_call(&plan->params, &next.params)) return ATTN_ERR_PLAN_CHANGED;
  next.params.capacity_q = plan->params.capacity_q;
  next.params.capacity_kv = plan->params.capacity_kv;
  next.params.threads = plan->params.threads;
  if (next.params.capacity_q == 0 && params->len_q != plan->params.len_q) {
    return ATTN_ERR_CAPACITY_Q;
  }
  if (next.params.capacity_kv == 0 && params->len_kv != plan->params.len_kv) {
    return ATTN_ERR_CAPACITY_KV;
  }
  status = attni_check_sizes(&next.params);
  if (status == ATTN_OK) status = attni_check_options(&next.params);
  if (status == ATTN_OK) status = attni_check_tensors(&next.params, true);
  if (status == ATTN_OK) status = attni_derive_run(&next, plan->kernels->isa);
  if (status == ATTN_OK) *plan = next;
  return status;
}

ATTN_API int64_t attn_plan_tasks(const attn_plan *plan) {
  return attni_plan_ok(plan) ? plan->tasks : 0;
}

ATTN_API size_t attn_plan_scratch_size(const attn_plan *plan) {
  return attni_plan_ok(plan) ? plan->scratch_size : 0;
}

ATTN_API size_t attn_plan_shared_size(const attn_plan *plan) {
  return attni_plan_ok(plan) ? plan->shared_size : 0;
}

static attn_status attni_check_shared(const attn_plan *plan, const void *shared, size_t size) {
  if (plan->shared_size > 0 && (shared == NULL || size < plan->shared_size)) {
    return ATTN_ERR_SHARED;
  }
  return ATTN_OK;
}

ATTN_API attn_status attn_plan_run(const attn_plan *plan, int64_t task, void *scratch,
                                   size_t scratch_size, void *shared, size_t shared_size) {
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (task < 0 || task >= plan->tasks) return ATTN_ERR_TASK;
  if (scratch == NULL || scratch_size < plan->scratch_size) return ATTN_ERR_SCRATCH;
  if (attni_check_shared(plan, shared, shared_size) != ATTN_OK) return ATTN_ERR_SHARED;
  attni_run_task(plan, task, scratch, shared);
  return ATTN_OK;
}

ATTN_API attn_status attn_plan_finish(const attn_plan *plan, void *shared, size_t shared_size) {
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (attni_check_shared(plan, shared, shared_size) != ATTN_OK) return ATTN_ERR_SHARED;
  attni_merge(plan, shared);
  return ATTN_OK;
}

/* How many threads attn_forward may run: no more than there are tasks, unless updates of the
 * lengths may bring more. */
static int64_t attni_threads(const attn_plan *plan) {
#ifdef ATTN_USE_OPENMP
  const attn_params *const p = &plan->params;
  const int64_t threads = attni_wanted_threads(p);
  if (p->capacity_q != 0 || p->capacity_kv != 0) return threads;
  return attni_max(1, attni_min(threads, plan->tasks));
#else
  (void)plan;
  return 1;
#endif
}

/* Each thread's scratch, one after the other, then shared; SIZE_MAX if that overflows. */
static size_t attni_workspace_bytes(const attn_plan *plan) {
  const size_t scratch = plan->scratch_size * (size_t)attni_threads(plan);
  return plan->shared_size > SIZE_MAX - scratch ? SIZE_MAX : scratch + plan->shared_size;
}

static void attni_forward_in(const attn_plan *plan, char *workspace) {
  const size_t scratch_size = plan->scratch_size;
  const int64_t threads = attni_threads(plan);
  char *const shared = workspace + scratch_size * (size_t)threads;
  int64_t task;
#ifdef ATTN_USE_OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads) if (threads > 1)
#endif
  for (task = 0; task < plan->tasks; ++task) {
#ifdef ATTN_USE_OPENMP
    const size_t thread = threads > 1 ? (size_t)omp_get_thread_num() : 0;
#else
    const size_t thread = 0;
#endif
    attni_run_task(plan, task, workspace + scratch_size * thread, shared);
  }
  attni_merge(plan, shared);
}

ATTN_API attn_status attn_workspace_size(const attn_params *params, size_t *size) {
  attn_plan plan;
  attn_status status;
  if (size == NULL) return ATTN_ERR_RESULT;
  status = attni_make_plan(&plan, params, false);
  if (status != ATTN_OK) return status;
  if (attni_workspace_bytes(&plan) == SIZE_MAX) return ATTN_ERR_OVERFLOW;
  *size = attni_workspace_bytes(&plan);
  return ATTN_OK;
}

ATTN_API attn_status attn_forward(const attn_params *params, void *workspace,
                                  size_t workspace_size) {
  attn_plan plan;
  size_t size;
  void *own = NULL;
  const attn_status status = attni_make_plan(&plan, params, true);
  if (status != ATTN_OK) return status;
  size = attni_workspace_bytes(&plan);
  if (size == SIZE_MAX) return ATTN_ERR_OVERFLOW;
  if (workspace == NULL) {
    if (workspace_size != 0) return ATTN_ERR_WORKSPACE;
    own = workspace = ATTN_MALLOC(size);
    if (workspace == NULL) return ATTN_ERR_MEMORY;
  } else if (workspace_size < size) {
    return ATTN_ERR_WORKSPACE;
  }
  attni_forward_in(&plan, (char *)workspace);
  if (own != NULL) ATTN_FREE(own);
  return ATTN_OK;
}

ATTN_API attn_status attn_plan_get_info(const attn_plan *plan, attn_plan_info *info) {
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (info == NULL) return ATTN_ERR_RESULT;
  info->isa = plan->kernels->isa;
  info->family = plan->kernels->family;
  info->kernel_qk = plan->qk->name;
  info->kernel_pv = plan->pv->name;
  info->tile_q = plan->kernels->tile_q;
  info->tile_k = plan->kernels->tile_k;
  info->tiles = (int32_t)plan->block;
  info->chunks = (int32_t)plan->chunks;
  info->tasks = plan->tasks;
  info->scratch_size = plan->scratch_size;
  info->shared_size = plan->shared_size;
  info->workspace_size = attni_workspace_bytes(plan);
  return ATTN_OK;
}

ATTN_API int attn_plan_describe(const attn_plan *plan, char *text, size_t size) {
  attn_plan_info info;
  if (attn_plan_get_info(plan, &info) != ATTN_OK) {
    return snprintf(text, size, "%s", attn_status_string(ATTN_ERR_PLAN));
  }
  return snprintf(
      text, size,
      "%s, %s: %.0f task(s) of %d tile(s) of up to %d rows by %d keys, %d chunk(s); scores by "
      "'%s', values by '%s'; %.0f bytes of scratch per thread, %.0f shared",
      attn_isa_name(info.isa), attn_family_name(info.family), (double)info.tasks, (int)info.tiles,
      (int)info.tile_q, (int)info.tile_k, (int)info.chunks, info.kernel_qk, info.kernel_pv,
      (double)info.scratch_size, (double)info.shared_size);
}

ATTN_API attn_isa attn_cpu_isa(void) {
  return attni_best_isa();
}

ATTN_API bool attn_isa_supported(attn_isa isa) {
  return attni_isa_runs(isa);
}

ATTN_API attn_status attn_set_isa(attn_isa isa) {
  if (isa != ATTN_ISA_AUTO && !attni_isa_runs(isa)) return ATTN_ERR_ISA;
  attni_store(&attni_default_isa, (int)isa);
  return ATTN_OK;
}

ATTN_API const char *attn_isa_name(attn_isa isa) {
  size_t i;
  for (i = 0; i < ATTNI_COUNT(attni_isa_names); ++i) {
    if (attni_isa_names[i].isa == isa) return attni_isa_names[i].name;
  }
  return "unknown";
}

ATTN_API const char *attn_family_name(attn_family family) {
  static const char *const names[] = {"auto", "prefill", "decode"};
  return (size_t)family < ATTNI_COUNT(names) ? names[family] : "unknown";
}

ATTN_API const char *attn_status_string(attn_status status) {
#define ATTNI_STATUS_TEXT(name, text) text,
  static const char *const texts[] = {ATTNI_STATUS_LIST(ATTNI_STATUS_TEXT)};
#undef ATTNI_STATUS_TEXT
  return (size_t)status < ATTNI_COUNT(texts) ? texts[status] : "unknown";
}

#endif /* ATTN_IMPLEMENTATION */
