// Tensors of any element type, calls on them, and the error bound with types.
#ifndef TESTS_TYPED_HPP
#define TESTS_TYPED_HPP

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"

inline int64_t environment(const char *name, int64_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::atoll(value) : otherwise;
}

inline size_t index_of(int64_t i) {
  return static_cast<size_t>(i);
}

// ---- 16-bit floats by their definition, in double precision.

struct Format {
  int fraction_bits, least_exponent, largest_exponent;
};

inline Format format_of(attn_type type) {
  return type == ATTN_F16 ? Format{10, -14, 15} : Format{7, -126, 127};
}

inline int infinity_of(const Format &f) {
  return (f.largest_exponent - f.least_exponent + 2) << f.fraction_bits;
}

// The exact value; any NaN is kNan.
inline float widened(uint32_t half, attn_type type) {
  const Format f = format_of(type);
  const bool negative = (half >> 15 & 1) != 0;
  const int size = static_cast<int>(half & 0x7fff), one = 1 << f.fraction_bits;
  if (size > infinity_of(f)) return from_bits(kNan);
  if (size == infinity_of(f)) return from_bits(negative ? kMinusInfinity : kInfinity);
  const int exponent = size / one, fraction = size % one + (exponent > 0 ? one : 0);
  const double value = std::ldexp(static_cast<double>(fraction),
                                  f.least_exponent + std::max(exponent, 1) - 1 - f.fraction_bits);
  return static_cast<float>(negative ? -value : value);
}

// The nearest, ties to even; any NaN is 0x7fff. Codes of one sign ascend with their values.
inline uint32_t narrowed(float x, attn_type type) {
  const Format f = format_of(type);
  if (is_nan(x)) return 0x7fff;
  const uint32_t sign = bits_of(x) >> 31 << 15;
  const double size = (bits_of(x) & 0x7fffffffu) == kInfinity ? std::ldexp(1.0, 200)
                                                              : std::fabs(static_cast<double>(x));
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, f.least_exponent);
  if (exponent > f.largest_exponent) return sign | static_cast<uint32_t>(infinity_of(f));
  const double units = std::nearbyint(std::ldexp(size, f.fraction_bits - exponent));
  const int code = ((exponent - f.least_exponent) << f.fraction_bits) + static_cast<int>(units);
  return sign | static_cast<uint32_t>(code);
}

inline bool is_nan_half(uint32_t half, attn_type type) {
  return static_cast<int>(half & 0x7fff) > infinity_of(format_of(type));
}

inline bool same_half(uint32_t got, uint32_t want, attn_type type) {
  return got == want || (is_nan_half(got, type) && is_nan_half(want, type));
}

// Half the distance of neighbours of this size.
inline double half_ulp(attn_type type, double size) {
  if (type == ATTN_F32) return 0;
  const Format f = format_of(type);
  const int exponent = size > 0 ? std::max(std::ilogb(size), f.least_exponent) : f.least_exponent;
  return std::ldexp(1.0, exponent - f.fraction_bits - 1);
}

// ---- Elements of any type, as the bits that lie in memory.

inline uint32_t encoded(float x, attn_type type, float scale) {
  if (type == ATTN_F32) return bits_of(x);
  if (type != ATTN_I8) return narrowed(x, type);
  if (scale == 0) return 0;
  const double q = std::nearbyint(static_cast<double>(x) / static_cast<double>(scale));
  return static_cast<uint32_t>(static_cast<int>(std::max(-127.0, std::min(127.0, q)))) & 0xffu;
}

inline int int8_of(uint32_t raw) {
  return raw < 128 ? static_cast<int>(raw) : static_cast<int>(raw) - 256;
}

inline float decoded(uint32_t raw, attn_type type, float scale) {
  if (type == ATTN_F32) return from_bits(raw);
  if (type != ATTN_I8) return widened(raw, type);
  return static_cast<float>(static_cast<double>(int8_of(raw)) * static_cast<double>(scale));
}

// A NaN that no arithmetic produces; of int8, which has none, just a number.
inline uint32_t poison_of(attn_type type) {
  static const uint32_t poisons[] = {kPoison, 0x7e5a, 0x7fda, 0x5a};
  return poisons[type];
}

// The upper bits of an f32 infinity or NaN, as an element.
inline uint32_t unusable(uint32_t bits, attn_type type) {
  if (type == ATTN_F32) return bits;
  if (type == ATTN_I8) return 0x5a;
  return narrowed(from_bits(bits), type);
}

