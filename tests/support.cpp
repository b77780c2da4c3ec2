#include "support.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <sstream>
#include <thread>

#include "catch.hpp"

namespace {

size_t index_of(int64_t i) {
  return static_cast<size_t>(i);
}

// Whether an instruction set belongs to this architecture, by its name.
bool belongs_here(const std::string &name) {
#if defined(__x86_64__) || defined(__i386__)
  return name.compare(0, 3, "avx") == 0 || name.compare(0, 3, "sse") == 0;
#elif defined(__aarch64__)
  return name == "neon" || name.compare(0, 3, "sve") == 0;
#else
  (void)name;
  return false;
#endif
}

// All of this machine, or the one that the environment variable ATTN_TEST_ISA names: under an
// emulator each costs minutes.
std::vector<attn_isa> find_isas() {
  const char *only = std::getenv("ATTN_TEST_ISA");
  std::vector<attn_isa> found;
  for (int i = 1; i < 8; i++) {  // what fits the enum in C++
    attn_isa isa;
    std::memcpy(&isa, &i, sizeof isa);
    const std::string name = attn_isa_name(isa);
    if (only != nullptr && name != only) continue;
    if (attn_isa_supported(isa)) {
      found.push_back(isa);
    } else if (belongs_here(name)) {
      skip(name, "not compiled in, or not supported by this CPU");
    }
  }
  return found;
}

std::vector<Path> find_paths(bool with_auto) {
  std::vector<Path> list;
  for (attn_isa isa : isas()) {
    if (with_auto) list.push_back(Path{isa, ATTN_FAMILY_AUTO});
    list.push_back(Path{isa, ATTN_FAMILY_PREFILL});
    list.push_back(Path{isa, ATTN_FAMILY_DECODE});
  }
  return list;
}

size_t page_size() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

struct Unmap {
  size_t size;
  void operator()(void *mapping) const {
    munmap(mapping, size);
  }
};

std::shared_ptr<void> map(size_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  return std::shared_ptr<void>(mapping, Unmap{size});
}

}  // namespace

void skip(const std::string &what, const std::string &why) {
  static std::set<std::string> seen;
  if (!seen.insert(what).second) return;
  std::printf("SKIPPED: %s: %s\n", what.c_str(), why.c_str());
  std::fflush(stdout);
}

// ---- Floats by their bits.

uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

float from_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

bool is_nan(float x) {
  return (bits_of(x) & 0x7fffffffu) > kInfinity;
}

// ---- Random numbers (splitmix64: Steele, Lea, Flood, 2014).

uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

int64_t Random::between(int64_t low, int64_t high) {
  const uint64_t span = static_cast<uint64_t>(high - low) + 1;
  return low + static_cast<int64_t>((next() >> 1) % span);
}

float Random::uniform() {
  return static_cast<float>(next() >> 40) * (1.0f / 16777216);
}

// The sum of twelve uniform numbers, each one half of a draw, in whole numbers: of floats, most of
// the time of the tests would be spent here where arithmetic is emulated.
float Random::gaussian() {
  int64_t sum = -(INT64_C(6) << 32);
  for (int i = 0; i < 6; i++) {
    const uint64_t x = next();
    sum += static_cast<int64_t>(x & 0xffffffffu) + static_cast<int64_t>(x >> 32);
  }
  return static_cast<float>(sum) * (1.0f / 4294967296.0f);
}

// ---- Paths.

std::string Path::name() const {
  return std::string(attn_isa_name(isa)) + " " + attn_family_name(family);
}

const std::vector<attn_isa> &isas() {
  static const std::vector<attn_isa> list = find_isas();
  return list;
}

const std::vector<Path> &paths() {
  static const std::vector<Path> list = find_paths(true);
  return list;
}

const std::vector<Path> &forced_paths() {
  static const std::vector<Path> list = find_paths(false);
  return list;
}

// ---- Memory.

Memory::Memory(size_t bytes, Place place, size_t shift) {
  if (place == Place::heap) {
    void *block = nullptr;
    // Not a byte more, so that an address sanitizer knows the end.
    if (posix_memalign(&block, 64, std::max<size_t>(1, bytes + shift)) != 0) throw std::bad_alloc();
    owner_ = std::shared_ptr<void>(block, std::free);
    data_ = static_cast<unsigned char *>(block) + shift;
  } else if (place == Place::sparse) {
    owner_ = map(bytes);
    data_ = static_cast<unsigned char *>(owner_.get());
  } else {
    const size_t page = page_size();
    const size_t room = (bytes + page - 1) / page * page;
    owner_ = map(room + 2 * page);
    unsigned char *start = static_cast<unsigned char *>(owner_.get());
    mprotect(start, page, PROT_NONE);
    mprotect(start + page + room, page, PROT_NONE);
    data_ = start + page + (place == Place::below_guard ? room - bytes : 0);
  }
}

