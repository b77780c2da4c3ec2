// Bad calls of the functions beside attention: each returns its status, the text of which names the
// argument, and writes nothing.
#include <cstring>
#include <functional>

#include "catch.hpp"
#include "support.hpp"

namespace {

const int64_t kHuge = INT64_MAX;
const int64_t kFar = int64_t{1} << 61;

template <class T>
void set_raw(T &field, int value) {
  static_assert(sizeof(T) == sizeof(int), "an enum of the size of int");
  std::memcpy(&field, &value, sizeof field);
}

void misalign(attn_tensor &tensor) {
  tensor.data = static_cast<char *>(tensor.data) + 1;
}

template <class T>
void misalign(const T *&pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer) + 1;
  std::memcpy(&pointer, &address, sizeof pointer);
}

std::set<int> &seen() {
  static std::set<int> statuses;
  return statuses;
}

void expect(attn_status got, attn_status want, const std::string &argument) {
  CAPTURE(attn_status_string(got), attn_status_string(want));
  CHECK(got == want);
  CHECK_THAT(attn_status_string(got), Catch::Matchers::Contains(argument));
  if (got == want) seen().insert(got);
}

template <class Fixture>
struct Bad {
  attn_status status;
  const char *argument;  // that the status text must name
  std::function<void(Fixture &)> spoil;
};

// Each call of the list fails as it says; without, the call succeeds and writes.
template <class Fixture>
void check(const std::vector<Bad<Fixture>> &list) {
  for (const Bad<Fixture> &bad : list) {
    Fixture fixture;
    INFO(attn_status_string(bad.status));
    bad.spoil(fixture);
    expect(fixture.run(), bad.status, bad.argument);
    CHECK(fixture.untouched());
  }
  Fixture good;
  CHECK(good.run() == ATTN_OK);
  CHECK_FALSE(good.untouched());
}

template <class T>
bool all_equal(const std::vector<T> &list, T value) {
  for (const T &x : list) {
    if (std::memcmp(&x, &value, sizeof x) != 0) return false;
  }
  return true;
}

// Of rows F32 [2, 3, 4, 8] to keys 5 to 8 of a cache I8 [2, 3, 10, 8], or of pages of 5.
struct Append {
  Append() : x(192, 1.0f), scales(60, from_bits(kPoison)), elements(480, 0x5a) {
    p.rows = attn_bhsd(x.data(), ATTN_F32, 4, 3, 8);
    p.cache = attn_bhsd(elements.data(), ATTN_I8, 10, 3, 8);
    p.cache_scale = attn_bhs(scales.data(), 10, 3);
    p.batch = 2;
    p.heads = 3;
    p.len = 4;
    p.size = 8;
    p.position = 5;
  }
  void page() {
    p.cache = attn_bhsd(elements.data(), ATTN_I8, 5, 3, 8);
    p.cache_scale = attn_bhs(scales.data(), 5, 3);
    p.page_size = 5;
    p.page_table = table;
    p.page_table_stride = 2;
    p.pages = 4;
  }
  attn_status run() const {
    return attn_kv_append(given ? &p : nullptr);
  }
  bool untouched() const {
    return all_equal(scales, from_bits(kPoison)) &&
           all_equal(elements, static_cast<unsigned char>(0x5a));
  }

  std::vector<float> x, scales;
  std::vector<unsigned char> elements;
  int32_t positions[2] = {0, 1};
  int32_t table[4] = {-1, 3, 0, 1};
  attn_append_params p = attn_append_params();
  bool given = true;
};

