// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What was seen while a program ran, on the simulator or on a driver. The checks (check.h) compare
// it with what the model says.

#pragma once

#include <cstdint>
#include <vector>

#include "harness/program/data_flow.h"
#include "harness/program/item_set.h"
#include "harness/program/types.h"

namespace streamcts::program {

/// A place from which cells and buffers are looked at.
struct observer {
  enum class place : std::uint8_t {
    item_start,  ///< first deed of a kernel or host call
    item_end,    ///< last look of a host call, before its *done* cell
    op_return,   ///< the calling thread, when the operation has returned (a query: with success)
    gate_look,   ///< the gatekeeper, just before it releases the held item `number`
    finish,      ///< after the final synchronization of the context
  };
  place at = place::finish;
  index number = none;  ///< item or operation
  friend bool operator==(const observer&, const observer&) = default;
};

/// One look at all cells, and at the buffers that may be read there.
struct look {
  static constexpr std::uint32_t no_values = ~std::uint32_t{0};
  observer from;
  std::uint32_t sequence = 0;  ///< place in the order in which things were seen
  item_set begun, done;
  std::uint32_t values = no_values;  ///< where this look's buffers begin in history::values
};

enum class call_status : std::uint8_t { not_called, running, success, not_ready, error };

/// How a call of the program went.
struct op_result {
  call_status status = call_status::not_called;
  std::uint32_t called = 0, returned = 0;
};

/// One execution of a callback, host function or host node.
struct host_call {
  index item = none;
  bool error_status = false;            ///< a callback was given a status other than CUDA_SUCCESS
  bool right_arguments = true;          ///< user data and stream as registered
  std::uint32_t entered = 0, left = 0;  ///< sequence numbers
};

/// A line of the log of a run.
struct log_entry {
  enum class event : std::uint8_t { begun, done, called, returned, released };
  std::uint32_t sequence = 0;
  event what = event::begun;
  index number = none;  ///< item, or operation for called and returned
};

/// Everything seen in one run. A plain value; `clear` keeps the memory.
struct history {
  std::vector<look> looks;
  std::vector<buffer_value> values;  ///< one for each buffer of the program, for each look with any
  std::vector<op_result> ops;
  std::vector<call_outcome> outcomes;
  std::vector<host_call> host_calls;
  std::vector<log_entry> log;
  index held = none;       ///< the item that was held, if any
  bool finished = false;   ///< every call returned and everything enqueued ended
  item_set begun_at_look;  ///< items that had begun when the held item was released, cells or not

  void clear() {
    looks.clear();
    values.clear();
    ops.clear();
    outcomes.clear();
    host_calls.clear();
    log.clear();
    held = none;
    finished = false;
    begun_at_look.clear();
  }
};

}  // namespace streamcts::program
