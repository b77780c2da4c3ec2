// Attention by the formula, in double precision: what the library is measured against. It shares no
// code with the library and reads no element that the formula does not use.
#ifndef TESTS_REFERENCE_HPP
#define TESTS_REFERENCE_HPP

#include <string>
#include <vector>

#include "attn.h"

namespace reference {

// One row of the output, (batch, query head, query).
struct Row {
  bool empty;  // no key is allowed: o is 0, lse is -infinity (held as 0 here)
  double lse;
  double max_v;           // the largest |v| at an allowed key
  double magnitude;       // the largest |scale| * sum over d of |q_d k_jd|
  std::vector<double> o;  // head_size_v of them
};

// All rows in the order b, h, i.
std::vector<Row> attention(const attn_params &params);

// The formula step by step in f32, as simple code would evaluate it: its largest error in o. The
// sum over features is tried in ascending and in descending order, and the worse is returned: where
// few scores matter, the error of one order is luck.
double naive_f32_error(const attn_params &params, const std::vector<Row> &rows);

// The constants of the error bound, with eps = 2^-24:
//   |o - o_ref| <= max|v| * eps * (C1 * (1 + magnitude) + C2)
//   |lse - lse_ref| <= eps * (C1_LSE * (1 + magnitude) + C2)
// and over a whole tensor of at least kManyRows rows |o - o_ref| is at most C3 times the naive f32
// error, or C4 eps max|v| if that is more.
const double kEps = 1.0 / 16777216;
const double kC1 = 8, kC1Lse = 24, kC2 = 8, kC3 = 2, kC4 = 4;
const size_t kManyRows = 64;

// How near the results come to those limits: 1 is at the limit.
struct Accuracy {
  double o = 0, lse = 0, naive = 0;
  void include(const Accuracy &other);
};

// Compare what params.o and params.lse hold with the rows. Returns an empty text if all is within
// the limits, else which element is not.
std::string compare(const attn_params &params, const std::vector<Row> &rows, double naive_error,
                    Accuracy *accuracy);

// The same against rows and naive error computed here.
std::string compare(const attn_params &params);

}  // namespace reference

#endif
