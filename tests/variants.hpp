// Calls with every option of attn_params: masks, biases, windows, variable lengths, paged and ring
// caches, of all element types. The data of an element depends on the seed and on its place in the
// problem alone, not on where it lies in memory, nor on which part of the problem a call takes.
#ifndef TESTS_VARIANTS_HPP
#define TESTS_VARIANTS_HPP

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "elements.hpp"
#include "reference.hpp"
#include "support.hpp"

enum class MaskKind { none, random, all_true, all_false, blocks, rows };
enum class BiasKind { none, gaussian, holes, lowest, all_lowest, far_apart };

// Extents of a matrix that are 1: the others repeat it by stride 0.
const unsigned kSharedB = 1, kSharedH = 2, kSharedQ = 4, kSharedK = 8;

// What is computed.
struct Variant {
  int64_t batch = 1, heads_q = 1, heads_kv = 1, len_q = 1, len_kv = 1;
  int64_t head_size = 8, head_size_v = 8;
  attn_type q = ATTN_F32, k = ATTN_F32, v = ATTN_F32, o = ATTN_F32;
  float scale = 0;
  bool causal = false;
  attn_align align = ATTN_ALIGN_BOTTOM_RIGHT;
  int64_t offset = 0;
  bool lse = true;

  bool window = false;
  int64_t left = 0, right = 0, dilation = 0, globals = 0, stride = 0;
  MaskKind mask = MaskKind::none;
  unsigned mask_shared = 0;
  BiasKind bias = BiasKind::none;
  attn_type bias_type = ATTN_F32;
  unsigned bias_shared = 0;
  int64_t block_q = 0, block_k = 0;  // 0: no block mask
  unsigned blocks_shared = 0;
  float softcap = 0;
  bool alibi = false, sinks = false;
  int64_t ring_size = 0;                 // keys before the last so many are forbidden
  std::vector<int32_t> lens_q, lens_kv;  // of each batch entry; empty: all alike
  bool shared_kv = false;                // all batch entries have the same keys and values
  bool peaked = false;                   // a few keys have scores several times as large

  // The part of the problem that is computed: its first batch entry, query and query head.
  int64_t first_b = 0, first_i = 0, first_h = 0;

  Variant &types(attn_type all);  // q, k, v, o and bias; int8 for k and v alone
  Variant &types(attn_type q_type, attn_type k_type, attn_type v_type, attn_type o_type);
  Variant &heads(int64_t query, int64_t key);
  Variant &lens(int64_t query, int64_t key);
  Variant &sizes(int64_t qk, int64_t value);
  Variant &causal_at(attn_align alignment, int64_t explicit_offset = 0);
  Variant &window_of(int64_t window_left, int64_t window_right);

  int64_t queries(int64_t b) const;
  int64_t keys(int64_t b) const;
  int64_t offset_of(int64_t b) const;
  // One query of one batch entry, with the keys it has in the whole.
  Variant row(int64_t b, int64_t i) const;
  Variant entry(int64_t b) const;
};

std::string describe(const Variant &variant);

enum class Cache { contiguous, packed, paged, ring };

// Where it lies in memory.
struct Storage {
  Layout q = Layout::bhsd, k = Layout::bhsd, v = Layout::bhsd, o = Layout::bhsd, lse = Layout::bhsd;
  bool dense_matrices = true;  // else strides of any order, sign and gap
  Place place = Place::heap;
  int64_t shift = 0;  // of every tensor, in elements, from an alignment of 64 bytes
  Cache cache = Cache::contiguous;
  bool packed_q = false;  // needed if the numbers of queries differ
  bool slack = false;     // packed: entries have more room than keys, and seqlens_kv says so
  int64_t page_size = 16;
  int64_t spare = 0;       // positions behind the last one
  int64_t lead = 0;        // positions before the first one of a packed tensor
  uint32_t unseen = kNan;  // f32 bits of what lies where no row looks
  uint64_t seed = 0;       // of strides and of the order of pages

  static Storage in(Cache cache, int64_t page_size = 16);
  static Storage at(Place place);
};

std::string describe(const Storage &storage);

