// What the fuzzers run: one call of the library, or some, made of any bytes. A call that the bytes
// describe is valid in most cases, and compared with the reference; a fault ends the test.
#ifndef TESTS_FUZZ_TARGETS_HPP
#define TESTS_FUZZ_TARGETS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "../support.hpp"

// Where tensors lie: on the heap for an address sanitizer, beside guard pages without one.
void fuzz_forward(const uint8_t *data, size_t size, Place place);
void fuzz_helpers(const uint8_t *data, size_t size, Place place);
void fuzz_checkpoint(const uint8_t *data, size_t size, Place place);

// Inputs so far, and those of them that came to a kernel: a call that succeeded, with something to
// do.
struct Counts {
  uint64_t inputs, kernels;
};
extern Counts fuzz_counts;

// Choices out of bytes, two for each, and when they are used up out of a generator: so a short
// input is a whole case, and a change of a byte is a change of one choice.
class Bytes : public Random {
 public:
  Bytes(const uint8_t *data, size_t size) : Random(size), data_(data), left_(size / 2) {}
  uint64_t next() override;
  size_t left() const {
    return left_;
  }

 private:
  const uint8_t *data_;
  size_t left_;
};

// An enum of any value.
template <class T>
void set_raw(T &field, int value) {
  static_assert(sizeof(T) == sizeof(int), "an enum of the size of int");
  std::memcpy(&field, &value, sizeof field);
}

template <class T>
void misalign(const T *&pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer) + 1;
  std::memcpy(&pointer, &address, sizeof pointer);
}

// Sizes and strides that fit nothing, whatever the other extents are.
int64_t out_of_range(Random &random);

// Spoil a tensor so that a call rejects it, or does not look at what was spoilt: a null or odd
// address, a type or stride out of range.
void spoil(attn_tensor &tensor, Random &random);

// Whether there is no problem; prints it if there is one.
bool none(const std::string &problem);

#endif
