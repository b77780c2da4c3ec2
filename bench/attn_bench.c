/* The benchmark: prefill, full and decode attention as fractions of what the core can do, which is
 * measured beside every single measurement. `attn_bench --help` says how to ask for a case;
 * docs/benchmarks.md says what the figures mean. */
#define _GNU_SOURCE /* getopt_long */
#define ATTN_IMPLEMENTATION
#include "attn.h"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bandwidth.h"
#include "check.h"
#include "peak.h"
#include "timing.h"

enum { MAX_CASES = 256, MAX_ROUNDS = 1000, CHECKED_ROWS = 24, PEAK_PASSES = 100000 };
enum { TYPES = ATTN_I8 + 1 };
static const size_t type_sizes[TYPES] = {4, 2, 2, 1}; /* bytes */
#define MIB ((size_t)1 << 20)
#define COLD_BYTES                                                                                 \
  (1024 * MIB) /* what the caches of decode rotate over: more than a last-level cache */
#define PROBE_BYTES (64 * MIB)               /* read to tell a quiet round: for a cold decode */
#define CACHE_PROBE_BYTES ((size_t)16 << 10) /* for the others, so many times */
#define CACHE_PROBE_PASSES 1600
#define QUIET 0.95        /* of the fastest probe */
#define PASS_SECONDS 0.02 /* a measurement repeats its call for about so long */

__attribute__((noreturn)) static void die(const char *format, const char *what) {
  fprintf(stderr, "attn_bench: ");
  fprintf(stderr, format, what);
  fprintf(stderr, "\n");
  exit(1);
}

/* ---- Cases */

typedef enum bench_kind { PREFILL, FULL, DECODE, WARM } bench_kind;
static const char *const kind_names[] = {"prefill", "full", "decode", "decode-warm"};
enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

/* What a call has beside masks by length. */
typedef enum bench_option {
  NONE,
  BIAS,
  SOFTCAP,
  ALIBI,
  SINKS,
  WINDOW,
  BLOCKS,
  OPTIONS
} bench_option;
static const char *const option_names[OPTIONS] = {"none",  "bias",   "softcap", "alibi",
                                                  "sinks", "window", "blocks"};
enum { WINDOW_LEFT = 256, BLOCK = 64, BLOCKS_PER_ALLOWED = 10 };

/* What a round measures of a case. */
typedef enum bench_field { MS, OF_PEAK, OF_BANDWIDTH, PROBE, FIELDS } bench_field;

typedef struct bench_case {
  bench_kind kind;
  attn_isa isa;
  attn_type type;      /* of k and v */
  int64_t d, len_q, t; /* features, queries, keys */
  int64_t heads, kv_heads;
  int threads;
  bool interleaved; /* [len, heads, d], not [heads, len, d] */
  bench_option option;
  int plain; /* the case without to compare with: its number from 1, 0 if there is none */
  double (*rounds)[FIELDS];
  attn_type products; /* what the kernels multiply in, and the peak is that of */
  double max_error;
} bench_case;

static const char *layout_name(const bench_case *c) {
  return c->interleaved ? "bshd" : "bhsd";
}

static bool is_decode(const bench_case *c) {
  return c->kind == DECODE || c->kind == WARM;
}

/* That of q and o. A decode's are small, and an engine has them in f32; int8 is for k and v only.
 */
static attn_type query_type(const bench_case *c) {
  return is_decode(c) || c->type == ATTN_I8 ? ATTN_F32 : c->type;
}

/* A block mask of [t / BLOCK, t / BLOCK]: one block in ten, as good as random, and the diagonal. */
static bool block_is_allowed(int64_t row, int64_t column) {
  uint32_t x = (uint32_t)row * 0x9e3779b1u ^ (uint32_t)column * 0x85ebca77u;
  x = (x ^ x >> 15) * 0x2c1b3c6du;
  x = (x ^ x >> 12) * 0x297a2d39u;
  return row == column || (x ^ x >> 15) % BLOCKS_PER_ALLOWED == 0;
}

static int64_t blocks_of(const bench_case *c) {
  return (c->t + BLOCK - 1) / BLOCK;
}

static double block_pairs(const bench_case *c) {
  const int64_t n = blocks_of(c), rest = c->t - (n - 1) * BLOCK;
  double pairs = 0;
  int64_t row, column;
  for (row = 0; row < n; ++row) {
    for (column = 0; column < n; ++column) {
      if (!block_is_allowed(row, column)) continue;
      pairs += (double)(row == n - 1 ? rest : BLOCK) * (double)(column == n - 1 ? rest : BLOCK);
    }
  }
  return pairs;
}

/* Pairs of a query and a key that it may attend to. */
static double pairs_of(const bench_case *c) {
  const double t = (double)c->t, n = (double)c->len_q, outside = t - (WINDOW_LEFT + 1);
  if (c->option == BLOCKS) return block_pairs(c);
  if (c->kind == FULL) return n * t;
  if (c->option == WINDOW && outside > 0)
    return n * t - 0.5 * n * (n - 1) - 0.5 * outside * (outside + 1);
  return n * t - 0.5 * n * (n - 1);
}

/* Useful work: two multiply-adds per allowed pair and feature. */
static double flop_of(const bench_case *c) {
  return 4.0 * (double)c->d * pairs_of(c) * (double)c->heads;
}

/* Rows of K, and as many of V. */
static size_t kv_rows(const bench_case *c) {
  return (size_t)c->kv_heads * (size_t)c->t;
}

/* K, and V too. */
static size_t k_bytes(const bench_case *c) {
  return kv_rows(c) * (size_t)c->d * type_sizes[c->type];
}

/* K and V with their scales, each read once. */
static size_t kv_bytes(const bench_case *c) {
  return 2 * k_bytes(c) + (c->type == ATTN_I8 ? 2 * kv_rows(c) * sizeof(float) : 0);
}

