// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace streamcts {

/// How much of the suite a case belongs to; each tier contains the ones before it.
enum class tier {
  quick,     ///< a pairwise cover of the axes: seconds on a CPU
  standard,  ///< everything that differs in kind: a minute on a GPU
  stress,    ///< the whole product, and more rounds
};
std::string_view name(tier value);
/// @throws std::invalid_argument naming the text and the tiers there are.
tier parse_tier(std::string_view text);

/// One value of an axis.
struct axis_value {
  int value;                  ///< the enumerator
  std::string_view name;      ///< as in ids: [a-z0-9_]
  tier from = tier::quick;    ///< combinations with this value belong to this tier or a later one
};

/// A parameter of a case: an enumeration and the values that are tried.
struct axis {
  std::string_view name;  ///< the enumeration, for `streamcts list`
  std::vector<axis_value> values;
};

/// Makes an axis of the enumerators of @p Enum, named by `name(Enum)`.
template <typename Enum>
struct axis_entry {
  Enum value;
  tier from = tier::quick;
  axis_entry(Enum v) : value(v) {}                  // NOLINT: an enumerator alone is an entry
  axis_entry(Enum v, tier t) : value(v), from(t) {}
};
template <typename Enum>
axis make_axis(std::string_view axis_name, std::initializer_list<axis_entry<Enum>> entries) {
  axis made{axis_name, {}};
  for (const auto& entry : entries) {
    made.values.push_back({static_cast<int>(entry.value), name(entry.value), entry.from});
  }
  return made;
}

/// The values that one instance of a case was made with.
class parameters {
 public:
  struct entry {
    std::string_view axis;
    std::string_view name;
    int value;
  };

  parameters() = default;
  explicit parameters(std::vector<entry> entries) : entries_(std::move(entries)) {}

  const std::vector<entry>& entries() const { return entries_; }
  bool has(std::string_view axis) const { return find(axis) != nullptr; }
  /// The value on @p axis. @throws std::logic_error where the case has no such axis.
  template <typename Enum>
  Enum get(std::string_view axis) const {
    const entry* found = find(axis);
    if (found == nullptr) throw std::logic_error("a case asked for an axis that it lacks");
    return static_cast<Enum>(found->value);
  }
  /// The names joined by dots, as in ids; empty for a case without axes.
  std::string id() const;

 private:
  const entry* find(std::string_view axis) const;

  std::vector<entry> entries_;
};

/// One combination of axis values, and the tier in which it first runs.
struct combination {
  parameters values;
  tier from;
};

/// All combinations of @p axes that @p valid accepts.
///
/// Combinations of values that are all `quick` are thinned out to a pairwise cover, which is
/// deterministic: every pair of values of two axes that a valid combination has is in `quick`; the
/// other combinations are `standard`. A value of a later tier puts its combinations there.
std::vector<combination> expand(const std::vector<axis>& axes,
                                bool (*valid)(const parameters&) = nullptr);

}  // namespace streamcts
