// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// What `streamcts doctor` looks at, apart from the driver itself. Paths are parameters so that unit
// tests have machines of their own.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace streamcts::cli {

/// One thing about this machine.
struct finding {
  enum class grade { good, note, lacking } how = grade::good;
  std::string what;    ///< "device nodes"
  std::string state;   ///< what was seen
  std::string remedy;  ///< empty where nothing is to be done

  bool operator==(const finding&) const = default;
};

/// The line of a finding: "ok    device nodes: ...".
std::string text_of(const finding& about);

/// NVIDIA's device nodes under @p root (usually /dev) and whether we may use them.
finding check_device_nodes(const std::filesystem::path& root);
/// The kernel module, by the first line of @p version_file (/proc/driver/nvidia/version).
finding check_kernel_module(const std::filesystem::path& version_file);
/// Whether the watchdog may look at stacks: @p scope_file is /proc/sys/kernel/yama/ptrace_scope.
finding check_ptrace(const std::filesystem::path& scope_file);
/// Space in @p folder for run folders, and the right to write there.
finding check_folder(const std::filesystem::path& folder);
/// nvcc on the path @p path or in the toolkit's usual place; only needed to build.
finding check_nvcc(const std::string& path, const std::filesystem::path& usual);
/// Cores of this machine.
finding check_cores();
/// Variables that change when or on what work runs.
std::vector<finding> check_variables(const std::map<std::string, std::string>& environment);

}  // namespace streamcts::cli
