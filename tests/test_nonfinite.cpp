// NaN and infinity at allowed positions follow IEEE arithmetic on the formula.
#include "catch.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

bool all_nan(const std::vector<float> &list) {
  for (float x : list) {
    if (!is_nan(x)) return false;
  }
  return true;
}

bool any_nan(const std::vector<float> &list) {
  for (float x : list) {
    if (is_nan(x)) return true;
  }
  return false;
}

Spec causal_spec() {
  return Spec().heads(4, 2).lens(40, 150).sizes(19, 21).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
}

// Call the function with each row (h, i) of the only batch entry.
template <class F>
void for_each_row(const Spec &spec, F function) {
  for (int64_t h = 0; h < spec.heads_q; h++)
    for (int64_t i = 0; i < spec.len_q; i++) function(h, i);
}

// Make feature 0 of q positive, so that an infinite feature 0 of a key has a score of its sign.
void make_first_feature_positive(const Call &call) {
  for_each_row(call.spec, [&](int64_t h, int64_t i) {
    call.q.at(0, h, i, 0) = 0.5f + 0.01f * static_cast<float>(i);
  });
}

}  // namespace

TEST_CASE("NaN in a key reaches exactly the rows that see it", "[nonfinite]") {
  const Spec spec = causal_spec();
  for (const Path &path : forced_paths()) {
    const Call call(spec, 1);
    const Output clean = run(call, path);
    for (int64_t key : {0, 5, 111, 120, 149}) {
      for (int64_t feature : {int64_t{0}, spec.head_size - 1}) {
        INFO(path.name() << ", key " << key << ", feature " << feature);
        const Call spoilt(spec, 1);
        spoilt.k.at(0, 1, key, feature) = from_bits(kNan);
        const Output got = run(spoilt, path);
        for_each_row(spec, [&](int64_t h, int64_t i) {
          const Output row = row_of(got, spec, 0, h, i);
          if (h / 2 == 1 && visible_keys(spec, i) > key) {
            if (!all_nan(row.o) || !all_nan(row.lse)) FAIL_CHECK("not NaN: " << h << " " << i);
          } else {
            const std::string problem = difference(row, row_of(clean, spec, 0, h, i));
            if (problem != "") FAIL_CHECK("head " << h << ", row " << i << ": " << problem);
          }
        });
      }
    }
  }
}

TEST_CASE("NaN or infinity in a value reaches its feature of exactly the rows that see it",
          "[nonfinite]") {
  const Spec spec = causal_spec();
  for (const Path &path : forced_paths()) {
    const Call call(spec, 2);
    const Output clean = run(call, path);
    for (int64_t key : {0, 5, 111, 120, 149}) {
      for (uint32_t bits : {kNan, kInfinity}) {
        INFO(path.name() << ", key " << key << ", bits " << bits);
        const Call spoilt(spec, 2);
        spoilt.v.at(0, 1, key, 3) = from_bits(bits);
        const Output got = run(spoilt, path);
        for_each_row(spec, [&](int64_t h, int64_t i) {
          Output row = row_of(got, spec, 0, h, i);
          const Output want = row_of(clean, spec, 0, h, i);
          if (h / 2 == 1 && visible_keys(spec, i) > key) {
            const bool right = bits == kNan ? is_nan(row.o[3]) : bits_of(row.o[3]) == kInfinity;
            if (!right) FAIL_CHECK("row " << i << " did not see it: " << row.o[3]);
            row.o[3] = want.o[3];
          }
          const std::string problem = difference(row, want);
          if (problem != "") FAIL_CHECK("head " << h << ", row " << i << ": " << problem);
        });
      }
    }
  }
}

TEST_CASE("NaN in a value is not lost where its weight underflows", "[nonfinite]") {
  for (const Path &path : forced_paths()) {
    const Spec spec = Spec().lens(20, 300).sizes(8, 8);
    for (int64_t peak : {0, 150, 299}) {
      const Call call(spec, 3);
      make_first_feature_positive(call);
      call.k.at(0, 0, peak, 0) = 1e5f;
      call.v.at(0, 0, 140, 2) = from_bits(kNan);
      const Output got = run(call, path);
      for_each_row(spec, [&](int64_t, int64_t i) {
        INFO(path.name() << ", peak " << peak << ", row " << i);
        const std::vector<float> o = row_of(got, spec, 0, 0, i).o;
        CHECK(is_nan(o[2]));
        CHECK_FALSE(is_nan(o[3]));
      });
    }
  }
}

