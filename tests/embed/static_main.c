/* Two units of one program, each with a static copy of its own: see static_other.c. */
#define ATTN_STATIC
#include "attn.h"
#include "check.h"

#ifdef __cplusplus
extern "C"
#endif
    int
    other_check(void);

int main(void) {
  return check_all() + other_check();
}
