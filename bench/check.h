/* Inputs for a run, and some rows of its result against the definition in double precision. */
#ifndef BENCH_CHECK_H
#define BENCH_CHECK_H

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "attn.h"

/* Uniform numbers from -1 to 1. */
static void fill(float *x, size_t n, uint32_t seed) {
  size_t i;
  for (i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* The largest error, and the largest error over its bound (docs/numerics.md): at most 1 if all is
 * well. */
typedef struct check_result {
  double error, of_bound;
} check_result;

static const float *check_row(const attn_tensor *x, int64_t batch, int64_t head, int64_t row) {
  return (const float *)x->data + batch * x->stride_b + head * x->stride_h + row * x->stride_s;
}

static int64_t check_head_kv(const attn_params *p, int64_t head) {
  return head / (p->heads_q / (p->heads_kv ? p->heads_kv : p->heads_q));
}

/* scores[j] for all keys that the query may attend to; their number is returned. largest_sum is M
 * of the bound. */
static int64_t check_scores(const attn_params *p, int64_t batch, int64_t head, int64_t query,
                            double *scores, double *largest_sum) {
  const int64_t head_kv = check_head_kv(p, head);
  const int64_t end = p->causal ? query + p->len_kv - p->len_q + 1 : p->len_kv;
  const float *const q = check_row(&p->q, batch, head, query);
  int64_t j, d;
  *largest_sum = 0;
  for (j = 0; j < end; ++j) {
    const float *const k = check_row(&p->k, batch, head_kv, j);
    double score = 0, sum = 0;
    for (d = 0; d < p->head_size; ++d) {
      score += (double)q[d] * (double)k[d];
      sum += fabs((double)q[d] * (double)k[d]);
    }
    scores[j] = score / sqrt((double)p->head_size);
    *largest_sum = fmax(*largest_sum, sum / sqrt((double)p->head_size));
  }
  return end;
}

static void check_one(const attn_params *p, int64_t batch, int64_t head, int64_t query,
                      double *weights, check_result *result) {
  const int64_t head_kv = check_head_kv(p, head);
  const float *const o = check_row(&p->o, batch, head, query);
  double largest = -DBL_MAX, sum = 0, largest_sum, largest_v = 0, bound;
  const int64_t keys = check_scores(p, batch, head, query, weights, &largest_sum);
  int64_t j, d;
  for (j = 0; j < keys; ++j) largest = fmax(largest, weights[j]);
  for (j = 0; j < keys; ++j) {
    const float *const v = check_row(&p->v, batch, head_kv, j);
    sum += weights[j] = exp(weights[j] - largest);
    for (d = 0; d < p->head_size; ++d) largest_v = fmax(largest_v, fabs((double)v[d]));
  }
  bound = largest_v * ldexp(1, -24) * (8 * (1 + largest_sum) + 8);
  for (d = 0; d < p->head_size; ++d) {
    double exact = 0, error;
    for (j = 0; j < keys; ++j) {
      exact += weights[j] / sum * (double)check_row(&p->v, batch, head_kv, j)[d];
    }
    error = fabs(exact - (double)o[d]);
    if (!(error <= result->error)) result->error = error;
    if (!(error / bound <= result->of_bound)) result->of_bound = error / bound;
  }
}

/* Check `rows` rows, spread over queries, heads and batch entries; scale 0, bottom-right, v as wide
 * as k. An error of NaN: out of memory. */
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
