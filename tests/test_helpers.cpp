// The functions beside attention: attn_alibi_slopes, attn_merge, attn_rope, attn_kv_append to rings
// and pages, attn_block_mask_build; each against its formula in double precision. Their bad calls
// are in test_helper_status.cpp.
#include <algorithm>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "helpers.hpp"

// ---- attn_alibi_slopes.

TEST_CASE("ALiBi's slopes of 6 heads, and of powers of two", "[helpers][alibi]") {
  float slopes[16];
  REQUIRE(attn_alibi_slopes(6, slopes) == ATTN_OK);
  const float six[] = {1 / 4.0f, 1 / 16.0f, 1 / 64.0f, 1 / 256.0f, 1 / 2.0f, 1 / 8.0f};
  CHECK(std::vector<float>(slopes, slopes + 6) == std::vector<float>(six, six + 6));
  REQUIRE(attn_alibi_slopes(1, slopes) == ATTN_OK);
  CHECK(slopes[0] == 1 / 256.0f);
  REQUIRE(attn_alibi_slopes(8, slopes) == ATTN_OK);
  for (int h = 0; h < 8; h++) CHECK(slopes[h] == std::ldexp(1.0f, -h - 1));
  REQUIRE(attn_alibi_slopes(16, slopes) == ATTN_OK);
  for (int h = 1; h < 16; h += 2) CHECK(slopes[h] == std::ldexp(1.0f, -(h + 1) / 2));
}

TEST_CASE("ALiBi's slopes of any number of heads are the published ones", "[helpers][alibi]") {
  for (int64_t heads = 1; heads <= 200; heads++) {
    std::vector<float> slopes(index_of(heads) + 1, -7.0f);
    REQUIRE(attn_alibi_slopes(heads, slopes.data()) == ATTN_OK);
    CHECK(slopes.back() == -7.0f);
    const std::vector<double> want = published_slopes(heads);
    int wrong = 0;
    for (size_t h = 0; h < want.size(); h++) {
      if (std::fabs(static_cast<double>(slopes[h]) - want[h]) > 1.001 * kEps * want[h]) wrong++;
    }
    INFO(heads << " heads");
    CHECK(wrong == 0);
  }
}

// ---- attn_merge.

TEST_CASE("Merged parts are what the formula says, of all types and layouts", "[helpers][merge]") {
  const std::vector<std::vector<attn_type>> lists = {
      {ATTN_F32},
      {ATTN_F32, ATTN_F32},
      {ATTN_BF16, ATTN_F16},
      {ATTN_F16, ATTN_F32, ATTN_BF16, ATTN_BF16, ATTN_F16, ATTN_F32, ATTN_F32}};
  uint64_t seed = 0;
  for (const std::vector<attn_type> &types : lists) {
    for (attn_type to : kFloats) {
      for (Layout layout : {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative}) {
        for (int64_t size : {1, 37, 128, 300}) {
          for (bool sinks : {false, true}) {
            if (skips(static_cast<int>(++seed))) continue;
            Merge merge(types, to, Extents{2, 3, 4, size}, layout, seed);
            if (sinks) merge.sinks = {0.5f, from_bits(kMinusInfinity), -4.0f};
            for (size_t i = 0; i < types.size(); i++) {  // row 2 is empty here and there
              if ((i + seed) % 2) merge.lse_parts[i].put(1, 1, 2, 0, from_bits(kMinusInfinity));
            }
            REQUIRE(merge.run() == ATTN_OK);
            INFO(types.size() << " parts to " << attn_type_name(to) << ", " << layout_name(layout)
                              << ", size " << size << ", sinks " << sinks);
            CHECK(merge.problem() == "");
            CHECK(merge.o.gaps_intact());
            CHECK(merge.lse.gaps_intact());
          }
        }
      }
    }
  }
}

TEST_CASE("One part is copied, and without lse o is the same", "[helpers][merge]") {
  for (attn_type type : kFloats) {
    Merge merge({type}, type, Extents{2, 3, 4, 131}, Layout::bhsd, 5);
    REQUIRE(merge.run() == ATTN_OK);
    CHECK(merge.o.bytes() == merge.o_parts[0].bytes());
    CHECK(merge.lse.bytes() == merge.lse_parts[0].bytes());
    Merge without({type}, type, Extents{2, 3, 4, 131}, Layout::bhsd, 5);
    without.with_lse = false;
    REQUIRE(without.run() == ATTN_OK);
    CHECK(without.o.bytes() == merge.o.bytes());
    CHECK(without.lse.bytes() == std::vector<unsigned char>(merge.lse.bytes().size(), 0x5a));
  }
}

