// The functions beside attention: attn_merge, attn_rope, attn_kv_append, attn_weights, ALiBi's
// slopes, block masks, names.
#include "../helpers.hpp"

#include <cstdio>
#include <string>

#include "../catch.hpp"
#include "../weights.hpp"
#include "targets.hpp"

namespace {

typedef std::vector<unsigned char> Raw;

const Layout kLayouts[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
const Work kWork = {4000, 40000};

Extents random_extents(Random &random) {
  static const int64_t sizes[] = {1, 2, 7, 8, 16, 20, 33, 64, 127, 128, 129, 300};
  return {random.between(1, 3), random.between(1, 3), random.one_in(8) ? 0 : random.between(1, 5),
          random.one_in(2) ? random.between(1, 20) : random.pick(sizes)};
}

// No size of a row, and no length.
int64_t no_size(Random &random) {
  return random.one_in(2) ? random.between(-1, 0) : out_of_range(random);
}

int64_t no_length(Random &random) {
  return random.one_in(2) ? -1 : out_of_range(random);
}

// ---- attn_merge.

attn_merge_params spoilt(attn_merge_params p, std::vector<attn_tensor> &o, Random &random) {
  attn_tensor *const tensors[] = {&p.o, &p.lse, &o[0], &o.back()};
  int64_t *const sizes[] = {&p.batch, &p.heads, &p.head_size_v, &p.parts};
  switch (random.between(0, 7)) {
    case 0:
      *random.pick(sizes) = random.between(-1, 0);
      break;
    case 1:
      p.len = no_length(random);
      break;
    case 2:
      p.head_size_v = random.one_in(4) ? 1025 : no_size(random);
      break;
    case 3:
      (random.one_in(2) ? p.o_parts : p.lse_parts) = nullptr;
      break;
    case 4:
      misalign(p.sinks);
      break;
    case 5:
      p.lse.data = p.o.data;
      break;
    default:
      spoil(*random.pick(tensors), random);
  }
  return p;
}

Merge random_merge(Random &random) {
  std::vector<attn_type> types;
  for (int64_t n = random.between(1, 4); n > 0; n--) types.push_back(random.pick(kFloats));
  const Extents n = random_extents(random);
  Merge merge(types, random.pick(kFloats), n, random.pick(kLayouts), random.next() % 1000);
  for (size_t part = 0; part < types.size(); part++) {
    if (!random.one_in(3) || n.s == 0) continue;
    const int64_t s = random.between(0, n.s - 1), h = random.between(0, n.h - 1);
    for (int64_t b = 0; b < n.b; b++)
      merge.lse_parts[part].put(b, h, s, 0, from_bits(kMinusInfinity));
  }
  for (int64_t h = 0; h < n.h && types.size() % 2; h++)
    merge.sinks.push_back(random.one_in(3) ? from_bits(kMinusInfinity) : random.gaussian());
  return merge;
}

// Into one of the parts: the same bits.
void merge_in_place(Merge &merge, size_t part) {
  if (merge.o_parts[part].type() != merge.o.type()) return;
  Merge in_place = merge;
  in_place.o_at = static_cast<int>(part);
  REQUIRE(in_place.run() == ATTN_OK);
  merge.o.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
    REQUIRE(in_place.o_parts[part].raw(b, h, s, d) == merge.o.raw(b, h, s, d));
  });
}

// A part's lse that is NaN, or infinite, makes its row NaN and no other.
void merge_nan(Merge &merge, size_t part, Random &random) {
  const Extents n = merge.extents;
  if (n.s == 0) return;
  const int64_t at_b = random.between(0, n.b - 1), at_h = random.between(0, n.h - 1);
  const int64_t at_s = random.between(0, n.s - 1);
  Merge spoilt_one = merge;
  const uint32_t bits = random.one_in(2) ? kNan : kInfinity;
  spoilt_one.lse_parts[part].put(at_b, at_h, at_s, 0, from_bits(bits));
  REQUIRE(spoilt_one.run() == ATTN_OK);
  merge.o.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
    if (b == at_b && h == at_h && s == at_s) {
      REQUIRE(std::isnan(spoilt_one.o.get(b, h, s, d)));
      REQUIRE(std::isnan(spoilt_one.lse.get(b, h, s, 0)));
    } else {
      REQUIRE(spoilt_one.o.raw(b, h, s, d) == merge.o.raw(b, h, s, d));
    }
  });
}

