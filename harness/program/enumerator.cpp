// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Every small program of the form: a source, one ordering edge, an observer. What does not change
// the kind of order (memory, sizes, which of two host calls, the last synchronization) is turned
// over from program to program instead of multiplied.

#include "harness/program/enumerator.h"

#include <array>

#include "harness/program/builder.h"

namespace streamcts::program {
namespace {

constexpr index on_legacy = 0, on_per_thread = 1, on_first_blocking = 2, on_second_blocking = 3,
                on_nonblocking = 4;
constexpr index stream_count = 5;
constexpr std::array sources{op_kind::kernel,   op_kind::copy,          op_kind::memset,
                             op_kind::callback, op_kind::host_function, op_kind::write_value,
                             op_kind::launch};
constexpr std::size_t final_count = 8;

bool barrier(index s) {
  return s >= on_per_thread && s <= on_second_blocking;
}

/// One of each pair of like kinds, in turn.
std::array<op_kind, 4> sinks_in_turn(std::size_t turn) {
  const bool odd = turn % 2 != 0;
  return {op_kind::kernel, odd ? op_kind::callback : op_kind::host_function,
          odd ? op_kind::copy : op_kind::memset,
          turn % 4 < 2 ? op_kind::launch : op_kind::write_value};
}

class lister {
 public:
  std::vector<pattern> list() {
    for (const op_kind source : sources) {
      for (index s = 0; s < stream_count; ++s) from(source, s);
    }
    special();
    return std::move(out_);
  }

 private:
  void add(edge e, op_kind source, index s, op_kind sink, index t, std::size_t last) {
    out_.push_back({e, source, sink, s, t, static_cast<std::uint8_t>(last % final_count)});
  }
  void all_sinks(edge e, op_kind source, index s, index t) {
    for (const op_kind sink : sources) {
      add(e, source, s, sink, t, turn_);
      add(e, source, s, sink, t, turn_ + 3);
      ++turn_;
    }
  }
  void some_sinks(edge e, op_kind source, index s, index t) {
    for (const op_kind sink : sinks_in_turn(turn_)) {
      add(e, source, s, sink, t, turn_);
      ++turn_;
    }
    ++turn_;
  }

  void from(op_kind source, index s) {
    for (std::size_t last = 0; last < final_count; ++last)
      add(edge::alone, source, s, source, s, last);
    all_sinks(edge::stream_order, source, s, s);
    for (index t = 0; t < stream_count; ++t) {
      if (t == s) continue;
      all_sinks(edge::event, source, s, t);
      for (const edge e : {edge::relay, edge::record_again, edge::overwritten, edge::destroyed}) {
        some_sinks(e, source, s, t);
      }
      const bool implicit = (s == on_legacy && barrier(t)) || (t == on_legacy && barrier(s));
      if (implicit) all_sinks(edge::barrier, source, s, t);
      if (barrier(t)) some_sinks(edge::legacy_wait, source, s, t);
      if (!barrier(s) || !barrier(t)) continue;
      for (const edge e : {edge::between_kernel, edge::between_call, edge::between_wait,
                           edge::between_launch, edge::between_write, edge::between_copy}) {
        some_sinks(e, source, s, t);
      }
    }
    for (const edge e : {edge::stream_sync, edge::event_sync, edge::context_sync, edge::stream_poll,
                         edge::event_poll, edge::other_thread}) {
      const auto t = static_cast<index>((s + 1 + turn_ % 4) % stream_count);
      some_sinks(e, source, s, t == on_per_thread && e == edge::other_thread ? on_nonblocking : t);
    }
    if (is_host_call(source)) some_sinks(edge::await, source, s, (s + 2) % stream_count);
  }

  void special() {
    for (index a = 0; a < stream_count; ++a) {
      for (index b = 0; b < stream_count; ++b) {
        if (a == b) continue;
        for (const edge e : {edge::relaunch, edge::relaunch_call, edge::reuse, edge::legacy_record,
                             edge::upload, edge::download, edge::fill, edge::replay}) {
          add(e, op_kind::kernel, a, op_kind::callback, b, turn_++);
        }
        for (index c = 0; c < stream_count; ++c) {
          if (c == a || c == b) continue;
          for (const edge e : {edge::join, edge::join_overwritten, edge::join_again}) {
            out_.push_back({e, sources[turn_ % 5],
                            turn_ % 3 == 0   ? op_kind::kernel
                            : turn_ % 3 == 1 ? op_kind::callback
                                             : op_kind::host_function,
                            a, b, static_cast<std::uint8_t>(c)});
            ++turn_;
          }
        }
      }
      for (const op_kind k : sources) {
        for (std::size_t n = 2; n < 6; ++n) {
          out_.push_back({edge::run, k, k, a, a, static_cast<std::uint8_t>(n)});
        }
        add(edge::run_then_kernel, k, a, op_kind::kernel, a, 3);
        if (a == on_per_thread) continue;
        add(edge::two_threads, k, a, sources[turn_ % sources.size()], a, turn_ + 1);
        ++turn_;
      }
      for (const op_kind k : {op_kind::callback, op_kind::host_function}) {
        out_.push_back({edge::run, k, k, a, a, 17});
        out_.push_back({edge::destroy_pending, op_kind::kernel, k, a, a, 0});
      }
      for (std::uint8_t n = 0; n < 5; ++n) {
        out_.push_back({edge::unrecorded, op_kind::kernel, sources[n], a, a, n});
        out_.push_back({edge::progress, sources[n], op_kind::kernel, a, a, n});
      }
      for (std::uint8_t shape = 0; shape < graph_shapes; ++shape) {
        out_.push_back({edge::graph_shape, op_kind::launch, op_kind::callback, a, a, shape});
      }
      add(edge::attach, op_kind::kernel, a, op_kind::kernel, (a + 1) % stream_count, turn_++);
    }
    for (std::uint8_t n = 0; n < 4; ++n) {
      out_.push_back({edge::many_streams, op_kind::kernel, sources[3 + n % 2], on_nonblocking,
                      on_first_blocking, n});
      out_.push_back(
          {edge::many_items, op_kind::kernel, op_kind::kernel, on_first_blocking, on_first_blocking, n});
    }
  }

  std::vector<pattern> out_;
  std::size_t turn_ = 0;
};

}  // namespace

const std::vector<pattern>& enumerated_patterns() {
  static const std::vector<pattern> all = lister().list();
  return all;
}

std::size_t enumerated_programs() {
  return enumerated_patterns().size();
}

}  // namespace streamcts::program