TEST_CASE("Empty parts: their o is not looked at, and together they are empty",
          "[helpers][merge]") {
  for (attn_type to : kFloats) {
    for (bool sinks : {false, true}) {
      Merge merge({ATTN_F32, ATTN_F16, ATTN_BF16}, to, Extents{1, 2, 3, 9}, Layout::padded, 6);
      if (sinks) merge.sinks = {1.25f, -300.0f};
      for (Data &x : merge.lse_parts) x.fill_with(from_bits(kMinusInfinity));
      for (Data &x : merge.o_parts) x.fill_with(from_bits(kNan));
      merge.o_parts[1].fill_with(from_bits(kInfinity));
      merge.o_parts[2].put(0, 1, 2, 8, 5.0f);
      merge.lse_parts[2].put(0, 1, 2, 0, -20.0f);  // and one row that is not empty
      for (int64_t d = 0; d < 8; d++) merge.o_parts[2].put(0, 1, 2, d, 0.0f);
      REQUIRE(merge.run() == ATTN_OK);
      int wrong = 0;
      merge.o.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
        if (!(h == 1 && s == 2 && d == 8) && merge.o.raw(b, h, s, d) != 0) wrong++;
      });
      merge.lse.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
        const uint32_t want = sinks ? bits_of(merge.sinks[index_of(h)]) : kMinusInfinity;
        if (!(h == 1 && s == 2) && merge.lse.raw(b, h, s, d) != want) wrong++;
      });
      CHECK(wrong == 0);
      CHECK(merge.problem() == "");
      CHECK(merge.o.get(0, 1, 2, 8) == 5.0);
      CHECK(merge.lse.get(0, 1, 2, 0) == -20.0);
    }
  }
}

TEST_CASE("The output may be any of the parts", "[helpers][merge]") {
  for (attn_type type : kFloats) {
    for (Layout layout : {Layout::bhsd, Layout::padded, Layout::negative}) {
      const Extents n = {2, 3, 4, 300};
      Merge apart({type, type, type}, type, n, layout, 7);
      REQUIRE(apart.run() == ATTN_OK);
      for (int part = 0; part < 3; part++) {
        Merge merge({type, type, type}, type, n, layout, 7);
        merge.o_at = part;
        merge.lse_at = (part + (layout == Layout::padded)) % 3;
        REQUIRE(merge.run() == ATTN_OK);
        Data &o = merge.o_parts[index_of(part)], &lse = merge.lse_parts[index_of(merge.lse_at)];
        int wrong = 0;
        o.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
          if (o.raw(b, h, s, d) != apart.o.raw(b, h, s, d)) wrong++;
        });
        lse.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
          if (lse.raw(b, h, s, d) != apart.lse.raw(b, h, s, d)) wrong++;
        });
        CHECK(wrong == 0);
        CHECK(o.gaps_intact());
      }
    }
  }
}

TEST_CASE("NaN reaches its row or its feature, and no other", "[helpers][merge]") {
  const Extents n = {2, 2, 3, 140};
  const std::vector<attn_type> types = {ATTN_F32, ATTN_BF16};
  Merge clean(types, ATTN_F32, n, Layout::bhsd, 8);
  clean.sinks = {0.0f, 0.0f};
  REQUIRE(clean.run() == ATTN_OK);
  const auto changed = [&](Merge &merge, int64_t *rows) {
    int64_t numbers = 0, lses = 0;
    merge.o.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      if (merge.o.raw(b, h, s, d) == clean.o.raw(b, h, s, d)) return;
      numbers += is_nan(from_bits(merge.o.raw(b, h, s, d))) ? 1 : 1000000;
    });
    merge.lse.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      if (merge.lse.raw(b, h, s, d) == clean.lse.raw(b, h, s, d)) return;
      lses += is_nan(from_bits(merge.lse.raw(b, h, s, d))) ? 1 : 1000000;
    });
    *rows = lses;
    return numbers;
  };
  int64_t rows = 0;
  for (size_t part : {0, 1}) {
    for (uint32_t bits : {kNan, kInfinity, kPoison | 0x80000000u}) {
      Merge merge(types, ATTN_F32, n, Layout::bhsd, 8);
      merge.sinks = clean.sinks;
      merge.lse_parts[part].put(1, 0, 2, 0, from_bits(bits));
      REQUIRE(merge.run() == ATTN_OK);
      CHECK(changed(merge, &rows) == 140);
      CHECK(rows == 1);
      if (bits == kInfinity) continue;
      Merge value(types, ATTN_F32, n, Layout::bhsd, 8);
      value.sinks = clean.sinks;
      value.o_parts[part].put(1, 0, 2, 139, from_bits(bits));
      REQUIRE(value.run() == ATTN_OK);
      CHECK(changed(value, &rows) == 1);
      CHECK(rows == 0);
    }
  }
  Merge sink(types, ATTN_F32, n, Layout::bhsd, 8);
  sink.sinks = {0.0f, from_bits(kNan)};
  REQUIRE(sink.run() == ATTN_OK);
  CHECK(changed(sink, &rows) == 2 * 3 * 140);
  CHECK(rows == 2 * 3);
}

TEST_CASE("A sink of +infinity takes all weight, in attention and in merging", "[helpers][merge]") {
  const float sinks[2] = {from_bits(kInfinity), from_bits(kInfinity)};
  const Extents n = {1, 2, 3, 16};
  Merge merge({ATTN_F32, ATTN_F32}, ATTN_F32, n, Layout::bhsd, 14);
  merge.sinks = {sinks[0], sinks[1]};
  for (Data &x : merge.lse_parts) x.put(0, 0, 0, 0, from_bits(kMinusInfinity));  // an empty row
  merge.lse_parts[0].put(0, 0, 1, 0, from_bits(kMinusInfinity));  // and one of a single part
  merge.lse_parts[1].put(0, 1, 2, 0, from_bits(kInfinity));       // infinity - infinity
  REQUIRE(merge.run() == ATTN_OK);
  int wrong = 0;
  merge.o.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
    const uint32_t got = merge.o.raw(b, h, s, d);
    if (h == 1 && s == 2 ? !is_nan(from_bits(got)) : got != 0) wrong++;
  });
  merge.lse.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
    const uint32_t got = merge.lse.raw(b, h, s, d);
    if (h == 1 && s == 2 ? !is_nan(from_bits(got)) : got != kInfinity) wrong++;
  });
  CHECK(wrong == 0);
  for (const Path &path : forced_paths()) {
    INFO(path.name());
    Call call(Spec().heads(2, 2).lens(3, 9).sizes(8, 16), 15);
    attn_params p = params_on(call, path);
    p.sinks = sinks;
    REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
    for (float x : call.o.values()) CHECK(bits_of(x) << 1 == 0);
    for (float x : call.lse.values()) CHECK(bits_of(x) == kInfinity);
  }
}

