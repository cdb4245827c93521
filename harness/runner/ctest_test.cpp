// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/ctest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runner/errors.h"
#include "harness/runner/test_cases.h"

namespace streamcts::runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using environment = std::map<std::string, std::string>;

TEST(CtestResources, AbsentOrOfOthersMeansNothing) {
  EXPECT_TRUE(allotted_devices({}).empty());
  EXPECT_TRUE(allotted_devices({{"CTEST_RESOURCE_GROUP_COUNT", "0"}}).empty());
  EXPECT_TRUE(allotted_devices({{"CTEST_RESOURCE_GROUP_COUNT", "1"},
                                {"CTEST_RESOURCE_GROUP_0_LICENCES", "id:a,slots:1"}})
                  .empty());
}

TEST(CtestResources, BecomeVisibleDevices) {
  const environment got = allotted_devices({{"CTEST_RESOURCE_GROUP_COUNT", "2"},
                                            {"CTEST_RESOURCE_GROUP_0_GPUS", "id:1,slots:100"},
                                            {"CTEST_RESOURCE_GROUP_1_GPUS",
                                             "id:3,slots:50;id:GPU-5a,slots:100"}});
  EXPECT_EQ(got, (environment{{"CUDA_VISIBLE_DEVICES", "1,3,GPU-5a"},
                              {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}));
}

TEST(CtestResources, MalformedIsRefused) {
  for (const char* value :
       {"", "0", "id:0", "id:,slots:1", "id:0,slots", "id:0;slots:1", "id:0 ,slots:1", ";"}) {
    EXPECT_THROW(allotted_devices({{"CTEST_RESOURCE_GROUP_COUNT", "1"},
                                   {"CTEST_RESOURCE_GROUP_0_GPUS", value}}),
                 machine_error)
        << value;
  }
  for (const char* count : {"", "-1", "x", "1x", "99999999999"}) {
    EXPECT_THROW(allotted_devices({{"CTEST_RESOURCE_GROUP_COUNT", count}}), machine_error) << count;
  }
}

TEST(CtestScript, HasATestForEachCase) {
  test_cases cases;
  cases.add("callback/x/y.z", tier::standard, isolation::batched,
            {clause_id{"CB-ORDER-001"}, clause_id{"CB-ORDER-002"}});
  const std::string script = ctest_script(cases.pointers(), {"/bin/prog", "/tmp/facts", "reference"});
  EXPECT_THAT(script,
              AllOf(HasSubstr("add_test([[conformance/callback/x/y.z]] [[/bin/prog]] run --ctest "
                              "[[callback/x/y.z]] --driver [[reference]] --capabilities "
                              "[[/tmp/facts]])"),
                    HasSubstr("LABELS standard LABELS callback LABELS CB-ORDER-001 LABELS "
                              "CB-ORDER-002"),
                    HasSubstr("SKIP_RETURN_CODE 77"), HasSubstr("RESOURCE_GROUPS [[1,gpus:100]]"),
                    HasSubstr("FIXTURES_REQUIRED streamcts_capabilities"),
                    HasSubstr("FIXTURES_SETUP streamcts_capabilities")));
}

TEST(CtestScript, QuotesForCMake) {
  EXPECT_EQ(cmake_quoted("a b"), "[[a b]]");
  EXPECT_EQ(cmake_quoted("a]]b"), "[=[a]]b]=]");
  EXPECT_EQ(cmake_quoted("a]"), "[=[a]]=]");
}

}  // namespace
}  // namespace streamcts::runner
