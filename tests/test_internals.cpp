// Parts of the implementation that no public function shows: how CPUs are told apart, the
// exponential, and how query tiles share the rows. This unit has an implementation of its own, to
// whose detector it can lie.
#include <algorithm>
#include <cstdint>
#include <vector>

static uint32_t pretended_flags();
#define ATTNI_CPU_FLAGS() pretended_flags()
#if defined(__x86_64__) || defined(__i386__)
static void pretended_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]);
static uint32_t pretended_xgetbv();
#define ATTNI_CPUID(leaf, subleaf, words) pretended_cpuid(leaf, subleaf, words)
#define ATTNI_XGETBV0() pretended_xgetbv()
#endif
#define ATTN_STATIC
#include "attn.h"
//
#include "catch.hpp"
#include "exp2_lanes.h"
#include "support.hpp"

static uint32_t flags_of_this_cpu() {
#if defined(ATTNI_X86)
  return attni_cpu_decode(attni_cpu_read());
#elif defined(ATTNI_ARM64)
  return ATTNI_CPU_NEON;
#else
  return 0;
#endif
}

static bool pretending = false;
static uint32_t pretence = 0;
static uint32_t pretended_flags() {
  return pretending ? pretence : flags_of_this_cpu();
}

#if defined(ATTNI_HAVE_AVX512_BF16) || defined(ATTNI_HAVE_NEON_BF16)

// The kernel for the scores of a prefill of bf16 that names no instruction set, on a CPU with these
// ATTNI_CPU_ bits.
static std::string bf16_kernel_on(uint32_t flags) {
  uint16_t data[16] = {0};
  float o[16];
  attn_params p = attn_params_init();
  attn_plan plan = {};
  attn_plan_info info = {};
  p.q = p.k = p.v = attn_bhsd(data, ATTN_BF16, 1, 1, 16);
  p.o = attn_bhsd(o, ATTN_F32, 1, 1, 16);
  p.batch = p.heads_q = p.len_q = p.len_kv = 1;
  p.head_size = 16;
  p.family = ATTN_FAMILY_PREFILL;
  pretending = true;
  pretence = flags;
  attni_store(&attni_cpu_cache, -1);
  REQUIRE(attn_plan_init(&plan, &p) == ATTN_OK);
  REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
  pretending = false;
  attni_store(&attni_cpu_cache, -1);
  return info.kernel_qk;
}

#endif

#ifdef ATTNI_X86

// A CPU and its operating system: what CPUID and XGETBV say, and what is chosen then.
struct Machine {
  const char *name;
  uint32_t leaf1_ecx, leaf7_ebx, leaf7_1_eax, xcr0;
  std::vector<attn_isa> isas;  // besides scalar
  bool bf16 = false;           // whether bf16 is multiplied by instructions for it
  uint32_t vendor = 0, signature = 0;
  uint32_t last_leaf = 32, last_subleaf = 1;
};

static const Machine *played = nullptr;

// As Intel's CPUs do, a leaf beyond the last gets words that mean something else: all ones, here.
static void pretended_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]) {
  const uint32_t ones = UINT32_MAX;
  if (played == nullptr) return attni_cpuid(leaf, subleaf, words);
  std::fill(words, words + 4, ones);
  if (leaf > played->last_leaf || (leaf == 7 && subleaf > played->last_subleaf)) return;
  std::fill(words, words + 4, 0u);
  if (leaf == 0) {
    words[0] = played->last_leaf;
    words[1] = played->vendor;
  } else if (leaf == 1) {
    words[0] = played->signature;
    words[2] = played->leaf1_ecx;
  } else if (leaf == 7 && subleaf == 0) {
    words[0] = played->last_subleaf;
    words[1] = played->leaf7_ebx;
  } else if (leaf == 7 && subleaf == 1) {
    words[0] = played->leaf7_1_eax;
  }
}

// Without OSXSAVE the instruction traps.
static uint32_t pretended_xgetbv() {
  if (played == nullptr) return attni_xgetbv0();
  REQUIRE((played->leaf1_ecx >> 27 & 1) == 1);
  return played->xcr0;
}