TEST_CASE("Merging in any grouping gives the same within rounding, a sink once",
          "[helpers][merge]") {
  const Extents n = {2, 3, 5, 64};
  const std::vector<float> sinks = {2.0f, -1.0f, from_bits(kMinusInfinity)};
  const std::vector<attn_type> three(3, ATTN_F32), two(2, ATTN_F32);
  Merge all(three, ATTN_F32, n, Layout::bhsd, 9);
  all.lse_parts[1].put(0, 0, 0, 0, from_bits(kMinusInfinity));
  all.sinks = sinks;
  REQUIRE(all.run() == ATTN_OK);
  for (size_t alone : {0, 1, 2}) {  // which part joins last
    Merge first(two, ATTN_F32, n, Layout::bhsd, 9), last(two, ATTN_F32, n, Layout::bhsd, 9);
    for (size_t i = 0, at = 0; i < 3; i++) {
      if (i == alone) continue;
      first.o_parts[at] = all.o_parts[i];
      first.lse_parts[at++] = all.lse_parts[i];
    }
    REQUIRE(first.run() == ATTN_OK);
    last.o_parts = {first.o, all.o_parts[alone]};
    last.lse_parts = {first.lse, all.lse_parts[alone]};
    last.sinks = sinks;
    REQUIRE(last.run() == ATTN_OK);
    double worst = 0;
    all.o.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      worst = std::max(worst, std::fabs(last.o.get(b, h, s, d) - all.o.get(b, h, s, d)));
    });
    all.lse.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      worst = std::max(worst, std::fabs(last.lse.get(b, h, s, d) - all.lse.get(b, h, s, d)) / 4);
    });
    CHECK(worst < 64 * kEps);
  }
}

TEST_CASE("Weights of lse far apart, and of the largest and smallest floats", "[helpers][merge]") {
  const float pairs[][2] = {
      {3.4e38f, -3.4e38f}, {-3.4e38f, 3.4e38f}, {1e4f, -1e4f}, {0.0f, 200.0f}};
  for (const auto &pair : pairs) {
    Merge merge({ATTN_F32, ATTN_F32}, ATTN_F32, Extents{1, 1, 1, 8}, Layout::bhsd, 10);
    const size_t winner = pair[0] > pair[1] ? 0 : 1;
    merge.lse_parts[0].fill_with(pair[0]);
    merge.lse_parts[1].fill_with(pair[1]);
    REQUIRE(merge.run() == ATTN_OK);
    CHECK(merge.o.bytes() == merge.o_parts[winner].bytes());
    CHECK(merge.lse.bytes() == merge.lse_parts[winner].bytes());
  }
  Merge equal({ATTN_F32, ATTN_F32}, ATTN_F32, Extents{1, 1, 1, 8}, Layout::bhsd, 11);
  for (Data &x : equal.lse_parts) x.fill_with(-3e38f);
  REQUIRE(equal.run() == ATTN_OK);
  for (int64_t d = 0; d < 8; d++) {
    const double mean = (equal.o_parts[0].get(0, 0, 0, d) + equal.o_parts[1].get(0, 0, 0, d)) / 2;
    CHECK(std::fabs(equal.o.get(0, 0, 0, d) - mean) <= 1.01 * kEps * std::fabs(mean));
  }
}

TEST_CASE("n equal keys and a sink s give n / (n + e^s), in one part and in three",
          "[helpers][merge]") {
  for (float sink : {-2.0f, 0.0f, 3.0f}) {
    for (size_t parts : {1, 3}) {
      const double each = 7;
      Merge merge(std::vector<attn_type>(parts, ATTN_F32), ATTN_F32, Extents{1, 2, 2, 8},
                  Layout::bhsd, 12);
      for (Data &x : merge.o_parts) x.fill_with(1.0f);
      for (Data &x : merge.lse_parts) x.fill_with(static_cast<float>(std::log(each)));
      merge.sinks = {sink, sink};
      REQUIRE(merge.run() == ATTN_OK);
      const double n = each * static_cast<double>(parts);
      const double want = n / (n + std::exp(static_cast<double>(sink)));
      CHECK(std::fabs(merge.o.get(0, 1, 1, 7) - want) < 4 * kEps);
    }
  }
}

