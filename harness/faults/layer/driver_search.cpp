// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/layer/driver_search.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

namespace streamcts::faults {
namespace {

constexpr std::string_view soname = "libcuda.so.1";

/// Layout of the cache (sysdeps/generic/dl-cache.h of glibc): a header, entries, strings.
struct cache_header {
  char magic[20];
  std::uint32_t entry_count;
  std::uint32_t string_bytes;
  std::uint32_t unused[5];
};
struct cache_entry {
  std::int32_t flags;
  std::uint32_t name;  ///< offset from the start of the header
  std::uint32_t path;  ///< likewise
  std::uint32_t os_version;
  std::uint64_t hardware;
};
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";
constexpr std::int32_t x86_64_elf = 0x0303;

std::string text_at(const std::string& bytes, std::size_t at) {
  if (at >= bytes.size()) return {};
  return std::string(bytes.c_str() + at);
}

bool is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

std::vector<std::string> cached_libraries(const std::string& cache_file, std::string_view name) {
  std::ifstream in(cache_file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  // An older format may stand in front of the newer one.
  const std::size_t start = bytes.find(cache_magic);
  if (start == std::string::npos) return {};
  bytes.erase(0, start);
  cache_header header;
  if (bytes.size() < sizeof(header)) return {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < header.entry_count; ++i) {
    cache_entry entry;
    const std::size_t at = sizeof(header) + i * sizeof(entry);
    if (at + sizeof(entry) > bytes.size()) break;
    std::memcpy(&entry, bytes.data() + at, sizeof(entry));
    if (entry.flags == x86_64_elf && text_at(bytes, entry.name) == name) {
      found.push_back(text_at(bytes, entry.path));
    }
  }
  return found;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string find_system_driver(const driver_search& where,
                               const std::function<bool(const std::string&)>& refused) {
  std::vector<std::string> candidates;
  std::size_t begin = 0;
  while (begin <= where.library_path.size()) {
    std::size_t end = where.library_path.find_first_of(":;", begin);
    if (end == std::string::npos) end = where.library_path.size();
    const std::string folder = where.library_path.substr(begin, end - begin);
    if (!folder.empty()) candidates.push_back(folder + "/" + std::string(soname));
    begin = end + 1;
  }
  for (std::string& path : cached_libraries(where.cache_file, soname)) {
    candidates.push_back(std::move(path));
  }
  for (const std::string& folder : where.folders) {
    candidates.push_back(folder + "/" + std::string(soname));
  }
  for (const std::string& path : candidates) {
    if (is_file(path) && !refused(path)) return path;
  }
  return {};
}

}  // namespace streamcts::faults
