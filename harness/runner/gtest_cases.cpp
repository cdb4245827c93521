// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/gtest_cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "harness/runner/errors.h"

namespace streamcts::runner {

namespace {

/// Texts of the assertions that failed in the test that runs now, whichever thread they were on.
class failure_texts : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override {
    const std::lock_guard lock(mutex_);
    text_.clear();
    site_.clear();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    const std::lock_guard lock(mutex_);
    if (!result.failed() || text_.size() > most_text) return;
    if (site_.empty()) {
      site_ = result.file_name() == nullptr
                  ? "unknown"
                  : fmt::format("{}:{}", result.file_name(), result.line_number());
    }
    if (!text_.empty()) text_ += "; ";
    text_ += result.message();
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  std::string site() const {
    const std::lock_guard lock(mutex_);
    return site_;
  }

 private:
  static constexpr std::size_t most_text = 8192;
  mutable std::mutex mutex_;
  std::string text_;
  std::string site_;
};

struct test_run {
  case_host& host;
  const std::function<bool(std::size_t)>& before;
  const std::function<void(std::size_t, case_outcome, double)>& after;
  const failure_texts& failures;
  bool stopped = false;
};

/// Without a failure of its own, a case with failed assertions gets one of them.
void add_assertions(case_outcome& outcome, const case_instance& instance,
                    const failure_texts& failures) {
  if (outcome.first_failure || outcome.result == case_result::hang ||
      outcome.result == case_result::error) {
    return;
  }
  outcome.result = case_result::fail;
  outcome.reason = failures.text();
  failure found;
  if (!instance.clauses.empty()) found.clause = instance.clauses.front().text;
  found.kind = failure_kind::other;
  found.observer = "host";
  found.expected = "no failed assertion";
  found.seen = failures.text();
  found.site = failures.site();
  outcome.first_failure = std::move(found);
}

class case_test : public testing::Test {
 public:
  case_test(test_run& run, std::size_t index, const case_instance& instance, std::uint64_t seed)
      : run_(run), index_(index), instance_(instance), seed_(seed) {}

 private:
  void TestBody() override {
    if (run_.stopped || !run_.before(index_)) {
      run_.stopped = true;
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    case_outcome outcome = guarded_run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (HasFailure()) add_assertions(outcome, instance_, run_.failures);
    run_.after(index_, std::move(outcome), took.count());
  }

  case_outcome guarded_run() {
    case_outcome outcome;
    outcome.result = case_result::error;
    try {
      return run_.host.run(instance_, seed_);
    } catch (const std::exception& error) {
      outcome.reason = fmt::format("an exception left the case: {}", error.what());
    } catch (...) {
      outcome.reason = "an exception left the case that is no std::exception";
    }
    return outcome;
  }

  test_run& run_;
  std::size_t index_;
  const case_instance& instance_;
  std::uint64_t seed_;
};

const case_instance& find(const std::vector<case_instance>& catalogue, const std::string& id) {
  const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const case_instance& each) { return each.id == id; });
  if (found == catalogue.end()) {
    throw usage_error(fmt::format("the order names '{}', which is no case of this program", id));
  }
  return *found;
}

}  // namespace

void run_as_tests(case_host& host, const std::vector<case_order>& cases,
                  const std::vector<case_instance>& catalogue,
                  const std::function<bool(std::size_t)>& before,
                  const std::function<void(std::size_t, case_outcome, double)>& after) {
  int count = 1;
  char name[] = "streamcts";
  char* arguments[] = {name, nullptr};
  testing::InitGoogleTest(&count, arguments);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* failures = new failure_texts;
  listeners.Append(failures);
  test_run run{host, before, after, *failures};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const case_instance& instance = find(catalogue, cases[i].id);
    const std::size_t slash = instance.id.find('/');
    // GoogleTest groups tests by suite: a suite of its own for each case keeps the order.
    testing::RegisterTest(fmt::format("{}_{}", i, instance.id.substr(0, slash)).c_str(),
                          instance.id.substr(slash + 1).c_str(), nullptr, nullptr, instance.file,
                          instance.line,
                          [&run, i, &instance, seed = cases[i].seed]() -> testing::Test* {
                            return new case_test(run, i, instance, seed);
                          });
  }
  [[maybe_unused]] const int status = RUN_ALL_TESTS();
}

}  // namespace streamcts::runner
