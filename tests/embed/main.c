/* A unit that only calls. */
#include "attn.h"
#include "check.h"

int main(void) {
  return check_all();
}
