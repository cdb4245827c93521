// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>

#include "reports/html/assets.h"
#include "reports/html/html_report.h"
#include "reports/html/parts.h"
#include "reports/html/picture.h"
#include "reports/html/picture_layout.h"
#include "reports/html/tree.h"
#include "reports/results/example.h"

namespace streamcts::reports {
namespace {

using results::event_phase;
using results::verdict;
using testing::HasSubstr;
using testing::Not;

TEST(tree, escapes_texts_and_attributes) {
  pugi::xml_document document;
  pugi::xml_node made = add(document, "p", "<b>&\x01\xff", {{"title", "\"<&>\x01"}});
  add(made, "span");
  add_void(made, "meta", {});
  EXPECT_EQ(
      serialised(document),
      "\n<p title=\"&quot;&lt;&amp;>\\x01\">&lt;b&gt;&amp;\\x01\\xff<span></span>\n<meta/></p>");
}

TEST(tree, numbers_are_short) {
  EXPECT_EQ(number(1), "1");
  EXPECT_EQ(number(1.25), "1.3");
  EXPECT_EQ(number(-0.01), "0");
  EXPECT_EQ(number(-2.5), "-2.5");
}

TEST(assets, hold_nothing_that_would_need_escaping) {
  EXPECT_EQ(style_sheet.find_first_of("<>&"), std::string_view::npos);
  EXPECT_EQ(script.find_first_of("<>&"), std::string_view::npos);
  EXPECT_EQ(script_sha256.size(), 44u);
}

TEST(anchors, differ_where_texts_do) {
  EXPECT_EQ(anchor("t", "a/b_c-d.e"), "t-a/b_c-d.e");
  EXPECT_EQ(anchor("t", "a b~\n"), "t-a~20b~7e~0a");
  EXPECT_NE(anchor("t", "a b"), anchor("t", "a~20b"));
}

TEST(labels, are_cut_between_characters) {
  EXPECT_EQ(fitted("short", 1000), "short");
  EXPECT_EQ(fitted("äöüäöüäöü", label_width("abcd")), "äöü…");
  EXPECT_EQ(fitted("anything", -5), "a…");
}

results::failure with_events(std::vector<results::event> events,
                             std::vector<results::edge> edges = {}) {
  results::failure made;
  made.events = std::move(events);
  made.edges = std::move(edges);
  return made;
}

TEST(picture_layout, lanes_are_hosts_then_host_calls_then_streams) {
  const results::failure failure = with_events({{3, "stream 1", "k", event_phase::mark, {}},
                                                {2, "callback thread", "c", event_phase::mark, {}},
                                                {1, "host 2", "h", event_phase::mark, {}},
                                                {4, "host call", "c", event_phase::mark, {}}});
  const picture_layout at(failure);
  EXPECT_THAT(at.lanes(),
              testing::ElementsAre("host 2", "callback thread", "host call", "stream 1"));
  EXPECT_EQ(at.columns()[0]->seq, 1u);
  EXPECT_TRUE(at.complete());
}

TEST(picture_layout, begins_and_ends_are_paired) {
  const results::failure failure = with_events({{1, "s", "a", event_phase::begin, {}},
                                                {2, "s", "a", event_phase::begin, {}},
                                                {3, "s", "a", event_phase::end, {}},
                                                {4, "s", "b", event_phase::end, {}}});
  const picture_layout at(failure);
  ASSERT_EQ(at.items().size(), 3u);
  EXPECT_FALSE(at.items()[0].end.has_value());
  EXPECT_EQ(at.items()[1].begin, 1u);
  EXPECT_EQ(at.items()[1].end, 2u);
  EXPECT_FALSE(at.items()[2].begin.has_value());
  EXPECT_EQ(at.items()[2].end, 3u);
}

TEST(picture_layout, an_operation_without_an_end_is_left_at_the_right_edge) {
  const results::failure failure = with_events({{1, "s", "k", event_phase::enqueue, {}},
                                                {2, "host call", "c", event_phase::begin, {}},
                                                {3, "host call", "c", event_phase::end, {}}});
  const picture_layout at(failure);
  EXPECT_EQ(at.departure("k")->x, at.right());
  EXPECT_EQ(at.departure("c")->x, at.column_x(2));
  EXPECT_EQ(at.arrival("c")->x, at.column_x(1));
  EXPECT_FALSE(at.arrival("k").has_value());
  EXPECT_FALSE(at.departure("unknown").has_value());
  EXPECT_TRUE(at.pending("k").has_value());
  EXPECT_FALSE(at.pending("c").has_value());
  EXPECT_FALSE(at.pending("unknown").has_value());
}

TEST(picture_layout, of_many_events_those_of_the_broken_edge_stay) {
  results::failure failure;
  for (std::uint64_t i = 0; i < 500; ++i) {
    failure.events.push_back({i, "s", "k" + std::to_string(i), event_phase::begin, {}});
  }
  failure.edges = {{"k7", "k300", "X", true}};
  const picture_layout at(failure);
  EXPECT_FALSE(at.complete());
  EXPECT_EQ(at.columns().size(), picture_layout::most_columns);
  EXPECT_TRUE(at.departure("k7").has_value());
  EXPECT_TRUE(at.arrival("k300").has_value());
  EXPECT_TRUE(at.arrival("k310").has_value());
  EXPECT_FALSE(at.arrival("k499").has_value());
  failure.edges.clear();
  EXPECT_TRUE(picture_layout(failure).arrival("k499").has_value());
}

TEST(picture, shows_the_broken_edge_and_what_is_pending) {
  pugi::xml_document document;
  EXPECT_TRUE(add_picture(document, results::failure{}, "x"));
  EXPECT_FALSE(document.first_child());
  const results::failure failure =
      with_events({{1, "s", "k", event_phase::enqueue, {}},
                   {2, "s", "c", event_phase::begin, 999},
                   {3, "s", "c", event_phase::end, 1'500'000'000},
                   {4, "s", "d", event_phase::begin, 1'500'000}},
                  {{"k", "c", "CL-1", true}, {"c", "d", "CL-2", false}, {"c", "none", "", false}});
  EXPECT_TRUE(add_picture(document, failure, "x"));
  const std::string svg = serialised(document);
  EXPECT_THAT(svg, HasSubstr("CL-1 broken"));
  EXPECT_THAT(svg, HasSubstr("class=\"pending\""));
  EXPECT_THAT(svg, HasSubstr("class=\"edge\""));
  EXPECT_THAT(svg, HasSubstr("k did not end before c began (CL-1)"));
  EXPECT_THAT(svg, HasSubstr("999 ns"));
  EXPECT_THAT(svg, HasSubstr("1.50 ms"));
  EXPECT_THAT(svg, HasSubstr("1.50 s"));
  EXPECT_THAT(svg, Not(HasSubstr("CL-2")));
}

TEST(picture, tables_hold_the_same) {
  pugi::xml_document document;
  results::failure failure = with_events({}, {{"k", "c", "", true}});
  for (std::uint64_t i = 0; i < 250; ++i) {
    failure.events.push_back({250 - i, "s", "k", event_phase::mark, {}});
  }
  add_picture_tables(document, failure);
  const std::string text = serialised(document);
  EXPECT_THAT(text, HasSubstr("program order"));
  EXPECT_THAT(text, HasSubstr("50 further events are in the run folder."));
  EXPECT_THAT(text, HasSubstr("<th scope=\"row\" class=\"n\">1</th>"));
  EXPECT_THAT(text, Not(HasSubstr(">250</th>")));
}

class page_of : public testing::Test {
 protected:
  std::string make() { return html_report(make_digest(run_, catalogue_)); }
  void add_cases(std::size_t count, verdict how) {
    for (std::size_t i = 0; i < count; ++i) {
      results::case_record& made = run_.records.emplace_back(results::example_record());
      made.id = "family" + std::to_string(i % 20) + "/case/" + std::to_string(run_.records.size());
      made.verdict = how;
      if (!results::is_red(how)) {
        made.failure.reset();
        made.stacks.clear();
        made.incidence.reset();
      }
    }
  }

  results::clause_catalogue catalogue_;
  results::run run_;
};

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

TEST_F(page_of, nothing_is_a_page) {
  const std::string page = make();
  EXPECT_THAT(page, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("No verdict: nothing passed"));
}

TEST_F(page_of, fetches_nothing) {
  run_ = results::example_run();
  const std::string page = make();
  EXPECT_EQ(count_of(page, "href=\""), count_of(page, "href=\"#"));
  EXPECT_EQ(count_of(page, "src="), 0u + count_of(page, "script-src="));
  EXPECT_EQ(count_of(page, "url("), 0u);
  EXPECT_EQ(count_of(page, "http"), count_of(page, "http-equiv"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST_F(page_of, links_lead_somewhere_and_ids_are_unique) {
  run_ = results::example_run();
  add_cases(30, verdict::fail);
  add_cases(90, verdict::hang);
  add_cases(5, verdict::skipped);
  run_.records.push_back(run_.records.front());
  run_.records.back().id = "a b<c>";
  pugi::xml_document document;
  const std::string page = make();
  ASSERT_TRUE(document.load_string(page.c_str())) << "the page is well-formed XML, too";
  std::set<std::string> ids;
  for (const auto& found : document.select_nodes("//@id")) {
    EXPECT_TRUE(ids.insert(found.attribute().value()).second) << found.attribute().value();
  }
  for (const auto& found : document.select_nodes("//@href")) {
    EXPECT_TRUE(ids.contains(found.attribute().value() + 1)) << found.attribute().value();
  }
  for (const auto& found : document.select_nodes("//table")) {
    EXPECT_TRUE(found.node().child("caption"));
    EXPECT_TRUE(found.node().child("thead").child("tr").child("th").attribute("scope"));
  }
}

TEST_F(page_of, a_reference_run_says_so_before_its_figures) {
  run_.info.device.name = "streamcts reference device";
  const std::string page = make();
  EXPECT_LT(page.find("It proves nothing about hardware"), page.find("<main"));
}

TEST_F(page_of, a_group_shows_its_first_cards_and_lists_the_rest) {
  add_cases(10, verdict::fail);
  const std::string page = make();
  EXPECT_EQ(count_of(page, "<article class=\"card\""), 3u);
  EXPECT_THAT(page, HasSubstr("7 further cases, in short"));
}

TEST_F(page_of, long_stacks_are_cut) {
  add_cases(1, verdict::hang);
  run_.records[0].stacks.assign(450, "frame");
  EXPECT_THAT(make(), HasSubstr("[50 further lines are in the run folder]"));
}

TEST_F(page_of, many_cases_stay_small_however_they_end) {
  for (const verdict how : {verdict::pass, verdict::fail, verdict::crash}) {
    run_.records.clear();
    add_cases(500, how);
    for (auto& each : run_.records) {
      each.stderr_tail.assign(65536, 'x');
      if (!each.failure) continue;
      each.failure->clause = "CL-" + std::to_string(&each - run_.records.data());
      for (std::uint64_t i = 10; i < 500; ++i) {
        each.failure->events.push_back({i, "stream 1", "kernel", event_phase::begin, 1});
      }
    }
    EXPECT_LT(make().size(), 20u << 20);
  }
}

}  // namespace
}  // namespace streamcts::reports
