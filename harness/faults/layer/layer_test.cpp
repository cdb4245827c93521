// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The forwarding layer over a fake driver. This program holds the trampolines itself, so that its
// calls of cu... go the way that a program's calls go.

#include <cuda.h>
#include <cudaTypedefs.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/captured_events.h"
#include "harness/faults/layer/driver_search.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/load.h"
#include "harness/faults/layer/overrides.h"
#include "harness/faults/layer/real_driver.h"

#undef cuGetProcAddress

namespace streamcts::faults {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "streamcts_layer_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

void set(const char* name, const std::string& value) {
  if (value.empty()) {
    unsetenv(name);
  } else {
    setenv(name, value.c_str(), 1);
  }
}

class layer : public testing::Test {
 protected:
  std::string load(const std::string& fault, const std::string& driver = STREAMCTS_FAKE_DRIVER,
                   const std::string& hits_file = "") {
    set_active(nullptr);
    set("STREAMCTS_FAULT", fault);
    set("STREAMCTS_REAL_DRIVER", driver);
    set("STREAMCTS_FAULT_HITS", hits_file);
    return load_table();
  }
  void TearDown() override { load(""); }
};

CUstream stream(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }
int code(CUresult result) { return static_cast<int>(result); }

extern "C" {
// cuda.h names these only for programs that are compiled for per-thread streams.
CUresult cuStreamSynchronize_ptsz(CUstream);
CUresult cuGetProcAddress(const char*, void**, int, cuuint64_t);
}

TEST_F(layer, forwards_arguments_and_results) {
  ASSERT_EQ(load(""), "");
  EXPECT_EQ(code(cuInit(7)), 10007);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc(&address, 41), CUDA_SUCCESS);
  EXPECT_EQ(address, 42u);
  void* extra[1];
  EXPECT_EQ(code(cuLaunchKernel(nullptr, 1, 2, 4, 8, 16, 32, 64, stream(5000), nullptr, extra)),
            127 + 1000 + 5000);
  EXPECT_EQ(code(cuStreamSynchronize(stream(3))), 20003);
  EXPECT_EQ(code(cuStreamSynchronize_ptsz(stream(3))), 30003);
}

TEST_F(layer, answers_not_found_for_what_the_driver_behind_lacks) {
  ASSERT_EQ(load(""), "");
  int count = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_FOUND);
}

