from isa import Bf16, Isa

ISA = Isa(
    name="neon",
    number=4,
    rank=20,
    arch="ARM64",
    cpu=("NEON",),
    target=None,  # part of AArch64
    lanes=4,
    registers=32,
    vec="float32x4_t",
    ivec="int32x4_t",
    sleef="Sleef_exp2f4_u10advsimd",
    ops={
        "zero": "vdupq_n_f32(0.0f)",
        "set1_bits": "vreinterpretq_f32_u32(vdupq_n_u32({a}))",
        "set1": "vdupq_n_f32({a})",
        "settle": 'ATTNI_SETTLE("w", {a})',
        "fence": "ATTNI_FENCE()",
        "load": "vld1q_f32({a})",
        "loadu": "vld1q_f32({a})",
        "load_part": "attni_neon_load_part({a}, {b})",
        "load_f16": "vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16({a})))",
        "load_bf16": "vreinterpretq_f32_u32(vshll_n_u16(vld1_u16({a}), 16))",
        "load_i8": "attni_neon_load_i8({a})",
        "store_f16": "vst1_u16({a}, vreinterpret_u16_f16(vcvt_f16_f32({b})))",
        "store_bf16": "attni_neon_store_bf16({a}, {b})",
        "bcast": "vld1q_dup_f32({a})",
        "store": "vst1q_f32({a}, {b})",
        "storeu": "vst1q_f32({a}, {b})",
        "add": "vaddq_f32({a}, {b})",
        "sub": "vsubq_f32({a}, {b})",
        "mul": "vmulq_f32({a}, {b})",
        "fma": "vfmaq_f32({c}, {a}, {b})",
        "max": "vmaxq_f32({a}, {b})",
        "min": "vminq_f32({a}, {b})",
        "div": "vdivq_f32({a}, {b})",
        "abs": "vabsq_f32({a})",
        "where_allowed": "vbslq_f32(vcgtq_s32(vld1q_s32({a}), vdupq_n_s32({b})), {c}, {d})",
        "where_bits": "vbslq_f32(vceqq_u32(vreinterpretq_u32_f32({a}), vdupq_n_u32({b})), {c}, {d})",
        "where_nan": "vbslq_f32(vcgtq_u32(vandq_u32(vreinterpretq_u32_f32({a}), vdupq_n_u32(0x7fffffff)), "
                     "vdupq_n_u32(ATTNI_INFINITY_BITS)), {b}, {c})",
        "round": "vrndnq_f32({a})",
        "clamp_tiny": "attni_neon_clamp_tiny({a})",
        "scale2": "attni_neon_scale2({a}, {b}, {c})",
        "exp2": "attni_neon_exp2({a})",
        "softcap": "attni_neon_softcap({a}, {b}, {c})",
        "izero": "vdupq_n_s32(0)",
        "istore": "vst1q_s32({a}, {b})",
        "max_bits": "vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32({a}), vreinterpretq_u32_f32({b})))",
        "max_magnitude": "vmaxq_s32({a}, vandq_s32(vreinterpretq_s32_f32({b}), "
                         "vdupq_n_s32(INT32_MAX)))",
        "lo32": "vzip1q_f32({a}, {b})",
        "hi32": "vzip2q_f32({a}, {b})",
        "lo64": "vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32({a}), "
                "vreinterpretq_f64_f32({b})))",
        "hi64": "vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32({a}), "
                "vreinterpretq_f64_f32({b})))",
    },
    helpers="""\
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

/* As attni_to_bf16. */
static void attni_neon_store_bf16(uint16_t *p, float32x4_t x) {
  const uint32x4_t bits = vreinterpretq_u32_f32(x), upper = vshrq_n_u32(bits, 16);
  const uint32x4_t half = vaddq_u32(vandq_u32(upper, vdupq_n_u32(1)), vdupq_n_u32(0x7fff));
  const uint32x4_t rounded = vshrq_n_u32(vaddq_u32(bits, half), 16);
  const uint32x4_t nan = vcgtq_u32(vandq_u32(bits, vdupq_n_u32(0x7fffffff)), vdupq_n_u32(ATTNI_INFINITY_BITS));
  vst1_u16(p, vmovn_u32(vbslq_u32(nan, vorrq_u32(upper, vdupq_n_u32(0x40)), rounded)));
}

static ATTNI_UNUSED float32x4_t attni_neon_load_i8(const int8_t *p) {
  uint32_t four;
  memcpy(&four, p, sizeof four);
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(four))))));
}

/* The first n floats, 0 < n < 4; the other lanes are 0 and their memory is not read. */
static ATTNI_UNUSED float32x4_t attni_neon_load_part(const float *p, int32_t n) {
  float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  memcpy(part, p, (size_t)n * sizeof(float));
  return vld1q_f32(part);
}
""",
    # In assembly: GCC takes the intrinsics into functions for armv8.2-a or later alone, and a target
    # attribute cannot raise the version without taking away what the command line has beyond it.
    bf16=Bf16(
        cpu=("BF16",),
        target='ATTNI_EXTENSION("bf16")',
        pair="float",  # as the lane of a register: a broadcast takes up a vector pipe
        compilers=(10, 14),
        ops={
            "dot2": "attni_neon_dot2({a}, {b}, {c})",
            "dot2_pair": "attni_neon_dot2_pair({a}, {b}, {c})",
            "load_pair": "attni_neon_load_pair({a})",
            "pair_bf16": "attni_neon_pair_bf16({a}, {b})",
            "zip_bf16": "vreinterpretq_f32_u32(vorrq_u32(vmovl_u16(vld1_u16({a})), "
                        "vshll_n_u16(vld1_u16({b}), 16)))",
            "and_bits": "vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32({a}), "
                        "vreinterpretq_u32_f32({b})))",
            "low_bf16": "vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32({a}), 16))",
        },
        helpers="""\
ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float32x4_t attni_neon_dot2(float32x4_t a, float32x4_t b, float32x4_t sum) {
  __asm__("bfdot %0.4s, %1.8h, %2.8h" : "+w"(sum) : "w"(a), "w"(b));
  return sum;
}

ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float32x4_t attni_neon_dot2_pair(float a, float32x4_t b, float32x4_t sum) {
  __asm__("bfdot %0.4s, %1.8h, %2.2h[0]" : "+w"(sum) : "w"(b), "w"(a));
  return sum;
}

/* As a float, since an integer would come by way of a general register. */
ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float attni_neon_load_pair(const uint16_t *p) {
  float pair;
  memcpy(&pair, p, sizeof pair);
  return pair;
}

ATTNI_TARGET_NEON_BF16
static ATTNI_FORCE_INLINE float32x4_t attni_neon_pair_bf16(float32x4_t a, float32x4_t b) {
  uint16x8_t low, high;
  __asm__("bfcvtn %0.4h, %1.4s" : "=w"(low) : "w"(a));
  __asm__("bfcvtn %0.4h, %1.4s" : "=w"(high) : "w"(b));
  return vreinterpretq_f32_u16(vzip1q_u16(low, high));
}
""",
    ),
)
