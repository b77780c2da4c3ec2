// Elements of every type, as the bits that lie in memory, by the definition of the types: in double
// precision, sharing no code with the library.
#ifndef TESTS_ELEMENTS_HPP
#define TESTS_ELEMENTS_HPP

#include <cstddef>
#include <cstdint>

#include "attn.h"

inline size_t index_of(int64_t i) {
  return static_cast<size_t>(i);
}

// The value of an environment variable, or another if it is not set.
int64_t environment(const char *name, int64_t otherwise);

// Whether ATTN_SWEEP asks for small sweeps, as under an emulator.
bool is_emulated();

// Whether to pass over combination `number` of many: of all but every 7th under an emulator.
bool skips(int number);

// Bytes of an element.
size_t size_of(attn_type type);

// A 16-bit float.
struct Format {
  int fraction_bits, least_exponent, largest_exponent;
};

Format format_of(attn_type type);
int infinity_of(const Format &f);  // its code

// The exact value; any NaN is kNan.
float widened(uint32_t half, attn_type type);

// The nearest, ties to even; any NaN is 0x7fff. Codes of one sign ascend with their values.
uint32_t narrowed(float x, attn_type type);

bool is_nan_half(uint32_t half, attn_type type);
bool same_half(uint32_t got, uint32_t want, attn_type type);

// Half the distance of neighbours of this size; 0 for f32.
double half_ulp(attn_type type, double size);

// An element of any type, int8 with its scale, and its value.
uint32_t encoded(float x, attn_type type, float scale);
float decoded(uint32_t raw, attn_type type, float scale);
int int8_of(uint32_t raw);

// A NaN that no arithmetic produces; of int8 and bool, which have none, just a number.
uint32_t poison_of(attn_type type);

// The upper bits of an f32 infinity or NaN, as an element; a number again for int8.
uint32_t unusable(uint32_t bits, attn_type type);

// The element's bits at an address, which need not be aligned.
uint32_t load_raw(const void *address, attn_type type);
void store_raw(void *address, attn_type type, uint32_t raw);

#endif
