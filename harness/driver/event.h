// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>

#include "harness/driver/handle.h"

namespace streamcts::driver {

namespace detail {
struct event_traits {
  using value_type = CUevent;
  static constexpr const char* destroy_call = "cuEventDestroy";
  static CUresult destroy(const function_table& table, CUevent event) {
    return table.cuEventDestroy(event);
  }
};
}  // namespace detail

/// An event of the current context (CUDA Driver API, "Event Management"). Destroying one that is
/// still pending is allowed: it does not wait.
class event : public handle<detail::event_traits> {
 public:
  using site_type = std::source_location;

  event() = default;
  /// @p flags: CU_EVENT_*. @throws call_error
  explicit event(const function_table& table, unsigned flags = CU_EVENT_DISABLE_TIMING,
                 site_type site = site_type::current());

  void record(CUstream stream, site_type site = site_type::current()) const;
  /// cuEventRecordWithFlags: CU_EVENT_RECORD_*.
  void record_with_flags(CUstream stream, unsigned flags,
                         site_type site = site_type::current()) const;
  /// True when complete; an event that was never recorded is complete (EV-REC-004).
  bool query(site_type site = site_type::current()) const;
  /// Without a time limit: use it where the work is known to finish.
  void synchronize(site_type site = site_type::current()) const;
  /// True when complete within @p limit; polls. The bounded form of synchronize().
  bool wait(std::chrono::nanoseconds limit, site_type site = site_type::current()) const;
};

/// Milliseconds between two recorded events made without CU_EVENT_DISABLE_TIMING.
float elapsed_ms(const event& begin, const event& end);

}  // namespace streamcts::driver
