// The reader of checkpoints and tokenizers of docs/examples/story.c: whatever the files hold, there
// is one line that says what is wrong, or a model that tells something.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "../catch.hpp"
#include "../elements.hpp"
#include "targets.hpp"

extern "C" int story_tell(const void *checkpoint, size_t checkpoint_size, const void *tokenizer,
                          size_t tokenizer_size, const char *prompt, attn_type kv_type, char *log,
                          size_t log_size);

namespace {

typedef std::vector<unsigned char> Raw;

template <class T>
void append(Raw &bytes, T value) {
  unsigned char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

struct Sizes {
  int32_t dim, hidden_dim, layers, heads_q, heads_kv, vocab_size, seq_len;
  bool shared_classifier;

  int64_t weights() const {
    const int64_t d = dim, hidden = hidden_dim, size = d / heads_q, kv = heads_kv * size;
    const int64_t layer = 2 * d + 2 * d * d + 2 * kv * d + 3 * hidden * d;
    return layers * layer + (shared_classifier ? 1 : 2) * int64_t{vocab_size} * d + d +
           seq_len * size;
  }
};

Sizes random_sizes(Random &random) {
  Sizes s;
  s.heads_kv = static_cast<int32_t>(random.between(1, 2));
  s.heads_q = s.heads_kv * static_cast<int32_t>(random.between(1, 2));
  s.dim = s.heads_q * 2 * static_cast<int32_t>(random.between(1, 3));
  s.hidden_dim = static_cast<int32_t>(random.between(1, 4));
  s.layers = static_cast<int32_t>(random.between(1, 2));
  s.vocab_size = static_cast<int32_t>(random.between(2, 12));
  s.seq_len = static_cast<int32_t>(random.between(1, 9));
  s.shared_classifier = random.one_in(2);
  return s;
}

Raw checkpoint_of(const Sizes &s, Random &random) {
  Raw bytes;
  const int32_t vocab_size = s.shared_classifier ? s.vocab_size : -s.vocab_size;
  for (int32_t field :
       {s.dim, s.hidden_dim, s.layers, s.heads_q, s.heads_kv, vocab_size, s.seq_len})
    append(bytes, field);
  Random weights(random.next());
  for (int64_t n = s.weights(); n > 0; n--) append(bytes, weights.gaussian());
  return bytes;
}

Raw tokenizer_of(const Sizes &s, Random &random) {
  static const char *const pieces[] = {"a",  "b",  " ",  "ab",       "aab",    " a",
                                       "\n", "\0", "<s", "\xc3\xa9", "<0x41>", "<0xAf>"};
  Raw bytes;
  append(bytes, int32_t{6});
  for (int32_t id = 0; id < s.vocab_size; id++) {
    const std::string piece = random.pick(pieces);
    append(bytes, random.gaussian());
    append(bytes, static_cast<int32_t>(std::max<size_t>(1, piece.size())));
    bytes.insert(bytes.end(), piece.c_str(), piece.c_str() + std::max<size_t>(1, piece.size()));
  }
  return bytes;
}

// A field of four bytes, some bytes, or the length.
void spoil(Raw &bytes, size_t fields, Random &random) {
  static const int32_t numbers[] = {
      0, -1, 1, 2, 3, 1024, 1025, 1 << 16, 1 << 20, 1 << 24, INT32_MAX, INT32_MIN, 0x7fc00000};
  const auto at = [&](size_t end) {
    return index_of(random.between(0, static_cast<int64_t>(end) - 1));
  };
  switch (random.between(0, 3)) {
    case 0: {
      const int32_t number = random.pick(numbers);
      std::memcpy(&bytes[4 * at(fields)], &number, sizeof number);
      break;
    }
    case 1:
      bytes.resize(at(bytes.size()));
      break;
    case 2:
      for (int64_t n = random.between(1, 9); n > 0; n--)
        bytes.push_back(static_cast<unsigned char>(random.between(0, 255)));
      break;
    default:
      for (int64_t n = random.between(1, 4); n > 0; n--)
        bytes[at(bytes.size())] = static_cast<unsigned char>(random.between(0, 255));
  }
}

bool is_line(const std::string &text) {
  return text != "" && text.find('\n') == std::string::npos;
}

}  // namespace

void fuzz_checkpoint(const uint8_t *data, size_t size, Place) {
  static const attn_type types[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};
  static const char *const prompts[] = {"", "a", "aab ab", "\xc3\xa9\xff z", " <0x41>"};
  Bytes bytes(data, size);
  const int64_t what = bytes.between(0, 15);
  const Sizes sizes = random_sizes(bytes);
  const char *const prompt = bytes.pick(prompts);
  const attn_type kv_type = bytes.pick(types);
  Raw checkpoint = checkpoint_of(sizes, bytes), tokenizer = tokenizer_of(sizes, bytes);
  if (what == 0) spoil(checkpoint, 7, bytes);
  if (what == 1) spoil(tokenizer, 3, bytes);
  if (what == 2) checkpoint.assign(data, data + size);
  if (what == 3) tokenizer.assign(data, data + size);
  char log[4096] = "";
  const int told = story_tell(checkpoint.data(), checkpoint.size(), tokenizer.data(),
                              tokenizer.size(), prompt, kv_type, log, sizeof log);
  REQUIRE((told == 1 || is_line(log)));
  fuzz_counts.kernels += told == 1;
}
