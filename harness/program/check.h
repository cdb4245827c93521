// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares what was seen with what must hold. A verdict never comes from time: each violation is a
// state that no order allowed by the documents can lead to. Only `hang` is about progress.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/program/data_flow.h"
#include "harness/program/happens_before.h"
#include "harness/program/history.h"

namespace streamcts::program {

enum class expectation : std::uint8_t { must, must_not, free };

/// How often a host call is to be made.
enum class call_count : std::uint8_t { once, never, at_most_once };
enum class status_rule : std::uint8_t { success, error, free };

/// A program with everything that follows from it. Building again keeps the memory.
class model {
 public:
  model() = default;
  explicit model(const stream_program& program) { build(program); }
  /// @pre structural_error(program) is empty. @p program must outlive the model.
  void build(const stream_program& program);
  /// Takes in what calls turned out to do.
  void assume(std::span<const call_outcome> outcomes);

  const stream_program& source() const { return *program_; }
  const layout& items() const { return items_; }
  const happens_before& order() const { return order_; }
  const data_flow& data() const { return data_; }

  /// The items that the observer must find ended.
  item_set must(const observer& from) const;
  /// The items that the observer must not find begun.
  item_set must_not(const observer& from) const;
  expectation expect(const observer& from, std::size_t item) const;
  /// What the observer must find in a buffer; nothing where that is open or where it cannot look.
  std::optional<buffer_value> contents(const observer& from, std::size_t buffer) const;

  /// Rule R17: calls and status once an item has faulted.
  call_count calls(std::size_t item) const;
  status_rule callback_status(std::size_t item) const;
  status_rule op_status(std::size_t op) const;

 private:
  const stream_program* program_ = nullptr;
  layout items_;
  happens_before order_;
  data_flow data_;
};

enum class violation_kind : std::uint8_t {
  not_done,            ///< a MUST: the item had not ended
  begun,               ///< a MUST NOT: the item had begun
  wrong_data,          ///< a buffer did not hold what it must
  lost,                ///< a host call that was never made, or an item that never ran
  repeated,            ///< a host call that was made too often
  called_after_error,  ///< a host function that must not be called
  wrong_status,        ///< status of a callback, or code of a call
  wrong_arguments,
  hang,
};
std::string_view to_string(violation_kind kind);

/// One thing seen that must not be.
struct violation {
  violation_kind kind = violation_kind::not_done;
  observer from;        ///< where it was seen; for `wrong_status` of a call: its operation
  index item = none;    ///< the item it is about
  index buffer = none;  ///< of wrong_data
  buffer_value expected{}, seen{};
  /// Of wrong_data: the item that must have read too early, where the value shows it.
  index reader = none;
  std::uint32_t sequence = 0;
};

/// All violations in a run, in the order in which they were seen.
/// @param m must have taken in the outcomes of @p seen (model::assume).
std::vector<violation> check(const model& m, const history& seen);

}  // namespace streamcts::program
