// Strides of 2^31 elements, more than 32 bits count, along every axis of every tensor of every
// function: the results are those of dense tensors, to the bit.
#include <new>
#include <vector>

#include "catch.hpp"
#include "variants.hpp"

namespace {

const int64_t kFar = INT64_C(1) << 31;

// Which stride is the far one: of a tensor and of a matrix.
struct Apart {
  size_t tensor_axis, matrix_axis;
  int64_t stride;
};

// An emulator has a table entry for each page of a mapping, touched or not: there a few.
std::vector<Apart> aparts() {
  if (is_emulated()) return {{2, 3, -kFar}};
  return {{0, 0, kFar}, {1, 1, kFar}, {2, 2, kFar}, {2, 3, -kFar}};
}

std::vector<attn_type> types() {
  if (is_emulated()) return {ATTN_F16};
  return {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};
}

Cells far_tensor(const Cells &from, const Apart &apart) {
  return from.apart(apart.tensor_axis, apart.stride);
}

// Where there are any.
Cells far_scale(const Cells &from, attn_type type, const Apart &apart) {
  return type == ATTN_I8 ? far_tensor(from, apart) : from;
}

Cells far_matrix(const Cells &from, const Apart &apart) {
  return from.apart(apart.matrix_axis, apart.stride);
}

void poison(const Cells &cells) {
  cells.for_each_element([&](Cells::Index at) { cells.put(at, poison_of(cells.type())); });
}

// Whether the elements are the same, and none is still poison.
bool same(const Cells &got, const Cells &want) {
  bool all = true;
  want.for_each_element([&](Cells::Index at) {
    all = all && got.get(at) == want.get(at) && want.get(at) != poison_of(want.type());
  });
  return all;
}

Cells dense(Cells::Index e, attn_type type) {
  return Cells(e, {e[1] * e[2] * e[3], e[2] * e[3], e[3], 1}, type, Place::heap, 0);
}

Cells dense_random(Cells::Index extents, attn_type type, uint64_t seed) {
  const Cells cells = dense(extents, type);
  Random random(seed);
  cells.for_each_element(
      [&](Cells::Index at) { cells.put(at, encoded(random.gaussian(), type, 1)); });
  return cells;
}

template <class F>
void for_each_apart(F function) {
  const char *const what = "strides of 2^31 elements";
  if (sizeof(void *) < 8) return skip(what, "32-bit address space");
  try {
    for (const Apart &apart : aparts()) {
      INFO("axis " << apart.tensor_axis << " of tensors, " << apart.matrix_axis << " of matrices, "
                   << apart.stride);
      function(apart);
    }
  } catch (const std::bad_alloc &) {
    skip(what, "no 150 GiB of address space");
  }
}

// Several entries, heads, queries and keys, so that every stride counts.
Variant with_matrices(attn_type type) {
  Variant v = Variant().types(type).heads(4, 2).lens(2, 3).sizes(8, 8);
  v.batch = 2;
  v.mask = MaskKind::random;
  v.bias = BiasKind::gaussian;
  v.block_q = 1;
  v.block_k = 2;
  return v;
}

}  // namespace

TEST_CASE("Attention over tensors and matrices 2^31 elements apart", "[far]") {
  for_each_apart([](const Apart &apart) {
    for (attn_type type : types()) {
      INFO(attn_type_name(type));
      const VariantCall call(with_matrices(type), 24);
      const Cells q = far_tensor(call.q, apart), k = far_tensor(call.k, apart);
      const Cells v = far_tensor(call.v, apart), o = far_tensor(call.o, apart);
      const Cells lse = far_tensor(call.lse, apart), k_scale = far_scale(call.k_scale, type, apart);
      const Cells v_scale = far_scale(call.v_scale, type, apart),
                  mask = far_matrix(call.mask, apart);
      const Cells bias = far_matrix(call.bias, apart), blocks = far_matrix(call.blocks, apart);
      for (const Path &path : forced_paths()) {
        INFO(path.name());
        call.run(path);
        attn_params p = call.on(path);
        p.q = q.tensor();
        p.k = k.tensor();
        p.v = v.tensor();
        p.o = o.tensor();
        p.lse = lse.tensor();
        if (type == ATTN_I8) {
          p.k_scale = k_scale.tensor();
          p.v_scale = v_scale.tensor();
        }
        p.mask = mask.matrix();
        p.bias = bias.matrix();
        p.block_mask = blocks.matrix();
        poison(o);
        poison(lse);
        REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
        CHECK(same(o, call.o));
        CHECK(same(lse, call.lse));
      }
    }
  });
}

TEST_CASE("Weights 2^31 elements apart", "[far]") {
  for_each_apart([](const Apart &apart) {
    const VariantCall call(with_matrices(ATTN_F32), 25);
    const Cells near = dense({2, 4, 2, 3}, ATTN_F32), far = far_tensor(near, apart);
    attn_weights_params what = attn_weights_params();
    what.stage = ATTN_STAGE_WEIGHTS;
    what.queries = 2;
    for (attn_isa isa : isas()) {
      const attn_params p = call.on(Path{isa, ATTN_FAMILY_DECODE});
      what.out = near.tensor();
      REQUIRE(attn_weights(&p, &what, nullptr, 0) == ATTN_OK);
      what.out = far.tensor();
      poison(far);
      REQUIRE(attn_weights(&p, &what, nullptr, 0) == ATTN_OK);
      CHECK(same(far, near));
    }
  });
}