TEST_CASE("Attention to two parts of the keys merges to attention to all", "[helpers][merge]") {
  for (const Path &path : forced_paths()) {
    const Call call(Spec().heads(4, 2).lens(5, 90).sizes(16, 24), 13);
    const Output want = run(call, path);
    std::vector<float> o[2], lse[2];
    attn_tensor o_parts[2], lse_parts[2];
    const int64_t cut = 37;
    for (size_t part : {0, 1}) {
      attn_params p = params_on(call, path);
      o[part].resize(want.o.size());
      lse[part].resize(want.lse.size());
      p.o = o_parts[part] = attn_bhsd(o[part].data(), ATTN_F32, 5, 4, 24);
      p.lse = lse_parts[part] = attn_bhs(lse[part].data(), 5, 4);
      p.len_kv = part == 0 ? cut : 90 - cut;
      if (part == 1) {
        p.k.data = &call.k.at(0, 0, cut, 0);
        p.v.data = &call.v.at(0, 0, cut, 0);
      }
      REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
    }
    attn_merge_params p = attn_merge_params();
    p.o_parts = o_parts;
    p.lse_parts = lse_parts;
    p.parts = 2;
    p.o = o_parts[0];
    p.lse = lse_parts[1];
    p.batch = 1;
    p.heads = 4;
    p.len = 5;
    p.head_size_v = 24;
    REQUIRE(attn_merge(&p) == ATTN_OK);
    double worst = 0;
    for (size_t i = 0; i < want.o.size(); i++) {
      worst = std::max(worst, static_cast<double>(std::fabs(o[0][i] - want.o[i])));
    }
    for (size_t i = 0; i < want.lse.size(); i++) {
      worst = std::max(worst, static_cast<double>(std::fabs(lse[1][i] - want.lse[i])));
    }
    INFO(path.name());
    CHECK(worst < 100 * kEps);
  }
}

// ---- attn_rope.

TEST_CASE("Four features at position 1: which of them turn together", "[helpers][rope]") {
  const double c0 = 0.54030230586813972, s0 = 0.84147098480789651;  // of 1
  const double c1 = 0.99995000041666528, s1 = 0.00999983333416666;  // of 1 / 100
  const double interleaved[] = {1 * c0 - 2 * s0, 1 * s0 + 2 * c0, 3 * c1 - 4 * s1, 3 * s1 + 4 * c1};
  const double half_split[] = {1 * c0 - 3 * s0, 2 * c1 - 4 * s1, 1 * s0 + 3 * c0, 2 * s1 + 4 * c1};
  for (attn_pairs pairs : {ATTN_PAIRS_INTERLEAVED, ATTN_PAIRS_HALF_SPLIT}) {
    Rope rope(ATTN_F32, ATTN_F32, Layout::bhsd, pairs, Extents{1, 1, 1, 4});
    for (int64_t d = 0; d < 4; d++) rope.rows.put(0, 0, 0, d, static_cast<float>(d + 1));
    rope.params.position = 1;
    REQUIRE(rope.run() == ATTN_OK);
    const double *want = pairs == ATTN_PAIRS_INTERLEAVED ? interleaved : half_split;
    for (int64_t d = 0; d < 4; d++) {
      CHECK(std::fabs(rope.rotated.get(0, 0, 0, d) - want[d]) < 4 * kEps);
    }
  }
}

TEST_CASE("Angles are right at position one million", "[helpers][rope]") {
  Rope rope(ATTN_F32, ATTN_F32, Layout::bhsd, ATTN_PAIRS_INTERLEAVED, Extents{1, 1, 1, 2});
  rope.rows.put(0, 0, 0, 0, 1.0f);
  rope.rows.put(0, 0, 0, 1, 0.0f);
  rope.params.position = 1000000;
  REQUIRE(rope.run() == ATTN_OK);
  CHECK(std::fabs(rope.rotated.get(0, 0, 0, 0) - 0.93675212753314479) < kEps);
  CHECK(std::fabs(rope.rotated.get(0, 0, 0, 1) + 0.34999350217129295) < kEps);
}

TEST_CASE("Rows turn as the formula says, of all types, layouts, widths, bases and positions",
          "[helpers][rope]") {
  int number = 0;
  for (attn_type from : kFloats) {
    for (attn_type to : kFloats) {
      for (Layout layout : {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative}) {
        for (attn_pairs pairs : {ATTN_PAIRS_INTERLEAVED, ATTN_PAIRS_HALF_SPLIT}) {
          for (int64_t width : {0, 2, 22, 40}) {
            for (int64_t position : {0, 7, 131072, 1000000, -5}) {
              if (skips(++number)) continue;
              Rope rope(from, to, layout, pairs);
              rope.params.rotary.size = width;
              rope.params.rotary.theta =
                  std::vector<float>{0, 500000, 100, 1}[index_of(number % 4)];
              rope.params.position = position;
              Data before = rope.rows;
              REQUIRE(rope.run() == ATTN_OK);
              INFO(attn_type_name(from)
                   << " to " << attn_type_name(to) << ", " << layout_name(layout) << ", pairs "
                   << pairs << ", width " << width << ", at " << position);
              CHECK(rope.problem(before) == "");
              CHECK(rope.rotated.gaps_intact());
              CHECK(rope.rows.bytes() == before.bytes());
            }
          }
        }
      }
    }
  }
}

TEST_CASE("Rows of 2 to 1024 features, of odd sizes with a width of their own", "[helpers][rope]") {
  for (int64_t size : {2, 3, 128, 511, 512, 514, 1023, 1024}) {
    for (attn_pairs pairs : {ATTN_PAIRS_INTERLEAVED, ATTN_PAIRS_HALF_SPLIT}) {
      Rope rope(ATTN_F32, ATTN_F32, Layout::bhsd, pairs, Extents{1, 2, 3, size});
      rope.params.rotary.size = size / 2 * 2;
      rope.params.position = 99;
      Data before = rope.rows;
      REQUIRE(rope.run() == ATTN_OK);
      INFO(size << " features, pairs " << pairs);
      CHECK(rope.problem(before) == "");
      if (size % 2) {
        CHECK(rope.rotated.raw(0, 1, 2, size - 1) == before.raw(0, 1, 2, size - 1));
        rope.params.rotary.size = 0;
        CHECK(rope.run() == ATTN_ERR_ROTARY_SIZE);
      }
    }
  }
}

