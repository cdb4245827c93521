// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_fault_trap: the trap instruction.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_fault_trap)() { trap(); }
STREAMCTS_EXPORT_KERNEL(streamcts_fault_trap)
