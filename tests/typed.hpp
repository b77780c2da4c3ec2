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
#include "elements.hpp"
#include "reference.hpp"
#include "support.hpp"

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
    store_raw(address(cell_index), type_, raw);
  }
  uint32_t get(int64_t cell_index) const {
    return load_raw(address(cell_index), type_);
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
    const double weights = typed.multiplied_bf16 ? kBf16Weights * row.max_v : 0;
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
