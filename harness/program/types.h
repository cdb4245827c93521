// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream program as data: declarations (streams, events, buffers, graphs), a list of operations,
// and perturbations. Plain values without behaviour: they may be copied, compared and read by any
// number of threads. docs/programs.md has the text form and its meaning.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts::program {

/// Position of a declaration or operation in its list.
using index = std::int16_t;
inline constexpr index none = -1;
/// An index as a position. @pre not `none`.
constexpr std::size_t at(index i) { return static_cast<std::size_t>(i); }

/// Limits that keep programs within what the happens-before model and a device take.
struct limits {
  static constexpr std::size_t items = 256;
  static constexpr std::size_t operations = 512;
  static constexpr std::size_t streams = 64;
  static constexpr std::size_t events = 64;
  static constexpr std::size_t buffers = 64;
  static constexpr std::size_t graphs = 16;
  static constexpr std::size_t graph_nodes = 32;
  static constexpr std::size_t threads = 4;
  static constexpr std::size_t repeat = 2048;
  static constexpr std::uint64_t bytes = std::uint64_t{64} << 20;  ///< all buffers together
};

/// A name of at most 11 characters, held in place so that programs copy fast.
class short_name {
 public:
  static constexpr std::size_t max_size = 11;
  constexpr short_name() = default;
  /// Takes the first 11 characters of @p text.
  constexpr short_name(std::string_view text)  // NOLINT(google-explicit-constructor)
      : size_(static_cast<std::uint8_t>(std::min(text.size(), max_size))) {
    for (std::size_t i = 0; i < size_; ++i) text_[i] = text[i];
  }
  constexpr short_name(const char* text)  // NOLINT(google-explicit-constructor)
      : short_name(std::string_view(text)) {}
  constexpr std::string_view view() const { return {text_.data(), size_}; }
  constexpr bool empty() const { return size_ == 0; }
  friend constexpr bool operator==(const short_name&, const short_name&) = default;

 private:
  std::array<char, max_size> text_{};
  std::uint8_t size_ = 0;
};

enum class stream_kind : std::uint8_t { legacy, per_thread, blocking, nonblocking };
enum class memory_kind : std::uint8_t {
  mapped,          ///< pinned, mapped into the device
  write_combined,  ///< pinned, mapped, write-combined
  portable,        ///< pinned, mapped, portable
  registered,      ///< ordinary memory, registered
  managed,         ///< needs concurrent managed access: the host looks at it while kernels run
  device,          ///< the host sees it only through copies
  pageable,        ///< ordinary memory, copies only
};
enum class node_kind : std::uint8_t { kernel, host, copy, memset, empty };
enum class graph_origin : std::uint8_t { by_hand, captured };
enum class attach_mode : std::uint8_t { global, single };
enum class fault_kind : std::uint8_t { trap, illegal_address, misaligned, assertion };

/// What an operation calls. Kinds up to `memset_sync`, and `host_write`, make items: things that
/// start, end, and can be seen to have done so.
enum class op_kind : std::uint8_t {
  kernel,
  copy,
  memset,
  callback,       ///< cuStreamAddCallback
  host_function,  ///< cuLaunchHostFunc
  write_value,    ///< cuStreamWriteValue32 on the item's own cell
  attach,         ///< cuStreamAttachMemAsync
  launch,         ///< cuGraphLaunch
  fault,          ///< a kernel that faults; at most one in a program
  copy_sync,      ///< cuMemcpy and its like, in the default stream named
  memset_sync,
  record,
  wait,
  stream_sync,
  event_sync,
  context_sync,
  stream_query,  ///< once; success counts as a synchronization
  event_query,
  stream_poll,  ///< queries until success
  event_poll,
  await,       ///< waits for a flag that a host call releases, querying nothing of its result
  host_write,  ///< the host thread fills a buffer
  handoff,     ///< what this thread did so far happens before what another does from here on
  destroy_event,
  destroy_stream,
};

struct stream_decl {
  short_name name;
  stream_kind kind = stream_kind::blocking;
  std::int8_t priority = 0;  ///< 0 is the default, negative is higher
  std::uint8_t thread = 0;   ///< owner of a per-thread stream
  friend bool operator==(const stream_decl&, const stream_decl&) = default;
};

