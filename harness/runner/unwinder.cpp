// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/unwinder.h"

#include <libunwind-ptrace.h>

#include <fmt/format.h>

#include <array>

#include "harness/runner/process_maps.h"

namespace streamcts::runner {

namespace {

constexpr int most_frames = 64;

}  // namespace

struct unwinder::state {
  unw_addr_space_t space = nullptr;
  process_maps maps;
};

unwinder::unwinder(pid_t process)
    : state_(new state{unw_create_addr_space(&_UPT_accessors, 0), process_maps(process)}) {
  if (state_->space == nullptr) problem_ = "libunwind cannot make an address space";
}

unwinder::~unwinder() {
  if (state_->space != nullptr) unw_destroy_addr_space(state_->space);
}

std::vector<std::string> unwinder::of(pid_t thread, std::chrono::steady_clock::time_point until) {
  std::vector<std::string> frames;
  const std::unique_ptr<void, void (*)(void*)> target(_UPT_create(thread), &_UPT_destroy);
  unw_cursor_t cursor;
  if (!target || unw_init_remote(&cursor, state_->space, target.get()) != 0) {
    return {"no frames: libunwind cannot read the thread"};
  }
  for (int depth = 0; depth < most_frames; ++depth) {
    unw_word_t address = 0;
    if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 || address == 0) break;
    std::array<char, 512> name{};
    unw_word_t offset = 0;
    const bool named = unw_get_proc_name(&cursor, name.data(), name.size(), &offset) == 0;
    frames.push_back(
        named ? fmt::format("#{} {}+{:#x} ({})", depth, demangled(name.data()), offset,
                            state_->maps.place_of(address))
              : fmt::format("#{} {}", depth, state_->maps.place_of(address)));
    if (std::chrono::steady_clock::now() >= until) {
      frames.emplace_back("the time for stacks is over");
      break;
    }
    if (unw_step(&cursor) <= 0) break;
  }
  return frames;
}

}  // namespace streamcts::runner
