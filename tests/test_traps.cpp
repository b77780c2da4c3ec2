// Small inputs on which attention libraries have gone wrong.
#include <cmath>
#include <new>

#include "catch.hpp"
#include "elements.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

const uint32_t kUnusable[] = {kNan, kInfinity, kMinusInfinity};

// Set one feature of k or v at a position in every batch entry and head.
void spoil(const Tensor &tensor, int64_t position, uint32_t bits) {
  tensor.fill_rows(position, position, bits);
}

std::vector<float> zeros(int64_t n) {
  return std::vector<float>(static_cast<size_t>(n), 0.0f);
}

std::vector<float> minus_infinities(int64_t n) {
  return std::vector<float>(static_cast<size_t>(n), from_bits(kMinusInfinity));
}

// The row of v at a key, as the output of a query that attends to nothing else.
std::vector<float> value_at(const Call &call, int64_t b, int64_t g, int64_t j) {
  const float *v = &call.v.at(b, g, j, 0);
  return std::vector<float>(v, v + call.spec.head_size_v);
}

Output empty_row(const Spec &spec) {
  return Output{zeros(spec.head_size_v), minus_infinities(1)};
}

}  // namespace

TEST_CASE("The worked lookup gives weights 0.264, 0.264, 0.471 and output 6.62", "[traps]") {
  const Spec spec = Spec().lens(1, 3).sizes(3, 4);
  Call call(spec, 1);
  call.q.fill(0);
  call.k.fill(0);
  call.v.fill(0);
  const float values[] = {2, 7, 9};
  call.q.at(0, 0, 0, 2) = 1;
  for (int64_t j = 0; j < 3; j++) {
    call.k.at(0, 0, j, j) = 1;
    call.v.at(0, 0, j, j) = 1;  // features 0 to 2 of the output are the weights
    call.v.at(0, 0, j, 3) = values[j];
  }
  for (const Path &path : paths()) {
    INFO(path.name());
    const std::vector<float> o = run(call, path).o;
    CHECK(o[0] == Approx(0.264).margin(0.0005));
    CHECK(o[1] == Approx(0.264).margin(0.0005));
    CHECK(o[2] == Approx(0.471).margin(0.0005));
    CHECK(o[3] == Approx(6.62).margin(0.005));
  }
}

TEST_CASE("The unused rest of a cache changes no bit", "[traps]") {
  for (const Path &path : paths()) {
    for (uint32_t bits : kUnusable) {
      for (int64_t capacity : {8, 3 + 200}) {
        Spec spec = Spec().heads(4, 2).lens(2, 3).sizes(64, 59);
        const Call exact(spec, 2);
        spec.spare = capacity - 3;
        const Call cache(spec, 2);
        cache.k.fill_rows(3, capacity - 1, bits);
        cache.v.fill_rows(3, capacity - 1, bits);
        CHECK(difference(run(cache, path), run(exact, path)) == "");
      }
    }
  }
}

// Of a causal call whose rows are near to each other, or so far apart that key tiles are
// packed. Under an emulator every 7th combination, so that each token, bit pattern and place comes.
static void check_spoilt_tokens(const Spec &spec, const Placement &placement, Path path,
                                const std::vector<int64_t> &tokens) {
  const Call call(spec, 3, placement);
  const Output clean = run(call, path);
  int number = 0;
  for (int64_t token : tokens) {
    for (uint32_t bits : kUnusable) {
      for (const std::string where : {"k", "v", "the last feature of v"}) {
        if (skips(number++)) continue;
        const Call spoilt(spec, 3, placement);
        if (where == "k") spoil(spoilt.k, token, bits);
        if (where == "v") spoil(spoilt.v, token, bits);
        for (int64_t h = 0; h < spec.heads_kv; h++)
          if (where.size() > 1) spoilt.v.at(0, h, token, spec.head_size_v - 1) = from_bits(bits);
        const Output got = run(spoilt, path);
        for (int64_t h = 0; h < 2; h++)
          for (int64_t i = 0; i < token; i++) {
            const std::string problem =
                difference(row_of(got, spec, 0, h, i), row_of(clean, spec, 0, h, i));
            if (problem == "") continue;
            FAIL_CHECK(path.name() << ", " << where << " of token " << token << ", row " << i
                                   << ": " << problem);
          }
      }
    }
  }
}

TEST_CASE("A token that is not finite changes no bit of earlier causal rows", "[traps]") {
  for (const Path &path : forced_paths()) {
    const Spec spec = Spec().lens(70, 70).sizes(31, 33).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    check_spoilt_tokens(Spec(spec).heads(2, 1), Placement(), path, {0, 1, 17, 63, 64, 69});
    check_spoilt_tokens(Spec(spec).heads(9, 9), Placement::all(Layout::bshd), path, {17, 64});
  }
}

