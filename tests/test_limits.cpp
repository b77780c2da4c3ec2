// Arguments at the edge of what is allowed, and how much stack a call takes.
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <functional>
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

void *run_function(void *function) {
  (*static_cast<std::function<void()> *>(function))();
  return nullptr;
}

// Bytes of the stack that a call takes, on a thread of its own. The first call binds library
// functions.
size_t stack_of(const std::function<void()> &call) {
  const size_t size = size_t{1} << 19;
  void *stack = nullptr;
  uintptr_t entry = 0;
  std::function<void()> measured = [&] {
    unsigned char here = 0;
    entry = reinterpret_cast<uintptr_t>(&here);
    call();
  };
  pthread_attr_t attributes;
  pthread_t thread;
  call();
  REQUIRE(posix_memalign(&stack, 4096, size) == 0);
  std::memset(stack, 0xa5, size);
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstack(&attributes, stack, size) == 0);
  REQUIRE(pthread_create(&thread, &attributes, run_function, &measured) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
  const unsigned char *lowest = static_cast<unsigned char *>(stack);
  while (*lowest == 0xa5) lowest++;
  const size_t taken = entry - reinterpret_cast<uintptr_t>(lowest);
  std::free(stack);
  return taken;
}

// Rows of the largest size, of which the first must not see a value that is not finite.
struct Careful {
  std::vector<float> q, o, k, lse;
  std::vector<unsigned char> v, allowed;
  attn_params params;
  Careful(Path path, attn_type type)
      : q(4 * 1024, 1.0f),
        o(4 * 1024, 0.0f),
        k(8 * 1024, 1.0f),
        lse(8, 1.0f),
        v(8 * 1024 * 4, 0),
        allowed(4 * 8, 1),
        params(attn_params_init()) {
    std::memset(&v[5 * 1024 * attn_type_size(type)], 0xff, attn_type_size(type));  // NaN
    if (type == ATTN_I8) lse[5] = from_bits(kNan);
    allowed[5] = 0;
    params.isa = path.isa;
    params.family = path.family;
    params.q = attn_bshd(q.data(), ATTN_F32, 4, 1, 1024);
    params.k = attn_bshd(k.data(), ATTN_F32, 8, 1, 1024);
    params.v = attn_bshd(v.data(), type, 8, 1, 1024);
    params.o = attn_bshd(o.data(), ATTN_F32, 4, 1, 1024);
    if (type == ATTN_I8) params.v_scale = attn_bhs(lse.data(), 8, 1);
    params.batch = params.heads_q = params.threads = 1;
    params.len_q = 4;
    params.len_kv = 8;
    params.head_size = 1024;
    params.mask = attn_matrix{allowed.data(), ATTN_BOOL, 0, 0, 8, 1};
  }
};

const size_t kStack = 12 << 10;  // as docs/api.md says

}  // namespace

TEST_CASE("A call takes no more of the stack than the documents say", "[limits]") {
  for (const Path &path : forced_paths()) {
    for (attn_type type : {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8}) {
      Careful call(path, type);
      INFO(path.name() << ", " << attn_type_name(type));
      size_t size = 0;
      REQUIRE(attn_workspace_size(&call.params, &size) == ATTN_OK);
      std::vector<char> workspace(size);
      CHECK(stack_of([&] { attn_forward(&call.params, workspace.data(), size); }) <= kStack);
      CHECK(is_nan(call.o[3 * 1024]));
      CHECK_FALSE(is_nan(call.o[0]));
    }
    Careful call(path, ATTN_F32);
    attn_weights_params what = attn_weights_params();
    what.stage = ATTN_STAGE_WEIGHTS;
    what.queries = 4;
    what.out = attn_bhsd(call.o.data(), ATTN_F32, 4, 1, 8);
    CHECK(stack_of([&] { attn_weights(&call.params, &what, nullptr, 0); }) <= kStack);
  }
  std::vector<float> x(1024, 1.0f);
  attn_rope_params rope = attn_rope_params();
  rope.rows = rope.rotated = attn_bshd(x.data(), ATTN_F32, 1, 1, 1024);
  rope.batch = rope.heads = rope.len = rope.position = 1;
  rope.head_size = 1024;
  rope.rotary.pairs = ATTN_PAIRS_HALF_SPLIT;
  CHECK(stack_of([&] { attn_rope(&rope); }) <= kStack);
}

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
