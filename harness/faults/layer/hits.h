// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

namespace streamcts::faults {

/// Counts one more time that the fault took effect. Any thread; the count is in the file at once,
/// so that a process that is killed has counted.
void hit();

/// How often hit() was called in this process.
std::uint64_t hits();

/// Also counts in @p file: an 8-byte counter, made where it does not exist, shared by every process
/// that names it.
/// @return an empty string, else what is wrong and how to mend it, in one line.
std::string count_hits_in(const std::string& file);

}  // namespace streamcts::faults
