// Every error status: some bad call returns it, its text names the argument, and nothing is
// written.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <set>

#include "catch.hpp"
#include "second_copy.h"
#include "support.hpp"

namespace {

struct Bad {
  attn_status status;
  const char *argument;  // that the status text must name
  std::function<void(attn_params &)> spoil;
};

// The field's value as an int, in or out of the enum's range.
template <class T>
void set_raw(T &field, int value) {
  static_assert(sizeof(T) == sizeof(int), "an enum of the size of int");
  std::memcpy(&field, &value, sizeof field);
}

void misalign(attn_tensor &tensor) {
  tensor.data = static_cast<char *>(tensor.data) + 1;
}

const int64_t kHuge = INT64_MAX;

attn_isa foreign_isa() {
#ifdef __aarch64__
  return ATTN_ISA_AVX2;
#else
  return ATTN_ISA_NEON;
#endif
}

// ---- Options that are valid for batch 2, heads 6 over 3, len_q 5 and len_kv 7, to be spoilt.

void give_mask(attn_params &p) {
  static const unsigned char bytes[35] = {};
  p.mask = attn_matrix{bytes, ATTN_BOOL, 0, 0, 7, 1};
}

void give_bias(attn_params &p, attn_type type = ATTN_F32) {
  static const float values[35] = {};
  p.bias = attn_matrix{values, type, 0, 0, 7, 1};
}

void give_blocks(attn_params &p) {
  static const unsigned char bytes[35] = {};
  p.block_mask = attn_matrix{bytes, ATTN_BOOL, 0, 0, 4, 1};
  p.block_q = 3;
  p.block_k = 2;
}

const void *one_byte_on(const void *data) {
  return static_cast<const char *>(data) + 1;
}

// A list that outlives the call.
template <class T>
const T *keep(std::initializer_list<T> list) {
  static std::vector<std::vector<T>> kept;
  kept.reserve(1000);
  kept.emplace_back(list);
  return kept.back().data();
}

void give_pages(attn_params &p, std::initializer_list<int32_t> table) {
  p.page_size = 4;
  p.pages = 4;
  p.page_table = keep(table);
  p.page_table_stride = 2;
  p.k.stride_b = p.k.stride_h = p.v.stride_b = p.v.stride_h = 0;  // four pages are not there
}

const std::vector<Bad> &bad_options() {
  using P = attn_params &;
  static const std::vector<Bad> list = {
      {ATTN_ERR_WINDOW, "window_left", [](P p) { p.window = true, p.window_left = -2; }},
      {ATTN_ERR_WINDOW, "window_right", [](P p) { p.window = true, p.window_right = INT64_MIN; }},
      {ATTN_ERR_WINDOW, "window", [](P p) { p.window_left = 1; }},
      {ATTN_ERR_WINDOW, "window", [](P p) { p.window_right = -1; }},
      {ATTN_ERR_WINDOW_PATTERN, "window_dilation",
       [](P p) { p.window = true, p.window_dilation = -1; }},
      {ATTN_ERR_WINDOW_PATTERN, "window_globals",
       [](P p) { p.window = true, p.window_globals = INT64_MIN; }},
      {ATTN_ERR_WINDOW_PATTERN, "window_stride",
       [](P p) { p.window = true, p.window_stride = -3; }},
      {ATTN_ERR_WINDOW_PATTERN, "window", [](P p) { p.window_dilation = 2; }},
      {ATTN_ERR_WINDOW_PATTERN, "window", [](P p) { p.window_globals = 2; }},
      {ATTN_ERR_WINDOW_PATTERN, "window", [](P p) { p.window_stride = 2; }},
      {ATTN_ERR_MASK, "mask", [](P p) { give_mask(p), p.mask.type = ATTN_F32; }},
      {ATTN_ERR_MASK, "mask", [](P p) { give_mask(p), p.mask.type = ATTN_I8; }},
      {ATTN_ERR_MASK, "mask", [](P p) { give_mask(p), set_raw(p.mask.type, 99); }},
      {ATTN_ERR_MASK, "mask", [](P p) { give_mask(p), p.mask.stride_b = kHuge; }},
      {ATTN_ERR_MASK, "mask", [](P p) { give_mask(p), p.mask.stride_h = INT64_MIN; }},
      {ATTN_ERR_MASK, "mask", [](P p) { give_mask(p), p.mask.stride_q = kHuge / 3; }},
      {ATTN_ERR_MASK, "mask", [](P p) { give_mask(p), p.mask.stride_k = kHuge / 5; }},
      {ATTN_ERR_BIAS, "bias", [](P p) { give_bias(p, ATTN_I8); }},
      {ATTN_ERR_BIAS, "bias", [](P p) { give_bias(p, ATTN_BOOL); }},
      {ATTN_ERR_BIAS, "bias", [](P p) { give_bias(p), set_raw(p.bias.type, -1); }},
      {ATTN_ERR_BIAS, "bias", [](P p) { give_bias(p), p.bias.data = one_byte_on(p.bias.data); }},
      {ATTN_ERR_BIAS, "bias",
       [](P p) { give_bias(p, ATTN_F16), p.bias.data = one_byte_on(p.bias.data); }},
      {ATTN_ERR_BIAS, "bias", [](P p) { give_bias(p), p.bias.stride_q = kHuge / 4; }},
      {ATTN_ERR_BIAS, "bias", [](P p) { give_bias(p), p.bias.stride_k = kHuge / 24; }},
      {ATTN_ERR_BLOCK_MASK, "block_mask", [](P p) { give_blocks(p), p.block_mask.type = ATTN_I8; }},
      {ATTN_ERR_BLOCK_MASK, "block_q", [](P p) { give_blocks(p), p.block_q = 0; }},
      {ATTN_ERR_BLOCK_MASK, "block_k", [](P p) { give_blocks(p), p.block_k = -1; }},
      {ATTN_ERR_BLOCK_MASK, "block_q", [](P p) { p.block_q = 3; }},
      {ATTN_ERR_BLOCK_MASK, "block_k", [](P p) { p.block_k = 3; }},
      {ATTN_ERR_BLOCK_MASK, "block_mask",
       [](P p) { give_blocks(p), p.block_mask.stride_h = kHuge / 2; }},
      {ATTN_ERR_SOFTCAP, "softcap", [](P p) { p.softcap = -1; }},
      {ATTN_ERR_SOFTCAP, "softcap", [](P p) { p.softcap = 1.01e30f; }},
      {ATTN_ERR_SOFTCAP, "softcap", [](P p) { p.softcap = from_bits(kNan); }},
      {ATTN_ERR_SOFTCAP, "softcap", [](P p) { p.softcap = from_bits(kInfinity); }},
      {ATTN_ERR_ALIBI, "alibi_slopes",
       [](P p) { p.alibi_slopes = static_cast<const float *>(one_byte_on(p.q.data)); }},
      {ATTN_ERR_SINKS, "sinks",
       [](P p) { p.sinks = static_cast<const float *>(one_byte_on(p.q.data)); }},
      {ATTN_ERR_SEQLENS_KV, "seqlens_kv", [](P p) { p.seqlens_kv = keep<int32_t>({3, -1}); }},
      {ATTN_ERR_SEQLENS_KV, "seqlens_kv", [](P p) { p.seqlens_kv = keep<int32_t>({8, 7}); }},
      {ATTN_ERR_SEQLENS_KV, "seqlens_kv",
       [](P p) {
         p.cu_seqlens_kv = keep<int32_t>({0, 3, 7});
         p.seqlens_kv = keep<int32_t>({4, 4});
       }},
      {ATTN_ERR_CU_SEQLENS_Q, "cu_seqlens_q",
       [](P p) { p.cu_seqlens_q = keep<int32_t>({-1, 2, 3}); }},
      {ATTN_ERR_CU_SEQLENS_Q, "cu_seqlens_q",
       [](P p) { p.cu_seqlens_q = keep<int32_t>({0, 3, 2}); }},
      {ATTN_ERR_CU_SEQLENS_Q, "cu_seqlens_q",
       [](P p) { p.cu_seqlens_q = keep<int32_t>({0, 6, 7}); }},
      {ATTN_ERR_CU_SEQLENS_Q, "cu_seqlens_q",
       [](P p) { p.cu_seqlens_q = keep<int32_t>({INT32_MIN, INT32_MAX, INT32_MAX}); }},
      {ATTN_ERR_CU_SEQLENS_KV, "cu_seqlens_kv",
       [](P p) { p.cu_seqlens_kv = keep<int32_t>({0, 8, 8}); }},
      {ATTN_ERR_CU_SEQLENS_KV, "cu_seqlens_kv",
       [](P p) { p.cu_seqlens_kv = keep<int32_t>({5, 6, 5}); }},
      {ATTN_ERR_PAGE_SIZE, "page_size", [](P p) { give_pages(p, {0, 1, 2, 3}), p.page_size = -4; }},
      {ATTN_ERR_PAGE_SIZE, "page_size", [](P p) { give_pages(p, {0, 1, 2, 3}), p.page_size = 0; }},
      {ATTN_ERR_PAGE_SIZE, "pages", [](P p) { p.pages = 4; }},
      {ATTN_ERR_PAGE_TABLE, "page_table: null",
       [](P p) { give_pages(p, {0, 1, 2, 3}), p.page_table = nullptr; }},
      {ATTN_ERR_PAGE_TABLE, "page_table",
       [](P p) { give_pages(p, {0, 1, 2, 3}), p.page_table_stride = 1; }},
      {ATTN_ERR_PAGE_TABLE, "page_table",
       [](P p) { give_pages(p, {0, 1, 2, 3}), p.page_table_stride = kHuge; }},
      {ATTN_ERR_PAGE_TABLE, "page_table",
       [](P p) { give_pages(p, {0, 1, 2, 3}), p.page_table_stride = kHuge / 8 + 1; }},
      {ATTN_ERR_PAGE_TABLE, "page_table", [](P p) { give_pages(p, {0, 1, 2, 4}); }},
      {ATTN_ERR_PAGE_TABLE, "page_table", [](P p) { give_pages(p, {0, -1, 2, 3}); }},
      {ATTN_ERR_RING, "ring_size", [](P p) { p.ring_size = -1; }},
      {ATTN_ERR_RING, "ring_size", [](P p) { give_pages(p, {0, 1, 2, 3}), p.ring_size = 8; }},
      {ATTN_ERR_RING, "ring_size",
       [](P p) { p.cu_seqlens_kv = keep<int32_t>({0, 3, 7}), p.ring_size = 8; }},
  };
  return list;
}

// Valid before: batch 2, heads 6 over 3, len_q 5, len_kv 7, head_size 8, head_size_v 12.
const std::vector<Bad> &bad_calls() {
  using P = attn_params &;
  static const std::vector<Bad> list = {
      {ATTN_ERR_BATCH, "batch", [](P p) { p.batch = 0; }},
      {ATTN_ERR_BATCH, "batch", [](P p) { p.batch = -1; }},
      {ATTN_ERR_HEADS_Q, "heads_q", [](P p) { p.heads_q = 0; }},
      {ATTN_ERR_HEADS_Q, "heads_q", [](P p) { p.heads_q = -6; }},
      {ATTN_ERR_HEADS_KV, "heads_kv", [](P p) { p.heads_kv = 4; }},
      {ATTN_ERR_HEADS_KV, "heads_kv", [](P p) { p.heads_kv = -3; }},
      {ATTN_ERR_HEADS_KV, "heads_kv", [](P p) { p.heads_kv = 12; }},
      {ATTN_ERR_LEN_Q, "len_q", [](P p) { p.len_q = -1; }},
      {ATTN_ERR_LEN_KV, "len_kv", [](P p) { p.len_kv = -1; }},
      {ATTN_ERR_LEN_KV, "len_kv", [](P p) { p.len_kv = INT64_MIN; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](P p) { p.head_size = 0; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](P p) { p.head_size = -8; }},
      {ATTN_ERR_HEAD_SIZE, "head_size", [](P p) { p.head_size = ATTN_MAX_HEAD_SIZE + 1; }},
      {ATTN_ERR_HEAD_SIZE_V, "attn_params, 0", [](P p) { p.head_size_v = -1; }},
      {ATTN_ERR_HEAD_SIZE_V, "head_size_v", [](P p) { p.head_size_v = ATTN_MAX_HEAD_SIZE + 1; }},
      {ATTN_ERR_CAPACITY_Q, "capacity_q", [](P p) { p.capacity_q = 4; }},
      {ATTN_ERR_CAPACITY_Q, "capacity_q", [](P p) { p.capacity_q = -1; }},
      {ATTN_ERR_CAPACITY_KV, "capacity_kv", [](P p) { p.capacity_kv = 6; }},
      {ATTN_ERR_CAPACITY_KV, "capacity_kv", [](P p) { p.capacity_kv = -7; }},
      {ATTN_ERR_SCALE, "scale", [](P p) { p.scale = from_bits(kNan); }},
      {ATTN_ERR_SCALE, "scale", [](P p) { p.scale = from_bits(kInfinity); }},
      {ATTN_ERR_SCALE, "scale", [](P p) { p.scale = from_bits(kMinusInfinity); }},
      {ATTN_ERR_SCALE, "FLT_MAX / log2(e)", [](P p) { p.scale = 2.359e38f; }},
      {ATTN_ERR_SCALE, "FLT_MAX / log2(e)", [](P p) { p.scale = -2.359e38f; }},
      {ATTN_ERR_ALIGN, "align", [](P p) { set_raw(p.align, 3); }},
      {ATTN_ERR_ALIGN, "align", [](P p) { set_raw(p.align, -1); }},
      {ATTN_ERR_OFFSET, "offset", [](P p) { p.offset = 1; }},
      {ATTN_ERR_OFFSET, "offset", [](P p) { p.align = ATTN_ALIGN_OFFSET, p.offset = kHuge; }},
      {ATTN_ERR_OFFSET, "offset", [](P p) { p.align = ATTN_ALIGN_OFFSET, p.offset = INT64_MIN; }},
      {ATTN_ERR_FAMILY, "family", [](P p) { set_raw(p.family, 3); }},
      {ATTN_ERR_FAMILY, "family", [](P p) { set_raw(p.family, -1); }},
      {ATTN_ERR_THREADS, "threads", [](P p) { p.threads = -1; }},
      {ATTN_ERR_THREADS, "threads", [](P p) { p.threads = 1025; }},
      {ATTN_ERR_Q_DATA, "q.data", [](P p) { p.q.data = nullptr; }},
      {ATTN_ERR_Q_DATA, "q.data", [](P p) { misalign(p.q); }},
      {ATTN_ERR_K_DATA, "k.data", [](P p) { p.k.data = nullptr; }},
      {ATTN_ERR_K_DATA, "k.data", [](P p) { misalign(p.k); }},
      {ATTN_ERR_V_DATA, "v.data", [](P p) { p.v.data = nullptr; }},
      {ATTN_ERR_V_DATA, "v.data", [](P p) { misalign(p.v); }},
      {ATTN_ERR_O_DATA, "o.data", [](P p) { p.o.data = nullptr; }},
      {ATTN_ERR_O_DATA, "o.data", [](P p) { misalign(p.o); }},
      {ATTN_ERR_LSE_DATA, "lse.data", [](P p) { misalign(p.lse); }},
      {ATTN_ERR_Q_TYPE, "q.type", [](P p) { set_raw(p.q.type, 99); }},
      {ATTN_ERR_K_TYPE, "k.type", [](P p) { set_raw(p.k.type, -1); }},
      {ATTN_ERR_V_TYPE, "v.type", [](P p) { set_raw(p.v.type, 99); }},
      {ATTN_ERR_O_TYPE, "o.type", [](P p) { set_raw(p.o.type, 99); }},
      {ATTN_ERR_LSE_TYPE, "lse.type", [](P p) { set_raw(p.lse.type, 99); }},
      {ATTN_ERR_Q_STRIDE, "q", [](P p) { p.q.stride_d = 2; }},
      {ATTN_ERR_Q_STRIDE, "q", [](P p) { p.q.stride_b = kHuge; }},
      {ATTN_ERR_Q_STRIDE, "q", [](P p) { p.q.stride_h = INT64_MIN; }},
      {ATTN_ERR_Q_STRIDE, "q", [](P p) { p.q.stride_s = kHuge / 4; }},
      {ATTN_ERR_K_STRIDE, "k", [](P p) { p.k.stride_d = -1; }},
      {ATTN_ERR_K_STRIDE, "k", [](P p) { p.k.stride_s = kHuge / 8; }},
      {ATTN_ERR_K_STRIDE, "k", [](P p) { p.k.stride_b = p.k.stride_h = INT64_MAX / 8; }},
      {ATTN_ERR_V_STRIDE, "v", [](P p) { p.v.stride_d = 7; }},
      {ATTN_ERR_V_STRIDE, "v", [](P p) { p.v.stride_h = INT64_MIN / 4; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.stride_d = 2; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.stride_b = kHuge; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.stride_s = 0; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.stride_h = 0; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.stride_b = 0; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.heads_q = p.heads_kv = 1, p.o.stride_b = 0; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.stride_s = 11; }},
      {ATTN_ERR_LSE_STRIDE, "lse", [](P p) { p.lse.stride_s = 0; }},
      {ATTN_ERR_LSE_STRIDE, "lse", [](P p) { p.heads_q = p.heads_kv = 1, p.lse.stride_b = 0; }},
      {ATTN_ERR_LSE_STRIDE, "lse", [](P p) { p.lse.stride_b = kHuge; }},
      {ATTN_ERR_O_OVERLAP, "o ", [](P p) { p.o.data = p.q.data; }},
      {ATTN_ERR_O_OVERLAP, "o ", [](P p) { p.o.data = p.k.data; }},
      {ATTN_ERR_O_OVERLAP, "o ", [](P p) { p.o.data = p.v.data; }},
      {ATTN_ERR_O_OVERLAP, "o ",
       [](P p) { p.k.type = ATTN_I8, p.k_scale = p.lse, p.o.data = p.k_scale.data; }},
      {ATTN_ERR_O_OVERLAP, "o ",
       [](P p) { p.v.type = ATTN_I8, p.v_scale = p.lse, p.o.data = p.v_scale.data; }},
      {ATTN_ERR_O_OVERLAP, "o ", [](P p) { give_mask(p), p.mask.data = p.o.data; }},
      {ATTN_ERR_O_OVERLAP, "o ", [](P p) { give_bias(p), p.bias.data = p.o.data; }},
      {ATTN_ERR_O_OVERLAP, "o ", [](P p) { give_blocks(p), p.block_mask.data = p.o.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse starts where o", [](P p) { p.lse.data = p.o.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { p.lse.data = p.q.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { p.lse.data = p.k.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { p.lse.data = p.v.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { p.k.type = ATTN_I8, p.k_scale = p.lse; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { p.v.type = ATTN_I8, p.v_scale = p.lse; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { give_mask(p), p.mask.data = p.lse.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { give_bias(p), p.bias.data = p.lse.data; }},
      {ATTN_ERR_LSE_OVERLAP, "lse ", [](P p) { give_blocks(p), p.block_mask.data = p.lse.data; }},
      {ATTN_ERR_Q_TYPE, "q.type", [](P p) { p.q.type = ATTN_I8; }},
      {ATTN_ERR_O_TYPE, "o.type", [](P p) { p.o.type = ATTN_I8; }},
      {ATTN_ERR_LSE_TYPE, "lse.type", [](P p) { p.lse.type = ATTN_F16; }},
      {ATTN_ERR_Q_DATA, "q.data", [](P p) { p.q.type = ATTN_F16, misalign(p.q); }},
      {ATTN_ERR_K_DATA, "k.data", [](P p) { p.k.type = ATTN_BF16, misalign(p.k); }},
      {ATTN_ERR_V_DATA, "v.data", [](P p) { p.v.type = ATTN_F16, misalign(p.v); }},
      {ATTN_ERR_O_DATA, "o.data", [](P p) { p.o.type = ATTN_BF16, misalign(p.o); }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.type = ATTN_F16, p.o.stride_s = 11; }},
      {ATTN_ERR_K_SCALE, "k_scale", [](P p) { p.k.type = ATTN_I8; }},
      {ATTN_ERR_K_SCALE, "k_scale", [](P p) { p.k_scale = p.lse; }},
      {ATTN_ERR_K_SCALE, "k_scale", [](P p) { p.k.type = ATTN_F16, p.k_scale = p.lse; }},
      {ATTN_ERR_K_SCALE, "k_scale",
       [](P p) { p.k.type = ATTN_I8, p.k_scale = p.lse, misalign(p.k_scale); }},
      {ATTN_ERR_K_SCALE, "k_scale",
       [](P p) { p.k.type = ATTN_I8, p.k_scale = p.lse, p.k_scale.type = ATTN_F16; }},
      {ATTN_ERR_K_SCALE_STRIDE, "k_scale",
       [](P p) { p.k.type = ATTN_I8, p.k_scale = p.lse, p.k_scale.stride_s = kHuge / 2; }},
      {ATTN_ERR_V_SCALE, "v_scale", [](P p) { p.v.type = ATTN_I8; }},
      {ATTN_ERR_V_SCALE, "v_scale", [](P p) { p.v_scale = p.lse; }},
      {ATTN_ERR_V_SCALE, "v_scale", [](P p) { p.v.type = ATTN_BF16, p.v_scale = p.lse; }},
      {ATTN_ERR_V_SCALE, "v_scale",
       [](P p) { p.v.type = ATTN_I8, p.v_scale = p.lse, set_raw(p.v_scale.type, 99); }},
      {ATTN_ERR_V_SCALE_STRIDE, "v_scale",
       [](P p) { p.v.type = ATTN_I8, p.v_scale = p.lse, p.v_scale.stride_b = INT64_MIN; }},
      {ATTN_ERR_ISA, "isa", [](P p) { set_raw(p.isa, 99); }},
      {ATTN_ERR_ISA, "isa", [](P p) { set_raw(p.isa, -1); }},
      {ATTN_ERR_ISA, "isa", [](P p) { p.isa = foreign_isa(); }},
      {ATTN_ERR_OVERFLOW, "len_q",
       [](P p) {
         p.batch = INT64_C(1) << 40;
         p.len_q = INT64_C(1) << 40;
         p.q.stride_b = p.q.stride_s = p.k.stride_b = p.v.stride_b = 0;
       }},
  };
  return list;
}

// A valid call, the bytes it may write, and a check that it wrote none of them.
struct Fixture {
  explicit Fixture(int64_t len_kv = 7)
      : call(spec_of(len_kv), 1), workspace(1 << 16), plan_bytes(sizeof(attn_plan), 0x5a) {
    call.params.isa = ATTN_ISA_SCALAR;  // the environment's default is tested elsewhere
  }

  static Spec spec_of(int64_t len_kv) {
    Spec spec = Spec().heads(6, 3).lens(5, len_kv).sizes(8, 12);
    spec.batch = 2;
    return spec;
  }

  void require_nothing_written() const {
    for (float x : call.o.values()) REQUIRE(bits_of(x) == kPoison);
    for (float x : call.lse.values()) REQUIRE(bits_of(x) == kPoison);
    REQUIRE(workspace.untouched());
  }

  // A plan object that holds no plan, but arbitrary bytes.
  attn_plan no_plan() const {
    attn_plan plan;
    std::memcpy(&plan, plan_bytes.data(), sizeof plan);
    return plan;
  }

  Call call;
  Workspace workspace;
  std::vector<unsigned char> plan_bytes;
};

std::set<int> &seen() {
  static std::set<int> statuses;
  return statuses;
}

// The status is as expected, and is noted; its text names the argument.
void expect(attn_status got, attn_status want, const std::string &argument) {
  CAPTURE(attn_status_string(got), attn_status_string(want));
  CHECK(got == want);
  CHECK_THAT(attn_status_string(got), Catch::Matchers::Contains(argument));
  if (got == want) seen().insert(got);
}

void check_bad_params(Path path, const std::vector<Bad> &bad_ones) {
  for (const Bad &bad : bad_ones) {
    Fixture fixture;
    attn_params params = params_on(fixture.call, path);
    INFO(path.name() << ": " << attn_status_string(bad.status));
    bad.spoil(params);
    attn_plan plan = fixture.no_plan();
    expect(attn_forward(&params, fixture.workspace.data(), fixture.workspace.size()), bad.status,
           bad.argument);
    expect(attn_plan_init(&plan, &params), bad.status, bad.argument);
    CHECK(std::memcmp(&plan, fixture.plan_bytes.data(), sizeof plan) == 0);
    fixture.require_nothing_written();
  }
}

void check_null_arguments() {
  Fixture fixture;
  attn_plan plan = fixture.no_plan();
  size_t size = 77;
  expect(attn_forward(nullptr, fixture.workspace.data(), fixture.workspace.size()), ATTN_ERR_PARAMS,
         "params");
  expect(attn_plan_init(&plan, nullptr), ATTN_ERR_PARAMS, "params");
  expect(attn_plan_init(nullptr, &fixture.call.params), ATTN_ERR_PLAN, "plan");
  expect(attn_workspace_size(nullptr, &size), ATTN_ERR_PARAMS, "params");
  expect(attn_workspace_size(&fixture.call.params, nullptr), ATTN_ERR_RESULT, "result");
  CHECK(size == 77);
  fixture.require_nothing_written();
}

void check_workspace() {
  Fixture fixture;
  const attn_params *const params = &fixture.call.params;
  size_t size = 0;
  REQUIRE(attn_workspace_size(params, &size) == ATTN_OK);
  REQUIRE(size > 0);
  REQUIRE(size <= fixture.workspace.size());
  expect(attn_forward(params, fixture.workspace.data(), size - 1), ATTN_ERR_WORKSPACE, "workspace");
  expect(attn_forward(params, fixture.workspace.data(), 0), ATTN_ERR_WORKSPACE, "workspace");
  expect(attn_forward(params, nullptr, size), ATTN_ERR_WORKSPACE, "workspace");
  fixture.require_nothing_written();
  REQUIRE(attn_forward(params, fixture.workspace.data(), size) == ATTN_OK);
  seen().insert(ATTN_OK);
}

void check_no_plan() {
  Fixture fixture;
  attn_plan_info info;
  attn_plan zero, arbitrary = fixture.no_plan();
  std::memset(&zero, 0, sizeof zero);
  void *const memory = fixture.workspace.data();
  const size_t size = fixture.workspace.size();
  for (attn_plan *plan : {static_cast<attn_plan *>(nullptr), &zero, &arbitrary}) {
    expect(attn_plan_run(plan, 0, memory, size, memory, size), ATTN_ERR_PLAN, "plan");
    expect(attn_plan_finish(plan, memory, size), ATTN_ERR_PLAN, "plan");
    expect(attn_plan_update(plan, &fixture.call.params), ATTN_ERR_PLAN, "plan");
    expect(attn_plan_get_info(plan, &info), ATTN_ERR_PLAN, "plan");
    CHECK(attn_plan_tasks(plan) == 0);
    CHECK(attn_plan_scratch_size(plan) == 0);
    CHECK(attn_plan_shared_size(plan) == 0);
    CHECK(attn_plan_describe(plan, nullptr, 0) >= 0);
  }
  fixture.require_nothing_written();
}

void check_run_arguments(Path path) {
  Fixture fixture(20000);  // chunked where the family is decode: shared memory is needed
  const attn_params params = params_on(fixture.call, path);
  attn_plan plan;
  attn_plan_info info;
  REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
  REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
  expect(attn_plan_get_info(&plan, nullptr), ATTN_ERR_RESULT, "result");
  Workspace scratch(attn_plan_scratch_size(&plan)), shared(attn_plan_shared_size(&plan));
  const auto run_with = [&](int64_t task, void *a, size_t na, void *b, size_t nb) {
    return attn_plan_run(&plan, task, a, na, b, nb);
  };
  void *const a = scratch.data(), *const b = shared.data();
  const size_t na = scratch.size(), nb = shared.size();
  expect(run_with(-1, a, na, b, nb), ATTN_ERR_TASK, "task");
  expect(run_with(attn_plan_tasks(&plan), a, na, b, nb), ATTN_ERR_TASK, "task");
  expect(run_with(INT64_MAX, a, na, b, nb), ATTN_ERR_TASK, "task");
  expect(run_with(0, nullptr, na, b, nb), ATTN_ERR_SCRATCH, "scratch");
  expect(run_with(0, a, na - 1, b, nb), ATTN_ERR_SCRATCH, "scratch");
  if (info.chunks > 1) {
    expect(run_with(0, a, na, nullptr, nb), ATTN_ERR_SHARED, "shared");
    expect(run_with(0, a, na, b, nb - 1), ATTN_ERR_SHARED, "shared");
    expect(attn_plan_finish(&plan, nullptr, nb), ATTN_ERR_SHARED, "shared");
    expect(attn_plan_finish(&plan, b, nb - 1), ATTN_ERR_SHARED, "shared");
  }
  CHECK(scratch.untouched());
  CHECK(shared.untouched());
  fixture.require_nothing_written();
}

void check_updates(Path path) {
  using P = attn_params &;
  static const std::vector<Bad> changes = {
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.batch = 1; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.heads_q = 3; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.heads_kv = 6; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.head_size = 7; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.head_size_v = 8; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.scale = 2; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.q.type = ATTN_F16; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.k.type = ATTN_BF16; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.v.type = ATTN_I8; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.o.type = ATTN_F16; }},
      {ATTN_ERR_K_SCALE, "k_scale", [](P p) { p.k_scale = p.lse; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.isa = ATTN_ISA_AUTO; }},
      {ATTN_ERR_PLAN_CHANGED, "kernels", [](P p) { p.exact_bf16 = true; }},
      {ATTN_ERR_PLAN_CHANGED, "update", [](P p) { p.family = ATTN_FAMILY_AUTO; }},
      {ATTN_ERR_CAPACITY_Q, "capacity_q", [](P p) { p.len_q = 6; }},
      {ATTN_ERR_CAPACITY_KV, "capacity_kv", [](P p) { p.len_kv = 8; }},
      {ATTN_ERR_LEN_Q, "len_q", [](P p) { p.len_q = -1; }},
      {ATTN_ERR_V_DATA, "v.data", [](P p) { p.v.data = nullptr; }},
      {ATTN_ERR_O_STRIDE, "o", [](P p) { p.o.stride_s = 0; }},
      {ATTN_ERR_OFFSET, "offset", [](P p) { p.offset = 3; }},
  };
  Fixture fixture;
  attn_params params = params_on(fixture.call, path);
  params.capacity_q = params.len_q;
  params.capacity_kv = params.len_kv;
  attn_plan plan, before;
  REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
  std::memcpy(&before, &plan, sizeof plan);
  expect(attn_plan_update(&plan, nullptr), ATTN_ERR_PARAMS, "params");
  for (const Bad &change : changes) {
    INFO(path.name() << ": " << attn_status_string(change.status));
    attn_params changed = params;
    change.spoil(changed);
    expect(attn_plan_update(&plan, &changed), change.status, change.argument);
    CHECK(std::memcmp(&plan, &before, sizeof plan) == 0);
  }
  CHECK(attn_plan_update(&plan, &params) == ATTN_OK);
  fixture.require_nothing_written();
}

