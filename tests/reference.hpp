// Attention by the formula above attn_params, in double precision: what the library is measured
// against. It shares no code with the library and reads no element that the formula does not use.
#ifndef TESTS_REFERENCE_HPP
#define TESTS_REFERENCE_HPP

#include <string>
#include <vector>

#include "attn.h"

namespace reference {

// One row of the output, (batch, query head, query).
struct Row {
  bool empty;  // no key is allowed: o is 0, lse is -infinity or the sink
  double lse;  // -infinity is held as 0
  bool lse_is_finite;
  double max_v;           // the largest |v| at an allowed key
  double magnitude;       // M, what errors of the scores are measured against: see below
  double keys;            // how many matter
  std::vector<double> o;  // head_size_v of them
};

// All rows in the order b, h, i, of queries that there are: cu_seqlens_q may leave some entries
// fewer than len_q.
std::vector<Row> attention(const attn_params &params);

// One key as a row sees it, stage by stage; and how far f32 may be from each score, by kC1.
struct Seen {
  bool there;  // it lies in the entry, and still in its ring
  bool allowed;
  double scaled, softcap, biased;  // meaningless if it is not there; of the last, if not allowed
  double scaled_error, softcap_error, biased_error;
  std::vector<double> v;  // if allowed
};

// A row's keys 0 to len_kv - 1, and its sums over the allowed ones; sink included.
struct Look {
  std::vector<Seen> keys;
  bool empty;                     // neither a key nor a sink
  double lse, sink_share, error;  // the error of lse
};

Look look(const attn_params &params, int64_t b, int64_t h, int64_t i);

// Whether query i of an entry may attend to key j, in the words of attn_params.
bool allowed(const attn_params &params, int64_t b, int64_t h, int64_t i, int64_t j);

// The lengths of a batch entry.
int64_t queries_of(const attn_params &params, int64_t b);
int64_t keys_of(const attn_params &params, int64_t b);

// The formula step by step in f32, as simple code would evaluate it: its largest error in o. The
// sum over features is tried in ascending and in descending order, and the worse is returned: where
// few scores matter, the error of one order is luck.
double naive_f32_error(const attn_params &params, const std::vector<Row> &rows);

// The constants of the error bound, with eps = 2^-24:
//   |o - o_ref| <= max|v| * eps * (C1 * (1 + M) + C2), and never more than 2 max|v|
//   |lse - lse_ref| <= eps * (C1_LSE * (1 + M) + C2)
// and half a unit of the output's type more, and of o 2^-8 max|v| where products of bf16 round the
// weights. Over a whole tensor |o - o_ref| is at most C3 times the naive f32 error, or C4 eps
// max|v| if that is more, if the tensor has at least kManyRows rows in which as many as kManyKeys
// keys matter (the squared sum of their weights over the sum of the squares): of one key or two the
// naive error is luck.
//
// M is the sum of what a score's roundings are relative to:
//   of the product, the largest |scale| * sum over d of |q_d k_jd|; under a softcap that times the
//   slope of the cap, 1 - tanh^2, plus the capped score, whose own roundings are relative to it;
//   of what is added, the mean of |bias_j| + |slope (p - j)| over the keys, by their weights, and
//   the sink's |logit| times its weight. By weight, because the error of o is at most
//   2 max|v| * sum of weight_j |error of s_j|: a bias of -3.4e38 on a key of weight 0 costs
//   nothing.
const double kEps = 1.0 / 16777216;
const double kC1 = 8, kC1Lse = 24, kC2 = 8, kC3 = 2, kC4 = 4;
// Of max|v|: what products of bf16 lose by rounding the weights.
const double kBf16Weights = 1.0 / 256;
const size_t kManyRows = 64;
const double kManyKeys = 4;

// How near the results come to those limits: 1 is at the limit.
struct Accuracy {
  double o = 0, lse = 0, naive = 0;
  void include(const Accuracy &other);
};

// Compare what params.o and params.lse hold with the rows. Returns an empty text if all is within
// the limits, else which element is not.
std::string compare(const attn_params &params, const std::vector<Row> &rows, double naive_error,
                    Accuracy *accuracy, bool bf16_products = false);

// The same against rows and naive error computed here.
std::string compare(const attn_params &params);

}  // namespace reference

#endif
