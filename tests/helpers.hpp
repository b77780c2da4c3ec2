// The functions beside attention, each with its formula in double precision: calls of attn_merge
// and attn_rope, ALiBi's slopes, block masks.
#ifndef TESTS_HELPERS_HPP
#define TESTS_HELPERS_HPP

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "catch.hpp"
#include "elements.hpp"
#include "support.hpp"

const attn_type kFloats[] = {ATTN_F32, ATTN_F16, ATTN_BF16};
const attn_type kAll[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};
const double kEps = 1.0 / 16777216;  // 2^-24

// ---- Tensors of any type, with poison around their elements.

// The rounding of a result to a type: of |x|, and at least.
inline double rounding_of(attn_type type, double x) {
  if (type == ATTN_F16) return std::max(std::ldexp(std::fabs(x), -11), std::ldexp(1.0, -25));
  if (type == ATTN_BF16) return std::max(std::ldexp(std::fabs(x), -8), std::ldexp(1.0, -134));
  return std::max(std::ldexp(std::fabs(x), -24), std::ldexp(1.0, -150));
}

inline double decoded(uint32_t raw, attn_type type) {
  if (type == ATTN_F32) return static_cast<double>(from_bits(raw));
  if (type == ATTN_BF16) return static_cast<double>(from_bits(raw << 16));
  const int sign = raw >> 15 & 1 ? -1 : 1, exponent = static_cast<int>(raw >> 10 & 31);
  const int fraction = static_cast<int>(raw & 1023);
  if (exponent == 31) return static_cast<double>(from_bits(fraction ? kNan : kInfinity)) * sign;
  return sign * std::ldexp(fraction + (exponent > 0 ? 1024 : 0), std::max(exponent, 1) - 25);
}

// Some number of about this size that the type holds exactly.
inline uint32_t encoded(float x, attn_type type) {
  if (type == ATTN_F32) return bits_of(x);
  if (type == ATTN_BF16) return bits_of(x) >> 16;
  const uint32_t sign = bits_of(x) >> 16 & 0x8000u;
  const int exponent = static_cast<int>(bits_of(x) >> 23 & 255) - 112;
  if (exponent == 143) return sign | (is_nan(x) ? 0x7e00u : 0x7c00u);
  if (exponent < 1 || exponent > 30) return sign;
  return sign | static_cast<uint32_t>(exponent) << 10 | (bits_of(x) >> 13 & 1023u);
}

class Data {
 public:
  Data(attn_type type, Extents extents, Layout layout = Layout::bhsd, uint64_t seed = 1)
      : type_(type), shape_(make_shape(extents, layout, seed)) {
    bytes_.assign(index_of(shape_.cells()) * attn_type_size(type), 0x5a);
  }

  attn_type type() const {
    return type_;
  }
  attn_tensor view() {
    const Strides t = shape_.strides();
    return attn_strided(at(0, 0, 0, 0), type_, t.b, t.h, t.s);
  }
  unsigned char *at(int64_t b, int64_t h, int64_t s, int64_t d) {
    const Strides t = shape_.strides();
    const int64_t cell = b * t.b + h * t.h + s * t.s + d - shape_.first_cell();
    return bytes_.data() + index_of(cell) * attn_type_size(type_);
  }
  uint32_t raw(int64_t b, int64_t h, int64_t s, int64_t d) {
    return load_raw(at(b, h, s, d), type_);
  }
  double get(int64_t b, int64_t h, int64_t s, int64_t d) {
    return decoded(raw(b, h, s, d), type_);
  }
  void put(int64_t b, int64_t h, int64_t s, int64_t d, float x) {
    store_raw(at(b, h, s, d), type_, encoded(x, type_));
  }
  void each(const std::function<void(int64_t, int64_t, int64_t, int64_t)> &visit) const {
    const Extents n = shape_.extents();
    for (int64_t b = 0; b < n.b; b++)
      for (int64_t h = 0; h < n.h; h++)
        for (int64_t s = 0; s < n.s; s++)
          for (int64_t d = 0; d < n.d; d++) visit(b, h, s, d);
  }
  void fill(uint64_t seed, float size = 1) {
    Random random(seed);
    each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      put(b, h, s, d, size * random.gaussian());
    });
  }
  void fill_with(float x) {
    each([&](int64_t b, int64_t h, int64_t s, int64_t d) { put(b, h, s, d, x); });
  }
  bool gaps_intact() const {
    const std::vector<bool> inside = shape_.element_mask();
    const size_t size = attn_type_size(type_);
    for (size_t i = 0; i < bytes_.size(); i++) {
      if (!inside[i / size] && bytes_[i] != 0x5a) return false;
    }
    return true;
  }
  const std::vector<unsigned char> &bytes() const {
    return bytes_;
  }

 private:
  static Tensor make_shape(Extents extents, Layout layout, uint64_t seed) {
    Random random(seed);
    return Tensor(extents, make_strides(layout, extents, random));
  }

  attn_type type_;
  Tensor shape_;
  std::vector<unsigned char> bytes_;
};