TEST_CASE("Rows turn in place to the same bits", "[helpers][rope]") {
  for (attn_type type : kFloats) {
    for (Layout layout : {Layout::bhsd, Layout::bshd, Layout::padded, Layout::negative}) {
      for (attn_pairs pairs : {ATTN_PAIRS_INTERLEAVED, ATTN_PAIRS_HALF_SPLIT}) {
        Rope apart(type, type, layout, pairs), same(type, type, layout, pairs);
        same.in_place = true;
        for (Rope *rope : {&apart, &same}) {
          rope->params.position = 12;
          rope->params.rotary.size = 36;
          REQUIRE(rope->run() == ATTN_OK);
        }
        int wrong = 0;
        apart.rotated.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
          if (same.rows.raw(b, h, s, d) != apart.rotated.raw(b, h, s, d)) wrong++;
        });
        CHECK(wrong == 0);
        CHECK(same.rows.gaps_intact());
      }
    }
  }
}

TEST_CASE("Rows turn in place whatever the stride of an axis of one", "[helpers][rope]") {
  const Extents extents[] = {{1, 3, 4, 8}, {2, 1, 4, 8}, {2, 3, 1, 8}};
  int64_t attn_tensor::*const strides[] = {&attn_tensor::stride_b, &attn_tensor::stride_h,
                                           &attn_tensor::stride_s};
  for (int axis = 0; axis < 3; axis++) {
    Rope rope(ATTN_F32, ATTN_F32, Layout::bhsd, ATTN_PAIRS_INTERLEAVED, extents[axis]);
    Data before = rope.rows;
    rope.in_place = true;
    rope.params.rows = rope.params.rotated = rope.rows.view();
    rope.params.rotated.*strides[axis] += 1000;
    INFO("axis " << axis);
    REQUIRE(attn_rope(&rope.params) == ATTN_OK);
    CHECK(rope.problem(before) == "");
  }
}

TEST_CASE("Positions by entry and by row", "[helpers][rope]") {
  const int32_t entries[] = {100, -3};
  const int32_t by_row[] = {5, 5, 70000, -1, 2147483647, 0, 1, INT32_MIN};
  for (attn_pairs pairs : {ATTN_PAIRS_INTERLEAVED, ATTN_PAIRS_HALF_SPLIT}) {
    Rope entry(ATTN_F32, ATTN_F32, Layout::padded, pairs), row = entry;
    entry.params.positions = entries;
    row.params.row_positions = by_row;
    entry.params.position = row.params.position = 10;
    for (Rope *rope : {&entry, &row}) {
      Data before = rope->rows;
      REQUIRE(rope->run() == ATTN_OK);
      if (rope == &entry) CHECK(rope->problem(before) == "");
      int wrong = 0;
      for (int64_t b = 0; b < kRows.b; b++)
        for (int64_t s = 0; s < kRows.s; s++) {  // as one call for each row
          Rope single(ATTN_F32, ATTN_F32, Layout::bhsd, pairs, Extents{1, 1, 1, kRows.d});
          for (int64_t h = 0; h < kRows.h; h++) {
            for (int64_t d = 0; d < kRows.d; d++) {
              single.rows.put(0, 0, 0, d, static_cast<float>(before.get(b, h, s, d)));
            }
            single.params.position = rope->position(b, s);
            REQUIRE(single.run() == ATTN_OK);
            for (int64_t d = 0; d < kRows.d; d++) {
              if (single.rotated.raw(0, 0, 0, d) != rope->rotated.raw(b, h, s, d)) wrong++;
            }
          }
        }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("Turning back by the negative positions gives the rows again", "[helpers][rope]") {
  Rope there(ATTN_F32, ATTN_F32, Layout::bhsd, ATTN_PAIRS_HALF_SPLIT);
  const int32_t positions[] = {0, 3, 9, 100000, 7, 7, 1, 2};
  int32_t negative[8];
  for (int i = 0; i < 8; i++) negative[i] = -positions[i];
  there.params.row_positions = positions;
  REQUIRE(there.run() == ATTN_OK);
  Rope back = there;
  back.rows = there.rotated;
  back.params.row_positions = negative;
  REQUIRE(back.run() == ATTN_OK);
  double worst = 0;
  back.rotated.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
    worst = std::max(worst, std::fabs(back.rotated.get(b, h, s, d) - there.rows.get(b, h, s, d)));
  });
  CHECK(worst < 64 * kEps);
}

TEST_CASE("The product of two turned rows depends on the difference of their positions",
          "[helpers][rope]") {
  for (attn_pairs pairs : {ATTN_PAIRS_INTERLEAVED, ATTN_PAIRS_HALF_SPLIT}) {
    double first = 0;
    for (int64_t shift : {0, 1, 1000, 500000}) {
      Rope q(ATTN_F32, ATTN_F32, Layout::bhsd, pairs), k = q;
      k.rows.fill(77);
      q.params.position = shift + 30;
      k.params.position = shift + 11;
      REQUIRE(q.run() == ATTN_OK);
      REQUIRE(k.run() == ATTN_OK);
      double product = 0;
      for (int64_t d = 0; d < kRows.d; d++) {
        product += q.rotated.get(0, 0, 0, d) * k.rotated.get(0, 0, 0, d);
      }
      if (shift == 0) first = product;
      CHECK(std::fabs(product - first) < 200 * kEps);
    }
  }
}

TEST_CASE("NaN and infinity stay in their pair; no rows are a no-op", "[helpers][rope]") {
  for (uint32_t bits : {kNan, kInfinity}) {
    Rope clean(ATTN_F32, ATTN_F32, Layout::bhsd, ATTN_PAIRS_HALF_SPLIT), rope = clean;
    rope.rows.put(1, 2, 3, 4, from_bits(bits));
    clean.params.position = rope.params.position = 3;
    REQUIRE(clean.run() == ATTN_OK);
    REQUIRE(rope.run() == ATTN_OK);
    int64_t wrong = 0, spoilt = 0;
    rope.rotated.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      const uint32_t got = rope.rotated.raw(b, h, s, d);
      if (b == 1 && h == 2 && s == 3 && (d == 4 || d == 24)) {
        spoilt += (got & 0x7fffffffu) >= kInfinity;
      } else if (got != clean.rotated.raw(b, h, s, d)) {
        wrong++;
      }
    });
    CHECK(wrong == 0);
    CHECK(spoilt == 2);
  }
  attn_rope_params none = attn_rope_params();
  none.batch = none.heads = int64_t{1} << 40;
  none.head_size = 8;
  none.rotary.pairs = ATTN_PAIRS_INTERLEAVED;
  CHECK(attn_rope(&none) == ATTN_OK);
}

