// With every option, a row of the result is the same bits whatever else the call computes and
// wherever its data lies, and what lies at keys that are not allowed changes no bit.
#include <functional>

#include "catch.hpp"
#include "variants.hpp"

namespace {

struct Option {
  const char *name;
  std::function<void(Variant &)> set;
};

const std::vector<Option> &options() {
  using V = Variant &;
  static const std::vector<Option> list = {
      {"none", [](V) {}},
      {"window", [](V v) { v.window_of(20, 3); }},
      {"window behind",
       [](V v) {
         v.window_of(-1, 0);
         v.causal = false;
       }},
      {"dilation, globals and stride",
       [](V v) {
         v.window_of(30, 30);
         v.dilation = 3;
         v.globals = 2;
         v.stride = 11;
       }},
      {"mask", [](V v) { v.mask = MaskKind::random; }},
      {"mask of blocks",
       [](V v) {
         v.mask = MaskKind::blocks;
         v.mask_shared = kSharedH;
       }},
      {"bias", [](V v) { v.bias = BiasKind::gaussian; }},
      {"bias with holes",
       [](V v) {
         v.bias = BiasKind::holes;
         v.bias_shared = kSharedB;
       }},
      {"block mask",
       [](V v) {
         v.block_q = 7;
         v.block_k = 16;
       }},
      {"softcap", [](V v) { v.softcap = 5; }},
      {"ALiBi", [](V v) { v.alibi = true; }},
      {"sinks", [](V v) { v.sinks = true; }},
      {"all",
       [](V v) {
         v.window_of(100, 5);
         v.globals = 1;
         v.stride = 4;
         v.mask = MaskKind::random;
         v.bias = BiasKind::holes;
         v.block_q = 5;
         v.block_k = 33;
         v.softcap = 3;
         v.alibi = v.sinks = true;
       }},
  };
  return list;
}

const attn_type kAll[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};

Variant many_rows(attn_type type) {
  Variant v = Variant().types(type).heads(4, 2).lens(23, 150).sizes(20, 13);
  v.batch = 2;
  v.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
  return v;
}

// Of several chunks in decode.
Variant long_cache(attn_type type) {
  return Variant().types(type).heads(3, 1).lens(2, 1100).sizes(9, 8).causal_at(
      ATTN_ALIGN_BOTTOM_RIGHT);
}

// Call the function with every path and option, and every other type and shape; under an emulator
// with one type and shape of every other option.
template <class F>
void for_each_variant(F function) {
  for (const Path &path : forced_paths()) {
    size_t n = 0;
    for (const Option &option : options()) {
      n++;  // so that the other half is next
      for (attn_type type : kAll)
        for (Variant v : {many_rows(type), long_cache(type)}) {
          if (n++ % (is_emulated() ? 16 : 2) != 0) continue;
          option.set(v);
          INFO(path.name() << ", " << option.name << ": " << describe(v));
          function(path, v);
        }
    }
  }
}

// FAIL_CHECKs a difference, and counts no assertion otherwise.
void require_same(const Output &got, const Output &want, const std::string &what) {
  const std::string problem = difference(got, want);
  if (problem != "") FAIL_CHECK(what << ": " << problem);
}

}  // namespace

TEST_CASE("Contiguous, padded, paged, ring and packed keys give the same bits",
          "[variants][bits]") {
  const uint64_t seed = 1;
  for_each_variant([&](Path path, const Variant &v) {
    const Output want = VariantCall(v, seed).run(path);
    Storage padded;
    padded.q = padded.k = padded.o = Layout::padded;
    padded.v = padded.lse = Layout::negative;
    padded.dense_matrices = false;
    padded.spare = 3;
    padded.unseen = kInfinity;
    require_same(VariantCall(v, seed, padded).run(path), want, "padded");
    for (int64_t page_size : {1, 3, 16, 64, 256}) {
      padded.cache = Cache::paged;
      padded.page_size = page_size;
      require_same(VariantCall(v, seed, padded).run(path), want,
                   "pages of " + std::to_string(page_size));
    }
    require_same(VariantCall(v, seed, Storage::in(Cache::ring)).run(path), want, "ring");
    Storage packed = Storage::in(Cache::packed);
    packed.lead = 5;
    require_same(VariantCall(v, seed, packed).run(path), want, "packed keys");
    packed.packed_q = packed.slack = true;
    require_same(VariantCall(v, seed, packed).run(path), want, "packed keys and queries");
  });
}