void run_merge(Random &random) {
  Merge merge = random_merge(random);
  const size_t part = index_of(random.between(0, static_cast<int64_t>(merge.o_parts.size()) - 1));
  if (random.one_in(4)) {
    const Raw o = merge.o.bytes(), lse = merge.lse.bytes();
    std::vector<attn_tensor> o_views, lse_views;
    const attn_merge_params p = spoilt(merge.params(o_views, lse_views), o_views, random);
    if (attn_merge(&p) != ATTN_OK) REQUIRE((merge.o.bytes() == o && merge.lse.bytes() == lse));
    return;
  }
  REQUIRE(merge.run() == ATTN_OK);
  REQUIRE(none(merge.problem()));
  REQUIRE((merge.o.gaps_intact() && merge.lse.gaps_intact()));
  fuzz_counts.kernels += merge.extents.s > 0;
  merge_in_place(merge, part);
  merge_nan(merge, part, random);
}

// ---- attn_rope.

attn_rotary random_rotary(int64_t size, Random &random) {
  static const float thetas[] = {0, 1, 100, 10000, 500000};
  attn_rotary rotary = attn_rotary();
  rotary.pairs = random.one_in(2) ? ATTN_PAIRS_INTERLEAVED : ATTN_PAIRS_HALF_SPLIT;
  rotary.size = size % 2 || random.one_in(2) ? 2 * random.between(1, size / 2) : 0;
  rotary.theta = random.pick(thetas);
  return rotary;
}

void spoil_rotary(attn_rotary &rotary, Random &random) {
  static const uint32_t thetas[] = {kNan, kInfinity, kMinusInfinity, 0x80000001u, 0xbf800000u};
  static const int64_t sizes[] = {-2, -1, 1, 3, 1025, 1026, INT64_MAX, INT64_MIN};
  switch (random.between(0, 2)) {
    case 0:
      set_raw(rotary.pairs, random.one_in(2) ? -1 : 3);
      break;
    case 1:
      rotary.size = random.pick(sizes);
      break;
    default:
      rotary.theta = from_bits(random.pick(thetas));
  }
}

attn_rope_params spoilt(attn_rope_params p, Random &random) {
  int64_t *const sizes[] = {&p.batch, &p.heads, &p.head_size};
  switch (random.between(0, 7)) {
    case 0:
      *random.pick(sizes) = random.between(-1, 0);
      break;
    case 1:
      p.len = no_length(random);
      break;
    case 2:
      p.head_size = random.one_in(4) ? 1025 : no_size(random);
      break;
    case 3:
      spoil_rotary(p.rotary, random);
      break;
    case 4:
      p.position = out_of_range(random);
      break;
    case 5:
      misalign(random.one_in(2) ? p.positions : p.row_positions);
      break;
    default:
      spoil(random.one_in(2) ? p.rows : p.rotated, random);
  }
  return p;
}

