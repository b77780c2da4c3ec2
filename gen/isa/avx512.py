from isa import Bf16, Isa

# The unmasked forms of some intrinsics start from an undefined vector, about which GCC 12 warns in every
# caller; the zeroing forms with a full mask compile to the same instruction.
# AVX-512F alone: logic on floats goes through the integer forms, since those on floats are AVX512DQ.
ISA = Isa(
    name="avx512",
    number=3,
    rank=30,
    arch="X86",
    cpu=("AVX2", "FMA", "AVX512F"),
    target='"avx512f" ATTNI_EVEX512',
    lanes=16,
    registers=32,
    vec="__m512",
    ivec="__m512i",
    sleef="Sleef_exp2f16_u10avx512f",
    ops={
        "zero": "_mm512_setzero_ps()",
        "set1_bits": "_mm512_castsi512_ps(_mm512_set1_epi32((int32_t)({a})))",
        "set1": "_mm512_set1_ps({a})",
        "settle": 'ATTNI_CLANG_SETTLE("v", {a})',
        "fence": "ATTNI_CLANG_FENCE()",
        "load": "_mm512_load_ps({a})",
        "loadu": "_mm512_loadu_ps({a})",
        "load_part": "_mm512_maskz_loadu_ps((__mmask16)((1u << ({b})) - 1u), {a})",
        "load_f16": "_mm512_maskz_cvtph_ps(ATTNI_AVX512_ALL, _mm256_loadu_si256((const __m256i *)(const void *)({a})))",
        "load_bf16": "_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, "
                     "_mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, "
                     "_mm256_loadu_si256((const __m256i *)(const void *)({a}))), 16))",
        "load_i8": "_mm512_maskz_cvtepi32_ps(ATTNI_AVX512_ALL, _mm512_maskz_cvtepi8_epi32("
                   "ATTNI_AVX512_ALL, _mm_loadu_si128((const __m128i *)(const void *)({a}))))",
        "store_f16": "_mm256_storeu_si256((__m256i *)(void *)({a}), _mm512_maskz_cvtps_ph("
                     "ATTNI_AVX512_ALL, {b}, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))",
        "store_bf16": "attni_avx512_store_bf16({a}, {b})",
        "bcast": "_mm512_set1_ps(*({a}))",
        "store": "_mm512_store_ps({a}, {b})",
        "storeu": "_mm512_storeu_ps({a}, {b})",
        "add": "_mm512_add_ps({a}, {b})",
        "sub": "_mm512_sub_ps({a}, {b})",
        "mul": "_mm512_mul_ps({a}, {b})",
        "fma": "_mm512_fmadd_ps({a}, {b}, {c})",
        "max": "_mm512_maskz_max_ps(ATTNI_AVX512_ALL, {a}, {b})",
        "min": "_mm512_maskz_min_ps(ATTNI_AVX512_ALL, {a}, {b})",
        "div": "_mm512_div_ps({a}, {b})",
        "abs": "_mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512({a}), _mm512_set1_epi32(INT32_MAX)))",
        "where_allowed": "_mm512_mask_blend_ps(_mm512_cmpgt_epi32_mask("
                         "_mm512_load_si512({a}), _mm512_set1_epi32({b})), {d}, {c})",
        "where_bits": "_mm512_mask_blend_ps(_mm512_cmpeq_epi32_mask("
                      "_mm512_castps_si512({a}), _mm512_set1_epi32((int32_t)({b}))), {d}, {c})",
        "where_nan": "_mm512_mask_blend_ps(_mm512_cmpgt_epi32_mask(_mm512_and_si512(_mm512_castps_si512({a}), "
                     "_mm512_set1_epi32(INT32_MAX)), _mm512_set1_epi32((int32_t)ATTNI_INFINITY_BITS)), {c}, {b})",
        "round": "_mm512_maskz_cvtepi32_ps(ATTNI_AVX512_ALL, _mm512_maskz_cvtps_epi32("
                 "ATTNI_AVX512_ALL, {a}))",
        "clamp_tiny": "{a}",
        # 0 where c is below -126, told by its bits
        "scale2": "_mm512_maskz_scalef_ps(_mm512_cmpgt_epu32_mask(_mm512_sub_epi32("
                  "_mm512_castps_si512({c}), _mm512_set1_epi32((int32_t)ATTNI_TINY_FIRST)), "
                  "_mm512_set1_epi32((int32_t)ATTNI_TINY_RANGE)), {a}, {b})",
        "exp2": "attni_avx512_exp2({a})",
        "softcap": "attni_avx512_softcap({a}, {b}, {c})",
        "izero": "_mm512_setzero_si512()",
        "istore": "_mm512_storeu_si512({a}, {b})",
        "max_bits": "_mm512_maskz_max_epu32(ATTNI_AVX512_ALL, {a}, _mm512_castps_si512({b}))",
        "max_magnitude": "_mm512_maskz_max_epi32(ATTNI_AVX512_ALL, {a}, _mm512_and_si512(_mm512_castps_si512({b}), "
                         "_mm512_set1_epi32(INT32_MAX)))",
        "lo32": "_mm512_maskz_unpacklo_ps(ATTNI_AVX512_ALL, {a}, {b})",
        "hi32": "_mm512_maskz_unpackhi_ps(ATTNI_AVX512_ALL, {a}, {b})",
        "lo64": "_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, {a}, {b}, 0x44)",
        "hi64": "_mm512_maskz_shuffle_ps(ATTNI_AVX512_ALL, {a}, {b}, 0xee)",
        "lo128": "_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, {a}, {b}, 0x88)",
        "hi128": "_mm512_maskz_shuffle_f32x4(ATTNI_AVX512_ALL, {a}, {b}, 0xdd)",
    },
    helpers="""\
#define ATTNI_AVX512_ALL ((__mmask16)0xffff)

/* As attni_to_bf16. */
ATTNI_TARGET_AVX512
static void attni_avx512_store_bf16(uint16_t *p, __m512 x) {
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i upper = _mm512_maskz_srli_epi32(ATTNI_AVX512_ALL, bits, 16);
  const __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
  const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  const __m512i rounded = _mm512_maskz_srli_epi32(ATTNI_AVX512_ALL, _mm512_add_epi32(bits, half), 16);
  const __mmask16 nan = _mm512_cmpgt_epi32_mask(_mm512_and_si512(bits, _mm512_set1_epi32(INT32_MAX)),
                                                _mm512_set1_epi32((int32_t)ATTNI_INFINITY_BITS));
  const __m512i y = _mm512_mask_or_epi32(rounded, nan, upper, _mm512_set1_epi32(0x40));
  _mm256_storeu_si256((__m256i *)(void *)p, _mm512_maskz_cvtepi32_epi16(ATTNI_AVX512_ALL, y));
}
""",
    # Compilers take AVX512BF16 to include AVX512BW, of which GCC 11 and 12 use forms for half vectors that
    # belong to AVX512VL.
    bf16=Bf16(
        cpu=("AVX512BW", "AVX512VL", "AVX512BF16"),
        target='"avx512f,avx512bf16" ATTNI_EVEX512',
        pair="__m512",
        compilers=(10, 9),
        ops={
            "dot2": "_mm512_dpbf16_ps({c}, (__m512bh)({a}), (__m512bh)({b}))",
            "dot2_pair": "_mm512_dpbf16_ps({c}, (__m512bh)({a}), (__m512bh)({b}))",
            "load_pair": "_mm512_castsi512_ps(_mm512_set1_epi32((int32_t)attni_pair({a})))",
            "pair_bf16": "attni_avx512_pair_bf16({a}, {b})",
            "zip_bf16": "_mm512_castsi512_ps(_mm512_or_si512(_mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, "
                        "_mm256_loadu_si256((const __m256i *)(const void *)({a}))), _mm512_maskz_slli_epi32("
                        "ATTNI_AVX512_ALL, _mm512_maskz_cvtepu16_epi32(ATTNI_AVX512_ALL, "
                        "_mm256_loadu_si256((const __m256i *)(const void *)({b}))), 16)))",
            "and_bits": "_mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512({a}), "
                        "_mm512_castps_si512({b})))",
            "low_bf16": "_mm512_castsi512_ps(_mm512_maskz_slli_epi32(ATTNI_AVX512_ALL, "
                        "_mm512_castps_si512({a}), 16))",
        },
        helpers="""\
ATTNI_TARGET_AVX512_BF16
static ATTNI_FORCE_INLINE __m512 attni_avx512_pair_bf16(__m512 a, __m512 b) {
  /* a's numbers, words 0 to 15 of the conversion, and b's, 16 to 31, in turns */
  const __m512i order = _mm512_set_epi32(
      0x1f000f, 0x1e000e, 0x1d000d, 0x1c000c, 0x1b000b, 0x1a000a, 0x190009, 0x180008, 0x170007,
      0x160006, 0x150005, 0x140004, 0x130003, 0x120002, 0x110001, 0x100000);
  return _mm512_castsi512_ps(_mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(b, a)));
}
""",
    ),
)
