// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "harness/runner/messages.h"

namespace streamcts::runner {

/// The devices that the driver of @p order shows. In a child. @throws start_error
std::vector<device_entry> list_devices(const child_order& order);

}  // namespace streamcts::runner
