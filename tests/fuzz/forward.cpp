// attn_forward and the functions of a plan, with every option of attn_params.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

#include "../catch.hpp"
#include "../variants.hpp"
#include "targets.hpp"

namespace {

const Work kWork = {15000, 200000};

std::string describe(const VariantCall &call, Path path) {
  return path.name() + ", " + describe(call.variant) + "; " + describe(call.storage);
}

bool has_keys(const VariantCall &call) {
  for (int64_t b = 0; b < call.variant.batch; b++) {
    if (call.variant.queries(b) > 0 && call.variant.keys(b) > 0) return true;
  }
  return false;
}

void count(const VariantCall &call) {
  fuzz_counts.kernels += has_keys(call);
}

// Other ways to say the same.
void say_otherwise(attn_params &p, Random &random) {
  if (p.heads_kv == p.heads_q && random.one_in(2)) p.heads_kv = 0;
  if (p.head_size_v == p.head_size && random.one_in(2)) p.head_size_v = 0;
  p.q.stride_d = p.k.stride_d = p.v.stride_d = p.o.stride_d = random.one_in(2);
  p.threads = static_cast<int32_t>(random.one_in(4) ? random.between(0, 1024) : 0);
  p.exact_bf16 = random.one_in(4);
  if (random.one_in(8)) p.capacity_q = p.len_q + random.between(0, 300);
  if (random.one_in(8)) p.capacity_kv = p.len_kv + random.between(0, 3000);
}

// The largest error over that of a naive evaluation is a matter of the sweeps: of a million calls
// some exceed it.
void require_right(const VariantCall &call, const attn_params &p, Path path) {
  const double any_error = std::numeric_limits<double>::infinity();
  const bool bf16 = call.variant.q == ATTN_BF16 && multiplies_bf16(p);
  reference::Accuracy accuracy;
  const std::string problem =
      reference::compare(p, reference::attention(p), any_error, &accuracy, bf16);
  if (problem != "") std::fprintf(stderr, "%s\n", describe(call, path).c_str());
  REQUIRE(none(problem));
}

void run_forward(VariantCall &call, Path path) {
  call.run(path);
  count(call);
  require_right(call, call.on(path), path);
}

// A workspace that does not do, and none.
void run_in_bad_workspaces(VariantCall &call, Path path, Random &random) {
  const attn_params p = call.on(path);
  size_t size = 0;
  call.start(path);
  REQUIRE(attn_workspace_size(&p, &size) == ATTN_OK);
  const size_t less =
      random.one_in(2) ? 1 : index_of(random.between(1, static_cast<int64_t>(size)));
  Workspace workspace(size - less);
  REQUIRE(attn_forward(&p, workspace.data(), size - less) == ATTN_ERR_WORKSPACE);
  REQUIRE(attn_forward(&p, nullptr, size) == ATTN_ERR_WORKSPACE);
  REQUIRE(workspace.untouched());
  REQUIRE(call.untouched());
  REQUIRE(attn_forward(&p, nullptr, 0) == ATTN_OK);
  call.finish();
  count(call);
  require_right(call, p, path);
}

// Calls on a plan that return an error each.
void require_errors(const attn_plan &plan, Random &random) {
  const size_t scratch_size = attn_plan_scratch_size(&plan);
  const size_t shared_size = attn_plan_shared_size(&plan);
  const int64_t tasks = attn_plan_tasks(&plan);
  const int64_t no_tasks[] = {-1, INT64_MIN, tasks, tasks + 1, INT64_MAX};
  Workspace scratch(scratch_size), shared(shared_size);
  const auto run = [&](int64_t task, void *scratch_at, size_t scratch_bytes, size_t shared_bytes) {
    return attn_plan_run(&plan, task, scratch_at, scratch_bytes, shared.data(), shared_bytes);
  };
  const int64_t no_task = random.pick(no_tasks);
  REQUIRE(run(no_task, scratch.data(), scratch_size, shared_size) == ATTN_ERR_TASK);
  if (tasks > 0) {
    REQUIRE(run(0, nullptr, scratch_size, shared_size) == ATTN_ERR_SCRATCH);
    REQUIRE(run(0, scratch.data(), scratch_size - 1, shared_size) == ATTN_ERR_SCRATCH);
  }
  if (tasks > 0 && shared_size > 0)
    REQUIRE(run(0, scratch.data(), scratch_size, shared_size - 1) == ATTN_ERR_SHARED);
  if (shared_size > 0)
    REQUIRE(attn_plan_finish(&plan, shared.data(), shared_size - 1) == ATTN_ERR_SHARED);
  REQUIRE((scratch.untouched() && shared.untouched()));
}

void run_tasks_of(const VariantCall &call, const attn_plan &plan, Path path, Random &random) {
  require_errors(plan, random);
  REQUIRE(call.untouched());
  run_tasks(plan, 1, random.next());
  call.finish();
  count(call);
  require_right(call, plan.params, path);
}

void run_plan(VariantCall &call, Path path, Random &random) {
  const attn_params p = call.on(path);
  attn_plan plan;
  call.start(path);
  REQUIRE(attn_plan_init(&plan, &p) == ATTN_OK);
  run_tasks_of(call, plan, path, random);
}

// ---- What is not finite.

bool is_finite_number(float x) {
  return (bits_of(x) & 0x7f800000u) != kInfinity;
}

template <class Test>
bool all_of(const std::vector<float> &list, Test test) {
  for (float x : list) {
    if (!test(x)) return false;
  }
  return true;
}

// A query, or a key with its value, that is NaN or infinite: rows that see it are not finite, and
// no bit of the others changes.
struct Spoilt {
  int64_t b, h, i, j;  // entry; head and query, or key
  enum Which { query, key, value } which;
  uint32_t bits;

