// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Short sequences that drivers and stand-ins are known to get wrong, each on random streams.

#include <array>

#include "harness/program/random_programs.h"
#include "harness/program/shapes.h"

namespace streamcts::program {
namespace {

constexpr auto K = op_kind::kernel;

/// What an idiom may use: streams a, b, c (different where there are enough), the legacy stream,
/// one that it synchronizes with, one that it does not, and two events.
struct scene {
  builder& b;
  random_source& r;
  index a = none, s = none, c = none;
  index legacy = none, blocking = none, nonblocking = none;
  index e = 0, f = 1;

  op_kind call() const { return r.chance(.5) ? op_kind::callback : op_kind::host_function; }
  op_kind any() const { return r.chance(.5) ? K : call(); }
  void item(op_kind kind, index stream) const { b.item(kind, stream); }
  void event(index from, index to, index event) const {
    b.record(event, from);
    b.wait(event, to);
  }
};

scene make_scene(builder& b, random_source& r) {
  scene x{b, r};
  x.a = pick_stream(b, r, 0);
  x.s = pick_stream(b, r, 0);
  x.c = pick_stream(b, r, 0);
  for (int tries = 0; tries < 6 && x.s == x.a; ++tries) x.s = pick_stream(b, r, 0);
  for (int tries = 0; tries < 6 && (x.c == x.a || x.c == x.s); ++tries) x.c = pick_stream(b, r, 0);
  x.e = static_cast<index>(r.below(b.program.events.size()));
  x.f = static_cast<index>((static_cast<std::size_t>(x.e) + 1) % b.program.events.size());
  for (std::size_t i = 0; i < b.program.streams.size(); ++i) {
    const stream_decl& d = b.program.streams[i];
    const bool other = d.kind == stream_kind::per_thread && d.thread != 0;
    if (other) continue;
    const auto s = static_cast<index>(i);
    if (d.kind == stream_kind::legacy) {
      x.legacy = s;
    } else if (d.kind == stream_kind::nonblocking) {
      x.nonblocking = s;
    } else if (x.blocking == none || r.chance(.5)) {
      x.blocking = s;
    }
  }
  return x;
}

void fork_join(const scene& x) {
  x.item(K, x.a);
  x.event(x.a, x.s, x.e);
  x.item(K, x.s);
  x.event(x.s, x.a, x.f);
  x.item(x.call(), x.a);
}

void record_again(const scene& x) {
  x.item(K, x.a);
  x.event(x.a, x.s, x.e);
  x.item(K, x.s);
  x.item(K, x.a);
  x.event(x.a, x.s, x.e);
  x.item(x.call(), x.s);
}

void record_elsewhere(const scene& x) {
  x.item(K, x.a);
  x.event(x.a, x.s, x.e);
  x.item(K, x.s);
  x.b.record(x.e, x.s);
  x.item(K, x.a);
  x.b.wait(x.e, x.a);
  x.item(x.call(), x.a);
}

void relay(const scene& x) {
  x.item(K, x.a);
  x.event(x.a, x.s, x.e);
  x.event(x.s, x.c, x.f);
  x.item(x.call(), x.c);
}

void join_three(const scene& x) {
  x.item(K, x.a);
  x.b.record(x.e, x.a);
  x.item(K, x.c);
  x.b.record(x.f, x.c);
  x.b.wait(x.e, x.s);
  x.b.wait(x.f, x.s);
  x.item(x.call(), x.s);
}

void call_chain(const scene& x) {
  const std::size_t more = x.r.chance(.1) ? 17 : 2;
  for (std::size_t i = 0; i < more; ++i) x.item(x.call(), x.a);
  x.item(K, x.a);
  x.item(x.call(), x.a);
  x.item(x.call(), x.a);
}

void call_recorded(const scene& x) {
  x.item(K, x.a);
  x.item(x.call(), x.a);
  x.event(x.a, x.s, x.e);
  x.item(K, x.s);
}

void call_synchronized(const scene& x) {
  const index s = x.a == x.legacy && x.blocking != none ? x.blocking : x.a;
  x.item(K, s);
  x.item(x.call(), s);
  switch (x.r.below(5)) {
    case 0:
      x.b.host(op_kind::stream_sync, s);
      return;
    case 1:
      x.b.host(op_kind::stream_query, s);
      return;
    case 2:
      x.b.host(op_kind::context_sync);
      return;
    case 3:
      x.b.record(x.e, s);
      x.b.host(op_kind::event_sync, none, x.e);
      return;
    default:
      x.b.record(x.e, s);
      x.b.host(op_kind::event_query, none, x.e);
  }
}

void sandwich(const scene& x) {
  if (x.legacy == none || x.blocking == none) return;
  x.item(K, x.blocking);
  x.item(x.any(), x.legacy);
  x.item(x.any(), x.blocking);
}

void legacy_record(const scene& x) {
  if (x.legacy == none || x.blocking == none) return;
  x.item(K, x.blocking);
  x.b.record(x.e, x.legacy);
  if (x.nonblocking != none && x.r.chance(.5)) {
    x.b.wait(x.e, x.nonblocking);
    x.item(x.call(), x.nonblocking);
  } else {
    x.b.host(x.r.chance(.5) ? op_kind::event_sync : op_kind::event_query, none, x.e);
  }
}

void legacy_wait(const scene& x) {
  if (x.legacy == none || x.blocking == none || x.nonblocking == none) return;
  x.item(K, x.nonblocking);
  x.event(x.nonblocking, x.legacy, x.e);
  x.item(x.any(), x.blocking);
}

void legacy_wait_before(const scene& x) {
  if (x.legacy == none || x.blocking == none || x.nonblocking == none) return;
  x.item(K, x.nonblocking);
  x.b.record(x.e, x.nonblocking);
  x.item(K, x.blocking);
  x.b.wait(x.e, x.legacy);
  x.b.record(x.f, x.legacy);
  x.b.wait(x.f, x.nonblocking);
  x.item(x.call(), x.nonblocking);
}

index some_graph(const scene& x) {
  const std::size_t n = x.b.program.graphs.size();
  return n == 0 ? add_graph_shape(x.b, x.r.below(2)) : static_cast<index>(x.r.below(n));
}

void launch_again(const scene& x) {
  const index g = some_graph(x);
  x.b.launch(x.a, g);
  x.b.launch(x.s, g);
  x.item(x.call(), x.s);
}

void launch_between(const scene& x) {
  x.item(x.any(), x.a);
  x.b.launch(x.a, some_graph(x));
  x.item(x.call(), x.a);
}

void launch_legacy(const scene& x) {
  if (x.legacy == none || x.blocking == none) return;
  x.item(K, x.blocking);
  x.b.launch(x.legacy, some_graph(x));
  x.item(x.call(), x.blocking);
}

void reuse_after_sync(const scene& x) {
  x.item(K, x.a);
  x.b.record(x.e, x.a);
  x.b.host(op_kind::event_sync, none, x.e);
  x.item(K, x.a);
  x.event(x.a, x.s, x.e);
  x.item(x.call(), x.s);
}

void copies(const scene& x) {
  x.item(x.r.chance(.5) ? K : op_kind::memset, x.a);
  x.item(op_kind::copy, x.a);
  x.event(x.a, x.s, x.e);
  x.item(op_kind::copy, x.s);
  x.item(x.call(), x.s);
}

void two_threads(const scene& x) {
  if (x.b.thread_count < 2) return;
  x.item(K, x.a);
  x.b.host(op_kind::stream_sync, x.a);
  operation o;
  o.kind = op_kind::handoff;
  o.target = 1;
  x.b.add(o);
  const index s = pick_stream(x.b, x.r, 1);
  x.b.use_thread(1);
  if (s != none) x.b.item(x.any(), s);
  x.b.use_thread(0);
}

constexpr std::array idioms{fork_join,    record_again,   record_elsewhere, relay,
                            join_three,   call_chain,     call_recorded,    call_synchronized,
                            sandwich,     legacy_record,  legacy_wait,      legacy_wait_before,
                            launch_again, launch_between, launch_legacy,    reuse_after_sync,
                            copies,       two_threads};

}  // namespace

std::size_t idiom_count() {
  return idioms.size();
}

void add_idiom(builder& b, random_source& r, std::size_t which) {
  const scene x = make_scene(b, r);
  if (x.a == none || x.s == none || x.c == none) return;
  idioms.at(which)(x);
}

void add_idioms(builder& b, random_source& r, const kind_weights& noise, std::size_t length) {
  std::array<std::vector<operation>, 3> sequences;
  std::size_t used = 0;
  for (int i = 0; i < 2; ++i) {
    add_idiom(b, r, r.below(idioms.size()));
    used += b.program.ops.size();
    sequences[static_cast<std::size_t>(i)] = std::move(b.program.ops);
    b.program.ops.clear();
  }
  add_noise(b, r, noise, length > used + 2 ? length - used : 2);
  sequences[2] = std::move(b.program.ops);
  b.program.ops.clear();

  std::array<std::vector<index>, 3> moved_to;
  std::array<std::size_t, 3> next{};
  for (;;) {
    std::array<double, 3> left{};
    for (std::size_t i = 0; i < 3; ++i) {
      left[i] = static_cast<double>(sequences[i].size() - next[i]);
    }
    if (left[0] + left[1] + left[2] == 0) return;
    const std::size_t from = r.weighted(left);
    const std::size_t count = 1 + r.below(sequences[from].size() - next[from]);
    for (std::size_t k = 0; k < count; ++k) {
      operation o = sequences[from][next[from]++];
      if (o.kind == op_kind::await) o.target = moved_to[from][static_cast<std::size_t>(o.target)];
      moved_to[from].push_back(static_cast<index>(b.program.ops.size()));
      b.program.ops.push_back(o);
    }
  }
}

}  // namespace streamcts::program
