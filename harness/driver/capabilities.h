// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts::driver {

/// What a driver may be unable to do. A feature works when a call of it worked once: present is not
/// able. Names (to_string) are those of the enumerators; they are written to files.
enum class feature {
  // Kernels
  kernel_library,  ///< cuLibraryLoadData and a launch of its kernel
  kernel_module,   ///< cuModuleLoadData and a launch of its kernel
  // Host calls
  stream_callback,  ///< cuStreamAddCallback ran
  host_function,    ///< cuLaunchHostFunc ran
  // Streams
  priorities,       ///< cuStreamCreateWithPriority at both ends of a range of more than one
  per_thread_mode,  ///< the other stream mode: its NULL stream is not the legacy stream
  // Memory: written by a kernel, read by the host after a synchronization
  pinned,
  mapped,
  portable,
  write_combined,
  registered,
  managed,
  managed_concurrent,         ///< the host may touch managed memory while kernels run
  stream_ordered_allocation,  ///< cuMemAllocAsync, use, cuMemFreeAsync
  // Stream memory operations
  memop_32,
  memop_64,
  memop_batch,
  // Holding a stream: the gate was shut, was seen to be, and opened when told
  gate_host_function,  ///< a host function that waits for an atomic
  gate_kernel_mapped,  ///< a kernel that waits for a word in mapped memory
  gate_kernel_device,  ///< a kernel that waits for a word in device memory, opened by a copy
  gate_value_wait,     ///< cuStreamWaitValue32 on a word in mapped memory
  // Graphs
  graph,          ///< a host node and a kernel node, instantiated and launched
  graph_capture,  ///< cuStreamBeginCapture, a host function, launch
  user_object,    ///< its destructor ran after the graph's end
  // Several devices
  multi_device,
  peer_access,
  // Processes
  ipc_events,
  // The runtime API
  runtime,             ///< cudaLaunchHostFunc in a stream of the driver's
  runtime_per_thread,  ///< the same by the _ptsz names
};
inline constexpr std::size_t feature_count =
    static_cast<std::size_t>(feature::runtime_per_thread) + 1;

std::string_view to_string(feature which);
std::optional<feature> feature_from(std::string_view name);
/// All features in order.
const std::array<feature, feature_count>& all_features();

/// Whether a feature worked, and if not, why in one line: the call and its code, what was seen, or
/// the attribute that denies it. A feature that was never tried says so.
struct ability {
  bool works = false;
  std::string reason = "not tried";
};

/// What was found out about driver and device, once, before any case. Plain data: made by a probe
/// child, written to a file, read by everybody else.
struct capabilities {
  // The driver
  std::string driver_path;                     ///< real path
  std::string driver_build_id;                 ///< hexadecimal; empty if it has none
  std::string driver_lookup;                   ///< how functions were found
  int driver_version = 0;                      ///< 1000 * major + 10 * minor
  std::vector<std::string> mapped_files;       ///< see driver_library::mapped_files()
  std::vector<std::string> missing_functions;  ///< optional entry points that are absent
  // The runtime; empty where there is none
  std::string runtime_path;
  std::string runtime_build_id;
  int runtime_version = 0;
  // The device
  int device_count = 0;
  int device_ordinal = 0;
  std::string device_name;
  std::string device_uuid;  ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"; empty if unknown
  std::string pci_bus_id;
  std::size_t device_memory = 0;  ///< bytes
  int compute_major = 0;
  int compute_minor = 0;
  int priority_least = 0;
  int priority_greatest = 0;
  /// Values by the names of cuda.h without prefix, in lower case: "concurrent_managed_access".
  std::map<std::string, int> attributes;

  std::array<ability, feature_count> features;

  ability& of(feature which) { return features[static_cast<std::size_t>(which)]; }
  const ability& of(feature which) const { return features[static_cast<std::size_t>(which)]; }
  bool works(feature which) const { return of(which).works; }
  /// Value of an attribute; @p otherwise where the driver does not know it.
  int attribute(const std::string& name, int otherwise = 0) const;
  /// True where our reference driver is at the bottom, whatever lies above: by the device's name.
  bool is_reference() const { return device_name.starts_with("streamcts reference"); }
};

}  // namespace streamcts::driver