int forward_without_memory(void *params) {
  unsetenv("ATTN_ISA");
  return second_copy_forward(static_cast<attn_params *>(params), nullptr, 0);
}

int forward_with_misspelt_isa(void *params) {
  setenv("ATTN_ISA", "avx1024", 1);
  return second_copy_forward(static_cast<attn_params *>(params), nullptr, 0);
}

void check_environment_and_memory() {
  Fixture fixture;
  fixture.call.params.isa = ATTN_ISA_AUTO;
  void *const params = &fixture.call.params;
  const auto status = [&](int (*function)(void *)) {
    return static_cast<attn_status>(in_child(function, params));
  };
  expect(status(forward_without_memory), ATTN_ERR_MEMORY, "ATTN_MALLOC");
  expect(status(forward_with_misspelt_isa), ATTN_ERR_ISA_ENV, "ATTN_ISA");
}

}  // namespace

TEST_CASE(
    "Every error status has a bad call that returns it, names the argument, and writes nothing",
    "[status]") {
  seen().clear();
  for (const Path &path : forced_paths()) {
    check_bad_params(path, bad_calls());
    check_bad_params(path, bad_options());
    check_run_arguments(path);
    check_updates(path);
  }
  check_null_arguments();
  check_workspace();
  check_no_plan();
  check_environment_and_memory();
  for (int status : statuses_of_helpers()) seen().insert(status);
  for (int status = 0; status < ATTN_STATUS_COUNT; status++) {
    INFO("no call returned: " << attn_status_string(static_cast<attn_status>(status)));
    CHECK(seen().count(status) == 1);
  }
}

