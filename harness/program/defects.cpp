// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/defects.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace streamcts::program {
namespace {

constexpr std::array defect_table{
#define X(name, id, clause, title) defect_info{defect::name, id, clause, title},
    STREAMCTS_PROGRAM_DEFECTS(X)
#undef X
};

}  // namespace

std::span<const defect_info> all_defects() {
  return defect_table;
}

std::optional<defect> find_defect(std::string_view id) {
  const auto* found = std::ranges::find(defect_table, id, &defect_info::id);
  return found == defect_table.end() ? std::nullopt : std::optional(found->which);
}

const defect_info& info(defect which) {
  return defect_table.at(static_cast<std::size_t>(which) - 1);
}

}  // namespace streamcts::program
