#define ATTN_STATIC
#include "attn.h"
#include "check.h"

#ifdef __cplusplus
extern "C"
#endif
    int
    other_check(void);

int other_check(void) {
  return check_all();
}
