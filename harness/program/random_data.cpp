// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives a random program its data flow, such that every two accesses of a buffer are ordered.

#include <algorithm>
#include <array>

#include "harness/program/compact.h"
#include "harness/program/happens_before.h"
#include "harness/program/random_programs.h"
#include "harness/program/shapes.h"

namespace streamcts::program {
namespace {

class data_giver {
 public:
  data_giver(stream_program& program, random_source& r) : p_(program), r_(r) {}

  void run() {
    owned_by_graph_ = p_.buffers.size();
    for (const buffer_decl& b : p_.buffers) total_ += b.bytes;
    for (operation& o : p_.ops) give_own(o);
    if (p_.buffers.empty()) return;
    items_.build(p_);
    order_.build(p_, items_);
    users_.assign(p_.buffers.size(), {});
    writers_.assign(p_.buffers.size(), {});
    for (std::size_t i = 0; i < items_.size(); ++i) share(i);
    drop_unused_buffers(p_);
  }

 private:
  index fresh(memory_kind memory, std::uint32_t bytes) {
    if (total_ + bytes > limits::bytes / 2) bytes = 64 << 10;
    total_ += bytes;
    const char name[3] = {'x', static_cast<char>('0' + p_.buffers.size() / 10),
                          static_cast<char>('0' + p_.buffers.size() % 10)};
    p_.buffers.push_back({std::string_view(name, 3), memory, bytes});
    return static_cast<index>(p_.buffers.size() - 1);
  }
  memory_kind kernel_memory() {
    constexpr std::array kinds{memory_kind::mapped,     memory_kind::mapped,
                               memory_kind::device,     memory_kind::device,
                               memory_kind::managed,    memory_kind::portable,
                               memory_kind::registered, memory_kind::write_combined};
    return r_.pick(kinds);
  }
  memory_kind copy_memory() { return r_.chance(.03) ? memory_kind::pageable : kernel_memory(); }
  memory_kind host_memory() {
    const memory_kind m = kernel_memory();
    return host_readable(m) ? m : memory_kind::mapped;
  }
  std::uint32_t size() { return threshold_size(r_.below(1024)); }

  void give_own(operation& o) {
    switch (o.kind) {
      case op_kind::copy:
      case op_kind::copy_sync: {
        const std::uint32_t bytes = size();
        o.read = fresh(copy_memory(), bytes);
        o.write = fresh(copy_memory(), p_.buffers[at(o.read)].bytes);
        p_.buffers[at(o.read)].bytes = p_.buffers[at(o.write)].bytes;
        return;
      }
      case op_kind::memset:
      case op_kind::memset_sync:
        o.write = fresh(kernel_memory(), size());
        return;
      case op_kind::host_write:
        o.write = fresh(host_memory(), size());
        return;
      case op_kind::kernel:
        if (r_.chance(.4)) o.write = fresh(kernel_memory(), size());
        return;
      case op_kind::callback:
      case op_kind::host_function:
        if (r_.chance(.25)) o.write = fresh(host_memory(), size());
        return;
      default:
        return;
    }
  }

  /// Lets the item read what an earlier one left, or write where earlier ones are done.
  void share(std::size_t i) {
    const item& x = items_.items()[i];
    operation& o = p_.ops[at(x.op)];
    if (x.node == none) {
      const bool reads =
          x.kind == item_kind::copy || (x.kind == item_kind::kernel && o.write != none);
      if (reads && r_.chance(.6)) choose_source(i, o);
      if (o.write != none && r_.chance(.15)) choose_target(i, o);
    }
    const index read = x.node == none ? o.read : x.read;
    const index write = x.node == none ? o.write : x.write;
    if (read != none) users_[at(read)].add(i);
    if (write == none) return;
    users_[at(write)].add(i);
    writers_[at(write)].add(i);
  }

  bool launched_later(std::size_t buffer, index op) const {
    return buffer < owned_by_graph_ &&
           std::any_of(p_.ops.begin() + op, p_.ops.end(),
                       [](const operation& o) { return o.kind == op_kind::launch; });
  }

  void choose_source(std::size_t i, operation& o) {
    const auto op = static_cast<index>(&o - p_.ops.data());
    const std::size_t start = r_.below(p_.buffers.size());
    for (std::size_t k = 0; k < p_.buffers.size(); ++k) {
      const std::size_t b = (start + k) % p_.buffers.size();
      if (writers_[b].empty() || !order_.before(i).contains(writers_[b])) continue;
      if (static_cast<index>(b) == o.write || launched_later(b, op)) continue;
      const memory_kind memory = p_.buffers[b].memory;
      const bool fits = o.kind == op_kind::kernel ? kernel_accessible(memory)
                                                  : memory == p_.buffers[at(o.read)].memory;
      if (!fits || !users_[at(o.write)].empty()) continue;
      if (total_ + p_.buffers[b].bytes > limits::bytes) continue;
      total_ += p_.buffers[b].bytes;
      o.read = static_cast<index>(b);
      p_.buffers[at(o.write)].bytes = p_.buffers[b].bytes;
      return;
    }
  }

  void choose_target(std::size_t i, operation& o) {
    const std::size_t start = r_.below(p_.buffers.size());
    for (std::size_t k = 0; k < p_.buffers.size(); ++k) {
      const std::size_t b = (start + k) % p_.buffers.size();
      if (b < owned_by_graph_ || users_[b].empty() || static_cast<index>(b) == o.read) continue;
      const buffer_decl& now = p_.buffers[at(o.write)];
      if (p_.buffers[b].memory != now.memory || p_.buffers[b].bytes != now.bytes) continue;
      item_set ended = order_.before(i);
      if (o.kind == op_kind::host_write) {
        ended |= order_.reads_done(static_cast<std::size_t>(&o - p_.ops.data())) - writers_[b];
      }
      if (!ended.contains(users_[b])) continue;
      o.write = static_cast<index>(b);
      return;
    }
  }

  stream_program& p_;
  random_source& r_;
  layout items_;
  happens_before order_;
  std::vector<item_set> users_, writers_;
  std::size_t owned_by_graph_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

void add_data(stream_program& program, random_source& r) {
  data_giver(program, r).run();
}

}  // namespace streamcts::program
