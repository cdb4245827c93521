// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_program_drive: runs programs on a driver in this process, for measuring. Not installed;
// `streamcts program` does it in children.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "harness/driver/context.h"
#include "harness/driver/driver_library.h"
#include "harness/driver/kernels.h"
#include "harness/program/emit.h"
#include "harness/program/executor/driver_search.h"
#include "harness/program/text.h"

namespace {

using namespace streamcts;
using namespace streamcts::program;

void print_counts(const judge_counts& c, double seconds) {
  fmt::print("{} programs, {} runs ({:.0f}/s), {} holds: {} by canary, {} by time", c.programs,
             c.runs, static_cast<double>(c.runs) / seconds, c.holds, c.by_canary, c.by_time);
  for (const auto& [why, times] : c.missed) fmt::print("; {} {}", times, why);
  for (const auto& [what, times] : c.not_supported) fmt::print("; {} without {}", times, what);
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs stream programs on a driver"};
  std::string path = "system", only;
  std::uint64_t seconds = 10, seed = 1, programs = 0;
  std::size_t slots = 4;
  std::string source;
  bool every = false;
  app.add_option("--driver", path, "a library");
  app.add_option("--time", seconds, "seconds");
  app.add_option("--seed", seed, "where to begin");
  app.add_option("--only", only, "one program, as in enumerator:17");
  app.add_option("--programs", programs, "at most so many; 0: as time allows");
  app.add_option("--slots", slots, "runs side by side");
  app.add_option("--source", source, "file for the reproducer of what was found");
  app.add_flag("--every", every, "go on after a failure, and do not make it small");
  CLI11_PARSE(app, argc, argv);

  const auto library = driver::driver_library::open(path);
  environment where;
  where.cuda = &library.functions(driver::stream_mode::legacy);
  where.per_thread = &library.functions(driver::stream_mode::per_thread);
  driver::initialize(*where.cuda);
  const driver::context context = driver::context::primary(*where.cuda);
  const driver::kernel_image image(*where.cuda);
  const driver::kernel_set kernels(*where.cuda, image);
  const driver::stream warm(*where.cuda, driver::stream_kind::non_blocking);
  kernels.warm_up(warm);
  where.kernels = &kernels;
  where.context = context.get();
  where.make_current = [&context] { context.make_current(); };
  where.managed = where.memops = true;
  where.slots = slots;
  executor by(where);
  judge j(by);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::size_t failures = 0;
  program_list list(seed);
  while (elapsed() < static_cast<double>(seconds) && by.usable() &&
         (programs == 0 || j.counts().programs < programs)) {
    const stream_program p = only.empty() ? list.next() : generate(only).value();
    auto f = j.run(p);
    if (!only.empty() && !f && programs == 0) break;
    if (!f) continue;
    ++failures;
    if (every) {
      fmt::print("{}", f->why.text());
      continue;
    }
    const double found_after = elapsed();
    const found_program found = make_small(j, std::move(*f), std::chrono::seconds(20));
    fmt::print("found {} {:.3f} s {} to {} operations, {} trials, {} of {} again\n", found.origin,
               found_after, found.from, found.failure.program.ops.size(), found.evaluations,
               found.again, found.again_of);
    fmt::print("{}{}", to_text(found.failure.program), found.failure.why.text());
    if (!source.empty() && can_emit(found.failure.program)) {
      if (std::FILE* file = std::fopen(source.c_str(), "w")) {
        fmt::print(file, "{}", emit(found.failure.program, found.failure.why.text()));
        std::fclose(file);
      }
    }
    break;
  }
  print_counts(j.counts(), elapsed());
  std::fflush(stdout);
  if (!by.usable()) std::_Exit(1);
  return failures == 0 ? 0 : 1;
}
