// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "harness/runner/host_facts.h"

namespace streamcts::cli {

namespace {

namespace fs = std::filesystem;
using grade = finding::grade;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::string text_of(const finding& about) {
  constexpr std::array<std::string_view, 3> marks{"ok    ", "note  ", "LACKS "};
  std::string text = fmt::format("{}{}: {}", marks[static_cast<std::size_t>(about.how)],
                                 about.what, about.state);
  if (!about.remedy.empty()) text += fmt::format("\n      -> {}", about.remedy);
  return text;
}

finding check_device_nodes(const fs::path& root) {
  const std::string what = "device nodes";
  std::vector<fs::path> nodes;
  std::error_code failed;
  for (const char* each : {"nvidiactl", "nvidia0", "nvidia-uvm"}) {
    if (fs::exists(root / each, failed)) nodes.push_back(root / each);
  }
  if (nodes.empty()) {
    return {grade::lacking, what, fmt::format("none under {}", root.string()),
            "load the kernel module (modprobe nvidia), or start the container with the devices "
            "(--gpus all)"};
  }
  std::string names;
  for (const fs::path& each : nodes) {
    if (::access(each.c_str(), R_OK | W_OK) != 0) {
      return {grade::lacking, what, fmt::format("{} may not be opened", each.string()),
              "join the group that owns it, or ask for its permissions to be changed"};
    }
    names += (names.empty() ? "" : ", ") + each.filename().string();
  }
  if (nodes.size() < 3) {
    return {grade::note, what, names,
            "nvidia-uvm is made by nvidia-modprobe -u -c 0; a device above 0 is fine without "
            "nvidia0"};
  }
  return {grade::good, what, names, {}};
}

finding check_kernel_module(const fs::path& version_file) {
  const std::string line = first_line(version_file);
  if (line.empty()) {
    return {grade::note, "kernel module", "NVIDIA's is not loaded",
            "install the driver of the GPU and load its module (modprobe nvidia)"};
  }
  return {grade::good, "kernel module", line, {}};
}

finding check_ptrace(const fs::path& scope_file) {
  const std::string scope = first_line(scope_file);
  if (scope == "3" || scope == "2") {
    return {grade::note, "stacks of hung cases",
            fmt::format("kernel.yama.ptrace_scope is {}: they will lack frames", scope),
            "sysctl kernel.yama.ptrace_scope=1"};
  }
  return {grade::good, "stacks of hung cases",
          scope.empty() ? "ptrace is not restricted by yama"
                        : fmt::format("kernel.yama.ptrace_scope is {}", scope),
          {}};
}

finding check_folder(const fs::path& folder) {
  constexpr std::uintmax_t enough = std::uintmax_t{200} << 20;
  const std::string what = "run folders";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return {grade::note, what, fmt::format("{} cannot be written", folder.string()),
            "run elsewhere or say --out DIR"};
  }
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  const std::uintmax_t free = failed ? 0 : space.available;
  const std::string state = fmt::format("{} MiB free in {}", free >> 20, folder.string());
  if (free < enough) return {grade::note, what, state, "make room or say --out DIR"};
  return {grade::good, what, state, {}};
}

finding check_nvcc(const std::string& path, const fs::path& usual) {
  std::vector<fs::path> candidates;
  std::istringstream folders(path);
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    if (!folder.empty()) candidates.emplace_back(fs::path(folder) / "nvcc");
  }
  candidates.push_back(usual);
  for (const fs::path& each : candidates) {
    if (::access(each.c_str(), X_OK) == 0) return {grade::good, "nvcc", each.string(), {}};
  }
  return {grade::note, "nvcc", "not found; only building needs it",
          "install the CUDA Toolkit 13 to build"};
}

finding check_cores() {
  const auto cores = runner::read_environment().cores;
  if (cores < 2) {
    return {grade::note, "cores", "1: host threads and the driver's get in each other's way",
            "give it two cores or more"};
  }
  return {grade::good, "cores", std::to_string(cores), {}};
}

std::vector<finding> check_variables(const std::map<std::string, std::string>& environment) {
  struct known {
    std::string_view name;
    std::string_view effect;
  };
  constexpr std::array<known, 10> all{{
      {"CUDA_LAUNCH_BLOCKING", "every launch waits for its work: held checks cannot be decided"},
      {"CUDA_DEVICE_MAX_CONNECTIONS", "changes how many streams run side by side"},
      {"CUDA_VISIBLE_DEVICES", "hides devices or changes their numbers"},
      {"CUDA_MODULE_LOADING", "changes when kernels are loaded"},
      {"CUDA_DEVICE_ORDER", "changes the numbers of devices"},
      {"CUDA_MPS_PIPE_DIRECTORY", "work goes through an MPS server"},
      {"CUDA_INJECTION64_PATH", "a tool is loaded into every process"},
      {"LD_PRELOAD", "a library stands in front of the driver"},
      {"STREAMCTS_VARIANT", "the reference driver behaves unusually, within the law"},
      {"STREAMCTS_FAULT", "the faulty driver breaks a clause"},
  }};
  std::vector<finding> found;
  for (const known& each : all) {
    const auto set = environment.find(std::string(each.name));
    if (set == environment.end()) continue;
    found.push_back({grade::note, fmt::format("{}={}", each.name, set->second),
                     std::string(each.effect), "unset it unless you want that"});
  }
  return found;
}

}  // namespace streamcts::cli
