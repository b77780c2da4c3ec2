/* What attn.h does, in under a minute: first an attention small enough to check by hand, then a
 * real one on every instruction set of this CPU, with its speed and its error. Needs a C compiler
 * alone. */
#define _POSIX_C_SOURCE 199309L
#define ATTN_IMPLEMENTATION
#include "attn.h"

#include "check.h"
#include "peak.h"
#include "timing.h"

enum {
  HEADS = 8,
  LEN = 1024,
  HEAD_SIZE = 64,
  REPEATS = 7,
  CHECKED_ROWS = 64,
  PEAK_PASSES = 2000000
};

static void must(attn_status status) {
  if (status == ATTN_OK) return;
  fprintf(stderr, "demo: %s\n", attn_status_string(status));
  exit(1);
}

/* Three keys, one-hot; the query asks for the third. Values 2, 7, 9: the weights come out when the
 * values are one-hot as well. */
static void lookup(void) {
  const float query[3] = {0, 0, 1};
  const float keys[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const float values[3] = {2, 7, 9};
  float weights[3], output = 0;
  attn_params p = attn_params_init();
  p.batch = p.heads_q = p.len_q = 1;
  p.len_kv = p.head_size = 3;
  p.q = attn_bshd(query, ATTN_F32, 1, 1, 3);
  p.k = attn_bshd(keys, ATTN_F32, 3, 1, 3);
  p.v = attn_bshd(keys, ATTN_F32, 3, 1, 3);
  p.o = attn_bshd(weights, ATTN_F32, 1, 1, 3);
  must(attn_forward(&p, NULL, 0));
  p.head_size_v = 1;
  p.v = attn_bshd(values, ATTN_F32, 3, 1, 1);
  p.o = attn_bshd(&output, ATTN_F32, 1, 1, 1);
  must(attn_forward(&p, NULL, 0));
  printf("A lookup by hand: one query (0 0 1), three one-hot keys, values 2 7 9.\n");
  printf("  weights %.3f %.3f %.3f, output %.2f\n\n", (double)weights[0], (double)weights[1],
         (double)weights[2], (double)output);
}

static void demo_isa(attn_isa isa, attn_params p, double flop, double *scalar_gflops) {
  double ms[REPEATS], of_peak[REPEATS], gflops, fraction;
  int i;
  printf("  %-7s ...", attn_isa_name(isa));
  fflush(stdout);
  p.isa = isa;
  must(attn_forward(&p, NULL, 0));
  for (i = 0; i < REPEATS; ++i) {
    const double peak = peak_gflops(isa, ATTN_F32, PEAK_PASSES);
    const double start = seconds();
    must(attn_forward(&p, NULL, 0));
    ms[i] = (seconds() - start) * 1e3;
    of_peak[i] = peak > 0 ? flop / ms[i] * 1e-6 / peak : 0;
  }
  gflops = flop / median(ms, REPEATS) * 1e-6;
  fraction = median(of_peak, REPEATS);
  if (isa == ATTN_ISA_SCALAR) *scalar_gflops = gflops;
  printf("\r  %-7s %8.1f GFLOP/s   ", attn_isa_name(isa), gflops);
  printf(fraction > 0 ? "%5.2f" : "    -", fraction);
  printf(" of its FMA peak   %5.1f x scalar   error %.1e\n", gflops / *scalar_gflops,
         check_rows(&p, CHECKED_ROWS).error);
  fflush(stdout);
}

int main(void) {
  const size_t n = (size_t)HEADS * LEN * HEAD_SIZE;
  const double pairs = 0.5 * (double)LEN * ((double)LEN + 1);
  const double flop = 4 * pairs * (double)HEADS * (double)HEAD_SIZE;
  float *const data = (float *)malloc(4 * n * sizeof(float));
  attn_params p = attn_params_init();
  double scalar_gflops = 0;
  int isa;
  if (data == NULL) {
    fprintf(stderr, "demo: out of memory\n");
    return 1;
  }
  lookup();
  fill(data, 3 * n, 1);
  p.batch = 1;
  p.heads_q = HEADS;
  p.len_q = p.len_kv = LEN;
  p.head_size = HEAD_SIZE;
  p.causal = true;
  p.q = attn_bshd(data, ATTN_F32, LEN, HEADS, HEAD_SIZE);
  p.k = attn_bshd(data + n, ATTN_F32, LEN, HEADS, HEAD_SIZE);
  p.v = attn_bshd(data + 2 * n, ATTN_F32, LEN, HEADS, HEAD_SIZE);
  p.o = attn_bshd(data + 3 * n, ATTN_F32, LEN, HEADS, HEAD_SIZE);
  printf("Causal attention, f32: %d heads, T %d, head size %d, one thread, median of %d.\n", HEADS,
         LEN, HEAD_SIZE, REPEATS);
  for (isa = ATTN_ISA_SCALAR; strcmp(attn_isa_name((attn_isa)isa), "unknown") != 0; ++isa) {
    if (attn_isa_supported((attn_isa)isa)) demo_isa((attn_isa)isa, p, flop, &scalar_gflops);
  }
  printf(
      "Chosen by default: %s. Useful work only: the masked half is not counted; the peak is\n"
      "measured in the same run, of one core and this vector width; error: the largest of %d rows\n"
      "against double precision.\n",
      attn_isa_name(attn_cpu_isa()), CHECKED_ROWS);
  free(data);
  return 0;
}
