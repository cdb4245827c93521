// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/faults_arguments.h"

#include <fmt/format.h>

#include <limits>

#include "harness/cli/numbers.h"
#include "harness/runner/errors.h"

namespace streamcts::cli {

namespace {

using command = arguments::command;

template <typename Take>
CLI::Option* add_text(CLI::App* to, const std::string& name, Take take, const std::string& help) {
  return to->add_option_function<std::string>(name, take, help);
}

void add_selection(CLI::App* to, runner::matrix_request& matrix) {
  to->add_option("--filter", matrix.faults.filters,
                 "Only these faults: ids with * and ?; several are added up")
      ->type_name("GLOB");
  to->add_option("--class", matrix.faults.classes, "Only faults of this class, A to J")
      ->type_name("CLASS");
  add_text(to, "--per-class",
           [&matrix](const std::string& text) {
             matrix.faults.per_class = parse_number("--per-class", text, 1, 1'000);
           },
           "So many faults of each class, spread over it, and no legal oddity")
      ->type_name("N");
}

void add_what(CLI::App* to, runner::matrix_request& matrix) {
  add_text(to, "--driver", [&matrix](const std::string& text) { matrix.driver = text; },
           "Driver behind the faults: system, reference, or the path of a library. Default: system")
      ->type_name("PATH");
  add_selection(to, matrix);
  to->add_option("--cases", matrix.cases, "Only these cases, as --filter of 'streamcts run'")
      ->type_name("PATTERN");
  add_text(to, "--tier",
           [&matrix](const std::string& text) {
             try {
               matrix.run_tier = parse_tier(text);
             } catch (const std::invalid_argument& error) {
               throw runner::usage_error(fmt::format("--tier {}: {}", text, error.what()));
             }
           },
           "quick, standard or stress. Default: quick")
      ->type_name("TIER");
  add_text(to, "--holds",
           [&matrix](const std::string& text) {
             const auto kind = runner::hold_kind_from(text);
             if (!kind) {
               throw runner::usage_error(
                   fmt::format("--holds {}: must be gates, none, equal or random", text));
             }
             matrix.holds = *kind;
           },
           "How victims are held: gates, none, equal or random. All but gates exist for comparison")
      ->type_name("HOW");
}

void add_conduct(CLI::App* to, runner::matrix_request& matrix) {
  add_text(to, "--jobs",
           [&matrix](const std::string& text) {
             matrix.jobs = parse_number("--jobs", text, 1, 1024);
           },
           "Faults at once. Default: 1 on a device, the cores on the reference driver")
      ->type_name("N");
  add_text(to, "--seed",
           [&matrix](const std::string& text) {
             matrix.seed = parse_number("--seed", text, 0, std::numeric_limits<std::uint64_t>::max());
           },
           "Seed of everything random. Default: 1, so that two matrices can be compared")
      ->type_name("N");
  add_text(to, "--repeat",
           [&matrix](const std::string& text) {
             matrix.repeat = parse_number("--repeat", text, 1, 1'000'000);
           },
           "Run the case that noticed a fault so often in all; exit 1 where it did not notice it each time")
      ->type_name("N");
  to->add_flag("--all-kills", matrix.all_kills, "Run every case against every fault");
  to->add_flag("--leave-out-red", matrix.leave_out_red,
               "Go on where cases are red without a fault, as on a driver with known defects: they are "
               "listed and left out, faults that only they could notice are masked, and the exit code is "
               "never 0");
  to->add_flag("--whole-oddities", matrix.whole_oddities,
               "Run every case under every legal oddity, not a cover of all arrangements");
}

void add_files(CLI::App* to, runner::matrix_request& matrix) {
  auto* out = to->add_option("--out", matrix.out,
                             "Folder to be made. Default: streamcts-matrix-<time> here")
                  ->type_name("DIR");
  auto* resume =
      to->add_option("--resume", matrix.resume, "Go on with a matrix that ended early")
          ->type_name("DIR");
  resume->excludes(out);
  for (const char* settled :
       {"--driver", "--filter", "--class", "--per-class", "--cases", "--tier", "--holds", "--seed",
        "--repeat"}) {
    resume->excludes(to->get_option(settled));
  }
  add_text(to, "--progress",
           [&matrix](const std::string& text) {
             if (text == "auto") return;
             if (text != "always" && text != "never") {
               throw runner::usage_error(
                   fmt::format("--progress {}: must be auto, always or never", text));
             }
             matrix.shown = text == "always" ? runner::progress_mode::always
                                             : runner::progress_mode::never;
           },
           "auto, always or never")
      ->type_name("WHEN");
}

}  // namespace

void add_faults(CLI::App& app, arguments& into) {
  CLI::App* faults = app.add_subcommand("faults", "Show that the tests can fail");
  faults->require_subcommand(1);

  CLI::App* list = faults->add_subcommand("list", "List the faults of the catalogue");
  add_selection(list, into.matrix);
  add_text(list, "--format",
           [&into](const std::string& text) {
             if (text == "json") into.format = output_format::json;
             else if (text != "text") {
               throw runner::usage_error(fmt::format("--format {}: must be text or json", text));
             }
           },
           "text or json")
      ->type_name("FORMAT");
  list->final_callback([&into] { into.what = command::faults_list; });

  CLI::App* matrix = faults->add_subcommand(
      "matrix", "Run the suite against each fault: killed, survived or not reached");
  add_what(matrix, into.matrix);
  add_conduct(matrix, into.matrix);
  add_files(matrix, into.matrix);
  matrix->final_callback([&into] { into.what = command::faults_matrix; });
}

}  // namespace streamcts::cli
