// Masks, biases, lengths and page tables between pages that fault, with the tensors: nothing
// outside is accessed. The workspace has canaries on both sides and the exact size asked for.
#include "catch.hpp"
#include "variants.hpp"

namespace {

const attn_type kAll[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};

// Under an emulator fewer.
std::vector<int64_t> lengths() {
  if (environment("ATTN_SWEEP", 400) < 400) return {3};
  return {1, 3, 19};
}

void check(const Variant &v, Path path, const Storage &storage) {
  for (Place place : {Place::below_guard, Place::above_guard}) {
    Storage guarded = storage;
    guarded.place = place;
    INFO(path.name() << ", " << describe(v) << "; " << describe(guarded));
    const VariantCall call(v, 1, guarded);
    call.run(path);
    CHECK(call.problem(path) == "");
  }
}

Variant with_everything(Variant v) {
  v.mask = MaskKind::random;
  v.bias = BiasKind::gaussian;
  v.block_q = 7;
  v.block_k = 16;
  v.softcap = 20;
  v.alibi = v.sinks = true;
  return v;
}

}  // namespace

TEST_CASE("Masks and biases of any type and shape keep between guard pages", "[variants][guard]") {
  for (const Path &path : forced_paths()) {
    const VariantCall probe(Variant().lens(4, 4), 1);
    const int64_t tile_k = require_path(probe.on(path), path).tile_k;
    for (attn_type type : kAll)
      for (int64_t len_q : lengths())
        for (int64_t len_kv :
             {int64_t{1}, int64_t{5}, int64_t{21}, tile_k - 1, tile_k, tile_k + 1}) {
          Variant v = Variant().types(type).lens(len_q, len_kv).sizes(11, 7);
          check(with_everything(v), path, Storage());
          v.mask = MaskKind::random;
          check(v, path, Storage());
          v.mask = MaskKind::none;
          v.bias = BiasKind::holes;
          check(v, path, Storage());
        }
  }
}

TEST_CASE("Repeated extents of masks and biases keep between guard pages", "[variants][guard]") {
  for (const Path &path : forced_paths())
    for (attn_type type : {ATTN_F32, ATTN_F16, ATTN_BF16})
      for (unsigned shared = 0; shared < 16; shared++) {
        Variant v = Variant().types(type).heads(2, 1).lens(5, 37).sizes(8, 8);
        v.batch = 2;
        v = with_everything(v);
        v.mask_shared = v.bias_shared = v.blocks_shared = shared;
        check(v, path, Storage());
        Storage padded;
        padded.dense_matrices = false;
        padded.seed = shared;
        check(v, path, padded);
      }
}

TEST_CASE("Lengths, page tables, pages and rings keep between guard pages", "[variants][guard]") {
  for (const Path &path : forced_paths())
    for (attn_type type : kAll)
      for (int64_t len_kv : {1, 17, 97, 258}) {
        Variant v = Variant().types(type).heads(2, 1).lens(4, len_kv).sizes(16, 5);
        v.batch = 3;
        v.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
        v.lens_kv = {static_cast<int32_t>(len_kv), 0, static_cast<int32_t>((len_kv + 1) / 2)};
        check(v, path, Storage());
        check(v, path, Storage::in(Cache::ring));
        for (int64_t page_size : {1, 3, 16, 64, 256})
          check(v, path, Storage::in(Cache::paged, page_size));
        v.lens_q = {4, 1, 0};
        Storage packed = Storage::in(Cache::packed);
        packed.packed_q = true;
        check(v, path, packed);
        check(with_everything(v), path, packed);
        v.lens_kv.clear();
        v.lens_q.clear();
        v.ring_size = (len_kv + 1) / 2;
        check(v, path, Storage::in(Cache::ring));
      }
}