TEST_CASE("The workspace query reports the errors of sizes and options", "[status]") {
  std::vector<Bad> all = bad_calls();
  all.insert(all.end(), bad_options().begin(), bad_options().end());
  for (const Bad &bad : all) {
    Fixture fixture;
    attn_params params = fixture.call.params;
    bad.spoil(params);
    const std::string argument = bad.argument;
    size_t size = 77;
    const attn_status got = attn_workspace_size(&params, &size);
    CAPTURE(attn_status_string(bad.status));
    if (argument.find(".data") != std::string::npos || argument.find("null") != std::string::npos ||
        bad.status == ATTN_ERR_K_SCALE || bad.status == ATTN_ERR_V_SCALE) {
      CHECK((got == ATTN_OK || got == bad.status));  // it may skip the pointers
    } else {
      CHECK(got == bad.status);
      CHECK(size == 77);
    }
  }
}

TEST_CASE("The workspace query needs no data", "[status]") {
  for (const Path &path : paths()) {
    Fixture fixture;
    attn_params params = params_on(fixture.call, path);
    size_t with = 0, without = 1;
    REQUIRE(attn_workspace_size(&params, &with) == ATTN_OK);
    params.q.data = params.k.data = params.v.data = params.o.data = params.lse.data = nullptr;
    REQUIRE(attn_workspace_size(&params, &without) == ATTN_OK);
    CHECK(with == without);
  }
}

