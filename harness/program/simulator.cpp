// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/simulator.h"

#include <algorithm>

namespace streamcts::program {
namespace {

bool timed(schedule s) {
  return s >= schedule::natural && s <= schedule::timed_hold;
}

}  // namespace

std::string_view to_string(schedule s) {
  constexpr std::array<std::string_view, 7> words{
      "uniform", "priority", "natural", "random_delays", "equal_delays", "timed_hold", "hold"};
  return words.at(static_cast<std::size_t>(s));
}

std::string_view to_string(variant v) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(variant::count)> words{
      "weakest",           "ambiguous",          "single_queue",    "blocking_calls",
      "serial_host_calls", "spurious_not_ready", "late_host_calls", "all_blocking",
      "lazy_start",        "inline_host_calls"};
  return words.at(static_cast<std::size_t>(v));
}

void simulator::load(const stream_program& program, const layout& items) {
  program_ = &program;
  items_ = &items;
  for (thread_state& t : threads_) t.ops.clear();
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    threads_[program.ops[i].thread].ops.push_back(static_cast<index>(i));
  }
}

void simulator::reset(const run_options& options) {
  options_ = options;
  random_ = random_source(options.seed);
  seen_.clear();
  seen_.held = options.held;
  seen_.ops.assign(program_->ops.size(), {});
  seen_.outcomes.assign(program_->ops.size(), call_outcome::as_promised);
  returned_.assign(program_->ops.size(), 0);
  queues_used_ = 0;
  tokens_.clear();
  graphs_.assign(program_->graphs.size(), {});
  running_.clear();
  replays_.clear();
  waits_seen_.clear();
  contents_.clear();
  for (std::size_t b = 0; b < program_->buffers.size(); ++b) {
    contents_.push_back(buffer_value::initial(b));
  }
  taken_.assign(items_->size(), buffer_value::torn());
  start_ready_.assign(items_->size(), -1);
  priorities_.assign(items_->size() + limits::threads, -1);
  for (item_set* s : {&begun_, &done_, &over_, &submitted_, &flushed_, &captured_, &doomed_}) {
    s->clear();
  }
  events_.resize(program_->events.size());
  for (event_state& e : events_) {
    e.token = -1;
    e.stream = none;
    e.relay = false;
    e.waits.clear();
  }
  for (thread_state& t : threads_) {
    t.next = 0;
    t.in_call = false;
    t.whole_context = false;
    t.ready = -1;
  }
  host_running_ = errors_reported_ = error_callbacks_ = 0;
  faulted_ = final_called_ = final_returned_ = false;
  fault_stream_ = none;
  sequence_ = 0;
  now_ = 0;
  final_thread_ = program_->ops.empty() ? 0 : program_->ops.front().thread;
  reset_streams();
}

void simulator::reset_streams() {
  streams_.resize(program_->streams.size());
  int per_thread_queue = -1;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    stream_state& s = streams_[i];
    const stream_decl& d = program_->streams[i];
    s.queue = new_queue();
    s.legacy = d.kind == stream_kind::legacy;
    s.nonblocking = d.kind == stream_kind::nonblocking;
    s.per_thread = d.kind == stream_kind::per_thread;
    s.barrier = (d.kind == stream_kind::blocking) || (s.per_thread && !is(defect::d11)) ||
                (s.nonblocking && options_.legal == variant::all_blocking);
    s.high_priority = d.priority < 0;
    s.destroyed = s.waited = false;
    s.fence.clear();
    s.device_fence.clear();
    s.previous_fence.clear();
    s.host_calls = 0;
    s.side_queue = s.late_signal = s.last_thread = -1;
    if (s.per_thread && per_thread_queue < 0) per_thread_queue = static_cast<int>(s.queue);
  }
  if (!is(defect::d13)) return;
  for (stream_state& s : streams_) {
    if (s.legacy && per_thread_queue >= 0) s.queue = static_cast<std::size_t>(per_thread_queue);
    s.legacy = false;
  }
}

const history& simulator::run(const run_options& options) {
  reset(options);
  for (;;) {
    advance();
    collect();
    if (actions_.empty()) break;
    perform(actions_[choose()]);
  }
  seen_.finished = final_returned_ && running_.empty();
  return seen_;
}

void simulator::collect() {
  actions_.clear();
  for (std::size_t i = 0; i < queues_used_; ++i) {
    const queue& q = queues_[i];
    if (q.busy || q.empty()) continue;
    const entry& e = q.entries[q.head];
    if (e.what != entry::type::item || !may_start(e.number)) continue;
    actions_.push_back({action::type::start, static_cast<std::uint16_t>(i), e.number});
  }
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const running_item& r = running_[i];
    const auto position = static_cast<std::uint16_t>(i);
    actions_.push_back({action::type::finish, position, r.item});
    const bool lapses = is(defect::b9) && !r.released && items_->host_calls().has(r.item) &&
                        (timed(options_.how) || options_.held == static_cast<index>(r.item));
    if (lapses) actions_.push_back({action::type::lapse, position, r.item});
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    thread_state& t = threads_[i];
    if (t.in_call ? can_return(t) : can_call(t)) {
      actions_.push_back({action::type::host, static_cast<std::uint16_t>(i), 0});
    }
  }
}

