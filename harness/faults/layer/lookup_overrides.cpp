// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// cuGetProcAddress: the driver behind answers first; where its answer is a function that this layer
// overrides, the caller gets the override. Which function an answer is, is decided by its address,
// never by the version alone: a newer driver may have a newer prototype behind the same name.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "harness/faults/layer/overrides.h"

namespace streamcts::faults {
namespace {

constexpr cuuint64_t flags_of(stream_mode mode) {
  return mode == stream_mode::per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                         : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
}

struct known_function {
  void* real;
  void* function;
};
using known_functions = std::map<std::string, std::vector<known_function>>;

/// The driver's own answer for one prototype, or null.
void* ask(const char* base, int version, cuuint64_t flags) {
  void* found = nullptr;
  if (real().get_proc_address_v2) {
    CUdriverProcAddressQueryResult status;
    if (real().get_proc_address_v2(base, &found, version, flags, &status) != CUDA_SUCCESS) {
      return nullptr;
    }
  } else if (!real().get_proc_address ||
             real().get_proc_address(base, &found, version, flags) != CUDA_SUCCESS) {
    return nullptr;
  }
  return found;
}

known_functions learn() {
  known_functions known;
  for_each_override([&](const override_entry& each) {
    const entry_names& names = names_of(each.which);
    // Both addresses: what is exported and what a look-up gives need not be the same.
    void* exported = real_symbol(each.symbol());
    void* looked_up = ask(names.base, names.version, flags_of(each.mode));
    for (void* address : {exported, looked_up}) {
      if (!address) continue;
      known[names.base].push_back({address, each.function});
      if (each.symbol() != std::string(names.base)) {
        known[each.symbol()].push_back({address, each.function});
      }
    }
  });
  return known;
}

void* replacement(const char* name, void* found) {
  static const known_functions& known = *new known_functions(learn());
  const auto list = known.find(name);
  if (list == known.end()) return found;
  for (const known_function& each : list->second) {
    if (each.real == found) return each.function;
  }
  return found;
}

CUresult get_proc_address(const char* name, void** function, int version, cuuint64_t flags) {
  const CUresult result = real().get_proc_address(name, function, version, flags);
  if (result == CUDA_SUCCESS && name && function && *function) {
    *function = replacement(name, *function);
  }
  return result;
}

CUresult get_proc_address_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  const CUresult result = real().get_proc_address_v2(name, function, version, flags, status);
  if (result == CUDA_SUCCESS && name && function && *function) {
    *function = replacement(name, *function);
  }
  return result;
}

const override_entry overrides[] = {
    STREAMCTS_OVERRIDE(get_proc_address, get_proc_address),
    STREAMCTS_OVERRIDE(get_proc_address_v2, get_proc_address_v2),
};

}  // namespace

const entry_names& names_of(entry which) {
  static constexpr entry_names names[] = {
#define PLAIN(member, base, version, symbol) {#symbol, nullptr, #base, version},
#define MODED(member, base, version, symbol, suffix) {#symbol, #symbol #suffix, #base, version},
#include "harness/faults/layer/entry_points.inc"
#undef PLAIN
#undef MODED
  };
  return names[static_cast<int>(which)];
}

std::span<const override_entry> lookup_overrides() { return overrides; }

}  // namespace streamcts::faults