TEST_CASE("One causal query sees all cached keys bottom-right, and the first one top-left",
          "[traps]") {
  for (const Path &path : paths()) {
    const Spec spec = Spec().lens(1, 4).sizes(8, 8);
    const Call all(spec, 4);
    const Call bottom_right(Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT), 4);
    CHECK(difference(run(bottom_right, path), run(all, path)) == "");
    const Call top_left(Spec(spec).causal_at(ATTN_ALIGN_TOP_LEFT), 4);
    CHECK(difference(run(top_left, path).o, value_at(top_left, 0, 0, 0)) == "");
  }
}

TEST_CASE("Five causal queries over two keys: three empty rows, then the first value", "[traps]") {
  for (const Path &path : paths()) {
    const Spec spec = Spec().lens(5, 2).sizes(8, 8).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    const Call call(spec, 5);
    const Output got = run(call, path);
    for (int64_t i = 0; i < 3; i++) {
      CHECK(difference(row_of(got, spec, 0, 0, i), empty_row(spec)) == "");
    }
    CHECK(difference(row_of(got, spec, 0, 0, 3).o, value_at(call, 0, 0, 0)) == "");
    CHECK(reference::compare(call.params) == "");
  }
}

TEST_CASE("Query heads 0 and 1 of 4 read key/value head 0 of 2, heads 2 and 3 read head 1",
          "[traps]") {
  for (const Path &path : paths()) {
    const Spec spec = Spec().heads(4, 2).lens(2, 1).sizes(8, 8);
    const Call call(spec, 6);
    const Output got = run(call, path);
    for (int64_t h = 0; h < 4; h++) {
      CHECK(difference(row_of(got, spec, 0, h, 1).o, value_at(call, 0, h / 2, 0)) == "");
    }
  }
}

TEST_CASE("No keys give zeros and lse -infinity", "[traps]") {
  for (const Path &path : paths()) {
    for (bool causal : {false, true}) {
      Spec spec = Spec().heads(2, 1).lens(3, 0).sizes(33, 17);
      spec.causal = causal;
      spec.batch = 2;
      spec.spare = 1;
      const Call call(spec, 7);
      const Output got = run(call, path);
      CHECK(difference(got, Output{zeros(2 * 2 * 3 * 17), minus_infinities(2 * 2 * 3)}) == "");
    }
  }
}

TEST_CASE("Equal scores and values of 1 give 1 and log(n), in one chunk and in three", "[traps]") {
  for (const Path &path : forced_paths()) {
    for (int64_t keys : {5, 512, 1100}) {
      const Call call(Spec().heads(3, 1).lens(1, keys).sizes(8, 8), 10);
      call.q.fill(bits_of(0.0f));
      call.v.fill_rows(0, keys - 1, bits_of(1.0f));
      const Output got = run(call, path);
      INFO(path.name() << ", " << keys << " keys");
      if (path.family == ATTN_FAMILY_DECODE) {
        CHECK(require_path(params_on(call, path), path).chunks == (keys + 511) / 512);
      }
      for (float o : got.o) CHECK(std::fabs(o - 1) < 1e-6f);
      for (float lse : got.lse) {
        CHECK(std::fabs(lse - std::log(static_cast<float>(keys))) < 1e-6f);
      }
    }
  }
}

TEST_CASE("No queries are a successful no-op", "[traps]") {
  for (const Path &path : paths()) {
    for (Layout layout : {Layout::bhsd, Layout::bshd}) {
      Spec spec = Spec().heads(2, 1).lens(0, 5).sizes(8, 8);
      spec.batch = 2;
      const Call call(spec, 8, Placement::all(layout));
      run(call, path);  // checks that nothing was written
    }
  }
}

TEST_CASE("A transposed view is refused", "[traps]") {
  for (const Path &path : paths()) {
    const Call call(Spec().lens(4, 6).sizes(8, 8), 10);
    attn_params params = params_on(call, path);
    params.v.stride_s = 1;
    params.v.stride_d = 6;
    CHECK(attn_forward(&params, nullptr, 0) == ATTN_ERR_V_STRIDE);
    CHECK(difference(call.o.values(), std::vector<float>(4 * 8, from_bits(kPoison))) == "");
  }
}

TEST_CASE("Pointers moved by one element change no bit", "[traps]") {
  for (const Path &path : paths()) {
    for (int64_t size : {16, 59}) {
      const Spec spec =
          Spec().heads(2, 1).lens(37, 41).sizes(size, size).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      const Output aligned = run(Call(spec, 11), path);
      for (int64_t shift : {1, 2, 3, 5, 8, 15}) {
        CHECK(difference(run(Call(spec, 11, Placement::shifted(shift)), path), aligned) == "");
      }
    }
  }
}
