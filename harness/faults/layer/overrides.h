// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <span>
#include <type_traits>

#include "harness/faults/layer/behaviour.h"
#include "harness/faults/layer/real_driver.h"

namespace streamcts::faults {

/// The entry points of entry_points.inc by number.
enum class entry {
#define PLAIN(member, base, version, symbol) member,
#define MODED(member, base, version, symbol, suffix) member,
#include "harness/faults/layer/entry_points.inc"
#undef PLAIN
#undef MODED
};

/// The names of one of them.
struct entry_names {
  const char* symbol;             ///< as exported
  const char* per_thread_symbol;  ///< null where there is no such form
  const char* base;               ///< as cuGetProcAddress takes it
  int version;                    ///< of the prototype, as cuGetProcAddress takes it
};
const entry_names& names_of(entry which);

/// An entry point that this layer answers itself when a fault is chosen.
struct override_entry {
  entry which;
  stream_mode mode;
  void* function;

  const char* symbol() const {
    const entry_names& names = names_of(which);
    return mode == stream_mode::per_thread ? names.per_thread_symbol : names.symbol;
  }
};

/// The lists, one a file of overrides.
std::span<const override_entry> enqueue_overrides();
std::span<const override_entry> host_overrides();
std::span<const override_entry> memory_overrides();
std::span<const override_entry> graph_overrides();
std::span<const override_entry> lookup_overrides();

/// All of them, one after another.
template <typename F>
void for_each_override(F&& f) {
  for (auto list : {enqueue_overrides(), host_overrides(), memory_overrides(), graph_overrides(),
                    lookup_overrides()}) {
    for (const override_entry& each : list) f(each);
  }
}

/// @p function, if it has exactly the type of the real entry point.
template <typename Exact>
void* checked(std::type_identity_t<Exact> function) {
  return reinterpret_cast<void*>(function);
}

/// Items of such a list. `function` is a template over stream_mode in the second form.
#define STREAMCTS_OVERRIDE(member, function)                                          \
  ::streamcts::faults::override_entry {                                               \
    ::streamcts::faults::entry::member, ::streamcts::faults::stream_mode::legacy,     \
        ::streamcts::faults::checked<decltype(::streamcts::faults::real_table::member)>(&function) \
  }
#define STREAMCTS_MODED_HALF(member, which, ...)                                        \
  ::streamcts::faults::override_entry {                                                 \
    ::streamcts::faults::entry::member, ::streamcts::faults::stream_mode::which,        \
        ::streamcts::faults::checked<                                                   \
            std::remove_reference_t<decltype(::streamcts::faults::real_table::member.function[0])>>( \
            &__VA_ARGS__)                                                               \
  }
#define STREAMCTS_MODED_OVERRIDE(member, function)                                       \
  STREAMCTS_MODED_HALF(member, legacy, function<stream_mode::legacy>),                   \
      STREAMCTS_MODED_HALF(member, per_thread, function<stream_mode::per_thread>)

/// Runs @p body unless the behaviour refuses the call.
template <typename F>
CUresult admitted(F&& body) {
  behaviour& chosen = *active();
  if (const CUresult refused = chosen.admit(); refused != CUDA_SUCCESS) return refused;
  return body(chosen);
}

}  // namespace streamcts::faults
