// attn_weights: every stage against the reference, with all options together, on every instruction
// set. The environment variable ATTN_WEIGHTS sets the number of random cases.
#include <algorithm>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "weights.hpp"

namespace {

int64_t case_count() {
  return environment("ATTN_WEIGHTS", std::max<int64_t>(16, environment("ATTN_SWEEP", 2000) / 2));
}

}  // namespace

TEST_CASE("Scores and weights of random calls with all options agree with the reference",
          "[weights][sweep]") {
  for (int64_t number = 0; number < case_count(); number++) {
    const VariantCase c = random_variant(number);
    const VariantCall call(c.variant, c.seed, c.storage);
    Random random(c.seed + 5);
    Question q = random_question(c.variant, random);
    const Cells out = room_for(c.variant, q, random);
    for (attn_isa isa : isas()) {
      INFO(attn_isa_name(isa) << ", " << describe(number, q) << ": " << describe(c.variant) << "; "
                              << describe(c.storage));
      out.fill(kPoison);
      ask(call, isa, q, out);
      const std::vector<float> got = answer(c.variant, q, out);
      CHECK(compare(call, q, got) == "");
      if (q.stage == ATTN_STAGE_WEIGHTS) CHECK(compare_sums(call, q, got) == "");
    }
  }
}

TEST_CASE("Weights times values are the output", "[weights]") {
  for (int64_t number = 0; number < case_count() / 4; number++) {
    const VariantCase c = random_variant(number);
    const Variant &v = c.variant;
    const VariantCall call(v, c.seed, c.storage);
    const Question q = everything(v, ATTN_STAGE_WEIGHTS);
    const std::vector<reference::Row> rows = reference::attention(call.params);
    for (const Path &path : forced_paths()) {
      INFO(path.name() << ", " << describe(number, q) << ": " << describe(v));
      const std::vector<float> weights = answer_of(call, path.isa, q);
      const Output output = call.run(path);
      const double of_weights = multiplies_bf16(call.on(path)) ? reference::kBf16Weights : 0;
      const reference::Row *row = rows.data();
      std::string problem;
      for_each_row(call, q, [&](size_t at, const std::vector<reference::Look> &looks) {
        const int64_t i = static_cast<int64_t>(at) / std::max<int64_t>(1, v.len_kv) % v.len_q;
        const int64_t b =
            static_cast<int64_t>(at) / std::max<int64_t>(1, v.len_kv) / v.len_q / v.heads_q;
        if (v.len_kv == 0 || i >= v.queries(b)) return;
        const size_t first = static_cast<size_t>(row - rows.data()) * index_of(v.head_size_v);
        for (size_t d = 0; d < index_of(v.head_size_v); d++) {
          double sum = 0;
          for (size_t j = 0; j < looks[0].keys.size(); j++) {
            if (looks[0].keys[j].allowed)
              sum += static_cast<double>(weights[at + j]) * looks[0].keys[j].v[d];
          }
          const double bound = 2 * row->max_v * reference::kEps *
                                   (reference::kC1 * (1 + row->magnitude) + reference::kC2) +
                               of_weights * row->max_v;
          const double limit =
              std::min(bound, 2 * row->max_v) + half_ulp(v.o, std::fabs(sum) + bound);
          if (std::fabs(static_cast<double>(output.o[first + d]) - sum) <= limit) continue;
          problem = "feature " + std::to_string(d) + " of row " +
                    std::to_string(row - rows.data()) + " is " +
                    std::to_string(output.o[first + d]) + ", not " + std::to_string(sum);
        }
        row++;
      });
      CHECK(problem == "");
    }
  }
}

TEST_CASE("What lies at forbidden keys changes no bit of scores and weights", "[weights][traps]") {
  for (int64_t number = 0; number < case_count() / 4; number++) {
    const VariantCase c = random_variant(number);
    Storage clean = c.storage, spoilt = c.storage;
    clean.unseen = 0;
    spoilt.unseen = number % 2 ? kNan : kInfinity;
    const VariantCall a(c.variant, c.seed, clean), z(c.variant, c.seed, spoilt);
    for (attn_stage stage : {ATTN_STAGE_BIASED, ATTN_STAGE_WEIGHTS}) {
      const Question q = everything(c.variant, stage);
      for (attn_isa isa : isas()) {
        INFO(attn_isa_name(isa) << ", " << describe(number, q) << ": " << describe(c.variant));
        CHECK(difference(answer_of(a, isa, q), answer_of(z, isa, q)) == "");
      }
    }
  }
}

TEST_CASE("Chosen heads and queries have the bits of the whole, with any workspace", "[weights]") {
  Variant v;
  v.heads(6, 2).lens(9, 150).sizes(24, 24).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
  v.batch = 2;
  v.alibi = v.sinks = true;
  v.mask = MaskKind::random;
  const VariantCall call(v, 3);
  for (attn_stage stage : kStages) {
    const Question all = everything(v, stage);
    Question some = all;
    some.heads = {5, 0, 5};
    some.first = 4;
    some.queries = 3;
    for (attn_isa isa : isas()) {
      const std::vector<float> whole = answer_of(call, isa, all), part = answer_of(call, isa, some);
      std::vector<float> same, own(part.size());
      for (size_t b = 0; b < 2; b++)
        for (size_t h : {5, 0, 5}) {
          const auto first = whole.begin() + static_cast<ptrdiff_t>(((b * 6 + h) * 9 + 4) * 150);
          same.insert(same.end(), first, first + 3 * 150);
        }
      CHECK(difference(part, same) == "");
      const attn_params p = params_for(call, isa);
      attn_weights_params what = attn_weights_params();
      what.stage = stage;
      what.heads = some.heads.data();
      what.head_count = 3;
      what.first_query = 4;
      what.queries = 3;
      what.out = attn_bhsd(own.data(), ATTN_F32, 3, 3, 150);
      REQUIRE(attn_weights(&p, &what, nullptr, 0) == ATTN_OK);
      CHECK(difference(own, part) == "");
    }
  }
}

