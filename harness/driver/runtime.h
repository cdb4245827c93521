// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "harness/driver/driver_library.h"
#include "harness/driver/result.h"

namespace streamcts::driver {

template <>
inline constexpr cudaError_t absent_result<cudaError_t> = cudaErrorNotSupported;

/// The runtime API in one stream mode, one member for each line of runtime_functions.def, named as
/// in the manual: `table.cudaLaunchHostFunc(...)`. As function_table otherwise. Streams, events and
/// graphs are the driver's own handles (CUDA Runtime API, "Interactions with the CUDA Driver API").
struct runtime_table {
#define RUNTIME_FUNCTION(need, name, per_thread_suffix) entry_point<decltype(&::name)> name;
#include "harness/driver/runtime_functions.def"
};

/// The runtime under test: a libcudart in this process, over the driver under test. Never unloaded,
/// as driver_library. Const members are safe from any thread.
class runtime_library {
 public:
  /// Loads @p path, or "system" for the loader's libcudart of the headers' major version. A runtime
  /// opens `libcuda.so.1` by that name: it gets the driver under test only where that one is loaded
  /// already and is what the name means in this process.
  /// @throws load_error where there is no such file, or it does not load, or is no runtime
  /// @throws not_supported "runtime bound to PATH", where it would use another driver; or where its
  ///   major version is not the headers' (it would take the arguments wrongly)
  static runtime_library open(const std::string& path, const driver_library& driver);

  const runtime_table& functions(stream_mode mode) const;
  /// cudaRuntimeGetVersion: 1000 * major + 10 * minor.
  int version() const;
  const std::string& path() const;
  const std::string& build_id() const;

 private:
  struct state;
  explicit runtime_library(const state* loaded) : state_(loaded) {}
  const state* state_;
};

/// The library name that "system" means: "libcudart.so.13".
std::string system_runtime_name();

/// As for the driver: the codes have the same numbers, so call_error::code is the CUresult of the
/// same meaning.
void check(cudaError_t result, const char* call,
           std::source_location site = std::source_location::current());

}  // namespace streamcts::driver
