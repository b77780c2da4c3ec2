#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "elements.hpp"

namespace reference {
namespace {

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

// ---- Where elements lie.

const void *address(const void *data, attn_type type, int64_t index) {
  return static_cast<const char *>(data) + index * static_cast<int64_t>(size_of(type));
}

// Element 0 of a row of q, o or lse: query i of entry b.
const void *query_row(const attn_params &p, const attn_tensor &t, int64_t b, int64_t h, int64_t i) {
  const int64_t position = p.cu_seqlens_q ? p.cu_seqlens_q[b] + i : i;
  return address(t.data, t.type, b * t.stride_b + h * t.stride_h + position * t.stride_s);
}

// Element 0 of a row of k, v or their scales: key j of entry b.
const void *key_row(const attn_params &p, const attn_tensor &t, int64_t b, int64_t g, int64_t j) {
  int64_t first = b, position = j;
  if (p.cu_seqlens_kv) position = p.cu_seqlens_kv[b] + j;
  if (p.ring_size > 0) position = j % p.ring_size;
  if (p.page_size > 0) {
    first = p.page_table[b * p.page_table_stride + j / p.page_size];
    position = j % p.page_size;
  }
  return address(t.data, t.type, first * t.stride_b + g * t.stride_h + position * t.stride_s);
}

uint32_t matrix_raw(const attn_matrix &m, int64_t b, int64_t h, int64_t i, int64_t j) {
  const int64_t index = b * m.stride_b + h * m.stride_h + i * m.stride_q + j * m.stride_k;
  return load_raw(address(m.data, m.type, index), m.type);
}

std::vector<double> row_values(const void *row, attn_type type, int64_t count, float scale) {
  std::vector<double> values;
  for (int64_t d = 0; d < count; d++) {
    const uint32_t raw = load_raw(address(row, type, d), type);
    values.push_back(type == ATTN_I8
                         ? static_cast<double>(int8_of(raw)) * static_cast<double>(scale)
                         : static_cast<double>(decoded(raw, type, 1)));
  }
  return values;
}

// The rows of k and v of one entry and key/value head, read when they are first used.
class Keys {
 public:
  Keys(const attn_params &p, int64_t b, int64_t g)
      : p_(p), b_(b), g_(g), k_(index_of(keys_of(p, b))), v_(k_.size()) {}
  const std::vector<double> &k(int64_t j) {
    return row(k_, p_.k, p_.k_scale, p_.head_size, j);
  }
  const std::vector<double> &v(int64_t j) {
    return row(v_, p_.v, p_.v_scale, head_size_v(p_), j);
  }

