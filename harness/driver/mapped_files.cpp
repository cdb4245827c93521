// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/mapped_files.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <set>
#include <string_view>

namespace streamcts::driver {
namespace {

bool is_cuda_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libcuda") || name.starts_with("libnvidia-") ||
         name.starts_with("libnvcu");
}

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

/// The build id in a segment of ELF notes: header, name and description, each padded to four bytes.
std::string build_id_in_notes(const char* notes, std::size_t size) {
  const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof(header));
    const std::size_t description = sizeof(header) + padded(header.n_namesz);
    const std::size_t total = description + padded(header.n_descsz);
    if (total > size) break;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof(ELF_NOTE_GNU) &&
        std::memcmp(notes + sizeof(header), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
      return hexadecimal(reinterpret_cast<const unsigned char*>(notes + description),
                         header.n_descsz);
    }
    notes += total;
    size -= total;
  }
  return {};
}

struct build_id_search {
  ElfW(Addr) address;
  std::string found;
};

int search_object(dl_phdr_info* object, std::size_t, void* opaque) {
  auto& search = *static_cast<build_id_search*>(opaque);
  const auto* const begin = object->dlpi_phdr;
  const auto* const end = begin + object->dlpi_phnum;
  bool inside = false;
  for (const auto* segment = begin; segment != end; ++segment) {
    const ElfW(Addr) from = object->dlpi_addr + segment->p_vaddr;
    inside |= segment->p_type == PT_LOAD && search.address >= from &&
              search.address - from < segment->p_memsz;
  }
  if (!inside) return 0;
  for (const auto* segment = begin; segment != end && search.found.empty(); ++segment) {
    if (segment->p_type != PT_NOTE) continue;
    search.found = build_id_in_notes(
        reinterpret_cast<const char*>(object->dlpi_addr + segment->p_vaddr), segment->p_memsz);
  }
  return 1;
}

}  // namespace

std::vector<std::string> cuda_files(std::istream& maps) {
  std::set<std::string> files;
  for (std::string line; std::getline(maps, line);) {
    // Address, permissions, offset, device and inode hold no slash; the path begins with one.
    const auto path = line.find('/');
    if (path != line.npos && is_cuda_file(line)) files.insert(line.substr(path));
  }
  return {files.begin(), files.end()};
}

std::vector<std::string> mapped_cuda_files(const std::vector<const void*>& addresses) {
  std::ifstream maps("/proc/self/maps");
  const auto named = cuda_files(maps);
  std::set<std::string> files(named.begin(), named.end());
  for (const void* address : addresses) files.insert(file_of_address(address));
  files.erase("");
  return {files.begin(), files.end()};
}

std::string file_of_address(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const auto real = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : real.string();
}

std::string build_id_of_address(const void* address) {
  build_id_search search{reinterpret_cast<ElfW(Addr)>(address), {}};
  dl_iterate_phdr(search_object, &search);
  return search.found;
}

}  // namespace streamcts::driver
