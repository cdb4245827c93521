// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points by name and version. The version chooses the prototype: of several under one name it
// is the newest that is not newer than asked for.

#include <cstring>
#include <type_traits>

#include "harness/reference/entry.h"

// After entry.h: they include cuda.h.
#include <cudaProfiler.h>
#include <cudaTypedefs.h>

using streamcts::reference::default_stream;

namespace {

struct entry_point {
  const char* name;
  int version;
  default_stream mode;
  void* function;
};

const entry_point table[] = {
#define X(name, version, mode, symbol, type) \
  {#name, version, default_stream::mode, reinterpret_cast<void*>(&symbol)},
#include "proc_addresses.inc"
#undef X
    // As the headers rename it from 12.0 on.
    {"cuGraphInstantiate", 12000, default_stream::legacy,
     reinterpret_cast<void*>(&cuGraphInstantiateWithFlags)},
    {"cuProfilerStart", 4000, default_stream::legacy, reinterpret_cast<void*>(&cuProfilerStart)},
    {"cuProfilerStop", 4000, default_stream::legacy, reinterpret_cast<void*>(&cuProfilerStop)},
};

#define X(name, version, mode, symbol, type) \
  static_assert(std::is_same_v<type, decltype(&symbol)>, #symbol " has another type than " #type);
#include "proc_addresses.inc"
#undef X

struct answer {
  const entry_point* found = nullptr;
  bool name_known = false;
};

answer find(const char* name, int version, default_stream mode) {
  answer a;
  for (const entry_point& e : table) {
    if (std::strcmp(e.name, name) != 0) continue;
    a.name_known = true;
    if (e.mode != mode || e.version > version) continue;
    if (a.found == nullptr || e.version > a.found->version) a.found = &e;
  }
  return a;
}

CUresult look_up(const char* name, void** function, int version, cuuint64_t flags,
                 CUdriverProcAddressQueryResult* status) {
  constexpr cuuint64_t known =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  int own_version = 0;
  cuDriverGetVersion(&own_version);
  if (name == nullptr || function == nullptr || (flags & ~known) != 0 || flags == known ||
      version > own_version) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  answer a;
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0) {
    a = find(name, version, default_stream::per_thread);
  }
  // Most functions have one form for both modes.
  if (a.found == nullptr) a = find(name, version, default_stream::legacy);
  *function = a.found == nullptr ? nullptr : a.found->function;
  if (status != nullptr) {
    *status = a.found != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : a.name_known     ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                 : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return a.found == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_EXPORT cuGetProcAddress(const char* name, void** function, int version,
                                  cuuint64_t flags) {
  return look_up(name, function, version, flags, nullptr);
}

STREAMCTS_EXPORT cuGetProcAddress_v2(const char* name, void** function, int version,
                                     cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
  return look_up(name, function, version, flags, status);
}

// The tables behind it are private to NVIDIA's libraries.
STREAMCTS_EXPORT cuGetExportTable(const void** table_out, const CUuuid* id) {
  if (table_out == nullptr || id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table_out = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
