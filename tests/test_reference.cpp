// The reference itself, against cases computed by hand.
#include <cmath>

#include "catch.hpp"
#include "elements.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

// One head of one feature. q is 0 unless it is set, so that all scores of allowed keys are equal;
// the value of key position n is 2^n, so that the sum over allowed keys says which they are.
struct Tiny {
  Tiny(int64_t len_q, int64_t len_kv, int64_t batch = 1, int64_t heads = 1)
      : q(index_of(batch * heads * len_q), 0), k(q), v(q), params(attn_params_init()) {
    for (int64_t n = 0; n < 24; n++) {
      k.push_back(0);
      v.push_back(0);
    }
    for (size_t n = 0; n < v.size(); n++) v[n] = std::ldexp(1.0f, static_cast<int>(n));
    params.batch = batch;
    params.heads_q = heads;
    params.heads_kv = 1;
    params.len_q = len_q;
    params.len_kv = len_kv;
    params.head_size = 1;
    params.scale = 1;
    params.q = attn_bhsd(q.data(), ATTN_F32, len_q, heads, 1);
    params.k = attn_bhsd(k.data(), ATTN_F32, len_kv, 1, 1);
    params.v = attn_bhsd(v.data(), ATTN_F32, len_kv, 1, 1);
  }
  Tiny(const Tiny &) = delete;
  Tiny &operator=(const Tiny &) = delete;

  // Of each row a word of the allowed keys, such as "110": taken from allowed().
  std::string table(int64_t b = 0, int64_t h = 0) const {
    std::string text;
    for (int64_t i = 0; i < reference::queries_of(params, b); i++) {
      text += i ? " " : "";
      for (int64_t j = 0; j < params.len_kv; j++)
        text += reference::allowed(params, b, h, i, j) ? '1' : '0';
    }
    return text;
  }

  // Which positions of the memory of v a row takes its mean over: the sum of 2^n.
  int positions(size_t row) const {
    const reference::Row r = reference::attention(params)[row];
    return static_cast<int>(std::lround(r.o[0] * std::exp(r.lse)));
  }

  std::vector<float> q, k, v;
  attn_params params;
};

const unsigned char *bytes(const char *text) {
  return reinterpret_cast<const unsigned char *>(text);
}

attn_matrix matrix_of(const void *data, attn_type type, int64_t b, int64_t h, int64_t q,
                      int64_t k) {
  return attn_matrix{data, type, b, h, q, k};
}

}  // namespace

TEST_CASE("The reference's windows, by tables", "[reference]") {
  Tiny tiny(6, 6);
  attn_params &p = tiny.params;
  CHECK(tiny.table() == "111111 111111 111111 111111 111111 111111");
  p.window = true;
  CHECK(tiny.table() == "100000 010000 001000 000100 000010 000001");
  p.window_left = 2;
  p.window_right = 1;
  CHECK(tiny.table() == "110000 111000 111100 011110 001111 000111");
  p.causal = true;
  CHECK(tiny.table() == "100000 110000 111000 011100 001110 000111");
  p.causal = false;
  p.window_left = -1;
  CHECK(tiny.table() == "110000 111000 111100 111110 111111 111111");
  p.window_left = 0;
  p.window_right = -1;
  CHECK(tiny.table() == "111111 011111 001111 000111 000011 000001");
  p.window_left = p.window_right = 4;
  p.window_dilation = 2;
  CHECK(tiny.table() == "101010 010101 101010 010101 101010 010101");
  p.window_left = p.window_right = 1;
  CHECK(tiny.table() == "100000 010000 001000 000100 000010 000001");
  p.window_dilation = 0;
  p.window_globals = 1;
  CHECK(tiny.table() == "111111 111000 111100 101110 100111 100011");
  p.causal = true;
  CHECK(tiny.table() == "100000 110000 111000 101100 100110 100011");
  p.causal = false;
  p.window_globals = 0;
  p.window_left = p.window_right = 0;
  p.window_stride = 3;
  CHECK(tiny.table() == "100100 010010 001001 100100 010010 001001");
}

