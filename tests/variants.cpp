#include "variants.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "catch.hpp"

// ---- Variants.

Variant &Variant::types(attn_type all) {
  return types(all == ATTN_I8 ? ATTN_F32 : all, all, all, all == ATTN_I8 ? ATTN_F32 : all);
}

Variant &Variant::types(attn_type q_type, attn_type k_type, attn_type v_type, attn_type o_type) {
  q = bias_type = q_type;
  k = k_type;
  v = v_type;
  o = o_type;
  return *this;
}

Variant &Variant::heads(int64_t query, int64_t key) {
  heads_q = query;
  heads_kv = key;
  return *this;
}

Variant &Variant::lens(int64_t query, int64_t key) {
  len_q = query;
  len_kv = key;
  return *this;
}

Variant &Variant::sizes(int64_t qk, int64_t value) {
  head_size = qk;
  head_size_v = value;
  return *this;
}

Variant &Variant::causal_at(attn_align alignment, int64_t explicit_offset) {
  causal = true;
  align = alignment;
  offset = explicit_offset;
  return *this;
}

Variant &Variant::window_of(int64_t window_left, int64_t window_right) {
  window = true;
  left = window_left;
  right = window_right;
  return *this;
}

int64_t Variant::queries(int64_t b) const {
  return lens_q.empty() ? len_q : lens_q[index_of(b)];
}

int64_t Variant::keys(int64_t b) const {
  return lens_kv.empty() ? len_kv : lens_kv[index_of(b)];
}

int64_t Variant::offset_of(int64_t b) const {
  if (align == ATTN_ALIGN_OFFSET) return offset;
  return align == ATTN_ALIGN_TOP_LEFT ? 0 : keys(b) - queries(b);
}

Variant Variant::entry(int64_t b) const {
  Variant one = *this;
  one.batch = 1;
  one.first_b += b;
  one.len_q = queries(b);
  one.len_kv = keys(b);
  one.lens_q.clear();
  one.lens_kv.clear();
  return one;
}

Variant Variant::row(int64_t b, int64_t i) const {
  Variant one = entry(b);
  one.len_q = 1;
  one.first_i += i;
  one.align = ATTN_ALIGN_OFFSET;
  one.offset = offset_of(b) + i;
  return one;
}

namespace {

const char *const kMaskNames[] = {"none", "random", "all true", "all false", "blocks", "rows"};
const char *const kBiasNames[] = {"none", "gaussian", "holes", "lowest", "all lowest", "far apart"};
const char *const kCacheNames[] = {"contiguous", "packed", "paged", "ring"};

std::string list_of(const std::vector<int32_t> &list) {
  std::ostringstream text;
  for (size_t n = 0; n < list.size(); n++) text << (n ? " " : "") << list[n];
  return text.str();
}

std::string shared_name(unsigned shared) {
  std::string text;
  for (int n = 0; n < 4; n++) text += (shared >> n & 1) ? '1' : "bhqk"[n];
  return text;
}

}  // namespace

std::string describe(const Variant &v) {
  static const char *const aligns[] = {"bottom-right", "top-left", "offset"};
  std::ostringstream text;
  text << "q " << attn_type_name(v.q) << ", k " << attn_type_name(v.k) << ", v "
       << attn_type_name(v.v) << ", o " << attn_type_name(v.o) << ", batch " << v.batch
       << ", heads " << v.heads_q << " over " << v.heads_kv << ", len_q " << v.len_q << ", len_kv "
       << v.len_kv << ", head_size " << v.head_size << ", head_size_v " << v.head_size_v
       << ", scale " << v.scale << (v.causal ? ", causal " : ", not causal, ") << aligns[v.align]
       << " " << v.offset << (v.lse ? ", lse" : ", no lse");
  if (v.window) text << ", window " << v.left << " " << v.right;
  if (v.dilation) text << ", dilation " << v.dilation;
  if (v.globals) text << ", globals " << v.globals;
  if (v.stride) text << ", stride " << v.stride;
  if (v.mask != MaskKind::none)
    text << ", mask " << kMaskNames[static_cast<int>(v.mask)] << " " << shared_name(v.mask_shared);
  if (v.bias != BiasKind::none)
    text << ", bias " << attn_type_name(v.bias_type) << " " << kBiasNames[static_cast<int>(v.bias)]
         << " " << shared_name(v.bias_shared);
  if (v.block_q)
    text << ", blocks " << v.block_q << " by " << v.block_k << " " << shared_name(v.blocks_shared);
  if (v.softcap > 0) text << ", softcap " << v.softcap;
  if (v.alibi) text << ", alibi";
  if (v.sinks) text << ", sinks";
  if (v.ring_size) text << ", ring_size " << v.ring_size;
  if (!v.lens_q.empty()) text << ", queries " << list_of(v.lens_q);
  if (!v.lens_kv.empty()) text << ", keys " << list_of(v.lens_kv);
  if (v.shared_kv) text << ", shared keys";
  if (v.peaked) text << ", peaked";
  if (v.first_b || v.first_h || v.first_i)
    text << ", from entry " << v.first_b << ", head " << v.first_h << ", query " << v.first_i;
  return text.str();
}

