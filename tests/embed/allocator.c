/* A call without workspace takes its memory from ATTN_MALLOC, once, and gives it back; if there is
 * none, that is a status, and nothing has been written. All other calls take none. */
#include <stddef.h>
#include <stdlib.h>

static int blocks_taken, blocks_held, out_of_memory;

static void *counting_malloc(size_t size) {
  ++blocks_taken;
  if (out_of_memory) return NULL;
  ++blocks_held;
  return malloc(size);
}

static void counting_free(void *pointer) {
  if (pointer != NULL) --blocks_held;
  free(pointer);
}

#define ATTN_MALLOC(size) counting_malloc(size)
#define ATTN_FREE(pointer) counting_free(pointer)
#define ATTN_IMPLEMENTATION
#include "attn.h"
#include "check.h"

enum { LEN = 3, SIZE = 8, UNWRITTEN = 0x55 };

static float x[LEN * SIZE], o[LEN * SIZE], lse[LEN], weights[LEN * LEN];
static char memory[1 << 20];

static attn_params self_attention(attn_isa isa, attn_family family) {
  attn_params p = attn_params_init();
  p.q = p.k = p.v = attn_bhsd(x, ATTN_F32, LEN, 1, SIZE);
  p.o = attn_bhsd(o, ATTN_F32, LEN, 1, SIZE);
  p.lse = attn_bhs(lse, LEN, 1);
  p.batch = p.heads_q = 1;
  p.len_q = p.len_kv = LEN;
  p.head_size = SIZE;
  p.isa = isa;
  p.family = family;
  return p;
}

static attn_weights_params all_weights(void) {
  attn_weights_params what;
  memset(&what, 0, sizeof what);
  what.stage = ATTN_STAGE_WEIGHTS;
  what.queries = LEN;
  what.out = attn_bhsd(weights, ATTN_F32, LEN, 1, LEN);
  return what;
}

static void forget(void) {
  memset(o, UNWRITTEN, sizeof o);
  memset(lse, UNWRITTEN, sizeof lse);
  memset(weights, UNWRITTEN, sizeof weights);
  blocks_taken = 0;
}

static int unwritten(const void *bytes, size_t size) {
  const unsigned char *const byte = (const unsigned char *)bytes;
  size_t i;
  for (i = 0; i < size; ++i) {
    if (byte[i] != UNWRITTEN) return 0;
  }
  return 1;
}

/* What a call returned, how often it asked for memory, and whether it wrote: as expected? */
static int check_call(const char *call, attn_status got, attn_status want, int taken) {
  const int wrote =
      !unwritten(o, sizeof o) || !unwritten(lse, sizeof lse) || !unwritten(weights, sizeof weights);
  const int good =
      got == want && blocks_taken == taken && blocks_held == 0 && wrote == (want == ATTN_OK);
  if (!good) {
    printf("%s: %s; %d blocks taken, %d held, %s\n", call, attn_status_string(got), blocks_taken,
           blocks_held, wrote ? "written" : "not written");
  }
  forget();
  return !good;
}

static int check_memory(attn_isa isa, attn_family family) {
  attn_params p = self_attention(isa, family), bad = p;
  attn_weights_params what = all_weights();
  int failures = 0;
  bad.o.stride_d = 2;
  forget();
  failures += check_call("forward", attn_forward(&p, NULL, 0), ATTN_OK, 1);
  failures += check_call("weights", attn_weights(&p, &what, NULL, 0), ATTN_OK, 1);
  failures +=
      check_call("forward in a workspace", attn_forward(&p, memory, sizeof memory), ATTN_OK, 0);
  failures += check_call("weights in a workspace", attn_weights(&p, &what, memory, sizeof memory),
                         ATTN_OK, 0);
  failures += check_call("forward of nonsense", attn_forward(&bad, NULL, 0), ATTN_ERR_O_STRIDE, 0);
  failures +=
      check_call("forward with too little", attn_forward(&p, memory, 1), ATTN_ERR_WORKSPACE, 0);
  failures += check_call("weights with too little", attn_weights(&p, &what, memory, 1),
                         ATTN_ERR_WORKSPACE, 0);
  what.stage = (attn_stage)0;
  failures +=
      check_call("weights of nonsense", attn_weights(&p, &what, NULL, 0), ATTN_ERR_STAGE, 0);
  what = all_weights();
  out_of_memory = 1;
  failures += check_call("forward without memory", attn_forward(&p, NULL, 0), ATTN_ERR_MEMORY, 1);
  failures +=
      check_call("weights without memory", attn_weights(&p, &what, NULL, 0), ATTN_ERR_MEMORY, 1);
  failures += check_call("forward in a workspace, without memory",
                         attn_forward(&p, memory, sizeof memory), ATTN_OK, 0);
  out_of_memory = 0;
  return failures;
}

