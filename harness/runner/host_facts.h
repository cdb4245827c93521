// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "reports/results/run.h"

namespace streamcts::runner {

/// What is known of this machine without any driver.
results::environment_info read_environment();

/// Now, ISO 8601 in UTC: "2031-05-17T10:20:30Z".
std::string utc_now();
/// The same for the name of a folder: "20310517T102030Z".
std::string utc_stamp();

}  // namespace streamcts::runner
