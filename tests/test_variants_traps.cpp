// Small inputs on which attention libraries have gone wrong: those that need options, and those of
// test_traps.cpp once more in f16 and bf16.
#include <cmath>
#include <new>

#include "catch.hpp"
#include "variants.hpp"

namespace {

const attn_type kFloats[] = {ATTN_F32, ATTN_F16, ATTN_BF16};
const uint32_t kUnusable[] = {kNan, kInfinity, kMinusInfinity};

// Call the function with every path and each type of floats.
template <class F>
void for_each_type(F function) {
  for (const Path &path : forced_paths())
    for (attn_type type : kFloats) {
      INFO(path.name() << ", " << attn_type_name(type));
      function(path, type);
    }
}

Variant one_head(attn_type type, int64_t len_q, int64_t len_kv) {
  return Variant().types(type).lens(len_q, len_kv).sizes(8, 8);
}

int64_t tile_k_of(Path path, attn_type type) {
  const VariantCall probe(one_head(type, 1, 1), 1);
  return require_path(probe.on(path), path).tile_k;
}

void put_mask(VariantCall &call, const std::vector<int> &bytes, int64_t row = 0) {
  for (size_t j = 0; j < bytes.size(); j++)
    call.mask.put({0, 0, row, static_cast<int64_t>(j)}, static_cast<uint32_t>(bytes[j]));
}

// The row of v at a key, as the output of a query that attends to nothing else.
std::vector<float> value_at(const VariantCall &call, int64_t b, int64_t g, int64_t j) {
  std::vector<float> row;
  for (int64_t d = 0; d < call.variant.head_size_v; d++)
    row.push_back(decoded(call.v.get(call.key_at(b, g, j, d)), call.variant.v, 1));
  return row;
}

Output empty_rows(int64_t rows, int64_t size) {
  return Output{std::vector<float>(index_of(rows * size), 0.0f),
                std::vector<float>(index_of(rows), from_bits(kMinusInfinity))};
}

}  // namespace

TEST_CASE("A mask that forbids both of two keys gives an empty row", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    Variant v = one_head(type, 1, 2);
    v.mask = MaskKind::all_false;
    CHECK(difference(VariantCall(v, 1).run(path), empty_rows(1, 8)) == "");
    v.mask = MaskKind::none;
    v.bias = BiasKind::gaussian;
    VariantCall biased(v, 1);
    for (int64_t j = 0; j < 2; j++) biased.bias.put({0, 0, 0, j}, unusable(kMinusInfinity, type));
    biased.keep_inputs();
    CHECK(difference(biased.run(path), empty_rows(1, 8)) == "");
  });
}

TEST_CASE("A wholly masked first key tile leaves the softmax of the second", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    const int64_t tile = tile_k_of(path, type);
    for (int64_t masked : {tile - 1, tile, tile + 1, 2 * tile - 1}) {
      Variant v = one_head(type, 3, 2 * tile);
      v.mask = MaskKind::all_true;
      VariantCall call(v, 2);
      for (int64_t i = 0; i < 3; i++) put_mask(call, std::vector<int>(index_of(masked), 0), i);
      for (int64_t j = 0; j < masked; j++) {
        call.spoil_key(call.k, 0, j, kNan);
        call.spoil_key(call.v, 0, j, kInfinity);
      }
      call.keep_inputs();
      call.run(path);
      INFO(masked << " keys masked, tile " << tile);
      CHECK(call.problem(path) == "");
    }
  });
}

TEST_CASE("A causal mask and a mask that together leave nothing give exactly 0",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    Variant v = one_head(type, 4, 4).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    v.mask = MaskKind::all_true;
    VariantCall call(v, 3);
    for (int64_t i = 0; i < 4; i++)  // only keys after the query
      for (int64_t j = 0; j <= i; j++) call.mask.put({0, 0, i, j}, 0);
    call.keep_inputs();
    CHECK(difference(call.run(path), empty_rows(4, 8)) == "");
  });
}

TEST_CASE("A masked key that is not finite leaves the first value exactly", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    for (uint32_t bits : kUnusable) {
      Variant v = one_head(type, 1, 2);
      v.mask = MaskKind::all_true;
      VariantCall call(v, 4);
      put_mask(call, {1, 0});
      call.spoil_key(call.k, 0, 1, bits);
      call.spoil_key(call.v, 0, 1, bits);
      call.keep_inputs();
      CHECK(difference(call.run(path).o, value_at(call, 0, 0, 0)) == "");
    }
  });
}

