// Calls with all options: what must not change the bits of a row. Of f32 and of bf16, which prefill
// multiplies by instructions of its own where the CPU has them.
#include <vector>

#include "catch.hpp"
#include "variants.hpp"

namespace {

const attn_type kTypes[] = {ATTN_F32, ATTN_BF16};

// Each option, and all that go together; with odd numbers of keys, features and rows.
std::vector<Variant> variants_of(attn_type type) {
  Variant base = Variant().types(type).heads(3, 1).lens(26, 107).sizes(17, 19);
  base.o = ATTN_F32;
  std::vector<Variant> list(9, base);
  list[0].window_of(9, 4);
  list[1].window_of(30, 0).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
  list[1].globals = 3;
  list[2].window_of(20, 20);
  list[2].dilation = 3;
  list[2].stride = 7;
  list[3].mask = MaskKind::random;
  list[4].mask = MaskKind::rows;
  list[4].causal_at(ATTN_ALIGN_OFFSET, 61);
  list[5].bias = BiasKind::holes;
  list[6].block_q = 5;
  list[6].block_k = 13;
  list[7].softcap = 5;
  list[7].alibi = list[7].sinks = true;
  list[7].batch = 2;
  list[7].lens_kv = {107, 54};
  Variant &all = list[8];
  all.window_of(40, 10).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
  all.globals = 2;
  all.mask = MaskKind::random;
  all.bias = BiasKind::gaussian;
  all.block_q = 8;
  all.block_k = 16;
  all.softcap = 20;
  all.alibi = all.sinks = true;
  all.ring_size = 71;
  return list;
}

}  // namespace

TEST_CASE("With every option a row has the bits that it has alone", "[variants][bits]") {
  for (attn_type type : kTypes)
    for (const Variant &variant : variants_of(type))
      for (const Path &path : forced_paths()) {
        const Output together = VariantCall(variant, 5).run(path);
        for (int64_t b = 0; b < variant.batch; b++)
          for (int64_t i = 0; i < variant.queries(b); i += 3) {
            const Variant one = variant.row(b, i);
            const Output alone = VariantCall(one, 5).run(path);
            for (int64_t h = 0; h < variant.heads_q; h++) {
              const std::string problem =
                  difference(row_of(alone, one, 0, h, 0), row_of(together, variant, b, h, i));
              if (problem == "") continue;
              FAIL_CHECK(path.name() << ", " << describe(variant) << ", head " << h << ", row " << i
                                     << ": " << problem);
            }
          }
      }
}

TEST_CASE("With every option threads and layouts change no bit", "[variants][bits]") {
  std::vector<Storage> storages = {Storage::in(Cache::packed), Storage::in(Cache::ring)};
  for (int64_t size : {1, 3, 16, 33, 64}) storages.push_back(Storage::in(Cache::paged, size));
  storages.emplace_back();
  storages.back().k = Layout::negative;
  storages.back().v = Layout::padded;
  storages.back().dense_matrices = false;
  storages.back().shift = 3;
  for (attn_type type : kTypes)
    for (const Variant &variant : variants_of(type))
      for (const Path &path : forced_paths()) {
        VariantCall call(variant, 5);
        const Output want = call.run(path);
        for (int threads : {1, 2, 7}) {
          INFO(path.name() << ", " << describe(variant) << ", " << threads << " threads");
          call.params.threads = threads;
          CHECK(difference(call.run_plan(path, threads, static_cast<uint64_t>(threads - 1)), want) ==
                "");
        }
        for (Storage storage : storages) {
          storage.seed = 9;
          INFO(path.name() << ", " << describe(variant) << "; " << describe(storage));
          CHECK(difference(VariantCall(variant, 5, storage).run(path), want) == "");
        }
      }
}

TEST_CASE("With every option a token that is not finite changes no bit of rows that must not see it",
          "[variants][nonfinite]") {
  for (attn_type type : kTypes)
    for (const Variant &variant : variants_of(type))
      for (const Path &path : forced_paths()) {
        const Output clean = VariantCall(variant, 5).run(path);
        for (int64_t token : {0, 39, 66, 67, 106}) {
          const uint32_t bits = token % 3 ? kNan : kInfinity;
          for (bool of_v : {false, true}) {
            VariantCall spoilt(variant, 5);
            for (int64_t b = 0; b < variant.batch; b++)
              if (token < variant.keys(b)) spoilt.spoil_key(of_v ? spoilt.v : spoilt.k, b, token, bits);
            spoilt.keep_inputs();
            const Output got = spoilt.run(path);
            for (int64_t b = 0; b < variant.batch; b++)
              for (int64_t h = 0; h < variant.heads_q; h++)
                for (int64_t i = 0; i < variant.queries(b); i++) {
                  const Output row = row_of(got, variant, b, h, i);
                  std::string problem;
                  if (!reference::allowed(spoilt.params, b, h, i, token)) {
                    problem = difference(row, row_of(clean, variant, b, h, i));
                  } else if (bits == kNan) {
                    for (float value : row.o)
                      if (!is_nan(value)) problem = "it did not see the token";
                  }
                  if (problem == "") continue;
                  FAIL_CHECK(path.name() << ", " << describe(variant) << ", "
                                         << (of_v ? "v" : "k") << " of token " << token << ", entry "
                                         << b << ", head " << h << ", row " << i << ": " << problem);
                }
          }
        }
      }
}
