// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/case/registry.h"

namespace streamcts::runner {

/// What ctest allotted to this test (CTEST_RESOURCE_GROUP_*; CMake manual, "Resource Allocation"), as
/// changes of a child's environment: CUDA_VISIBLE_DEVICES, and CUDA_DEVICE_ORDER=PCI_BUS_ID so that
/// numbers mean what nvidia-smi shows. Empty where ctest allots nothing.
/// @throws machine_error naming a variable that is malformed
std::map<std::string, std::string> allotted_devices(
    const std::map<std::string, std::string>& environment);

struct ctest_options {
  std::string program;       ///< path of this program
  std::string capabilities;  ///< the file that the fixture makes and all cases read
  std::string driver;        ///< as for --driver; empty to leave it out
};

/// A CMake script for ctest: a test for each case, which runs it alone in a process of its own, and
/// a fixture that probes the driver once.
std::string ctest_script(const std::vector<const case_instance*>& cases,
                         const ctest_options& options);

/// @p text as a bracket argument of CMake.
std::string cmake_quoted(const std::string& text);

}  // namespace streamcts::runner
