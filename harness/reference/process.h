// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "harness/reference/cuda_api.h"

namespace streamcts::reference {

/// The device fault of the process, CUDA_SUCCESS if there was none. The first one stays: it ends
/// all CUDA work until the process ends (ER-STICKY-001).
CUresult fault();
void set_fault(CUresult code);
/// For unit tests alone, which must go on after a fault.
void clear_fault_for_test();

/// To be called once work can be enqueued.
void watch_exit();
/// Whether the process is in exit(). No item starts any more.
bool exiting();
/// Never returns once the process exits: threads of the driver stop here.
void park_if_exiting();

/// A pseudo-random number, for the variants; any thread.
std::uint32_t random_number();

}  // namespace streamcts::reference
