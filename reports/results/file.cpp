// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

namespace streamcts::results {
namespace {

std::string_view remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space, or choose a folder on another disk";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a place that you may use, or change its permissions";
    case ENOENT:
      return "check the spelling, and that the folder exists";
    case EISDIR:
    case ENOTDIR:
      return "a file is wanted where a folder is, or the reverse";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "check the disk";
  }
}

[[noreturn]] void fail(std::string_view verb, const std::filesystem::path& path, int code) {
  throw results_error(fmt::format("cannot {} {}: {}; {}", verb, path.string(),
                                  std::generic_category().message(code), remedy(code)));
}

class descriptor {
 public:
  explicit descriptor(int value) : value_(value) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

// Returns 0, or the error.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Returns 0, or the error. A pipe or a terminal has no disk to wait for.
int sync_data(int file) {
  int result = 0;
  do {
    result = ::fdatasync(file);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

// The name that replaced the old one is on the disk once the folder is. A file system that can't
// sync folders loses nothing else.
void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) sync_data(opened.get());
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("read", path, errno);
  std::string result;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    result.reserve(static_cast<std::size_t>(status.st_size));
  }
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path, errno);
    if (got == 0) return result;
    result.append(buffer, static_cast<std::size_t>(got));
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path part = path;
  part += fmt::format(".part{}", ::getpid());
  int code = 0;
  {
    const descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) fail("write", path, errno);
    code = write_all(file.get(), content);
    if (code == 0) code = sync_data(file.get());
  }
  if (code == 0 && ::rename(part.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(part.c_str());
    fail("write", path, code);
  }
  sync_folder_of(path);
}

line_file::line_file(std::filesystem::path path) : path_(std::move(path)) {
  const descriptor reading(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  char last = '\n';
  if (reading.get() >= 0 && ::fstat(reading.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    if (::pread(reading.get(), &last, 1, status.st_size - 1) != 1) fail("read", path_, errno);
  }
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("write", path_, errno);
  if (last != '\n') append("\n");
}

line_file::line_file(line_file&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

line_file& line_file::operator=(line_file&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

line_file::~line_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void line_file::append(std::string_view line) {
  struct stat before {};
  const bool known = ::fstat(descriptor_, &before) == 0 && S_ISREG(before.st_mode);
  int code = write_all(descriptor_, line);
  if (code == 0) code = sync_data(descriptor_);
  if (code == 0) return;
  // Best effort: a torn line is tolerated by readers.
  if (known && ::ftruncate(descriptor_, before.st_size) != 0) code = code == 0 ? errno : code;
  fail("write", path_, code);
}

}  // namespace streamcts::results
