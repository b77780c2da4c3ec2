// attn_weights: what is asked of a call, and its answer by the reference.
#ifndef TESTS_WEIGHTS_HPP
#define TESTS_WEIGHTS_HPP

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "variants.hpp"

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

inline Question everything(const Variant &v, attn_stage stage) {
  return {stage, {}, false, 0, v.len_q};
}

inline Question random_question(const Variant &v, Random &random) {
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

inline Cells room_for(const Variant &v, const Question &q, Random &random) {
  static const Layout any[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
  const Cells::Index extents = {v.batch, q.rows_of_heads(v), q.queries, v.len_kv};
  const Strides s = make_strides(random.pick(any),
                                 Extents{extents[0], extents[1], extents[2], extents[3]}, random);
  const Place place = random.one_in(4) ? Place::below_guard : Place::heap;
  return Cells(extents, {s.b, s.h, s.s, 1}, ATTN_F32, place, random.between(0, 15));
}

// The params without what is not looked at.
inline attn_params params_for(const VariantCall &call, attn_isa isa) {
  attn_params p = call.params;
  p.isa = isa;
  p.v = p.o = p.lse = p.v_scale = attn_tensor();
  p.head_size_v = 0;
  return p;
}

inline attn_weights_params weights_params(const Question &q, const Cells &out) {
  attn_weights_params what = attn_weights_params();
  what.stage = q.stage;
  what.heads = q.heads.empty() ? nullptr : q.heads.data();
  what.head_count = static_cast<int64_t>(q.heads.size());
  what.mean_heads = q.mean;
  what.first_query = q.first;
  what.queries = q.queries;
  what.out = out.tensor();
  return what;
}

// Answer in a workspace of exactly the size asked for, between canaries.
inline void ask(const VariantCall &call, attn_isa isa, const Question &q, const Cells &out) {
  const attn_params p = params_for(call, isa);
  const attn_weights_params what = weights_params(q, out);
  size_t size = 0;
  REQUIRE(attn_weights_workspace_size(&p, &what, &size) == ATTN_OK);
  Workspace workspace(size);
  REQUIRE(attn_weights(&p, &what, workspace.data(), size) == ATTN_OK);
  REQUIRE(workspace.intact());
}

// The answer in the order b, h, i, j. Requires that every element and nothing else was written.
inline std::vector<float> answer(const Variant &v, const Question &q, const Cells &out) {
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

inline std::vector<float> answer_of(const VariantCall &call, attn_isa isa, const Question &q) {
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

inline Limits limits_of(const reference::Look &look, int64_t j, attn_stage stage) {
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

inline Limits mean_limits(const std::vector<reference::Look> &looks, int64_t j, attn_stage stage) {
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

inline bool within(float got, const Limits &limits) {
  if (limits.unknown) return true;
  if (limits.forbidden) return bits_of(got) == kMinusInfinity;
  return !is_nan(got) && static_cast<double>(got) >= limits.low &&
         static_cast<double>(got) <= limits.high;
}

inline reference::Look look_at(const VariantCall &call, int64_t b, int64_t h, int64_t i) {
  if (i < call.variant.queries(b)) return reference::look(call.params, b, h, i);
  reference::Look none = {{}, true, 0, 0, 0};  // the entry has no such query
  none.keys.assign(index_of(call.variant.len_kv), {false, false, 0, 0, 0, 0, 0, 0, {}});
  return none;
}

// Each row of the answer, with what the heads that it stands for see.
inline void for_each_row(
    const VariantCall &call, const Question &q,
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

inline std::string compare(const VariantCall &call, const Question &q,
                           const std::vector<float> &got) {
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
inline std::string compare_sums(const VariantCall &call, const Question &q,
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

inline std::string describe(int64_t number, const Question &q) {
  std::string heads;
  for (int32_t h : q.heads) heads += " " + std::to_string(h);
  return "case " + std::to_string(number) + ", stage " + std::to_string(q.stage) + ", heads" +
         heads + (q.mean ? ", mean" : "") + ", queries " + std::to_string(q.first) + " + " +
         std::to_string(q.queries);
}

#endif
