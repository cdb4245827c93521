// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "harness/program/builder.h"

namespace streamcts::program {

/// Adds one of the graphs that generators use, 0 to `graph_shapes` - 1: chain, diamond, captured
/// fork, copies, memset, disabled middle, fans of 5 and 9, captured fan, host nodes alone.
index add_graph_shape(builder& b, std::size_t shape);

/// Sizes at which drivers change their way of doing things.
std::uint32_t threshold_size(std::size_t turn);

}  // namespace streamcts::program
