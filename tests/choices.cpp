// The calls of the sweep with all options: one random choice after another.
#include <algorithm>
#include <cmath>

#include "variants.hpp"

namespace {

const attn_type kFloats[] = {ATTN_F32, ATTN_F16, ATTN_BF16};
const attn_type kAll[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};
const int64_t kHeadSizes[] = {1, 2, 3, 5, 8, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65, 80, 96, 128};

void choose_types(Variant &v, Random &random) {
  if (random.one_in(3)) return;
  if (random.one_in(2)) {
    v.types(random.pick(kAll));
  } else {
    v.types(random.pick(kFloats), random.pick(kAll), random.pick(kAll), random.pick(kFloats));
  }
}

void choose_shape(Variant &v, Random &random, Work work) {
  static const int64_t groups[] = {1, 1, 2, 3, 4, 5, 8};
  v.head_size = random.pick(kHeadSizes);
  v.head_size_v = random.one_in(3) ? random.pick(kHeadSizes) : v.head_size;
  v.batch = random.one_in(2) ? 1 : random.between(1, 3);
  v.heads_kv = random.one_in(2) ? 1 : random.between(1, 3);
  v.heads_q = v.heads_kv * random.pick(groups);
  v.len_q = random.one_in(2) ? random.between(1, 4) : random.between(1, 60);
  v.len_kv = random.one_in(3) ? random.between(0, 20) : random.between(1, 300);
  if (random.one_in(8)) v.len_kv = v.len_q;
  int64_t most = random.one_in(30) ? work.rare : work.usual;
  if (random.one_in(40)) {  // several chunks of a decode
    v.batch = v.heads_kv = 1;
    v.heads_q = random.between(1, 3);
    v.len_q = random.between(1, 2);
    v.len_kv = random.between(1025, 1600);
    v.head_size = random.between(1, 20);
    v.head_size_v = random.between(1, 20);
    most = work.rare;
  }
  const int64_t per_pair = v.batch * v.heads_q * (v.head_size + v.head_size_v);
  while (v.len_q * v.len_kv * per_pair > most && v.len_q * v.len_kv > 4) {
    int64_t &longest = v.len_q > v.len_kv || v.len_q > 8 ? v.len_q : v.len_kv;
    longest = (longest + 1) / 2;
  }
}

std::vector<int32_t> random_lengths(int64_t batch, int64_t longest, Random &random) {
  std::vector<int32_t> list;
  for (int64_t b = 0; b < batch; b++) {
    const int64_t length = random.one_in(4) ? longest : random.between(0, longest);
    list.push_back(static_cast<int32_t>(random.one_in(6) ? 0 : length));
  }
  return list;
}

void choose_position(Variant &v, Random &random) {
  static const attn_align aligns[] = {ATTN_ALIGN_BOTTOM_RIGHT, ATTN_ALIGN_BOTTOM_RIGHT,
                                      ATTN_ALIGN_TOP_LEFT, ATTN_ALIGN_OFFSET};
  v.causal = random.one_in(2);
  v.align = random.pick(aligns);
  if (v.align != ATTN_ALIGN_OFFSET) return;
  v.offset = random.between(-v.len_q - 2, v.len_kv + 2);
  if (random.one_in(8)) v.offset = random.one_in(2) ? -(INT64_C(1) << 40) : INT64_C(1) << 40;
}

int64_t random_reach(const Variant &v, Random &random) {
  switch (random.between(0, 5)) {
    case 0:
      return -1;
    case 1:
      return 0;
    case 2:
      return random.one_in(8) ? INT64_C(1) << 61 : v.len_kv + random.between(-1, 1);
    case 3:
      return random.between(0, 5);
    default:
      return random.between(0, v.len_kv);
  }
}

void choose_window(Variant &v, Random &random) {
  v.window = true;
  v.left = std::max<int64_t>(-1, random_reach(v, random));
  v.right = std::max<int64_t>(-1, random_reach(v, random));
  if (random.one_in(4)) v.dilation = random.between(0, 5);
  if (random.one_in(4)) v.globals = random.between(0, 6);
  if (random.one_in(4)) v.stride = random.between(0, 7);
}

void choose_matrices(Variant &v, Random &random) {
  static const int64_t sizes[] = {1, 7, 16, 64, 100};
  const auto random_shared = [&] {
    return static_cast<unsigned>(random.one_in(2) ? 0 : random.between(0, 15));
  };
  if (random.one_in(3)) {
    v.mask = random.one_in(2) ? MaskKind::random : static_cast<MaskKind>(random.between(1, 5));
    v.mask_shared = random_shared();
  }
  if (random.one_in(3)) {
    v.bias = static_cast<BiasKind>(random.between(1, 5));
    v.bias_shared = random_shared();
    v.bias_type = random.pick(kFloats);
  }
  if (random.one_in(4)) {
    v.block_q = random.pick(sizes);
    v.block_k = random.pick(sizes);
    v.blocks_shared = random_shared();
  }
}

void choose_options(Variant &v, Random &random) {
  static const float caps[] = {0.5f, 1, 5, 30, 50, 1000, 1e6f};
  const float standard = 1 / std::sqrt(static_cast<float>(v.head_size));
  const float scales[] = {0, 0, 0, -standard, 1e-6f, 3};
  v.scale = random.pick(scales);
  v.lse = !random.one_in(3);
  v.peaked = random.one_in(4);
  if (random.one_in(2)) choose_window(v, random);
  choose_matrices(v, random);
  if (random.one_in(4)) v.softcap = random.pick(caps);
  v.alibi = random.one_in(4);
  v.sinks = random.one_in(4);
}

}  // namespace

void choose_storage(VariantCase &c, Random &random) {
  static const Layout any[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
  static const int64_t pages[] = {1, 3, 16, 64, 256};
  Variant &v = c.variant;
  Storage &s = c.storage;
  s.q = random.pick(any);
  s.k = random.pick(any);
  s.v = random.pick(any);
  s.o = random.pick(any);
  s.lse = random.pick(any);
  s.dense_matrices = random.one_in(2);
  s.shift = random.between(0, 15);
  s.spare = random.one_in(2) ? 0 : random.between(1, 20);
  s.lead = random.one_in(2) ? 0 : random.between(1, 9);
  s.unseen = random.one_in(3) ? kInfinity : kNan;
  s.seed = c.seed;
  s.cache = random.one_in(3) ? Cache::contiguous : static_cast<Cache>(random.between(1, 3));
  s.page_size = random.pick(pages);
  if (random.one_in(3)) v.lens_kv = random_lengths(v.batch, v.len_kv, random);
  if (random.one_in(4)) v.lens_q = random_lengths(v.batch, v.len_q, random);
  s.packed_q = !v.lens_q.empty() || random.one_in(8);
  s.slack = s.cache == Cache::packed && random.one_in(3);
  if (s.cache == Cache::ring && random.one_in(2)) v.ring_size = random.between(1, v.len_kv + 1);
  v.shared_kv = s.cache != Cache::packed && random.one_in(6);
}

VariantCase random_variant(Random &random, uint64_t seed, Work work) {
  VariantCase c;
  c.seed = seed;
  choose_types(c.variant, random);
  choose_shape(c.variant, random, work);
  choose_position(c.variant, random);
  choose_options(c.variant, random);
  choose_storage(c, random);
  return c;
}

VariantCase random_variant(int64_t number) {
  const uint64_t seed = static_cast<uint64_t>(number) * 1000081 + 11;
  Random random(seed);
  return random_variant(random, seed);
}
