// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "reports/results/test_folder.h"

namespace streamcts::results {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class file : public testing::Test {
 protected:
  test_folder folder_;
  fs::path path_ = folder_ / "file";
};

// Files may not grow beyond a limit while this lives; a write over it fails as on a full disk.
class full_disk {
 public:
  explicit full_disk(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(file, is_replaced_as_a_whole) {
  write_file_atomically(path_, "first");
  write_file_atomically(path_, std::string(200000, 'x'));
  EXPECT_EQ(read_file(path_), std::string(200000, 'x'));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(file, keeps_the_old_content_on_a_full_disk) {
  write_file_atomically(path_, "old");
  {
    const full_disk limit(10);
    EXPECT_THAT([&] { write_file_atomically(path_, "more than ten bytes"); },
                ThrowsMessage<results_error>(AllOf(HasSubstr("cannot write " + path_.string()),
                                                   HasSubstr("free some space"))));
  }
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(file, errors_name_the_path_and_the_remedy) {
  EXPECT_THAT([&] { read_file(path_); },
              ThrowsMessage<results_error>(AllOf(HasSubstr("cannot read " + path_.string()),
                                                 HasSubstr("No such file"),
                                                 HasSubstr("check the spelling"))));
  EXPECT_THAT([&] { read_file(folder_.path()); },
              ThrowsMessage<results_error>(HasSubstr("a file is wanted")));
  EXPECT_THAT([&] { write_file_atomically(folder_ / "none" / "x", ""); },
              ThrowsMessage<results_error>(HasSubstr("the folder exists")));
  fs::create_directory(folder_ / "taken");
  EXPECT_THAT([&] { write_file_atomically(folder_ / "taken", "x"); },
              ThrowsMessage<results_error>(HasSubstr("cannot write")));
  EXPECT_THAT([&] { line_file(folder_ / "none" / "x"); },
              ThrowsMessage<results_error>(HasSubstr("cannot write")));
  EXPECT_THAT([&] { line_file(folder_ / "taken"); },
              ThrowsMessage<results_error>(HasSubstr("a file is wanted")));
}

TEST_F(file, a_name_without_a_folder_is_in_the_current_one) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  write_file_atomically("here", "x");
  fs::current_path(before);
  EXPECT_EQ(read_file(folder_ / "here"), "x");
}

TEST_F(file, lines_are_appended) {
  {
    line_file lines(path_);
    lines.append("one\n");
    line_file moved(std::move(lines));
    moved.append("two\n");
  }
  line_file again(path_);
  again = line_file(path_);
  again.append("three\n");
  EXPECT_EQ(read_file(path_), "one\ntwo\nthree\n");
}

TEST_F(file, a_torn_last_line_is_ended_first) {
  std::ofstream(path_) << "one\ntor";
  line_file(path_).append("two\n");
  EXPECT_EQ(read_file(path_), "one\ntor\ntwo\n");
}

TEST_F(file, a_full_disk_leaves_whole_lines) {
  line_file lines(path_);
  lines.append("one\n");
  {
    const full_disk limit(10);
    EXPECT_THAT([&] { lines.append("a line of more than ten bytes\n"); },
                ThrowsMessage<results_error>(HasSubstr("free some space")));
  }
  EXPECT_EQ(read_file(path_), "one\n");
  lines.append("two\n");
  EXPECT_EQ(read_file(path_), "one\ntwo\n");
}

TEST_F(file, a_device_without_room) {
  line_file lines("/dev/full");
  EXPECT_THAT([&] { lines.append("x\n"); },
              ThrowsMessage<results_error>(HasSubstr("No space left on device")));
}

TEST_F(file, a_device_without_a_disk_will_do) {
  line_file lines("/dev/null");
  EXPECT_NO_THROW(lines.append("x\n"));
}

}  // namespace
}  // namespace streamcts::results