TEST_CASE("The reference's windows stand at positions, which an offset moves", "[reference]") {
  Tiny tiny(2, 4);
  attn_params &p = tiny.params;
  p.window = true;
  CHECK(tiny.table() == "0010 0001");  // bottom-right
  p.align = ATTN_ALIGN_TOP_LEFT;
  CHECK(tiny.table() == "1000 0100");
  p.align = ATTN_ALIGN_OFFSET;
  p.offset = 1;
  CHECK(tiny.table() == "0100 0010");
  p.offset = -1;
  CHECK(tiny.table() == "0000 1000");
  p.window_right = 1;
  CHECK(tiny.table() == "1000 1100");
  p.window_right = 0;
  p.window_globals = 2;  // position -1 is none of the first two; they are seen by it
  CHECK(tiny.table() == "1100 1111");
  p.causal = true;
  CHECK(tiny.table() == "0000 1000");
}

TEST_CASE("The reference's masks, biases and block masks, with repeated extents", "[reference]") {
  Tiny tiny(2, 3, 1, 2);
  attn_params &p = tiny.params;
  p.mask = matrix_of(bytes("\1\0\377\0\0\1"), ATTN_BOOL, 0, 0, 3, 1);
  CHECK(tiny.table(0, 0) == "101 001");
  CHECK(tiny.table(0, 1) == "101 001");
  p.mask = matrix_of(bytes("\1\0\377\0\0\1"), ATTN_BOOL, 0, 3, 0, 1);
  CHECK(tiny.table(0, 0) == "101 101");
  CHECK(tiny.table(0, 1) == "001 001");
  p.mask = matrix_of(bytes("\1\0"), ATTN_BOOL, 0, 0, 1, 0);
  CHECK(tiny.table() == "111 000");
  p.mask.data = nullptr;
  const float bias[] = {from_bits(kMinusInfinity), -3.4e38f, 0};
  p.bias = matrix_of(bias, ATTN_F32, 0, 0, 0, 1);
  CHECK(tiny.table() == "011 011");
  const uint16_t half[] = {0xfc00, 0xfbff, 0};
  p.bias = matrix_of(half, ATTN_F16, 0, 0, 0, 1);
  CHECK(tiny.table() == "011 011");
  const uint16_t brain[] = {0xff80, 0xff7f, 0xfc00};
  p.bias = matrix_of(brain, ATTN_BF16, 0, 0, 0, 1);
  CHECK(tiny.table() == "011 011");
  p.bias.data = nullptr;

  Tiny blocks(4, 5);
  blocks.params.block_q = 3;
  blocks.params.block_k = 2;
  blocks.params.block_mask = matrix_of(bytes("\1\0\1\0\2\0"), ATTN_BOOL, 0, 0, 3, 1);
  CHECK(blocks.table() == "11001 11001 11001 00110");
}

TEST_CASE("The reference adds the bias and the mask after the cap", "[reference]") {
  Tiny tiny(1, 2);
  attn_params &p = tiny.params;
  tiny.q[0] = 100;
  tiny.k = {0, 1};
  p.k.data = tiny.k.data();
  p.softcap = 1;
  reference::Row row = reference::attention(p)[0];
  CHECK(row.lse == Approx(std::log(1 + std::exp(1.0))));
  CHECK(row.o[0] == Approx((1 + 2 * std::exp(1.0)) / (1 + std::exp(1.0))));
  const float bias[] = {0.5f, 3};
  p.bias = matrix_of(bias, ATTN_F32, 0, 0, 0, 1);
  row = reference::attention(p)[0];
  CHECK(row.lse == Approx(std::log(std::exp(0.5) + std::exp(4.0))));
  const float forbidding[] = {0, from_bits(kMinusInfinity)};
  p.bias.data = forbidding;
  row = reference::attention(p)[0];
  CHECK(row.o[0] == 1);
  CHECK(row.lse == 0);
  p.softcap = 50;  // 50 tanh(2)
  p.bias.data = nullptr;
  row = reference::attention(p)[0];
  CHECK(row.lse == Approx(48.2013790037908));
}

