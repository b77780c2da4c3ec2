// A fuzzer of libFuzzer, of the target that TARGET names.
#include <cstdio>
#include <cstdlib>

#include "targets.hpp"

namespace {

void print_counts() {
  const Counts n = fuzz_counts;
  std::printf("kernels: %.1f%% of %llu executions\n",
              n.inputs ? 100.0 * static_cast<double>(n.kernels) / static_cast<double>(n.inputs) : 0,
              static_cast<unsigned long long>(n.inputs));
  std::fflush(stdout);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  return std::atexit(print_counts);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_counts.inputs++;
  TARGET(data, size, Place::heap);
  return 0;
}
