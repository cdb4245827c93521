// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/module.h"

#include <cstring>

namespace streamcts::reference {
namespace {

const kernels::host_kernel* find_kernel(const char* name) {
  const kernels::host_kernel* k = kernels::host_kernel::first();
  while (k != nullptr && std::strcmp(k->name, name) != 0) k = k->next;
  return k;
}

template <typename Object, typename Handle>
handle_table<Object, Handle>& only_table() {
  static handle_table<Object, Handle>& only = *new handle_table<Object, Handle>;
  return only;
}

}  // namespace

handle_table<code_module, CUmodule>& modules() { return only_table<code_module, CUmodule>(); }
handle_table<code_module, CUlibrary>& libraries() { return only_table<code_module, CUlibrary>(); }
handle_table<function, CUfunction>& functions() { return only_table<function, CUfunction>(); }
handle_table<function, CUkernel>& kernels_by_handle() { return only_table<function, CUkernel>(); }

std::shared_ptr<function> find_function(driver_lock&, code_module& m, const char* name) {
  std::shared_ptr<function>& f = m.functions[name];
  if (f == nullptr) {
    const kernels::host_kernel* kernel = find_kernel(name);
    if (kernel == nullptr) {
      m.functions.erase(name);
      refuse(CUDA_ERROR_NOT_FOUND);
    }
    f = std::make_shared<function>();
    f->owner = &m;
    f->kernel = kernel;
    f->as_function = functions().insert(f);
    f->as_kernel = kernels_by_handle().insert(f);
  }
  return f;
}

std::shared_ptr<function> function_of(driver_lock&, CUfunction handle) {
  if (auto f = functions().find(handle)) return f;
  return kernels_by_handle().get(reinterpret_cast<CUkernel>(handle));
}

std::shared_ptr<function> function_of(driver_lock& lock, CUkernel handle) {
  return function_of(lock, reinterpret_cast<CUfunction>(handle));
}

}  // namespace streamcts::reference
