// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe's working state: one member function a feature. Each does the thing once, and throws
// (call_error or not_supported) with the reason why it does not work.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/driver/context.h"
#include "harness/driver/graph.h"
#include "harness/driver/keep.h"
#include "harness/driver/kernels.h"
#include "harness/driver/memory.h"
#include "harness/driver/poll.h"
#include "harness/driver/probe.h"
#include "harness/driver/stream.h"

namespace streamcts::driver::detail {

/// What host calls touch: never freed, since a driver may call late, or twice.
template <typename T, typename... Args>
T& immortal(Args&&... args) {
  auto made = std::make_shared<T>(std::forward<Args>(args)...);
  T& reference = *made;
  keep_for_ever(std::move(made));
  return reference;
}

/// What else a step uses. Kept for ever unless the step ended well: after a time-out or a refused
/// call the driver may still use it, and freeing may hang.
class arena {
 public:
  template <typename T, typename... Args>
  T& make(Args&&... args) {
    auto made = std::make_shared<T>(std::forward<Args>(args)...);
    T& reference = *made;
    things_.push_back(std::move(made));
    return reference;
  }
  bool empty() const { return things_.empty(); }
  /// Frees everything, the last made first.
  void clear() {
    while (!things_.empty()) things_.pop_back();
  }
  void abandon() {
    for (auto& thing : things_) keep_for_ever(std::move(thing));
    things_.clear();
  }

 private:
  std::vector<std::shared_ptr<void>> things_;
};

class prober {
 public:
  prober(const driver_library& driver, const probe_options& options, const runtime_library* runtime,
         const std::string& no_runtime, capabilities& found)
      : driver_(driver),
        options_(options),
        runtime_(runtime),
        no_runtime_(no_runtime),
        found_(found),
        table_(driver.functions(stream_mode::legacy)),
        per_thread_(driver.functions(stream_mode::per_thread)) {}

  /// Everything, in order.
  void run();

 private:
  using step = void (prober::*)(arena&);

  // probe.cpp
  void device();
  void try_feature(feature which, step body);
  void try_all();
  void begin_step(std::string_view name) const;
  /// Throws not_supported unless the attribute is there and not zero.
  void demand_attribute(const char* name) const;
  /// Waits for all work in @p target; throws not_supported when the time is over.
  void finish(arena& a, const stream& target) const;
  std::chrono::nanoseconds patience() const { return options_.patience; }
  std::uint64_t patience_ns() const { return static_cast<std::uint64_t>(patience().count()); }
  const kernel_set& kernels() const;
  stream& new_stream(arena& a) const { return a.make<stream>(table_, stream_kind::non_blocking); }

  // probe_work.cpp
  void kernel_library(arena& a);
  void kernel_module(arena& a);
  void load_and_launch(arena& a, kernel_loading how);
  void stream_callback(arena& a);
  void host_function(arena& a);
  void priorities(arena& a);
  void per_thread_mode(arena& a);
  template <host_memory Kind>
  void host_memory_kind(arena& a);
  void write_by_kernel(arena& a, CUdeviceptr address);
  void managed(arena& a);
  void managed_concurrent(arena& a);
  void stream_ordered_allocation(arena& a);
  void memop_32(arena& a);
  void memop_64(arena& a);
  void memop_batch(arena& a);
  void graph_by_hand(arena& a);
  void graph_capture(arena& a);
  void user_object(arena& a);
  void multi_device(arena& a);
  void peer_access(arena& a);
  void ipc_events(arena& a);
  void runtime(arena& a);
  void runtime_per_thread(arena& a);
  void runtime_host_function(stream_mode mode, CUstream stream);

  // probe_gates.cpp
  void gate_host_function(arena& a);
  void gate_kernel_mapped(arena& a);
  void gate_kernel_device(arena& a);
  void gate_value_wait(arena& a);

  const driver_library& driver_;
  const probe_options& options_;
  const runtime_library* runtime_;
  const std::string& no_runtime_;
  capabilities& found_;
  const function_table& table_;
  const function_table& per_thread_;
  std::unique_ptr<kernel_image> image_;
  std::unique_ptr<kernel_set> kernels_;
  /// Some step ended badly: what the driver holds is not taken from it any more.
  bool stuck_ = false;
};

}  // namespace streamcts::driver::detail