TEST_CASE("NaN or infinity in a query makes its own row NaN and changes no other bit",
          "[nonfinite]") {
  const Spec spec = causal_spec();
  for (const Path &path : forced_paths()) {
    const Call call(spec, 4);
    const Output clean = run(call, path);
    for (uint32_t bits : {kNan, kInfinity}) {
      for (int64_t query : {0, 7, 39}) {
        INFO(path.name() << ", query " << query << ", bits " << bits);
        const Call spoilt(spec, 4);
        spoilt.q.at(0, 2, query, 4) = from_bits(bits);
        const Output got = run(spoilt, path);
        for_each_row(spec, [&](int64_t h, int64_t i) {
          const Output row = row_of(got, spec, 0, h, i);
          if (h == 2 && i == query) {
            CHECK(all_nan(row.o));
          } else {
            const std::string problem = difference(row, row_of(clean, spec, 0, h, i));
            if (problem != "") FAIL_CHECK("head " << h << ", row " << i << ": " << problem);
          }
        });
      }
    }
  }
}

TEST_CASE("A score of +infinity makes the rows that see it NaN, and no others", "[nonfinite]") {
  const Spec spec = causal_spec();
  for (const Path &path : forced_paths()) {
    for (int64_t key : {0, 112, 130}) {
      INFO(path.name() << ", key " << key);
      const Call call(spec, 5);
      make_first_feature_positive(call);
      call.k.at(0, 0, key, 0) = from_bits(kInfinity);
      const Output got = run(call, path);
      for_each_row(spec, [&](int64_t h, int64_t i) {
        const std::vector<float> o = row_of(got, spec, 0, h, i).o;
        const bool sees = h / 2 == 0 && visible_keys(spec, i) > key;
        if (sees ? !all_nan(o) : any_nan(o)) FAIL_CHECK("head " << h << ", row " << i);
      });
    }
  }
}

TEST_CASE("Scores of -infinity have weight 0, be it one key or the first 300", "[nonfinite]") {
  for (const Path &path : paths()) {
    for (int64_t keys : {1, 300}) {
      for (bool causal : {false, true}) {
        const Spec spec = Spec().heads(2, 1).lens(5, 310).sizes(24, 24);
        Call call(spec, 6);
        call.params.causal = causal;
        make_first_feature_positive(call);
        for (int64_t j = 0; j < keys; j++) call.k.at(0, 0, j, 0) = from_bits(kMinusInfinity);
        run(call, path);
        // The reference sees the other keys alone: it starts at the first of them.
        attn_params rest = call.params;
        rest.k.data = &call.k.at(0, 0, keys, 0);
        rest.v.data = &call.v.at(0, 0, keys, 0);
        rest.len_kv = 310 - keys;
        INFO(path.name() << ", " << keys << " keys, causal " << causal);
        CHECK(reference::compare(rest) == "");
      }
    }
  }
}

TEST_CASE("Chunks of scores of -infinity have weight 0 after the merge", "[nonfinite]") {
  for (const Path &path : forced_paths()) {
    const Spec spec = Spec().lens(1, 20000).sizes(8, 8);
    const Call call(spec, 7);
    make_first_feature_positive(call);
    for (int64_t j = 0; j < 19990; j++) call.k.at(0, 0, j, 0) = from_bits(kMinusInfinity);
    run(call, path);
    attn_params rest = call.params;
    rest.k.data = &call.k.at(0, 0, 19990, 0);
    rest.v.data = &call.v.at(0, 0, 19990, 0);
    rest.len_kv = 10;
    INFO(path.name());
    CHECK(reference::compare(rest) == "");
  }
}

TEST_CASE("A row whose allowed scores are all -infinity is NaN, an empty row is 0", "[nonfinite]") {
  for (const Path &path : forced_paths()) {
    for (int64_t keys : {1, 5, 200}) {
      const Spec spec = Spec().lens(9, keys).sizes(8, 8).causal_at(ATTN_ALIGN_OFFSET, -3);
      const Call call(spec, 8);
      make_first_feature_positive(call);
      for (int64_t j = 0; j < visible_keys(spec); j++) {
        call.k.at(0, 0, j, 0) = from_bits(kMinusInfinity);
      }
      const Output got = run(call, path);
      for_each_row(spec, [&](int64_t, int64_t i) {
        INFO(path.name() << ", " << keys << " keys, row " << i);
        const Output row = row_of(got, spec, 0, 0, i);
        if (i >= 3) {
          CHECK(all_nan(row.o));
          CHECK((is_nan(row.lse[0]) || bits_of(row.lse[0]) == kMinusInfinity));
        } else {
          CHECK(difference(row.o, std::vector<float>(8, 0.0f)) == "");
          CHECK(bits_of(row.lse[0]) == kMinusInfinity);
        }
      });
    }
  }
}
