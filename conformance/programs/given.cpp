// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that a command line names.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "conformance/clauses/clauses.h"
#include "conformance/programs/run.h"
#include "harness/program/text.h"

namespace streamcts {
namespace {

struct source {
  enum class type { file, range, search } what = type::file;
  std::string path;
  std::string generator;
  std::uint64_t first = 0, count = 0;
};

[[noreturn]] void reject(std::string_view text, std::string_view remedy) {
  throw std::invalid_argument(fmt::format("STREAMCTS_PROGRAMS: '{}': {}", text, remedy));
}

std::uint64_t number(std::string_view text, std::string_view all) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    reject(all, fmt::format("'{}' is no number", text));
  }
  return value;
}

source parse_source(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (colon == std::string_view::npos)
    reject(text, "write file:PATH, range:G:N+COUNT or search:S+SEED");
  const std::string_view rest = text.substr(colon + 1);
  source s;
  if (kind == "file") {
    s.path = rest;
    return s;
  }
  const std::size_t plus = rest.rfind('+');
  if (plus == std::string_view::npos) reject(text, "there is no '+'");
  s.count = number(rest.substr(plus + 1), text);
  if (kind == "search") {
    s.what = source::type::search;
    s.first = number(rest.substr(0, plus), text);
    return s;
  }
  const std::size_t origin = rest.find(':');
  if (kind != "range" || origin == std::string_view::npos || origin > plus) {
    reject(text, "write file:PATH, range:GENERATOR:NUMBER+COUNT or search:SECONDS+SEED");
  }
  s.what = source::type::range;
  s.generator = rest.substr(0, origin);
  s.first = number(rest.substr(origin + 1, plus - origin - 1), text);
  if (!program::generate(fmt::format("{}:{}", s.generator, s.first))) {
    reject(text, "there is no such generator");
  }
  return s;
}

std::string cleaned(std::string text) {
  for (char& c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
    else if (!good)
      c = '_';
  }
  return text;
}

std::string id_of(const source& s) {
  switch (s.what) {
    case source::type::file:
      return "program/file/" + cleaned(std::filesystem::path(s.path).stem().string());
    case source::type::range:
      return fmt::format("program/range/{}.{}.{}", s.generator, s.first, s.count);
    case source::type::search:
      break;
  }
  return fmt::format("program/search/{}s.{}", s.first, s.count);
}

std::map<std::string, source>& sources() {
  static std::map<std::string, source> all;
  return all;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path));
  return text;
}

void run_given(case_context& context) {
  const source& s = sources().at(context.instance().id);
  program_runs runs(context);
  switch (s.what) {
    case source::type::file:
      runs.run(program::parse(read(s.path)));
      break;
    case source::type::range:
      for (std::uint64_t i = 0; i < s.count; ++i) {
        if (!runs.run(*program::generate(fmt::format("{}:{}", s.generator, s.first + i)))) break;
      }
      break;
    case source::type::search:
      runs.search(s.count, std::chrono::seconds(s.first));
      break;
  }
  runs.finish();
}

case_instance instance_of(const source& s) {
  static std::vector<std::unique_ptr<case_definition>> definitions;
  auto& d = *definitions.emplace_back(std::make_unique<case_definition>());
  d.arrangement = "program/given";
  d.clauses = {clause::ST_ORDER_001};
  d.where = isolation::own_process;
  d.without_hold = "judged by its own counts";
  const std::uint64_t seconds = s.what == source::type::search  ? s.first
                                : s.what == source::type::range ? s.count / 10
                                                                : 0;
  d.time_limit = std::chrono::seconds(120 + seconds);
  case_instance made;
  made.id = id_of(s);
  made.clauses = d.clauses;
  made.needs = {need::mapped_memory, need::device_gate};
  made.from = tier::quick;
  made.where = d.where;
  made.definition = &d;
  made.body = &run_given;
  made.file = __FILE__;
  made.line = __LINE__;
  return made;
}

std::vector<case_instance> make_all() {
  std::vector<case_instance> all;
  const char* given = std::getenv("STREAMCTS_PROGRAMS");
  std::string_view rest = given == nullptr ? "" : given;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    if (end != 0) {
      const source s = parse_source(rest.substr(0, end));
      if (sources().emplace(id_of(s), s).second) all.push_back(instance_of(s));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return sorted(std::move(all));
}

}  // namespace

const std::vector<case_instance>& given_programs() {
  static const std::vector<case_instance> all = make_all();
  return all;
}

}  // namespace streamcts
