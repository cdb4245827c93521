// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/html/html_report.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "reports/html/assets.h"
#include "reports/html/parts.h"
#include "reports/html/tree.h"

namespace streamcts::reports {
namespace {

using results::verdict;

void add_head(pugi::xml_node html, const digest& all) {
  const pugi::xml_node head = add(html, "head");
  add_void(head, "meta", {{"charset", "utf-8"}});
  add_void(head, "meta",
           {{"http-equiv", "Content-Security-Policy"},
            {"content", fmt::format("default-src 'none'; style-src 'unsafe-inline'; script-src "
                                    "'sha256-{}'; base-uri 'none'; form-action 'none'",
                                    script_sha256)}});
  add_void(head, "meta",
           {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  add_void(head, "meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  add_void(head, "meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  add(head, "title", fmt::format("streamcts: {}", all.sentence));
  add(head, "style", style_sheet);
}

verdict overall(const digest& all) {
  if (all.summary.exit_code == results::exit_broken) return verdict::fail;
  return all.summary.exit_code == results::exit_held ? verdict::pass : verdict::error;
}

void add_fact(pugi::xml_node list, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const pugi::xml_node fact = add(list, "div");
  add(fact, "dt", name);
  add(fact, "dd", value);
}

// The proportions of all verdicts as one bar, and the figures under it.
void add_counts(pugi::xml_node header, const digest& all) {
  const results::verdict_counts& counts = all.summary.counts;
  const std::size_t total = counts.total() + all.summary.not_reached;
  if (total == 0) return;
  const pugi::xml_node bar = add(header, "svg",
                                 {{"class", "share"},
                                  {"viewBox", "0 0 1000 10"},
                                  {"preserveAspectRatio", "none"},
                                  {"role", "img"},
                                  {"aria-label", all.detail}});
  const pugi::xml_node list = add(header, "ul", {{"class", "counts"}});
  double x = 0;
  const auto add_share = [&](std::size_t count, const std::string& css) {
    const double width = 1000.0 * static_cast<double>(count) / static_cast<double>(total);
    add_void(bar, "rect",
             {{"x", number(x)}, {"width", number(width)}, {"height", "10"}, {"class", css}});
    x += width;
  };
  for (const verdict each : results::all_verdicts) {
    if (counts[each] == 0) continue;
    const std::string css = "v-" + css_class(each);
    add_share(counts[each], css);
    const pugi::xml_node item = add(list, "li", {{"class", css}});
    add_shape(item, each);
    add(item, "b", std::to_string(counts[each]));
    add(item, "span", to_string(each));
  }
  if (all.summary.not_reached == 0) return;
  add_share(all.summary.not_reached, "v-skipped");
  const pugi::xml_node item = add(list, "li", {{"class", "v-skipped"}});
  add_shape(item, verdict::skipped);
  add(item, "b", std::to_string(all.summary.not_reached));
  add(item, "span", "not reached");
}

void add_header(pugi::xml_node body, const digest& all) {
  const results::run_info& info = all.run->info;
  const pugi::xml_node header = add(body, "header", {{"class", "v-" + css_class(overall(all))}});
  add(header, "p", "streamcts · conformance of CUDA streams", {{"class", "mark"}});
  const pugi::xml_node verdict_line = add(header, "h1");
  add_shape(verdict_line, overall(all));
  add(verdict_line, "span", all.sentence);
  add(header, "p",
      fmt::format("{} {} of {} passed.", all.promises, all.summary.counts[verdict::pass],
                  counted(all.summary.counts.total() + all.summary.not_reached, "case")),
      {{"class", "detail"}});
  if (all.reference) {
    const pugi::xml_node banner = add(header, "div", {{"class", "banner"}, {"role", "note"}});
    add(banner, "strong", reference_notice);
    add(banner, "p",
        "The device is a program on this machine's processor. A run like this shows that the suite "
        "works, not that a GPU does.");
  }
  for (const std::string& warning : all.warnings) {
    add(header, "p", warning, {{"class", "warning"}, {"role", "note"}});
  }
  add_counts(header, all);
  const pugi::xml_node facts = add(header, "dl", {{"class", "facts"}});
  add_fact(facts, "Device", info.device.name);
  add_fact(facts, "Driver",
           info.driver.version.empty()
               ? info.driver.path
               : fmt::format("{} · {}", info.driver.version, info.driver.path));
  add_fact(facts, "Runtime", info.driver.runtime_version);
  add_fact(facts, "Tier", info.options.tier);
  add_fact(facts, "Started", info.started);
  if (info.seconds > 0) add_fact(facts, "Took", duration_text(info.seconds));
}

void add_contents(pugi::xml_node nav, const std::vector<content>& contents) {
  const pugi::xml_node list = add(nav, "ul");
  for (const content& each : contents) {
    const pugi::xml_node link = add(add(list, "li"), "a", each.title, {{"href", "#" + each.id}});
    if (each.count > 0) add(link, "span", std::to_string(each.count), {{"class", "count"}});
  }
}

}  // namespace

std::string html_report(const digest& all) {
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  const pugi::xml_node html = add(document, "html", {{"lang", "en"}});
  add_head(html, all);
  const pugi::xml_node body = add(html, "body");
  add_shapes(body);
  add_header(body, all);
  const pugi::xml_node nav = add(body, "nav", {{"aria-label", "Contents"}});
  page made{.all = all, .main = add(body, "main"), .contents = {}, .with_card = {}, .cards = 0};
  add_broken_promises(made);
  add_bad_endings(made);
  add_untried(made);
  add_observations(made);
  add_clauses(made);
  add_cases(made);
  add_environment(made);
  add_contents(nav, made.contents);
  add(body, "footer",
      fmt::format("streamcts {}. Made from the run folder alone; nothing here was fetched.",
                  all.run->info.suite.version));
  add(body, "script", script);
  return serialised(document) + "\n";
}

}  // namespace streamcts::reports
