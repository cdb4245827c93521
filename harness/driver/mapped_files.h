// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace streamcts::driver {

/// Paths in @p maps (the format of /proc/self/maps) whose file name is like a CUDA library's;
/// sorted, each once.
std::vector<std::string> cuda_files(std::istream& maps);

/// Path of the mapped file in which @p address lies; empty if none.
std::string file_of_address(const void* address);

/// GNU build id of the mapped object in which @p address lies, in hexadecimal; empty if none.
std::string build_id_of_address(const void* address);

}  // namespace streamcts::driver
