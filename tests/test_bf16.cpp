// Products of bf16 by the processor's own instructions. Where no instruction set has them these
// tests are skipped by name; the choice itself is tested everywhere.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"
#include "typed.hpp"

namespace {

const Types kBf16 = {ATTN_BF16, ATTN_BF16, ATTN_BF16, ATTN_F32};
const attn_type kOutputs[] = {ATTN_F32, ATTN_F16, ATTN_BF16};

Types with_output(attn_type o) {
  return Types{ATTN_BF16, ATTN_BF16, ATTN_BF16, o};
}

bool is_subnormal(uint32_t half) {
  return (half & 0x7f80) == 0 && (half & 0x7f) != 0;
}

}  // namespace

TEST_CASE("Only a prefill of bf16 alone multiplies bf16, unless it is told not to", "[bf16]") {
  for (const Path &path : paths()) {
    INFO(path.name());
    Types types = kBf16;
    for (attn_type *type : {&types.q, &types.k, &types.v}) {
      *type = ATTN_F16;
      CHECK_FALSE(multiplies_bf16(params_on(TypedCall(Spec(), 1, types).call, path)));
      *type = ATTN_BF16;
    }
    const TypedCall typed(Spec(), 1, types);
    attn_params params = params_on(typed.call, path);
    if (path.family != ATTN_FAMILY_PREFILL) CHECK_FALSE(multiplies_bf16(params));
    params.exact_bf16 = true;
    CHECK_FALSE(multiplies_bf16(params));
  }
}

TEST_CASE("An update of a plan may not change how bf16 is multiplied", "[bf16]") {
  const TypedCall typed(Spec(), 1, kBf16);
  attn_params params = typed.call.params;
  attn_plan plan;
  REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
  CHECK(attn_plan_update(&plan, &params) == ATTN_OK);
  params.exact_bf16 = true;
  CHECK(attn_plan_update(&plan, &params) == ATTN_ERR_PLAN_CHANGED);
}

TEST_CASE("exact_bf16 gives the bits of f32 tensors with the same values", "[bf16][kernels]") {
  for (attn_isa isa : isas()) {
    const Path path = {isa, ATTN_FAMILY_PREFILL};
    for (int64_t size : {31, 64}) {
      const Spec spec =
          Spec().heads(2, 1).lens(33, 75).sizes(size, 95 - size).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      TypedCall typed(spec, 2, kBf16);
      typed.call.params.exact_bf16 = true;
      const Output exact = typed.run(path);
      CHECK_FALSE(typed.multiplied_bf16);
      typed.call.params = typed.reference_params;
      CHECK(difference(exact, run(typed.call, path)) == "");
    }
  }
}

// ---- Against the reference.

namespace {

void check_call(const Spec &spec, Path path, attn_type o, uint64_t seed, const Placement &at,
                reference::Accuracy *worst) {
  const TypedCall typed(spec, seed, with_output(o), at, seed % 2 ? kNan : kInfinity);
  INFO(path.name() << ", o " << attn_type_name(o) << ", " << describe(spec));
  typed.run(path);
  CHECK(typed.multiplied_bf16);
  reference::Accuracy accuracy;
  CHECK(compare(typed, reference::attention(typed.reference_params), &accuracy) == "");
  worst->include(accuracy);
}

}  // namespace

