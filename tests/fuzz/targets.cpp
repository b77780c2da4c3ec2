#include "targets.hpp"

#include <cstdio>

Counts fuzz_counts = {0, 0};

uint64_t Bytes::next() {
  if (left_ == 0) return Random::next();
  left_--;
  const uint64_t choice = static_cast<uint64_t>(data_[0]) | static_cast<uint64_t>(data_[1]) << 8;
  data_ += 2;
  return choice << 1;  // between() drops the lowest bit
}

int64_t out_of_range(Random &random) {
  static const int64_t list[] = {INT64_MAX,
                                 INT64_MIN,
                                 INT64_MIN + 1,
                                 INT64_MAX - 1,
                                 (INT64_C(1) << 62) + 1,
                                 -(INT64_C(1) << 62) - 1};
  return random.pick(list);
}

namespace {

bool has_odd_addresses(attn_type type) {
  return type == ATTN_I8 || type == ATTN_BOOL;
}

}  // namespace

void spoil(attn_tensor &tensor, Random &random) {
  static const int types[] = {-1, 5, 6, 1 << 20, INT32_MIN, INT32_MAX, ATTN_BOOL};
  switch (random.between(0, 6)) {
    case 0:
      tensor.data = nullptr;
      break;
    case 1:
      if (!has_odd_addresses(tensor.type)) tensor.data = static_cast<char *>(tensor.data) + 1;
      break;
    case 2:
      tensor.stride_b = out_of_range(random);
      break;
    case 3:
      tensor.stride_h = out_of_range(random);
      break;
    case 4:
      tensor.stride_s = out_of_range(random);
      break;
    case 5:
      tensor.stride_d = random.one_in(2) ? 2 : -1;
      break;
    default:
      set_raw(tensor.type, random.pick(types));
  }
}

bool none(const std::string &problem) {
  if (problem != "") std::fprintf(stderr, "%s\n", problem.c_str());
  return problem == "";
}
