// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/validity.h"

#include <fmt/format.h>

#include <algorithm>

namespace streamcts::program {
namespace {

template <typename List>
bool in_range(index i, const List& list) {
  return i >= 0 && at(i) < list.size();
}

/// Which fields an operation of a kind uses.
struct needs {
  bool stream = false, event = false, graph = false, read = false, write = false;
  bool may_read = false, may_write = false;
};

needs needs_of(op_kind kind) {
  switch (kind) {
    case op_kind::kernel:
      return {.stream = true, .may_read = true, .may_write = true};
    case op_kind::callback:
    case op_kind::host_function:
      return {.stream = true, .may_write = true};
    case op_kind::copy:
    case op_kind::copy_sync:
      return {.stream = true, .read = true, .write = true};
    case op_kind::memset:
    case op_kind::memset_sync:
    case op_kind::attach:
      return {.stream = true, .write = true};
    case op_kind::launch:
      return {.stream = true, .graph = true};
    case op_kind::record:
    case op_kind::wait:
      return {.stream = true, .event = true};
    case op_kind::write_value:
    case op_kind::fault:
    case op_kind::stream_sync:
    case op_kind::stream_query:
    case op_kind::stream_poll:
    case op_kind::destroy_stream:
      return {.stream = true};
    case op_kind::event_sync:
    case op_kind::event_query:
    case op_kind::event_poll:
    case op_kind::destroy_event:
      return {.event = true};
    case op_kind::host_write:
      return {.write = true};
    case op_kind::context_sync:
    case op_kind::await:
    case op_kind::handoff:
      break;
  }
  return {};
}

class structure {
 public:
  explicit structure(const stream_program& program) : p_(program) {}

  std::optional<program_error> check() {
    check_limits();
    for (const stream_decl& s : p_.streams) check_stream(s);
    for (std::size_t g = 0; !error_ && g < p_.graphs.size(); ++g) check_graph(p_.graphs[g]);
    for (std::size_t i = 0; !error_ && i < p_.ops.size(); ++i) {
      op_ = static_cast<index>(i);
      check_op(p_.ops[i]);
    }
    op_ = none;
    if (!error_) check_size();
    for (const perturbation& d : p_.perturbations) {
      if (!error_) check_perturbation(d);
    }
    return error_;
  }

 private:
  void fail(std::string message, std::string remedy) {
    if (!error_) error_ = program_error{op_, std::move(message), std::move(remedy)};
  }
  void require(bool good, const char* message, const char* remedy) {
    if (!good) fail(message, remedy);
  }

  void check_limits() {
    const auto limit = [this](std::size_t have, std::size_t most, const char* what) {
      if (have > most) fail(fmt::format("{} {}", have, what), fmt::format("use at most {}", most));
    };
    limit(p_.ops.size(), limits::operations, "operations");
    limit(p_.streams.size(), limits::streams, "streams");
    limit(p_.events.size(), limits::events, "events");
    limit(p_.buffers.size(), limits::buffers, "buffers");
    limit(p_.graphs.size(), limits::graphs, "graphs");
    std::uint64_t bytes = 0;
    for (const buffer_decl& b : p_.buffers) {
      require(b.bytes >= 4, "a buffer of less than 4 bytes", "make it larger");
      bytes += b.bytes;
    }
    require(bytes <= limits::bytes, "buffers of more than 64M together", "make them smaller");
    const auto legacy = std::ranges::count(p_.streams, stream_kind::legacy, &stream_decl::kind);
    require(legacy <= 1, "two legacy streams", "declare the legacy stream once");
  }

  void check_stream(const stream_decl& s) {
    require(s.thread < limits::threads, "a thread above 3", "use threads 0 to 3");
    const bool made = s.kind == stream_kind::blocking || s.kind == stream_kind::nonblocking;
    require(made || s.priority == 0, "a default stream with a priority", "leave the priority out");
    const auto same_owner = [&](const stream_decl& other) {
      return other.kind == stream_kind::per_thread && other.thread == s.thread;
    };
    require(s.kind != stream_kind::per_thread || std::ranges::count_if(p_.streams, same_owner) == 1,
            "two per-thread streams of one thread", "declare one a thread");
  }

  void check_graph(const graph_decl& g) {
    require(!g.nodes.empty(), "a graph without nodes", "add a node line");
    require(g.nodes.size() <= limits::graph_nodes, "a graph of more than 32 nodes", "use fewer");
    for (std::size_t n = 0; !error_ && n < g.nodes.size(); ++n) {
      const graph_node& node = g.nodes[n];
      require((node.after >> n) == 0, "a node that depends on itself or a later one",
              "list nodes in an order of their dependencies");
      const bool can_disable = node.kind == node_kind::kernel || node.kind == node_kind::copy ||
                               node.kind == node_kind::memset;
      require(!node.disabled || can_disable, "a disabled host or empty node",
              "disable kernel, copy and memset nodes only");
      check_memory(node);
    }
    if (g.origin == graph_origin::captured) check_capture(g);
  }

