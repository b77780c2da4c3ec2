/* A call without workspace takes its memory from ATTN_MALLOC, once, and gives it back. */
#include <stddef.h>
#include <stdlib.h>

static int blocks_taken, blocks_held;

static void *counting_malloc(size_t size) {
  ++blocks_taken;
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

int main(void) {
  int failures = check_causal(ATTN_ISA_AUTO, 64);
  if (blocks_taken != 1) failures += printf("one call took %d blocks\n", blocks_taken);
  failures += check_all();
  if (blocks_held != 0) failures += printf("%d blocks were not freed\n", blocks_held);
  return failures;
}
