// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/record.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace streamcts::results {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 15> kind_names{
    "early",   "late",     "torn",   "stale",   "missing", "lost",     "duplicate", "order",
    "overlap", "argument", "status", "refused", "value",   "progress", "other"};
static_assert(static_cast<std::size_t>(failure_kind::other) + 1 == kind_names.size());

constexpr std::array<std::string_view, 4> phase_names{"enqueue", "begin", "end", "mark"};
static_assert(static_cast<std::size_t>(event_phase::mark) + 1 == phase_names.size());

template <typename Enum, std::size_t Size>
std::optional<Enum> find(const std::array<std::string_view, Size>& names, std::string_view text) {
  for (std::size_t i = 0; i < Size; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string incidence_text(const incidence& value) {
  if (value.runs == 0) return value.note;
  const std::string figures = fmt::format("failed {} of {}", value.failed, value.runs);
  return value.note.empty() ? figures : figures + ", " + value.note;
}

std::string_view to_string(failure_kind value) {
  return kind_names[static_cast<std::size_t>(value)];
}

std::optional<failure_kind> failure_kind_from_string(std::string_view text) {
  return find<failure_kind>(kind_names, text);
}

std::string_view to_string(event_phase value) {
  return phase_names[static_cast<std::size_t>(value)];
}

std::optional<event_phase> event_phase_from_string(std::string_view text) {
  return find<event_phase>(phase_names, text);
}

}  // namespace streamcts::results
