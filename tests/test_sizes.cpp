// The sizes of memory that calls ask for, and a million keys. The environment variable ATTN_SIZES
// sets the number of random cases.
#include <algorithm>
#include <cstdio>

#include "catch.hpp"
#include "typed.hpp"
#include "variants.hpp"

namespace {

int64_t cases() {
  return environment("ATTN_SIZES", is_emulated() ? 40 : 400);
}

// What is called with a byte less than it asks for writes nothing, in there or in o and lse.
void check_forward(const VariantCall &call, const attn_params &p) {
  size_t size = 0;
  REQUIRE(attn_workspace_size(&p, &size) == ATTN_OK);
  REQUIRE(size > 0);
  Workspace workspace(size - 1);
  const std::vector<unsigned char> o = call.o.bytes(), lse = call.lse.bytes();
  CHECK(attn_forward(&p, workspace.data(), size - 1) == ATTN_ERR_WORKSPACE);
  CHECK(workspace.untouched());
  CHECK(call.o.holds(o));
  CHECK(call.lse.holds(lse));
}

void check_plan(const VariantCall &call, const attn_params &p, std::set<std::string> *seen) {
  attn_plan plan;
  REQUIRE(attn_plan_init(&plan, &p) == ATTN_OK);
  const size_t scratch_size = attn_plan_scratch_size(&plan);
  const size_t shared_size = attn_plan_shared_size(&plan);
  Workspace scratch(scratch_size), shared(shared_size);
  const std::vector<unsigned char> o = call.o.bytes(), lse = call.lse.bytes();
  if (attn_plan_tasks(&plan) > 0) {
    REQUIRE(scratch_size > 0);
    CHECK(attn_plan_run(&plan, 0, scratch.data(), scratch_size - 1, shared.data(), shared_size) ==
          ATTN_ERR_SCRATCH);
    seen->insert("scratch");
  }
  if (shared_size > 0) {
    CHECK(attn_plan_run(&plan, 0, scratch.data(), scratch_size, shared.data(), shared_size - 1) ==
          ATTN_ERR_SHARED);
    CHECK(attn_plan_finish(&plan, shared.data(), shared_size - 1) == ATTN_ERR_SHARED);
    seen->insert("shared");
  }
  CHECK(scratch.untouched());
  CHECK(shared.untouched());
  CHECK(call.o.holds(o));
  CHECK(call.lse.holds(lse));
}

void check_weights(const VariantCall &call, const attn_params &p) {
  const Variant &v = call.variant;
  const int64_t rows = v.heads_q * v.len_q;
  const Cells out({v.batch, v.heads_q, v.len_q, v.len_kv},
                  {rows * v.len_kv, v.len_q * v.len_kv, v.len_kv, 1}, ATTN_F32, Place::heap, 0);
  attn_weights_params what = attn_weights_params();
  what.stage = ATTN_STAGE_WEIGHTS;
  what.queries = v.len_q;
  what.out = out.tensor();
  size_t size = 0;
  REQUIRE(attn_weights_workspace_size(&p, &what, &size) == ATTN_OK);
  REQUIRE(size > 0);
  Workspace workspace(size - 1);
  const std::vector<unsigned char> before = out.bytes();
  CHECK(attn_weights(&p, &what, workspace.data(), size - 1) == ATTN_ERR_WORKSPACE);
  CHECK(workspace.untouched());
  CHECK(out.holds(before));
}

void check(const VariantCase &c, std::set<std::string> *seen) {
  const VariantCall call(c.variant, c.seed, c.storage);
  for (const Path &path : paths()) {
    INFO(path.name() << ", " << describe(c.variant) << "; " << describe(c.storage));
    const attn_params p = call.on(path);
    check_forward(call, p);
    check_plan(call, p, seen);
    if (path.family == ATTN_FAMILY_DECODE) check_weights(call, p);
    call.run(path);  // exactly so much, between canaries
    call.run_plan(path, 1, 0);
  }
}

}  // namespace

TEST_CASE("A byte less than a call asks for is refused, exactly as much is enough, with any option",
          "[sizes]") {
  std::set<std::string> seen;
  for (int64_t number = 0; number < cases(); ++number) {
    INFO("case " << number);
    check(random_variant(number), &seen);
  }
  const Variant chunks = Variant().types(ATTN_F16).heads(2, 1).lens(1, 1300);
  check({1, chunks, Storage()}, &seen);
  CHECK(seen == std::set<std::string>{"scratch", "shared"});
}

// 64 chunks of 16384 keys (under an emulator fewer). The values are alike, so that the sum of all
// weights times values is far from what one key adds to it.
TEST_CASE("A decode over 2^20 keys keeps the error bound", "[sizes]") {
  const Spec spec = Spec().lens(1, is_emulated() ? 1 << 17 : 1 << 20).sizes(4, 2);
  reference::Accuracy worst;
  for (attn_type type : {ATTN_F32, ATTN_I8}) {
    const TypedCall typed(spec, 33, {ATTN_F32, type, type, ATTN_F32});
    for (int64_t j = 0; j < spec.len_kv; ++j) {
      for (int64_t d = 0; d < 2; ++d)
        typed.call.v.at(0, 0, j, d) = 1 + typed.call.v.at(0, 0, j, d) / 100;
    }
    typed.take(kNan, 33);
    const std::vector<reference::Row> rows = reference::attention(typed.reference_params);
    for (attn_isa isa : isas()) {
      INFO(attn_isa_name(isa) << ", " << attn_type_name(type));
      typed.run(Path{isa, ATTN_FAMILY_DECODE});
      CHECK(compare(typed, rows, &worst) == "");
    }
  }
  std::printf("decode over %d keys: o at most %.3f, lse %.3f of the bound\n",
              static_cast<int>(spec.len_kv), worst.o, worst.lse);
}