Storage Storage::in(Cache cache, int64_t page_size) {
  Storage storage;
  storage.cache = cache;
  storage.page_size = page_size;
  return storage;
}

Storage Storage::at(Place place) {
  Storage storage;
  storage.place = place;
  return storage;
}

std::string describe(const Storage &s) {
  std::ostringstream text;
  text << kCacheNames[static_cast<int>(s.cache)];
  if (s.cache == Cache::paged) text << " by " << s.page_size;
  text << ", q " << layout_name(s.q) << ", k " << layout_name(s.k) << ", v " << layout_name(s.v)
       << ", o " << layout_name(s.o) << ", lse " << layout_name(s.lse)
       << (s.dense_matrices ? "" : ", matrices padded") << (s.packed_q ? ", packed q" : "")
       << (s.slack ? ", slack" : "") << ", shift " << s.shift << ", spare " << s.spare << ", lead "
       << s.lead;
  return text.str();
}

// ---- Cells.

namespace {

int64_t reach(const Cells::Index &extents, const Cells::Index &strides, int sign) {
  int64_t sum = 0;
  for (size_t n = 0; n < 4; n++) {
    if (extents[n] == 0) return sign > 0 ? -1 : 0;
    sum += std::max<int64_t>(0, (extents[n] - 1) * strides[n] * sign);
  }
  return sum * sign;
}

}  // namespace

Cells::Cells(Index extents, Index strides, attn_type type, Place place, int64_t shift)
    : extents_(extents),
      strides_(strides),
      type_(type),
      first_(reach(extents, strides, -1)),
      count_(reach(extents, strides, 1) - first_ + 1),
      memory_(index_of(count_) * size_of(type), place, index_of(shift) * size_of(type)) {
  if (count_ == 0) first_ = 0;
  if (place != Place::sparse) fill(poison_of(type));
}

Cells Cells::apart(size_t axis, int64_t stride) const {
  Index strides = {extents_[1] * extents_[2] * extents_[3], extents_[2] * extents_[3], extents_[3],
                   1};
  strides[axis] = stride;
  const Cells copy(extents_, strides, type_, Place::sparse, 0);
  for_each_element([&](Index at) { copy.put(at, get(at)); });
  return copy;
}

void Cells::for_each_element(const std::function<void(Index)> &function) const {
  Index at = {0, 0, 0, 0};
  for (at[0] = 0; at[0] < extents_[0]; at[0]++)
    for (at[1] = 0; at[1] < extents_[1]; at[1]++)
      for (at[2] = 0; at[2] < extents_[2]; at[2]++)
        for (at[3] = 0; at[3] < extents_[3]; at[3]++) function(at);
}

int64_t Cells::cell(Index index) const {
  int64_t sum = -first_;
  for (size_t n = 0; n < 4; n++) sum += index[n] * strides_[n];
  return sum;
}

uint32_t Cells::get_cell(int64_t cell_index) const {
  return load_raw(memory_.data() + index_of(cell_index) * size_of(type_), type_);
}

uint32_t Cells::get(Index index) const {
  return get_cell(cell(index));
}

void Cells::put(Index index, uint32_t raw) const {
  store_raw(memory_.data() + index_of(cell(index)) * size_of(type_), type_, raw);
}

void Cells::fill(uint32_t raw) const {
  for (int64_t n = 0; n < count_; n++)
    store_raw(memory_.data() + index_of(n) * size_of(type_), type_, raw);
}

void *Cells::data() const {
  return memory_.data() - first_ * static_cast<int64_t>(size_of(type_));
}

attn_tensor Cells::tensor() const {
  return attn_strided(data(), type_, strides_[0], strides_[1], strides_[2]);
}

