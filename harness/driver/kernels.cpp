// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/kernels.h"

#include <memory>

#include "harness/driver/event.h"
#include "harness/driver/keep.h"
#include "harness/driver/memory.h"
#include "kernels/parameters.h"

namespace streamcts::driver {

using streamcts::kernels::pattern;

kernel_set::kernel_set(const function_table& table, const kernel_image& image)
    : table_(&table),
      handles_{.add = image.find("streamcts_add"),
               .alternate = image.find("streamcts_alternate"),
               .check = image.find("streamcts_check"),
               .copy_words = image.find("streamcts_copy_words"),
               .count = image.find("streamcts_count"),
               .delay = image.find("streamcts_delay"),
               .fault_assert = image.find("streamcts_fault_assert"),
               .fault_illegal_address = image.find("streamcts_fault_illegal_address"),
               .fault_misaligned = image.find("streamcts_fault_misaligned"),
               .fault_trap = image.find("streamcts_fault_trap"),
               .gate = image.find("streamcts_gate"),
               .gated_copy = image.find("streamcts_gated_copy"),
               .gated_write = image.find("streamcts_gated_write"),
               .hash_step = image.find("streamcts_hash_step"),
               .message = image.find("streamcts_message"),
               .scatter = image.find("streamcts_scatter"),
               .signal = image.find("streamcts_signal"),
               .write_pattern = image.find("streamcts_write_pattern")} {}

// The types given to launch() are those of the kernels' parameters; an address stands for a
// pointer.
static_assert(sizeof(CUdeviceptr) == sizeof(void*));

void kernel_set::write_pattern(on_stream stream, CUdeviceptr out, std::uint64_t words,
                               pattern written, std::uint64_t late_ns, launch_shape shape) const {
  launch(*table_, handles_.write_pattern, shape, stream, out, words, written.base, written.step,
         late_ns);
}

void kernel_set::delay(on_stream stream, std::uint64_t duration_ns) const {
  launch(*table_, handles_.delay, {1, 1}, stream, duration_ns);
}

void kernel_set::gate(on_stream stream, CUdeviceptr gate, CUdeviceptr begun, std::uint32_t token,
                      std::uint64_t timeout_ns) const {
  launch(*table_, handles_.gate, {1, 1}, stream, gate, begun, token, timeout_ns);
}

void kernel_set::gated_write(on_stream stream, CUdeviceptr gate, CUdeviceptr begun,
                             std::uint32_t token, std::uint64_t timeout_ns, CUdeviceptr out,
                             std::uint64_t words, pattern written, unsigned threads) const {
  launch(*table_, handles_.gated_write, {1, threads}, stream, gate, begun, token, timeout_ns, out,
         words, written.base, written.step);
}

void kernel_set::gated_copy(on_stream stream, CUdeviceptr gate, CUdeviceptr begun,
                            std::uint32_t token, std::uint64_t timeout_ns, CUdeviceptr out,
                            CUdeviceptr in, std::uint64_t words, unsigned threads) const {
  launch(*table_, handles_.gated_copy, {1, threads}, stream, gate, begun, token, timeout_ns, out, in,
         words);
}

void kernel_set::scatter(on_stream stream, CUdeviceptr out, std::uint64_t words, pattern written,
                         unsigned width, launch_shape shape) const {
  launch(*table_, handles_.scatter, shape, stream, out, words, written.base, written.step,
         std::uint32_t{width});
}

void kernel_set::alternate(on_stream stream, CUdeviceptr word, std::uint64_t value,
                           CUdeviceptr stop, std::uint64_t timeout_ns) const {
  launch(*table_, handles_.alternate, {1, 1}, stream, word, value, stop, timeout_ns);
}

void kernel_set::count(on_stream stream, CUdeviceptr counter, std::uint64_t times,
                       launch_shape shape) const {
  launch(*table_, handles_.count, shape, stream, counter, times);
}

void kernel_set::copy_words(on_stream stream, CUdeviceptr out, CUdeviceptr in, std::uint64_t words,
                            launch_shape shape) const {
  launch(*table_, handles_.copy_words, shape, stream, out, in, words);
}

void kernel_set::add(on_stream stream, CUdeviceptr counter, std::uint64_t value) const {
  launch(*table_, handles_.add, {1, 1}, stream, counter, value);
}

void kernel_set::check(on_stream stream, CUdeviceptr in, std::uint64_t words, pattern expected,
                       CUdeviceptr result) const {
  launch(*table_, handles_.check, {1, 1}, stream, in, words, expected.base, expected.step, result);
}

void kernel_set::hash_step(on_stream stream, CUdeviceptr out, CUdeviceptr in, std::uint64_t words,
                           std::uint64_t salt, launch_shape shape) const {
  launch(*table_, handles_.hash_step, shape, stream, out, in, words, salt);
}

void kernel_set::message(on_stream stream, CUdeviceptr out, std::uint64_t words, pattern written,
                         CUdeviceptr flag, std::uint32_t token, CUdeviceptr reply,
                         std::uint64_t linger_ns) const {
  launch(*table_, handles_.message, {1, 1}, stream, out, words, written.base, written.step, flag,
         token, reply, linger_ns);
}

void kernel_set::signal(on_stream stream, CUdeviceptr word, std::uint32_t value) const {
  launch(*table_, handles_.signal, {1, 1}, stream, word, value);
}

void kernel_set::fault_assert(on_stream stream) const {
  launch(*table_, handles_.fault_assert, {1, 1}, stream);
}
void kernel_set::fault_illegal_address(on_stream stream) const {
  launch(*table_, handles_.fault_illegal_address, {1, 1}, stream);
}
void kernel_set::fault_misaligned(on_stream stream, CUdeviceptr buffer) const {
  launch(*table_, handles_.fault_misaligned, {1, 1}, stream, buffer);
}
void kernel_set::fault_trap(on_stream stream) const {
  launch(*table_, handles_.fault_trap, {1, 1}, stream);
}

void kernel_set::warm_up(on_stream stream, std::chrono::nanoseconds limit) const {
  // Payload in device memory; gate, begun flag, message flag and reply in a page of zeros.
  const auto payload = std::make_shared<device_buffer>(*table_, 4096);
  const auto control = std::make_shared<host_buffer>(*table_, 64);
  auto* const words = control->as<std::uint32_t>();
  for (int i = 0; i < 16; ++i) words[i] = 0;
  words[0] = streamcts::kernels::gate_opened;
  const CUdeviceptr gate_word = control->device_address();
  const CUdeviceptr begun = gate_word + 4, flag = gate_word + 8, reply = gate_word + 12;
  const CUdeviceptr data = payload->address();
  const event done(*table_);

  constexpr std::uint64_t count_of_words = 256, timeout_ns = 1'000'000;
  const pattern ramp = streamcts::kernels::ramp(1);
  write_pattern(stream, data, count_of_words, ramp, 0, {2, 32});
  copy_words(stream, data + 2048, data, count_of_words, {2, 32});
  hash_step(stream, data, data, count_of_words, 1, {2, 32});
  add(stream, data, 1);
  check(stream, data, 8, ramp, data + 2048);
  delay(stream, 1);
  gate(stream, gate_word, begun, 1, timeout_ns);
  gated_write(stream, gate_word, begun, 2, timeout_ns, data, count_of_words, ramp);
  gated_copy(stream, gate_word, begun, 4, timeout_ns, data + 2048, data, 8);
  message(stream, data, 8, ramp, flag, 1, reply, 0);
  scatter(stream, data, count_of_words, ramp, 8, {2, 32});
  alternate(stream, data, 1, gate_word, timeout_ns);
  count(stream, data, 1, {1, 1});
  signal(stream, begun, 3);
  done.record(stream.handle);
  if (done.wait(limit)) return;
  // The kernels may still run: what they use stays theirs.
  keep_for_ever(payload);
  keep_for_ever(control);
  throw not_supported("warming up: the kernels did not finish within " +
                      std::to_string(limit / std::chrono::milliseconds(1)) + " ms");
}

}  // namespace streamcts::driver
