/* For 32 bits, of which a thousand threads' scratch takes more than they can count. */
#define ATTN_USE_OPENMP
#define ATTN_IMPLEMENTATION
#include <stdio.h>

#include "attn.h"

int main(void) {
  static float x[4];
  size_t size = 7;
  attn_status status;
  attn_params p = attn_params_init();
  p.q = attn_strided(x, ATTN_F32, 0, 0, 0);
  p.k = p.v = p.q;
  p.o = attn_bshd(x + 1, ATTN_F32, 16, 1, 1024);
  p.bias.data = x;
  p.family = ATTN_FAMILY_DECODE;
  p.batch = p.threads = 1024;
  p.heads_q = 1;
  p.len_q = p.len_kv = 16;
  p.head_size = 1024;
  p.page_size = p.page_table_stride = p.pages = 16; /* packed keys take most */
  status = attn_workspace_size(&p, &size);
  printf("%s: %.0f\n", attn_status_string(status), (double)size);
  return status != ATTN_ERR_OVERFLOW || size != 7;
}
