/* The scalar code alone: this copy is there for its errors. */
#define ATTN_STATIC
#define ATTN_IMPLEMENTATION
#define ATTN_NO_AVX512
#define ATTN_NO_AVX2
#define ATTN_NO_NEON
#define ATTN_MALLOC(size) ((void)(size), (void *)0)
#define ATTN_FREE(pointer) ((void)(pointer))
#include "second_copy.h"

attn_status second_copy_forward(const attn_params *params, void *workspace, size_t workspace_size) {
  return attn_forward(params, workspace, workspace_size);
}
