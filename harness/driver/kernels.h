// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>

#include "harness/driver/kernel_image.h"
#include "kernels/pattern.h"

namespace streamcts::driver {

/// Every kernel of kernels/ as a typed call; their sources say what they do. Enqueues and returns.
/// Addresses are device addresses; counts are 64-bit words; times are nanoseconds of the device's
/// clock. @throws call_error on a refused launch, with the caller's line; not_supported for a
/// kernel that the driver did not find. Launching is safe from any thread.
///
/// The stream mode is that of the table: for both modes make two, over one image. Table and image
/// must outlive the object.
class kernel_set {
 public:
  kernel_set(const function_table& table, const kernel_image& image);

  /// Fills `words` words at @p out with @p pattern by plain stores; the last block starts its part
  /// @p late_ns late.
  void write_pattern(on_stream stream, CUdeviceptr out, std::uint64_t words,
                     streamcts::kernels::pattern pattern, std::uint64_t late_ns = 0,
                     launch_shape shape = {32, 128}) const;
  /// The same by plain stores of @p width bytes (1, 2, 4, 8, 16) in an order that jumps about.
  /// `words` is a power of two.
  void scatter(on_stream stream, CUdeviceptr out, std::uint64_t words,
               streamcts::kernels::pattern pattern, unsigned width,
               launch_shape shape = {32, 128}) const;
  /// Stores @p value and its complement in turn, each in one access, until *stop is gate_opened or
  /// @p timeout_ns has passed.
  void alternate(on_stream stream, CUdeviceptr word, std::uint64_t value, CUdeviceptr stop,
                 std::uint64_t timeout_ns) const;
  /// Each thread adds 1 to the 64-bit counter @p times times, atomically with system scope.
  void count(on_stream stream, CUdeviceptr counter, std::uint64_t times,
             launch_shape shape = {4, 32}) const;
  /// Occupies the stream.
  void delay(on_stream stream, std::uint64_t duration_ns) const;
  /// Stores @p token in *begun, then holds the stream until *gate is gate_opened or @p timeout_ns
  /// has passed (then it stores gate_expired). Both are 32-bit control words.
  void gate(on_stream stream, CUdeviceptr gate, CUdeviceptr begun, std::uint32_t token,
            std::uint64_t timeout_ns) const;
  /// Like gate(), then fills a payload. One block of @p threads threads.
  void gated_write(on_stream stream, CUdeviceptr gate, CUdeviceptr begun, std::uint32_t token,
                   std::uint64_t timeout_ns, CUdeviceptr out, std::uint64_t words,
                   streamcts::kernels::pattern pattern, unsigned threads = 128) const;
  /// Like gate(), then copies a payload by plain loads and stores. One block of @p threads threads.
  void gated_copy(on_stream stream, CUdeviceptr gate, CUdeviceptr begun, std::uint32_t token,
                  std::uint64_t timeout_ns, CUdeviceptr out, CUdeviceptr in, std::uint64_t words,
                  unsigned threads = 128) const;
  void copy_words(on_stream stream, CUdeviceptr out, CUdeviceptr in, std::uint64_t words,
                  launch_shape shape = {32, 128}) const;
  /// *counter += value, one 64-bit word.
  void add(on_stream stream, CUdeviceptr counter, std::uint64_t value) const;
  /// Compares with @p pattern on the device; @p result is a kernels::check_result.
  void check(on_stream stream, CUdeviceptr in, std::uint64_t words,
             streamcts::kernels::pattern pattern, CUdeviceptr result) const;
  /// Each word becomes mix(word ^ salt) | 1; @p out may be @p in.
  void hash_step(on_stream stream, CUdeviceptr out, CUdeviceptr in, std::uint64_t words,
                 std::uint64_t salt, launch_shape shape = {32, 128}) const;
  /// Fills a payload, releases @p token into *flag, then waits up to @p linger_ns for the same
  /// token in *reply.
  void message(on_stream stream, CUdeviceptr out, std::uint64_t words,
               streamcts::kernels::pattern pattern, CUdeviceptr flag, std::uint32_t token,
               CUdeviceptr reply, std::uint64_t linger_ns) const;
  /// Releases @p value into a 32-bit control word.
  void signal(on_stream stream, CUdeviceptr word, std::uint32_t value) const;

  /// The faults: after any of them the process is lost to CUDA.
  void fault_assert(on_stream stream) const;
  void fault_illegal_address(on_stream stream) const;
  /// @p buffer: at least 8 bytes of device memory.
  void fault_misaligned(on_stream stream, CUdeviceptr buffer) const;
  void fault_trap(on_stream stream) const;

  /// Runs every kernel but the faults once in @p stream and waits: first use may load code and
  /// synchronize the context (lazy loading). Not behind a gate.
  /// @throws not_supported when they have not finished within @p limit
  void warm_up(on_stream stream, std::chrono::nanoseconds limit = std::chrono::seconds(10)) const;

  const function_table& table() const { return *table_; }

  /// For graph nodes and direct launches, by member name.
  struct handles {
    kernel add, alternate, check, copy_words, count, delay, fault_assert, fault_illegal_address,
        fault_misaligned, fault_trap, gate, gated_copy, gated_write, hash_step, message, scatter,
        signal, write_pattern;
  };
  const handles& get() const { return handles_; }

 private:
  const function_table* table_;
  handles handles_;
};

}  // namespace streamcts::driver
