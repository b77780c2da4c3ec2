/* Attention on a program's own threads: a pool that stays, and the tasks of a plan.
 *
 *   cc -O2 -I. docs/examples/threads.c -o threads -pthread -lm
 *
 * Each thread takes the next task, with scratch of its own, until none is left; when all have
 * finished, one thread calls attn_plan_finish(). Which thread takes which task changes no bit of
 * the result: here it is compared with that of attn_forward() on one thread, and with the
 * definition. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTN_IMPLEMENTATION
#include "attn.h"

enum { THREADS = 4, LEN_Q = 200, LEN_KV = 700, HEADS = 4, HEAD_SIZE = 48, ROW = HEADS * HEAD_SIZE };

static float q[LEN_Q * ROW], k[LEN_KV * ROW], v[LEN_KV * ROW]; /* [len][HEADS][HEAD_SIZE] */
static float o[LEN_Q * ROW], expected[LEN_Q * ROW];

/* The pool. `lock` guards everything from next_task to status. */
typedef struct pool {
  pthread_t threads[THREADS];
  int started;
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  const attn_plan *plan; /* null: the threads end */
  int64_t next_task;     /* the next to hand out */
  int running;           /* threads that have not finished this run */
  unsigned round;        /* counts the runs */
  attn_status status;    /* of the first task that failed */
  char *scratch[THREADS];
  size_t scratch_size;
  void *shared;
  size_t shared_size;
} pool;

static int64_t take_task(pool *p, attn_status last) {
  int64_t task;
  pthread_mutex_lock(&p->lock);
  if (last != ATTN_OK) p->status = last;
  task = p->next_task++;
  pthread_mutex_unlock(&p->lock);
  return task;
}

static void run_tasks(pool *p, const attn_plan *plan, char *scratch) {
  const int64_t tasks = attn_plan_tasks(plan);
  attn_status status = ATTN_OK;
  for (int64_t task = take_task(p, status); task < tasks; task = take_task(p, status)) {
    status = attn_plan_run(plan, task, scratch, p->scratch_size, p->shared, p->shared_size);
  }
}

typedef struct worker {
  pool *owner;
  int index;
} worker;

static void *work(void *argument) {
  const worker *const self = (const worker *)argument;
  pool *const p = self->owner;
  unsigned seen = 0;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (p->round == seen) pthread_cond_wait(&p->work, &p->lock);
    seen = p->round;
    if (p->plan == NULL) break;
    pthread_mutex_unlock(&p->lock);
    run_tasks(p, p->plan, p->scratch[self->index]);
    pthread_mutex_lock(&p->lock);
    if (--p->running == 0) pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* Start a round with this plan, or tell the threads to end. */
static void start_round(pool *p, const attn_plan *plan) {
  pthread_mutex_lock(&p->lock);
  p->plan = plan;
  p->next_task = 0;
  p->running = p->started;
  p->status = ATTN_OK;
  p->round++;
  pthread_cond_broadcast(&p->work);
  pthread_mutex_unlock(&p->lock);
}

/* What a layer of a model would call. */
static attn_status pool_forward(pool *p, const attn_plan *plan) {
  start_round(p, plan);
  pthread_mutex_lock(&p->lock);
  while (p->running > 0) pthread_cond_wait(&p->done, &p->lock);
  pthread_mutex_unlock(&p->lock);
  return p->status != ATTN_OK ? p->status : attn_plan_finish(plan, p->shared, p->shared_size);
}

/* Memory for this plan, and its updates, on every thread. Returns 0 if there is none. */
static int pool_open(pool *p, worker workers[THREADS], const attn_plan *plan) {
  memset(p, 0, sizeof *p);
  p->scratch_size = attn_plan_scratch_size(plan);
  p->shared_size = attn_plan_shared_size(plan);
  p->shared = malloc(p->shared_size + 1);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->work, NULL);
  pthread_cond_init(&p->done, NULL);
  for (int i = 0; i < THREADS && p->shared != NULL; i++) {
    workers[i].owner = p;
    workers[i].index = i;
    p->scratch[i] = (char *)malloc(p->scratch_size);
    if (p->scratch[i] == NULL) break;
    if (pthread_create(&p->threads[i], NULL, work, &workers[i]) != 0) break;
    p->started++;
  }
  return p->started == THREADS;
}

