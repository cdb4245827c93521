// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_program_lab: measures the model, the simulator and the generators. Not installed.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "harness/program/compare.h"
#include "harness/program/emit.h"
#include "harness/program/explain.h"
#include "harness/program/search.h"
#include "harness/program/shrink.h"
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

constexpr std::size_t generators = static_cast<std::size_t>(generator::count);
constexpr std::size_t strategies = static_cast<std::size_t>(strategy::count);

/// How many programs of each generator kill a defect, by strategy.
using kill_counts = std::array<std::array<std::size_t, strategies>, generators>;

std::vector<kill_counts> count_kills(std::uint64_t programs, std::uint64_t seed) {
  std::vector<kill_counts> counts(all_defects().size());
  searcher s;
  for (std::size_t g = 0; g < generators; ++g) {
    for (std::uint64_t i = 0; i < programs; ++i) {
      // Of the enumerator a sample, spread over all of it.
      const bool enumerated = static_cast<generator>(g) == generator::enumerator;
      const std::uint64_t number = enumerated ? i * enumerated_programs() / programs : seed + i;
      const stream_program p = generate(static_cast<generator>(g), number);
      s.load(p);
      for (std::size_t d = 0; d < counts.size(); ++d) {
        for (std::size_t how = 0; how < strategies; ++how) {
          const bool killed = s.kills(all_defects()[d].which, static_cast<strategy>(how), seed + i);
          counts[d][g][how] += killed ? 1 : 0;
        }
      }
    }
  }
  return counts;
}

int kills_command(std::uint64_t programs, std::uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  const auto counts = count_kills(programs, seed);
  fmt::print("Share of {} programs that kill, for each generator: natural, random delays, equal "
             "delays, random delays as often as holds, hold each\n\n{:6}",
             programs, "");
  for (std::size_t g = 0; g < generators; ++g) {
    fmt::print("  {:30}", to_string(static_cast<generator>(g)));
  }
  fmt::print("\n");
  const auto share = [&](std::size_t n) { return static_cast<double>(n) / static_cast<double>(programs); };
  for (std::size_t d = 0; d < counts.size(); ++d) {
    fmt::print("{:6}", all_defects()[d].id);
    for (const auto& of : counts[d]) {
      fmt::print("  ");
      for (const std::size_t n : of) fmt::print(" {:5.3f}", share(n));
    }
    fmt::print("  {}\n", all_defects()[d].title);
  }
  fmt::print("\n");
  for (std::size_t g = 0; g < generators; ++g) {
    for (std::size_t how = 0; how < strategies; ++how) {
      std::size_t killed = 0;
      double sum = 0;
      for (const auto& c : counts) {
        killed += c[g][how] != 0 ? 1 : 0;
        sum += share(c[g][how]);
      }
      fmt::print("{:10} {:13} killed {:3} of {}, mean share {:.3f}\n",
                 to_string(static_cast<generator>(g)), to_string(static_cast<strategy>(how)),
                 killed, counts.size(), sum / static_cast<double>(counts.size()));
    }
  }
  fmt::print("{:.0f} s\n", seconds_since(start));
  return 0;
}

