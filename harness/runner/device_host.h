// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

#include "harness/runner/case_host.h"

namespace streamcts::runner {

/// Hosts cases on the driver under test: loads it, makes a device_session. @throws start_error
std::unique_ptr<case_host> make_device_host(const host_order& order);

/// Calls @p action and turns what driver calls throw into start_error.
void translate_start_errors(const std::function<void()>& action);

}  // namespace streamcts::runner