  void check_memory(const graph_node& node) {
    const bool copies = node.kind == node_kind::copy;
    const bool reads = copies || (node.kind == node_kind::kernel && node.read != none);
    const bool writes = copies || node.kind == node_kind::memset ||
                        (node.kind != node_kind::empty && node.write != none);
    check_buffers(reads, writes, node.read, node.write, node.kind == node_kind::kernel,
                  node.kind == node_kind::host, node.kind == node_kind::memset);
  }

  /// A captured graph comes from streams that fork from lane 0 and join it again.
  void check_capture(const graph_decl& g) {
    std::uint32_t seen = 0, joined = 0;
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      const graph_node& node = g.nodes[n];
      require(node.kind != node_kind::empty, "an empty node in a captured graph",
              "capture makes none; leave it out");
      require(node.lane < 8, "a lane above 7", "use lanes 0 to 7");
      int previous = -1;
      for (std::size_t d = 0; d < n; ++d) {
        if (g.nodes[d].lane == node.lane) previous = static_cast<int>(d);
      }
      const bool follows = previous >= 0    ? (node.after >> previous & 1) != 0
                           : node.lane == 0 ? n == 0
                                            : node.after != 0;
      require(follows, "a captured node that does not follow its lane",
              "put the node before it in the same lane, or a fork, into after=");
      joined |= node.after;
      seen |= 1U << n;
    }
    const std::uint32_t loose = seen & ~joined;
    require(std::popcount(loose) == 1 && (g.nodes.back().lane == 0) &&
                (loose >> (g.nodes.size() - 1)) != 0,
            "a captured graph that is not joined back to lane 0",
            "end it with a node of lane 0 "
            "behind all others");
  }

  void check_buffers(bool reads, bool writes, index read, index write, bool kernel, bool host,
                     bool fills) {
    if (reads && !in_range(read, p_.buffers)) return fail("no source buffer", "add read=BUFFER");
    if (writes && !in_range(write, p_.buffers)) return fail("no buffer", "add write=BUFFER");
    if (!reads && read != none) return fail("a source that is not used", "leave read= out");
    if (!writes && write != none) return fail("a buffer that is not used", "leave write= out");
    const auto kind = [&](index b) { return p_.buffers[at(b)].memory; };
    if (reads && writes) {
      require(read != write, "a copy onto itself", "use two buffers");
      require(p_.buffers[at(read)].bytes == p_.buffers[at(write)].bytes,
              "source and destination of different size", "give both the same size");
    }
    if (kernel) {
      require(
          (!reads || kernel_accessible(kind(read))) && (!writes || kernel_accessible(kind(write))),
          "a kernel that uses pageable memory", "use a copy, or another kind of memory");
    }
    if (fills)
      require(kernel_accessible(kind(write)), "a memset of pageable memory",
              "use another kind of memory");
    if (host)
      require(!writes || host_readable(kind(write)), "a host write into device memory",
              "use another kind of memory");
  }

  void check_op(const operation& o) {
    require(o.thread < limits::threads, "a thread above 3", "use threads 0 to 3");
    const needs n = needs_of(o.kind);
    if (n.stream != in_range(o.stream, p_.streams))
      return fail("a stream is missing or too many", "name one declared stream");
    if (n.event != in_range(o.event, p_.events))
      return fail("an event is missing or too many", "name one declared event");
    if (n.graph != in_range(o.graph, p_.graphs))
      return fail("a graph is missing or too many", "name one declared graph");
    check_buffers(n.read || (n.may_read && o.read != none),
                  n.write || (n.may_write && o.write != none), o.read, o.write,
                  o.kind == op_kind::kernel, is_host_call(o.kind) || o.kind == op_kind::host_write,
                  o.kind == op_kind::memset || o.kind == op_kind::memset_sync);
    if (error_) return;
    require(o.repeat >= 1 && o.repeat <= limits::repeat, "a repeat count outside 1 to 2048",
            "use 1 to 2048");
    require(o.repeat == 1 || o.kind == op_kind::kernel, "a repeated operation that is no kernel",
            "write it several times");
    if (n.stream) check_stream_use(o);
    if (n.event) check_event_use(o);
    check_special(o);
  }

  void check_stream_use(const operation& o) {
    const stream_decl& s = p_.streams[at(o.stream)];
    require(s.kind != stream_kind::per_thread || s.thread == o.thread,
            "a per-thread stream used by another thread", "use it in its own thread");
    const bool sync_form = o.kind == op_kind::copy_sync || o.kind == op_kind::memset_sync;
    const bool is_default = s.kind == stream_kind::legacy || s.kind == stream_kind::per_thread;
    require(!sync_form || is_default, "a synchronous copy in a stream that is not a default one",
            "name the legacy or a per-thread stream");
    require(o.kind != op_kind::destroy_stream || !is_default, "destroying a default stream",
            "destroy created streams only");
    require(o.kind != op_kind::attach || s.kind != stream_kind::legacy ||
                o.attach == attach_mode::global,
            "memory attached to the legacy stream alone", "use another stream, or global");
    require(!destroyed(op_kind::destroy_stream, &operation::stream, o.stream),
            "a stream used after its destruction", "destroy it later");
  }

