// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// Whole arrangements on the reference driver: what a case leaves behind.

#include "harness/case/arrangement.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "harness/driver/result.h"

namespace streamcts {
namespace {

using driver::stream_kind;
using testing::HasSubstr;

constexpr clause_id order{"CB-ORDER-001"};
constexpr clause_id block{"CB-BLOCK-001"};

class Arrangement : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    device_session::options options;
    options.driver_path = STREAMCTS_REFERENCE_DRIVER;
    for (auto& each : options.capabilities.features) each.works = true;
    options.capabilities.runtime_path = STREAMCTS_REFERENCE_RUNTIME;
    session_ = new device_session(options);
  }
  static void TearDownTestSuite() { delete session_; }

  static case_outcome run(case_definition definition, case_function body) {
    static std::vector<case_instance> kept;  // outcomes are made while the instance lives
    static std::deque<case_definition> definitions;
    definition.arrangement = "test/case";
    if (definition.clauses.empty()) definition.clauses = {order};
    definitions.push_back(definition);
    kept = instances_of(definitions.back(), body, __FILE__, __LINE__);
    return run_case(*session_, kept.front(), 1);
  }
  static inline device_session* session_ = nullptr;
};

/// A failure of the case is what the test is about, not a failure of the test.
#define EXPECT_CASE_FAILURE(outcome, ...)                                       \
  do {                                                                          \
    testing::TestPartResultArray failures;                                      \
    testing::ScopedFakeTestPartResultReporter reporter(                         \
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures); \
    outcome = __VA_ARGS__;                                                      \
  } while (false)

TEST_F(Arrangement, HoldsAKernelAndTheCallbackWaits) {
  const auto outcome = run({}, [](case_context& context) {
    arrangement scene(context);
    lane& stream = scene.stream(stream_kind::blocking);
    for (const producer by : {producer::kernel, producer::copy, producer::memset}) {
      scene.buffer(memory_kind::mapped, by);
      scene.buffer(memory_kind::copied, by);
    }
    product& out = scene.buffer(memory_kind::managed);
    while (scene.next_round(2)) {
      observer& call = scene.host_call(host_call::add_callback);
      call.looks_at(out);
      operation victim{};
      scene.hold_work([&] {
        victim = scene.victim(stream, out);
        scene.enqueue(stream, call);
      });
      scene.drain();
      scene.expect_complete(order, victim, call);
    }
  });
  EXPECT_EQ(outcome.result, case_result::pass) << outcome.reason;
  EXPECT_EQ(outcome.rounds, 2u);
  EXPECT_EQ(outcome.holds, 2u);
  EXPECT_EQ(outcome.opportunities.at("CB-ORDER-001").canary, 2u);
}

TEST_F(Arrangement, GoesByTheRuntimeAsByTheDriver) {
  const auto outcome = run({}, [](case_context& context) {
    arrangement scene(context);
    lane& stream = scene.stream(stream_kind::non_blocking, api::runtime);
    lane& own = scene.stream(stream_kind::per_thread, api::driver);
    own.all_by_null = true;
    product& out = scene.buffer(memory_kind::copied);
    product& aside = scene.buffer(memory_kind::copied, producer::copy);
    mark& joined = scene.event(CU_EVENT_DEFAULT, api::runtime);
    EXPECT_EQ(context.runtime().cudaPeekAtLastError(), cudaSuccess);
    while (scene.next_round(2)) {
      observer& call = scene.host_call(host_call::add_callback);
      call.looks_at(out);
      call.looks_at(aside);
      operation victim{};
      host_wait* by = nullptr;
      scene.hold_work([&] {
        victim = scene.victim(stream, out);
        scene.record(joined, stream);
        scene.wait(own, joined);
        scene.write(own, aside);
        own.by = own.by == api::driver ? api::runtime : api::driver;
        scene.enqueue(own, call);
        by = &scene.synchronize(stream);
        by->looks_at(out);
      });
      scene.drain();
      scene.expect_complete(order, victim, call);
      scene.expect_covered(order, victim, *by);
    }
  });
  EXPECT_EQ(outcome.result, case_result::pass) << outcome.reason;
  EXPECT_EQ(outcome.opportunities.at("CB-ORDER-001").canary, 2u);
}

