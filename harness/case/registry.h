// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/axes.h"
#include "harness/case/clause.h"
#include "harness/driver/capabilities.h"

namespace streamcts {

class case_context;

/// Where a case runs.
enum class isolation {
  batched,      ///< shares a child process with other cases
  own_process,  ///< gets a child of its own: it poisons the context or changes the process
};

/// What a case cannot do without.
enum class need {
  mapped_memory,
  managed_memory,  ///< with concurrent access by host and device
  registered_memory,
  device_gate,     ///< a kernel that polls a mapped flag worked in the probe
  host_gate,       ///< a host function that polls an atomic worked in the probe
  value_wait,      ///< stream memory operations
  stream_priorities,
  two_contexts,
  stream_ids,      ///< cuStreamGetId (CUDA 12.0)
  ipc_events,
  faults,          ///< a kernel may fault without harm to others (not under MPS)
  runtime,         ///< the runtime API, over the driver under test
  runtime_per_thread,  ///< the same in per-thread mode
};
std::string_view name(need value);
/// What is missing for @p value, as "attribute = value"; nothing where it is there.
std::optional<std::string> missing(need value, const driver::capabilities& capabilities);

/// All that is said of a case where it is registered.
struct case_definition {
  /// "family/arrangement"; with the names of its parameters it makes the id.
  std::string_view arrangement;
  /// Every clause that the case can judge.
  std::vector<clause_id> clauses;
  /// The clauses of one combination, where they depend on it; a subset of `clauses`.
  std::vector<clause_id> (*clauses_of)(const parameters&) = nullptr;
  std::vector<axis> axes = {};
  /// Which combinations make sense; all where absent.
  bool (*valid)(const parameters&) = nullptr;
  /// No combination is in an earlier tier than this.
  tier from = tier::quick;
  isolation where = isolation::batched;
  std::vector<need> needs = {};
  /// Further needs of one combination.
  std::vector<need> (*needs_of)(const parameters&) = nullptr;
  /// Why the case counts no opportunities: it holds nothing back, and its check could have failed in
  /// every run. Empty for a case with holds, which is Inconclusive without an opportunity.
  std::string_view without_hold = {};
  /// Records observations and judges nothing: names no clause, and is never red by what it finds.
  bool observes = false;
  /// Time that the case may take on a driver as slow as calibration assumes; a multiple of it, by
  /// what the probe measured, is when the watchdog comes.
  std::chrono::seconds time_limit{20};
};

using case_function = void (*)(case_context&);

/// One instance of a case: a definition with its parameters.
struct case_instance {
  std::string id;
  std::vector<clause_id> clauses;
  std::vector<need> needs;
  tier from;
  isolation where;
  parameters values;
  const case_definition* definition;
  case_function body;
  const char* file;
  int line;

  /// The first part of the id.
  std::string_view family() const;
};

/// Registers a case before main(). @throws std::logic_error at use, not here, for a broken
/// definition (see registry::check).
class case_registration {
 public:
  case_registration(case_definition definition, case_function body, const char* file, int line);
};

/// The instances of one definition, in no order. @throws std::logic_error as all_cases().
std::vector<case_instance> instances_of(const case_definition& definition, case_function body,
                                        const char* file, int line);
/// Sorts by id. @throws std::logic_error where an id occurs twice.
std::vector<case_instance> sorted(std::vector<case_instance> instances);

/// All instances of all registered cases, sorted by id. Made once, on first use.
/// @throws std::logic_error naming the case: an id that occurs twice or has other characters than
/// [a-z0-9_./], a case without clauses, a combination that judges a clause it did not announce.
const std::vector<case_instance>& all_cases();

/// The instance with this id, or nullptr.
const case_instance* find_case(std::string_view id);

}  // namespace streamcts

/// Registers a case and opens its body:
///
///   // Promise:   CB-ORDER-001, a callback starts only after earlier kernels of its stream.
///   // Defect:    the callback runs at submission; it sees the sentinel.
///   // Any speed: the kernel is held until the callback had its chance.
///   STREAMCTS_CASE(after_producer, {.arrangement = "callback/after_producer", ...}) {
///     ... uses `context`, a case_context& ...
///   }
#define STREAMCTS_CASE(symbol, ...)                                                           \
  static void symbol([[maybe_unused]] ::streamcts::case_context& context);                    \
  static const ::streamcts::case_registration symbol##_registration(                          \
      ::streamcts::case_definition __VA_ARGS__, &symbol, __FILE__, __LINE__);                 \
  static void symbol([[maybe_unused]] ::streamcts::case_context& context)
