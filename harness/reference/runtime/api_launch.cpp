// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels: what the code that nvcc makes of `kernel<<<grid, block>>>(...)` calls, launches, and
// what can be asked of a kernel.

#include <vector>

#include "harness/reference/runtime/registered_code.h"

using namespace streamcts::runtime;

static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));

namespace {

/// What a launch fails with: the driver does not tell a bad shape or kernel from other values.
outcome explain(const driver_calls& driver, CUresult result, CUfunction kernel, dim3 grid,
                dim3 block) {
  if (result == CUDA_ERROR_INVALID_HANDLE) {
    int registers = 0;
    const bool is_kernel =
        driver.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel) == CUDA_SUCCESS;
    return is_kernel ? outcome(result) : outcome(cudaErrorInvalidDeviceFunction);
  }
  if (result != CUDA_ERROR_INVALID_VALUE) return result;
  int most = 0;
  driver.cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel);
  const auto threads = static_cast<unsigned long long>(block.x) * block.y * block.z;
  const bool empty = threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0;
  const bool large = threads > static_cast<unsigned long long>(most);
  return empty || large ? outcome(cudaErrorInvalidConfiguration) : outcome(result);
}

outcome launch(const driver_calls& driver, CUfunction kernel, dim3 grid, dim3 block,
               void** arguments, size_t shared, cudaStream_t stream) {
  const CUresult result =
      driver.cuLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                            static_cast<unsigned>(shared), stream, arguments, nullptr);
  return explain(driver, result, kernel, grid, block);
}

struct call_configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
/// Launches may stand in the arguments of launches.
thread_local std::vector<call_configuration> configurations;

}  // namespace

// nvcc's own entry points; no public header declares them.

RUNTIME_EXPORT void** CUDARTAPI __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(add_fat_binary(wrapper));
}
RUNTIME_EXPORT void CUDARTAPI __cudaRegisterFatBinaryEnd(void**) {}
RUNTIME_EXPORT void CUDARTAPI __cudaUnregisterFatBinary(void** binary) {
  remove_fat_binary(reinterpret_cast<fat_binary*>(binary));
}
RUNTIME_EXPORT void CUDARTAPI __cudaRegisterFunction(void** binary, const char* host_function,
                                                     char*, const char* name, int, uint3*, uint3*,
                                                     dim3*, dim3*, int*) {
  add_kernel(reinterpret_cast<fat_binary*>(binary), host_function, name);
}
RUNTIME_EXPORT void CUDARTAPI __cudaRegisterVar(void** binary, char* host_variable, char*,
                                                const char* name, int, size_t bytes, int, int) {
  add_variable(reinterpret_cast<fat_binary*>(binary), host_variable, name, bytes, nullptr);
}
RUNTIME_EXPORT void CUDARTAPI __cudaRegisterManagedVar(void** binary, void** pointer, char*,
                                                       const char* name, int, size_t bytes, int,
                                                       int) {
  add_variable(reinterpret_cast<fat_binary*>(binary), pointer, name, bytes, pointer);
}
/// Called before the first use of a managed variable.
RUNTIME_EXPORT char CUDARTAPI __cudaInitModule(void** binary) {
  return call(needs::context, stream_mode::legacy, [&](const driver_calls&) {
           return load_managed_variables(reinterpret_cast<fat_binary*>(binary));
         }) == cudaSuccess;
}

RUNTIME_EXPORT unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                              CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
RUNTIME_EXPORT cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                                                size_t* shared, void* stream) {
  if (configurations.empty()) return remember(cudaErrorMissingConfiguration);
  const call_configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

RUNTIME_ENTRY(__cudaGetKernel, (cudaKernel_t * kernel, const void* function), (kernel, function)) {
  return find_registered_kernel(function, kernel);
}
RUNTIME_STREAM_ENTRY(__cudaLaunchKernel, _ptsz,
                     (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                      cudaStream_t stream),
                     (kernel, grid, block, arguments, shared, stream)) {
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  return launch(driver, reinterpret_cast<CUfunction>(kernel), grid, block, arguments, shared,
                stream);
}

// The public ones.

RUNTIME_STREAM_ENTRY(cudaLaunchKernel, _ptsz,
                     (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                      cudaStream_t stream),
                     (function, grid, block, arguments, shared, stream)) {
  CUfunction kernel = nullptr;
  if (const outcome o = find_kernel(function, &kernel); o.failed()) return o;
  return launch(driver, kernel, grid, block, arguments, shared, stream);
}
RUNTIME_STREAM_ENTRY(cudaLaunchCooperativeKernel, _ptsz,
                     (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                      cudaStream_t stream),
                     (function, grid, block, arguments, shared, stream)) {
  CUfunction kernel = nullptr;
  if (const outcome o = find_kernel(function, &kernel); o.failed()) return o;
  const CUresult result =
      driver.cuLaunchCooperativeKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                       static_cast<unsigned>(shared), stream, arguments);
  return explain(driver, result, kernel, grid, block);
}
RUNTIME_STREAM_ENTRY(cudaLaunchKernelExC, _ptsz,
                     (const cudaLaunchConfig_t* config, const void* function, void** arguments),
                     (config, function, arguments)) {
  if (config == nullptr) return cudaErrorInvalidValue;
  CUfunction kernel = nullptr;
  if (const outcome o = find_kernel(function, &kernel); o.failed()) return o;
  CUlaunchConfig same{};
  same.gridDimX = config->gridDim.x;
  same.gridDimY = config->gridDim.y;
  same.gridDimZ = config->gridDim.z;
  same.blockDimX = config->blockDim.x;
  same.blockDimY = config->blockDim.y;
  same.blockDimZ = config->blockDim.z;
  same.sharedMemBytes = static_cast<unsigned>(config->dynamicSmemBytes);
  same.hStream = config->stream;
  same.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  same.numAttrs = config->numAttrs;
  const CUresult result = driver.cuLaunchKernelEx(&same, kernel, arguments, nullptr);
  return explain(driver, result, kernel, config->gridDim, config->blockDim);
}

RUNTIME_ENTRY(cudaGetKernel, (cudaKernel_t * kernel, const void* function), (kernel, function)) {
  if (kernel == nullptr) return cudaErrorInvalidValue;
  return find_registered_kernel(function, kernel);
}
RUNTIME_ENTRY(cudaGetFuncBySymbol, (cudaFunction_t * out, const void* symbol), (out, symbol)) {
  CUkernel kernel = nullptr;
  if (const outcome o = find_registered_kernel(symbol, &kernel); o.failed()) return o;
  return driver.cuKernelGetFunction(out, kernel);
}
RUNTIME_ENTRY(cudaGetSymbolAddress, (void** memory, const void* symbol), (memory, symbol)) {
  size_t bytes = 0;
  return memory == nullptr ? cudaErrorInvalidValue : find_variable(symbol, memory, &bytes);
}
RUNTIME_ENTRY(cudaGetSymbolSize, (size_t * bytes, const void* symbol), (bytes, symbol)) {
  void* memory = nullptr;
  return bytes == nullptr ? cudaErrorInvalidValue : find_variable(symbol, &memory, bytes);
}
