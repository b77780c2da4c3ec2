from isa import Isa

ISA = Isa(
    name="avx2",
    number=2,
    rank=20,
    arch="X86",
    cpu=("AVX", "AVX2", "FMA", "F16C"),
    target='"avx2,fma,f16c"',
    lanes=8,
    registers=16,
    vec="__m256",
    ivec="__m256i",
    sleef="Sleef_exp2f8_u10avx2",
    ops={
        "zero": "_mm256_setzero_ps()",
        "set1_bits": "_mm256_castsi256_ps(_mm256_set1_epi32((int32_t)({a})))",
        "set1": "_mm256_set1_ps({a})",
        "settle": 'ATTNI_CLANG_SETTLE("x", {a})',
        "fence": "ATTNI_CLANG_FENCE()",
        "load": "_mm256_load_ps({a})",
        "loadu": "_mm256_loadu_ps({a})",
        "load_part": "_mm256_maskload_ps({a}, attni_avx2_first({b}))",
        "load_f16": "_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)({a})))",
        "load_bf16": "_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32("
                     "_mm_loadu_si128((const __m128i *)(const void *)({a}))), 16))",
        "load_i8": "_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32("
                   "_mm_loadl_epi64((const __m128i *)(const void *)({a}))))",
        "store_f16": "_mm_storeu_si128((__m128i *)(void *)({a}), _mm256_cvtps_ph({b}, "
                     "_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))",
        "store_bf16": "attni_avx2_store_bf16({a}, {b})",
        "bcast": "_mm256_broadcast_ss({a})",
        "store": "_mm256_store_ps({a}, {b})",
        "storeu": "_mm256_storeu_ps({a}, {b})",
        "add": "_mm256_add_ps({a}, {b})",
        "sub": "_mm256_sub_ps({a}, {b})",
        "mul": "_mm256_mul_ps({a}, {b})",
        "fma": "_mm256_fmadd_ps({a}, {b}, {c})",
        "max": "_mm256_max_ps({a}, {b})",
        "min": "_mm256_min_ps({a}, {b})",
        "div": "_mm256_div_ps({a}, {b})",
        "abs": "_mm256_andnot_ps(_mm256_set1_ps(-0.0f), {a})",
        # c where the limits at a > key b, else d
        "where_allowed": "_mm256_blendv_ps({d}, {c}, _mm256_castsi256_ps(_mm256_cmpgt_epi32("
                         "_mm256_load_si256((const __m256i *)({a})), _mm256_set1_epi32({b}))))",
        # c where the bits of a are b, else d
        "where_bits": "_mm256_blendv_ps({d}, {c}, _mm256_castsi256_ps(_mm256_cmpeq_epi32("
                      "_mm256_castps_si256({a}), _mm256_set1_epi32((int32_t)({b})))))",
        # b where a is NaN, else c
        "where_nan": "_mm256_blendv_ps({c}, {b}, _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_and_si256("
                     "_mm256_castps_si256({a}), _mm256_set1_epi32(INT32_MAX)), "
                     "_mm256_set1_epi32((int32_t)ATTNI_INFINITY_BITS))))",
        "round": "_mm256_round_ps({a}, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)",
        "clamp_tiny": "attni_avx2_clamp_tiny({a})",
        "scale2": "attni_avx2_scale2({a}, {b}, {c})",
        "exp2": "attni_avx2_exp2({a})",
        "softcap": "attni_avx2_softcap({a}, {b}, {c})",
        "izero": "_mm256_setzero_si256()",
        "istore": "_mm256_storeu_si256((__m256i *)({a}), {b})",
        "max_bits": "_mm256_max_epu32({a}, _mm256_castps_si256({b}))",
        "max_magnitude": "_mm256_max_epi32({a}, _mm256_and_si256(_mm256_castps_si256({b}), "
                         "_mm256_set1_epi32(INT32_MAX)))",
        "lo32": "_mm256_unpacklo_ps({a}, {b})",
        "hi32": "_mm256_unpackhi_ps({a}, {b})",
        "lo64": "_mm256_shuffle_ps({a}, {b}, 0x44)",
        "hi64": "_mm256_shuffle_ps({a}, {b}, 0xee)",
        "lo128": "_mm256_permute2f128_ps({a}, {b}, 0x20)",
        "hi128": "_mm256_permute2f128_ps({a}, {b}, 0x31)",
    },
    helpers="""\
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

/* As attni_to_bf16. */
ATTNI_TARGET_AVX2
static void attni_avx2_store_bf16(uint16_t *p, __m256 x) {
  const __m256i bits = _mm256_castps_si256(x), upper = _mm256_srli_epi32(bits, 16);
  const __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
  const __m256i nan = _mm256_cmpgt_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(INT32_MAX)),
                                         _mm256_set1_epi32((int32_t)ATTNI_INFINITY_BITS));
  const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
  const __m256i y = _mm256_blendv_epi8(rounded, quiet, nan);
  _mm_storeu_si128((__m128i *)(void *)p,
                   _mm_packus_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1)));
}

/* The mask of the first n lanes, 0 < n < 8. */
ATTNI_TARGET_AVX2
static ATTNI_UNUSED __m256i attni_avx2_first(int32_t n) {
  static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  return _mm256_loadu_si256((const __m256i *)(const void *)(ones + 8 - n));
}
""",
)