TEST_CASE("The rest of a cache, in any layout, changes no bit", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    Variant v = one_head(type, 2, 3).heads(4, 2);
    const Output want = VariantCall(v, 5).run(path);
    for (uint32_t bits : kUnusable)
      for (Cache cache : {Cache::contiguous, Cache::packed, Cache::paged, Cache::ring}) {
        Storage storage = Storage::in(cache, 8);
        storage.spare = 5;
        storage.unseen = bits;
        CHECK(difference(VariantCall(v, 5, storage).run(path), want) == "");
        v.lens_kv = {3};  // of a cache of 200
        v.len_kv = 200;
        Storage longer = storage;
        CHECK(difference(VariantCall(v, 5, longer).run(path), want) == "");
        v = one_head(type, 2, 3).heads(4, 2);
      }
  });
}

TEST_CASE("A token that is not finite changes no bit of earlier causal rows, in half precision",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    const Variant v = one_head(type, 70, 70).heads(2, 1).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    const Output want = VariantCall(v, 6).run(path);
    for (int64_t token : {0, 17, 64, 69})
      for (uint32_t bits : kUnusable) {
        VariantCall call(v, 6);
        call.spoil_key(call.k, 0, token, bits);
        call.spoil_key(call.v, 0, token, bits);
        call.keep_inputs();
        const Output got = call.run(path);
        for (int64_t h = 0; h < 2; h++)
          for (int64_t i = 0; i < token; i++)
            if (difference(row_of(got, v, 0, h, i), row_of(want, v, 0, h, i)) != "")
              FAIL_CHECK("token " << token << " changed row " << i);
      }
  });
}

TEST_CASE("A bias of -infinity forbids after the cap", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    Variant v = one_head(type, 1, 2);
    v.softcap = 1;
    v.bias = BiasKind::gaussian;
    VariantCall call(v, 7);
    call.bias.put({0, 0, 0, 0}, 0);
    call.bias.put({0, 0, 0, 1}, unusable(kMinusInfinity, type));
    call.keep_inputs();
    CHECK(difference(call.run(path).o, value_at(call, 0, 0, 0)) == "");
    CHECK(call.problem(path) == "");
  });
}

TEST_CASE("A causal query sees four cached keys bottom-right, one top-left, in half precision",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    const Output all = VariantCall(one_head(type, 1, 4), 8).run(path);
    const Variant bottom = one_head(type, 1, 4).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    CHECK(difference(VariantCall(bottom, 8).run(path), all) == "");
    const VariantCall top(one_head(type, 1, 4).causal_at(ATTN_ALIGN_TOP_LEFT), 8);
    CHECK(difference(top.run(path).o, value_at(top, 0, 0, 0)) == "");
  });
}

TEST_CASE("Five causal queries over two keys, in half precision", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    const Variant v = one_head(type, 5, 2).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
    const VariantCall call(v, 9);
    const Output got = call.run(path);
    for (int64_t i = 0; i < 3; i++)
      CHECK(difference(row_of(got, v, 0, 0, i), empty_rows(1, 8)) == "");
    CHECK(difference(row_of(got, v, 0, 0, 3).o, value_at(call, 0, 0, 0)) == "");
    CHECK(call.problem(path) == "");
  });
}

TEST_CASE("A window of 0 and 0 gives the query's own value, one of -1 all before it",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    for (int64_t len : {1, 6, 130}) {
      const Variant self = one_head(type, len, len).window_of(0, 0);
      const VariantCall call(self, 10);
      const Output got = call.run(path);
      for (int64_t i = 0; i < len; i++)
        CHECK(difference(row_of(got, self, 0, 0, i).o, value_at(call, 0, 0, i)) == "");
      const Variant all = one_head(type, len, len).window_of(-1, 0);
      const VariantCall unbounded(all, 10);
      unbounded.run(path);
      CHECK(unbounded.problem(path) == "");
      const Variant causal = one_head(type, len, len).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      CHECK(difference(unbounded.output(), VariantCall(causal, 10).run(path)) == "");
    }
  });
}

TEST_CASE("Masks and biases of each shape are applied by batch entry and by head",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    for (unsigned shared = 0; shared < 16; shared++)
      for (bool as_bias : {false, true}) {
        Variant v = one_head(type, 3, 7).heads(3, 3);
        v.batch = 2;
        v.mask = as_bias ? MaskKind::none : MaskKind::random;
        v.bias = as_bias ? BiasKind::holes : BiasKind::none;
        v.mask_shared = v.bias_shared = shared;
        const VariantCall call(v, 11);
        call.run(path);
        CHECK(call.problem(path) == "");
      }
  });
}

