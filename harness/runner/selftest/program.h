// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// Starts streamcts_selftest and reads what it left. For tests.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reports/results/folder.h"

namespace streamcts::selftest {

/// A folder of its own for each test, removed with it.
class scratch_folder {
 public:
  scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder();
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct finished_program {
  int exit_code = -1;  ///< 128 + number for a signal
  std::string output;  ///< stdout and stderr
};

/// The program, running.
class started_program {
 public:
  /// @param words the command line without the program's name
  started_program(const std::vector<std::string>& words,
                  const std::map<std::string, std::string>& variables,
                  const std::filesystem::path& folder);
  started_program(const started_program&) = delete;
  started_program& operator=(const started_program&) = delete;
  ~started_program();

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  /// Waits for its end; kills it after @p limit and then says so in the output.
  finished_program wait(std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  pid_t pid_ = -1;
  std::string output_file_;
};

/// Runs the program to its end.
finished_program run_program(const std::vector<std::string>& words,
                             const std::map<std::string, std::string>& variables,
                             const std::filesystem::path& folder);

/// The record of a case in a run; fails the test where there is none.
results::case_record record_of(const results::run& run, const std::string& id);

/// Whether @p done becomes true within ten seconds.
bool becomes_true(const std::function<bool()>& done);

}  // namespace streamcts::selftest
