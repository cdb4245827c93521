// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/program/check.h"
#include "harness/program/text.h"

namespace streamcts::program {

/// A program from text, and its model. The text has a legacy stream L, blocking ones A and B, a
/// non-blocking N, a per-thread P, and events e and f; @p more is what follows.
struct parsed {
  explicit parsed(std::string_view more)
      : program(parse("streamcts-program 1\nstream L legacy\nstream A blocking\nstream B blocking\n"
                      "stream N nonblocking\nstream P per_thread\nevent e\nevent f\n" +
                      std::string(more))) {
    m.build(program);
  }
  parsed(const parsed&) = delete;
  parsed& operator=(const parsed&) = delete;

  /// The item of a name, as in K0 or G.b.
  std::size_t item(std::string_view name) const {
    for (std::size_t x = 0; x < m.items().size(); ++x) {
      if (item_name(program, m.items().items()[x]) == name) return x;
    }
    throw std::out_of_range("no item " + std::string(name));
  }
  /// The operation in line @p line of @p more that is one, from 0.
  const item_set& known(std::size_t op) const { return m.order().known(op); }
  bool ordered(std::string_view first, std::string_view second) const {
    return m.order().before(item(second)).has(item(first));
  }
  bool knows(std::size_t op, std::string_view name) const { return known(op).has(item(name)); }

  stream_program program;
  model m;
};

}  // namespace streamcts::program