static size_t q_bytes(const bench_case *c) {
  const size_t elements = (size_t)c->heads * (size_t)c->len_q * (size_t)c->d;
  return elements * type_sizes[query_type(c)];
}

static size_t copies_of(const bench_case *c) {
  return c->kind == DECODE ? (COLD_BYTES + kv_bytes(c) - 1) / kv_bytes(c) : 1;
}

/* ---- Memory: one array for the K and V of all cases, so that the figures of a run do not depend
 * on where they lie. It is written anew when the next case is of another type. */

enum { TILE = 1000003 }; /* elements, then they repeat; prime, so that no two heads are alike */

typedef struct bench_memory {
  char *pool;    /* K and V; and the bandwidth is read here */
  char *probe;   /* read by the probes alone: they leave nothing of the pool in the caches */
  float *scales; /* of int8 rows */
  float *bias;   /* [t, t], that of every head; lse, [heads, t]; slopes or sinks, [heads] */
  float *lse, *per_head;
  uint8_t *blocks;
  char *queries[TYPES], *output;
  char *tiles[TYPES]; /* random elements of each type */
  attn_type type;     /* of what is in the pool */
  size_t pool_bytes, pool_used[TYPES], scales_bytes, queries_bytes[TYPES], output_bytes;
  size_t bias_bytes, lse_bytes, per_head_bytes, blocks_bytes;
  void *workspace;
  size_t workspace_bytes;
} bench_memory;

static void *pages(size_t bytes) {
  char text[32];
  void *p;
  snprintf(text, sizeof text, "%.0f", (double)bytes / (double)MIB);
  if (posix_memalign(&p, 4096, bytes + 1) != 0) die("%s MiB of memory are not to be had", text);
  return p;
}

static void must(attn_status status) {
  if (status != ATTN_OK) die("%s", attn_status_string(status));
}

/* The same numbers from -1 to 1 in every type, 127 times as large in int8. */
static void make_tiles(bench_memory *m) {
  float *const x = (float *)pages(TILE * sizeof(float));
  attn_append_params append = {0};
  int type, i;
  append.rows = attn_bhsd(x, ATTN_F32, TILE, 1, 1);
  append.batch = append.heads = append.size = 1;
  append.len = TILE;
  fill(x, TILE, 1);
  for (type = 0; type < TYPES; ++type) {
    m->tiles[type] = (char *)pages(TILE * type_sizes[type]);
    if (type != ATTN_I8) {
      append.cache = attn_bhsd(m->tiles[type], (attn_type)type, TILE, 1, 1);
      must(attn_kv_append(&append));
    }
  }
  for (i = 0; i < TILE; ++i) m->tiles[ATTN_I8][i] = (char)(int8_t)lrintf(127 * x[i]);
  free(x);
}

/* Elements of the tile, from number `first` on, over and over. */
static void spread(const bench_memory *m, attn_type type, size_t first, char *to, size_t bytes) {
  const size_t period = TILE * type_sizes[type];
  size_t at = first * type_sizes[type];
  while (bytes > 0) {
    const size_t n = bytes < period - at ? bytes : period - at;
    memcpy(to, m->tiles[type] + at, n);
    to += n;
    bytes -= n;
    at = 0;
  }
}

static void grow(size_t *size, size_t least) {
  if (*size < least) *size = least;
}

/* Count what a case needs. */
static void count_memory(bench_memory *m, const bench_case *c) {
  const size_t kv = copies_of(c) * 2 * k_bytes(c);
  grow(&m->pool_used[c->type], kv);
  grow(&m->pool_bytes, kv);
  if (is_decode(c)) grow(&m->pool_bytes, COLD_BYTES); /* the bandwidth is read there */
  if (c->type == ATTN_I8) grow(&m->scales_bytes, copies_of(c) * 2 * kv_rows(c) * sizeof(float));
  grow(&m->queries_bytes[query_type(c)], q_bytes(c));
  grow(&m->output_bytes, q_bytes(c));
  if (c->option == NONE) return;
  if (c->option == BIAS) grow(&m->bias_bytes, (size_t)c->t * (size_t)c->t * sizeof(float));
  if (c->option == BLOCKS) grow(&m->blocks_bytes, (size_t)(blocks_of(c) * blocks_of(c)));
  grow(&m->lse_bytes, (size_t)c->heads * (size_t)c->t * sizeof(float));
  grow(&m->per_head_bytes, (size_t)c->heads * sizeof(float));
}

/* As much as was counted, filled with what no case overwrites but the output. */
static void allocate(bench_memory *m) {
  size_t i;
  m->pool = (char *)pages(m->pool_bytes);
  m->probe = (char *)pages(PROBE_BYTES);
  m->scales = (float *)pages(m->scales_bytes);
  m->output = (char *)pages(m->output_bytes);
  make_tiles(m);
  spread(m, ATTN_F32, 0, m->pool, m->pool_bytes);
  spread(m, ATTN_F32, 0, m->probe, PROBE_BYTES);
  m->type = ATTN_F32;
  for (i = 0; i < TYPES; ++i) {
    m->queries[i] = (char *)pages(m->queries_bytes[i]);
    spread(m, (attn_type)i, TILE / 2, m->queries[i], m->queries_bytes[i]);
  }
  spread(m, ATTN_F32, 0, (char *)m->scales, m->scales_bytes);
  for (i = 0; i < m->scales_bytes / sizeof(float); ++i) {
    m->scales[i] = (0.75f + 0.25f * m->scales[i]) / 127;
  }
  m->bias = (float *)pages(m->bias_bytes);
  m->lse = (float *)pages(m->lse_bytes);
  m->per_head = (float *)pages(m->per_head_bytes);
  m->blocks = (uint8_t *)pages(m->blocks_bytes);
  spread(m, ATTN_F32, 0, (char *)m->bias, m->bias_bytes);
  for (i = 0; i < m->per_head_bytes / sizeof(float); ++i) m->per_head[i] = 1 / (float)(2 + i);
}