// ---- Tensors.

Strides make_strides(Layout layout, Extents e, Random &random) {
  if (layout == Layout::bhsd) return Strides{e.h * e.s * e.d, e.s * e.d, e.d};
  if (layout == Layout::bshd) return Strides{e.s * e.h * e.d, e.d, e.h * e.d};
  int64_t extents[3] = {e.b, e.h, e.s}, strides[3] = {0, 0, 0}, pitch = e.d;
  int order[3] = {0, 1, 2};
  for (int i = 2; i > 0; i--) std::swap(order[i], order[random.between(0, i)]);
  for (int axis : order) {
    strides[axis] = pitch + random.between(0, 9);
    pitch = strides[axis] * std::max<int64_t>(extents[axis], 1);
  }
  if (layout == Layout::negative) {
    const int64_t which = random.between(1, 7);
    for (int axis = 0; axis < 3; axis++) {
      if ((which >> axis) & 1) strides[axis] = -strides[axis];
    }
  }
  if (layout == Layout::broadcast) strides[0] = 0;
  return Strides{strides[0], strides[1], strides[2]};
}

const char *layout_name(Layout layout) {
  switch (layout) {
    case Layout::bhsd:
      return "bhsd";
    case Layout::bshd:
      return "bshd";
    case Layout::padded:
      return "padded";
    case Layout::negative:
      return "negative";
    case Layout::broadcast:
      return "broadcast";
  }
  return "unknown";
}

namespace {

bool is_empty(Extents e) {
  return e.b == 0 || e.h == 0 || e.s == 0 || e.d == 0;
}

// The lowest (sign -1) or highest (sign 1) cell, relative to element 0.
int64_t reach(Extents e, Strides t, int sign) {
  int64_t cell = sign > 0 ? e.d - 1 : 0;
  const int64_t spans[3] = {(e.b - 1) * t.b, (e.h - 1) * t.h, (e.s - 1) * t.s};
  for (int64_t span : spans) cell += span * sign > 0 ? span : 0;
  return cell;
}

}  // namespace

Tensor::Tensor(Extents extents, Strides strides, Place place, int64_t shift)
    : extents_(extents),
      strides_(strides),
      first_(is_empty(extents) ? 0 : reach(extents, strides, -1)),
      cells_(is_empty(extents) ? 1 : reach(extents, strides, 1) - first_ + 1),
      memory_(index_of(cells_) * sizeof(float), place, index_of(shift) * sizeof(float)),
      origin_(reinterpret_cast<float *>(static_cast<void *>(memory_.data())) - first_) {
  fill(kPoison);
}

float &Tensor::at(int64_t b, int64_t h, int64_t s, int64_t d) const {
  return origin_[b * strides_.b + h * strides_.h + s * strides_.s + d];
}

attn_tensor Tensor::view() const {
  return attn_strided(origin_, ATTN_F32, strides_.b, strides_.h, strides_.s);
}

void Tensor::fill(uint32_t bits) const {
  std::fill(origin_ + first_, origin_ + first_ + cells_, from_bits(bits));
}

void Tensor::fill_gaussian(Random &random, int64_t rows) const {
  for (int64_t b = 0; b < extents_.b; b++)
    for (int64_t h = 0; h < extents_.h; h++)
      for (int64_t s = 0; s < rows; s++)
        for (int64_t d = 0; d < extents_.d; d++) at(b, h, s, d) = random.gaussian();
}

void Tensor::fill_rows(int64_t first, int64_t last, uint32_t bits) const {
  for (int64_t b = 0; b < extents_.b; b++)
    for (int64_t h = 0; h < extents_.h; h++)
      for (int64_t s = first; s <= last; s++)
        for (int64_t d = 0; d < extents_.d; d++) at(b, h, s, d) = from_bits(bits);
}

std::vector<float> Tensor::values() const {
  std::vector<float> list;
  if (is_empty(extents_)) return list;
  list.reserve(index_of(extents_.b * extents_.h * extents_.s * extents_.d));
  for (int64_t b = 0; b < extents_.b; b++)
    for (int64_t h = 0; h < extents_.h; h++)
      for (int64_t s = 0; s < extents_.s; s++)
        list.insert(list.end(), &at(b, h, s, 0), &at(b, h, s, 0) + extents_.d);
  return list;
}

