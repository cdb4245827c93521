// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Classes F and J: the order of one stream broken between other things than host calls.

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

namespace {

bool is_small_upload(const operation& op) {
  return is_upload(op) && op.copy->bytes <= std::size_t{64} << 10;
}

/// True for an operation whose stream was last used by another thread; remembers as it is asked.
condition from_another_thread() {
  auto last = std::make_shared<per_stream<std::uint64_t>>();
  return [last](const operation& op) {
    const std::uint64_t mine = thread_number();
    return last->with(op.stream.key(), [&](std::uint64_t& thread) {
      const std::uint64_t before = std::exchange(thread, mine);
      return before != 0 && before != mine;
    });
  };
}

}  // namespace

std::unique_ptr<behaviour> make::copy_overtakes_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_copy});
}
std::unique_ptr<behaviour> make::memset_overtakes_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_memset});
}
std::unique_ptr<behaviour> make::small_upload_overtakes_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_small_upload});
}
std::unique_ptr<behaviour> make::kernel_overtakes_copy() {
  return overtakes({.ignored = is_copy, .victim = is_kernel, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::kernel_overtakes_kernel_beyond_64_pending() {
  return overtakes({.ignored = is_kernel, .victim = is_kernel, .run_of_at_least = 64});
}
std::unique_ptr<behaviour> make::kernel_of_another_thread_overtakes() {
  return overtakes(
      {.ignored = is_kernel, .victim = all_of(from_another_thread(), is_kernel)});
}
std::unique_ptr<behaviour> make::kernel_overtakes_value_wait() {
  return overtakes({.ignored = is_value_wait, .victim = is_kernel});
}
std::unique_ptr<behaviour> make::value_write_overtakes_copy() {
  return overtakes({.ignored = is_copy, .victim = is_value_write, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::value_write_overtakes_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_value_write});
}
std::unique_ptr<behaviour> make::priority_stream_reorders_kernels() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_kernel, in_priority_stream)});
}
std::unique_ptr<behaviour> make::graph_launch_overtakes_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_graph});
}
std::unique_ptr<behaviour> make::kernel_overtakes_graph_launch() {
  return overtakes({.ignored = is_graph, .victim = is_kernel});
}

}  // namespace streamcts::faults
