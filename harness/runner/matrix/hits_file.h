// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>

namespace streamcts::runner {

/// The file in which the faulty driver counts how often its fault took effect
/// (STREAMCTS_FAULT_HITS). The destructor removes it.
class hits_file {
 public:
  /// Makes it, with a count of zero. @throws machine_error
  explicit hits_file(std::filesystem::path path);
  hits_file(const hits_file&) = delete;
  hits_file& operator=(const hits_file&) = delete;
  ~hits_file();

  const std::filesystem::path& path() const { return path_; }
  /// What was counted so far; also by processes that were killed.
  std::uint64_t count() const;

 private:
  std::filesystem::path path_;
};

}  // namespace streamcts::runner