// Elements of a type with the extents and strides of an f32 tensor; every cell starts as poison.
// Copies share memory.
class Typed {
 public:
  Typed(const Tensor &shape, attn_type type, Place place = Place::heap, int64_t shift = 0)
      : shape_(shape),
        type_(type),
        memory_(index_of(shape.cells()) * attn_type_size(type), place,
                index_of(shift) * attn_type_size(type)) {
    fill_poison();
  }
  attn_type type() const {
    return type_;
  }
  int64_t cell(int64_t b, int64_t h, int64_t s, int64_t d) const {
    const Strides t = shape_.strides();
    return b * t.b + h * t.h + s * t.s + d;
  }
  unsigned char *address(int64_t cell_index) const {
    const int64_t size = static_cast<int64_t>(attn_type_size(type_));
    return memory_.data() + (cell_index - shape_.first_cell()) * size;
  }
  attn_tensor view() const {
    const Strides t = shape_.strides();
    return attn_strided(address(0), type_, t.b, t.h, t.s);
  }
  void put(int64_t cell_index, uint32_t raw) const {
    const uint16_t half = static_cast<uint16_t>(raw & 0xffffu);
    const unsigned char byte = static_cast<unsigned char>(raw & 0xffu);
    if (type_ == ATTN_F32) std::memcpy(address(cell_index), &raw, 4);
    if (type_ == ATTN_F16 || type_ == ATTN_BF16) std::memcpy(address(cell_index), &half, 2);
    if (type_ == ATTN_I8) *address(cell_index) = byte;
  }
  uint32_t get(int64_t cell_index) const {
    uint32_t raw = 0;
    uint16_t half = 0;
    if (type_ == ATTN_I8) return *address(cell_index);
    if (type_ == ATTN_F32) {
      std::memcpy(&raw, address(cell_index), 4);
      return raw;
    }
    std::memcpy(&half, address(cell_index), 2);
    return half;
  }
  void fill_poison() const {
    for (int64_t i = 0; i < shape_.cells(); i++) put(shape_.first_cell() + i, poison_of(type_));
  }
  // Every feature at a position, in every batch entry and head.
  void fill_rows(int64_t first, int64_t last, uint32_t raw) const {
    const Extents e = shape_.extents();
    for (int64_t b = 0; b < e.b; b++)
      for (int64_t h = 0; h < e.h; h++)
        for (int64_t s = first; s <= last; s++)
          for (int64_t d = 0; d < e.d; d++) put(cell(b, h, s, d), raw);
  }
  uint64_t checksum() const {
    const size_t bytes = index_of(shape_.cells()) * attn_type_size(type_);
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; i++) sum = sum * 31 + memory_.data()[i];
    return sum;
  }
  std::string gaps_problem() const {
    const std::vector<bool> mask = shape_.element_mask();
    for (int64_t i = 0; i < shape_.cells(); i++) {
      if (mask[index_of(i)] || get(shape_.first_cell() + i) == poison_of(type_)) continue;
      return "a gap was written, at " + std::to_string(shape_.first_cell() + i);
    }
    return "";
  }
  const Tensor &shape() const {
    return shape_;
  }

 private:
  Tensor shape_;
  attn_type type_;
  Memory memory_;
};

// ---- Calls.

struct Types {
  attn_type q, k, v, o;
};

inline std::string describe(const Types &t) {
  return std::string("q ") + attn_type_name(t.q) + ", k " + attn_type_name(t.k) + ", v " +
         attn_type_name(t.v) + ", o " + attn_type_name(t.o);
}

inline Tensor scales_like(const Tensor &rows, uint64_t seed, Layout layout, const Placement &at) {
  Random random(seed);
  Extents extents = rows.extents();
  extents.d = 1;
  Strides strides = make_strides(layout, extents, random);
  if (rows.strides().b == 0) strides.b = 0;  // rows that are one have one scale
  return Tensor(extents, strides, at.place, at.shift);
}

// Whether the call's kernels multiply bf16 by instructions for it.
inline bool multiplies_bf16(const attn_params &params) {
  attn_plan plan;
  attn_plan_info info;
  REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
  REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
  const bool qk = std::strstr(info.kernel_qk, " prefill qk bf16 ") != nullptr;
  const bool pv = std::strstr(info.kernel_pv, " prefill pv bf16 ") != nullptr;
  REQUIRE(qk == pv);
  return qk;
}

// A call whose data is that of an f32 call, rounded to the types; the f32 call holds the exact
// values of the elements, for the reference, and receives the output. Where no query may see, data
// and scales are `unseen`.
struct TypedCall {
  TypedCall(const Spec &spec, uint64_t seed, Types t, const Placement &at = Placement(),
            uint32_t unseen = kNan)
      : call(spec, seed, at),
        types(t),
        q(call.q, t.q, at.place, at.shift),
        k(call.k, t.k, at.place, at.shift),
        v(call.v, t.v, at.place, at.shift),
        o(call.o, t.o, at.place, at.shift),
        k_scale(scales_like(call.k, seed + 30, at.lse, at)),
        v_scale(scales_like(call.v, seed + 31, at.o, at)) {
    take(unseen, seed);
    call.params.q = q.view();
    call.params.k = k.view();
    call.params.v = v.view();
    call.params.o = o.view();
    if (t.k == ATTN_I8) call.params.k_scale = k_scale.view();
    if (t.v == ATTN_I8) call.params.v_scale = v_scale.view();
    reference_params = call.params;
    reference_params.q = call.q.view();
    reference_params.k = call.k.view();
    reference_params.v = call.v.view();
    reference_params.o = call.o.view();
    reference_params.k_scale = reference_params.v_scale = attn_tensor();
  }

