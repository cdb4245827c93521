// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/stacks.h"

#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "harness/runner/thread_facts.h"
#include "harness/runner/unwinder.h"

namespace streamcts::runner {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t most_threads = 64;

/// A thread of another process, stopped until this goes out of scope.
class stopped_thread {
 public:
  stopped_thread(pid_t thread, clock::time_point until) : thread_(thread) {
    if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
      problem_ = fmt::format("ptrace is refused: {}{}", std::strerror(errno),
                             errno == EPERM ? " (see kernel.yama.ptrace_scope, or the seccomp "
                                              "profile of the container)"
                                            : "");
      return;
    }
    seized_ = true;
    ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
    int status = 0;
    pid_t got = 0;
    while ((got = ::waitpid(thread, &status, __WALL | WNOHANG)) == 0 && clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (got == thread && WIFSTOPPED(status)) return;
    problem_ = got == 0 ? "does not stop (it is inside the kernel)" : "has ended";
  }
  stopped_thread(const stopped_thread&) = delete;
  stopped_thread& operator=(const stopped_thread&) = delete;
  ~stopped_thread() {
    if (seized_) ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
  }
  /// Why it is not stopped; empty where it is.
  const std::string& problem() const { return problem_; }

 private:
  pid_t thread_;
  bool seized_ = false;
  std::string problem_;
};

}  // namespace

std::vector<std::string> take_stacks(pid_t process, std::chrono::milliseconds limit) {
  const auto end = clock::now() + limit;
  std::vector<std::string> lines;
  const std::vector<pid_t> threads = threads_of(process);
  unwinder frames(process);
  std::size_t shown = 0;
  for (const pid_t thread : threads) {
    if (shown++ == most_threads) {
      lines.push_back(fmt::format("and {} more threads", threads.size() - most_threads));
      break;
    }
    lines.push_back(thread_heading(process, thread));
    if (!frames.problem().empty()) {
      lines.push_back(fmt::format("  no frames: {}", frames.problem()));
      continue;
    }
    if (clock::now() >= end) {
      lines.push_back(fmt::format("  no frames: the {} ms for stacks are over", limit.count()));
      continue;
    }
    const stopped_thread stopped(thread,
                                 std::min(end, clock::now() + std::chrono::milliseconds(500)));
    if (!stopped.problem().empty()) {
      lines.push_back(fmt::format("  no frames: {}", stopped.problem()));
      continue;
    }
    for (std::string& frame : frames.of(thread, end)) lines.push_back("  " + std::move(frame));
  }
  return lines;
}

}  // namespace streamcts::runner
