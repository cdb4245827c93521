// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/runtime/registered_code.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace streamcts::runtime {

struct fat_binary {
  const void* image = nullptr;
  bool load_tried = false;
  CUresult loaded = CUDA_ERROR_NOT_INITIALIZED;
  CUlibrary library = nullptr;
};

namespace {

/// What __cudaRegisterFatBinary is given (fatbinary_section.h).
struct fat_binary_wrapper {
  int magic;
  int version;
  const void* data;
  void* file_or_binaries;
};

struct kernel_entry {
  fat_binary* owner = nullptr;
  std::string name;
  CUkernel handle = nullptr;
  bool missing = false;
};
struct variable_entry {
  fat_binary* owner = nullptr;
  std::string name;
  size_t bytes = 0;
  void** managed = nullptr;
  void* memory = nullptr;
};

/// Held while the driver loads and looks up, which calls nothing of ours.
struct registry {
  std::mutex mutex;
  std::map<const void*, kernel_entry> kernels;
  std::map<const void*, variable_entry> variables;
};
registry& registered() {
  static auto& made = *new registry;  // programs deregister when this library may be gone already
  return made;
}

CUresult load(fat_binary& binary) {
  if (binary.load_tried) return binary.loaded;
  binary.load_tried = true;
  binary.loaded = driver().legacy.cuLibraryLoadData(&binary.library, binary.image, nullptr, nullptr,
                                                    0, nullptr, nullptr, 0);
  return binary.loaded;
}

outcome look_up(kernel_entry& kernel) {
  if (kernel.handle != nullptr) return CUDA_SUCCESS;
  if (const CUresult r = load(*kernel.owner); r != CUDA_SUCCESS) return r;
  const CUresult result = driver().legacy.cuLibraryGetKernel(&kernel.handle, kernel.owner->library,
                                                             kernel.name.c_str());
  if (result != CUDA_ERROR_NOT_FOUND) return result;
  if (!kernel.missing) {
    std::fprintf(stderr, "streamcts runtime: the driver has no kernel named '%s'\n",
                 kernel.name.c_str());
  }
  kernel.missing = true;
  return cudaErrorInvalidDeviceFunction;
}

outcome look_up(variable_entry& variable) {
  if (variable.memory != nullptr) return CUDA_SUCCESS;
  if (const CUresult r = load(*variable.owner); r != CUDA_SUCCESS) return r;
  const driver_calls& calls = driver().legacy;
  const auto get =
      variable.managed != nullptr ? calls.cuLibraryGetManaged : calls.cuLibraryGetGlobal;
  CUdeviceptr found = 0;
  size_t bytes = 0;
  const CUresult result = get(&found, &bytes, variable.owner->library, variable.name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) return cudaErrorInvalidSymbol;
  if (result != CUDA_SUCCESS) return result;
  variable.memory = reinterpret_cast<void*>(found);
  if (variable.managed != nullptr) *variable.managed = variable.memory;
  return CUDA_SUCCESS;
}

}  // namespace

fat_binary* add_fat_binary(const void* wrapper) {
  auto* made = new fat_binary;
  made->image = static_cast<const fat_binary_wrapper*>(wrapper)->data;
  return made;
}

void remove_fat_binary(fat_binary* binary) {
  registry& r = registered();
  const std::lock_guard lock(r.mutex);
  std::erase_if(r.kernels, [&](const auto& each) { return each.second.owner == binary; });
  std::erase_if(r.variables, [&](const auto& each) { return each.second.owner == binary; });
  if (binary->library != nullptr) driver().legacy.cuLibraryUnload(binary->library);
  delete binary;
}

void add_kernel(fat_binary* binary, const void* host_function, const char* name) {
  registry& r = registered();
  const std::lock_guard lock(r.mutex);
  kernel_entry& made = r.kernels[host_function];
  made = {};
  made.owner = binary;
  made.name = name;
}

void add_variable(fat_binary* binary, const void* host_variable, const char* name, size_t bytes,
                  void** managed) {
  registry& r = registered();
  const std::lock_guard lock(r.mutex);
  variable_entry& made = r.variables[host_variable];
  made = {};
  made.owner = binary;
  made.name = name;
  made.bytes = bytes;
  made.managed = managed;
}

outcome load_managed_variables(fat_binary* binary) {
  registry& r = registered();
  const std::lock_guard lock(r.mutex);
  outcome result = CUDA_SUCCESS;
  for (auto& [host, variable] : r.variables) {
    if (variable.owner != binary || variable.managed == nullptr) continue;
    const outcome one = look_up(variable);
    if (!one.failed()) continue;
    result = one;
    // The program reads through a null pointer next: it cannot look at a result here.
    std::fprintf(stderr, "streamcts runtime: the driver has no managed variable named '%s' (%s)\n",
                 variable.name.c_str(), cudaGetErrorName(one.code()));
  }
  return result;
}

outcome find_registered_kernel(const void* function, CUkernel* kernel) {
  registry& r = registered();
  const std::lock_guard lock(r.mutex);
  const auto at = r.kernels.find(function);
  if (at == r.kernels.end()) return cudaErrorInvalidDeviceFunction;
  const outcome result = look_up(at->second);
  if (!result.failed()) *kernel = at->second.handle;
  return result;
}

outcome find_kernel(const void* function, CUfunction* kernel) {
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  registry& r = registered();
  const std::lock_guard lock(r.mutex);
  const auto at = r.kernels.find(function);
  if (at == r.kernels.end()) {
    *kernel = static_cast<CUfunction>(const_cast<void*>(function));
    return CUDA_SUCCESS;
  }
  const outcome result = look_up(at->second);
  // cuLaunchKernel takes a CUkernel in the place of a CUfunction (cuda.h).
  if (!result.failed()) *kernel = reinterpret_cast<CUfunction>(at->second.handle);
  return result;
}

outcome find_variable(const void* symbol, void** memory, size_t* bytes) {
  registry& r = registered();
  const std::lock_guard lock(r.mutex);
  const auto at = r.variables.find(symbol);
  if (at == r.variables.end()) return cudaErrorInvalidSymbol;
  const outcome result = look_up(at->second);
  if (result.failed()) return result;
  *memory = at->second.memory;
  *bytes = at->second.bytes;
  return CUDA_SUCCESS;
}

}  // namespace streamcts::runtime
