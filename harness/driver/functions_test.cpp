// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/driver/runtime.h"

namespace streamcts::driver {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const function_description& description_of(std::string_view member) {
  const auto& all = function_descriptions();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const auto& f) { return f.member == member; });
  if (at == all.end()) throw std::out_of_range(std::string(member));
  return *at;
}

TEST(EntryPoint, CallsWhatItHolds) {
  function_table table;
  table.cuInit = [](unsigned flags) {
    return flags == 7 ? CUDA_ERROR_NOT_INITIALIZED : CUDA_SUCCESS;
  };
  EXPECT_EQ(table.cuInit(7), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_TRUE(table.cuInit);
}

TEST(EntryPoint, AnAbsentOneSaysNotSupported) {
  function_table driver;
  EXPECT_FALSE(driver.cuStreamAddCallback);
  EXPECT_EQ(driver.cuStreamAddCallback, nullptr);
  EXPECT_EQ(driver.cuStreamAddCallback(nullptr, nullptr, nullptr, 0), CUDA_ERROR_NOT_SUPPORTED);
  runtime_table runtime;
  EXPECT_EQ(runtime.cudaFree(nullptr), cudaErrorNotSupported);
  EXPECT_EQ(runtime.cudaGetErrorName(cudaSuccess), nullptr);
}

TEST(EntryPoint, ConvertsToThePointer) {
  const PFN_cuInit_v2000 pointer = [](unsigned) { return CUDA_SUCCESS; };
  const entry_point<PFN_cuInit_v2000> entry(pointer);
  const PFN_cuInit_v2000 back = entry;
  EXPECT_EQ(back, pointer);
  EXPECT_EQ(entry.get(), pointer);
}

TEST(Descriptions, NameThePrototypeThatIsCalled) {
  // cuCtxSynchronize of version 13000 takes a context: asked for as such, the plain call crashes.
  EXPECT_EQ(description_of("cuCtxSynchronize").version, 2000);
  EXPECT_EQ(description_of("cuCtxSynchronize_v2").version, 13000);
  EXPECT_STREQ(description_of("cuCtxSynchronize_v2").name, "cuCtxSynchronize");
  EXPECT_STREQ(description_of("cuMemAlloc").symbol, "cuMemAlloc_v2");
  EXPECT_STREQ(description_of("cuStreamDestroy").symbol, "cuStreamDestroy_v2");
}

TEST(Descriptions, NameThePerThreadVariant) {
  EXPECT_EQ(description_of("cuStreamAddCallback").version, 5000);
  EXPECT_EQ(description_of("cuStreamAddCallback").per_thread_version, 7000);
  EXPECT_STREQ(description_of("cuStreamAddCallback").per_thread_symbol, "cuStreamAddCallback_ptsz");
  EXPECT_STREQ(description_of("cuMemcpyHtoD").per_thread_symbol, "cuMemcpyHtoD_v2_ptds");
  EXPECT_EQ(description_of("cuMemAlloc").per_thread_version, 0);
  EXPECT_STREQ(description_of("cuMemAlloc").per_thread_symbol, "cuMemAlloc_v2");
}

TEST(Descriptions, AreUnique) {
  std::set<std::string> members, symbols;
  for (const auto& f : function_descriptions()) {
    EXPECT_TRUE(members.insert(f.member).second) << f.member;
    EXPECT_TRUE(symbols.insert(f.symbol).second) << f.symbol;
  }
}

TEST(Resolve, PutsEachFunctionInItsMember) {
  // Each "function" is the address of its own description.
  const auto find = [](void*, const function_description& f, stream_mode) -> void* {
    return const_cast<function_description*>(&f);
  };
  const function_table table = resolve(find, nullptr, stream_mode::legacy);
  EXPECT_EQ(reinterpret_cast<const void*>(table.cuMemAdvise_v1.get()),
            &description_of("cuMemAdvise_v1"));
  EXPECT_EQ(reinterpret_cast<const void*>(table.cuMemAdvise_v2.get()),
            &description_of("cuMemAdvise_v2"));
  EXPECT_EQ(reinterpret_cast<const void*>(table.cuGraphReleaseUserObject.get()),
            &description_of("cuGraphReleaseUserObject"));
  EXPECT_THAT(function_addresses(table), SizeIs(function_descriptions().size()));
  EXPECT_THAT(missing_functions(table, need::required), IsEmpty());
  EXPECT_THAT(missing_functions(table, need::optional), IsEmpty());
}

TEST(Missing, TellsRequiredFromOptional) {
  const function_table table;
  EXPECT_THAT(missing_functions(table, need::required), Contains("cuStreamCreate"));
  EXPECT_THAT(missing_functions(table, need::required), Not(Contains("cuGraphLaunch")));
  EXPECT_THAT(missing_functions(table, need::optional), Contains("cuGraphLaunch"));
  EXPECT_THAT(function_addresses(table), IsEmpty());
}

TEST(StreamMode, HasNames) {
  EXPECT_EQ(to_string(stream_mode::legacy), "legacy");
  EXPECT_EQ(to_string(stream_mode::per_thread), "per_thread");
}

}  // namespace
}  // namespace streamcts::driver
