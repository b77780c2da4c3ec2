/* Inputs for a run, and some rows of its result against the definition in double precision. */
#ifndef BENCH_CHECK_H
#define BENCH_CHECK_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attn.h"

/* Uniform numbers from -1 to 1. */
static void fill(float *x, size_t n, uint32_t seed) {
  size_t i;
  for (i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* The largest error, and the largest error over its bound (docs/numerics.md, half a unit in the
 * last place where o has 16 bits, and what products of bf16 add): at most 1 if all is well. */
typedef struct check_result {
  double error, of_bound;
} check_result;

/* binary16 as a double, bit by bit: independent of what attn.h does. */
static double check_widen_f16(uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double sign = h >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double check_widen_bf16(uint16_t h) {
  const uint32_t bits = (uint32_t)h << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

/* Row of x, exactly, as doubles; of ATTN_I8 times its scale. */
static void check_row(const attn_tensor *x, const attn_tensor *scale, int64_t batch, int64_t head,
                      int64_t row, int64_t size, double *out) {
  const int64_t at = batch * x->stride_b + head * x->stride_h + row * x->stride_s;
  int64_t d;
  if (x->type == ATTN_I8) {
    const int8_t *const p = (const int8_t *)x->data + at;
    const double s =
        (double)((const float *)scale->data)[batch * scale->stride_b + head * scale->stride_h +
                                             row * scale->stride_s];
    for (d = 0; d < size; ++d) out[d] = s * p[d];
  } else if (x->type == ATTN_F32) {
    for (d = 0; d < size; ++d) out[d] = (double)((const float *)x->data)[at + d];
  } else {
    const uint16_t *const p = (const uint16_t *)x->data + at;
    for (d = 0; d < size; ++d) {
      out[d] = x->type == ATTN_F16 ? check_widen_f16(p[d]) : check_widen_bf16(p[d]);
    }
  }
}

/* The largest rounding error of a number like x in this type: half a unit of its last place. */
static double check_half_ulp(attn_type type, double x) {
  int exponent;
  frexp(x, &exponent);
  if (type == ATTN_F16) return ldexp(1, (exponent > -13 ? exponent : -13) - 12);
  return type == ATTN_BF16 ? ldexp(1, (exponent > -125 ? exponent : -125) - 9) : 0;
}

static int64_t check_head_kv(const attn_params *p, int64_t head) {
  return head / (p->heads_q / (p->heads_kv ? p->heads_kv : p->heads_q));
}

/* Whether a window that ends at the query, and the block mask of all heads, allow the key. */
static bool check_allows(const attn_params *p, int64_t query, int64_t key) {
  const int64_t position = query + p->len_kv - p->len_q;
  const uint8_t *const blocks = (const uint8_t *)p->block_mask.data;
  if (p->window && key < position - p->window_left) return false;
  return blocks == NULL ||
         blocks[query / p->block_q * p->block_mask.stride_q + key / p->block_k] != 0;
}

/* Softcap, a bias of all heads in f32, ALiBi; *sum is the sum of their magnitudes and the score's.
 */
static double check_change(const attn_params *p, int64_t head, int64_t query, int64_t key,
                           double score, double *sum) {
  double added = 0;
  if (p->softcap > 0) score = (double)p->softcap * tanh(score / (double)p->softcap);
  if (p->bias.data != NULL) {
    added = (double)((const float *)p->bias.data)[query * p->bias.stride_q + key];
  }
  if (p->alibi_slopes != NULL) {
    const int64_t position = query + p->len_kv - p->len_q;
    added = -(double)p->alibi_slopes[head] * fabs((double)(position - key));
  }
  *sum += fabs(added);
  return score + added;
}

/* scores[j] for all keys before an end, which is returned: -infinity where the query may not
 * attend. largest_sum is M of the bound. */
static int64_t check_scores(const attn_params *p, int64_t batch, int64_t head, int64_t query,
                            double *scores, double *largest_sum) {
  const int64_t head_kv = check_head_kv(p, head);
  const int64_t end = p->causal ? query + p->len_kv - p->len_q + 1 : p->len_kv;
  double q[ATTN_MAX_HEAD_SIZE], k[ATTN_MAX_HEAD_SIZE];
  int64_t j, d;
  *largest_sum = 0;
  check_row(&p->q, NULL, batch, head, query, p->head_size, q);
  for (j = 0; j < end; ++j) {
    double score = 0, sum = 0;
    scores[j] = -INFINITY;
    if (!check_allows(p, query, j)) continue;
    check_row(&p->k, &p->k_scale, batch, head_kv, j, p->head_size, k);
    for (d = 0; d < p->head_size; ++d) {
      score += q[d] * k[d];
      sum += fabs(q[d] * k[d]);
    }
    sum /= sqrt((double)p->head_size);
    scores[j] = check_change(p, head, query, j, score / sqrt((double)p->head_size), &sum);
    *largest_sum = fmax(*largest_sum, sum);
  }
  return end;
}

/* exact[d] for the weights of `keys` keys, which are normalised; the largest |v| is returned. */
static double check_values(const attn_params *p, int64_t batch, int64_t head, int64_t keys,
                           double *weights, double *exact) {
  double largest = -DBL_MAX, sum = 0, largest_v = 0, v[ATTN_MAX_HEAD_SIZE];
  int64_t j, d;
  for (j = 0; j < keys; ++j) largest = fmax(largest, weights[j]);
  if (p->sinks != NULL) sum = exp((double)p->sinks[head] - largest);
  for (j = 0; j < keys; ++j) sum += weights[j] = exp(weights[j] - largest);
  for (d = 0; d < p->head_size; ++d) exact[d] = 0;
  for (j = 0; j < keys; ++j) {
    check_row(&p->v, &p->v_scale, batch, check_head_kv(p, head), j, p->head_size, v);
    for (d = 0; d < p->head_size; ++d) {
      exact[d] += weights[j] / sum * v[d];
      largest_v = fmax(largest_v, fabs(v[d]));
    }
  }
  return largest_v;
}

/* The type that the call's kernels multiply in: ATTN_BF16, or ATTN_F32. */
static attn_type check_products(const attn_params *p) {
  attn_plan plan;
  attn_plan_info info;
  if (attn_plan_init(&plan, p) != ATTN_OK) return ATTN_F32;
  attn_plan_get_info(&plan, &info);
  return strstr(info.kernel_pv, " prefill pv bf16 ") != NULL ? ATTN_BF16 : ATTN_F32;
}

static void check_one(const attn_params *p, int64_t batch, int64_t head, int64_t query,
                      double *weights, check_result *result) {
  double exact[ATTN_MAX_HEAD_SIZE], o[ATTN_MAX_HEAD_SIZE], largest_sum, largest_v, bound;
  const int64_t keys = check_scores(p, batch, head, query, weights, &largest_sum);
  int64_t d;
  largest_v = check_values(p, batch, head, keys, weights, exact);
  bound = largest_v * ldexp(1, -24) * (8 * (1 + largest_sum) + 8);
  if (check_products(p) == ATTN_BF16) bound += ldexp(largest_v, -8);
  check_row(&p->o, NULL, batch, head, query, p->head_size, o);
  for (d = 0; d < p->head_size; ++d) {
    const double error = fabs(exact[d] - o[d]);
    const double of_bound = error / (bound + check_half_ulp(p->o.type, fabs(exact[d]) + bound));
    if (!(error <= result->error)) result->error = error;
    if (!(of_bound <= result->of_bound)) result->of_bound = of_bound;
  }
}

/* Check `rows` rows, spread over queries, heads and batch entries; scale 0, bottom-right, v as wide
 * as k; elements of any type; of the options those that attn_bench has. An error of NaN: out of
 * memory. */
static check_result check_rows(const attn_params *p, int64_t rows) {
  double *const weights = (double *)malloc((size_t)p->len_kv * sizeof *weights);
  check_result result = {0, 0};
  int64_t n;
  if (weights == NULL) result.error = result.of_bound = NAN;
  for (n = 0; n < rows && weights != NULL; ++n) {
    const int64_t query = (n * 977 + p->len_q - 1) % p->len_q;
    check_one(p, n % p->batch, n % p->heads_q, query, weights, &result);
  }
  free(weights);
  return result;
}

#endif