void check_append() {
  using A = Append &;
  check<Append>({
      {ATTN_ERR_PARAMS, "params", [](A a) { a.given = false; }},
      {ATTN_ERR_BATCH, "batch", [](A a) { a.p.batch = 0; }},
      {ATTN_ERR_BATCH, "batch", [](A a) { a.p.batch = INT64_MIN; }},
      {ATTN_ERR_HEADS_KV, "heads_kv", [](A a) { a.p.heads = 0; }},
      {ATTN_ERR_LEN_KV, "len_kv", [](A a) { a.p.len = -1; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](A a) { a.p.size = 0; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](A a) { a.p.size = 1025; }},
      {ATTN_ERR_POSITION, "position", [](A a) { a.p.position = -1; }},
      {ATTN_ERR_POSITION, "position",
       [](A a) { a.p.position = -1, a.p.positions = a.positions, a.positions[0] = 1; }},
      {ATTN_ERR_POSITION, "position",
       [](A a) { a.p.positions = a.positions, a.positions[1] = -6; }},
      {ATTN_ERR_POSITION, "positions",
       [](A a) { a.p.positions = a.positions, misalign(a.p.positions); }},
      {ATTN_ERR_POSITION, "position", [](A a) { a.p.position = kHuge - 3; }},
      {ATTN_ERR_POSITION, "position", [](A a) { a.p.position = kFar + 1; }},
      {ATTN_ERR_OVERFLOW, "len_kv", [](A a) { a.p.len = kHuge; }},
      {ATTN_ERR_ROWS, "rows", [](A a) { a.p.rows.data = nullptr; }},
      {ATTN_ERR_ROWS, "rows", [](A a) { misalign(a.p.rows); }},
      {ATTN_ERR_ROWS, "rows", [](A a) { a.p.rows.type = ATTN_F16, misalign(a.p.rows); }},
      {ATTN_ERR_ROWS, "rows", [](A a) { a.p.rows.type = ATTN_I8; }},
      {ATTN_ERR_ROWS, "rows", [](A a) { a.p.rows.type = ATTN_BOOL; }},
      {ATTN_ERR_ROWS, "rows", [](A a) { set_raw(a.p.rows.type, 7); }},
      {ATTN_ERR_ROWS, "rows", [](A a) { a.p.rows.stride_d = 2; }},
      {ATTN_ERR_ROWS, "rows", [](A a) { a.p.rows.stride_s = kHuge / 4; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.data = nullptr; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.type = ATTN_BF16, misalign(a.p.cache); }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.type = ATTN_BOOL; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { set_raw(a.p.cache.type, 7); }},
      {ATTN_ERR_CACHE, "cache", [](A a) { set_raw(a.p.cache.type, -1); }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.stride_d = 2; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.stride_b = kHuge; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.position = kFar; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.stride_b = 0; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.heads = 1, a.p.cache.stride_b = 0; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.stride_h = 0; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.stride_s = 7; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.cache.stride_s = -7; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.p.ring_size = 2, a.p.cache.stride_s = 7; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.page(), a.p.cache.stride_b = 0; }},
      {ATTN_ERR_CACHE, "cache", [](A a) { a.page(), a.p.cache.stride_b = kFar; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.p.cache_scale.data = nullptr; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { misalign(a.p.cache_scale); }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.p.cache_scale.type = ATTN_BF16; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.p.cache_scale.stride_s = kHuge / 8; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.p.cache_scale.stride_b = 0; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.p.cache_scale.stride_s = 0; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.page(), a.p.cache_scale.stride_b = 0; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.p.cache.type = ATTN_F16; }},
      {ATTN_ERR_CACHE_SCALE, "cache_scale", [](A a) { a.p.cache.type = ATTN_F32; }},
      {ATTN_ERR_RING, "ring_size", [](A a) { a.p.ring_size = -1; }},
      {ATTN_ERR_RING, "ring_size", [](A a) { a.page(), a.p.ring_size = 5; }},
      {ATTN_ERR_RING, "ring_size", [](A a) { a.page(), a.p.page_size = 1, a.p.ring_size = 5; }},
      {ATTN_ERR_PAGE_SIZE, "page_size", [](A a) { a.p.page_size = -1; }},
      {ATTN_ERR_PAGE_SIZE, "page_size", [](A a) { a.p.page_table = a.table; }},
      {ATTN_ERR_PAGE_SIZE, "page_size", [](A a) { a.p.pages = 4; }},
      {ATTN_ERR_PAGE_SIZE, "page_size", [](A a) { a.p.page_table_stride = 2; }},
      {ATTN_ERR_PAGE_TABLE, "page_table", [](A a) { a.page(), a.p.page_table = nullptr; }},
      {ATTN_ERR_PAGE_TABLE, "page_table", [](A a) { a.page(), misalign(a.p.page_table); }},
      {ATTN_ERR_PAGE_TABLE, "page_table", [](A a) { a.page(), a.p.page_table_stride = 1; }},
      {ATTN_ERR_PAGE_TABLE, "page_table", [](A a) { a.page(), a.p.page_table_stride = kFar; }},
      {ATTN_ERR_PAGE_TABLE, "page_table", [](A a) { a.page(), a.p.page_table_stride = kHuge; }},
      {ATTN_ERR_PAGE_TABLE, "page", [](A a) { a.page(), a.p.pages = 3; }},
      {ATTN_ERR_PAGE_TABLE, "page", [](A a) { a.page(), a.p.pages = 0; }},
      {ATTN_ERR_PAGE_TABLE, "page", [](A a) { a.page(), a.table[1] = -1; }},
      {ATTN_ERR_PAGE_TABLE, "page", [](A a) { a.page(), a.p.position = 4; }},  // and page -1
      {ATTN_ERR_PAIRS, "pairs", [](A a) { a.p.rotary.size = 4; }},
      {ATTN_ERR_PAIRS, "pairs", [](A a) { a.p.rotary.theta = 10000; }},
      {ATTN_ERR_PAIRS, "pairs", [](A a) { set_raw(a.p.rotary.pairs, 3); }},
      {ATTN_ERR_ROTARY_SIZE, "rotary.size",
       [](A a) { a.p.rotary = attn_rotary{ATTN_PAIRS_HALF_SPLIT, 10, 0}; }},
  });
  Append paged;
  paged.page();
  paged.p.positions = paged.positions;
  CHECK(paged.run() == ATTN_OK);
}

