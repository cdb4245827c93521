// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "harness/program/builder.h"
#include "harness/program/enumerator.h"
#include "harness/program/shapes.h"

namespace streamcts::program {
namespace {

constexpr std::array kernel_memory{memory_kind::mapped,         memory_kind::device,
                                   memory_kind::managed,        memory_kind::portable,
                                   memory_kind::write_combined, memory_kind::registered};

class writer {
 public:
  writer(const pattern& p, std::size_t turn) : p_(p), turn_(turn) {
    b_.stream(stream_kind::legacy, "L");
    b_.stream(stream_kind::per_thread, "P");
    b_.stream(stream_kind::blocking, "A");
    b_.stream(stream_kind::blocking, "H", -1);
    b_.stream(stream_kind::nonblocking, "N", turn % 3 == 0 ? -1 : 0);
    for (int i = 0; i < 3; ++i) {
      b_.event(turn >> i & 1, (turn >> (i + 1) & 3) == 0);
    }
  }

  stream_program build() {
    if (p_.by < edge::relaunch) {
      pair();
    } else {
      special();
    }
    name_operations(b_.program);
    return std::move(b_.program);
  }

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
  index target_of(index source) {
    return b_.buffer(turn_ % 2 == 0 ? memory_kind::mapped : memory_kind::portable,
                     bytes_of(source));
  }

