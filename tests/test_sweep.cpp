// Random calls against the double-precision reference, on every path. The environment variable
// ATTN_SWEEP sets the number of cases; ATTN_SWEEP_CASE runs that one alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

enum class Data { gaussian, ascending, descending, peaked, far_apart, equal, far_below };

const char *const kDataNames[] = {"gaussian",  "ascending", "descending", "peaked",
                                  "far apart", "equal",     "far below"};

const int64_t kHeadSizes[] = {1,  3,  8,   31,  32,  48,  59,  64, 65,
                              80, 96, 111, 128, 192, 256, 320, 576};

struct Case {
  int64_t number;
  uint64_t seed;
  Spec spec;
  Placement placement;
  Data data;
  uint32_t unseen;  // what lies at keys that no query may see
};

int64_t environment(const char *name, int64_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::atoll(value) : otherwise;
}

// Half short, half up to 300.
int64_t random_length(Random &random) {
  return random.one_in(2) ? random.between(1, 20) : random.between(1, 300);
}

void choose_heads(Spec &spec, Random &random) {
  static const int64_t groups[] = {1, 1, 2, 3, 4, 8};
  spec.batch = random.between(1, 3);
  spec.heads_kv = random.between(1, 3);
  spec.heads_q = spec.heads_kv * random.pick(groups);
}

void choose_mask(Spec &spec, Random &random) {
  static const attn_align aligns[] = {ATTN_ALIGN_BOTTOM_RIGHT, ATTN_ALIGN_BOTTOM_RIGHT,
                                      ATTN_ALIGN_TOP_LEFT, ATTN_ALIGN_OFFSET};
  spec.causal = !random.one_in(3);
  spec.align = random.pick(aligns);
  if (spec.align != ATTN_ALIGN_OFFSET) return;
  spec.offset = random.between(-spec.len_q - 2, spec.len_kv + 2);
  if (random.one_in(6)) spec.offset = random.one_in(2) ? -(INT64_C(1) << 40) : INT64_C(1) << 40;
}

void choose_scale(Spec &spec, Random &random) {
  const float standard = 1 / std::sqrt(static_cast<float>(spec.head_size));
  const float scales[] = {0, 0, 0, -standard, 1e-6f, 3};
  spec.scale = random.pick(scales);
}

// Halve lengths until a case costs little enough for an emulator.
void limit_cost(Spec &spec) {
  const int64_t per_pair = spec.batch * spec.heads_q * (spec.head_size + spec.head_size_v);
  while (spec.len_q * spec.len_kv * per_pair > 2000000) {
    int64_t &longest = spec.len_q > spec.len_kv ? spec.len_q : spec.len_kv;
    longest = (longest + 1) / 2;
  }
}