  // The data of the f32 call, once more.
  void take(uint32_t unseen, uint64_t seed) const {
    const int64_t seen = visible_keys(call.spec), last = call.k.extents().s - 1;
    const Tensor no_scale(Extents{0, 0, 0, 0}, Strides{0, 0, 0});
    round(call.q, q, no_scale, call.spec.len_q);
    if (types.k == ATTN_I8) choose_scales(call.k, k_scale, seen, seed + 40);
    if (types.v == ATTN_I8) choose_scales(call.v, v_scale, seen, seed + 41);
    round(call.k, k, k_scale, seen);
    round(call.v, v, v_scale, seen);
    k.fill_rows(seen, last, unusable(unseen, types.k));
    v.fill_rows(seen, last, unusable(unseen, types.v));
    k_scale.fill_rows(seen, last, unseen);
    v_scale.fill_rows(seen, last, unseen);
  }

  // About max / 127, or less, so that some elements saturate, or negative, or 0. In half of the
  // calls of 16 significant bits, so that the products with the elements are floats; in the others
  // the reference takes the rounded products, as prefill does, which costs decode some of the
  // bound.
  static void choose_scales(const Tensor &x, const Tensor &scale, int64_t rows, uint64_t seed) {
    const Extents e = x.extents();
    const uint32_t mask = seed % 4 < 2 ? ~0xffu : ~0u;
    Random random(seed);
    for (int64_t b = 0; b < e.b; b++)
      for (int64_t h = 0; h < e.h; h++)
        for (int64_t s = 0; s < rows; s++) {
          float largest = 0;
          for (int64_t d = 0; d < e.d; d++)
            largest = std::max(largest, std::fabs(x.at(b, h, s, d)));
          float value = largest / 127 * (0.8f + 0.4f * random.uniform());
          if (random.one_in(8)) value = -value;
          if (random.one_in(30)) value = 0;
          scale.at(b, h, s, 0) = from_bits(bits_of(value) & mask);
        }
  }

  static void round(const Tensor &exact, const Typed &to, const Tensor &scale, int64_t rows) {
    const Extents e = exact.extents();
    for (int64_t b = 0; b < e.b; b++)
      for (int64_t h = 0; h < e.h; h++)
        for (int64_t s = 0; s < rows; s++)
          for (int64_t d = 0; d < e.d; d++) {
            const float unit = to.type() == ATTN_I8 ? scale.at(b, h, s, 0) : 1;
            const uint32_t raw = encoded(exact.at(b, h, s, d), to.type(), unit);
            to.put(to.cell(b, h, s, d), raw);
          }
    // Afterwards, since rows may be shared.
    for (int64_t b = 0; b < e.b; b++)
      for (int64_t h = 0; h < e.h; h++)
        for (int64_t s = 0; s < rows; s++)
          for (int64_t d = 0; d < e.d; d++) {
            const float unit = to.type() == ATTN_I8 ? scale.at(b, h, s, 0) : 1;
            exact.at(b, h, s, d) = decoded(to.get(to.cell(b, h, s, d)), to.type(), unit);
          }
  }

  uint64_t inputs() const {
    uint64_t sum = q.checksum() * 31 + k.checksum();
    sum = (sum * 31 + v.checksum()) * 31 + k_scale.checksum();
    return sum * 31 + v_scale.checksum();
  }

  // o, widened into the f32 call's o.
  void give() const {
    const Extents e = call.o.extents();
    for (int64_t b = 0; b < e.b; b++)
      for (int64_t h = 0; h < e.h; h++)
        for (int64_t s = 0; s < e.s; s++)
          for (int64_t d = 0; d < e.d; d++)
            call.o.at(b, h, s, d) = decoded(o.get(o.cell(b, h, s, d)), types.o, 1);
  }

  // attn_forward, or a plan on so many threads; nothing but o and lse may change.
  Output run(Path path, int threads = 0, uint64_t order_seed = 0) const {
    INFO(describe(types));
    o.fill_poison();
    const uint64_t before = inputs();
    multiplied_bf16 = multiplies_bf16(params_on(call, path));
    Output output = threads == 0 ? ::run(call, path) : run_plan(call, path, threads, order_seed);
    REQUIRE(inputs() == before);
    REQUIRE(o.gaps_problem() == "");
    give();
    output.o = call.o.values();
    return output;
  }