// Of rows F32 [2, 3, 4, 8] to rows F32 elsewhere.
struct Rope {
  Rope() : x(192, 1.0f), y(192, from_bits(kPoison)) {
    p.rows = attn_bhsd(x.data(), ATTN_F32, 4, 3, 8);
    p.rotated = attn_bhsd(y.data(), ATTN_F32, 4, 3, 8);
    p.batch = 2;
    p.heads = 3;
    p.len = 4;
    p.head_size = 8;
    p.rotary.pairs = ATTN_PAIRS_INTERLEAVED;
  }
  attn_status run() const {
    return attn_rope(given ? &p : nullptr);
  }
  bool untouched() const {
    return all_equal(y, from_bits(kPoison)) && all_equal(x, 1.0f);
  }

  std::vector<float> x, y;
  int32_t positions[8] = {0};
  attn_rope_params p = attn_rope_params();
  bool given = true;
};

void check_rope() {
  using R = Rope &;
  check<Rope>({
      {ATTN_ERR_PARAMS, "params", [](R r) { r.given = false; }},
      {ATTN_ERR_BATCH, "batch", [](R r) { r.p.batch = 0; }},
      {ATTN_ERR_HEADS_Q, "heads_q", [](R r) { r.p.heads = 0; }},
      {ATTN_ERR_LEN_Q, "len_q", [](R r) { r.p.len = -1; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](R r) { r.p.head_size = 0; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](R r) { r.p.head_size = 1025; }},
      {ATTN_ERR_OVERFLOW, "len_q", [](R r) { r.p.len = kHuge; }},
      {ATTN_ERR_OVERFLOW, "batch", [](R r) { r.p.row_positions = r.positions, r.p.len = kFar; }},
      {ATTN_ERR_ROWS, "rows", [](R r) { r.p.rows.data = nullptr; }},
      {ATTN_ERR_ROWS, "rows", [](R r) { misalign(r.p.rows); }},
      {ATTN_ERR_ROWS, "rows", [](R r) { r.p.rows.type = ATTN_I8; }},
      {ATTN_ERR_ROWS, "rows", [](R r) { r.p.rows.stride_b = kHuge; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated = attn_tensor(); }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { misalign(r.p.rotated); }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated.type = ATTN_I8; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated.type = ATTN_BOOL; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated.stride_d = 8; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated.stride_h = kHuge; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated.stride_h = 0; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.heads = 1, r.p.rotated.stride_b = 0; }},
      {ATTN_ERR_ROTATED, "rotated",
       [](R r) { r.p.rotated = r.p.rows, r.p.rotated.type = ATTN_F16; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated = r.p.rows, r.p.rows.stride_s = 0; }},
      {ATTN_ERR_ROTATED, "rotated", [](R r) { r.p.rotated = r.p.rows, r.p.rows.stride_b = 0; }},
      {ATTN_ERR_PAIRS, "pairs", [](R r) { set_raw(r.p.rotary.pairs, 0); }},
      {ATTN_ERR_PAIRS, "pairs", [](R r) { set_raw(r.p.rotary.pairs, 3); }},
      {ATTN_ERR_PAIRS, "pairs", [](R r) { set_raw(r.p.rotary.pairs, -1); }},
      {ATTN_ERR_ROTARY_SIZE, "rotary.size", [](R r) { r.p.rotary.size = 10; }},
      {ATTN_ERR_ROTARY_SIZE, "rotary.size", [](R r) { r.p.rotary.size = 3; }},
      {ATTN_ERR_ROTARY_SIZE, "rotary.size", [](R r) { r.p.rotary.size = -2; }},
      {ATTN_ERR_ROTARY_SIZE, "rotary.size", [](R r) { r.p.head_size = 7; }},
      {ATTN_ERR_THETA, "theta", [](R r) { r.p.rotary.theta = -1; }},
      {ATTN_ERR_THETA, "theta", [](R r) { r.p.rotary.theta = from_bits(kNan); }},
      {ATTN_ERR_THETA, "theta", [](R r) { r.p.rotary.theta = from_bits(kInfinity); }},
      {ATTN_ERR_POSITION, "position", [](R r) { r.p.position = kFar + 1; }},
      {ATTN_ERR_POSITION, "position", [](R r) { r.p.position = INT64_MIN; }},
      {ATTN_ERR_POSITION, "positions",
       [](R r) { r.p.positions = r.p.row_positions = r.positions; }},
      {ATTN_ERR_POSITION, "positions",
       [](R r) { r.p.positions = r.positions, misalign(r.p.positions); }},
      {ATTN_ERR_POSITION, "positions",
       [](R r) { r.p.row_positions = r.positions, misalign(r.p.row_positions); }},
  });
}

