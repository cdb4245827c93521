// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/layout.h"

namespace streamcts::program {
namespace {

item_kind kind_of(op_kind kind) {
  switch (kind) {
    case op_kind::copy:
    case op_kind::copy_sync:
      return item_kind::copy;
    case op_kind::memset:
    case op_kind::memset_sync:
      return item_kind::memset;
    case op_kind::callback:
      return item_kind::callback;
    case op_kind::host_function:
      return item_kind::host_function;
    case op_kind::write_value:
      return item_kind::write_value;
    case op_kind::attach:
      return item_kind::attach;
    case op_kind::fault:
      return item_kind::fault;
    case op_kind::host_write:
      return item_kind::host_write;
    default:
      return item_kind::kernel;
  }
}

item_kind kind_of(node_kind kind) {
  switch (kind) {
    case node_kind::copy:
      return item_kind::copy;
    case node_kind::memset:
      return item_kind::memset;
    case node_kind::host:
      return item_kind::host_function;
    default:
      return item_kind::kernel;
  }
}

bool in_barrier(const stream_decl& stream) {
  return stream.kind == stream_kind::blocking || stream.kind == stream_kind::per_thread;
}

/// Whether @p a, in the legacy stream, and @p b, in a stream that it implicitly synchronizes with,
/// are ordered by the barrier.
bool barrier_between(const stream_program& program, const operation& a, const operation& b) {
  if (a.stream == none || b.stream == none) return false;
  const bool enqueues = is_enqueued(b.kind) || b.kind == op_kind::destroy_stream;
  return is_enqueued(a.kind) && enqueues &&
         program.streams[static_cast<std::size_t>(a.stream)].kind == stream_kind::legacy &&
         in_barrier(program.streams[static_cast<std::size_t>(b.stream)]);
}

bool covers(const operation& a, const operation& b) {
  return a.kind == op_kind::context_sync && is_enqueued(b.kind);
}

/// What becomes of events recorded in a destroyed stream is not said.
bool ends_events(const operation& a, const operation& b) {
  return a.kind == op_kind::destroy_stream && b.event != none;
}

}  // namespace

bool conflict(const stream_program& program, const operation& a, const operation& b) {
  if (a.stream != none && a.stream == b.stream) return true;
  if (a.event != none && a.event == b.event) return true;
  if (a.graph != none && a.graph == b.graph) return true;
  if (barrier_between(program, a, b) || barrier_between(program, b, a)) return true;
  return covers(a, b) || covers(b, a) || ends_events(a, b) || ends_events(b, a);
}

return_promise promise_at_return(const stream_program& program, const operation& op) {
  const auto memory = [&](index buffer) {
    return program.buffers[static_cast<std::size_t>(buffer)].memory;
  };
  if (op.kind == op_kind::memset_sync) {
    return is_pinned(memory(op.write)) ? return_promise::complete : return_promise::nothing;
  }
  if (op.kind != op_kind::copy && op.kind != op_kind::copy_sync) return return_promise::nothing;
  const memory_kind from = memory(op.read);
  const memory_kind to = memory(op.write);
  if (from == memory_kind::managed || to == memory_kind::managed) return return_promise::nothing;
  const bool from_host = from != memory_kind::device;
  const bool to_host = to != memory_kind::device;
  if (from_host && to_host) return return_promise::complete;
  if (op.kind == op_kind::copy || (!from_host && !to_host)) return return_promise::nothing;
  return to_host ? return_promise::complete : return_promise::source_read;
}

bool looks_at_return(const stream_program& program, const operation& op) {
  if (op.kind >= op_kind::stream_sync && op.kind <= op_kind::await) return true;
  return promise_at_return(program, op) == return_promise::complete;
}

void layout::add(const item& i) {
  const std::size_t number = items_.size();
  switch (i.kind) {
    case item_kind::callback:
    case item_kind::host_function:
      host_calls_.add(number);
      [[fallthrough]];
    case item_kind::kernel:
      begun_cells_.add(number);
      done_cells_.add(number);
      break;
    case item_kind::write_value:
      done_cells_.add(number);
      break;
    case item_kind::fault:
      begun_cells_.add(number);
      fault_ = static_cast<int>(number);
      break;
    default:
      break;
  }
  items_.push_back(i);
}

void layout::add_items(const stream_program& program, index op) {
  const operation& o = program.ops[static_cast<std::size_t>(op)];
  if (!makes_items(o.kind)) return;
  if (o.kind != op_kind::launch) {
    add({kind_of(o.kind), op, none, o.stream, o.read, o.write, o.repeat});
    return;
  }
  const auto& nodes = program.graphs[static_cast<std::size_t>(o.graph)].nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const graph_node& node = nodes[n];
    if (node.kind == node_kind::empty || node.disabled) continue;
    add({kind_of(node.kind), op, static_cast<index>(n), o.stream, node.read, node.write, 1});
  }
}

void layout::build(const stream_program& program) {
  items_.clear();
  first_item_.clear();
  begun_cells_.clear();
  done_cells_.clear();
  host_calls_.clear();
  fault_ = -1;
  many_threads_ = false;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    first_item_.push_back(items_.size());
    many_threads_ = many_threads_ || program.ops[i].thread != program.ops[0].thread;
    add_items(program, static_cast<index>(i));
  }
  first_item_.push_back(items_.size());
  build_handoffs(program);
}

void layout::build_handoffs(const stream_program& program) {
  std::array<index, limits::threads> no_one;
  no_one.fill(none);
  returned_before_.assign(many_threads_ ? program.ops.size() : 1, no_one);
  if (!many_threads_) return;
  for (std::size_t j = 0; j < program.ops.size(); ++j) {
    const operation& later = program.ops[j];
    for (std::size_t i = 0; i < j; ++i) {
      const operation& earlier = program.ops[i];
      if (earlier.thread == later.thread) continue;
      const bool handed = earlier.kind == op_kind::handoff && earlier.target == later.thread;
      const bool awaited = later.kind == op_kind::await && later.target == static_cast<index>(i);
      if (handed || awaited || conflict(program, earlier, later)) {
        returned_before_[j][earlier.thread] = static_cast<index>(i);
      }
    }
  }
}

int layout::item_of(index op, index node) const {
  const auto o = static_cast<std::size_t>(op);
  for (std::size_t i = first_item_[o]; i < first_item_[o + 1]; ++i) {
    if (items_[i].node == node) return static_cast<int>(i);
  }
  return -1;
}

std::string item_name(const stream_program& program, const item& i) {
  const operation& o = program.ops[static_cast<std::size_t>(i.op)];
  std::string name(o.name.view());
  if (i.node != none) {
    const auto& nodes = program.graphs[static_cast<std::size_t>(o.graph)].nodes;
    name += '.';
    name += nodes[static_cast<std::size_t>(i.node)].name.view();
  }
  return name;
}

}  // namespace streamcts::program
