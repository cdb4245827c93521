// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/matrix/matrix_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

#include "harness/runner/errors.h"
#include "harness/runner/first_pass.h"
#include "harness/runner/host_facts.h"
#include "harness/runner/matrix/case_order.h"
#include "harness/runner/plan.h"
#include "harness/runner/selection.h"

namespace streamcts::runner {

namespace {

using results::verdict;

/// By how much waits are cut short under a fault.
constexpr double haste = 4;
/// How much slower than in the baseline a case may be under a fault before it is called a hang.
constexpr double slowdown = 10;
constexpr std::chrono::seconds longest_start{15};
/// An oddity may make everything slow: 50 ms for each of hundreds of host calls. A limit only has to
/// end what hangs.
constexpr std::chrono::seconds patience_with_oddities{120};
constexpr std::chrono::seconds oddity_budget{45};

/// Keeps the records of the baseline.
class baseline_sink : public record_sink {
 public:
  baseline_sink(std::vector<reports::baseline_case>& into, std::size_t total, progress& shown)
      : into_(into), total_(total), shown_(shown) {}
  void add(const results::case_record& record) override {
    into_.push_back({record.id, record.clauses, record.verdict, record.seconds,
                     results::is_red(record.verdict) ? red_line(record) : record.reason,
                     record.failure ? record.failure->clause : std::string()});
    shown_.phase(fmt::format("baseline {}/{}", into_.size(), total_));
  }
  void add(const results::observation&) override {}

