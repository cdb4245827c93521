# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)

# streamcts_library(NAME SOURCES... [LIBRARIES ...])
#
# A static library of the project, `streamcts_NAME`. Its headers are included from the project's
# root, as in "harness/driver/stream.h".
function(streamcts_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_library(streamcts_${name} STATIC ${arg_SOURCES})
  target_include_directories(streamcts_${name} PUBLIC "${PROJECT_SOURCE_DIR}"
                                                      "${PROJECT_BINARY_DIR}/generated")
  target_include_directories(streamcts_${name} SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(streamcts_${name} PUBLIC ${arg_LIBRARIES} Threads::Threads)
endfunction()

# streamcts_hot(TARGET): compiled with -O2 in release builds, where speed is measured.
function(streamcts_hot target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
endfunction()

# streamcts_unit_test(NAME SOURCES... [LIBRARIES ...] [TIMEOUT seconds])
#
# A GoogleTest program of unit tests, `NAME`; each test becomes a ctest test labelled `unit`.
# Sanitised and busy machines are slow: a time limit here only ends a hang.
function(streamcts_unit_test name)
  if(NOT STREAMCTS_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBRARIES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  # Assertions and mocks expand to much code that runs once: optimising it is most of a build.
  target_compile_options(${name} PRIVATE -O0)
  list(LENGTH arg_SOURCES count)
  if(count GREATER 2)
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES TEST_PREFIX "unit/"
                       PROPERTIES LABELS unit TIMEOUT ${arg_TIMEOUT})
endfunction()

# streamcts_nvcc_program(NAME SOURCE file.cu FOLDER dir [OPTIONS ...])
#
# An ordinary CUDA program, linked `-cudart shared`: it runs over whichever libcudart.so.13 and
# libcuda.so.1 the loader finds, those of the reference by LD_LIBRARY_PATH.
function(streamcts_nvcc_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;FOLDER" "OPTIONS")
  get_filename_component(source "${arg_SOURCE}" ABSOLUTE)
  file(GLOB headers "${PROJECT_SOURCE_DIR}/kernels/*.h" "${PROJECT_SOURCE_DIR}/kernels/*.cu")
  add_custom_command(
    OUTPUT "${arg_FOLDER}/${name}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${arg_FOLDER}"
    COMMAND "${CUDAToolkit_NVCC_EXECUTABLE}" -cudart shared -std=c++20 -I. -arch=sm_90
            -Werror=all-warnings ${arg_OPTIONS} -o "${arg_FOLDER}/${name}" "${source}"
    DEPENDS "${source}" ${headers}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "Compiling ${name} with nvcc" VERBATIM)
  add_custom_target(${name} DEPENDS "${arg_FOLDER}/${name}")
endfunction()
