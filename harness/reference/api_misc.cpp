// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Small things that programs call and that have no bearing on streams.

#include <algorithm>

#include "harness/reference/context.h"
#include "harness/reference/entry.h"
#include "harness/reference/module.h"

using namespace streamcts::reference;

namespace {

constexpr int threads_of_a_multiprocessor = 2048;

CUresult blocks_that_fit(int* blocks, CUfunction handle, int block_size) {
  require(blocks != nullptr && block_size > 0);
  driver_lock lock;
  function_of(lock, handle);
  *blocks = std::min(32, threads_of_a_multiprocessor / block_size);
  return CUDA_SUCCESS;
}

CUresult best_shape(int* grid, int* block, CUfunction handle, int limit) {
  require(grid != nullptr && block != nullptr);
  driver_lock lock;
  function_of(lock, handle);
  *block = limit == 0 ? 1024 : std::min(limit, 1024);
  *grid = 4 * threads_of_a_multiprocessor / *block;
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_EXPORT cuProfilerStart() {
  return call([] { return CUDA_SUCCESS; });
}
STREAMCTS_EXPORT cuProfilerStop() {
  return call([] { return CUDA_SUCCESS; });
}

STREAMCTS_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                (int* blocks, CUfunction f, int block_size, [[maybe_unused]] size_t shared),
                (blocks, f, block_size, shared)) {
  return blocks_that_fit(blocks, f, block_size);
}

STREAMCTS_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                (int* blocks, CUfunction f, int block_size, [[maybe_unused]] size_t shared,
                 [[maybe_unused]] unsigned flags),
                (blocks, f, block_size, shared, flags)) {
  return blocks_that_fit(blocks, f, block_size);
}

STREAMCTS_ENTRY(cuOccupancyMaxPotentialBlockSize,
                (int* grid, int* block, CUfunction f,
                 [[maybe_unused]] CUoccupancyB2DSize shared_of, [[maybe_unused]] size_t shared,
                 int limit),
                (grid, block, f, shared_of, shared, limit)) {
  return best_shape(grid, block, f, limit);
}

STREAMCTS_ENTRY(cuOccupancyMaxPotentialBlockSizeWithFlags,
                (int* grid, int* block, CUfunction f,
                 [[maybe_unused]] CUoccupancyB2DSize shared_of, [[maybe_unused]] size_t shared,
                 int limit, [[maybe_unused]] unsigned flags),
                (grid, block, f, shared_of, shared, limit, flags)) {
  return best_shape(grid, block, f, limit);
}
