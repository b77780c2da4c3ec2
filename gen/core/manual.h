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
 *   each field means and which formula is computed. Options, which combine: boolean masks, additive
 *   bias, masks by blocks, sliding windows, softcap, ALiBi, sinks, a length per batch entry, packed
 *   sequences, paged caches, ring buffers. Kernels for the head sizes that were generated,
 *   and one for any other from 1 to 1024, are chosen at run time by what the CPU can do.
 *
 *   Beside it: attn_kv_append writes rows to a cache, attn_rope turns them by their positions,
 *   attn_merge merges results over parts of the keys, attn_alibi_slopes and attn_block_mask_build
 *   make what attn_params points to.
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
 *   ATTN_NO_BF16          never multiply bf16 by the CPU's own instructions, see params.exact_bf16
 *   ATTN_NO_ENV           ignore the environment variable ATTN_ISA
 *   ATTN_MALLOC(size), ATTN_FREE(pointer)        instead of malloc and free; both or neither
 *   ATTN_USE_SLEEF        take the vector exponential from SLEEF; link with -lsleef
 *   ATTN_USE_OPENMP       attn_forward runs its tasks on OpenMP's threads
 *
 * ENVIRONMENT
 *   ATTN_ISA=scalar|avx2|avx512|neon chooses the instruction set of calls that do not choose one
 *   themselves. A name that is misspelt, or that this CPU lacks, is an error of each such call. */
