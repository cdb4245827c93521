// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/driver/runtime.h"

namespace streamcts::driver {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::StrEq;

TEST(ResultName, KnowsTheEnumerators) {
  EXPECT_STREQ(result_name(CUDA_SUCCESS), "CUDA_SUCCESS");
  EXPECT_STREQ(result_name(CUDA_ERROR_NOT_READY), "CUDA_ERROR_NOT_READY");
  EXPECT_STREQ(result_name(CUDA_ERROR_UNKNOWN), "CUDA_ERROR_UNKNOWN");
  EXPECT_STREQ(result_name(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
               "CUDA_ERROR_STREAM_CAPTURE_UNJOINED");
}

TEST(ResultName, IsUnique) {
  std::set<std::string> names;
  int known = 0;
  for (int code = 0; code < 1000; ++code) {
    const std::string name = result_name(static_cast<CUresult>(code));
    EXPECT_TRUE(names.insert(name).second) << name;
    if (name.starts_with("CUDA_")) ++known;
  }
  EXPECT_GE(known, 100);
}

TEST(ResultName, GivesOtherCodesAsNumbersThatStay) {
  const char* const name = result_name(static_cast<CUresult>(12345));
  EXPECT_STREQ(name, "CUresult(12345)");
  EXPECT_EQ(name, result_name(static_cast<CUresult>(12345)));
}

TEST(Check, LetsSuccessPass) {
  EXPECT_NO_THROW(check(CUDA_SUCCESS, "cuInit"));
}

TEST(Check, ThrowsCodeCallAndPlace) {
  try {
    check(CUDA_ERROR_INVALID_VALUE, "cuStreamQuery");
    FAIL() << "check() returned";
  } catch (const call_error& error) {
    EXPECT_EQ(error.code, CUDA_ERROR_INVALID_VALUE);
    EXPECT_STREQ(error.call, "cuStreamQuery");
    EXPECT_THAT(error.site.file_name(), EndsWith("result_test.cpp"));
    EXPECT_THAT(error.what(),
                AllOf(StartsWith("cuStreamQuery returned CUDA_ERROR_INVALID_VALUE (1) at "),
                      HasSubstr("result_test.cpp:")));
  }
}

TEST(CheckMacro, KeepsTheNameOfTheFunction) {
  function_table table;  // every function absent
  try {
    STREAMCTS_CHECK(table.cuMemAlloc(nullptr, 8));
    FAIL() << "the check passed";
  } catch (const call_error& error) {
    EXPECT_THAT(error.call, StrEq("cuMemAlloc"));
    EXPECT_EQ(error.code, CUDA_ERROR_NOT_SUPPORTED);
  }
}

TEST(CheckMacro, KeepsTheNameThroughPointersNamespacesAndBlanks) {
  const auto name_of = [](const char* expression) {
    try {
      check(CUDA_ERROR_UNKNOWN, expression);
    } catch (const call_error& error) {
      return std::string(error.call);
    }
    return std::string("no error");
  };
  EXPECT_EQ(name_of("functions(mode).cuStreamQuery(f(x))"), "cuStreamQuery");
  EXPECT_EQ(name_of("function(x)"), "function(x)");
  EXPECT_EQ(name_of("t->cuStreamQuery(a.b())"), "cuStreamQuery");
  EXPECT_EQ(name_of("ns::cuStreamQuery(x)"), "cuStreamQuery");
  EXPECT_EQ(name_of("(void)cuStreamQuery(x)"), "cuStreamQuery");
}

TEST(CheckMacro, TakesTheRuntimesCodes) {
  runtime_table table;
  EXPECT_NO_THROW(check(cudaSuccess, "cudaFree"));
  try {
    STREAMCTS_CHECK(table.cudaMallocHost(nullptr, 8));
    FAIL() << "the check passed";
  } catch (const call_error& error) {
    EXPECT_EQ(error.code, CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_STREQ(error.call, "cudaMallocHost");
  }
}

}  // namespace
}  // namespace streamcts::driver
