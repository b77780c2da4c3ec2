// What the tests' helpers take from Catch2, for a program that a fuzzer runs: what does not hold
// ends it, and the fuzzer keeps the input.
#ifndef TESTS_FUZZ_REQUIRE_HPP
#define TESTS_FUZZ_REQUIRE_HPP

#include <cstdio>
#include <cstdlib>

#define REQUIRE(...)                                                                               \
  do {                                                                                             \
    if (!(__VA_ARGS__)) {                                                                          \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #__VA_ARGS__);        \
      std::abort();                                                                                \
    }                                                                                              \
  } while (false)
#define REQUIRE_FALSE(...) REQUIRE(!(__VA_ARGS__))
#define CHECK(...) REQUIRE(__VA_ARGS__)
#define INFO(...) static_cast<void>(0)

#endif