static void release(bench_memory *m) {
  int type;
  for (type = 0; type < TYPES; ++type) {
    free(m->queries[type]);
    free(m->tiles[type]);
  }
  free(m->pool);
  free(m->probe);
  free(m->scales);
  free(m->bias);
  free(m->lse);
  free(m->per_head);
  free(m->blocks);
  free(m->output);
  free(m->workspace);
}

/* Have the pool hold elements of the case's type, and the block mask be the case's. */
static void prepare(bench_memory *m, const bench_case *c) {
  const int64_t n = blocks_of(c);
  int64_t i;
  if (m->type != c->type) spread(m, c->type, 0, m->pool, m->pool_used[c->type]);
  m->type = c->type;
  if (c->option != BLOCKS) return;
  for (i = 0; i < n * n; ++i) m->blocks[i] = block_is_allowed(i / n, i % n);
}

static attn_tensor tensor(const bench_case *c, const void *x, attn_type type, int64_t len,
                          int64_t heads) {
  return c->interleaved ? attn_bshd(x, type, len, heads, c->d)
                        : attn_bhsd(x, type, len, heads, c->d);
}

/* One scale for each row of a tensor [kv_heads, t, d] or [t, kv_heads, d]. */
static attn_tensor scale_tensor(const bench_case *c, const float *x) {
  return c->interleaved ? attn_strided(x, ATTN_F32, 0, 1, c->kv_heads)
                        : attn_strided(x, ATTN_F32, 0, c->t, 1);
}

static void set_option(const bench_case *c, const bench_memory *m, attn_params *p) {
  switch (c->option) {
    case BIAS:
      p->bias.data = m->bias;
      p->bias.type = ATTN_F32;
      p->bias.stride_q = c->t;
      p->bias.stride_k = 1;
      break;
    case SOFTCAP:
      p->softcap = 30;
      break;
    case ALIBI:
      p->alibi_slopes = m->per_head;
      break;
    case SINKS: /* and lse, which costs as little */
      p->sinks = m->per_head;
      p->lse = attn_strided(m->lse, ATTN_F32, 0, c->t, 1);
      break;
    case WINDOW:
      p->window = true;
      p->window_left = WINDOW_LEFT;
      break;
    case BLOCKS:
      p->block_mask.data = m->blocks;
      p->block_mask.type = ATTN_BOOL;
      p->block_mask.stride_q = blocks_of(c);
      p->block_mask.stride_k = 1;
      p->block_q = p->block_k = BLOCK;
      break;
    case NONE:
    case OPTIONS:
      break;
  }
}

/* The case on copy number `copy` of K and V, which lie one after the other. */
static attn_params params_of(const bench_case *c, const bench_memory *m, size_t copy) {
  const attn_type type = query_type(c);
  const char *const k = m->pool + copy * 2 * k_bytes(c);
  attn_params p = attn_params_init();
  p.q = tensor(c, m->queries[type], type, c->len_q, c->heads);
  p.o = tensor(c, m->output, type, c->len_q, c->heads);
  p.k = tensor(c, k, c->type, c->t, c->kv_heads);
  p.v = tensor(c, k + k_bytes(c), c->type, c->t, c->kv_heads);
  if (c->type == ATTN_I8) {
    const float *const scales = m->scales + copy * 2 * kv_rows(c);
    p.k_scale = scale_tensor(c, scales);
    p.v_scale = scale_tensor(c, scales + kv_rows(c));
  }
  p.batch = 1;
  p.heads_q = c->heads;
  p.heads_kv = c->kv_heads;
  p.len_q = c->len_q;
  p.len_kv = c->t;
  p.head_size = c->d;
  p.causal = c->kind != FULL;
  p.isa = c->isa;
  p.threads = c->threads;
  set_option(c, m, &p);
  return p;
}

/* ---- One call, on as many threads as the case wants */

typedef struct bench_call {
  const attn_plan *plan;
  int64_t next; /* task */
  char *workspace;
} bench_call;

typedef struct bench_worker {
  bench_call *call;
  char *scratch;
} bench_worker;

static void *work(void *argument) {
  const bench_worker *const worker = (const bench_worker *)argument;
  const attn_plan *const plan = worker->call->plan;
  char *const shared = worker->call->workspace;
  for (;;) {
    const int64_t task = __atomic_fetch_add(&worker->call->next, 1, __ATOMIC_RELAXED);
    if (task >= attn_plan_tasks(plan)) return NULL;
    attn_plan_run(plan, task, worker->scratch, attn_plan_scratch_size(plan), shared,
                  attn_plan_shared_size(plan));
  }
}

/* Threads are started for each call, some 20 microseconds each. */
static void run_threads(const attn_plan *plan, int threads, char *workspace) {
  enum { MAX_THREADS = 1024 };
  pthread_t ids[MAX_THREADS];
  bench_worker workers[MAX_THREADS];
  bench_call call = {plan, 0, workspace};
  char *scratch = workspace + attn_plan_shared_size(plan);
  int i, error = 0;
  for (i = 0; i < threads; ++i, scratch += attn_plan_scratch_size(plan)) {
    workers[i].call = &call;
    workers[i].scratch = scratch;
  }
  for (i = 1; i < threads && error == 0; ++i)
    error = pthread_create(&ids[i], NULL, work, &workers[i]);
  if (error != 0) die("a thread does not start: %s", strerror(error));
  work(&workers[0]);
  for (i = 1; i < threads; ++i) pthread_join(ids[i], NULL);
  must(attn_plan_finish(plan, workspace, attn_plan_shared_size(plan)));
}

