// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The red part of the page: what was promised, expected and seen.

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>

#include "reports/html/parts.h"
#include "reports/html/picture.h"
#include "reports/html/table.h"
#include "reports/html/tree.h"
#include "reports/results/printable.h"

namespace streamcts::reports {
namespace {

using results::case_record;
using results::verdict;

// So that a driver that breaks everything still makes a page that opens.
constexpr std::size_t most_cards = 60;
constexpr std::size_t most_cards_of_a_group = 3;
constexpr std::size_t most_stack_lines = 400;
constexpr std::size_t most_output_bytes = 16384;

void add_fact(pugi::xml_node list, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const pugi::xml_node fact = add(list, "div");
  add(fact, "dt", name);
  add(fact, "dd", value);
}

void add_promise(pugi::xml_node parent, const digest& all, std::string_view id) {
  const results::clause* clause = all.catalogue->find(id);
  const pugi::xml_node quote = add(parent, "div", {{"class", "promise"}});
  add(quote, "p", clause == nullptr ? "This clause is not in the catalogue." : clause->statement,
      {{"class", "statement"}});
  const pugi::xml_node origin = add(quote, "p", {{"class", "source"}});
  add_clause_link(origin, all, id);
  if (clause == nullptr) return;
  add_text(origin, " " + source_text(*clause));
  if (clause->derived) {
    add(quote, "p",
        "Derived: no single sentence of the documentation says this. Look at the reasoning before "
        "reporting it.",
        {{"class", "derived"}});
  }
}

void add_output(pugi::xml_node card, std::string_view title, const std::string& text) {
  if (text.empty()) return;
  add_printed(add_fold(card, title), results::tail(text, most_output_bytes));
}

void add_stacks(pugi::xml_node card, const case_record& record) {
  if (record.stacks.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < std::min(record.stacks.size(), most_stack_lines); ++i) {
    text += record.stacks[i] + "\n";
  }
  if (record.stacks.size() > most_stack_lines) {
    text += fmt::format("[{} further lines are in the run folder]\n",
                        record.stacks.size() - most_stack_lines);
  }
  add_printed(add_fold(card, "Stacks, taken before it was ended", true), text);
}

void add_evidence(pugi::xml_node card, const case_record& record) {
  if (record.failure) {
    const results::failure& failure = *record.failure;
    const bool complete = add_picture(card, failure, anchor("t", record.id));
    if (!failure.events.empty() || !failure.edges.empty()) {
      const pugi::xml_node fold = add_fold(card, failure.events.empty() ? "The promised order"
                                                 : complete             ? "The same as a table"
                                                                        : "All events as a table");
      add_picture_tables(fold, failure);
    }
  }
  if (!record.replay.empty()) {
    const pugi::xml_node replay = add(card, "div", {{"class", "replay"}});
    add(replay, "h4", "Run it again");
    add_printed(replay, record.replay);
  }
  add_stacks(card, record);
  add_output(card, "What it wrote to standard error", record.stderr_tail);
  add_output(card, "What it printed", record.stdout_tail);
}

// @p promises: the clauses whose statements the card repeats, as its group does not.
void add_card(page& into, pugi::xml_node parent, const case_record& record, bool promises) {
  const pugi::xml_node card =
      add(parent, "article", {{"class", "card"}, {"id", anchor("t", record.id)}});
  const pugi::xml_node head = add(card, "h3", {{"class", "card-head"}});
  add_badge(head, record.verdict);
  add(head, "span", record.id, {{"class", "id"}});
  if (record.incidence) {
    const std::string text = incidence_text(*record.incidence);
    if (!text.empty()) add(head, "span", text, {{"class", "tag"}});
  }
  if (promises) {
    for (const std::string& clause : record.clauses) add_promise(card, into.all, clause);
  }
  const pugi::xml_node facts = add(card, "dl", {{"class", "facts"}});
  if (record.failure) {
    add_fact(facts, "Expected", record.failure->expected);
    add_fact(facts, "Seen", record.failure->seen);
  }
  add_fact(facts, "Reason", record.reason);
  const pugi::xml_node details = add(card, "dl", {{"class", "facts small"}});
  if (record.failure) {
    add_fact(details, "Kind", to_string(record.failure->kind));
    add_fact(details, "Seen by", record.failure->observer);
    add_fact(details, "Check", record.failure->site);
  }
  add_fact(details, "Seed", fmt::format("0x{:016x}", record.seed));
  add_evidence(card, record);
}

void add_rest(pugi::xml_node parent, const std::vector<const case_record*>& records) {
  if (records.empty()) return;
  const pugi::xml_node fold =
      add_fold(parent, fmt::format("{}, in short", counted(records.size(), "further case")));
  table_builder table(fold, "Further cases", {{"case"}, {"verdict"}, {"seen"}, {"how often"}});
  for (const case_record* record : records) {
    set(table.row(), "id", anchor("t", record->id));
    add(table.cell(), "span", record->id, {{"class", "id"}});
    add_badge(table.cell(), record->verdict);
    table.cell(record->failure ? record->failure->seen : record->reason);
    table.cell(record->incidence ? incidence_text(*record->incidence) : "");
  }
}

// A card for the first few, a line for the rest. Each case is the matter of one group only.
void add_group(page& into, pugi::xml_node parent, const std::vector<const case_record*>& records,
               bool promises, std::size_t most) {
  std::vector<const case_record*> rest;
  std::size_t cards = 0;
  for (const case_record* record : records) {
    const bool room = cards < most && into.cards < most_cards;
    into.with_card.insert(record->id);
    if (!room) {
      rest.push_back(record);
      continue;
    }
    add_card(into, parent, *record, promises);
    ++cards;
    ++into.cards;
  }
  add_rest(parent, rest);
}

}  // namespace

void add_broken_promises(page& into) {
  // By the clause that is to blame; in the order of the clause table.
  std::map<std::string_view, std::vector<const case_record*>> by_clause;
  std::size_t count = 0;
  for (const case_record& record : into.all.cases) {
    if (record.verdict != verdict::fail) continue;
    ++count;
    const bool named = record.failure && !record.failure->clause.empty();
    by_clause[named                    ? std::string_view(record.failure->clause)
              : record.clauses.empty() ? std::string_view()
                                       : std::string_view(record.clauses.front())]
        .push_back(&record);
  }
  if (count == 0) return;
  const pugi::xml_node part = add_part(into, "broken", "Broken promises", count);
  const auto add_clause = [&](std::string_view id, const std::vector<const case_record*>& cases) {
    const pugi::xml_node group = add(part, "div", {{"class", "group"}});
    if (!id.empty()) add_promise(group, into.all, id);
    add_group(into, group, cases, false, most_cards_of_a_group);
  };
  for (const clause_row& row : into.all.clauses) {
    const auto found = by_clause.find(row.id);
    if (found == by_clause.end()) continue;
    add_clause(row.id, found->second);
    by_clause.erase(found);
  }
  for (const auto& [id, cases] : by_clause) add_clause(id, cases);
}

void add_bad_endings(page& into) {
  const auto add_those = [&](std::string_view id, std::string_view title,
                             std::initializer_list<verdict> wanted) {
    std::vector<const case_record*> records;
    for (const verdict each : wanted) {
      for (const case_record& record : into.all.cases) {
        if (record.verdict == each) records.push_back(&record);
      }
    }
    if (records.empty()) return;
    add_group(into, add_part(into, id, title, records.size()), records, true, most_cards / 2);
  };
  add_those("endings", "Hangs, crashes and errors",
            {verdict::hang, verdict::crash, verdict::error});
  add_those("waived", "Waived", {verdict::waived});
}

}  // namespace streamcts::reports
