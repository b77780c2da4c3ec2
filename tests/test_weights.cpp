// attn_weights: every stage against the reference, with all options together, on every instruction
// set. The environment variable ATTN_WEIGHTS sets the number of random cases.
#include <algorithm>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "variants.hpp"

namespace {

const attn_stage kStages[] = {ATTN_STAGE_SCALED, ATTN_STAGE_SOFTCAP, ATTN_STAGE_BIASED,
                              ATTN_STAGE_WEIGHTS};

// What is asked of a call, and the memory for it.
struct Question {
  attn_stage stage;
  std::vector<int32_t> heads;  // empty: all, by a null pointer
  bool mean;
  int64_t first, queries;

  int64_t head_count(const Variant &v) const {
    return heads.empty() ? v.heads_q : static_cast<int64_t>(heads.size());
  }
  int64_t rows_of_heads(const Variant &v) const {
    return mean ? 1 : head_count(v);
  }
  int64_t head(int64_t n) const {
    return heads.empty() ? n : heads[index_of(n)];
  }
};

Question everything(const Variant &v, attn_stage stage) {
  return {stage, {}, false, 0, v.len_q};
}

Question random_question(const Variant &v, Random &random) {
  Question q = everything(v, random.pick(kStages));
  for (int64_t n = random.one_in(2) ? 0 : random.between(1, 4); n > 0; n--)
    q.heads.push_back(static_cast<int32_t>(random.between(0, v.heads_q - 1)));
  q.mean = random.one_in(3);
  if (random.one_in(2)) {
    q.first = random.between(0, v.len_q);
    q.queries = random.between(0, v.len_q - q.first);
  }
  return q;
}

Cells room_for(const Variant &v, const Question &q, Random &random) {
  static const Layout any[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
  const Cells::Index extents = {v.batch, q.rows_of_heads(v), q.queries, v.len_kv};
  const Strides s = make_strides(random.pick(any),
                                 Extents{extents[0], extents[1], extents[2], extents[3]}, random);
  const Place place = random.one_in(4) ? Place::below_guard : Place::heap;
  return Cells(extents, {s.b, s.h, s.s, 1}, ATTN_F32, place, random.between(0, 15));
}

// The params without what is not looked at.
attn_params params_for(const VariantCall &call, attn_isa isa) {
  attn_params p = call.params;
  p.isa = isa;
  p.v = p.o = p.lse = p.v_scale = attn_tensor();
  p.head_size_v = 0;
  return p;
}

// Answer in a workspace of exactly the size asked for, between canaries.
void ask(const VariantCall &call, attn_isa isa, const Question &q, const Cells &out) {
  const attn_params p = params_for(call, isa);
  attn_weights_params what = attn_weights_params();
  what.stage = q.stage;
  what.heads = q.heads.empty() ? nullptr : q.heads.data();
  what.head_count = static_cast<int64_t>(q.heads.size());
  what.mean_heads = q.mean;
  what.first_query = q.first;
  what.queries = q.queries;
  what.out = out.tensor();
  size_t size = 0;
  REQUIRE(attn_weights_workspace_size(&p, &what, &size) == ATTN_OK);
  Workspace workspace(size);
  REQUIRE(attn_weights(&p, &what, workspace.data(), size) == ATTN_OK);
  REQUIRE(workspace.intact());
}

// The answer in the order b, h, i, j. Requires that every element and nothing else was written.
std::vector<float> answer(const Variant &v, const Question &q, const Cells &out) {
  std::vector<float> values;
  int64_t written = 0;
  for (int64_t b = 0; b < v.batch; b++)
    for (int64_t h = 0; h < q.rows_of_heads(v); h++)
      for (int64_t i = 0; i < q.queries; i++)
        for (int64_t j = 0; j < v.len_kv; j++) {
          const uint32_t bits = out.get({b, h, i, j});
          written += bits != kPoison;
          values.push_back(from_bits(bits));
        }
  REQUIRE(written == static_cast<int64_t>(values.size()));
  for (int64_t n = 0; n < out.count(); n++) written -= out.get_cell(n) != kPoison;
  REQUIRE(written == 0);
  return values;
}

std::vector<float> answer_of(const VariantCall &call, attn_isa isa, const Question &q) {
  Random random(1);
  const Cells out = room_for(call.variant, q, random);
  ask(call, isa, q, out);
  return answer(call.variant, q, out);
}

// Where an element may lie; or that it must be -infinity, or that nothing is known.
struct Limits {
  double low, high;
  bool forbidden, unknown;
};

Limits limits_of(const reference::Look &look, int64_t j, attn_stage stage) {
  const reference::Seen &seen = look.keys[index_of(j)];
  const auto around = [](double s, double error) {
    const double size = error + reference::kEps * std::fabs(s) + 1e-37;
    return Limits{s - size, s + size, false, !std::isfinite(s) || !std::isfinite(error)};
  };
  if (stage == ATTN_STAGE_WEIGHTS) {
    if (!seen.allowed) return {0, 0, false, false};
    const double error = seen.biased_error + look.error + 4 * reference::kEps;
    const double low = std::exp(std::min(0.0, seen.biased - look.lse - error));
    const double high = std::exp(std::min(0.0, seen.biased - look.lse + error));
    return {low * (1 - 1e-6) - 1e-37, high * (1 + 1e-6) + 1e-37, false, false};
  }
  if (!seen.there || (stage == ATTN_STAGE_BIASED && !seen.allowed)) return {0, 0, true, false};
  if (stage == ATTN_STAGE_SCALED) return around(seen.scaled, seen.scaled_error);
  if (stage == ATTN_STAGE_SOFTCAP) return around(seen.softcap, seen.softcap_error);
  return around(seen.biased, seen.biased_error);
}

Limits mean_limits(const std::vector<reference::Look> &looks, int64_t j, attn_stage stage) {
  Limits mean = {0, 0, false, false};
  const double n = static_cast<double>(looks.size());
  for (const reference::Look &look : looks) {
    const Limits one = limits_of(look, j, stage);
    mean.low += one.low / n;
    mean.high += one.high / n;
    mean.forbidden = mean.forbidden || one.forbidden;
    mean.unknown = mean.unknown || one.unknown;
  }
  const double rounding =
      2 * reference::kEps * std::max(std::fabs(mean.low), std::fabs(mean.high)) + 1e-37;
  mean.low -= rounding;
  mean.high += rounding;
  return mean;
}

bool within(float got, const Limits &limits) {
  if (limits.unknown) return true;
  if (limits.forbidden) return bits_of(got) == kMinusInfinity;
  return !is_nan(got) && static_cast<double>(got) >= limits.low &&
         static_cast<double>(got) <= limits.high;
}

reference::Look look_at(const VariantCall &call, int64_t b, int64_t h, int64_t i) {
  if (i < call.variant.queries(b)) return reference::look(call.params, b, h, i);
  reference::Look none = {{}, true, 0, 0, 0};  // the entry has no such query
  none.keys.assign(index_of(call.variant.len_kv), {false, false, 0, 0, 0, 0, 0, 0, {}});
  return none;
}

// Each row of the answer, with what the heads that it stands for see.
void for_each_row(const VariantCall &call, const Question &q,
                  const std::function<void(size_t, const std::vector<reference::Look> &)> &visit) {
  size_t at = 0;
  for (int64_t b = 0; b < call.variant.batch; b++)
    for (int64_t h = 0; h < q.rows_of_heads(call.variant); h++)
      for (int64_t i = 0; i < q.queries; i++, at += index_of(call.variant.len_kv)) {
        std::vector<reference::Look> looks;
        for (int64_t n = q.mean ? 0 : h; n < (q.mean ? q.head_count(call.variant) : h + 1); n++)
          looks.push_back(look_at(call, b, q.head(n), q.first + i));
        visit(at, looks);
      }
}

std::string compare(const VariantCall &call, const Question &q, const std::vector<float> &got) {
  std::string problem;
  for_each_row(call, q, [&](size_t at, const std::vector<reference::Look> &looks) {
    for (int64_t j = 0; j < call.variant.len_kv && problem.empty(); j++) {
      const float x = got[at + index_of(j)];
      const Limits limits = mean_limits(looks, j, q.stage);
      if (within(x, limits)) continue;
      problem = "element " + std::to_string(at) + " + " + std::to_string(j) + " is " +
                std::to_string(x) + ", not from " + std::to_string(limits.low) + " to " +
                std::to_string(limits.high) + (limits.forbidden ? ": it is forbidden" : "");
    }
  });
  return problem;
}

// Weights add up to 1, less the sink's share; those of an empty row to 0.
std::string compare_sums(const VariantCall &call, const Question &q,
                         const std::vector<float> &got) {
  std::string problem;
  for_each_row(call, q, [&](size_t at, const std::vector<reference::Look> &looks) {
    double sum = 0, want = 0, error = 0;
    for (int64_t j = 0; j < call.variant.len_kv; j++)
      sum += static_cast<double>(got[at + index_of(j)]);
    for (const reference::Look &look : looks) {
      want += look.empty ? 0 : 1 - look.sink_share;
      if (call.variant.sinks) error += std::min(1.0, 4 * look.error);
    }
    const double n = static_cast<double>(looks.size());
    if (std::fabs(sum - want / n) > error / n + 1e-6)
      problem = "the sum of row " + std::to_string(at) + " is " + std::to_string(sum) + ", not " +
                std::to_string(want / n);
  });
  return problem;
}

std::string describe(int64_t number, const Question &q) {
  std::string heads;
  for (int32_t h : q.heads) heads += " " + std::to_string(h);
  return "case " + std::to_string(number) + ", stage " + std::to_string(q.stage) + ", heads" +
         heads + (q.mean ? ", mean" : "") + ", queries " + std::to_string(q.first) + " + " +
         std::to_string(q.queries);
}

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
