// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

namespace streamcts::faults {

/// Which events were last recorded in a stream under capture. Asking the driver would be an error.
void note_record(CUevent event, bool captured);
bool is_captured(CUevent event);
void forget_event(CUevent event);

}  // namespace streamcts::faults
