/* Attention by OpenBLAS: for each block of query rows the scores by one sgemm, over the keys up to
 * the block's last row, softmax in place, and the weighted sum of values by another. A decode's
 * rows are the query heads of a key/value head. One of the peers of peers.py. Compiled with -O3
 * -march=native -ffast-math, so that libmvec has the exponential. */
#include <cblas.h>
#include <math.h>
#include <stddef.h>

/* A line more than a row of scores: at a distance of a power of two they would share cache sets. */
enum { PADDING = 16 };

typedef struct problem {
  const float *q, *k, *v; /* q, o: [heads, queries, d]; k, v: [heads, len, d] */
  float *o;
  int queries, len, d, causal, rows; /* causal: as many queries as keys */
} problem;

static int least(int a, int b) {
  return a < b ? a : b;
}

/* exp(score - largest) of the allowed keys, 0 of the others; their sum. */
static float softmax_row(float *scores, int allowed, int keys) {
  float largest = scores[0], sum = 0;
  int j;
  for (j = 1; j < allowed; ++j) largest = scores[j] > largest ? scores[j] : largest;
  for (j = 0; j < allowed; ++j) {
    scores[j] = expf(scores[j] - largest);
    sum += scores[j];
  }
  for (j = allowed; j < keys; ++j) scores[j] = 0;
  return sum;
}

/* Query rows first to first + n of one head. Rows of o are divided by their sums at the end. */
static void attend_block(const problem *p, size_t head, int first, int n, float *scores) {
  const size_t start = head * (size_t)p->len * (size_t)p->d;
  const size_t row = (head * (size_t)p->queries + (size_t)first) * (size_t)p->d;
  const int keys = p->causal ? first + n : p->len, stride = p->len + PADDING;
  float *const o = p->o + row, *const sums = scores + (size_t)p->rows * (size_t)stride;
  int i, d;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, keys, p->d, 1 / sqrtf((float)p->d),
              p->q + row, p->d, p->k + start, p->d, 0, scores, stride);
  for (i = 0; i < n; ++i) {
    sums[i] =
        softmax_row(scores + (size_t)i * (size_t)stride, p->causal ? first + i + 1 : keys, keys);
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, p->d, keys, 1, scores, stride,
              p->v + start, p->d, 0, o, p->d);
  for (i = 0; i < n; ++i) {
    for (d = 0; d < p->d; ++d) o[i * p->d + d] /= sums[i];
  }
}

static void attend_head(const problem *p, size_t head, float *scores) {
  int first;
  for (first = 0; first < p->queries; first += p->rows) {
    attend_block(p, head, first, least(p->rows, p->queries - first), scores);
  }
}

/* Floats of memory that one thread needs for blocks of so many rows. */
size_t openblas_attn_scratch(int len, int rows) {
  return (size_t)rows * (size_t)(len + PADDING) + (size_t)rows;
}

/* Threads take whole heads, each with an sgemm of one thread. scratch: of each thread. */
void openblas_attn(const float *q, const float *k, const float *v, float *o, float *scratch,
                   int heads, int queries, int len, int d, int causal, int threads, int rows) {
  const problem p = {q, k, v, o, queries, len, d, causal, rows};
  const size_t size = openblas_attn_scratch(len, rows);
  int thread;
  openblas_set_num_threads(1);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (thread = 0; thread < threads; ++thread) {
    int head;
    for (head = thread; head < heads; head += threads) {
      attend_head(&p, (size_t)head, scratch + (size_t)thread * size);
    }
  }
}

/* The version, and the kind of core that its kernels are for. */
const char *openblas_attn_version(void) {
  return openblas_get_config();
}