uint64_t Tensor::checksum() const {
  uint64_t sum = 0;
  for (int64_t i = 0; i < cells_; i++) sum = sum * 31 + bits_of(origin_[first_ + i]);
  return sum;
}

std::vector<bool> Tensor::element_mask() const {
  std::vector<bool> mask(index_of(cells_), false);
  if (is_empty(extents_)) return mask;
  for (int64_t b = 0; b < extents_.b; b++)
    for (int64_t h = 0; h < extents_.h; h++)
      for (int64_t s = 0; s < extents_.s; s++)
        for (int64_t d = 0; d < extents_.d; d++)
          mask[index_of(&at(b, h, s, d) - origin_ - first_)] = true;
  return mask;
}

std::string Tensor::gaps_problem() const {
  const std::vector<bool> mask = element_mask();
  for (int64_t i = 0; i < cells_; i++) {
    if (mask[index_of(i)] || bits_of(origin_[first_ + i]) == kPoison) continue;
    return "a gap was written, at " + std::to_string(first_ + i) + " from element 0";
  }
  return "";
}

void Tensor::protect_gaps() const {
  const std::vector<bool> mask = element_mask();
  const int64_t per_page = static_cast<int64_t>(page_size() / sizeof(float));
  const uintptr_t start = reinterpret_cast<uintptr_t>(origin_ + first_);
  int64_t cell = static_cast<int64_t>((page_size() - start % page_size()) % page_size() / 4);
  for (; cell + per_page <= cells_; cell += per_page) {
    const auto page = mask.begin() + static_cast<ptrdiff_t>(cell);
    if (std::count(page, page + static_cast<ptrdiff_t>(per_page), true) != 0) continue;
    mprotect(origin_ + first_ + cell, page_size(), PROT_NONE);
  }
}

// ---- Calls.

Spec &Spec::heads(int64_t query, int64_t key) {
  heads_q = query;
  heads_kv = key;
  return *this;
}

Spec &Spec::lens(int64_t query, int64_t key) {
  len_q = query;
  len_kv = key;
  return *this;
}

Spec &Spec::sizes(int64_t qk, int64_t v) {
  head_size = qk;
  head_size_v = v;
  return *this;
}

Spec &Spec::causal_at(attn_align alignment, int64_t explicit_offset) {
  causal = true;
  align = alignment;
  offset = explicit_offset;
  return *this;
}

std::string describe(const Spec &s) {
  static const char *const aligns[] = {"bottom-right", "top-left", "offset"};
  std::ostringstream text;
  text << "batch " << s.batch << ", heads " << s.heads_q << " over " << s.heads_kv << ", len_q "
       << s.len_q << ", len_kv " << s.len_kv << " (+" << s.spare << " spare), head_size "
       << s.head_size << ", head_size_v " << s.head_size_v << ", scale " << s.scale
       << (s.causal ? ", causal " : ", not causal, ") << aligns[s.align] << " " << s.offset
       << (s.lse ? ", lse" : ", no lse");
  return text.str();
}

int64_t offset_of(const Spec &s) {
  if (s.align == ATTN_ALIGN_OFFSET) return s.offset;
  return s.align == ATTN_ALIGN_TOP_LEFT ? 0 : s.len_kv - s.len_q;
}

int64_t visible_keys(const Spec &s, int64_t query) {
  if (!s.causal) return s.len_kv;
  return std::max<int64_t>(0, std::min(s.len_kv, query + offset_of(s) + 1));
}

int64_t visible_keys(const Spec &s) {
  return s.len_q > 0 ? visible_keys(s, s.len_q - 1) : 0;
}

Placement Placement::all(Layout layout) {
  Placement placement;
  placement.q = placement.k = placement.v = placement.o = placement.lse = layout;
  return placement;
}

Placement Placement::at(Place place) {
  Placement placement;
  placement.place = place;
  return placement;
}

Placement Placement::shifted(int64_t elements) {
  Placement placement;
  placement.shift = elements;
  return placement;
}

namespace {

Tensor place_tensor(Extents extents, Layout layout, uint64_t seed, const Placement &placement) {
  Random random(seed);
  return Tensor(extents, make_strides(layout, extents, random), placement.place, placement.shift);
}

attn_params make_params(const Call &call) {
  attn_params p = attn_params_init();
  p.q = call.q.view();
  p.k = call.k.view();
  p.v = call.v.view();
  p.o = call.o.view();
  if (call.spec.lse) p.lse = call.lse.view();
  p.batch = call.spec.batch;
  p.heads_q = call.spec.heads_q;
  p.heads_kv = call.spec.heads_kv;
  p.len_q = call.spec.len_q;
  p.len_kv = call.spec.len_kv;
  p.head_size = call.spec.head_size;
  p.head_size_v = call.spec.head_size_v;
  p.scale = call.spec.scale;
  p.causal = call.spec.causal;
  p.align = call.spec.align;
  p.offset = call.spec.offset;
  return p;
}

}  // namespace

