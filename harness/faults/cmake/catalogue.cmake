# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# Run by the build: writes FAULT(id) for each entry of the catalogue, so that the driver's own table
# and the catalogue cannot differ. Arguments: CATALOGUE, OUTPUT.

cmake_minimum_required(VERSION 3.25)
file(READ "${CATALOGUE}" json)
string(JSON count LENGTH "${json}")
math(EXPR last "${count} - 1")
set(text "")
set(seen "")
foreach(i RANGE 0 ${last})
  string(JSON id GET "${json}" ${i} id)
  if(NOT id MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "${CATALOGUE}: entry ${i}: id '${id}' is not snake_case")
  endif()
  if(id IN_LIST seen)
    message(FATAL_ERROR "${CATALOGUE}: id '${id}' occurs twice")
  endif()
  list(APPEND seen "${id}")
  string(APPEND text "FAULT(${id})\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
