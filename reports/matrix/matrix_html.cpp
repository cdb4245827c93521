// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/matrix/matrix_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "reports/digest/digest.h"
#include "reports/html/table.h"
#include "reports/html/tree.h"
#include "reports/matrix/matrix_header.h"

namespace streamcts::reports {
namespace {

using record_list = std::vector<const fault_record*>;

struct matrix_page {
  const matrix& all;
  const results::clause_catalogue& clauses;
  matrix_summary summary;
  pugi::xml_node nav;
  pugi::xml_node main;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
  return text;
}

template <typename Wanted>
record_list records_where(const matrix& all, Wanted wanted) {
  record_list some;
  for (const fault_record& each : all.faults) {
    if (wanted(each)) some.push_back(&each);
  }
  std::stable_sort(some.begin(), some.end(), [](const fault_record* a, const fault_record* b) {
    return a->fault_class < b->fault_class;
  });
  return some;
}

record_list records_of(const matrix& all, fault_outcome outcome) {
  return records_where(all, [&](const fault_record& each) { return each.outcome == outcome; });
}

pugi::xml_node add_part(matrix_page& into, std::string_view id, std::string_view title,
                        std::size_t count, std::string_view lead) {
  const pugi::xml_node link = add(add(into.nav, "li"), "a", title, {{"href", fmt::format("#{}", id)}});
  if (count > 0) add(link, "span", std::to_string(count), {{"class", "count"}});
  const pugi::xml_node part = add(into.main, "section", {{"id", id}});
  add(part, "h2", title);
  if (!lead.empty()) add(part, "p", lead, {{"class", "lead"}});
  return part;
}

std::string seconds_text(double value) { return fmt::format("{:.2f}", value); }

std::string note_of(const fault_record& of) {
  if (of.masked_by.empty()) return of.note;
  return fmt::format("red without a fault: {}{}{}", joined(of.masked_by), of.note.empty() ? "" : "; ",
                     of.note);
}

/// Faults that nobody noticed, or that never took effect.
void add_unnoticed(matrix_page& into, fault_outcome outcome, std::string_view id,
                   std::string_view title, std::string_view lead) {
  const record_list some = records_of(into.all, outcome);
  if (some.empty()) return;
  const pugi::xml_node part = add_part(into, id, title, some.size(), lead);
  table_builder table(part, title,
                      {{"fault"}, {"class"}, {"what it does"}, {"promises"}, {"took effect", true},
                       {"cases", true}, {"note"}});
  for (const fault_record* each : some) {
    table.row({each->id, each->fault_class, each->sentence, joined(each->clauses),
               std::to_string(each->reached), std::to_string(each->cases), note_of(*each)});
  }
}

void add_false_alarms(matrix_page& into) {
  const record_list some = records_of(into.all, fault_outcome::false_alarm);
  if (some.empty()) return;
  const pugi::xml_node part =
      add_part(into, "false-alarms", "False alarms", some.size(),
               "All of this is allowed, and a case was red under it: a defect of the suite.");
  table_builder table(part, "False alarms",
                      {{"oddity"}, {"what it does"}, {"case"}, {"promise"}, {"expected"}, {"seen"}});
  for (const fault_record* each : some) {
    for (const fault_kill& kill : each->kills) {
      table.row({each->id, each->sentence, kill.case_id, kill.clause, kill.expected, kill.seen});
    }
  }
}

void add_unsteady(matrix_page& into) {
  const record_list some = records_where(into.all, [](const fault_record& each) {
    return each.repeats && each.repeats->killed < each.repeats->runs;
  });
  if (some.empty()) return;
  const pugi::xml_node part =
      add_part(into, "unsteady", "Not in every repeat", some.size(),
               "The case that noticed the fault was run again, and did not notice it each time.");
  table_builder table(part, "Not in every repeat",
                      {{"fault"}, {"class"}, {"what it does"}, {"case"}, {"killed"}});
  for (const fault_record* each : some) {
    table.row({each->id, each->fault_class, each->sentence, each->killed_by()->case_id,
               fmt::format("{} of {}", each->repeats->killed, each->repeats->runs)});
  }
}

void add_wrong_clause(matrix_page& into) {
  const record_list some = records_where(into.all, [](const fault_record& each) {
    return each.outcome == fault_outcome::killed && !each.right_clause();
  });
  if (some.empty()) return;
  const pugi::xml_node part =
      add_part(into, "wrong-clause", "Killed by another promise", some.size(),
               "A case was red, and the check that failed is of a promise that the fault is not "
               "said to break.");
  table_builder table(part, "Killed by another promise",
                      {{"fault"}, {"class"}, {"what it does"}, {"promises"}, {"case"}, {"check"},
                       {"seen"}});
  for (const fault_record* each : some) {
    const fault_kill& by = *each->killed_by();
    table.row({each->id, each->fault_class, each->sentence, joined(each->clauses), by.case_id,
               by.clause.empty() ? std::string(results::to_string(by.verdict)) : by.clause,
               by.seen.empty() ? by.expected : by.seen});
  }
}

void add_class_row(table_builder& table, std::string_view name, const fault_counts& counts) {
  table.row({std::string(name), std::to_string(counts.reached()), std::to_string(counts.killed),
             std::to_string(counts.right_clause), std::to_string(counts.survived),
             std::to_string(counts.not_reached), std::to_string(counts.masked)});
}

void add_classes(matrix_page& into) {
  const pugi::xml_node part = add_part(into, "classes", "By class", 0, {});
  table_builder table(part, "Faults by class",
                      {{"class"}, {"took effect", true}, {"killed", true}, {"by its own promise", true},
                       {"survived", true}, {"not reached", true}, {"masked", true}});
  fault_counts all;
  for (const fault_record& each : into.all.faults) {
    if (!each.benign) all.add(each);
  }
  for (const auto& [name, counts] : into.summary.by_class) add_class_row(table, name, counts);
  add_class_row(table, "all", all);
}

void add_clauses(matrix_page& into) {
  const pugi::xml_node part =
      add_part(into, "promises", "By promise", 0,
               "Each guarantee, with the faults that break it: how many took effect, how many a "
               "case noticed, and how many by a check of this very promise.");
  table_builder table(part, "Faults of each promise",
                      {{"promise"}, {"statement"}, {"took effect", true}, {"killed", true},
                       {"by this promise", true}});
  for (const results::clause& clause : into.clauses.clauses()) {
    if (clause.strength != results::clause_strength::guarantee) continue;
    std::size_t reached = 0, killed = 0, own = 0;
    for (const fault_record& each : into.all.faults) {
      if (each.benign || std::find(each.clauses.begin(), each.clauses.end(), clause.id) ==
                             each.clauses.end()) {
        continue;
      }
      if (each.outcome == fault_outcome::killed || each.outcome == fault_outcome::survived) ++reached;
      if (each.outcome == fault_outcome::killed) ++killed;
      own += std::any_of(each.kills.begin(), each.kills.end(),
                         [&](const fault_kill& kill) { return kill.clause == clause.id; });
    }
    table.row({clause.id, clause.statement, std::to_string(reached), std::to_string(killed),
               std::to_string(own)},
              reached == 0 ? "none" : "");
  }
}

void add_faults(matrix_page& into) {
  const record_list some =
      records_where(into.all, [](const fault_record& each) { return !each.benign; });
  const pugi::xml_node part = add_part(into, "faults", "All faults", some.size(), {});
  table_builder table(part, "All faults",
                      {{"fault"}, {"class"}, {"outcome"}, {"killed by"}, {"check"},
                       {"after s", true}, {"took effect", true}, {"cases", true}, {"again"}});
  for (const fault_record* each : some) {
    const fault_kill* by = each->killed_by();
    const std::string again =
        each->repeats ? fmt::format("{} of {}", each->repeats->killed, each->repeats->runs) : "";
    table.row({each->id, each->fault_class, std::string(to_string(each->outcome)),
               by == nullptr ? "" : by->case_id,
               by == nullptr ? ""
                             : (by->clause.empty() ? std::string(results::to_string(by->verdict))
                                                   : by->clause),
               by == nullptr ? "" : seconds_text(by->seconds), std::to_string(each->reached),
               std::to_string(each->cases), again});
  }
}

void add_oddities(matrix_page& into) {
  const record_list some =
      records_where(into.all, [](const fault_record& each) { return each.benign; });
  if (some.empty()) return;
  const pugi::xml_node part =
      add_part(into, "oddities", "Legal oddities", some.size(),
               "Behaviour that the documentation allows though no common driver has it: nothing may "
               "be red under it.");
  table_builder table(part, "Legal oddities",
                      {{"oddity"}, {"what it does"}, {"outcome"}, {"took effect", true},
                       {"cases", true}, {"inconclusive", true}, {"s", true}});
  for (const fault_record* each : some) {
    table.row({each->id, each->sentence, std::string(to_string(each->outcome)),
               std::to_string(each->reached), std::to_string(each->cases),
               std::to_string(each->inconclusive), seconds_text(each->seconds)});
  }
}

void add_baseline(matrix_page& into) {
  std::vector<const baseline_case*> other;
  for (const baseline_case& each : into.all.baseline) {
    if (each.verdict != results::verdict::pass) other.push_back(&each);
  }
  const pugi::xml_node part = add_part(
      into, "baseline", "Baseline", into.all.baseline.size(),
      fmt::format("The faulty driver without a fault: {} of {} passed. Cases that did not pass "
                  "kill nothing.",
                  into.all.baseline.size() - other.size(),
                  counted(into.all.baseline.size(), "case")));
  if (other.empty()) return;
  table_builder table(part, "Cases that did not pass", {{"case"}, {"verdict"}, {"reason"}});
  for (const baseline_case* each : other) {
    table.row({each->id, std::string(results::to_string(each->verdict)), each->reason});
  }
}

}  // namespace

std::string matrix_html(const matrix& all, const results::clause_catalogue& clauses) {
  const matrix_summary summary = summarize(all);
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  const pugi::xml_node html = add(document, "html", {{"lang", "en"}});
  add_matrix_head(html, summary.sentence);
  const pugi::xml_node body = add(html, "body");
  add_matrix_header(body, all, summary);
  const pugi::xml_node nav = add(add(body, "nav", {{"aria-label", "Contents"}}), "ul");
  matrix_page page{all, clauses, summary, nav, add(body, "main")};
  add_unnoticed(page, fault_outcome::survived, "survivors", "Not noticed",
                "These faults took effect, and no case was red: a missing or a blunt case each.");
  add_false_alarms(page);
  add_unnoticed(page, fault_outcome::not_reached, "not-reached", "Never took effect",
                "No case led into these faults: nothing is known of them.");
  add_unnoticed(page, fault_outcome::masked, "masked", "Masked",
                "No case was red, and what checks a promise of these faults was left out, since it is red "
                "without a fault: the driver itself breaks it. They count neither as killed nor as survived.");
  add_unsteady(page);
  add_wrong_clause(page);
  add_classes(page);
  add_clauses(page);
  add_faults(page);
  add_oddities(page);
  add_baseline(page);
  add(body, "footer",
      fmt::format("streamcts {}. Made from the folder of the matrix alone; nothing here was fetched.",
                  all.info.suite.version));
  return serialised(document) + "\n";
}

}  // namespace streamcts::reports
