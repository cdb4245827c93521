// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/context.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/driver/result.h"

namespace streamcts {

namespace {

/// A failed call of the arrangement: what it says about the driver depends on the code alone.
void settle_call_error(const driver::call_error& error, case_outcome& outcome,
                       case_context& context) {
  switch (error.code) {
    case CUDA_ERROR_NOT_SUPPORTED:
      outcome.result = case_result::not_supported;
      outcome.reason = error.what();
      return;
    case CUDA_ERROR_OUT_OF_MEMORY:
      outcome.result = case_result::inconclusive;
      outcome.reason = fmt::format("resource: {}", error.what());
      return;
    default:
      if (context.instance().clauses.empty()) {
        outcome.result = case_result::inconclusive;
        outcome.reason = error.what();
        return;
      }
      context.broken({.clause = std::string(context.instance().clauses.front().text),
                      .kind = failure_kind::refused,
                      .observer = "host",
                      .expected = "CUDA_SUCCESS",
                      .seen = error.what(),
                      .site = {},
                      .edges = {},
                      .events = {}},
                     error.site);
  }
}

}  // namespace

std::string_view name(failure_kind kind) {
  constexpr std::string_view names[] = {"early",    "late",     "torn",   "stale",   "missing",
                                        "lost",     "duplicate", "order", "overlap", "argument",
                                        "status",   "refused",  "value",  "progress", "other"};
  return names[static_cast<std::size_t>(kind)];
}

case_context::case_context(device_session& session, const case_instance& instance,
                           std::uint64_t seed)
    : session_(session), instance_(instance), seed_(seed) {}

int case_context::by_tier(int quick, int standard, int stress) const {
  switch (session_.given().run_tier) {
    case tier::quick: return quick;
    case tier::standard: return standard;
    case tier::stress: return stress;
  }
  return quick;
}

void case_context::broken(failure what, std::source_location site) {
  what.site = fmt::format("{}:{}", site.file_name(), site.line());
  if (what.events.empty()) {
    for (const log_entry& each : log_.entries()) {
      what.events.push_back({each.sequence, std::string(each.lane), std::string(each.operation),
                             each.phase, each.time.count()});
    }
  }
  if (what.edges.empty()) what.edges = std::move(evidence_);
  evidence_.clear();
  ADD_FAILURE_AT(site.file_name(), static_cast<int>(site.line()))
      << what.clause << ", seen by " << what.observer << ": expected " << what.expected << ", seen "
      << what.seen;
  if (!outcome_.first_failure) outcome_.first_failure = std::move(what);
}

void case_context::not_supported(const std::string& what) {
  throw case_ended(case_result::not_supported, what);
}

void case_context::inconclusive(const std::string& why) {
  throw case_ended(case_result::inconclusive, why);
}

void case_context::count_hold(const std::vector<clause_id>& clauses, hold_result result) {
  ++outcome_.holds;
  if (result != hold_result::canary && result != hold_result::calibrated) {
    ++outcome_.missed_holds[std::string(name(result))];
    return;
  }
  for (const clause_id& each : clauses) {
    opportunity_count& count = outcome_.opportunities[std::string(each.text)];
    ++(result == hold_result::canary ? count.canary : count.calibrated);
  }
}

void case_context::observe(std::string name, std::string value, std::string note) {
  outcome_.observations.push_back({std::move(name), std::move(value), std::move(note)});
}

void case_context::observe(case_outcome::observed what) {
  outcome_.observations.push_back(std::move(what));
}

case_outcome case_context::finish() {
  if (instance_.definition->observes) return finish_observing();
  if (outcome_.first_failure) {
    outcome_.result = outcome_.first_failure->kind == failure_kind::progress ? case_result::hang
                                                                            : case_result::fail;
    outcome_.reason = outcome_.first_failure->seen;
    return std::move(outcome_);
  }
  if (outcome_.result != case_result::pass || !instance_.definition->without_hold.empty()) {
    return std::move(outcome_);
  }
  for (const clause_id& each : instance_.clauses) {
    if (outcome_.opportunities.count(std::string(each.text)) != 0) continue;
    outcome_.result = case_result::inconclusive;
    outcome_.reason = fmt::format("no opportunity for {} in {} holds", each.text, outcome_.holds);
    for (const auto& [why, times] : outcome_.missed_holds) {
      outcome_.reason += fmt::format("; {} times {}", times, why);
    }
    break;
  }
  return std::move(outcome_);
}

/// Whatever went wrong, nothing was to be judged.
case_outcome case_context::finish_observing() {
  if (outcome_.first_failure) {
    outcome_.result = case_result::inconclusive;
    outcome_.reason = "could not be observed: " + outcome_.first_failure->seen;
    outcome_.first_failure.reset();
  } else if (outcome_.result == case_result::pass) {
    outcome_.reason = "observes only";
  }
  return std::move(outcome_);
}

case_outcome case_context::finish_with_current_exception() {
  try {
    throw;
  } catch (const case_ended& ended) {
    outcome_.result = ended.result;
    outcome_.reason = ended.what();
  } catch (const driver::call_error& error) {
    settle_call_error(error, outcome_, *this);
  } catch (const std::exception& error) {
    outcome_.result = case_result::error;
    outcome_.reason = error.what();
  } catch (...) {
    outcome_.result = case_result::error;
    outcome_.reason = "an exception that is no std::exception";
  }
  return finish();
}

case_outcome run_case(device_session& session, const case_instance& instance, std::uint64_t seed) {
  case_context context(session, instance, seed);
  try {
    for (const need each : instance.needs) {
      if (const auto lacking = missing(each, context.capabilities())) {
        context.not_supported(*lacking);
      }
      // Opening it loads and runs kernels: not behind a gate.
      if (each == need::runtime) (void)context.runtime();
    }
    instance.body(context);
    return context.finish();
  } catch (...) {
    return context.finish_with_current_exception();
  }
}

}  // namespace streamcts
