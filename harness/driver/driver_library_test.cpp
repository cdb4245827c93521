// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Loading: fake drivers of several kinds, files that are none.

#include "harness/driver/driver_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/driver/loader.h"
#include "harness/driver/mapped_files.h"
#include "harness/driver/result.h"

namespace streamcts::driver {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string fake(const std::string& name) {
  return std::string(STREAMCTS_FAKES_DIR) + "/lib" + name + ".so";
}

/// The error of open(); its message must be one line.
load_error error_of(const std::string& path) {
  try {
    driver_library::open(path);
  } catch (const load_error& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error;
  }
  ADD_FAILURE() << path << " loads";
  return {load_error::cause::not_found, "it loaded"};
}

TEST(DriverLibrary, LooksUpByTheNewerCall) {
  const auto driver = driver_library::open(fake("fake_driver"));
  EXPECT_EQ(driver.lookup(), "cuGetProcAddress_v2");
  EXPECT_EQ(driver.version(), 13000);
  EXPECT_THAT(driver.path(), HasSubstr("libfake_driver.so"));
  EXPECT_EQ(std::filesystem::path(driver.path()).is_absolute(), true);
  EXPECT_NO_THROW(initialize(driver.functions(stream_mode::legacy)));
  // Known to cuGetProcAddress, and known as a symbol alone.
  EXPECT_EQ(driver.functions(stream_mode::legacy).cuStreamQuery(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.functions(stream_mode::legacy).cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  EXPECT_FALSE(driver.functions(stream_mode::legacy).cuGraphLaunch);
}

TEST(DriverLibrary, LooksUpByTheOldCallAndAsksForNothingTooNew) {
  const auto driver = driver_library::open(fake("fake_old_driver"));
  EXPECT_EQ(driver.lookup(), "cuGetProcAddress");
  EXPECT_EQ(driver.version(), 11040);
  auto* const too_new = static_cast<int*>(dlsym(driver.loader_handle(), "fake_too_new"));
  ASSERT_NE(too_new, nullptr);
  EXPECT_EQ(*too_new, 0);
}

TEST(DriverLibrary, LooksUpBySymbols) {
  const auto driver = driver_library::open(fake("fake_symbols_driver"));
  EXPECT_EQ(driver.lookup(), "symbols");
  CUdeviceptr address = 0;
  EXPECT_EQ(driver.functions(stream_mode::legacy).cuMemAlloc(&address, 8), CUDA_SUCCESS);
  EXPECT_EQ(driver.functions(stream_mode::legacy).cuMemFree(address), CUDA_SUCCESS);
}

TEST(DriverLibrary, PerThreadModeHasNoLegacyVariants) {
  const auto driver = driver_library::open(fake("fake_symbols_driver"));
  EXPECT_FALSE(driver.functions(stream_mode::per_thread).cuStreamSynchronize);
  EXPECT_TRUE(driver.functions(stream_mode::per_thread).cuStreamCreate);
}

TEST(DriverLibrary, MissingFile) {
  const auto error = error_of("/nowhere/libcuda.so.1");
  EXPECT_EQ(error.why(), load_error::cause::not_found);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("'/nowhere/libcuda.so.1'"), HasSubstr("give the path")));
}

TEST(DriverLibrary, FileThatIsNoLibrary) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("streamcts_not_elf_" + std::to_string(getpid()) + ".so");
  std::ofstream(path) << "not a library, and long enough for the loader to read its header first\n";
  const auto error = error_of(path);
  std::filesystem::remove(path);
  EXPECT_EQ(error.why(), load_error::cause::does_not_load);
  EXPECT_THAT(error.what(), HasSubstr("does not load"));
}

TEST(DriverLibrary, LibraryThatIsNoDriver) {
  const auto error = error_of(fake("no_driver"));
  EXPECT_EQ(error.why(), load_error::cause::not_a_driver);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("is no CUDA driver"), HasSubstr("cuInit")));
}