attn_matrix Cells::matrix() const {
  return attn_matrix{data(), type_, strides_[0], strides_[1], strides_[2], strides_[3]};
}

std::vector<unsigned char> Cells::bytes() const {
  const size_t size = index_of(count_) * size_of(type_);
  return std::vector<unsigned char>(memory_.data(), memory_.data() + size);
}

bool Cells::holds(const std::vector<unsigned char> &bytes) const {
  return bytes.empty() || std::memcmp(bytes.data(), memory_.data(), bytes.size()) == 0;
}

// ---- Data.

namespace {

enum Id : uint64_t {
  id_q = 1,
  id_k,
  id_v,
  id_k_scale,
  id_v_scale,
  id_mask,
  id_bias,
  id_blocks,
  id_slopes,
  id_sinks
};

uint64_t hash(uint64_t seed, Id id, int64_t b, int64_t h, int64_t s, int64_t d) {
  uint64_t x = seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(id);
  for (int64_t part : {b, h, s, d}) {
    x = (x ^ static_cast<uint64_t>(part)) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
  }
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Nearly gaussian, deviation 1: the sum of four uniform numbers.
float gaussian(uint64_t x) {
  int sum = 0;
  for (int n = 0; n < 4; n++) sum += static_cast<int>(x >> (16 * n) & 0xffff);
  return (static_cast<float>(sum) - 131070.0f) * (1.7320508f / 65536);
}

uint32_t lowest_of(attn_type type) {
  static const uint32_t lowest[] = {0xff7fffffu, 0xfbff, 0xff7f};
  return lowest[type];
}

// A logical index of a matrix, where shared extents are one.
struct Place4 {
  int64_t b, h, i, j;
};

Place4 shared(unsigned which, Place4 at) {
  return {which & kSharedB ? 0 : at.b, which & kSharedH ? 0 : at.h, which & kSharedQ ? 0 : at.i,
          which & kSharedK ? 0 : at.j};
}

bool mask_value(const Variant &variant, uint64_t seed, Place4 at) {
  const uint64_t x = hash(seed, id_mask, at.b, at.h, at.i, at.j);
  switch (variant.mask) {
    case MaskKind::all_true:
      return true;
    case MaskKind::all_false:
      return false;
    case MaskKind::blocks:
      return hash(seed, id_mask, at.b, at.h, at.i / 6, at.j / 40) % 2 == 0;
    case MaskKind::rows:  // whole rows are forbidden, others have one key or two
      return hash(seed, id_mask, at.b, at.h, at.i, -1) % 3 != 0 && x % 40 == 0;
    default:
      return x % 2 == 0;
  }
}

uint32_t bias_value(const Variant &variant, uint64_t seed, Place4 at) {
  static const uint32_t minus_infinities[] = {kMinusInfinity, 0xfc00, 0xff80};
  const uint64_t x = hash(seed, id_bias, at.b, at.h, at.i, at.j);
  const attn_type type = variant.bias_type;
  switch (variant.bias) {
    case BiasKind::holes:
      if (x % 4 == 0) return minus_infinities[type];
      break;
    case BiasKind::lowest:
      if (x % 3 == 0) return lowest_of(type);
      break;
    case BiasKind::all_lowest:
      return lowest_of(type);
    case BiasKind::far_apart:
      return encoded(1e4f * static_cast<float>(x % 5), type, 1);
    default:
      break;
  }
  return encoded(2 * gaussian(x), type, 1);
}

Cells::Index strides_of(Layout layout, Cells::Index e, Random &random) {
  const Strides s = make_strides(layout, Extents{e[0], e[1], e[2], e[3]}, random);
  return {s.b, s.h, s.s, 1};
}

Cells matrix(bool wanted, unsigned shared_extents, Cells::Index extents, attn_type type,
             const Storage &at, uint64_t seed) {
  Random random(at.seed * 37 + seed);
  if (!wanted) return Cells({0, 0, 0, 0}, {0, 0, 0, 0}, type, Place::heap, 0);
  size_t order[] = {3, 2, 1, 0};
  Cells::Index strides;
  for (size_t n = 3; n > 0 && !at.dense_matrices; n--)
    std::swap(order[n], order[index_of(random.between(0, static_cast<int64_t>(n)))]);
  int64_t pitch = 1;
  for (size_t n : order) {
    if (shared_extents >> n & 1) extents[n] = 1;
    strides[n] = at.dense_matrices ? pitch : pitch + random.between(0, 3);
    pitch = strides[n] * std::max<int64_t>(extents[n], 1);
    if (!at.dense_matrices && random.one_in(4)) strides[n] = -strides[n];
    if (shared_extents >> n & 1) strides[n] = 0;
  }
  return Cells(extents, strides, type, at.place, at.shift);
}

// A list of numbers, in cells of 32 bits.
Cells list(int64_t count, const Storage &at) {
  return Cells({1, 1, 1, count}, {0, 0, 0, 1}, ATTN_F32, at.place, at.shift % 16);
}

int64_t blocks_of(int64_t length, int64_t block) {
  return block ? (length + block - 1) / block : 0;
}

std::vector<int32_t> starts(const Variant &v, bool keys, const Storage &at) {
  std::vector<int32_t> list = {static_cast<int32_t>(at.lead)};
  for (int64_t b = 0; b < v.batch; b++) {
    int64_t room = keys ? v.keys(b) : v.queries(b);
    if (keys && at.slack) room = std::min(v.len_kv, room + 3 + b);
    list.push_back(list.back() + static_cast<int32_t>(room));
  }
  return list;
}

// Which pages each entry has: all different, in no order, unless the entries share their keys.
std::vector<std::vector<int32_t>> make_pages(const Variant &v, const Storage &at, int64_t *pool) {
  Random random(at.seed + 3);
  std::vector<std::vector<int32_t>> table;
  int64_t needed = 0;
  for (int64_t b = 0; b < v.batch; b++) {
    const int64_t own = blocks_of(v.keys(b), at.page_size);
    needed = v.shared_kv ? std::max(needed, own) : needed + own;
  }
  *pool = needed + random.between(1, 3);
  std::vector<int32_t> order;
  for (int64_t n = 0; n < *pool; n++) order.push_back(static_cast<int32_t>(n));
  for (size_t n = order.size(); n > 1; n--)
    std::swap(order[n - 1], order[index_of(random.between(0, static_cast<int64_t>(n) - 1))]);
  size_t next = 0;
  for (int64_t b = 0; b < v.batch; b++) {
    if (v.shared_kv) next = 0;
    table.emplace_back();
    for (int64_t n = 0; n < blocks_of(v.keys(b), at.page_size); n++)
      table.back().push_back(order[next++]);
  }
  return table;
}

int64_t ring_of(const Variant &v) {
  return v.ring_size ? v.ring_size : v.len_kv + 3;
}

Cells keys_cells(const VariantCall &call, int64_t packed, int64_t pool, int64_t size, Layout layout,
                 attn_type type, uint64_t seed) {
  const Variant &v = call.variant;
  const Storage &at = call.storage;
  Cells::Index extents = {v.batch, v.heads_kv, v.len_kv + at.spare, size};
  if (at.cache == Cache::packed) extents = {1, v.heads_kv, packed + at.spare, size};
  if (at.cache == Cache::paged) extents = {pool, v.heads_kv, at.page_size, size};
  if (at.cache == Cache::ring) extents[2] = ring_of(v);
  Random random(at.seed * 31 + seed);
  Cells::Index strides = strides_of(layout, extents, random);
  if (v.shared_kv && at.cache == Cache::contiguous) strides[0] = 0;
  if (at.cache == Cache::packed) strides[0] = 0;
  return Cells(extents, strides, type, at.place, at.shift);
}

Cells queries_cells(const VariantCall &call, int64_t packed, int64_t size, Layout layout,
                    attn_type type, uint64_t seed) {
  const Variant &v = call.variant;
  const Storage &at = call.storage;
  Cells::Index extents = {v.batch, v.heads_q, v.len_q, size};
  if (at.packed_q) extents = {1, v.heads_q, packed + at.spare, size};
  Random random(at.seed * 31 + seed);
  Cells::Index strides = strides_of(layout, extents, random);
  if (at.packed_q) strides[0] = 0;
  return Cells(extents, strides, type, at.place, at.shift);
}

}  // namespace

VariantCall::VariantCall(const Variant &v_, uint64_t seed, const Storage &s_)
    : variant(v_),
      storage(s_),
      seed_(seed),
      starts_q_(starts(v_, false, s_)),
      starts_kv_(starts(v_, true, s_)),
      pages_(make_pages(v_, s_, &pool_)),
      q(queries_cells(*this, starts_q_.back(), v_.head_size, s_.q, v_.q, 1)),
      k(keys_cells(*this, starts_kv_.back(), pool_, v_.head_size, s_.k, v_.k, 2)),
      v(keys_cells(*this, starts_kv_.back(), pool_, v_.head_size_v, s_.v, v_.v, 3)),
      o(queries_cells(*this, starts_q_.back(), v_.head_size_v, s_.o, v_.o, 4)),
      lse(queries_cells(*this, starts_q_.back(), 1, s_.lse, ATTN_F32, 5)),
      k_scale(keys_cells(*this, starts_kv_.back(), pool_, 1, s_.v, ATTN_F32, 6)),
      v_scale(keys_cells(*this, starts_kv_.back(), pool_, 1, s_.k, ATTN_F32, 7)),
      mask(matrix(v_.mask != MaskKind::none, v_.mask_shared,
                  {v_.batch, v_.heads_q, v_.len_q, v_.len_kv}, ATTN_BOOL, s_, 8)),
      bias(matrix(v_.bias != BiasKind::none, v_.bias_shared,
                  {v_.batch, v_.heads_q, v_.len_q, v_.len_kv}, v_.bias_type, s_, 9)),
      blocks(matrix(
          v_.block_q > 0, v_.blocks_shared,
          {v_.batch, v_.heads_q, blocks_of(v_.len_q, v_.block_q), blocks_of(v_.len_kv, v_.block_k)},
          ATTN_BOOL, s_, 10)),
      slopes(list(v_.heads_q, s_)),
      sinks(list(v_.heads_q, s_)),
      seqlens(list(v_.batch, s_)),
      cu_q(list(v_.batch + 1, s_)),
      cu_kv(list(v_.batch + 1, s_)),
      page_table({1, 1, v_.batch, std::max<int64_t>(1, blocks_of(v_.len_kv, s_.page_size))},
                 {0, 0, blocks_of(v_.len_kv, s_.page_size) + s_.spare, 1}, ATTN_F32, s_.place,
                 s_.shift % 16),
      params(attn_params_init()) {
  attn_params &p = params;
  p.q = q.tensor();
  p.k = k.tensor();
  p.v = v.tensor();
  p.o = o.tensor();
  if (variant.lse) p.lse = lse.tensor();
  if (variant.k == ATTN_I8) p.k_scale = k_scale.tensor();
  if (variant.v == ATTN_I8) p.v_scale = v_scale.tensor();
  p.batch = variant.batch;
  p.heads_q = variant.heads_q;
  p.heads_kv = variant.heads_kv;
  p.len_q = variant.len_q;
  p.len_kv = variant.len_kv;
  p.head_size = variant.head_size;
  p.head_size_v = variant.head_size_v;
  p.scale = variant.scale;
  p.causal = variant.causal;
  p.align = variant.align;
  p.offset = variant.offset;
  p.window = variant.window;
  p.window_left = variant.left;
  p.window_right = variant.right;
  p.window_dilation = variant.dilation;
  p.window_globals = variant.globals;
  p.window_stride = variant.stride;
  p.softcap = variant.softcap;
  p.block_q = variant.block_q;
  p.block_k = variant.block_k;
  if (variant.mask != MaskKind::none) p.mask = mask.matrix();
  if (variant.bias != BiasKind::none) p.bias = bias.matrix();
  if (variant.block_q > 0) p.block_mask = blocks.matrix();
  if (variant.alibi) p.alibi_slopes = static_cast<const float *>(slopes.data());
  if (variant.sinks) p.sinks = static_cast<const float *>(sinks.data());
  const bool packed = storage.cache == Cache::packed;
  if (packed ? storage.slack : !variant.lens_kv.empty())
    p.seqlens_kv = static_cast<const int32_t *>(seqlens.data());
  if (storage.packed_q) p.cu_seqlens_q = static_cast<const int32_t *>(cu_q.data());
  if (packed) p.cu_seqlens_kv = static_cast<const int32_t *>(cu_kv.data());
  if (storage.cache == Cache::ring) p.ring_size = ring_of(variant);
  if (storage.cache == Cache::paged) {
    p.page_size = storage.page_size;
    p.page_table = static_cast<const int32_t *>(page_table.data());
    p.page_table_stride = blocks_of(variant.len_kv, storage.page_size) + storage.spare;
    p.pages = pool_;
  }
  fill_lengths();
  fill_matrices();
  fill_keys(storage.unseen);
  fill_queries(storage.unseen);
  keep_inputs();
}

Cells::Index VariantCall::query_at(int64_t b, int64_t h, int64_t i, int64_t d) const {
  if (storage.packed_q) return {0, h, starts_q_[index_of(b)] + i, d};
  return {b, h, i, d};
}

Cells::Index VariantCall::key_at(int64_t b, int64_t g, int64_t j, int64_t d) const {
  switch (storage.cache) {
    case Cache::packed:
      return {0, g, starts_kv_[index_of(b)] + j, d};
    case Cache::paged:
      return {pages_[index_of(b)][index_of(j / storage.page_size)], g, j % storage.page_size, d};
    case Cache::ring:
      return {b, g, j % ring_of(variant), d};
    default:
      return {b, g, j, d};
  }
}

void VariantCall::fill_lengths() const {
  static const int32_t not_pages[] = {-1, INT32_MAX, INT32_MIN};  // of pages that no key is in
  for (int64_t b = 0; b <= variant.batch; b++) {
    if (b < variant.batch) seqlens.put({0, 0, 0, b}, static_cast<uint32_t>(variant.keys(b)));
    cu_q.put({0, 0, 0, b}, static_cast<uint32_t>(starts_q_[index_of(b)]));
    cu_kv.put({0, 0, 0, b}, static_cast<uint32_t>(starts_kv_[index_of(b)]));
  }
  for (int64_t n = 0; n < page_table.count(); n++)
    page_table.put({0, 0, 0, n}, static_cast<uint32_t>(not_pages[n % 3]));
  for (int64_t b = 0; b < variant.batch; b++) {
    const std::vector<int32_t> &own = pages_[index_of(b)];
    for (size_t n = 0; n < own.size(); n++)
      page_table.put({0, 0, b, static_cast<int64_t>(n)}, static_cast<uint32_t>(own[n]));
  }
  for (int64_t h = 0; h < variant.heads_q; h++) {
    const uint64_t x = hash(seed_, id_slopes, h + variant.first_h, 0, 0, 0);
    slopes.put({0, 0, 0, h}, bits_of(std::ldexp(1.0f, -static_cast<int>(x % 9))));
    const uint64_t y = hash(seed_, id_sinks, h + variant.first_h, 0, 0, 0);
    sinks.put({0, 0, 0, h}, bits_of(3 * gaussian(y)));
  }
}

// Cells of the bias that no allowed key uses are poison, those of masks any byte.
void VariantCall::fill_matrices() const {
  const Variant &x = variant;
  const auto for_each = [&](auto function) {
    for (int64_t b = 0; b < x.batch; b++)
      for (int64_t h = 0; h < x.heads_q; h++)
        for (int64_t i = 0; i < x.queries(b); i++)
          for (int64_t j = 0; j < x.keys(b); j++) function(b, h, i, j);
  };
  const auto origin = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    return Place4{b + x.first_b, h + x.first_h, i + x.first_i, j};
  };
  if (x.mask != MaskKind::none) {
    for_each([&](int64_t b, int64_t h, int64_t i, int64_t j) {
      const Place4 at = shared(x.mask_shared, {b, h, i, j});
      const Place4 from = shared(x.mask_shared, origin(b, h, i, j));
      bool value = mask_value(x, seed_, from);
      if (x.ring_size && storage.cache != Cache::ring && j < x.keys(b) - x.ring_size) value = false;
      const uint64_t byte = hash(seed_, id_mask, from.j, from.i, from.h, from.b) % 255 + 1;
      mask.put({at.b, at.h, at.i, at.j}, value ? static_cast<uint32_t>(byte) : 0);
    });
  }
  if (x.block_q > 0) {
    for_each([&](int64_t b, int64_t h, int64_t i, int64_t j) {
      const Place4 at = shared(x.blocks_shared, {b, h, i / x.block_q, j / x.block_k});
      const Place4 from = shared(x.blocks_shared, {b + x.first_b, h + x.first_h,
                                                   (i + x.first_i) / x.block_q, j / x.block_k});
      const uint64_t value = hash(seed_, id_blocks, from.b, from.h, from.i, from.j);
      blocks.put({at.b, at.h, at.i, at.j},
                 value % 5 < 3 ? static_cast<uint32_t>(value / 8 % 255 + 1) : 0);
    });
  }
  if (x.bias != BiasKind::none) {
    bias.fill(unusable(storage.unseen, x.bias_type));
    attn_params without = params;
    without.bias.data = nullptr;
    for_each([&](int64_t b, int64_t h, int64_t i, int64_t j) {
      if (!reference::allowed(without, b, h, i, j)) return;
      const Place4 at = shared(x.bias_shared, {b, h, i, j});
      bias.put({at.b, at.h, at.i, at.j},
               bias_value(x, seed_, shared(x.bias_shared, origin(b, h, i, j))));
    });
  }
}

