// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What cases made of programs share.

#include "conformance/programs/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/program/order_graph.h"
#include "harness/program/text.h"

namespace streamcts {
namespace {

failure_kind kind_of(const program::violation& v) {
  switch (v.kind) {
    case program::violation_kind::not_done:
    case program::violation_kind::begun:
      return failure_kind::early;
    case program::violation_kind::wrong_data:
      return v.seen.is_torn() ? failure_kind::torn : failure_kind::stale;
    case program::violation_kind::lost:
      return failure_kind::lost;
    case program::violation_kind::repeated:
      return failure_kind::duplicate;
    case program::violation_kind::wrong_status:
      return failure_kind::status;
    case program::violation_kind::wrong_arguments:
      return failure_kind::argument;
    case program::violation_kind::hang:
      return failure_kind::progress;
    default:
      return failure_kind::other;
  }
}

/// Says on stderr which program comes next: the end of it is kept of a child that dies.
void announce(const std::string& origin) {
  const std::string line = "program " + origin + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

std::string lane_of(const program::stream_program& p, const program::layout& items,
                    const program::log_entry& e) {
  using event = program::log_entry::event;
  if (e.what == event::called || e.what == event::returned) {
    return fmt::format("host thread {}", p.ops[program::at(e.number)].thread);
  }
  if (e.what == event::released) return "gatekeeper";
  const program::index stream = items.items()[program::at(e.number)].stream;
  return stream == program::none
             ? "host"
             : fmt::format("stream {}", p.streams[program::at(stream)].name.view());
}

failure_event event_of(const program::stream_program& p, const program::layout& items,
                       const program::log_entry& e) {
  using event = program::log_entry::event;
  const bool call = e.what == event::called || e.what == event::returned;
  failure_event out;
  out.sequence = e.sequence;
  out.lane = lane_of(p, items, e);
  out.operation = call ? program::line_of(p, p.ops[program::at(e.number)])
                       : program::item_name(p, items.items()[program::at(e.number)]);
  out.phase = e.what == event::called     ? log_phase::enqueue
              : e.what == event::begun    ? log_phase::begin
              : e.what == event::released ? log_phase::mark
                                          : log_phase::end;
  return out;
}

failure failure_of(const program::driver_failure& f) {
  failure out;
  out.clause = f.why.clause;
  out.kind = kind_of(f.found);
  out.observer = f.why.observer;
  out.expected = f.why.expected;
  out.seen = f.why.seen;
  for (const program::explained_edge& e : f.why.edges) {
    out.edges.push_back({e.from, e.to, std::string(e.clause), e.clause == f.why.clause});
  }
  const program::layout items(f.program);
  for (const program::log_entry& e : f.seen.log) {
    out.events.push_back(event_of(f.program, items, e));
  }
  return out;
}

}  // namespace

program::environment program_runs::environment_of(case_context& context) {
  device_session& session = context.session();
  program::environment where;
  where.cuda = &context.cuda();
  where.per_thread = &context.cuda_per_thread();
  where.kernels = &context.kernels();
  where.context = session.context();
  where.make_current = [&session] { session.make_current(); };
  where.limits = context.calibration();
  where.managed = context.capabilities().works(driver::feature::managed_concurrent);
  where.memops = context.capabilities().works(driver::feature::memop_32);
  if (const char* slots = std::getenv("STREAMCTS_PROGRAM_SLOTS")) {
    const int wanted = std::atoi(slots);
    if (wanted >= 1 && wanted <= 32) where.slots = static_cast<std::size_t>(wanted);
  }
  return where;
}

program_runs::program_runs(case_context& context)
    : context_(context),
      executor_(std::make_unique<program::executor>(environment_of(context))),
      judge_(std::make_unique<program::judge>(*executor_)) {
  judge_->on_hold([this](const program::ready_program& of, program::index held, hold_result r) {
    count(of, held, r);
  });
}

program_runs::~program_runs() = default;

void program_runs::count(const program::ready_program& of, program::index held,
                         hold_result result) {
  if (counted_ != &of) behind_.clear();
  counted_ = &of;
  const auto [place, first] = behind_.try_emplace(held);
  if (first) {
    const program::order_graph graph(of.expectations());
    const auto clauses = graph.clauses_behind(program::at(held));
    for (const clause_id& c : context_.instance().clauses) {
      if (std::ranges::find(clauses, c.text) != clauses.end()) place->second.push_back(c);
    }
  }
  context_.count_hold(place->second, result);
}

bool program_runs::run(const program::stream_program& p) {
  announce(p.origin);
  counted_ = nullptr;
  auto failed = judge_->run(p);
  if (!failed) return true;
  fail(program::make_small(*judge_, std::move(*failed), std::chrono::seconds(10)));
  return false;
}

void program_runs::search(std::uint64_t seed, std::chrono::nanoseconds limit) {
  const auto found = program::search_driver(*judge_, seed, limit, announce);
  if (found) fail(*found);
}

void program_runs::fail(const program::found_program& found) {
  const program::driver_failure& f = found.failure;
  context_.observe(
      "program", program::to_text(f.program),
      fmt::format("{}: {} operations, {} after {} trials; {} of {} further runs failed",
                  found.origin, found.from, f.program.ops.size(), found.evaluations, found.again,
                  found.again_of));
  context_.observe("explanation", f.why.text());
  if (found.seconds > 0) context_.observe("seconds to find", fmt::format("{:.3f}", found.seconds));
  context_.broken(failure_of(f));
}

void program_runs::finish() {
  const program::judge_counts& c = judge_->counts();
  context_.observe("program runs",
                   fmt::format("{} programs, {} runs, {} holds: {} opportunities by canary, {} by "
                               "calibrated hold",
                               c.programs, c.runs, c.holds, c.by_canary, c.by_time));
  if (context_.failed()) return;
  if (c.runs == 0 && !c.not_supported.empty()) {
    context_.not_supported(c.not_supported.begin()->first);
  }
  if (c.holds == 0 || c.by_canary + c.by_time != 0) return;
  std::string why = fmt::format("no opportunity in {} holds", c.holds);
  for (const auto& [reason, times] : c.missed) why += fmt::format("; {} times {}", times, reason);
  context_.inconclusive(why);
}

}  // namespace streamcts
