// A row of the result is the same bits whatever else the call computes, and wherever its data lies,
// within one kernel family of one instruction set.
#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

// Copies q, k and v of one batch entry and of some query rows into a call of its own.
void copy_rows(const Call &from, const Call &to, int64_t batch, int64_t first_query) {
  for (int64_t h = 0; h < to.spec.heads_q; h++)
    for (int64_t i = 0; i < to.spec.len_q; i++)
      for (int64_t d = 0; d < to.spec.head_size; d++)
        to.q.at(0, h, i, d) = from.q.at(batch, h, first_query + i, d);
  for (int64_t g = 0; g < to.spec.heads_kv; g++)
    for (int64_t j = 0; j < to.spec.len_kv; j++) {
      for (int64_t d = 0; d < to.spec.head_size; d++)
        to.k.at(0, g, j, d) = from.k.at(batch, g, j, d);
      for (int64_t d = 0; d < to.spec.head_size_v; d++)
        to.v.at(0, g, j, d) = from.v.at(batch, g, j, d);
    }
}

// The rows first to first + count - 1 of a batch entry, computed without the others.
Output rows_alone(const Call &call, Path path, int64_t batch, int64_t first, int64_t count) {
  Spec spec = call.spec;
  spec.batch = 1;
  spec.len_q = count;
  if (spec.causal) spec.causal_at(ATTN_ALIGN_OFFSET, offset_of(call.spec) + first);
  const Call alone(spec, 99);
  copy_rows(call, alone, batch, first);
  return run(alone, path);
}

void check_rows(const Spec &spec, Path path, int64_t count) {
  const Call call(spec, 1);
  const Output together = run(call, path);
  const int64_t b = spec.batch - 1;
  for (int64_t first : {int64_t{0}, int64_t{1}, (spec.len_q - count) / 2, spec.len_q - count}) {
    INFO("rows from " << first << ", " << count << " of them; " << describe(spec));
    Spec few = spec;
    few.len_q = count;
    const Output alone = rows_alone(call, path, b, first, count);
    for (int64_t h = 0; h < spec.heads_q; h++)
      for (int64_t i = 0; i < count; i++) {
        CHECK(difference(row_of(alone, few, 0, h, i), row_of(together, spec, b, h, first + i)) ==
              "");
      }
  }
}

}  // namespace

TEST_CASE("A row alone has the bits that it has among 200 rows", "[bits]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t size : {20, 64}) {
        const Spec spec = Spec().heads(2, 1).lens(200, 150).sizes(size, size);
        check_rows(spec, path, 1);
        check_rows(Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT), path, 1);
        check_rows(Spec(spec).causal_at(ATTN_ALIGN_TOP_LEFT), path, 1);
      }
    }
  }
}

TEST_CASE("A few rows of one batch entry have the bits that they have in the whole", "[bits]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      Spec spec = Spec().heads(6, 2).lens(50, 130).sizes(33, 17);
      spec.batch = 3;
      for (int64_t count : {2, 3, 8, 13, 49}) {
        check_rows(spec, path, count);
        check_rows(Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT), path, count);
      }
    }
  }
}

TEST_CASE("A row over a long cache, split into chunks, has the same bits alone", "[bits]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      const Spec spec = Spec().heads(4, 2).lens(20, 3000).sizes(12, 8);
      check_rows(spec, path, 1);
      check_rows(Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT), path, 3);
    }
  }
}

TEST_CASE("Query heads that share a key/value head have the bits of separate heads", "[bits]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      const Spec shared = Spec().heads(5, 1).lens(21, 70).sizes(64, 40);
      for (bool causal : {false, true}) {
        Call call(shared, 2);
        call.params.causal = causal;
        const Output grouped = run(call, path);
        call.params.heads_kv = 5;  // five heads at the same place
        call.params.k.stride_h = call.params.v.stride_h = 0;
        CHECK(difference(run(call, path), grouped) == "");
      }
    }
  }
}

