// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/runner/case_host.h"

namespace streamcts::runner {

/// The probe of the driver under test, in a child: each feature by one call that must work, then the
/// calibration. @throws start_error where driver or device cannot be had at all
probe_facts probe_device(const child_order& order, probe_listener& listener);

/// Steps that the parent hears of beside those of driver::probe.
inline constexpr std::string_view load_step = "load";
inline constexpr std::string_view calibration_step = "calibration";

}  // namespace streamcts::runner