static uint32_t flags_of(const Machine &machine) {
  played = &machine;
  const uint32_t flags = attni_cpu_choose(attni_cpu_read());
  played = nullptr;
  return flags;
}

static std::vector<attn_isa> isas_with(uint32_t flags) {
  std::vector<attn_isa> found;
  pretending = true;
  pretence = flags;
  attni_store(&attni_cpu_cache, -1);
  for (int isa = ATTN_ISA_SCALAR + 1; isa <= ATTN_ISA_NEON; ++isa) {
    if (attn_isa_supported(static_cast<attn_isa>(isa))) found.push_back(static_cast<attn_isa>(isa));
  }
  CHECK(attn_isa_supported(ATTN_ISA_SCALAR));
  CHECK(attn_cpu_isa() == (found.empty() ? ATTN_ISA_SCALAR : found.back()));
  pretending = false;
  attni_store(&attni_cpu_cache, -1);
  return found;
}

namespace {

const uint32_t kFma = 1u << 12, kSse41 = 1u << 19, kOsxsave = 1u << 27, kAvx = 1u << 28,
               kF16c = 1u << 29, kLeaf1 = kFma | kSse41 | kOsxsave | kAvx | kF16c;
const uint32_t kAvx2 = 1u << 5, kF = 1u << 16, kDq = 1u << 17, kBw = 1u << 30, kVl = 1u << 31,
               kLeaf7 = kAvx2 | kF | kDq | kBw | kVl;
const uint32_t kBf16 = 1u << 5;  // of leaf 7, subleaf 1, EAX
// XCR0: x87 and SSE, then AVX; opmask, the upper halves of ZMM0 to 15, ZMM16 to 31.
const uint32_t kXmm = 0x03, kYmm = 0x07, kZmm = 0xe7;
const uint32_t kIntel = 0x756e6547, kAmd = 0x68747541;

const std::vector<attn_isa> kNone, kOne = {ATTN_ISA_AVX2}, kOther = {ATTN_ISA_AVX512},
                                   kBoth = {ATTN_ISA_AVX2, ATTN_ISA_AVX512};

const Machine kMachines[] = {
    {"all there is", kLeaf1, kLeaf7, kBf16, kZmm, kBoth, true},
    {"none", 0, 0, 0, 0, kNone},
    // What the operating system saves.
    {"AVX-512 without the ZMM registers", kLeaf1, kLeaf7, kBf16, kYmm, kOne},
    {"no opmask", kLeaf1, kLeaf7, kBf16, kZmm & ~0x20u, kOne},
    {"no upper halves of ZMM0 to 15", kLeaf1, kLeaf7, kBf16, kZmm & ~0x40u, kOne},
    {"no ZMM16 to 31", kLeaf1, kLeaf7, kBf16, kZmm & ~0x80u, kOne},
    {"ZMM without YMM", kLeaf1, kLeaf7, kBf16, kZmm & ~0x04u, kNone},
    {"AVX without the YMM registers", kLeaf1, kLeaf7, kBf16, kXmm, kNone},
    {"nothing saved", kLeaf1, kLeaf7, kBf16, 0, kNone},
    {"no OSXSAVE", kLeaf1 & ~kOsxsave, kLeaf7, kBf16, kZmm, kNone},
    {"macOS, no AVX-512 used yet", kLeaf1, kLeaf7, 0, kYmm, kOne, false, kIntel, 0x706e5},
    {"macOS, AVX-512 in use", kLeaf1, kLeaf7, 0, kZmm, kBoth, false, kIntel, 0x706e5},
    // What the CPU has.
    {"AVX without AVX2", kLeaf1, 0, 0, kYmm, kNone},
    {"AVX2 without AVX", kLeaf1 & ~kAvx, kLeaf7, kBf16, kZmm, kNone},
    {"AVX2 without FMA", kLeaf1 & ~kFma, kAvx2, 0, kYmm, kNone},
    {"AVX2 without F16C", kLeaf1 & ~kF16c, kAvx2, 0, kYmm, kNone},
    {"AVX2 alone, as hybrid CPUs", kLeaf1, kAvx2, 0, kYmm, kOne, false, kIntel, 0x90672},
    {"AVX-512 without F16C", kLeaf1 & ~kF16c, kLeaf7, 0, kZmm, kOther},
    {"AVX-512 without FMA", kLeaf1 & ~kFma, kLeaf7, kBf16, kZmm, kNone},
    {"AVX-512 without AVX2", kLeaf1, kLeaf7 & ~kAvx2, kBf16, kZmm, kNone},
    {"AVX-512 but AVX512F", kLeaf1, kLeaf7 & ~kF, kBf16, kZmm, kOne},
    {"AVX512F alone", kLeaf1, kAvx2 | kF, 0, kZmm, kBoth},
    {"AVX512_BF16 without AVX512BW", kLeaf1, kLeaf7 & ~kBw, kBf16, kZmm, kBoth},
    {"AVX512_BF16 without AVX512VL", kLeaf1, kLeaf7 & ~kVl, kBf16, kZmm, kBoth},
    {"AVX512_BF16 without AVX512DQ", kLeaf1, kLeaf7 & ~kDq, kBf16, kZmm, kBoth, true},
    {"no AVX512_BF16", kLeaf1, kLeaf7, 0, kZmm, kBoth},
    // How many leaves there are.
    {"no subleaf 1", kLeaf1, kLeaf7, kBf16, kZmm, kBoth, false, 0, 0, 32, 0},
    {"no leaf 7", kLeaf1, kLeaf7, kBf16, kZmm, kNone, false, 0, 0, 6, 0},
    {"no leaf 1", kLeaf1, kLeaf7, kBf16, kZmm, kNone, false, 0, 0, 0, 0},
    // Whose bf16 is slow, by family, model and stepping: Sapphire, Emerald and not Granite Rapids.
    {"Sapphire Rapids", kLeaf1, kLeaf7, kBf16, kZmm, kBoth, false, kIntel, 0x806f8},
    {"Emerald Rapids", kLeaf1, kLeaf7, kBf16, kZmm, kBoth, false, kIntel, 0xc06f2},
    {"Granite Rapids", kLeaf1, kLeaf7, kBf16, kZmm, kBoth, true, kIntel, 0xa06d1},
    {"the same numbers, of AMD", kLeaf1, kLeaf7, kBf16, kZmm, kBoth, true, kAmd, 0xc06f2},
};

const Machine &kNoZmm = kMachines[2];

}  // namespace

