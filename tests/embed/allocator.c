/* A call without workspace takes its memory from ATTN_MALLOC, once, and gives it back. */
#include <stddef.h>
#include <stdlib.h>

static int live, total;

static void *counting_malloc(size_t size) {
  ++live;
  ++total;
  return malloc(size);
}

static void counting_free(void *pointer) {
  if (pointer != NULL) --live;
  free(pointer);
}

#define ATTN_MALLOC(size) counting_malloc(size)
#define ATTN_FREE(pointer) counting_free(pointer)
#define ATTN_IMPLEMENTATION
#include "attn.h"
#include "check.h"

int main(void) {
  int failures = check_causal(ATTN_ISA_AUTO, 64);
  if (total != 1 || live != 0) {
    printf("%d allocations, %d of them not freed\n", total, live);
    ++failures;
  }
  return failures;
}