TEST_CASE("A mask that ends at a page that faults, with one key more than a tile",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    Variant v = one_head(type, 2, tile_k_of(path, type) + 1);
    v.mask = MaskKind::random;
    const VariantCall call(v, 12, Storage::at(Place::below_guard));
    call.run(path);
    CHECK(call.problem(path) == "");
  });
}

TEST_CASE("Query heads read their group's key/value head, in half precision", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    const Variant v = one_head(type, 2, 1).heads(4, 2);
    const VariantCall call(v, 13);
    const Output got = call.run(path);
    for (int64_t h = 0; h < 4; h++)
      CHECK(difference(row_of(got, v, 0, h, 1).o, value_at(call, 0, h / 2, 0)) == "");
  });
}

TEST_CASE("A sink takes its weight once, over one chunk and over three", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    for (int64_t keys : {1, 5, 512, 1100})
      for (float sink : {-3.0f, 0.0f, 2.0f, 9.0f}) {
        Variant v = one_head(type, 1, keys);
        v.sinks = true;
        VariantCall call(v, 14);
        call.q.fill(0);
        call.v.fill(encoded(1, type, 1));
        call.sinks.put({0, 0, 0, 0}, bits_of(sink));
        call.keep_inputs();
        const Output got = call.run(path);
        INFO(keys << " keys, sink " << sink);
        if (path.family == ATTN_FAMILY_DECODE)
          CHECK(require_path(call.on(path), path).chunks == (keys + 511) / 512);
        const double n = static_cast<double>(keys), e = std::exp(static_cast<double>(sink));
        const double want = n / (n + e);
        for (float o : got.o)
          CHECK(std::fabs(static_cast<double>(o) - want) <= 1e-6 + half_ulp(type, want));
        CHECK(std::fabs(static_cast<double>(got.lse[0]) - std::log(n + e)) < 2e-6);
      }
  });
}

TEST_CASE("An empty row with a sink gives 0 and the sink", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    for (int64_t keys : {0, 3, 1100})
      for (int64_t len_q : {1, 20}) {
        Variant v = one_head(type, len_q, keys).heads(2, 1);
        v.sinks = true;
        v.mask = keys > 0 ? MaskKind::all_false : MaskKind::none;
        const VariantCall call(v, 15);
        const Output got = call.run(path);
        for (int64_t h = 0; h < 2; h++)
          for (int64_t i = 0; i < len_q; i++) {
            const Output row = row_of(got, v, 0, h, i);
            CHECK(difference(row.o, std::vector<float>(8, 0.0f)) == "");
            CHECK(bits_of(row.lse[0]) == call.sinks.get({0, 0, 0, h}));
          }
      }
  });
}

TEST_CASE("No keys, no queries and an entry of length 0 between others, in any layout",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    CHECK(difference(VariantCall(one_head(type, 3, 0), 16).run(path), empty_rows(3, 8)) == "");
    VariantCall(one_head(type, 0, 5), 16).run(path);  // checks that nothing was written
    Variant v = one_head(type, 3, 9);
    v.batch = 3;
    v.lens_kv = {9, 0, 4};
    for (Cache cache : {Cache::contiguous, Cache::packed, Cache::paged, Cache::ring}) {
      v.lens_q.clear();
      const Output got = VariantCall(v, 16, Storage::in(cache, 4)).run(path);
      for (int64_t i = 0; i < 3; i++)
        CHECK(difference(row_of(got, v, 1, 0, i), empty_rows(1, 8)) == "");
      v.lens_q = {3, 3, 0};
      Storage packed = Storage::in(cache, 4);
      packed.packed_q = true;
      const VariantCall call(v, 16, packed);
      call.run(path);
      CHECK(call.problem(path) == "");
    }
  });
}

TEST_CASE("A transposed view of any type is refused", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    const VariantCall call(one_head(type, 4, 6), 17);
    attn_params p = call.on(path);
    p.v.stride_s = 1;
    p.v.stride_d = 6;
    CHECK(attn_forward(&p, nullptr, 0) == ATTN_ERR_V_STRIDE);
    for (int64_t n = 0; n < call.o.count(); n++) CHECK(call.o.get_cell(n) == poison_of(type));
  });
}

TEST_CASE("Pointers moved by one element change no bit, in half precision", "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    const Variant v = one_head(type, 37, 41).heads(2, 1).sizes(59, 16);
    const Output want = VariantCall(v, 18).run(path);
    for (int64_t shift : {1, 2, 3, 15}) {
      Storage storage;
      storage.shift = shift;
      CHECK(difference(VariantCall(v, 18, storage).run(path), want) == "");
    }
  });
}

