// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

#include "harness/runner/record_sink.h"
#include "reports/results/verdict.h"

namespace streamcts::runner {

enum class progress_mode { automatic, always, never };

/// What a run shows while it goes on. On a terminal one line that is written over and over: done of
/// total, red ones, time left. Elsewhere, and where `always` is wanted of no terminal, a plain line
/// now and then. Whatever is red is shown at once, whichever the mode.
class progress {
 public:
  /// @param out usually stdout; not closed
  progress(std::FILE* out, progress_mode mode);
  ~progress() { clear(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void begin(std::size_t total);
  /// A new record; those of a retest replace what was counted.
  void record(const results::case_record& record);
  /// What is being done now, where it is not the plan itself: "probing: gate_kernel_mapped".
  void phase(const std::string& text);
  /// Shows the state if it is time to.
  void tick();
  /// Prints a line that stays.
  void line(const std::string& text);
  /// Takes the line that is written over away.
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  std::string state() const;

  std::FILE* out_;
  bool overwrite_;
  bool shown_;
  bool line_open_ = false;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t red_ = 0;
  std::string phase_;
  clock::time_point start_ = clock::now();
  clock::time_point last_ = clock::now();
};

/// One line on a red record: verdict, id, what was expected and seen.
std::string red_line(const results::case_record& record);

}  // namespace streamcts::runner
