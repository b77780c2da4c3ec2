#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace reference {
namespace {

const float *element(const attn_tensor &t, int64_t b, int64_t h, int64_t s) {
  const float *data = static_cast<const float *>(t.data);
  return data + (b * t.stride_b + h * t.stride_h + s * t.stride_s);
}

int64_t head_size_v(const attn_params &p) {
  return p.head_size_v ? p.head_size_v : p.head_size;
}

int64_t kv_head(const attn_params &p, int64_t h) {
  const int64_t heads_kv = p.heads_kv ? p.heads_kv : p.heads_q;
  return h / (p.heads_q / heads_kv);
}

double scale_of(const attn_params &p) {
  return p.scale != 0 ? static_cast<double>(p.scale)
                      : 1 / std::sqrt(static_cast<double>(p.head_size));
}

// The number of allowed keys of query i: allowed(i, j) holds for j = 0 to that number - 1.
int64_t allowed_keys(const attn_params &p, int64_t i) {
  if (!p.causal) return p.len_kv;
  int64_t offset = p.len_kv - p.len_q;
  if (p.align == ATTN_ALIGN_TOP_LEFT) offset = 0;
  if (p.align == ATTN_ALIGN_OFFSET) offset = p.offset;
  int64_t count = 0;
  while (count < p.len_kv && count <= i + offset) count++;
  return count;
}

Row attention_row(const attn_params &p, int64_t b, int64_t h, int64_t i) {
  const int64_t keys = allowed_keys(p, i), g = kv_head(p, h);
  const float *q = element(p.q, b, h, i);
  Row row = {keys == 0, 0, 0, 0, std::vector<double>(static_cast<size_t>(head_size_v(p)), 0)};
  if (keys == 0) return row;
  std::vector<double> s;
  for (int64_t j = 0; j < keys; j++) {
    const float *k = element(p.k, b, g, j);
    double dot = 0, size = 0;
    for (int64_t d = 0; d < p.head_size; d++) {
      const double product = static_cast<double>(q[d]) * static_cast<double>(k[d]);
      dot += product;
      size += std::fabs(product);
    }
    s.push_back(scale_of(p) * dot);
    row.magnitude = std::max(row.magnitude, std::fabs(scale_of(p)) * size);
  }
  const double largest = *std::max_element(s.begin(), s.end());
  double sum = 0;
  for (double x : s) sum += std::exp(x - largest);
  row.lse = largest + std::log(sum);
  for (int64_t j = 0; j < keys; j++) {
    const float *v = element(p.v, b, g, j);
    const double weight = std::exp(s[static_cast<size_t>(j)] - largest) / sum;
    for (size_t d = 0; d < row.o.size(); d++) {
      row.o[d] += weight * static_cast<double>(v[d]);
      row.max_v = std::max(row.max_v, std::fabs(static_cast<double>(v[d])));
    }
  }
  return row;
}

std::vector<float> naive_f32_row(const attn_params &p, int64_t b, int64_t h, int64_t i,
                                 bool ascending) {
  const int64_t keys = allowed_keys(p, i), g = kv_head(p, h);
  const float *q = element(p.q, b, h, i);
  const float scale = static_cast<float>(scale_of(p));
  std::vector<float> o(static_cast<size_t>(head_size_v(p)), 0), s;
  for (int64_t j = 0; j < keys; j++) {
    const float *k = element(p.k, b, g, j);
    float dot = 0;
    for (int64_t n = 0; n < p.head_size; n++) {
      const int64_t d = ascending ? n : p.head_size - 1 - n;
      dot += q[d] * k[d];
    }
    s.push_back(scale * dot);
  }
  const float largest = keys ? *std::max_element(s.begin(), s.end()) : 0;
  float sum = 0;
  for (float &x : s) {
    x = std::exp(x - largest);
    sum += x;
  }
  for (int64_t j = 0; j < keys; j++) {
    const float *v = element(p.v, b, g, j);
    for (size_t d = 0; d < o.size(); d++) o[d] += s[static_cast<size_t>(j)] / sum * v[d];
  }
  return o;
}

// Tests of the bits, since arithmetic comparisons with NaN may be compiled away.
bool is_nan(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & 0x7fffffffu) > 0x7f800000u;
}

bool is_minus_infinity(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits == 0xff800000u;
}

