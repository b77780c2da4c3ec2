/* The error of each instruction set's exponential over every float from -126 to 0, against SLEEF's
 * double-precision exp2 (at most 1 ULP of a double), in units of the last place of a float. */
#define ATTN_IMPLEMENTATION
#include "attn.h"

#include "exp2_lanes.h"

#ifdef __cplusplus
extern "C"
#endif
    double
    Sleef_exp2_u10(double x);

enum { BLOCK = 4096 };

static int measure(attn_isa isa) {
  const exp2_function function = exp2_of(isa);
  const uint32_t first = 0x80000000u, last = 0xc2fc0000u; /* -0 and -126 */
  static float x[BLOCK], y[BLOCK];
  double worst = 0, sum = 0;
  float at = 0;
  uint32_t bits;
  int i;
  for (bits = first; bits <= last; bits += BLOCK) {
    for (i = 0; i < BLOCK; ++i)
      x[i] = attni_float(bits + (uint32_t)i <= last ? bits + (uint32_t)i : last);
    function(x, y, BLOCK);
    for (i = 0; i < BLOCK; ++i) {
      const double error = exp2_ulps(y[i], Sleef_exp2_u10((double)x[i]));
      sum += error;
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
  }
  printf("%-7s %.4f ULP at most, at %.9g; %.4f on average over %u floats\n", attn_isa_name(isa),
         worst, (double)at, sum / (double)(last - first + 1), (unsigned)(last - first + 1));
  fflush(stdout);
  return worst <= 2.0;
}

int main(void) {
  int isa, good = 1;
  for (isa = ATTN_ISA_SCALAR; isa <= ATTN_ISA_NEON; ++isa) {
    if (attn_isa_supported((attn_isa)isa)) {
      good &= measure((attn_isa)isa);
    } else {
      printf("%-7s not on this CPU\n", attn_isa_name((attn_isa)isa));
    }
  }
  return good ? 0 : 1;
}
