// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/process_maps.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace streamcts::runner {

process_maps::process_maps(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/maps", process));
  read(file);
}

process_maps::process_maps(std::istream& text) { read(text); }

void process_maps::read(std::istream& text) {
  std::string line;
  while (std::getline(text, line)) {
    mapping each{};
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &each.begin,
                    &each.end, &each.offset, &path) < 3) {
      continue;
    }
    if (path > 0) each.file = line.substr(static_cast<std::size_t>(path));
    if (!each.file.empty()) mappings_.push_back(std::move(each));
  }
}

std::string process_maps::place_of(std::uint64_t address) const {
  for (const mapping& each : mappings_) {
    if (address < each.begin || address >= each.end) continue;
    const std::size_t slash = each.file.rfind('/');
    return fmt::format("{}+{:#x}",
                       slash == std::string::npos ? each.file : each.file.substr(slash + 1),
                       address - each.begin + each.offset);
  }
  return fmt::format("{:#x}", address);
}

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

}  // namespace streamcts::runner
