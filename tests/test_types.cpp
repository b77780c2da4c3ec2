// Element types: conversions, mixes of types in q, k, v and o, caches of int8 with scales, and
// attn_kv_append. The environment variable ATTN_SWEEP sets the number of random cases;
// ATTN_TYPES_CASE runs that one alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cfloat>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "elements.hpp"
#include "reference.hpp"
#include "support.hpp"
#include "typed.hpp"

namespace {

const attn_type kFloats[] = {ATTN_F32, ATTN_F16, ATTN_BF16};
const attn_type kHalves[] = {ATTN_F16, ATTN_BF16};
const attn_type kAll[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};

// Mixes in which every type stands at every place.
const Types kMixes[] = {{ATTN_F32, ATTN_F16, ATTN_I8, ATTN_BF16},
                        {ATTN_F16, ATTN_BF16, ATTN_F32, ATTN_F32},
                        {ATTN_BF16, ATTN_I8, ATTN_F16, ATTN_F32},
                        {ATTN_F32, ATTN_F32, ATTN_BF16, ATTN_F16},
                        {ATTN_F16, ATTN_I8, ATTN_I8, ATTN_F16}};

}  // namespace

// ---- Conversions.

namespace {

// attn_kv_append of a list, 64 elements to a row; the list is made longer to a multiple of that.
template <class From, class To>
std::vector<To> append_list(std::vector<From> from, attn_type from_type, attn_type to_type) {
  from.resize((from.size() + 63) / 64 * 64);
  std::vector<To> to(from.size());
  const int64_t rows = static_cast<int64_t>(from.size() / 64);
  attn_append_params p = attn_append_params();
  p.rows = attn_bhsd(from.data(), from_type, rows, 1, 64);
  p.cache = attn_bhsd(to.data(), to_type, rows, 1, 64);
  p.batch = p.heads = 1;
  p.len = rows;
  p.size = 64;
  REQUIRE(attn_kv_append(&p) == ATTN_OK);
  return to;
}

// f32 on and beside every value of a type, and on and beside the middle of every two neighbours.
std::vector<float> edges_of(attn_type type) {
  const Format f = format_of(type);
  std::vector<float> list;
  for (int code = 0; code < infinity_of(f); code++) {
    const double low = static_cast<double>(widened(static_cast<uint32_t>(code), type));
    const double high = code + 1 < infinity_of(f)
                            ? static_cast<double>(widened(static_cast<uint32_t>(code + 1), type))
                            : std::ldexp(1.0, f.largest_exponent + 1);
    for (double x : {low, (low + high) / 2}) {
      const float middle = static_cast<float>(x);
      const uint32_t bits = bits_of(middle);
      if (static_cast<double>(middle) != x) FAIL("a middle is no float");
      for (uint32_t near : {bits == 0 ? 0 : bits - 1, bits, bits + 1}) {
        list.push_back(from_bits(near));
        list.push_back(from_bits(near | 0x80000000u));
      }
    }
  }
  const uint32_t others[] = {kInfinity,   kMinusInfinity, kNan,        kPoison,     0x7f800001u,
                             0xff800001u, 0xffffffffu,    0x7fffe000u, 0x7f7fffffu, 0x00000001u};
  for (uint32_t bits : others) list.push_back(from_bits(bits));
  return list;
}

}  // namespace

TEST_CASE("Sizes and names of the types", "[types]") {
  const size_t sizes[] = {4, 2, 2, 1, 1};
  const char *const names[] = {"f32", "f16", "bf16", "i8", "bool"};
  for (attn_type type : {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8, ATTN_BOOL}) {
    CHECK(attn_type_size(type) == sizes[type]);
    CHECK(std::string(attn_type_name(type)) == names[type]);
  }
  for (int value : {5, 7, -1, INT32_MAX}) {
    attn_type type;
    std::memcpy(&type, &value, sizeof type);
    CHECK(attn_type_size(type) == 0);
    CHECK(std::string(attn_type_name(type)) == "unknown");
  }
}

