// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of the enumerator: writes the program of one pattern. enumerator_build.cpp has the
// patterns of a source, one ordering edge and a sink; enumerator_special.cpp those of another
// shape.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/program/builder.h"
#include "harness/program/enumerator.h"
#include "harness/program/shapes.h"

namespace streamcts::program {

inline constexpr std::array kernel_memory{memory_kind::mapped,         memory_kind::device,
                                          memory_kind::managed,        memory_kind::portable,
                                          memory_kind::write_combined, memory_kind::registered};

/// Writes one program, once.
class pattern_writer {
 public:
  pattern_writer(const pattern& p, std::size_t turn);
  stream_program build();

 private:
  std::uint32_t size() const {
    const std::uint32_t bytes = threshold_size(turn_);
    return p_.by < edge::relaunch ? bytes : std::min(bytes, std::uint32_t{1} << 20);
  }
  memory_kind memory() { return kernel_memory[turn_ / 3 % kernel_memory.size()]; }
  memory_kind host_memory() {
    const memory_kind m = memory();
    return host_readable(m) ? m : memory_kind::mapped;
  }
  memory_kind memory_of(index buffer) const { return b_.program.buffers[at(buffer)].memory; }
  std::uint32_t bytes_of(index buffer) const { return b_.program.buffers[at(buffer)].bytes; }
  /// A buffer that takes what is in @p source; the host can look at it.
  index target_of(index source);
  /// Adds an item of a kind; with @p from, a copy or kernel that reads that buffer. Returns the
  /// buffer it fills, if any.
  index item(op_kind kind, index stream, index from = none);
  memory_kind copy_source();
  /// A stream that is neither the source's nor the sink's: each in turn.
  index third() const;
  void final(std::size_t which, index stream);
  void pair();
  void event_edge(index a, index t);
  void between(index a, index t);
  /// A synchronous call in the legacy stream: download, upload or memset.
  void sync_copy(std::size_t which);
  void host_edge(index a);
  void hand_over();

  void special();
  void special_join();
  /// Calls that copy or fill synchronously, and what the host may do after them.
  void special_sync_form();
  void special_run();
  void special_many();
  void attach();

  pattern p_;
  std::size_t turn_;
  builder b_;
  index graph_ = none;
};

}  // namespace streamcts::program
