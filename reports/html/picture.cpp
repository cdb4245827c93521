// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/html/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "reports/html/picture_layout.h"
#include "reports/html/table.h"
#include "reports/html/tree.h"

namespace streamcts::reports {
namespace {

using results::event_phase;
using point = picture_layout::point;

constexpr std::size_t most_table_rows = 200;

std::string time_text(const results::event& event) {
  if (!event.time_ns) return "";
  const auto ns = static_cast<double>(*event.time_ns);
  const double size = std::fabs(ns);
  if (size < 1e3) return fmt::format("{:.0f} ns", ns);
  if (size < 1e6) return fmt::format("{:.1f} µs", ns / 1e3);
  if (size < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

void text_at(pugi::xml_node svg, double x, double y, std::string_view css, std::string_view text) {
  add(svg, "text", text, {{"x", number(x)}, {"y", number(y)}, {"class", css}});
}

void line(pugi::xml_node svg, double x1, double y1, double x2, double y2, std::string_view css) {
  add_void(svg, "line",
           {{"x1", number(x1)},
            {"y1", number(y1)},
            {"x2", number(x2)},
            {"y2", number(y2)},
            {"class", css}});
}

void draw_grid(pugi::xml_node svg, const picture_layout& at) {
  const double right = at.width() - 4;
  for (std::size_t lane = 0; lane < at.lanes().size(); ++lane) {
    const double axis = at.bar_top(lane) + picture_layout::bar_height / 2;
    if (lane > 0) line(svg, 0, at.lane_top(lane), at.width(), at.lane_top(lane), "rule");
    text_at(svg, 4, axis + 4.5, "lane", fitted(at.lanes()[lane], (at.left() - 18) / 1.08));
    line(svg, at.left(), axis, right, axis, "axis");
  }
  const double bottom = at.lane_top(at.lanes().size());
  line(svg, 0, bottom, at.width(), bottom, "rule");
  text_at(svg, 4, bottom + 20, "time", "observed order");
  for (std::size_t column = 0; column < at.columns().size(); ++column) {
    const double x = at.column_x(column);
    line(svg, x, bottom, x, bottom + 5, "rule");
    const std::string time = time_text(*at.columns()[column]);
    text_at(svg, x, bottom + 20, "time mid", time.empty() ? std::to_string(column + 1) : time);
  }
}

void draw_bar(pugi::xml_node group, const picture_layout& at, const picture_layout::item& item) {
  const double top = at.bar_top(item.lane);
  const double x1 = at.column_x(item.begin ? *item.begin : *item.end) - (item.begin ? 0 : 18);
  const double x2 = item.end ? at.column_x(*item.end) : at.right();
  add_void(group, "rect",
           {{"x", number(x1)},
            {"y", number(top)},
            {"width", number(std::max(x2 - x1, 6.0))},
            {"height", number(picture_layout::bar_height)},
            {"rx", "3"},
            {"class", item.begin && item.end ? "bar" : "bar open"}});
}

void draw_item(pugi::xml_node svg, const picture_layout& at, const picture_layout::item& item,
               bool hot) {
  const pugi::xml_node group = add(svg, "g", {{"class", hot ? "hot" : "cold"}});
  const double x = at.column_x(item.column);
  const double middle = at.bar_top(item.lane) + picture_layout::bar_height / 2;
  std::string what = "no end seen";
  if (item.phase == event_phase::begin) {
    draw_bar(group, at, item);
    if (!item.begin) what = "no begin seen";
    if (item.begin && item.end) what = "begin to end";
  } else if (item.phase == event_phase::enqueue) {
    what = "enqueued";
    add_void(group, "path",
             {{"d", fmt::format("M{} {}h10l-5 8z", number(x - 5), number(middle - 4))},
              {"class", "mark enqueue"}});
  } else {
    what = "observed";
    add_void(group, "path",
             {{"d", fmt::format("M{} {}l6 6l-6 6l-6 -6z", number(x), number(middle - 6))},
              {"class", "mark"}});
  }
  const double label_x = item.phase == event_phase::begin ? (item.begin ? x + 10 : x - 18) : x - 5;
  text_at(group, label_x, at.bar_top(item.lane) - 7, "label",
          fitted(item.operation, item.label_width));
  add(group, "title", fmt::format("{}: {}", item.operation, what));
}

// A dotted line from where the host handed an operation over to where it began.
void draw_hand_overs(pugi::xml_node svg, const picture_layout& at) {
  const std::vector<picture_layout::item>& items = at.items();
  for (const auto& from : items) {
    if (from.phase != event_phase::enqueue) continue;
    const auto to = std::find_if(items.begin(), items.end(), [&](const auto& item) {
      return item.begin && item.operation == from.operation && item.lane != from.lane &&
             *item.begin > from.column;
    });
    if (to == items.end()) continue;
    const double half = picture_layout::bar_height / 2;
    line(svg, at.column_x(from.column), at.bar_top(from.lane) + half, at.column_x(*to->begin),
         at.bar_top(to->lane) + half, "hand-over");
  }
}

struct curve {
  point from, lean_from, lean_to, to;

  point at(double t) const {
    const double u = 1 - t;
    const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    return {a * from.x + b * lean_from.x + c * lean_to.x + d * to.x,
            a * from.y + b * lean_from.y + c * lean_to.y + d * to.y};
  }
};

// Starts and ends upright, at the edge of the bars that face each other; within one lane it swings
// below.
curve curve_between(point from, point to) {
  constexpr double half = picture_layout::bar_height / 2;
  if (std::fabs(from.y - to.y) < 1) {
    from.y += half + 1;
    to.y += half + 3;
    return {from, {from.x, from.y + 26}, {to.x, to.y + 26}, to};
  }
  const double down = to.y > from.y ? 1 : -1;
  from.y += down * (half + 1);
  to.y -= down * (half + 3);
  const double lean = std::max(std::fabs(to.y - from.y) * 0.55, 18.0) * down;
  return {from, {from.x, from.y + lean}, {to.x, to.y - lean}, to};
}

void draw_edge(pugi::xml_node svg, const curve& along, bool broken) {
  const pugi::xml_node group = add(svg, "g", {{"class", broken ? "edge broken" : "edge"}});
  add_void(group, "path",
           {{"d", fmt::format("M{} {}C{} {} {} {} {} {}", number(along.from.x),
                              number(along.from.y), number(along.lean_from.x),
                              number(along.lean_from.y), number(along.lean_to.x),
                              number(along.lean_to.y), number(along.to.x), number(along.to.y))}});
  const double back = along.to.y > along.lean_to.y ? -1 : 1;
  const double size = broken ? 9 : 6;
  add_void(group, "path",
           {{"class", "head"},
            {"d", fmt::format("M{} {}l{} {}h{}z", number(along.to.x), number(along.to.y - back * 2),
                              number(-size * 0.6), number(back * size), number(size * 1.2))}});
}

void draw_edge_label(pugi::xml_node svg, const picture_layout& at, const curve& along,
                     std::string_view clause) {
  const std::string text =
      clause.empty() ? "broken" : fmt::format("{} broken", fitted(clause, 160));
  const double width = label_width(text) * 1.12 + 18;
  const point middle = along.at(0.5);
  const double x = std::clamp(middle.x - width / 2, at.left(), at.width() - width - 4);
  const pugi::xml_node group = add(svg, "g", {{"class", "edge-label"}});
  add_void(group, "rect",
           {{"x", number(x)},
            {"y", number(middle.y - 10)},
            {"width", number(width)},
            {"height", "20"},
            {"rx", "10"}});
  text_at(group, x + width / 2, middle.y + 4, "mid", text);
}

// Handed over, and not seen to have begun or ended: until when is unknown.
void draw_pending(pugi::xml_node svg, const picture_layout& at, std::string_view operation) {
  const auto item = at.pending(operation);
  if (!item) return;
  const double y = at.bar_top(item->lane) + picture_layout::bar_height / 2;
  line(svg, at.column_x(item->column) + 9, y, at.right(), y, "pending");
}

void draw_edges(pugi::xml_node svg, const picture_layout& at, const results::failure& failure) {
  for (const bool broken : {false, true}) {
    for (const results::edge& edge : failure.edges) {
      if (edge.broken != broken) continue;
      if (broken) draw_pending(svg, at, edge.from);
      const auto from = at.departure(edge.from);
      const auto to = at.arrival(edge.to);
      if (!from || !to) continue;
      const curve along = curve_between(*from, *to);
      draw_edge(svg, along, broken);
      if (broken) draw_edge_label(svg, at, along, edge.clause);
    }
  }
}

std::string description(const results::failure& failure) {
  for (const results::edge& edge : failure.edges) {
    if (edge.broken) {
      return fmt::format("{} did not end before {} began ({})", edge.from, edge.to, edge.clause);
    }
  }
  return "What was observed, in order";
}

}  // namespace

bool add_picture(pugi::xml_node parent, const results::failure& failure,
                 std::string_view id_prefix) {
  if (failure.events.empty()) return true;
  const picture_layout at(failure);
  const std::string title_id = fmt::format("{}-picture", id_prefix);
  const pugi::xml_node figure = add(parent, "figure", {{"class", "picture"}, {"tabindex", "0"}});
  const pugi::xml_node svg =
      add(figure, "svg",
          {{"viewBox", fmt::format("0 0 {} {}", number(at.width()), number(at.height()))},
           {"width", number(at.width())},
           {"height", number(at.height())},
           {"style", fmt::format("min-width: {}px", number(at.width() * 0.78))},
           {"role", "img"},
           {"aria-labelledby", title_id}});
  add(svg, "title", description(failure), {{"id", title_id}});
  draw_grid(svg, at);
  draw_hand_overs(svg, at);
  std::set<std::string_view> hot;
  for (const results::edge& edge : failure.edges) {
    if (edge.broken) hot.insert({edge.from, edge.to});
  }
  for (const auto& item : at.items()) draw_item(svg, at, item, hot.contains(item.operation));
  draw_edges(svg, at, failure);
  return at.complete();
}

void add_picture_tables(pugi::xml_node parent, const results::failure& failure) {
  if (!failure.edges.empty()) {
    table_builder promised(parent, "Promised order",
                           {{"must have ended"}, {"before this begins"}, {"by"}, {"held"}});
    for (const results::edge& edge : failure.edges) {
      promised.row({edge.from, edge.to, edge.clause.empty() ? "program order" : edge.clause,
                    edge.broken ? "broken" : "yes"},
                   edge.broken ? "hot" : "");
    }
  }
  if (failure.events.empty()) return;
  std::vector<const results::event*> events;
  for (const results::event& each : failure.events) events.push_back(&each);
  std::stable_sort(events.begin(), events.end(),
                   [](const auto* a, const auto* b) { return a->seq < b->seq; });
  table_builder observed(parent, "Observed order",
                         {{"no.", true}, {"lane"}, {"operation"}, {"phase"}, {"time", true}});
  for (const results::event* each : events) {
    if (observed.rows() == most_table_rows) {
      observed.note(
          fmt::format("{} further events are in the run folder.", events.size() - most_table_rows));
      return;
    }
    observed.row({std::to_string(each->seq), each->lane, each->operation,
                  std::string(to_string(each->phase)), time_text(*each)});
  }
}

}  // namespace streamcts::reports
