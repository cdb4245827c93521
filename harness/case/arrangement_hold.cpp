// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <mutex>

#include "harness/case/arrangement.h"
#include "harness/driver/result.h"

namespace streamcts {

namespace {

/// Host calls that never came may still come: what they touch lives until the process ends.
void bury(std::shared_ptr<void> remains) {
  static std::mutex mutex;
  static auto* graveyard = new std::vector<std::shared_ptr<void>>;
  std::lock_guard lock(mutex);
  graveyard->push_back(std::move(remains));
}

/// Uniform in [0, 1), the same for the same two numbers: the top bits of splitmix64's finalizer.
double chance_of(std::uint64_t seed, std::uint64_t epoch) {
  std::uint64_t value = seed + (epoch + 1) * 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((value ^ (value >> 31)) >> 11) * 0x1p-53;
}

}  // namespace

arrangement::~arrangement() {
  for (auto* each : {&victim_gate_, &front_gate_, &canary_gate_}) {
    if (*each) (*each)->open();
  }
  for (lane& each : lanes_) (void)context_.cuda().cuStreamSynchronize(each.get());
  (void)context_.cuda().cuStreamSynchronize(canary_stream_.get());
  // Streams that were destroyed and per-thread streams of other threads are not among the lanes.
  (void)context_.cuda().cuCtxSynchronize();
  waits_.clear();
  const bool quiet = std::all_of(observers_->begin(), observers_->end(), [](const auto& each) {
    return each.slot().ended() || !each.armed();
  });
  if (!quiet) bury(observers_);
}

gate& arrangement::new_gate(std::unique_ptr<gate>& place) {
  const streamcts::calibration& limits = context_.calibration();
  const double chance =
      limits.holds == hold_kind::random ? chance_of(context_.seed(), context_.next_epoch()) : 0;
  const control_word word = control_.next();
  // Where victims are delayed instead, the gate is one that nobody opens before it expires.
  place = std::make_unique<gate>(word, control_.next(), limits.delay(chance));
  if (limits.holds == hold_kind::none) place->open();
  return *place;
}

gate& arrangement::new_victim_gate() {
  if (!gate_words_) return new_gate(victim_gate_);
  const auto [word, begun] = *std::exchange(gate_words_, std::nullopt);
  victim_gate_ = std::make_unique<gate>(word, begun, context_.calibration().gate_timeout());
  return *victim_gate_;
}

void arrangement::arm(streamcts::observer& call) {
  gate* victim = victim_gate_.get();
  call.armed_ = true;
  call.slot_.at_start = [&call, victim] {
    for (glance& each : call.glances_) {
      each.victim = victim != nullptr ? victim->now() : gate::state::opened;
      each.seen = each.at->data.look();
    }
    if (call.first_act_) call.first_act_();
  };
  call.slot_.before_return = [&call] {
    for (auto& each : call.markers_) each.value = each.word.load();
    for (glance& each : call.guarded_) {
      each.seen = look_for_sentinel(each.at->data.host_words());
    }
    if (call.last_act_) call.last_act_();
  };
}

hold_result arrangement::keep(hold_order& order, const std::function<void()>& enqueue,
                              const std::function<void()>& canary,
                              const std::vector<clause_id>& clauses) {
  gatekeeper& keeper = context_.session().keeper();
  keeper.watch(order);
  try {
    enqueue();
    canary();
    begin_host_waits();
  } catch (...) {
    order.abandon.store(true);
    keeper.finish(order);
    throw;
  }
  order.all_enqueued.store(true);
  const hold_result result = keeper.finish(order);
  context_.log().add("host", "gate of the victim opens", log_phase::mark);
  context_.count_hold(clauses.empty() ? context_.instance().clauses : clauses, result);
  blocked_holds_ = result == hold_result::enqueue_blocked ? blocked_holds_ + 1 : 0;
  return result;
}

hold_result arrangement::hold_work(const std::function<void()>& enqueue,
                                   const std::vector<clause_id>& clauses) {
  streamcts::observer& canary = observers_->emplace_back();
  canary.name_ = "canary";
  canary.armed_ = true;
  hold_order order;
  order.victim = &new_victim_gate();
  order.canary_ran = [&canary] { return canary.slot_.ended(); };
  return keep(order, enqueue, [&] {
    canary.slot_.enqueue(context_.cuda(), host_call::launch_host_func, canary_stream_.get());
  }, clauses);
}

hold_result arrangement::hold_call(lane& on, streamcts::observer& victim,
                                   const std::function<void()>& enqueue, const call_hold& how) {
  const driver::function_table& cuda = context_.cuda();
  const way to = into(on);
  const control_word canary = control_.next();
  hold_order order;
  order.victim = &new_victim_gate();
  if (how.behind_gate) order.front = &new_gate(front_gate_);
  order.canary_gate = &new_gate(canary_gate_);
  order.canary_ran = [canary] { return canary.load() != 0; };
  order.at_least = how.at_least;
  victim.slot_.hold = victim_gate_.get();
  return keep(order, [&] {
    if (how.behind_gate) {
      front_gate_->enqueue(to.cuda, to.kernels, to.stream, gate_kind::mapped_flag);
    }
    if (how.before) how.before();
    if (how.victim) {
      how.victim();
    } else {
      this->enqueue(on, victim);
    }
    enqueue();
  }, [&] {
    canary_gate_->enqueue(cuda, context_.kernels(), canary_stream_.get(), gate_kind::mapped_flag);
    context_.kernels().signal(canary_stream_.get(), canary.device(), 1);
  }, how.clauses);
}

void arrangement::drain() {
  // First what threads of their own wait for: a synchronize here could repair what they are about to find.
  await_host_waits();
  for (lane& each : lanes_) each.stream.synchronize();
  canary_stream_.synchronize();
  await_host_calls();
}

void arrangement::await_host_calls() {
  const auto start = std::chrono::steady_clock::now();
  for (streamcts::observer& each : *observers_) {
    for (unsigned step = 0; each.armed_ && !each.slot_.ended(); ++step) {
      if (std::chrono::steady_clock::now() - start > context_.calibration().patience()) {
        context_.broken({.clause = std::string(context_.instance().clauses.front().text),
                         .kind = failure_kind::lost,
                         .observer = "host after synchronizing every stream",
                         .expected = each.name_ + " to have run once",
                         .seen = "it has not run",
                         .site = {},
                         .edges = {},
                         .events = {}});
        bury(observers_);
        observers_ = std::make_shared<std::deque<streamcts::observer>>();
        return;
      }
      relax_thread(step);
    }
  }
}

}  // namespace streamcts
