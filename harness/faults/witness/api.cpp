// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/witness/api.h"

#include <dlfcn.h>

#include <stdexcept>

namespace streamcts::faults::witness {
namespace {

driver_api opened;

template <typename F>
void fetch(void* library, F& slot, const char* symbol) {
  slot = reinterpret_cast<F>(dlsym(library, symbol));
  if (!slot) throw std::runtime_error(std::string("the driver has no ") + symbol);
}

}  // namespace

// cuda.h renames entry points to their newest form: the symbol is what the name expands to.
#define QUOTED(name) #name
#define SYMBOL(name) QUOTED(name)

driver_api open_driver(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(std::string("cannot open the driver: ") + dlerror());
#define CALL(name) fetch(library, opened.name, SYMBOL(cu##name));
  STREAMCTS_WITNESS_CALLS(CALL)
#undef CALL
  return opened;
}

const driver_api& cu() { return opened; }

}  // namespace streamcts::faults::witness
