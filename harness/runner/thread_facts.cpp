// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/thread_facts.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace streamcts::runner {

namespace {

std::string first_line(pid_t process, pid_t thread, const char* file) {
  std::ifstream stream(fmt::format("/proc/{}/task/{}/{}", process, thread, file));
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

std::vector<pid_t> threads_of(pid_t process) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::opendir(fmt::format("/proc/{}/task", process).c_str()), &::closedir);
  std::vector<pid_t> threads;
  if (!folder) return threads;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (const pid_t id = std::atoi(entry->d_name); id > 0) threads.push_back(id);
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::string thread_heading(pid_t process, pid_t thread) {
  std::string text =
      fmt::format("thread {} '{}'", thread, first_line(process, thread, "comm"));
  const std::string call = first_line(process, thread, "syscall");
  if (call == "running") {
    text += ", running";
  } else if (!call.empty()) {
    text += fmt::format(", in system call {}", call.substr(0, call.find(' ')));
  }
  const std::string wait = first_line(process, thread, "wchan");
  if (!wait.empty() && wait != "0") text += fmt::format(", waiting in {}", wait);
  return text;
}

}  // namespace streamcts::runner
