// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_fault_illegal_address: a store to an address that no allocation can hold.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_fault_illegal_address)() {
  put(reinterpret_cast<std::uint32_t*>(std::uintptr_t{0x10}), std::uint32_t{1});
}
STREAMCTS_EXPORT_KERNEL(streamcts_fault_illegal_address)
