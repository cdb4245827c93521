// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <chrono>
#include <string_view>

#include "harness/driver/event.h"

namespace streamcts::driver {

/// Every kind of stream that the documentation tells apart.
enum class stream_kind {
  null_stream,    ///< handle 0: legacy or per-thread, as the table's stream_mode says
  legacy,         ///< CU_STREAM_LEGACY
  per_thread,     ///< CU_STREAM_PER_THREAD
  blocking,       ///< cuStreamCreate, CU_STREAM_DEFAULT: synchronizes with the legacy stream
  non_blocking,   ///< cuStreamCreate, CU_STREAM_NON_BLOCKING
  high_priority,  ///< cuStreamCreateWithPriority, non-blocking, greatest priority of the context
  low_priority,   ///< cuStreamCreateWithPriority, non-blocking, least priority of the context
};
inline constexpr std::array all_stream_kinds = {
    stream_kind::null_stream, stream_kind::legacy,       stream_kind::per_thread,
    stream_kind::blocking,    stream_kind::non_blocking, stream_kind::high_priority,
    stream_kind::low_priority};

/// Whether the legacy default stream and a stream of this kind wait for each other. Of null_stream
/// in a per-thread table, yes, as of per_thread; of the legacy stream itself, false.
bool synchronizes_with_legacy(stream_kind kind, stream_mode mode = stream_mode::legacy);

/// "null", "legacy", "per_thread", "blocking", "non_blocking", "high_priority", "low_priority".
std::string_view to_string(stream_kind kind);

namespace detail {
struct stream_traits {
  using value_type = CUstream;
  static constexpr const char* destroy_call = "cuStreamDestroy";
  static CUresult destroy(const function_table& table, CUstream stream) {
    return table.cuStreamDestroy(stream);
  }
};
}  // namespace detail

/// A stream of the current context (CUDA Driver API, "Stream Management"). The three default kinds
/// are handles that the driver provides and own nothing. Destroying a stream with work in it is
/// allowed: the work goes on.
class stream {
 public:
  using site_type = std::source_location;

  /// @throws call_error
  stream(const function_table& table, stream_kind kind, site_type site = site_type::current());
  /// cuStreamCreateWithPriority; @p flags as for cuStreamCreate. @throws call_error
  static stream with_priority(const function_table& table, int priority, unsigned flags,
                              site_type site = site_type::current());

  CUstream get() const;
  stream_kind kind() const { return kind_; }
  std::string_view name() const { return to_string(kind_); }
  const function_table& table() const { return *table_; }

  /// Without a time limit: use it where the work is known to finish.
  void synchronize(site_type site = site_type::current()) const;
  /// True when all work has completed.
  bool query(site_type site = site_type::current()) const;
  /// Later work waits for the event as last recorded (CU_EVENT_WAIT_DEFAULT).
  void wait(const event& condition, site_type site = site_type::current()) const;
  void wait(CUevent condition, site_type site = site_type::current()) const;

  /// True when all work completed within @p limit; polls. The bounded form of synchronize().
  bool wait_idle(std::chrono::nanoseconds limit, site_type site = site_type::current()) const;

  /// Gives an owned stream up without destroying it; null for the default kinds.
  CUstream release() { return owned_.release(); }
  /// Destroys an owned stream now and shows the result; a default stream is left alone.
  void destroy(site_type site = site_type::current());

 private:
  stream(const function_table& table, stream_kind kind, CUstream owned);

  const function_table* table_;
  stream_kind kind_;
  handle<detail::stream_traits> owned_;
};

/// Least and greatest priority of the current context; a greater priority is a smaller number.
struct priority_range {
  int least, greatest;
};
priority_range stream_priorities(const function_table& table);

}  // namespace streamcts::driver