TEST_CASE("The reference's ALiBi, on both sides of the query", "[reference]") {
  Tiny tiny(1, 3, 1, 2);
  attn_params &p = tiny.params;
  const float slopes[] = {0.5f, 2};
  p.alibi_slopes = slopes;
  CHECK(reference::attention(p)[0].lse == Approx(std::log(std::exp(-1.0) + std::exp(-0.5) + 1)));
  CHECK(reference::attention(p)[1].lse == Approx(std::log(std::exp(-4.0) + std::exp(-2.0) + 1)));
  p.align = ATTN_ALIGN_OFFSET;
  p.offset = 1;
  CHECK(reference::attention(p)[0].lse == Approx(std::log(2 * std::exp(-0.5) + 1)));
  p.offset = -1;
  CHECK(reference::attention(p)[0].lse ==
        Approx(std::log(std::exp(-0.5) + std::exp(-1.0) + std::exp(-1.5))));
}

TEST_CASE("The reference's sinks take weight and give nothing", "[reference]") {
  Tiny tiny(1, 3, 1, 2);
  attn_params &p = tiny.params;
  tiny.v = {1, 1, 1};
  p.v.data = tiny.v.data();
  const float sinks[] = {1, from_bits(kMinusInfinity)};
  p.sinks = sinks;
  reference::Row row = reference::attention(p)[0];
  CHECK(row.o[0] == Approx(3 / (3 + std::exp(1.0))));
  CHECK(row.lse == Approx(std::log(3 + std::exp(1.0))));
  row = reference::attention(p)[1];
  CHECK(row.o[0] == Approx(1));
  CHECK(row.lse == Approx(std::log(3.0)));
  p.len_kv = 0;
  row = reference::attention(p)[0];
  CHECK(row.empty);
  CHECK(row.lse_is_finite);
  CHECK(row.o[0] == 0);
  CHECK(row.lse == 1);
  CHECK_FALSE(reference::attention(p)[1].lse_is_finite);
  p.sinks = nullptr;
  CHECK_FALSE(reference::attention(p)[0].lse_is_finite);
}

TEST_CASE("The reference's finite biases are numbers like any other", "[reference]") {
  Tiny tiny(1, 2);
  attn_params &p = tiny.params;
  const float lowest[] = {-3.4e38f, -3.4e38f}, one[] = {-3.4e38f, 0};
  p.bias = matrix_of(lowest, ATTN_F32, 0, 0, 0, 1);
  reference::Row row = reference::attention(p)[0];
  CHECK(row.o[0] == 1.5);
  CHECK(row.lse == Approx(-3.4e38));
  p.bias.data = one;
  row = reference::attention(p)[0];
  CHECK(row.o[0] == 2);
  CHECK(row.lse == 0);
  CHECK(row.magnitude == 0);  // the other bias has no weight
}

TEST_CASE("The reference's lengths, pages and rings", "[reference]") {
  Tiny tiny(1, 4, 2);
  attn_params &p = tiny.params;
  CHECK(tiny.positions(0) == 0x0f);
  CHECK(tiny.positions(1) == 0xf0);
  const int32_t lens[] = {3, 0};
  p.seqlens_kv = lens;
  CHECK(tiny.positions(0) == 0x07);
  CHECK(reference::attention(p)[1].empty);

  const int32_t starts[] = {1, 4, 6};
  p.cu_seqlens_kv = starts;
  p.seqlens_kv = nullptr;
  p.k.stride_b = p.v.stride_b = 0;
  CHECK(tiny.positions(0) == 0x0e);
  CHECK(tiny.positions(1) == 0x30);
  const int32_t fewer[] = {2, 1};
  p.seqlens_kv = fewer;
  CHECK(tiny.positions(0) == 0x06);
  CHECK(tiny.positions(1) == 0x10);
  p.cu_seqlens_kv = nullptr;

  const int32_t pages[] = {3, 0, -1, 2, 1, -1};
  const int32_t both[] = {4, 3};
  p.seqlens_kv = both;
  p.page_size = 2;
  p.page_table = pages;
  p.page_table_stride = 3;
  p.pages = 4;
  p.k.stride_b = p.v.stride_b = 2;
  CHECK(tiny.positions(0) == 0xc3);
  CHECK(tiny.positions(1) == 0x34);

  Tiny ring(1, 5);
  ring.params.ring_size = 3;  // keys 2, 3, 4 at positions 2, 0, 1
  CHECK(ring.table() == "00111");
  CHECK(ring.positions(0) == 0x07);
  ring.params.ring_size = 8;
  CHECK(ring.table() == "11111");
  CHECK(ring.positions(0) == 0x1f);
  ring.params.window = true;
  ring.params.window_left = 1;
  ring.params.ring_size = 3;
  CHECK(ring.positions(0) == 0x03);  // keys 3 and 4
}