Call::Call(const Spec &s, uint64_t seed, const Placement &at)
    : spec(s),
      q(place_tensor({s.batch, s.heads_q, s.len_q, s.head_size}, at.q, seed, at)),
      k(place_tensor({s.batch, s.heads_kv, s.len_kv + s.spare, s.head_size}, at.k, seed + 1, at)),
      v(place_tensor({s.batch, s.heads_kv, s.len_kv + s.spare, s.head_size_v}, at.v, seed + 2, at)),
      o(place_tensor({s.batch, s.heads_q, s.len_q, s.head_size_v}, at.o, seed + 3, at)),
      lse(place_tensor({s.batch, s.heads_q, s.len_q, 1}, at.lse, seed + 4, at)),
      params(make_params(*this)) {
  Random random_q(seed + 5), random_k(seed + 6), random_v(seed + 7);
  q.fill_gaussian(random_q, s.len_q);
  k.fill_gaussian(random_k, visible_keys(s));
  v.fill_gaussian(random_v, visible_keys(s));
}

attn_params params_on(const Call &call, Path path) {
  attn_params p = call.params;
  p.isa = path.isa;
  p.family = path.family;
  return p;
}

attn_plan_info require_path(const attn_params &params, Path path) {
  attn_plan plan;
  attn_plan_info info;
  REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
  REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
  REQUIRE(info.isa == path.isa);
  if (path.family == ATTN_FAMILY_AUTO) {
    REQUIRE((info.family == ATTN_FAMILY_PREFILL || info.family == ATTN_FAMILY_DECODE));
  } else {
    REQUIRE(info.family == path.family);
  }
  const std::string kernels = std::string(info.kernel_qk) + "; " + info.kernel_pv;
  INFO(kernels);
  REQUIRE(kernels.find(attn_isa_name(path.isa)) != std::string::npos);
  return info;
}

bool multiplies_bf16(const attn_params &params) {
  attn_plan plan;
  attn_plan_info info;
  REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
  REQUIRE(attn_plan_get_info(&plan, &info) == ATTN_OK);
  const bool qk = std::strstr(info.kernel_qk, " prefill qk bf16 ") != nullptr;
  const bool pv = std::strstr(info.kernel_pv, " prefill pv bf16 ") != nullptr;
  REQUIRE(qk == pv);
  return qk;
}

std::vector<Path> bf16_paths() {
  std::vector<Path> list;
  const uint16_t data[1] = {0};
  float o = 0;
  attn_params p = attn_params_init();
  p.batch = p.heads_q = p.len_q = p.len_kv = p.head_size = 1;
  p.q = p.k = p.v = attn_strided(data, ATTN_BF16, 0, 0, 0);
  p.o = attn_strided(&o, ATTN_F32, 0, 0, 0);
  p.family = ATTN_FAMILY_PREFILL;
  for (attn_isa isa : isas()) {
    p.isa = isa;
    if (multiplies_bf16(p)) list.push_back({isa, ATTN_FAMILY_PREFILL});
  }
  if (list.empty()) skip("products of bf16", "no instruction set of this CPU has them");
  return list;
}

namespace {

// Refills what the call writes, and checks afterwards that it wrote nothing else.
class Watch {
 public:
  explicit Watch(const Call &call) : call_(call) {
    call.o.fill(kPoison);
    call.lse.fill(kPoison);
    inputs_ = inputs();
  }
  void check() const {
    REQUIRE(inputs() == inputs_);
    REQUIRE(call_.o.gaps_problem() == "");
    REQUIRE(call_.lse.gaps_problem() == "");
  }

 private:
  uint64_t inputs() const {
    return (call_.q.checksum() * 31 + call_.k.checksum()) * 31 + call_.v.checksum();
  }
  const Call &call_;
  uint64_t inputs_;
};

Output output_of(const Call &call) {
  return Output{call.o.values(), call.spec.lse ? call.lse.values() : std::vector<float>()};
}

}  // namespace

