// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <iterator>

#include "harness/program/text.h"

namespace streamcts::program {
namespace {

class printer {
 public:
  explicit printer(const stream_program& program) : p_(program) {}

  std::string all() {
    put("streamcts-program 1\n");
    if (!p_.origin.empty()) put("origin {}\n", p_.origin);
    for (const stream_decl& s : p_.streams) stream(s);
    for (const event_decl& e : p_.events) event(e);
    for (const buffer_decl& b : p_.buffers) {
      put("buffer {} {} {}\n", b.name.view(), to_string(b.memory), bytes(b.bytes));
    }
    for (const graph_decl& g : p_.graphs) graph(g);
    for (const operation& o : p_.ops) {
      op(o);
      put("\n");
    }
    for (const perturbation& d : p_.perturbations) disturb(d);
    return std::move(out_);
  }

  std::string one(const operation& o) {
    op(o);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static std::string bytes(std::uint32_t n) {
    if (n % (1U << 20) == 0) return fmt::format("{}M", n >> 20);
    if (n % 1024 == 0) return fmt::format("{}K", n >> 10);
    return fmt::format("{}", n);
  }

  void stream(const stream_decl& s) {
    put("stream {} {}", s.name.view(), to_string(s.kind));
    if (s.priority != 0) put(" priority={}", s.priority);
    if (s.thread != 0) put(" thread={}", s.thread);
    put("\n");
  }

  void event(const event_decl& e) {
    put("event {}{}{}\n", e.name.view(), e.timing ? " timing" : "",
        e.blocking_sync ? " blocking_sync" : "");
  }

  void graph(const graph_decl& g) {
    put("graph {}{}\n", g.name.view(), g.origin == graph_origin::captured ? " captured" : "");
    for (const graph_node& n : g.nodes) {
      put("node {} {} {}", g.name.view(), n.name.view(), to_string(n.kind));
      const char* before = " after=";
      for (std::size_t d = 0; d < g.nodes.size(); ++d) {
        if ((n.after >> d & 1) == 0) continue;
        put("{}{}", before, g.nodes[d].name.view());
        before = ",";
      }
      memory(n.read, n.write);
      if (n.lane != 0) put(" lane={}", n.lane);
      if (n.disabled) put(" disabled");
      put("\n");
    }
  }

  void memory(index read, index write) {
    if (read != none) put(" read={}", p_.buffers[at(read)].name.view());
    if (write != none) put(" write={}", p_.buffers[at(write)].name.view());
  }

  void op(const operation& o) {
    if (o.thread != 0) put("@{} ", o.thread);
    if (makes_items(o.kind)) put("{}: ", o.name.view());
    put("{}", to_string(o.kind));
    if (o.event != none) put(" {}", p_.events[at(o.event)].name.view());
    if (o.stream != none) put(" {}", p_.streams[at(o.stream)].name.view());
    if (o.graph != none) put(" {}", p_.graphs[at(o.graph)].name.view());
    if (o.kind == op_kind::await) put(" {}", p_.ops[at(o.target)].name.view());
    if (o.kind == op_kind::handoff) put(" {}", o.target);
    if (o.kind == op_kind::attach) put(" {}", to_string(o.attach));
    if (o.kind == op_kind::fault) put(" {}", to_string(o.fault));
    memory(o.read, o.write);
    if (o.repeat != 1) put(" repeat={}", o.repeat);
  }

  void disturb(const perturbation& d) {
    const operation& o = p_.ops[at(d.op)];
    put("{} {}", d.kind == perturbation::type::hold ? "hold" : "delay", o.name.view());
    if (d.node != none) put(".{}", p_.graphs[at(o.graph)].nodes[at(d.node)].name.view());
    if (d.kind == perturbation::type::delay) put(" {}us", d.microseconds);
    put("\n");
  }

  const stream_program& p_;
  std::string out_;
};

}  // namespace

std::string to_text(const stream_program& program) {
  stream_program named = program;
  name_operations(named);
  return printer(named).all();
}

std::string line_of(const stream_program& program, const operation& op) {
  return printer(program).one(op);
}

}  // namespace streamcts::program