/// 0: moves freely. 1: only when nothing of 0 can. 2: the end of the held item.
int simulator::rank(const action& a) const {
  const bool held = options_.how == schedule::hold && options_.held == static_cast<index>(a.item);
  if (a.what == action::type::finish && held) return 2;
  if (a.what == action::type::lapse) return 1;
  const bool late = options_.legal == variant::late_host_calls && a.what == action::type::start &&
                    items_->host_calls().has(a.item);
  return late ? 1 : 0;
}

std::size_t simulator::choose() {
  if (timed(options_.how)) {
    std::size_t best = 0;
    double earliest = infinity;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      const double t = ready_time(actions_[i]);
      if (t < earliest) {
        earliest = t;
        best = i;
      }
    }
    now_ = std::max(now_, earliest);
    return best;
  }
  int lowest = 3;
  std::size_t count = 0;
  for (const action& a : actions_) {
    const int r = rank(a);
    if (r < lowest) count = 0;
    lowest = std::min(lowest, r);
    count += r == lowest ? 1 : 0;
  }
  std::size_t pick = random_.below(count);
  double highest = -1;
  std::size_t best = 0;
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    if (rank(actions_[i]) != lowest) continue;
    if (options_.how != schedule::priority) {
      if (pick-- == 0) return i;
      continue;
    }
    double& p =
        priorities_[actions_[i].what == action::type::host ? items_->size() + actions_[i].index
                                                           : actions_[i].item];
    if (p < 0) p = 1 + random_.real();
    if (p <= highest) continue;
    highest = p;
    best = i;
  }
  if (random_.chance(.05)) {
    priorities_[actions_[best].what == action::type::host ? items_->size() + actions_[best].index
                                                          : actions_[best].item] = random_.real();
  }
  return best;
}

double simulator::ready_time(const action& a) {
  constexpr double call = 3, kernel_start = 2, host_start = 15, run_time = 2, longer = 100;
  constexpr double hold = 1000, lapse = 500;
  double* ready = nullptr;
  double latency = call;
  switch (a.what) {
    case action::type::host:
      ready = &threads_[a.index].ready;
      break;
    case action::type::start:
      ready = &start_ready_[a.item];
      latency = items_->host_calls().has(a.item) ? host_start : kernel_start;
      if (options_.legal == variant::late_host_calls && latency == host_start) latency *= 1000;
      latency *= .8 + .4 * random_.real();
      break;
    case action::type::lapse:
      return running_[a.index].started + lapse;
    case action::type::finish:
      ready = &running_[a.index].ready;
      latency = run_time;
      if (options_.how == schedule::equal_delays) latency += longer;
      if (options_.how == schedule::timed_hold && options_.held == static_cast<index>(a.item)) {
        latency += hold;
      }
      if (*ready < 0 && options_.how == schedule::random_delays && random_.chance(.5)) {
        latency += random_.real() * longer;
      }
  }
  if (*ready < 0) *ready = now_ + latency;
  return *ready;
}

void simulator::perform(const action& a) {
  switch (a.what) {
    case action::type::start:
      start(a.index, a.item);
      return;
    case action::type::lapse:
      release(running_[a.index]);
      return;
    case action::type::host:
      threads_[a.index].ready = -1;
      host_action(a.index);
      return;
    case action::type::finish: {
      const bool holds = options_.how == schedule::hold || options_.how == schedule::timed_hold;
      if (holds && options_.held == static_cast<index>(a.item)) {
        look_from({observer::place::gate_look, options_.held}, true);
        seen_.begun_at_look = begun_;
        note(log_entry::event::released, a.item);
      }
      finish(a.index);
    }
  }
}

void simulator::advance() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t i = 0; i < queues_used_; ++i) {
      while (pop_ready(queues_[i])) moved = true;
    }
  }
}

bool simulator::pop_ready(queue& q) {
  if (q.empty() || q.busy) return false;
  const entry& e = q.entries[q.head];
  switch (e.what) {
    case entry::type::item:
      return false;
    case entry::type::signal:
      tokens_[e.number] = 1;
      break;
    case entry::type::wait:
      if (tokens_[e.number] == 0) return false;
      break;
    case entry::type::wait_event: {
      const int token = events_[e.number].token;
      if (token >= 0 && tokens_[static_cast<std::size_t>(token)] == 0) return false;
    }
  }
  ++q.head;
  ++q.popped;
  return true;
}

void simulator::look_from(const observer& from, bool buffers) {
  look l{from, ++sequence_, begun_, done_, look::no_values};
  if (buffers && !contents_.empty()) {
    l.values = static_cast<std::uint32_t>(seen_.values.size());
    seen_.values.insert(seen_.values.end(), contents_.begin(), contents_.end());
  }
  seen_.looks.push_back(l);
}

void simulator::note(log_entry::event what, std::size_t number) {
  seen_.log.push_back({++sequence_, what, static_cast<index>(number)});
}

}  // namespace streamcts::program
