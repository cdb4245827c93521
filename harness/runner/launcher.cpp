// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/launcher.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "harness/runner/errors.h"

extern char** environ;

namespace streamcts::runner {

namespace {

constexpr std::chrono::seconds before_limit{120};

/// Attributes of a process that has neither our signal mask nor our output.
class spawn_setup {
 public:
  spawn_setup() {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
    ::posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
  }
  spawn_setup(const spawn_setup&) = delete;
  spawn_setup& operator=(const spawn_setup&) = delete;
  ~spawn_setup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawnattr_t* attributes() const { return &attributes_; }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

}  // namespace

int run_shell(const std::string& command, std::chrono::milliseconds limit) {
  const spawn_setup setup;
  std::string text = command;
  std::array<char*, 4> arguments{const_cast<char*>("sh"), const_cast<char*>("-c"), text.data(),
                                 nullptr};
  pid_t pid = -1;
  if (::posix_spawn(&pid, "/bin/sh", setup.actions(), setup.attributes(), arguments.data(),
                    environ) != 0) {
    return 127;
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  bool late = false;
  while (::waitpid(pid, &status, late ? 0 : WNOHANG) == 0) {
    late = std::chrono::steady_clock::now() >= end;
    if (late) {
      ::kill(pid, SIGKILL);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (late) return 124;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::unique_ptr<child_process> launcher::start() const {
  if (!before_child_.empty()) {
    if (const int status = run_shell(before_child_, before_limit); status != 0) {
      throw machine_error(fmt::format(
          "--before-child '{}': exit status {}{}; it must succeed before each child", before_child_,
          status, status == 124 ? " (killed after two minutes)" : ""));
    }
  }
  return std::make_unique<child_process>(command_);
}

}  // namespace streamcts::runner