TEST_CASE("Every 16-bit float becomes the f32 of its value", "[types]") {
  for (attn_type type : kHalves) {
    std::vector<uint16_t> all;
    for (uint32_t i = 0; i < 65536; i++) all.push_back(static_cast<uint16_t>(i));
    const std::vector<float> got = append_list<uint16_t, float>(all, type, ATTN_F32);
    int wrong = 0;
    for (uint32_t i = 0; i < 65536; i++) {
      const float want = widened(i, type);
      const bool right = is_nan(want) ? is_nan(got[i]) : bits_of(got[i]) == bits_of(want);
      if (right || wrong++ > 3) continue;
      FAIL_CHECK(attn_type_name(type) << " " << i << " became " << got[i] << ", not " << want);
    }
  }
}

TEST_CASE("f32 is rounded to the nearest 16-bit float, ties to even", "[types]") {
  CHECK(narrowed(65519.996f, ATTN_F16) == 0x7bff);  // the reference itself
  CHECK(narrowed(65520.0f, ATTN_F16) == 0x7c00);
  CHECK(narrowed(std::ldexp(1.0f, -25), ATTN_F16) == 0);
  CHECK(narrowed(std::ldexp(3.0f, -25), ATTN_F16) == 2);
  CHECK(narrowed(-1.0f, ATTN_BF16) == 0xbf80);
  Random random(1);
  const int64_t count = 5000 * environment("ATTN_SWEEP", 400);
  for (attn_type type : kHalves) {
    std::vector<float> list = edges_of(type);
    for (int64_t i = 0; i < count; i++) {
      list.push_back(from_bits(static_cast<uint32_t>(random.next() >> 32)));
    }
    const std::vector<uint16_t> got = append_list<float, uint16_t>(list, ATTN_F32, type);
    int wrong = 0;
    for (size_t i = 0; i < list.size(); i++) {
      const uint32_t want = narrowed(list[i], type);
      if (same_half(got[i], want, type) || wrong++ > 3) continue;
      FAIL_CHECK(list[i] << " became " << attn_type_name(type) << " " << got[i] << ", not "
                         << want);
    }
  }
}

namespace {

// Attention over one key: every output is a value. `size` values to a head.
struct OneKey {
  OneKey(attn_type v_type, attn_type o_type, int64_t count, int64_t size)
      : heads((count + size - 1) / size),
        v(index_of(heads * size) * attn_type_size(v_type)),
        o(index_of(heads * size) * attn_type_size(o_type)),
        params(attn_params_init()) {
    params.batch = params.len_q = params.len_kv = params.head_size = 1;
    params.heads_q = heads;
    params.head_size_v = size;
    params.q = params.k = attn_strided(&zero, ATTN_F32, 0, 0, 0);
    params.v = attn_bhsd(v.data(), v_type, 1, heads, size);
    params.o = attn_bhsd(o.data(), o_type, 1, heads, size);
  }
  OneKey(const OneKey &) = delete;
  OneKey &operator=(const OneKey &) = delete;
  void run(Path path) {
    params.isa = path.isa;
    params.family = path.family;
    require_path(params, path);
    REQUIRE(attn_forward(&params, nullptr, 0) == ATTN_OK);
  }
  template <class T>
  T output(size_t i) const {
    T x;
    std::memcpy(&x, &o[i * sizeof x], sizeof x);
    return x;
  }

  int64_t heads;
  float zero = 0;
  std::vector<unsigned char> v, o;
  attn_params params;
};

// Zeros of either sign are equal: the sum of a row starts from +0.
bool same_value(float got, float want) {
  if (is_nan(want)) return is_nan(got);
  return bits_of(got) == bits_of(want) || (bits_of(got) << 1 == 0 && bits_of(want) << 1 == 0);
}

}  // namespace

