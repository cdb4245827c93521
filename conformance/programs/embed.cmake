# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes OUTPUT, a source with the text of every *.program of FOLDER.

file(GLOB files "${FOLDER}/*.program")
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  get_filename_component(name "${file}" NAME_WE)
  string(APPEND entries "    regression_program_text{\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by conformance/programs/embed.cmake; do not edit.\n
#include \"conformance/programs/regressions.h\"

namespace streamcts {
namespace {
constexpr regression_program_text all[] = {
${entries}};
}  // namespace

std::span<const regression_program_text> regression_programs() { return all; }

}  // namespace streamcts
")
