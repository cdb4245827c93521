// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_program_lab: measures the model, the simulator and the generators. Not installed.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "harness/program/compare.h"
#include "harness/program/text.h"

namespace {

using namespace streamcts::program;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int compare_command(std::uint64_t programs, std::uint64_t seed) {
  comparer c;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < programs; ++i) {
    const auto g = static_cast<generator>(i % static_cast<std::uint64_t>(generator::count));
    const std::uint64_t number = seed + i / static_cast<std::uint64_t>(generator::count);
    if (!c.compare(generate(g, number), number)) break;
  }
  const comparison& r = c.result();
  const double seconds = seconds_since(start);
  fmt::print("{} programs, {} runs, {} compared both ways, {:.1f} s, {:.0f} programs/s\n",
             r.programs, r.runs, r.exact, seconds, static_cast<double>(r.programs) / seconds);
  if (r.disagreement.empty()) return 0;
  fmt::print("DISAGREEMENT {}\n{}", r.disagreement, to_text(r.culprit));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures the stream program model, simulator and generators"};
  app.require_subcommand(1);
  std::uint64_t programs = 100000, seed = 1;
  auto* compare = app.add_subcommand("compare", "the model against the simulator");
  compare->add_option("--programs", programs, "how many");
  compare->add_option("--seed", seed, "first seed of the random generators");
  std::string origin;
  auto* show = app.add_subcommand("show", "print a generated program");
  show->add_option("origin", origin, "as in swarm:17")->required();
  CLI11_PARSE(app, argc, argv);
  if (*compare) return compare_command(programs, seed);
  const auto p = generate(origin);
  if (!p) {
    fmt::print(stderr, "'{}' names no program; write it as in swarm:17\n", origin);
    return 64;
  }
  fmt::print("{}", to_text(*p));
  return 0;
}
