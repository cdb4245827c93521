// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/search.h"

#include <algorithm>
#include <array>

namespace streamcts::program {

std::string_view to_string(strategy s) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(strategy::count)> words{
      "natural", "random_delays", "equal_delays", "random_many", "hold_each"};
  return words.at(static_cast<std::size_t>(s));
}

void searcher::load(const stream_program& program) {
  model_.build(program);
  assumed_ = false;
  simulator_.load(program, model_.items());
}

bool searcher::run(const run_options& options) {
  const history& seen = simulator_.run(options);
  last_ = options;
  const bool news = std::ranges::any_of(
      seen.outcomes, [](call_outcome o) { return o != call_outcome::as_promised; });
  if (news || assumed_) model_.assume(seen.outcomes);
  assumed_ = news;
  return !check(model_, seen).empty();
}

bool searcher::any_run(defect broken, strategy how, std::uint64_t seed) {
  run_options o;
  o.broken = broken;
  o.seed = seed;
  o.how = schedule::natural;
  if (how == strategy::equal_delays) o.how = schedule::equal_delays;
  if (how == strategy::random_delays || how == strategy::random_many) {
    o.how = schedule::random_delays;
  }
  if (run(o)) return true;
  if (how < strategy::random_many) return false;
  for (std::size_t i = 0; i < model_.items().size(); ++i) {
    o.seed = seed + i + 1;
    if (how == strategy::hold_each) {
      o.how = schedule::hold;
      o.held = static_cast<index>(i);
    }
    if (run(o)) return true;
  }
  return false;
}

bool searcher::kills(defect broken, strategy how, std::uint64_t seed) {
  return any_run(broken, how, seed);
}

std::optional<failing_run> searcher::search(defect broken, strategy how, std::uint64_t seed) {
  if (!any_run(broken, how, seed)) return std::nullopt;
  failing_run f;
  f.options = last_;
  f.seen = simulator_.run(last_);
  f.found = check(model_, f.seen).front();
  return f;
}

}  // namespace streamcts::program
