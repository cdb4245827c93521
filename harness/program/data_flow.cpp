// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/data_flow.h"

namespace streamcts::program {
namespace {

bool ordered(const layout& items, const happens_before& order, std::size_t reader_or_writer,
             std::size_t writer) {
  const std::size_t a = reader_or_writer;
  if (a == writer || order.before(a).has(writer) || order.before(writer).has(a)) return true;
  const item& w = items.items()[writer];
  const item& r = items.items()[a];
  // A synchronous upload lets the host overwrite its source though the copy may not be over.
  return w.kind == item_kind::host_write && r.read == w.write && r.write != w.write &&
         order.reads_done(static_cast<std::size_t>(w.op)).has(a);
}

}  // namespace

void data_flow::build(const stream_program& program, const layout& items,
                      const happens_before& order) {
  written_.assign(items.size(), buffer_value::torn());
  read_.assign(items.size(), buffer_value::torn());
  writers_.assign(program.buffers.size(), {});
  readers_.assign(program.buffers.size(), {});
  if (program.buffers.empty()) return;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const item& x = items.items()[i];
    if (x.read != none) {
      readers_[static_cast<std::size_t>(x.read)].add(i);
      read_[i] = latest(static_cast<std::size_t>(x.read), order.before(i));
    }
    if (x.write == none) continue;
    const auto target = static_cast<std::size_t>(x.write);
    if (x.kind == item_kind::attach) {
      written_[i] = latest(target, order.before(i));
    } else {
      written_[i] = x.read != none ? read_[i] : buffer_value::of_item(i);
    }
    writers_[target].add(i);
  }
}

/// Writers of a race-free buffer are ordered, and by the lines: the last one that has ended counts.
buffer_value data_flow::latest(std::size_t buffer, const item_set& ended) const {
  const item_set done = writers_[buffer] & ended;
  return done.empty() ? buffer_value::initial(buffer) : written_[done.last()];
}

std::optional<buffer_value> data_flow::contents(std::size_t buffer, const item_set& ended,
                                                const item_set& not_begun) const {
  if (!(ended | not_begun).contains(writers_[buffer])) return std::nullopt;
  return latest(buffer, ended);
}

std::optional<data_race> data_flow::race(const stream_program& program, const layout& items,
                                         const happens_before& order) const {
  for (std::size_t b = 0; b < program.buffers.size(); ++b) {
    const item_set users = writers_[b] | readers_[b];
    std::optional<data_race> found;
    writers_[b].for_each([&](std::size_t w) {
      users.for_each([&](std::size_t u) {
        if (!found && !ordered(items, order, u, w))
          found = data_race{b, std::min(u, w), std::max(u, w)};
      });
    });
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace streamcts::program
