// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of the enumerator: its list of patterns, and the program of each.

#pragma once

#include <cstdint>
#include <vector>

#include "harness/program/types.h"

namespace streamcts::program {

/// What orders the sink behind the source, or what else the program is about.
enum class edge : std::uint8_t {
  alone,  ///< no sink: the source and a synchronization
  stream_order,
  event,
  relay,           ///< through a stream without items
  record_again,    ///< the event was recorded and waited for before
  overwritten,     ///< the event is recorded elsewhere after the wait
  destroyed,       ///< the event is destroyed after the wait
  barrier,         ///< one of both streams is the legacy stream
  legacy_wait,     ///< the legacy stream waits, a blocking stream inherits it
  between_kernel,  ///< two blocking streams, and a legacy action between them
  between_call,
  between_wait,
  between_launch,
  between_write,
  between_copy,
  stream_sync,
  event_sync,
  context_sync,
  stream_poll,
  event_poll,
  other_thread,  ///< one thread synchronizes and hands over to another
  await,
  relaunch,  ///< one executable in two streams
  relaunch_call,
  reuse,  ///< an event that had completed is recorded again
  legacy_record,
  upload,  ///< synchronous copies and memsets
  download,
  fill,
  replay,  ///< a graph's copy, overwritten after a synchronization
  join,    ///< two events
  join_overwritten,
  join_again,
  run,  ///< several of a kind in a row
  run_then_kernel,
  two_threads,  ///< two threads enqueue into one stream
  destroy_pending,
  unrecorded,
  progress,  ///< an event must not wait for what comes behind it
  graph_shape,
  attach,
  many_streams,
  many_items,
};

/// One enumerated program.
struct pattern {
  edge by = edge::alone;
  op_kind source = op_kind::kernel;
  op_kind sink = op_kind::kernel;
  index from = 0;          ///< stream of the source
  index to = 0;            ///< stream of the sink
  std::uint8_t extra = 0;  ///< the last synchronization, a count, a third stream
};

inline constexpr std::uint8_t graph_shapes = 10;

const std::vector<pattern>& enumerated_patterns();
/// @param turn picks what is turned over from program to program.
stream_program build_pattern(const pattern& p, std::size_t turn);

}  // namespace streamcts::program
