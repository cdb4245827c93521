# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DINPUT=clauses.json -DOUTPUT=clauses.h -P generate.cmake
#
# Makes a constant of each clause id, so that a case cannot name a clause that does not exist.

file(STRINGS "${INPUT}" lines REGEX "^ *\"id\": \"[A-Z0-9-]+\"")
set(constants "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^ *\"id\": \"([A-Z0-9-]+)\".*" "\\1" id "${line}")
  string(REPLACE "-" "_" name "${id}")
  string(APPEND constants "inline constexpr clause_id ${name}{\"${id}\"};\n")
endforeach()
file(WRITE "${OUTPUT}"
"// Generated from conformance/clauses/clauses.json.
#pragma once

#include \"harness/case/clause.h\"

/// The promises of the documentation, by id.
namespace streamcts::clause {

${constants}
}  // namespace streamcts::clause
")