// NaN stays in its pair.
void rope_nan(Rope &rope, Data before, Random &random) {
  const Extents n = {rope.params.batch, rope.params.heads, rope.params.len, rope.params.head_size};
  if (n.s == 0) return;
  const int64_t at_b = random.between(0, n.b - 1), at_h = random.between(0, n.h - 1);
  const int64_t at_s = random.between(0, n.s - 1), at_d = random.between(0, n.d - 1);
  const int64_t size = rope.params.rotary.size ? rope.params.rotary.size : n.d;
  int64_t pair = at_d;
  if (at_d < size && rope.params.rotary.pairs == ATTN_PAIRS_INTERLEAVED) pair = at_d ^ 1;
  if (at_d < size && rope.params.rotary.pairs == ATTN_PAIRS_HALF_SPLIT)
    pair = (at_d + size / 2) % size;
  Rope spoilt_one = rope;
  before.put(at_b, at_h, at_s, at_d, from_bits(kNan));
  spoilt_one.rows = before;
  REQUIRE(spoilt_one.run() == ATTN_OK);
  Data &got = rope.in_place ? spoilt_one.rows : spoilt_one.rotated;
  Data &clean = rope.in_place ? rope.rows : rope.rotated;
  got.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
    if (b == at_b && h == at_h && s == at_s && (d == at_d || d == pair)) {
      REQUIRE(std::isnan(got.get(b, h, s, d)));
    } else {
      REQUIRE(got.raw(b, h, s, d) == clean.raw(b, h, s, d));
    }
  });
}

void run_rope(Random &random) {
  static const int64_t positions[] = {0, 1, -5, 131072, 1000000, 1 << 24};
  Extents n = random_extents(random);
  if (n.d < 2) n.d = 2;
  const attn_type from = random.pick(kFloats);
  Rope rope(from, random.one_in(3) ? from : random.pick(kFloats), random.pick(kLayouts),
            ATTN_PAIRS_INTERLEAVED, n);
  rope.params.rotary = random_rotary(n.d, random);
  rope.params.position = random.pick(positions);
  std::vector<int32_t> list;
  const bool by_row = random.one_in(2);
  for (int64_t i = 0; i < (by_row ? n.b * n.s : n.b); i++)
    list.push_back(static_cast<int32_t>(random.between(-9, 9)));
  if (by_row) rope.params.row_positions = list.data();
  if (!by_row && random.one_in(2)) rope.params.positions = list.data();
  Data before = rope.rows;
  if (random.one_in(4)) {
    const Raw rotated = rope.rotated.bytes();
    rope.params.rows = rope.rows.view();
    rope.params.rotated = rope.rotated.view();
    const attn_rope_params p = spoilt(rope.params, random);
    if (attn_rope(&p) != ATTN_OK) REQUIRE(rope.rotated.bytes() == rotated);
    return;
  }
  rope.in_place = random.one_in(3);
  REQUIRE(rope.run() == ATTN_OK);
  REQUIRE(none(rope.problem(before)));
  REQUIRE((rope.rotated.gaps_intact() && rope.rows.gaps_intact()));
  fuzz_counts.kernels += n.s > 0;
  rope_nan(rope, before, random);
}

// ---- attn_kv_append.

struct Append {
  explicit Append(Random &random)
      : n(random_extents(random)),
        rows(random.pick(kFloats), n, random.pick(kLayouts), 6),
        type(random.pick(kAll)),
        p(attn_append_params()) {
    p.batch = n.b;
    p.heads = n.h;
    p.len = n.s;
    p.size = n.d;
    p.position = random.between(0, 20);
    for (int64_t b = 0; b < n.b; b++) {
      starts.push_back(static_cast<int32_t>(random.one_in(2) ? 0 : random.between(0, 9)));
      end = std::max(end, p.position + starts.back() + n.s);
    }
    const bool with_starts = random.one_in(2);
    if (!with_starts) starts.assign(starts.size(), 0);
    if (with_starts) p.positions = starts.data();
    choose_layout(random);
    rows.fill(random.next(), random.one_in(8) ? 1e-38f : 1);
    if (random.one_in(6)) spoil_row(random);
    if (n.d >= 2 && random.one_in(3)) p.rotary = random_rotary(n.d, random);
  }

