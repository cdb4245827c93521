// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/side_task.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

extern char** environ;

namespace streamcts {

namespace {

constexpr std::string_view marker = "--side-task";
constexpr int lines_descriptor = 3;
constexpr std::size_t most_output = std::size_t{1} << 20;

std::map<std::string, side_function, std::less<>>& tasks() {
  static auto* all = new std::map<std::string, side_function, std::less<>>;
  return *all;
}

/// Both ends of a pipe, of which the child gets the writing one as descriptor 3.
class line_pipe {
 public:
  line_pipe() : good_(::pipe2(ends_.data(), O_CLOEXEC) == 0) {}
  line_pipe(const line_pipe&) = delete;
  line_pipe& operator=(const line_pipe&) = delete;
  ~line_pipe() {
    close_end(0);
    close_end(1);
  }
  bool good() const { return good_; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() { close_end(1); }

 private:
  void close_end(std::size_t which) {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
  bool good_;
};

/// Starts this program again. @return its process id, or -1.
pid_t start(std::string_view name, const side_arguments& arguments, int writing) {
  std::vector<std::string> words = {"streamcts", std::string(marker), std::string(name)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& each : words) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  // Whatever the driver prints there is of no interest.
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, writing, lines_descriptor);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, pointers.data(),
                                   environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? pid : -1;
}

int milliseconds(std::chrono::nanoseconds time) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

/// Reads until the other end closes. @return false where nothing came in time.
bool read_all(int reading, std::chrono::nanoseconds silence, std::chrono::nanoseconds start,
              std::string& text) {
  pollfd waited{reading, POLLIN, 0};
  std::array<char, 4096> buffer;
  for (;;) {
    const int ready = ::poll(&waited, 1, milliseconds(text.empty() ? start : silence));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(reading, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (text.size() < most_output) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    if (end == std::string::npos) break;  // a line that was cut short says nothing
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

}  // namespace

void side_lines::say(std::string_view line) const noexcept {
  std::array<char, 512> text;
  const std::size_t size = std::min(line.size(), text.size() - 1);
  std::copy_n(line.data(), size, text.data());
  text[size] = '\n';
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, text.data(), size + 1);
}

side_task::side_task(std::string_view name, side_function body) {
  tasks().emplace(std::string(name), body);
}

side_end run_side_task(std::string_view name, const side_arguments& arguments,
                       std::chrono::nanoseconds silence, std::chrono::nanoseconds start_limit) {
  side_end end;
  line_pipe pipe;
  if (!pipe.good()) return end;
  const pid_t pid = start(name, arguments, pipe.writing());
  if (pid < 0) return end;
  pipe.close_writing();
  std::string text;
  const bool ended = read_all(pipe.reading(), silence, start_limit, text);
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  end.lines = lines_of(text);
  if (!ended) {
    end.ended = side_end::how::silent;
  } else if (WIFSIGNALED(status)) {
    end.ended = side_end::how::signalled;
    end.code = WTERMSIG(status);
  } else {
    end.ended = side_end::how::exited;
    end.code = WEXITSTATUS(status);
  }
  return end;
}

void do_side_task_if_asked(int count, char** words) {
  if (count < 3 || words[1] != marker) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const auto found = tasks().find(std::string_view(words[2]));
  if (found == tasks().end()) {
    std::fprintf(stderr, "%s: no task named '%s' is known; it is for the suite's own use\n",
                 words[1], words[2]);
    std::_Exit(64);
  }
  int status = 1;
  try {
    status = found->second(side_arguments(words + 3, words + count), side_lines(lines_descriptor));
  } catch (const std::exception& error) {
    side_lines(lines_descriptor).say(std::string("error ") + error.what());
  }
  std::fflush(nullptr);
#if defined(STREAMCTS_COVERAGE) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(status);  // coverage and sanitizers report in their exit handlers
#else
  std::_Exit(status);  // those of a driver may hang
#endif
}

}  // namespace streamcts