TEST_CASE("What is supported on a machine with these words of CPUID and XGETBV") {
  for (const Machine &machine : kMachines) {
    INFO(machine.name);
    const uint32_t flags = flags_of(machine);
    CHECK(isas_with(flags) == machine.isas);
#ifdef ATTNI_HAVE_AVX512_BF16
    const attn_isa best = machine.isas.empty() ? ATTN_ISA_SCALAR : machine.isas.back();
    CHECK(bf16_kernel_on(flags) == std::string(attn_isa_name(best)) + " prefill qk " +
                                       (machine.bf16 ? "bf16" : "f32") + " any");
#endif
  }
}

// With one bit less than all of them one feature is missing with those that need it, and no other.
TEST_CASE("Each feature has a bit of its own") {
  const uint32_t ones = UINT32_MAX;
  const uint32_t avx512 = ATTNI_CPU_AVX512F | ATTNI_CPU_AVX512BW | ATTNI_CPU_AVX512DQ |
                          ATTNI_CPU_AVX512VL | ATTNI_CPU_AVX512VNNI | ATTNI_CPU_AVX512BF16;
  const uint32_t avx2 = ATTNI_CPU_AVX2 | avx512;
  const uint32_t avx = ATTNI_CPU_AVX | ATTNI_CPU_FMA | ATTNI_CPU_F16C | avx2;
  const attni_cpu_words every = {ones, ones, ones, ones, ones, ones, ones};
  const struct {
    uint32_t attni_cpu_words::*word;
    int bit;
    uint32_t flags;
  } features[] = {
      {&attni_cpu_words::leaf1_ecx, 19, ATTNI_CPU_SSE41},
      {&attni_cpu_words::leaf1_ecx, 28, avx},
      {&attni_cpu_words::leaf1_ecx, 12, ATTNI_CPU_FMA},
      {&attni_cpu_words::leaf1_ecx, 29, ATTNI_CPU_F16C},
      {&attni_cpu_words::leaf7_ebx, 5, avx2},
      {&attni_cpu_words::leaf7_ebx, 16, avx512},
      {&attni_cpu_words::leaf7_ebx, 30, ATTNI_CPU_AVX512BW},
      {&attni_cpu_words::leaf7_ebx, 17, ATTNI_CPU_AVX512DQ},
      {&attni_cpu_words::leaf7_ebx, 31, ATTNI_CPU_AVX512VL},
      {&attni_cpu_words::leaf7_ecx, 11, ATTNI_CPU_AVX512VNNI},
      {&attni_cpu_words::leaf7_1_eax, 5, ATTNI_CPU_AVX512BF16},
  };
  for (const auto &feature : features) {
    INFO("bit " << feature.bit);
    attni_cpu_words words = every;
    words.*feature.word &= ~(1u << feature.bit);
    CHECK((attni_cpu_decode(every) & feature.flags) == feature.flags);
    CHECK(attni_cpu_decode(words) == (attni_cpu_decode(every) & ~feature.flags));
  }
}

