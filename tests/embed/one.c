/* The whole program in one file, with the header before or after those of the system. */
#ifdef EMBED_SYSTEM_FIRST
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#ifdef __aarch64__
#include <arm_neon.h>
#endif
#endif

#define ATTN_IMPLEMENTATION
#include "attn.h"
#include "check.h"

int main(void) {
  return check_all();
}