// Of two parts F32 [2, 3, 4, 8].
struct Merge {
  Merge()
      : x(2, std::vector<float>(192, 1.0f)),
        e(2, std::vector<float>(24, 1.0f)),
        o(192, from_bits(kPoison)),
        lse(24, from_bits(kPoison)) {
    for (size_t i : {0, 1}) {
      o_parts[i] = attn_bhsd(x[i].data(), ATTN_F32, 4, 3, 8);
      lse_parts[i] = attn_bhs(e[i].data(), 4, 3);
    }
    p.o_parts = o_parts;
    p.lse_parts = lse_parts;
    p.o = attn_bhsd(o.data(), ATTN_F32, 4, 3, 8);
    p.lse = attn_bhs(lse.data(), 4, 3);
    p.parts = 2;
    p.batch = 2;
    p.heads = 3;
    p.len = 4;
    p.head_size_v = 8;
  }
  attn_status run() const {
    return attn_merge(given ? &p : nullptr);
  }
  bool untouched() const {
    for (size_t i : {0, 1}) {
      if (!all_equal(x[i], 1.0f) || !all_equal(e[i], 1.0f)) return false;
    }
    return all_equal(o, from_bits(kPoison)) && all_equal(lse, from_bits(kPoison));
  }

  std::vector<std::vector<float>> x, e;
  std::vector<float> o, lse;
  attn_tensor o_parts[2], lse_parts[2];
  float sinks[4] = {0};
  attn_merge_params p = attn_merge_params();
  bool given = true;
};