 private:
  const std::vector<double> &row(std::vector<std::vector<double>> &rows, const attn_tensor &t,
                                 const attn_tensor &scales, int64_t size, int64_t j) {
    std::vector<double> &values = rows[index_of(j)];
    if (!values.empty()) return values;
    float scale = 1;
    if (t.type == ATTN_I8) std::memcpy(&scale, key_row(p_, scales, b_, g_, j), sizeof scale);
    return values = row_values(key_row(p_, t, b_, g_, j), t.type, size, scale);
  }
  const attn_params &p_;
  int64_t b_, g_;
  std::vector<std::vector<double>> k_, v_;
};

// ---- The formula.

bool is_multiple(int64_t distance, int64_t n) {
  return distance % n == 0;
}

int64_t position_of(const attn_params &p, int64_t b, int64_t i) {
  if (p.align == ATTN_ALIGN_TOP_LEFT) return i;
  if (p.align == ATTN_ALIGN_OFFSET) return i + p.offset;
  return i + keys_of(p, b) - queries_of(p, b);
}

// The first n positions are 0 to n - 1: a query before key 0 is none of them.
bool in_window(const attn_params &p, int64_t position, int64_t j) {
  const int64_t before = position - j;
  if (j < p.window_globals || (position >= 0 && position < p.window_globals)) return true;
  if (p.window_stride > 0 && is_multiple(before, p.window_stride)) return true;
  if (p.window_left >= 0 && before > p.window_left) return false;
  if (p.window_right >= 0 && -before > p.window_right) return false;
  return p.window_dilation <= 1 || is_multiple(before, p.window_dilation);
}

double bias_at(const attn_params &p, int64_t b, int64_t h, int64_t i, int64_t j) {
  if (!p.bias.data) return 0;
  return static_cast<double>(decoded(matrix_raw(p.bias, b, h, i, j), p.bias.type, 1));
}

bool forbids(const attn_matrix &bias, uint32_t raw) {
  static const uint32_t minus_infinities[] = {0xff800000u, 0xfc00u, 0xff80u};
  return raw == minus_infinities[bias.type];
}

double alibi_at(const attn_params &p, int64_t h, int64_t position, int64_t j) {
  if (!p.alibi_slopes) return 0;
  const double distance = std::fabs(static_cast<double>(position) - static_cast<double>(j));
  return -static_cast<double>(p.alibi_slopes[h]) * distance;
}

// A score, and what its roundings are relative to: of the product, and of what is added.
struct Score {
  double s, product, added;
};

Score score_of(const attn_params &p, const std::vector<double> &q, const std::vector<double> &k,
               double bias, double alibi) {
  double dot = 0, size = 0;
  for (size_t d = 0; d < q.size(); d++) {
    dot += q[d] * k[d];
    size += std::fabs(q[d] * k[d]);
  }
  Score score = {scale_of(p) * dot, std::fabs(scale_of(p)) * size,
                 std::fabs(bias) + std::fabs(alibi)};
  if (p.softcap > 0) {
    const double cap = static_cast<double>(p.softcap), t = std::tanh(score.s / cap);
    score.product = score.product * (1 - t * t) + cap * std::fabs(t);
    score.s = cap * t;
  }
  score.s += bias + alibi;
  return score;
}

std::vector<int64_t> allowed_keys(const attn_params &p, int64_t b, int64_t h, int64_t i) {
  std::vector<int64_t> list;
  for (int64_t j = 0; j < keys_of(p, b); j++) {
    if (allowed(p, b, h, i, j)) list.push_back(j);
  }
  return list;
}

Row attention_row(const attn_params &p, int64_t b, int64_t h, int64_t i, Keys &keys) {
  const std::vector<int64_t> list = allowed_keys(p, b, h, i);
  const bool has_sink = p.sinks && !std::isinf(p.sinks[h]);
  const double sink = has_sink ? static_cast<double>(p.sinks[h]) : 0;
  Row row = {
      list.empty(), sink, has_sink, 0, 0, 0, std::vector<double>(index_of(head_size_v(p)), 0)};
  if (list.empty()) {
    row.magnitude = std::fabs(sink);
    return row;
  }
  const std::vector<double> q = row_values(query_row(p, p.q, b, h, i), p.q.type, p.head_size, 1);
  std::vector<Score> scores;
  double largest = sink;
  for (int64_t j : list) {
    scores.push_back(
        score_of(p, q, keys.k(j), bias_at(p, b, h, i, j), alibi_at(p, h, position_of(p, b, i), j)));
    const double s = scores.back().s;
    largest = scores.size() == 1 && !has_sink ? s : std::max(largest, s);
  }
  double sum = has_sink ? std::exp(sink - largest) : 0;
  for (const Score &score : scores) sum += std::exp(score.s - largest);
  row.lse = largest + std::log(sum);
  row.lse_is_finite = true;
  double weights = 0, squares = 0, product = 0;
  double added = has_sink ? std::exp(sink - largest) / sum * std::fabs(sink) : 0;
  for (size_t n = 0; n < list.size(); n++) {
    const std::vector<double> &v = keys.v(list[n]);
    const double weight = std::exp(scores[n].s - largest) / sum;
    weights += weight;
    squares += weight * weight;
    product = std::max(product, scores[n].product);
    added += weight * scores[n].added;
    for (size_t d = 0; d < row.o.size(); d++) {
      row.o[d] += weight * v[d];
      row.max_v = std::max(row.max_v, std::fabs(v[d]));
    }
  }
  row.magnitude = product + added;
  row.keys = weights * weights / squares;
  return row;
}

// ---- The same in f32, as simple code would do it.

float naive_score(const attn_params &p, const std::vector<double> &q, const std::vector<double> &k,
                  bool ascending) {
  const size_t size = q.size();
  float dot = 0;
  for (size_t n = 0; n < size; n++) {
    const size_t d = ascending ? n : size - 1 - n;
    dot += static_cast<float>(q[d]) * static_cast<float>(k[d]);
  }
  const float s = static_cast<float>(scale_of(p)) * dot;
  return p.softcap > 0 ? p.softcap * std::tanh(s / p.softcap) : s;
}

std::vector<float> naive_f32_row(const attn_params &p, int64_t b, int64_t h, int64_t i,
                                 bool ascending, Keys &keys) {
  std::vector<float> o(index_of(head_size_v(p)), 0), scores;
  const std::vector<int64_t> list = allowed_keys(p, b, h, i);
  if (list.empty()) return o;
  const std::vector<double> q = row_values(query_row(p, p.q, b, h, i), p.q.type, p.head_size, 1);
  for (int64_t j : list) {
    float s = naive_score(p, q, keys.k(j), ascending);
    if (p.bias.data) s += static_cast<float>(bias_at(p, b, h, i, j));
    if (p.alibi_slopes) s += static_cast<float>(alibi_at(p, h, position_of(p, b, i), j));
    scores.push_back(s);
  }
  float largest = *std::max_element(scores.begin(), scores.end());
  if (p.sinks) largest = std::max(largest, p.sinks[h]);
  float sum = p.sinks ? std::exp(p.sinks[h] - largest) : 0;
  for (float &x : scores) {
    x = std::exp(x - largest);
    sum += x;
  }
  for (size_t n = 0; n < list.size(); n++) {
    const std::vector<double> &v = keys.v(list[n]);
    for (size_t d = 0; d < o.size(); d++) o[d] += scores[n] / sum * static_cast<float>(v[d]);
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

// error / limit, where 0 / 0 is within the limit; a NaN, also of the reference, is infinitely
// wrong.
double ratio(float got, double want, double limit) {
  if (is_nan(got) || std::isnan(want)) return 1e30;
  const double error = std::fabs(static_cast<double>(got) - want);
  if (error == 0) return 0;
  return limit > 0 ? error / limit : 1e30;
}

}  // namespace

int64_t queries_of(const attn_params &p, int64_t b) {
  return p.cu_seqlens_q ? p.cu_seqlens_q[b + 1] - p.cu_seqlens_q[b] : p.len_q;
}

int64_t keys_of(const attn_params &p, int64_t b) {
  if (p.seqlens_kv) return p.seqlens_kv[b];
  return p.cu_seqlens_kv ? p.cu_seqlens_kv[b + 1] - p.cu_seqlens_kv[b] : p.len_kv;
}

bool allowed(const attn_params &p, int64_t b, int64_t h, int64_t i, int64_t j) {
  const int64_t position = position_of(p, b, i), keys = keys_of(p, b);
  if (j >= keys) return false;
  if (p.causal && j > position) return false;
  if (p.window && !in_window(p, position, j)) return false;
  if (p.mask.data && matrix_raw(p.mask, b, h, i, j) == 0) return false;
  if (p.bias.data && forbids(p.bias, matrix_raw(p.bias, b, h, i, j))) return false;
  if (p.block_mask.data && matrix_raw(p.block_mask, b, h, i / p.block_q, j / p.block_k) == 0)
    return false;
  return p.ring_size == 0 || j >= keys - p.ring_size;
}

Look look(const attn_params &p, int64_t b, int64_t h, int64_t i) {
  Keys keys(p, b, kv_head(p, h));
  const std::vector<double> q = row_values(query_row(p, p.q, b, h, i), p.q.type, p.head_size, 1);
  const bool has_sink = p.sinks && !std::isinf(p.sinks[h]);
  const double sink = has_sink ? static_cast<double>(p.sinks[h]) : 0;
  double largest = sink;
  Look row = {{}, !has_sink, 0, 0, 0};
  for (int64_t j = 0; j < p.len_kv; j++) {
    Seen seen = {false, false, 0, 0, 0, 0, 0, 0, {}};
    seen.there = j < keys_of(p, b) && (p.ring_size == 0 || j >= keys_of(p, b) - p.ring_size);
    seen.allowed = seen.there && allowed(p, b, h, i, j);
    if (seen.there) {
      attn_params plain = p;
      plain.softcap = 0;
      const Score scaled = score_of(plain, q, keys.k(j), 0, 0);
      const Score capped = score_of(p, q, keys.k(j), 0, 0);
      seen.scaled = scaled.s;
      seen.softcap = capped.s;
      seen.scaled_error = kC1 * kEps * scaled.product;
      seen.softcap_error = kC1 * kEps * capped.product;
    }
    if (seen.allowed) {
      const Score biased = score_of(p, q, keys.k(j), bias_at(p, b, h, i, j),
                                    alibi_at(p, h, position_of(p, b, i), j));
      seen.biased = biased.s;
      seen.biased_error = kC1 * kEps * (biased.product + biased.added);
      largest = row.empty ? biased.s : std::max(largest, biased.s);
      row.empty = false;
      if (p.v.data) seen.v = keys.v(j);
    }
    row.keys.push_back(seen);
  }
  if (row.empty) return row;
  double sum = has_sink ? std::exp(sink - largest) : 0;
  for (const Seen &seen : row.keys) sum += seen.allowed ? std::exp(seen.biased - largest) : 0;
  row.lse = largest + std::log(sum);
  row.sink_share = has_sink ? std::exp(sink - largest) / sum : 0;
  for (const Seen &seen : row.keys) {
    if (seen.allowed) row.error += std::exp(seen.biased - largest) / sum * seen.biased_error;
  }
  return row;
}

namespace {

// Call the function with every row there is and the keys of its head.
template <class F>
void for_each_row(const attn_params &p, F function) {
  for (int64_t b = 0; b < p.batch; b++) {
    for (int64_t h = 0; h < p.heads_q;) {
      Keys keys(p, b, kv_head(p, h));
      for (const int64_t g = kv_head(p, h); h < p.heads_q && kv_head(p, h) == g; h++)
        for (int64_t i = 0; i < queries_of(p, b); i++) function(b, h, i, keys);
    }
  }
}

}  // namespace

std::vector<Row> attention(const attn_params &p) {
  std::vector<Row> rows;
  for_each_row(p, [&](int64_t b, int64_t h, int64_t i, Keys &keys) {
    rows.push_back(attention_row(p, b, h, i, keys));
  });
  return rows;
}

double naive_f32_error(const attn_params &p, const std::vector<Row> &rows) {
  double worst = 0;
  const Row *row = rows.data();
  for_each_row(p, [&](int64_t b, int64_t h, int64_t i, Keys &keys) {
    for (bool ascending : {true, false}) {
      const std::vector<float> naive = naive_f32_row(p, b, h, i, ascending, keys);
      for (size_t d = 0; d < naive.size(); d++)
        worst = std::max(worst, std::fabs(static_cast<double>(naive[d]) - row->o[d]));
    }
    row++;
  });
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
  double of_weights;  // what rounding the weights costs, of max|v|
  std::ostringstream problem;
  double max_v = 0, max_error = 0;

  // Returns whether this is the first result beyond its limit.
  bool note(double ratio_to_limit, double *largest) {
    *largest = std::max(*largest, ratio_to_limit);
    return ratio_to_limit > 1 && problem.tellp() == 0;
  }

  void add_o(const Row &row, const void *o, attn_type type, const std::string &where) {
    const double bound =
        std::min(row.max_v * kEps * (kC1 * (1 + row.magnitude) + kC2), 2 * row.max_v) +
        of_weights * row.max_v;
    max_v = std::max(max_v, row.max_v);
    for (size_t d = 0; d < row.o.size(); d++) {
      const uint32_t raw = load_raw(address(o, type, static_cast<int64_t>(d)), type);
      const float got = decoded(raw, type, 1);
      const double rounding = half_ulp(type, std::fabs(row.o[d]) + bound);
      max_error = std::max(max_error, ratio(got, row.o[d], 1) - rounding);
      const double r = ratio(got, row.o[d], row.empty ? 0 : bound + rounding);
      double unused = 0;
      if (!note(r, type == ATTN_F32 || r > 1 ? &accuracy->o : &unused)) continue;
      problem << "o" << where << "[" << d << "] is " << got << ", not " << row.o[d] << ", " << r
              << " times the bound";
    }
  }

  void add_lse(const Row &row, const void *address_of_lse, const std::string &where) {
    float lse;
    std::memcpy(&lse, address_of_lse, sizeof lse);
    const double bound = kEps * (kC1Lse * (1 + row.magnitude) + kC2);
    double r = ratio(lse, row.lse, row.empty ? 0 : bound);
    if (!row.lse_is_finite) r = is_minus_infinity(lse) ? 0 : 1e30;
    if (!note(r, &accuracy->lse)) return;
    problem << "lse" << where << " is " << lse << ", not "
            << (row.lse_is_finite ? std::to_string(row.lse) : "-infinity") << ", " << r
            << " times the bound";
  }

  void add_naive(double naive_error) {
    const double limit = std::max(kC3 * naive_error, kC4 * kEps * max_v) + of_weights * max_v;
    if (!note(max_error > 0 ? max_error / limit : 0, &accuracy->naive)) return;
    problem << "the largest error, " << max_error << ", is over " << kC3
            << " times the naive evaluation's, " << naive_error;
  }
};

size_t telling_rows(const std::vector<Row> &rows) {
  size_t count = 0;
  for (const Row &row : rows) count += row.keys >= kManyKeys ? 1 : 0;
  return count;
}

}  // namespace

std::string compare(const attn_params &p, const std::vector<Row> &rows, double naive_error,
                    Accuracy *accuracy, bool bf16_products) {
  Comparison comparison;
  comparison.accuracy = accuracy;
  comparison.of_weights = bf16_products ? kBf16Weights : 0;
  const Row *row = rows.data();
  for (int64_t b = 0; b < p.batch; b++)
    for (int64_t h = 0; h < p.heads_q; h++)
      for (int64_t i = 0; i < queries_of(p, b); i++, row++) {
        std::ostringstream where;
        where << "[" << b << "][" << h << "][" << i << "]";
        comparison.add_o(*row, query_row(p, p.o, b, h, i), p.o.type, where.str());
        if (p.lse.data) comparison.add_lse(*row, query_row(p, p.lse, b, h, i), where.str());
      }
  if (telling_rows(rows) >= kManyRows) comparison.add_naive(naive_error);
  return comparison.problem.str();
}

std::string compare(const attn_params &p) {
  const std::vector<Row> rows = attention(p);
  Accuracy accuracy;
  return compare(p, rows, naive_f32_error(p, rows), &accuracy);
}

}  // namespace reference
