// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <initializer_list>
#include <source_location>

#include "conformance/axes.h"

namespace streamcts {

/// Who finds out that an event is complete.
enum class seen_by {
  synchronize,  ///< cuEventSynchronize returns
  query,        ///< cuEventQuery succeeds
  wait,         ///< another stream waits for it, and a host call there starts
};
inline std::string_view name(seen_by how) {
  switch (how) {
    case seen_by::synchronize: return "synchronize";
    case seen_by::query: return "query";
    case seen_by::wait: return "wait";
  }
  return "unknown";
}
inline axis observers() {
  return make_axis<seen_by>("observer", {seen_by::synchronize, seen_by::query, seen_by::wait});
}

/// The observer that the case's parameters ask for: it looks at payloads as soon as it knows that an
/// event is complete. Made before the first round.
class event_observer {
 public:
  event_observer(case_context& context, arrangement& scene)
      : scene_(scene),
        how_(context.get<seen_by>("observer")),
        stream_(scene.stream(driver::stream_kind::non_blocking)) {}

  /// Within a hold, once in a round.
  void observe(mark& what, std::initializer_list<product*> out) {
    wait_ = nullptr;
    call_ = nullptr;
    if (how_ == seen_by::wait) {
      call_ = &scene_.host_call(host_call::add_callback);
      for (product* each : out) call_->looks_at(*each);
      scene_.wait(stream_, what);
      scene_.enqueue(stream_, *call_);
      return;
    }
    wait_ = how_ == seen_by::query ? &scene_.poll(what) : &scene_.synchronize(what);
    for (product* each : out) wait_->looks_at(*each);
  }

  /// After drain().
  void expect_complete(clause_id clause, operation victim,
                       std::source_location site = std::source_location::current()) const {
    if (call_ != nullptr) {
      scene_.expect_complete(clause, victim, *call_, site);
    } else {
      scene_.expect_covered(clause, victim, *wait_, site);
    }
  }

 private:
  arrangement& scene_;
  seen_by how_;
  lane& stream_;
  host_wait* wait_ = nullptr;
  observer* call_ = nullptr;
};

}  // namespace streamcts