  void check_event_use(const operation& o) {
    require(!destroyed(op_kind::destroy_event, &operation::event, o.event),
            "an event used after its destruction", "destroy it later");
  }

  bool destroyed(op_kind kind, index operation::*object, index which) const {
    return std::any_of(p_.ops.begin(), p_.ops.begin() + op_,
                       [&](const operation& o) { return o.kind == kind && o.*object == which; });
  }

  void check_special(const operation& o) {
    switch (o.kind) {
      case op_kind::attach:
        require(p_.buffers[at(o.write)].memory == memory_kind::managed,
                "attaching memory that is not managed", "declare the buffer managed");
        return;
      case op_kind::await:
        require(o.target >= 0 && o.target < op_ && is_host_call(p_.ops[at(o.target)].kind),
                "waiting for something that is no earlier host call",
                "name a callback or host function of an earlier line");
        require(!faults(), "waiting for a host call in a program with a fault",
                "it may never run: leave the await out");
        return;
      case op_kind::handoff:
        require(o.target >= 0 && o.target != o.thread && at(o.target) < limits::threads,
                "a handoff to no other thread", "name another thread, 0 to 3");
        return;
      case op_kind::fault:
        require(std::ranges::count(p_.ops, op_kind::fault, &operation::kind) == 1, "two faults",
                "a context faults once: leave one");
        return;
      default:
        return;
    }
  }

  bool faults() const {
    return std::ranges::any_of(p_.ops, [](const operation& o) { return o.kind == op_kind::fault; });
  }

  void check_size() {
    std::size_t count = 0;
    for (const operation& o : p_.ops) {
      if (o.kind == op_kind::launch) {
        count += p_.graphs[at(o.graph)].nodes.size();
      } else {
        count += makes_items(o.kind) ? 1 : 0;
      }
    }
    if (count > limits::items) fail(fmt::format("{} items", count), "use at most 256");
  }

  void check_perturbation(const perturbation& d) {
    require(in_range(d.op, p_.ops) && makes_items(p_.ops[at(d.op)].kind),
            "a hold or delay of nothing", "name an operation that runs, or GRAPH.NODE");
    if (error_) return;
    const operation& o = p_.ops[at(d.op)];
    const bool node = o.kind == op_kind::launch && in_range(d.node, p_.graphs[at(o.graph)].nodes);
    require(o.kind == op_kind::launch ? node : d.node == none, "a hold or delay of nothing",
            "name an operation that runs, or GRAPH.NODE");
  }

  const stream_program& p_;
  index op_ = none;
  std::optional<program_error> error_;
};

std::optional<program_error> attach_error(const model& m) {
  const stream_program& p = m.source();
  std::vector<index> owner(p.buffers.size(), none);
  for (const item& x : m.items().items()) {
    const operation& o = p.ops[at(x.op)];
    if (x.kind == item_kind::attach) {
      owner[at(x.write)] = o.attach == attach_mode::single ? x.stream : none;
      continue;
    }
    for (const index b : {x.read, x.write}) {
      if (b == none || owner[at(b)] == none || owner[at(b)] == x.stream) continue;
      return program_error{x.op, "memory attached to one stream is used outside it",
                           "use it in that stream, or attach it globally first"};
    }
  }
  return std::nullopt;
}

/// What the calling thread knows to have ended when it calls @p op.
item_set known_at_call(const model& m, std::size_t op) {
  const auto& ops = m.source().ops;
  for (std::size_t i = op; i > 0; --i) {
    if (ops[i - 1].thread == ops[op].thread) return m.order().known(i - 1);
  }
  return {};
}

}  // namespace

std::optional<program_error> structural_error(const stream_program& program) {
  return structure(program).check();
}

std::optional<program_error> semantic_error(const model& m) {
  if (const auto race = m.data().race(m.source(), m.items(), m.order())) {
    const auto items = m.items().items();
    return program_error{
        items[race->second].op,
        fmt::format("{} and {} both use buffer {} and nothing orders them",
                    item_name(m.source(), items[race->first]),
                    item_name(m.source(), items[race->second]),
                    m.source().buffers[race->buffer].name.view()),
        "order them by a stream, an event or a synchronization, or use two buffers"};
  }
  return attach_error(m);
}

std::optional<program_error> program_error_of(const stream_program& program) {
  if (auto error = structural_error(program)) return error;
  return semantic_error(model(program));
}

bool can_hold(const model& m, std::size_t item) {
  for (std::size_t x = 0; x < m.items().size(); ++x) {
    const streamcts::program::item& i = m.items().items()[x];
    if (i.kind != item_kind::copy || i.node != none) continue;
    const bool pageable = m.source().buffers[at(i.read)].memory == memory_kind::pageable ||
                          m.source().buffers[at(i.write)].memory == memory_kind::pageable;
    if (pageable && m.order().before(x).has(item) && !known_at_call(m, at(i.op)).has(item)) {
      return false;
    }
  }
  return true;
}

}  // namespace streamcts::program
