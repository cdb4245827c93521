// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events and streams of different contexts.

#include <optional>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/context.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

MATCHER(IsInvalidHandle, "CUDA_ERROR_INVALID_HANDLE") {
  *result_listener << driver::result_name(arg);
  return arg == CUDA_ERROR_INVALID_HANDLE;
}

/// Makes a second context for one case, and the session's current again.
class second_context {
 public:
  explicit second_context(case_context& context)
      : session_(context.session()), made_(driver::context::create(context.cuda(), context.session().given().device_ordinal)) {
    session_.make_current();
  }
  ~second_context() { session_.make_current(); }

  /// Does @p what with the second context current.
  template <typename What>
  void inside(What what) {
    made_.make_current();
    what();
    session_.make_current();
  }

 private:
  device_session& session_;
  driver::context made_;
};

/// Records @p event in @p stream, where both are of the current context, and waits for it.
void expect_usable(case_context& context, const driver::event& event, const driver::stream& stream) {
  const driver::function_table& cuda = context.cuda();
  context.expect(clause::EV_REC_005, failure_kind::status, "host that records it where it belongs",
                 cuda.cuEventRecord(event.get(), stream.get()), Succeeds());
  context.expect(clause::EV_REC_005, failure_kind::status, "host that then waits for the event",
                 cuda.cuEventSynchronize(event.get()), Succeeds());
  context.expect(clause::EV_REC_005, failure_kind::status, "host that then waits for the stream",
                 cuda.cuStreamSynchronize(stream.get()), Succeeds());
}

// Promise:   EV-REC-005. Recording an event in a stream of another context fails with INVALID_HANDLE, and
//            leaves both as they were.
// Defect:    such a record is accepted and ignored: SUCCESS.
// Any speed: only return codes are judged.
STREAMCTS_CASE(other_context, {.arrangement = "event/other_context",
                               .clauses = {clause::EV_REC_005},
                               .axes = {event_kinds()},
                               .needs = {need::two_contexts},
                               .without_hold = "only return codes are judged"}) {
  const driver::function_table& cuda = context.cuda();
  const unsigned flags = flags_of(event_of(context));
  second_context other(context);
  const driver::event here(cuda, flags);
  const driver::stream stream_here(cuda, driver::stream_kind::blocking);
  std::optional<driver::event> there;
  std::optional<driver::stream> stream_there;
  other.inside([&] {
    there.emplace(cuda, flags);
    stream_there.emplace(cuda, driver::stream_kind::blocking);
  });

  context.expect(clause::EV_REC_005, failure_kind::status, "host that records it elsewhere",
                 cuda.cuEventRecord(here.get(), stream_there->get()), IsInvalidHandle());
  context.expect(clause::EV_REC_005, failure_kind::status, "host that records a foreign event",
                 cuda.cuEventRecord(there->get(), stream_here.get()), IsInvalidHandle());
  expect_usable(context, here, stream_here);
  other.inside([&] {
    expect_usable(context, *there, *stream_there);
    there.reset();
    stream_there.reset();
  });
}

}  // namespace
}  // namespace streamcts
