// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/context.h"
#include "harness/case/explain.h"
#include "harness/case/matchers.h"
#include "harness/driver/event.h"
#include "harness/driver/stream.h"
#include "harness/observe/control.h"
#include "harness/observe/host_call.h"
#include "harness/observe/payload.h"

namespace streamcts {

/// What writes a payload.
enum class producer {
  kernel,
  copy,    ///< an asynchronous copy of device memory
  memset,  ///< cuMemsetD32Async
};
std::string_view name(producer what);

namespace driver {
inline std::string_view name(stream_kind kind) { return to_string(kind); }
}  // namespace driver

/// A stream of an arrangement.
struct lane {
  driver::stream stream;
  std::string name;  ///< "stream A (blocking)"
  std::optional<operation> last;  ///< the operation that later work of the stream is ordered behind

  CUstream get() const { return stream.get(); }
  bool takes_part_in_legacy_barrier() const;
};

/// An event of an arrangement.
struct mark {
  driver::event event;
  std::string name;  ///< "event 1"
  std::optional<operation> recorded;

  CUevent get() const { return event.get(); }
};

/// A payload and how it is written.
struct product {
  payload data;
  producer by;
  driver::device_buffer source;  ///< for copies: holds the pattern before the round begins
  std::string name;              ///< "payload 1"
  std::optional<operation> written;
};

/// One look at a payload from inside a host call.
struct glance {
  const product* at = nullptr;
  sighting seen;
  gate::state victim = gate::state::shut;  ///< of the hold's victim when the look began
};

/// A host call of an arrangement, and what it is to look at.
class observer {
 public:
  /// At its start the host call compares @p what with its pattern.
  void looks_at(product& what) { glances_.push_back({.at = &what, .seen = {}}); }
  /// Just before its return the host call reads @p marker.
  void watches(control_word marker) { markers_.push_back({marker, 0}); }
  /// Just before its return the host call checks that @p what is still all sentinel.
  void guards(product& what) { guarded_.push_back({.at = &what, .seen = {}}); }
  /// Just before its return the host call does this; it must not throw, lock, allocate or call CUDA.
  void finally(std::function<void()> action) { last_act_ = std::move(action); }

  const glance& saw(std::size_t index = 0) const { return glances_.at(index); }
  const std::vector<glance>& glances() const { return glances_; }
  std::uint32_t marker(std::size_t index = 0) const { return markers_.at(index).value; }
  const glance& guarded(std::size_t index = 0) const { return guarded_.at(index); }

  host_call_slot& slot() { return slot_; }
  const host_call_slot& slot() const { return slot_; }
  const std::string& name() const { return name_; }
  host_call call() const { return call_; }
  operation op() const { return op_; }
  /// Whether it was put into a stream.
  bool armed() const { return armed_; }

 private:
  friend class arrangement;
  struct watched {
    control_word word;
    std::uint32_t value;
  };

  host_call_slot slot_;
  host_call call_ = host_call::add_callback;
  std::string name_;  ///< "callback 1", "host function 2"
  operation op_ = 0;
  bool armed_ = false;
  std::vector<glance> glances_;
  std::vector<watched> markers_;
  std::vector<glance> guarded_;
  std::function<void()> last_act_;
};

/// What a case is written with: streams, payloads, events and host calls that know their names, hold
/// one victim at a time, and keep the evidence for a failure.
///
///   arrangement scene(context);
///   lane& stream = scene.stream(driver::stream_kind::blocking);
///   product& out = scene.buffer(memory_kind::mapped, producer::kernel);
///   while (scene.next_round(context.by_tier(2, 5, 50))) {
///     observer& call = scene.host_call(host_call::add_callback);
///     call.looks_at(out);
///     operation victim{};
///     scene.hold_work([&] {
///       victim = scene.victim(stream, out);
///       scene.enqueue(stream, call);
///     });
///     scene.drain();
///     scene.expect_complete(clause::CB_ORDER_001, victim, call);
///   }
///
/// Streams, payloads and events are made before the first round and live as long as the
/// arrangement; host calls and markers belong to a round. Used by the case's thread alone.
class arrangement {
 public:
  explicit arrangement(case_context& context);
  arrangement(const arrangement&) = delete;
  arrangement& operator=(const arrangement&) = delete;
  /// Opens every gate and waits for all streams.
  ~arrangement();

  // Pieces, made before the first round.
  lane& stream(driver::stream_kind kind);
  product& buffer(memory_kind kind, producer by = producer::kernel,
                  std::size_t words = payload::visibility_words);
  mark& event(unsigned flags = CU_EVENT_DISABLE_TIMING);