namespace {

// Rows of int8 have scales about max / 127, or less, so that some elements saturate, or negative,
// or 0.
float scale_of_row(const std::vector<float> &row, uint64_t x) {
  float largest = 0;
  for (float value : row) largest = std::max(largest, std::fabs(value));
  if (x % 31 == 0) return 0;
  const float scale = largest / 127 * (0.8f + 0.4f * static_cast<float>(x >> 40) / 16777216);
  return x % 7 == 0 ? -scale : scale;
}

float peak(const Variant &variant, uint64_t seed, int64_t j) {
  if (!variant.peaked) return 1;
  const uint64_t x = hash(seed, id_k, -1, 0, j, 0) % 16;
  return x == 0 ? 6.0f : x == 1 ? 1e-5f : 1.0f;
}

}  // namespace

// What no row may look at is unseen.
void VariantCall::fill_keys(uint32_t unseen) const {
  const Variant &x = variant;
  const int64_t group = x.heads_q / x.heads_kv, first_g = x.first_h / group;
  k.fill(unusable(unseen, x.k));
  v.fill(unusable(unseen, x.v));
  k_scale.fill(unseen);
  v_scale.fill(unseen);
  const auto fill_row = [&](const Cells &t, const Cells &scales, Id id, Id scale_id, int64_t b,
                            int64_t g, int64_t j, int64_t size) {
    const int64_t from_b = x.shared_kv ? 0 : b + x.first_b, from_g = g + first_g;
    std::vector<float> row;
    for (int64_t d = 0; d < size; d++)
      row.push_back(gaussian(hash(seed_, id, from_b, from_g, j, d)) *
                    (id == id_k ? peak(x, seed_, j) : 1));
    float scale = 1;
    if (t.type() == ATTN_I8) {
      scale = scale_of_row(row, hash(seed_, scale_id, from_b, from_g, j, 0));
      scales.put(key_at(b, g, j, 0), bits_of(scale));
    }
    for (int64_t d = 0; d < size; d++)
      t.put(key_at(b, g, j, d), encoded(row[index_of(d)], t.type(), scale));
  };
  for (int64_t b = 0; b < x.batch; b++)
    for (int64_t g = 0; g < x.heads_kv; g++)
      for (int64_t j = 0; j < x.keys(b); j++) {
        bool used = false;
        for (int64_t h = g * group; h < (g + 1) * group && !used; h++)
          for (int64_t i = 0; i < x.queries(b) && !used; i++)
            used = reference::allowed(params, b, h, i, j);
        if (!used) continue;
        fill_row(k, k_scale, id_k, id_k_scale, b, g, j, x.head_size);
        fill_row(v, v_scale, id_v, id_v_scale, b, g, j, x.head_size_v);
      }
}