TEST_CASE("Products of bf16 agree with the reference at every head size", "[bf16][kernels]") {
  static const Layout layouts[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
  const int64_t sizes[] = {1, 2, 3, 15, 31, 59, 64, 65, 96, 111, 128};
  for (const Path &path : bf16_paths()) {
    reference::Accuracy worst;
    uint64_t seed = 100;
    for (int64_t size : sizes) {
      for (int64_t len_kv : {1, 7, 97, 131}) {
        Random random(++seed);
        // Under an emulator each size has one length or two.
        if (is_emulated() && seed % 3 != 1) continue;
        Spec spec = Spec().heads(seed % 3 ? 1 : 3, 1).lens(1 + len_kv / 2, len_kv);
        spec.sizes(size, random.pick(sizes));
        spec.spare = random.between(0, 3);
        if (seed % 2) spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
        if (seed % 5 == 0) spec.scale = -0.3f;
        Placement at = Placement::all(random.pick(layouts));
        at.shift = random.between(0, 15);
        check_call(spec, path, random.pick(kOutputs), seed, at, &worst);
      }
    }
    std::printf("bf16 products, %s: largest error over the bound: f32 o %.3f, lse %.3f\n",
                path.name().c_str(), worst.o, worst.lse);
  }
}

TEST_CASE("Products of bf16 agree with the reference over several tiles", "[bf16]") {
  for (const Path &path : bf16_paths()) {
    reference::Accuracy worst;
    for (int64_t group : {1, 2, 5}) {
      for (int64_t len_q : {49, 110}) {
        // Query tiles that share key tiles pack odd numbers of keys, if they are let to.
        Spec spec = Spec().heads(group, 1).lens(len_q, 203).sizes(18, 21);
        check_call(spec, path, ATTN_F32, 7, Placement::all(Layout::bshd), &worst);
        spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
        check_call(spec, path, ATTN_F32, 8, Placement::all(Layout::padded), &worst);
        spec.causal_at(ATTN_ALIGN_OFFSET, -3); /* empty rows */
        check_call(spec, path, ATTN_BF16, 9, Placement(), &worst);
      }
    }
    // Rows that lie far apart are packed.
    Spec wide = Spec().heads(8, 8).lens(60, 101).sizes(128, 64);
    check_call(wide, path, ATTN_F32, 10, Placement::all(Layout::bshd), &worst);
  }
}

// Weights that are all alike and nearly in the middle of two bf16: all are rounded in one
// direction.
TEST_CASE("The rounding of weights costs 2^-8 max|v|, and nearly that at worst", "[bf16]") {
  for (const Path &path : bf16_paths()) {
    for (double from_even : {0.98, 1.02}) {
      for (float first : {1.0f, -1.0f}) {
        Spec spec = Spec().lens(3, 300).sizes(1, 1);
        spec.scale = static_cast<float>(std::log(0.5 * (1 + from_even / 256)));
        TypedCall typed(spec, 1, kBf16);
        typed.call.q.fill(bits_of(1));
        for (int64_t key = 0; key < 300; key++) {
          typed.call.k.at(0, 0, key, 0) = key > 0;
          typed.call.v.at(0, 0, key, 0) = key > 0 ? 1 : first;
        }
        typed.take(kNan, 1);
        typed.run(path);
        reference::Accuracy accuracy;
        CHECK(compare(typed, reference::attention(typed.reference_params), &accuracy) == "");
        CHECK(accuracy.o > 0.9);
      }
    }
  }
}

TEST_CASE("No keys, and rows that may see none, give zeros", "[bf16]") {
  for (const Path &path : bf16_paths()) {
    for (int64_t len_kv : {0, 5}) {
      Spec spec = Spec().lens(20, len_kv).sizes(7, 9).causal_at(ATTN_ALIGN_OFFSET, -30);
      const TypedCall typed(spec, 1, kBf16);
      const Output output = typed.run(path);
      CHECK(typed.multiplied_bf16);
      for (float x : output.o) CHECK(bits_of(x) == 0);
      for (float x : output.lse) CHECK(bits_of(x) == kMinusInfinity);
    }
  }
}

// ---- What must not be seen is not.

TEST_CASE("A bf16 token that is not finite changes no bit of rows that do not see it",
          "[bf16][kernels]") {
  for (const Path &path : bf16_paths()) {
    // With 16 heads to a group all lanes of a vector end at one key, and every other one is odd.
    for (int64_t group : {1, 3, 16}) {
      const int64_t len = group == 16 ? 21 : 40;
      const Spec spec =
          Spec().heads(group, 1).lens(len, len).sizes(17, 19).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      const Output clean = TypedCall(spec, 3, kBf16).run(path);
      for (int64_t token : {int64_t(0), int64_t(7), int64_t(8), int64_t(17), len - 1}) {
        for (uint32_t bits : {kNan, kInfinity}) {
          for (const std::string where : {"k", "v"}) {
            INFO(path.name() << ", group " << group << ", " << where << " of token " << token);
            const TypedCall spoilt(spec, 3, kBf16);
            const Typed &x = where == "k" ? spoilt.k : spoilt.v;
            x.fill_rows(token, token, unusable(bits, ATTN_BF16));
            const Output got = spoilt.run(path);
            for (int64_t h = 0; h < group; h++)
              for (int64_t i = 0; i < len; i++) {
                const Output row = row_of(got, spec, 0, h, i);
                if (i < token) {
                  const std::string problem = difference(row, row_of(clean, spec, 0, h, i));
                  if (problem != "") FAIL_CHECK("row " << i << ": " << problem);
                } else if (bits == kNan) {
                  for (float value : row.o) {
                    if (!is_nan(value)) FAIL_CHECK("row " << i << " did not see it");
                  }
                }
              }
          }
        }
      }
    }
  }
}

TEST_CASE("bf16 tensors keep between guard pages", "[bf16][guard]") {
  for (const Path &path : bf16_paths()) {
    for (int64_t size : {1, 3, 8, 17, 64, 100}) {
      for (Place place : {Place::below_guard, Place::above_guard}) {
        for (int64_t len : {7, 21}) {
          Spec spec = Spec().heads(2, 1).lens(len, len + 2).sizes(size, 101 - size);
          spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
          reference::Accuracy accuracy;
          check_call(spec, path, ATTN_BF16, 4, Placement::at(place), &accuracy);
        }
      }
    }
  }
}

// ---- The same bits.

TEST_CASE("A row of bf16 products has the bits that it has alone", "[bf16]") {
  for (const Path &path : bf16_paths()) {
    for (int64_t group : {1, 3, 16}) {
      for (int64_t len_q : {1, 2, 5}) {
        for (int64_t size : {16, 21}) {
          Spec spec = Spec().heads(group, 1).sizes(size, 19).lens(len_q, 90 + 3 * len_q);
          check_rows_alone(spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT), path, kBf16);
          spec.lens(len_q, 20).causal_at(ATTN_ALIGN_OFFSET, -2);
          check_rows_alone(spec, path, with_output(ATTN_BF16));
        }
      }
    }
    const Spec many =
        Spec().heads(2, 1).sizes(9, 5).lens(57, 103).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    check_rows_alone(many, path, kBf16);
  }
}

