// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/runtime/driver_calls.h"

#include <dlfcn.h>

// The symbol that a name of cuda.h stands for: its macros are expanded before the text is made.
#define STREAMCTS_TEXT_OF(symbol) #symbol
#define STREAMCTS_SYMBOL(symbol) STREAMCTS_TEXT_OF(symbol)

namespace streamcts::runtime {
namespace {

constexpr const char* library_name = "libcuda.so.1";

template <typename Function>
struct absent;
template <typename... Arguments>
struct absent<CUresult (*)(Arguments...)> {
  static CUresult call(Arguments...) { return CUDA_ERROR_NOT_SUPPORTED; }
};

template <typename Function>
Function symbol(void* library, const char* name) {
  void* address = library == nullptr ? nullptr : dlsym(library, name);
  return address == nullptr ? &absent<Function>::call : reinterpret_cast<Function>(address);
}

driver_library open() {
  driver_library made;
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  made.found = library != nullptr;
#define DRIVER_FUNCTION(name, suffix)                                            \
  made.legacy.name = symbol<decltype(&::name)>(library, STREAMCTS_SYMBOL(name)); \
  made.per_thread.name =                                                         \
      symbol<decltype(&::name)>(library, STREAMCTS_SYMBOL(name) STREAMCTS_SYMBOL(suffix));
#include "harness/reference/runtime/driver_functions.def"
  if (made.found) made.initialized = made.legacy.cuInit(0);
  return made;
}

}  // namespace

const driver_library& driver() {
  static const driver_library opened = open();
  return opened;
}

}  // namespace streamcts::runtime
