// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>

namespace streamcts {

namespace {

struct registered {
  case_definition definition;
  case_function body;
  const char* file;
  int line;
};

/// A deque, since instances point at definitions.
std::deque<registered>& registrations() {
  static std::deque<registered> all;
  return all;
}

/// A definition and where it stands, for messages.
struct place {
  const case_definition& definition;
  const char* file;
  int line;
};

[[noreturn]] void reject(const place& at, std::string_view what) {
  throw std::logic_error(
      fmt::format("{}:{}: case '{}': {}", at.file, at.line, at.definition.arrangement, what));
}

void check_id(const place& at, const std::string& id) {
  const bool clean = std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/';
  });
  if (!clean || id.find('/') == std::string::npos) {
    reject(at, fmt::format("id '{}' is not family/arrangement/axis.axis in [a-z0-9_./]", id));
  }
}

std::vector<clause_id> clauses_of(const place& at, const parameters& values) {
  const case_definition& definition = at.definition;
  if (definition.observes) {
    if (!definition.clauses.empty()) reject(at, "observes, and names a clause to judge");
    return {};
  }
  if (definition.clauses.empty()) reject(at, "names no clause");
  if (definition.clauses_of == nullptr) return definition.clauses;
  std::vector<clause_id> some = definition.clauses_of(values);
  if (some.empty()) reject(at, fmt::format("combination '{}' has no clause", values.id()));
  for (const clause_id& each : some) {
    const auto& all = definition.clauses;
    if (std::find(all.begin(), all.end(), each) == all.end()) {
      reject(at, fmt::format("judges {} without naming it in .clauses", each.text));
    }
  }
  return some;
}

std::vector<need> needs_of(const case_definition& definition, const parameters& values) {
  std::vector<need> all = definition.needs;
  if (definition.needs_of != nullptr) {
    for (const need each : definition.needs_of(values)) all.push_back(each);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

std::string_view name(need value) {
  switch (value) {
    case need::mapped_memory: return "mapped memory";
    case need::managed_memory: return "managed memory";
    case need::registered_memory: return "registered memory";
    case need::device_gate: return "device gate";
    case need::host_gate: return "host gate";
    case need::value_wait: return "value wait";
    case need::stream_priorities: return "stream priorities";
    case need::two_contexts: return "two contexts";
    case need::stream_ids: return "stream ids";
    case need::ipc_events: return "IPC events";
    case need::faults: return "faults";
    case need::runtime: return "runtime API";
    case need::runtime_per_thread: return "runtime API, per-thread";
  }
  return "unknown";
}

std::string_view case_instance::family() const {
  return std::string_view(id).substr(0, id.find('/'));
}

case_registration::case_registration(case_definition definition, case_function body,
                                     const char* file, int line) {
  registrations().push_back({std::move(definition), body, file, line});
}

std::vector<case_instance> instances_of(const case_definition& definition, case_function body,
                                        const char* file, int line) {
  const place at{definition, file, line};
  std::vector<case_instance> all;
  for (combination& each : expand(definition.axes, definition.valid)) {
    std::string id(definition.arrangement);
    if (!each.values.entries().empty()) id += "/" + each.values.id();
    check_id(at, id);
    all.push_back({std::move(id), clauses_of(at, each.values), needs_of(definition, each.values),
                   std::max(definition.from, each.from), definition.where, std::move(each.values),
                   &definition, body, file, line});
  }
  return all;
}

std::vector<case_instance> sorted(std::vector<case_instance> instances) {
  std::sort(instances.begin(), instances.end(), [](auto& a, auto& b) { return a.id < b.id; });
  const auto twice = std::adjacent_find(instances.begin(), instances.end(),
                                        [](auto& a, auto& b) { return a.id == b.id; });
  if (twice != instances.end()) {
    const case_instance& other = *std::next(twice);
    throw std::logic_error(fmt::format("case id '{}' occurs twice: {}:{} and {}:{}", twice->id,
                                       twice->file, twice->line, other.file, other.line));
  }
  return instances;
}

const std::vector<case_instance>& all_cases() {
  static const std::vector<case_instance> all = [] {
    std::vector<case_instance> made;
    for (const registered& each : registrations()) {
      auto some = instances_of(each.definition, each.body, each.file, each.line);
      std::move(some.begin(), some.end(), std::back_inserter(made));
    }
    return sorted(std::move(made));
  }();
  return all;
}

const case_instance* find_case(std::string_view id) {
  const auto& all = all_cases();
  const auto found = std::lower_bound(all.begin(), all.end(), id,
                                      [](const case_instance& a, std::string_view b) {
                                        return a.id < b;
                                      });
  return found != all.end() && found->id == id ? &*found : nullptr;
}

}  // namespace streamcts
