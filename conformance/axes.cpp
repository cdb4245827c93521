// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "conformance/axes.h"

namespace streamcts {

axis host_calls() {
  return make_axis<host_call>("host_call", {host_call::add_callback, host_call::launch_host_func});
}

axis streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::blocking, stream_kind::non_blocking,
                                           stream_kind::null_stream});
}

axis created_streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::blocking, stream_kind::non_blocking});
}

axis producers() {
  return make_axis<producer>("producer", {producer::kernel, producer::copy, producer::memset});
}

axis memories() {
  return make_axis<memory_kind>("memory",
                                {memory_kind::mapped, memory_kind::managed, memory_kind::copied,
                                 {memory_kind::write_combined, tier::standard},
                                 {memory_kind::registered, tier::standard}});
}

std::string_view name(event_kind what) {
  switch (what) {
    case event_kind::untimed: return "untimed";
    case event_kind::timed: return "timed";
    case event_kind::blocking: return "blocking";
    case event_kind::blocking_untimed: return "blocking_untimed";
  }
  return "unknown";
}

unsigned flags_of(event_kind what) {
  switch (what) {
    case event_kind::untimed: return CU_EVENT_DISABLE_TIMING;
    case event_kind::timed: return CU_EVENT_DEFAULT;
    case event_kind::blocking: return CU_EVENT_BLOCKING_SYNC;
    case event_kind::blocking_untimed: return CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
  }
  return CU_EVENT_DEFAULT;
}

axis event_kinds() {
  return make_axis<event_kind>("event", {event_kind::untimed, event_kind::timed,
                                         event_kind::blocking, event_kind::blocking_untimed});
}

std::vector<need> needs_of_memory(const parameters& values) {
  switch (values.get<memory_kind>("memory")) {
    case memory_kind::managed: return {need::managed_memory};
    case memory_kind::registered: return {need::registered_memory};
    default: return {need::mapped_memory};
  }
}

clause_id by_host_call(const parameters& values, clause_id callback, clause_id function) {
  return values.get<host_call>("host_call") == host_call::add_callback ? callback : function;
}

}  // namespace streamcts