  void choose_layout(Random &random) {
    static const int64_t sizes[] = {1, 2, 3, 8, 16};
    switch (random.between(0, 2)) {
      case 0:
        p.ring_size = random.between(1, 12);
        break;
      case 1:
        p.page_size = random.pick(sizes);
        break;
      default:
        break;
    }
    Extents cells = {n.b, n.h, p.ring_size ? p.ring_size : end, n.d};
    if (p.page_size) {
      const int64_t each = (end + p.page_size - 1) / p.page_size;
      cells.b = n.b * each + random.between(1, 3);
      cells.s = p.page_size;
      p.pages = cells.b;
      p.page_table_stride = each + random.between(0, 2);
      const int64_t shift = random.between(0, p.pages - 1);
      for (int64_t i = 0; i < n.b * p.page_table_stride; i++) {
        const int64_t b = i / p.page_table_stride, page = i % p.page_table_stride;
        table.push_back(static_cast<int32_t>((b * each + page + shift) % p.pages));
      }
      p.page_table = table.data();
    }
    const Layout layout = random.pick(kLayouts);
    cache.push_back(Data(type, cells, layout, 7));
    cells.d = 1;
    scales.push_back(Data(ATTN_F32, cells, layout, 8));
  }

  void spoil_row(Random &random) {
    static const uint32_t list[] = {kNan, kInfinity, kMinusInfinity, 0x7f7fffffu, 1u, 0x80000000u};
    if (n.s == 0) return;
    rows.put(random.between(0, n.b - 1), random.between(0, n.h - 1), random.between(0, n.s - 1),
             random.between(0, n.d - 1), from_bits(random.pick(list)));
  }

  attn_append_params params() {
    p.rows = rows.view();
    p.cache = cache[0].view();
    if (type == ATTN_I8) p.cache_scale = scales[0].view();
    return p;
  }

  int64_t key(int64_t b, int64_t i) const {
    return p.position + starts[index_of(b)] + i;
  }

  Extents n;
  Data rows;
  attn_type type;
  attn_append_params p;
  int64_t end = 0;  // behind the last key
  std::vector<int32_t> starts, table;
  std::vector<Data> cache, scales;  // one each
};

attn_append_params spoilt(attn_append_params p, Random &random) {
  int64_t *const sizes[] = {&p.batch, &p.heads, &p.size};
  int64_t *const layout[] = {&p.page_size, &p.ring_size, &p.pages};
  switch (random.between(0, 9)) {
    case 0:
      *random.pick(sizes) = random.between(-1, 0);
      break;
    case 1:
      p.len = no_length(random);
      break;
    case 2:
      p.size = random.one_in(4) ? 1025 : no_size(random);
      break;
    case 3:
      spoil_rotary(p.rotary, random);
      break;
    case 4:
      p.position = out_of_range(random);
      break;
    case 5:
      misalign(random.one_in(2) ? p.positions : p.page_table);
      break;
    case 6:
      *random.pick(layout) = -1;
      break;
    case 7:
      if (p.cache.type == ATTN_I8) p.cache_scale = attn_tensor();
      break;
    case 8:
      spoil(p.cache_scale, random);
      break;
    default:
      spoil(random.one_in(2) ? p.rows : p.cache, random);
  }
  return p;
}

// A row as attn_rope turns it, which has its own test, in f32.
std::vector<float> turned_row(Append &append, int64_t b, int64_t h, int64_t i) {
  std::vector<float> row;
  for (int64_t d = 0; d < append.n.d; d++)
    row.push_back(static_cast<float>(append.rows.get(b, h, i, d)));
  if (append.p.rotary.pairs == 0) return row;
  attn_rope_params p = attn_rope_params();
  p.rows = p.rotated = attn_strided(row.data(), ATTN_F32, 0, 0, 0);
  p.batch = p.heads = p.len = 1;
  p.head_size = append.n.d;
  p.rotary = append.p.rotary;
  p.position = append.key(b, i);
  REQUIRE(attn_rope(&p) == ATTN_OK);
  return row;
}