// ---- attn_kv_append: entries of different length, rings, pages, rotation on the way.

namespace {

const int64_t kKeys = 23;  // of the longest entry

// Rows of two entries for three heads, which stand at keys start[b] and up.
struct Append {
  Append(attn_type from, attn_type to, int64_t len, Layout layout = Layout::padded)
      : rows(from, Extents{2, 3, len, 20}, layout, 6), to_type(to), params(attn_append_params()) {
    rows.fill(9);
    params.batch = 2;
    params.heads = 3;
    params.len = len;
    params.size = 20;
  }

  attn_status run(Data &cache, Data &scale) {
    params.rows = rows.view();
    params.cache = cache.view();
    if (to_type == ATTN_I8) params.cache_scale = scale.view();
    return attn_kv_append(&params);
  }

  Data rows;
  attn_type to_type;
  attn_append_params params;
};

struct Cache {
  Cache(attn_type type, int64_t batch, int64_t positions)
      : rows(type, Extents{batch, 3, positions, 20}, Layout::padded, 7),
        scale(ATTN_F32, Extents{batch, 3, positions, 1}, Layout::padded, 8) {}

  // The bits of a row, with those of its scale; 0x5a5a5a5a is poison.
  std::vector<uint32_t> row(int64_t b, int64_t h, int64_t s) {
    std::vector<uint32_t> bits;
    for (int64_t d = 0; d < 20; d++) bits.push_back(rows.raw(b, h, s, d));
    bits.push_back(scale.raw(b, h, s, 0));
    return bits;
  }
  bool untouched(int64_t b, int64_t h, int64_t s) {
    const Cache fresh(rows.type(), 1, 1);
    return row(b, h, s) == Cache(rows.type(), 1, 1).row(0, 0, 0);
  }

  Data rows, scale;
};

// Append to a plain cache, each entry on its own, and without rotation on the way.
Cache plain(Append &append, const int32_t *start) {
  Cache cache(append.to_type, 2, kKeys);
  const Extents n = {1, 3, append.params.len, 20};
  for (int64_t b = 0; b < 2; b++) {
    Data f32(ATTN_F32, n);
    attn_append_params p = append.params;
    p.rows = append.rows.view();
    p.rows.data = append.rows.at(b, 0, 0, 0);
    if (p.rotary.pairs != 0) {
      attn_rope_params r = attn_rope_params();
      r.rows = p.rows;
      r.rotated = f32.view();
      r.batch = 1;
      r.heads = 3;
      r.len = n.s;
      r.head_size = 20;
      r.rotary = p.rotary;
      r.position = p.position + start[b];
      REQUIRE(attn_rope(&r) == ATTN_OK);
      p.rows = f32.view();
      p.rotary = attn_rotary();
    }
    p.cache = cache.rows.view();
    p.cache.data = cache.rows.at(b, 0, 0, 0);
    if (append.to_type == ATTN_I8) {
      p.cache_scale = cache.scale.view();
      p.cache_scale.data = cache.scale.at(b, 0, 0, 0);
    }
    p.batch = 1;
    p.position += start[b];
    p.positions = nullptr;
    p.ring_size = p.page_size = p.pages = p.page_table_stride = 0;
    p.page_table = nullptr;
    REQUIRE(attn_kv_append(&p) == ATTN_OK);
  }
  return cache;
}

const attn_rotary kRotaries[] = {
    attn_rotary(), {ATTN_PAIRS_INTERLEAVED, 0, 0}, {ATTN_PAIRS_HALF_SPLIT, 12, 500000}};

}  // namespace

