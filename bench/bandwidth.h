/* The bandwidth of reading memory on one core: an array far larger than the caches, read by each of
 * several loops. Which loop is the fastest differs from machine to machine. */
#ifndef BENCH_BANDWIDTH_H
#define BENCH_BANDWIDTH_H

#include <stddef.h>
#include <stdint.h>

#include "timing.h"

enum { BANDWIDTH_LINE = 64, BANDWIDTH_LOOPS = 9, BANDWIDTH_STAGGER = 37 * BANDWIDTH_LINE };

static volatile uint64_t bandwidth_sink;

#ifdef __GNUC__
#define BANDWIDTH_PREFETCH(p) __builtin_prefetch(p)
#define BANDWIDTH_INLINE inline __attribute__((always_inline))
#else
#define BANDWIDTH_PREFETCH(p) (void)(p)
#define BANDWIDTH_INLINE inline
#endif

/* Eight sums, so that no addition waits for another. The compiler may vectorise them. */
static uint64_t bandwidth_sum(const uint64_t *x) {
  return (x[0] ^ x[1]) + (x[2] ^ x[3]) + (x[4] ^ x[5]) + (x[6] ^ x[7]);
}

/* `streams` parts of the array at once, each with `ahead` bytes asked for in advance. Parts of a
 * size that is a power of two would meet in the same sets of the caches, so that each begins some
 * lines further on than the one before. Inlined, with streams and ahead as constants. Returns the
 * bytes read, a little less than all. */
static BANDWIDTH_INLINE size_t bandwidth_read(const char *array, size_t bytes, size_t streams,
                                              size_t ahead) {
  const size_t stride = bytes / streams / BANDWIDTH_LINE * BANDWIDTH_LINE;
  const size_t skipped = (streams - 1) * BANDWIDTH_STAGGER;
  const size_t part = stride > skipped ? stride - skipped : 0;
  uint64_t sum = 0;
  size_t at, s;
  for (at = 0; at < part; at += BANDWIDTH_LINE) {
    for (s = 0; s < streams; ++s) {
      const char *const p = array + s * (stride + BANDWIDTH_STAGGER) + at;
      if (ahead != 0) BANDWIDTH_PREFETCH(p + ahead);
      sum += bandwidth_sum((const uint64_t *)(const void *)p);
    }
  }
  bandwidth_sink = sum;
  return part * streams;
}

static size_t bandwidth_run(const char *array, size_t bytes, int loop) {
  switch (loop) {
    case 0:
      return bandwidth_read(array, bytes, 1, 0);
    case 1:
      return bandwidth_read(array, bytes, 1, 1024);
    case 2:
      return bandwidth_read(array, bytes, 1, 2048);
    case 3:
      return bandwidth_read(array, bytes, 4, 0);
    case 4:
      return bandwidth_read(array, bytes, 4, 512);
    case 5:
      return bandwidth_read(array, bytes, 4, 1024);
    case 6:
      return bandwidth_read(array, bytes, 8, 0);
    case 7:
      return bandwidth_read(array, bytes, 8, 512);
    default:
      return bandwidth_read(array, bytes, 8, 1024);
  }
}

/* GB/s of one loop, 0 to BANDWIDTH_LOOPS - 1. */
static double bandwidth_gbps(const char *array, size_t bytes, int loop) {
  const double start = seconds();
  const size_t read = bandwidth_run(array, bytes, loop);
  return (double)read / (seconds() - start) * 1e-9;
}

#endif
