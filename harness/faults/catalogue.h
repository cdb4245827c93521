// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "harness/faults/layer/behaviour.h"

namespace streamcts::faults {

/// The makers of behaviours, one for each id of catalogue.json, from which the build makes their
/// declarations. A catalogue entry without behaviour does not link; a behaviour without entry does
/// not compile.
namespace make {
#define FAULT(id) std::unique_ptr<behaviour> id();
#include "faults/catalogue.inc"
#undef FAULT
}  // namespace make

/// The behaviour called @p id, or null.
std::unique_ptr<behaviour> make_behaviour(std::string_view id);

/// Every id, in the order of the catalogue.
std::span<const std::string_view> fault_ids();

}  // namespace streamcts::faults