TEST_CASE("Weights of rows that are empty, NaN or infinite", "[weights][nonfinite]") {
  // Four keys, one feature, scale 1, q = 1: the scores are k. Causal by offset 2: query 0 sees 3
  // keys.
  struct Row {
    const char *what;
    uint32_t k[4], sink, weights[4], biased[4];
  };
  const uint32_t one = bits_of(1.0f), half = bits_of(0.5f), inf = kInfinity, low = kMinusInfinity;
  const uint32_t none = low, gone = kNan, third = bits_of(1.0f / 3);
  const Row rows[] = {
      {"equal", {0, 0, 0, gone}, none, {third, third, third, 0}, {0, 0, 0, low}},
      {"a sink", {0, low, low, gone}, 0, {half, 0, 0, 0}, {0, low, low, low}},
      {"NaN", {0, kNan, low, inf}, none, {kNan, kNan, kNan, 0}, {0, kNan, low, low}},
      {"NaN behind", {one, low, low, kNan}, none, {one, 0, 0, 0}, {one, low, low, low}},
      {"plus infinity", {inf, 0, low, 0}, none, {kNan, kNan, kNan, 0}, {inf, 0, low, low}},
      {"all minus infinity", {low, low, low, 0}, none, {kNan, kNan, kNan, 0}, {low, low, low, low}},
      {"the same and a sink", {low, low, low, 0}, one, {0, 0, 0, 0}, {low, low, low, low}},
      {"an infinite sink", {one, 0, 0, 0}, inf, {0, 0, 0, 0}, {one, 0, 0, low}},
      {"a sink that is NaN", {one, 0, 0, 0}, kNan, {kNan, kNan, kNan, 0}, {one, 0, 0, low}},
  };
  for (attn_isa isa : isas())
    for (const Row &row : rows) {
      INFO(attn_isa_name(isa) << ", " << row.what);
      std::vector<float> k, out(8, from_bits(kPoison));
      for (uint32_t bits : row.k) k.push_back(from_bits(bits));
      const float q[2] = {1.0f, 1.0f}, sink = from_bits(row.sink);
      attn_params p = attn_params_init();
      p.isa = isa;
      p.q = attn_bhsd(q, ATTN_F32, 1, 1, 1);
      p.k = attn_bhsd(k.data(), ATTN_F32, 4, 1, 1);
      p.batch = p.heads_q = p.len_q = p.head_size = 1;
      p.len_kv = 4;
      p.causal = true;
      p.align = ATTN_ALIGN_OFFSET;
      p.offset = 2;
      if (row.sink != none) p.sinks = &sink;
      attn_weights_params what = attn_weights_params();
      what.queries = 1;
      what.stage = ATTN_STAGE_WEIGHTS;
      what.out = attn_bhsd(out.data(), ATTN_F32, 1, 1, 4);
      REQUIRE(attn_weights(&p, &what, nullptr, 0) == ATTN_OK);
      what.stage = ATTN_STAGE_BIASED;
      what.out.data = out.data() + 4;
      REQUIRE(attn_weights(&p, &what, nullptr, 0) == ATTN_OK);
      for (size_t j = 0; j < 4; j++) {
        INFO(j);
        CHECK(bits_of(out[j]) == row.weights[j]);
        CHECK(bits_of(out[4 + j]) == row.biased[j]);
      }
      p.offset = -1;  // before every key
      what.stage = ATTN_STAGE_WEIGHTS;
      REQUIRE(attn_weights(&p, &what, nullptr, 0) == ATTN_OK);
      for (size_t j = 0; j < 4; j++) CHECK(bits_of(out[4 + j]) == 0);
    }
}

TEST_CASE("The workspace of weights does not grow with the lengths, but for means", "[weights]") {
  attn_params p = attn_params_init();
  attn_weights_params what = attn_weights_params();
  size_t few = 0, many = 0, mean = 0;
  p.batch = p.heads_q = 1;
  p.q = p.k = attn_bhsd(nullptr, ATTN_F32, 1, 1, 64);
  p.head_size = 64;
  what.stage = ATTN_STAGE_WEIGHTS;
  p.len_q = p.len_kv = 1;
  what.queries = 1;
  what.out = attn_bhsd(nullptr, ATTN_F32, 1, 1, 1);
  REQUIRE(attn_weights_workspace_size(&p, &what, &few) == ATTN_OK);
  p.len_q = p.len_kv = what.queries = 1 << 20;
  what.out = attn_bhsd(nullptr, ATTN_F32, 1 << 20, 1, 1 << 20);
  REQUIRE(attn_weights_workspace_size(&p, &what, &many) == ATTN_OK);
  what.mean_heads = true;
  REQUIRE(attn_weights_workspace_size(&p, &what, &mean) == ATTN_OK);
  CHECK(many == few);
  CHECK(mean == few + 12 * (1 << 20));
}
