// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_signal: stores a control word. It marks that work of its stream has begun.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_signal)(std::uint32_t* word, std::uint32_t value) {
  store_release_sys(word, value);
}
STREAMCTS_EXPORT_KERNEL(streamcts_signal)