TEST(DriverLibrary, TheToolkitsStub) {
  const auto error = error_of(fake("fake_stub_driver"));
  EXPECT_EQ(error.why(), load_error::cause::not_a_driver);
  EXPECT_THAT(error.what(), HasSubstr("stub"));
}

TEST(DriverLibrary, DriverThatDoesNotKnowItsVersion) {
  const auto error = error_of(fake("fake_broken_driver"));
  EXPECT_EQ(error.why(), load_error::cause::does_not_load);
  EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
}

TEST(DriverLibrary, ListsTheFilesThatAnswer) {
  const auto driver = driver_library::open(fake("fake_driver"));
  EXPECT_THAT(driver.mapped_files(), Contains(driver.path()));
}

TEST(DriverLibrary, BuildIdIsTheFilesOwn) {
  const auto driver = driver_library::open(fake("fake_driver"));
  EXPECT_EQ(driver.build_id(), "0123456789abcdef");
  EXPECT_EQ(driver_library::open(fake("fake_old_driver")).build_id(), "");
}

TEST(Loader, SystemLibraryThatIsNotThere) {
  try {
    load_file("driver", "system", "libstreamcts_nowhere.so.7", "REMEDY");
    FAIL() << "found";
  } catch (const load_error& error) {
    EXPECT_EQ(error.why(), load_error::cause::not_found);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("libstreamcts_nowhere.so.7"), HasSubstr("REMEDY")));
  }
}

TEST(Loader, SystemLibraryThatIsBroken) {
  try {
    // The loader finds it in this program's RUNPATH.
    load_file("driver", "system", "libstreamcts_not_elf.so", "REMEDY");
    FAIL() << "loaded";
  } catch (const load_error& error) {
    EXPECT_EQ(error.why(), load_error::cause::does_not_load);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("does not load"), HasSubstr("REMEDY")));
  }
}

TEST(Loader, SystemLibraryThatIsThere) {
  const auto file = load_file("driver", "system", "libfake_driver.so", "REMEDY");
  EXPECT_THAT(file.path, HasSubstr("libfake_driver.so"));
  EXPECT_NE(file.symbol<void*>("cuInit"), nullptr);
  EXPECT_EQ(file.symbol<void*>("cuNothing"), nullptr);
}

TEST(MappedFiles, ChoosesByName) {
  std::istringstream maps(
      "55d0-55d1 r-xp 00000000 08:01 11   /usr/bin/cat\n"
      "7f00-7f01 r-xp 00000000 08:01 12   /usr/lib/libcuda.so.580.1\n"
      "7f01-7f02 rw-p 00000000 08:01 12   /usr/lib/libcuda.so.580.1\n"
      "7f03-7f04 r-xp 00000000 00:00 0 \n"
      "7f05-7f06 r-xp 00000000 08:01 13   /opt/with blank/libcudart.so.13\n"
      "7f07-7f08 r-xp 00000000 08:01 14   /usr/lib/libnvidia-ptxjitcompiler.so.1 (deleted)\n"
      "7f09-7f0a r-xp 00000000 08:01 15   /usr/lib/libcudgel/libother.so\n"
      "7fff-8000 r-xp 00000000 00:00 0    [vdso]\n");
  EXPECT_THAT(cuda_files(maps),
              ElementsAre("/opt/with blank/libcudart.so.13", "/usr/lib/libcuda.so.580.1",
                          "/usr/lib/libnvidia-ptxjitcompiler.so.1 (deleted)"));
}

TEST(MappedFiles, KnowsWhoAnAddressBelongsTo) {
  EXPECT_THAT(file_of_address(reinterpret_cast<const void*>(&dlopen)), HasSubstr(".so"));
  EXPECT_EQ(file_of_address(nullptr), "");
  EXPECT_EQ(build_id_of_address(nullptr), "");
}

}  // namespace
}  // namespace streamcts::driver
