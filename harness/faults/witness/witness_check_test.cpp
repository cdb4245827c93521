// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the witnesses over the reference driver, each in processes of its own: they hold without a
// fault, each fault breaks its own and is counted, and under each legal oddity all of them hold.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

extern char** environ;

namespace streamcts::faults {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using nlohmann::json;
namespace fs = std::filesystem;

/// Most of what a witness does is waiting: more of them than cores keep the cores busy.
constexpr unsigned processes = 6;
constexpr auto process_limit = 100s;
constexpr int timed_out = -1;

json catalogue() { return json::parse(std::ifstream(STREAMCTS_FAULT_CATALOGUE)); }

struct outcome {
  int status = timed_out;
  std::string output;
  std::uint64_t hits = 0;
};

struct request {
  std::string driver;
  std::string fault;  ///< empty: none
  std::vector<std::string> witnesses;
  int hold_ms = 10;
  int cap_ms = 1000;  ///< short where enqueuing itself may wait for what is held
};

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "streamcts_faults_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::vector<std::string> environment_for(const request& r, const std::string& hits) {
  std::vector<std::string> variables;
  for (char** each = environ; *each; ++each) {
    if (std::string_view(*each).substr(0, 10) != "STREAMCTS_") variables.emplace_back(*each);
  }
  variables.push_back(std::string("STREAMCTS_REAL_DRIVER=") + STREAMCTS_REFERENCE_DRIVER);
  variables.push_back(
      "STREAMCTS_WITNESS_RUNTIME=" +
      fs::path(STREAMCTS_REFERENCE_DRIVER).replace_filename("libcudart.so.13").string());
  if (!r.fault.empty()) {
    variables.push_back("STREAMCTS_FAULT=" + r.fault);
    variables.push_back("STREAMCTS_FAULT_HITS=" + hits);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

int wait_for(pid_t process) {
  const auto end = steady_clock::now() + process_limit;
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (steady_clock::now() > end) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return timed_out;
    }
    std::this_thread::sleep_for(2ms);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string contents(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Runs a program, its output going to @p log, and returns its exit status.
int run_program(std::vector<std::string> arguments, std::vector<std::string> variables,
                const std::string& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const bool started = posix_spawn(&process, arguments[0].c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(variables).data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started ? wait_for(process) : timed_out;
}

outcome run(const request& r) {
  const temporary_folder folder;
  const std::string log = folder.file("log"), hits = folder.file("hits");
  std::vector<std::string> arguments = {STREAMCTS_WITNESS_PROGRAM, "--driver", r.driver,
                                        "--hold-ms", std::to_string(r.hold_ms),
                                        "--cap-ms",  std::to_string(r.cap_ms)};
  arguments.insert(arguments.end(), r.witnesses.begin(), r.witnesses.end());
  outcome result;
  result.status = run_program(arguments, environment_for(r, hits), log);
  result.output = contents(log);
  const std::string counted = contents(hits);
  if (counted.size() == sizeof(result.hits)) {
    std::memcpy(&result.hits, counted.data(), sizeof(result.hits));
  }
  return result;
}

/// Calls @p check for each item, several at once.
template <typename T, typename F>
void in_parallel(const std::vector<T>& items, F&& check) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < processes; ++i) {
    workers.emplace_back([&] {
      for (std::size_t at = next++; at < items.size(); at = next++) check(items[at]);
    });
  }
  for (std::thread& each : workers) each.join();
}

/// Names of the witnesses: those that want a process of their own, and the word for all others.
std::vector<std::vector<std::string>> groups() {
  std::vector<std::vector<std::string>> found = {{"shared"}};
  FILE* listing = popen((std::string(STREAMCTS_WITNESS_PROGRAM) + " --list").c_str(), "r");
  char line[200];
  while (listing && std::fgets(line, sizeof(line), listing)) {
    const std::string text = line;
    const std::size_t space = text.find(' ');
    if (space != std::string::npos) found.push_back({text.substr(0, space)});
  }
  if (listing) pclose(listing);
  return found;
}

std::string lines_of_interest(const std::string& output) {
  std::istringstream lines(output);
  std::string kept, line;
  while (std::getline(lines, line)) {
    if (line.find(": kept") == std::string::npos) kept += "    " + line + "\n";
  }
  return kept;
}

std::mutex report;

void expect_all_kept(const std::string& driver) {
  in_parallel(groups(), [&](const std::vector<std::string>& names) {
    outcome result;
    // On a busy machine a gate may be opened before the witness has come to look.
    for (int attempt = 0; attempt < 3 && result.status != 0 && result.status != 1; ++attempt) {
      result = run({driver, "", names, 10, 3000});
    }
    const std::lock_guard lock(report);
    EXPECT_EQ(result.status, 0) << names[0] << "\n" << lines_of_interest(result.output);
  });
}

TEST(witnesses, hold_on_the_reference_driver) { expect_all_kept(STREAMCTS_REFERENCE_DRIVER); }

TEST(witnesses, hold_through_the_faulty_driver_without_a_fault) {
  expect_all_kept(STREAMCTS_FAULTY_DRIVER);
}

TEST(witnesses, show_each_fault) {
  std::vector<json> faults;
  for (const json& each : catalogue()) {
    // Some are of a driver with a device behind it alone.
    const json& carriers = each.at("carriers");
    if (!each.at("benign") && std::count(carriers.begin(), carriers.end(), "reference") != 0) {
      faults.push_back(each);
    }
  }
  in_parallel(faults, [](const json& fault) {
    const std::string id = fault.at("id");
    outcome result;
    // What is seen is a proof. Not seeing it may be a matter of time on a busy machine.
    for (int attempt = 0; attempt < 3 && result.status != 1; ++attempt) {
      result = run({STREAMCTS_FAULTY_DRIVER, id, {fault.at("witness")}, 300});
    }
    const std::lock_guard lock(report);
    EXPECT_EQ(result.status, 1) << id << " is not shown by " << fault.at("witness") << "\n"
                                << lines_of_interest(result.output);
    EXPECT_GT(result.hits, 0u) << id << " did not count that it was reached";
  });
}

TEST(witnesses, hold_under_each_legal_oddity) {
  struct oddity_run {
    std::string id;
    std::vector<std::string> witnesses;
  };
  std::vector<oddity_run> runs;
  for (const json& each : catalogue()) {
    if (!each.at("benign")) continue;
    for (const std::vector<std::string>& names : groups()) runs.push_back({each.at("id"), names});
  }
  in_parallel(runs, [](const oddity_run& r) {
    const bool shared = r.witnesses[0] == "shared";
    const outcome result =
        run({STREAMCTS_FAULTY_DRIVER, r.id, r.witnesses, 10, shared ? 60 : 3000});
    const std::lock_guard lock(report);
    EXPECT_TRUE(result.status == 0 || result.status == 2)
        << r.id << ", " << r.witnesses[0] << ": status " << result.status << "\n"
        << lines_of_interest(result.output);
    if (shared) {
      EXPECT_GT(result.hits, 0u) << r.id << " did nothing";
    }
  });
}

/// A program that is linked against libcuda, with variables of its own.
int run_linked(std::vector<std::string> variables) {
  const temporary_folder folder;
  for (char** each = environ; *each; ++each) {
    const std::string_view text = *each;
    if (text.substr(0, 10) != "STREAMCTS_" && text.substr(0, 3) != "LD_") {
      variables.emplace_back(text);
    }
  }
  return run_program({STREAMCTS_LINKED_PROGRAM}, variables, folder.file("log"));
}

const std::string reference_folder = fs::path(STREAMCTS_REFERENCE_DRIVER).parent_path();
const std::string faulty_folder = fs::path(STREAMCTS_FAULTY_DRIVER).parent_path();

TEST(programs, find_the_faulty_driver_by_its_soname) {
  const std::string folders = "LD_LIBRARY_PATH=" + faulty_folder + ":" + reference_folder;
  EXPECT_EQ(run_linked({"LD_LIBRARY_PATH=" + reference_folder}), 0);
  EXPECT_EQ(run_linked({folders}), 0);
  EXPECT_EQ(run_linked({folders, "STREAMCTS_FAULT=priority_is_not_clamped"}), 1);
  EXPECT_EQ(run_linked({folders, "STREAMCTS_FAULT=no_such_fault"}), 2);
}

TEST(programs, get_the_faulty_driver_preloaded) {
  const std::string preload = std::string("LD_PRELOAD=") + STREAMCTS_FAULTY_DRIVER;
  const std::string folders = "LD_LIBRARY_PATH=" + reference_folder;
  EXPECT_EQ(run_linked({preload, folders}), 0);
  EXPECT_EQ(run_linked({preload, folders, "STREAMCTS_FAULT=priority_is_not_clamped"}), 1);
}

TEST(catalogue, is_complete_and_names_clauses_that_exist) {
  std::map<std::string, std::string> strengths;
  for (const json& clause : json::parse(std::ifstream(STREAMCTS_CLAUSES))) {
    strengths[clause.at("id")] = clause.at("strength");
  }
  std::set<std::string> ids;
  for (const json& each : catalogue()) {
    const std::string id = each.at("id");
    EXPECT_TRUE(ids.insert(id).second) << id << " occurs twice";
    EXPECT_EQ(id.rfind("legal_", 0) == 0, each.at("benign").get<bool>()) << id;
    EXPECT_FALSE(each.at("sentence").get<std::string>().empty()) << id;
    EXPECT_EQ(each.contains("witness"), !each.at("benign").get<bool>()) << id;
    const std::string letter = each.at("class");
    EXPECT_TRUE(letter.size() == 1 && letter >= "A" && letter <= "J") << id;
    EXPECT_TRUE(!each.at("carriers").empty()) << id;
    EXPECT_TRUE(!each.at("clauses").empty() && each.at("clauses").size() <= 3) << id;
    for (const std::string clause : each.at("clauses")) {
      const auto known = strengths.find(clause);
      ASSERT_NE(known, strengths.end()) << id << " names " << clause;
      EXPECT_EQ(known->second != "guarantee", each.at("benign").get<bool>())
          << id << " names " << clause << ", a " << known->second;
    }
  }
}

}  // namespace
}  // namespace streamcts::faults
