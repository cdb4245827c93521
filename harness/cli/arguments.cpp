// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string_view>

#include "harness/cli/faults_arguments.h"
#include "harness/cli/numbers.h"
#include "harness/cli/program_arguments.h"
#include "harness/runner/errors.h"

namespace streamcts::cli {

namespace {

using command = arguments::command;

constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

tier tier_named(const std::string& text) {
  try {
    return parse_tier(text);
  } catch (const std::invalid_argument& error) {
    throw runner::usage_error(fmt::format("--tier {}: {}", text, error.what()));
  }
}

output_format format_named(const std::string& text, bool with_ctest) {
  if (text == "text") return output_format::text;
  if (text == "json") return output_format::json;
  if (text == "ctest" && with_ctest) return output_format::ctest;
  throw runner::usage_error(fmt::format("--format {}: must be text{}", text,
                                        with_ctest ? ", json or ctest" : " or json"));
}

/// Reads an option's text by a function of ours, so that every mistake is told in the same way.
template <typename Take>
CLI::Option* add_text(CLI::App* to, const std::string& name, Take take, const std::string& help) {
  return to->add_option_function<std::string>(name, take, help);
}

void add_driver(CLI::App* to, runner::target_request& target) {
  add_text(to, "--driver", [&target](const std::string& text) { target.driver = text; },
           "Driver under test: system, reference, or the path of a library. Default: system, and "
           "the reference only where no libcuda.so.1 can be found")
      ->type_name("PATH");
  to->add_option("--runtime", target.runtime,
                 "Runtime under test: the path of a libcudart, or none. Default: the one that the "
                 "loader finds")
      ->type_name("PATH");
}

void add_format(CLI::App* to, output_format& format, bool with_ctest) {
  add_text(to, "--format",
           [&format, with_ctest](const std::string& text) {
             format = format_named(text, with_ctest);
           },
           with_ctest ? "text, json or ctest" : "text or json")
      ->type_name("FORMAT");
}

void add_filter(CLI::App* to, std::vector<std::string>& filters) {
  to->add_option("--filter", filters,
                 "Only these cases: ids with * and ?, the front of an id, a clause such as "
                 "CB-ORDER-001; several are added up")
      ->type_name("PATTERN");
}

void add_selection_of_run(CLI::App* to, runner::run_request& run) {
  add_driver(to, run.target);
  add_text(to, "--tier", [&run](const std::string& text) { run.run_tier = tier_named(text); },
           "quick, standard or stress. Default: standard, quick on the reference driver")
      ->type_name("TIER");
  add_filter(to, run.filters);
  add_text(to, "--repeat",
           [&run](const std::string& text) {
             run.repeat = parse_number("--repeat", text, 1, 1'000'000);
           },
           "Run the whole selection so many times, each with a seed of its own")
      ->type_name("N");
  add_text(to, "--seed",
           [&run](const std::string& text) { run.seed = parse_number("--seed", text, 0, any); },
           "Seed of everything random. Default: another one each time")
      ->type_name("N");
}

void add_conduct_of_run(CLI::App* to, runner::run_request& run) {
  add_text(to, "--jobs",
           [&run](const std::string& text) { run.jobs = parse_number("--jobs", text, 1, 1024); },
           "Child processes at once. Default: 1 on a device, the cores on the reference driver")
      ->type_name("N");
  add_text(to, "--timeout",
           [&run](const std::string& text) {
             run.timeout = std::chrono::milliseconds(
                 static_cast<std::int64_t>(1e3 * parse_seconds("--timeout", text)) + 1);
           },
           "Time limit of each case. Default: by what the probe measured")
      ->type_name("SECONDS");
  to->add_flag("--fail-fast", run.fail_fast, "End at the first case that is red");
  to->add_flag_callback("--no-retest", [&run] { run.retest = false; },
                        "Do not run red cases again");
  to->add_flag("--require-device", run.target.require_device, "Refuse the reference driver");
  to->add_option("--before-child", run.before_child,
                 "Shell command before each child process, such as a server's restart")
      ->type_name("CMD");
}

void add_files_of_run(CLI::App* to, runner::run_request& run) {
  auto* out = to->add_option("--out", run.out,
                             "Run folder to be made. Default: streamcts-run-<time> here")
                  ->type_name("DIR");
  auto* resume = to->add_option("--resume", run.resume,
                                "Go on with a run that ended early: the cases without a record")
                     ->type_name("DIR");
  resume->excludes(out);
  for (const char* settled : {"--tier", "--filter", "--repeat", "--seed", "--driver", "--runtime"}) {
    resume->excludes(to->get_option(settled));
  }
  to->add_option("--capabilities", run.target.capabilities_file,
                 "Take what 'streamcts probe --out FILE' found instead of probing")
      ->type_name("FILE");
  add_text(to, "--progress",
           [&run](const std::string& text) {
             if (text == "auto") return;
             if (text != "always" && text != "never") {
               throw runner::usage_error(
                   fmt::format("--progress {}: must be auto, always or never", text));
             }
             run.shown = text == "always" ? runner::progress_mode::always
                                          : runner::progress_mode::never;
           },
           "auto, always or never")
      ->type_name("WHEN");
  to->add_option("--ctest", run.only, "Run one case, with exit codes for ctest")
      ->type_name("ID")
      ->excludes(resume)
      ->excludes(to->get_option("--filter"));
}

void add_run(CLI::App& app, arguments& into) {
  CLI::App* run = app.add_subcommand("run", "Run cases and leave a run folder with reports");
  add_selection_of_run(run, into.run);
  add_conduct_of_run(run, into.run);
  add_files_of_run(run, into.run);
  run->final_callback([&into] { into.what = command::run; });
}

void add_probe(CLI::App& app, arguments& into) {
  CLI::App* probe =
      app.add_subcommand("probe", "Find out what the driver can do, and measure its calibration");
  add_driver(probe, into.target);
  probe->add_option("--out", into.out, "File for the result; - for stdout")
      ->type_name("FILE")
      ->required();
  probe->add_flag("--require-device", into.target.require_device, "Refuse the reference driver");
  probe->add_option("--before-child", into.before_child, "Shell command before each child process")
      ->type_name("CMD");
  probe->final_callback([&into] { into.what = command::probe; });
}

void add_catalogue(CLI::App& app, arguments& into) {
  CLI::App* list = app.add_subcommand("list", "List cases");
  add_text(list, "--tier", [&into](const std::string& text) { into.up_to = tier_named(text); },
           "Only this tier and those it contains")
      ->type_name("TIER");
  add_filter(list, into.filters);
  add_format(list, into.format, true);
  list->add_option("--work-folder", into.work_folder,
                   "Where tests of --format ctest keep the result of the probe")
      ->type_name("DIR");
  add_text(list, "--driver", [&into](const std::string& text) { into.target.driver = text; },
           "Driver for the tests of --format ctest")
      ->type_name("PATH");
  list->final_callback([&into] { into.what = command::list; });

  CLI::App* clauses = app.add_subcommand("clauses", "Show the promises and their cases");
  clauses->add_flag("--uncovered", into.uncovered, "Only promises without a case, and why");
  add_format(clauses, into.format, false);
  clauses->final_callback([&into] { into.what = command::clauses; });
}

void add_others(CLI::App& app, arguments& into) {
  CLI::App* devices = app.add_subcommand("devices", "List the devices of the driver");
  add_driver(devices, into.target);
  add_format(devices, into.format, true);
  devices->final_callback([&into] { into.what = command::devices; });

  CLI::App* report = app.add_subcommand("report", "Make the reports of a run folder anew");
  report->add_option("folder", into.folder, "The run folder")->type_name("DIR")->required();
  report->final_callback([&into] { into.what = command::report; });

  CLI::App* doctor =
      app.add_subcommand("doctor", "Say what this machine has and lacks, with remedies");
  add_driver(doctor, into.target);
  doctor->final_callback([&into] { into.what = command::doctor; });

  CLI::App* version = app.add_subcommand("version", "Print the version");
  version->final_callback([&into] { into.what = command::version; });
}

/// CLI11's messages, on one line and with the way to help.
std::string one_line(std::string text) {
  for (char& each : text) {
    if (each == '\n') each = ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

arguments parse_arguments(int count, const char* const* words) {
  arguments made;
  CLI::App app("streamcts: a conformance test suite for CUDA streams", "streamcts");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 all held, 1 a promise was broken, 2 no verdict, 64 wrong usage.");
  add_run(app, made);
  add_probe(app, made);
  add_catalogue(app, made);
  add_faults(app, made);
  add_program(app, made);
  add_others(app, made);
  for (int i = 0; i < count; ++i) made.run.command.emplace_back(words[i]);
  if (count == 2 && std::string(words[1]) == "--version") {
    made.what = command::version;
    return made;
  }
  const auto is_command = [&](std::string_view word) {
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    return std::any_of(commands.begin(), commands.end(),
                       [&](const CLI::App* each) { return each->check_name(std::string(word)); });
  };
  if (count > 1 && words[1][0] != '-' && !is_command(words[1])) {
    throw runner::usage_error(fmt::format("{}: is no command; see 'streamcts --help'", words[1]));
  }
  try {
    app.parse(count, const_cast<char**>(words));
  } catch (const CLI::CallForHelp&) {
    made.help = app.help();
    made.what = command::help;
  } catch (const CLI::CallForAllHelp&) {
    made.help = app.help("", CLI::AppFormatMode::All);
    made.what = command::help;
  } catch (const CLI::ParseError& error) {
    throw runner::usage_error(fmt::format("{}; see 'streamcts{} --help'", one_line(error.what()),
                                          app.get_subcommands().empty()
                                              ? ""
                                              : " " + app.get_subcommands().front()->get_name()));
  }
  return made;
}

}  // namespace streamcts::cli
