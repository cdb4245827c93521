// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that nvcc compiled.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace streamcts::runtime {
namespace {

/// Runs a program of nvcc's, linked `-cudart shared`, over the two libraries of the reference.
int run_program(const std::string& program, const std::string& argument = "") {
  const std::string command =
      "LD_LIBRARY_PATH='" STREAMCTS_REFERENCE_FOLDER "' timeout 60 '" + program + "' " + argument;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(RuntimeProgram, LaunchSyntax) {
  EXPECT_EQ(run_program(STREAMCTS_NVCC_PROGRAMS "/launch_syntax"), 0);
}
TEST(RuntimeProgram, LaunchSyntaxWithPerThreadDefaultStreams) {
  EXPECT_EQ(run_program(STREAMCTS_NVCC_PROGRAMS "/launch_syntax_per_thread"), 0);
}

TEST(RuntimeProgram, PipelineExample) {
  EXPECT_EQ(run_program(STREAMCTS_NVCC_PROGRAMS "/pipeline"), 0);
}
// A callback that forgot to post would be 2: the main thread's wait ran out.
TEST(RuntimeProgram, PipelineExampleWhereAKernelFaults) {
  EXPECT_EQ(run_program(STREAMCTS_NVCC_PROGRAMS "/pipeline", "fault"), 1);
}

}  // namespace
}  // namespace streamcts::runtime