Placement choose_placement(Random &random) {
  static const Layout any[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
  static const Layout cache[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative,
                                 Layout::broadcast};
  Placement placement;
  placement.q = random.pick(any);
  placement.k = random.pick(cache);
  placement.v = random.pick(cache);
  placement.o = random.pick(any);
  placement.lse = random.pick(any);
  placement.shift = random.between(0, 15);
  return placement;
}

Case make_case(int64_t number) {
  static const int64_t other_sizes[] = {1, 2, 5, 7, 16, 33, 64, 100, 128, 130, 256};
  Case c;
  c.number = number;
  c.seed = static_cast<uint64_t>(number) * 1000003 + 17;
  Random random(c.seed);
  Spec &spec = c.spec;
  spec.head_size = kHeadSizes[number % 17];
  spec.head_size_v = random.one_in(4) ? random.pick(other_sizes) : spec.head_size;
  if (spec.head_size == 576) spec.head_size_v = 512;
  choose_heads(spec, random);
  spec.len_q = random.one_in(3) ? random.between(1, 4) : random_length(random);
  spec.len_kv = random.one_in(5) ? spec.len_q : random_length(random);
  limit_cost(spec);
  choose_mask(spec, random);
  choose_scale(spec, random);
  spec.lse = !random.one_in(3);
  spec.spare = random.one_in(2) ? 0 : random.between(1, 20);
  c.placement = choose_placement(random);
  c.data = static_cast<Data>(number % 7);
  c.unseen = random.one_in(3) ? kInfinity : kNan;
  return c;
}

std::string describe(const Case &c) {
  const Placement &at = c.placement;
  std::ostringstream text;
  text << "ATTN_SWEEP_CASE=" << c.number << ": seed " << c.seed << ", " << describe(c.spec)
       << ", data " << kDataNames[static_cast<int>(c.data)] << ", q " << layout_name(at.q) << ", k "
       << layout_name(at.k) << ", v " << layout_name(at.v) << ", o " << layout_name(at.o)
       << ", lse " << layout_name(at.lse) << ", shift " << at.shift;
  return text.str();
}

// The score that key j of n shall have.
float target(Data data, int64_t j, int64_t n, int64_t peak, Random &random) {
  switch (data) {
    case Data::ascending:
      return 0.5f * static_cast<float>(j);
    case Data::descending:
      return 0.5f * static_cast<float>(n - j);
    case Data::peaked:
      return j == peak ? 40 : 0;
    case Data::far_apart:
      return 1e4f * static_cast<float>(random.between(0, 4));
    case Data::far_below:
      return -1e4f + 2 * random.gaussian();
    default:
      return 3;
  }
}

// Make every query nearly parallel to one direction u, and key j the multiple of u whose score is
// the target.
void aim_scores(const Call &call, Data data, uint64_t seed) {
  const Spec &spec = call.spec;
  const int64_t keys = visible_keys(spec);
  const float scale =
      spec.scale != 0 ? spec.scale : 1 / std::sqrt(static_cast<float>(spec.head_size));
  Random random(seed);
  std::vector<float> u;
  float norm = 0;
  for (int64_t d = 0; d < spec.head_size; d++) {
    u.push_back((random.one_in(2) ? 1.0f : -1.0f) * (0.5f + random.uniform()));
    norm += u.back() * u.back();
  }
  const float jitter = data == Data::equal ? 0 : 0.01f;
  const int64_t peak = random.between(0, std::max<int64_t>(keys - 1, 0));
  for (int64_t b = 0; b < spec.batch; b++) {
    for (int64_t h = 0; h < spec.heads_q; h++)
      for (int64_t i = 0; i < spec.len_q; i++)
        for (int64_t d = 0; d < spec.head_size; d++)
          call.q.at(b, h, i, d) = u[static_cast<size_t>(d)] * (1 + jitter * random.gaussian());
    for (int64_t g = 0; g < spec.heads_kv; g++)
      for (int64_t j = 0; j < keys; j++) {
        const float factor = target(data, j, keys, peak, random) / (scale * norm);
        for (int64_t d = 0; d < spec.head_size; d++)
          call.k.at(b, g, j, d) = factor * u[static_cast<size_t>(d)];
      }
  }
}

Call make_call(const Case &c) {
  Call call(c.spec, c.seed, c.placement);
  if (c.data != Data::gaussian) aim_scores(call, c.data, c.seed + 9);
  const int64_t last = c.spec.len_kv + c.spec.spare - 1;
  call.k.fill_rows(visible_keys(c.spec), last, c.unseen);
  call.v.fill_rows(visible_keys(c.spec), last, c.unseen);
  return call;
}

}  // namespace

TEST_CASE("Random calls agree with the reference within the error bound", "[sweep]") {
  const int64_t only = environment("ATTN_SWEEP_CASE", -1);
  const int64_t count = environment("ATTN_SWEEP", 400);
  std::map<std::string, reference::Accuracy> worst;
  for (int64_t number = std::max<int64_t>(only, 0); number < count || number == only; number++) {
    const Case c = make_case(number);
    const Call call = make_call(c);
    const std::vector<reference::Row> rows = reference::attention(call.params);
    const double naive_error = reference::naive_f32_error(call.params, rows);
    for (const Path &path : paths()) {
      INFO(path.name() << ", " << describe(c));
      run(call, path);
      reference::Accuracy accuracy;
      CHECK(reference::compare(call.params, rows, naive_error, &accuracy) == "");
      worst[path.name()].include(accuracy);
    }
    if (number == only) break;
  }
  for (const auto &entry : worst) {
    std::printf(
        "sweep, %s: largest error over the bound: o %.3f, lse %.3f; over %g times the "
        "naive evaluation's: %.3f\n",
        entry.first.c_str(), entry.second.o, entry.second.lse, reference::kC3, entry.second.naive);
  }
}

// Two keys with scores 0 and x, and values 0 and 1: the output is e^x / (1 + e^x).
TEST_CASE("The weight of a score is accurate to a few roundings over the exponential's range",
          "[sweep]") {
  const int64_t count = 4000;
  Call call(Spec().lens(count, 2).sizes(1, 1), 1);
  call.params.scale = 1;
  for (int64_t i = 0; i < count; i++) {
    call.q.at(0, 0, i, 0) = -80.0f * static_cast<float>(i) / static_cast<float>(count);
  }
  for (int64_t j = 0; j < 2; j++) call.k.at(0, 0, j, 0) = call.v.at(0, 0, j, 0) = float(j);
  for (const Path &path : forced_paths()) {
    const std::vector<float> o = run(call, path).o;
    double worst = 0;
    for (int64_t i = 0; i < count; i++) {
      const double x = static_cast<double>(call.q.at(0, 0, i, 0));
      const double want = std::exp(x) / (1 + std::exp(x));
      const double error = std::fabs(static_cast<double>(o[static_cast<size_t>(i)]) - want);
      // The exponential's 2 ULP, the sum, the quotient; and the roundings of the score.
      worst = std::max(worst, error / want / (reference::kEps * (8 + 3 * -x)));
    }
    INFO(path.name());
    CHECK(worst < 1);
  }
}