TEST_CASE("Threads, tasks and layouts change no bit of bf16 products", "[bf16][threads]") {
  for (const Path &path : bf16_paths()) {
    for (int64_t size : {128, 19}) {
      Spec spec =
          Spec().heads(4, 4).lens(101, 131).sizes(size, 13).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      spec.spare = 3;
      TypedCall typed(spec, 5, kBf16);
      const Output one = typed.run(path);
      CHECK(typed.multiplied_bf16);
      for (int threads : {1, 2, 7}) {
        typed.call.params.threads = threads;
        CHECK(difference(typed.run(path, threads, static_cast<uint64_t>(threads - 1)), one) == "");
      }
      for (Layout layout : {Layout::bshd, Layout::padded, Layout::negative}) {
        INFO(path.name() << ", " << layout_name(layout));
        Placement at = Placement::all(layout);
        at.shift = 1;
        CHECK(difference(TypedCall(spec, 5, kBf16, at).run(path), one) == "");
      }
    }
  }
}

// ---- Single elements.

TEST_CASE("One key gives every bf16 value unchanged, subnormals as zero", "[bf16][kernels]") {
  const int64_t size = 1024, heads = 64;
  std::vector<uint16_t> v(65536);
  std::vector<float> o(v.size());
  const uint16_t one = 0x3f80;
  for (size_t i = 0; i < v.size(); i++) v[i] = static_cast<uint16_t>(i);
  for (const Path &path : bf16_paths()) {
    attn_params p = attn_params_init();
    p.batch = p.len_q = p.len_kv = p.head_size = 1;
    p.heads_q = heads;
    p.head_size_v = size;
    p.isa = path.isa;
    p.family = path.family;
    p.q = p.k = attn_strided(&one, ATTN_BF16, 0, 0, 0);
    p.v = attn_bhsd(v.data(), ATTN_BF16, 1, heads, size);
    p.o = attn_bhsd(o.data(), ATTN_F32, 1, heads, size);
    REQUIRE(multiplies_bf16(p));
    REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
    int wrong = 0;
    for (uint32_t i = 0; i < 65536; i++) {
      const float want = is_subnormal(i) ? 0 : widened(i, ATTN_BF16);
      const bool zeros = bits_of(want) << 1 == 0 && bits_of(o[i]) << 1 == 0;
      const bool nans = is_nan(want) && is_nan(o[i]);
      if (zeros || nans || bits_of(want) == bits_of(o[i]) || wrong++ > 3) continue;
      FAIL_CHECK(path.name() << ": " << i << " became " << o[i] << ", not " << want);
    }
  }
}

