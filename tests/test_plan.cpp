// Plans: tasks, updates within a capacity, sizes, descriptions.
#include <cstring>

#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

// The call's params for the first len_kv keys of its cache and the last len_q queries before them.
attn_params step(const Call &call, Path path, int64_t len_q, int64_t len_kv) {
  attn_params params = params_on(call, path);
  const int64_t first = len_kv - len_q;
  params.len_q = len_q;
  params.len_kv = len_kv;
  params.q.data = &call.q.at(0, 0, first, 0);
  params.o.data = &call.o.at(0, 0, first, 0);
  params.lse.data = &call.lse.at(0, 0, first, 0);
  return params;
}

// A self-attention call whose rows are computed step by step: queries and cache of equal length.
Call cache_of(int64_t len, int64_t head_size) {
  Spec spec = Spec().heads(4, 2).lens(len, len).sizes(head_size, head_size + 1);
  spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
  spec.batch = 2;
  return Call(spec, 1);
}

void run_fresh(const attn_params &params) {
  attn_params fresh = params;
  fresh.capacity_q = fresh.capacity_kv = 0;
  REQUIRE(attn_forward(&fresh, nullptr, 0) == ATTN_OK);
}

// Run an updated plan and a fresh call, which must agree.
void check_step(attn_plan &plan, const Call &call, Path path, const attn_params &params) {
  attn_plan_info info, fresh_info;
  const size_t scratch = attn_plan_scratch_size(&plan), shared = attn_plan_shared_size(&plan);
  REQUIRE(attn_plan_update(&plan, &params) == ATTN_OK);
  REQUIRE(attn_plan_scratch_size(&plan) <= scratch);
  REQUIRE(attn_plan_shared_size(&plan) <= shared);
  REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
  call.o.fill(kPoison);
  call.lse.fill(kPoison);
  run_tasks(plan, 1, 0);
  const Output updated = {call.o.values(), call.lse.values()};
  fresh_info = require_path(params, path);
  if (info.family != fresh_info.family) {
    CHECK(reference::compare(params) == "");
    return;
  }
  call.o.fill(kPoison);
  call.lse.fill(kPoison);
  run_fresh(params);
  CHECK(difference(updated, Output{call.o.values(), call.lse.values()}) == "");
}

}  // namespace

TEST_CASE("A decode loop over one plan gives the bits of a fresh call at every length", "[plan]") {
  for (const Path &path : paths()) {
    DYNAMIC_SECTION(path.name()) {
      const int64_t capacity = 300;
      const Call call = cache_of(capacity, 16);
      attn_params first = step(call, path, 1, 1);
      first.capacity_kv = capacity;
      attn_plan plan;
      REQUIRE(attn_plan_init(&plan, &first) == ATTN_OK);
      for (int64_t len = 1; len <= capacity; len += len < 140 ? 1 : 16) {
        INFO("length " << len);
        check_step(plan, call, path, step(call, path, 1, len));
      }
      check_step(plan, call, path, step(call, path, 1, capacity));
      attn_params beyond = step(call, path, 1, capacity);
      beyond.len_kv = capacity + 1;
      CHECK(attn_plan_update(&plan, &beyond) == ATTN_ERR_CAPACITY_KV);
    }
  }
}

TEST_CASE("A plan whose cache grows from one chunk to many keeps its sizes", "[plan]") {
  for (const Path &path : forced_paths()) {
    DYNAMIC_SECTION(path.name()) {
      Spec spec = Spec().heads(2, 1).lens(1, 30000).sizes(4, 4);
      const Call call(spec, 2);
      attn_params params = params_on(call, path);
      params.capacity_kv = params.len_kv;
      params.len_kv = 10;
      attn_plan plan;
      REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
      for (int64_t len : {10, 1000, 5000, 20000, 30000, 3, 0}) {
        INFO("length " << len);
        params.len_kv = len;
        check_step(plan, call, path, params);
      }
    }
  }
}

