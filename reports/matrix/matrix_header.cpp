// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/matrix/matrix_header.h"

#include <fmt/format.h>

#include "reports/digest/digest.h"
#include "reports/html/assets.h"
#include "reports/html/tree.h"

namespace streamcts::reports {
namespace {

void add_fact(pugi::xml_node list, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const pugi::xml_node fact = add(list, "div");
  add(fact, "dt", name);
  add(fact, "dd", value);
}

std::string_view tone(int exit_code) {
  if (exit_code == results::exit_held) return "v-pass";
  return exit_code == results::exit_broken ? "v-fail" : "v-error";
}

}  // namespace

void add_matrix_header(pugi::xml_node body, const matrix& all, const matrix_summary& summary) {
  const results::run_info& info = all.info;
  const pugi::xml_node header = add(body, "header", {{"class", tone(summary.exit_code)}});
  add(header, "p", "streamcts · can the tests fail?", {{"class", "mark"}});
  add(add(header, "h1"), "span", summary.sentence);
  add(header, "p",
      fmt::format("{} of the {} killed were noticed by a check of the very promise that they break. "
                  "A further fault of this kind is killed with a probability of at least {:.1f} % "
                  "(95 % confidence).",
                  summary.all.right_clause, summary.all.killed, 100 * summary.lower_bound),
      {{"class", "detail"}});
  if (is_reference(info.device)) {
    const pugi::xml_node banner = add(header, "div", {{"class", "banner"}, {"role", "note"}});
    add(banner, "strong", "These faults were tried over the reference driver.");
    add(banner, "p", "It shows what the tests can notice, and nothing about any hardware.");
  }
  if (!info.interrupted.empty()) {
    add(header, "p", fmt::format("Ended before its time: {}.", info.interrupted),
        {{"class", "warning"}, {"role", "note"}});
  }
  for (const results::damage& each : all.damages) {
    add(header, "p", fmt::format("{}, line {}: {}", each.file, each.line, each.what),
        {{"class", "warning"}, {"role", "note"}});
  }
  const pugi::xml_node facts = add(header, "dl", {{"class", "facts"}});
  add_fact(facts, "Device", info.device.name);
  add_fact(facts, "Driver behind the faults", info.driver.requested);
  add_fact(facts, "Victims are held by", all.holds);
  add_fact(facts, "Tier", info.options.tier);
  add_fact(facts, "Started", info.started);
  if (info.seconds > 0) add_fact(facts, "Took", duration_text(info.seconds));
  add_fact(facts, "Seconds to kill",
           fmt::format("median {:.2f}, 90 % {:.2f}, most {:.2f}", summary.median_seconds_to_kill,
                       summary.p90_seconds_to_kill, summary.max_seconds_to_kill));
}

void add_matrix_head(pugi::xml_node html, std::string_view sentence) {
  const pugi::xml_node head = add(html, "head");
  add_void(head, "meta", {{"charset", "utf-8"}});
  add_void(head, "meta",
           {{"http-equiv", "Content-Security-Policy"},
            {"content",
             "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"}});
  add_void(head, "meta",
           {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  add_void(head, "meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  add_void(head, "meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  add(head, "title", fmt::format("streamcts: {}", sentence));
  add(head, "style", style_sheet);
}

}  // namespace streamcts::reports
