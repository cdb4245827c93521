// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/runner/case_host.h"

namespace streamcts::selftest {

/// The planted cases: each does to its process, or says, what a runner must cope with.
const std::vector<case_instance>& planted_cases();

/// Hosts them without any driver. STREAMCTS_SELFTEST_START makes it fail: "refuse", "crash", "hang",
/// "mismatch", or "refuse_later" after the first process.
std::unique_ptr<runner::case_host> make_planted_host(const runner::host_order& order);

/// A probe without any driver. STREAMCTS_SELFTEST_PROBE: "not_found", "not_a_driver", "no_device",
/// "crash_at:STEP", "hang_at:STEP", "exit_at:STEP".
runner::probe_facts planted_probe(const runner::child_order& order,
                                  runner::probe_listener& listener);

/// Two devices.
std::vector<runner::device_entry> planted_devices(const runner::child_order& order);

}  // namespace streamcts::selftest
