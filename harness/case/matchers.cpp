// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/matchers.h"

namespace streamcts {

void PrintTo(const sighting& what, std::ostream* out) { *out << describe(what); }

void PrintTo(gate::state what, std::ostream* out) {
  switch (what) {
    case gate::state::shut: *out << "a return while the victim was held"; return;
    case gate::state::opened: *out << "a return after the gate had opened"; return;
    case gate::state::expired: *out << "a return after the gate had expired"; return;
  }
}

failure_kind kind_of(const sighting& what, gate::state victim) {
  if (victim == gate::state::shut) return failure_kind::early;
  if (!what.nothing_arrived()) return failure_kind::torn;
  return what.first_origin == word_origin::sentinel ? failure_kind::missing : failure_kind::stale;
}

}  // namespace streamcts
