// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "harness/case/registry.h"
#include "harness/runner/matrix/catalogue.h"

namespace streamcts::runner {

/// A case that may notice a fault, and what it took in the baseline.
struct timed_case {
  const case_instance* instance = nullptr;
  double seconds = 0;
};

/// The cases in the order in which a fault meets them.
struct case_queue {
  std::vector<const case_instance*> cases;
  std::size_t own = 0;  ///< so many of them, in front, carry a clause of the fault
  /// Clauses of the fault of which nothing can be said: a check of them is red without any fault.
  std::vector<std::string> masked;
};

/// First the cases that carry a clause of @p of, those of many clauses behind the others, then the
/// other cases of their families, then all others. Within each part ordinary cases come before those
/// that need a process of their own, arrangements take turns, and cheap cases come first: what notices
/// a fault does so early. Nothing but the order depends on the fault.
case_queue order_cases(const fault& of, const std::vector<timed_case>& usable);

/// Whether @p instance carries a clause of @p of.
bool carries_clause_of(const case_instance& instance, const fault& of);

/// The clauses of @p of that are among @p red: those of which a check is red without any fault.
std::vector<std::string> masked_clauses(const fault& of, const std::set<std::string>& red);

/// A cover for legal oddities: every case that carries one of its clauses, and of each other
/// arrangement the cheapest case. In the order of @p usable.
std::vector<timed_case> cover_of(const fault& of, const std::vector<timed_case>& usable);

}  // namespace streamcts::runner
