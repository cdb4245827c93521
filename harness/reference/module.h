// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <memory>
#include <string>

#include "harness/reference/handle_table.h"
#include "harness/reference/kernel_launch.h"
#include "harness/reference/work_item.h"

namespace streamcts::reference {

struct code_module;

/// A kernel of a module or library. It has two handles, as a function and as a kernel; launches
/// take either.
struct function {
  CUfunction as_function = nullptr;
  CUkernel as_kernel = nullptr;
  code_module* owner = nullptr;
  const kernels::host_kernel* kernel = nullptr;
  std::map<int, int> attributes;  ///< set by the program
};

/// A module or library. Its image is ignored: every kernel that this driver was built with is in it.
struct code_module {
  CUmodule as_module = nullptr;
  CUlibrary as_library = nullptr;
  std::map<std::string, std::shared_ptr<function>> functions;  ///< those asked for
};

handle_table<code_module, CUmodule>& modules();
handle_table<code_module, CUlibrary>& libraries();
handle_table<function, CUfunction>& functions();
handle_table<function, CUkernel>& kernels_by_handle();

/// The kernel named @p name. Refuses with NOT_FOUND.
std::shared_ptr<function> find_function(driver_lock&, code_module& m, const char* name);

/// By either handle. Refuses with INVALID_HANDLE.
std::shared_ptr<function> function_of(driver_lock&, CUfunction handle);
std::shared_ptr<function> function_of(driver_lock&, CUkernel handle);

}  // namespace streamcts::reference
