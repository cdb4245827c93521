// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What CUDA calls return inside a stream callback and inside a host function.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "conformance/observations/inside.h"
#include "harness/case/context.h"
#include "harness/case/side_task.h"

namespace streamcts {
namespace {

constexpr const char* not_reached = "not tried";

/// What became of each call in one kind of host call, in the order of the calls.
using answers = std::vector<std::string>;

/// The processes of one kind of host call: as few as the hangs and crashes allow, or one a call.
class investigation {
 public:
  investigation(case_context& context, const char* place, std::size_t calls, bool one_each)
      : context_(context), place_(place), one_each_(one_each), answers_(calls, not_reached) {}

  answers run() {
    // A process that dies before its first call shows nothing: another one would too.
    for (std::size_t next = 0; next < answers_.size() && failure_.empty();) next = start_from(next);
    return answers_;
  }
  /// Why some were not tried; empty where all were.
  const std::string& failure() const { return failure_; }

 private:
  /// @return the first call that is still to be tried.
  std::size_t start_from(std::size_t first) {
    const auto& have = context_.capabilities();
    const bool runtime = have.works(driver::feature::runtime);
    const std::size_t behind = one_each_ ? first + 1 : answers_.size();
    const side_end end = run_side_task(
        "calls_inside",
        {context_.session().given().driver_path, runtime ? have.runtime_path : "",
         std::to_string(context_.session().given().device_ordinal), place_, std::to_string(first),
         std::to_string(behind)},
        // Nothing of what is tried takes long, but the start of the process may.
        std::max<std::chrono::nanoseconds>(std::chrono::milliseconds(600),
                                           2 * context_.calibration().enqueue_cap()),
        2 * context_.calibration().patience());
    std::size_t next = first;
    bool open = false;  // a call that has begun and not ended
    for (const std::string& line : end.lines) {
      char what[8] = {};
      std::size_t index = 0;
      int code = 0;
      if (std::sscanf(line.c_str(), "%7s %zu %d", what, &index, &code) != 3 ||
          index >= answers_.size()) {
        continue;
      }
      open = std::strcmp(what, "begin") == 0;
      next = open ? index : index + 1;
      if (!open) answers_[index] = inside::code_name(code, index >= inside::driver_calls().size());
    }
    if (open) {
      answers_[next++] = ending(end);
    } else if (next != behind) {
      failure_ = fmt::format("the process {}{}", ending(end),
                             end.lines.empty() ? "" : ": " + end.lines.back());
    }
    return next;
  }
  static std::string ending(const side_end& end) {
    switch (end.ended) {
      case side_end::how::silent: return "hung";
      case side_end::how::signalled: {
        const char* name = ::sigabbrev_np(end.code);
        return fmt::format("crashed (SIG{})", name != nullptr ? name : "?");
      }
      case side_end::how::exited: return fmt::format("left with exit status {}", end.code);
      case side_end::how::not_started: return "could not be started";
    }
    return "unknown";
  }

  case_context& context_;
  const char* place_;
  bool one_each_;
  answers answers_;
  std::string failure_;
};

// Observes:  what each entry point returns inside a stream callback and inside a host function (CB-PROHIB-001,
//            CB-PROHIB-002; clause-notes A1): a code, a hang, a crash.
// Judges:    nothing: the documents disagree, and calls there are forbidden.
// Any speed: each call is made in a process that is killed when it says nothing for seconds.
STREAMCTS_CASE(calls_inside, {.arrangement = "observations/calls_inside",
                              .clauses = {},
                              .without_hold = "observes only",
                              .observes = true,
                              .time_limit = std::chrono::seconds(300)}) {
  const std::size_t of_driver = inside::driver_calls().size();
  const bool runtime = context.capabilities().works(driver::feature::runtime);
  const std::size_t calls = of_driver + (runtime ? inside::runtime_calls().size() : 0);
  const bool one_each = context.by_tier(0, 0, 1) == 1;
  investigation callbacks(context, "callback", calls, one_each);
  investigation functions(context, "host_function", calls, one_each);
  const answers in_callback = callbacks.run();
  const answers in_function = functions.run();
  case_outcome::observed table;
  table.name = "CUDA calls inside host calls";
  table.columns = {"call", "in a stream callback", "in a host function", "the header says of a callback",
                   "differs"};
  for (std::size_t i = 0; i < calls; ++i) {
    const bool is_driver = i < of_driver;
    const bool differs = is_driver && in_callback[i] != not_reached &&
                         in_callback[i] != "NOT_PERMITTED";
    table.differs_from_documentation |= differs;
    table.rows.push_back({is_driver ? inside::driver_calls()[i].name
                                    : inside::runtime_calls()[i - of_driver].name,
                          in_callback[i], in_function[i],
                          is_driver ? "NOT_PERMITTED" : "may be NOT_PERMITTED",
                          differs ? "differs from the documentation" : ""});
  }
  table.note = "cuda.h, cuStreamAddCallback: a CUDA call in a stream callback will result in "
               "NOT_PERMITTED. For host functions (cuLaunchHostFunc), and in cuda_runtime_api.h for "
               "both, it may; nothing is promised. Do not make CUDA calls there, whatever this table "
               "says.";
  for (const std::string& each : {callbacks.failure(), functions.failure()}) {
    if (!each.empty()) table.note += " Not all could be tried: " + each + ".";
  }
  context.observe(std::move(table));
}

}  // namespace
}  // namespace streamcts
