// What all tests share: the paths to test, tensors with any strides and poison around their
// elements, calls made of them, and comparisons by bits.
#ifndef TESTS_SUPPORT_HPP
#define TESTS_SUPPORT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "attn.h"

// Print "SKIPPED: what: why" on a line of its own, once per what.
void skip(const std::string &what, const std::string &why);

// ---- Floats by their bits: right even where the compiler assumes finite arithmetic.

const uint32_t kNan = 0x7fc00000u;
const uint32_t kInfinity = 0x7f800000u;
const uint32_t kMinusInfinity = 0xff800000u;
// A quiet NaN that no arithmetic produces: fills every cell that must not be read, or written.
const uint32_t kPoison = 0x7fc5a5a5u;

uint32_t bits_of(float x);
float from_bits(uint32_t bits);
bool is_nan(float x);

// ---- Random numbers that are the same on every machine.

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  virtual ~Random() = default;
  virtual uint64_t next();
  int64_t between(int64_t low, int64_t high);  // both inclusive
  bool one_in(int64_t n) {
    return between(1, n) == 1;
  }
  float uniform();   // [0, 1)
  float gaussian();  // nearly: mean 0, deviation 1, within +-6
  template <class T, size_t n>
  T pick(const T (&list)[n]) {
    return list[static_cast<size_t>(between(0, static_cast<int64_t>(n) - 1))];
  }

 private:
  uint64_t state_;
};

// ---- Paths: an instruction set with a kernel family.

struct Path {
  attn_isa isa;
  attn_family family;
  std::string name() const;
};

const std::vector<attn_isa> &isas();      // compiled in and supported here; others are skipped
const std::vector<Path> &paths();         // each with the families auto, prefill and decode
const std::vector<Path> &forced_paths();  // each with the families prefill and decode

// ---- Memory and tensors.

enum class Place {
  heap,
  below_guard,  // the last byte lies before a page that faults
  above_guard,  // the first byte lies after a page that faults
  sparse        // a mapping of which only the touched pages exist
};

class Memory {
 public:
  Memory(size_t bytes, Place place, size_t shift = 0);  // shift: from an alignment of 64 bytes
  unsigned char *data() const {
    return data_;
  }

 private:
  std::shared_ptr<void> owner_;
  unsigned char *data_;
};

struct Extents {
  int64_t b, h, s, d;
};

struct Strides {
  int64_t b, h, s;
};

enum class Layout {
  bhsd,
  bshd,
  padded,     // random order of batch, head and position, random gaps
  negative,   // the same, and some strides negative
  broadcast,  // padded, and batch stride 0: for k and v
};

Strides make_strides(Layout layout, Extents extents, Random &random);
const char *layout_name(Layout layout);

// Elements with strides; every cell starts as poison. Copies share memory.
class Tensor {
 public:
  Tensor(Extents extents, Strides strides, Place place = Place::heap, int64_t shift = 0);
  float &at(int64_t b, int64_t h, int64_t s, int64_t d) const;
  attn_tensor view() const;
  Extents extents() const {
    return extents_;
  }
  Strides strides() const {
    return strides_;
  }
  int64_t first_cell() const {  // the lowest, relative to element 0
    return first_;
  }
  int64_t cells() const {
    return cells_;
  }
  void fill(uint32_t bits) const;                                    // every cell, gaps included
  void fill_gaussian(Random &random, int64_t rows) const;            // positions 0 to rows - 1
  void fill_rows(int64_t first, int64_t last, uint32_t bits) const;  // positions, both inclusive
  std::vector<float> values() const;       // elements in the order b, h, s, d
  uint64_t checksum() const;               // of every cell
  std::string gaps_problem() const;        // empty if all gaps still hold poison
  std::vector<bool> element_mask() const;  // of every cell: whether it is an element
  void protect_gaps() const;               // pages without elements fault from now on

