// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/reference/work_item.h"
#include "harness/reference/memory.h"

namespace streamcts::reference {

/// Memory of an allocation node: at one address for all launches, given back when the last graph and
/// executable that can use it are gone.
allocation_ptr allocate_for_graph(driver_lock&, std::size_t bytes);

}  // namespace streamcts::reference
