// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace streamcts::driver {

/// Paths in @p maps (the format of /proc/self/maps) whose file name is like that of a library of
/// the CUDA driver or runtime; sorted, each once.
std::vector<std::string> cuda_files(std::istream& maps);

/// Those of this process, and the files in which @p addresses lie; sorted, each once.
std::vector<std::string> mapped_cuda_files(const std::vector<const void*>& addresses);

/// Real path of the mapped file in which @p address lies; empty if none.
std::string file_of_address(const void* address);

/// GNU build id of the mapped object in which @p address lies, in hexadecimal; empty if none.
std::string build_id_of_address(const void* address);

}  // namespace streamcts::driver
