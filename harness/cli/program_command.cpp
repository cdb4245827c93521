// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/cli/commands.h"
#include "harness/program/emit.h"
#include "harness/program/explain.h"
#include "harness/program/generate.h"
#include "harness/program/text.h"
#include "harness/runner/errors.h"
#include "reports/results/folder.h"

namespace streamcts::cli {

namespace {

namespace fs = std::filesystem;
using command = arguments::command;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || fs::is_directory(path)) {
    throw runner::usage_error(fmt::format("{}: cannot be read; name a program's file", path));
  }
  return text;
}

program::stream_program parse_file(const std::string& path) {
  try {
    return program::parse(read_file(path));
  } catch (const program::parse_error& error) {
    throw runner::usage_error(fmt::format("{}: {}", path, error.what()));
  }
}

/// A file, or a generated program.
program::stream_program program_named(const std::string& name) {
  if (!fs::exists(name)) {
    if (auto made = program::generate(name)) return *std::move(made);
    throw runner::usage_error(
        fmt::format("{}: is no file, and no program such as enumerator:17", name));
  }
  return parse_file(name);
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw runner::machine_error(fmt::format("{}: cannot be written", path.string()));
}

/// `enumerator:17` or `enumerator:17+100`, as STREAMCTS_PROGRAMS takes it.
std::string range_of(const std::string& id) {
  const std::size_t plus = id.find('+');
  const std::string origin = id.substr(0, plus);
  const bool number = plus == std::string::npos ||
                      (plus + 1 < id.size() &&
                       id.find_first_not_of("0123456789", plus + 1) == std::string::npos);
  if (!program::generate(origin) || !number) {
    throw runner::usage_error(
        fmt::format("{}: is no program; write it as in enumerator:17 or swarm:17+100", id));
  }
  return "range:" + origin + (plus == std::string::npos ? "+1" : id.substr(plus));
}

std::string sources_of(const arguments& given) {
  if (given.what == command::program_search) {
    return fmt::format("search:{}+{}", given.programs.seconds, given.programs.seed);
  }
  std::string all;
  for (const std::string& each : given.programs.files) {
    if (!all.empty()) all += ';';
    if (given.what == command::program_replay) {
      all += range_of(each);
      continue;
    }
    parse_file(each);  // mistakes are told here, not by a child
    const std::string path = fs::absolute(each).string();
    if (path.find(';') != std::string::npos) {
      throw runner::usage_error(fmt::format("{}: a path with ';' cannot be passed on; rename it", each));
    }
    all += "file:" + path;
  }
  return all;
}

/// What failed, as files of its own: the program and its reproducer.
void write_found(const fs::path& folder) {
  const results::run run = results::load_run(folder);
  std::size_t number = 0;
  for (const results::observation& o : run.observations) {
    if (o.name == "explanation") fmt::print("\n{}", o.value);
    if (o.name == "program runs") fmt::print("{}: {}\n", o.case_id, o.value);
    if (o.name == "seconds to find") fmt::print("found after {} s\n", o.value);
    if (o.name != "program") continue;
    fs::create_directories(folder / "programs");
    const fs::path base = folder / "programs" / fmt::format("failed_{:02}", number++);
    write_file(base.string() + ".program", o.value);
    const program::stream_program failed = program::parse(o.value);
    write_file(base.string() + ".cu", program::emit(failed));
    fmt::print("\n{}\n{}\n{}.program and .cu\n", o.note, o.value, base.string());
  }
}

int run_programs(const arguments& given, const runner::program_parts& program) {
  runner::run_request request = given.run;
  if (request.out.empty()) request.out = "streamcts-programs";
  const std::string sources = sources_of(given);
  // Cases are listed by this process and run by its children.
  setenv("STREAMCTS_PROGRAMS", sources.c_str(), 1);
  if (given.programs.slots != 0) {
    setenv("STREAMCTS_PROGRAM_SLOTS", std::to_string(given.programs.slots).c_str(), 1);
  }
  // Runs side by side need queues of their own; what the user has set stays.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  request.filters = {given.what == command::program_run      ? "program/file/*"
                     : given.what == command::program_replay ? "program/range/*"
                                                             : "program/search/*"};
  request.run_tier = tier::standard;
  if (given.what == command::program_search) request.retest = false;
  const int exit_code = runner::run(request, program);
  write_found(request.out);
  return exit_code;
}

}  // namespace

int program_command(const arguments& given, const runner::program_parts& program) {
  switch (given.what) {
    case command::program_explain:
      for (const std::string& each : given.programs.files) {
        const program::stream_program p = program_named(each);
        fmt::print("{}\n{}", program::to_text(p), program::describe(program::model(p)));
      }
      return 0;
    case command::program_emit: {
      if (given.programs.files.size() != 1) {
        throw runner::usage_error("program emit: name one program");
      }
      const std::string source = program::emit(program_named(given.programs.files.front()));
      if (given.out.empty() || given.out == "-") fmt::print("{}", source);
      else write_file(given.out, source);
      return 0;
    }
    default:
      return run_programs(given, program);
  }
}

}  // namespace streamcts::cli
