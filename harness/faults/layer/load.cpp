// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Fills the table that the trampolines jump through, when the library is loaded or, where something
// calls it earlier still, at that first call.
//
// A constructor cannot make dlopen fail, and a library does not end somebody else's process. Where
// STREAMCTS_FAULT, STREAMCTS_REAL_DRIVER or STREAMCTS_FAULT_HITS is wrong, one line on stderr says
// so and every entry point then returns CUDA_ERROR_STUB_LIBRARY.

#include "harness/faults/layer/load.h"

#include <cuda.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/behaviour.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/overrides.h"
#include "harness/faults/layer/real_driver.h"

namespace {

constexpr const char* symbols[] = {
#define SYMBOL(index, name) #name,
#include "faults/symbols.inc"
#undef SYMBOL
};
constexpr std::size_t symbol_count = std::size(symbols);

}  // namespace

/// Read by the trampolines: where each symbol, in order, goes. Zero: not loaded yet.
extern "C" {
__attribute__((visibility("hidden"))) void* streamcts_faults_entries[symbol_count] = {};
}

namespace streamcts::faults {
namespace {

std::unique_ptr<behaviour>& chosen() {
  // Never destroyed: calls may come while the process ends.
  static auto& holder = *new std::unique_ptr<behaviour>;
  return holder;
}

CUresult refuse() { return CUDA_ERROR_STUB_LIBRARY; }
CUresult absent() { return CUDA_ERROR_NOT_FOUND; }

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void say(const std::string& what) {
  const std::string line = "streamcts faulty driver: " + what + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

void** entry_of(const char* symbol) {
  for (std::size_t i = 0; i < symbol_count; ++i) {
    if (std::strcmp(symbols[i], symbol) == 0) return &streamcts_faults_entries[i];
  }
  return nullptr;
}

std::string prepare() {
  const std::string id = variable("STREAMCTS_FAULT");
  if (!id.empty()) {
    std::unique_ptr<behaviour> made = make_behaviour(id);
    if (!made) {
      return "STREAMCTS_FAULT='" + id +
             "' is no fault of the catalogue: take an id of `streamcts faults list`";
    }
    set_active(std::move(made));
  }
  const std::string hits_file = variable("STREAMCTS_FAULT_HITS");
  if (!hits_file.empty()) {
    if (std::string wrong = count_hits_in(hits_file); !wrong.empty()) return wrong;
  }
  return open_real_driver(variable("STREAMCTS_REAL_DRIVER"));
}

}  // namespace

behaviour* active() { return chosen().get(); }
void set_active(std::unique_ptr<behaviour> replacement) { chosen() = std::move(replacement); }

std::string load_table() {
  const std::string wrong = prepare();
  for (std::size_t i = 0; i < symbol_count; ++i) {
    void* target = wrong.empty() ? real_symbol(symbols[i]) : reinterpret_cast<void*>(&refuse);
    streamcts_faults_entries[i] = target ? target : reinterpret_cast<void*>(&absent);
  }
  if (wrong.empty() && active()) {
    for_each_override([](const override_entry& each) {
      if (!real_symbol(each.symbol())) return;
      if (void** slot = entry_of(each.symbol())) *slot = each.function;
    });
  }
  return wrong;
}

}  // namespace streamcts::faults

extern "C" __attribute__((visibility("hidden"))) void streamcts_faults_load() {
  static std::once_flag once;
  std::call_once(once, [] {
    const std::string wrong = streamcts::faults::load_table();
    if (!wrong.empty()) streamcts::faults::say(wrong);
  });
}