TEST_F(Arrangement, SaysNotSupportedWithoutARuntime) {
  device_session::options options = session_->given();
  options.capabilities.of(driver::feature::runtime) = {false, "none was given"};
  device_session bare(options);
  EXPECT_THROW(
      {
        try {
          (void)bare.kernels(api::runtime, driver::stream_mode::legacy);
        } catch (const driver::not_supported& error) {
          EXPECT_THAT(error.what(), HasSubstr("none was given"));
          throw;
        }
      },
      driver::not_supported);
}

TEST_F(Arrangement, HoldsAHostCallAndLaterWorkWaits) {
  const auto outcome = run({.arrangement = {}, .clauses = {block}}, [](case_context& context) {
    arrangement scene(context);
    lane& stream = scene.stream(stream_kind::non_blocking);
    product& later = scene.buffer(memory_kind::mapped, producer::memset);
    while (scene.next_round(1)) {
      const control_word marker = scene.marker();
      observer& call = scene.host_call(host_call::launch_host_func);
      bool last_act = false;
      call.watches(marker);
      call.guards(later);
      call.finally([&] { last_act = true; });
      operation written{};
      scene.hold_call(stream, call, [&] {
        scene.signal(stream, marker);
        written = scene.write(stream, later);
      });
      scene.drain();
      scene.expect_blocked(block, call, written);
      EXPECT_TRUE(last_act);
      EXPECT_EQ(marker.load(), 1u);
      scene.expect_complete(block, written, scene.host_after(stream, "host"), later);
    }
  });
  EXPECT_EQ(outcome.result, case_result::pass) << outcome.reason;
  EXPECT_EQ(outcome.opportunities.at("CB-BLOCK-001").canary, 1u);
}

TEST_F(Arrangement, ShowsTheChainAndTheLogOfAFailure) {
  case_outcome outcome;
  EXPECT_CASE_FAILURE(outcome, run({}, [](case_context& context) {
    arrangement scene(context);
    lane& a = scene.stream(stream_kind::blocking);
    lane& b = scene.stream(stream_kind::blocking);
    product& out = scene.buffer(memory_kind::mapped);
    mark& joined = scene.event();
    scene.next_round(1);
    observer& call = scene.host_call(host_call::add_callback);
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(a, out);
      scene.record(joined, a);
      // The wait is what this test leaves out, so that the callback is early.
      scene.enqueue(b, call);
    });
    scene.drain();
    scene.expect_complete(order, victim, call);
    EXPECT_FALSE(scene.next_round(2));
  }));
  EXPECT_EQ(outcome.result, case_result::fail);
  ASSERT_TRUE(outcome.first_failure);
  EXPECT_EQ(outcome.first_failure->clause, "CB-ORDER-001");
  EXPECT_EQ(outcome.first_failure->kind, failure_kind::early);
  EXPECT_EQ(outcome.first_failure->observer, "callback 1");
  EXPECT_THAT(outcome.first_failure->seen, HasSubstr("the sentinel"));
  EXPECT_THAT(outcome.first_failure->site, HasSubstr("arrangement_test.cpp"));
  EXPECT_TRUE(outcome.first_failure->edges.back().broken);
  EXPECT_GE(outcome.first_failure->events.size(), 5u);
}

TEST_F(Arrangement, KnowsTheImplicitEdgesOfTheLegacyStream) {
  run({}, [](case_context& context) {
    arrangement scene(context);
    lane& blocking = scene.stream(stream_kind::blocking);
    lane& free = scene.stream(stream_kind::non_blocking);
    lane& legacy = scene.stream(stream_kind::legacy);
    product& out = scene.buffer(memory_kind::mapped);
    scene.next_round(1);
    const operation first = scene.write(blocking, out);
    const operation unrelated = scene.note(free, "unrelated");
    const operation middle = scene.note(legacy, "legacy work");
    const operation last = scene.note(blocking, "last");
    EXPECT_EQ(scene.graph().chain(first, middle, order).size(), 1u);
    EXPECT_EQ(scene.graph().chain(middle, last, order).back().to, "last");
    EXPECT_EQ(scene.graph().chain(unrelated, last, order).front().from, "unrelated");
  });
}