// Whether the cache's row is this one, rounded to nearest; of int8 by the scale's definition.
bool holds_row(Append &append, const std::vector<float> &row, int64_t b, int64_t h, int64_t s) {
  Data &cache = append.cache[0];
  float largest = 0;
  bool finite = true;
  for (float x : row) {
    finite = finite && (bits_of(x) & 0x7f800000u) != kInfinity;
    largest = std::max(largest, std::fabs(x));
  }
  const double scale = append.type == ATTN_I8 ? append.scales[0].get(b, h, s, 0) : 1;
  if (append.type == ATTN_I8 && !finite) return std::isnan(scale);
  if (append.type == ATTN_I8) {
    const double want = static_cast<double>(largest) / 127;
    if (std::fabs(scale - want) > kEps * want + std::ldexp(1.0, -149)) return false;
  }
  for (size_t d = 0; d < row.size(); d++) {
    const uint32_t raw = cache.raw(b, h, s, static_cast<int64_t>(d));
    if (append.type == ATTN_I8) {
      const double got = scale * int8_of(raw), x = static_cast<double>(row[d]);
      if (std::fabs(x - got) > 0.5001 * scale) return false;
    } else if (append.type == ATTN_F32) {
      if (is_nan(row[d]) ? !is_nan(from_bits(raw)) : raw != bits_of(row[d])) return false;
    } else if (!same_half(raw, narrowed(row[d], append.type), append.type)) {
      return false;
    }
  }
  return true;
}

void run_append(Random &random) {
  Append append(random);
  const attn_append_params p = append.params();
  if (random.one_in(4)) {
    const Raw cache = append.cache[0].bytes(), scales = append.scales[0].bytes();
    const attn_append_params bad = spoilt(p, random);
    if (attn_kv_append(&bad) == ATTN_OK) return;
    REQUIRE((append.cache[0].bytes() == cache && append.scales[0].bytes() == scales));
    return;
  }
  REQUIRE(attn_kv_append(&p) == ATTN_OK);
  fuzz_counts.kernels += p.len > 0;
  REQUIRE((append.cache[0].gaps_intact() && append.scales[0].gaps_intact()));
  for (int64_t b = 0; b < append.n.b; b++)
    for (int64_t h = 0; h < append.n.h; h++)
      for (int64_t i = 0; i < append.n.s; i++) {
        const int64_t key = append.key(b, i);
        if (p.ring_size && i < append.n.s - p.ring_size) continue;
        int64_t at = b, s = p.ring_size ? key % p.ring_size : key;
        if (p.page_size) {
          at = append.table[index_of(b * p.page_table_stride + key / p.page_size)];
          s = key % p.page_size;
        }
        REQUIRE(holds_row(append, turned_row(append, b, h, i), at, h, s));
      }
}

// ---- attn_weights.

attn_weights_params spoilt(attn_weights_params what, const Variant &v, int32_t *head,
                           Random &random) {
  switch (random.between(0, 5)) {
    case 0:
      set_raw(what.stage, static_cast<int>(random.one_in(2) ? 0 : random.between(5, 9)));
      break;
    case 1:
      what.first_query = no_length(random);
      break;
    case 2:
      what.queries = random.one_in(2) ? v.len_q + 1 : -1;
      break;
    case 3:
      *head = static_cast<int32_t>(random.one_in(2) ? v.heads_q : -1);
      what.heads = head;
      what.head_count = 1;
      break;
    case 4:
      what.head_count = what.heads || random.one_in(2) ? -random.between(0, 1) : 1;
      break;
    default:
      spoil(what.out, random);
  }
  return what;
}