TEST_CASE("The reference's packed queries, each entry aligned by its own lengths", "[reference]") {
  Tiny tiny(2, 4, 2);
  attn_params &p = tiny.params;
  const int32_t queries[] = {1, 3, 4}, keys[] = {4, 1};
  p.cu_seqlens_q = queries;
  p.seqlens_kv = keys;
  p.q.stride_b = 0;
  p.causal = true;
  CHECK(reference::attention(p).size() == 3);
  CHECK(tiny.table(0) == "1110 1111");
  CHECK(tiny.table(1) == "1000");
  tiny.q.assign(8, 0);
  tiny.q[1] = 2;  // the first query of the first entry
  tiny.k.assign(8, 1);
  p.q.data = tiny.q.data();
  p.k.data = tiny.k.data();
  CHECK(reference::attention(p)[0].lse == Approx(2 + std::log(3.0)));
  CHECK(reference::attention(p)[1].lse == Approx(std::log(4.0)));
  CHECK(reference::attention(p)[2].lse == 0);
}

TEST_CASE("The reference's elements, scales and magnitudes", "[reference]") {
  Tiny tiny(1, 2);
  attn_params &p = tiny.params;
  const uint16_t q[] = {0x3e00, 0xc000},
                 k[] = {0x3f80, 0x4000, 0x4040, 0xbf80};  // 1.5 -2; 1 2 3 -1
  const signed char v[] = {-128, 100};
  const float scales[] = {0.5f, -0.25f};
  p.head_size = 2;
  p.head_size_v = 1;
  p.scale = -0.5f;
  p.q = attn_bhsd(q, ATTN_F16, 1, 1, 2);
  p.k = attn_bhsd(k, ATTN_BF16, 2, 1, 2);
  p.v = attn_bhsd(v, ATTN_I8, 2, 1, 1);
  p.v_scale = attn_strided(scales, ATTN_F32, 0, 0, 1);
  const reference::Row row = reference::attention(p)[0];
  // Scores -0.5 (1.5 - 4) = 1.25 and -0.5 (4.5 + 2) = -3.25; values -64 and -25.
  const double a = std::exp(1.25), b = std::exp(-3.25);
  CHECK(row.lse == Approx(std::log(a + b)));
  CHECK(row.o[0] == Approx((-64 * a - 25 * b) / (a + b)));
  CHECK(row.max_v == 64);
  CHECK(row.magnitude == 3.25);
  const float bias[] = {8, -3};
  p.bias = matrix_of(bias, ATTN_F32, 0, 0, 0, 1);
  const double c = std::exp(9.25), d = std::exp(-6.25);
  CHECK(reference::attention(p)[0].magnitude == Approx(3.25 + (8 * c + 3 * d) / (c + d)));
  p.bias.data = nullptr;
  p.softcap = 2;
  // Of the first key 2.75 (1 - tanh(0.625)^2) + 2 tanh(0.625) = 1.904 + 1.109, of the second 2.32.
  CHECK(reference::attention(p)[0].magnitude == Approx(3.0134).margin(0.0005));
}