// ---- attn_alibi_slopes.

// As the authors publish them: for a power of two a geometric sequence, else that of the power of
// two below, followed by every other one of twice as many heads.
inline std::vector<double> published_slopes(int64_t heads) {
  int64_t below = 1;
  while (below * 2 <= heads) below *= 2;
  std::vector<double> slopes;
  const double start = std::pow(2.0, -8.0 / static_cast<double>(below));
  for (int64_t i = 1; i <= below; i++) slopes.push_back(std::pow(start, static_cast<double>(i)));
  if (below == heads) return slopes;
  const std::vector<double> more = published_slopes(2 * below);
  for (size_t i = 0; slopes.size() < index_of(heads); i += 2) slopes.push_back(more[i]);
  return slopes;
}

// ---- attn_merge.

struct Merge {
  Merge(const std::vector<attn_type> &types, attn_type to, Extents n, Layout layout, uint64_t seed)
      : extents(n), o(to, n, layout, 90), lse(ATTN_F32, Extents{n.b, n.h, n.s, 1}, layout, 91) {
    for (size_t i = 0; i < types.size(); i++) {
      o_parts.push_back(Data(types[i], n, layout, seed + i));
      lse_parts.push_back(Data(ATTN_F32, Extents{n.b, n.h, n.s, 1}, layout, seed + 20 + i));
      o_parts[i].fill(seed + 40 + i);
      lse_parts[i].fill(seed + 60 + i, 3);
    }
  }

  // The parts' tensors go to the lists.
  attn_merge_params params(std::vector<attn_tensor> &o_views, std::vector<attn_tensor> &lse_views) {
    for (Data &x : o_parts) o_views.push_back(x.view());
    for (Data &x : lse_parts) lse_views.push_back(x.view());
    attn_merge_params p = attn_merge_params();
    p.o_parts = o_views.data();
    p.lse_parts = lse_views.data();
    p.parts = static_cast<int64_t>(o_parts.size());
    p.o = o_at < 0 ? o.view() : o_parts[index_of(o_at)].view();
    p.lse = lse_at < 0 ? lse.view() : lse_parts[index_of(lse_at)].view();
    if (!with_lse) p.lse.data = nullptr;
    p.batch = extents.b;
    p.heads = extents.h;
    p.len = extents.s;
    p.head_size_v = extents.d;
    p.sinks = sinks.empty() ? nullptr : sinks.data();
    return p;
  }

  attn_status run() {
    std::vector<attn_tensor> o_views, lse_views;
    const attn_merge_params p = params(o_views, lse_views);
    return attn_merge(&p);
  }

  // What is wrong with the results, by the formula.
  std::string problem() {
    int wrong = 0;
    for (int64_t b = 0; b < extents.b; b++)
      for (int64_t h = 0; h < extents.h; h++)
        for (int64_t s = 0; s < extents.s; s++) {
          double sum = sinks.empty() ? 0 : std::exp(static_cast<double>(sinks[index_of(h)]));
          for (Data &x : lse_parts) sum += weight(x.get(b, h, s, 0));
          const double want = std::log(sum), got = lse.get(b, h, s, 0);
          if (sum == 0 && bits_of(static_cast<float>(got)) != kMinusInfinity) wrong++;
          if (sum > 0 && !(std::fabs(got - want) <= 1.01 * kEps * std::fabs(want))) wrong++;
          for (int64_t d = 0; d < extents.d; d++) {
            double value = 0, magnitude = 0;
            for (size_t i = 0; i < o_parts.size(); i++) {
              const double w = weight(lse_parts[i].get(b, h, s, 0));
              if (w == 0) continue;
              value += w / sum * o_parts[i].get(b, h, s, d);
              magnitude += w / sum * std::fabs(o_parts[i].get(b, h, s, d));
            }
            const double bound =
                rounding_of(o.type(), value) * 1.01 + kEps * (std::fabs(value) + magnitude * 1e-6);
            if (!(std::fabs(o.get(b, h, s, d) - value) <= bound)) wrong++;
          }
        }
    return wrong == 0 ? "" : std::to_string(wrong) + " numbers are wrong";
  }
  static double weight(double lse_part) {
    return bits_of(static_cast<float>(lse_part)) == kMinusInfinity ? 0 : std::exp(lse_part);
  }

  Extents extents;
  Data o, lse;
  std::vector<Data> o_parts, lse_parts;
  std::vector<float> sinks;
  int o_at = -1, lse_at = -1;  // which part is the output; -1: none
  bool with_lse = true;
};

// ---- attn_rope.

const Extents kRows = {2, 3, 4, 40};

