// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Joins, synchronization and queries of the runtime API, its per-thread mode, its last-error variable.

#include <fmt/format.h>

#include <vector>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "conformance/runtime_api/judged.h"

namespace streamcts {
namespace {

using driver::stream_kind;

axis runtime_events() {
  return make_axis<event_kind>("event", {event_kind::untimed,
                                         {event_kind::timed, tier::standard},
                                         {event_kind::blocking, tier::standard}});
}

// Promise:   JN-EVENT-001, HF-UM-001, through the runtime. When stream B waits for an event of stream A, a
//            host call put into B afterwards finds the work of A in front of the event complete.
// Defect:    cudaStreamWaitEvent holds back device work alone. The host call finds the sentinel.
// Any speed: the work of A is held until the host call had its chance.
STREAMCTS_CASE(joined, {.arrangement = "runtime_api/joined",
                        .clauses = {clause::JN_EVENT_001, clause::HF_UM_001},
                        .clauses_of = [](const parameters& values) {
                          return std::vector{by_host_call(values, clause::JN_EVENT_001,
                                                          clause::HF_UM_001)};
                        },
                        .axes = {host_calls(), created_runtime_streams(), runtime_events()},
                        .needs = {need::runtime, need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context), api::runtime);
  lane& to = scene.stream(stream_of(context), api::runtime);
  product& out = scene.buffer(memory_kind::mapped);
  mark& joined = scene.event(flags_of(event_of(context)), api::runtime);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, out);
      scene.record(joined, from);
      scene.wait(to, joined);
      scene.enqueue(to, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

/// How the host learns that work is over.
enum class waiting { synchronize_stream, synchronize_event, query_stream, query_event };
std::string_view name(waiting what) {
  switch (what) {
    case waiting::synchronize_stream: return "synchronize_stream";
    case waiting::synchronize_event: return "synchronize_event";
    case waiting::query_stream: return "query_stream";
    case waiting::query_event: return "query_event";
  }
  return "unknown";
}
bool is_query(waiting what) {
  return what == waiting::query_stream || what == waiting::query_event;
}
bool of_event(waiting what) {
  return what == waiting::synchronize_event || what == waiting::query_event;
}
axis waitings() {
  return make_axis<waiting>("wait", {waiting::synchronize_stream, waiting::query_event,
                                     {waiting::synchronize_event, tier::standard},
                                     {waiting::query_stream, tier::standard}});
}

/// Records the event where it is what is waited for, and begins the wait.
host_wait& begin_wait(arrangement& scene, lane& stream, mark& last, waiting how) {
  if (of_event(how)) scene.record(last, stream);
  switch (how) {
    case waiting::synchronize_stream: return scene.synchronize(stream);
    case waiting::synchronize_event: return scene.synchronize(last);
    case waiting::query_stream: return scene.poll(stream);
    case waiting::query_event: break;
  }
  return scene.poll(last);
}

std::vector<clause_id> work_clauses(const parameters& values) {
  if (!is_query(values.get<waiting>("wait"))) return {clause::ST_SYNC_001};
  return {clause::ST_QUERY_001, clause::ST_QUERY_002};
}

// Promise:   ST-SYNC-001, ST-QUERY-001, ST-QUERY-002, through the runtime. A synchronize returns, and a query
//            succeeds, only when the covered work is complete, and the host then reads all of its writes.
// Defect:    the runtime asks about a stream or record of its own. The host finds the sentinel.
// Any speed: the work is held until the wait had its chance; the thread looks right after the return.
STREAMCTS_CASE(covers_work, {.arrangement = "runtime_api/covers_work",
                             .clauses = {clause::ST_SYNC_001, clause::ST_QUERY_001,
                                         clause::ST_QUERY_002},
                             .clauses_of = work_clauses,
                             .axes = {waitings(), runtime_streams()},
                             .needs = {need::runtime, need::device_gate, need::mapped_memory}}) {
  const waiting how = context.get<waiting>("wait");
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), api::runtime);
  product& out = scene.buffer(memory_kind::mapped);
  mark& last = scene.event(CU_EVENT_DISABLE_TIMING, api::runtime);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    host_wait* by = nullptr;
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      by = &begin_wait(scene, stream, last, how);
      by->looks_at(out);
    });
    scene.drain();
    const bool too_early = by->returned() && by->victim() == gate::state::shut;
    const clause_id asked = too_early ? clause::ST_QUERY_001 : clause::ST_QUERY_002;
    scene.expect_covered(is_query(how) ? asked : clause::ST_SYNC_001, victim, *by);
  }
}

std::vector<clause_id> call_clauses(const parameters& values) {
  if (values.get<host_call>("host_call") == host_call::launch_host_func) {
    return {clause::HF_BLOCK_002};
  }
  switch (values.get<waiting>("wait")) {
    case waiting::synchronize_stream: return {clause::CB_BLOCK_005};
    case waiting::query_stream: return {clause::CB_BLOCK_004};
    default: return {clause::CB_BLOCK_003};
  }
}