// Nor does a row look at its query if no key is allowed.
void VariantCall::fill_queries(uint32_t unseen) const {
  const Variant &x = variant;
  q.fill(unusable(unseen, x.q));
  for (int64_t b = 0; b < x.batch; b++)
    for (int64_t h = 0; h < x.heads_q; h++)
      for (int64_t i = 0; i < x.queries(b); i++) {
        bool used = false;
        for (int64_t j = 0; j < x.keys(b) && !used; j++)
          used = reference::allowed(params, b, h, i, j);
        for (int64_t d = 0; d < x.head_size && used; d++) {
          const uint64_t from = hash(seed_, id_q, b + x.first_b, h + x.first_h, i + x.first_i, d);
          q.put(query_at(b, h, i, d), encoded(gaussian(from), x.q, 1));
        }
      }
}

void VariantCall::spoil_key(const Cells &tensor, int64_t b, int64_t j, uint32_t bits) const {
  const bool is_k = &tensor == &k;
  const int64_t size = is_k ? variant.head_size : variant.head_size_v;
  for (int64_t g = 0; g < variant.heads_kv; g++) {
    if (tensor.type() == ATTN_I8) {
      (is_k ? k_scale : v_scale).put(key_at(b, g, j, 0), bits);
      continue;
    }
    for (int64_t d = 0; d < size; d++)
      tensor.put(key_at(b, g, j, d), unusable(bits, tensor.type()));
  }
}

