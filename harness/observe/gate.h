// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <chrono>
#include <string_view>

#include "harness/driver/functions.h"
#include "harness/driver/kernels.h"
#include "harness/driver/stream.h"
#include "harness/observe/control.h"

namespace streamcts {

/// What holds a stream.
enum class gate_kind {
  mapped_flag,    ///< a kernel that polls a mapped word
  host_function,  ///< a host function that polls an atomic
  value_wait,     ///< cuStreamWaitValue32 on a mapped word
};
std::string_view name(gate_kind kind);

/// Something in a stream that holds it until the gate is opened.
///
/// Opening is one store of a control word and may be done by any thread, any number of times; it
/// makes no CUDA call. Every gate ends by itself after its time limit and then says so, except a
/// value wait, which the destructor opens at the latest. The destructor opens the gate: a failed
/// assertion cannot leave a stream held.
class gate {
 public:
  enum class state { shut, opened, expired };

  /// @p word and @p begun are zeroed words of one control page.
  gate(control_word word, control_word begun, std::chrono::nanoseconds timeout);
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() { open(); }

  /// Enqueues the holding operation. @throws driver::call_error
  void enqueue(const driver::function_table& cuda, const driver::kernel_set& kernels,
               CUstream stream, gate_kind kind);

  /// For a host call that holds itself: marks the gate begun and waits on the calling thread.
  void hold_this_thread() noexcept;

  /// Opens the gate if it is still shut. @return whether it was shut.
  bool open() noexcept { return word_.replace(0, 1); }
  state now() const;
  /// Whether the holding operation has started. Always false for a value wait, which cannot tell.
  bool begun() const { return begun_.load() != 0; }

  control_word word() const { return word_; }
  control_word begun_word() const { return begun_; }
  std::chrono::nanoseconds timeout() const { return timeout_; }

 private:
  control_word word_;
  control_word begun_;
  std::chrono::nanoseconds timeout_;
};

/// One step of polite waiting on a host thread: yields first, then sleeps some microseconds.
void relax_thread(unsigned step) noexcept;

}  // namespace streamcts
