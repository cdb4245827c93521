// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_fault_misaligned: a 4-byte store to an address that is not a multiple of four.
// `buffer` is a valid allocation of at least 8 bytes.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_fault_misaligned)(std::uint8_t* buffer) {
  put(reinterpret_cast<std::uint32_t*>(buffer + 1), std::uint32_t{1});
}
STREAMCTS_EXPORT_KERNEL(streamcts_fault_misaligned)
