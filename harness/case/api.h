// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace streamcts {

/// The API that a call goes by. Both share handles (CUDA Runtime API, "Interactions with the CUDA
/// Driver API").
enum class api { driver, runtime };

inline std::string_view name(api which) { return which == api::driver ? "driver" : "runtime"; }

}  // namespace streamcts
