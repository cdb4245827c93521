// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "harness/runner/errors.h"

namespace streamcts::runner {

namespace {

constexpr std::chrono::seconds kill_limit{10};

struct pipe_pair {
  descriptor reading;
  descriptor writing;
};

pipe_pair make_pipe(int flags) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | flags) != 0) {
    throw machine_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return {descriptor(ends[0]), descriptor(ends[1])};
}

/// The reading end does not block; the writing end, which the child gets, does.
pipe_pair make_output_pipe() {
  pipe_pair made = make_pipe(0);
  ::fcntl(made.reading.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(made.reading.get(), F_SETPIPE_SZ, 1 << 20);  // fewer switches for children that print much
  return made;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& each : texts) all.push_back(const_cast<char*>(each.c_str()));
  all.push_back(nullptr);
  return all;
}

/// All that the child needs between fork and exec, made before: there only calls that are safe in a
/// signal handler are allowed.
struct start_plan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  std::array<int, 4> descriptors;  ///< for 0 to 3
  int failure;                     ///< where errno goes when exec fails
  pid_t parent;
};

[[noreturn]] void report_and_leave(int failure) {
  const int code = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(failure, &code, sizeof code);
  ::_exit(127);
}

[[noreturn]] void become_child(const start_plan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // it died before the line above
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t nothing;
  ::sigemptyset(&nothing);
  ::sigprocmask(SIG_SETMASK, &nothing, nullptr);
  // First out of the way of 0 to 3, whatever their numbers are, then into place.
  std::array<int, 4> high{};
  for (std::size_t i = 0; i < high.size(); ++i) {
    high[i] = ::fcntl(plan.descriptors[i], F_DUPFD_CLOEXEC, 10);
    if (high[i] < 0) report_and_leave(plan.failure);
  }
  const int failure = ::fcntl(plan.failure, F_DUPFD_CLOEXEC, 10);
  if (failure < 0) report_and_leave(plan.failure);
  for (std::size_t i = 0; i < high.size(); ++i) {
    if (::dup2(high[i], static_cast<int>(i)) < 0) report_and_leave(failure);
  }
  ::execve(plan.program, plan.arguments, plan.environment);
  report_and_leave(failure);
}

/// Waits until exec has worked or failed. @return errno, 0 where it worked.
int exec_result(int reading) {
  int code = 0;
  ssize_t got;
  do {
    got = ::read(reading, &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  return got == sizeof code ? code : 0;
}

}  // namespace

std::string to_string(const child_exit& how) {
  if (!how.by_signal) return fmt::format("exit status {}", how.code);
  const char* name = ::sigabbrev_np(how.code);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", how.code);
}

child_process::child_process(const child_command& command) {
  channel_pair control = make_channel_pair();
  pipe_pair output = make_output_pipe();
  pipe_pair errors = make_output_pipe();
  pipe_pair failure = make_pipe(0);
  const descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw machine_error(fmt::format("/dev/null: {}", std::strerror(errno)));

  std::vector<std::string> words{command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(command.environment);
  const start_plan plan{command.program.c_str(),
                        arguments.data(),
                        environment.data(),
                        {nothing.get(), output.writing.get(), errors.writing.get(),
                         control.theirs.get()},
                        failure.writing.get(),
                        ::getpid()};
  pid_ = ::fork();
  if (pid_ == 0) become_child(plan);
  if (pid_ < 0) {
    throw machine_error(fmt::format("cannot start a child process: {}", std::strerror(errno)));
  }
  ::setpgid(pid_, pid_);  // both sides, so that neither depends on who is first
  failure.writing.close();
  channel_ = line_channel(std::move(control.ours));
  output_ = output_tail(std::move(output.reading));
  errors_ = output_tail(std::move(errors.reading));
  if (const int code = exec_result(failure.reading.get()); code != 0) {
    finish();
    throw usage_error(fmt::format("{}: cannot be run: {}", command.program, std::strerror(code)));
  }
}

child_process::~child_process() { finish(); }

bool child_process::ended() {
  if (pid_ < 0) return true;
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

bool child_process::reaped(int& status) const {
  // By group first, threads too: a thread that the watchdog traced is ours to reap before its process
  // is. A child may have left its group.
  for (const pid_t which : {-pid_, pid_}) {
    pid_t got;
    while ((got = ::waitpid(which, &status, __WALL | WNOHANG)) > 0) {
      if (got == pid_ && (WIFEXITED(status) || WIFSIGNALED(status))) return true;
    }
  }
  return false;
}

child_exit child_process::finish() {
  if (pid_ < 0) return how_;
  // Before it is reaped: as long as the child is a zombie its number, and so the group's, is taken.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  const auto end = std::chrono::steady_clock::now() + kill_limit;
  while (!reaped(status)) {
    if (std::chrono::steady_clock::now() >= end) {  // stuck in the kernel: nothing can be done
      pid_ = -1;
      return how_ = {.by_signal = true, .code = SIGKILL};
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  pid_ = -1;
  how_.by_signal = WIFSIGNALED(status);
  how_.code = how_.by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  return how_;
}

}  // namespace streamcts::runner
