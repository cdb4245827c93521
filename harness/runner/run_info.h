// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>

#include "harness/runner/target.h"
#include "reports/results/run.h"

namespace streamcts::runner {

/// Version and commit of this program.
results::suite_info suite_version();

/// What a record of a run says of driver, device and what was found out about them.
results::driver_info driver_info_of(const probe_facts& facts);
results::device_info device_info_of(const probe_facts& facts);
std::map<std::string, std::string> capability_texts(const probe_facts& facts);
std::map<std::string, std::string> calibration_texts(const probe_facts& facts);

/// "13.0" for 13000; empty for 0.
std::string version_text(int version);

}  // namespace streamcts::runner
