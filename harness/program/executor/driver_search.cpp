// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/driver_search.h"

#include <numeric>

namespace streamcts::program {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds shrink_limit{30};
constexpr unsigned runs_of_candidate = 3, runs_after = 10;
constexpr std::size_t most_evaluations = 400;

}  // namespace

stream_program program_list::next() {
  const std::uint64_t n = count_++;
  const std::uint64_t turn = n % 8, round = n / 8;
  if (turn == 3) return generate(generator::idiom, seed_ + round);
  if (turn == 7) return generate(generator::swarm, seed_ + round);
  // A stride without a common divisor visits every pattern once.
  const std::uint64_t size = enumerated_programs();
  std::uint64_t stride = size * 618 / 1000;
  while (std::gcd(stride, size) != 1) ++stride;
  const std::uint64_t number = round * 6 + turn - (turn > 3 ? 1 : 0);
  return generate(generator::enumerator, (seed_ + number) % size * stride % size);
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
