// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/driver_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "harness/program/enumerator.h"
#include "harness/program/random.h"

namespace streamcts::program {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds shrink_limit{30};
constexpr unsigned runs_of_candidate = 3, runs_after = 10;
constexpr std::size_t most_evaluations = 400;

}  // namespace

program_list::program_list(std::uint64_t seed) : seed_(seed) {
  const auto& patterns = enumerated_patterns();
  std::vector<std::size_t> order(patterns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random_source random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::set<std::array<std::uint8_t, 3>> met;
  std::map<edge, std::size_t> of_edge;
  std::vector<std::pair<std::size_t, std::size_t>> first, rest;  // round of its edge, index
  for (const std::size_t i : order) {
    const pattern& p = patterns[i];
    const bool fresh = met.insert({static_cast<std::uint8_t>(p.by), static_cast<std::uint8_t>(p.source),
                                   static_cast<std::uint8_t>(p.sink)})
                           .second;
    if (fresh) first.emplace_back(of_edge[p.by]++, i);
    else rest.emplace_back(0, i);
  }
  std::ranges::stable_sort(first, {}, &std::pair<std::size_t, std::size_t>::first);
  for (const auto& [round, i] : first) enumerated_.push_back(i);
  for (const auto& [round, i] : rest) enumerated_.push_back(i);
}

stream_program program_list::next() {
  const std::uint64_t n = count_++;
  const std::uint64_t turn = n % 8, round = n / 8;
  if (turn == 3) return generate(generator::idiom, seed_ + round);
  if (turn == 7) return generate(generator::swarm, seed_ + round);
  const std::uint64_t number = round * 6 + turn - (turn > 3 ? 1 : 0);
  return generate(generator::enumerator, enumerated_[number % enumerated_.size()]);
}

found_program make_small(judge& by, driver_failure failure, std::chrono::nanoseconds limit) {
  found_program found;
  found.origin = failure.program.origin;
  found.from = failure.program.ops.size();
  if (failure.stuck) {
    found.failure = std::move(failure);
    return found;
  }
  stream_program start = failure.program;
  start.perturbations.clear();
  const auto end = clock::now() + limit;
  const auto fails = driver_oracle(by, runs_of_candidate, [end] { return clock::now() > end; });
  const layout items(failure.program);
  const bool held_call = failure.seen.held != none && items.host_calls().has(at(failure.seen.held));
  by.always_hold_long(held_call);
  const shrink_result small = shrink(start, fails, {most_evaluations});
  found.evaluations = small.evaluations;
  found.failure = std::move(failure);
  for (unsigned i = 0; i < runs_after; ++i) {
    auto again = by.run(small.program);
    ++found.again_of;
    if (!again) continue;
    ++found.again;
    if (small.failed && found.again == 1) found.failure = std::move(*again);
    if (found.failure.stuck) break;
  }
  by.always_hold_long(false);
  return found;
}

std::optional<found_program> search_driver(judge& by, std::uint64_t seed,
                                           std::chrono::nanoseconds limit,
                                           const std::function<void(const std::string&)>& told) {
  program_list programs(seed);
  const auto begin = clock::now();
  while (clock::now() - begin < limit) {
    const stream_program p = programs.next();
    told(p.origin);
    auto failure = by.run(p);
    if (!failure) continue;
    const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
    found_program found = make_small(by, std::move(*failure), shrink_limit);
    found.seconds = seconds;
    return found;
  }
  return std::nullopt;
}

}  // namespace streamcts::program
