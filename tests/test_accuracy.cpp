// How far attn_forward is from double precision, by head size, number of keys, spread of the
// scores, type and kernels. The hidden test measures all of it, for `make accuracy-record`; the
// other one measures a part and holds it to what was recorded. docs/numerics.md has the table.
//
// The reference's own error is below 2^-29 of the error bound: the same formula, with 2^-53 for
// 2^-24.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "catch.hpp"
#include "elements.hpp"
#include "reference.hpp"
#include "support.hpp"

extern "C" const char *const attn_impl_compiler;

namespace {

const char *const kRecord = "tests/accuracy/recorded.tsv";
const double kMargin = 1.2;

// Standard deviations of a row's scores.
const double kSpreads[] = {1e-3, 0.1, 1, 10, 100, 1e3, 1e4};

// k and v have one type; o is f32, so that its rounding does not count.
struct Kind {
  const char *name;
  attn_type q, kv;
  bool exact_bf16;
};

const Kind kKinds[] = {{"f32", ATTN_F32, ATTN_F32, true},
                       {"f16", ATTN_F16, ATTN_F16, true},
                       {"bf16", ATTN_BF16, ATTN_BF16, true},
                       {"int8", ATTN_F32, ATTN_I8, true},
                       {"bf16-products", ATTN_BF16, ATTN_BF16, false}};

struct Sizes {
  int64_t keys, head_size;
};

// Longer caches are left to decode.
const int64_t kMostKeysOfPrefill = 4096;

// Queries of one head in prefill, heads of one query in decode; fewer where a row takes long.
int64_t rows_of(const Sizes &sizes) {
  if (is_emulated()) return 24;
  return sizes.keys <= 128 ? 96 : sizes.keys <= 1024 ? 48 : sizes.keys <= 4096 ? 16 : 4;
}

// ---- The data: one head of keys and values, with no mask.

// Elements of a type, rounded once to nearest; int8 by a scale per row, largest element / 127.
struct Elements {
  Elements(const std::vector<float> &values, attn_type element_type, int64_t row_size)
      : type(element_type), size(row_size), bytes(values.size() * size_of(type)) {
    for (size_t i = 0; i < values.size(); i++) {
      if (type == ATTN_I8 && i % index_of(size) == 0) {
        float largest = 0;
        for (size_t d = 0; d < index_of(size); d++)
          largest = std::max(largest, std::fabs(values[i + d]));
        scales.push_back(largest / 127);
      }
      const float scale = type == ATTN_I8 ? scales.back() : 1;
      store_raw(bytes.data() + i * size_of(type), type, encoded(values[i], type, scale));
    }
  }
  attn_tensor view(int64_t rows) {
    return attn_bhsd(bytes.data(), type, rows, 1, size);
  }
  attn_tensor scale_view(int64_t rows) {
    return type == ATTN_I8 ? attn_bhsd(scales.data(), ATTN_F32, rows, 1, 1) : attn_tensor();
  }
  attn_type type;
  int64_t size;
  std::vector<unsigned char> bytes;
  std::vector<float> scales;
};

std::vector<float> gaussians(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (int64_t i = 0; i < count; i++) values.push_back(random.gaussian());
  return values;
}

// Queries have two equal halves, and of each two keys the second is the first with its halves
// exchanged: their scores are equal and are rounded differently. So at any spread the largest score
// has an equal, and the roundings of scores are seen in o. (An odd last feature stays in its
// place.)
std::vector<float> with_equal_halves(std::vector<float> q, int64_t size) {
  const size_t half = index_of(size / 2);
  for (size_t row = 0; row < q.size(); row += index_of(size))
    for (size_t d = 0; d < half; d++) q[row + half + d] = q[row + d];
  return q;
}

std::vector<float> in_pairs(std::vector<float> k, int64_t size) {
  const size_t half = index_of(size / 2), row = index_of(size);
  for (size_t second = row; second < k.size(); second += 2 * row) {
    const float *first = k.data() + second - row;
    std::copy(first, first + row, k.data() + second);
    std::rotate(k.data() + second, k.data() + second + half, k.data() + second + 2 * half);
  }
  return k;
}

class Inputs {
 public:
  Inputs(const Kind &kind, const Sizes &sizes)
      : kind_(kind),
        sizes_(sizes),
        q_(with_equal_halves(gaussians(rows_of(sizes) * sizes.head_size, seed()), sizes.head_size),
           kind.q, sizes.head_size),
        k_(in_pairs(gaussians(sizes.keys * sizes.head_size, seed() + 1), sizes.head_size), kind.kv,
           sizes.head_size),
        v_(gaussians(sizes.keys * sizes.head_size, seed() + 2), kind.kv, sizes.head_size),
        o_(index_of(rows_of(sizes) * sizes.head_size)),
        lse_(index_of(rows_of(sizes))) {}

