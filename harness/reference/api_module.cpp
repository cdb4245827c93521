// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Modules, libraries, and what can be asked of their kernels.

#include "harness/reference/entry.h"
#include "harness/reference/module.h"

using namespace streamcts::reference;

namespace {

std::shared_ptr<code_module> load(driver_lock& lock, const void* image) {
  require(image != nullptr);
  current_context(lock);
  auto m = std::make_shared<code_module>();
  m->as_module = modules().insert(m);
  m->as_library = libraries().insert(m);
  return m;
}

CUresult load_module(CUmodule* out, const void* image) {
  require(out != nullptr);
  driver_lock lock;
  *out = load(lock, image)->as_module;
  return CUDA_SUCCESS;
}

void unload(const std::shared_ptr<code_module>& m) {
  for (const auto& [name, f] : m->functions) {
    functions().erase(f->as_function);
    kernels_by_handle().erase(f->as_kernel);
  }
  modules().erase(m->as_module);
  libraries().erase(m->as_library);
}

int attribute_of(const function& f, CUfunction_attribute attribute) {
  require(attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX);
  if (const auto set = f.attributes.find(attribute); set != f.attributes.end()) return set->second;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return 1024;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return 32;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return 90;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return 48 << 10;
    default:
      return 0;
  }
}

CUresult describe_parameter(const function& f, size_t index, size_t* offset, size_t* size) {
  require(offset != nullptr && index < f.kernel->parameter_count);
  kernel_launch launch;
  launch.kernel = f.kernel;
  *offset = launch.parameter_offset(index);
  if (size != nullptr) *size = f.kernel->parameter_sizes[index];
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_ENTRY(cuModuleLoadData, (CUmodule * out, const void* image), (out, image)) {
  return load_module(out, image);
}
STREAMCTS_ENTRY(cuModuleLoadFatBinary, (CUmodule * out, const void* image), (out, image)) {
  return load_module(out, image);
}
STREAMCTS_ENTRY(cuModuleLoadDataEx,
                (CUmodule * out, const void* image, [[maybe_unused]] unsigned count,
                 [[maybe_unused]] CUjit_option* options, [[maybe_unused]] void** values),
                (out, image, count, options, values)) {
  return load_module(out, image);
}

STREAMCTS_ENTRY(cuModuleUnload, (CUmodule handle), (handle)) {
  driver_lock lock;
  unload(modules().get(handle));
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuModuleGetFunction, (CUfunction * out, CUmodule handle, const char* name),
                (out, handle, name)) {
  require(out != nullptr && name != nullptr);
  driver_lock lock;
  *out = find_function(lock, *modules().get(handle), name)->as_function;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuModuleGetLoadingMode, (CUmoduleLoadingMode * mode), (mode)) {
  require(mode != nullptr);
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuLibraryLoadData,
                (CUlibrary * out, const void* image, [[maybe_unused]] CUjit_option* jit,
                 [[maybe_unused]] void** jit_values, [[maybe_unused]] unsigned jit_count,
                 [[maybe_unused]] CUlibraryOption* options, [[maybe_unused]] void** values,
                 [[maybe_unused]] unsigned count),
                (out, image, jit, jit_values, jit_count, options, values, count)) {
  require(out != nullptr && image != nullptr);
  driver_lock lock;
  auto m = std::make_shared<code_module>();  // needs no context, unlike a module
  m->as_module = modules().insert(m);
  *out = m->as_library = libraries().insert(m);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuLibraryUnload, (CUlibrary handle), (handle)) {
  driver_lock lock;
  unload(libraries().get(handle));
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuLibraryGetKernel, (CUkernel * out, CUlibrary handle, const char* name),
                (out, handle, name)) {
  require(out != nullptr && name != nullptr);
  driver_lock lock;
  *out = find_function(lock, *libraries().get(handle), name)->as_kernel;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuLibraryGetModule, (CUmodule * out, CUlibrary handle), (out, handle)) {
  require(out != nullptr);
  driver_lock lock;
  *out = libraries().get(handle)->as_module;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuKernelGetFunction, (CUfunction * out, CUkernel handle), (out, handle)) {
  require(out != nullptr);
  driver_lock lock;
  *out = function_of(lock, handle)->as_function;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuKernelGetLibrary, (CUlibrary * out, CUkernel handle), (out, handle)) {
  require(out != nullptr);
  driver_lock lock;
  *out = function_of(lock, handle)->owner->as_library;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuFuncGetModule, (CUmodule * out, CUfunction handle), (out, handle)) {
  require(out != nullptr);
  driver_lock lock;
  *out = function_of(lock, handle)->owner->as_module;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuFuncGetName, (const char** name, CUfunction handle), (name, handle)) {
  require(name != nullptr);
  driver_lock lock;
  *name = function_of(lock, handle)->kernel->name;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuKernelGetName, (const char** name, CUkernel handle), (name, handle)) {
  require(name != nullptr);
  driver_lock lock;
  *name = function_of(lock, handle)->kernel->name;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuFuncGetParamInfo,
                (CUfunction handle, size_t index, size_t* offset, size_t* size),
                (handle, index, offset, size)) {
  driver_lock lock;
  return describe_parameter(*function_of(lock, handle), index, offset, size);
}

STREAMCTS_ENTRY(cuKernelGetParamInfo,
                (CUkernel handle, size_t index, size_t* offset, size_t* size),
                (handle, index, offset, size)) {
  driver_lock lock;
  return describe_parameter(*function_of(lock, handle), index, offset, size);
}

STREAMCTS_ENTRY(cuFuncGetAttribute,
                (int* value, CUfunction_attribute attribute, CUfunction handle),
                (value, attribute, handle)) {
  require(value != nullptr);
  driver_lock lock;
  *value = attribute_of(*function_of(lock, handle), attribute);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuKernelGetAttribute,
                (int* value, CUfunction_attribute attribute, CUkernel handle, CUdevice device),
                (value, attribute, handle, device)) {
  require(value != nullptr);
  require_device(device);
  driver_lock lock;
  *value = attribute_of(*function_of(lock, handle), attribute);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuFuncSetAttribute, (CUfunction handle, CUfunction_attribute attribute, int value),
                (handle, attribute, value)) {
  driver_lock lock;
  function_of(lock, handle)->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuFuncSetCacheConfig, (CUfunction handle, [[maybe_unused]] CUfunc_cache config),
                (handle, config)) {
  driver_lock lock;
  function_of(lock, handle);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuFuncIsLoaded, (CUfunctionLoadingState * state, CUfunction handle),
                (state, handle)) {
  require(state != nullptr);
  driver_lock lock;
  function_of(lock, handle);
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuFuncLoad, (CUfunction handle), (handle)) {
  driver_lock lock;
  function_of(lock, handle);
  return CUDA_SUCCESS;
}