TEST_F(Arrangement, IsInconclusiveWithoutAnOpportunity) {
  const auto outcome = run({}, [](case_context& context) {
    arrangement scene(context);
    lane& stream = scene.stream(stream_kind::blocking);
    product& out = scene.buffer(memory_kind::mapped);
    while (scene.next_round(5)) {
      scene.hold_work([&] {
        scene.victim(stream, out);
        stream.stream.synchronize();  // an enqueuing call that waits for the gate
      });
    }
  });
  EXPECT_EQ(outcome.result, case_result::inconclusive);
  EXPECT_THAT(outcome.reason, HasSubstr("no opportunity for CB-ORDER-001 in 2 holds"));
  EXPECT_EQ(outcome.rounds, 2u) << "more rounds would show nothing";
}

TEST_F(Arrangement, OpensItsGatesWhenACaseThrows) {
  const auto outcome = run({}, [](case_context& context) {
    arrangement scene(context);
    lane& stream = scene.stream(stream_kind::blocking);
    product& out = scene.buffer(memory_kind::mapped);
    scene.next_round(1);
    scene.hold_work([&] {
      scene.victim(stream, out);
      throw std::runtime_error("planted");
    });
  });
  EXPECT_EQ(outcome.result, case_result::error);
  EXPECT_EQ(outcome.reason, "planted");
}

TEST_F(Arrangement, JudgesARefusedCallByItsCode) {
  const auto with = [](CUresult code) {
    static CUresult answer;
    answer = code;
    return run({}, [](case_context&) { driver::check(answer, "cuStreamCreate"); });
  };
  EXPECT_EQ(with(CUDA_ERROR_NOT_SUPPORTED).result, case_result::not_supported);
  EXPECT_EQ(with(CUDA_ERROR_OUT_OF_MEMORY).result, case_result::inconclusive);
  case_outcome refused;
  EXPECT_CASE_FAILURE(refused, with(CUDA_ERROR_INVALID_VALUE));
  EXPECT_EQ(refused.result, case_result::fail);
  EXPECT_EQ(refused.first_failure->kind, failure_kind::refused);
  EXPECT_THAT(refused.first_failure->seen, HasSubstr("CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(Arrangement, EndsEarlyWithAnotherVerdict) {
  EXPECT_EQ(run({}, [](case_context& context) { context.not_supported("x = 0"); }).reason, "x = 0");
  EXPECT_EQ(run({}, [](case_context& context) { context.inconclusive("why"); }).result,
            case_result::inconclusive);
  EXPECT_EQ(run({}, [](case_context&) { throw 1; }).result, case_result::error);
  const auto unheld = run({.arrangement = {}, .clauses = {}, .without_hold = "a count"}, [](case_context& context) {
    context.count_round();
    context.observe("threads", "1");
    EXPECT_EQ(context.by_tier(1, 2, 3), 1);
    EXPECT_EQ(context.seed(), 1u);
  });
  EXPECT_EQ(unheld.result, case_result::pass);
  ASSERT_EQ(unheld.observations.size(), 1u);
}

TEST_F(Arrangement, ReportsABrokenProgressClauseAsAHang) {
  case_outcome outcome;
  EXPECT_CASE_FAILURE(outcome, run({}, [](case_context& context) {
    context.broken({.clause = "CB-ORDER-006", .kind = failure_kind::progress, .observer = "host",
                    .expected = "e", .seen = "s", .site = {}, .edges = {}, .events = {}});
  }));
  EXPECT_EQ(outcome.result, case_result::hang);
}

TEST(KindOf, TellsEarlyFromStaleTornAndMissing) {
  sighting seen{.words = 8, .mismatches = 8, .first_origin = word_origin::sentinel};
  EXPECT_EQ(kind_of(seen, gate::state::shut), failure_kind::early);
  EXPECT_EQ(kind_of(seen, gate::state::opened), failure_kind::missing);
  seen.first_origin = word_origin::previous_epoch;
  EXPECT_EQ(kind_of(seen, gate::state::opened), failure_kind::stale);
  seen.mismatches = 3;
  EXPECT_EQ(kind_of(seen, gate::state::opened), failure_kind::torn);
}

}  // namespace
}  // namespace streamcts
