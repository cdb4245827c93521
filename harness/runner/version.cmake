# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DVERSION=... -DSOURCE=... -DINPUT=... -DOUTPUT=... -P version.cmake
#
# Writes the version and the commit into a source file, at each build; the file changes only when
# they do.

set(GIT "")
find_program(git git)
if(git)
  execute_process(COMMAND "${git}" -C "${SOURCE}" describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE GIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file("${INPUT}" "${OUTPUT}" @ONLY)
