// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/shrink_passes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "harness/program/compact.h"

namespace streamcts::program {
namespace {

stream_program without(const stream_program& p, std::size_t first, std::size_t count) {
  std::vector<bool> drop(p.ops.size());
  for (std::size_t i = first; i < std::min(first + count, p.ops.size()); ++i) drop[i] = true;
  stream_program c = p;
  drop_operations(c, drop);
  return c;
}

/// Offers a copy of the program with one change.
template <typename Change>
bool offer(const stream_program& current, const attempt& take, Change change) {
  stream_program c = current;
  change(c);
  return take(c);
}

bool reads(op_kind k) {
  return k == op_kind::copy || k == op_kind::copy_sync || k == op_kind::kernel;
}

/// Makes an operation one of another kind in the same place.
void become(operation& o, op_kind kind) {
  o.kind = kind;
  o.graph = none;
  if (!reads(kind)) o.read = none;
  if (kind == op_kind::write_value) o.write = none;
}

/// Simpler kinds to try for an operation, simplest first.
std::vector<op_kind> simpler(op_kind kind) {
  using enum op_kind;
  switch (kind) {
    case copy:
    case memset:
    case callback:
    case write_value:
    case copy_sync:
    case memset_sync:
    case attach:
      return {kernel};
    case host_function:
    case launch:
      return {kernel, callback};
    case stream_poll:
    case stream_query:
      return {stream_sync};
    case event_poll:
    case event_query:
      return {event_sync};
    default:
      return {};
  }
}

/// The last record of an event in front of an operation that is about it.
std::optional<std::size_t> record_of(const stream_program& p, std::size_t use) {
  std::optional<std::size_t> record;
  for (std::size_t r = 0; r < use; ++r) {
    if (p.ops[r].kind == op_kind::record && p.ops[r].event == p.ops[use].event) record = r;
  }
  return record;
}

}  // namespace

/// Halves, quarters, ... single operations.
void drop_chunks(const stream_program& current, const attempt& take) {
  for (std::size_t size = std::max<std::size_t>(current.ops.size() / 2, 1); size > 0; size /= 2) {
    for (std::size_t i = 0; i < current.ops.size();) {
      if (!take(without(current, i, size))) i += size;
    }
  }
}

void merge_streams(const stream_program& current, const attempt& take) {
  for (std::size_t from = 0; from < current.streams.size(); ++from) {
    const auto used = [&](std::size_t s) {
      return std::ranges::any_of(
          current.ops, [&](const operation& o) { return o.stream == static_cast<index>(s); });
    };
    for (std::size_t to = 0; to < current.streams.size() && used(from); ++to) {
      if (to == from || !used(to)) continue;
      offer(current, take, [&](stream_program& c) {
        for (operation& o : c.ops) {
          if (o.stream == static_cast<index>(from)) o.stream = static_cast<index>(to);
        }
      });
    }
  }
}

/// Replaces a wait, and the record that it binds to, by stream order: what follows in the waiting
/// stream moves to the recording one.
void inline_events(const stream_program& current, const attempt& take) {
  for (std::size_t w = 0; w < current.ops.size(); ++w) {
    if (current.ops[w].kind != op_kind::wait) continue;
    const std::optional<std::size_t> record = record_of(current, w);
    if (!record) continue;
    offer(current, take, [&](stream_program& c) {
      const index from = c.ops[w].stream, to = c.ops[*record].stream;
      for (std::size_t i = w; i < c.ops.size(); ++i) {
        if (c.ops[i].stream == from) c.ops[i].stream = to;
      }
      std::vector<bool> drop(c.ops.size());
      drop[w] = drop[*record] = true;
      drop_operations(c, drop);
    });
  }
}

/// Synchronizes with the stream instead of with an event recorded in it.
void wait_for_streams(const stream_program& current, const attempt& take) {
  using enum op_kind;
  for (std::size_t w = 0; w < current.ops.size(); ++w) {
    const op_kind kind = current.ops[w].kind;
    if (kind != event_sync && kind != event_poll && kind != event_query) continue;
    const std::optional<std::size_t> record = record_of(current, w);
    if (!record) continue;
    offer(current, take, [&](stream_program& c) {
      c.ops[w].kind = stream_sync;
      c.ops[w].stream = c.ops[*record].stream;
      c.ops[w].event = none;
      std::vector<bool> drop(c.ops.size());
      drop[*record] = true;
      drop_operations(c, drop);
    });
  }
}

void simplify_graphs(const stream_program& current, const attempt& take) {
  for (std::size_t g = 0; g < current.graphs.size(); ++g) {
    for (std::size_t n = current.graphs[g].nodes.size(); n-- > 0;) {
      if (n >= current.graphs[g].nodes.size() || current.graphs[g].nodes.size() < 2) continue;
      offer(current, take, [&](stream_program& c) {
        std::erase_if(c.perturbations, [](const perturbation& d) { return d.node != none; });
        auto& nodes = c.graphs[g].nodes;
        const std::uint32_t through = nodes[n].after, low = (1U << n) - 1;
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(n));
        for (std::size_t k = n; k < nodes.size(); ++k) {
          const std::uint32_t after = nodes[k].after;
          nodes[k].after = (after & low) | (after >> (n + 1) << n);
          if ((after >> n & 1) != 0) nodes[k].after |= through;
        }
      });
    }
    offer(current, take, [&](stream_program& c) { c.graphs[g].origin = graph_origin::by_hand; });
    for (std::size_t n = 0; n < current.graphs[g].nodes.size(); ++n) {
      offer(current, take, [&](stream_program& c) {
        graph_node& node = c.graphs[g].nodes[n];
        node.kind = node_kind::kernel;
        node.read = none;
        node.disabled = false;
      });
    }
  }
}

