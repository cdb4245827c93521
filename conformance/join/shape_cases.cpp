// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Several streams joined into one, directly or through others.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/poll.h"

namespace streamcts {
namespace {

/// How streams are joined. Each node is a stream; the host call is in the last one.
enum class shape { chain_3, chain_5, chain_16, diamond, tree_8, fan_in_2, fan_in_8, fan_in_33,
                   fan_in_128 };
std::string_view name(shape what) {
  switch (what) {
    case shape::chain_3: return "chain_3";
    case shape::chain_5: return "chain_5";
    case shape::chain_16: return "chain_16";
    case shape::diamond: return "diamond";
    case shape::tree_8: return "tree_8";
    case shape::fan_in_2: return "fan_in_2";
    case shape::fan_in_8: return "fan_in_8";
    case shape::fan_in_33: return "fan_in_33";
    case shape::fan_in_128: return "fan_in_128";
  }
  return "unknown";
}

/// What the streams in the middle contain besides a wait and a record.
enum class relay { empty, working };
std::string_view name(relay what) { return what == relay::empty ? "empty" : "working"; }

bool is_fan_in(shape what) { return what >= shape::fan_in_2; }

axis shapes() {
  return make_axis<shape>(
      "shape", {shape::chain_3, shape::chain_5, {shape::chain_16, tier::standard}, shape::diamond,
                shape::tree_8, shape::fan_in_2, shape::fan_in_8, shape::fan_in_33,
                {shape::fan_in_128, tier::stress}});
}

axis relays() { return make_axis<relay>("relay", {relay::empty, relay::working}); }

/// A fan-in has no stream in the middle.
bool makes_sense(const parameters& values) {
  return !is_fan_in(values.get<shape>("shape")) || values.get<relay>("relay") == relay::empty;
}

std::vector<clause_id> shape_clauses(const parameters& values) {
  if (is_fan_in(values.get<shape>("shape"))) return {clause::JN_EVENT_002};
  if (values.get<relay>("relay") == relay::empty) return {clause::JN_EVENT_003};
  return {clause::JN_EVENT_003, clause::JN_EVENT_002};
}

using predecessors = std::vector<std::vector<int>>;

predecessors chain_of(int streams) {
  predecessors nodes(1);
  for (int i = 1; i < streams; ++i) nodes.push_back({i - 1});
  return nodes;
}

predecessors fan_in_of(int streams) {
  predecessors nodes(static_cast<std::size_t>(streams));
  nodes.emplace_back();
  for (int i = 0; i < streams; ++i) nodes.back().push_back(i);
  return nodes;
}

/// For each node the nodes whose events it waits for, in this order.
predecessors nodes_of(shape what) {
  switch (what) {
    case shape::chain_3: return chain_of(3);
    case shape::chain_5: return chain_of(5);
    case shape::chain_16: return chain_of(16);
    case shape::diamond: return {{}, {0}, {0}, {1, 2}};
    case shape::tree_8:
      return {{}, {}, {}, {}, {}, {}, {}, {}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11},
              {12, 13}};
    case shape::fan_in_2: return fan_in_of(2);
    case shape::fan_in_8: return fan_in_of(8);
    case shape::fan_in_33: return fan_in_of(33);
    case shape::fan_in_128: return fan_in_of(128);
  }
  return {};
}

/// The streams of one shape and what is in them.
class joined_streams {
 public:
  joined_streams(case_context& context, arrangement& scene)
      : scene_(scene),
        nodes_(nodes_of(context.get<shape>("shape"))),
        limit_(context.calibration().hold()) {
    const bool relays_work = context.get<relay>("relay") == relay::working;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool is_last = i + 1 == nodes_.size();
      lanes_.push_back(&scene.stream(stream_of(context)));
      events_.push_back(is_last ? nullptr : &scene.event());
      const bool works = !is_last && (nodes_[i].empty() || relays_work);
      out_.push_back(works ? &scene.buffer(memory_kind::mapped, producer::kernel, 512) : nullptr);
      if (works) workers_.push_back(i);
    }
  }

  /// Nodes with work of their own.
  const std::vector<std::size_t>& workers() const { return workers_; }
  bool is_direct(std::size_t node) const {
    const auto& last = nodes_.back();
    return std::find(last.begin(), last.end(), static_cast<int>(node)) != last.end();
  }

  void watch(observer& call) const {
    for (const std::size_t each : workers_) call.looks_at(*out_[each]);
  }

  /// Enqueues everything, the work of node @p held as the victim.
  operation enqueue(std::size_t held, observer& call) {
    operation victim{};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const int each : nodes_[i]) scene_.wait(*lanes_[i], *events_[each]);
      if (out_[i] != nullptr && i == held) {
        victim = scene_.victim(*lanes_[i], *out_[i]);
      } else if (out_[i] != nullptr) {
        scene_.write(*lanes_[i], *out_[i]);
      }
      if (events_[i] != nullptr) scene_.record(*events_[i], *lanes_[i]);
    }
    await_others(held);
    scene_.enqueue(*lanes_.back(), call);
    return victim;
  }

 private:
  /// Until the streams in front that have nothing to do with the held one are done, or a hold has passed:
  /// a host call that forgets the held one is then free to start, and has its chance before the canary.
  void await_others(std::size_t held) const {
    driver::poll(limit_, [&] {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (i == held || !nodes_[i].empty()) continue;
        if (events_[i]->event.table().cuEventQuery(events_[i]->get()) == CUDA_ERROR_NOT_READY) {
          return false;
        }
      }
      return true;
    });
  }

  arrangement& scene_;
  predecessors nodes_;
  std::chrono::nanoseconds limit_;
  std::vector<lane*> lanes_;
  std::vector<mark*> events_;
  std::vector<product*> out_;
  std::vector<std::size_t> workers_;
};

// Promise:   JN-EVENT-002, JN-EVENT-003. A host call comes after the captured work of every stream joined
//            into its own, however many they are and however many streams lie between, even where those
//            contain nothing but the wait and the record.
// Defect:    only the first, the last or so many waits of a stream count; an event recorded in a stream
//            without work stands for nothing. The payload of the forgotten stream is still sentinel.
// Any speed: the work of each stream is held in turn while all others run; whichever stream was
//            forgotten, one of the rounds holds it.
STREAMCTS_CASE(joined_in_shape, {.arrangement = "join/shape",
                                 .clauses = {clause::JN_EVENT_002, clause::JN_EVENT_003},
                                 .clauses_of = shape_clauses,
                                 .axes = {shapes(), relays(), host_calls(), created_streams()},
                                 .valid = makes_sense,
                                 .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  joined_streams streams(context, scene);
  const auto& workers = streams.workers();
  const int turns = static_cast<int>(workers.size());
  for (int round = 0; scene.next_round(turns * context.by_tier(1, 1, 4)); ++round) {
    const std::size_t held = workers[static_cast<std::size_t>(round % turns)];
    const clause_id promise =
        streams.is_direct(held) ? clause::JN_EVENT_002 : clause::JN_EVENT_003;
    observer& call = scene.host_call(host_call_of(context));
    streams.watch(call);
    operation victim{};
    scene.hold_work([&] { victim = streams.enqueue(held, call); }, {promise});
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
