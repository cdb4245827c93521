// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "reports/results/error.h"
#include "reports/results/printable.h"

namespace streamcts::results {
namespace {

// What stands there instead, short enough for a line.
std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 40) text = fmt::format("of type {}", value.type_name());
  return to_printable_line(text);
}

}  // namespace

json parse_json(std::string_view text, std::string_view name) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t byte = error.byte;
    if (byte > text.size()) {
      throw results_error(
          fmt::format("{}: ends in the middle of its JSON, after {} bytes; it was cut short", name,
                      text.size()));
    }
    throw results_error(
        fmt::format("{}: no JSON from byte {} on; the file is damaged or of "
                    "another kind",
                    name, byte));
  }
}

json_reader::json_reader(const json& value, std::string name, std::string place)
    : value_(&value), name_(std::move(name)), place_(std::move(place)) {
  if (!value.is_object()) fail(place_, "is " + shown(value) + ", expected an object");
}

void json_reader::fail(const std::string& place, const std::string& what) const {
  throw results_error(fmt::format("{}: {} {}; written by another version, or damaged", name_,
                                  place.empty() ? "the whole" : to_printable_line(place),
                                  to_printable_line(what)));
}

std::string json_reader::place_of(std::string_view key) const {
  return place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
}

const json* json_reader::find(const char* key) const {
  const auto found = value_->find(key);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

const json* json_reader::find_array(const char* key) const {
  const json* value = find(key);
  if (value != nullptr && !value->is_array()) {
    fail(place_of(key), "is " + shown(*value) + ", expected an array");
  }
  return value;
}

std::string json_reader::text_of(const json& value, const std::string& place) const {
  if (!value.is_string()) fail(place, "is " + shown(value) + ", expected text");
  return value.get<std::string>();
}

void json_reader::read(const char* key, std::string& out) const {
  if (const json* value = find(key)) out = text_of(*value, place_of(key));
}

void json_reader::read(const char* key, bool& out) const {
  const json* value = find(key);
  if (value == nullptr) return;
  if (!value->is_boolean()) fail(place_of(key), "is " + shown(*value) + ", expected true or false");
  out = value->get<bool>();
}

void json_reader::read(const char* key, double& out) const {
  const json* value = find(key);
  if (value == nullptr) return;
  if (!value->is_number()) fail(place_of(key), "is " + shown(*value) + ", expected a number");
  out = value->get<double>();
}

template <typename Integer>
void json_reader::read_integer(const char* key, Integer& out) const {
  const json* value = find(key);
  if (value == nullptr) return;
  // A number that fits is stored as what it is read as; everything else would be changed silently.
  const bool fits =
      value->is_number_unsigned()
          ? std::in_range<Integer>(value->get<std::uint64_t>())
          : value->is_number_integer() && std::in_range<Integer>(value->get<std::int64_t>());
  if (!fits) fail(place_of(key), "is " + shown(*value) + ", expected a whole number");
  out = value->get<Integer>();
}

void json_reader::read(const char* key, std::uint64_t& out) const {
  read_integer(key, out);
}
void json_reader::read(const char* key, std::int64_t& out) const {
  read_integer(key, out);
}

void json_reader::read(const char* key, std::vector<std::string>& out) const {
  const json* array = find_array(key);
  if (array == nullptr) return;
  out.clear();
  for (const json& element : *array) out.push_back(text_of(element, place_of(key)));
}

void json_reader::read(const char* key, std::vector<std::vector<std::string>>& out) const {
  const json* array = find_array(key);
  if (array == nullptr) return;
  out.clear();
  for (const json& row : *array) {
    if (!row.is_array()) fail(place_of(key), "holds " + shown(row) + ", expected arrays");
    std::vector<std::string>& texts = out.emplace_back();
    for (const json& element : row) texts.push_back(text_of(element, place_of(key)));
  }
}

void json_reader::read(const char* key, std::map<std::string, std::string>& out) const {
  if (find(key) == nullptr) return;
  const json_reader members = object(key);
  out.clear();
  for (const auto& [name, element] : members.value_->items()) {
    out[name] = text_of(element, members.place_of(name));
  }
}

void json_reader::read(const char* key, std::map<std::string, std::uint64_t>& out) const {
  if (find(key) == nullptr) return;
  const json_reader members = object(key);
  out.clear();
  for (const auto& [name, element] : members.value_->items()) {
    members.read_integer(name.c_str(), out[name]);
  }
}

void json_reader::read_hex(const char* key, std::uint64_t& out) const {
  const json* value = find(key);
  if (value == nullptr) return;
  if (!value->is_string()) return read(key, out);
  const std::string text = value->get<std::string>();
  const bool hex = text.starts_with("0x");
  const char* const first = text.data() + (hex ? 2 : 0);
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, out, hex ? 16 : 10);
  if (error != std::errc() || end != last) {
    fail(place_of(key), "is " + shown(*value) + ", expected a number such as \"0x1f\"");
  }
}

void json_reader::require(const char* key) const {
  const json* value = find(key);
  if (value == nullptr || (value->is_string() && value->get_ref<const std::string&>().empty())) {
    fail(place_of(key), "is missing");
  }
}

json_reader json_reader::object(const char* key) const {
  static const json empty = json::object();
  const json* value = find(key);
  return json_reader(value == nullptr ? empty : *value, name_, place_of(key));
}

}  // namespace streamcts::results
