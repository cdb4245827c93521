// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Flags of interprocess events.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// Flags that do not make an event that may leave the process.
enum class wrong {
  timed_interprocess,           ///< CU_EVENT_INTERPROCESS alone
  timed_blocking_interprocess,  ///< with CU_EVENT_BLOCKING_SYNC
  untimed,                      ///< no CU_EVENT_INTERPROCESS
  timed,                        ///< neither flag
};
std::string_view name(wrong what) {
  switch (what) {
    case wrong::timed_interprocess: return "timed_interprocess";
    case wrong::timed_blocking_interprocess: return "timed_blocking_interprocess";
    case wrong::untimed: return "untimed";
    case wrong::timed: return "timed";
  }
  return "unknown";
}
unsigned flags_of(wrong what) {
  switch (what) {
    case wrong::timed_interprocess: return CU_EVENT_INTERPROCESS;
    case wrong::timed_blocking_interprocess: return CU_EVENT_INTERPROCESS | CU_EVENT_BLOCKING_SYNC;
    case wrong::untimed: return CU_EVENT_DISABLE_TIMING;
    case wrong::timed: return CU_EVENT_DEFAULT;
  }
  return CU_EVENT_DEFAULT;
}
axis wrong_flags() {
  return make_axis<wrong>("flags", {wrong::timed_interprocess, wrong::timed_blocking_interprocess,
                                    wrong::untimed, wrong::timed});
}

/// Makes an event and exports it. @return the first code that is not success.
CUresult export_event(const driver::function_table& cuda, unsigned flags) {
  CUevent made = nullptr;
  const CUresult created = cuda.cuEventCreate(&made, flags);
  if (created != CUDA_SUCCESS) return created;
  const driver::handle<driver::detail::event_traits> owned(cuda, made);
  CUipcEventHandle handle{};
  return cuda.cuIpcGetEventHandle(&handle, owned.get());
}

MATCHER(IsRefused, "an error from cuEventCreate or cuIpcGetEventHandle") {
  *result_listener << driver::result_name(arg);
  return arg != CUDA_SUCCESS;
}

// Promise:   EV-FLAG-001. An event for other processes must be made with the interprocess flag and without
//            timing; otherwise its creation or its export fails.
// Defect:    a handle is exported for any event: SUCCESS.
// Any speed: only return codes are judged. An event with the right flags is exported first, so that a
//            refusal means something.
STREAMCTS_CASE(interprocess_flags, {.arrangement = "event/interprocess_flags",
                                    .clauses = {clause::EV_FLAG_001},
                                    .axes = {wrong_flags()},
                                    .needs = {need::ipc_events},
                                    .without_hold = "only return codes are judged"}) {
  const CUresult right =
      export_event(context.cuda(), CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  if (right != CUDA_SUCCESS) {
    context.not_supported(std::string("export of an interprocess event = ") +
                          driver::result_name(right));
  }
  context.expect(clause::EV_FLAG_001, failure_kind::status, "host that exports an event",
                 export_event(context.cuda(), flags_of(context.get<wrong>("flags"))), IsRefused());
}

}  // namespace
}  // namespace streamcts