 private:
  Extents extents_;
  Strides strides_;
  int64_t first_, cells_;  // lowest cell relative to element 0; number of cells
  Memory memory_;
  float *origin_;
};

// ---- Calls.

struct Spec {
  int64_t batch = 1, heads_q = 1, heads_kv = 1, len_q = 1, len_kv = 1;
  int64_t head_size = 8, head_size_v = 8;
  float scale = 0;
  bool causal = false;
  attn_align align = ATTN_ALIGN_BOTTOM_RIGHT;
  int64_t offset = 0;
  bool lse = true;
  int64_t spare = 0;  // positions of k and v beyond len_kv: the rest of a cache

  Spec &heads(int64_t q, int64_t kv);
  Spec &lens(int64_t q, int64_t kv);
  Spec &sizes(int64_t qk, int64_t v);
  Spec &causal_at(attn_align alignment, int64_t explicit_offset = 0);
};

std::string describe(const Spec &spec);
int64_t offset_of(const Spec &spec);
int64_t visible_keys(const Spec &spec);                 // keys that some query may see
int64_t visible_keys(const Spec &spec, int64_t query);  // keys that this query may see

struct Placement {
  Layout q = Layout::bhsd, k = Layout::bhsd, v = Layout::bhsd, o = Layout::bhsd, lse = Layout::bhsd;
  Place place = Place::heap;
  int64_t shift = 0;  // of every tensor, in elements, from an alignment of 64 bytes

  static Placement all(Layout layout);
  static Placement at(Place place);
  static Placement shifted(int64_t elements);
};

// The tensors of one attention call, with gaussian data where a query may see it and poison
// elsewhere. The data depends on the seed, not on the placement.
struct Call {
  Call(const Spec &spec, uint64_t seed, const Placement &placement = Placement());
  Spec spec;
  Tensor q, k, v, o, lse;
  attn_params params;
};

struct Output {
  std::vector<float> o, lse;
};

attn_params params_on(const Call &call, Path path);

// What the plan of these params chose. Requires that it is the path.
attn_plan_info require_path(const attn_params &params, Path path);

// Whether the kernels of a call multiply bf16 by instructions for it.
bool multiplies_bf16(const attn_params &params);

// Prefill on each instruction set that multiplies bf16 here; where there is none, that is printed.
std::vector<Path> bf16_paths();

// attn_forward on the path with a workspace of exactly the size asked for and of odd address;
// requires success, an intact surrounding of the workspace, intact gaps and intact inputs.
Output run(const Call &call, Path path);

// The same through a plan: tasks in the order of the seed (0: ascending), on that many threads.
Output run_plan(const Call &call, Path path, int threads, uint64_t order_seed);
void run_tasks(const attn_plan &plan, int threads, uint64_t order_seed);

// Memory with canaries on both sides, at an odd address, filled with NaN.
class Workspace {
 public:
  explicit Workspace(size_t size);
  void *data() {
    return bytes_.data() + kBefore;
  }
  size_t size() const {
    return size_;
  }
  bool intact() const;
  bool untouched() const;  // the inside too

 private:
  static const size_t kBefore = 65;
#ifdef TESTS_FUZZ
  static const size_t kAfter = 0;  // a sanitizer sees reads there too
#else
  static const size_t kAfter = 64;
#endif
  size_t size_;
  std::vector<unsigned char> bytes_;
};

// Empty if equal bit by bit, else where the first difference is.
std::string difference(const std::vector<float> &got, const std::vector<float> &want);
std::string difference(const Output &got, const Output &want);

// The values of one row (b, h, i) out of an output of a call with this spec.
Output row_of(const Output &output, const Spec &spec, int64_t b, int64_t h, int64_t i);

// What the bad calls in test_helper_status.cpp return, which tests each of them.
const std::set<int> &statuses_of_helpers();

// Run in a child process and return its result (0 to 255), or -1 if it did not exit by itself.
int in_child(int (*function)(void *), void *argument);

#endif
