// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts::faults {

/// The libraries that the loader's cache file lists under @p soname, in its order. Reads the format
/// of glibc 2.2 and later ("glibc-ld.so.cache1.1"); anything else gives an empty list.
std::vector<std::string> cached_libraries(const std::string& cache_file, std::string_view soname);

/// True where @p a and @p b are one file, whatever their names.
bool same_file(const std::string& a, const std::string& b);

/// Where a search for the system's driver looks.
struct driver_search {
  std::string library_path;  ///< value of LD_LIBRARY_PATH
  std::string cache_file = "/etc/ld.so.cache";
  std::vector<std::string> folders = {"/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu",
                                      "/usr/lib64", "/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
};

/// The first libcuda.so.1 that the loader would find and that is none of @p refused (this library
/// itself), or an empty string.
std::string find_system_driver(const driver_search& where,
                               const std::function<bool(const std::string&)>& refused);

}  // namespace streamcts::faults
