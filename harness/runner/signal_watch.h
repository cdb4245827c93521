// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <csignal>
#include <optional>

#include "harness/runner/descriptor.h"

namespace streamcts::runner {

/// Turns SIGINT, SIGTERM, SIGHUP and SIGCHLD into something to poll, for the thread that made it and
/// those it starts afterwards. The destructor restores the mask.
class signal_watch {
 public:
  /// @throws machine_error
  signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;
  ~signal_watch();

  int descriptor_to_poll() const { return source_.get(); }
  /// Reads what has come. The first request to end is kept; from then on signals act as if nobody
  /// watched, so that a second one ends the program at once.
  void drain();
  /// The signal that asked the program to end.
  std::optional<int> request() const { return request_; }

 private:
  descriptor source_;
  sigset_t previous_;
  std::optional<int> request_;
};

}  // namespace streamcts::runner