// A key that is NaN: of rows that see it the allowed weights are, and no bit of the others changes.
void weigh_nan(VariantCall &call, attn_isa isa, const Question &q, const std::vector<float> &clean,
               Random &random) {
  const Variant &v = call.variant;
  const int64_t b = random.between(0, v.batch - 1), keys = v.keys(b);
  if (q.stage < ATTN_STAGE_BIASED || q.mean || keys == 0 || v.shared_kv) return;
  const int64_t ring = call.params.ring_size;
  const int64_t spoilt_key = random.between(ring ? std::max<int64_t>(0, keys - ring) : 0, keys - 1);
  call.spoil_key(call.k, b, spoilt_key, kNan);
  const std::vector<float> got = answer_of(call, isa, q);
  size_t at = 0;
  for (int64_t row_b = 0; row_b < v.batch; row_b++)
    for (int64_t h = 0; h < q.rows_of_heads(v); h++)
      for (int64_t i = q.first; i < q.first + q.queries; i++) {
        const auto sees = [&](int64_t j) {
          return i < v.queries(row_b) && reference::allowed(call.params, row_b, q.head(h), i, j);
        };
        const bool touched = row_b == b && sees(spoilt_key);
        for (int64_t j = 0; j < v.len_kv; j++, at++) {
          const bool nan = touched && (q.stage == ATTN_STAGE_WEIGHTS ? sees(j) : j == spoilt_key);
          REQUIRE((nan ? is_nan(got[at]) : bits_of(got[at]) == bits_of(clean[at]) || touched));
        }
      }
}

void run_weights(Random &random, Place place) {
  const uint64_t seed = index_of(random.between(0, 65535));
  VariantCase c = random_variant(random, seed, kWork);
  c.storage.place = place;
  VariantCall call(c.variant, c.seed, c.storage);
  const Question q = random_question(c.variant, random);
  const Cells out = room_for(c.variant, q, random);
  const attn_isa isa = isas()[index_of(random.between(0, static_cast<int64_t>(isas().size()) - 1))];
  if (random.one_in(6)) {
    int32_t head = 0;
    const attn_params p = params_for(call, isa);
    const attn_weights_params bad = spoilt(weights_params(q, out), c.variant, &head, random);
    const Raw before = out.bytes();
    if (attn_weights(&p, &bad, nullptr, 0) != ATTN_OK) REQUIRE(out.holds(before));
    return;
  }
  ask(call, isa, q, out);
  fuzz_counts.kernels += q.queries > 0 && c.variant.len_kv > 0;
  const std::vector<float> got = answer(c.variant, q, out);
  std::string problem = compare(call, q, got);
  if (q.stage == ATTN_STAGE_WEIGHTS) problem += compare_sums(call, q, got);
  if (problem != "")
    std::fprintf(stderr, "%s: %s; %s\n", describe(static_cast<int64_t>(seed), q).c_str(),
                 describe(c.variant).c_str(), describe(c.storage).c_str());
  REQUIRE(none(problem));
  if (random.one_in(3)) weigh_nan(call, isa, q, answer_of(call, isa, q), random);
}

// ---- Block masks and slopes.

attn_block_pattern random_pattern(Random &random) {
  attn_block_pattern w = random_window(random);
  if (random.one_in(2)) w.random_blocks = random.between(0, 4);
  w.seed = random.next();
  return w;
}

void run_anything(attn_block_pattern w, Random &random) {
  int64_t *const numbers[] = {&w.len_q,          &w.len_kv,        &w.block_q,
                              &w.block_k,        &w.offset,        &w.window_left,
                              &w.window_right,   &w.window_stride, &w.random_blocks,
                              &w.window_globals, &w.len_q,         &w.len_kv};
  for (int64_t n = random.between(1, 3); n > 0; n--) {
    int64_t *const number = random.pick(numbers);
    *number = random.one_in(2) ? out_of_range(random) : INT64_C(1) << random.between(0, 62);
  }
  size_t size = 77;
  const attn_status status = attn_block_mask_size(&w, &size);
  if (status != ATTN_OK) {
    uint8_t byte = 0x5a;
    REQUIRE(size == 77);
    REQUIRE(attn_block_mask_build(&w, &byte, 1) == status);
    REQUIRE(byte == 0x5a);
  } else if (size < 5000) {
    Raw mask(size);
    REQUIRE(attn_block_mask_build(&w, mask.data(), size) == ATTN_OK);
    for (unsigned char byte : mask) REQUIRE(byte <= 1);
  }
}

