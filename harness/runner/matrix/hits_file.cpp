// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/matrix/hits_file.h"

#include <fmt/format.h>

#include <fstream>

#include "harness/runner/errors.h"

namespace streamcts::runner {

hits_file::hits_file(std::filesystem::path path) : path_(std::move(path)) {
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  const std::uint64_t zero = 0;
  file.write(reinterpret_cast<const char*>(&zero), sizeof zero);
  file.close();
  if (!file) {
    throw machine_error(
        fmt::format("{}: cannot be written; take a folder with room for '--out'", path_.string()));
  }
}

hits_file::~hits_file() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::uint64_t hits_file::count() const {
  std::uint64_t value = 0;
  std::ifstream file(path_, std::ios::binary);
  file.read(reinterpret_cast<char*>(&value), sizeof value);
  return file ? value : 0;
}

}  // namespace streamcts::runner
