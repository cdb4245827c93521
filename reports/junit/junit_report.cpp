// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/junit/junit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/results/printable.h"

namespace streamcts::reports {
namespace {

using results::case_record;
using results::verdict;

constexpr std::size_t most_text_bytes = 16384;

struct family_cases {
  std::string_view name;
  std::vector<const case_record*> cases;
  std::vector<const results::planned_case*> not_reached;
};

struct totals {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

class string_writer : public pugi::xml_writer {
 public:
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
  std::string text;
};

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(results::to_printable_line(value).c_str());
}

void add_text(pugi::xml_node node, std::string_view value) {
  node.append_child(pugi::node_pcdata).set_value(results::to_printable(value).c_str());
}

void add_property(pugi::xml_node properties, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

std::string message_of(const case_record& record) {
  std::string message(to_string(record.verdict));
  if (record.failure) {
    if (!record.failure->clause.empty()) message += fmt::format(" {}", record.failure->clause);
    message +=
        fmt::format(": expected {}; seen {}", record.failure->expected, record.failure->seen);
  } else if (!record.reason.empty()) {
    message += ": " + record.reason;
  }
  return message;
}

std::string evidence_of(const case_record& record, const results::clause_catalogue& catalogue) {
  std::string text = message_of(record) + "\n";
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("{}: {}\n", name, value);
  };
  for (const std::string& id : record.clauses) {
    if (record.failure && !blames(record, id)) continue;
    if (const results::clause* clause = catalogue.find(id)) {
      line(id, clause->statement + " (" + source_text(*clause) + ")");
      if (clause->derived) line(id, "derived; no single sentence of the documentation says it");
    }
  }
  if (record.failure) {
    line("expected", record.failure->expected);
    line("seen", record.failure->seen);
    line("seen by", record.failure->observer);
    line("check", record.failure->site);
    line("reason", record.reason);
  }
  if (record.incidence) line("how often", incidence_text(*record.incidence));
  line("run it again", record.replay);
  return text;
}

void add_output(pugi::xml_node test, const char* name, const std::string& text) {
  if (!text.empty()) add_text(test.append_child(name), results::tail(text, most_text_bytes));
}

void add_case(pugi::xml_node suite, const case_record& record, const digest& all, totals& count) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", family_of(record.id));
  set(test, "name", record.id);
  set(test, "time", fmt::format("{:.3f}", record.seconds));
  ++count.tests;
  count.seconds += record.seconds;
  std::string clauses;
  for (const std::string& id : record.clauses) clauses += (clauses.empty() ? "" : " ") + id;
  pugi::xml_node properties = test.append_child("properties");
  add_property(properties, "verdict", to_string(record.verdict));
  add_property(properties, "clauses", clauses);
  if (record.verdict == verdict::pass) return;
  add_property(properties, "seed", fmt::format("0x{:016x}", record.seed));
  const bool red = results::is_red(record.verdict);
  if (!red && record.verdict != verdict::error) {
    ++count.skipped;
    set(test.append_child("skipped"), "message", message_of(record));
    return;
  }
  add_property(properties, "replay", record.replay);
  ++(red ? count.failures : count.errors);
  pugi::xml_node problem = test.append_child(red ? "failure" : "error");
  set(problem, "type", to_string(record.verdict));
  set(problem, "message", message_of(record));
  add_text(problem, evidence_of(record, *all.catalogue));
  std::string output = record.stdout_tail;
  for (const std::string& stack_line : record.stacks) output += stack_line + "\n";
  add_output(test, "system-out", output);
  add_output(test, "system-err", record.stderr_tail);
}

void add_not_reached(pugi::xml_node suite, const results::planned_case& planned, totals& count) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", family_of(planned.id));
  set(test, "name", planned.id);
  set(test, "time", "0.000");
  pugi::xml_node problem = test.append_child("error");
  set(problem, "type", "NotReached");
  set(problem, "message", "the run ended before this case");
  add_text(problem, "the run ended before this case");
  ++count.tests;
  ++count.errors;
}

void set_totals(pugi::xml_node node, const totals& count) {
  set(node, "tests", std::to_string(count.tests));
  set(node, "failures", std::to_string(count.failures));
  set(node, "errors", std::to_string(count.errors));
  set(node, "skipped", std::to_string(count.skipped));
  set(node, "time", fmt::format("{:.3f}", count.seconds));
}

std::vector<family_cases> families_of(const digest& all) {
  std::vector<family_cases> families;
  std::map<std::string_view, std::size_t> place;
  const auto family = [&](std::string_view id) -> family_cases& {
    const auto [found, added] = place.emplace(family_of(id), families.size());
    if (added) families.push_back({found->first, {}, {}});
    return families[found->second];
  };
  for (const case_record& record : all.cases) family(record.id).cases.push_back(&record);
  for (const auto& planned : all.not_reached) family(planned.id).not_reached.push_back(&planned);
  return families;
}

void add_run_properties(pugi::xml_node suite, const digest& all) {
  const results::run_info& info = all.run->info;
  pugi::xml_node properties = suite.append_child("properties");
  add_property(properties, "suite", info.suite.version);
  add_property(properties, "driver", info.driver.path);
  add_property(properties, "driver version", info.driver.version);
  add_property(properties, "driver build id", info.driver.build_id);
  add_property(properties, "runtime", info.driver.runtime_path);
  add_property(properties, "device", info.device.name);
  add_property(properties, "tier", info.options.tier);
  if (all.reference) add_property(properties, "notice", reference_notice);
}

}  // namespace

std::string junit_report(const digest& all) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "streamcts");
  totals sum;
  for (const family_cases& family : families_of(all)) {
    pugi::xml_node suite = root.append_child("testsuite");
    set(suite, "name", family.name);
    if (!all.run->info.started.empty()) set(suite, "timestamp", all.run->info.started);
    add_run_properties(suite, all);
    totals own;
    for (const case_record* record : family.cases) add_case(suite, *record, all, own);
    for (const auto* planned : family.not_reached) add_not_reached(suite, *planned, own);
    set_totals(suite, own);
    sum.tests += own.tests;
    sum.failures += own.failures;
    sum.errors += own.errors;
    sum.skipped += own.skipped;
    sum.seconds += own.seconds;
  }
  set_totals(root, sum);
  string_writer writer;
  document.save(writer, " ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(writer.text);
}

}  // namespace streamcts::reports