  /// Adds an item of a kind; with @p from, a copy or kernel that reads that buffer. Returns the
  /// buffer it fills, if any.
  index item(op_kind kind, index stream, index from = none) {
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

  memory_kind copy_source() {
    constexpr std::array kinds{memory_kind::device, memory_kind::device, memory_kind::managed,
                               memory_kind::device, memory_kind::mapped};
    return turn_ % 61 == 60 ? memory_kind::pageable : kinds[turn_ % kinds.size()];
  }

  /// A stream that is neither the source's nor the sink's: each in turn.
  index third() const {
    std::size_t skip = turn_ % 3;
    for (index s = 4;; --s) {
      if (s != p_.from && s != p_.to && skip-- == 0) return s;
    }
  }

  void final(std::size_t which, index stream) {
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

  void pair() {
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

  void event_edge(index a, index t) {
    b_.record(0, a);
    b_.wait(0, t);
  }

  void between(index a, index t) {
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

  /// A synchronous call in the legacy stream: download, upload or memset.
  void sync_copy(std::size_t which) {
    if (which == 2) {
      b_.item(op_kind::memset_sync, 0, b_.buffer(memory_kind::mapped, size()));
      return;
    }
    const memory_kind from = which == 0 ? memory_kind::device : memory_kind::portable;
    const memory_kind to = which == 0 ? memory_kind::portable : memory_kind::device;
    const index x = b_.buffer(from, size());
    b_.item(op_kind::copy_sync, 0, b_.buffer(to, size()), x);
  }

  void host_edge(index a) {
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

  void hand_over() {
    operation o;
    o.kind = op_kind::handoff;
    o.target = 1;
    b_.add(o);
    b_.use_thread(1);
  }

  void special();
  void special_join();
  void special_sync_form();
  void special_run();
  void special_many();
  void attach();

  pattern p_;
  std::size_t turn_;
  builder b_;
  index graph_ = none;
};

void writer::special_join() {
  const index a = p_.from, t = p_.to, c = static_cast<index>(p_.extra);
  index filled = none;
  switch (p_.by) {
    case edge::join:
      filled = item(p_.source, a);
      b_.record(0, a);
      item(op_kind::kernel, t);
      b_.record(1, t);
      b_.wait(0, c);
      b_.wait(1, c);
      break;
    case edge::join_overwritten:
      filled = item(p_.source, a);
      b_.record(0, a);
      b_.wait(0, c);
      item(op_kind::kernel, t);
      b_.record(0, t);
      break;
    default:  // the second wait of a stream on one event counts too
      filled = item(p_.source, a);
      b_.record(0, a);
      b_.wait(0, c);
      item(op_kind::kernel, t);
      b_.record(0, t);
      b_.wait(0, c);
  }
  item(p_.sink, c, filled);
}

/// Calls that copy or fill synchronously, and what the host may do after them.
void writer::special_sync_form() {
  const index a = p_.from, t = p_.to;
  const std::uint32_t bytes = size();
  const index in = a == 1 || t == 1 ? 1 : 0;  // the default stream that the call goes through
  const bool covered = in == 0 ? (a >= 1 && a <= 3) || a == 0 : a == 1;
  if (p_.by == edge::download) {
    const index x = b_.buffer(memory_kind::device, bytes);
    b_.item(op_kind::kernel, covered ? a : in, x);
    b_.item(op_kind::copy_sync, in,
            b_.buffer(turn_ % 2 == 0 ? memory_kind::portable : memory_kind::pageable, bytes), x);
  } else if (p_.by == edge::fill) {
    b_.item(op_kind::kernel, a);
    b_.item(op_kind::memset_sync, in, b_.buffer(memory_kind::mapped, bytes));
  } else {
    b_.item(op_kind::kernel, a);
    const index x =
        b_.buffer(turn_ % 2 == 0 ? memory_kind::pageable : memory_kind::portable, bytes);
    const index y = b_.buffer(memory_kind::device, bytes);
    b_.item(op_kind::copy_sync, in, y, x);
    b_.item(op_kind::host_write, none, x);
    b_.item(op_kind::copy, in, b_.buffer(memory_kind::mapped, bytes), y);
    b_.host(op_kind::stream_sync, in);
  }
  b_.item(op_kind::callback, t);
}

void writer::special_run() {
  const index a = p_.from;
  switch (p_.by) {
    case edge::run_then_kernel:
      for (int i = 0; i < 3; ++i) item(p_.source, a);
      item(op_kind::kernel, a);
      return final(p_.extra, a);
    case edge::two_threads:
      item(p_.source, a);
      b_.use_thread(1);
      item(p_.sink, a);
      b_.use_thread(0);
      item(op_kind::kernel, a);
      b_.use_thread(1);
      return final(p_.extra, a);
    default:
      for (std::size_t i = 0; i < p_.extra; ++i) item(p_.source, a);
  }
}

void writer::special_many() {
  if (p_.by == edge::many_items) {
    const std::array<std::uint16_t, 4> counts{3, 17, 130, 1030};
    b_.item(op_kind::kernel, p_.from);
    b_.item(op_kind::kernel, p_.from);
    b_.program.ops.back().repeat = counts[p_.extra % counts.size()];
    item(p_.sink, p_.to);
    item(op_kind::callback, p_.to);
    return;
  }
  // 33 and more streams, joined into one: the last ones wait for the source.
  b_.item(op_kind::kernel, p_.from);
  b_.record(0, p_.from);
  for (int i = 0; i < 30; ++i) {
    const char name[3] = {'S', static_cast<char>('A' + i / 10), static_cast<char>('0' + i % 10)};
    const index s = b_.stream(i % 2 == 0 ? stream_kind::nonblocking : stream_kind::blocking,
                              std::string_view(name, 3));
    b_.wait(0, s);
    item(p_.extra % 2 == 0 ? op_kind::callback : op_kind::kernel, s);
    const index e = b_.event();
    b_.record(e, s);
    b_.wait(e, p_.to);
  }
  item(p_.sink, p_.to);
}

void writer::attach() {
  const index x = b_.buffer(memory_kind::managed);
  const bool single = p_.from != 0;
  b_.item(op_kind::kernel, p_.from, x);
  b_.item(op_kind::attach, p_.from, x);
  b_.program.ops.back().attach = single ? attach_mode::single : attach_mode::global;
  const index to = single ? p_.from : p_.to;
  if (!single) event_edge(p_.from, p_.to);
  b_.item(op_kind::copy, to, b_.buffer(memory_kind::mapped), x);
  b_.item(op_kind::callback, to);
}

void writer::special() {
  const index a = p_.from, t = p_.to;
  switch (p_.by) {
    case edge::relaunch:
    case edge::relaunch_call:
      item(op_kind::launch, a);
      item(op_kind::launch, t);
      if (p_.by == edge::relaunch_call)
        item(turn_ % 2 == 0 ? op_kind::callback : op_kind::kernel, t);
      return;
    case edge::reuse:
      item(op_kind::kernel, a);
      b_.record(0, a);
      b_.host(op_kind::event_sync, none, 0);
      item(op_kind::kernel, a);
      event_edge(a, t);
      item(op_kind::callback, t);
      return;
    case edge::legacy_record:
      item(turn_ % 2 == 0 ? op_kind::kernel : op_kind::host_function, a);
      b_.record(0, 0);
      b_.wait(0, t == 0 ? 4 : t);
      item(op_kind::callback, t == 0 ? 4 : t);
      b_.host(op_kind::event_sync, none, 0);
      return;
    case edge::replay: {
      const index x = b_.buffer(memory_kind::device);
      const index y = b_.buffer(memory_kind::portable);
      const index g = b_.graph();
      b_.node(g, node_kind::copy, {}, y, x);
      b_.launch(a, g);
      b_.host(op_kind::stream_sync, a);
      b_.item(op_kind::host_write, none, y);
      b_.item(op_kind::kernel, t);
      b_.host(op_kind::stream_sync, t);
      return;
    }
    case edge::upload:
    case edge::download:
    case edge::fill:
      return special_sync_form();
    case edge::join:
    case edge::join_overwritten:
    case edge::join_again:
      return special_join();
    case edge::run:
    case edge::run_then_kernel:
    case edge::two_threads:
      return special_run();
    case edge::destroy_pending:
      item(op_kind::kernel, a < 2 ? 2 : a);
      item(p_.sink, a < 2 ? 2 : a);
      b_.host(op_kind::destroy_stream, a < 2 ? 2 : a);
      return;
    case edge::unrecorded:
      b_.wait(0, a);
      item(p_.sink, a);
      return final(p_.extra, a);
    case edge::progress:
      item(p_.source, a);
      b_.record(0, a);
      item(op_kind::kernel, a);
      b_.host(p_.extra % 2 == 0 ? op_kind::event_sync : op_kind::event_poll, none, 0);
      return;
    case edge::graph_shape:
      b_.item(op_kind::kernel, a);
      b_.launch(a, add_graph_shape(b_, p_.extra));
      b_.item(turn_ % 2 == 0 ? op_kind::callback : op_kind::host_function, a);
      return;
    case edge::attach:
      return attach();
    default:
      return special_many();
  }
}

}  // namespace

stream_program build_pattern(const pattern& p, std::size_t turn) {
  return writer(p, turn).build();
}

}  // namespace streamcts::program
