// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A host function sees what streams joined before it have done.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

using driver::stream_kind;

/// How the work of other streams is joined to the host function's.
enum class shape {
  event,    ///< one stream
  relay,    ///< one stream, through another without work of its own
  diamond,  ///< one stream, its work passed on to two others, both joined
  fan_in,   ///< eight streams
};
std::string_view name(shape what) {
  switch (what) {
    case shape::event: return "event";
    case shape::relay: return "relay";
    case shape::diamond: return "diamond";
    case shape::fan_in: return "fan_in";
  }
  return "unknown";
}

/// The streams, events and payloads of a shape. The host function's stream is a further one.
class join {
 public:
  join(arrangement& scene, shape what, memory_kind memory, producer by, stream_kind last)
      : scene_(scene), shape_(what), last_(scene.stream(last)) {
    const std::size_t streams = what == shape::fan_in ? 8 : what == shape::event ? 1 :
                                what == shape::relay  ? 2 : 3;
    for (std::size_t i = 0; i < streams; ++i) {
      lanes_.push_back(&scene.stream(i % 2 == 0 ? stream_kind::blocking : stream_kind::non_blocking));
      events_.push_back(&scene.event());
      if (what != shape::relay || i == 0) outs_.push_back(&scene.buffer(memory, by));
    }
  }

  lane& last() { return last_; }
  /// How many payloads there are: each of them can be the held one.
  std::size_t size() const { return outs_.size(); }

  void prepare(observer& call) {
    for (product* each : outs_) call.looks_at(*each);
  }

  /// Enqueues everything in front of the host function; payload @p held is the victim.
  operation enqueue(std::size_t held) {
    const auto produce = [&](std::size_t i) {
      const operation made = i == held ? scene_.victim(*lanes_[i], *outs_[i])
                                       : scene_.write(*lanes_[i], *outs_[i]);
      if (i == held) victim_ = made;
    };
    const auto pass = [&](std::size_t from, lane& to) { scene_.wait(to, *events_[from]); };
    switch (shape_) {
      case shape::event:
      case shape::fan_in:
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
          produce(i);
          scene_.record(*events_[i], *lanes_[i]);
        }
        for (std::size_t i = 0; i < lanes_.size(); ++i) pass(i, last_);
        break;
      case shape::relay:
        produce(0);
        scene_.record(*events_[0], *lanes_[0]);
        pass(0, *lanes_[1]);
        scene_.record(*events_[1], *lanes_[1]);
        pass(1, last_);
        break;
      case shape::diamond:
        produce(0);
        scene_.record(*events_[0], *lanes_[0]);
        for (const std::size_t i : {1, 2}) {
          pass(0, *lanes_[i]);
          produce(i);
          scene_.record(*events_[i], *lanes_[i]);
        }
        for (const std::size_t i : {1, 2}) pass(i, last_);
        break;
    }
    return victim_;
  }

 private:
  arrangement& scene_;
  shape shape_;
  lane& last_;
  std::vector<lane*> lanes_;
  std::vector<mark*> events_;
  std::vector<product*> outs_;
  operation victim_ = 0;
};

// Promise:   HF-UM-001. Starting a host function is like synchronizing an event recorded right in front
//            of it: the results of streams joined before are there.
// Defect:    host functions are scheduled by the work of their own stream alone, or by the first or last
//            of several waits. The host function finds the sentinel in a joined stream's payload.
// Any speed: of the joined streams each is the held one in some round, until the host function had its
//            chance. Events are recorded anew in each round: from the second on they were complete before.
STREAMCTS_CASE(joined, {.arrangement = "hostfunc/joined",
                        .clauses = {clause::HF_UM_001},
                        .axes = {make_axis<shape>("shape", {shape::event, shape::relay, shape::diamond,
                                                            shape::fan_in}),
                                 streams(), producers(), memories()},
                        .needs = {need::device_gate},
                        .needs_of = needs_of_memory}) {
  arrangement scene(context);
  join from(scene, context.get<shape>("shape"), memory_of(context), producer_of(context),
            stream_of(context));
  const int rounds = static_cast<int>(from.size() == 1 ? 2 : from.size());
  for (std::size_t held = 0; scene.next_round(context.by_tier(rounds, rounds, 8 * rounds)); ++held) {
    observer& call = scene.host_call(host_call::launch_host_func);
    from.prepare(call);
    operation victim{};
    scene.hold_work([&] {
      victim = from.enqueue(held % from.size());
      scene.enqueue(from.last(), call);
    });
    scene.drain();
    scene.expect_complete(clause::HF_UM_001, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
