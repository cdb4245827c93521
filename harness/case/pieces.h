// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/api.h"
#include "harness/case/explain.h"
#include "harness/driver/event.h"
#include "harness/driver/stream.h"
#include "harness/observe/control.h"
#include "harness/observe/gate.h"
#include "harness/observe/host_call.h"
#include "harness/observe/payload.h"

// What arrangements are made of.

namespace streamcts {

/// What writes a payload.
enum class producer {
  kernel,
  copy,    ///< an asynchronous copy of device memory
  memset,  ///< cuMemsetD32Async
};
std::string_view name(producer what);

namespace driver {
inline std::string_view name(stream_kind kind) { return to_string(kind); }
}  // namespace driver

/// A stream of an arrangement.
struct lane {
  driver::stream stream;
  std::string name;  ///< "stream A (blocking)"
  std::optional<operation> last;  ///< the operation that later work of the stream is ordered behind
  /// For a per-thread stream: whether host calls are put in by the entry points of per-thread mode and
  /// the NULL handle, which mean the same stream.
  bool calls_by_null = false;
  /// The same for all that is put in.
  bool all_by_null = false;
  /// The API by which later operations are put in; the one that made the stream may be the other.
  api by = api::driver;

  CUstream get() const { return stream.get(); }
  bool takes_part_in_legacy_barrier() const;
};

/// An event of an arrangement.
struct mark {
  driver::event event;
  std::string name;  ///< "event 1"
  std::optional<operation> recorded;

  CUevent get() const { return event.get(); }
};

/// A payload and how it is written.
struct product {
  payload data;
  producer by;
  driver::device_buffer source;  ///< for copies: holds the pattern before the round begins
  std::string name;              ///< "payload 1"
  std::optional<operation> written;
  /// Whether the copy to the host that belongs to `copied` memory is left out: for payloads that only
  /// work of the device reads, so that it is directly behind the writer.
  bool stays_on_device = false;
};

/// One look at a payload from inside a host call.
struct glance {
  const product* at = nullptr;
  sighting seen;
  gate::state victim = gate::state::shut;  ///< of the hold's victim when the look began
};

/// A host call of an arrangement, and what it is to look at.
class observer {
 public:
  /// At its start the host call compares @p what with its pattern.
  void looks_at(product& what) { glances_.push_back({.at = &what, .seen = {}}); }
  /// Just before its return the host call reads @p marker.
  void watches(control_word marker) { markers_.push_back({marker, 0}); }
  /// Just before its return the host call checks that @p what is still all sentinel.
  void guards(product& what) { guarded_.push_back({.at = &what, .seen = {}}); }
  /// At its start, behind the looks, the host call does this; the rules are those of finally().
  void first(std::function<void()> action) { first_act_ = std::move(action); }
  /// Just before its return the host call does this; it must not throw, lock, allocate or call CUDA.
  void finally(std::function<void()> action) { last_act_ = std::move(action); }

  const glance& saw(std::size_t index = 0) const { return glances_.at(index); }
  const std::vector<glance>& glances() const { return glances_; }
  std::uint32_t marker(std::size_t index = 0) const { return markers_.at(index).value; }
  const glance& guarded(std::size_t index = 0) const { return guarded_.at(index); }

  host_call_slot& slot() { return slot_; }
  const host_call_slot& slot() const { return slot_; }
  const std::string& name() const { return name_; }
  host_call call() const { return call_; }
  operation op() const { return op_; }
  /// Whether it was put into a stream.
  bool armed() const { return armed_; }

 private:
  friend class arrangement;
  struct watched {
    control_word word;
    std::uint32_t value;
  };

  host_call_slot slot_;
  host_call call_ = host_call::add_callback;
  std::string name_;  ///< "callback 1", "host function 2"
  operation op_ = 0;
  bool armed_ = false;
  std::vector<glance> glances_;
  std::vector<watched> markers_;
  std::vector<glance> guarded_;
  std::function<void()> first_act_;
  std::function<void()> last_act_;
};

}  // namespace streamcts
