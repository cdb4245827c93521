// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runner/errors.h"
#include "harness/runner/facts.h"

namespace streamcts::runner {
namespace {

using driver::feature;
using kind = child_message::kind;

child_message again(const child_message& message) { return decode_message(encode(message)); }

TEST(Messages, CarryAWholeOutcome) {
  child_message sent;
  sent.what = kind::outcome;
  sent.index = 3;
  sent.seconds = 1.5;
  sent.outcome.result = case_result::fail;
  sent.outcome.reason = "bytes \xff";
  sent.outcome.rounds = 7;
  sent.outcome.holds = 8;
  sent.outcome.missed_holds["expired"] = 2;
  sent.outcome.opportunities["CB-ORDER-001"] = {3, 4};
  sent.outcome.observations.push_back({"name", "value", "note"});
  failure what;
  what.clause = "CB-ORDER-001";
  what.kind = failure_kind::torn;
  what.expected = "a\nb";
  what.seen = std::string(100'000, 'x');
  what.edges.push_back({"K1", "C1", "CB-ORDER-001", true});
  what.events.push_back({5, "host", "K1", log_phase::end, -3});
  sent.outcome.first_failure = what;

  const child_message got = again(sent);
  EXPECT_EQ(got.index, 3u);
  EXPECT_EQ(got.seconds, 1.5);
  EXPECT_EQ(got.outcome.result, case_result::fail);
  EXPECT_EQ(got.outcome.reason, "bytes \\xff");
  EXPECT_EQ(got.outcome.missed_holds.at("expired"), 2u);
  EXPECT_EQ(got.outcome.opportunities.at("CB-ORDER-001").calibrated, 4u);
  EXPECT_EQ(got.outcome.observations[0].note, "note");
  ASSERT_TRUE(got.outcome.first_failure);
  EXPECT_EQ(got.outcome.first_failure->kind, failure_kind::torn);
  EXPECT_EQ(got.outcome.first_failure->expected, "a\nb");
  EXPECT_LT(got.outcome.first_failure->seen.size(), 20'000u);
  EXPECT_TRUE(got.outcome.first_failure->edges[0].broken);
  EXPECT_EQ(got.outcome.first_failure->events[0].phase, log_phase::end);
  EXPECT_EQ(got.outcome.first_failure->events[0].time_ns, -3);
}

TEST(Messages, CarryEveryOtherKind) {
  child_message sent;
  sent.what = kind::ready;
  EXPECT_EQ(again(sent).what, kind::ready);
  sent.what = kind::started;
  sent.index = 9;
  EXPECT_EQ(again(sent).index, 9u);
  sent.what = kind::not_started;
  sent.text = "why";
  sent.cause = start_failure::no_device;
  EXPECT_EQ(again(sent).cause, start_failure::no_device);
  sent.what = kind::step;
  EXPECT_EQ(again(sent).text, "why");
  sent.what = kind::ability;
  sent.feature = feature::graph;
  sent.ability = {false, "reason"};
  EXPECT_EQ(again(sent).feature, feature::graph);
  EXPECT_EQ(again(sent).ability.reason, "reason");
  sent.what = kind::devices;
  sent.devices.push_back({1, "name", "bus", 5, 9, 0});
  EXPECT_EQ(again(sent).devices[0].memory, 5u);
  sent.what = kind::facts;
  sent.facts.emplace();
  sent.facts->limits_note = "note";
  sent.facts->capabilities.of(feature::memop_64) = {true, ""};
  EXPECT_EQ(again(sent).facts->limits_note, "note");
  EXPECT_TRUE(again(sent).facts->capabilities.works(feature::memop_64));
}

TEST(Messages, RefuseWhatIsNone) {
  for (const char* line : {"", "text", "{}", "[1]", R"({"kind":99,"body":{}})",
                           R"({"kind":3,"body":{}})", R"({"kind":"x","body":{}})",
                           R"({"kind":5,"body":{"feature":999,"ability":{}}})"}) {
    EXPECT_THROW(decode_message(line), runner_error) << line;
    EXPECT_THROW(decode_order(line), runner_error) << line;
  }
  EXPECT_EQ(decode_go("stop"), std::nullopt);
  EXPECT_EQ(decode_go(encode_go(12)), 12u);
}

TEST(Messages, CarryAnOrder) {
  child_order sent;
  sent.what = child_order::task::probe;
  sent.host.driver = "/a";
  sent.host.runtime = "none";
  sent.host.reference_runtime = "/b";
  sent.host.device_ordinal = 1;
  sent.host.run_tier = tier::stress;
  sent.host.limits.enqueue_median = std::chrono::nanoseconds(77);
  sent.cases.push_back({"a/b", 0xffffffffffffffff});
  sent.skip[feature::runtime] = "killed";
  sent.patience = std::chrono::milliseconds(5);
  sent.calibrate = false;
  const child_order got = decode_order(encode(sent));
  EXPECT_EQ(got.what, sent.what);
  EXPECT_EQ(got.host.run_tier, tier::stress);
  EXPECT_EQ(got.host.reference_runtime, "/b");
  EXPECT_EQ(got.host.limits.enqueue_median.count(), 77);
  EXPECT_EQ(got.cases[0].seed, 0xffffffffffffffff);
  EXPECT_EQ(got.skip.at(feature::runtime), "killed");
  EXPECT_FALSE(got.calibrate);
}

TEST(Facts, SurviveTheirFile) {
  probe_facts sent;
  sent.driver = "system";
  sent.runtime = "none";
  sent.boot_id = read_boot_id();
  sent.variables["CUDA_X"] = "1";
  sent.start_seconds = 0.25;
  sent.limits.copy_bytes_per_second = 5e9;
  driver::capabilities& have = sent.capabilities;
  have.driver_path = "/usr/lib/libcuda.so.1";
  have.driver_version = 13000;
  have.mapped_files = {"/a", "/b"};
  have.attributes["mps_enabled"] = 1;
  have.device_name = "device";
  have.of(feature::mapped) = {true, ""};
  have.of(feature::managed) = {false, "managed_memory = 0"};
  const probe_facts got = parse_facts(facts_text(sent), "facts.json");
  EXPECT_EQ(got.driver, "system");
  EXPECT_EQ(got.runtime, "none");
  EXPECT_EQ(got.boot_id, sent.boot_id);
  EXPECT_EQ(got.variables, sent.variables);
  EXPECT_EQ(got.start_seconds, 0.25);
  EXPECT_EQ(got.limits.copy_bytes_per_second, 5e9);
  EXPECT_EQ(got.capabilities.mapped_files, have.mapped_files);
  EXPECT_EQ(got.capabilities.attribute("mps_enabled"), 1);
  EXPECT_TRUE(got.capabilities.works(feature::mapped));
  EXPECT_EQ(got.capabilities.of(feature::managed).reason, "managed_memory = 0");
}

TEST(Facts, RefuseOtherFiles) {
  for (const char* text : {"", "{}", "[]", R"({"schema":"streamcts-capabilities/2"})",
                           R"({"schema":"streamcts-capabilities/1"})",
                           R"({"schema":"streamcts-capabilities/1","calibration":3,"capabilities":1})"}) {
    try {
      parse_facts(text, "facts.json");
      ADD_FAILURE() << text;
    } catch (const usage_error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("facts.json")) << text;
    }
  }
  EXPECT_THROW(read_facts("/no/such/file"), usage_error);
}

}  // namespace
}  // namespace streamcts::runner