TEST_CASE("The kernels widen every 16-bit float and every int8 exactly", "[types][kernels]") {
  for (const Path &path : forced_paths()) {
    for (attn_type type : {ATTN_F16, ATTN_BF16, ATTN_I8}) {
      for (int64_t size : {15, 1024}) {
        const int64_t count = type == ATTN_I8 ? 256 * 15 : 65536;
        OneKey call(type, ATTN_F32, count, size);
        for (size_t i = 0; i < call.v.size() / attn_type_size(type); i++) {
          const uint16_t half = static_cast<uint16_t>(i & 0xffffu);
          if (type == ATTN_I8) call.v[i] = static_cast<unsigned char>(i & 0xffu);
          if (type != ATTN_I8) std::memcpy(&call.v[2 * i], &half, 2);
        }
        for (float scale : {1.0f, 0.37f, -3e-20f}) {
          if (type != ATTN_I8 && scale != 1) continue;
          if (type == ATTN_I8) call.params.v_scale = attn_strided(&scale, ATTN_F32, 0, 0, 0);
          call.run(path);
          int wrong = 0;
          for (size_t i = 0; i < call.o.size() / 4; i++) {
            const uint32_t raw = static_cast<uint32_t>(i) & (type == ATTN_I8 ? 0xffu : 0xffffu);
            const float got = call.output<float>(i), want = decoded(raw, type, scale);
            if (same_value(got, want) || wrong++ > 3) continue;
            FAIL_CHECK(path.name() << ", " << attn_type_name(type) << " " << raw << ", " << size
                                   << " features: " << got << ", not " << want);
          }
        }
      }
    }
  }
}

// One key to a head, all of whose features are one element; its score is lse.
TEST_CASE("Every finite element of a key has the score of its value", "[types][kernels]") {
  const uint32_t step = is_emulated() ? 61 : 1;
  for (const Path &path : forced_paths()) {
    for (attn_type type : {ATTN_F16, ATTN_BF16, ATTN_I8}) {
      std::vector<uint32_t> elements;
      for (uint32_t raw = 0; raw < (type == ATTN_I8 ? 256u : 65536u);
           raw += type == ATTN_I8 ? 1 : step) {
        if ((bits_of(decoded(raw, type, 1)) & kInfinity) != kInfinity) elements.push_back(raw);
      }
      const int64_t heads = static_cast<int64_t>(elements.size());
      for (int64_t size : {15, 16}) {
        const Typed k(Tensor({1, heads, 1, size}, {0, size, size}), type);
        const float scale = 0.37f, zero = 0;
        const std::vector<float> q(index_of(size), 1.0f / 16);
        std::vector<float> o(elements.size()), lse(elements.size());
        for (int64_t h = 0; h < heads; h++)
          for (int64_t d = 0; d < size; d++) k.put(k.cell(0, h, 0, d), elements[index_of(h)]);
        attn_params p = attn_params_init();
        p.batch = p.len_q = p.len_kv = p.head_size_v = 1;
        p.heads_q = heads;
        p.head_size = size;
        p.scale = 0.5f;
        p.isa = path.isa;
        p.family = path.family;
        p.q = attn_strided(q.data(), ATTN_F32, 0, 0, 0);
        p.k = k.view();
        p.v = attn_strided(&zero, ATTN_F32, 0, 0, 0);
        p.o = attn_bhsd(o.data(), ATTN_F32, 1, heads, 1);
        p.lse = attn_bhs(lse.data(), 1, heads);
        if (type == ATTN_I8) p.k_scale = attn_strided(&scale, ATTN_F32, 0, 0, 0);
        REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
        int wrong = 0;
        for (size_t h = 0; h < elements.size(); h++) {
          const double want = static_cast<double>(decoded(elements[h], type, scale)) *
                              static_cast<double>(size) / 32;
          const double error = std::fabs(static_cast<double>(lse[h]) - want);
          const double limit = 32 * reference::kEps * std::fabs(want) + std::ldexp(1.0, -143);
          if ((!is_nan(lse[h]) && error <= limit) || wrong++ > 3) continue;
          FAIL_CHECK(path.name() << ", " << attn_type_name(type) << " " << elements[h] << ", "
                                 << size << " features: " << lse[h] << ", not " << want);
        }
      }
    }
  }
}

