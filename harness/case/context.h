// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/case/api.h"
#include "harness/case/outcome.h"
#include "harness/case/registry.h"
#include "harness/driver/capabilities.h"
#include "harness/driver/context.h"
#include "harness/driver/driver_library.h"
#include "harness/driver/kernels.h"
#include "harness/driver/runtime.h"
#include "harness/observe/calibration.h"
#include "harness/observe/event_log.h"
#include "harness/observe/gatekeeper.h"

namespace streamcts {

/// What all cases of one child process share: the driver under test, a context, loaded kernels, the
/// gatekeeper. Made once, before the first case; made anew by a new child, never repaired.
class device_session {
 public:
  struct options {
    std::string driver_path;  ///< as given to --driver: a path, or "system"
    driver::capabilities capabilities;
    streamcts::calibration calibration;
    int device_ordinal = 0;
    std::uint64_t seed = 0;
    tier run_tier = tier::quick;  ///< how thorough rounds are
  };

  /// Loads the driver, makes the primary context current on this thread, loads each kernel and runs
  /// it once (lazy loading may synchronise, and would do so under a gate).
  /// @throws driver::load_error, driver::call_error
  explicit device_session(options given);
  ~device_session();

  const driver::driver_library& library() const;
  const driver::function_table& cuda(driver::stream_mode mode) const;
  const driver::kernel_set& kernels() const;
  /// The same calls by either API: the runtime's stand under the driver's names (runtime_as_driver.h).
  /// The runtime is opened, and its kernels are run once, at the first use: not behind a gate.
  /// @throws driver::not_supported where the probe found no runtime that works
  const driver::function_table& cuda(api which, driver::stream_mode mode);
  const driver::kernel_set& kernels(api which, driver::stream_mode mode);
  /// The runtime itself, for what the driver has no function of the same meaning for.
  const driver::runtime_table& runtime(driver::stream_mode mode);
  const options& given() const { return given_; }
  gatekeeper& keeper();
  CUcontext context() const;
  CUdevice device() const;
  /// Makes the context current on the calling thread: once for each further thread of a case.
  void make_current() const;
  /// A number that no earlier call of this process returned; never zero.
  std::uint64_t next_epoch() { return ++epoch_; }

 private:
  struct loaded;
  struct opened_runtime;
  opened_runtime& open_runtime();
  options given_;
  std::unique_ptr<loaded> loaded_;
  std::unique_ptr<opened_runtime> runtime_;
  std::uint64_t epoch_ = 0;
};

/// Ends a case at once with a verdict that is not a failure. Thrown by case_context::not_supported()
/// and ::inconclusive(); nobody else throws or catches it.
struct case_ended : std::runtime_error {
  case_ended(case_result result_of, const std::string& why)
      : std::runtime_error(why), result(result_of) {}
  case_result result;
};

/// What a case sees of the world, and where it leaves its findings. One for each run of a case.
///
/// Used by the thread that runs the case; host calls use their slots, never this.
class case_context {
 public:
  case_context(device_session& session, const case_instance& instance, std::uint64_t seed);

  // The driver under test.
  const driver::function_table& cuda() const { return session_.cuda(driver::stream_mode::legacy); }
  const driver::function_table& cuda_per_thread() const {
    return session_.cuda(driver::stream_mode::per_thread);
  }
  const driver::kernel_set& kernels() const { return session_.kernels(); }
  /// As in device_session.
  const driver::function_table& cuda(api which,
                                     driver::stream_mode mode = driver::stream_mode::legacy) const {
    return session_.cuda(which, mode);
  }
  const driver::kernel_set& kernels(api which, driver::stream_mode mode =
                                                   driver::stream_mode::legacy) const {
    return session_.kernels(which, mode);
  }
  const driver::runtime_table& runtime(
      driver::stream_mode mode = driver::stream_mode::legacy) const {
    return session_.runtime(mode);
  }
  const driver::capabilities& capabilities() const { return session_.given().capabilities; }
  const streamcts::calibration& calibration() const { return session_.given().calibration; }
  device_session& session() { return session_; }

  // The parameters of this instance.
  template <typename Enum>
  Enum get(std::string_view axis) const {
    return instance_.values.get<Enum>(axis);
  }
  const case_instance& instance() const { return instance_; }
  /// One of three numbers, by the tier of the run: how many rounds, how long a chain.
  int by_tier(int quick, int standard, int stress) const;
  std::uint64_t seed() const { return seed_; }
  std::uint64_t next_epoch() { return session_.next_epoch(); }

  /// Checks @p value against a GoogleMock matcher. A mismatch breaks @p clause: it is recorded with
  /// both sides and fails the test, which goes on.
  /// @param observer who looked: "callback C1", "host after cuStreamSynchronize"
  /// @return whether the promise was kept.
  template <typename Value, typename Matcher>
  bool expect(clause_id clause, failure_kind kind, std::string_view observer, const Value& value,
              const Matcher& matcher,
              std::source_location site = std::source_location::current()) {
    const ::testing::Matcher<const Value&> typed = ::testing::SafeMatcherCast<const Value&>(matcher);
    ::testing::StringMatchResultListener listener;
    if (typed.MatchAndExplain(value, &listener)) return true;
    std::ostringstream expected;
    typed.DescribeTo(&expected);
    std::string seen = ::testing::PrintToString(value);
    if (!listener.str().empty()) seen += " (" + listener.str() + ")";
    broken({.clause = std::string(clause.text), .kind = kind, .observer = std::string(observer),
            .expected = expected.str(), .seen = std::move(seen), .site = {}, .edges = {},
            .events = {}},
           site);
    return false;
  }
  /// Records that a promise was broken. The first failure of a case is kept with its evidence: the
  /// log of the round so far is added where @p what has none.
  void broken(failure what, std::source_location site = std::source_location::current());

  /// Ends the case: the driver or device lacks what it needs. @param what "attribute = value"
  [[noreturn]] void not_supported(const std::string& what);
  /// Ends the case: nothing was seen that could decide.
  [[noreturn]] void inconclusive(const std::string& why);

  /// The chain of promised edges that the next failure of this case shows.
  void set_evidence(std::vector<failure_edge> edges) { evidence_ = std::move(edges); }

  /// Counts one hold for every clause of @p clauses: an opportunity, or the reason why none.
  void count_hold(const std::vector<clause_id>& clauses, hold_result result);
  /// Counts one round.
  void count_round() { ++outcome_.rounds; }
  /// Records something worth knowing that no clause judges.
  void observe(std::string name, std::string value, std::string note = {});
  /// The same, with a table, or marked as different from the documentation.
  void observe(case_outcome::observed what);

  event_log& log() { return log_; }
  bool failed() const { return outcome_.first_failure.has_value(); }

  /// The outcome once the body has returned: a case with holds but without an opportunity for one of
  /// its clauses is Inconclusive.
  case_outcome finish();
  /// The outcome of a body that left by an exception; to be called in a catch block.
  case_outcome finish_with_current_exception();

 private:
  case_outcome finish_observing();

  device_session& session_;
  const case_instance& instance_;
  std::uint64_t seed_;
  event_log log_;
  std::vector<failure_edge> evidence_;
  case_outcome outcome_;
};

/// Runs @p instance once in this process and returns its outcome. No exception escapes.
case_outcome run_case(device_session& session, const case_instance& instance, std::uint64_t seed);

}  // namespace streamcts
