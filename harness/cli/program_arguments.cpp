// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/program_arguments.h"

#include <limits>

#include "harness/cli/numbers.h"
#include "harness/runner/errors.h"

namespace streamcts::cli {

namespace {

using command = arguments::command;

constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

template <typename Take>
CLI::Option* add_text(CLI::App* to, const std::string& name, Take take, const std::string& help) {
  return to->add_option_function<std::string>(name, take, help);
}

void add_conduct(CLI::App* to, arguments& into) {
  runner::run_request& run = into.run;
  add_text(to, "--driver", [&run](const std::string& text) { run.target.driver = text; },
           "Driver under test: system, reference, or the path of a library")
      ->type_name("PATH");
  to->add_option("--out", run.out, "Run folder to be made. Default: streamcts-run-<time> here")
      ->type_name("DIR");
  to->add_option("--capabilities", run.target.capabilities_file,
                 "Take what 'streamcts probe --out FILE' found instead of probing")
      ->type_name("FILE");
  to->add_flag("--require-device", run.target.require_device, "Refuse the reference driver");
  add_text(to, "--slots",
           [&into](const std::string& text) {
             into.programs.slots = parse_number("--slots", text, 1, 32);
           },
           "Runs side by side, where programs allow it. Default: 4")
      ->type_name("N");
}

void add_search(CLI::App* group, arguments& into) {
  CLI::App* search = group->add_subcommand("search", "Look for a program that fails");
  add_conduct(search, into);
  add_text(search, "--time",
           [&into](const std::string& text) {
             into.programs.seconds = parse_number("--time", text, 1, 1'000'000);
           },
           "For how long. Default: 60")
      ->type_name("SECONDS");
  add_text(search, "--seed",
           [&into](const std::string& text) {
             into.programs.seed = parse_number("--seed", text, 0, any);
           },
           "Where to begin. Default: 1")
      ->type_name("N");
  search->final_callback([&into] { into.what = command::program_search; });
}

}  // namespace

void add_program(CLI::App& app, arguments& into) {
  CLI::App* group = app.add_subcommand("program", "Run stream programs, search for failing ones");
  group->require_subcommand(1);
  CLI::App* run = group->add_subcommand("run", "Run programs from files");
  add_conduct(run, into);
  run->add_option("files", into.programs.files, "Programs in text form")
      ->type_name("FILE")
      ->required();
  run->final_callback([&into] { into.what = command::program_run; });
  CLI::App* replay = group->add_subcommand("replay", "Run generated programs again");
  add_conduct(replay, into);
  replay->add_option("ids", into.programs.files, "As in enumerator:4711, or swarm:17+100 for several")
      ->type_name("ID")
      ->required();
  replay->final_callback([&into] { into.what = command::program_replay; });
  add_search(group, into);
  CLI::App* explain =
      group->add_subcommand("explain", "Say what each observer must, must not and may see");
  explain->add_option("program", into.programs.files, "A file, or an id as in enumerator:4711")
      ->type_name("FILE")
      ->required();
  explain->final_callback([&into] { into.what = command::program_explain; });
  CLI::App* emit =
      group->add_subcommand("emit", "Write a stand-alone CUDA C++ program that does the same");
  emit->add_option("program", into.programs.files, "A file, or an id as in enumerator:4711")
      ->type_name("FILE")
      ->required();
  emit->add_option("--out", into.out, "File for the source; - for stdout. Default: -")
      ->type_name("FILE");
  emit->final_callback([&into] { into.what = command::program_emit; });
}

}  // namespace streamcts::cli