// Elements of any type with four extents and strides; every cell starts as poison (not in sparse
// places). Copies share memory.
class Cells {
 public:
  typedef std::array<int64_t, 4> Index;
  Cells(Index extents, Index strides, attn_type type, Place place, int64_t shift);
  attn_type type() const {
    return type_;
  }
  int64_t count() const {
    return count_;
  }
  int64_t cell(Index index) const;  // from 0
  uint32_t get(Index index) const;
  void put(Index index, uint32_t raw) const;
  uint32_t get_cell(int64_t cell) const;
  void fill(uint32_t raw) const;
  void for_each_element(const std::function<void(Index)> &function) const;
  // The same elements dense but for one stride, in memory of which only the touched pages exist.
  Cells apart(size_t axis, int64_t stride) const;
  void *data() const;  // of element 0, 0, 0, 0
  attn_tensor tensor() const;
  attn_matrix matrix() const;
  std::vector<unsigned char> bytes() const;
  bool holds(const std::vector<unsigned char> &bytes) const;

 private:
  Index extents_, strides_;
  attn_type type_;
  int64_t first_, count_;
  Memory memory_;
};

class VariantCall {
 public:
  VariantCall(const Variant &variant, uint64_t seed, const Storage &storage = Storage());
  VariantCall(const VariantCall &) = delete;
  VariantCall &operator=(const VariantCall &) = delete;

  const Variant variant;
  const Storage storage;

 private:
  uint64_t seed_;
  std::vector<int32_t> starts_q_, starts_kv_;  // of packed tensors
  int64_t pool_ = 0;                           // pages
  std::vector<std::vector<int32_t>> pages_;    // of each batch entry

 public:
  Cells q, k, v, o, lse, k_scale, v_scale, mask, bias, blocks, slopes, sinks, seqlens, cu_q, cu_kv,
      page_table;
  attn_params params;

  // Where the rows of a query and of a key lie: the first and third index of their tensors.
  Cells::Index query_at(int64_t b, int64_t h, int64_t i, int64_t d) const;
  Cells::Index key_at(int64_t b, int64_t g, int64_t j, int64_t d) const;

  // Every element of a row of k or v, or of its scales if it is int8.
  void spoil_key(const Cells &tensor, int64_t b, int64_t j, uint32_t bits) const;

  // Lengths, pages, slopes and sinks, once more after a change outside.
  void fill_lengths() const;

  // After a change of inputs outside: what runs compare with.
  void keep_inputs();

  attn_params on(Path path) const;
  // attn_forward with a workspace of exactly the size asked for, between canaries: requires that
  // nothing but the rows of o and lse was written.
  Output run(Path path) const;
  Output run_plan(Path path, int threads, uint64_t order_seed) const;
  // What is wrong with the results of a run on this path, as reference::compare.
  std::string problem(Path path) const;
  Output output() const;  // in the order b, h, i of queries that there are

  // What run does before and behind the call: poison in o and lse; all checks of what was written.
  void start(Path path) const;
  void finish() const;
  bool untouched() const;    // o and lse are all poison
  bool inputs_kept() const;  // all other memory is what it was

 private:
  void fill_matrices() const;
  void fill_keys(uint32_t unseen) const;
  void fill_queries(uint32_t unseen) const;
  std::vector<const Cells *> inputs() const;
  std::vector<std::vector<unsigned char>> kept_;
  std::vector<bool> written_o_, written_lse_;
};

// A case of the sweep with all options.
struct VariantCase {
  uint64_t seed;
  Variant variant;
  Storage storage;
};

// How many products of features a random call may have, mostly and now and then.
struct Work {
  int64_t usual, rare;
};

VariantCase random_variant(Random &random, uint64_t seed, Work work = {60000, 1000000});
VariantCase random_variant(int64_t number);           // case number `number` of the sweep
void choose_storage(VariantCase &c, Random &random);  // and lengths of each batch entry

// The values of row (b, h, i) out of the output of a call of this variant.
Output row_of(const Output &output, const Variant &variant, int64_t b, int64_t h, int64_t i);

#endif
