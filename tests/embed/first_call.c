/* Threads that make the first call of the process at once, half of them with the instruction set
 * forced: all get the bits that one thread gets. */
#define _POSIX_C_SOURCE 200809L
#define ATTN_IMPLEMENTATION
#include <pthread.h>
#include <stdio.h>

#include "attn.h"

enum { THREADS = 8, LEN = 40, SIZE = 64 };

static float x[3][LEN * SIZE];
static float o[THREADS + 1][LEN * SIZE];
static attn_status statuses[THREADS + 1];
static pthread_barrier_t start;

static void attend(int number) {
  attn_params p = attn_params_init();
  p.q = attn_bhsd(x[0], ATTN_F32, LEN, 1, SIZE);
  p.k = attn_bhsd(x[1], ATTN_F32, LEN, 1, SIZE);
  p.v = attn_bhsd(x[2], ATTN_F32, LEN, 1, SIZE);
  p.o = attn_bhsd(o[number], ATTN_F32, LEN, 1, SIZE);
  p.batch = p.heads_q = 1;
  p.len_q = p.len_kv = LEN;
  p.head_size = SIZE;
  p.causal = 1;
  p.isa = number % 2 == 0 ? ATTN_ISA_AUTO : attn_cpu_isa();
  statuses[number] = attn_forward(&p, NULL, 0);
}

static void *first_call(void *number) {
  pthread_barrier_wait(&start);
  attend(*(const int *)number);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS], i;
  for (i = 0; i < LEN * SIZE; ++i) {
    x[0][i] = (float)(i % 7) - 3;
    x[1][i] = (float)(i % 11) / 8 - 1;
    x[2][i] = (float)(i % 13) - 6;
  }
  pthread_barrier_init(&start, NULL, THREADS);
  for (i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, first_call, &numbers[i]) != 0) return 2;
  }
  for (i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  attend(THREADS);
  for (i = 0; i < THREADS; ++i) {
    if (statuses[i] != ATTN_OK || memcmp(o[i], o[THREADS], sizeof o[i]) != 0) {
      printf("thread %d: %s, or other bits\n", i, attn_status_string(statuses[i]));
      return 1;
    }
  }
  return 0;
}