// error / limit, where 0 / 0 is within the limit; a NaN result is infinitely wrong.
double ratio(float got, double want, double limit) {
  if (is_nan(got)) return 1e30;
  const double error = std::fabs(static_cast<double>(got) - want);
  if (error == 0) return 0;
  return limit > 0 ? error / limit : 1e30;
}

}  // namespace

std::vector<Row> attention(const attn_params &p) {
  std::vector<Row> rows;
  for (int64_t b = 0; b < p.batch; b++)
    for (int64_t h = 0; h < p.heads_q; h++)
      for (int64_t i = 0; i < p.len_q; i++) rows.push_back(attention_row(p, b, h, i));
  return rows;
}

double naive_f32_error(const attn_params &p, const std::vector<Row> &rows) {
  double worst = 0;
  const Row *row = rows.data();
  for (int64_t b = 0; b < p.batch; b++)
    for (int64_t h = 0; h < p.heads_q; h++)
      for (int64_t i = 0; i < p.len_q; i++, row++)
        for (bool ascending : {true, false}) {
          const std::vector<float> naive = naive_f32_row(p, b, h, i, ascending);
          for (size_t d = 0; d < naive.size(); d++)
            worst = std::max(worst, std::fabs(static_cast<double>(naive[d]) - row->o[d]));
        }
  return worst;
}

void Accuracy::include(const Accuracy &other) {
  o = std::max(o, other.o);
  lse = std::max(lse, other.lse);
  naive = std::max(naive, other.naive);
}

namespace {

// Collects the first problem and the largest ratio of each kind.
struct Comparison {
  Accuracy *accuracy;
  std::ostringstream problem;
  double max_v = 0, max_error = 0;

  // Returns whether this is the first result beyond its limit.
  bool note(double ratio_to_limit, double *largest) {
    *largest = std::max(*largest, ratio_to_limit);
    return ratio_to_limit > 1 && problem.tellp() == 0;
  }

  void add_o(const Row &row, const float *o, const std::string &where) {
    const double bound = row.max_v * kEps * (kC1 * (1 + row.magnitude) + kC2);
    max_v = std::max(max_v, row.max_v);
    for (size_t d = 0; d < row.o.size(); d++) {
      max_error = std::max(max_error, ratio(o[d], row.o[d], 1));
      const double r = ratio(o[d], row.o[d], bound);
      if (!note(r, &accuracy->o)) continue;
      problem << "o" << where << "[" << d << "] is " << o[d] << ", not " << row.o[d] << ", " << r
              << " times the bound";
    }
  }

  void add_lse(const Row &row, float lse, const std::string &where) {
    const double bound = kEps * (kC1Lse * (1 + row.magnitude) + kC2);
    const double r = row.empty ? (is_minus_infinity(lse) ? 0 : 1e30) : ratio(lse, row.lse, bound);
    if (!note(r, &accuracy->lse)) return;
    problem << "lse" << where << " is " << lse << ", not "
            << (row.empty ? "-infinity" : std::to_string(row.lse)) << ", " << r
            << " times the bound";
  }

  void add_naive(double naive_error) {
    const double limit = std::max(kC3 * naive_error, kC4 * kEps * max_v);
    if (!note(max_error > 0 ? max_error / limit : 0, &accuracy->naive)) return;
    problem << "the largest error, " << max_error << ", is over " << kC3
            << " times the naive evaluation's, " << naive_error;
  }
};

}  // namespace

std::string compare(const attn_params &p, const std::vector<Row> &rows, double naive_error,
                    Accuracy *accuracy) {
  Comparison comparison;
  comparison.accuracy = accuracy;
  const Row *row = rows.data();
  for (int64_t b = 0; b < p.batch; b++)
    for (int64_t h = 0; h < p.heads_q; h++)
      for (int64_t i = 0; i < p.len_q; i++, row++) {
        std::ostringstream where;
        where << "[" << b << "][" << h << "][" << i << "]";
        comparison.add_o(*row, element(p.o, b, h, i), where.str());
        if (p.lse.data) comparison.add_lse(*row, *element(p.lse, b, h, i), where.str());
      }
  if (rows.size() >= kManyRows) comparison.add_naive(naive_error);
  return comparison.problem.str();
}

std::string compare(const attn_params &p) {
  const std::vector<Row> rows = attention(p);
  Accuracy accuracy;
  return compare(p, rows, naive_f32_error(p, rows), &accuracy);
}

}  // namespace reference
