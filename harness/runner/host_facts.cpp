// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/host_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string_view>

#include "harness/runner/environment.h"

namespace streamcts::runner {

namespace {

/// The value behind @p key in a file of lines "key<separator>value".
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (std::string_view(line).substr(0, end + 1) != key) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", at + 1);
    if (begin == std::string::npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\"") - begin + 1);
  }
  return {};
}

std::string formatted_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace

results::environment_info read_environment() {
  results::environment_info info;
  info.os = value_in("/etc/os-release", "PRETTY_NAME", '=');
  utsname kernel{};
  if (::uname(&kernel) == 0) info.kernel = kernel.release;
  info.cpu = value_in("/proc/cpuinfo", "model name", ':');
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  info.cores = cores > 0 ? static_cast<std::uint64_t>(cores) : 1;
  info.variables = telling_variables(current_environment());
  return info;
}

std::string utc_now() { return formatted_now("%Y-%m-%dT%H:%M:%SZ"); }
std::string utc_stamp() { return formatted_now("%Y%m%dT%H%M%SZ"); }

}  // namespace streamcts::runner
