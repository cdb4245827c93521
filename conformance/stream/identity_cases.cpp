// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream ids.

#include <fmt/format.h>

#include <deque>
#include <unordered_set>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

MATCHER(IsNew, "an id that no stream had before") { return arg.second; }
MATCHER_P(IsId, id, fmt::format("the same id as before, {}", id)) { return arg == id; }

unsigned long long id_of(const driver::function_table& cuda, CUstream stream) {
  unsigned long long id = 0;
  STREAMCTS_CHECK(cuda.cuStreamGetId(stream, &id));
  return id;
}

/// The ids that were seen so far.
class known_ids {
 public:
  explicit known_ids(case_context& context) : context_(context) {}

  void add(std::string_view whose, unsigned long long id) {
    const std::pair<unsigned long long, bool> seen{id, ids_.insert(id).second};
    context_.expect(clause::ST_ID_001, failure_kind::duplicate, whose, seen, IsNew());
  }

 private:
  case_context& context_;
  std::unordered_set<unsigned long long> ids_;
};

// Promise:   ST-ID-001. The id of a stream is its own as long as the program runs: no other stream has it,
//            none gets it after the stream was destroyed, and asking again gives the same.
// Defect:    the id is made of the handle's address, which is used again; or of a short counter.
// Any speed: only answers are judged.
STREAMCTS_CASE(ids_are_unique, {.arrangement = "stream/ids",
                                .clauses = {clause::ST_ID_001},
                                .axes = {created_streams()},
                                .needs = {need::stream_ids},
                                .without_hold = "only answers are judged"}) {
  constexpr std::size_t alive_at_once = 8;
  const driver::function_table& cuda = context.cuda();
  known_ids known(context);
  known.add("the legacy default stream", id_of(cuda, CU_STREAM_LEGACY));
  known.add("the per-thread default stream", id_of(cuda, CU_STREAM_PER_THREAD));
  struct entry {
    driver::stream stream;
    unsigned long long id;
  };
  std::deque<entry> alive;
  const int count = context.by_tier(1000, 20000, 100000);
  for (int i = 0; i < count && !context.failed(); ++i) {
    driver::stream made(cuda, stream_of(context));
    const unsigned long long id = id_of(cuda, made.get());
    known.add(fmt::format("stream {}", i + 1), id);
    alive.push_back({std::move(made), id});
    if (alive.size() < alive_at_once) continue;
    const entry& oldest = alive.front();
    context.expect(clause::ST_ID_001, failure_kind::value, "a stream asked again before its end",
                   id_of(cuda, oldest.stream.get()), IsId(oldest.id));
    alive.pop_front();
  }
}

}  // namespace
}  // namespace streamcts