TEST_CASE("an instruction set that the CPU lacks is refused by every way of asking for it") {
  const uint32_t flags = flags_of(kNoZmm);
  pretending = true;
  pretence = flags;
  attni_store(&attni_cpu_cache, -1);
  CHECK_FALSE(attn_isa_supported(ATTN_ISA_AVX512));
  CHECK_FALSE(attn_isa_supported(ATTN_ISA_NEON));
  CHECK(attn_set_isa(ATTN_ISA_AVX512) == ATTN_ERR_ISA);
  attn_params p = attn_params_init();
  p.batch = p.heads_q = p.head_size = 1;
  p.isa = ATTN_ISA_AVX512;
  CHECK(attn_forward(&p, nullptr, 0) == ATTN_ERR_ISA);
  p.isa = ATTN_ISA_NEON;
  CHECK(attn_forward(&p, nullptr, 0) == ATTN_ERR_ISA);
  p.isa = ATTN_ISA_AVX2;
  CHECK(attn_forward(&p, nullptr, 0) == ATTN_OK);
  pretending = false;
  attni_store(&attni_cpu_cache, -1);
}

#endif  // ATTNI_X86

#ifdef ATTNI_HAVE_NEON_BF16

TEST_CASE("bf16 is multiplied where the CPU has BF16") {
  CHECK(bf16_kernel_on(ATTNI_CPU_NEON | ATTNI_CPU_BF16) == "neon prefill qk bf16 any");
  CHECK(bf16_kernel_on(ATTNI_CPU_NEON) == "neon prefill qk f32 any");
}

#endif

