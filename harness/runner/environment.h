// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts::runner {

/// Names and values of this process's environment.
std::map<std::string, std::string> current_environment();

/// The environment of a child, NAME=value: that of this process, with LD_PRELOAD and whatever else
/// the user set, but without what would stop or wait for somebody on a device exception or write
/// core files (CUDA_ENABLE_COREDUMP_*, CUDA_DEVICE_WAITS_ON_EXCEPTION and their like), without
/// GoogleTest's own variables, and with @p changes (an empty value removes).
std::vector<std::string> child_environment(
    const std::map<std::string, std::string>& environment,
    const std::map<std::string, std::string>& changes = {});

/// The variables that change what a driver does: STREAMCTS_*, CUDA_*, LD_PRELOAD, LD_LIBRARY_PATH
/// and NVIDIA_VISIBLE_DEVICES. For the record.
std::map<std::string, std::string> telling_variables(
    const std::map<std::string, std::string>& environment);

/// @p text as one word of a shell.
std::string shell_quoted(std::string_view text);

}  // namespace streamcts::runner
