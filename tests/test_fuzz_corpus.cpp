// Inputs that the fuzzers of tests/fuzz have found, on every instruction set: `make fuzz-corpus`
// puts them there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "catch.hpp"
#include "elements.hpp"
#include "fuzz/targets.hpp"

namespace {

typedef void Target(const uint8_t *data, size_t size, Place place);

std::vector<std::filesystem::path> inputs(const std::string &target) {
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "fuzz" / "corpus" / target;
  std::vector<std::filesystem::path> list;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) list.push_back(entry);
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<uint8_t> read(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(stream),
                              std::istreambuf_iterator<char>());
}

// Between guard pages, which see what goes beyond a tensor as a sanitizer does.
void replay(const std::string &target, Target *function) {
  fuzz_counts = {0, 0};
  int number = 0;
  for (const std::filesystem::path &path : inputs(target)) {
    const Place place = ++number % 2 ? Place::below_guard : Place::above_guard;
    if (skips(number)) continue;
    const std::vector<uint8_t> bytes = read(path);
    INFO("make fuzz TARGET=" << target << " REPRO=" << path.string());
    fuzz_counts.inputs++;
    function(bytes.data(), bytes.size(), place);
  }
  CHECK(number >= 20);
  if (fuzz_counts.inputs == static_cast<uint64_t>(number))
    CHECK(2 * fuzz_counts.kernels >= fuzz_counts.inputs);
}

}  // namespace

TEST_CASE("Calls of attention that a fuzzer has made are right", "[fuzz]") {
  replay("forward", fuzz_forward);
}

TEST_CASE("Calls of the helpers that a fuzzer has made are right", "[fuzz]") {
  replay("helpers", fuzz_helpers);
}

TEST_CASE("Checkpoints and tokenizers that a fuzzer has made do no harm", "[fuzz]") {
  replay("checkpoint", fuzz_checkpoint);
}