TEST_CASE("o is rounded once, to nearest, ties to even", "[types]") {
  for (const Path &path : forced_paths()) {
    for (attn_type type : kHalves) {
      std::vector<float> list = edges_of(type);
      // All of them natively, and a choice under an emulator.
      const size_t step = is_emulated() ? 17 : 1;
      const size_t count = list.size() / step;
      OneKey call(ATTN_F32, type, static_cast<int64_t>(count), 1001);
      for (size_t i = 0; i < count; i++) std::memcpy(&call.v[4 * i], &list[i * step], 4);
      call.run(path);
      int wrong = 0;
      for (size_t i = 0; i < count; i++) {
        const uint32_t got = call.output<uint16_t>(i), want = narrowed(list[i * step], type);
        const bool zeros = list[i * step] == 0 && (got & 0x7fff) == 0;
        if (zeros || same_half(got, want, type) || wrong++ > 3) continue;
        FAIL_CHECK(path.name() << ", " << list[i * step] << " became " << attn_type_name(type)
                               << " " << got << ", not " << want);
      }
    }
  }
}

// ---- Mixes of types against the reference.

namespace {

struct Case {
  int64_t number;
  uint64_t seed;
  Spec spec;
  Placement placement;
  Types types;
  bool peaked;
  uint32_t unseen;
};

void choose_shape(Spec &spec, Random &random) {
  static const int64_t groups[] = {1, 1, 2, 3, 4, 5, 8};
  static const int64_t sizes[] = {1,  2,  3,  5,  8,   15,  17,  31,  33,
                                  48, 64, 65, 80, 100, 111, 128, 192, 256};
  spec.head_size = random.pick(sizes);
  spec.head_size_v = random.one_in(2) ? spec.head_size : random.pick(sizes);
  spec.batch = random.between(1, 2);
  spec.heads_kv = random.between(1, 3);
  spec.heads_q = spec.heads_kv * random.pick(groups);
  spec.len_q = random.one_in(2) ? random.between(1, 4) : random.between(1, 60);
  spec.len_kv = random.one_in(3) ? random.between(1, 20) : random.between(1, 300);
  if (random.one_in(10)) {  // several chunks of a decode
    spec.batch = spec.heads_kv = 1;
    spec.heads_q = random.between(1, 3);
    spec.len_q = random.between(1, 2);
    spec.len_kv = random.between(1025, 1600);
    spec.head_size = random.between(1, 40);
    spec.head_size_v = random.between(1, 40);
  }
  const int64_t per_pair = spec.batch * spec.heads_q * (spec.head_size + spec.head_size_v);
  while (spec.len_q * spec.len_kv * per_pair > 1000000) {
    int64_t &longest = spec.len_q > spec.len_kv ? spec.len_q : spec.len_kv;
    longest = (longest + 1) / 2;
  }
}

Placement choose_placement(Random &random) {
  static const Layout any[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative};
  static const Layout cache[] = {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative,
                                 Layout::broadcast};
  Placement placement;
  placement.q = random.pick(any);
  placement.k = random.pick(cache);
  placement.v = random.pick(cache);
  placement.o = random.pick(any);
  placement.lse = random.pick(any);
  placement.shift = random.between(0, 15);
  return placement;
}

Case make_case(int64_t number) {
  Case c;
  c.number = number;
  c.seed = static_cast<uint64_t>(number) * 1000033 + 5;
  Random random(c.seed);
  Spec &spec = c.spec;
  choose_shape(spec, random);
  spec.causal = !random.one_in(3);
  if (random.one_in(3)) spec.align = ATTN_ALIGN_TOP_LEFT;
  if (random.one_in(4)) {
    spec.align = ATTN_ALIGN_OFFSET;
    spec.offset = random.between(-spec.len_q - 2, spec.len_kv + 2);
  }
  const float standard = 1 / std::sqrt(static_cast<float>(spec.head_size));
  const float scales[] = {0, 0, 0, -standard, 1e-6f, 1};
  spec.scale = random.pick(scales);
  spec.lse = !random.one_in(3);
  spec.spare = random.one_in(2) ? 0 : random.between(1, 20);
  c.placement = choose_placement(random);
  c.types = Types{random.pick(kFloats), random.pick(kAll), random.pick(kAll), random.pick(kFloats)};
  c.peaked = random.one_in(3);
  c.unseen = random.one_in(3) ? kInfinity : kNan;
  return c;
}

std::string describe(const Case &c) {
  const Placement &at = c.placement;
  std::ostringstream text;
  text << "ATTN_TYPES_CASE=" << c.number << ": " << describe(c.types) << ", " << describe(c.spec)
       << (c.peaked ? ", peaked" : "") << ", q " << layout_name(at.q) << ", k " << layout_name(at.k)
       << ", v " << layout_name(at.v) << ", o " << layout_name(at.o) << ", lse "
       << layout_name(at.lse) << ", shift " << at.shift;
  return text.str();
}

TypedCall make_call(const Case &c) {
  TypedCall typed(c.spec, c.seed, c.types, c.placement, c.unseen);
  if (!c.peaked) return typed;
  // One key six times as long as the others, and another very short.
  const int64_t seen = visible_keys(c.spec);
  for (int64_t h = 0; h < c.spec.heads_kv && seen > 0; h++)
    for (int64_t d = 0; d < c.spec.head_size; d++) {
      typed.call.k.at(0, h, seen / 2, d) *= 6;
      typed.call.k.at(0, h, seen / 3, d) *= 1e-5f;
    }
  typed.take(c.unseen, c.seed);
  return typed;
}

}  // namespace

