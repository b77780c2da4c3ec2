/* The arithmetic peak of one core, measured: loops in assembly that do nothing but independent
 * multiply-adds, so that no compiler can drop or add an instruction. GCC and Clang only. The loops
 * of bf16 products need the macros of attn.h's implementation. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include <stdint.h>

#include "attn.h"
#include "timing.h"

/* One pass of a loop body and how much work it holds. */
typedef struct peak_loop {
  void (*run)(int64_t passes);
  double flop_per_pass; /* a multiply-add counts as two */
} peak_loop;

#if defined(__x86_64__)

/* Eight products and eight sums: without FMA the two go through separate instructions. */
static void peak_run_scalar(int64_t passes) {
  __asm__ volatile(
      "xorps %%xmm0, %%xmm0\n\t"
      "movaps %%xmm0, %%xmm1\n\t movaps %%xmm0, %%xmm2\n\t movaps %%xmm0, %%xmm3\n\t"
      "movaps %%xmm0, %%xmm4\n\t movaps %%xmm0, %%xmm5\n\t movaps %%xmm0, %%xmm6\n\t"
      "movaps %%xmm0, %%xmm7\n\t movaps %%xmm0, %%xmm8\n\t movaps %%xmm0, %%xmm9\n\t"
      "movaps %%xmm0, %%xmm10\n\t movaps %%xmm0, %%xmm11\n\t movaps %%xmm0, %%xmm12\n\t"
      "movaps %%xmm0, %%xmm13\n\t movaps %%xmm0, %%xmm14\n\t movaps %%xmm0, %%xmm15\n\t"
      "1:\n\t"
      "mulss %%xmm0, %%xmm0\n\t addss %%xmm8, %%xmm8\n\t"
      "mulss %%xmm1, %%xmm1\n\t addss %%xmm9, %%xmm9\n\t"
      "mulss %%xmm2, %%xmm2\n\t addss %%xmm10, %%xmm10\n\t"
      "mulss %%xmm3, %%xmm3\n\t addss %%xmm11, %%xmm11\n\t"
      "mulss %%xmm4, %%xmm4\n\t addss %%xmm12, %%xmm12\n\t"
      "mulss %%xmm5, %%xmm5\n\t addss %%xmm13, %%xmm13\n\t"
      "mulss %%xmm6, %%xmm6\n\t addss %%xmm14, %%xmm14\n\t"
      "mulss %%xmm7, %%xmm7\n\t addss %%xmm15, %%xmm15\n\t"
      "dec %0\n\t jnz 1b"
      : "+r"(passes)
      :
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

#define PEAK_FMA_Y(n) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #n "\n\t"
#define PEAK_ZERO_Y(n) "vxorps %%ymm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
#define PEAK_12(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

__attribute__((target("avx2,fma"))) static void peak_run_avx2(int64_t passes) {
  __asm__ volatile(PEAK_12(PEAK_ZERO_Y) PEAK_ZERO_Y(14) PEAK_ZERO_Y(15) "1:\n\t" PEAK_12(PEAK_FMA_Y)
                       PEAK_12(PEAK_FMA_Y) "dec %0\n\t jnz 1b\n\t vzeroupper"
                   : "+r"(passes)
                   :
                   : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                     "xmm9", "xmm10", "xmm11", "xmm14", "xmm15");
}

#define PEAK_FMA_Z(n) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" #n "\n\t"
#define PEAK_ZERO_Z(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define PEAK_24(X)                                                                                 \
  PEAK_12(X) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)

__attribute__((target("avx512f"))) static void peak_run_avx512(int64_t passes) {
  __asm__ volatile(PEAK_24(PEAK_ZERO_Z) PEAK_ZERO_Z(30) PEAK_ZERO_Z(31) "1:\n\t" PEAK_24(
                       PEAK_FMA_Z) "dec %0\n\t jnz 1b\n\t vzeroupper"
                   : "+r"(passes)
                   :
                   : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                     "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17",
                     "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm30", "xmm31");
}

#ifdef ATTNI_HAVE_AVX512_BF16
#define PEAK_DOT_Z(n) "vdpbf16ps %%zmm30, %%zmm31, %%zmm" #n "\n\t"

ATTNI_TARGET_AVX512_BF16 static void peak_run_avx512_bf16(int64_t passes) {
  __asm__ volatile(PEAK_24(PEAK_ZERO_Z) PEAK_ZERO_Z(30) PEAK_ZERO_Z(31) "1:\n\t" PEAK_24(
                       PEAK_DOT_Z) "dec %0\n\t jnz 1b\n\t vzeroupper"
                   : "+r"(passes)
                   :
                   : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                     "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17",
                     "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm30", "xmm31");
}
#endif

static peak_loop peak_of(attn_isa isa, attn_type type) {
  static const peak_loop scalar = {peak_run_scalar, 16}, avx2 = {peak_run_avx2, 24 * 16},
                         avx512 = {peak_run_avx512, 24 * 32}, unknown = {NULL, 0};
#ifdef ATTNI_HAVE_AVX512_BF16
  static const peak_loop avx512_bf16 = {peak_run_avx512_bf16, 24 * 64};
  if (isa == ATTN_ISA_AVX512 && type == ATTN_BF16) return avx512_bf16;
#endif
  if (type != ATTN_F32) return unknown;
  switch (isa) {
    case ATTN_ISA_SCALAR:
      return scalar;
    case ATTN_ISA_AVX2:
      return avx2;
    case ATTN_ISA_AVX512:
      return avx512;
    default:
      return unknown;
  }
}

#elif defined(__aarch64__)

#define PEAK_FMA_V(n) "fmla v" #n ".4s, v30.4s, v31.4s\n\t"
#define PEAK_FMA_S(n) "fmadd s" #n ", s30, s31, s" #n "\n\t"
#define PEAK_ZERO_V(n) "movi v" #n ".4s, #0\n\t"
#define PEAK_24(X)                                                                                 \
  X(0)                                                                                             \
  X(1)                                                                                             \
  X(2)                                                                                             \
  X(3)                                                                                             \
  X(4)                                                                                             \
  X(5)                                                                                             \
  X(6)                                                                                             \
  X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define PEAK_CLOBBERS                                                                              \
  "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",    \
      "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31"

static void peak_run_scalar(int64_t passes) {
  __asm__ volatile(PEAK_24(PEAK_ZERO_V) PEAK_ZERO_V(30)
                       PEAK_ZERO_V(31) "1:\n\t" PEAK_24(PEAK_FMA_S) "subs %0, %0, #1\n\t b.ne 1b"
                   : "+r"(passes)
                   :
                   : PEAK_CLOBBERS);
}

static void peak_run_neon(int64_t passes) {
  __asm__ volatile(PEAK_24(PEAK_ZERO_V) PEAK_ZERO_V(30)
                       PEAK_ZERO_V(31) "1:\n\t" PEAK_24(PEAK_FMA_V) "subs %0, %0, #1\n\t b.ne 1b"
                   : "+r"(passes)
                   :
                   : PEAK_CLOBBERS);
}

#ifdef ATTNI_HAVE_NEON_BF16
#define PEAK_DOT_V(n) "bfdot v" #n ".4s, v30.8h, v31.8h\n\t"

ATTNI_TARGET_NEON_BF16 static void peak_run_neon_bf16(int64_t passes) {
  __asm__ volatile(PEAK_24(PEAK_ZERO_V) PEAK_ZERO_V(30)
                       PEAK_ZERO_V(31) "1:\n\t" PEAK_24(PEAK_DOT_V) "subs %0, %0, #1\n\t b.ne 1b"
                   : "+r"(passes)
                   :
                   : PEAK_CLOBBERS);
}
#endif

static peak_loop peak_of(attn_isa isa, attn_type type) {
  static const peak_loop scalar = {peak_run_scalar, 24 * 2}, neon = {peak_run_neon, 24 * 8},
                         unknown = {NULL, 0};
#ifdef ATTNI_HAVE_NEON_BF16
  static const peak_loop neon_bf16 = {peak_run_neon_bf16, 24 * 16};
  if (isa == ATTN_ISA_NEON && type == ATTN_BF16) return neon_bf16;
#endif
  if (type != ATTN_F32) return unknown;
  switch (isa) {
    case ATTN_ISA_SCALAR:
      return scalar;
    case ATTN_ISA_NEON:
      return neon;
    default:
      return unknown;
  }
}

#else

/* No loop for this architecture: its peak is unknown. */
static peak_loop peak_of(attn_isa isa, attn_type type) {
  static const peak_loop none = {NULL, 0};
  (void)isa;
  (void)type;
  return none;
}

#endif

/* GFLOP/s of products of f32 or bf16 over so many passes of the loop; 0 if there is none for this
 * instruction set. */
static double peak_gflops(attn_isa isa, attn_type type, int64_t passes) {
  const peak_loop peak = peak_of(isa, type);
  double start;
  if (peak.run == NULL) return 0;
  start = seconds();
  peak.run(passes);
  return peak.flop_per_pass * (double)passes / (seconds() - start) * 1e-9;
}

#endif