struct event_decl {
  short_name name;
  bool timing = false;         ///< without it CU_EVENT_DISABLE_TIMING
  bool blocking_sync = false;  ///< CU_EVENT_BLOCKING_SYNC
  friend bool operator==(const event_decl&, const event_decl&) = default;
};

struct buffer_decl {
  short_name name;
  memory_kind memory = memory_kind::mapped;
  std::uint32_t bytes = 65536;
  friend bool operator==(const buffer_decl&, const buffer_decl&) = default;
};

struct graph_node {
  short_name name;
  node_kind kind = node_kind::kernel;
  std::uint8_t lane = 0;    ///< captured graphs: which of the forked streams it was captured in
  bool disabled = false;    ///< cuGraphNodeSetEnabled(0) in the executable
  std::uint32_t after = 0;  ///< bit i: depends on node i, which comes earlier in the list
  index read = none;
  index write = none;
  friend bool operator==(const graph_node&, const graph_node&) = default;
};

struct graph_decl {
  short_name name;
  graph_origin origin = graph_origin::by_hand;
  std::vector<graph_node> nodes;
  friend bool operator==(const graph_decl&, const graph_decl&) = default;
};

struct operation {
  op_kind kind = op_kind::kernel;
  std::uint8_t thread = 0;  ///< the host thread that makes the call
  attach_mode attach = attach_mode::global;
  fault_kind fault = fault_kind::trap;
  index stream = none;
  index event = none;
  index graph = none;
  index read = none;         ///< buffer that is read: a copy's source
  index write = none;        ///< buffer that is filled, or attached
  index target = none;       ///< await: the operation of the host call; handoff: the thread
  std::uint16_t repeat = 1;  ///< kernels only: so many launches that count as one item
  short_name name;           ///< of operations that make items
  friend bool operator==(const operation&, const operation&) = default;
};

/// Something that changes when things happen and nothing else; never part of what must hold.
struct perturbation {
  enum class type : std::uint8_t { hold, delay };
  type kind = type::hold;
  index op = none;
  index node = none;               ///< of a graph launch
  std::uint32_t microseconds = 0;  ///< of a delay
  friend bool operator==(const perturbation&, const perturbation&) = default;
};

struct stream_program {
  std::string origin;  ///< where it came from, as in `enumerator:4711`
  std::vector<stream_decl> streams;
  std::vector<event_decl> events;
  std::vector<buffer_decl> buffers;
  std::vector<graph_decl> graphs;
  std::vector<operation> ops;
  std::vector<perturbation> perturbations;
  friend bool operator==(const stream_program&, const stream_program&) = default;
};

/// Words of the text form.
std::string_view to_string(stream_kind kind);
std::string_view to_string(memory_kind kind);
std::string_view to_string(node_kind kind);
std::string_view to_string(attach_mode mode);
std::string_view to_string(fault_kind kind);
std::string_view to_string(op_kind kind);

/// Whether operations of this kind make items, and so have names.
constexpr bool makes_items(op_kind kind) {
  return kind <= op_kind::memset_sync || kind == op_kind::host_write;
}
/// Whether the kind takes a place in a stream.
constexpr bool is_enqueued(op_kind kind) {
  return kind <= op_kind::wait;
}
constexpr bool is_host_call(op_kind kind) {
  return kind == op_kind::callback || kind == op_kind::host_function;
}
constexpr bool is_query(op_kind kind) {
  return kind == op_kind::stream_query || kind == op_kind::event_query;
}
/// Whether the host reads plain bytes of such memory.
constexpr bool host_readable(memory_kind kind) {
  return kind != memory_kind::device;
}
/// Whether kernels take its address.
constexpr bool kernel_accessible(memory_kind kind) {
  return kind != memory_kind::pageable;
}
/// Whether `cuMemHostAlloc` or registration pinned it.
constexpr bool is_pinned(memory_kind kind) {
  return kind <= memory_kind::registered;
}

/// Gives every operation that makes items and has no name one of its own: K0, C1, ...
void name_operations(stream_program& program);

}  // namespace streamcts::program
