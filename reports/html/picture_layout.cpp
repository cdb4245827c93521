// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/html/picture_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace streamcts::reports {
namespace {

using results::event;
using results::event_phase;

constexpr double lane_height = 74;
constexpr double top_margin = 6;
constexpr double axis_height = 34;
constexpr double narrowest_margin = 28;
constexpr double widest_margin = 170;
constexpr double narrowest_step = 58;
constexpr double widest_step = 150;
constexpr double wanted_width = 960;
constexpr double character_width = 7.2;  // 12 px of a wide font
constexpr double label_gap = 22;

// Host threads on top, then the host calls, then the streams.
int rank(std::string_view lane) {
  if (lane.starts_with("host call") || lane.find("callback") != std::string_view::npos) return 1;
  return lane.starts_with("host") ? 0 : 2;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace

double label_width(std::string_view text) {
  return static_cast<double>(characters(text)) * character_width;
}

std::string fitted(std::string_view text, double width) {
  const auto room = static_cast<std::size_t>(std::max(width, 0.0) / character_width);
  if (characters(text) <= room) return std::string(text);
  std::size_t bytes = 0;
  for (std::size_t kept = 0; bytes < text.size(); ++bytes) {
    if ((text[bytes] & 0xC0) != 0x80 && ++kept >= std::max<std::size_t>(room, 2)) break;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

picture_layout::picture_layout(const results::failure& failure) {
  choose_columns(failure);
  arrange_lanes();
  make_items();
  make_room_for_labels();
}

void picture_layout::choose_columns(const results::failure& failure) {
  for (const event& each : failure.events) columns_.push_back(&each);
  std::stable_sort(columns_.begin(), columns_.end(),
                   [](const event* a, const event* b) { return a->seq < b->seq; });
  if (columns_.size() <= most_columns) return;

  complete_ = false;
  std::set<std::string_view> named;
  std::string_view target;
  for (const results::edge& each : failure.edges) {
    named.insert({each.from, each.to});
    if (each.broken) target = each.to;
  }
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const event* each) {
    return each->operation == target && each->phase != event_phase::enqueue;
  });
  const auto anchor =
      std::min(found - columns_.begin(), static_cast<std::ptrdiff_t>(columns_.size()) - 1);
  std::vector<std::size_t> order(columns_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto importance = [&](std::size_t i) {
    const auto distance = static_cast<std::ptrdiff_t>(i) - anchor;
    return std::tuple(!named.contains(columns_[i]->operation), distance < 0 ? -distance : distance);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return importance(a) < importance(b); });
  order.resize(most_columns);
  std::sort(order.begin(), order.end());
  std::vector<const event*> kept;
  for (const std::size_t i : order) kept.push_back(columns_[i]);
  columns_ = std::move(kept);
}

void picture_layout::arrange_lanes() {
  for (const event* each : columns_) {
    if (std::find(lanes_.begin(), lanes_.end(), each->lane) == lanes_.end()) {
      lanes_.push_back(each->lane);
    }
  }
  std::stable_sort(lanes_.begin(), lanes_.end(),
                   [](std::string_view a, std::string_view b) { return rank(a) < rank(b); });
  double widest = 60;
  for (const std::string_view lane : lanes_) widest = std::max(widest, label_width(lane) * 1.08);
  left_ = std::min(widest, 190.0) + 24;
}

// A begin opens a bar that the next end of the same operation closes; a second begin before that is
// a bar of its own.
void picture_layout::make_items() {
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> open;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const event& each = *columns_[column];
    const std::size_t lane = lane_of(each.lane);
    const std::pair key(lane, std::string_view(each.operation));
    if (each.phase == event_phase::end) {
      if (const auto found = open.find(key); found != open.end()) {
        items_[found->second].end = column;
        open.erase(found);
        continue;
      }
    }
    item& made = items_.emplace_back();
    made.lane = lane;
    made.operation = each.operation;
    made.column = column;
    made.phase = each.phase;
    if (each.phase == event_phase::begin) {
      made.begin = column;
      open[key] = items_.size() - 1;
    } else if (each.phase == event_phase::end) {
      made.phase = event_phase::begin;
      made.end = column;
    }
  }
}

void picture_layout::make_room_for_labels() {
  const auto count = static_cast<double>(std::max<std::size_t>(columns_.size(), 1));
  step_ =
      std::clamp((wanted_width - left_ - narrowest_margin) / count, narrowest_step, widest_step);
  // For each lane, from an item to the next one in it.
  std::vector<item*> last(lanes_.size(), nullptr);
  for (item& each : items_) {
    if (item* before = last[each.lane]) {
      const auto columns = static_cast<double>(each.column - before->column);
      const double need = (label_width(before->operation) + label_gap) / columns;
      step_ = std::clamp(need, step_, widest_step);
    }
    last[each.lane] = &each;
  }
  // The last label of a lane reaches into the margin.
  right_margin_ = narrowest_margin;
  for (const item* each : last) {
    if (each == nullptr) continue;
    const double reach = column_x(each->column) + label_width(each->operation) + label_gap;
    right_margin_ = std::clamp(reach - left_ - step_ * count, right_margin_, widest_margin);
  }
  std::vector<double> limit(lanes_.size(), width() - 4);
  for (auto each = items_.rbegin(); each != items_.rend(); ++each) {
    const double start = column_x(each->column);
    each->label_width = limit[each->lane] - start - label_gap / 2;
    limit[each->lane] = start;
  }
}

double picture_layout::width() const {
  return std::max(wanted_width,
                  left_ + step_ * static_cast<double>(columns_.size()) + right_margin_);
}

double picture_layout::height() const {
  return top_margin + lane_height * static_cast<double>(lanes_.size()) + axis_height;
}

double picture_layout::column_x(std::size_t column) const {
  return left_ + step_ * (static_cast<double>(column) + 0.3);
}

double picture_layout::lane_top(std::size_t lane) const {
  return top_margin + lane_height * static_cast<double>(lane);
}

double picture_layout::bar_top(std::size_t lane) const {
  return lane_top(lane) + 34;
}

std::size_t picture_layout::lane_of(std::string_view name) const {
  return static_cast<std::size_t>(std::find(lanes_.begin(), lanes_.end(), name) - lanes_.begin());
}

std::optional<picture_layout::point> picture_layout::find(
    std::string_view operation, const std::vector<event_phase>& preference) const {
  for (const event_phase phase : preference) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const event& each = *columns_[column];
      if (each.operation != operation || each.phase != phase) continue;
      return point{column_x(column), bar_top(lane_of(each.lane)) + bar_height / 2};
    }
  }
  return std::nullopt;
}

std::optional<picture_layout::point> picture_layout::departure(std::string_view operation) const {
  if (const auto seen = find(operation, {event_phase::end, event_phase::mark})) return seen;
  auto open = find(operation, {event_phase::begin, event_phase::enqueue});
  if (open) open->x = right();
  return open;
}

std::optional<picture_layout::point> picture_layout::arrival(std::string_view operation) const {
  return find(operation, {event_phase::begin, event_phase::mark, event_phase::end});
}

std::optional<picture_layout::item> picture_layout::pending(std::string_view operation) const {
  if (find(operation, {event_phase::begin, event_phase::end, event_phase::mark})) return {};
  for (const item& each : items_) {
    if (each.operation == operation) return each;
  }
  return {};
}

}  // namespace streamcts::reports
