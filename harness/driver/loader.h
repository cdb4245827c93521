// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <dlfcn.h>

#include <string>

#include "harness/driver/driver_library.h"

namespace streamcts::driver {

/// A shared library in this process. Nobody closes it.
struct loaded_file {
  void* handle = nullptr;
  std::string path;      ///< real path
  std::string build_id;  ///< hexadecimal; empty if it has none

  /// By plain dlsym, which is what interposers hook; null where there is none.
  template <typename Pointer>
  Pointer symbol(const char* name) const {
    return reinterpret_cast<Pointer>(dlsym(handle, name));
  }
};

/// Opens @p path, or, where that is "system", @p system_name by the loader's search. @p what
/// ("driver") and @p remedy are for the message. @throws load_error
loaded_file load_file(const std::string& what, const std::string& path,
                      const std::string& system_name, const std::string& remedy);

}  // namespace streamcts::driver