  Call call;
  Types types;
  Typed q, k, v, o;
  Tensor k_scale, v_scale;
  attn_params reference_params;          // the f32 call's
  mutable bool multiplied_bf16 = false;  // by the last run
};

// Errors over their limits, as reference::compare; with half a unit of the output's type, and the
// rounding of the weights where bf16 was multiplied.
inline std::string compare(const TypedCall &typed, const std::vector<reference::Row> &rows,
                           reference::Accuracy *accuracy) {
  using namespace reference;
  const Call &call = typed.call;
  const std::vector<float> o = call.o.values();
  const std::vector<float> lse = call.lse.values();
  std::ostringstream problem;
  for (size_t r = 0; r < rows.size(); r++) {
    const Row &row = rows[r];
    const double weights = typed.multiplied_bf16 ? std::ldexp(row.max_v, -8) : 0;
    const double bound = row.max_v * kEps * (kC1 * (1 + row.magnitude) + kC2) + weights;
    for (size_t d = 0; d < row.o.size(); d++) {
      const float got = o[r * row.o.size() + d];
      const double limit = bound + half_ulp(typed.types.o, std::fabs(row.o[d]) + bound);
      const double error = std::fabs(static_cast<double>(got) - row.o[d]);
      const double ratio = is_nan(got) ? 1e30 : error > 0 ? error / limit : 0;
      if (typed.types.o == ATTN_F32) accuracy->o = std::max(accuracy->o, ratio);
      if (ratio <= 1) continue;
      problem << "o, row " << r << ", feature " << d << " is " << got << ", not " << row.o[d]
              << ", " << ratio << " times the bound\n";
      return problem.str();
    }
    if (!call.spec.lse) continue;
    const double limit = kEps * (kC1Lse * (1 + row.magnitude) + kC2);
    double ratio = std::fabs(static_cast<double>(lse[r]) - row.lse) / limit;
    if (row.empty) ratio = bits_of(lse[r]) == kMinusInfinity ? 0 : 1e30;
    if (is_nan(lse[r])) ratio = 1e30;
    accuracy->lse = std::max(accuracy->lse, ratio);
    if (ratio <= 1) continue;
    problem << "lse, row " << r << " is " << lse[r] << ", not " << row.lse << ", " << ratio
            << " times the bound\n";
    return problem.str();
  }
  return "";
}

inline std::string compare(const TypedCall &typed) {
  reference::Accuracy accuracy;
  return compare(typed, reference::attention(typed.reference_params), &accuracy);
}

// ---- Rows.

inline const void *row_at(const Typed &x, int64_t b, int64_t h, int64_t s) {
  return x.address(x.cell(b, h, s, 0));
}

// Every row of a call, once more in a call of its own.
inline void check_rows_alone(const Spec &spec, Path path, const Types &types) {
  const TypedCall typed(spec, 6, types);
  const Output together = typed.run(path);
  const int64_t group = spec.heads_q / spec.heads_kv;
  const Tensor one({1, 1, 1, spec.head_size_v}, {0, 0, 0});
  for (int64_t b = 0; b < spec.batch; b++)
    for (int64_t h = 0; h < spec.heads_q; h++)
      for (int64_t i = 0; i < spec.len_q; i++) {
        const Typed o(one, types.o);
        float lse = from_bits(kPoison);
        attn_params p = params_on(typed.call, path);
        p.batch = p.heads_q = p.heads_kv = p.len_q = 1;
        p.q.data = const_cast<void *>(row_at(typed.q, b, h, i));
        p.k.data = const_cast<void *>(row_at(typed.k, b, h / group, 0));
        p.v.data = const_cast<void *>(row_at(typed.v, b, h / group, 0));
        if (p.k_scale.data) p.k_scale.data = &typed.k_scale.at(b, h / group, 0, 0);
        if (p.v_scale.data) p.v_scale.data = &typed.v_scale.at(b, h / group, 0, 0);
        p.o = o.view();
        p.lse = attn_strided(&lse, ATTN_F32, 0, 0, 0);
        p.align = ATTN_ALIGN_OFFSET;
        p.offset = offset_of(spec) + i;
        REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
        Output alone;
        for (int64_t d = 0; d < spec.head_size_v; d++) {
          alone.o.push_back(decoded(o.get(d), types.o, 1));
        }
        alone.lse.push_back(lse);
        const std::string problem = difference(alone, row_of(together, spec, b, h, i));
        if (problem == "") continue;
        FAIL_CHECK(path.name() << ", " << describe(types) << ", head " << h << ", row " << i
                               << " of " << describe(spec) << ": " << problem);
      }
}

#endif