TEST_CASE("A cache 2^31 elements apart is appended to", "[far]") {
  for_each_apart([](const Apart &apart) {
    for (attn_type type : types()) {
      const Cells rows = dense_random({2, 2, 3, 8}, ATTN_F32, 26);
      const Cells cache = dense({2, 2, 3, 8}, type), scale = dense({2, 2, 3, 1}, ATTN_F32);
      attn_append_params p = attn_append_params();
      p.rows = rows.tensor();
      p.cache = cache.tensor();
      if (type == ATTN_I8) p.cache_scale = scale.tensor();
      p.batch = p.heads = 2;
      p.len = 3;
      p.size = 8;
      REQUIRE(attn_kv_append(&p) == ATTN_OK);
      const Cells far_rows = far_tensor(rows, apart), far_cache = far_tensor(cache, apart);
      const Cells far_scales = far_scale(scale, type, apart);
      poison(far_cache);
      poison(far_scales);
      p.rows = far_rows.tensor();
      p.cache = far_cache.tensor();
      if (type == ATTN_I8) p.cache_scale = far_scales.tensor();
      REQUIRE(attn_kv_append(&p) == ATTN_OK);
      far_cache.for_each_element(
          [&](Cells::Index at) { CHECK(far_cache.get(at) == cache.get(at)); });
      if (type == ATTN_I8) CHECK(same(far_scales, scale));
      if (type != ATTN_I8) CHECK(same(far_cache, cache));
    }
  });
}

TEST_CASE("Rows 2^31 elements apart turn", "[far]") {
  for_each_apart([](const Apart &apart) {
    const Cells rows = dense_random({2, 2, 3, 8}, ATTN_F16, 27),
                turned = dense({2, 2, 3, 8}, ATTN_BF16);
    attn_rope_params p = attn_rope_params();
    p.rows = rows.tensor();
    p.rotated = turned.tensor();
    p.batch = p.heads = 2;
    p.len = 3;
    p.head_size = 8;
    p.rotary.pairs = ATTN_PAIRS_HALF_SPLIT;
    REQUIRE(attn_rope(&p) == ATTN_OK);
    const Cells far_rows = far_tensor(rows, apart), far_turned = far_tensor(turned, apart);
    poison(far_turned);
    p.rows = far_rows.tensor();
    p.rotated = far_turned.tensor();
    REQUIRE(attn_rope(&p) == ATTN_OK);
    CHECK(same(far_turned, turned));
  });
}

TEST_CASE("Parts 2^31 elements apart merge", "[far]") {
  for_each_apart([](const Apart &apart) {
    const Cells::Index of_o = {2, 2, 3, 8}, of_lse = {2, 2, 3, 1};
    const Cells a = dense_random(of_o, ATTN_F32, 28), b = dense_random(of_o, ATTN_F16, 29);
    const Cells lse_a = dense_random(of_lse, ATTN_F32, 30),
                lse_b = dense_random(of_lse, ATTN_F32, 31);
    const Cells o = dense(of_o, ATTN_F32), lse = dense(of_lse, ATTN_F32);
    const attn_tensor o_parts[] = {a.tensor(), b.tensor()};
    const attn_tensor lse_parts[] = {lse_a.tensor(), lse_b.tensor()};
    attn_merge_params p = attn_merge_params();
    p.o_parts = o_parts;
    p.lse_parts = lse_parts;
    p.o = o.tensor();
    p.lse = lse.tensor();
    p.parts = p.batch = p.heads = 2;
    p.len = 3;
    p.head_size_v = 8;
    REQUIRE(attn_merge(&p) == ATTN_OK);
    const Cells far_a = far_tensor(a, apart), far_b = far_tensor(b, apart);
    const Cells far_lse_a = far_tensor(lse_a, apart), far_lse_b = far_tensor(lse_b, apart);
    const Cells far_o = far_tensor(o, apart), far_lse = far_tensor(lse, apart);
    const attn_tensor far_o_parts[] = {far_a.tensor(), far_b.tensor()};
    const attn_tensor far_lse_parts[] = {far_lse_a.tensor(), far_lse_b.tensor()};
    poison(far_o);
    poison(far_lse);
    p.o_parts = far_o_parts;
    p.lse_parts = far_lse_parts;
    p.o = far_o.tensor();
    p.lse = far_lse.tensor();
    REQUIRE(attn_merge(&p) == ATTN_OK);
    CHECK(same(far_o, o));
    CHECK(same(far_lse, lse));
  });
}

TEST_CASE("Pages 2^31 elements apart, of k and v and of their scales", "[far]") {
  for_each_apart([](const Apart &apart) {
    for (attn_type type : types()) {
      INFO(attn_type_name(type));
      Variant variant = Variant().types(type).heads(2, 2).lens(2, 3).sizes(8, 8);
      variant.batch = 2;
      const VariantCall call(variant, 32, Storage::in(Cache::paged, 2));
      const Cells k = far_tensor(call.k, apart), v = far_tensor(call.v, apart);
      const Cells k_scale = far_scale(call.k_scale, type, apart),
                  v_scale = far_scale(call.v_scale, type, apart);
      for (const Path &path : forced_paths()) {
        INFO(path.name());
        const Output want = call.run(path);
        attn_params p = call.on(path);
        p.k = k.tensor();
        p.v = v.tensor();
        if (type == ATTN_I8) {
          p.k_scale = k_scale.tensor();
          p.v_scale = v_scale.tensor();
        }
        poison(call.o);
        REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
        CHECK(difference(call.output(), want) == "");
      }
    }
  });
}