TEST_CASE("Strides and layouts change no bit", "[bits]") {
  for (const Path &path : paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t size : {27, 96}) {
        Spec spec = Spec().heads(4, 2).lens(23, 100).sizes(size, size + 1);
        spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
        spec.batch = 2;
        spec.spare = 3;
        const Output dense = run(Call(spec, 3), path);
        for (Layout layout : {Layout::bshd, Layout::padded, Layout::negative}) {
          INFO(layout_name(layout));
          CHECK(difference(run(Call(spec, 3, Placement::all(layout)), path), dense) == "");
        }
      }
    }
  }
}

// The reference is the same for every path, and costs more than they do.
TEST_CASE("Rows that lie so far apart that key tiles are packed give the same bits", "[bits]") {
  // 300: as long as the gap, but nothing lies between rows that follow each other.
  for (int64_t size : {61, 64, 300}) {
    const Spec spec = Spec().heads(10, 5).lens(25, 100).sizes(size, size - 2);
    for (const Spec &each : {spec, Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT)}) {
      const Call apart(each, 4, Placement::all(Layout::bshd)), together(each, 4);
      const std::vector<reference::Row> rows = reference::attention(apart.params);
      const double naive_error = reference::naive_f32_error(apart.params, rows);
      for (const Path &path : forced_paths()) {
        INFO(path.name() << ": " << describe(each));
        CHECK(difference(run(apart, path), run(together, path)) == "");
        reference::Accuracy accuracy;
        CHECK(reference::compare(apart.params, rows, naive_error, &accuracy) == "");
      }
    }
  }
}

TEST_CASE("Two runs, and a run through a plan, give the same bits", "[bits]") {
  for (const Path &path : paths()) {
    DYNAMIC_SECTION(path.name()) {
      Spec spec = Spec().heads(4, 2).lens(40, 90).sizes(48, 48);
      spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      const Call call(spec, 4);
      const Output first = run(call, path);
      CHECK(difference(run(call, path), first) == "");
      CHECK(difference(run_plan(call, path, 1, 0), first) == "");
    }
  }
}

TEST_CASE("The number of threads and the order of tasks change no bit", "[bits]") {
  for (const Path &path : paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t len_kv : {600, 20000}) {
        Spec spec = Spec().heads(4, 2).lens(2, len_kv).sizes(24, 16);
        const Call call(spec, 5);
        const attn_plan_info info = require_path(params_on(call, path), path);
        if (len_kv == 20000 && path.family == ATTN_FAMILY_DECODE) REQUIRE(info.chunks > 1);
        const Output one = run(call, path);
        for (int threads : {1, 2, 7}) {
          for (uint64_t order : {0u, 1u, 2u}) {
            CHECK(difference(run_plan(call, path, threads, order), one) == "");
          }
        }
      }
    }
  }
}

TEST_CASE("Many tiles on 7 threads give the bits of one thread", "[bits]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      Spec spec = Spec().heads(4, 2).lens(150, 170).sizes(16, 16);
      spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      spec.batch = 2;
      const Call call(spec, 6);
      CHECK(difference(run_plan(call, path, 7, 3), run(call, path)) == "");
    }
  }
}

TEST_CASE("How many query tiles share a task, and so a packed key tile, changes no bit", "[bits]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t size : {53, 64}) {
        const Spec spec = Spec().heads(10, 5).lens(100, 130).sizes(size, size);
        for (const Spec &each : {spec, Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT)}) {
          Call call(each, 8, Placement::all(Layout::bshd));
          const int32_t tiles = require_path(params_on(call, path), path).tiles;
          const Output one = run(call, path);
          call.params.threads = 512;
          CHECK(require_path(params_on(call, path), path).tiles <= tiles);
          if (path.family == ATTN_FAMILY_PREFILL) {
            CHECK(require_path(params_on(call, path), path).tiles < tiles);
          }
          CHECK(difference(run(call, path), one) == "");
        }
      }
    }
  }
}