 private:
  std::vector<reports::baseline_case>& into_;
  std::size_t total_;
  progress& shown_;
};

std::string signal_name(int number) {
  const char* text = ::sigabbrev_np(number);
  return text != nullptr ? fmt::format("SIG{}", text) : fmt::format("signal {}", number);
}

}  // namespace

std::string_view name(hold_kind value) {
  switch (value) {
    case hold_kind::gates: return "gates";
    case hold_kind::none: return "none";
    case hold_kind::equal: return "equal";
    case hold_kind::random: return "random";
  }
  return "unknown";
}

std::optional<hold_kind> hold_kind_from(std::string_view text) {
  for (const hold_kind each :
       {hold_kind::gates, hold_kind::none, hold_kind::equal, hold_kind::random}) {
    if (name(each) == text) return each;
  }
  return std::nullopt;
}

int run_matrix(const matrix_request& request, const program_parts& program,
               std::string_view catalogue_json) {
  return matrix_session(request, program, catalogue_json).go();
}

matrix_session::matrix_session(const matrix_request& request, const program_parts& program,
                               std::string_view catalogue_json)
    : request_(request),
      program_(program),
      catalogue_(parse_catalogue(catalogue_json, "catalogue.json")),
      shown_(stdout, request.shown) {}

int matrix_session::go() {
  holds_ = request_.holds;
  case_filters_ = request_.cases;
  options_.seed = request_.seed;
  options_.repeat = request_.repeat;
  options_.all_kills = request_.all_kills;
  if (!request_.resume.empty()) read_resumed();
  // Before anything is started: what is wrong on any machine.
  if (request_.resume.empty()) faults_ = select_faults(catalogue_, request_.faults);
  select_cases(program_.suite.cases(), tier::stress, case_filters_);
  choose_driver();
  find_driver();
  choose_faults();
  choose_cases();
  open_folder();
  say_what();
  try {
    if (matrix_.baseline.empty()) run_baseline();
    take_baseline();
    set_conditions();
    if (why_ended_.empty()) run_faults();
  } catch (const machine_error& error) {
    shown_.clear();
    matrix_.info.interrupted = error.what();
    try {
      write();
    } catch (const machine_error&) {
      // The disk is full, as somebody is about to say; the lines are there.
    }
    throw;
  }
  return conclude();
}

void matrix_session::run_baseline() {
  plan_options plan;
  plan.seed = options_.seed;
  plan.jobs = jobs_;
  first_pass::options pass;
  pass.have = target_.facts.capabilities;
  std::vector<reports::baseline_case> found;
  baseline_sink sink(found, cases_.size(), shown_);
  first_pass first(make_jobs(cases_, plan), std::move(pass),
                   [](const job_case&) { return std::string(); }, sink);
  // In the same haste as under a fault, but with all the time that a run gives: what is red here
  // is so for another reason.
  host_order host = target_.host;
  host.limits.holds = holds_;
  host.limits.haste = haste;
  loop_options loop;
  loop.jobs = jobs_;
  loop.tick = [this] { shown_.tick(); };
  run_jobs(first, fault_launcher(setup_, "", ""), host, calm_.limits, loop, signals_);
  if (signals_.request()) {
    why_ended_ = signal_name(*signals_.request());
    return;  // half a baseline is none
  }
  why_ended_ = first.why_stopped();
  if (!why_ended_.empty()) return;
  // A case whose child died of what it left behind has two records; the later one counts.
  std::map<std::string, reports::baseline_case> by_id;
  for (reports::baseline_case& each : found) by_id[each.id] = std::move(each);
  for (auto& [id, each] : by_id) matrix_.baseline.push_back(std::move(each));
  write();
}

void matrix_session::take_baseline() {
  std::map<std::string_view, const reports::baseline_case*> by_id;
  for (const reports::baseline_case& each : matrix_.baseline) by_id[each.id] = &each;
  for (const case_instance* each : cases_) {
    const auto found = by_id.find(each->id);
    if (found == by_id.end()) continue;
    const verdict how = found->second->verdict;
    // An Inconclusive case may well see a fault; without gates most are.
    if (how == verdict::pass || how == verdict::inconclusive) {
      usable_.push_back({each, found->second->seconds});
    }
  }
  if (!why_ended_.empty() || holds_ != hold_kind::gates) return;
  const auto wrong = reports::summarize(matrix_).baseline_red;
  if (wrong == 0) return;
  if (!request_.leave_out_red) {
    why_ended_ = fmt::format("without a fault {} not green; '--leave-out-red' goes on without",
                             wrong == 1 ? "a case is" : fmt::format("{} cases are", wrong));
  }
  for (const reports::baseline_case& each : matrix_.baseline) {
    for (std::string& clause : each.masks()) red_clauses_.insert(std::move(clause));
    if (each.red()) {
      shown_.line(fmt::format("baseline: {} {}: {}", results::to_string(each.verdict), each.id,
                              each.reason));
    }
  }
}

void matrix_session::set_conditions() {
  double slowest = 0;
  for (const timed_case& each : usable_) slowest = std::max(slowest, each.seconds);
  hasty_ = calm_;
  hasty_.host.limits.haste = haste;
  hasty_.limits.limits.haste = haste;
  const auto patience =
      std::chrono::ceil<time_limits::duration>(hasty_.host.limits.patience());
  const time_limits::duration slow(static_cast<std::int64_t>(1e3 * slowdown * slowest));
  hasty_.limits.timeout = std::max(2 * patience + std::chrono::seconds(1), slow);
  hasty_.limits.start_timeout =
      std::max<time_limits::duration>(longest_start, 20 * calm_.limits.start);
  calm_.limits.timeout = std::max<time_limits::duration>(patience_with_oddities, 2 * slow);
}

std::unique_ptr<trial> matrix_session::next_trial() {
  if (left_.empty()) return nullptr;
  const fault& of = *left_.front();
  left_.pop_front();
  if (!of.benign || request_.whole_oddities) {
    return std::make_unique<trial>(of, queue_for(of, usable_), options_);
  }
  trial_options brief = options_;
  brief.budget = oddity_budget;
  return std::make_unique<trial>(of, queue_for(of, cover_of(of, usable_)), brief);
}

case_queue matrix_session::queue_for(const fault& of, const std::vector<timed_case>& cases) const {
  case_queue made = order_cases(of, cases);
  made.masked = masked_clauses(of, red_clauses_);
  return made;
}

void matrix_session::run_faults() {
  std::set<std::string_view> done;
  for (const reports::fault_record& each : matrix_.faults) done.insert(each.id);
  for (const fault& each : faults_) {
    if (!done.contains(each.id)) left_.push_back(&each);
  }
  trial_loop_options loop;
  loop.jobs = jobs_;
  loop.tick = [this] { show(); };
  run_trials(
      setup_, [this] { return next_trial(); },
      [this](const fault& of) -> const trial_conditions& { return of.benign ? calm_ : hasty_; },
      [this](const reports::fault_record& record) { add(record); }, loop, signals_);
  if (signals_.request()) why_ended_ = signal_name(*signals_.request());
}

}  // namespace streamcts::runner
