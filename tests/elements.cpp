#include "elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "support.hpp"

int64_t environment(const char *name, int64_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::atoll(value) : otherwise;
}

bool is_emulated() {
  return environment("ATTN_SWEEP", 400) < 400;
}

bool skips(int number) {
  return is_emulated() && number % 7 != 0;
}

size_t size_of(attn_type type) {
  static const size_t sizes[] = {4, 2, 2, 1, 1};
  return sizes[type];
}

// ---- 16-bit floats by their definition, in double precision.

Format format_of(attn_type type) {
  return type == ATTN_F16 ? Format{10, -14, 15} : Format{7, -126, 127};
}

int infinity_of(const Format &f) {
  return (f.largest_exponent - f.least_exponent + 2) << f.fraction_bits;
}

namespace {

float by_definition(uint32_t half, attn_type type) {
  const Format f = format_of(type);
  const bool negative = (half >> 15 & 1) != 0;
  const int size = static_cast<int>(half & 0x7fff), one = 1 << f.fraction_bits;
  if (size > infinity_of(f)) return from_bits(kNan);
  if (size == infinity_of(f)) return from_bits(negative ? kMinusInfinity : kInfinity);
  const int exponent = size / one, fraction = size % one + (exponent > 0 ? one : 0);
  const double value = std::ldexp(static_cast<double>(fraction),
                                  f.least_exponent + std::max(exponent, 1) - 1 - f.fraction_bits);
  return static_cast<float>(negative ? -value : value);
}

std::vector<float> all_values(attn_type type) {
  std::vector<float> list;
  for (uint32_t half = 0; half < 65536; half++) list.push_back(by_definition(half, type));
  return list;
}

}  // namespace

float widened(uint32_t half, attn_type type) {
  static const std::vector<float> f16 = all_values(ATTN_F16), bf16 = all_values(ATTN_BF16);
  return (type == ATTN_F16 ? f16 : bf16)[half];
}

uint32_t narrowed(float x, attn_type type) {
  const Format f = format_of(type);
  if (is_nan(x)) return 0x7fff;
  const uint32_t sign = bits_of(x) >> 31 << 15;
  const double size = (bits_of(x) & 0x7fffffffu) == kInfinity ? std::ldexp(1.0, 200)
                                                              : std::fabs(static_cast<double>(x));
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, f.least_exponent);
  if (exponent > f.largest_exponent) return sign | static_cast<uint32_t>(infinity_of(f));
  const double units = std::nearbyint(std::ldexp(size, f.fraction_bits - exponent));
  const int code = ((exponent - f.least_exponent) << f.fraction_bits) + static_cast<int>(units);
  return sign | static_cast<uint32_t>(code);
}

bool is_nan_half(uint32_t half, attn_type type) {
  return static_cast<int>(half & 0x7fff) > infinity_of(format_of(type));
}

bool same_half(uint32_t got, uint32_t want, attn_type type) {
  return got == want || (is_nan_half(got, type) && is_nan_half(want, type));
}

double half_ulp(attn_type type, double size) {
  if (type == ATTN_F32) return 0;
  const Format f = format_of(type);
  const int exponent = size > 0 ? std::max(std::ilogb(size), f.least_exponent) : f.least_exponent;
  return std::ldexp(1.0, exponent - f.fraction_bits - 1);
}

// ---- Elements of any type, as the bits that lie in memory.

uint32_t encoded(float x, attn_type type, float scale) {
  if (type == ATTN_F32) return bits_of(x);
  if (type != ATTN_I8) return narrowed(x, type);
  if (scale == 0) return 0;
  const double q = std::nearbyint(static_cast<double>(x) / static_cast<double>(scale));
  return static_cast<uint32_t>(static_cast<int>(std::max(-127.0, std::min(127.0, q)))) & 0xffu;
}

int int8_of(uint32_t raw) {
  return raw < 128 ? static_cast<int>(raw) : static_cast<int>(raw) - 256;
}

float decoded(uint32_t raw, attn_type type, float scale) {
  if (type == ATTN_F32) return from_bits(raw);
  if (type != ATTN_I8) return widened(raw, type);
  return static_cast<float>(static_cast<double>(int8_of(raw)) * static_cast<double>(scale));
}

uint32_t poison_of(attn_type type) {
  static const uint32_t poisons[] = {kPoison, 0x7e5a, 0x7fda, 0x5a, 0x5a};
  return poisons[type];
}

uint32_t unusable(uint32_t bits, attn_type type) {
  if (type == ATTN_F32) return bits;
  if (type == ATTN_I8 || type == ATTN_BOOL) return 0x5a;
  return narrowed(from_bits(bits), type);
}

uint32_t load_raw(const void *address, attn_type type) {
  uint32_t raw = 0;
  uint16_t half = 0;
  if (type == ATTN_F32) {
    std::memcpy(&raw, address, 4);
    return raw;
  }
  if (type == ATTN_I8 || type == ATTN_BOOL) return *static_cast<const unsigned char *>(address);
  std::memcpy(&half, address, 2);
  return half;
}

void store_raw(void *address, attn_type type, uint32_t raw) {
  const uint16_t half = static_cast<uint16_t>(raw & 0xffffu);
  const unsigned char byte = static_cast<unsigned char>(raw & 0xffu);
  if (type == ATTN_F32) std::memcpy(address, &raw, 4);
  if (type == ATTN_F16 || type == ATTN_BF16) std::memcpy(address, &half, 2);
  if (type == ATTN_I8 || type == ATTN_BOOL) std::memcpy(address, &byte, 1);
}
