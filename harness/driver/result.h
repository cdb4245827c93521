// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

#include "harness/driver/unversioned_names.h"

namespace streamcts::driver {

/// The enumerator of cuda.h (`CUDA_ERROR_INVALID_VALUE`), from a table of our own, so that it works
/// without a driver. Codes that the headers do not know: "CUresult(12345)". The pointer lives for
/// ever. Safe from any thread.
const char* result_name(CUresult code);

/// A driver or runtime call that did not return success (CUDA Driver API, "Error handling").
class call_error : public std::runtime_error {
 public:
  call_error(CUresult result, const char* name, std::source_location where);

  /// What the call returned. Codes of the runtime have the numbers of the driver's.
  CUresult code;
  /// The function, as a string literal: "cuStreamSynchronize".
  const char* call;
  /// Where the suite called it.
  std::source_location site;
};

/// What is asked for cannot be had from this driver, runtime or device: not an error of theirs.
class not_supported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws call_error unless @p result is CUDA_SUCCESS. @p call is a string literal: the function's
/// name, or the text of the call, of which call_error keeps the name.
void check(CUresult result, const char* call,
           std::source_location site = std::source_location::current());

}  // namespace streamcts::driver

/// Calls and throws call_error on anything but success:
/// `STREAMCTS_CHECK(table.cuStreamSynchronize(stream));`
#define STREAMCTS_CHECK(...) \
  ::streamcts::driver::check((__VA_ARGS__), #__VA_ARGS__, std::source_location::current())
