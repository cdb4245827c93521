// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

namespace streamcts::kernels {

/// The fatbin of every kernel, as cuLibraryLoadData and cuModuleLoadData take it. Lives as long as
/// the program.
std::span<const unsigned char> embedded_image();

}  // namespace streamcts::kernels