  std::string text() const {
    static const char *const names[] = {"query", "key", "value"};
    return std::string(names[which]) + " of entry " + std::to_string(b) + ", head " +
           std::to_string(h) + ", query " + std::to_string(i) + ", key " + std::to_string(j) +
           " spoilt by " + std::to_string(bits);
  }

  bool seen_by(const VariantCall &call, int64_t row_b, int64_t row_h, int64_t row_i) const {
    if (which != query) {
      const bool one_place = call.variant.shared_kv && call.storage.cache != Cache::ring;
      if (row_b != b && !one_place) return false;
      return reference::allowed(call.params, row_b, row_h, row_i, j);
    }
    return row_b == b && row_h == h && row_i == i;
  }

  // Of a row that sees it.
  bool right(const Output &got, const Output &clean, bool empty) const {
    if (which == query && empty) return difference(got, clean) == "";
    if (which == value) {
      const bool nan = bits == kNan;
      return difference(got.lse, clean.lse) == "" &&
             all_of(got.o, [&](float x) { return nan ? is_nan(x) : !is_finite_number(x); });
    }
    return bits != kNan || (all_of(got.o, is_nan) && all_of(got.lse, is_nan));
  }
};

bool choose_spoilt(const VariantCall &call, Random &random, Spoilt *s) {
  static const uint32_t list[] = {kNan, kInfinity, kMinusInfinity, kPoison};
  const Variant &v = call.variant;
  s->b = random.between(0, v.batch - 1);
  s->h = random.between(0, v.heads_q - 1);
  if (v.queries(s->b) == 0 || v.keys(s->b) == 0) return false;
  s->i = random.between(0, v.queries(s->b) - 1);
  const int64_t ring = call.params.ring_size;
  const int64_t oldest = ring ? std::max<int64_t>(0, v.keys(s->b) - ring) : 0;
  s->j = random.between(oldest, v.keys(s->b) - 1);
  s->which = static_cast<Spoilt::Which>(random.between(0, 2));
  s->bits = random.pick(list);
  if (s->bits == kPoison) s->bits = kNan;
  return true;
}

bool sees_any(const VariantCall &call, int64_t b, int64_t h, int64_t i) {
  for (int64_t j = 0; j < call.variant.keys(b); j++) {
    if (reference::allowed(call.params, b, h, i, j)) return true;
  }
  return false;
}

void run_spoilt(VariantCall &call, Path path, Random &random) {
  const Variant &v = call.variant;
  Spoilt s;
  const Output clean = call.run(path);
  count(call);
  if (!choose_spoilt(call, random, &s)) return;
  if (s.which == Spoilt::query) {
    const int64_t d = random.between(0, v.head_size - 1);
    call.q.put(call.query_at(s.b, s.h, s.i, d), unusable(s.bits, v.q));
  } else {
    call.spoil_key(s.which == Spoilt::key ? call.k : call.v, s.b, s.j, s.bits);
  }
  call.keep_inputs();
  const Output got = call.run(path);
  for (int64_t b = 0; b < v.batch; b++)
    for (int64_t h = 0; h < v.heads_q; h++)
      for (int64_t i = 0; i < v.queries(b); i++) {
        const Output row = row_of(got, v, b, h, i), before = row_of(clean, v, b, h, i);
        const bool right = s.seen_by(call, b, h, i) ? s.right(row, before, !sees_any(call, b, h, i))
                                                    : difference(row, before) == "";
        if (!right)
          std::fprintf(stderr, "%s: row %d %d %d; %s\n", describe(call, path).c_str(),
                       static_cast<int>(b), static_cast<int>(h), static_cast<int>(i),
                       s.text().c_str());
        REQUIRE(right);
      }
}

// ---- Fields that are out of range.

// A change of one field, after which a call is an error, or means the same memory or less.
typedef void Change(VariantCall &call, attn_params &p, Random &random);

Change *const kChanges[] = {
    [](VariantCall &, attn_params &p, Random &r) { p.batch = r.one_in(2) ? 0 : INT64_MIN; },
    [](VariantCall &, attn_params &p, Random &r) { p.heads_q = r.one_in(2) ? 0 : INT64_MIN; },
    [](VariantCall &, attn_params &p, Random &r) { p.heads_kv = r.one_in(2) ? -1 : p.heads_q + 1; },
    [](VariantCall &, attn_params &p, Random &r) { p.len_q = r.one_in(2) ? -1 : out_of_range(r); },
    [](VariantCall &, attn_params &p, Random &r) { p.len_kv = r.one_in(2) ? -1 : out_of_range(r); },
    [](VariantCall &, attn_params &p, Random &) { p.len_q = 0; },
    [](VariantCall &, attn_params &p, Random &) { p.len_kv = 0; },
    [](VariantCall &, attn_params &p, Random &r) {
      const int64_t list[] = {0, -1, 1025, INT64_MAX, INT64_MIN};
      (r.one_in(2) ? p.head_size : p.head_size_v) = r.pick(list);
      if (p.head_size_v == 0) p.head_size_v = -1;  // else the size of q
    },
    [](VariantCall &, attn_params &p, Random &r) {
      (r.one_in(2) ? p.capacity_q : p.capacity_kv) = r.one_in(2) ? -1 : INT64_MIN;
    },
    [](VariantCall &, attn_params &p, Random &r) { p.capacity_q = p.len_q - r.between(0, 3); },
    [](VariantCall &, attn_params &p, Random &r) { p.capacity_kv = p.len_kv - r.between(0, 3); },
    [](VariantCall &, attn_params &p, Random &) { p.capacity_kv = INT64_C(1) << 40; },
    [](VariantCall &, attn_params &p, Random &r) {
      const uint32_t list[] = {kNan, kInfinity, kMinusInfinity, 0x7f7fffff, 0xff7fffff};
      p.scale = from_bits(r.pick(list));
    },
    [](VariantCall &, attn_params &p, Random &r) { set_raw(p.align, r.one_in(2) ? -1 : 3); },
    [](VariantCall &, attn_params &p, Random &r) {
      p.offset = p.align == ATTN_ALIGN_OFFSET ? out_of_range(r) : 1;
    },
    [](VariantCall &, attn_params &p, Random &r) { set_raw(p.family, r.one_in(2) ? -1 : 3); },
    [](VariantCall &, attn_params &p, Random &r) { p.threads = r.one_in(2) ? -1 : 1025; },
    [](VariantCall &, attn_params &p, Random &r) { set_raw(p.isa, r.one_in(2) ? -1 : 99); },
    [](VariantCall &, attn_params &p, Random &r) {
      (r.one_in(2) ? p.window_left : p.window_right) = p.window ? -2 : 1;
    },
    [](VariantCall &, attn_params &p, Random &r) {
      int64_t *const list[] = {&p.window_dilation, &p.window_globals, &p.window_stride};
      *r.pick(list) = p.window ? -1 : 1;
    },
    [](VariantCall &, attn_params &p, Random &r) {
      attn_matrix *const list[] = {&p.mask, &p.bias, &p.block_mask};
      attn_matrix &m = *r.pick(list);
      switch (r.between(0, 5)) {
        case 0:
          m.stride_b = out_of_range(r);
          break;
        case 1:
          m.stride_h = out_of_range(r);
          break;
        case 2:
          m.stride_q = out_of_range(r);
          break;
        case 3:
          m.stride_k = out_of_range(r);
          break;
        case 4:
          set_raw(m.type, r.one_in(2) ? ATTN_I8 : -1);
          break;
        default:
          if (m.type != ATTN_BOOL && m.data) m.data = static_cast<const char *>(m.data) + 1;
      }
    },
    [](VariantCall &, attn_params &p, Random &r) {
      (r.one_in(2) ? p.block_q : p.block_k) = p.block_mask.data ? r.between(-1, 0) : 1;
    },
    [](VariantCall &, attn_params &p, Random &r) {
      const uint32_t list[] = {kNan, kInfinity, bits_of(-1.0f), bits_of(2e30f), 0x80000001};
      p.softcap = from_bits(r.pick(list));
    },
    [](VariantCall &, attn_params &p, Random &) { misalign(p.alibi_slopes); },
    [](VariantCall &, attn_params &p, Random &) { misalign(p.sinks); },
    [](VariantCall &, attn_params &p, Random &) { misalign(p.seqlens_kv); },
    [](VariantCall &, attn_params &p, Random &) { misalign(p.cu_seqlens_q); },
    [](VariantCall &, attn_params &p, Random &) { misalign(p.cu_seqlens_kv); },
    [](VariantCall &, attn_params &p, Random &) { misalign(p.page_table); },
    [](VariantCall &call, attn_params &p, Random &r) {
      const int32_t list[] = {-1, INT32_MIN, INT32_MAX, static_cast<int32_t>(p.len_kv) + 1};
      const int64_t b = r.between(0, call.variant.batch - 1);
      call.seqlens.put({0, 0, 0, b}, static_cast<uint32_t>(r.pick(list)));
    },
    [](VariantCall &call, attn_params &, Random &r) {
      const int32_t list[] = {-1, INT32_MIN, INT32_MAX};
      const Cells &starts = r.one_in(2) ? call.cu_q : call.cu_kv;
      starts.put({0, 0, 0, r.between(0, call.variant.batch)}, static_cast<uint32_t>(r.pick(list)));
    },
    [](VariantCall &call, attn_params &p, Random &r) {
      const int64_t list[] = {-1, INT32_MIN, INT32_MAX, p.pages};
      if (call.storage.cache != Cache::paged) return;
      const int64_t b = r.between(0, call.variant.batch - 1);
      if (call.variant.keys(b) == 0) return;
      const int64_t page = r.between(0, (call.variant.keys(b) - 1) / call.storage.page_size);
      call.page_table.put({0, 0, b, page}, static_cast<uint32_t>(r.pick(list)));
    },
    [](VariantCall &, attn_params &p, Random &r) { p.page_size = r.one_in(2) ? -1 : INT64_MIN; },
    [](VariantCall &, attn_params &p, Random &r) { p.pages = p.page_size ? -1 : r.between(-1, 1); },
    [](VariantCall &, attn_params &p, Random &) {
      if (p.page_size) p.page_table = nullptr;
    },
    [](VariantCall &call, attn_params &p, Random &r) {
      const bool paged = call.storage.cache == Cache::paged && call.variant.len_kv > 0;
      const int64_t last = paged ? (call.variant.len_kv - 1) / call.storage.page_size : -1;
      p.page_table_stride = r.one_in(2) ? r.between(-1, last) : out_of_range(r);
    },
    [](VariantCall &, attn_params &p, Random &r) { p.ring_size = r.one_in(2) ? -1 : INT64_MIN; },
    [](VariantCall &, attn_params &p, Random &) {
      if (p.page_size || p.cu_seqlens_kv) p.ring_size = 1;
    },
    [](VariantCall &, attn_params &p, Random &r) { spoil(p.q, r); },
    [](VariantCall &, attn_params &p, Random &r) { spoil(p.k, r); },
    [](VariantCall &, attn_params &p, Random &r) { spoil(p.v, r); },
    [](VariantCall &, attn_params &p, Random &r) { spoil(p.o, r); },
    [](VariantCall &, attn_params &p, Random &r) { spoil(p.lse, r); },
    [](VariantCall &, attn_params &p, Random &r) { spoil(p.k_scale, r); },
    [](VariantCall &, attn_params &p, Random &r) { spoil(p.v_scale, r); },
    [](VariantCall &call, attn_params &p, Random &r) {
      // Entries that are packed may have any distance.
      int64_t *const list[] = {&p.o.stride_h, &p.o.stride_s, &p.o.stride_b};
      const int64_t most = call.storage.packed_q ? 1 : 2, size = call.variant.head_size_v;
      *list[r.between(0, most)] = r.between(0, size - 1) * (r.one_in(2) ? 1 : -1);
    },
    [](VariantCall &, attn_params &p, Random &r) {
      int64_t *const list[] = {&p.lse.stride_b, &p.lse.stride_h, &p.lse.stride_s};
      *r.pick(list) = 0;
    },
    [](VariantCall &, attn_params &p, Random &) { p.o.data = p.q.data; },
    [](VariantCall &, attn_params &p, Random &) { p.lse.data = p.q.data; },
    [](VariantCall &, attn_params &p, Random &) { p.lse.data = p.o.data; },
    [](VariantCall &, attn_params &p, Random &) {
      if (p.k.type != ATTN_I8) p.k_scale = p.q;
    },
};

// Changes one after another, until one is no error.
void run_changed(VariantCall &call, Path path, Random &random) {
  const attn_params unchanged = call.on(path);
  call.start(path);
  for (int n = 0; n < 30; n++) {
    attn_params p = unchanged;
    for (int64_t m = random.one_in(4) ? 2 : 1; m > 0; m--) random.pick(kChanges)(call, p, random);
    if (std::memcmp(&p, &unchanged, sizeof p) == 0 && call.inputs_kept()) continue;
    size_t size = 0;
    const attn_status sized = attn_workspace_size(&p, &size);
    if (attn_forward(&p, nullptr, 0) == ATTN_OK) {
      call.keep_inputs();
      REQUIRE(sized == ATTN_OK);
      call.finish();
      if (p.len_q > 0 && p.len_kv > 0) count(call);
      return require_right(call, p, path);
    }
    REQUIRE(call.untouched());
    call.fill_lengths();
  }
}

// The same options on other lengths and layouts, within what updates may change.
VariantCase other_lengths(const VariantCase &c, Random &random) {
  VariantCase next = c;
  Variant &v = next.variant;
  Storage &s = next.storage;
  if (v.len_q > 0) v.len_q = random.between(random.one_in(8) ? 0 : 1, v.len_q);
  if (v.len_kv > 0) v.len_kv = random.between(random.one_in(8) ? 0 : 1, v.len_kv);
  v.lens_q.clear();
  v.lens_kv.clear();
  v.ring_size = 0;
  next.seed++;
  choose_storage(next, random);
  s.place = c.storage.place;
  const auto scattered = [](const Storage &at) {
    return at.cache == Cache::paged || at.cache == Cache::ring;
  };
  if (scattered(s) != scattered(c.storage)) s.cache = c.storage.cache;
  if (s.cache != Cache::packed) s.slack = false;
  if (s.cache == Cache::packed) v.shared_kv = false;
  if (s.cache != Cache::ring) v.ring_size = 0;
  return next;
}

void run_update(const VariantCase &c, VariantCall &call, Path path, Random &random) {
  const VariantCase next_case = other_lengths(c, random);
  VariantCall next(next_case.variant, next_case.seed, next_case.storage);
  attn_params p = call.on(path), q = next.params, bad;
  p.capacity_q = p.len_q + random.between(0, 100);
  p.capacity_kv = p.len_kv + random.between(0, 100);
  q.isa = path.isa;
  q.family = path.family;
  q.exact_bf16 = p.exact_bf16;
  attn_plan plan, kept;
  REQUIRE(attn_plan_init(&plan, &p) == ATTN_OK);
  std::memcpy(&kept, &plan, sizeof plan);
  for (int n = 0; n < 4; n++) {  // an update that fails leaves the plan
    bad = q;
    if (n == 0) bad.head_size += random.one_in(2) ? 1 : -1;
    if (n > 0) random.pick(kChanges)(next, bad, random);
    std::memcpy(&plan, &kept, sizeof plan);
    const attn_status status = attn_plan_update(&plan, &bad);
    REQUIRE((n > 0 || status == ATTN_ERR_PLAN_CHANGED));
    if (status != ATTN_OK) REQUIRE(std::memcmp(&kept, &plan, sizeof plan) == 0);
    next.fill_lengths();
  }
  std::memcpy(&plan, &kept, sizeof plan);
  REQUIRE(attn_plan_update(&plan, &q) == ATTN_OK);
  REQUIRE(attn_plan_scratch_size(&plan) == attn_plan_scratch_size(&kept));
  REQUIRE(attn_plan_shared_size(&plan) == attn_plan_shared_size(&kept));
  run_tasks_of(next, plan, path, random);
}

// ---- Plans of any sizes, of which nothing is run.

int64_t any_number(Random &random) {
  static const int64_t list[] = {0,
                                 1,
                                 -1,
                                 2,
                                 3,
                                 7,
                                 64,
                                 1000,
                                 1024,
                                 INT32_MAX,
                                 INT64_C(1) << 32,
                                 (INT64_C(1) << 61) - 1,
                                 INT64_C(1) << 61,
                                 (INT64_C(1) << 61) + 1,
                                 INT64_C(1) << 62,
                                 INT64_MAX / 2,
                                 INT64_MAX / 3 + 1,
                                 INT64_MAX - 1,
                                 INT64_MAX,
                                 INT64_MIN,
                                 INT64_MIN + 1};
  const int64_t number = random.pick(list);
  if (random.one_in(3))
    return static_cast<int64_t>(static_cast<uint64_t>(1) << random.between(0, 63));
  return random.one_in(4) ? -(number == INT64_MIN ? 0 : number) : number;
}

std::vector<int64_t *> numbers_of(attn_params &p) {
  std::vector<int64_t *> list = {
      &p.batch,         &p.heads_q,       &p.heads_kv,          &p.len_q,
      &p.len_kv,        &p.head_size,     &p.head_size_v,       &p.offset,
      &p.window_left,   &p.window_right,  &p.window_dilation,   &p.window_globals,
      &p.window_stride, &p.block_q,       &p.block_k,           &p.page_size,
      &p.pages,         &p.ring_size,     &p.page_table_stride, &p.capacity_q,
      &p.capacity_kv,   &p.mask.stride_b, &p.mask.stride_h,     &p.mask.stride_q,
      &p.mask.stride_k, &p.bias.stride_b, &p.bias.stride_k,     &p.block_mask.stride_q,
  };
  for (attn_tensor *t : {&p.q, &p.k, &p.v, &p.o, &p.lse, &p.k_scale, &p.v_scale}) {
    for (int64_t *stride : {&t->stride_b, &t->stride_h, &t->stride_s, &t->stride_d})
      list.push_back(stride);
  }
  return list;
}

// A page table is read where a plan is made: there are 64 pages in it.
const int64_t kTable = 64;

void choose_anything(attn_params &p, const int32_t *table, Random &random) {
  const std::vector<int64_t *> numbers = numbers_of(p);
  p.seqlens_kv = p.cu_seqlens_q = p.cu_seqlens_kv = p.page_table = nullptr;
  for (int64_t n = random.between(1, 6); n > 0; n--) {
    const int64_t which = random.between(0, static_cast<int64_t>(numbers.size()) - 1);
    *numbers[index_of(which)] = any_number(random);
  }
  if (random.one_in(4)) set_raw(p.isa, static_cast<int>(random.between(-1, 8)));
  if (random.one_in(4)) set_raw(p.family, static_cast<int>(random.between(-1, 4)));
  if (random.one_in(4)) p.threads = static_cast<int32_t>(any_number(random));
  if (p.page_size < 1 || p.batch < 1) return;
  const int64_t used = p.len_kv > 0 ? (p.len_kv - 1) / p.page_size + 1 : 0,
                stride = p.page_table_stride;
  if (used > kTable || stride < 0 || stride > kTable) return;
  if (p.batch > kTable || (p.batch - 1) * stride + used > kTable) return;
  p.page_table = table;
}

void run_anything(VariantCall &call, Path path, Random &random) {
  attn_params p = call.on(path);
  const std::vector<int32_t> table(index_of(kTable), 0);
  attn_plan plan, kept;
  call.start(path);
  choose_anything(p, table.data(), random);
  std::memset(&plan, 0x5a, sizeof plan);
  std::memcpy(&kept, &plan, sizeof plan);
  const attn_status status = attn_plan_init(&plan, &p);
  if (status != ATTN_OK) {
    REQUIRE(std::memcmp(&kept, &plan, sizeof plan) == 0);
    REQUIRE(attn_forward(&p, nullptr, 0) == status);
    REQUIRE(call.untouched());
    return;
  }
  attn_plan_info info;
  char text[16], whole[1024];
  REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
  REQUIRE((info.tasks == attn_plan_tasks(&plan) && info.tasks >= 0 && info.chunks >= 1));
  const int length = attn_plan_describe(&plan, text, sizeof text);
  REQUIRE(attn_plan_describe(&plan, whole, sizeof whole) == length);
  REQUIRE(std::string(whole).substr(0, sizeof text - 1) == text);
  size_t size = 0;
  const attn_status sized = attn_workspace_size(&p, &size);
  REQUIRE(sized == (info.workspace_size == SIZE_MAX ? ATTN_ERR_OVERFLOW : ATTN_OK));
  if (sized == ATTN_OK) {
    REQUIRE(size == info.workspace_size);
    REQUIRE(size > 0);
    REQUIRE(attn_forward(&p, whole, size - 1) == ATTN_ERR_WORKSPACE);
  }
  REQUIRE(attn_plan_update(&plan, &p) == ATTN_OK);
  REQUIRE(attn_plan_tasks(&plan) == info.tasks);
  REQUIRE(attn_plan_scratch_size(&plan) == info.scratch_size);
  REQUIRE(attn_plan_shared_size(&plan) == info.shared_size);
  REQUIRE(call.untouched());
}

}  // namespace

void fuzz_forward(const uint8_t *data, size_t size, Place place) {
  Bytes bytes(data, size);
  const int64_t what = bytes.between(0, 31);
  const Path path = paths()[index_of(bytes.between(0, static_cast<int64_t>(paths().size()) - 1))];
  const uint64_t seed = index_of(bytes.between(0, 65535));
  VariantCase c = random_variant(bytes, seed, kWork);
  c.storage.place = place;
  VariantCall call(c.variant, c.seed, c.storage);
  say_otherwise(call.params, bytes);
  if (what < 12) return run_forward(call, path);
  if (what < 16) return run_plan(call, path, bytes);
  if (what < 20) return run_update(c, call, path, bytes);
  if (what < 26) return run_spoilt(call, path, bytes);
  if (what < 28) return run_in_bad_workspaces(call, path, bytes);
  if (what < 31) return run_changed(call, path, bytes);
  run_anything(call, path, bytes);
}