TEST_CASE("Random calls of mixed types agree with the reference", "[types][kernels]") {
  const int64_t only = environment("ATTN_TYPES_CASE", -1);
  const int64_t count = environment("ATTN_SWEEP", 150);
  std::map<std::string, reference::Accuracy> worst;
  for (int64_t number = std::max<int64_t>(only, 0); number < count || number == only; number++) {
    const Case c = make_case(number);
    const TypedCall typed = make_call(c);
    const std::vector<reference::Row> rows = reference::attention(typed.reference_params);
    for (const Path &path : paths()) {
      INFO(path.name() << ", " << describe(c));
      typed.run(path);
      reference::Accuracy accuracy;
      CHECK(compare(typed, rows, &accuracy) == "");
      worst[path.name()].include(accuracy);
    }
    if (number == only) break;
  }
  for (const auto &entry : worst) {
    std::printf("mixed types, %s: largest error over the bound: f32 o %.3f, lse %.3f\n",
                entry.first.c_str(), entry.second.o, entry.second.lse);
  }
}

TEST_CASE("A token that is not finite, of any type, changes no bit of earlier causal rows",
          "[types][kernels]") {
  const Spec spec =
      Spec().heads(2, 1).lens(40, 40).sizes(17, 19).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
  for (const Path &path : forced_paths()) {
    for (const Types &types : kMixes) {
      const Output clean = TypedCall(spec, 3, types).run(path);
      for (int64_t token : {0, 17, 33}) {
        for (const std::string where : {"k", "v"}) {
          const uint32_t bits = token == 17 ? kInfinity : kNan;
          INFO(path.name() << ", " << describe(types) << ", " << where << " of token " << token);
          const TypedCall spoilt(spec, 3, types);
          const Typed &x = where == "k" ? spoilt.k : spoilt.v;
          const Tensor &scale = where == "k" ? spoilt.k_scale : spoilt.v_scale;
          if (x.type() == ATTN_I8) scale.fill_rows(token, token, bits);
          if (x.type() != ATTN_I8) x.fill_rows(token, token, unusable(bits, x.type()));
          const Output got = spoilt.run(path);
          for (int64_t h = 0; h < 2; h++)
            for (int64_t i = 0; i < 40; i++) {
              const Output row = row_of(got, spec, 0, h, i);
              if (i < token) {
                const std::string problem = difference(row, row_of(clean, spec, 0, h, i));
                if (problem != "") FAIL_CHECK("row " << i << ": " << problem);
              } else if (bits == kNan) {
                for (float value : row.o) {
                  if (!is_nan(value)) FAIL_CHECK("row " << i << " did not see it");
                }
              }
            }
        }
      }
    }
  }
}

// ---- The same bits.

TEST_CASE("Threads, the order of tasks and layouts change no bit of any type", "[types][threads]") {
  for (const Path &path : paths()) {
    for (const Types &types : kMixes) {
      for (int64_t len_kv : {90, 1200}) {
        Spec spec = Spec().heads(3, 1).lens(len_kv == 90 ? 20 : 2, len_kv).sizes(19, 13);
        spec.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
        spec.spare = 3;
        const TypedCall typed(spec, 5, types);
        const Output one = typed.run(path);
        for (int threads : {1, 2, 3, 7}) {
          CHECK(difference(typed.run(path, threads, static_cast<uint64_t>(threads - 1)), one) ==
                "");
        }
        for (Layout layout : {Layout::bshd, Layout::padded, Layout::negative}) {
          INFO(path.name() << ", " << describe(types) << ", " << layout_name(layout));
          CHECK(difference(TypedCall(spec, 5, types, Placement::all(layout)).run(path), one) == "");
        }
      }
    }
  }
}

