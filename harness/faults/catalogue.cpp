// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/catalogue.h"

namespace streamcts::faults {
namespace {

struct maker {
  std::string_view id;
  std::unique_ptr<behaviour> (*make)();
};
constexpr maker makers[] = {
#define FAULT(id) {#id, &make::id},
#include "faults/catalogue.inc"
#undef FAULT
};
constexpr std::string_view ids[] = {
#define FAULT(id) #id,
#include "faults/catalogue.inc"
#undef FAULT
};

}  // namespace

std::unique_ptr<behaviour> make_behaviour(std::string_view id) {
  for (const maker& each : makers) {
    if (each.id == id) return each.make();
  }
  return nullptr;
}

std::span<const std::string_view> fault_ids() { return ids; }

}  // namespace streamcts::faults
