// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Files, with errors that say what to do.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/results/error.h"

namespace streamcts::results {

/// The whole of a file. @throws results_error
std::string read_file(const std::filesystem::path& path);

/// Replaces @p path by @p content: all of it or nothing, also over a power cut.
/// @throws results_error naming the path, the cause and the remedy (a full disk among them).
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// A file of lines that survives a power cut but for its last line. Not thread-safe.
class line_file {
 public:
  /// Opens @p path for appending and makes it where it is missing. A torn last line, left by a run
  /// that was killed, is ended first, so that the next line is whole.
  /// @throws results_error
  explicit line_file(std::filesystem::path path);
  line_file(line_file&& other) noexcept;
  line_file& operator=(line_file&& other) noexcept;
  line_file(const line_file&) = delete;
  line_file& operator=(const line_file&) = delete;
  ~line_file();

  /// Appends @p line, which ends in a line feed, by one write, and waits until it is on the disk.
  /// @throws results_error; the file is then cut back to the lines before, where that can be done.
  void append(std::string_view line);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace streamcts::results