TEST_CASE("One plan serves prefill and then decode through updates", "[plan]") {
  for (const Path &path : paths()) {
    DYNAMIC_SECTION(path.name()) {
      const Call call = cache_of(90, 20);
      attn_params first = step(call, path, 64, 64);
      first.capacity_q = 64;
      first.capacity_kv = 90;
      attn_plan plan;
      REQUIRE(attn_plan_init(&plan, &first) == ATTN_OK);
      check_step(plan, call, path, first);
      for (int64_t len = 65; len <= 90; len++) {
        check_step(plan, call, path, step(call, path, 1, len));
      }
      check_step(plan, call, path, step(call, path, 17, 80));
      check_step(plan, call, path, step(call, path, 0, 80));
      check_step(plan, call, path, step(call, path, 64, 90));
      attn_params beyond = step(call, path, 65, 90);
      CHECK(attn_plan_update(&plan, &beyond) == ATTN_ERR_CAPACITY_Q);
    }
  }
}

TEST_CASE("Without a capacity a length keeps its value, whatever that of the other is", "[plan]") {
  for (const Path &path : paths()) {
    DYNAMIC_SECTION(path.name()) {
      const Call call = cache_of(90, 20);
      attn_plan plan;
      attn_params fixed = step(call, path, 4, 64);
      REQUIRE(attn_plan_init(&plan, &fixed) == ATTN_OK);
      for (int64_t len_q : {3, 5}) {
        const attn_params other = step(call, path, len_q, 64);
        CHECK(attn_plan_update(&plan, &other) == ATTN_ERR_CAPACITY_Q);
      }
      for (int64_t len_kv : {63, 65}) {
        const attn_params other = step(call, path, 4, len_kv);
        CHECK(attn_plan_update(&plan, &other) == ATTN_ERR_CAPACITY_KV);
      }
      fixed.capacity_q = 5;
      REQUIRE(attn_plan_init(&plan, &fixed) == ATTN_OK);
      check_step(plan, call, path, step(call, path, 3, 64));
      const attn_params other = step(call, path, 5, 63);
      CHECK(attn_plan_update(&plan, &other) == ATTN_ERR_CAPACITY_KV);
      fixed = step(call, path, 1, 64);
      fixed.capacity_q = 1;
      REQUIRE(attn_plan_init(&plan, &fixed) == ATTN_OK);
      check_step(plan, call, path, step(call, path, 0, 64));
    }
  }
}

TEST_CASE("An update moves data, strides, alignment and offset", "[plan]") {
  for (const Path &path : paths()) {
    DYNAMIC_SECTION(path.name()) {
      const Spec dense =
          Spec().heads(2, 1).lens(6, 11).sizes(12, 9).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      const Call before(dense, 3);
      const attn_params first = params_on(before, path);
      attn_plan plan;
      REQUIRE(attn_plan_init(&plan, &first) == ATTN_OK);
      const Call moved(Spec(dense).causal_at(ATTN_ALIGN_OFFSET, 2), 4,
                       Placement::all(Layout::negative));
      check_step(plan, moved, path, params_on(moved, path));
      const Call top_left(Spec(dense).causal_at(ATTN_ALIGN_TOP_LEFT), 5,
                          Placement::all(Layout::bshd));
      check_step(plan, top_left, path, params_on(top_left, path));
    }
  }
}

TEST_CASE("A plan may be copied, and run twice", "[plan]") {
  for (const Path &path : paths()) {
    const Call call = cache_of(50, 8);
    const Output want = run(call, path);
    const attn_params params = params_on(call, path);
    attn_plan plan, copy;
    REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
    copy = plan;
    std::memset(&plan, 0, sizeof plan);
    for (uint64_t order : {0u, 1u}) {
      call.o.fill(kPoison);
      run_tasks(copy, 1, order);
      CHECK(difference(call.o.values(), want.o) == "");
    }
  }
}

TEST_CASE("A plan without queries has nothing to do, one without keys writes empty rows",
          "[plan]") {
  for (const Path &path : paths()) {
    const Call no_queries(Spec().lens(0, 5), 6);
    run_plan(no_queries, path, 1, 0);
    const Call no_keys(Spec().lens(3, 0), 7);
    const Output got = run_plan(no_keys, path, 1, 0);
    CHECK(difference(got.o, std::vector<float>(3 * 8, 0.0f)) == "");
    CHECK(difference(got.lse, std::vector<float>(3, from_bits(kMinusInfinity))) == "");
  }
}