void check_merge() {
  using M = Merge &;
  check<Merge>({
      {ATTN_ERR_PARAMS, "params", [](M m) { m.given = false; }},
      {ATTN_ERR_BATCH, "batch", [](M m) { m.p.batch = 0; }},
      {ATTN_ERR_HEADS_Q, "heads_q", [](M m) { m.p.heads = -1; }},
      {ATTN_ERR_LEN_Q, "len_q", [](M m) { m.p.len = -1; }},
      {ATTN_ERR_HEAD_SIZE_V, "from 1 to 1024 (attn_params", [](M m) { m.p.head_size_v = 0; }},
      {ATTN_ERR_HEAD_SIZE_V, "head_size_v", [](M m) { m.p.head_size_v = 1025; }},
      {ATTN_ERR_PARTS, "parts", [](M m) { m.p.parts = 0; }},
      {ATTN_ERR_PARTS, "parts", [](M m) { m.p.parts = -2; }},
      {ATTN_ERR_SINKS, "sinks", [](M m) { m.p.sinks = m.sinks, misalign(m.p.sinks); }},
      {ATTN_ERR_O_DATA, "o.data", [](M m) { m.p.o.data = nullptr; }},
      {ATTN_ERR_O_DATA, "o.data", [](M m) { misalign(m.p.o); }},
      {ATTN_ERR_O_TYPE, "o.type", [](M m) { m.p.o.type = ATTN_I8; }},
      {ATTN_ERR_O_TYPE, "o.type", [](M m) { set_raw(m.p.o.type, -1); }},
      {ATTN_ERR_O_STRIDE, "o", [](M m) { m.p.o.stride_d = 2; }},
      {ATTN_ERR_O_STRIDE, "o", [](M m) { m.p.o.stride_s = 7; }},
      {ATTN_ERR_O_STRIDE, "o", [](M m) { m.p.o.stride_b = kHuge; }},
      {ATTN_ERR_O_STRIDE, "o", [](M m) { m.p.heads = 1, m.p.o.stride_b = 0; }},
      {ATTN_ERR_LSE_DATA, "lse.data", [](M m) { misalign(m.p.lse); }},
      {ATTN_ERR_LSE_TYPE, "lse.type", [](M m) { m.p.lse.type = ATTN_F16; }},
      {ATTN_ERR_LSE_STRIDE, "lse", [](M m) { m.p.lse.stride_h = 0; }},
      {ATTN_ERR_LSE_STRIDE, "lse", [](M m) { m.p.heads = 1, m.p.lse.stride_b = 0; }},
      {ATTN_ERR_LSE_STRIDE, "lse", [](M m) { m.p.lse.stride_h = kHuge; }},
      {ATTN_ERR_O_PARTS, "o_parts", [](M m) { m.p.o_parts = nullptr; }},
      {ATTN_ERR_O_PARTS, "o_parts", [](M m) { m.o_parts[1].data = nullptr; }},
      {ATTN_ERR_O_PARTS, "o_parts", [](M m) { misalign(m.o_parts[1]); }},
      {ATTN_ERR_O_PARTS, "o_parts", [](M m) { m.o_parts[1].type = ATTN_I8; }},
      {ATTN_ERR_O_PARTS, "o_parts", [](M m) { m.o_parts[0].stride_d = -1; }},
      {ATTN_ERR_O_PARTS, "o_parts", [](M m) { m.o_parts[1].stride_s = kHuge; }},
      {ATTN_ERR_LSE_PARTS, "lse_parts", [](M m) { m.p.lse_parts = nullptr; }},
      {ATTN_ERR_LSE_PARTS, "lse_parts", [](M m) { m.lse_parts[1].data = nullptr; }},
      {ATTN_ERR_LSE_PARTS, "lse_parts", [](M m) { misalign(m.lse_parts[0]); }},
      {ATTN_ERR_LSE_PARTS, "lse_parts", [](M m) { m.lse_parts[1].type = ATTN_BF16; }},
      {ATTN_ERR_LSE_PARTS, "lse_parts", [](M m) { m.lse_parts[1].stride_b = kHuge; }},
      {ATTN_ERR_O_OVERLAP, "o", [](M m) { m.p.o = m.o_parts[1], m.p.o.type = ATTN_F16; }},
      {ATTN_ERR_O_OVERLAP, "o", [](M m) { m.p.o = m.o_parts[1], m.o_parts[1].stride_s = 0; }},
      {ATTN_ERR_O_OVERLAP, "o", [](M m) { m.p.o.data = m.lse_parts[1].data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse", [](M m) { m.p.lse.data = m.o_parts[0].data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse", [](M m) { m.p.lse.data = m.p.o.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse",
       [](M m) { m.p.lse = m.lse_parts[0], m.lse_parts[0].stride_h = 0; }},
  });
}

// Of q F32 [2, 4, 3, 8] over k F32 [2, 2, 5, 8], to out [2, 3, 2, 5].
struct Weights {
  Weights() : x(192, 1.0f), y(60, from_bits(kPoison)) {
    p.q = attn_bhsd(x.data(), ATTN_F32, 3, 4, 8);
    p.k = attn_bhsd(x.data(), ATTN_F32, 5, 2, 8);
    p.batch = 2;
    p.heads_q = 4;
    p.heads_kv = 2;
    p.len_q = 3;
    p.len_kv = 5;
    p.head_size = 8;
    w.stage = ATTN_STAGE_WEIGHTS;
    w.heads = heads;
    w.head_count = 3;
    w.first_query = 1;
    w.queries = 2;
    w.out = attn_bhsd(y.data(), ATTN_F32, 2, 3, 5);
  }
  attn_status run() {
    size_t needed = 99;
    attn_params without = p;
    attn_weights_params nowhere = w;
    without.q.data = without.k.data = nowhere.out.data = nullptr;
    const attn_status status = attn_weights_workspace_size(
        params_given ? &without : nullptr, what_given ? &nowhere : nullptr, &needed);
    const attn_status ran = attn_weights(params_given ? &p : nullptr, what_given ? &w : nullptr,
                                         workspace, workspace_size);
    if (status != ATTN_OK) CHECK(needed == 99);
    if (status != ATTN_OK) CHECK(status == ran);
    return ran;
  }
  bool untouched() const {
    return all_equal(y, from_bits(kPoison)) && all_equal(x, 1.0f);
  }

  std::vector<float> x, y;
  int32_t heads[3] = {3, 0, 0};
  char room[16] = {0};
  void *workspace = nullptr;
  size_t workspace_size = 0;
  attn_params p = attn_params();
  attn_weights_params w = attn_weights_params();
  bool params_given = true, what_given = true;
};

void check_weights() {
  using W = Weights &;
  check<Weights>({
      {ATTN_ERR_PARAMS, "params", [](W w) { w.params_given = false; }},
      {ATTN_ERR_WHAT, "what", [](W w) { w.what_given = false; }},
      {ATTN_ERR_BATCH, "batch", [](W w) { w.p.batch = 0; }},
      {ATTN_ERR_LEN_KV, "len_kv", [](W w) { w.p.len_kv = -1; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](W w) { w.p.head_size = 1025; }},
      {ATTN_ERR_Q_DATA, "q.data", [](W w) { w.p.q.data = nullptr; }},
      {ATTN_ERR_K_DATA, "k.data", [](W w) { w.p.k.data = nullptr; }},
      {ATTN_ERR_K_SCALE, "k_scale", [](W w) { w.p.k.type = ATTN_I8; }},
      {ATTN_ERR_WINDOW, "window", [](W w) { w.p.window_left = 3; }},
      {ATTN_ERR_STAGE, "stage", [](W w) { set_raw(w.w.stage, 0); }},
      {ATTN_ERR_STAGE, "stage", [](W w) { set_raw(w.w.stage, 5); }},
      {ATTN_ERR_STAGE, "stage", [](W w) { set_raw(w.w.stage, -1); }},
      {ATTN_ERR_CHOSEN_HEADS, "heads", [](W w) { misalign(w.w.heads); }},
      {ATTN_ERR_CHOSEN_HEADS, "heads", [](W w) { w.heads[1] = 4; }},
      {ATTN_ERR_CHOSEN_HEADS, "heads", [](W w) { w.heads[2] = -1; }},
      {ATTN_ERR_CHOSEN_HEADS, "head_count", [](W w) { w.w.heads = nullptr; }},
      {ATTN_ERR_CHOSEN_HEADS, "head_count", [](W w) { w.w.head_count = 0; }},
      {ATTN_ERR_CHOSEN_HEADS, "head_count", [](W w) { w.w.head_count = -1; }},
      {ATTN_ERR_QUERIES, "first_query", [](W w) { w.w.first_query = 2; }},
      {ATTN_ERR_QUERIES, "first_query", [](W w) { w.w.first_query = -1; }},
      {ATTN_ERR_QUERIES, "queries", [](W w) { w.w.queries = -1; }},
      {ATTN_ERR_QUERIES, "queries", [](W w) { w.w.queries = INT64_MAX; }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.out.data = nullptr; }},
      {ATTN_ERR_OUT, "out", [](W w) { misalign(w.w.out); }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.out.type = ATTN_F16; }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.out.stride_d = 2; }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.out.stride_s = 4; }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.out.stride_h = -4; }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.out.stride_b = kHuge; }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.mean_heads = true, w.w.out.stride_b = 0; }},
      {ATTN_ERR_OUT, "out", [](W w) { w.w.out.data = w.p.q.data; }},
      {ATTN_ERR_WORKSPACE, "workspace", [](W w) { w.workspace_size = 1; }},
      {ATTN_ERR_WORKSPACE, "workspace",
       [](W w) { w.workspace = w.room, w.workspace_size = sizeof w.room; }},
  });
  Weights none;  // nothing is written, wherever out lies
  none.w.queries = 0;
  none.w.out.data = none.p.q.data;
  CHECK(none.run() == ATTN_OK);
  const Weights weights;
  expect(attn_weights_workspace_size(&weights.p, &weights.w, nullptr), ATTN_ERR_RESULT, "result");
}

