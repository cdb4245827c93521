// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of the emitter: the lines behind operations, host calls, graphs and looks.

#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/program/check.h"
#include "harness/program/text.h"

namespace streamcts::program::reproducer {

/// Writes pieces of a reproducer. Contents of buffers are one byte throughout: 1 and up for what is
/// there at first, 64 and up for what items write.
class call_writer {
 public:
  /// @p m must outlive it.
  explicit call_writer(const model& m);

  /// The held item, or -1.
  int held() const { return held_; }
  /// Cells of the gate that holds, and of what stands in front of a held host call (0: nothing).
  int gate() const { return static_cast<int>(4 * m_.items().size()) + 4; }
  int front_gate() const;
  bool awaits() const;
  /// Whether anything reads or writes the buffer.
  bool uses(std::size_t buffer) const;

  std::string stream(index s) const { return "s_" + std::string(p_.streams[at(s)].name.view()); }
  std::string name_of(short_name n) const { return "e_" + std::string(n.view()); }
  std::string item_title(int x) const { return item_name(p_, m_.items().items()[static_cast<std::size_t>(x)]); }

  std::string look(const observer& from, const std::string& who, std::string_view indent) const;
  std::string host_function(std::size_t x) const;
  std::string allocate(std::size_t buffer) const;
  std::string graph(std::size_t g) const;
  /// The call of an operation, and the look at its return.
  std::string operation(std::size_t op) const;

 private:
  std::string parameters(std::size_t x) const;
  std::string gate_kernel(const std::string& on, int gate_cell) const;
  std::string enqueue(const program::operation& o, std::size_t x) const;
  std::string copy(std::size_t x, const std::string& on, bool sync, bool own) const;
  std::string memset(std::size_t x, const std::string& on, bool sync, bool own) const;
  std::string launch(const program::operation& o, std::size_t op) const;
  std::string updates(const program::operation& o, std::size_t op) const;
  std::string node(std::size_t g, std::size_t n, std::size_t op) const;
  std::string capture(std::size_t g, std::size_t op) const;
  std::string address(index buffer) const;
  std::string host_step(const program::operation& o) const;
  std::size_t launches(std::size_t g) const;

  const model& m_;
  const stream_program& p_;
  int held_ = -1;
};

}  // namespace streamcts::program::reproducer
