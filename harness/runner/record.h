// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "harness/runner/job.h"
#include "reports/results/record.h"

namespace streamcts::runner {

/// The record of one run of a case.
/// @param replay the command that runs it again
results::case_record make_record(const job_case& of, const case_end& end, std::string replay);

/// What a case observed, for observations.jsonl.
std::vector<results::observation> make_observations(const job_case& of, const case_end& end);

}  // namespace streamcts::runner