TEST_CASE("A row of any type has the bits that it has among the rows of its group", "[types]") {
  for (const Path &path : forced_paths()) {
    for (const Types &types : kMixes) {
      for (int64_t group : {1, 2, 3, 4, 5, 8}) {
        for (int64_t len_q = 1; len_q <= 5; len_q++) {
          const Spec spec = Spec().heads(group, 1).sizes(group % 2 ? 21 : 16, 19);
          Spec causal = Spec(spec).lens(len_q, 40 + 7 * group).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
          check_rows_alone(causal, path, types);
          // Rows that end at both sides of a decode's key tile and of a chunk; some are empty.
          causal.lens(len_q, len_q % 2 ? 258 : 514);
          if (group == 3) check_rows_alone(causal, path, types);
          causal.lens(len_q, 20).causal_at(ATTN_ALIGN_OFFSET, -2);
          check_rows_alone(causal, path, types);
        }
      }
    }
  }
}

// ---- Nothing outside is accessed.

TEST_CASE("Tensors and scales of any type keep between guard pages", "[types][guard]") {
  for (const Path &path : forced_paths()) {
    for (const Types &types : kMixes) {
      for (int64_t size : {1, 3, 8, 17, 64, 100}) {
        for (Place place : {Place::below_guard, Place::above_guard}) {
          Spec few = Spec().lens(3, 7).sizes(size, size);
          Spec many = Spec().heads(2, 1).lens(19, 21).sizes(size, 101 - size);
          many.causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
          for (const Spec &spec : {few, many}) {
            INFO(path.name() << ", " << describe(types) << ", " << describe(spec));
            const TypedCall typed(spec, 7, types, Placement::at(place));
            const attn_params params = params_on(typed.call, path);
            size_t bytes = 0;
            REQUIRE(attn_workspace_size(&params, &bytes) == ATTN_OK);
            const Memory workspace(bytes, place);
            REQUIRE(attn_forward(&params, workspace.data(), bytes) == ATTN_OK);
            typed.give();
            CHECK(compare(typed) == "");
          }
        }
      }
    }
  }
}

// ---- attn_kv_append.

namespace {

const Extents kCache = {2, 3, 12, 37};

struct Append {
  Append(attn_type from, attn_type to, Layout layout, int64_t len, int64_t first,
         Place place = Place::heap)
      : position(first),
        exact(Extents{kCache.b, kCache.h, len, kCache.d}, strides(layout, len, kCache.d, 1), place),
        rows(exact, from, place),
        cache(Tensor(kCache, strides(layout, kCache.s, kCache.d, 2)), to, place),
        scale(Extents{kCache.b, kCache.h, kCache.s, 1}, strides(layout, kCache.s, 1, 3), place) {
    Random random(4);
    exact.fill_gaussian(random, len);
    TypedCall::round(exact, rows, scale, len);
  }

  static Strides strides(Layout layout, int64_t len, int64_t size, uint64_t seed) {
    Random random(seed);
    return make_strides(layout, Extents{kCache.b, kCache.h, len, size}, random);
  }

  attn_status run(int64_t len) const {
    attn_append_params p = attn_append_params();
    p.rows = rows.view();
    p.cache = cache.view();
    if (cache.type() == ATTN_I8) p.cache_scale = scale.view();
    p.batch = kCache.b;
    p.heads = kCache.h;
    p.len = len;
    p.size = kCache.d;
    p.position = position;
    return attn_kv_append(&p);
  }

  bool is_inside(int64_t s) const {
    return s >= position && s < position + exact.extents().s;
  }

