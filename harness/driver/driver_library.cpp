// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/driver_library.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "harness/driver/keep.h"
#include "harness/driver/loader.h"
#include "harness/driver/mapped_files.h"
#include "harness/driver/result.h"

namespace streamcts::driver {

struct driver_library::state {
  loaded_file file;
  PFN_cuGetProcAddress_v12000 modern_lookup = nullptr;
  PFN_cuGetProcAddress_v11030 old_lookup = nullptr;
  std::string lookup;
  /// Nothing newer is asked for: a version above the driver's own is an error to it.
  int version = std::numeric_limits<int>::max();
  function_table legacy, per_thread;
};

namespace {

constexpr const char* remedy =
    "give the path of a library with libcuda's interface, 'system' or 'reference'";

/// The function by whichever cuGetProcAddress there is, else null.
void* ask(PFN_cuGetProcAddress_v12000 modern, PFN_cuGetProcAddress_v11030 old, const char* name,
          int version, stream_mode mode) {
  const cuuint64_t flags = mode == stream_mode::per_thread
                               ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                               : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  void* found = nullptr;
  CUresult result = CUDA_ERROR_NOT_FOUND;
  if (modern != nullptr) {
    CUdriverProcAddressQueryResult status{};
    result = modern(name, &found, version, flags, &status);
  } else if (old != nullptr) {
    result = old(name, &found, version, flags);
  }
  return result == CUDA_SUCCESS ? found : nullptr;
}

}  // namespace

driver_library driver_library::open(const std::string& path) {
  auto loaded = std::make_shared<state>();
  state& s = *loaded;
  s.file = load_file("driver", path, "libcuda.so.1", remedy);
  s.modern_lookup = s.file.symbol<PFN_cuGetProcAddress_v12000>("cuGetProcAddress_v2");
  s.old_lookup = s.file.symbol<PFN_cuGetProcAddress_v11030>("cuGetProcAddress");
  s.lookup = s.modern_lookup != nullptr ? "cuGetProcAddress_v2"
             : s.old_lookup != nullptr  ? "cuGetProcAddress"
                                        : "symbols";
  const auto find = [](void* opaque, const function_description& f, stream_mode mode) -> void* {
    const auto& from = *static_cast<const state*>(opaque);
    const bool variant = mode == stream_mode::per_thread && f.per_thread_version != 0;
    const int version = variant ? f.per_thread_version : f.version;
    void* found = nullptr;
    if (version <= from.version) {
      found = ask(from.modern_lookup, from.old_lookup, f.name, version, mode);
    }
    return found != nullptr ? found
                            : from.file.symbol<void*>(variant ? f.per_thread_symbol : f.symbol);
  };

  // The version first: only then is it known what may be asked for.
  const auto& all = function_descriptions();
  const auto get_version = std::find_if(all.begin(), all.end(), [](const auto& f) {
    return std::string_view(f.name) == "cuDriverGetVersion";
  });
  const entry_point<PFN_cuDriverGetVersion_v2020> version_of =
      reinterpret_cast<PFN_cuDriverGetVersion_v2020>(find(&s, *get_version, stream_mode::legacy));
  int version = 0;
  const CUresult result = version_of(&version);
  if (result == CUDA_ERROR_STUB_LIBRARY) {
    throw load_error(load_error::cause::not_a_driver,
                     "driver '" + path + "' (" + s.file.path +
                         ") is the toolkit's stub, good for linking only; " + remedy);
  }
  if (version_of != nullptr && result != CUDA_SUCCESS) {
    throw load_error(load_error::cause::does_not_load,
                     "driver '" + path + "' (" + s.file.path + "): cuDriverGetVersion returned " +
                         result_name(result) + "; repair its installation");
  }
  s.version = version;
  s.legacy = resolve(find, &s, stream_mode::legacy);
  s.per_thread = resolve(find, &s, stream_mode::per_thread);
  const auto missing = missing_functions(s.legacy, need::required);
  if (!missing.empty()) {
    throw load_error(load_error::cause::not_a_driver,
                     "driver '" + path + "' (" + s.file.path + ") is no CUDA driver: it lacks " +
                         std::string(missing.front()) + " and " +
                         std::to_string(missing.size() - 1) + " other functions; " + remedy);
  }
  keep_for_ever(loaded);
  return driver_library(loaded.get());
}

const function_table& driver_library::functions(stream_mode mode) const {
  return mode == stream_mode::legacy ? state_->legacy : state_->per_thread;
}
int driver_library::version() const {
  return state_->version;
}
const std::string& driver_library::path() const {
  return state_->file.path;
}
const std::string& driver_library::build_id() const {
  return state_->file.build_id;
}
const std::string& driver_library::lookup() const {
  return state_->lookup;
}
void* driver_library::loader_handle() const {
  return state_->file.handle;
}

std::vector<std::string> driver_library::mapped_files() const {
  auto addresses = function_addresses(state_->legacy);
  const auto more = function_addresses(state_->per_thread);
  addresses.insert(addresses.end(), more.begin(), more.end());
  return mapped_cuda_files(addresses);
}

void initialize(const function_table& table) {
  STREAMCTS_CHECK(table.cuInit(0));
}

}  // namespace streamcts::driver