// ---- Runs.

std::vector<const Cells *> VariantCall::inputs() const {
  return {&q,      &k,      &v,     &k_scale, &v_scale, &mask,  &bias,
          &blocks, &slopes, &sinks, &seqlens, &cu_q,    &cu_kv, &page_table};
}

void VariantCall::keep_inputs() {
  kept_.clear();
  for (const Cells *cells : inputs()) kept_.push_back(cells->bytes());
  written_o_.assign(index_of(o.count()), false);
  written_lse_.assign(index_of(lse.count()), false);
  for (int64_t b = 0; b < variant.batch; b++)
    for (int64_t h = 0; h < variant.heads_q; h++)
      for (int64_t i = 0; i < variant.queries(b); i++) {
        for (int64_t d = 0; d < variant.head_size_v; d++)
          written_o_[index_of(o.cell(query_at(b, h, i, d)))] = true;
        if (variant.lse) written_lse_[index_of(lse.cell(query_at(b, h, i, 0)))] = true;
      }
}

attn_params VariantCall::on(Path path) const {
  attn_params p = params;
  p.isa = path.isa;
  p.family = path.family;
  return p;
}

void VariantCall::start(Path path) const {
  require_path(on(path), path);
  o.fill(poison_of(variant.o));
  lse.fill(kPoison);
}

