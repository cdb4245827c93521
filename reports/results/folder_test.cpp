// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "reports/results/example.h"
#include "reports/results/test_folder.h"

namespace streamcts::results {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

class run_folder : public testing::Test {
 protected:
  run_folder() {
    example_.info.finished.clear();
    example_.info.interrupted.clear();
    example_.damages.clear();
  }

  void write(std::string_view name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void write_plan() { write(plan_file, plan_text(example_)); }
  void write_lines() {
    line_file cases(folder_ / cases_file);
    for (const case_record& each : example_.records) cases.append(record_line(each));
    line_file observations(folder_ / observations_file);
    for (const observation& each : example_.observations) {
      observations.append(observation_line(each));
    }
  }

  test_folder folder_;
  run example_ = example_run();
};

TEST_F(run_folder, is_read_without_run_json) {
  write_plan();
  write_lines();
  EXPECT_EQ(load_run(folder_.path()), example_);
}

TEST_F(run_folder, takes_the_end_of_the_run_from_run_json) {
  write_plan();
  write_lines();
  example_.info.finished = "now";
  write(run_file, run_text(example_));
  EXPECT_EQ(load_run(folder_.path()), example_);
}

TEST_F(run_folder, a_run_json_alone_will_do) {
  write(run_file, run_text(example_));
  const run read = load_run(folder_.path());
  EXPECT_EQ(read.records, example_.records);
  EXPECT_EQ(read.planned, example_.planned);
  EXPECT_EQ(read.observations, example_.observations);
  EXPECT_THAT(read.damages, ElementsAre(Field(&damage::file, "plan.json")));
  EXPECT_EQ(load_run(folder_ / run_file), example_);
}

TEST_F(run_folder, a_torn_last_line_costs_that_line_only) {
  write_plan();
  const std::string line = record_line(example_.records[0]);
  write(cases_file, line + line.substr(0, line.size() / 2));
  const run read = load_run(folder_.path());
  EXPECT_THAT(read.records, SizeIs(1));
  EXPECT_THAT(read.damages,
              ElementsAre(AllOf(Field(&damage::file, "cases.jsonl"), Field(&damage::line, 2u),
                                Field(&damage::what, HasSubstr("torn")))));
}

TEST_F(run_folder, a_last_line_that_lacks_its_end_only_is_whole) {
  write_plan();
  const std::string line = record_line(example_.records[0]);
  write(cases_file, line.substr(0, line.size() - 1));
  EXPECT_THAT(load_run(folder_.path()).records, SizeIs(1));
  EXPECT_THAT(load_run(folder_.path()).damages, IsEmpty());
}

TEST_F(run_folder, damaged_lines_are_counted_and_passed_over) {
  write_plan();
  const std::string line = record_line(example_.records[0]);
  write(cases_file, "\n" + line + std::string("\0\xff{\n", 4) + "{\"id\": 1}\n" + line);
  write(observations_file, "[]\n" + observation_line(example_.observations[0]));
  const run read = load_run(folder_.path());
  EXPECT_THAT(read.records, SizeIs(2));
  EXPECT_THAT(read.observations, SizeIs(1));
  EXPECT_THAT(
      read.damages,
      ElementsAre(AllOf(Field(&damage::line, 3u), Field(&damage::what, HasSubstr("no JSON"))),
                  AllOf(Field(&damage::line, 4u), Field(&damage::what, HasSubstr("verdict is missing"))),
                  AllOf(Field(&damage::file, "observations.jsonl"), Field(&damage::line, 1u))));
}

TEST_F(run_folder, a_broken_plan_and_a_broken_run_lose_no_record) {
  write(plan_file, "{");
  write(run_file, "{");
  write_lines();
  const run read = load_run(folder_.path());
  EXPECT_EQ(read.records, example_.records);
  EXPECT_THAT(read.damages,
              ElementsAre(Field(&damage::file, "plan.json"), Field(&damage::file, "run.json")));
}

TEST_F(run_folder, a_file_that_is_none_is_damage) {
  write_plan();
  std::filesystem::create_directory(folder_ / cases_file);
  EXPECT_THAT(load_run(folder_.path()).damages,
              ElementsAre(AllOf(Field(&damage::file, "cases.jsonl"), Field(&damage::line, 0u),
                                Field(&damage::what, HasSubstr("a file is wanted")))));
}

TEST_F(run_folder, a_case_is_planned_once) {
  example_.planned.push_back(example_.planned.front());
  write_plan();
  EXPECT_THAT(load_run(folder_.path()).planned, SizeIs(3));
}

TEST_F(run_folder, what_is_no_run_is_refused) {
  EXPECT_THAT([&] { load_run(folder_.path()); },
              ThrowsMessage<results_error>(AllOf(HasSubstr("no run is in this folder"),
                                                 HasSubstr(folder_.path().string()))));
  EXPECT_THAT([&] { load_run(folder_ / "none"); },
              ThrowsMessage<results_error>(HasSubstr("cannot read")));
  write("text", "hello");
  EXPECT_THAT([&] { load_run(folder_ / "text"); },
              ThrowsMessage<results_error>(HasSubstr("no JSON")));
}

}  // namespace
}  // namespace streamcts::results