Output run(const Call &call, Path path) {
  INFO(path.name() << ": " << describe(call.spec));
  const attn_params params = params_on(call, path);
  require_path(params, path);
  size_t size = 0;
  REQUIRE(attn_workspace_size(&params, &size) == ATTN_OK);
  Workspace workspace(size);
  Watch watch(call);
  REQUIRE(attn_forward(&params, workspace.data(), size) == ATTN_OK);
  REQUIRE(workspace.intact());
  watch.check();
  return output_of(call);
}

void run_tasks(const attn_plan &plan, int threads, uint64_t order_seed) {
  std::vector<int64_t> order(index_of(attn_plan_tasks(&plan)));
  for (size_t i = 0; i < order.size(); i++) order[i] = static_cast<int64_t>(i);
  Random random(order_seed);
  for (size_t i = order.size(); order_seed != 0 && i > 1; i--) {
    std::swap(order[i - 1], order[index_of(random.between(0, static_cast<int64_t>(i) - 1))]);
  }
  Workspace shared(attn_plan_shared_size(&plan));
  std::atomic<size_t> next(0);
  std::atomic<int> failures(0);
  const auto work = [&] {
    Workspace scratch(attn_plan_scratch_size(&plan));
    for (size_t i; (i = next++) < order.size();) {
      const attn_status status = attn_plan_run(&plan, order[i], scratch.data(), scratch.size(),
                                               shared.data(), shared.size());
      if (status != ATTN_OK) failures++;
    }
    if (!scratch.intact()) failures++;
  };
  std::vector<std::thread> pool;
  for (int i = 1; i < threads; i++) pool.emplace_back(work);
  work();
  for (std::thread &thread : pool) thread.join();
  REQUIRE(failures == 0);
  REQUIRE(attn_plan_finish(&plan, shared.data(), shared.size()) == ATTN_OK);
  REQUIRE(shared.intact());
}

Output run_plan(const Call &call, Path path, int threads, uint64_t order_seed) {
  INFO(path.name() << ", " << threads << " threads, order " << order_seed << ": "
                   << describe(call.spec));
  const attn_params params = params_on(call, path);
  require_path(params, path);
  attn_plan plan;
  REQUIRE(attn_plan_init(&plan, &params) == ATTN_OK);
  Watch watch(call);
  run_tasks(plan, threads, order_seed);
  watch.check();
  return output_of(call);
}

// ---- Workspace.

namespace {
const unsigned char kCanary = 0xa5;
}

Workspace::Workspace(size_t size) : size_(size), bytes_(kBefore + size + kAfter, kCanary) {
  std::fill_n(bytes_.begin() + kBefore, size, static_cast<unsigned char>(0xff));
}

bool Workspace::intact() const {
  const auto is_canary = [](unsigned char byte) { return byte == kCanary; };
  const auto inside = bytes_.begin() + kBefore;
  return std::all_of(bytes_.begin(), inside, is_canary) &&
         std::all_of(inside + static_cast<ptrdiff_t>(size_), bytes_.end(), is_canary);
}

bool Workspace::untouched() const {
  const auto inside = bytes_.begin() + kBefore;
  return intact() && std::all_of(inside, inside + static_cast<ptrdiff_t>(size_),
                                 [](unsigned char byte) { return byte == 0xff; });
}

// ---- Comparisons.

std::string difference(const std::vector<float> &got, const std::vector<float> &want) {
  if (got.size() != want.size()) return "another number of elements";
  for (size_t i = 0; i < got.size(); i++) {
    if (bits_of(got[i]) == bits_of(want[i])) continue;
    std::ostringstream text;
    text << "element " << i << " of " << got.size() << ": got " << got[i] << " (0x" << std::hex
         << bits_of(got[i]) << "), want " << want[i] << " (0x" << bits_of(want[i]) << ")";
    return text.str();
  }
  return "";
}

std::string difference(const Output &got, const Output &want) {
  const std::string in_o = difference(got.o, want.o);
  if (in_o != "") return "o: " + in_o;
  const std::string in_lse = difference(got.lse, want.lse);
  return in_lse != "" ? "lse: " + in_lse : "";
}

Output row_of(const Output &output, const Spec &s, int64_t b, int64_t h, int64_t i) {
  const int64_t row = (b * s.heads_q + h) * s.len_q + i;
  Output result;
  const auto first = output.o.begin() + static_cast<ptrdiff_t>(row * s.head_size_v);
  result.o.assign(first, first + static_cast<ptrdiff_t>(s.head_size_v));
  if (s.lse) result.lse.push_back(output.lse[index_of(row)]);
  return result;
}

int in_child(int (*function)(void *), void *argument) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(function(argument));
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) != child) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}