TEST_CASE("A batch entry has the bits that it has alone, whatever the lengths of the others",
          "[variants][bits]") {
  for (const Path &path : forced_paths())
    for (const Option &option : options())
      for (attn_type type : kAll) {
        if (is_emulated() && (type != ATTN_F32 || &option - options().data() < 10)) continue;
        Variant v = many_rows(type);
        v.batch = 4;
        v.lens_kv = {150, 0, 97, 1};
        option.set(v);
        INFO(path.name() << ", " << option.name << ": " << describe(v));
        const auto check = [&](const Storage &storage, const std::string &what) {
          const Output together = VariantCall(v, 2, storage).run(path);
          for (int64_t b = 0; b < v.batch; b++) {
            const Variant one = v.entry(b);
            const Output alone = VariantCall(one, 2).run(path);
            for (int64_t h = 0; h < v.heads_q; h++)
              for (int64_t i = 0; i < v.queries(b); i++)
                require_same(row_of(together, v, b, h, i), row_of(alone, one, 0, h, i),
                             what + ", entry " + std::to_string(b) + ", row " + std::to_string(i));
          }
        };
        check(Storage(), "contiguous");
        check(Storage::in(Cache::ring), "ring");
        check(Storage::in(Cache::paged, 16), "paged");
        v.lens_q = {3, 23, 0, 10};
        Storage packed = Storage::in(Cache::packed);
        packed.packed_q = true;
        check(packed, "packed");
        packed.cache = Cache::paged;
        check(packed, "packed queries, pages");
      }
}

// Alone, NaN lies at every key and every bias that the row may not use; together, other rows use
// them.
TEST_CASE("A row with options has the same bits alone and among others", "[variants][bits]") {
  for_each_variant([&](Path path, const Variant &v) {
    const Output together = VariantCall(v, 3).run(path);
    for (int64_t b = 0; b < v.batch; b++)
      for (int64_t i = b; i < v.len_q; i += v.len_q > 4 ? 5 : 1)
        for (uint32_t unseen : {kNan, kInfinity}) {
          Storage storage;
          storage.unseen = unseen;
          storage.shift = i % 4;
          const Variant one = v.row(b, i);
          const Output alone = VariantCall(one, 3, storage).run(path);
          for (int64_t h = 0; h < v.heads_q; h++)
            require_same(row_of(alone, one, 0, h, 0), row_of(together, v, b, h, i),
                         "row " + std::to_string(i));
        }
  });
}

TEST_CASE("Where others have the keys begin changes no bit of a row", "[variants][bits]") {
  for (const Path &path : forced_paths())
    for (const bool blocks : {false, true}) {
      Variant v = Variant().lens(150, 600).sizes(8, 24).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
      if (blocks) {
        v.block_q = 1;
        v.block_k = 20;
      } else {
        v.window_of(6, 0);
        v.globals = 1;
      }
      const Output all = VariantCall(v, 10).run(path);
      INFO(path.name() << (blocks ? ", blocks" : ", window with a global key"));
      for (int64_t i = 0; i < v.len_q; i += is_emulated() ? 7 : 1) {
        require_same(VariantCall(v.row(0, i), 10).run(path), row_of(all, v, 0, 0, i),
                     "row " + std::to_string(i));
      }
    }
}

TEST_CASE("A key/value head alone has the bits that it has among others", "[variants][bits]") {
  for_each_variant([&](Path path, const Variant &v) {
    if (v.heads_kv == 1) return;
    const Output together = VariantCall(v, 4).run(path);
    Variant one = v;
    one.heads_q = v.heads_q / v.heads_kv;
    one.heads_kv = 1;
    one.first_h = one.heads_q;
    const Output alone = VariantCall(one, 4).run(path);
    for (int64_t b = 0; b < v.batch; b++)
      for (int64_t h = 0; h < one.heads_q; h++)
        for (int64_t i = 0; i < v.len_q; i++)
          require_same(row_of(alone, one, b, h, i), row_of(together, v, b, one.heads_q + h, i),
                       "row " + std::to_string(i));
  });
}

