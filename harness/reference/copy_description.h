// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/reference/transfer.h"

namespace streamcts::reference {

struct described_copy {
  place from, to;
  copy_operation operation;
};

/// Checks a description. Refuses arrays with NOT_SUPPORTED, impossible ones with INVALID_VALUE.
described_copy describe(const CUDA_MEMCPY3D& d);
CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& d);

}  // namespace streamcts::reference