TEST_CASE("A row alone has the bits that it has among 200 rows, in half precision",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    for (int64_t size : {20, 64}) {
      const Variant v =
          one_head(type, 200, 150).sizes(size, size).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      const Output together = VariantCall(v, 19).run(path);
      for (int64_t i : {0, 50, 51, 100, 199})
        CHECK(difference(VariantCall(v.row(0, i), 19).run(path), row_of(together, v, 0, 0, i)) ==
              "");
    }
  });
}

TEST_CASE("A cache of 600 keys has the same bits on 1, 2 and 7 threads, in half precision",
          "[variants][traps][threads]") {
  for_each_type([&](Path path, attn_type type) {
    const VariantCall call(one_head(type, 2, 600).heads(4, 2), 20);
    const Output want = call.run(path);
    for (int threads : {1, 2, 7}) CHECK(difference(call.run_plan(path, threads, 1), want) == "");
  });
}

TEST_CASE("Entries of one chunk and of three keep their own, in either order and any cache",
          "[variants][traps]") {
  const std::vector<int32_t> either[] = {{100, 1100}, {1100, 100}};
  for_each_type([&](Path path, attn_type type) {
    for (const std::vector<int32_t> &lens : either)
      for (Cache cache : {Cache::contiguous, Cache::packed, Cache::paged}) {
        Variant v = one_head(type, 1, 1100);
        v.batch = 2;
        v.lens_kv = lens;
        const Output together = VariantCall(v, 21, Storage::in(cache)).run(path);
        INFO(lens[0] << " and " << lens[1] << " keys, cache " << static_cast<int>(cache));
        for (int64_t b = 0; b < 2; b++)
          CHECK(difference(VariantCall(v.row(b, 0), 21).run(path), row_of(together, v, b, 0, 0)) ==
                "");
      }
  });
}

TEST_CASE("Biases 1e4 apart, all lowest, or lowest beside others are an exact softmax",
          "[variants][traps]") {
  for_each_type([&](Path path, attn_type type) {
    for (BiasKind kind : {BiasKind::far_apart, BiasKind::all_lowest, BiasKind::lowest})
      for (int64_t keys : {2, 300, is_emulated() ? 600 : 1100}) {  // of one chunk, and of more
        Variant v = one_head(type, 3, keys);
        v.bias = kind;
        const VariantCall call(v, 21);
        const Output got = call.run(path);
        CHECK(call.problem(path) == "");
        for (float x : got.o) CHECK_FALSE(is_nan(x));
      }
  });
}

TEST_CASE("An output of zero is +0, whatever the values and the other rows", "[variants][traps]") {
  for (const Path &path : forced_paths())
    for (int64_t rows : {1, 5, 30}) {
      Variant v = Variant().lens(rows, 40).sizes(4, 4);
      v.mask = MaskKind::all_true;
      VariantCall call(v, 12);
      call.v.fill(bits_of(-1.0f));
      for (int64_t j = 0; j < 40; j++) call.mask.put({0, 0, rows / 2, j}, 0);  // one empty row
      call.keep_inputs();
      const Output empty = row_of(call.run(path), v, 0, 0, rows / 2);
      call.v.fill(bits_of(-0.0f));
      call.keep_inputs();
      const Output zeros = call.run(path);
      INFO(path.name() << ", " << rows << " rows");
      for (float o : empty.o) CHECK(bits_of(o) == 0);
      for (float o : zeros.o) CHECK(bits_of(o) == 0);
    }
}

TEST_CASE("Scores of -infinity alone are NaN in every row of a tile, with a bias or a mask",
          "[variants][traps]") {
  for (const Path &path : forced_paths())
    for (const bool mask : {false, true})
      for (int64_t rows : {1, 2, 7, 8, 9, 15, 23, 25, 47}) {
        Variant v = Variant().lens(rows, 5).sizes(4, 4);
        if (mask) v.mask = MaskKind::random;
        if (!mask) v.bias = BiasKind::gaussian;
        VariantCall call(v, 11);
        call.q.fill(bits_of(1e30f));
        call.k.fill(bits_of(-1e30f));
        call.keep_inputs();
        const Output out = call.run(path);
        INFO(path.name() << ", " << rows << " rows, " << (mask ? "mask" : "bias"));
        for (int64_t i = 0; i < rows; i++) {
          const Output row = row_of(out, v, 0, 0, i);
          bool any = false;
          for (int64_t j = 0; j < 5; j++) any = any || reference::allowed(call.params, 0, 0, i, j);
          INFO("row " << i);
          CHECK(is_nan(row.o[0]) == any);
          CHECK(is_nan(row.lse[0]) == any);
        }
      }
}