// Random blocks come to those of the window, as many as are wanted or there are.
void run_blocks(Random &random) {
  const attn_block_pattern w = random_pattern(random);
  if (random.one_in(4)) return run_anything(w, random);
  const std::vector<int> got = build(w), window = by_pairs(w);
  const int64_t columns = blocks(w.len_kv, w.block_k);
  REQUIRE(got.size() == window.size());
  fuzz_counts.kernels += !got.empty();
  for (size_t first = 0; first < got.size(); first += index_of(columns)) {
    int64_t more = 0, zeros = 0;
    for (size_t i = first; i < first + index_of(columns); i++) {
      REQUIRE(got[i] >= window[i]);
      more += got[i] - window[i];
      zeros += window[i] == 0;
    }
    REQUIRE(more == std::min(zeros, w.random_blocks));
  }
}

void run_slopes(Random &random) {
  const int64_t heads = random.between(-1, 300);
  std::vector<float> slopes(index_of(std::max<int64_t>(0, heads)));
  const attn_status status = attn_alibi_slopes(heads, slopes.data());
  REQUIRE(status == (heads < 1 ? ATTN_ERR_HEADS_Q : ATTN_OK));
  if (heads < 1) return;
  REQUIRE(attn_alibi_slopes(heads, nullptr) == ATTN_ERR_RESULT);
  fuzz_counts.kernels++;
  const std::vector<double> want = published_slopes(heads);
  for (size_t h = 0; h < want.size(); h++)
    REQUIRE(std::fabs(static_cast<double>(slopes[h]) - want[h]) <= 1.001 * kEps * want[h]);
}

// ---- Names of any value, and the instruction set of later calls.

template <class T>
T any_enum(Random &random) {
  static const int far[] = {-1, INT32_MAX, INT32_MIN, ATTN_STATUS_COUNT};
  T value;
  set_raw(value, random.one_in(4) ? random.pick(far) : static_cast<int>(random.between(0, 90)));
  return value;
}

void run_names(Random &random) {
  const attn_type type = any_enum<attn_type>(random);
  const attn_isa isa = any_enum<attn_isa>(random);
  const std::string unknown = "unknown";
  REQUIRE((attn_type_size(type) == 0) == (attn_type_name(type) == unknown));
  REQUIRE(attn_status_string(any_enum<attn_status>(random))[0] != 0);
  REQUIRE(attn_family_name(any_enum<attn_family>(random))[0] != 0);
  const bool supported = attn_isa_supported(isa);
  REQUIRE((!supported || attn_isa_name(isa) != unknown));
  int number;
  std::memcpy(&number, &isa, sizeof number);
  REQUIRE((attn_set_isa(isa) == ATTN_OK) == (supported || number == ATTN_ISA_AUTO));
  REQUIRE(attn_set_isa(ATTN_ISA_AUTO) == ATTN_OK);
  REQUIRE(attn_isa_supported(attn_cpu_isa()));
}

// The converters of each instruction set.
class SetIsa {
 public:
  explicit SetIsa(attn_isa isa) {
    REQUIRE(attn_set_isa(isa) == ATTN_OK);
  }
  ~SetIsa() {
    attn_set_isa(ATTN_ISA_AUTO);
  }
};

}  // namespace

void fuzz_helpers(const uint8_t *data, size_t size, Place place) {
  Bytes bytes(data, size);
  const int64_t what = bytes.between(0, 31);
  if (what == 31) return run_names(bytes);
  const SetIsa set(isas()[index_of(bytes.between(0, static_cast<int64_t>(isas().size()) - 1))]);
  if (what < 7) return run_append(bytes);
  if (what < 12) return run_merge(bytes);
  if (what < 17) return run_rope(bytes);
  if (what < 26) return run_weights(bytes, place);
  if (what < 30) return run_blocks(bytes);
  run_slopes(bytes);
}