static void reserve(bench_memory *m, size_t bytes) {
  if (bytes <= m->workspace_bytes) return;
  free(m->workspace);
  m->workspace = malloc(bytes);
  m->workspace_bytes = bytes;
  if (m->workspace == NULL) die("%s", "out of memory");
  memset(m->workspace, 0, bytes);
}

static void call_once(const attn_params *p, bench_memory *m) {
  attn_plan plan;
  size_t size;
  if (p->threads == 1) {
    must(attn_workspace_size(p, &size));
    reserve(m, size);
    must(attn_forward(p, m->workspace, m->workspace_bytes));
    return;
  }
  must(attn_plan_init(&plan, p));
  reserve(m, attn_plan_shared_size(&plan) + (size_t)p->threads * attn_plan_scratch_size(&plan));
  run_threads(&plan, p->threads, (char *)m->workspace);
}

/* ---- Measuring */

typedef struct bench_run {
  bench_case *cases;
  int count, rounds;
  bool emulated;
  bench_memory memory;
  double peak[MAX_ROUNDS],
      bandwidth[MAX_ROUNDS]; /* of the best instruction set; of the best loop */
  int peaks, bandwidths, bandwidth_loop;
  double best_probe[2]; /* of the cache, of memory */
} bench_run;

static void check_case(bench_case *c, bench_memory *m) {
  const attn_params p = params_of(c, m, 0);
  const int64_t rows = c->heads * c->len_q;
  check_result result;
  prepare(m, c);
  memset(m->output, 0xff, q_bytes(c)); /* NaN in every type */
  call_once(&p, m);
  c->products = check_products(&p);
  result = check_rows(&p, rows < CHECKED_ROWS ? rows : CHECKED_ROWS);
  c->max_error = result.error;
  if (!(result.of_bound <= 1)) {
    fprintf(stderr,
            "attn_bench: %s %s %s d %d t %d: wrong result, error %.2g is %.2g of its bound\n",
            kind_names[c->kind], attn_isa_name(c->isa), attn_type_name(c->type), (int)c->d,
            (int)c->t, result.error, result.of_bound);
    exit(1);
  }
}

/* Seconds of one call, as the mean of so many that they take PASS_SECONDS. */
static double time_case(const bench_case *c, bench_memory *m) {
  const size_t copies = copies_of(c);
  static size_t copy;
  double start = seconds(), now;
  int64_t calls = 0;
  do {
    const attn_params p = params_of(c, m, copy++ % copies);
    call_once(&p, m);
    ++calls;
    now = seconds();
  } while (now - start < PASS_SECONDS);
  return (now - start) / (double)calls;
}

