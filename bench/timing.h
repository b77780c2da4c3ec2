/* Time, and what is made of repeated measurements. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdlib.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The clock, from additions that depend on each other, one per cycle: the best of a few, since it
 * can only be interrupted. */
static double clock_ghz(void) {
  double best = 0;
  int pass, i;
  for (pass = 0; pass < 5; ++pass) {
    const double start = seconds();
    size_t x = 0;
    double ghz;
    for (i = 0; i < 4000; ++i) {
#define TIMING_ADD(x)                                                                              \
  __asm__ volatile("" : "+r"(x));                                                                  \
  ++(x)
      TIMING_ADD(x);
      TIMING_ADD(x);
      TIMING_ADD(x);
      TIMING_ADD(x);
#undef TIMING_ADD
    }
    ghz = 4 * 4000 / (seconds() - start) * 1e-9;
    if (ghz > best) best = ghz;
  }
  return best;
}

static int timing_order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts x. */
static double median(double *x, size_t n) {
  qsort(x, n, sizeof *x, timing_order);
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

#endif