  // Everything but the appended rows is still poison.
  void check_outside() const {
    CHECK(cache.gaps_problem() == "");
    CHECK(scale.gaps_problem() == "");
    int wrong = 0;
    for (int64_t b = 0; b < kCache.b; b++)
      for (int64_t h = 0; h < kCache.h; h++)
        for (int64_t s = 0; s < kCache.s; s++) {
          const bool scaled = is_inside(s) && cache.type() == ATTN_I8;
          if (!scaled && bits_of(scale.at(b, h, s, 0)) != kPoison) wrong++;
          for (int64_t d = 0; d < kCache.d; d++) {
            if (is_inside(s)) continue;
            if (cache.get(cache.cell(b, h, s, d)) != poison_of(cache.type())) wrong++;
          }
        }
    CHECK(wrong == 0);
  }

  // A row of the cache is what the contract says.
  std::string problem(int64_t b, int64_t h, int64_t i) const {
    const float s = scale.at(b, h, position + i, 0);
    double largest = 0;
    for (int64_t d = 0; d < kCache.d; d++) {
      largest = std::max(largest, std::fabs(static_cast<double>(exact.at(b, h, i, d))));
    }
    if (cache.type() == ATTN_I8 && std::fabs(static_cast<double>(s) * 127 - largest) >
                                       1e-6 * largest + 127 * std::ldexp(1.0, -149)) {
      return "the scale is " + std::to_string(s);
    }
    for (int64_t d = 0; d < kCache.d; d++) {
      const uint32_t raw = cache.get(cache.cell(b, h, position + i, d));
      const float x = exact.at(b, h, i, d);
      const double product = static_cast<double>(int8_of(raw & 0xffu)) * static_cast<double>(s);
      const bool right =
          cache.type() == ATTN_F32 ? raw == bits_of(x)
          : cache.type() != ATTN_I8
              ? same_half(raw, narrowed(x, cache.type()), cache.type())
              : std::fabs(static_cast<double>(x) - product) <= 0.5001 * static_cast<double>(s);
      if (right) continue;
      std::ostringstream text;
      text << "feature " << d << ": " << x << " became " << raw << ", scale " << s;
      return text.str();
    }
    return "";
  }

  int64_t position;
  Tensor exact;  // the values of the rows
  Typed rows, cache;
  Tensor scale;
};

}  // namespace

TEST_CASE("Appended rows are converted, wherever they lie, and nothing else is written",
          "[types][append]") {
  for (attn_type from : kFloats) {
    for (attn_type to : kAll) {
      for (Layout layout : {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative}) {
        for (int64_t position : {0, 4, 7}) {
          INFO(attn_type_name(from) << " to " << attn_type_name(to) << ", " << layout_name(layout)
                                    << ", at " << position);
          const Append append(from, to, layout, 5, position);
          const uint64_t before = append.rows.checksum();
          REQUIRE(append.run(5) == ATTN_OK);
          CHECK(append.rows.checksum() == before);
          append.check_outside();
          for (int64_t b = 0; b < kCache.b; b++)
            for (int64_t h = 0; h < kCache.h; h++)
              for (int64_t i = 0; i < 5; i++) CHECK(append.problem(b, h, i) == "");
        }
      }
    }
  }
}

TEST_CASE("Appending keeps between guard pages", "[types][guard]") {
  for (attn_type from : kFloats) {
    for (attn_type to : kAll) {
      for (Place place : {Place::below_guard, Place::above_guard}) {
        const Append append(from, to, Layout::bhsd, 12, 0, place);
        REQUIRE(append.run(12) == ATTN_OK);
        CHECK(append.problem(1, 2, 11) == "");
      }
    }
  }
}

TEST_CASE("Appending no rows writes nothing, and needs no data", "[types][append]") {
  for (attn_type to : kAll) {
    const Append append(ATTN_F32, to, Layout::padded, 0, 3);
    REQUIRE(append.run(0) == ATTN_OK);
    append.check_outside();
    attn_append_params p = attn_append_params();
    p.rows = append.rows.view();
    p.cache = append.cache.view();
    p.rows.data = p.cache.data = nullptr;
    p.batch = 2;
    p.heads = 3;
    p.size = 37;
    CHECK(attn_kv_append(&p) == ATTN_OK);
  }
}

