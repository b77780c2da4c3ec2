// Parts of the implementation that no public function shows: how CPUs are told apart, the
// exponential, and how query tiles share the rows. This unit has an implementation of its own, to
// whose detector it can lie.
#include <algorithm>
#include <cstdint>
#include <vector>

static uint32_t pretended_flags();
#define ATTNI_CPU_FLAGS() pretended_flags()
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

#ifdef ATTNI_X86

// Every feature that matters, as CPUID and XGETBV report it.
static attni_cpu_words everything() {
  attni_cpu_words cpu = {};
  cpu.leaf1_ecx = 1u << 12 | 1u << 19 | 1u << 27 | 1u << 28 | 1u << 29;
  cpu.leaf7_ebx = 1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  cpu.leaf7_ecx = 1u << 11;
  cpu.leaf7_1_eax = 1u << 5;
  cpu.xcr0 = 0xe7;
  return cpu;
}

static attn_isa best_on(const attni_cpu_words &cpu) {
  pretending = true;
  pretence = attni_cpu_decode(cpu);
  attni_store(&attni_cpu_cache, -1);
  const attn_isa isa = attn_cpu_isa();
  pretending = false;
  attni_store(&attni_cpu_cache, -1);
  return isa;
}

TEST_CASE("the detector chooses what the CPU has and the operating system saves") {
  attni_cpu_words cpu = everything();
  CHECK(best_on(cpu) == ATTN_ISA_AVX512);

  SECTION("AVX-512 whose registers the operating system does not save: AVX2") {
    cpu.xcr0 = 0x07;
    CHECK(best_on(cpu) == ATTN_ISA_AVX2);
  }
  SECTION("each of opmask, upper halves and upper registers is needed") {
    for (int bit = 5; bit <= 7; ++bit) {
      cpu.xcr0 = 0xe7u & ~(1u << bit);
      CHECK(best_on(cpu) == ATTN_ISA_AVX2);
    }
  }
  SECTION("AVX registers not saved: scalar, whatever else is reported") {
    cpu.xcr0 = 0xe3;
    CHECK(best_on(cpu) == ATTN_ISA_SCALAR);
    cpu.xcr0 = 0;
    CHECK(best_on(cpu) == ATTN_ISA_SCALAR);
  }
  SECTION("AVX without AVX2, and AVX2 without FMA: scalar") {
    cpu.leaf7_ebx = 0;
    CHECK(best_on(cpu) == ATTN_ISA_SCALAR);
    cpu = everything();
    cpu.leaf1_ecx &= ~(1u << 12);
    CHECK(best_on(cpu) == ATTN_ISA_SCALAR);
  }
  SECTION("no AVX-512F: AVX2, though other AVX-512 bits are set") {
    cpu.leaf7_ebx &= ~(1u << 16);
    CHECK(best_on(cpu) == ATTN_ISA_AVX2);
    CHECK((attni_cpu_decode(cpu) & (ATTNI_CPU_AVX512BW | ATTNI_CPU_AVX512BF16)) == 0);
  }
  SECTION("an old CPU without any of it") {
    const attni_cpu_words none = {};
    CHECK(best_on(none) == ATTN_ISA_SCALAR);
    CHECK(attni_cpu_decode(none) == 0);
  }
}

TEST_CASE("an instruction set that the CPU lacks is refused by every way of asking for it") {
  attni_cpu_words cpu = everything();
  cpu.xcr0 = 0x07;
  pretending = true;
  pretence = attni_cpu_decode(cpu);
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

TEST_CASE("bf16 is multiplied where the CPU has each of the bits that it takes") {
#ifdef ATTNI_X86
  const attni_cpu_words all = everything();
  CHECK(bf16_kernel_on(attni_cpu_decode(all)) == "avx512 prefill qk bf16 any");
  attni_cpu_words cpu = all;
  cpu.leaf7_1_eax = 0;
  CHECK(bf16_kernel_on(attni_cpu_decode(cpu)) == "avx512 prefill qk f32 any");
  cpu = all;
  cpu.leaf7_ebx &= ~(1u << 30);  // AVX512BW
  CHECK(bf16_kernel_on(attni_cpu_decode(cpu)) == "avx512 prefill qk f32 any");
  cpu = all;
  cpu.xcr0 = 0x07;  // the ZMM registers are not saved
  CHECK(bf16_kernel_on(attni_cpu_decode(cpu)) == "avx2 prefill qk f32 any");
  cpu = all;
  cpu.leaf0_ebx = 0x756e6547;  // Intel; signatures of the CPUs in their family, model, stepping form
  cpu.leaf1_eax = 0x000c06f2;  // Emerald Rapids, whose instructions for bf16 are slow
  CHECK(bf16_kernel_on(attni_cpu_choose(cpu)) == "avx512 prefill qk f32 any");
  cpu.leaf1_eax = 0x000806f8;  // Sapphire Rapids
  CHECK(bf16_kernel_on(attni_cpu_choose(cpu)) == "avx512 prefill qk f32 any");
  cpu.leaf1_eax = 0x000a06d1;  // Granite Rapids
  CHECK(bf16_kernel_on(attni_cpu_choose(cpu)) == "avx512 prefill qk bf16 any");
  cpu.leaf0_ebx = 0x68747541;  // AMD
  cpu.leaf1_eax = 0x000c06f2;
  CHECK(bf16_kernel_on(attni_cpu_choose(cpu)) == "avx512 prefill qk bf16 any");
#else
  CHECK(bf16_kernel_on(ATTNI_CPU_NEON | ATTNI_CPU_BF16) == "neon prefill qk bf16 any");
  CHECK(bf16_kernel_on(ATTNI_CPU_NEON) == "neon prefill qk f32 any");
#endif
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