namespace {

bool written_elsewhere(const Cells &cells, const std::vector<bool> &written) {
  for (int64_t n = 0; n < cells.count(); n++)
    if (!written[index_of(n)] && cells.get_cell(n) != poison_of(cells.type())) return true;
  return false;
}

}  // namespace

void VariantCall::finish() const {
  REQUIRE(inputs_kept());
  REQUIRE_FALSE(written_elsewhere(o, written_o_));
  REQUIRE_FALSE(written_elsewhere(lse, written_lse_));
}

bool VariantCall::inputs_kept() const {
  const std::vector<const Cells *> list = inputs();
  for (size_t n = 0; n < list.size(); n++) {
    if (!list[n]->holds(kept_[n])) return false;
  }
  return true;
}

bool VariantCall::untouched() const {
  return !written_elsewhere(o, std::vector<bool>(index_of(o.count()))) &&
         !written_elsewhere(lse, std::vector<bool>(index_of(lse.count())));
}

Output VariantCall::output() const {
  Output result;
  for (int64_t b = 0; b < variant.batch; b++)
    for (int64_t h = 0; h < variant.heads_q; h++)
      for (int64_t i = 0; i < variant.queries(b); i++) {
        for (int64_t d = 0; d < variant.head_size_v; d++)
          result.o.push_back(decoded(o.get(query_at(b, h, i, d)), variant.o, 1));
        if (variant.lse) result.lse.push_back(from_bits(lse.get(query_at(b, h, i, 0))));
      }
  return result;
}

