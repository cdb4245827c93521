// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The last error of each thread; names and texts of codes; what is not implemented.

#include <cctype>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "harness/reference/runtime/entry.h"

namespace streamcts::runtime {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct description {
  std::string name, text;
};

// cudaErrorMemoryAllocation is described as "memory allocation".
description describe(const char* name) {
  constexpr const char* prefix = "cudaError";
  const std::size_t length = std::strlen(prefix);
  if (std::strncmp(name, prefix, length) != 0) return {name, "no error"};
  std::string text;
  for (const char* c = name + length; *c != '\0'; ++c) {
    const bool capital = std::isupper(static_cast<unsigned char>(*c)) != 0;
    const bool after_small = !text.empty() && std::islower(static_cast<unsigned char>(c[-1])) != 0;
    if (capital && after_small) text += ' ';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  }
  return {name, text};
}

const description& find(cudaError_t code) {
  static const auto& known = *new std::map<cudaError_t, description>{
#define X(name) {name, describe(#name)},
#include "error_names.inc"
#undef X
  };
  static const auto& unknown =
      *new description{"unrecognized error code", "unrecognized error code"};
  const auto at = known.find(code);
  return at == known.end() ? unknown : at->second;
}

}  // namespace

cudaError_t remember(outcome result) {
  if (result.failed() && result.code() != cudaErrorNotReady) last_error = result.code();
  return result.code();
}

outcome prepare(needs what) {
  const driver_library& library = driver();
  if (!library.found) return cudaErrorInsufficientDriver;
  if (library.initialized != CUDA_SUCCESS) return library.initialized;
  return what == needs::context ? ensure_context() : CUDA_SUCCESS;
}

}  // namespace streamcts::runtime

using namespace streamcts::runtime;

RUNTIME_EXPORT cudaError_t CUDARTAPI cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}
RUNTIME_EXPORT cudaError_t CUDARTAPI cudaPeekAtLastError() {
  return last_error;
}

RUNTIME_EXPORT const char* CUDARTAPI cudaGetErrorName(cudaError_t code) {
  return find(code).name.c_str();
}
RUNTIME_EXPORT const char* CUDARTAPI cudaGetErrorString(cudaError_t code) {
  return find(code).text.c_str();
}

/// What generate.cmake makes of every entry point that this runtime lacks.
extern "C" __attribute__((visibility("hidden"))) int streamcts_runtime_unimplemented() {
  return remember(cudaErrorNotSupported);
}
