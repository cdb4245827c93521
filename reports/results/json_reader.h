// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading JSON that somebody else may have written: what is missing keeps its default, what is
// unknown is passed over, and what has the wrong type is named with its place. Private to
// reports/results.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts::results {

using json = nlohmann::ordered_json;

/// @throws results_error, naming @p name and the byte, where @p text is no JSON.
json parse_json(std::string_view text, std::string_view name);

/// A JSON value and where it stands. Refers to the value, which must outlive it.
class json_reader {
 public:
  /// @throws results_error where @p value is no object.
  json_reader(const json& value, std::string name, std::string place = {});

  /// Reads an optional field into @p out; absent and null leave it.
  void read(const char* key, std::string& out) const;
  void read(const char* key, bool& out) const;
  void read(const char* key, double& out) const;
  void read(const char* key, std::uint64_t& out) const;
  void read(const char* key, std::int64_t& out) const;
  void read(const char* key, std::vector<std::string>& out) const;
  void read(const char* key, std::vector<std::vector<std::string>>& out) const;
  void read(const char* key, std::map<std::string, std::string>& out) const;
  void read(const char* key, std::map<std::string, std::uint64_t>& out) const;

  /// A 64-bit number as "0x..." text, so that readers with doubles lose nothing; a number will do.
  void read_hex(const char* key, std::uint64_t& out) const;

  /// Reads a field by @p from_string, which answers nothing for unknown text.
  template <typename Enum>
  void read_enum(const char* key, Enum& out,
                 std::optional<Enum> (*from_string)(std::string_view)) const {
    std::string text;
    read(key, text);
    if (text.empty()) return;
    const std::optional<Enum> value = from_string(text);
    if (!value) fail(place_of(key), "is \"" + text + "\", which is none of the names known");
    out = *value;
  }

  /// @throws results_error where @p key is absent, null or empty text.
  void require(const char* key) const;

  /// The object @p key; an empty one where it is absent.
  json_reader object(const char* key) const;
  bool has(const char* key) const { return find(key) != nullptr; }

  /// Calls @p action with a reader for each object of the array @p key.
  template <typename Action>
  void each(const char* key, Action&& action) const {
    const json* array = find_array(key);
    if (array == nullptr) return;
    std::size_t index = 0;
    for (const json& element : *array) {
      action(json_reader(element, name_, place_of(key) + "[" + std::to_string(index++) + "]"));
    }
  }

  /// Calls @p action with the key and a reader for each object in the object @p key.
  template <typename Action>
  void each_member(const char* key, Action&& action) const {
    const json_reader members = object(key);
    for (const auto& [name, element] : members.value_->items()) {
      action(name, json_reader(element, name_, members.place_of(name)));
    }
  }

  [[noreturn]] void fail(const std::string& place, const std::string& what) const;

 private:
  const json* find(const char* key) const;
  const json* find_array(const char* key) const;
  std::string place_of(std::string_view key) const;
  std::string text_of(const json& value, const std::string& place) const;
  template <typename Integer>
  void read_integer(const char* key, Integer& out) const;

  const json* value_;
  std::string name_;
  std::string place_;
};

}  // namespace streamcts::results
