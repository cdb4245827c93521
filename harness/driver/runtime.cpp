// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/runtime.h"

#include <dlfcn.h>
#include <link.h>

#include "harness/driver/keep.h"
#include "harness/driver/loader.h"

namespace streamcts::driver {

struct runtime_library::state {
  loaded_file file;
  int version = 0;
  runtime_table legacy, per_thread;
};

namespace {

constexpr int headers_major = CUDART_VERSION / 1000;
constexpr const char* remedy = "give the path of a CUDA runtime library, or 'none'";

/// What `libcuda.so.1` means in this process, if it is loaded.
struct bound_driver {
  void* handle = nullptr;
  std::string path = "no library: none is loaded under the name libcuda.so.1";
};
bound_driver driver_by_name() {
  bound_driver bound;
  bound.handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (bound.handle == nullptr) return bound;
  const link_map* map = nullptr;
  if (dlinfo(bound.handle, RTLD_DI_LINKMAP, &map) == 0) bound.path = map->l_name;
  dlclose(bound.handle);  // drops this look-up's reference alone
  return bound;
}

void require_same_driver(const driver_library& driver) {
  const bound_driver bound = driver_by_name();
  if (bound.handle != driver.loader_handle()) {
    throw not_supported("runtime bound to " + bound.path + ", not to the driver under test " +
                        driver.path());
  }
}

runtime_table resolve(const loaded_file& file, stream_mode mode) {
  runtime_table table;
  const bool per_thread = mode == stream_mode::per_thread;
#define RUNTIME_FUNCTION(level, name, per_thread_suffix) \
  table.name = file.symbol<decltype(&::name)>(per_thread ? #name #per_thread_suffix : #name);
#include "harness/driver/runtime_functions.def"
  return table;
}

std::string first_missing(const runtime_table& table) {
#define RUNTIME_FUNCTION(level, name, per_thread_suffix) \
  if (need::level == need::required && table.name == nullptr) return #name;
#include "harness/driver/runtime_functions.def"
  return {};
}

}  // namespace

std::string system_runtime_name() {
  return "libcudart.so." + std::to_string(headers_major);
}

runtime_library runtime_library::open(const std::string& path, const driver_library& driver) {
  require_same_driver(driver);
  auto loaded = std::make_shared<state>();
  state& s = *loaded;
  s.file = load_file("runtime", path, system_runtime_name(), remedy);
  s.legacy = resolve(s.file, stream_mode::legacy);
  s.per_thread = resolve(s.file, stream_mode::per_thread);
  const std::string missing = first_missing(s.legacy);
  if (!missing.empty()) {
    throw load_error(load_error::cause::not_a_driver, "runtime '" + path + "' (" + s.file.path +
                                                          ") is no CUDA runtime: it lacks " +
                                                          missing + "; " + remedy);
  }
  STREAMCTS_CHECK(s.legacy.cudaRuntimeGetVersion(&s.version));
  if (s.version / 1000 != headers_major) {
    throw not_supported("runtime " + s.file.path + " has version " + std::to_string(s.version) +
                        "; this program calls version " + std::to_string(headers_major) + ".x");
  }
  // A runtime may have opened another driver by itself.
  require_same_driver(driver);
  keep_for_ever(loaded);
  return runtime_library(loaded.get());
}

const runtime_table& runtime_library::functions(stream_mode mode) const {
  return mode == stream_mode::legacy ? state_->legacy : state_->per_thread;
}
int runtime_library::version() const {
  return state_->version;
}
const std::string& runtime_library::path() const {
  return state_->file.path;
}
const std::string& runtime_library::build_id() const {
  return state_->file.build_id;
}

void check(cudaError_t result, const char* call, std::source_location site) {
  check(static_cast<CUresult>(result), call, site);
}

}  // namespace streamcts::driver
