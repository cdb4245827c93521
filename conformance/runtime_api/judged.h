// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gmock/gmock.h>

#include <vector>

#include "harness/case/arrangement.h"

// What the cases of the runtime API vary and judge, and in which words.

namespace streamcts {

/// The streams of conformance/axes.h. What tells the kinds apart is the driver's business, so that one of
/// them is enough at first.
inline axis runtime_streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::blocking,
                                           {stream_kind::non_blocking, tier::standard},
                                           {stream_kind::null_stream, tier::standard}});
}
inline axis created_runtime_streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>(
      "stream", {stream_kind::blocking, {stream_kind::non_blocking, tier::standard}});
}

/// Two host calls of a stream, by their stamps.
struct succession {
  std::uint64_t end_of_first, begin_of_second;
  friend void PrintTo(const succession& what, std::ostream* out) {
    *out << "an end stamped " << what.end_of_first << " and a begin stamped "
         << what.begin_of_second;
  }
};

MATCHER(IsOneAfterTheOther, "the second to begin after the end of the first") {
  return arg.begin_of_second > arg.end_of_first;
}
MATCHER(IsOneExecution, "exactly one execution") { return arg == 1u; }
MATCHER_P(IsTheHandle, handle, "the stream handle that was passed") { return arg == handle; }
/// @p calls were put into one stream in this order: none begins before the one in front has ended.
/// After drain().
inline void expect_in_turn(arrangement& scene, clause_id promise,
                           const std::vector<observer*>& calls) {
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const succession seen{calls[i - 1]->slot().end_stamp(), calls[i]->slot().begin_stamp()};
    if (!scene.expect(promise, calls[i - 1]->op(), calls[i]->op(), failure_kind::order, seen,
                      IsOneAfterTheOther())) {
      return;
    }
  }
}

}  // namespace streamcts
