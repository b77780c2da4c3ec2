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

struct Case : VariantCase {
  int64_t number;
};

Case make_case(int64_t number) {
  return Case{random_variant(number), number};
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
