/* A decode loop over a KV cache: one plan and one piece of memory serve the prefill and every step.
 *
 *   cc -O2 -I. docs/examples/decode.c -o decode -lm
 *
 * Each step appends a key and a value to the cache, points the plan at the new lengths with
 * attn_plan_update(), which allocates nothing, and runs it. A program that has no threads of its
 * own may as well call attn_forward() at each step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ATTN_IMPLEMENTATION
#include "attn.h"

enum { HEADS_Q = 4, HEADS_KV = 2, HEAD_SIZE = 64 };
enum { PROMPT = 600, STEPS = 20, CAPACITY = 1024 };

static float q[PROMPT * HEADS_Q * HEAD_SIZE];          /* [len_q][HEADS_Q][HEAD_SIZE] */
static float o[PROMPT * HEADS_Q * HEAD_SIZE];          /* the same */
static float k_cache[HEADS_KV * CAPACITY * HEAD_SIZE]; /* [HEADS_KV][CAPACITY][HEAD_SIZE] */
static float v_cache[HEADS_KV * CAPACITY * HEAD_SIZE]; /* the same */

static float next_random(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / 8388608.0f - 1.0f;
}

/* What a model would compute from the next `count` tokens: their queries, and their keys and values
 * at positions len .. len + count - 1 of the cache. */
static void project(int64_t len, int64_t count) {
  for (int64_t i = 0; i < count * HEADS_Q * HEAD_SIZE; i++) q[i] = next_random();
  for (int64_t h = 0; h < HEADS_KV; h++) {
    float *const k = k_cache + (h * CAPACITY + len) * HEAD_SIZE;
    float *const v = v_cache + (h * CAPACITY + len) * HEAD_SIZE;
    for (int64_t i = 0; i < count * HEAD_SIZE; i++) {
      k[i] = next_random();
      v[i] = next_random();
    }
  }
}

/* The largest difference of the last query's output from the definition, in double precision. The
 * scores are small, so that no maximum needs to be subtracted. */
static double error_of_last_query(int64_t len_q, int64_t len_kv) {
  double worst = 0;
  for (int64_t h = 0; h < HEADS_Q; h++) {
    const int64_t row = ((len_q - 1) * HEADS_Q + h) * HEAD_SIZE;
    const float *const k = k_cache + h / (HEADS_Q / HEADS_KV) * CAPACITY * HEAD_SIZE;
    const float *const v = v_cache + h / (HEADS_Q / HEADS_KV) * CAPACITY * HEAD_SIZE;
    double sum = 0, want[HEAD_SIZE] = {0};
    for (int64_t j = 0; j < len_kv; j++) {
      double score = 0;
      for (int d = 0; d < HEAD_SIZE; d++) {
        score += (double)q[row + d] * (double)k[j * HEAD_SIZE + d];
      }
      const double weight = exp(score / sqrt((double)HEAD_SIZE));
      sum += weight;
      for (int d = 0; d < HEAD_SIZE; d++) want[d] += weight * (double)v[j * HEAD_SIZE + d];
    }
    for (int d = 0; d < HEAD_SIZE; d++) {
      const double error = fabs((double)o[row + d] - want[d] / sum);
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

static attn_params params_of(int64_t len_q, int64_t len_kv) {
  attn_params p = attn_params_init();
  p.q = attn_bshd(q, ATTN_F32, len_q, HEADS_Q, HEAD_SIZE);
  p.k = attn_bhsd(k_cache, ATTN_F32, CAPACITY, HEADS_KV, HEAD_SIZE); /* strides of the capacity */
  p.v = attn_bhsd(v_cache, ATTN_F32, CAPACITY, HEADS_KV, HEAD_SIZE);
  p.o = attn_bshd(o, ATTN_F32, len_q, HEADS_Q, HEAD_SIZE);
  p.batch = 1;
  p.heads_q = HEADS_Q;
  p.heads_kv = HEADS_KV;
  p.len_q = len_q;
  p.len_kv = len_kv; /* of which the last len_q positions are those of the queries */
  p.head_size = HEAD_SIZE;
  p.causal = true;
  p.capacity_q = PROMPT; /* no update brings longer lengths */
  p.capacity_kv = CAPACITY;
  return p;
}

static attn_status run(const attn_plan *plan, char *memory) {
  const size_t scratch_size = attn_plan_scratch_size(plan);
  const size_t shared_size = attn_plan_shared_size(plan);
  char *const shared = memory + scratch_size;
  for (int64_t task = 0; task < attn_plan_tasks(plan); task++) {
    const attn_status status = attn_plan_run(plan, task, memory, scratch_size, shared, shared_size);
    if (status != ATTN_OK) return status;
  }
  return attn_plan_finish(plan, shared, shared_size);
}

int main(void) {
  attn_params p = params_of(PROMPT, PROMPT);
  attn_plan plan;
  attn_plan_info info;
  attn_status status = attn_plan_init(&plan, &p);
  if (status != ATTN_OK) {
    puts(attn_status_string(status));
    return 1;
  }
  /* The sizes hold for every update within the capacities. */
  char *const memory = (char *)malloc(attn_plan_scratch_size(&plan) + attn_plan_shared_size(&plan));
  double worst = 0;
  int64_t len = 0;
  if (memory == NULL) status = ATTN_ERR_MEMORY;
  for (int step = 0; step <= STEPS && status == ATTN_OK; step++) {
    const int64_t count = step == 0 ? PROMPT : 1;
    project(len, count);
    len += count;
    p = params_of(count, len);
    status = attn_plan_update(&plan, &p);
    if (status == ATTN_OK) status = run(&plan, memory);
    if (status != ATTN_OK) break;
    const double error = error_of_last_query(count, len);
    if (!(error <= worst)) worst = error;
    if (step <= 1 && attn_plan_get_info(&plan, &info) == ATTN_OK) {
      printf("%s: %d tasks, %d chunks\n", attn_family_name(info.family), (int)info.tasks,
             (int)info.chunks);
    }
  }
  free(memory);
  printf("decode: %s, %d positions, largest error %.1e\n", attn_status_string(status), (int)len,
         worst);
  return status == ATTN_OK && worst < 1e-5 ? 0 : 1;
}