  // The rows are the same in both families.
  attn_params params(attn_family family, double spread) {
    const int64_t rows = rows_of(sizes_);
    const bool decode = family == ATTN_FAMILY_DECODE;
    attn_params p = attn_params_init();
    p.batch = p.heads_kv = 1;
    p.heads_q = decode ? rows : 1;
    p.len_q = decode ? 1 : rows;
    p.len_kv = sizes_.keys;
    p.head_size = sizes_.head_size;
    p.scale = static_cast<float>(spread / std::sqrt(static_cast<double>(sizes_.head_size)));
    p.family = family;
    p.exact_bf16 = kind_.exact_bf16;
    p.q = q_.view(p.len_q);
    p.k = k_.view(p.len_kv);
    p.v = v_.view(p.len_kv);
    p.k_scale = k_.scale_view(p.len_kv);
    p.v_scale = v_.scale_view(p.len_kv);
    p.o = attn_bhsd(o_.data(), ATTN_F32, p.len_q, p.heads_q, p.head_size);
    p.lse = attn_bhsd(lse_.data(), ATTN_F32, p.len_q, p.heads_q, 1);
    return p;
  }
  float o(size_t row, size_t d) const {
    return o_[row * index_of(sizes_.head_size) + d];
  }
  float lse(size_t row) const {
    return lse_[row];
  }

 private:
  uint64_t seed() const {
    return static_cast<uint64_t>(sizes_.keys * 4096 + sizes_.head_size * 4);
  }
  Kind kind_;
  Sizes sizes_;
  Elements q_, k_, v_;
  std::vector<float> o_, lse_;
};

// ---- Errors.

// The largest ones: of o in 2^-24 max|v|; of lse in 2^-24; both over their bounds; and that of o if
// a naive evaluation in f32 computes it.
struct Errors {
  double o = 0, lse = 0, o_of_bound = 0, lse_of_bound = 0, naive = 0;
  void include(const Errors &other) {
    o = std::max(o, other.o);
    lse = std::max(lse, other.lse);
    o_of_bound = std::max(o_of_bound, other.o_of_bound);
    lse_of_bound = std::max(lse_of_bound, other.lse_of_bound);
    naive = std::max(naive, other.naive);
  }
};

// A NaN is infinitely wrong.
double units(float got, double want, double of) {
  return is_nan(got) ? 1e30 : std::fabs(static_cast<double>(got) - want) / (reference::kEps * of);
}

Errors errors_of(const Inputs &inputs, const std::vector<reference::Row> &rows) {
  Errors errors;
  for (size_t r = 0; r < rows.size(); r++) {
    const reference::Row &row = rows[r];
    for (size_t d = 0; d < row.o.size(); d++)
      errors.o = std::max(errors.o, units(inputs.o(r, d), row.o[d], row.max_v));
    errors.lse = std::max(errors.lse, units(inputs.lse(r), row.lse, 1));
  }
  return errors;
}

// ---- Cells: what errors are recorded of.

using Cell = std::tuple<std::string, std::string, std::string, int64_t, double>;
using Cells = std::map<Cell, Errors>;

std::string describe(const Cell &cell) {
  std::ostringstream text;
  text << std::get<0>(cell) << '\t' << std::get<1>(cell) << '\t' << std::get<2>(cell) << '\t'
       << std::get<3>(cell) << '\t' << std::get<4>(cell);
  return text.str();
}

Cells read_record() {
  Cells cells;
  std::ifstream file(kRecord);
  std::string line;
  while (std::getline(file, line)) {
    if (line[0] == '#') continue;
    std::istringstream fields(line);
    std::string isa, family, kind;
    int64_t keys;
    double spread;
    Errors e;
    // False of the line of names.
    if (fields >> isa >> family >> kind >> keys >> spread >> e.o >> e.lse >> e.o_of_bound >>
        e.lse_of_bound >> e.naive)
      cells[Cell(isa, family, kind, keys, spread)] = e;
  }
  return cells;
}

// What was exact must stay so.
double over(double error, double recorded) {
  return recorded > 0 ? error / recorded : error > 0 ? 1e30 : 0;
}

// ---- Measuring.

// The instruction sets and families that have kernels for such a call.
std::vector<Path> paths_of(const Kind &kind, int64_t keys) {
  std::vector<Path> list;
  for (const Path &path : kind.exact_bf16 ? forced_paths() : bf16_paths()) {
    if (path.family == ATTN_FAMILY_DECODE || keys <= kMostKeysOfPrefill) list.push_back(path);
  }
  return list;
}

// What only the campaign measures: other tests hold it.
void add_limits(const attn_params &params, const std::vector<reference::Row> &rows, double naive,
                bool products, Errors *errors) {
  reference::Accuracy ratios;
  reference::compare(params, rows, naive, &ratios, products);
  CHECK(ratios.o <= 1);
  CHECK(ratios.lse <= 1);
  CHECK(ratios.naive <= 1.1);  // the naive evaluation may be lucky, as docs/numerics.md says
  errors->o_of_bound = ratios.o;
  errors->lse_of_bound = ratios.lse;
  errors->naive = naive / (reference::kEps * rows[0].max_v);  // of all rows: there is no mask
}

// One number of keys and head size, in every type, at every spread, on every path.
void measure(const Sizes &sizes, bool campaign, Cells *cells) {
  for (const Kind &kind : kKinds) {
    const std::vector<Path> list = paths_of(kind, sizes.keys);
    if (list.empty()) continue;
    Inputs inputs(kind, sizes);
    for (double spread : kSpreads) {
      const attn_params any = inputs.params(ATTN_FAMILY_DECODE, spread);
      const std::vector<reference::Row> rows = reference::attention(any);
      const double naive = campaign ? reference::naive_f32_error(any, rows) : 0;
      for (const Path &path : list) {
        attn_params params = inputs.params(path.family, spread);
        params.isa = path.isa;
        const Cell cell(attn_isa_name(path.isa), attn_family_name(path.family), kind.name,
                        sizes.keys, spread);
        INFO(describe(cell) << ", head size " << sizes.head_size);
        require_path(params, path);
        REQUIRE(multiplies_bf16(params) == !kind.exact_bf16);
        REQUIRE(attn_forward(&params, nullptr, 0) == ATTN_OK);
        Errors errors = errors_of(inputs, rows);
        if (campaign) add_limits(params, rows, naive, !kind.exact_bf16, &errors);
        (*cells)[cell].include(errors);
      }
    }
  }
}

Cells measure(const std::vector<int64_t> &keys, const std::vector<int64_t> &head_sizes,
              bool campaign) {
  Cells cells;
  for (int64_t count : keys)
    for (int64_t size : head_sizes) measure(Sizes{count, size}, campaign, &cells);
  return cells;
}

}  // namespace

