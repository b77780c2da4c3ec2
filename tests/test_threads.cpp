// Calls on several threads at once: each with an instruction set of its own, and while another
// thread changes the default one. The threads only count; what they found is checked when they have
// ended.
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "attn.h"
#include "catch.hpp"
#include "support.hpp"

namespace {

const int kThreads = 6, kRounds = 40;
const uint64_t kSeed = 31;

Spec causal_spec() {
  return Spec().heads(2, 1).lens(9, 40).sizes(24, 24).causal_at(ATTN_ALIGN_BOTTOM_RIGHT);
}

// What each instruction set gives, by its number: sums in orders of their own, so other bits.
std::vector<Output> outputs_of_isas() {
  std::vector<Output> wanted(ATTN_ISA_NEON + 1);
  for (attn_isa isa : isas()) {
    const Output output = run(Call(causal_spec(), kSeed), Path{isa, ATTN_FAMILY_DECODE});
    for (const Output &other : wanted) REQUIRE(difference(output.o, other.o) != "");
    wanted[isa] = output;
  }
  return wanted;
}

// A call of one thread, with memory of its own.
struct OwnCall {
  Call call{causal_spec(), kSeed};
  attn_params params_with(attn_isa isa) const {
    return params_on(call, Path{isa, ATTN_FAMILY_DECODE});
  }
  bool gave(const Output &want) const {
    const bool same = difference(Output{call.o.values(), call.lse.values()}, want) == "";
    call.o.fill(kPoison);
    return same;
  }
};

// The function with the numbers from 0 to kThreads - 1, each on a thread, while `beside` is
// repeated.
void on_threads(const std::function<void(int)> &function, const std::function<void()> &beside) {
  std::atomic<int> running(kThreads);
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      function(number);
      --running;
    });
  }
  while (running > 0) beside();
  for (std::thread &thread : threads) thread.join();
}

}  // namespace

TEST_CASE("Calls at once, each with an instruction set of its own, have the bits of each alone",
          "[threads]") {
  const std::vector<Output> wanted = outputs_of_isas();
  std::atomic<int> wrong(0);
  on_threads(
      [&](int number) {
        OwnCall own;
        for (int round = 0; round < kRounds; ++round) {
          const attn_isa isa = isas()[static_cast<size_t>(number + round) % isas().size()];
          const attn_params params = own.params_with(isa);
          if (attn_forward(&params, nullptr, 0) != ATTN_OK || !own.gave(wanted[isa])) ++wrong;
        }
      },
      std::this_thread::yield);
  CHECK(wrong == 0);
}

TEST_CASE("While the default changes, a call and a plan each keep to one instruction set",
          "[threads]") {
  const std::vector<Output> wanted = outputs_of_isas();
  std::vector<attn_isa> defaults = isas();
  defaults.push_back(ATTN_ISA_AUTO);
  std::atomic<int> wrong(0), changes(0);
  const auto gave_one = [&](const OwnCall &own) {
    const Output got{own.call.o.values(), own.call.lse.values()};
    for (attn_isa isa : isas()) {
      if (difference(got, wanted[isa]) == "") return own.gave(wanted[isa]);
    }
    return false;
  };
  on_threads(
      [&](int number) {
        OwnCall own;
        const attn_isa forced = isas()[static_cast<size_t>(number) % isas().size()];
        const attn_params any = own.params_with(ATTN_ISA_AUTO), one = own.params_with(forced);
        std::vector<char> scratch, shared;
        for (int round = 0; round < kRounds; ++round) {
          if (attn_forward(&any, nullptr, 0) != ATTN_OK || !gave_one(own)) ++wrong;
          if (attn_forward(&one, nullptr, 0) != ATTN_OK || !own.gave(wanted[forced])) ++wrong;
          attn_plan plan;
          attn_plan_info info;
          if (attn_plan_init(&plan, &any) != ATTN_OK) ++wrong;
          if (attn_plan_get_info(&plan, &info) != ATTN_OK) ++wrong;
          scratch.resize(info.scratch_size);
          shared.resize(info.shared_size);
          const int before = changes;
          while (changes == before) std::this_thread::yield();  // between making and running it
          for (int64_t task = 0; task < info.tasks; ++task) {
            if (attn_plan_run(&plan, task, scratch.data(), scratch.size(), shared.data(),
                              shared.size()) != ATTN_OK) {
              ++wrong;
            }
          }
          if (attn_plan_finish(&plan, shared.data(), shared.size()) != ATTN_OK) ++wrong;
          if (!own.gave(wanted[info.isa])) ++wrong;
        }
      },
      [&] {
        if (attn_set_isa(defaults[static_cast<size_t>(changes) % defaults.size()]) != ATTN_OK)
          ++wrong;
        ++changes;
        std::this_thread::yield();
      });
  CHECK(attn_set_isa(ATTN_ISA_AUTO) == ATTN_OK);
  CHECK(wrong == 0);
  CHECK(changes >= kRounds);
}
