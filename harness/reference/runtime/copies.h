// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies in the driver's terms.

#pragma once

#include <cuda_runtime_api.h>

#include "harness/reference/runtime/entry.h"

namespace streamcts::runtime {

inline CUdeviceptr address(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

bool known(cudaMemcpyKind kind);

/// A copy by the driver's function for its kind. Blocks as that function does.
outcome copy(const driver_calls& driver, void* to, const void* from, size_t bytes,
             cudaMemcpyKind kind);
outcome copy_async(const driver_calls& driver, void* to, const void* from, size_t bytes,
                   cudaMemcpyKind kind, cudaStream_t stream);

struct plane {
  const void* memory;
  size_t pitch;
};
/// @p kind must be known.
CUDA_MEMCPY2D describe(plane to, plane from, size_t width, size_t height, cudaMemcpyKind kind);

/// cudaErrorNotSupported for arrays.
outcome describe(const cudaMemcpy3DParms& parameters, CUDA_MEMCPY3D* made);

/// One row of bytes, as graph nodes have it.
CUDA_MEMCPY3D describe(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);

}  // namespace streamcts::runtime