TEST_CASE("2^x is within 2 ULP, exactly 1 at 0, and falls to 0 from -126 to -127", "[internals]") {
  for (attn_isa isa : isas()) {
    INFO(attn_isa_name(isa));
    const exp2_function function = exp2_of(isa);
    REQUIRE(function != nullptr);
    float x[16], y[16];
    double worst = 0;
    Random random(7);
    for (int n = 0; n < 50000; ++n) {
      const float range = n % 2 ? 126.0f : 1.0f;
      for (float &xi : x) xi = -range * random.uniform();
      function(x, y, 16);
      for (int i = 0; i < 16; ++i) {
        const double ulps = exp2_ulps(y[i], std::exp2(static_cast<double>(x[i])));
        if (!(ulps <= worst)) worst = ulps;
      }
    }
    CHECK(worst <= 2.0);
    CHECK(worst > 0.1);  // or nothing was measured

    const float edges[16] = {0.0f,
                             -0.0f,
                             -1.0f,
                             -126.0f,
                             -126.0001f,
                             -127.0f,
                             -1e30f,
                             -FLT_MAX,
                             from_bits(kMinusInfinity),
                             from_bits(kNan),
                             from_bits(kNan | 0x80000000u),
                             -0.5f,
                             -1e-30f,
                             -2.0f,
                             -126.5f,
                             -200.0f};
    function(edges, y, 16);
    CHECK(y[0] == 1.0f);
    CHECK(y[1] == 1.0f);
    CHECK(y[2] == 0.5f);
    CHECK(y[3] == std::ldexp(1.0f, -126));
    for (int i : {5, 6, 7, 8, 15}) CHECK(bits_of(y[i]) == 0);
    for (int i : {4, 14}) CHECK((y[i] >= 0 && y[i] <= std::ldexp(1.0f, -126)));
    CHECK(is_nan(y[9]));
    CHECK(is_nan(y[10]));
    CHECK(y[12] == 1.0f);
    CHECK(y[13] == 0.25f);
  }
}

namespace {

struct RowsOfTiles {
  attn_plan plan;
  attni_task task;
};

RowsOfTiles rows_of_tiles(const attni_kernels *kernels, int64_t group, int64_t len_q) {
  RowsOfTiles r = {};
  r.plan.kernels = kernels;
  r.plan.group = group;
  r.plan.segment = INT64_MAX;
  r.task.entry.len_q = len_q;
  r.task.tiles_q = attni_ceil_div(group * len_q, kernels->tile_q);
  return r;
}

// The vectors of rows in each query tile.
std::vector<int64_t> shares(const RowsOfTiles &r) {
  const int64_t lanes = r.plan.kernels->lanes;
  std::vector<int64_t> found;
  for (int64_t tile = 0; tile < r.task.tiles_q; ++tile) {
    const int64_t first = attni_tile_row(&r.plan, &r.task, tile);
    REQUIRE(first % lanes == 0);
    found.push_back((attni_tile_row(&r.plan, &r.task, tile + 1) - first + lanes - 1) / lanes);
  }
  return found;
}

}  // namespace

TEST_CASE("query tiles share the rows evenly, in whole vectors", "[internals]") {
  for (attn_isa isa : isas()) {
    for (attn_family family : {ATTN_FAMILY_PREFILL, ATTN_FAMILY_DECODE}) {
      const attni_kernels *const kernels = attni_find_kernels(isa, family, ATTN_F32);
      for (int64_t group : {1, 3}) {
        for (int64_t len_q = 1; len_q <= 200; ++len_q) {
          INFO(attn_isa_name(isa) << ", " << attn_family_name(family) << ", " << group << " x "
                                  << len_q);
          const RowsOfTiles r = rows_of_tiles(kernels, group, len_q);
          const std::vector<int64_t> vectors = shares(r);
          const int64_t least = *std::min_element(vectors.begin(), vectors.end());
          const int64_t most = *std::max_element(vectors.begin(), vectors.end());
          CHECK(attni_tile_row(&r.plan, &r.task, 0) == 0);
          CHECK(attni_tile_row(&r.plan, &r.task, r.task.tiles_q) == group * len_q);
          CHECK(least >= 1);
          CHECK(most - least <= 1);
          CHECK(most * kernels->lanes <= kernels->tile_q);
        }
      }
      const int64_t huge = ATTNI_MAX_OFFSET - 1;
      const RowsOfTiles r = rows_of_tiles(kernels, 1, huge);
      const int64_t last = attni_tile_row(&r.plan, &r.task, r.task.tiles_q - 1);
      CHECK(attni_tile_row(&r.plan, &r.task, r.task.tiles_q) == huge);
      CHECK(last < huge);
      CHECK(last >= huge - kernels->tile_q);
    }
  }
}