struct Rope {
  Rope(attn_type from, attn_type to, Layout layout, attn_pairs pairs, Extents n = kRows)
      : rows(from, n, layout, 3), rotated(to, n, layout, 4), params(attn_rope_params()) {
    rows.fill(5);
    params.batch = n.b;
    params.heads = n.h;
    params.len = n.s;
    params.head_size = n.d;
    params.rotary.pairs = pairs;
  }

  attn_status run() {
    params.rows = rows.view();
    params.rotated = in_place ? rows.view() : rotated.view();
    return attn_rope(&params);
  }

  int64_t position(int64_t b, int64_t s) const {
    if (params.row_positions) return params.position + params.row_positions[b * params.len + s];
    return params.position + (params.positions ? params.positions[b] : 0) + s;
  }

  // By the formula; rows as they were before.
  std::string problem(Data &before) {
    const int64_t n = params.rotary.size ? params.rotary.size : params.head_size;
    const double theta = params.rotary.theta > 0 ? static_cast<double>(params.rotary.theta) : 10000;
    const bool interleaved = params.rotary.pairs == ATTN_PAIRS_INTERLEAVED;
    Data &out = in_place ? rows : rotated;
    int wrong = 0;
    out.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      const double x = before.get(b, h, s, d), got = out.get(b, h, s, d);
      double want = x, bound = rounding_of(out.type(), x);
      if (d < n) {
        const int64_t i = interleaved ? d / 2 : d % (n / 2);
        const bool is_first = interleaved ? d % 2 == 0 : d < n / 2;
        const int64_t other = interleaved ? d ^ 1 : (d + n / 2) % n;
        const long double angle =
            static_cast<long double>(position(b, s)) *
            std::pow(static_cast<long double>(theta),
                     -2.0L * static_cast<long double>(i) / static_cast<long double>(n));
        const double c = static_cast<double>(std::cos(angle)),
                     t = static_cast<double>(std::sin(angle)), y = before.get(b, h, s, other);
        want = is_first ? x * c - y * t : y * t + x * c;
        bound = 2 * kEps * (std::fabs(x) + std::fabs(y)) + rounding_of(out.type(), want);
      }
      if (!(std::fabs(got - want) <= 1.01 * bound)) wrong++;
    });
    return wrong == 0 ? "" : std::to_string(wrong) + " numbers are wrong";
  }

  Data rows, rotated;
  attn_rope_params params;
  bool in_place = false;
};

// ---- attn_block_mask_build.

inline attn_block_pattern random_window(Random &random) {
  attn_block_pattern w = attn_block_pattern();
  w.len_q = random.between(0, 40);
  w.len_kv = random.between(0, 40);
  w.block_q = random.between(1, 12);
  w.block_k = random.between(1, 12);
  w.offset = random.one_in(2) ? w.len_kv - w.len_q : random.between(-50, 50);
  w.window = !random.one_in(8);
  if (w.window) {
    w.window_left = random.between(-1, 15);
    w.window_right = random.between(-1, 15);
    if (random.one_in(2)) w.window_globals = random.between(0, 9);
    if (random.one_in(2)) w.window_stride = random.between(0, 20);
  }
  return w;
}

inline std::vector<int> build(const attn_block_pattern &pattern) {
  size_t size = 99;
  REQUIRE(attn_block_mask_size(&pattern, &size) == ATTN_OK);
  std::vector<uint8_t> mask(size + 3, 0x5a);
  REQUIRE(attn_block_mask_build(&pattern, mask.data(), size) == ATTN_OK);
  for (size_t i = size; i < mask.size(); i++) REQUIRE(mask[i] == 0x5a);
  return std::vector<int>(mask.begin(), mask.begin() + static_cast<std::ptrdiff_t>(size));
}

inline int64_t blocks(int64_t len, int64_t block) {
  return (len + block - 1) / block;
}

inline bool allowed(const attn_block_pattern &w, int64_t i, int64_t j) {
  const int64_t p = i + w.offset, n = w.window_stride;
  if (!w.window) return false;
  if ((w.window_left < 0 || j >= p - w.window_left) &&
      (w.window_right < 0 || j <= p + w.window_right)) {
    return true;
  }
  if (j < w.window_globals || (p >= 0 && p < w.window_globals)) return true;
  return n > 0 && (p - j) % n == 0;
}

// Every pair.
inline std::vector<int> by_pairs(const attn_block_pattern &w) {
  const int64_t columns = blocks(w.len_kv, w.block_k);
  std::vector<int> mask(index_of(blocks(w.len_q, w.block_q) * columns));
  for (int64_t i = 0; i < w.len_q; i++)
    for (int64_t j = 0; j < w.len_kv; j++) {
      if (allowed(w, i, j)) mask[index_of(i / w.block_q * columns + j / w.block_k)] = 1;
    }
  return mask;
}

#endif
