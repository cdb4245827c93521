// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace streamcts::faults {

/// Reads STREAMCTS_FAULT, STREAMCTS_FAULT_HITS and STREAMCTS_REAL_DRIVER and fills the table of the
/// trampolines.
/// @return an empty string, else what is wrong and how to mend it, in one line; every entry point
///   then returns CUDA_ERROR_STUB_LIBRARY.
std::string load_table();

}  // namespace streamcts::faults
