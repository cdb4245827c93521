// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronizing the context.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/poll.h"

namespace streamcts {
namespace {

using driver::stream_kind;

/// The call that waits.
enum class call { current, given };
std::string_view name(call what) { return what == call::current ? "current" : "given"; }
axis calls() { return make_axis<call>("context", {call::current, call::given}); }

/// Where the work is that has to be covered.
enum class place {
  null_stream,
  blocking,
  non_blocking,
  high_priority,
  destroyed_blocking,      ///< the stream is destroyed after the work was enqueued
  destroyed_non_blocking,
  thread_non_blocking,     ///< enqueued by another host thread
  thread_per_thread,       ///< in the per-thread default stream of another host thread
};
std::string_view name(place where) {
  switch (where) {
    case place::null_stream: return "null";
    case place::blocking: return "blocking";
    case place::non_blocking: return "non_blocking";
    case place::high_priority: return "high_priority";
    case place::destroyed_blocking: return "destroyed_blocking";
    case place::destroyed_non_blocking: return "destroyed_non_blocking";
    case place::thread_non_blocking: return "thread_non_blocking";
    case place::thread_per_thread: return "thread_per_thread";
  }
  return "unknown";
}
axis places() {
  return make_axis<place>("place",
                          {place::null_stream, place::blocking, place::non_blocking,
                           place::high_priority, place::destroyed_blocking,
                           place::destroyed_non_blocking, place::thread_non_blocking,
                           place::thread_per_thread});
}

stream_kind kind_of_stream(place where) {
  switch (where) {
    case place::null_stream: return stream_kind::null_stream;
    case place::blocking:
    case place::destroyed_blocking: return stream_kind::blocking;
    case place::high_priority: return stream_kind::high_priority;
    case place::thread_per_thread: return stream_kind::per_thread;
    default: return stream_kind::non_blocking;
  }
}

bool is_destroyed(place where) {
  return where == place::destroyed_blocking || where == place::destroyed_non_blocking;
}

bool is_of_other_thread(place where) {
  return where == place::thread_non_blocking || where == place::thread_per_thread;
}

std::vector<need> needs_of_place(const parameters& values) {
  if (values.get<place>("place") != place::high_priority) return {};
  return {need::stream_priorities};
}

/// Waits, without a synchronization of the context, until the work of a round is over: nothing else
/// may be known of a stream that is gone.
void await(case_context& context, const arrangement& scene, control_word over) {
  driver::poll(context.calibration().patience(), [&] {
    (void)context.cuda().cuStreamQuery(scene.canary_stream());
    return over.load() != 0;
  });
}

// Promise:   ST-SYNC-004. Synchronizing the context covers all of its streams, those destroyed meanwhile
//            and those of other threads included.
// Defect:    it walks a list: of the blocking streams, of the streams that still exist, of those of the
//            calling thread. It returns while the work is held; the thread finds the sentinel.
// Any speed: the work is held until the call had its chance to return, and the thread looks right after
//            the return.
STREAMCTS_CASE(context_covers, {.arrangement = "stream/synchronize_context",
                                .clauses = {clause::ST_SYNC_004},
                                .axes = {calls(), places()},
                                .needs = {need::device_gate, need::mapped_memory},
                                .needs_of = needs_of_place}) {
  const driver::function_table& cuda = context.cuda();
  const bool given = context.get<call>("context") == call::given;
  if (given && !cuda.cuCtxSynchronize_v2) context.not_supported("cuCtxSynchronize_v2 = absent");
  const place where = context.get<place>("place");
  arrangement scene(context);
  lane& stream = scene.stream(kind_of_stream(where));
  product& out = scene.buffer(memory_kind::mapped);
  host_thread& other = scene.thread();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    if (is_destroyed(where) && stream.get() == nullptr) {
      stream.stream = driver::stream(cuda, kind_of_stream(where));
    }
    const control_word over = scene.marker();
    operation victim{};
    host_wait* by = nullptr;
    const auto enqueue = [&] {
      victim = scene.victim(stream, out);
      scene.signal(stream, over);
    };
    scene.hold_work([&] {
      if (is_of_other_thread(where)) {
        other.run(enqueue);
      } else {
        enqueue();
      }
      by = &scene.host_wait(scene.host_after(stream, "cuCtxSynchronize"), [&] {
        return given ? cuda.cuCtxSynchronize_v2(context.session().context())
                     : cuda.cuCtxSynchronize();
      });
      by->looks_at(out);
      if (!is_destroyed(where)) return;
      // Destroying may wait for the stream: then it is still there, and covered all the same.
      other.start([&] { stream.stream.destroy(); });
      other.wait(context.calibration().hold());
    });
    other.wait(context.calibration().patience());
    await(context, scene, over);
    if (is_of_other_thread(where)) other.run([&] { stream.stream.synchronize(); });
    scene.drain();
    scene.expect_covered(clause::ST_SYNC_004, victim, *by);
  }
}

}  // namespace
}  // namespace streamcts