/* One addition that the compiler can neither leave out nor do ahead. */
static size_t next(size_t x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

/* The clock, from additions that depend on each other, one per cycle: the best of a few, since it
 * can only be interrupted. */
static double clock_ghz(void) {
  const int turns = 4000;
  double best = 0;
  int pass, i;
  for (pass = 0; pass < 5; ++pass) {
    const double start = seconds();
    size_t x = 0;
    double ghz;
    for (i = 0; i < turns; ++i) x = next(next(next(next(x))));
    ghz = (double)x / (seconds() - start) * 1e-9;
    if (ghz > best) best = ghz;
  }
  return best;
}

/* What a neighbour on the core or on the memory would disturb: reading, for a cold decode from
 * memory, in GB/s, for the rest from the first-level cache, in bytes per cycle, since the clock
 * wanders. */
static double probe(bench_run *run, const bench_case *c) {
  const bool cold = c->kind == DECODE;
  const size_t bytes = cold ? PROBE_BYTES : CACHE_PROBE_BYTES;
  const int passes = cold ? 1 : CACHE_PROBE_PASSES, loop = cold ? run->bandwidth_loop : 0;
  double *const best = &run->best_probe[cold];
  const double clock = cold ? 1 : clock_ghz(), start = seconds();
  double speed;
  int pass;
  for (pass = 0; pass < passes; ++pass) bandwidth_gbps(run->memory.probe, bytes, loop);
  speed = (double)bytes * passes / (seconds() - start) * 1e-9 / clock;
  if (speed > *best) *best = speed;
  return speed;
}

static void measure(bench_run *run, const bench_case *c, double *x) {
  double peak, time, before, after;
  prepare(&run->memory, c);
  before = probe(run, c);
  if (c->kind == WARM) time_case(c, &run->memory);
  peak = peak_gflops(c->isa, c->products, PEAK_PASSES);
  time = time_case(c, &run->memory);
  peak = 0.5 * (peak + peak_gflops(c->isa, c->products, PEAK_PASSES));
  after = probe(run, c);
  x[PROBE] = before < after ? before : after;
  x[MS] = time * 1e3;
  x[OF_PEAK] = peak > 0 ? flop_of(c) / time * 1e-9 / (peak * c->threads) : 0;
  if (is_decode(c)) {
    const double gbps =
        bandwidth_gbps(run->memory.pool, run->memory.pool_bytes, run->bandwidth_loop);
    x[OF_BANDWIDTH] = (double)kv_bytes(c) / time * 1e-9 / gbps;
    if (run->bandwidths < MAX_ROUNDS) run->bandwidth[run->bandwidths++] = gbps;
  }
}

/* A quarter of the array is enough to tell which loop is the fastest. */
static void pick_bandwidth_loop(bench_run *run) {
  double best = 0;
  int loop, i;
  for (i = 0; i < 3; ++i) {
    for (loop = 0; loop < BANDWIDTH_LOOPS; ++loop) {
      const double gbps = bandwidth_gbps(run->memory.pool, run->memory.pool_bytes / 4, loop);
      if (gbps > best) {
        best = gbps;
        run->bandwidth_loop = loop;
      }
    }
  }
}

static void progress(const char *what, int at, int of) {
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%s %d of %d   ", what, at, of);
}

/* Rounds go over all cases, so that a noisy minute is shared by all. */
static void run_cases(bench_run *run) {
  int round, i;
  for (i = 0; i < run->count; ++i) {
    progress("check", i + 1, run->count);
    check_case(&run->cases[i], &run->memory);
  }
  if (run->emulated) run->rounds = 0;
  if (run->rounds > 0) pick_bandwidth_loop(run);
  for (round = 0; round < run->rounds; ++round) {
    for (i = 0; i < run->count; ++i) {
      progress("measurement", round * run->count + i + 1, run->rounds * run->count);
      measure(run, &run->cases[i], run->cases[i].rounds[round]);
    }
    run->peak[run->peaks++] = peak_gflops(attn_cpu_isa(), ATTN_F32, PEAK_PASSES);
  }
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%40s\r", "");
}

/* ---- Results */

static bool is_quiet(const bench_run *run, const bench_case *c, int round) {
  return c->rounds[round][PROBE] >= QUIET * run->best_probe[c->kind == DECODE];
}

static int quiet_rounds(const bench_run *run, const bench_case *c) {
  int round, n = 0;
  for (round = 0; round < run->rounds; ++round) n += is_quiet(run, c, round);
  return n;
}

/* The median over all rounds or over the quiet ones; 0 if there are none. */
static double median_of(const bench_run *run, const bench_case *c, bench_field field, bool quiet) {
  double picked[MAX_ROUNDS];
  size_t n = 0;
  int round;
  for (round = 0; round < run->rounds; ++round) {
    if (!quiet || is_quiet(run, c, round)) picked[n++] = c->rounds[round][field];
  }
  return n > 0 ? median(picked, n) : 0;
}

/* The speed per allowed pair as a part of that of the plain case, round by round; 0 if unknown. */
static double of_plain(const bench_run *run, const bench_case *c) {
  const bench_case *const plain = run->cases + c->plain - 1;
  double ratios[MAX_ROUNDS];
  int round;
  if (c->plain == 0 || run->rounds == 0) return 0;
  for (round = 0; round < run->rounds; ++round) {
    ratios[round] = flop_of(c) / c->rounds[round][MS] / (flop_of(plain) / plain->rounds[round][MS]);
  }
  return median(ratios, (size_t)run->rounds);
}

static void print_case(const bench_run *run, const bench_case *c) {
  const bench_field field = is_decode(c) ? OF_BANDWIDTH : OF_PEAK;
  const double ms = median_of(run, c, MS, false);
  const int quiet = quiet_rounds(run, c);
  printf("%-12s%-8s %-4s %-6s %4d %6d %6d %4d/%-3d %3d ", kind_names[c->kind],
         attn_isa_name(c->isa), attn_type_name(c->type), layout_name(c), (int)c->d, (int)c->len_q,
         (int)c->t, (int)c->heads, (int)c->kv_heads, c->threads);
  if (run->rounds > 0) {
    printf("%10.3f %8.1f ", ms, (is_decode(c) ? (double)kv_bytes(c) : flop_of(c)) / ms * 1e-6);
    printf("%s %.2f of the %-9s", is_decode(c) ? "GB/s   " : "GFLOP/s",
           median_of(run, c, field, false), is_decode(c) ? "bandwidth" : "peak");
    printf(" (quiet: ");
    if (quiet > 0) printf("%.2f, ", median_of(run, c, field, true));
    printf("%d rounds of %d)", quiet, run->rounds);
  }
  if (c->option != NONE) printf("  %-7s", option_names[c->option]);
  if (c->option != NONE && c->plain != 0) printf(" %.3f of the speed without", of_plain(run, c));
  printf("  error %.1e\n", c->max_error);
}

static void print_results(const bench_run *run) {
  int i;
  if (run->emulated) printf("Emulated: errors only, no times.\n");
  printf("%-12s%-8s %-4s %-6s %4s %6s %6s %-8s %3s ", "case", "isa", "type", "layout", "d", "len_q",
         "t", "heads/kv", "thr");
  printf(run->rounds > 0 ? "%10s\n" : "\n", "ms");
  for (i = 0; i < run->count; ++i) print_case(run, &run->cases[i]);
}

static void json_string(FILE *f, const char *s) {
  putc('"', f);
  for (; *s; ++s) {
    if (*s == '"' || *s == '\\') putc('\\', f);
    if ((unsigned char)*s >= ' ') putc(*s, f);
  }
  putc('"', f);
}

/* A value, or null where nothing was measured. */
static void json_number(FILE *f, const char *name, const char *format, double x, bool known) {
  fprintf(f, ", \"%s\": ", name);
  if (known) {
    fprintf(f, format, x);
  } else {
    fprintf(f, "null");
  }
}

static void json_case(FILE *f, const bench_run *run, const bench_case *c) {
  const bool timed = run->rounds > 0, decode = is_decode(c);
  const bool peak = peak_of(c->isa, c->products).run != NULL;
  const int quiet = quiet_rounds(run, c);
  const double ms = median_of(run, c, MS, false);
  fprintf(f,
          "    {\"case\": \"%s\", \"isa\": \"%s\", \"dtype\": \"%s\", \"layout\": \"%s\", \"d\": "
          "%d, \"len_q\": %d, \"t\": %d, ",
          kind_names[c->kind], attn_isa_name(c->isa), attn_type_name(c->type), layout_name(c),
          (int)c->d, (int)c->len_q, (int)c->t);
  fprintf(f, "\"heads\": %d, \"kv_heads\": %d, \"threads\": %d, \"option\": \"%s\"", (int)c->heads,
          (int)c->kv_heads, c->threads, option_names[c->option]);
  json_number(f, "of_plain", "%.4f", of_plain(run, c), of_plain(run, c) > 0);
  json_number(f, "ms", "%.5g", ms, timed);
  json_number(f, "gflops", "%.5g", flop_of(c) / ms * 1e-6, timed);
  json_number(f, "of_peak", "%.4f", median_of(run, c, OF_PEAK, false), timed && peak);
  json_number(f, "of_peak_quiet", "%.4f", median_of(run, c, OF_PEAK, true), quiet > 0 && peak);
  json_number(f, "gbps", "%.5g", (double)kv_bytes(c) / ms * 1e-6, timed && decode);
  json_number(f, "of_bandwidth", "%.4f", median_of(run, c, OF_BANDWIDTH, false), timed && decode);
  json_number(f, "of_bandwidth_quiet", "%.4f", median_of(run, c, OF_BANDWIDTH, true),
              quiet > 0 && decode);
  fprintf(f, ", \"rounds\": %d, \"quiet_rounds\": %d, \"max_error\": %.3g}", run->rounds, quiet,
          c->max_error);
}

/* The processor's name where the system tells it. */
static void cpu_name(char *name, size_t size) {
  FILE *const f = fopen("/proc/cpuinfo", "r");
  char line[256];
  struct utsname system;
  snprintf(name, size, "%s", uname(&system) == 0 ? system.machine : "unknown");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    const char *const colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    line[strcspn(line, "\n")] = 0;
    snprintf(name, size, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
    break;
  }
  if (f != NULL) fclose(f);
}

static void json_machine(FILE *f, bench_run *run) {
  char name[256];
  struct utsname system;
  const attn_isa isa = attn_cpu_isa();
  cpu_name(name, sizeof name);
  fprintf(f, "  \"machine\": {\"cpu\": ");
  json_string(f, name);
  fprintf(f, ", \"isa\": \"%s\", \"os\": ", attn_isa_name(isa));
  json_string(f, uname(&system) == 0 ? system.sysname : "unknown");
#ifdef __clang__
  fprintf(f, ", \"compiler\": \"clang %d.%d.%d\"", __clang_major__, __clang_minor__,
          __clang_patchlevel__);
#else
  fprintf(f, ", \"compiler\": \"gcc %d.%d.%d\"", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  fprintf(f, ", \"cores\": %ld, \"emulated\": %s", sysconf(_SC_NPROCESSORS_ONLN),
          run->emulated ? "true" : "false");
  fprintf(f, ", \"peak_gflops\": {");
  if (run->peaks > 0)
    fprintf(f, "\"%s\": %.5g", attn_isa_name(isa), median(run->peak, (size_t)run->peaks));
  fprintf(f, "}");
  json_number(f, "read_gbps", "%.4g",
              run->bandwidths > 0 ? median(run->bandwidth, (size_t)run->bandwidths) : 0,
              run->bandwidths > 0);
  fprintf(f, "},\n");
}

/* Written beside the file and renamed, so that no half of it is ever seen. */
static void write_json(bench_run *run, const char *path) {
  char temporary[4096];
  FILE *f;
  int i;
  snprintf(temporary, sizeof temporary, "%s.new", path);
  f = fopen(temporary, "w");
  if (f == NULL) die("%s cannot be written", path);
  fprintf(f, "{\n  \"schema\": 1,\n");
  json_machine(f, run);
  fprintf(f, "  \"results\": [\n");
  for (i = 0; i < run->count; ++i) {
    json_case(f, run, &run->cases[i]);
    fprintf(f, i + 1 < run->count ? ",\n" : "\n");
  }
  fprintf(f, "  ]\n}\n");
  if (fclose(f) != 0 || rename(temporary, path) != 0) die("%s cannot be written", path);
}

/* ---- What is asked for */

typedef struct bench_options {
  bench_case one; /* a single case, if has_case */
  bool has_case, quick, costs, emulated;
  int rounds;
  attn_isa isa; /* the suite on this instruction set alone; AUTO: the best one and scalar */
  const char *json;
} bench_options;

static const char usage[] =
    "Usage: attn_bench [--quick|--options] [--isa NAME] [--rounds N] [--json FILE]\n"
    "                                          the suite, or what options cost\n"
    "       attn_bench --case KIND [--isa NAME] [--dtype f32|f16|bf16|i8]\n"
    "                  [--layout bhsd|bshd] [--d 64] [--len-q 1] [--t 1024] [--heads 8]\n"
    "                  [--kv-heads 8] [--threads 1] [--option NAME] [--rounds N] [--json FILE]\n"
    "                                          a single case\n"
    "\n"
    "KIND is prefill (causal), full (no mask), decode (--len-q queries; K and V are cold) or "
    "decode-warm.\n"
    "--option: bias (f32, one for all heads), softcap, alibi, sinks (and lse), window (256 keys), "
    "or\n"
    "blocks (of 64, one in ten, with full): of prefill or full.\n"
    "--dtype is the type of k and v. q and o are f32 for a decode and for i8, else of the same "
    "type.\n"
    "The suite takes 1.5 GiB of memory.\n"
    "Each round measures every case once, and beside it the core's peak and a probe of the "
    "memory;\n"
    "a round is quiet if its probes are within 5% of the fastest. --emulated: check results, "
    "measure\n"
    "no times.\n";

static int64_t number(const char *option, const char *text, int64_t largest) {
  char *end;
  long long n;
  errno = 0;
  n = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != 0 || n < 1 || n > largest) {
    fprintf(stderr, "attn_bench: --%s %s: not a number from 1 to %lld\n", option, text,
            (long long)largest);
    exit(1);
  }
  return n;
}

static attn_isa isa_named(const char *name) {
  int isa;
  for (isa = 1; strcmp(attn_isa_name((attn_isa)isa), "unknown") != 0; ++isa) {
    if (strcmp(attn_isa_name((attn_isa)isa), name) != 0) continue;
    if (!attn_isa_supported((attn_isa)isa)) die("--isa %s: this CPU does not have it", name);
    return (attn_isa)isa;
  }
  die("--isa %s: no such instruction set", name);
}

static bench_kind kind_named(const char *name) {
  int kind;
  for (kind = 0; kind < KINDS; ++kind) {
    if (strcmp(kind_names[kind], name) == 0) return (bench_kind)kind;
  }
  die("--case %s: not prefill, full, decode or decode-warm", name);
}

static attn_type type_named(const char *name) {
  int type;
  for (type = 0; type < TYPES; ++type) {
    if (strcmp(attn_type_name((attn_type)type), name) == 0) return (attn_type)type;
  }
  die("--dtype %s: not f32, f16, bf16 or i8", name);
}

static bench_option option_named(const char *name) {
  int option;
  for (option = 0; option < OPTIONS; ++option) {
    if (strcmp(option_names[option], name) == 0) return (bench_option)option;
  }
  die("--option %s: not none, bias, softcap, alibi, sinks, window or blocks", name);
}

/* Whose masks the count of pairs and the check know together. */
static void check_option(const bench_case *c) {
  if (c->option == NONE) return;
  if (is_decode(c)) die("%s", "--option is for prefill and full");
  if ((c->option == BLOCKS) != (c->kind == FULL) && (c->option == BLOCKS || c->option == WINDOW)) {
    die("--option %s: blocks is for full, window for prefill", option_names[c->option]);
  }
}

/* A decode has few queries, at the end of the keys; the others have as many as keys. */
static void settle_len_q(bench_case *c) {
  if (!is_decode(c) && c->len_q != 0) die("%s", "--len-q is for decode and decode-warm");
  if (c->len_q == 0) c->len_q = is_decode(c) ? 1 : c->t;
  if (c->len_q > c->t) die("%s", "--len-q must not exceed --t");
}

static bench_options parse(int argc, char **argv) {
  static const struct option known[] = {
      {"case", 1, NULL, 'c'},     {"isa", 1, NULL, 'i'},     {"dtype", 1, NULL, 'y'},
      {"d", 1, NULL, 'd'},        {"t", 1, NULL, 't'},       {"heads", 1, NULL, 'q'},
      {"kv-heads", 1, NULL, 'k'}, {"threads", 1, NULL, 'n'}, {"rounds", 1, NULL, 'r'},
      {"layout", 1, NULL, 'l'},   {"json", 1, NULL, 'j'},    {"quick", 0, NULL, 'Q'},
      {"emulated", 0, NULL, 'e'}, {"len-q", 1, NULL, 'm'},   {"option", 1, NULL, 'o'},
      {"options", 0, NULL, 'O'},  {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
  bench_options o = {0};
  bool shaped = false;
  int c;
  o.one.d = 64;
  o.one.t = 1024;
  o.one.heads = 8;
  o.one.threads = 1;
  while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
    shaped |= strchr("yldmtqkno", c) != NULL;
    switch (c) {
      case 'c':
        o.one.kind = kind_named(optarg), o.has_case = true;
        break;
      case 'i':
        o.isa = isa_named(optarg);
        break;
      case 'y':
        o.one.type = type_named(optarg);
        break;
      case 'l':
        if (strcmp(optarg, "bshd") != 0 && strcmp(optarg, "bhsd") != 0) {
          die("--layout %s: not bhsd or bshd", optarg);
        }
        o.one.interleaved = strcmp(optarg, "bshd") == 0;
        break;
      case 'd':
        o.one.d = number("d", optarg, ATTN_MAX_HEAD_SIZE);
        break;
      case 'm':
        o.one.len_q = number("len-q", optarg, 1 << 24);
        break;
      case 't':
        o.one.t = number("t", optarg, 1 << 24);
        break;
      case 'q':
        o.one.heads = number("heads", optarg, 1024);
        break;
      case 'k':
        o.one.kv_heads = number("kv-heads", optarg, 1024);
        break;
      case 'n':
        o.one.threads = (int)number("threads", optarg, 1024);
        break;
      case 'r':
        o.rounds = (int)number("rounds", optarg, MAX_ROUNDS);
        break;
      case 'j':
        o.json = optarg;
        break;
      case 'o':
        o.one.option = option_named(optarg);
        break;
      case 'Q':
        o.quick = true;
        break;
      case 'O':
        o.costs = true;
        break;
      case 'e':
        o.emulated = true;
        break;
      case 'h':
        fputs(usage, stdout);
        exit(0);
      default:
        fputs(usage, stderr);
        exit(1);
    }
  }
  if (optind < argc) die("'%s': what is that? See --help", argv[optind]);
  if (shaped && !o.has_case) die("%s", "sizes need a --case to belong to");
  if (o.one.kv_heads == 0) o.one.kv_heads = o.one.heads;
  if (o.one.heads % o.one.kv_heads != 0) die("%s", "--heads must be a multiple of --kv-heads");
  settle_len_q(&o.one);
  check_option(&o.one);
  o.one.isa = o.isa == ATTN_ISA_AUTO ? attn_cpu_isa() : o.isa;
  return o;
}

static bench_case *add(bench_run *run, bench_kind kind, attn_isa isa, int64_t d, int64_t t,
                       int64_t heads, int64_t kv_heads) {
  bench_case *const c = &run->cases[run->count++];
  c->kind = kind;
  c->isa = isa;
  c->d = d;
  c->len_q = is_decode(c) ? 1 : t;
  c->t = t;
  c->heads = heads;
  c->kv_heads = kv_heads;
  c->threads = 1;
  return c;
}

static void add_decode(bench_run *run, attn_isa isa, attn_type type) {
  int64_t d, t, heads, len_q;
  for (d = 64; d <= 128; d *= 2) {
    for (t = 4096; t <= 32768; t *= 8) {
      for (heads = 8; heads <= 32; heads *= 4) add(run, DECODE, isa, d, t, heads, 8)->type = type;
    }
  }
  for (len_q = 4; len_q <= 16; len_q *= 4) { /* speculative decoding */
    bench_case *const c = add(run, DECODE, isa, 128, 4096, 32, 8);
    c->type = type;
    c->len_q = len_q;
  }
}

static void add_suite(bench_run *run, attn_isa isa) {
  static const int64_t lengths[] = {128, 512, 1024, 2048, 4096}, sizes[] = {32, 64, 128, 256};
  size_t i, j;
  int type;
  for (i = 0; i < 4; ++i) {
    for (j = 0; j < 5; ++j) add(run, PREFILL, isa, sizes[i], lengths[j], 8, 8);
  }
  for (i = 1; i < 3; ++i) {
    for (j = 0; j < 4; ++j) add(run, FULL, isa, sizes[i], lengths[j], 8, 8);
  }
  for (j = 1; j < 4; ++j) add(run, PREFILL, isa, 64, lengths[j], 8, 8)->interleaved = true;
  add(run, PREFILL, isa, 64, 16, 8, 8);
  add(run, PREFILL, isa, 72, 2048, 8, 8);
  add(run, PREFILL, isa, 128, 128, 32, 8);
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) add(run, PREFILL, isa, 64, 2048, 8, 8)->threads = 2;
  add(run, WARM, isa, 128, 1024, 8, 8);
  for (type = 0; type < TYPES; ++type) {
    add_decode(run, isa, (attn_type)type);
    if (type == ATTN_F16 || type == ATTN_BF16) {
      add(run, PREFILL, isa, 128, 2048, 8, 8)->type = (attn_type)type;
    }
  }
}

static void add_scalar(bench_run *run) {
  int64_t t;
  for (t = 128; t <= 1024; t *= 2) add(run, PREFILL, ATTN_ISA_SCALAR, 64, t, 8, 8);
}

static void add_quick(bench_run *run, attn_isa isa) {
  int64_t t;
  int type;
  for (t = 128; t <= 2048; t *= 4) {
    add(run, PREFILL, isa, 64, t, 8, 8);
    add(run, PREFILL, isa, 128, t, 8, 8);
  }
  add(run, FULL, isa, 64, 1024, 8, 8);
  add(run, WARM, isa, 128, 1024, 8, 8);
  for (type = 0; type < TYPES; ++type)
    add(run, DECODE, isa, 128, 4096, 8, 8)->type = (attn_type)type;
  add(run, PREFILL, isa, 128, 512, 8, 8)->type = ATTN_F16;
}

/* A case to compare with the plain one number `plain`; that one itself if it is 0. */
static int add_cost(bench_run *run, bench_case like, bench_option option, int plain) {
  bench_case *const c = add(run, like.kind, like.isa, like.d, like.t, 2, 2);
  c->option = option;
  return c->plain = plain != 0 ? plain : run->count;
}

/* What each option costs; a window beside short causal prefill, blocks beside all pairs. */
static void add_costs(bench_run *run, attn_isa isa) {
  bench_case c = {0};
  int option, plain;
  c.isa = isa;
  for (c.d = 64; c.d <= 128; c.d *= 2) {
    c.kind = PREFILL;
    c.t = 2048;
    plain = add_cost(run, c, NONE, 0);
    for (option = BIAS; option <= SINKS; ++option) add_cost(run, c, (bench_option)option, plain);
    c.t = 512;
    plain = add_cost(run, c, NONE, 0);
    for (c.t = 2048; c.t <= 8192; c.t *= 4) add_cost(run, c, WINDOW, plain);
    c.kind = FULL;
    c.t = 4096;
    add_cost(run, c, BLOCKS, add_cost(run, c, NONE, 0));
  }
}

static bench_run plan_run(const bench_options *o) {
  static bench_case cases[MAX_CASES];
  static bench_run run;
  int i;
  run.cases = cases;
  run.emulated = o->emulated;
  run.rounds = o->rounds != 0 ? o->rounds : 7;
  if (o->has_case) {
    cases[run.count++] = o->one;
  } else if (o->quick) {
    add_quick(&run, o->one.isa);
  } else if (o->costs) {
    add_costs(&run, o->one.isa);
  } else {
    add_suite(&run, o->one.isa);
    add_costs(&run, o->one.isa);
    if (o->isa == ATTN_ISA_AUTO && o->one.isa != ATTN_ISA_SCALAR) add_scalar(&run);
  }
  for (i = 0; i < run.count; ++i) {
    if (3.0 * (double)cases[i].t * (double)cases[i].d * (double)cases[i].heads * sizeof(float) >
        (double)(SIZE_MAX / 2)) {
      die("%s", "too large for this machine's addresses");
    }
    count_memory(&run.memory, &cases[i]);
  }
  for (i = 0; i < run.count; ++i) {
    cases[i].rounds = (double(*)[FIELDS])calloc((size_t)run.rounds, sizeof *cases[i].rounds);
    if (cases[i].rounds == NULL) die("%s", "out of memory");
  }
  allocate(&run.memory);
  return run;
}

/* A run of minutes should not end with a file that cannot be written. */
static void check_writable(const char *path) {
  char temporary[4096];
  FILE *f;
  snprintf(temporary, sizeof temporary, "%s.new", path);
  f = fopen(temporary, "w");
  if (f == NULL) die("%s cannot be written", path);
  fclose(f);
  remove(temporary);
}

int main(int argc, char **argv) {
  const bench_options options = parse(argc, argv);
  static bench_run run;
  if (options.json != NULL) check_writable(options.json);
  run = plan_run(&options);
  run_cases(&run);
  print_results(&run);
  if (options.json != NULL) write_json(&run, options.json);
  for (int i = 0; i < run.count; ++i) free(run.cases[i].rounds);
  release(&run.memory);
  return 0;
}