Output VariantCall::run(Path path) const {
  const attn_params p = on(path);
  start(path);
  size_t size = 0;
  REQUIRE(attn_workspace_size(&p, &size) == ATTN_OK);
  Workspace workspace(size);
  REQUIRE(attn_forward(&p, workspace.data(), size) == ATTN_OK);
  REQUIRE(workspace.intact());
  finish();
  return output();
}

Output VariantCall::run_plan(Path path, int threads, uint64_t order_seed) const {
  const attn_params p = on(path);
  start(path);
  attn_plan plan;
  REQUIRE(attn_plan_init(&plan, &p) == ATTN_OK);
  run_tasks(plan, threads, order_seed);
  finish();
  return output();
}

std::string VariantCall::problem(Path path) const {
  const std::vector<reference::Row> rows = reference::attention(params);
  reference::Accuracy accuracy;
  return reference::compare(params, rows, reference::naive_f32_error(params, rows), &accuracy,
                            multiplies_bf16(on(path)));
}

Output row_of(const Output &output, const Variant &x, int64_t b, int64_t h, int64_t i) {
  int64_t row = 0;
  for (int64_t before = 0; before < b; before++) row += x.queries(before) * x.heads_q;
  row += h * x.queries(b) + i;
  Output result;
  const auto first = output.o.begin() + static_cast<ptrdiff_t>(row * x.head_size_v);
  result.o.assign(first, first + static_cast<ptrdiff_t>(x.head_size_v));
  if (x.lse) result.lse.push_back(output.lse[index_of(row)]);
  return result;
}
