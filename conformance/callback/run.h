// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/format.h>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

// Runs of host calls in one stream.

namespace streamcts {

/// Which entry points the host calls of a run are made by.
enum class mix { callbacks, host_functions, alternating };
inline std::string_view name(mix what) {
  switch (what) {
    case mix::callbacks: return "callbacks";
    case mix::host_functions: return "host_functions";
    case mix::alternating: return "alternating";
  }
  return "unknown";
}

inline axis mixes() {
  return make_axis<mix>("mix", {mix::callbacks, mix::host_functions, mix::alternating});
}

inline host_call nth_of(mix what, std::size_t index) {
  if (what == mix::alternating) {
    return index % 2 == 0 ? host_call::add_callback : host_call::launch_host_func;
  }
  return what == mix::callbacks ? host_call::add_callback : host_call::launch_host_func;
}

inline std::vector<clause_id> sequence_clauses(const parameters& values) {
  return {values.get<mix>("mix") == mix::callbacks ? clause::CB_ORDER_004 : clause::HF_ORDER_002};
}

inline clause_id start_clause(host_call call) {
  return call == host_call::add_callback ? clause::CB_ORDER_001 : clause::HF_ORDER_001;
}

/// Begin and end of a host call, as stamps of one counter.
struct call_span {
  std::uint64_t begin, end;
  friend void PrintTo(const call_span& what, std::ostream* out) {
    *out << "from " << what.begin << " to " << what.end;
  }
};
MATCHER_P(FollowsSpan, before, fmt::format("a begin after {}, the end of the host call in front",
                                           before.end)) {
  return arg.begin > before.end;
}

inline call_span span_of(const host_call_slot& call) { return {call.begin_stamp(), call.end_stamp()}; }

/// That each starts after what is in front of it, and last, that they keep their order.
inline std::vector<clause_id> run_clauses(const parameters& values) {
  switch (values.get<mix>("mix")) {
    case mix::callbacks: return {clause::CB_ORDER_001, clause::CB_ORDER_004};
    case mix::host_functions: return {clause::HF_ORDER_001, clause::HF_ORDER_002};
    case mix::alternating:
      return {clause::CB_ORDER_001, clause::HF_ORDER_001, clause::HF_ORDER_002};
  }
  return {};
}

}  // namespace streamcts
