// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/case/arrangement.h"

// The axes that most families vary, and what their values need.

namespace streamcts {

/// Callback or host function: the entry points that put host code into a stream.
axis host_calls();
/// Blocking, non-blocking and NULL.
axis streams();
/// Blocking and non-blocking: for cases that need several streams of their own.
axis created_streams();
/// Kernel, copy and memset.
axis producers();
/// Mapped, managed, and device memory copied to the host; the others from `standard` on.
axis memories();

/// The flags of an event that change how it is made or waited for.
enum class event_kind {
  untimed,           ///< CU_EVENT_DISABLE_TIMING
  timed,             ///< CU_EVENT_DEFAULT
  blocking,          ///< CU_EVENT_BLOCKING_SYNC
  blocking_untimed,  ///< both flags
};
std::string_view name(event_kind what);
unsigned flags_of(event_kind what);
/// All four.
axis event_kinds();

/// The parameters that these axes are asked for.
inline host_call host_call_of(const case_context& context) {
  return context.get<host_call>("host_call");
}
inline driver::stream_kind stream_of(const case_context& context) {
  return context.get<driver::stream_kind>("stream");
}
inline event_kind event_of(const case_context& context) {
  return context.get<event_kind>("event");
}
inline producer producer_of(const case_context& context) {
  return context.get<producer>("producer");
}
inline memory_kind memory_of(const case_context& context) {
  return context.get<memory_kind>("memory");
}

/// What the memory of a combination needs, for case_definition::needs_of.
std::vector<need> needs_of_memory(const parameters& values);

/// @p callback for stream callbacks, @p function for host functions: for clauses_of.
clause_id by_host_call(const parameters& values, clause_id callback, clause_id function);

}  // namespace streamcts
