// Tensors and workspace between pages that fault: nothing outside the elements is accessed.
#include <unistd.h>

#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

const int64_t kHeadSizes[] = {1, 2, 3, 5, 8, 15, 17, 31, 32, 33, 59, 64, 65, 111};

// attn_forward with the workspace between guard pages too.
void run_guarded(const Call &call, Path path, Place place) {
  INFO(path.name() << ": " << describe(call.spec));
  const attn_params params = params_on(call, path);
  require_path(params, path);
  size_t size = 0;
  REQUIRE(attn_workspace_size(&params, &size) == ATTN_OK);
  const Memory workspace(size, place);
  REQUIRE(attn_forward(&params, workspace.data(), size) == ATTN_OK);
  CHECK(reference::compare(call.params) == "");
}

void check_lengths(const Spec &spec, Path path) {
  for (Place place : {Place::below_guard, Place::above_guard}) {
    run_guarded(Call(spec, 1, Placement::at(place)), path, place);
    const Spec causal = Spec(spec).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    run_guarded(Call(causal, 2, Placement::at(place)), path, place);
  }
}

}  // namespace

TEST_CASE("Every head size keeps between guard pages", "[guard]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t size : kHeadSizes) {
        check_lengths(Spec().lens(3, 7).sizes(size, size), path);
        check_lengths(Spec().heads(2, 1).lens(19, 21).sizes(size, 112 - size), path);
      }
    }
  }
}

TEST_CASE("Lengths around the tile sizes keep between guard pages", "[guard]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      const Spec base = Spec().sizes(13, 32);
      const attn_plan_info info = require_path(params_on(Call(base, 1), path), path);
      const int64_t tile_q = info.tile_q, tile_k = info.tile_k;
      for (int64_t len_q : {int64_t{1}, tile_q, tile_q + 1}) {
        for (int64_t len_kv : {tile_k - 1, tile_k, tile_k + 1}) {
          check_lengths(Spec(base).lens(len_q, len_kv), path);
        }
      }
    }
  }
}

TEST_CASE("Rows that each lie between guard pages are read and written alone", "[guard]") {
  const int64_t pages = 2 * sysconf(_SC_PAGESIZE) / static_cast<int64_t>(sizeof(float));
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      for (int64_t size : {3, 32, 59, 64}) {
        for (Place place : {Place::below_guard, Place::above_guard}) {
          const Spec spec = Spec().lens(7, 11).sizes(size, size).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
          Call call(spec, 3);
          const Strides apart = {pages * 11, pages * 11, pages};
          Tensor q({1, 1, 7, size}, apart, place), k({1, 1, 11, size}, apart, place);
          Tensor v({1, 1, 11, size}, apart, place), o({1, 1, 7, size}, apart, place);
          Random random(4);
          for (const Tensor *tensor : {&q, &k, &v}) {
            tensor->fill_gaussian(random, tensor->extents().s);
            tensor->protect_gaps();
          }
          o.protect_gaps();
          call.params.q = q.view();
          call.params.k = k.view();
          call.params.v = v.view();
          call.params.o = o.view();
          run_guarded(call, path, place);
        }
      }
    }
  }
}
