// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "harness/runner/child_process.h"
#include "harness/runner/selftest/planted.h"

namespace streamcts::selftest {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

case_outcome passed() { return {}; }

case_outcome ended(case_result result, std::string reason) {
  case_outcome outcome;
  outcome.result = result;
  outcome.reason = std::move(reason);
  return outcome;
}

case_outcome broken(failure_kind kind, case_result result = case_result::fail) {
  case_outcome outcome = ended(result, "planted");
  failure what;
  what.clause = "CB-ORDER-001";
  what.kind = kind;
  what.observer = "callback C1";
  what.expected = "epoch 2";
  what.seen = "epoch 1";
  what.site = "planted_cases.cpp:1";
  what.edges.push_back({"kernel K1", "callback C1", "CB-ORDER-001", true});
  what.events.push_back({0, "host", "kernel K1", log_phase::enqueue, 10});
  what.events.push_back({1, "stream 1", "kernel K1", log_phase::begin, 20});
  outcome.first_failure = std::move(what);
  return outcome;
}

/// Counts in a file, across processes. The file is in STREAMCTS_SELFTEST_STATE.
int count_up(const std::string& name) {
  const char* folder = std::getenv("STREAMCTS_SELFTEST_STATE");
  if (folder == nullptr) throw std::runtime_error("STREAMCTS_SELFTEST_STATE is not set");
  const std::string path = std::string(folder) + "/" + name;
  int count = 0;
  std::ifstream(path) >> count;
  std::ofstream(path) << ++count;
  return count;
}

[[noreturn]] void wait_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

[[noreturn]] __attribute__((noinline)) void planted_hang() { wait_for_ever(); }

case_outcome ignore_sigterm() {
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) std::signal(each, SIG_IGN);
  wait_for_ever();
}

case_outcome die_of(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
  wait_for_ever();
}

case_outcome print_records() {
  // Whatever looks like a record on stdout or stderr is none.
  for (std::FILE* each : {stdout, stderr}) {
    std::fputs("{\"kind\":3,\"body\":{\"index\":0,\"seconds\":0,\"outcome\":{\"result\":0}}}\n",
               each);
    std::fputs("plain words\xff\x01\n", each);
  }
  return passed();
}

case_outcome leave_child() {
  // It keeps all descriptors: pipes and the records' own.
  if (::fork() == 0) wait_for_ever();
  return passed();
}

case_outcome flood() {
  const std::string block(1 << 20, 'x');
  const auto end = steady_clock::now() + milliseconds(400);
  std::size_t written = 0;
  while (steady_clock::now() < end && written < (std::size_t{2} << 30)) {
    written += std::fwrite(block.data(), 1, block.size(), stderr);
  }
  std::fprintf(stderr, "\nthe last line of the flood\n");
  return passed();
}

case_outcome close_descriptors() {
  for (int each = 3; each < 64; ++each) ::close(each);
  return passed();  // which nobody hears
}

case_outcome close_and_stay() {
  ::close(runner::child_process::control_descriptor);
  wait_for_ever();
}

case_outcome write_nonsense() {
  const std::string line = "no record at all\n";
  static_cast<void>(::send(runner::child_process::control_descriptor, line.data(), line.size(), 0));
  wait_for_ever();
}

bool poisoned = false;

case_outcome die_afterwards() {
  // Runs into the time between cases: the thread waits until the outcome is surely on its way.
  std::thread([] {
    std::this_thread::sleep_for(milliseconds(100));
    std::abort();
  }).detach();
  return passed();
}

case_outcome tell_observation() {
  case_outcome outcome;
  outcome.observations.push_back({"planted fact", "seven", "a note"});
  outcome.rounds = 3;
  outcome.holds = 4;
  outcome.missed_holds["expired"] = 1;
  outcome.opportunities["CB-ORDER-001"] = {2, 1};
  return outcome;
}

/// What a driver with a fault would have this case see. The counter of hits is that of the fault.
case_outcome meet_fault() {
  const char* set = std::getenv("STREAMCTS_FAULT");
  const std::string fault = set == nullptr ? "" : set;
  const char* hits = std::getenv("STREAMCTS_FAULT_HITS");
  if (fault.empty()) {
    return std::getenv("STREAMCTS_SELFTEST_RED") ? broken(failure_kind::value) : passed();
  }
  if (fault == "callback_ignores_memset") return passed();  // not reached
  std::uint64_t count = 3;
  std::ofstream(hits, std::ios::binary).write(reinterpret_cast<const char*>(&count), sizeof count);
  if (fault == "callback_ignores_kernel" || fault == "callback_ignores_download" ||
      fault == "legal_slow_calls") {
    return broken(failure_kind::early);  // of CB-ORDER-001, which the second does not break
  }
  if (fault == "callback_ignores_joins" && count_up("joins") == 1) wait_for_ever();
  return passed();
}

