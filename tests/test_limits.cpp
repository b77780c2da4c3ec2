// Arguments at the edge of what is allowed.
#include <vector>

#include "attn.h"
#include "catch.hpp"
#include "support.hpp"

namespace {

// One head of size 1: o[i] is the average of v over the keys, since every score is 0.
struct Small {
  std::vector<float> q, k, v, o, lse;
  attn_params params;
  Small(int64_t len_q, int64_t len_kv)
      : q(static_cast<size_t>(len_q), 0.0f),
        k(static_cast<size_t>(len_kv), 1.0f),
        v(static_cast<size_t>(len_kv), 3.0f),
        o(static_cast<size_t>(len_q), -1.0f),
        lse(2 * static_cast<size_t>(len_q), -1.0f),
        params(attn_params_init()) {
    params.batch = params.heads_q = params.head_size = 1;
    params.len_q = len_q;
    params.len_kv = len_kv;
    params.q = attn_bshd(q.data(), ATTN_F32, len_q, 1, 1);
    params.k = attn_bshd(k.data(), ATTN_F32, len_kv, 1, 1);
    params.v = attn_bshd(v.data(), ATTN_F32, len_kv, 1, 1);
    params.o = attn_bshd(o.data(), ATTN_F32, len_q, 1, 1);
  }
};

}  // namespace

TEST_CASE("A scale is refused when its product with log2(e) is not a float", "[limits]") {
  Small call(1, 2);
  call.params.scale = 3e38f;
  CHECK(attn_forward(&call.params, nullptr, 0) == ATTN_ERR_SCALE);
  call.params.scale = 2.359e38f;
  CHECK(attn_forward(&call.params, nullptr, 0) == ATTN_ERR_SCALE);
  call.params.scale = -2.358e38f;
  CHECK(attn_forward(&call.params, nullptr, 0) == ATTN_OK);
  CHECK(call.o[0] == 3.0f);
}

TEST_CASE("The stride of one single key may be anything", "[limits]") {
  for (const Path &path : forced_paths()) {
    INFO(path.name());
    Small call(3, 1);
    call.params.isa = path.isa;
    call.params.family = path.family;
    call.params.k.stride_s = call.params.v.stride_s = int64_t{1} << 62;
    REQUIRE(attn_forward(&call.params, nullptr, 0) == ATTN_OK);
    CHECK(call.o == std::vector<float>(3, 3.0f));

    const int8_t one = 1;
    const float scale = 5;
    call.params.k = call.params.v = attn_strided(&one, ATTN_I8, 0, 0, int64_t{1} << 61);
    call.params.k_scale = call.params.v_scale =
        attn_strided(&scale, ATTN_F32, 0, 0, int64_t{1} << 60);
    call.params.head_size = call.params.head_size_v = 1;
    REQUIRE(attn_forward(&call.params, nullptr, 0) == ATTN_OK);
    CHECK(call.o == std::vector<float>(3, 5.0f));
  }
}

TEST_CASE("Appending no rows to a cache of any size is a no-op at once", "[limits]") {
  float x = 0;
  const attn_tensor rows = attn_strided(&x, ATTN_F32, 0, 0, 0);
  attn_append_params p = attn_append_params();
  p.rows = p.cache = rows;
  p.batch = p.heads = int64_t{1} << 40;
  p.size = 8;
  CHECK(attn_kv_append(&p) == ATTN_OK);
}

TEST_CASE("No queries: a batch too large to count overflows, another is a no-op at once",
          "[limits]") {
  Small call(0, 2000);
  call.params.family = ATTN_FAMILY_DECODE;
  call.params.batch = int64_t{1} << 40;
  call.params.k.stride_b = call.params.v.stride_b = 0;
  CHECK(attn_forward(&call.params, nullptr, 0) == ATTN_OK);
  call.params.batch = call.params.heads_q = int64_t{1} << 32;
  CHECK(attn_forward(&call.params, nullptr, 0) == ATTN_ERR_OVERFLOW);
}

TEST_CASE("The feature stride of lse is not looked at", "[limits]") {
  Small call(2, 2);
  call.params.lse = attn_strided(call.lse.data(), ATTN_F32, 0, 0, 2);
  call.params.lse.stride_d = 7;
  REQUIRE(attn_forward(&call.params, nullptr, 0) == ATTN_OK);
  CHECK(call.lse[0] == Approx(0.693147f));
  CHECK(call.lse[2] == Approx(0.693147f));
  CHECK(call.lse[1] == -1.0f);
}

TEST_CASE("One workspace serves all lengths within the capacities", "[limits]") {
  Small call(1, 5000);
  call.params.threads = 8;
  call.params.capacity_kv = 5000;
  call.params.capacity_q = 1;
  call.params.len_kv = 1;
  size_t size = 0;
  REQUIRE(attn_workspace_size(&call.params, &size) == ATTN_OK);
  std::vector<char> workspace(size);
  for (int64_t len : {1, 512, 513, 5000}) {
    call.params.len_kv = len;
    CHECK(attn_forward(&call.params, workspace.data(), size) == ATTN_OK);
    CHECK(call.o[0] == Approx(3.0f));
  }
}
