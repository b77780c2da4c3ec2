/* A second, private copy of the library whose ATTN_MALLOC always fails. */
#ifndef TESTS_SECOND_COPY_H
#define TESTS_SECOND_COPY_H

#include "attn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* attn_forward of that copy. Call it in a child process: it then reads ATTN_ISA for the first time.
 */
attn_status second_copy_forward(const attn_params *params, void *workspace, size_t workspace_size);

#ifdef __cplusplus
}
#endif

#endif
