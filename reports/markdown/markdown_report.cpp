// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/markdown/markdown_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/results/printable.h"

namespace streamcts::reports {
namespace {

using results::case_record;
using results::verdict;

constexpr std::size_t most_cell_bytes = 400;

// At most @p limit bytes, cut between characters.
std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  text.resize(limit);
  return text + "…";
}

// Text that nothing of Markdown or HTML is read out of, in one line.
std::string plain(std::string_view text) {
  std::string result;
  for (const char byte : cut(results::to_printable_line(text), most_cell_bytes)) {
    if (byte == '<') {
      result += "&lt;";
    } else if (byte == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\`*_{}[]()#|~!>").find(byte) != std::string_view::npos) result += '\\';
      result += byte;
    }
  }
  return result;
}

// Code for a table cell: a fence longer than any run of backquotes inside, bars escaped.
std::string code(std::string_view text) {
  std::string inner;
  std::size_t run = 0, longest = 0;
  for (const char byte : cut(results::to_printable_line(text), most_cell_bytes)) {
    run = byte == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (byte == '|') inner += '\\';
    inner += byte;
  }
  if (inner.empty()) return "";
  const std::string fence(longest + 1, '`');
  const char* const space = longest > 0 ? " " : "";
  return fence + space + inner + space + fence;
}

/// A document that stops growing where it would get too long, and says what it left out.
class document {
 public:
  void line(std::string_view text = {}) { text_ += fmt::format("{}\n", text); }

  /// A table with a heading; rows that don't fit are counted.
  void table(std::string_view heading, std::string_view head,
             const std::vector<std::string>& rows) {
    if (rows.empty() || full()) return;
    const auto columns = static_cast<std::size_t>(std::count(head.begin(), head.end(), '|')) - 1;
    line(fmt::format("\n## {}\n", heading));
    line(head);
    std::string rule = "|";
    for (std::size_t i = 0; i < columns; ++i) rule += " --- |";
    line(rule);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (text_.size() + rows[i].size() > room - kept_) {
        line(fmt::format("\n{} more; they are in report.html.", rows.size() - i));
        return;
      }
      line(rows[i]);
    }
  }

  /// Tables before the next one leave room for these rows.
  void keep_room_for(const std::vector<std::string>& rows) {
    kept_ = 1024;  // its heading, and the sentence on rows left out before it
    for (const std::string& row : rows) kept_ += row.size() + 1;
  }
  void use_room() { kept_ = 0; }

  std::string take() { return std::move(text_); }

 private:
  // What is appended without a check (headings, rules, the sentence on rows left out) fits above
  // it.
  static constexpr std::size_t room = markdown_limit - 8192;
  bool full() const { return text_.size() + 512 > room - kept_; }

  std::size_t kept_ = 0;
  std::string text_;
};

void add_top(document& out, const digest& all) {
  out.line(fmt::format("# {}\n", plain(all.sentence)));
  if (all.reference) out.line(fmt::format("> **{}**\n", reference_notice));
  out.line(fmt::format("{} {}", plain(all.promises), plain(all.detail)));
  constexpr std::size_t most_warnings = 10;
  for (std::size_t i = 0; i < std::min(all.warnings.size(), most_warnings); ++i) {
    out.line(fmt::format("\n> {}", plain(all.warnings[i])));
  }
  if (all.warnings.size() > most_warnings) {
    out.line(fmt::format("\n> {} more warnings are in report.html.",
                         all.warnings.size() - most_warnings));
  }
}

std::vector<std::string> broken_rows(const digest& all) {
  std::vector<std::string> rows;
  for (const clause_row& row : all.clauses) {
    if (row.state != clause_state::broken) continue;
    const auto first = std::find_if(all.cases.begin(), all.cases.end(), [&](const auto& record) {
      return record.failure && results::is_red(record.verdict) && blames(record, row.id);
    });
    std::string promise = row.clause == nullptr ? "not in the catalogue" : row.clause->statement;
    if (row.clause != nullptr && row.clause->derived) promise += " (derived)";
    rows.push_back(fmt::format("| {} | {} | {} of {} | {} |", code(row.id), plain(promise),
                               row.counts.red(), row.cases(),
                               first == all.cases.end() ? "" : plain(first->failure->seen)));
  }
  return rows;
}

std::vector<std::string> red_rows(const digest& all) {
  std::vector<std::string> rows;
  for (const verdict wanted : {verdict::fail, verdict::hang, verdict::crash, verdict::error}) {
    for (const case_record& record : all.cases) {
      if (record.verdict != wanted) continue;
      const std::string often = record.incidence ? incidence_text(*record.incidence) : "";
      rows.push_back(fmt::format("| {} | {} | {} | {} |", to_string(wanted), code(record.id),
                                 plain(often), code(record.replay)));
    }
  }
  return rows;
}

std::vector<std::string> untried_rows(const digest& all) {
  std::vector<std::string> rows;
  for (const reason_group& group : all.untried) {
    rows.push_back(fmt::format("| {} | {} | {} |", to_string(group.verdict), plain(group.reason),
                               group.cases.size()));
  }
  if (!all.not_reached.empty()) {
    rows.push_back(
        fmt::format("| not reached | the run ended before | {} |", all.not_reached.size()));
  }
  return rows;
}

std::vector<std::string> observation_rows(const digest& all) {
  std::vector<std::string> rows;
  for (const results::observation& each : all.run->observations) {
    const std::string value =
        each.value.empty() ? counted(each.table.rows.size(), "row") : each.value;
    rows.push_back(fmt::format("| {} | {} | {} |", plain(each.name), plain(value),
                               each.differs_from_documentation ? "**differs**" : ""));
  }
  return rows;
}

std::vector<std::string> environment_rows(const digest& all) {
  const results::run_info& info = all.run->info;
  std::vector<std::string> rows;
  const auto row = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) rows.push_back(fmt::format("| {} | {} |", name, plain(value)));
  };
  row("Device", info.device.name);
  row("Compute capability", info.device.compute_capability);
  row("Driver", info.driver.path);
  row("Driver version", info.driver.version);
  row("Driver build id", info.driver.build_id);
  row("Runtime", info.driver.runtime_path);
  row("Suite", info.suite.version);
  row("Tier", info.options.tier);
  row("Seed", fmt::format("0x{:016x}", info.options.seed));
  row("System", info.environment.os);
  row("Started", info.started);
  if (info.seconds > 0) row("Took", duration_text(info.seconds));
  return rows;
}

}  // namespace

std::string markdown_report(const digest& all) {
  document out;
  add_top(out, all);
  const std::vector<std::string> tested = environment_rows(all);
  out.keep_room_for(tested);
  out.table("Broken promises", "| Clause | Promise | Red cases | Seen |", broken_rows(all));
  out.table("Red cases", "| Verdict | Case | How often | Run it again |", red_rows(all));
  out.use_room();
  out.table("What was tested", "| What | Which |", tested);
  out.table("What could not be tried", "| Verdict | Reason | Cases |", untried_rows(all));
  out.table("Observations", "| What | Seen | Documentation |", observation_rows(all));
  return out.take();
}

}  // namespace streamcts::reports
