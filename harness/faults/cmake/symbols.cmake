# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# Run by the build: writes SYMBOL(index, name) for each entry point that the toolkit's stub libcuda
# exports. Arguments: NM, STUB, OUTPUT.

execute_process(COMMAND "${NM}" -D --defined-only "${STUB}"
                OUTPUT_VARIABLE lines RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} cannot read ${STUB}")
endif()
string(REGEX MATCHALL " T (cu[A-Za-z0-9_]+)" found "${lines}")
list(SORT found)
set(text "")
set(index 0)
foreach(line IN LISTS found)
  string(REGEX REPLACE "^ T " "" name "${line}")
  string(APPEND text "SYMBOL(${index}, ${name})\n")
  math(EXPR index "${index} + 1")
endforeach()
if(index LESS 300)
  message(FATAL_ERROR "${STUB} exports ${index} entry points: not a libcuda")
endif()
file(WRITE "${OUTPUT}" "${text}")
