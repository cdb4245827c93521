// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {

/// Host-visible memory that kernels write in place, each kind with a promise of its own.
inline axis stored_memories() {
  return make_axis<memory_kind>("memory", {memory_kind::mapped, memory_kind::pinned,
                                           memory_kind::portable, memory_kind::write_combined,
                                           memory_kind::registered, memory_kind::managed});
}

/// The clause that makes a kernel's stores into @p kind visible to a host call.
inline clause_id clause_of(memory_kind kind) {
  switch (kind) {
    case memory_kind::write_combined: return clause::VS_MAP_003;
    case memory_kind::registered: return clause::VS_REG_001;
    case memory_kind::managed: return clause::VS_MAN_001;
    default: return clause::VS_MAP_001;
  }
}

/// For case_definition::clauses_of, with `clauses` all that clause_of() can answer.
inline std::vector<clause_id> clauses_of_memory(const parameters& values) {
  return {clause_of(values.get<memory_kind>("memory"))};
}

}  // namespace streamcts
