// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/layer/hits.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace streamcts::faults {
namespace {

std::atomic<std::uint64_t> in_process{0};
std::atomic<std::uint64_t*> in_file{nullptr};

std::string complaint(const std::string& file, const char* what) {
  return "STREAMCTS_FAULT_HITS='" + file + "' " + what + " (" + std::strerror(errno) +
         "): name a file that can be written";
}

}  // namespace

void hit() {
  in_process.fetch_add(1, std::memory_order_relaxed);
  if (std::uint64_t* shared = in_file.load(std::memory_order_acquire)) {
    std::atomic_ref<std::uint64_t>(*shared).fetch_add(1, std::memory_order_relaxed);
  }
}

std::uint64_t hits() { return in_process.load(std::memory_order_relaxed); }

std::string count_hits_in(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return complaint(file, "cannot be opened");
  struct stat info;
  std::string wrong;
  void* page = MAP_FAILED;
  if (fstat(descriptor, &info) != 0 ||
      (info.st_size < 8 && ftruncate(descriptor, sizeof(std::uint64_t)) != 0)) {
    wrong = complaint(file, "cannot be given 8 bytes");
  } else {
    page = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED) wrong = complaint(file, "cannot be mapped");
  }
  close(descriptor);
  if (wrong.empty()) in_file.store(static_cast<std::uint64_t*>(page), std::memory_order_release);
  return wrong;
}

}  // namespace streamcts::faults
