// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/gatekeeper.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "kernels/parameters.h"

namespace streamcts {
namespace {

using namespace std::chrono_literals;

/// Control words in ordinary memory: the gatekeeper makes no CUDA call and needs no driver.
struct words {
  alignas(64) std::array<std::uint32_t, 8> memory{};
  std::size_t used = 0;
  control_word next() { return control_word(&memory[used++], 0); }
};

class Gatekeeper : public testing::Test {
 protected:
  static calibration limits() {
    calibration fast;
    fast.host_call_latency_p999 = 100us;
    return fast;
  }
  words memory_;
  gate victim_{memory_.next(), memory_.next(), 10s};
  gatekeeper keeper_{limits()};
};

TEST_F(Gatekeeper, OpensAfterTheCanaryAndCallsItAnOpportunity) {
  std::atomic<bool> ran{false};
  hold_order order;
  order.victim = &victim_;
  order.canary_ran = [&] { return ran.load(); };
  keeper_.watch(order);
  EXPECT_EQ(victim_.now(), gate::state::shut);
  ran = true;
  order.all_enqueued = true;
  EXPECT_EQ(keeper_.finish(order), hold_result::canary);
  EXPECT_EQ(victim_.now(), gate::state::opened);
}

TEST_F(Gatekeeper, OpensAfterTheCalibratedHoldWhereNoCanaryRuns) {
  for (const bool has_canary : {true, false}) {
    gate victim(memory_.next(), memory_.next(), 10s);
    hold_order order;
    order.victim = &victim;
    if (has_canary) order.canary_ran = [] { return false; };
    order.all_enqueued = true;
    const auto start = std::chrono::steady_clock::now();
    keeper_.watch(order);
    EXPECT_EQ(keeper_.finish(order), hold_result::calibrated);
    EXPECT_GE(std::chrono::steady_clock::now() - start, limits().hold());
  }
}

TEST_F(Gatekeeper, OpensThoughTheEnqueuingThreadIsStuck) {
  hold_order order;
  order.victim = &victim_;
  keeper_.watch(order);
  EXPECT_EQ(keeper_.finish(order), hold_result::enqueue_blocked);
  EXPECT_EQ(victim_.now(), gate::state::opened);
}

TEST_F(Gatekeeper, OpensAtOnceWhenTheHoldIsAbandoned) {
  hold_order order;
  order.victim = &victim_;
  order.abandon = true;
  keeper_.watch(order);
  EXPECT_EQ(keeper_.finish(order), hold_result::abandoned);
}

TEST_F(Gatekeeper, SaysWhenTheGateExpiredOnItsOwn) {
  hold_order order;
  order.victim = &victim_;
  order.canary_ran = [] { return true; };
  victim_.word().store(kernels::gate_expired);
  order.all_enqueued = true;
  keeper_.watch(order);
  EXPECT_EQ(keeper_.finish(order), hold_result::expired);
  EXPECT_EQ(victim_.now(), gate::state::expired);
}

TEST_F(Gatekeeper, LetsTheHeldHostCallStartAndThenTheCanary) {
  gate front(memory_.next(), memory_.next(), 10s);
  gate canary(memory_.next(), memory_.next(), 10s);
  hold_order order;
  order.victim = &victim_;
  order.front = &front;
  order.canary_gate = &canary;
  order.canary_ran = [&] { return canary.now() == gate::state::opened; };
  std::thread host_call([&] {
    front.hold_this_thread();
    EXPECT_EQ(canary.now(), gate::state::shut);
    victim_.hold_this_thread();
  });
  keeper_.watch(order);
  order.all_enqueued = true;
  EXPECT_EQ(keeper_.finish(order), hold_result::canary);
  host_call.join();
}

TEST_F(Gatekeeper, LetsAHostCallWithNothingInFrontStart) {
  gate canary(memory_.next(), memory_.next(), 10s);
  hold_order order;
  order.victim = &victim_;
  order.canary_gate = &canary;
  order.canary_ran = [&] { return canary.now() == gate::state::opened; };
  order.all_enqueued = true;
  keeper_.watch(order);
  EXPECT_EQ(canary.now(), gate::state::shut);
  std::thread host_call([&] { victim_.hold_this_thread(); });
  EXPECT_EQ(keeper_.finish(order), hold_result::canary);
  host_call.join();
}

TEST_F(Gatekeeper, HoldsAtLeastAsLongAsAsked) {
  for (const bool canary : {true, false}) {
    gate victim(memory_.next(), memory_.next(), 10s);
    hold_order order;
    order.victim = &victim;
    order.canary_ran = [canary] { return canary; };
    order.at_least = 40ms;
    order.all_enqueued = true;
    const auto start = std::chrono::steady_clock::now();
    keeper_.watch(order);
    EXPECT_EQ(keeper_.finish(order), canary ? hold_result::canary : hold_result::calibrated);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 40ms);
  }
}

TEST_F(Gatekeeper, SaysWhenTheHeldHostCallNeverStarts) {
  gate front(memory_.next(), memory_.next(), 10s);
  hold_order order;
  order.victim = &victim_;
  order.front = &front;
  order.all_enqueued = true;
  keeper_.watch(order);
  EXPECT_EQ(keeper_.finish(order), hold_result::never_begun);
  EXPECT_EQ(front.now(), gate::state::opened);
}

TEST(Gate, ExpiresOnAHostThreadWhenNobodyOpensIt) {
  words memory;
  gate shut(memory.next(), memory.next(), 2ms);
  shut.hold_this_thread();
  EXPECT_EQ(shut.now(), gate::state::expired);
  EXPECT_TRUE(shut.begun());
  EXPECT_FALSE(shut.open());
}

TEST(Gate, OpensInItsDestructor) {
  words memory;
  const control_word word = memory.next();
  { const gate held(word, memory.next(), 1s); }
  EXPECT_EQ(word.load(), kernels::gate_opened);
}

TEST(Gate, KindsAndResultsHaveNames) {
  EXPECT_EQ(name(gate_kind::mapped_flag), "mapped_flag");
  EXPECT_EQ(name(gate_kind::host_function), "host_function");
  EXPECT_EQ(name(gate_kind::value_wait), "value_wait");
  for (const auto result :
       {hold_result::pending, hold_result::canary, hold_result::calibrated,
        hold_result::enqueue_blocked, hold_result::never_begun, hold_result::expired,
        hold_result::abandoned}) {
    EXPECT_NE(name(result), "unknown");
  }
}

TEST(Calibration, KeepsItsLimitsInOrderOnSlowAndFastDrivers) {
  for (const auto latency : {1us, 100us, 1000us, 1'000'000us}) {
    calibration measured;
    measured.host_call_latency_p999 = latency;
    measured.enqueue_median = latency;
    EXPECT_LT(measured.margin(), measured.hold());
    EXPECT_LT(measured.hold(), measured.gate_timeout());
    EXPECT_LT(measured.enqueue_cap() + measured.hold(), measured.gate_timeout());
    EXPECT_LT(measured.gate_timeout(), measured.patience());
  }
}

TEST(Calibration, DelaysVictimsWhereTheyAreNotGated) {
  calibration limits;
  EXPECT_EQ(limits.delay(0.5), limits.gate_timeout());
  limits.holds = hold_kind::none;
  EXPECT_EQ(limits.delay(0.5), 0ns);
  limits.holds = hold_kind::equal;
  EXPECT_EQ(limits.delay(0), limits.delay(0.9));
  limits.holds = hold_kind::random;
  EXPECT_EQ(limits.delay(0), calibration::least_random_delay);
  EXPECT_LT(limits.delay(0.5), limits.delay(0.9));
  EXPECT_LT(limits.delay(0.99), calibration::greatest_random_delay);
}

TEST(Calibration, InHasteGatesExpireAndPatienceEndsSooner) {
  calibration limits;
  const auto calm = limits.patience();
  limits.haste = 4;
  EXPECT_EQ(limits.patience(), calm / 4);
  EXPECT_EQ(2 * limits.gate_timeout(), limits.patience());
}

TEST(Delays, AreNoOpportunityAndEndByThemselves) {
  words memory;
  calibration limits;
  limits.holds = hold_kind::equal;
  gatekeeper keeper(limits);
  gate victim(memory.next(), memory.next(), limits.delay(0));
  hold_order order;
  order.victim = &victim;
  order.canary_ran = [] { return true; };
  keeper.watch(order);
  std::thread stream([&] { victim.hold_this_thread(); });
  order.all_enqueued.store(true);
  EXPECT_EQ(keeper.finish(order), hold_result::expired);
  EXPECT_NE(victim.now(), gate::state::shut);
  stream.join();
}

}  // namespace
}  // namespace streamcts
