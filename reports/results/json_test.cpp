// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "reports/results/error.h"
#include "reports/results/example.h"
#include "reports/results/folder.h"
#include "reports/results/schema.h"

namespace streamcts::results {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

json schema() {
  return parse_json(read_file(STREAMCTS_RUN_SCHEMA), "run.schema.json");
}

TEST(json, a_record_comes_back) {
  const case_record full = example_record();
  EXPECT_EQ(parse_record(record_line(full), "x"), full);
  case_record bare;
  bare.id = "a";
  EXPECT_EQ(parse_record(record_line(bare), "x"), bare);
}

TEST(json, a_record_is_one_line_whatever_its_texts_hold) {
  case_record record = example_record();
  record.reason.clear();
  for (int i = 0; i < 256; ++i) record.reason += static_cast<char>(i);
  record.id = record.stdout_tail = record.failure->seen = record.reason;
  record.stacks = {record.reason};
  const std::string line = record_line(record);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const case_record once = parse_record(line, "x");
  EXPECT_EQ(record_line(once), line);
  EXPECT_THAT(once.reason, HasSubstr("\\x00"));
  EXPECT_THAT(once.reason, HasSubstr("\\xff"));
}

TEST(json, seeds_keep_all_bits) {
  case_record record;
  record.id = "a";
  record.seed = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(record_line(record), HasSubstr("\"0xffffffffffffffff\""));
  EXPECT_EQ(parse_record(record_line(record), "x").seed, record.seed);
  EXPECT_EQ(parse_record(R"({"id": "a", "verdict": "Pass", "seed": "12"})", "x").seed, 12u);
  EXPECT_EQ(parse_record(R"({"id": "a", "verdict": "Pass", "seed": 12})", "x").seed, 12u);
}

TEST(json, time_without_end_is_none) {
  case_record record;
  record.id = "a";
  for (const double odd :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    record.seconds = odd;
    EXPECT_EQ(parse_record(record_line(record), "x").seconds, 0);
  }
}

TEST(json, an_observation_comes_back) {
  const observation full = example_observation();
  EXPECT_EQ(parse_observation(observation_line(full), "x"), full);
  observation bare;
  bare.name = "n";
  EXPECT_EQ(parse_observation(observation_line(bare), "x"), bare);
}

TEST(json, a_plan_comes_back) {
  run value = example_run();
  const run read = parse_run(plan_text(value), "x");
  EXPECT_EQ(read.info, value.info);
  EXPECT_EQ(read.planned, value.planned);
  EXPECT_THAT(read.records, IsEmpty());
}

TEST(json, a_run_comes_back) {
  const run value = example_run();
  EXPECT_EQ(parse_run(run_text(value), "x"), value);
}

TEST(json, what_is_written_keeps_to_the_schema) {
  const json rules = schema();
  const run full = example_run();
  EXPECT_THAT(schema_errors(rules, parse_json(run_text(full), "run.json")), IsEmpty());
  EXPECT_THAT(schema_errors(rules, parse_json(run_text(run{}), "run.json")), IsEmpty());
  const json& record_rules = rules["$defs"]["case"];
  EXPECT_THAT(schema_errors(rules, record_rules, parse_json(record_line(example_record()), "x")),
              IsEmpty());
}

// The validator of the test can say no.
TEST(json, what_breaks_the_schema_is_noticed) {
  const json rules = schema();
  const json good = parse_json(run_text(example_run()), "run.json");
  const auto broken = [&](const char* pointer, const json& value) {
    json copy = good;
    copy[json::json_pointer(pointer)] = value;
    return schema_errors(rules, copy);
  };
  EXPECT_THAT(broken("/schema", "streamcts-run/2"), SizeIs(1));
  EXPECT_THAT(broken("/seconds", -1), SizeIs(1));
  EXPECT_THAT(broken("/seconds", "1"), SizeIs(1));
  EXPECT_THAT(broken("/surprise", 1), SizeIs(1));
  EXPECT_THAT(broken("/environment/cores", 1.5), SizeIs(1));
  EXPECT_THAT(broken("/cases/0/seed", "12"), SizeIs(1));
  EXPECT_THAT(broken("/cases/0/verdict", "Perhaps"), SizeIs(1));
  EXPECT_THAT(broken("/cases/0/failure/events/0/phase", "middle"), SizeIs(1));
  EXPECT_THAT(broken("/capabilities/gate", 1), SizeIs(1));
  json copy = good;
  copy["cases"][0].erase("id");
  EXPECT_THAT(schema_errors(rules, copy), SizeIs(1));
}

struct bad_record {
  const char* text;
  const char* message;
};

class bad_records : public testing::TestWithParam<bad_record> {};

TEST_P(bad_records, are_refused_with_the_place) {
  EXPECT_THAT(
      [&] { parse_record(GetParam().text, "cases.jsonl:7"); },
      ThrowsMessage<results_error>(AllOf(HasSubstr("cases.jsonl:7: "),
                                         HasSubstr(GetParam().message), Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(
    json, bad_records,
    testing::Values(
        bad_record{"{\"id\": \"a\"", "ends in the middle"}, bad_record{"", "ends in the middle"},
        bad_record{"nonsense", "no JSON from byte"}, bad_record{"{\"id\": \"\xff\"}", "no JSON"},
        bad_record{"[1]", "the whole is [1], expected an object"},
        bad_record{"{}", "id is missing"}, bad_record{R"({"id": ""})", "id is missing"},
        bad_record{R"({"id": "a"})", "verdict is missing"},
        bad_record{R"({"id": 7, "verdict": "Pass"})", "id is 7, expected text"},
        bad_record{R"({"id": "a", "verdict": "pass"})", "verdict is \"pass\", which is none"},
        bad_record{R"({"id": "a", "verdict": "Pass", "seconds": "1"})", "seconds is \"1\""},
        bad_record{R"({"id": "a", "verdict": "Pass", "rounds": -1})", "rounds is -1"},
        bad_record{R"({"id": "a", "verdict": "Pass", "rounds": 1.5})", "rounds is 1.5"},
        bad_record{R"({"id": "a", "verdict": "Pass", "seed": "0xg"})", "seed is \"0xg\""},
        bad_record{R"({"id": "a", "verdict": "Pass", "seed": "0x1ffffffffffffffff"})", "seed is"},
        bad_record{R"({"id": "a", "verdict": "Pass", "clauses": "x"})",
                   "clauses is \"x\", expected an array"},
        bad_record{R"({"id": "a", "verdict": "Pass", "clauses": [1]})", "clauses is 1"},
        bad_record{R"({"id": "a", "verdict": "Pass", "opportunities": {"canary": "x"}})",
                   "opportunities.canary is \"x\""},
        bad_record{R"({"id": "a", "verdict": "Pass", "missed_holds": {"x": "y"}})",
                   "missed_holds.x is \"y\""},
        bad_record{R"({"id": "a", "verdict": "Pass", "failure": {"kind": "bad"}})",
                   "failure.kind is \"bad\""},
        bad_record{R"({"id": "a", "verdict": "Pass", "failure": {"events": [{}, 5]}})",
                   "failure.events[1] is 5"},
        bad_record{R"({"id": "a", "verdict": "Pass", "failure": {"edges": [{"broken": 1}]}})",
                   "failure.edges[0].broken is 1"},
        bad_record{R"({"id": "a", "verdict": "Pass",
                       "reason": ["a long array that no message should repeat in full"]})",
                   "reason is of type array"}));

TEST(json, missing_and_unknown_fields_are_no_errors) {
  const case_record read = parse_record(
      R"({"id": "a", "verdict": "Pass", "tier": null, "future": [{}], "missed_holds": null})", "x");
  EXPECT_EQ(read.id, "a");
  EXPECT_EQ(read.tier, "");
}

TEST(json, observations_are_checked_too) {
  EXPECT_THAT([] { parse_observation("{}", "o"); },
              ThrowsMessage<results_error>(HasSubstr("name is missing")));
  EXPECT_THAT([] { parse_observation(R"({"name": "n", "table": {"rows": [1]}})", "o"); },
              ThrowsMessage<results_error>(HasSubstr("table.rows holds 1, expected arrays")));
}

TEST(json, runs_of_another_schema_are_refused) {
  EXPECT_THAT([] { parse_run("{}", "run.json"); },
              ThrowsMessage<results_error>(HasSubstr("schema is missing")));
  EXPECT_THAT([] { parse_run(R"({"schema": "junit"})", "run.json"); },
              ThrowsMessage<results_error>(HasSubstr("expected \"streamcts-run/1\"")));
  EXPECT_THAT([] { parse_run(R"({"schema": "streamcts-run/2x"})", "run.json"); },
              ThrowsMessage<results_error>(HasSubstr("expected \"streamcts-run/1\"")));
  EXPECT_THAT([] { parse_run(R"({"schema": "streamcts-run/2"})", "run.json"); },
              ThrowsMessage<results_error>(HasSubstr("use the streamcts that made it")));
}

}  // namespace
}  // namespace streamcts::results