TEST_CASE("Entries of different length, turned on the way: bits as one after the other",
          "[helpers][append]") {
  const int32_t start[] = {9, 0};
  for (attn_type from : kFloats) {
    for (attn_type to : kAll) {
      for (const attn_rotary &rotary : kRotaries) {
        for (Layout layout : {Layout::bhsd, Layout::bshd, Layout::negative}) {
          Append append(from, to, 11, layout);
          append.params.position = 3;
          append.params.positions = start;
          append.params.rotary = rotary;
          Cache cache(to, 2, kKeys), want = plain(append, start);
          REQUIRE(append.run(cache.rows, cache.scale) == ATTN_OK);
          INFO(attn_type_name(from) << " to " << attn_type_name(to) << ", pairs " << rotary.pairs);
          CHECK(cache.rows.bytes() == want.rows.bytes());
          CHECK(cache.scale.bytes() == want.scale.bytes());
          CHECK_FALSE(cache.untouched(0, 2, 22));
          CHECK(cache.untouched(0, 2, 11));
        }
      }
    }
  }
}

TEST_CASE("A turned row is rounded once, to the nearest of the cache's type", "[helpers][append]") {
  for (attn_type to : {ATTN_F16, ATTN_BF16}) {
    Append append(ATTN_F32, to, 4);
    append.params.rotary.pairs = ATTN_PAIRS_INTERLEAVED;
    append.params.position = 5;
    Cache cache(to, 2, kKeys);
    REQUIRE(append.run(cache.rows, cache.scale) == ATTN_OK);
    Rope rope(ATTN_F32, to, Layout::bhsd, ATTN_PAIRS_INTERLEAVED, Extents{2, 3, 4, 20});
    rope.rows.fill(9);
    rope.params.position = 5;
    REQUIRE(rope.run() == ATTN_OK);
    Data before = rope.rows;
    CHECK(rope.problem(before) == "");
    int wrong = 0;
    rope.rotated.each([&](int64_t b, int64_t h, int64_t s, int64_t d) {
      if (cache.rows.raw(b, h, 5 + s, d) != rope.rotated.raw(b, h, s, d)) wrong++;
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("A ring holds the last keys, each at its number modulo the ring's size",
          "[helpers][append]") {
  const int32_t start[] = {7, 1};
  for (attn_type to : kAll) {
    for (int64_t ring : {1, 3, 8, 10, 11, 16, 40}) {
      for (int64_t len : {1, 5, 11}) {
        for (const attn_rotary &rotary : kRotaries) {
          Append append(ATTN_F32, to, len);
          append.params.position = 4;
          append.params.positions = start;
          append.params.rotary = rotary;
          append.params.ring_size = ring;
          Cache cache(to, 2, ring), want = plain(append, start);
          REQUIRE(append.run(cache.rows, cache.scale) == ATTN_OK);
          CHECK(cache.rows.gaps_intact());
          CHECK(cache.scale.gaps_intact());
          int64_t wrong = 0, written = 0;
          for (int64_t b = 0; b < 2; b++) {
            const int64_t first = 4 + start[b];
            std::vector<bool> seen(index_of(ring));
            for (int64_t key = first + len - 1; key >= std::max(first, first + len - ring); key--) {
              seen[index_of(key % ring)] = true;
              if (cache.row(b, 2, key % ring) != want.row(b, 2, key)) wrong++;
            }
            for (int64_t s = 0; s < ring; s++) {
              written += seen[index_of(s)];
              if (!seen[index_of(s)] && !cache.untouched(b, 1, s)) wrong++;
            }
          }
          INFO(attn_type_name(to) << ", ring " << ring << ", " << len << " rows");
          CHECK(wrong == 0);
          CHECK(written == 2 * std::min(ring, len));
        }
      }
    }
  }
}

TEST_CASE("Pages get their keys, and no other page is touched", "[helpers][append]") {
  const int32_t start[] = {0, 6};
  int number = 0;
  for (attn_type to : kAll) {
    for (int64_t page_size : {1, 2, 5, 16, 64}) {
      for (int64_t len : {1, 4, 13}) {
        for (const attn_rotary &rotary : kRotaries) {
          if (skips(++number)) continue;
          const int64_t width = 30, pages = 70;
          std::vector<int32_t> table(2 * index_of(width), -1);  // what is not used may be anything
          Append append(ATTN_BF16, to, len);
          append.params.position = 3;
          append.params.positions = start;
          append.params.rotary = rotary;
          append.params.page_size = page_size;
          append.params.page_table_stride = width;
          append.params.pages = pages;
          for (int64_t b = 0; b < 2; b++) {
            const int64_t first = (3 + start[b]) / page_size;
            for (int64_t i = first; i <= (3 + start[b] + len - 1) / page_size; i++) {
              table[index_of(b * width + i)] = static_cast<int32_t>(((2 * i + b) * 11 + 5) % pages);
            }
          }
          append.params.page_table = table.data();
          Cache cache(to, pages, page_size), want = plain(append, start);
          REQUIRE(append.run(cache.rows, cache.scale) == ATTN_OK);
          int64_t wrong = 0, written = 0;
          for (int64_t b = 0; b < 2; b++)
            for (int64_t h = 0; h < 3; h++)
              for (int64_t i = 0; i < len; i++) {
                const int64_t key = 3 + start[b] + i;
                const int64_t page = table[index_of(b * width + key / page_size)];
                if (cache.row(page, h, key % page_size) != want.row(b, h, key)) wrong++;
              }
          for (int64_t page = 0; page < pages; page++)
            for (int64_t h = 0; h < 3; h++)
              for (int64_t s = 0; s < page_size; s++) written += !cache.untouched(page, h, s);
          INFO(attn_type_name(to) << ", pages of " << page_size << ", " << len << " rows");
          CHECK(wrong == 0);
          CHECK(written == 2 * 3 * len);
          CHECK(cache.rows.gaps_intact());
        }
      }
    }
  }
}

// ---- attn_block_mask_build.

namespace {

attn_block_pattern square(int64_t len, int64_t block) {
  attn_block_pattern pattern = attn_block_pattern();
  pattern.len_q = pattern.len_kv = len;
  pattern.block_q = pattern.block_k = block;
  return pattern;
}

}  // namespace

TEST_CASE("A block is allowed if the window allows any of its pairs", "[helpers][blocks]") {
  Random random(14);
  for (int i = 0; i < 3000; i++) {
    const attn_block_pattern w = random_window(random);
    INFO("case " << i);
    CHECK(build(w) == by_pairs(w));
  }
}

TEST_CASE("The patterns of the papers, small", "[helpers][blocks]") {
  attn_block_pattern w = square(6, 1);
  w.window = true;
  w.window_left = w.window_right = 1;
  w.window_globals = 1;
  CHECK(build(w) == std::vector<int>{1, 1, 1, 1, 1, 1,    // the global position sees all,
                                     1, 1, 1, 0, 0, 0,    // and all see it
                                     1, 1, 1, 1, 0, 0,    //
                                     1, 0, 1, 1, 1, 0,    //
                                     1, 0, 0, 1, 1, 1,    //
                                     1, 0, 0, 0, 1, 1});  //
  w = square(7, 1);  // Child et al., strided, of 3: the last 3 and itself, and every third
  w.window = true;
  w.window_left = w.window_stride = 3;
  const std::vector<int> strided = build(w);
  const int last[] = {1, 0, 0, 1, 1, 1, 1};
  CHECK(std::vector<int>(strided.end() - 7, strided.end()) == std::vector<int>(last, last + 7));
  w = square(64, 16);
  w.window = true;
  w.window_left = 1;  // the first query of a block sees the last key of the block before
  CHECK(build(w) == std::vector<int>{1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1});
}

TEST_CASE("Random blocks: so many more in each row, by the seed alone", "[helpers][blocks]") {
  attn_block_pattern w = square(1000, 32);
  w.len_kv = 1203;
  w.window = true;
  w.window_left = w.window_right = 40;
  w.window_globals = 32;
  const std::vector<int> without = build(w);
  const int64_t rows = 32, columns = 38;
  REQUIRE(without.size() == index_of(rows * columns));
  std::vector<int> before;
  for (uint64_t seed : {0, 1, 2, 3}) {
    for (int64_t wanted : {1, 3, 20, 100}) {
      w.seed = seed;
      w.random_blocks = wanted;
      const std::vector<int> with = build(w);
      CHECK(with == build(w));
      int wrong = 0;
      for (int64_t row = 0; row < rows; row++) {
        int64_t more = 0, zeros = 0;
        for (int64_t i = row * columns; i < (row + 1) * columns; i++) {
          if (without[index_of(i)] > with[index_of(i)]) wrong++;
          more += with[index_of(i)] - without[index_of(i)];
          zeros += without[index_of(i)] == 0;
        }
        if (more != std::min(zeros, wanted)) wrong++;
      }
      CHECK(wrong == 0);
      if (wanted == 3) CHECK(with != before);  // of another seed
      if (wanted == 3) before = with;
    }
  }
}

TEST_CASE("Random blocks are as likely as one another, and the same on every machine",
          "[helpers][blocks]") {
  attn_block_pattern w = square(10, 1);
  w.random_blocks = 3;
  std::vector<int> count(100);
  for (uint64_t seed = 0; seed < 2000; seed++) {
    w.seed = seed;
    const std::vector<int> mask = build(w);
    for (size_t i = 0; i < 100; i++) count[i] += mask[i];
  }
  for (int n : count) CHECK(std::abs(n - 600) < 110);  // 600 on average, deviation 20
  w = square(4, 1);
  w.random_blocks = 2;
  w.seed = 2020;
  CHECK(build(w) == std::vector<int>{1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0});
}

TEST_CASE("Masks of nothing, and of blocks larger than the lengths", "[helpers][blocks]") {
  attn_block_pattern w = square(0, 16);
  size_t size = 9;
  REQUIRE(attn_block_mask_size(&w, &size) == ATTN_OK);
  CHECK(size == 0);
  CHECK(attn_block_mask_build(&w, nullptr, 0) == ATTN_OK);
  w = square(5, INT64_MAX);
  CHECK(build(w) == std::vector<int>{0});
  w.random_blocks = INT64_MAX;
  CHECK(build(w) == std::vector<int>{1});
  w = square(int64_t{1} << 30, int64_t{1} << 29);
  w.window = true;
  w.window_left = INT64_MAX;
  w.offset = int64_t{1} << 61;
  CHECK(build(w) == std::vector<int>{1, 1, 1, 1});
  w.window_left = 0;
  w.window_right = INT64_MAX;
  w.offset = -(int64_t{1} << 61);
  CHECK(build(w) == std::vector<int>{1, 1, 1, 1});
}
