// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_fault_assert: a failed device assertion.

#include "kernels/kernel.h"

#if defined(__CUDACC__)
#undef NDEBUG
#include <cassert>
#endif

STREAMCTS_KERNEL(streamcts_fault_assert)() {
#if defined(__CUDACC__)
  assert(threadIdx.x == 0xFFFFFFFFu);
#else
  streamcts::kernels::host::assertion_failed();
#endif
}
STREAMCTS_EXPORT_KERNEL(streamcts_fault_assert)
