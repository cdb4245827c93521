# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# Options, output folders and compiler flags that every target shares.

option(STREAMCTS_BUILD_TESTS "Build the project's own unit tests" ON)
option(STREAMCTS_WERROR "Treat compiler warnings as errors" OFF)
option(STREAMCTS_COVERAGE "Instrument for line coverage (gcov)" OFF)
set(STREAMCTS_SANITIZE "" CACHE STRING "Sanitizers: 'address,undefined', 'thread' or empty")
set(STREAMCTS_GPU_ARCHITECTURES "90-real;90-virtual" CACHE STRING
    "GPU architectures of the embedded kernels, as in CMAKE_CUDA_ARCHITECTURES")
set(STREAMCTS_FATBIN_DIR "${PROJECT_BINARY_DIR}/fatbin" CACHE PATH
    "Where compiled kernels are kept; build trees may share one folder")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(STREAMCTS_DRIVER_DIR "${PROJECT_BINARY_DIR}/lib/streamcts")

# Most of the suite waits; what must be fast asks for more (streamcts_hot()). Optimising the rest
# doubles the time of a build and shows in no figure.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")

find_program(STREAMCTS_CCACHE ccache)
if(STREAMCTS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${STREAMCTS_CCACHE}")
endif()

# No path of the building machine gets into the program (__FILE__ ends up in reports).
add_compile_options(-Wall -Wextra -Wshadow "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
                    -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # false alarms on std::string (GCC bug 105651)
endif()
if(STREAMCTS_WERROR)
  add_compile_options(-Werror)
endif()
if(STREAMCTS_COVERAGE)
  # Callback threads count too: without atomic updates their counts are corrupt.
  add_compile_options(--coverage -fprofile-update=atomic -fprofile-abs-path)
  add_link_options(--coverage)
  add_compile_definitions(STREAMCTS_COVERAGE=1)
endif()
if(STREAMCTS_SANITIZE)
  add_compile_options("-fsanitize=${STREAMCTS_SANITIZE}" -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${STREAMCTS_SANITIZE}")
endif()

find_package(Threads REQUIRED)
