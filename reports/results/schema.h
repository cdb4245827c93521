// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Just enough of JSON Schema for run.schema.json: type, const, enum, minimum, pattern, properties,
// required, additionalProperties, items and $ref into $defs. Another keyword is an error, so that
// nothing of the schema goes unchecked. For unit tests.

#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

#include "reports/results/json_reader.h"

namespace streamcts::results {

class schema_check {
 public:
  explicit schema_check(const json& root) : root_(root) {}

  void check(const json& rules, const json& value, const std::string& place) {
    for (const auto& [keyword, rule] : rules.items()) {
      if (keyword == "$schema" || keyword == "title" || keyword == "description" ||
          keyword == "$defs") {
        continue;
      }
      if (keyword == "$ref") {
        check(root_[json::json_pointer(rule.get<std::string>().substr(1))], value, place);
      } else if (keyword == "properties" || keyword == "additionalProperties") {
        check_members(rules, value, place, keyword);
      } else if (keyword == "required") {
        for (const json& key : rule) {
          if (!value.contains(key.get<std::string>())) say(place, "lacks " + key.dump());
        }
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
          check(rule, value[i], place + "/" + std::to_string(i));
        }
      } else if (!holds(keyword, rule, value)) {
        say(place, keyword + " " + rule.dump() + " does not hold for " + value.dump());
      }
    }
  }

  std::vector<std::string> errors;

 private:
  void say(const std::string& place, const std::string& what) {
    errors.push_back(place + " " + what);
  }

  void check_members(const json& rules, const json& value, const std::string& place,
                     const std::string& keyword) {
    if (!value.is_object()) return;
    const json known = rules.value("properties", json::object());
    for (const auto& [key, member] : value.items()) {
      const bool is_known = known.contains(key);
      if (keyword == "properties" && is_known) check(known[key], member, place + "/" + key);
      if (keyword == "properties" || is_known) continue;
      const json& rule = rules["additionalProperties"];
      if (rule.is_object()) {
        check(rule, member, place + "/" + key);
      } else if (!rule.get<bool>()) {
        say(place, "has the unknown " + key);
      }
    }
  }

  static bool holds(const std::string& keyword, const json& rule, const json& value) {
    if (keyword == "const") return value == rule;
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (keyword == "minimum") return !value.is_number() || value >= rule;
    if (keyword == "pattern") {
      return !value.is_string() ||
             std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    }
    if (keyword != "type") return false;
    if (rule == "object") return value.is_object();
    if (rule == "array") return value.is_array();
    if (rule == "string") return value.is_string();
    if (rule == "boolean") return value.is_boolean();
    if (rule == "integer") return value.is_number_integer();
    return rule == "number" && value.is_number();
  }

  const json& root_;
};

inline std::vector<std::string> schema_errors(const json& root, const json& rules,
                                              const json& value) {
  schema_check check(root);
  check.check(rules, value, "");
  return check.errors;
}

inline std::vector<std::string> schema_errors(const json& root, const json& value) {
  return schema_errors(root, root, value);
}

}  // namespace streamcts::results
