// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/reference/cuda_api.h"

namespace streamcts::reference {

/// A call that is turned down. Thrown inside entry points, which return its code.
struct refusal {
  CUresult code;
};

[[noreturn]] inline void refuse(CUresult code) { throw refusal{code}; }

/// Turns the call down unless @p condition holds.
inline void require(bool condition, CUresult code = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) refuse(code);
}

/// What ends a kernel early: its own fault, or the fault of another one in the process.
struct device_fault {
  CUresult code;
};

}  // namespace streamcts::reference