void simplify_kinds(const stream_program& current, const attempt& take) {
  for (std::size_t i = 0; i < current.ops.size(); ++i) {
    for (const op_kind kind : simpler(current.ops[i].kind)) {
      const bool taken = offer(current, take, [&](stream_program& c) {
        if (c.ops[i].kind == op_kind::launch) {
          std::erase_if(c.perturbations,
                        [&](const perturbation& d) { return d.op == static_cast<index>(i); });
        }
        become(c.ops[i], kind);
      });
      if (taken) break;
    }
    if (current.ops[i].kind == op_kind::stream_sync || current.ops[i].kind == op_kind::event_sync) {
      offer(current, take, [&](stream_program& c) {
        c.ops[i].kind = op_kind::context_sync;
        c.ops[i].stream = c.ops[i].event = none;
      });
    }
    if (current.ops[i].repeat == 1) continue;
    for (const std::uint16_t fewer : {1, 3, 17, 130}) {
      if (fewer >= current.ops[i].repeat) break;
      if (offer(current, take, [&](stream_program& c) { c.ops[i].repeat = fewer; })) break;
    }
  }
}

void simplify_memory(const stream_program& current, const attempt& take) {
  for (std::size_t i = 0; i < current.ops.size(); ++i) {
    const operation& o = current.ops[i];
    if (o.kind == op_kind::kernel && o.read != none) {
      offer(current, take, [&](stream_program& c) { c.ops[i].read = none; });
    }
    const bool free = o.kind == op_kind::kernel || is_host_call(o.kind);
    if (free && o.write != none) {
      offer(current, take, [&](stream_program& c) { c.ops[i].write = c.ops[i].read = none; });
    }
  }
  for (std::size_t b = 0; b < current.buffers.size(); ++b) {
    if (current.buffers[b].memory == memory_kind::mapped) continue;
    offer(current, take, [&](stream_program& c) { c.buffers[b].memory = memory_kind::mapped; });
  }
  for (const std::uint32_t bytes : {4U, 65535U, 65536U, 65537U, 1U << 20}) {
    const bool taken = offer(current, take, [&](stream_program& c) {
      for (buffer_decl& b : c.buffers) b.bytes = std::min(b.bytes, bytes);
    });
    if (taken) break;
  }
}

void simplify_streams(const stream_program& current, const attempt& take) {
  for (std::size_t s = 0; s < current.streams.size(); ++s) {
    if (current.streams[s].priority != 0) {
      offer(current, take, [&](stream_program& c) { c.streams[s].priority = 0; });
    }
    if (current.streams[s].kind == stream_kind::blocking) continue;
    offer(current, take, [&](stream_program& c) {
      c.streams[s].kind = stream_kind::blocking;
      c.streams[s].thread = 0;
    });
  }
  offer(current, take, [](stream_program& c) { drop_unused(c); });
}

void simplify_rest(const stream_program& current, const attempt& take) {
  for (std::size_t e = 0; e < current.events.size(); ++e) {
    offer(current, take, [&](stream_program& c) { c.events[e].timing = false; });
    offer(current, take, [&](stream_program& c) { c.events[e].blocking_sync = false; });
  }
  for (std::size_t d = current.perturbations.size(); d-- > 0;) {
    offer(current, take, [&](stream_program& c) {
      c.perturbations.erase(c.perturbations.begin() + static_cast<std::ptrdiff_t>(d));
    });
  }
  const bool threads =
      std::ranges::any_of(current.ops, [](const operation& o) { return o.thread != 0; });
  if (!threads) return;
  offer(current, take, [](stream_program& c) {
    for (operation& o : c.ops) o.thread = 0;
    for (stream_decl& s : c.streams) s.thread = 0;
    std::vector<bool> drop(c.ops.size());
    for (std::size_t i = 0; i < drop.size(); ++i) drop[i] = c.ops[i].kind == op_kind::handoff;
    drop_operations(c, drop);
  });
}

}  // namespace streamcts::program
