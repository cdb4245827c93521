// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts::runner {

/// The files that are mapped into a process, by address.
class process_maps {
 public:
  /// Reads /proc; empty when the process is gone.
  explicit process_maps(pid_t process);
  /// @p text has the format of /proc/PID/maps.
  explicit process_maps(std::istream& text);

  /// "libc.so.6+0x1f2a3": the file's name and the offset in it; the address where there is no file.
  std::string place_of(std::uint64_t address) const;

 private:
  struct mapping {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t offset;
    std::string file;
  };
  void read(std::istream& text);
  std::vector<mapping> mappings_;
};

/// A C++ symbol as one writes it; any other unchanged.
std::string demangled(const char* symbol);

}  // namespace streamcts::runner
