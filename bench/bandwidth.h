/* The bandwidth of reading memory on one core: an array far larger than the caches, read by each of
 * several loops. Which loop is the fastest differs from machine to machine. */
#ifndef BENCH_BANDWIDTH_H
#define BENCH_BANDWIDTH_H

#include <stddef.h>
#include <stdint.h>

#include "timing.h"

enum { BANDWIDTH_LINE = 64, BANDWIDTH_LOOPS = 4 };

static volatile uint64_t bandwidth_sink;

#ifdef __GNUC__
#define BANDWIDTH_PREFETCH(p) __builtin_prefetch(p)
#else
#define BANDWIDTH_PREFETCH(p) (void)(p)
#endif

/* Eight sums, so that no addition waits for another. The compiler may vectorise them. */
static uint64_t bandwidth_sum(const uint64_t *x) {
  return (x[0] ^ x[1]) + (x[2] ^ x[3]) + (x[4] ^ x[5]) + (x[6] ^ x[7]);
}

/* `streams` parts of the array at once, each with `ahead` bytes asked for in advance. */
static void bandwidth_read(const char *array, size_t bytes, size_t streams, size_t ahead) {
  const size_t part = bytes / streams;
  uint64_t sum = 0;
  size_t at, s;
  for (at = 0; at < part; at += BANDWIDTH_LINE) {
    for (s = 0; s < streams; ++s) {
      const char *const p = array + s * part + at;
      if (ahead != 0) BANDWIDTH_PREFETCH(p + ahead);
      sum += bandwidth_sum((const uint64_t *)(const void *)p);
    }
  }
  bandwidth_sink = sum;
}

/* GB/s of one loop, 0 to BANDWIDTH_LOOPS - 1, over bytes (a multiple of 256). */
static double bandwidth_gbps(const char *array, size_t bytes, int loop) {
  const size_t streams = loop < 2 ? 1 : 4, ahead = loop % 2 ? 2048 : 0;
  const double start = seconds();
  bandwidth_read(array, bytes, streams, ahead);
  return (double)bytes / (seconds() - start) * 1e-9;
}

#endif
