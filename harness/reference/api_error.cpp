// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Names and texts of result codes. They need neither initialization nor a context.

#include <cctype>
#include <cstring>
#include <map>
#include <string>

#include "harness/reference/entry.h"

namespace {

struct description {
  std::string name, text;
};

// CUDA_ERROR_OUT_OF_MEMORY is described as "out of memory".
description describe(const char* name) {
  constexpr const char* prefix = "CUDA_ERROR_";
  const bool error = std::strncmp(name, prefix, std::strlen(prefix)) == 0;
  std::string text = error ? name + std::strlen(prefix) : "no error";
  for (char& c : text) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  return {name, text};
}

const description* find(CUresult code) {
  static const auto& known = *new std::map<CUresult, description>{
#define X(name) {name, describe(#name)},
#include "error_names.inc"
#undef X
  };
  const auto at = known.find(code);
  return at == known.end() ? nullptr : &at->second;
}

CUresult answer(CUresult code, const char** out, std::string description::* what) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const description* d = find(code);
  *out = d == nullptr ? nullptr : (d->*what).c_str();
  return d == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_EXPORT cuGetErrorName(CUresult code, const char** name) {
  return answer(code, name, &description::name);
}

STREAMCTS_EXPORT cuGetErrorString(CUresult code, const char** text) {
  return answer(code, text, &description::text);
}
