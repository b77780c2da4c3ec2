#include <math.h>
#include <stdio.h>

#define ATTN_IMPLEMENTATION
#include "attn.h"

enum { LEN = 100, HEADS = 8, SIZE = 64, ROW = HEADS * SIZE };
static float q[LEN * ROW], k[LEN * ROW], v[LEN * ROW], o[LEN * ROW]; /* [LEN][HEADS][SIZE] */

int main(void) {
  for (int i = 0; i < LEN * ROW; i++) {
    q[i] = 3 * sinf((float)i);
    k[i] = sinf((float)i + 1);
    v[i] = cosf((float)i);
  }
  attn_params p = attn_params_init(); /* every field zero */
  p.q = attn_bshd(q, ATTN_F32, LEN, HEADS, SIZE);
  p.k = attn_bshd(k, ATTN_F32, LEN, HEADS, SIZE);
  p.v = attn_bshd(v, ATTN_F32, LEN, HEADS, SIZE);
  p.o = attn_bshd(o, ATTN_F32, LEN, HEADS, SIZE);
  p.batch = 1;
  p.heads_q = HEADS;
  p.len_q = p.len_kv = LEN;
  p.head_size = SIZE;
  p.causal = true;
  const attn_status status = attn_forward(&p, NULL, 0);

  /* The same by the definition, for the first feature of the last query of head 0. */
  const int last = (LEN - 1) * ROW;
  double sum = 0, want = 0;
  for (int j = 0; j < LEN; j++) {
    double score = 0;
    for (int d = 0; d < SIZE; d++) score += (double)q[last + d] * (double)k[j * ROW + d];
    const double weight = exp(score / sqrt((double)SIZE));
    sum += weight;
    want += weight * (double)v[j * ROW];
  }
  printf("%s: %.6f, by the definition %.6f\n", attn_status_string(status), (double)o[last],
         want / sum);
  return status == ATTN_OK && fabs((double)o[last] - want / sum) < 1e-6 ? 0 : 1;
}
