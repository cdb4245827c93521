// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <string>

#include "harness/faults/layer/stream_mode.h"

/// cudaTypedefs.h has these for NVIDIA's own use only.
using PFN_cuStreamDestroy_v2000 = CUresult (*)(CUstream);
using PFN_cuEventDestroy_v2000 = CUresult (*)(CUevent);
using PFN_cuGraphInstantiate_v11000 = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*, char*,
                                                   size_t);

namespace streamcts::faults {

/// Two forms of one entry point.
template <typename F>
struct moded {
  F function[2] = {};
  F operator[](stream_mode mode) const { return function[static_cast<int>(mode)]; }
};

/// The entry points of the driver behind this one that the layer calls itself. A member is null
/// where that driver lacks the function.
struct real_table {
#define PLAIN(member, base, version, symbol) PFN_##base##_v##version member = nullptr;
#define MODED(member, base, version, symbol, suffix) moded<PFN_##base##_v##version> member;
#include "harness/faults/layer/entry_points.inc"
#undef PLAIN
#undef MODED
};

/// The driver behind this one. Filled once, before any call gets through; constant afterwards.
const real_table& real();

/// Opens the driver behind this one by its full path and fills the table.
/// @param path value of STREAMCTS_REAL_DRIVER, or empty: the loader's search is repeated by hand,
///   leaving out this library itself.
/// @return an empty string, else what is wrong and how to mend it, in one line.
std::string open_real_driver(const std::string& path);

/// The address of @p symbol in the driver behind this one, or null.
void* real_symbol(const char* symbol);

/// For unit tests: stands in for the table of open_real_driver.
void set_real_driver(const real_table& table);

}  // namespace streamcts::faults