/* Plans and the functions beside attention, which have nowhere to say that memory is missing. */
static int check_no_memory(void) {
  attn_params p = self_attention(ATTN_ISA_AUTO, ATTN_FAMILY_DECODE);
  attn_append_params append;
  attn_rope_params rope;
  attn_merge_params merge;
  attn_block_pattern pattern;
  attn_tensor part = attn_bhsd(x, ATTN_F32, LEN, 1, SIZE), part_lse = attn_bhs(x, LEN, 1);
  attn_plan plan;
  attn_status status;
  uint8_t mask[LEN * LEN];
  size_t size = sizeof mask;
  forget();
  out_of_memory = 1;
  status = attn_plan_init(&plan, &p);
  if (status == ATTN_OK) status = attn_plan_update(&plan, &p);
  if (status == ATTN_OK) {
    status = attn_plan_run(&plan, 0, memory, sizeof memory / 2, memory + sizeof memory / 2,
                           sizeof memory / 2);
  }
  if (status == ATTN_OK)
    status = attn_plan_finish(&plan, memory + sizeof memory / 2, sizeof memory / 2);
  memset(&append, 0, sizeof append);
  append.rows = part;
  append.cache = p.o;
  append.batch = append.heads = 1;
  append.len = LEN;
  append.size = SIZE;
  if (status == ATTN_OK) status = attn_kv_append(&append);
  memset(&rope, 0, sizeof rope);
  rope.rows = part;
  rope.rotated = p.o;
  rope.batch = rope.heads = 1;
  rope.len = LEN;
  rope.head_size = SIZE;
  rope.rotary.pairs = ATTN_PAIRS_HALF_SPLIT;
  if (status == ATTN_OK) status = attn_rope(&rope);
  memset(&merge, 0, sizeof merge);
  merge.o_parts = &part;
  merge.lse_parts = &part_lse;
  merge.o = p.o;
  merge.parts = merge.batch = merge.heads = 1;
  merge.len = LEN;
  merge.head_size_v = SIZE;
  if (status == ATTN_OK) status = attn_merge(&merge);
  if (status == ATTN_OK) status = attn_alibi_slopes(LEN, lse);
  memset(&pattern, 0, sizeof pattern);
  pattern.len_q = pattern.len_kv = LEN;
  pattern.block_q = pattern.block_k = 1;
  pattern.random_blocks = 2;
  if (status == ATTN_OK) status = attn_block_mask_build(&pattern, mask, size);
  out_of_memory = 0;
  return check_call("a function that needs no memory", status, ATTN_OK, 0);
}

int main(void) {
  int isa, family, failures = check_all() + check_no_memory();
  for (isa = ATTN_ISA_SCALAR; isa <= ATTN_ISA_NEON; ++isa) {
    if (!attn_isa_supported((attn_isa)isa)) continue;
    for (family = ATTN_FAMILY_PREFILL; family <= ATTN_FAMILY_DECODE; ++family) {
      failures += check_memory((attn_isa)isa, (attn_family)family);
    }
  }
  return failures;
}
