// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Libraries of kernels, and what can be asked of a kernel and set for it.

#include <initializer_list>
#include <type_traits>

#include "harness/reference/runtime/registered_code.h"

using namespace streamcts::runtime;

RUNTIME_BARE_ENTRY(cudaLibraryLoadData,
                   (cudaLibrary_t * library, const void* code, cudaJitOption* jit,
                    void** jit_values, unsigned jit_count, cudaLibraryOption* options,
                    void** values, unsigned count),
                   (library, code, jit, jit_values, jit_count, options, values, count)) {
  return driver.cuLibraryLoadData(library, code, reinterpret_cast<CUjit_option*>(jit), jit_values,
                                  jit_count, reinterpret_cast<CUlibraryOption*>(options), values,
                                  count);
}
RUNTIME_BARE_ENTRY(cudaLibraryUnload, (cudaLibrary_t library), (library)) {
  return driver.cuLibraryUnload(library);
}
RUNTIME_BARE_ENTRY(cudaLibraryGetKernel,
                   (cudaKernel_t * kernel, cudaLibrary_t library, const char* name),
                   (kernel, library, name)) {
  return driver.cuLibraryGetKernel(kernel, library, name);
}
RUNTIME_ENTRY(cudaLibraryGetGlobal,
              (void** memory, size_t* bytes, cudaLibrary_t library, const char* name),
              (memory, bytes, library, name)) {
  return driver.cuLibraryGetGlobal(reinterpret_cast<CUdeviceptr*>(memory), bytes, library, name);
}
RUNTIME_ENTRY(cudaLibraryGetManaged,
              (void** memory, size_t* bytes, cudaLibrary_t library, const char* name),
              (memory, bytes, library, name)) {
  return driver.cuLibraryGetManaged(reinterpret_cast<CUdeviceptr*>(memory), bytes, library, name);
}

namespace {

outcome read_attributes(const driver_calls& driver, CUfunction kernel, cudaFuncAttributes* out) {
  const auto read = [&](CUfunction_attribute which, auto* value) {
    int found = 0;
    const CUresult result = driver.cuFuncGetAttribute(&found, which, kernel);
    *value = static_cast<std::decay_t<decltype(*value)>>(found);
    return result;
  };
  *out = {};
  for (const CUresult r :
       {read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &out->sharedSizeBytes),
        read(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &out->constSizeBytes),
        read(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &out->localSizeBytes),
        read(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &out->maxThreadsPerBlock),
        read(CU_FUNC_ATTRIBUTE_NUM_REGS, &out->numRegs),
        read(CU_FUNC_ATTRIBUTE_PTX_VERSION, &out->ptxVersion),
        read(CU_FUNC_ATTRIBUTE_BINARY_VERSION, &out->binaryVersion),
        read(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &out->cacheModeCA),
        read(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &out->maxDynamicSharedSizeBytes),
        read(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &out->preferredShmemCarveout)}) {
    if (r == CUDA_ERROR_INVALID_HANDLE) return cudaErrorInvalidDeviceFunction;
    if (r != CUDA_SUCCESS) return r;
  }
  return CUDA_SUCCESS;
}

}  // namespace

RUNTIME_ENTRY(cudaFuncGetAttributes, (cudaFuncAttributes * out, const void* function),
              (out, function)) {
  if (out == nullptr) return cudaErrorInvalidValue;
  CUfunction kernel = nullptr;
  const outcome found = find_kernel(function, &kernel);
  return found.failed() ? found : read_attributes(driver, kernel, out);
}
RUNTIME_ENTRY(cudaFuncSetAttribute, (const void* function, cudaFuncAttribute which, int value),
              (function, which, value)) {
  CUfunction kernel = nullptr;
  const outcome found = find_kernel(function, &kernel);
  if (found.failed()) return found;
  return driver.cuFuncSetAttribute(kernel, static_cast<CUfunction_attribute>(which), value);
}
RUNTIME_ENTRY(cudaFuncSetCacheConfig, (const void* function, cudaFuncCache config),
              (function, config)) {
  CUfunction kernel = nullptr;
  const outcome found = find_kernel(function, &kernel);
  return found.failed() ? found
                        : driver.cuFuncSetCacheConfig(kernel, static_cast<CUfunc_cache>(config));
}
RUNTIME_ENTRY(cudaFuncGetName, (const char** name, const void* function), (name, function)) {
  CUfunction kernel = nullptr;
  const outcome found = find_kernel(function, &kernel);
  return found.failed() ? found : driver.cuFuncGetName(name, kernel);
}
RUNTIME_ENTRY(cudaFuncGetParamInfo,
              (const void* function, size_t index, size_t* offset, size_t* size),
              (function, index, offset, size)) {
  CUfunction kernel = nullptr;
  const outcome found = find_kernel(function, &kernel);
  return found.failed() ? found : driver.cuFuncGetParamInfo(kernel, index, offset, size);
}

RUNTIME_ENTRY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
              (int* blocks, const void* function, int block, size_t shared, unsigned flags),
              (blocks, function, block, shared, flags)) {
  CUfunction kernel = nullptr;
  const outcome found = find_kernel(function, &kernel);
  if (found.failed()) return found;
  return driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block, shared,
                                                                     flags);
}
RUNTIME_ENTRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
              (int* blocks, const void* function, int block, size_t shared),
              (blocks, function, block, shared)) {
  CUfunction kernel = nullptr;
  const outcome found = find_kernel(function, &kernel);
  if (found.failed()) return found;
  return driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block, shared,
                                                                     0);
}
