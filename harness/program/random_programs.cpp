// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/random_programs.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "harness/program/enumerator.h"
#include "harness/program/shapes.h"

namespace streamcts::program {
namespace {

std::size_t place_of(op_kind kind) {
  return static_cast<std::size_t>(kind);
}

index any(random_source& r, std::size_t count) {
  return static_cast<index>(r.below(count));
}

void add_streams(builder& b, random_source& r, std::size_t threads, std::size_t more) {
  constexpr std::array<std::string_view, 8> names{"A", "B", "C", "D", "N", "M", "O", "Q"};
  if (r.chance(.8)) b.stream(stream_kind::legacy, "L");
  if (r.chance(.3)) b.stream(stream_kind::per_thread, "P");
  if (threads > 1 && r.chance(.5)) b.stream(stream_kind::per_thread, "R", 0, 1);
  const std::size_t blocking = 1 + r.below(3), others = r.below(3);
  for (std::size_t i = 0; i < blocking; ++i) {
    b.stream(stream_kind::blocking, names[i], r.chance(.2) ? -1 : 0);
  }
  for (std::size_t i = 0; i < others; ++i) {
    b.stream(stream_kind::nonblocking, names[4 + i], r.chance(.2) ? -2 : 0);
  }
  for (std::size_t i = b.program.streams.size(); i < more; ++i) {
    const char name[3] = {'S', static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    b.stream(i % 2 == 0 ? stream_kind::blocking : stream_kind::nonblocking,
             std::string_view(name, 3));
  }
}

/// A graph of random edges.
void add_random_graph(builder& b, random_source& r) {
  constexpr std::array kinds{node_kind::kernel, node_kind::kernel, node_kind::host,
                             node_kind::empty};
  const index g = b.graph();
  const std::size_t count = 2 + r.below(5);
  for (std::size_t n = 0; n < count; ++n) {
    b.node(g, kinds[r.below(kinds.size())]);
    graph_node& node = b.last_node(g);
    for (std::size_t d = 0; d < n; ++d) {
      if (r.chance(.45)) node.after |= 1U << d;
    }
    node.disabled = node.kind == node_kind::kernel && r.chance(.1);
  }
}

index default_stream(const builder& b, std::uint8_t thread) {
  for (std::size_t i = 0; i < b.program.streams.size(); ++i) {
    const stream_decl& d = b.program.streams[i];
    const bool own = d.kind == stream_kind::per_thread && d.thread == thread;
    if (d.kind == stream_kind::legacy || own) return static_cast<index>(i);
  }
  return none;
}

index earlier_host_call(const builder& b, random_source& r) {
  std::vector<index> calls;
  for (std::size_t i = 0; i < b.program.ops.size(); ++i) {
    if (is_host_call(b.program.ops[i].kind)) calls.push_back(static_cast<index>(i));
  }
  return calls.empty() ? none : calls[r.below(calls.size())];
}

bool uses_event(op_kind kind) {
  return kind == op_kind::record || kind == op_kind::wait || kind == op_kind::event_sync ||
         kind == op_kind::event_query || kind == op_kind::event_poll;
}

/// Fills in what an operation of its kind needs; false if the program has no such thing.
bool complete(builder& b, random_source& r, operation& o, std::size_t threads) {
  const bool sync_form = o.kind == op_kind::copy_sync || o.kind == op_kind::memset_sync;
  if (sync_form) {
    o.stream = default_stream(b, o.thread);
    return o.stream != none;
  }
  if (uses_event(o.kind)) o.event = any(r, b.program.events.size());
  switch (o.kind) {
    case op_kind::event_sync:
    case op_kind::event_query:
    case op_kind::event_poll:
    case op_kind::context_sync:
    case op_kind::host_write:
      return true;
    case op_kind::await:
      o.target = earlier_host_call(b, r);
      return o.target != none;
    case op_kind::handoff:
      o.target = static_cast<index>(1 - o.thread);
      return threads > 1;
    case op_kind::launch:
      if (b.program.graphs.empty()) return false;
      o.graph = any(r, b.program.graphs.size());
      break;
    case op_kind::kernel:
      if (r.chance(.01)) o.repeat = r.chance(.3) ? 1030 : 130;
      break;
    default:
      break;
  }
  o.stream = pick_stream(b, r, o.thread);
  return o.stream != none;
}

void add_destruction(builder& b, random_source& r) {
  if (!b.program.events.empty() && r.chance(.1)) {
    b.host(op_kind::destroy_event, none, any(r, b.program.events.size()));
  }
  if (!r.chance(.05)) return;
  const index s = any(r, b.program.streams.size());
  const stream_kind kind = b.program.streams[static_cast<std::size_t>(s)].kind;
  if (kind == stream_kind::blocking || kind == stream_kind::nonblocking) {
    b.host(op_kind::destroy_stream, s);
  }
}

/// One kernel that faults, somewhere. Nothing then waits for a host call, which may never run.
void add_fault(builder& b, random_source& r) {
  auto& ops = b.program.ops;
  std::erase_if(ops, [](const operation& o) { return o.kind == op_kind::await; });
  operation fault;
  fault.kind = op_kind::fault;
  fault.fault = static_cast<fault_kind>(r.below(4));
  fault.stream = pick_stream(b, r, 0);
  if (fault.stream == none) return;
  const std::size_t position = r.below(std::min<std::size_t>(ops.size() + 1, 8));
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(position), fault);
}

kind_weights swarm_weights(random_source& r) {
  kind_weights w = usual_weights();
  for (std::size_t k = 0; k < w.size(); ++k) {
    const bool keep = k == place_of(op_kind::kernel) || r.chance(.6);
    if (!keep) w[k] = 0;
  }
  if (w[place_of(op_kind::callback)] + w[place_of(op_kind::host_function)] == 0) w[place_of(op_kind::callback)] = .5;
  return w;
}

stream_program make(generator g, random_source& r) {
  builder b;
  add_surroundings(b, r, g == generator::swarm);
  const std::size_t length = 8 + r.below(17);
  if (g == generator::idiom) {
    while (b.program.events.size() < 2) b.event();
    kind_weights w = usual_weights();
    for (const op_kind k : {op_kind::stream_sync, op_kind::event_sync, op_kind::context_sync,
                            op_kind::stream_poll, op_kind::event_poll}) {
      w[place_of(k)] *= .3;
    }
    add_idioms(b, r, w, length);
  } else {
    add_noise(b, r, g == generator::swarm ? swarm_weights(r) : usual_weights(), length);
  }
  if (g == generator::fault) {
    add_fault(b, r);
  } else {
    add_destruction(b, r);
  }
  add_data(b.program, r);
  name_operations(b.program);
  return std::move(b.program);
}

}  // namespace

index pick_stream(const builder& b, random_source& r, std::uint8_t thread) {
  for (int tries = 0; tries < 8; ++tries) {
    const index s = any(r, b.program.streams.size());
    const stream_decl& d = b.program.streams[static_cast<std::size_t>(s)];
    if (d.kind != stream_kind::per_thread || d.thread == thread) return s;
  }
  return none;
}

kind_weights usual_weights() {
  kind_weights w{};
  w[place_of(op_kind::kernel)] = 4;
  w[place_of(op_kind::copy)] = 1.2;
  w[place_of(op_kind::memset)] = .6;
  w[place_of(op_kind::callback)] = w[place_of(op_kind::host_function)] = 1.5;
  w[place_of(op_kind::write_value)] = .4;
  w[place_of(op_kind::launch)] = .7;
  w[place_of(op_kind::copy_sync)] = .15;
  w[place_of(op_kind::memset_sync)] = .1;
  w[place_of(op_kind::record)] = w[place_of(op_kind::wait)] = 3;
  w[place_of(op_kind::stream_sync)] = w[place_of(op_kind::event_sync)] = .3;
  w[place_of(op_kind::context_sync)] = .15;
  w[place_of(op_kind::stream_query)] = w[place_of(op_kind::event_query)] = .3;
  w[place_of(op_kind::stream_poll)] = w[place_of(op_kind::event_poll)] = .15;
  w[place_of(op_kind::await)] = .15;
  w[place_of(op_kind::host_write)] = .2;
  w[place_of(op_kind::handoff)] = .6;
  return w;
}

void add_surroundings(builder& b, random_source& r, bool thresholds) {
  const std::size_t threads = r.chance(.2) ? 2 : 1;
  std::size_t streams = 0;
  if (thresholds && r.chance(.06)) streams = r.chance(.7) ? 8 : 33;
  add_streams(b, r, threads, streams);
  b.thread_count = threads;
  const std::size_t events = 1 + r.below(3);
  for (std::size_t i = 0; i < events; ++i) b.event(r.chance(.3), r.chance(.2));
  if (r.chance(.5)) add_graph_shape(b, r.below(graph_shapes));
  if (r.chance(.3)) add_random_graph(b, r);
}

void add_noise(builder& b, random_source& r, const kind_weights& weights, std::size_t length) {
  for (std::size_t tries = 0; b.program.ops.size() < length && tries < 4 * length; ++tries) {
    operation o;
    o.kind = static_cast<op_kind>(r.weighted(weights));
    o.thread = b.thread_count > 1 && r.chance(.4) ? 1 : 0;
    if (!complete(b, r, o, b.thread_count)) continue;
    b.use_thread(o.thread);
    b.add(o);
  }
  b.use_thread(0);
}

std::string_view to_string(generator g) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(generator::count)> words{
      "enumerator", "idiom", "swarm", "plain", "fault"};
  return words.at(static_cast<std::size_t>(g));
}

stream_program generate(generator g, std::uint64_t number) {
  stream_program p;
  if (g == generator::enumerator) {
    const auto& all = enumerated_patterns();
    number %= all.size();
    p = build_pattern(all[number], number);
  } else {
    random_source r(number * static_cast<std::uint64_t>(generator::count) +
                    static_cast<std::uint64_t>(g));
    p = make(g, r);
  }
  p.origin = to_string(g);
  p.origin += ':';
  p.origin += std::to_string(number);
  return p;
}

std::optional<stream_program> generate(std::string_view origin) {
  for (int g = 0; g < static_cast<int>(generator::count); ++g) {
    const auto which = static_cast<generator>(g);
    const std::string_view name = to_string(which);
    if (!origin.starts_with(name) || origin.size() <= name.size() || origin[name.size()] != ':') {
      continue;
    }
    const std::string_view digits = origin.substr(name.size() + 1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) {
      return generate(which, number);
    }
  }
  return std::nullopt;
}

}  // namespace streamcts::program
