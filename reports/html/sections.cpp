// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page below the red one.

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/html/parts.h"
#include "reports/html/table.h"
#include "reports/html/tree.h"

namespace streamcts::reports {
namespace {

using results::verdict;

std::string times(std::uint64_t count) {
  return count == 0 ? "–" : std::to_string(count);
}

// Why a hold was no opportunity matters where the case could not be decided.
std::string missed_holds_text(const results::case_record& record) {
  if (record.missed_holds.empty() || record.verdict == verdict::pass) return "";
  std::string text = fmt::format("of {} missed:", counted(record.holds, "hold"));
  for (const auto& [reason, count] : record.missed_holds) {
    text += fmt::format(" {} ({})", reason, count);
  }
  return text;
}

void add_id_list(page& into, pugi::xml_node parent,
                 const std::vector<const results::case_record*>& records) {
  pugi::xml_node list = add(parent, "ul", {{"class", "ids"}});
  for (const results::case_record* record : records) {
    add_case_link(add(list, "li"), into, record->id);
  }
}

void add_clause_row(table_builder& table, const clause_row& row) {
  set(table.row(), "id", anchor("c", row.id));
  add(table.cell(), "span", row.id, {{"class", "id"}});
  add_badge(table.cell(), row.state);
  pugi::xml_node promise = table.cell();
  if (row.clause == nullptr) {
    add_text(promise, "Not in the catalogue.");
  } else {
    add(promise, "div", row.clause->statement);
    add(promise, "div", source_text(*row.clause), {{"class", "source"}});
    if (row.clause->strength != results::clause_strength::guarantee) {
      add(promise, "span", to_string(row.clause->strength), {{"class", "tag"}});
    }
    if (row.clause->derived) add(promise, "span", "derived", {{"class", "tag"}});
  }
  if (!row.reason.empty()) add(promise, "div", row.reason, {{"class", "reason"}});
  table.cell(row.cases() == 0 ? "–"
                              : fmt::format("{} of {}", row.counts[verdict::pass], row.cases()));
  table.cell(times(row.opportunities.canary));
  table.cell(times(row.opportunities.calibrated));
}

void add_clause_table(pugi::xml_node parent, std::string_view caption,
                      const std::vector<const clause_row*>& rows) {
  table_builder table(parent, caption,
                      {{"clause"},
                       {"state"},
                       {"promise"},
                       {"cases passed", true},
                       {"canary", true},
                       {"calibrated", true}});
  for (const clause_row* row : rows) add_clause_row(table, *row);
}

void add_case_row(page& into, table_builder& table, const results::case_record& record) {
  set(table.row(), "class", "v-" + css_class(record.verdict));
  pugi::xml_node id = table.cell();
  add_case_link(id, into, record.id);
  if (!into.with_card.contains(record.id)) set(id, "id", anchor("t", record.id));
  add_badge(table.cell(), record.verdict);
  table.cell(duration_text(record.seconds));
  table.cell(times(record.rounds));
  table.cell(times(record.opportunities.canary));
  table.cell(times(record.opportunities.calibrated));
  pugi::xml_node reason = table.cell(record.reason);
  const std::string missed = missed_holds_text(record);
  if (!missed.empty()) add(reason, "div", missed, {{"class", "source"}});
}

std::string tally_text(const results::verdict_counts& counts, std::size_t not_reached) {
  std::string text = counted(counts.total() + not_reached, "case");
  for (const verdict each : results::all_verdicts) {
    if (counts[each] > 0) text += fmt::format(" · {} {}", counts[each], to_string(each));
  }
  if (not_reached > 0) text += fmt::format(" · {} not reached", not_reached);
  return text;
}

}  // namespace

void add_untried(page& into) {
  const digest& all = into.all;
  if (all.untried.empty() && all.not_reached.empty()) return;
  pugi::xml_node part = add_part(into, "untried", "What could not be tried, and why");
  for (const reason_group& group : all.untried) {
    pugi::xml_node item = add(part, "div", {{"class", "untried"}});
    add_badge(item, group.verdict);
    pugi::xml_node text = add(item, "div");
    add(text, "p", group.reason, {{"class", "reason"}});
    add_id_list(into, add_fold(text, counted(group.cases.size(), "case")), group.cases);
  }
  if (all.not_reached.empty()) return;
  pugi::xml_node item = add(part, "div", {{"class", "untried"}});
  add_badge(item, clause_state::not_reached);
  pugi::xml_node text = add(item, "div");
  add(text, "p", "The run ended before them.", {{"class", "reason"}});
  pugi::xml_node list =
      add(add_fold(text, counted(all.not_reached.size(), "case")), "ul", {{"class", "ids"}});
  for (const results::planned_case& planned : all.not_reached) {
    add(add(list, "li", {{"id", anchor("t", planned.id)}}), "span", planned.id, {{"class", "id"}});
  }
}

void add_observations(page& into) {
  const auto& observations = into.all.run->observations;
  if (observations.empty()) return;
  pugi::xml_node part = add_part(into, "observations", "Observations", observations.size());
  add(part, "p", "What was seen and no clause judges.", {{"class", "lead"}});
  for (const results::observation& each : observations) {
    pugi::xml_node item = add(part, "article", {{"class", "observation"}});
    pugi::xml_node head = add(item, "h3", each.name);
    if (each.differs_from_documentation) {
      add(head, "span", "differs from the documentation", {{"class", "tag differs"}});
    }
    if (!each.value.empty()) add(item, "p", each.value, {{"class", "value"}});
    if (!each.table.columns.empty() || !each.table.rows.empty()) {
      std::vector<table_builder::column> columns;
      for (const std::string& name : each.table.columns) columns.push_back({name});
      table_builder table(item, each.name, columns);
      for (const std::vector<std::string>& row : each.table.rows) table.row(row);
    }
    if (!each.note.empty()) add(item, "p", each.note);
    if (each.case_id.empty() && each.clauses.empty()) continue;
    pugi::xml_node origin = add(item, "p", {{"class", "source"}});
    for (const std::string& clause : each.clauses) {
      add_clause_link(origin, into.all, clause);
      add_text(origin, " ");
    }
    if (!each.case_id.empty()) add_case_link(origin, into, each.case_id);
  }
}

void add_clauses(page& into) {
  std::vector<const clause_row*> tried, untouched, others;
  for (const clause_row& row : into.all.clauses) {
    (row.state == clause_state::not_judged ? others
     : row.state == clause_state::no_case  ? untouched
                                           : tried)
        .push_back(&row);
  }
  pugi::xml_node part = add_part(into, "clauses", "Clauses", tried.size());
  add(part, "p",
      "Canary and calibrated count the holds in which a defect could have shown itself: a canary "
      "ran while something was held back, or the time calibrated for this machine had passed.",
      {{"class", "lead"}});
  if (!tried.empty()) add_clause_table(part, "Clauses that this run set out to judge", tried);
  if (!untouched.empty()) {
    add_clause_table(add_fold(part, fmt::format("{} without a case in this run, and why",
                                                counted(untouched.size(), "guarantee"))),
                     "Guarantees without a case", untouched);
  }
  if (others.empty()) return;
  add_clause_table(add_fold(part, fmt::format("{} that nothing is judged by",
                                              counted(others.size(), "further clause"))),
                   "Permissions, prohibitions and what is undefined", others);
}

void add_cases(page& into) {
  pugi::xml_node part = add_part(into, "cases", "All cases", into.all.cases.size());
  std::vector<std::pair<std::string_view, std::vector<const results::case_record*>>> families;
  std::map<std::string_view, std::size_t> place;
  for (const results::case_record& record : into.all.cases) {
    const auto [found, added] = place.emplace(family_of(record.id), families.size());
    if (added) families.push_back({found->first, {}});
    families[found->second].second.push_back(&record);
  }
  for (const auto& [family, records] : families) {
    results::verdict_counts counts;
    for (const results::case_record* record : records) counts.add(record->verdict);
    pugi::xml_node fold = add(part, "details", {{"class", "family"}});
    pugi::xml_node summary = add(fold, "summary");
    add(summary, "span", family, {{"class", "id"}});
    add(summary, "span", tally_text(counts, 0), {{"class", "tally"}});
    table_builder table(fold, fmt::format("Cases of {}", family),
                        {{"case"},
                         {"verdict"},
                         {"time", true},
                         {"rounds", true},
                         {"canary", true},
                         {"calibrated", true},
                         {"reason"}});
    for (const results::case_record* record : records) add_case_row(into, table, *record);
  }
}

void add_environment(page& into) {
  const results::run_info& info = into.all.run->info;
  pugi::xml_node part = add_part(into, "environment", "Environment");
  pugi::xml_node grid = add(part, "div", {{"class", "grid"}});
  const auto with_git = info.suite.git.empty()
                            ? info.suite.version
                            : fmt::format("{} ({})", info.suite.version, info.suite.git);
  add_name_table(grid, "Driver under test",
                 {{"asked for", info.driver.requested},
                  {"file", info.driver.path},
                  {"version", info.driver.version},
                  {"build id", info.driver.build_id}});
  add_name_table(grid, "Runtime under test",
                 {{"asked for", info.driver.runtime_requested},
                  {"file", info.driver.runtime_path},
                  {"version", info.driver.runtime_version},
                  {"note", info.driver.runtime_note}});
  add_name_table(grid, "Device",
                 {{"name", info.device.name},
                  {"compute capability", info.device.compute_capability},
                  {"UUID", info.device.uuid}});
  add_name_table(grid, "Machine",
                 {{"operating system", info.environment.os},
                  {"kernel", info.environment.kernel},
                  {"processor", info.environment.cpu},
                  {"cores", times(info.environment.cores)}});
  std::string command;
  for (const std::string& word : info.options.command) command += word + " ";
  std::string filters;
  for (const std::string& filter : info.options.filters) filters += filter + " ";
  add_name_table(grid, "Run",
                 {{"suite", with_git},
                  {"command", command},
                  {"tier", info.options.tier},
                  {"filters", filters},
                  {"seed", fmt::format("0x{:016x}", info.options.seed)},
                  {"repeats", std::to_string(info.options.repeat)},
                  {"jobs", std::to_string(info.options.jobs)},
                  {"time limit of a case", info.options.timeout_seconds > 0
                                               ? duration_text(info.options.timeout_seconds)
                                               : "calibrated"},
                  {"started", info.started},
                  {"finished", info.finished}});
  add_map_table(grid, "Calibration", info.calibration);
  add_map_table(grid, "Variables", info.environment.variables);
  add_map_table(grid, "Capabilities", info.capabilities);
  if (!info.driver.mapped_files.empty()) {
    table_builder table(part, "Mapped files that answer for CUDA", {{"file"}, {"build id"}});
    for (const results::mapped_file& file : info.driver.mapped_files) {
      table.row({file.path, file.build_id});
    }
  }
  if (!info.device.attributes.empty()) {
    add_map_table(add_fold(part, "Device attributes"), "Device attributes", info.device.attributes);
  }
}

}  // namespace streamcts::reports