  /// Waits for the round before, then begins one: new epochs, sentinels, host calls and log.
  /// @return false after @p count rounds, once the case has failed, or when two holds in a row had
  /// an enqueuing call wait for the gate (more of them would show nothing).
  bool next_round(int count);

  // Pieces of a round.
  streamcts::observer& host_call(streamcts::host_call call);
  control_word marker();

  // Operations; each is enqueued at once, in the order of calls.
  operation write(lane& on, product& what, std::uint64_t late_ns = 0);
  /// Writes @p what, but only after the hold's gate has opened. Within hold_work().
  operation victim(lane& on, product& what);
  operation enqueue(lane& on, streamcts::observer& call);
  operation record(mark& what, lane& on);
  operation wait(lane& on, mark& what);
  /// A kernel that sets @p marker as soon as it runs.
  operation signal(lane& on, control_word marker);
  /// An operation that the case enqueues itself: the place in @p on that it takes.
  operation note(lane& on, std::string name);
  /// Something the host does once everything in front in @p on, or in @p what, has to be done:
  /// a synchronize or a successful query.
  operation host_after(lane& on, std::string name);
  operation host_after(mark& what, std::string name);

  /// Holds device work: @p enqueue puts in the victim and all that is to be observed. Returns when
  /// the gate is open. The canary is a host function. Counts the hold for @p clauses, or for all of
  /// the case. Exceptions of @p enqueue pass, with all gates open.
  hold_result hold_work(const std::function<void()>& enqueue,
                        const std::vector<clause_id>& clauses = {});
  /// Holds @p victim, a host call, inside itself: puts a front gate into @p on, then the victim, then
  /// what @p enqueue enqueues; the front opens when all is enqueued. The canary is a kernel.
  hold_result hold_call(lane& on, streamcts::observer& victim, const std::function<void()>& enqueue,
                        const std::vector<clause_id>& clauses = {});
  /// Within hold_work(): the gate of the victim, for cases that ask about it.
  gate& victim_gate() { return *victim_gate_; }

  /// Waits until all streams are empty and every host call of the round has returned. A host call
  /// that does not come breaks the case's first clause (`lost`).
  void drain();

  /// The host call @p by must have found, at its start, all of its payloads complete.
  void expect_complete(clause_id clause, operation victim, const streamcts::observer& by,
                       std::source_location site = std::source_location::current());
  /// The host looks at @p what, which must be complete; @p seen_at is what allows it to look.
  void expect_complete(clause_id clause, operation victim, operation seen_at, const product& what,
                       std::source_location site = std::source_location::current());
  /// Nothing that @p held watches or guards may have begun before it returned.
  void expect_blocked(clause_id clause, const streamcts::observer& held, operation later,
                      std::source_location site = std::source_location::current());
  /// As case_context::expect, with the chain from @p from to @p to as evidence.
  template <typename Value, typename Matcher>
  bool expect(clause_id clause, operation from, operation to, failure_kind kind, const Value& value,
              const Matcher& matcher,
              std::source_location site = std::source_location::current()) {
    context_.set_evidence(graph_.chain(from, to, clause));
    return context_.expect(clause, kind, graph_.name(to), value, matcher, site);
  }

  host_call_counts& counts() { return counts_; }
  const operation_graph& graph() const { return graph_; }
  CUstream canary_stream() const { return canary_stream_.get(); }

 private:
  operation add(lane& on, std::string name, std::string_view clause = "ST-ORDER-001");
  void begin_round();
  void prepare(product& what);
  void arm(streamcts::observer& call);
  void enqueue_write(lane& on, const product& what, std::uint64_t late_ns);
  hold_result keep(hold_order& order, const std::function<void()>& enqueue,
                   const std::function<void()>& canary, const std::vector<clause_id>& clauses);
  gate& new_gate(std::unique_ptr<gate>& place);
  void await_host_calls();

  case_context& context_;
  control_page control_;
  driver::stream canary_stream_;
  std::deque<lane> lanes_;
  std::deque<product> products_;
  std::deque<mark> marks_;
  /// Shared with the graveyard of host calls that never came.
  std::shared_ptr<std::deque<streamcts::observer>> observers_;
  host_call_counts counts_;
  operation_graph graph_;
  std::unique_ptr<gate> victim_gate_, front_gate_, canary_gate_;
  int round_ = 0;
  int blocked_holds_ = 0;
  std::size_t named_ = 0;
};

}  // namespace streamcts
