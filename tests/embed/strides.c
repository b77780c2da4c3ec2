/* A single key may have any stride, in every tensor: with it no row forms an address, not even of a
 * key that it must not see. Built with traps on overflows of addresses and integers. */
#define ATTN_IMPLEMENTATION
#include "attn.h"
#include "check.h"

static int check_single_key(attn_isa isa, attn_family family, attn_type type, int window,
                            int64_t stride) {
  static const float q[2] = {0, 0}, k[1] = {1}, v[1] = {3}, bias[2] = {0, 0};
  static const uint8_t mask[2] = {1, 1};
  float o[2] = {-1, -1};
  attn_params p = attn_params_init();
  attn_matrix *to;
  p.isa = isa;
  p.family = family;
  p.q = attn_bshd(q, ATTN_F32, 2, 1, 1);
  p.k = attn_strided(k, ATTN_F32, stride, stride, stride);
  p.v = attn_strided(v, ATTN_F32, stride, stride, stride);
  p.o = attn_bshd(o, ATTN_F32, 2, 1, 1);
  p.batch = p.heads_q = p.len_kv = p.head_size = 1;
  p.len_q = 2;
  p.align = ATTN_ALIGN_TOP_LEFT;
  p.window = window != 0; /* query 1 sees no key */
  to = type == ATTN_BOOL ? &p.mask : &p.bias;
  to->data = type == ATTN_BOOL ? (const void *)mask : bias;
  to->type = type;
  to->stride_b = to->stride_h = to->stride_k = stride;
  to->stride_q = 1;
  if (check_forward(&p) != 0) return 1;
  return check_close(o[0], 3) && check_close(o[1], window ? 0 : 3)
             ? 0
             : check_report(isa, attn_type_name(type), ATTN_OK);
}

int main(void) {
  static const attn_type types[] = {ATTN_BOOL, ATTN_F32, ATTN_F16, ATTN_BF16};
  const int64_t far = (int64_t)1 << 61, strides[] = {1, far, -far};
  int isa, family, type, window, stride, failures = 0;
  for (isa = ATTN_ISA_SCALAR; isa <= ATTN_ISA_NEON; ++isa) {
    if (!attn_isa_supported((attn_isa)isa)) continue;
    for (family = ATTN_FAMILY_PREFILL; family <= ATTN_FAMILY_DECODE; ++family) {
      for (type = 0; type < 4; ++type) {
        for (window = 0; window < 2; ++window) {
          for (stride = 0; stride < 3; ++stride) {
            failures += check_single_key((attn_isa)isa, (attn_family)family, types[type], window,
                                         strides[stride]);
          }
        }
      }
    }
  }
  return failures + check_all();
}
