// Random calls with all options together, of all types and layouts, against the reference, on every
// instruction set and both families, and a tenth as many of bf16 alone, where the CPU multiplies
// it. The environment variable ATTN_VARIANTS sets the number of
// cases, 20000 unless ATTN_SWEEP, as for emulators, asks for small sweeps (then ten times that);
// ATTN_VARIANTS_CASE runs the case of that number alone. All cases on NEON under qemu:
//   make -s build/tests/neon/test &&
//   ATTN_TEST_ISA=neon ATTN_VARIANTS=20000 qemu-aarch64 build/tests/neon/test '[variants][sweep]'
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "variants.hpp"

namespace {

const attn_type kFloats[] = {ATTN_F32, ATTN_F16, ATTN_BF16};
const attn_type kAll[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};
const int64_t kHeadSizes[] = {1, 2, 3, 5, 8, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65, 80, 96, 128};

struct Case {
  int64_t number;
  uint64_t seed;
  Variant variant;
  Storage storage;
};

void choose_types(Variant &v, Random &random) {
  if (random.one_in(3)) return;
  if (random.one_in(2)) {
    v.types(random.pick(kAll));
  } else {
    v.types(random.pick(kFloats), random.pick(kAll), random.pick(kAll), random.pick(kFloats));
  }
}

void choose_shape(Variant &v, Random &random) {
  static const int64_t groups[] = {1, 1, 2, 3, 4, 5, 8};
  v.head_size = random.pick(kHeadSizes);
  v.head_size_v = random.one_in(3) ? random.pick(kHeadSizes) : v.head_size;
  v.batch = random.one_in(2) ? 1 : random.between(1, 3);
  v.heads_kv = random.one_in(2) ? 1 : random.between(1, 3);
  v.heads_q = v.heads_kv * random.pick(groups);
  v.len_q = random.one_in(2) ? random.between(1, 4) : random.between(1, 60);
  v.len_kv = random.one_in(3) ? random.between(0, 20) : random.between(1, 300);
  if (random.one_in(8)) v.len_kv = v.len_q;
  int64_t most = random.one_in(30) ? 1000000 : 60000;
  if (random.one_in(40)) {  // several chunks of a decode
    v.batch = v.heads_kv = 1;
    v.heads_q = random.between(1, 3);
    v.len_q = random.between(1, 2);
    v.len_kv = random.between(1025, 1600);
    v.head_size = random.between(1, 20);
    v.head_size_v = random.between(1, 20);
    most = 1000000;
  }
  const int64_t per_pair = v.batch * v.heads_q * (v.head_size + v.head_size_v);
  while (v.len_q * v.len_kv * per_pair > most && v.len_q * v.len_kv > 4) {
    int64_t &longest = v.len_q > v.len_kv || v.len_q > 8 ? v.len_q : v.len_kv;
    longest = (longest + 1) / 2;
  }
}

std::vector<int32_t> random_lengths(int64_t batch, int64_t longest, Random &random) {
  std::vector<int32_t> list;
  for (int64_t b = 0; b < batch; b++) {
    const int64_t length = random.one_in(4) ? longest : random.between(0, longest);
    list.push_back(static_cast<int32_t>(random.one_in(6) ? 0 : length));
  }
  return list;
}

void choose_position(Variant &v, Random &random) {
  static const attn_align aligns[] = {ATTN_ALIGN_BOTTOM_RIGHT, ATTN_ALIGN_BOTTOM_RIGHT,
                                      ATTN_ALIGN_TOP_LEFT, ATTN_ALIGN_OFFSET};
  v.causal = random.one_in(2);
  v.align = random.pick(aligns);
  if (v.align != ATTN_ALIGN_OFFSET) return;
  v.offset = random.between(-v.len_q - 2, v.len_kv + 2);
  if (random.one_in(8)) v.offset = random.one_in(2) ? -(INT64_C(1) << 40) : INT64_C(1) << 40;
}

int64_t random_reach(const Variant &v, Random &random) {
  switch (random.between(0, 5)) {
    case 0:
      return -1;
    case 1:
      return 0;
    case 2:
      return random.one_in(8) ? INT64_C(1) << 61 : v.len_kv + random.between(-1, 1);
    case 3:
      return random.between(0, 5);
    default:
      return random.between(0, v.len_kv);
  }
}

void choose_window(Variant &v, Random &random) {
  v.window = true;
  v.left = std::max<int64_t>(-1, random_reach(v, random));
  v.right = std::max<int64_t>(-1, random_reach(v, random));
  if (random.one_in(4)) v.dilation = random.between(0, 5);
  if (random.one_in(4)) v.globals = random.between(0, 6);
  if (random.one_in(4)) v.stride = random.between(0, 7);
}

void choose_matrices(Variant &v, Random &random) {
  static const int64_t sizes[] = {1, 7, 16, 64, 100};
  const auto random_shared = [&] {
    return static_cast<unsigned>(random.one_in(2) ? 0 : random.between(0, 15));
  };
  if (random.one_in(3)) {
    v.mask = random.one_in(2) ? MaskKind::random : static_cast<MaskKind>(random.between(1, 5));
    v.mask_shared = random_shared();
  }
  if (random.one_in(3)) {
    v.bias = static_cast<BiasKind>(random.between(1, 5));
    v.bias_shared = random_shared();
    v.bias_type = random.pick(kFloats);
  }
  if (random.one_in(4)) {
    v.block_q = random.pick(sizes);
    v.block_k = random.pick(sizes);
    v.blocks_shared = random_shared();
  }
}

void choose_options(Variant &v, Random &random) {
  static const float caps[] = {0.5f, 1, 5, 30, 50, 1000, 1e6f};
  const float standard = 1 / std::sqrt(static_cast<float>(v.head_size));
  const float scales[] = {0, 0, 0, -standard, 1e-6f, 3};
  v.scale = random.pick(scales);
  v.lse = !random.one_in(3);
  v.peaked = random.one_in(4);
  if (random.one_in(2)) choose_window(v, random);
  choose_matrices(v, random);
  if (random.one_in(4)) v.softcap = random.pick(caps);
  v.alibi = random.one_in(4);
  v.sinks = random.one_in(4);
}

void choose_storage(Case &c, Random &random) {
  static const Layout any[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
  static const int64_t pages[] = {1, 3, 16, 64, 256};
  Variant &v = c.variant;
  Storage &s = c.storage;
  s.q = random.pick(any);
  s.k = random.pick(any);
  s.v = random.pick(any);
  s.o = random.pick(any);
  s.lse = random.pick(any);
  s.dense_matrices = random.one_in(2);
  s.shift = random.between(0, 15);
  s.spare = random.one_in(2) ? 0 : random.between(1, 20);
  s.lead = random.one_in(2) ? 0 : random.between(1, 9);
  s.unseen = random.one_in(3) ? kInfinity : kNan;
  s.seed = c.seed;
  s.cache = random.one_in(3) ? Cache::contiguous : static_cast<Cache>(random.between(1, 3));
  s.page_size = random.pick(pages);
  if (random.one_in(3)) v.lens_kv = random_lengths(v.batch, v.len_kv, random);
  if (random.one_in(4)) v.lens_q = random_lengths(v.batch, v.len_q, random);
  s.packed_q = !v.lens_q.empty() || random.one_in(8);
  s.slack = s.cache == Cache::packed && random.one_in(3);
  if (s.cache == Cache::ring && random.one_in(2)) v.ring_size = random.between(1, v.len_kv + 1);
  v.shared_kv = s.cache != Cache::packed && random.one_in(6);
}

Case make_case(int64_t number) {
  Case c;
  c.number = number;
  c.seed = static_cast<uint64_t>(number) * 1000081 + 11;
  Random random(c.seed);
  choose_types(c.variant, random);
  choose_shape(c.variant, random);
  choose_position(c.variant, random);
  choose_options(c.variant, random);
  choose_storage(c, random);
  return c;
}

std::string describe(const Case &c) {
  return "ATTN_VARIANTS_CASE=" + std::to_string(c.number) + ": " + describe(c.variant) + "; " +
         describe(c.storage);
}

// The largest error of a tensor over that of a naive evaluation is a quotient of two largest of a
// few dozen: of 3000 cases one may exceed the limit, by a tenth (docs/numerics.md).
const double kNaiveSlack = 1.1;

std::string print_problem(const Case &c, Path path, const std::string &problem) {
  if (problem != "")
    std::printf("%s, %s: %s\n", path.name().c_str(), describe(c).c_str(), problem.c_str());
  return problem;
}

typedef std::map<std::string, reference::Accuracy> Worst;

// Returns whether the error is over C3 times the naive one, within the slack.
bool check_run(const Case &c, const VariantCall &call, Path path,
               const std::vector<reference::Row> &rows, double naive_error,
               reference::Accuracy *worst) {
  const bool bf16 = multiplies_bf16(call.on(path));
  call.run(path);
  reference::Accuracy accuracy;
  const std::string problem =
      reference::compare(call.params, rows, kNaiveSlack * naive_error, &accuracy, bf16);
  CHECK(print_problem(c, path, problem) == "");
  worst->include(accuracy);
  return accuracy.naive * kNaiveSlack > 1;
}

void print_worst(const char *what, const Worst &worst) {
  for (const auto &entry : worst) {
    std::printf(
        "%s, %s: largest error over the bound: o %.3f, lse %.3f; over %g times the naive "
        "evaluation's: %.3f\n",
        what, entry.first.c_str(), entry.second.o, entry.second.lse, reference::kC3 * kNaiveSlack,
        entry.second.naive);
  }
}

int64_t cases() {
  return environment("ATTN_VARIANTS", 10 * environment("ATTN_SWEEP", 2000));
}

}  // namespace

VariantCase random_variant(int64_t number) {
  const Case c = make_case(number);
  return VariantCase{c.seed, c.variant, c.storage};
}

TEST_CASE("Random calls with all options agree with the reference within the error bound",
          "[variants][sweep]") {
  const int64_t only = environment("ATTN_VARIANTS_CASE", -1);
  const int64_t count = cases();
  int64_t beyond = 0;
  Worst worst;
  for (int64_t number = std::max<int64_t>(only, 0); number < count || number == only; number++) {
    const Case c = make_case(number);
    const VariantCall call(c.variant, c.seed, c.storage);
    const std::vector<reference::Row> rows = reference::attention(call.params);
    const double naive_error = reference::naive_f32_error(call.params, rows);
    bool over = false;  // on any path: instruction sets that round alike exceed it together
    for (const Path &path : number % 8 == 0 ? paths() : forced_paths()) {
      INFO(path.name() << ", " << describe(c));
      over |= check_run(c, call, path, rows, naive_error, &worst[path.name()]);
    }
    beyond += over;
    if (number == only) break;
  }
  CHECK(beyond * 3000 <= count + 3000);
  print_worst("variants", worst);
}

// Of the same cases; every eighth asks for exact products.
TEST_CASE("Random calls of bf16 with all options agree with the reference",
          "[variants][sweep][bf16]") {
  const int64_t only = environment("ATTN_VARIANTS_CASE", -1),
                count = std::max<int64_t>(20, cases() / 10);
  const std::vector<Path> list = bf16_paths();
  Worst worst;
  for (int64_t number = std::max<int64_t>(only, 0); number < count || number == only; number++) {
    if (list.empty()) break;
    Case c = make_case(number);
    c.variant.types(ATTN_BF16, ATTN_BF16, ATTN_BF16, c.variant.o);
    VariantCall call(c.variant, c.seed, c.storage);
    call.params.exact_bf16 = number % 8 == 7;
    const std::vector<reference::Row> rows = reference::attention(call.params);
    const double naive_error = reference::naive_f32_error(call.params, rows);
    for (const Path &path : list) {
      INFO(path.name() << ", " << describe(c));
      CHECK(multiplies_bf16(call.on(path)) == !call.params.exact_bf16);
      const std::string what = path.name() + (call.params.exact_bf16 ? " exact" : "");
      check_run(c, call, path, rows, naive_error, &worst[what]);
    }
    if (number == only) break;
  }
  print_worst("bf16 variants", worst);
}

// One key: lse is the capped score. Simple code, tanhf, is right to about two roundings.
// An emulator takes a minute for all scores, and gets a tenth of them.
TEST_CASE("A capped score is accurate to a few roundings of its own, however small",
          "[variants][sweep]") {
  const int64_t count = is_emulated() ? 2000 : 20000;
  std::vector<float> k(index_of(count)), o(k), lse(k);
  const float one = 1;
  for (const Path &path : forced_paths())
    for (float cap : {0.5f, 1.0f, 30.0f, 50.0f, 1000.0f, 1e6f}) {
      for (int64_t n = 0; n < count; n++) {  // 1e-6 to 1e2 times the cap
        const double x = std::pow(10, 8 * static_cast<double>(n) / static_cast<double>(count) - 6);
        k[index_of(n)] = (n % 2 ? -cap : cap) * static_cast<float>(x);
      }
      attn_params p = attn_params_init();
      p.batch = p.len_q = p.len_kv = p.head_size = 1;
      p.heads_q = count;
      p.scale = 1;
      p.softcap = cap;
      p.isa = path.isa;
      p.family = path.family;
      p.q = attn_strided(&one, ATTN_F32, 0, 0, 0);
      p.k = p.v = attn_strided(k.data(), ATTN_F32, 0, 1, 0);
      p.o = attn_strided(o.data(), ATTN_F32, 0, 1, 1);
      p.lse = attn_bhs(lse.data(), 1, count);
      REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
      double worst = 0, at = 0;
      for (int64_t n = 0; n < count; n++) {
        const double s = static_cast<double>(k[index_of(n)]), c = static_cast<double>(cap);
        const double want = c * std::tanh(s / c);
        const double error =
            is_nan(lse[index_of(n)])
                ? 1e30
                : std::fabs(static_cast<double>(lse[index_of(n)]) / want - 1) / reference::kEps;
        if (error > worst) at = s / c;
        worst = std::max(worst, error);
      }
      INFO(path.name() << ", cap " << cap << ", worst at a score of " << at << " caps");
      CHECK(worst < 8);
    }
}
