// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <string_view>

#include "harness/program/enumerator_writer.h"

namespace streamcts::program {

void pattern_writer::special_join() {
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

void pattern_writer::special_sync_form() {
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

void pattern_writer::special_run() {
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

void pattern_writer::special_many() {
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

void pattern_writer::attach() {
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

void pattern_writer::special() {
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

}  // namespace streamcts::program
