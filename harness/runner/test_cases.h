// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// Case instances for unit tests, without bodies.

#pragma once

#include <deque>
#include <string>
#include <vector>

#include "harness/case/registry.h"

namespace streamcts::runner {

/// Owns definitions and instances that point at them.
class test_cases {
 public:
  case_instance& add(const std::string& id, tier from = tier::quick,
                     isolation where = isolation::batched,
                     std::vector<clause_id> clauses = {clause_id{"CB-ORDER-001"}}) {
    definitions_.push_back(case_definition{.arrangement = "x/y", .clauses = clauses});
    all_.push_back({id, std::move(clauses), {}, from, where, parameters{}, &definitions_.back(),
                    nullptr, "file.cpp", 1});
    return all_.back();
  }
  std::vector<case_instance> list() const { return {all_.begin(), all_.end()}; }
  std::vector<const case_instance*> pointers() const {
    std::vector<const case_instance*> made;
    for (const case_instance& each : all_) made.push_back(&each);
    return made;
  }

 private:
  std::deque<case_definition> definitions_;
  std::deque<case_instance> all_;
};

}  // namespace streamcts::runner
