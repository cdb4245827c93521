// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// cuda.h with every prototype under its own name: old versions, `_v2` and later, `_ptsz`, `_ptds`.
// Plain inclusion renames functions to their newest version, which a driver cannot use.

#pragma once

#ifdef __cuda_cuda_h__
#error "include harness/reference/cuda_api.h before cuda.h"
#endif
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
