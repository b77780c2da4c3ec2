// Lengths around the edges of the kernels' tiles.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

std::vector<int64_t> around(int64_t tile) {
  return {tile - 1, tile, tile + 1, 2 * tile};
}

std::vector<Spec> alignments(const Spec &spec) {
  return {spec, Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT),
          Spec(spec).causal_at(ATTN_ALIGN_TOP_LEFT),
          Spec(spec).causal_at(ATTN_ALIGN_OFFSET, spec.len_kv / 2 - 1)};
}

attn_plan_info info_of(const Spec &spec, Path path) {
  return require_path(params_on(Call(spec, 1), path), path);
}

void check_edges(const Spec &base, Path path) {
  const attn_plan_info info = info_of(base, path);
  const int64_t group = base.heads_q / base.heads_kv;
  for (int64_t len_q : around(info.tile_q)) {
    if (len_q == 0) continue;
    for (int64_t len_kv : around(info.tile_k)) {
      // A tile holds the rows of a whole group: this is the length whose rows fill it.
      for (const Spec &spec : alignments(Spec(base).lens((len_q + group - 1) / group, len_kv))) {
        INFO(path.name() << ": " << describe(spec));
        const Call call(spec, 3);
        run(call, path);
        CHECK(reference::compare(call.params) == "");
      }
    }
  }
}

}  // namespace

TEST_CASE("Lengths around the tile sizes agree with the reference", "[tiles]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      check_edges(Spec().sizes(32, 32), path);
      check_edges(Spec().sizes(19, 35), path);
      check_edges(Spec().heads(3, 1).sizes(8, 8), path);
    }
  }
}

TEST_CASE("Lengths around the query tiles of a task agree with the reference", "[tiles]") {
  for (const Path &path : forced_paths()) {
    if (path.family != ATTN_FAMILY_PREFILL) continue;
    DYNAMIC_SECTION(path.name()) {
      const Spec base = Spec().heads(3, 1).sizes(6, 11);
      // Long enough for the planner to take the largest number of tiles.
      const attn_plan_info info = info_of(Spec(base).lens(300, 1), path);
      const int64_t rows = int64_t{info.tiles} * info.tile_q;
      REQUIRE(info.tiles > 1);
      for (int64_t len_q : around(rows / 3)) {
        for (const Spec &spec : alignments(Spec(base).lens(len_q, 2 * info.tile_k + 3))) {
          INFO(path.name() << ": " << describe(spec));
          const Call call(spec, 5);
          run(call, path);
          CHECK(reference::compare(call.params) == "");
        }
      }
    }
  }
}

TEST_CASE("Few queries over many key tiles agree with the reference", "[tiles]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      const attn_plan_info info = info_of(Spec().sizes(64, 64), path);
      for (int64_t len_q = 1; len_q <= 5; len_q++) {
        for (int64_t len_kv : around(3 * int64_t{info.tile_k})) {
          const Spec spec = Spec().lens(len_q, len_kv).sizes(64, 64);
          const Call call(Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT), 4);
          run(call, path);
          CHECK(reference::compare(call.params) == "");
        }
      }
    }
  }
}

TEST_CASE("Every explicit offset from all rows empty to all keys allowed is right", "[tiles]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      const Spec base = Spec().lens(9, 13).sizes(5, 6);
      for (int64_t offset = -11; offset <= 15; offset++) {
        const Call call(Spec(base).causal_at(ATTN_ALIGN_OFFSET, offset), 5);
        INFO("offset " << offset);
        run(call, path);
        CHECK(reference::compare(call.params) == "");
      }
    }
  }
}

TEST_CASE("Caches around the edges of chunks agree with the reference", "[tiles]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t len_kv : {511, 512, 513, 640, 1023, 1024, 1025, 3000, 9000}) {
        const Spec spec =
            Spec().heads(4, 2).lens(3, len_kv).sizes(12, 9).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
        const Call call(spec, 6);
        INFO(describe(spec));
        // A key that grows with its position: every chunk has a larger maximum than the last.
        for (int64_t j = 0; j < len_kv; j++) {
          call.q.at(0, 3, j % 3, 0) = 1;
          call.k.at(0, 1, j, 0) = 0.05f * static_cast<float>(j);
        }
        run(call, path);
        CHECK(reference::compare(call.params) == "");
      }
    }
  }
}

// The hardest sums: every key has the same weight and the same values, so every addition rounds in
// the same direction. One chain over all keys would be wrong by thousands of eps; docs/numerics.md.
TEST_CASE("Values that are alike at all keys keep their accuracy over long caches", "[tiles]") {
  const double eps = std::ldexp(1.0, -24);
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t len_kv : {96, 2048, 20000}) {
        const Spec spec = Spec().lens(2, len_kv).sizes(4, 64);
        const Call call(spec, 8);
        const auto value = [](int64_t d) { return 0.5f + 0.0077f * static_cast<float>(d); };
        for (int64_t j = 0; j < len_kv; j++) {
          for (int64_t d = 0; d < 4; d++) call.k.at(0, 0, j, d) = 0;
          for (int64_t d = 0; d < 64; d++) call.v.at(0, 0, j, d) = value(d);
        }
        run(call, path);
        double worst = 0;
        for (int64_t d = 0; d < 64; d++) {
          const double exact = double{value(d)};
          const double error = std::fabs(double{call.o.at(0, 0, 1, d)} - exact);
          worst = std::max(worst, error / (exact * eps));
        }
        INFO(len_kv << " keys: " << worst << " eps");
        CHECK(worst <= 32 + static_cast<double>(len_kv) / 256);
      }
    }
  }
}

TEST_CASE("Causal rows that see some chunks of the cache only agree with the reference",
          "[tiles]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t offset : {-2, 0, 510, 512, 1500}) {
        const Spec spec = Spec().lens(4, 2100).sizes(8, 8).causal_at(ATTN_ALIGN_OFFSET, offset);
        const Call call(spec, 7);
        INFO(describe(spec));
        run(call, path);
        CHECK(reference::compare(call.params) == "");
      }
    }
  }
}
