// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "harness/program/enumerator_writer.h"

namespace streamcts::program {

pattern_writer::pattern_writer(const pattern& p, std::size_t turn) : p_(p), turn_(turn) {
  b_.stream(stream_kind::legacy, "L");
  b_.stream(stream_kind::per_thread, "P");
  b_.stream(stream_kind::blocking, "A");
  b_.stream(stream_kind::blocking, "H", -1);
  b_.stream(stream_kind::nonblocking, "N", turn % 3 == 0 ? -1 : 0);
  for (int i = 0; i < 3; ++i) {
    b_.event(turn >> i & 1, (turn >> (i + 1) & 3) == 0);
  }
}

stream_program pattern_writer::build() {
  if (p_.by < edge::relaunch) {
    pair();
  } else {
    special();
  }
  name_operations(b_.program);
  return std::move(b_.program);
}

index pattern_writer::target_of(index source) {
  return b_.buffer(turn_ % 2 == 0 ? memory_kind::mapped : memory_kind::portable, bytes_of(source));
}

index pattern_writer::item(op_kind kind, index stream, index from) {
  index to = none;
  switch (kind) {
    case op_kind::copy:
      if (from == none) from = b_.buffer(copy_source(), size());
      // An upload shows only once its data has come back.
      if (turn_ % 3 == 1 && host_readable(memory_of(from))) {
        const index up = b_.buffer(memory_kind::device, bytes_of(from));
        b_.item(op_kind::copy, stream, up, from);
        from = up;
      }
      to = target_of(from);
      break;
    case op_kind::memset:
      to = b_.buffer(memory(), size());
      break;
    case op_kind::callback:
    case op_kind::host_function:
      if (turn_ % 2 == 0) to = b_.buffer(host_memory(), size());
      from = none;
      break;
    case op_kind::kernel:
      if (turn_ % 4 == 3) from = none;
      if (from != none) {
        to = target_of(from);
      } else if (turn_ % 3 != 0) {
        to = b_.buffer(memory(), size());
      }
      break;
    case op_kind::launch:
      if (graph_ == none) graph_ = add_graph_shape(b_, turn_);
      b_.launch(stream, graph_);
      return none;
    default:
      break;
  }
  const bool reads = kind == op_kind::copy || kind == op_kind::kernel;
  b_.item(kind, stream, to, reads ? from : none);
  return to;
}

memory_kind pattern_writer::copy_source() {
  constexpr std::array kinds{memory_kind::device, memory_kind::device, memory_kind::managed,
                             memory_kind::device, memory_kind::mapped};
  return turn_ % 61 == 60 ? memory_kind::pageable : kinds[turn_ % kinds.size()];
}

index pattern_writer::third() const {
  std::size_t skip = turn_ % 3;
  for (index s = 4;; --s) {
    if (s != p_.from && s != p_.to && skip-- == 0) return s;
  }
}

void pattern_writer::final(std::size_t which, index stream) {
  switch (which % 8) {
    case 0:
      return;
    case 1:
      b_.host(op_kind::stream_sync, stream);
      return;
    case 2:
      b_.host(op_kind::stream_query, stream);
      return;
    case 3:
      b_.host(op_kind::context_sync);
      return;
    case 6:
      b_.host(op_kind::stream_poll, stream);
      return;
    default:
      b_.record(2, stream);
      b_.host(which == 4   ? op_kind::event_sync
              : which == 5 ? op_kind::event_query
                           : op_kind::event_poll,
              none, 2);
  }
}

void pattern_writer::pair() {
  const index a = p_.from, t = p_.to;
  if (p_.by == edge::record_again) {
    b_.record(0, a);
    b_.wait(0, t);
  }
  const index filled = item(p_.source, a);
  if (p_.by == edge::alone) return final(p_.extra, a);
  between(a, t);
  graph_ = none;  // launches of one executable would be ordered by that alone
  // A host call that is waited for has not ended: its buffer is not to be read.
  item(p_.sink, t, p_.by == edge::await ? none : filled);
  final(p_.extra, t);
}

void pattern_writer::event_edge(index a, index t) {
  b_.record(0, a);
  b_.wait(0, t);
}

void pattern_writer::between(index a, index t) {
  switch (p_.by) {
    case edge::event:
    case edge::record_again:
      return event_edge(a, t);
    case edge::relay:
      event_edge(a, third());
      b_.record(1, third());
      b_.wait(1, t);
      return;
    case edge::overwritten:
      event_edge(a, t);
      b_.record(0, third());
      return;
    case edge::destroyed:
      event_edge(a, t);
      b_.host(op_kind::destroy_event, none, 0);
      return;
    case edge::legacy_wait:
      return event_edge(a, 0);
    case edge::between_kernel:
      b_.item(op_kind::kernel, 0);
      return;
    case edge::between_call:
      b_.item(turn_ % 2 == 0 ? op_kind::callback : op_kind::host_function, 0);
      return;
    case edge::between_wait:
      b_.item(op_kind::kernel, 4);
      return event_edge(4, 0);
    case edge::between_launch:
      b_.launch(0, add_graph_shape(b_, turn_ + 1));
      return;
    case edge::between_write:
      b_.item(op_kind::write_value, 0);
      return;
    case edge::between_copy:
      return sync_copy(turn_ % 3);
    default:
      return host_edge(a);
  }
}

void pattern_writer::sync_copy(std::size_t which) {
  if (which == 2) {
    b_.item(op_kind::memset_sync, 0, b_.buffer(memory_kind::mapped, size()));
    return;
  }
  const memory_kind from = which == 0 ? memory_kind::device : memory_kind::portable;
  const memory_kind to = which == 0 ? memory_kind::portable : memory_kind::device;
  const index x = b_.buffer(from, size());
  b_.item(op_kind::copy_sync, 0, b_.buffer(to, size()), x);
}

void pattern_writer::host_edge(index a) {
  switch (p_.by) {
    case edge::stream_sync:
      b_.host(op_kind::stream_sync, a);
      return;
    case edge::stream_poll:
      b_.host(op_kind::stream_poll, a);
      return;
    case edge::context_sync:
      b_.host(op_kind::context_sync);
      return;
    case edge::event_sync:
    case edge::event_poll:
      b_.record(0, a);
      b_.host(p_.by == edge::event_sync ? op_kind::event_sync : op_kind::event_poll, none, 0);
      return;
    case edge::other_thread:
      b_.host(op_kind::stream_sync, a);
      hand_over();
      return;
    case edge::await: {
      operation o;
      o.kind = op_kind::await;
      o.target = static_cast<index>(b_.program.ops.size() - 1);
      b_.add(o);
      return;
    }
    default:
      return;  // the barrier, and stream order, need no call
  }
}

void pattern_writer::hand_over() {
  operation o;
  o.kind = op_kind::handoff;
  o.target = 1;
  b_.add(o);
  b_.use_thread(1);
}

stream_program build_pattern(const pattern& p, std::size_t turn) {
  return pattern_writer(p, turn).build();
}

}  // namespace streamcts::program