// In odd cases the values are subnormal, in later ones the keys, which a large scale makes matter.
TEST_CASE("Subnormal bf16 elements cost no more than is stated", "[bf16][kernels]") {
  const double tiny = std::ldexp(1.0, -126);
  for (const Path &path : bf16_paths()) {
    for (int number = 0; number < 8; number++) {
      TypedCall typed(Spec().lens(5, 9).sizes(6, 6), 1, kBf16);
      Random random(static_cast<uint64_t>(number));
      double scores = 1e-5;  // the error of a score, and that of lse
      for (int64_t s = 0; s < 9; s++)
        for (int64_t d = 0; d < 6; d++) {
          const float small = from_bits(static_cast<uint32_t>(random.between(1, 127)) << 16);
          if (number % 2) typed.call.v.at(0, 0, s, d) = small;
          if (number >= 4) typed.call.k.at(0, 0, s, d) = small;
        }
      if (number >= 4) {
        typed.call.q.fill(bits_of(0.25f));
        typed.call.params.scale = typed.reference_params.scale = std::ldexp(1.0f, 124);
        scores += std::ldexp(1.0, 124) * tiny * 6 * (1 + 0.25 + tiny);
      }
      typed.take(kNan, 1);
      typed.run(path);
      CHECK(typed.multiplied_bf16);
      const std::vector<reference::Row> rows = reference::attention(typed.reference_params);
      const std::vector<float> o = typed.call.o.values(), lse = typed.call.lse.values();
      for (size_t r = 0; r < rows.size(); r++) {
        INFO(path.name() << ", case " << number << ", row " << r);
        CHECK(std::fabs(static_cast<double>(lse[r]) - rows[r].lse) <= scores);
        const double weights = std::exp(2 * scores) - 1 + std::ldexp(1.0, -8);
        const double bound = rows[r].max_v * weights + 9 * tiny * (2 + rows[r].max_v);
        for (size_t d = 0; d < 6; d++) {
          CHECK(std::fabs(static_cast<double>(o[6 * r + d]) - rows[r].o[d]) <= bound);
        }
      }
    }
  }
}

TEST_CASE("Plans of bf16 follow updates within their capacities", "[bf16]") {
  for (const Path &path : bf16_paths()) {
    Spec spec = Spec().lens(70, 90).sizes(11, 7).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    const TypedCall most(spec, 3, kBf16);
    attn_params params = params_on(most.call, path);
    params.len_q = 1;
    params.len_kv = 3;
    params.capacity_q = 70;
    params.capacity_kv = 90;
    attn_plan plan;
    REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
    for (int64_t len : {5, 70, 19}) {
      params.len_q = len;
      params.len_kv = len + 20;
      REQUIRE(attn_plan_update(&plan, &params) == ATTN_OK);
      run_tasks(plan, 1, 0);
      const std::vector<float> got = most.call.o.values();
      REQUIRE(attn_forward(&params, nullptr, 0) == ATTN_OK);
      CHECK(difference(got, most.call.o.values()) == "");
    }
  }
}
