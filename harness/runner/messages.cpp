// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/messages.h"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/runner/errors.h"
#include "harness/runner/outcome_json.h"
#include "reports/results/printable.h"

namespace streamcts::runner {

namespace {

using results::to_printable;

json host_json(const host_order& host) {
  return {{"driver", host.driver},
          {"runtime", host.runtime},
          {"reference_runtime", host.reference_runtime},
          {"device", host.device_ordinal},
          {"tier", static_cast<int>(host.run_tier)},
          {"capabilities", to_json_value(host.capabilities)},
          {"calibration", to_json_value(host.limits)}};
}

host_order read_host(const json& value) {
  host_order made;
  made.driver = value.at("driver");
  made.runtime = value.at("runtime");
  made.reference_runtime = value.at("reference_runtime");
  made.device_ordinal = value.at("device");
  made.run_tier = static_cast<tier>(value.at("tier").get<int>());
  made.capabilities = read_capabilities(value.at("capabilities"));
  made.limits = read_calibration(value.at("calibration"));
  return made;
}

json devices_json(const child_message& message) {
  json all = json::array();
  for (const device_entry& each : message.devices) {
    all.push_back({each.ordinal, to_printable(each.name), each.pci_bus_id, each.memory,
                   each.compute_major, each.compute_minor});
  }
  return all;
}

json body_of(const child_message& message) {
  switch (message.what) {
    case child_message::kind::not_started:
      return {{"why", to_printable(message.text)}, {"cause", static_cast<int>(message.cause)}};
    case child_message::kind::started: return json::object({{"index", message.index}});
    case child_message::kind::outcome:
      return {{"index", message.index},
              {"seconds", message.seconds},
              {"outcome", to_json_value(message.outcome)}};
    case child_message::kind::step: return json::object({{"name", message.text}});
    case child_message::kind::ability:
      return {{"feature", static_cast<int>(message.feature)},
              {"ability", to_json_value(message.ability)}};
    case child_message::kind::facts:
      return {{"capabilities", to_json_value(message.facts->capabilities)},
              {"calibration", to_json_value(message.facts->limits)},
              {"note", to_printable(message.facts->limits_note)}};
    case child_message::kind::devices: return json::object({{"devices", devices_json(message)}});
    case child_message::kind::ready: break;
  }
  return json::object();
}

driver::feature feature_of(const json& value) {
  const auto number = value.get<std::size_t>();
  if (number >= driver::feature_count) throw std::invalid_argument("an unknown feature");
  return static_cast<driver::feature>(number);
}

child_message read_message(const json& value) {
  child_message made;
  const int kind = value.at("kind");
  if (kind < 0 || kind > static_cast<int>(child_message::kind::devices)) {
    throw std::invalid_argument("an unknown kind");
  }
  made.what = static_cast<child_message::kind>(kind);
  const json& body = value.at("body");
  switch (made.what) {
    case child_message::kind::not_started:
      made.text = body.at("why");
      made.cause = static_cast<start_failure>(body.at("cause").get<int>());
      break;
    case child_message::kind::outcome:
      made.seconds = body.at("seconds");
      made.outcome = read_outcome(body.at("outcome"));
      [[fallthrough]];
    case child_message::kind::started: made.index = body.at("index"); break;
    case child_message::kind::step: made.text = body.at("name"); break;
    case child_message::kind::ability:
      made.feature = feature_of(body.at("feature"));
      made.ability = read_ability(body.at("ability"));
      break;
    case child_message::kind::facts:
      made.facts.emplace();
      made.facts->capabilities = read_capabilities(body.at("capabilities"));
      made.facts->limits = read_calibration(body.at("calibration"));
      made.facts->limits_note = body.at("note");
      break;
    case child_message::kind::devices:
      for (const json& each : body.at("devices")) {
        made.devices.push_back({each.at(0), each.at(1), each.at(2), each.at(3), each.at(4),
                                each.at(5)});
      }
      break;
    case child_message::kind::ready: break;
  }
  return made;
}

[[noreturn]] void refuse(std::string_view line, std::string_view why) {
  throw runner_error(2, fmt::format("a line that is no message ({}): {}", why,
                                    results::to_printable_line(line.substr(0, 200))));
}

}  // namespace

std::string encode(const child_order& order) {
  json cases = json::array();
  for (const case_order& each : order.cases) cases.push_back({each.id, each.seed});
  json skip = json::array();
  for (const auto& [feature, why] : order.skip) {
    skip.push_back({static_cast<int>(feature), to_printable(why)});
  }
  return dump_line({{"task", static_cast<int>(order.what)},
                    {"host", host_json(order.host)},
                    {"cases", cases},
                    {"skip", skip},
                    {"patience_ms", order.patience.count()},
                    {"calibrate", order.calibrate}});
}

child_order decode_order(std::string_view line) {
  try {
    const json value = json::parse(line);
    child_order made;
    made.what = static_cast<child_order::task>(value.at("task").get<int>());
    made.host = read_host(value.at("host"));
    for (const json& each : value.at("cases")) made.cases.push_back({each.at(0), each.at(1)});
    for (const json& each : value.at("skip")) made.skip[feature_of(each.at(0))] = each.at(1);
    made.patience = std::chrono::milliseconds(value.at("patience_ms").get<std::int64_t>());
    made.calibrate = value.at("calibrate");
    return made;
  } catch (const std::exception& error) {
    refuse(line, error.what());
  }
}

std::string encode(const child_message& message) {
  return dump_line({{"kind", static_cast<int>(message.what)}, {"body", body_of(message)}});
}

child_message decode_message(std::string_view line) {
  try {
    return read_message(json::parse(line));
  } catch (const std::exception& error) {
    refuse(line, error.what());
  }
}

std::string encode_go(std::size_t index) { return fmt::format("go {}", index); }

std::optional<std::size_t> decode_go(std::string_view line) {
  if (!line.starts_with("go ")) return std::nullopt;
  return static_cast<std::size_t>(std::strtoull(std::string(line.substr(3)).c_str(), nullptr, 10));
}

}  // namespace streamcts::runner
