// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// One stream, several host threads that enqueue.

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

constexpr std::size_t threads = 4;
constexpr std::size_t tickets = 24;

/// What one ticket enqueues, and what its callback is to find.
struct ticket {
  observer* call = nullptr;
  control_word mark;      ///< set by the ticket's kernel
  operation kernel = 0;
};

/// All tickets of a round. Ticket i is enqueued by thread i modulo their number, once the thread of the
/// ticket before has made its calls: so the order of the calls is that of the tickets.
class ticket_office {
 public:
  ticket_office(case_context& context, arrangement& scene, lane& stream)
      : patience_(context.calibration().patience()), scene_(scene), stream_(stream) {}

  /// The callback of a ticket finds the mark of its own kernel and of the one of the ticket before.
  void prepare(host_call kind) {
    next_ = 0;
    for (std::size_t i = 0; i < tickets; ++i) {
      tickets_[i] = {.call = &scene_.host_call(kind), .mark = scene_.marker()};
      tickets_[i].call->watches(tickets_[i].mark);
      if (i != 0) tickets_[i].call->watches(tickets_[i - 1].mark);
    }
  }

  /// Enqueues every ticket of thread @p who.
  void serve(std::size_t who) {
    for (std::size_t i = who; i < tickets; i += threads) {
      await_turn(i);
      ticket& now = tickets_[i];
      now.kernel = scene_.signal(stream_, now.mark);
      scene_.enqueue(stream_, *now.call);
      next_.store(i + 1, std::memory_order_release);
    }
  }

  const std::array<ticket, tickets>& all() const { return tickets_; }

 private:
  void await_turn(std::size_t which) const {
    const auto limit = std::chrono::steady_clock::now() + patience_;
    for (unsigned step = 0; next_.load(std::memory_order_acquire) != which; ++step) {
      if (std::chrono::steady_clock::now() > limit) {
        throw std::runtime_error("the thread of the ticket before is still enqueuing");
      }
      relax_thread(step);
    }
  }

  std::chrono::nanoseconds patience_;
  arrangement& scene_;
  lane& stream_;
  std::atomic<std::size_t> next_{0};
  std::array<ticket, tickets> tickets_;
};

MATCHER(HasRun, negation ? "not run" : "a mark of one: the kernel in front has run") {
  return arg == 1u;
}
MATCHER_P(BeginsAfter, end, "a begin after the host call of the ticket before has ended") {
  return arg > end;
}

void expect_in_order(arrangement& scene, const ticket_office& office) {
  const ticket* before = nullptr;
  for (const ticket& each : office.all()) {
    const operation at = each.call->op();
    if (!scene.expect(clause::CB_ORDER_008, each.kernel, at, failure_kind::early,
                      each.call->marker(0), HasRun())) {
      return;
    }
    if (before != nullptr &&
        (!scene.expect(clause::CB_ORDER_008, before->kernel, at, failure_kind::early,
                       each.call->marker(1), HasRun()) ||
         !scene.expect(clause::CB_ORDER_008, before->call->op(), at, failure_kind::order,
                       each.call->slot().begin_stamp(),
                       BeginsAfter(before->call->slot().end_stamp())))) {
      return;
    }
    before = &each;
  }
}

// Promise:   CB-ORDER-008. What several host threads put into one stream runs in the order in which the
//            enqueuing calls were made.
// Defect:    each host thread has a queue of its own and the queues are merged anyhow. A callback has a
//            lower stamp than that of the ticket before, or does not find that ticket's mark.
// Any speed: the threads take turns, so the order of the calls is known. The stream is held until all
//            is enqueued: whatever merges queues has all of them to merge.
STREAMCTS_CASE(several_threads, {.arrangement = "callback/several_threads",
                                 .clauses = {clause::CB_ORDER_008},
                                 .axes = {host_calls(), streams()},
                                 .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  std::vector<host_thread*> workers;
  for (std::size_t i = 0; i < threads; ++i) workers.push_back(&scene.thread());
  ticket_office office(context, scene, stream);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    office.prepare(host_call_of(context));
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      for (std::size_t i = 0; i < threads; ++i) workers[i]->start([&office, i] { office.serve(i); });
      for (host_thread* each : workers) {
        if (!each->wait(2 * context.calibration().patience())) {
          context.inconclusive("a thread was still enqueuing when patience ended");
        }
      }
    });
    scene.drain();
    expect_in_order(scene, office);
  }
}

// Promise:   CB-ORDER-008. Host calls that two host threads put directly behind each other into one stream,
//            in turn, run in the order in which the enqueuing calls were made.
// Defect:    host calls that are due at the same time are ordered by thread, or the later one first. A host
//            call begins, by its stamp, before the one in front of it has ended.
// Any speed: each thread enqueues once the other's call has returned; the stream is held until all are
//            in, so that all become due at once.
STREAMCTS_CASE(threads_in_turn, {.arrangement = "callback/threads_in_turn",
                                 .clauses = {clause::CB_ORDER_008},
                                 .axes = {host_calls(), created_streams()},
                                 .needs = {need::device_gate}}) {
  constexpr std::size_t row = 8;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  const std::array<host_thread*, 2> workers = {&scene.thread(), &scene.thread()};
  while (scene.next_round(context.by_tier(1, 4, 50))) {
    std::array<observer*, row> calls{};
    for (observer*& each : calls) each = &scene.host_call(host_call_of(context));
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      for (std::size_t i = 0; i < row; ++i) {
        workers[i % 2]->run([&] { scene.enqueue(stream, *calls[i]); });
      }
    });
    scene.drain();
    for (std::size_t i = 1; i < row; ++i) {
      if (!scene.expect(clause::CB_ORDER_008, calls[i - 1]->op(), calls[i]->op(),
                        failure_kind::order, calls[i]->slot().begin_stamp(),
                        BeginsAfter(calls[i - 1]->slot().end_stamp()))) {
        return;
      }
    }
  }
}

// Promise:   CB-ORDER-008. The same where one thread enqueues the kernel and another, told of it, the
//            callback.
// Defect:    what another thread has enqueued is not waited for. The callback finds the sentinel.
// Any speed: the kernel is held until the callback had its chance.
STREAMCTS_CASE(handed_between_threads, {.arrangement = "callback/handed_between_threads",
                                        .clauses = {clause::CB_ORDER_008},
                                        .axes = {host_calls(), streams()},
                                        .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  host_thread& other = scene.thread();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      other.run([&] { scene.enqueue(stream, call); });
    });
    scene.drain();
    scene.expect_complete(clause::CB_ORDER_008, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