TEST_CASE("Rows of one element and of 1024 are appended", "[types][append]") {
  for (int64_t size : {1, 1024}) {
    std::vector<float> x(index_of(size));
    std::vector<signed char> q(index_of(size), 0x5a);
    Random random(5);
    for (float &value : x) value = random.gaussian();
    float scale = 0;
    attn_append_params p = attn_append_params();
    p.rows = attn_bhsd(x.data(), ATTN_F32, 1, 1, size);
    p.cache = attn_bhsd(q.data(), ATTN_I8, 1, 1, size);
    p.cache_scale = attn_bhs(&scale, 1, 1);
    p.batch = p.heads = p.len = 1;
    p.size = size;
    REQUIRE(attn_kv_append(&p) == ATTN_OK);
    int wrong = 0, extreme = 0;
    for (size_t d = 0; d < x.size(); d++) {
      if (std::fabs(x[d] - scale * q[d]) > 0.5001f * scale) wrong++;
      if (q[d] == 127 || q[d] == -127) extreme++;
    }
    CHECK(wrong == 0);
    CHECK(extreme >= 1);
  }
}

TEST_CASE("int8 rows of zeros, of tiny and of huge numbers keep the error bound",
          "[types][append]") {
  const float tiny = std::ldexp(1.0f, -149);
  const float sizes[] = {0.0f,       -0.0f,      tiny,       2 * tiny, 63 * tiny, 64 * tiny,
                         127 * tiny, 190 * tiny, 191 * tiny, 3e-43f,   1e-40f,    1e-38f,
                         1.5e-36f,   1e-30f,     1.0f,       1e30f,    3.4e38f,   FLT_MAX};
  for (float size : sizes) {
    for (uint64_t seed = 0; seed < 20; seed++) {
      const Append append(ATTN_F32, ATTN_I8, Layout::padded, 1, 3);
      Random random(seed);
      for (int64_t b = 0; b < kCache.b; b++)
        for (int64_t h = 0; h < kCache.h; h++)
          for (int64_t d = 0; d < kCache.d; d++) {
            const float sign = random.one_in(2) ? 1.0f : -1.0f;
            append.exact.at(b, h, 0, d) = sign * size * (d == 5 ? 1 : random.uniform());
          }
      TypedCall::round(append.exact, append.rows, append.scale, 1);
      REQUIRE(append.run(1) == ATTN_OK);
      INFO("at most " << size);
      CHECK(append.problem(1, 2, 0) == "");
      CHECK(append.problem(0, 1, 0) == "");
      if (size == 0) CHECK(bits_of(append.scale.at(0, 0, 3, 0)) == 0);
    }
  }
}

TEST_CASE("A row with NaN or infinity gets the scale NaN, and attention over it is NaN",
          "[types][append]") {
  for (attn_type from : kFloats) {
    for (uint32_t bits : {kNan, kInfinity, kMinusInfinity, kPoison | 0x80000000u}) {
      for (int64_t feature : {int64_t{0}, kCache.d - 1}) {
        const Append append(from, ATTN_I8, Layout::padded, 5, 0);
        append.rows.put(append.rows.cell(1, 1, 2, feature), unusable(bits, from));
        REQUIRE(append.run(5) == ATTN_OK);
        CHECK(is_nan(append.scale.at(1, 1, 2, 0)));
        for (int64_t i = 0; i < 5; i++) {
          if (i != 2) CHECK(append.problem(1, 1, i) == "");
        }
        for (const Path &path : forced_paths()) {
          for (bool as_k : {false, true}) {
            const Call call(Spec().lens(1, 5).sizes(kCache.d, kCache.d), 8);
            attn_params p = params_on(call, path);
            attn_tensor &x = as_k ? p.k : p.v, &scale = as_k ? p.k_scale : p.v_scale;
            x = append.cache.view();
            x.data = append.cache.address(append.cache.cell(1, 1, 0, 0));
            scale = append.scale.view();
            scale.data = &append.scale.at(1, 1, 0, 0);
            REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
            int numbers = 0;
            for (float o : call.o.values()) numbers += !is_nan(o);
            INFO(path.name() << ", as " << (as_k ? "k" : "v"));
            CHECK(numbers == 0);
          }
        }
      }
    }
  }
}
