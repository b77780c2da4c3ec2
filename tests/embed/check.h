/* What every consumer checks, on each instruction set that is compiled in and supported here: a
 * worked lookup, and small causal attention against a naive loop. Include attn.h first. */
#ifndef EMBED_CHECK_H
#define EMBED_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  CHECK_HEADS_Q = 4,
  CHECK_HEADS_KV = 2,
  CHECK_LEN_Q = 21,
  CHECK_LEN_KV = 29,
  CHECK_MAX_HEAD_SIZE = 64
};

typedef struct check_case {
  attn_params params;
  float q[CHECK_LEN_Q * CHECK_HEADS_Q * CHECK_MAX_HEAD_SIZE];
  float k[CHECK_LEN_KV * CHECK_HEADS_KV * CHECK_MAX_HEAD_SIZE];
  float v[CHECK_LEN_KV * CHECK_HEADS_KV * CHECK_MAX_HEAD_SIZE];
  float o[CHECK_LEN_Q * CHECK_HEADS_Q * CHECK_MAX_HEAD_SIZE];
} check_case;

/* Infinities and NaN are seen by their bits: -ffast-math assumes comparisons away. */
static int check_close(float got, double want) {
  uint32_t bits;
  memcpy(&bits, &got, sizeof bits);
  if ((bits & 0x7f800000u) == 0x7f800000u) return 0;
  return fabs((double)got - want) <= 1e-5;
}

static int check_report(attn_isa isa, const char *what, attn_status status) {
  printf("%s: %s: %s\n", attn_isa_name(isa), what, attn_status_string(status));
  return 1;
}

/* The call succeeds and runs on the instruction set that was asked for, if one was. */
static int check_forward(const attn_params *params) {
  attn_plan plan;
  attn_plan_info info;
  attn_status status = attn_plan_init(&plan, params);
  if (status == ATTN_OK) status = attn_plan_get_info(&plan, &info);
  if (status != ATTN_OK) return check_report(params->isa, "plan", status);
  if (params->isa != ATTN_ISA_AUTO && info.isa != params->isa) {
    return check_report(params->isa, "another instruction set ran", status);
  }
  status = attn_forward(params, NULL, 0);
  return status == ATTN_OK ? 0 : check_report(params->isa, "forward", status);
}

/* Three keys, one-hot of width 3: the weights are 0.264, 0.264 and 0.471, the output is 6.62. */
static int check_lookup(attn_isa isa) {
  const float q[3] = {0, 0, 1};
  const float k[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const float v[3] = {2, 7, 9};
  const double grown = exp(1 / sqrt(3.0));
  float o = -1;
  attn_params p = attn_params_init();
  p.q = attn_bhsd(q, ATTN_F32, 1, 1, 3);
  p.k = attn_bhsd(k, ATTN_F32, 3, 1, 3);
  p.v = attn_bhsd(v, ATTN_F32, 3, 1, 1);
  p.o = attn_bhsd(&o, ATTN_F32, 1, 1, 1);
  p.batch = p.heads_q = p.len_q = p.head_size_v = 1;
  p.len_kv = p.head_size = 3;
  p.isa = isa;
  if (check_forward(&p)) return 1;
  if (check_close(o, (2 + 7 + 9 * grown) / (2 + grown)) && fabs((double)o - 6.62) < 0.005) return 0;
  return check_report(isa, "wrong lookup", ATTN_OK);
}

static float check_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

static void check_fill(float *x, int64_t heads, int64_t len, int64_t head_size, uint32_t seed) {
  int64_t i;
  for (i = 0; i < heads * len * head_size; ++i) x[i] = check_random(&seed);
}

static double check_score(const check_case *c, int64_t h, int64_t i, int64_t j) {
  const int64_t n = c->params.head_size;
  const int64_t g = h / (CHECK_HEADS_Q / CHECK_HEADS_KV);
  double sum = 0;
  int64_t d;
  for (d = 0; d < n; ++d) {
    sum += (double)c->q[(i * CHECK_HEADS_Q + h) * n + d] *
           (double)c->k[(j * CHECK_HEADS_KV + g) * n + d];
  }
  return sum / sqrt((double)n);
}

/* One row of the output in double precision; scores are small, so no maximum is subtracted. */
static int check_row(const check_case *c, int64_t h, int64_t i) {
  const int64_t n = c->params.head_size;
  const int64_t g = h / (CHECK_HEADS_Q / CHECK_HEADS_KV);
  double want[CHECK_MAX_HEAD_SIZE] = {0};
  double total = 0;
  int64_t j, d;
  for (j = 0; j <= i + CHECK_LEN_KV - CHECK_LEN_Q; ++j) {
    const double weight = exp(check_score(c, h, i, j));
    total += weight;
    for (d = 0; d < n; ++d) want[d] += weight * (double)c->v[(j * CHECK_HEADS_KV + g) * n + d];
  }
  for (d = 0; d < n; ++d) {
    if (!check_close(c->o[(i * CHECK_HEADS_Q + h) * n + d], want[d] / total)) return 1;
  }
  return 0;
}

/* Causal, grouped heads, more keys than queries. */
static int check_causal(attn_isa isa, int64_t head_size) {
  static check_case c;
  attn_params *p = &c.params;
  int64_t h, i;
  *p = attn_params_init();
  p->q = attn_bshd(c.q, ATTN_F32, CHECK_LEN_Q, CHECK_HEADS_Q, head_size);
  p->k = attn_bshd(c.k, ATTN_F32, CHECK_LEN_KV, CHECK_HEADS_KV, head_size);
  p->v = attn_bshd(c.v, ATTN_F32, CHECK_LEN_KV, CHECK_HEADS_KV, head_size);
  p->o = attn_bshd(c.o, ATTN_F32, CHECK_LEN_Q, CHECK_HEADS_Q, head_size);
  p->batch = 1;
  p->heads_q = CHECK_HEADS_Q;
  p->heads_kv = CHECK_HEADS_KV;
  p->len_q = CHECK_LEN_Q;
  p->len_kv = CHECK_LEN_KV;
  p->head_size = head_size;
  p->causal = true;
  p->isa = isa;
  check_fill(c.q, CHECK_HEADS_Q, CHECK_LEN_Q, head_size, 1);
  check_fill(c.k, CHECK_HEADS_KV, CHECK_LEN_KV, head_size, 2);
  check_fill(c.v, CHECK_HEADS_KV, CHECK_LEN_KV, head_size, 3);
  memset(c.o, 0x7f, sizeof c.o); /* 3.4e38: what stays unwritten is wrong */
  if (check_forward(p)) return 1;
  for (h = 0; h < CHECK_HEADS_Q; ++h) {
    for (i = 0; i < CHECK_LEN_Q; ++i) {
      if (check_row(&c, h, i)) return check_report(isa, "wrong causal attention", ATTN_OK);
    }
  }
  return 0;
}

static int check_isa(attn_isa isa) {
  return check_lookup(isa) + check_causal(isa, 64) + check_causal(isa, 12);
}

/* Returns the number of failures and prints the instruction sets that ran. */
static int check_all(void) {
  int failures = check_isa(ATTN_ISA_AUTO);
  int i;
  printf("checked:");
  for (i = 1; strcmp(attn_isa_name((attn_isa)i), "unknown") != 0; ++i) {
    const attn_isa isa = (attn_isa)i;
    if (!attn_isa_supported(isa)) continue;
    failures += check_isa(isa);
    printf(" %s", attn_isa_name(isa));
  }
  printf("\n");
  return failures;
}

#endif