TEST_CASE("The library's own allocation gives the bits of a caller's workspace", "[plan]") {
  for (const Path &path : paths()) {
    const Call call = cache_of(33, 31);
    const Output want = run(call, path);
    const attn_params params = params_on(call, path);
    call.o.fill(kPoison);
    REQUIRE(attn_forward(&params, nullptr, 0) == ATTN_OK);
    CHECK(difference(call.o.values(), want.o) == "");
  }
}

TEST_CASE("Describing a plan truncates as snprintf does", "[plan]") {
  for (const Path &path : forced_paths()) {
    const attn_params params = params_on(cache_of(10, 8), path);
    attn_plan plan;
    REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
    const int length = attn_plan_describe(&plan, nullptr, 0);
    REQUIRE(length > 10);
    std::string whole(static_cast<size_t>(length) + 1, '#');
    CHECK(attn_plan_describe(&plan, &whole[0], whole.size()) == length);
    CHECK(whole.back() == '\0');
    whole.pop_back();
    CHECK_THAT(whole, Catch::Matchers::Contains(attn_isa_name(path.isa)));
    CHECK_THAT(whole, Catch::Matchers::Contains(attn_family_name(path.family)));
    for (size_t size : {size_t{1}, size_t{2}, size_t{10}, whole.size()}) {
      std::string part(whole.size() + 2, '#');
      CHECK(attn_plan_describe(&plan, &part[0], size) == length);
      CHECK(part.compare(0, size - 1, whole, 0, size - 1) == 0);
      CHECK(part[size - 1] == '\0');
      CHECK(part.find_first_not_of('#', size) == std::string::npos);
    }
  }
}

TEST_CASE("The plan's sizes are those that the calls ask for", "[plan]") {
  for (const Path &path : paths()) {
    const Call call = cache_of(40, 24);
    const attn_params params = params_on(call, path);
    attn_plan plan;
    attn_plan_info info;
    size_t workspace = 0;
    REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
    REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
    REQUIRE(attn_workspace_size(&params, &workspace) == ATTN_OK);
    CHECK(info.tasks == attn_plan_tasks(&plan));
    CHECK(info.scratch_size == attn_plan_scratch_size(&plan));
    CHECK(info.shared_size == attn_plan_shared_size(&plan));
    CHECK(info.workspace_size == workspace);
    CHECK(info.tile_q > 0);
    CHECK(info.tile_k > 0);
    CHECK(info.tiles >= 1);
    CHECK(info.chunks >= 1);
    CHECK(info.chunks <= 64);
  }
}

TEST_CASE("The workspace of a prefill does not grow with its lengths", "[plan]") {
  for (attn_isa isa : isas()) {
    const Path path = {isa, ATTN_FAMILY_PREFILL};
    attn_params params = params_on(Call(Spec().heads(8, 2).sizes(64, 64), 8), path);
    std::vector<size_t> sizes;
    for (int64_t len : {48, 20000, 2000000}) {  // times 4 heads of a group: 192 rows
      params.len_q = params.len_kv = len;
      params.q = params.o = attn_bhsd(nullptr, ATTN_F32, len, 8, 64);
      params.k = params.v = attn_bhsd(nullptr, ATTN_F32, len, 2, 64);
      params.lse.data = nullptr;
      sizes.push_back(0);
      REQUIRE(attn_workspace_size(&params, &sizes.back()) == ATTN_OK);
    }
    CHECK(sizes[1] == sizes[0]);
    CHECK(sizes[2] == sizes[0]);
    CHECK(sizes[0] < 1 << 20);
  }
}

TEST_CASE("A decode is split into at most 64 chunks, whatever its length", "[plan]") {
  for (attn_isa isa : isas()) {
    const Path path = {isa, ATTN_FAMILY_DECODE};
    const Call call(Spec().heads(8, 2).sizes(64, 64), 9);
    attn_params params = params_on(call, path);
    for (int64_t len : {100, 10000, 1000000, 100000000}) {
      params.len_kv = len;
      const attn_plan_info info = require_path(params, path);
      CHECK(info.chunks >= 1);
      CHECK(info.chunks <= 64);
    }
  }
}