// Promise:   CB-BLOCK-003, CB-BLOCK-004, CB-BLOCK-005, HF-BLOCK-002, through the runtime. A host call that
//            has not returned is unfinished work for synchronization, queries and later events.
// Defect:    only device work counts. The wait returns while the host call is held.
// Any speed: the host call is held inside itself until the wait had its chance.
STREAMCTS_CASE(covers_host_call, {.arrangement = "runtime_api/covers_host_call",
                                  .clauses = {clause::CB_BLOCK_003, clause::CB_BLOCK_004,
                                              clause::CB_BLOCK_005, clause::HF_BLOCK_002},
                                  .clauses_of = call_clauses,
                                  .axes = {host_calls(), waitings(), created_runtime_streams()},
                                  .needs = {need::runtime, need::device_gate, need::host_gate,
                                            need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), api::runtime);
  mark& last = scene.event(CU_EVENT_DISABLE_TIMING, api::runtime);
  while (scene.next_round(context.by_tier(1, 4, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    host_wait* by = nullptr;
    scene.hold_call(stream, held, [&] {
      by = &begin_wait(scene, stream, last, context.get<waiting>("wait"));
      by->awaits(held);
    });
    scene.drain();
    scene.expect_covered(promise, held.op(), *by);
  }
}

/// How a thread names its own default stream to the runtime.
enum class handle { special, null };
std::string_view name(handle what) { return what == handle::special ? "per_thread" : "null"; }
/// cudaStreamPerThread, or 0 by the functions that nvcc's --default-stream per-thread chooses.
axis handles() { return make_axis<handle>("handle", {handle::special, handle::null}); }

struct owner {
  host_thread& thread;
  lane& stream;
  product& out;
};

owner make_owner(arrangement& scene, int number, bool by_null) {
  owner made{scene.thread(), scene.stream(stream_kind::per_thread, api::runtime),
             scene.buffer(memory_kind::mapped, producer::kernel, 512)};
  made.stream.name = fmt::format("per-thread stream of thread {}", number + 1);
  made.stream.all_by_null = by_null;
  return made;
}

// Promise:   ST-PTDS-001, through the runtime. Host calls that a thread puts into its default stream are
//            ordered with that thread's own kernels in it.
// Defect:    one of the per-thread functions means the legacy stream, or another thread's. The host call
//            finds the sentinel in its own thread's payload.
// Any speed: the work of each thread is held in turn until all host calls had their chance.
STREAMCTS_CASE(own_stream, {.arrangement = "runtime_api/own_stream",
                            .clauses = {clause::ST_PTDS_001},
                            .axes = {host_calls(), handles()},
                            .needs = {need::runtime, need::runtime_per_thread, need::device_gate,
                                      need::mapped_memory}}) {
  arrangement scene(context);
  const int count = context.by_tier(2, 5, 8);
  std::vector<owner> owners;
  for (int i = 0; i < count; ++i) {
    owners.push_back(make_owner(scene, i, context.get<handle>("handle") == handle::null));
  }
  for (int round = 0; scene.next_round(count * context.by_tier(1, 1, 10)); ++round) {
    std::vector<observer*> calls;
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < count; ++i) {
        const owner& each = owners[static_cast<std::size_t>(i)];
        calls.push_back(&scene.host_call(host_call_of(context)));
        calls.back()->looks_at(each.out);
        each.thread.run([&] {
          if (i == round % count) {
            victim = scene.victim(each.stream, each.out);
          } else {
            scene.write(each.stream, each.out);
          }
          scene.enqueue(each.stream, *calls.back());
        });
      }
    });
    for (const owner& each : owners) {
      each.thread.run([&] { each.stream.stream.synchronize(); });
    }
    scene.drain();
    for (const observer* each : calls) scene.expect_complete(clause::ST_PTDS_001, victim, *each);
  }
}

MATCHER_P(IsCode, code, fmt::format("the code {}", static_cast<int>(code))) {
  *result_listener << "code " << static_cast<int>(arg);
  return arg == code;
}

// Promise:   ER-PROP-004. Each host thread has a last error of the runtime: peek shows it, get shows and
//            resets it, other threads do not see it; not-ready never gets there.
// Defect:    one variable for all threads, or one that keeps the answers of queries: another thread sees the
//            refused call; not-ready is seen where there was no error.
// Any speed: the stream is held while it is asked; the rest are answers to this thread's own calls.
STREAMCTS_CASE(last_error, {.arrangement = "runtime_api/last_error",
                            .clauses = {clause::ER_PROP_004},
                            .axes = {waitings()},
                            .valid = [](const parameters& values) {
                              return is_query(values.get<waiting>("wait"));
                            },
                            .needs = {need::runtime, need::device_gate, need::mapped_memory}}) {
  const driver::runtime_table& runtime = context.runtime();
  arrangement scene(context);
  lane& stream = scene.stream(stream_kind::non_blocking, api::runtime);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  mark& last = scene.event(CU_EVENT_DISABLE_TIMING, api::runtime);
  host_thread& other = scene.thread();
  const auto expect = [&](std::string_view who, cudaError_t seen, cudaError_t code) {
    context.expect(clause::ER_PROP_004, failure_kind::value, who, seen, IsCode(code));
  };
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    runtime.cudaGetLastError();
    cudaError_t asked = cudaSuccess, after_query = cudaSuccess, elsewhere = cudaSuccess;
    scene.hold_work([&] {
      scene.victim(stream, out);
      scene.record(last, stream);
      asked = context.get<waiting>("wait") == waiting::query_event
                  ? runtime.cudaEventQuery(last.get())
                  : runtime.cudaStreamQuery(stream.get());
      after_query = runtime.cudaPeekAtLastError();
    });
    scene.drain();
    if (asked == cudaErrorNotReady) expect("peek after not-ready", after_query, cudaSuccess);
    runtime.cudaGetLastError();

    const cudaError_t refused = runtime.cudaSetDevice(-1);
    if (refused == cudaSuccess) context.not_supported("cudaSetDevice(-1) = success");
    other.run([&] { elsewhere = runtime.cudaPeekAtLastError(); });
    expect("peek", runtime.cudaPeekAtLastError(), refused);
    expect("peek of another thread", elsewhere, cudaSuccess);
    expect("get", runtime.cudaGetLastError(), refused);
    expect("get once more", runtime.cudaGetLastError(), cudaSuccess);
  }
}

}  // namespace
}  // namespace streamcts
