// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/case/context.h"
#include "harness/case/explain.h"
#include "harness/case/host_thread.h"
#include "harness/case/host_wait.h"
#include "harness/case/matchers.h"
#include "harness/case/pieces.h"
#include "harness/observe/control.h"

namespace streamcts {

/// How arrangement::hold_call() holds a host call.
struct call_hold {
  /// What the hold is counted for; all clauses of the case where empty.
  std::vector<clause_id> clauses = {};
  /// Enqueues what comes between the front gate and the victim.
  std::function<void()> before = {};
  /// Whether there is a front gate. Without one the victim may start at once, and the rest is enqueued
  /// while it runs: for cases about a stream in which nothing is in front of a host call.
  bool behind_gate = true;
  /// The hold lasts at least this long: for defects that show after a time.
  std::chrono::nanoseconds at_least{0};
  /// Enqueues the victim, where it is no host call of its own: the launch of a graph that it is a node
  /// of. The case has armed the victim by arrangement::node().
  std::function<void()> victim = {};
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
  /// @p by: the API that makes it, and by which work is put into it; see lane::by.
  lane& stream(driver::stream_kind kind, api by = api::driver);
  product& buffer(memory_kind kind, producer by = producer::kernel,
                  std::size_t words = payload::visibility_words);
  mark& event(unsigned flags = CU_EVENT_DISABLE_TIMING, api by = api::driver);
  /// A further host thread. What it enqueues in its own per-thread default stream it must also wait
  /// for: drain() cannot.
  host_thread& thread();

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
  /// An operation that is a node of a graph which the case launches: behind @p before, by @p clause.
  operation node(std::string name, const std::vector<operation>& before,
                 std::string_view clause = "GR-HOST-002");
  /// The same for a host node that @p call stands for (host_call_slot::as_host_node): arms it.
  operation node(streamcts::observer& call, const std::vector<operation>& before,
                 std::string_view clause = "GR-HOST-002");
  /// Something the host does once everything in front in @p on, or in @p what, has to be done:
  /// a synchronize or a successful query.
  operation host_after(lane& on, std::string name);
  operation host_after(mark& what, std::string name);

  // Waits of the host, within hold_work() or hold_call(). Each is made by a thread of its own once
  // all of the hold has been enqueued, the canary included.
  streamcts::host_wait& synchronize(lane& on);
  streamcts::host_wait& synchronize(mark& what);
  /// Repeats the query until it answers something else than NOT_READY, or patience ends.
  streamcts::host_wait& poll(lane& on);
  streamcts::host_wait& poll(mark& what);
  /// Some other call; @p op is its place, from host_after().
  streamcts::host_wait& host_wait(operation op, std::function<CUresult()> call);

  /// Holds device work: @p enqueue puts in the victim and all that is to be observed. Returns when
  /// the gate is open. The canary is a host function. Counts the hold for @p clauses, or for all of
  /// the case. Exceptions of @p enqueue pass, with all gates open.
  hold_result hold_work(const std::function<void()>& enqueue,
                        const std::vector<clause_id>& clauses = {});
  /// Holds @p victim, a host call, inside itself: puts a front gate into @p on, then the victim, then
  /// what @p enqueue enqueues; the front opens when all is enqueued. The canary is a kernel.
  hold_result hold_call(lane& on, streamcts::observer& victim, const std::function<void()>& enqueue,
                        const call_hold& how = {});
  /// The victim's gate of the next hold uses these words of the case's own control page, not fresh
  /// ones: for graphs that are made, with a gate among their nodes, before the first round.
  void gate_by(control_word word, control_word begun) { gate_words_.emplace(word, begun); }
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
  /// @p by must not have returned while the victim was held, and must have found, right after its
  /// return, all of its payloads complete and the host call that it awaits ended.
  void expect_covered(clause_id clause, operation victim, const streamcts::host_wait& by,
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
  /// The functions by which operations are put into a stream, and what the stream is called there.
  struct way {
    const driver::function_table& cuda;
    const driver::kernel_set& kernels;
    CUstream stream;
  };
  way into(const lane& on, bool by_null) const;
  way into(const lane& on) const { return into(on, on.all_by_null); }
  void enqueue_write(lane& on, const product& what, std::uint64_t late_ns);
  void deliver(lane& on, const product& what) const;
  hold_result keep(hold_order& order, const std::function<void()>& enqueue,
                   const std::function<void()>& canary, const std::vector<clause_id>& clauses);
  gate& new_gate(std::unique_ptr<gate>& place);
  gate& new_victim_gate();
  void await_host_calls();
  void begin_host_waits();
  void await_host_waits();

  case_context& context_;
  control_page control_;
  driver::stream canary_stream_;
  std::deque<lane> lanes_;
  std::deque<product> products_;
  std::deque<mark> marks_;
  /// Shared with the graveyard of host calls that never came.
  std::shared_ptr<std::deque<streamcts::observer>> observers_;
  host_call_counts counts_;
  std::deque<streamcts::host_wait> waits_;
  operation_graph graph_;
  std::unique_ptr<gate> victim_gate_, front_gate_, canary_gate_;
  std::optional<std::pair<control_word, control_word>> gate_words_;
  int round_ = 0;
  int blocked_holds_ = 0;
  std::size_t named_ = 0;
  std::deque<host_thread> threads_;       ///< those that cases asked for
  std::deque<host_thread> wait_threads_;  ///< those that make the waits of a round
};

}  // namespace streamcts
