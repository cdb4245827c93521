// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/selftest/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "harness/runner/environment.h"

namespace streamcts::selftest {

namespace fs = std::filesystem;

scratch_folder::scratch_folder() {
  std::string name = fs::temp_directory_path() / "streamcts-selftest-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

started_program::started_program(const std::vector<std::string>& words,
                                 const std::map<std::string, std::string>& variables,
                                 const fs::path& folder)
    : output_file_(folder / "output.txt") {
  std::map<std::string, std::string> all = variables;
  all.emplace("STREAMCTS_SELFTEST_STATE", folder);
  std::vector<std::string> environment =
      runner::child_environment(runner::current_environment(), all);
  std::vector<std::string> line{STREAMCTS_SELFTEST_PROGRAM};
  line.insert(line.end(), words.begin(), words.end());
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> made;
    for (std::string& each : texts) made.push_back(each.data());
    made.push_back(nullptr);
    return made;
  };
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, output_file_.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int failed = ::posix_spawn(&pid_, line[0].c_str(), &actions, nullptr,
                                   pointers(line).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + line[0]);
}

started_program::~started_program() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void started_program::send(int signal) const { ::kill(pid_, signal); }

finished_program started_program::wait(std::chrono::seconds limit) {
  finished_program finished;
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= end) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, &status, 0);
      finished.output = "KILLED: it did not end in time\n";
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pid_ = -1;
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ostringstream text;
  text << std::ifstream(output_file_).rdbuf();
  finished.output += text.str();
  return finished;
}

finished_program run_program(const std::vector<std::string>& words,
                             const std::map<std::string, std::string>& variables,
                             const fs::path& folder) {
  return started_program(words, variables, folder).wait();
}

results::case_record record_of(const results::run& run, const std::string& id) {
  for (const results::case_record& each : results::folded_cases(run)) {
    if (each.id == id) return each;
  }
  ADD_FAILURE() << "no record of " << id;
  return {};
}

bool becomes_true(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace streamcts::selftest
