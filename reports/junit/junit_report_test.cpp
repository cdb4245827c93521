// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/junit/junit_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>

#include "reports/results/example.h"

namespace streamcts::reports {
namespace {

using results::verdict;
using testing::HasSubstr;
using testing::StartsWith;

class junit : public testing::Test {
 protected:
  junit() {
    results::clause known;
    known.id = "CB-ORDER-001";
    known.statement = "Callbacks wait.";
    known.derived = true;
    catalogue_ = results::clause_catalogue({known});
  }
  void add(std::string id, verdict how, std::string reason = {}) {
    results::case_record made;
    made.id = std::move(id);
    made.verdict = how;
    made.reason = std::move(reason);
    made.seconds = 0.5;
    run_.records.push_back(std::move(made));
  }
  pugi::xml_node make() {
    text_ = junit_report(make_digest(run_, catalogue_));
    EXPECT_TRUE(document_.load_string(text_.c_str()));
    return document_.child("testsuites");
  }
  pugi::xml_node find(pugi::xml_node root, const char* name) {
    return root.select_node((std::string("//testcase[@name='") + name + "']").c_str()).node();
  }

  results::clause_catalogue catalogue_;
  results::run run_;
  std::string text_;
  pugi::xml_document document_;
};

TEST_F(junit, each_verdict_has_its_element) {
  add("a/pass", verdict::pass);
  add("a/fail", verdict::fail, "f");
  add("a/hang", verdict::hang, "h");
  add("b/crash", verdict::crash, "c");
  add("b/error", verdict::error, "e");
  add("b/inconclusive", verdict::inconclusive, "i");
  add("b/not_supported", verdict::not_supported, "n");
  add("b/skipped", verdict::skipped, "s");
  add("b/waived", verdict::waived, "w");
  run_.planned = {{"c/never", {}, ""}};
  pugi::xml_node root = make();
  EXPECT_FALSE(find(root, "a/pass").child("failure"));
  EXPECT_STREQ(find(root, "a/fail").child("failure").attribute("type").value(), "Fail");
  EXPECT_STREQ(find(root, "a/hang").child("failure").attribute("message").value(), "Hang: h");
  EXPECT_TRUE(find(root, "b/crash").child("failure"));
  EXPECT_STREQ(find(root, "b/error").child("error").attribute("message").value(), "Error: e");
  for (const char* name : {"b/inconclusive", "b/not_supported", "b/skipped", "b/waived"}) {
    EXPECT_TRUE(find(root, name).child("skipped").attribute("message")) << name;
  }
  EXPECT_STREQ(find(root, "c/never").child("error").attribute("type").value(), "NotReached");
  EXPECT_STREQ(find(root, "b/crash").attribute("classname").value(), "b");
  EXPECT_EQ(root.attribute("tests").as_int(), 10);
  EXPECT_EQ(root.attribute("failures").as_int(), 3);
  EXPECT_EQ(root.attribute("errors").as_int(), 2);
  EXPECT_EQ(root.attribute("skipped").as_int(), 4);
  EXPECT_STREQ(root.attribute("time").value(), "4.500");
  EXPECT_EQ(std::distance(root.begin(), root.end()), 3);
}

TEST_F(junit, a_failure_says_everything_twice) {
  run_ = results::example_run();
  pugi::xml_node test = find(make(), "callback/order/null.kernel");
  pugi::xml_node failure = test.child("failure");
  const std::string message = failure.attribute("message").value();
  EXPECT_EQ(message, "Fail CB-ORDER-001: expected epoch 2; seen epoch 1");
  EXPECT_THAT(failure.text().get(), StartsWith(message + "\n"));
  EXPECT_THAT(failure.text().get(), HasSubstr("Callbacks wait."));
  EXPECT_THAT(failure.text().get(), HasSubstr("derived"));
  EXPECT_THAT(failure.text().get(), HasSubstr("how often: failed 4 of 11, note"));
  EXPECT_THAT(failure.text().get(), HasSubstr("run it again: CUDA_VISIBLE_DEVICES=0"));
  EXPECT_THAT(test.child("system-out").text().get(), HasSubstr("#0 f"));
  EXPECT_THAT(test.child("system-err").text().get(), HasSubstr("complained"));
}

TEST_F(junit, a_reference_run_says_so) {
  run_.info.device.name = "streamcts reference device";
  add("a/pass", verdict::pass);
  make();
  EXPECT_THAT(text_, HasSubstr("proves nothing about hardware"));
}

TEST_F(junit, any_bytes_make_well_formed_xml) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  bytes += "]]>\xEF\xBF\xBE</failure><testcase name=\"x\"/>";
  add(bytes, verdict::fail, bytes);
  run_.records[0].stdout_tail = run_.records[0].stderr_tail = bytes;
  pugi::xml_node root = make();
  EXPECT_EQ(root.select_nodes("//testcase").size(), 1u);
}

}  // namespace
}  // namespace streamcts::reports