TEST_CASE("Options that are just within their limits are accepted", "[status]") {
  using P = attn_params &;
  const std::vector<std::function<void(P)>> list = {
      [](P p) { p.window = true, p.window_left = p.window_right = -1; },
      [](P p) { p.window = true, p.window_left = p.window_right = INT64_C(1) << 61; },
      [](P p) { p.window = true, p.window_dilation = p.window_globals = p.window_stride = kHuge; },
      [](P p) { give_mask(p), p.mask.stride_q = p.mask.stride_k = 0; },
      [](P p) { give_blocks(p), p.block_q = p.block_k = kHuge; },
      [](P p) { p.softcap = std::ldexp(1.0f, -149); },
      [](P p) { p.softcap = 1e30f; },
      [](P p) { p.seqlens_kv = keep<int32_t>({0, 7}); },
      [](P p) { p.cu_seqlens_q = keep<int32_t>({0, 5, 5}), p.q.stride_b = 0; },
      [](P p) { p.cu_seqlens_kv = keep<int32_t>({0, 0, 7}), p.k.stride_b = p.v.stride_b = 0; },
      [](P p) { give_pages(p, {0, 3, 2, 1}); },
      [](P p) { give_pages(p, {0, -1, 2, 1}), p.seqlens_kv = keep<int32_t>({4, 7}); },
      [](P p) { give_pages(p, {0, 3, 2, 1}), p.page_size = 7; },
      [](P p) { give_pages(p, {9}), p.pages = 0, p.seqlens_kv = keep<int32_t>({0, 0}); },
      [](P p) {
        give_pages(p, {9}), p.pages = 0, p.seqlens_kv = keep<int32_t>({0, 0});
        p.k.data = p.v.data = nullptr;
      },
      [](P p) { give_pages(p, {3, 2}), p.batch = 1, p.page_table_stride = kHuge; },
      [](P p) { p.ring_size = kHuge; },
  };
  for (const Path &path : forced_paths()) {
    int number = 0;
    for (const auto &change : list) {
      Fixture fixture;
      attn_params params = params_on(fixture.call, path);
      change(params);
      INFO(path.name() << ", number " << number++);
      CHECK(attn_forward(&params, nullptr, 0) == ATTN_OK);
    }
  }
}

TEST_CASE("Texts and names of values out of range are \"unknown\"", "[status]") {
  attn_status status;  // the largest values that C++ lets these enums hold
  attn_isa isa;
  attn_family family;
  set_raw(status, 127);
  set_raw(isa, 7);
  set_raw(family, 3);
  CHECK(std::string(attn_status_string(status)) == "unknown");
  CHECK(std::string(attn_status_string(ATTN_STATUS_COUNT)) == "unknown");
  CHECK(std::string(attn_isa_name(isa)) == "unknown");
  CHECK(std::string(attn_family_name(family)) == "unknown");
}