struct planted {
  std::function<case_outcome()> body;
  isolation where = isolation::batched;
  std::vector<need> needs = {};
  tier from = tier::quick;
  std::vector<clause_id> clauses = {clause_id{"CB-ORDER-001"}};
};

const std::map<std::string_view, planted>& all_planted() {
  static const std::map<std::string_view, planted> all{
      {"faulty/meets", {meet_fault}},
      {"faulty/other", {passed, isolation::own_process, {}, tier::quick, {clause_id{"VS-COPY-001"}}}},
      {"plant/a_pass", {passed}},
      {"plant/abort", {[] { return die_of(SIGABRT); }}},
      {"plant/asserts", {[] {
         EXPECT_EQ(1, 2) << "an assertion alone";
         return passed();
       }}},
      {"plant/closes", {close_descriptors}},
      {"plant/closes_and_stays", {close_and_stay}},
      {"plant/dies_afterwards", {die_afterwards}},
      {"plant/error", {[] { return ended(case_result::error, "planted error"); }}},
      {"plant/exit_0", {[]() -> case_outcome { std::_Exit(0); }}},
      {"plant/exit_1", {[]() -> case_outcome { ::exit(1); }}},
      {"plant/fails", {[] { return broken(failure_kind::stale); }}},
      {"plant/flaky", {[] {
         return count_up("flaky") % 4 == 1 ? broken(failure_kind::early) : passed();
       }}},
      {"plant/floods", {flood}},
      {"plant/forks", {leave_child}},
      {"plant/hangs", {[]() -> case_outcome { planted_hang(); }}},
      {"plant/ignores_sigterm", {ignore_sigterm}},
      {"plant/inconclusive", {[] { return ended(case_result::inconclusive, "window missed"); }}},
      {"plant/needs", {passed, isolation::batched, {need::stream_priorities}}},
      {"plant/nonsense", {write_nonsense}},
      {"plant/not_supported", {[] { return ended(case_result::not_supported, "memop_64 = 0"); }}},
      {"plant/observes", {tell_observation}},
      {"plant/own", {passed, isolation::own_process}},
      {"plant/poisons", {[] {
         poisoned = true;
         return passed();
       }}},
      {"plant/prints", {print_records}},
      {"plant/progress", {[] { return broken(failure_kind::progress, case_result::hang); }}},
      {"plant/progress_once", {[] {
         return count_up("progress_once") == 1 ? broken(failure_kind::progress, case_result::hang)
                                               : passed();
       }}},
      {"plant/q_victim", {[] { return poisoned ? broken(failure_kind::value) : passed(); }}},
      {"plant/refused_once", {[] {
         return count_up("refused_once") == 1 ? broken(failure_kind::refused) : passed();
       }}},
      {"plant/segv", {[] { return die_of(SIGSEGV); }}},
      {"plant/slow_1", {[] {
         count_up("slow_1");
         std::this_thread::sleep_for(milliseconds(200));
         return passed();
       }}},
      {"plant/slow_2", {[] {
         // The second process finds it quick: the first one was killed in it.
         if (count_up("slow_2") == 1) wait_for_ever();
         return passed();
       }}},
      {"plant/standard", {passed, isolation::batched, {}, tier::standard}},
      {"plant/throws", {[]() -> case_outcome { throw std::runtime_error("thrown"); }}},
      {"plant/z_pass", {passed}},
  };
  return all;
}

class planted_host : public runner::case_host {
 public:
  case_outcome run(const case_instance& instance, std::uint64_t) override {
    return all_planted().at(instance.id).body();
  }
};

std::vector<case_instance> make_instances() {
  static std::vector<case_definition> definitions;
  definitions.reserve(all_planted().size());
  std::vector<case_instance> made;
  for (const auto& [id, what] : all_planted()) {
    case_definition definition{.arrangement = id, .clauses = what.clauses};
    definition.time_limit = std::chrono::seconds(5);
    definition.where = what.where;
    definitions.push_back(definition);
    made.push_back({std::string(id), definition.clauses, what.needs, what.from, what.where,
                    parameters{}, &definitions.back(), nullptr, "planted_cases.cpp", 1});
  }
  return made;
}

}  // namespace

const std::vector<case_instance>& planted_cases() {
  static const std::vector<case_instance> all = make_instances();
  return all;
}

std::unique_ptr<runner::case_host> make_planted_host(const runner::host_order&) {
  const char* wish = std::getenv("STREAMCTS_SELFTEST_START");
  const std::string how = wish == nullptr ? "" : wish;
  if (how == "crash") std::abort();
  if (how == "hang") wait_for_ever();
  if (how == "mismatch") {
    throw runner::start_error(runner::start_failure::mismatch, "planted: another driver");
  }
  if (how == "refuse" || (how == "refuse_later" && count_up("starts") > 1)) {
    throw runner::start_error(runner::start_failure::other, "planted: no start");
  }
  return std::make_unique<planted_host>();
}

}  // namespace streamcts::selftest
