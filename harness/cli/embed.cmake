# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DOUTPUT=... -DCLAUSES=... -DREASONS=... -DFAULTS=... -P embed.cmake
#
# Makes the catalogue of clauses, the reasons why some have no case, and the catalogue of faults part
# of the program.

file(READ "${CLAUSES}" clauses)
file(READ "${FAULTS}" faults)
set(reasons "{}")
if(EXISTS "${REASONS}")
  file(READ "${REASONS}" reasons)
endif()
file(WRITE "${OUTPUT}" "// Written by embed.cmake.
#include \"harness/cli/embedded.h\"
namespace streamcts::cli {
const std::string_view clauses_json = R\"embedded(${clauses})embedded\";
const std::string_view reasons_json = R\"embedded(${reasons})embedded\";
const std::string_view faults_json = R\"embedded(${faults})embedded\";
}
")