struct Slopes {
  attn_status run() {
    return attn_alibi_slopes(heads, pointer);
  }
  bool untouched() const {
    return all_equal(slopes, from_bits(kPoison));
  }

  std::vector<float> slopes = std::vector<float>(8, from_bits(kPoison));
  int64_t heads = 6;
  float *pointer = slopes.data();
};

struct Blocks {
  Blocks() {
    w.len_q = w.len_kv = 40;
    w.block_q = w.block_k = 8;
    w.window = true;
  }
  attn_status run() {
    size_t needed = 99;
    const attn_status status = attn_block_mask_size(given ? &w : nullptr, &needed);
    if (status != ATTN_OK) CHECK(needed == 99);
    const attn_status built = attn_block_mask_build(given ? &w : nullptr, pointer, size);
    if (status != ATTN_OK) CHECK(built == status);
    return built;
  }
  bool untouched() const {
    return all_equal(mask, uint8_t{0x5a});
  }

  std::vector<uint8_t> mask = std::vector<uint8_t>(30, 0x5a);
  attn_block_pattern w = attn_block_pattern();
  uint8_t *pointer = mask.data();
  size_t size = 25;
  bool given = true;
};

void check_masks() {
  using S = Slopes &;
  using B = Blocks &;
  check<Slopes>({
      {ATTN_ERR_HEADS_Q, "heads_q", [](S s) { s.heads = 0; }},
      {ATTN_ERR_HEADS_Q, "heads_q", [](S s) { s.heads = INT64_MIN; }},
      {ATTN_ERR_RESULT, "result", [](S s) { s.pointer = nullptr; }},
      {ATTN_ERR_RESULT, "result",
       [](S s) {
         const uintptr_t address = reinterpret_cast<uintptr_t>(s.pointer) + 2;
         std::memcpy(&s.pointer, &address, sizeof address);
       }},
  });
  check<Blocks>({
      {ATTN_ERR_PARAMS, "params", [](B b) { b.given = false; }},
      {ATTN_ERR_LEN_Q, "len_q", [](B b) { b.w.len_q = -1; }},
      {ATTN_ERR_LEN_KV, "len_kv", [](B b) { b.w.len_kv = -1; }},
      {ATTN_ERR_BLOCK_MASK, "block_q", [](B b) { b.w.block_q = 0; }},
      {ATTN_ERR_BLOCK_MASK, "block_k", [](B b) { b.w.block_k = 0; }},
      {ATTN_ERR_BLOCK_MASK, "block_k", [](B b) { b.w.block_k = -1; }},
      {ATTN_ERR_OFFSET, "offset", [](B b) { b.w.offset = kFar + 1; }},
      {ATTN_ERR_OFFSET, "offset", [](B b) { b.w.offset = INT64_MIN; }},
      {ATTN_ERR_WINDOW, "window_left", [](B b) { b.w.window_left = -2; }},
      {ATTN_ERR_WINDOW, "window_right", [](B b) { b.w.window_right = INT64_MIN; }},
      {ATTN_ERR_WINDOW, "window", [](B b) { b.w.window = false, b.w.window_right = 1; }},
      {ATTN_ERR_WINDOW, "window", [](B b) { b.w.window = false, b.w.window_left = -1; }},
      {ATTN_ERR_WINDOW_PATTERN, "window_globals", [](B b) { b.w.window_globals = -1; }},
      {ATTN_ERR_WINDOW_PATTERN, "window_stride", [](B b) { b.w.window_stride = -1; }},
      {ATTN_ERR_WINDOW_PATTERN, "window", [](B b) { b.w.window = false, b.w.window_globals = 1; }},
      {ATTN_ERR_WINDOW_PATTERN, "window", [](B b) { b.w.window = false, b.w.window_stride = 1; }},
      {ATTN_ERR_RANDOM_BLOCKS, "random_blocks", [](B b) { b.w.random_blocks = -1; }},
      {ATTN_ERR_OVERFLOW, "len_q", [](B b) { b.w.len_q = kHuge; }},
      {ATTN_ERR_OVERFLOW, "len_kv", [](B b) { b.w.len_kv = kFar, b.w.block_k = 1; }},
      {ATTN_ERR_RESULT, "result", [](B b) { b.size = 24; }},
      {ATTN_ERR_RESULT, "result", [](B b) { b.pointer = nullptr; }},
  });
  const Blocks blocks;
  expect(attn_block_mask_size(&blocks.w, nullptr), ATTN_ERR_RESULT, "result");
}

}  // namespace

