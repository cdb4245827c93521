// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/layer/real_driver.h"

#include <dlfcn.h>

#include <cstdlib>

#include "harness/faults/layer/driver_search.h"

namespace streamcts::faults {
namespace {

real_table table;
void* library = nullptr;

/// Set while the driver behind is being opened, so that another copy of this library that is
/// opened in its place says so instead of looking for a driver in turn, for ever.
constexpr const char* loading_variable = "STREAMCTS_FAULTS_LOADING";

std::string own_path() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&own_path), &info) == 0 || !info.dli_fname) return {};
  return info.dli_fname;
}

template <typename F>
void fetch(F& slot, const char* symbol) {
  slot = reinterpret_cast<F>(real_symbol(symbol));
}

void fill_table() {
#define PLAIN(member, base, version, symbol) fetch(table.member, #symbol);
#define MODED(member, base, version, symbol, suffix)   \
  fetch(table.member.function[0], #symbol);            \
  fetch(table.member.function[1], #symbol #suffix);
#include "harness/faults/layer/entry_points.inc"
#undef PLAIN
#undef MODED
}

int open_flags() {
  int flags = RTLD_NOW | RTLD_LOCAL;
  // The driver behind has the same symbols. Under LD_PRELOAD this library comes first in the global
  // scope, and a driver that calls its own exported functions must nevertheless reach itself.
  // Sanitizers refuse the flag.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  flags |= RTLD_DEEPBIND;
#endif
  return flags;
}

}  // namespace

const real_table& real() { return table; }

void set_real_driver(const real_table& replacement) { table = replacement; }

void* real_symbol(const char* symbol) { return library ? dlsym(library, symbol) : nullptr; }

std::string open_real_driver(const std::string& wanted) {
  if (std::getenv(loading_variable)) {
    return "the driver behind the faulty driver is the faulty driver again: set "
           "STREAMCTS_REAL_DRIVER to the full path of a real libcuda.so.1";
  }
  const std::string self = own_path();
  std::string path = wanted;
  if (path.empty()) {
    driver_search where;
    if (const char* folders = std::getenv("LD_LIBRARY_PATH")) where.library_path = folders;
    path = find_system_driver(where, [&](const std::string& p) { return same_file(p, self); });
    if (path.empty()) {
      return "no libcuda.so.1 to forward to: set STREAMCTS_REAL_DRIVER to the full path of one";
    }
  } else if (same_file(path, self)) {
    return "STREAMCTS_REAL_DRIVER='" + path + "' is the faulty driver itself: name another driver";
  }
  setenv(loading_variable, "1", 1);
  library = dlopen(path.c_str(), open_flags());
  unsetenv(loading_variable);
  if (!library) {
    const char* why = dlerror();
    return "STREAMCTS_REAL_DRIVER='" + path + "' cannot be opened (" + (why ? why : "no reason") +
           "): set it to the full path of a libcuda.so.1";
  }
  fill_table();
  if (!table.init) {
    dlclose(library);
    library = nullptr;
    return "STREAMCTS_REAL_DRIVER='" + path +
           "' has no cuInit: set it to the full path of a libcuda.so.1";
  }
  return {};
}

}  // namespace streamcts::faults