TEST_CASE("Threads and the order of tasks change no bit with any option",
          "[variants][bits][threads]") {
  for_each_variant([&](Path path, const Variant &v) {
    const VariantCall call(v, 5, Storage::in(Cache::paged, 16));
    const Output want = call.run(path);
    for (int threads : {1, 2, 3, 7})
      require_same(call.run_plan(path, threads, static_cast<uint64_t>(threads - 1)), want,
                   std::to_string(threads) + " threads");
  });
}

TEST_CASE("A ring that has lost keys gives the bits of a mask that forbids them",
          "[variants][bits]") {
  for_each_variant([&](Path path, Variant v) {
    v.mask = MaskKind::random;
    v.mask_shared = 0;
    for (int64_t ring_size : {1, 7, 64, 130}) {
      v.ring_size = ring_size;
      require_same(VariantCall(v, 6, Storage::in(Cache::ring)).run(path),
                   VariantCall(v, 6).run(path), "ring of " + std::to_string(ring_size));
    }
  });
}

TEST_CASE("With every option a token that is not finite reaches exactly the rows that allow it",
          "[variants][bits]") {
  for_each_variant([&](Path path, const Variant &v) {
    const VariantCall clean(v, 7);
    const Output want = clean.run(path);
    for (int64_t token : {v.len_kv / 2, v.len_kv - 1})
      for (uint32_t bits : {kNan, kInfinity})
        for (bool as_k : {(token == v.len_kv - 1) == (bits == kNan)}) {
          VariantCall spoilt(v, 7);
          for (int64_t b = 0; b < v.batch; b++)
            spoilt.spoil_key(as_k ? spoilt.k : spoilt.v, b, token, bits);
          spoilt.keep_inputs();
          const Output got = spoilt.run(path);
          for (int64_t b = 0; b < v.batch; b++)
            for (int64_t h = 0; h < v.heads_q; h++)
              for (int64_t i = 0; i < v.len_q; i++) {
                const Output row = row_of(got, v, b, h, i);
                const std::string where = std::string(as_k ? "k" : "v") + " of token " +
                                          std::to_string(token) + ", row " + std::to_string(i);
                if (!reference::allowed(clean.params, b, h, i, token)) {
                  require_same(row, row_of(want, v, b, h, i), where);
                } else if (bits == kNan && !is_nan(row.o[0])) {
                  FAIL_CHECK(where << " did not see it");
                }
              }
        }
  });
}

TEST_CASE("Pointers moved by an element change no bit with any option", "[variants][bits]") {
  for_each_variant([&](Path path, const Variant &v) {
    const Output want = VariantCall(v, 8).run(path);
    for (int64_t shift : {1, 3, 15}) {
      Storage storage;
      storage.shift = shift;
      require_same(VariantCall(v, 8, storage).run(path), want, "shift " + std::to_string(shift));
    }
  });
}

TEST_CASE("A plan updated to other options refuses them or computes them", "[variants][plan]") {
  for (const Path &path : forced_paths())
    for (const Option &from : options())
      for (const Option &to : options()) {
        if (is_emulated() && (&from - &to) % 4 != 0) continue;
        Variant first = many_rows(ATTN_F32).lens(9, 110), second = first;
        from.set(first);
        to.set(second);
        INFO(path.name() << ", from " << from.name << " to " << to.name);
        const VariantCall old_call(first, 9), call(second, 9);
        const Output want = call.run(path);
        const attn_params before = old_call.on(path), after = call.on(path);
        attn_plan plan;
        REQUIRE(attn_plan_init(&plan, &before) == ATTN_OK);
        const size_t scratch = attn_plan_scratch_size(&plan);
        const attn_status status = attn_plan_update(&plan, &after);
        if (status == ATTN_ERR_PLAN_CHANGED && &from != &to) continue;
        REQUIRE(status == ATTN_OK);
        CHECK(attn_plan_scratch_size(&plan) == scratch);
        run_tasks(plan, 1, 0);
        require_same(call.output(), want, "updated");
      }
}
