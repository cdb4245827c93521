// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Queries of streams and events.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

/// What is asked.
enum class query { stream, event };
std::string_view name(query what) { return what == query::stream ? "stream" : "event"; }
axis queries() { return make_axis<query>("query", {query::stream, query::event}); }

/// The answer to one query made while the victim is held, if it was still held afterwards.
class early_answer {
 public:
  void ask(case_context& context, arrangement& scene, const lane& stream, const mark& last,
           query what) {
    code_ = what == query::stream ? context.cuda().cuStreamQuery(stream.get())
                                  : context.cuda().cuEventQuery(last.get());
    held_ = scene.victim_gate().now() == gate::state::shut;
  }
  /// NOT_READY where the victim was no longer held: any answer was right.
  CUresult code() const { return held_ ? code_ : CUDA_ERROR_NOT_READY; }

 private:
  CUresult code_ = CUDA_ERROR_NOT_READY;
  bool held_ = false;
};

/// What a success breaks, if it breaks anything: it came too soon, or what it stands for was not there.
clause_id success_clause(const host_wait& by) {
  const bool too_early = by.returned() && by.victim() == gate::state::shut;
  return too_early ? clause::ST_QUERY_001 : clause::ST_QUERY_002;
}

MATCHER(IsNotReadyYet, "CUDA_ERROR_NOT_READY") {
  *result_listener << driver::result_name(arg);
  return arg == CUDA_ERROR_NOT_READY;
}

// Promise:   ST-QUERY-001, ST-QUERY-002. A query does not succeed as long as covered work is incomplete;
//            when it succeeds, the host reads all of that work's writes by ordinary loads.
// Defect:    it succeeds once the work was submitted, or its counter is ahead of the memory: the host
//            finds the sentinel, perhaps only in the last words.
// Any speed: the work is held until the query had its chance, many times; after that the query has all of
//            the patience to succeed, and the thread looks as soon as it did.
STREAMCTS_CASE(query_of_work, {.arrangement = "stream/query",
                               .clauses = {clause::ST_QUERY_001, clause::ST_QUERY_002},
                               .axes = {queries(), streams(), producers(), memories()},
                               .needs = {need::device_gate},
                               .needs_of = needs_of_memory}) {
  const query what = context.get<query>("query");
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_of(context), producer_of(context));
  mark& last = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    host_wait* by = nullptr;
    early_answer early;
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      if (what == query::event) scene.record(last, stream);
      early.ask(context, scene, stream, last, what);
      by = what == query::stream ? &scene.poll(stream) : &scene.poll(last);
      by->looks_at(out);
    });
    scene.drain();
    scene.expect(clause::ST_QUERY_001, victim, by->op(), failure_kind::early, early.code(),
                 IsNotReadyYet());
    scene.expect_covered(success_clause(*by), victim, *by);
  }
}

// Promise:   ST-QUERY-001, ST-QUERY-002. What a stream has to wait for is incomplete work of the stream: so
//            long its query does not succeed; once it has, the host reads what the joined work wrote.
// Defect:    a stream with nothing but waits counts as idle: success while the joined work is held. Or the
//            memory of other streams is not delivered: the host finds the sentinel.
// Any speed: the joined work is held until the query had its chance.
STREAMCTS_CASE(query_of_joined_work, {.arrangement = "stream/query_joined",
                                      .clauses = {clause::ST_QUERY_001, clause::ST_QUERY_002},
                                      .axes = {queries(), streams(), event_kinds()},
                                      .needs = {need::device_gate, need::mapped_memory}}) {
  const query what = context.get<query>("query");
  arrangement scene(context);
  lane& from = scene.stream(driver::stream_kind::non_blocking);
  lane& to = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& joined = scene.event(flags_of(event_of(context)));
  mark& last = scene.event(flags_of(event_of(context)));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    host_wait* by = nullptr;
    early_answer early;
    scene.hold_work([&] {
      victim = scene.victim(from, out);
      scene.record(joined, from);
      scene.wait(to, joined);
      if (what == query::event) scene.record(last, to);
      early.ask(context, scene, to, last, what);
      by = what == query::stream ? &scene.poll(to) : &scene.poll(last);
      by->looks_at(out);
    });
    scene.drain();
    scene.expect(clause::ST_QUERY_001, victim, by->op(), failure_kind::early, early.code(),
                 IsNotReadyYet());
    scene.expect_covered(success_clause(*by), victim, *by);
  }
}

// Promise:   ST-QUERY-001, ST-QUERY-002, for the last of many operations.
// Defect:    the query looks at the first operation, or at a counter of so many bits. It succeeds while
//            the last operation is held, or before its writes have arrived.
// Any speed: the last operation is held until the query had its chance.
STREAMCTS_CASE(query_of_many, {.arrangement = "stream/query_many",
                               .clauses = {clause::ST_QUERY_001, clause::ST_QUERY_002},
                               .axes = {queries(), created_streams()},
                               .needs = {need::device_gate, need::mapped_memory}}) {
  const query what = context.get<query>("query");
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& early_work = scene.buffer(memory_kind::mapped, producer::kernel, 64);
  product& out = scene.buffer(memory_kind::mapped);
  mark& last = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    host_wait* by = nullptr;
    scene.hold_work([&] {
      for (int i = 0; i < 70; ++i) scene.write(stream, early_work);
      victim = scene.victim(stream, out);
      if (what == query::event) scene.record(last, stream);
      by = what == query::stream ? &scene.poll(stream) : &scene.poll(last);
      by->looks_at(out);
    });
    scene.drain();
    scene.expect_covered(success_clause(*by), victim, *by);
  }
}

}  // namespace
}  // namespace streamcts
