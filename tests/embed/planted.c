/* A mistake of a caller, for the check of memory to find: the output of a call that failed. */
#define ATTN_IMPLEMENTATION
#include "attn.h"

int main(void) {
  float q[8] = {1}, o[8];
  attn_params p = attn_params_init();
  p.q = p.k = p.v = attn_bhsd(q, ATTN_F32, 1, 1, 8);
  p.o = attn_bhsd(o, ATTN_F32, 1, 1, 8);
  p.heads_q = -1;
  attn_forward(&p, NULL, 0);
  return o[0] > 0 ? 0 : 3;
}