TEST_F(layer, without_a_fault_gives_the_drivers_own_functions) {
  ASSERT_EQ(load(""), "");
  void* function = nullptr;
  ASSERT_EQ(cuGetProcAddress_v2("cuInit", &function, 12000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(function, real_symbol("cuInit"));
}

TEST_F(layer, overrides_both_stream_modes_by_symbol) {
  ASSERT_EQ(load("stream_sync_returns_at_once"), "");
  const std::uint64_t before = hits();
  EXPECT_EQ(cuStreamSynchronize(stream(3)), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize_ptsz(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(hits(), before + 2);
  EXPECT_EQ(code(cuInit(1)), 10001);
}

TEST_F(layer, overrides_what_is_looked_up) {
  ASSERT_EQ(load("stream_sync_returns_at_once"), "");
  using synchronize = CUresult (*)(CUstream);
  void* function = nullptr;
  for (const cuuint64_t flags : {CU_GET_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                                 CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM}) {
    for (const int version : {7000, 11080, 13000}) {
      ASSERT_EQ(cuGetProcAddress_v2("cuStreamSynchronize", &function, version, flags, nullptr),
                CUDA_SUCCESS);
      EXPECT_EQ(reinterpret_cast<synchronize>(function)(stream(3)), CUDA_SUCCESS) << version;
    }
  }
  ASSERT_EQ(cuGetProcAddress("cuStreamSynchronize", &function, 11080, 0), CUDA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<synchronize>(function)(stream(3)), CUDA_SUCCESS);
}

TEST_F(layer, leaves_newer_prototypes_and_other_names_alone) {
  ASSERT_EQ(load("stream_sync_returns_at_once"), "");
  void* function = nullptr;
  ASSERT_EQ(cuGetProcAddress_v2("cuStreamSynchronize", &function, 14000, 0, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(code(reinterpret_cast<CUresult (*)(CUstream)>(function)(nullptr)), 40000);
  ASSERT_EQ(cuGetProcAddress_v2("cuInit", &function, 13000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(function, real_symbol("cuInit"));
  EXPECT_EQ(cuGetProcAddress_v2("cuNothing", &function, 13000, 0, nullptr),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(layer, refuses_an_unknown_fault) {
  const std::string wrong = load("no_such_fault");
  EXPECT_THAT(wrong, HasSubstr("STREAMCTS_FAULT='no_such_fault'"));
  EXPECT_THAT(wrong, HasSubstr("streamcts faults list"));
  EXPECT_EQ(cuInit(0), CUDA_ERROR_STUB_LIBRARY);
}

TEST_F(layer, refuses_a_driver_that_cannot_be_opened) {
  EXPECT_THAT(load("", "/no/such/libcuda.so.1"),
              HasSubstr("STREAMCTS_REAL_DRIVER='/no/such/libcuda.so.1' cannot be opened"));
  EXPECT_EQ(cuInit(0), CUDA_ERROR_STUB_LIBRARY);
  EXPECT_THAT(load("", "libm.so.6"), HasSubstr("has no cuInit"));
}

TEST_F(layer, refuses_itself) {
  EXPECT_THAT(load("", fs::read_symlink("/proc/self/exe")), HasSubstr("is the faulty driver itself"));
  setenv("STREAMCTS_FAULTS_LOADING", "1", 1);
  EXPECT_THAT(load(""), HasSubstr("is the faulty driver again"));
  unsetenv("STREAMCTS_FAULTS_LOADING");
}

TEST_F(layer, counts_in_a_file) {
  const temporary_folder folder;
  const std::string file = folder / "hits";
  ASSERT_EQ(load("stream_sync_returns_at_once", STREAMCTS_FAKE_DRIVER, file), "");
  (void)cuStreamSynchronize(stream(3));
  (void)cuStreamSynchronize(stream(3));
  std::uint64_t counted = 0;
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&counted), sizeof(counted));
  EXPECT_EQ(counted, 2u);
  EXPECT_THAT(load("stream_sync_returns_at_once", STREAMCTS_FAKE_DRIVER, folder / "no/such/file"),
              HasSubstr("STREAMCTS_FAULT_HITS="));
}

// The one entry point with a floating-point argument is an old one.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// The first call of a process finds the table empty: arguments must survive the loading.
TEST(first_call_DeathTest, keeps_its_arguments) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        set("STREAMCTS_REAL_DRIVER", STREAMCTS_FAKE_DRIVER);
        set("STREAMCTS_FAULT", "");
        const int bias = code(cuTexRefSetMipmapLevelBias(nullptr, 1.5F));
        std::exit(bias == 12 && code(cuInit(3)) == 10003 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(first_call_DeathTest, says_what_is_wrong) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        set("STREAMCTS_REAL_DRIVER", STREAMCTS_FAKE_DRIVER);
        set("STREAMCTS_FAULT", "no_such_fault");
        std::exit(cuInit(0) == CUDA_ERROR_STUB_LIBRARY ? 0 : 1);
      },
      testing::ExitedWithCode(0), "STREAMCTS_FAULT='no_such_fault' is no fault");
}

TEST(catalogue, makes_every_behaviour) {
  EXPECT_GE(fault_ids().size(), 75u);
  for (const std::string_view id : fault_ids()) EXPECT_NE(make_behaviour(id), nullptr) << id;
  EXPECT_EQ(make_behaviour("no_such_fault"), nullptr);
}

TEST(overrides, name_each_entry_point_once) {
  std::set<std::string> seen;
  for_each_override([&](const override_entry& each) {
    ASSERT_NE(each.symbol(), nullptr);
    EXPECT_TRUE(seen.insert(each.symbol()).second) << each.symbol();
  });
  EXPECT_GE(seen.size(), 150u);
}

/// A cache file as ldconfig writes it.
std::string cache_with(const std::vector<std::pair<std::string, std::string>>& libraries) {
  struct header {
    char magic[20];
    std::uint32_t entries, string_bytes, unused[5];
  };
  struct entry {
    std::int32_t flags;
    std::uint32_t name, path, os_version;
    std::uint64_t hardware;
  };
  const std::size_t strings_at = sizeof(header) + libraries.size() * sizeof(entry);
  std::string table, strings;
  for (const auto& [name, path] : libraries) {
    const entry e{0x0303, static_cast<std::uint32_t>(strings_at + strings.size()),
                  static_cast<std::uint32_t>(strings_at + strings.size() + name.size() + 1), 0, 0};
    table.append(reinterpret_cast<const char*>(&e), sizeof(e));
    strings += name + '\0' + path + '\0';
  }
  header h{};
  std::memcpy(h.magic, "glibc-ld.so.cache1.1", 20);
  h.entries = static_cast<std::uint32_t>(libraries.size());
  h.string_bytes = static_cast<std::uint32_t>(strings.size());
  return std::string(reinterpret_cast<const char*>(&h), sizeof(h)) + table + strings;
}

void write_file(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(driver_search, reads_the_loaders_cache) {
  const temporary_folder folder;
  const std::string file = folder / "cache";
  write_file(file, cache_with({{"libm.so.6", "/m"}, {"libcuda.so.1", "/a"}, {"libcuda.so.1", "/b"}}));
  EXPECT_THAT(cached_libraries(file, "libcuda.so.1"), ElementsAre("/a", "/b"));
  write_file(file, "something else");
  EXPECT_TRUE(cached_libraries(file, "libcuda.so.1").empty());
  write_file(file, cache_with({{"libcuda.so.1", "/a"}}).substr(0, 60));
  EXPECT_TRUE(cached_libraries(file, "libcuda.so.1").empty());
  EXPECT_TRUE(cached_libraries(folder / "none", "libcuda.so.1").empty());
}

TEST(driver_search, goes_the_loaders_way_and_leaves_out_the_refused) {
  const temporary_folder folder;
  const std::string first = folder / "first/libcuda.so.1", second = folder / "second/libcuda.so.1",
                    third = folder / "third/libcuda.so.1";
  for (const std::string& file : {first, second, third}) write_file(file, file);
  write_file(folder / "cache", cache_with({{"libcuda.so.1", second}}));
  driver_search where;
  where.library_path = "/no/such/folder:" + std::string(folder / "first");
  where.cache_file = folder / "cache";
  where.folders = {folder / "third"};
  EXPECT_EQ(find_system_driver(where, [](const std::string&) { return false; }), first);
  EXPECT_EQ(find_system_driver(where, [&](const std::string& p) { return same_file(p, first); }),
            second);
  where.library_path.clear();
  where.cache_file = folder / "none";
  EXPECT_EQ(find_system_driver(where, [](const std::string&) { return false; }), third);
  EXPECT_EQ(find_system_driver(where, [](const std::string&) { return true; }), "");
}

TEST(driver_search, knows_one_file_by_two_names) {
  const temporary_folder folder;
  write_file(folder / "a", "a");
  write_file(folder / "b", "a");
  fs::create_symlink(folder / "a", folder / "link");
  EXPECT_TRUE(same_file(folder / "a", folder / "link"));
  EXPECT_FALSE(same_file(folder / "a", folder / "b"));
  EXPECT_FALSE(same_file(folder / "a", folder / "none"));
}

TEST(stream_ref, resolves_default_handles) {
  const stream_ref null_legacy{nullptr, stream_mode::legacy};
  const stream_ref null_thread{nullptr, stream_mode::per_thread};
  EXPECT_EQ(null_legacy.type(), stream_type::legacy);
  EXPECT_EQ(null_thread.type(), stream_type::per_thread);
  EXPECT_EQ(null_legacy.key(), (stream_ref{CU_STREAM_LEGACY}.key()));
  EXPECT_EQ(null_thread.key(), (stream_ref{CU_STREAM_PER_THREAD}.key()));
  EXPECT_NE(null_legacy.key(), null_thread.key());
  EXPECT_EQ(null_legacy.explicit_handle(), CU_STREAM_LEGACY);
  EXPECT_EQ(null_thread.explicit_handle(), CU_STREAM_PER_THREAD);
  EXPECT_EQ((stream_ref{stream(4096)}.type()), stream_type::created);
}

TEST(captured_events, are_known_until_recorded_elsewhere) {
  const auto event = reinterpret_cast<CUevent>(std::uintptr_t{64});
  EXPECT_FALSE(is_captured(event));
  note_record(event, true);
  EXPECT_TRUE(is_captured(event));
  note_record(event, false);
  EXPECT_FALSE(is_captured(event));
}

}  // namespace
}  // namespace streamcts::faults