static void pool_close(pool *p) {
  start_round(p, NULL);
  for (int i = 0; i < p->started; i++) pthread_join(p->threads[i], NULL);
  for (int i = 0; i < THREADS; i++) free(p->scratch[i]);
  free(p->shared);
  pthread_cond_destroy(&p->done);
  pthread_cond_destroy(&p->work);
  pthread_mutex_destroy(&p->lock);
}

static void fill(float *x, int64_t count, uint32_t seed) {
  for (int64_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* The largest difference of o from the definition, in double precision. */
static double largest_error(void) {
  double worst = 0;
  for (int64_t row = 0; row < LEN_Q * HEADS; row++) {
    const int64_t last_key = row / HEADS + LEN_KV - LEN_Q, head = row % HEADS * HEAD_SIZE;
    double sum = 0, want[HEAD_SIZE] = {0};
    for (int64_t j = 0; j <= last_key; j++) {
      double score = 0;
      for (int d = 0; d < HEAD_SIZE; d++) {
        score += (double)q[row * HEAD_SIZE + d] * (double)k[j * ROW + head + d];
      }
      const double weight = exp(score / sqrt((double)HEAD_SIZE));
      sum += weight;
      for (int d = 0; d < HEAD_SIZE; d++) want[d] += weight * (double)v[j * ROW + head + d];
    }
    for (int d = 0; d < HEAD_SIZE; d++) {
      const double error = fabs((double)o[row * HEAD_SIZE + d] - want[d] / sum);
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

static attn_params params_to(float *out) {
  attn_params p = attn_params_init();
  p.q = attn_bshd(q, ATTN_F32, LEN_Q, HEADS, HEAD_SIZE);
  p.k = attn_bshd(k, ATTN_F32, LEN_KV, HEADS, HEAD_SIZE);
  p.v = attn_bshd(v, ATTN_F32, LEN_KV, HEADS, HEAD_SIZE);
  p.o = attn_bshd(out, ATTN_F32, LEN_Q, HEADS, HEAD_SIZE);
  p.batch = 1;
  p.heads_q = HEADS;
  p.len_q = LEN_Q;
  p.len_kv = LEN_KV;
  p.head_size = HEAD_SIZE;
  p.causal = true;
  return p;
}

int main(void) {
  static worker workers[THREADS];
  static pool p;
  attn_params params = params_to(expected);
  attn_plan plan;
  attn_status status;
  int same;
  fill(q, LEN_Q * ROW, 1);
  fill(k, LEN_KV * ROW, 2);
  fill(v, LEN_KV * ROW, 3);
  status = attn_forward(&params, NULL, 0);
  params = params_to(o);
  if (status == ATTN_OK) status = attn_plan_init(&plan, &params);
  if (status != ATTN_OK) {
    puts(attn_status_string(status));
    return 1;
  }
  if (pool_open(&p, workers, &plan)) {
    for (int i = 0; i < 3 && status == ATTN_OK; i++) status = pool_forward(&p, &plan);
  } else {
    status = ATTN_ERR_MEMORY;
  }
  pool_close(&p);
  same = memcmp(o, expected, sizeof o) == 0;
  printf("threads: %s, %d tasks on %d threads, largest error %.1e, %s\n",
         attn_status_string(status), (int)attn_plan_tasks(&plan), THREADS, largest_error(),
         same ? "same bits as on one thread" : "OTHER BITS than on one thread");
  return status == ATTN_OK && same && largest_error() < 1e-5 ? 0 : 1;
}