const std::set<int> &statuses_of_helpers() {
  static const std::set<int> statuses = {
      ATTN_ERR_ROWS,        ATTN_ERR_CACHE,   ATTN_ERR_CACHE_SCALE, ATTN_ERR_POSITION,
      ATTN_ERR_ROTATED,     ATTN_ERR_PAIRS,   ATTN_ERR_ROTARY_SIZE, ATTN_ERR_THETA,
      ATTN_ERR_PARTS,       ATTN_ERR_O_PARTS, ATTN_ERR_LSE_PARTS,   ATTN_ERR_RANDOM_BLOCKS,
      ATTN_ERR_LSE_OVERLAP, ATTN_ERR_WHAT,    ATTN_ERR_STAGE,       ATTN_ERR_CHOSEN_HEADS,
      ATTN_ERR_QUERIES,     ATTN_ERR_OUT};
  return statuses;
}

TEST_CASE("Bad calls of the functions beside attention name the argument and write nothing",
          "[status][helpers]") {
  seen().clear();
  check_append();
  check_rope();
  check_merge();
  check_weights();
  check_masks();
  for (int status : statuses_of_helpers()) {
    INFO("no call returned: " << attn_status_string(static_cast<attn_status>(status)));
    CHECK(seen().count(status) == 1);
  }
}
