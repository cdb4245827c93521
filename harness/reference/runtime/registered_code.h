// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a program compiled by nvcc registers before main: fat binaries, and the kernels and
// variables in them, each by the address of its host twin. Nothing of it reaches the driver before
// the first use; then the whole image is loaded, and a kernel is looked up in it by its name.

#pragma once

#include "harness/reference/runtime/entry.h"

namespace streamcts::runtime {

struct fat_binary;

/// @p wrapper is what nvcc hands to __cudaRegisterFatBinary.
fat_binary* add_fat_binary(const void* wrapper);
/// Forgets it with all that is in it, and unloads it.
void remove_fat_binary(fat_binary* binary);

void add_kernel(fat_binary* binary, const void* host_function, const char* name);
/// @p managed is null for a variable that is not managed.
void add_variable(fat_binary* binary, const void* host_variable, const char* name, size_t bytes,
                  void** managed);

/// Loads the image and points the program's managed variables at their storage.
outcome load_managed_variables(fat_binary* binary);

/// The kernel whose host twin is @p function. Else @p function is taken for a handle, of either
/// API, and it is the driver that judges it.
/// @return cudaErrorInvalidDeviceFunction where the driver knows no kernel of that name
outcome find_kernel(const void* function, CUfunction* kernel);
/// The same for a registered kernel alone.
outcome find_registered_kernel(const void* function, CUkernel* kernel);

/// @return cudaErrorInvalidSymbol for what is not registered
outcome find_variable(const void* symbol, void** memory, size_t* bytes);

}  // namespace streamcts::runtime
