// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/types.h"

#include <cstddef>

namespace streamcts::program {
namespace {

template <typename Enum, std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

char letter(op_kind kind) {
  constexpr std::string_view letters = "KMSCHVTGFYZ";
  return kind == op_kind::host_write ? 'W' : letters[static_cast<std::size_t>(kind)];
}

short_name default_name(char head, std::size_t number) {
  std::array<char, 8> text{head};
  std::size_t size = 1;
  std::size_t scale = number >= 100 ? 100 : number >= 10 ? 10 : 1;
  for (; scale != 0; scale /= 10) text[size++] = static_cast<char>('0' + number / scale % 10);
  return std::string_view(text.data(), size);
}

bool taken(const stream_program& program, const short_name& name) {
  return std::ranges::any_of(program.ops, [&](const operation& o) { return o.name == name; });
}

}  // namespace

std::string_view to_string(stream_kind kind) {
  return word<stream_kind, 4>({"legacy", "per_thread", "blocking", "nonblocking"}, kind);
}
std::string_view to_string(memory_kind kind) {
  return word<memory_kind, 7>(
      {"mapped", "write_combined", "portable", "registered", "managed", "device", "pageable"},
      kind);
}
std::string_view to_string(node_kind kind) {
  return word<node_kind, 5>({"kernel", "host", "copy", "memset", "empty"}, kind);
}
std::string_view to_string(attach_mode mode) {
  return word<attach_mode, 2>({"global", "single"}, mode);
}
std::string_view to_string(fault_kind kind) {
  return word<fault_kind, 4>({"trap", "illegal_address", "misaligned", "assertion"}, kind);
}
std::string_view to_string(op_kind kind) {
  return word<op_kind, 25>(
      {"kernel",       "copy",         "memset",      "callback",      "host_function",
       "write_value",  "attach",       "launch",      "fault",         "copy_sync",
       "memset_sync",  "record",       "wait",        "stream_sync",   "event_sync",
       "context_sync", "stream_query", "event_query", "stream_poll",   "event_poll",
       "await",        "host_write",   "handoff",     "destroy_event", "destroy_stream"},
      kind);
}

void name_operations(stream_program& program) {
  std::size_t number = 0;
  bool named_before = false;
  for (const operation& o : program.ops) named_before = named_before || !o.name.empty();
  for (operation& o : program.ops) {
    if (!makes_items(o.kind) || !o.name.empty()) continue;
    short_name name = default_name(letter(o.kind), number++);
    while (named_before && taken(program, name)) name = default_name(letter(o.kind), number++);
    o.name = name;
  }
}

}  // namespace streamcts::program