TEST_CASE("Errors are at most 1.2 times those that were recorded", "[accuracy]") {
  const Cells record = read_record();
  REQUIRE_FALSE(record.empty());
  std::vector<int64_t> keys = {16};
  if (!is_emulated()) keys.insert(keys.end(), {1, 128, 1024});
  double largest = 0;
  for (const auto &entry : measure(keys, {59, 256}, false)) {
    INFO(describe(entry.first) << " (make accuracy-record measures what is not recorded)");
    const auto recorded = record.find(entry.first);
    REQUIRE(recorded != record.end());
    const double ratio = std::max(over(entry.second.o, recorded->second.o),
                                  over(entry.second.lse, recorded->second.lse));
    CHECK(ratio <= kMargin);
    largest = std::max(largest, ratio);
  }
  std::printf("accuracy: errors are at most %.3f times the recorded ones\n", largest);
}

TEST_CASE("The accuracy campaign, into the file ATTN_CAMPAIGN", "[.][campaign]") {
  const char *path = std::getenv("ATTN_CAMPAIGN");
  REQUIRE(path != nullptr);
  std::vector<int64_t> keys = {1, 16, 128};
  if (!is_emulated()) keys.insert(keys.end(), {1024, 4096, 32768});
  const Cells cells = measure(keys, {32, 59, 64, 80, 128, 256}, true);
  std::ofstream file(path);
  file << "# " << attn_impl_compiler << '\n'
       << "isa\tfamily\ttype\tkeys\tspread\to\tlse\to_of_bound\tlse_of_bound\tnaive\n";
  file.precision(3);
  for (const auto &entry : cells) {
    const Errors &e = entry.second;
    file << describe(entry.first) << '\t' << e.o << '\t' << e.lse << '\t' << e.o_of_bound << '\t'
         << e.lse_of_bound << '\t' << e.naive << '\n';
  }
  file.close();
  REQUIRE(file.good());
}
