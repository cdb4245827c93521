// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/observe/calibration.h"
#include "harness/runner/matrix/catalogue.h"
#include "harness/runner/run.h"

namespace streamcts::runner {

/// `streamcts faults matrix`, as it was asked for.
struct matrix_request {
  std::optional<std::string> driver;  ///< behind the faults: "system", "reference" or a path
  fault_selection faults;
  std::vector<std::string> cases;         ///< filters of cases; all where empty
  std::optional<streamcts::tier> run_tier;  ///< default: quick
  hold_kind holds = hold_kind::gates;
  std::uint64_t repeat = 1;
  std::uint64_t seed = 1;             ///< fixed, so that two runs can be compared
  std::optional<std::uint64_t> jobs;  ///< default: 1, the cores on the reference
  bool all_kills = false;
  bool leave_out_red = false;   ///< go on past a red baseline, without its red cases
  bool whole_oddities = false;  ///< every case under each oddity, not a cover
  std::string out;              ///< default: streamcts-matrix-<time>
  std::string resume;           ///< the folder of a matrix to go on with
  progress_mode shown = progress_mode::automatic;
  std::vector<std::string> command;  ///< the command line
};

std::string_view name(hold_kind value);
std::optional<hold_kind> hold_kind_from(std::string_view text);

/// Runs the suite against the faults of the catalogue and reports it. @return the exit code: 1 where
/// a fault survived or an oddity was red, 2 where the baseline was red or nothing was found out
/// @param catalogue_json the text of harness/faults/catalogue.json
/// @throws usage_error, machine_error
int run_matrix(const matrix_request& request, const program_parts& program,
               std::string_view catalogue_json);

}  // namespace streamcts::runner
