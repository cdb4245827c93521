// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/functions.h"

#include <type_traits>

namespace streamcts::driver {

// Both variants of a function are called through one member: their types must be the same.
#define PLAIN_FUNCTION(level, name, member_suffix, version, symbol_suffix)
#define STREAM_FUNCTION(level, name, member_suffix, version, symbol_suffix, pt_version, pt_suffix) \
  static_assert(std::is_same_v<PFN_##name##_v##version, PFN_##name##_v##pt_version##pt_suffix>);
#include "harness/driver/functions.def"

std::string_view to_string(stream_mode mode) {
  return mode == stream_mode::legacy ? "legacy" : "per_thread";
}

const std::vector<function_description>& function_descriptions() {
  static const std::vector<function_description> all = {
#define PLAIN_FUNCTION(level, name, member_suffix, version, symbol_suffix) \
  {need::level,          #name, #name #member_suffix, version,             \
   #name #symbol_suffix, 0,     #name #symbol_suffix},
#define STREAM_FUNCTION(level, name, member_suffix, version, symbol_suffix, pt_version, pt_suffix) \
  {need::level,          #name,      #name #member_suffix,           version,                      \
   #name #symbol_suffix, pt_version, #name #symbol_suffix #pt_suffix},
#include "harness/driver/functions.def"
  };
  return all;
}

function_table resolve(resolver find, void* state, stream_mode mode) {
  function_table table;
  auto description = function_descriptions().begin();
#define FUNCTION(level, name, member_suffix, version) \
  table.name##member_suffix =                         \
      reinterpret_cast<PFN_##name##_v##version>(find(state, *description++, mode));
#include "harness/driver/functions.def"
  return table;
}

std::vector<std::string_view> missing_functions(const function_table& table, need required) {
  std::vector<std::string_view> missing;
#define FUNCTION(level, name, member_suffix, version)                          \
  if (required == driver::need::level && table.name##member_suffix == nullptr) \
    missing.push_back(#name #member_suffix);
#include "harness/driver/functions.def"
  return missing;
}

std::vector<const void*> function_addresses(const function_table& table) {
  std::vector<const void*> addresses;
#define FUNCTION(level, name, member_suffix, version) \
  if (table.name##member_suffix != nullptr)           \
    addresses.push_back(reinterpret_cast<const void*>(table.name##member_suffix.get()));
#include "harness/driver/functions.def"
  return addresses;
}

}  // namespace streamcts::driver