/// The whole enumerator, then programs with a fault, each defect until its first kill.
int complete_command() {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::size_t> alive;
  for (std::size_t d = 0; d < all_defects().size(); ++d) alive.push_back(d);
  searcher s;
  std::size_t runs = 0, operations = 0;
  for (std::uint64_t i = 0; i < enumerated_programs(); ++i) {
    const stream_program p = generate(generator::enumerator, i);
    s.load(p);
    runs += 1 + s.expectations().items().size();
    operations += p.ops.size();
    std::erase_if(alive, [&](std::size_t d) {
      const bool killed = s.kills(all_defects()[d].which, strategy::hold_each, i);
      if (killed) fmt::print("{:5} first killed by enumerator:{}\n", all_defects()[d].id, i);
      return killed;
    });
  }
  // What is told of a fault only programs with one can show.
  for (std::uint64_t i = 0; i < 500 && !alive.empty(); ++i) {
    const stream_program p = generate(generator::fault, i);
    s.load(p);
    std::erase_if(alive, [&](std::size_t d) {
      const bool killed = s.kills(all_defects()[d].which, strategy::hold_each, i);
      if (killed) fmt::print("{:5} first killed by fault:{}\n", all_defects()[d].id, i);
      return killed;
    });
  }
  fmt::print("{} programs, {:.2f} operations in the mean, {} runs, {:.1f} s\n",
             enumerated_programs(),
             static_cast<double>(operations) / static_cast<double>(enumerated_programs()), runs,
             seconds_since(start));
  for (const std::size_t d : alive) {
    fmt::print("SURVIVES {:5} {}\n", all_defects()[d].id, all_defects()[d].title);
  }
  return alive.empty() ? 0 : 1;
}

/// For each defect some failing programs of the idiom mixer and the plain generator, made small.
int shrink_command(std::uint64_t programs, std::uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::size_t> sizes, evaluations;
  std::set<std::string> buckets;
  for (const defect_info& d : all_defects()) {
    searcher s;
    std::size_t got = 0;
    std::string example;
    for (std::uint64_t i = 0; i < 2000 && got < programs; ++i) {
      constexpr std::array from{generator::idiom, generator::plain, generator::fault};
      const stream_program p = generate(from[i % from.size()], seed + i);
      s.load(p);
      if (!s.kills(d.which, strategy::hold_each, 1)) continue;
      const shrink_result r = shrink(p, simulator_oracle(d.which));
      sizes.push_back(r.program.ops.size());
      evaluations.push_back(r.evaluations);
      s.load(r.program);
      const auto f = s.search(d.which, strategy::hold_each, 1);
      if (f) buckets.insert(bucket_of(s.expectations(), f->seen, f->found));
      if (f && got++ == 0) {
        example = fmt::format("{} to {} operations: {}", p.ops.size(), r.program.ops.size(),
                              explain(s.expectations(), f->seen, f->found).headline);
      }
    }
    fmt::print("{:5} {} programs; {}\n", d.id, got, example);
  }
  if (sizes.empty()) return 1;
  std::ranges::sort(sizes);
  std::size_t sum = 0;
  for (const std::size_t n : evaluations) sum += n;
  fmt::print("{} shrinks: median {}, largest {} operations, {:.1f} evaluations each, {} buckets, "
             "{:.1f} s\n",
             sizes.size(), sizes[sizes.size() / 2], sizes.back(),
             static_cast<double>(sum) / static_cast<double>(sizes.size()), buckets.size(),
             seconds_since(start));
  return 0;
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
  bool as_source = false;
  show->add_flag("--source", as_source, "as stand-alone CUDA C++");
  std::uint64_t sample = 100;
  bool complete = false;
  auto* kills = app.add_subcommand("kills", "which programs kill which defects");
  kills->add_option("--programs", sample, "of each generator");
  kills->add_option("--seed", seed, "first seed of the random generators");
  kills->add_flag("--complete", complete, "the whole enumerator, until each defect is killed");
  auto* small = app.add_subcommand("shrink", "sizes of shrunk programs");
  std::uint64_t each = 5;
  small->add_option("--programs", each, "for each defect");
  small->add_option("--seed", seed, "first seed of the random generators");
  CLI11_PARSE(app, argc, argv);
  if (*compare) return compare_command(programs, seed);
  if (*kills) return complete ? complete_command() : kills_command(sample, seed);
  if (*small) return shrink_command(each, seed);
  const auto p = generate(origin);
  if (!p) {
    fmt::print(stderr, "'{}' names no program; write it as in swarm:17\n", origin);
    return 64;
  }
  if (as_source) fmt::print("{}", can_emit(*p) ? emit(*p) : "");
  else fmt::print("{}\n{}", to_text(*p), describe(model(*p)));
  return 0;
}
