# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# Every library is taken from the system where it is found, else fetched at a pinned version.
# Debian's names are in ci/apt-packages.txt.

include(FetchContent)
find_package(CUDAToolkit 13 REQUIRED)

FetchContent_Declare(googletest
  URL https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
  URL_HASH SHA256=81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2
  FIND_PACKAGE_ARGS 1.12 NAMES GTest)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.2/json.tar.xz
  URL_HASH SHA256=8c4b26bf4b422252e13f332bc5e388ec0ab5c3443d24399acb675e68278d341f
  FIND_PACKAGE_ARGS 3.11 NAMES nlohmann_json)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz
  FIND_PACKAGE_ARGS 2.1)
FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  FIND_PACKAGE_ARGS 9)
FetchContent_Declare(pugixml
  URL https://github.com/zeux/pugixml/archive/refs/tags/v1.13.tar.gz
  FIND_PACKAGE_ARGS 1.12)
FetchContent_MakeAvailable(googletest nlohmann_json CLI11 fmt pugixml)

# libunwind takes the stacks of a hung child; without it the watchdog falls back to /proc. Debian's
# static one is not position independent, so the shared one is installed beside the program.
find_path(STREAMCTS_UNWIND_INCLUDE_DIR libunwind-ptrace.h)
find_library(STREAMCTS_UNWIND_PTRACE_LIBRARY unwind-ptrace)
find_library(STREAMCTS_UNWIND_GENERIC_LIBRARY unwind-generic)
find_library(STREAMCTS_UNWIND_LIBRARY unwind)
