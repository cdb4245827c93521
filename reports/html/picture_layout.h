// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Where everything of a picture lies, apart from how it is drawn.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results/record.h"

namespace streamcts::reports {

/// The picture of one failure in pixels of SVG. Holds pointers into the failure.
class picture_layout {
 public:
  /// More events than this are too many for one picture.
  static constexpr std::size_t most_columns = 48;

  /// What is drawn of an operation in one lane: a bar where it has a length, else a mark.
  struct item {
    std::size_t lane = 0;
    std::string_view operation;
    std::optional<std::size_t> begin;  ///< Column; absent where it was not seen.
    std::optional<std::size_t> end;
    std::size_t column = 0;                                   ///< Where its label starts.
    results::event_phase phase = results::event_phase::mark;  ///< begin stands for a bar.
    double label_width = 0;                                   ///< Room for the label.
  };

  struct point {
    double x = 0;
    double y = 0;
  };

  explicit picture_layout(const results::failure& failure);

  const std::vector<const results::event*>& columns() const { return columns_; }
  const std::vector<std::string_view>& lanes() const { return lanes_; }
  const std::vector<item>& items() const { return items_; }
  bool complete() const { return complete_; }
  double width() const;
  double height() const;
  double left() const { return left_; }
  double column_x(std::size_t column) const;
  double lane_top(std::size_t lane) const;
  double bar_top(std::size_t lane) const;
  /// Where bars stop whose end was not seen.
  double right() const { return width() - 12; }
  static constexpr double bar_height = 18;

  /// Where an edge leaves the operation: its end. Where no end was seen though it was begun or
  /// handed over: the right edge, since whatever was seen came before. Nothing where the picture
  /// does not have it at all.
  std::optional<point> departure(std::string_view operation) const;
  /// Where an edge arrives: its begin; nothing where that was not seen.
  std::optional<point> arrival(std::string_view operation) const;
  /// The column at which an operation was handed over whose begin and end were not seen.
  std::optional<item> pending(std::string_view operation) const;

 private:
  void choose_columns(const results::failure& failure);
  void arrange_lanes();
  void make_items();
  void make_room_for_labels();
  std::optional<point> find(std::string_view operation,
                            const std::vector<results::event_phase>& preference) const;
  std::size_t lane_of(std::string_view name) const;

  std::vector<const results::event*> columns_;
  std::vector<std::string_view> lanes_;
  std::vector<item> items_;
  bool complete_ = true;
  double left_ = 0;
  double step_ = 0;
  double right_margin_ = 0;
};

/// Width of @p text in pixels at the size of labels, roughly.
double label_width(std::string_view text);

/// @p text cut to @p width pixels, with an ellipsis where something was cut off.
std::string fitted(std::string_view text, double width);

}  // namespace streamcts::reports
