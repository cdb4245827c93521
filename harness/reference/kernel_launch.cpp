// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs kernels, and provides what kernels/kernel.h asks of a CPU implementation.

#include "harness/reference/kernel_launch.h"

#include <chrono>
#include <cstring>

#include "harness/reference/process.h"
#include "harness/reference/refusal.h"
#include "harness/reference/visibility.h"
#include "harness/reference/worker_pool.h"
#include "harness/reference/write_buffer.h"

namespace streamcts::reference {
namespace {

// The grid that the calling thread runs.
struct running_grid {
  kernels::host::position position{};
  std::unique_ptr<write_buffer> stores = std::make_unique<write_buffer>();
  unsigned polls = 0;
};

// In the thread's static block: dynamic look-up would cost more than a store.
__attribute__((tls_model("initial-exec"))) thread_local running_grid* running = nullptr;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

struct running_scope {
  explicit running_scope(running_grid& grid) { running = &grid; }
  ~running_scope() { running = nullptr; }
};

// Another kernel's fault ends this one too: the context is gone.
void stop_after_fault() {
  if (const CUresult code = fault(); code != CUDA_SUCCESS) throw device_fault{code};
}

}  // namespace

std::size_t kernel_launch::parameter_offset(std::size_t index) const {
  std::size_t offset = 0;
  for (std::size_t i = 0;; ++i) {
    const std::size_t size = kernel->parameter_sizes[i];
    offset = (offset + size - 1) / size * size;  // scalars and pointers: aligned to their size
    if (i == index) return offset;
    offset += size;
  }
}

std::size_t kernel_launch::parameter_bytes() const {
  const std::size_t count = kernel->parameter_count;
  return count == 0 ? 0 : parameter_offset(count - 1) + kernel->parameter_sizes[count - 1];
}

std::vector<void*> kernel_launch::parameter_pointers() const {
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < kernel->parameter_count; ++i) {
    pointers.push_back(values->data() + parameter_offset(i));
  }
  return pointers;
}

void take_parameters(kernel_launch& launch, void** parameters, void** extra) {
  launch.values = std::make_shared<std::vector<std::byte>>(launch.parameter_bytes());
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  for (void** e = extra; e != nullptr && *e != CU_LAUNCH_PARAM_END; e += 2) {
    if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = e[1];
    if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(e[1]);
  }
  require(parameters == nullptr || extra == nullptr);
  if (launch.kernel->parameter_count == 0) return;
  if (extra != nullptr) {
    require(buffer != nullptr && bytes >= launch.parameter_bytes());
    std::memcpy(launch.values->data(), buffer, launch.parameter_bytes());
    return;
  }
  require(parameters != nullptr);
  for (std::size_t i = 0; i < launch.kernel->parameter_count; ++i) {
    require(parameters[i] != nullptr);
    std::memcpy(launch.values->data() + launch.parameter_offset(i), parameters[i],
                launch.kernel->parameter_sizes[i]);
  }
}

void check_shape(const kernel_launch& launch) {
  constexpr std::uint64_t most_threads = 1024;
  constexpr unsigned most_blocks_x = 0x7FFFFFFF, most_blocks_yz = 65535;
  constexpr unsigned most_shared_bytes = 227 << 10;
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    require(launch.grid[axis] > 0 && launch.block[axis] > 0);
    require(launch.grid[axis] <= (axis == 0 ? most_blocks_x : most_blocks_yz));
    require(launch.block[axis] <= (axis == 2 ? 64 : most_threads));
    threads *= launch.block[axis];
  }
  require(threads <= most_threads && launch.shared_bytes <= most_shared_bytes);
}

void run_kernel(const kernel_launch& launch) {
  running_grid grid;
  const running_scope scope(grid);
  const std::vector<void*> parameters = launch.parameter_pointers();
  const std::uint64_t planes = std::uint64_t{launch.grid[1]} * launch.grid[2];
  const unsigned rows = launch.block[1] * launch.block[2];
  grid.position.block_count = launch.grid[0];
  grid.position.threads_per_block = launch.block[0];
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    for (unsigned block = 0; block < launch.grid[0]; ++block) {
      stop_after_fault();
      grid.position.block_index = block;
      for (unsigned thread = 0; thread < rows * launch.block[0]; ++thread) {
        grid.position.thread_index = thread % launch.block[0];
        launch.kernel->run_thread(parameters.data());
      }
    }
  }
  retire(std::move(grid.stores));
}

std::uint64_t load_system(std::uintptr_t address, std::size_t size) {
  if (size == 4) return __atomic_load_n(reinterpret_cast<std::uint32_t*>(address), __ATOMIC_ACQUIRE);
  return __atomic_load_n(reinterpret_cast<std::uint64_t*>(address), __ATOMIC_ACQUIRE);
}

void store_system(std::uintptr_t address, std::uint64_t value, std::size_t size) {
  if (size == 4) {
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(address), static_cast<std::uint32_t>(value),
                     __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(address), value, __ATOMIC_RELEASE);
  }
}

}  // namespace streamcts::reference

namespace streamcts::kernels::host {

using reference::running;

position current_position() { return running->position; }

void store(void* address, const void* value, std::size_t size) {
  running->stores->store(reference::number(address), value, size);
}

void load(const void* address, void* value, std::size_t size) {
  running->stores->load(reference::number(address), value, size);
}

std::uint32_t load_acquire(const std::uint32_t* word) {
  const std::uintptr_t address = reference::number(word);
  running->stores->check(address, sizeof *word);
  // A thread sees its own plain store to the word.
  std::uint32_t own = 0;
  if (!running->stores->empty()) {
    running->stores->load(address, &own, sizeof own);
    std::uint32_t other = static_cast<std::uint32_t>(reference::load_system(address, sizeof own));
    if (own != other) return own;
  }
  return static_cast<std::uint32_t>(reference::load_system(address, sizeof *word));
}

// Threads of a grid run one after another, so the stores of earlier threads are published with this
// thread's own. More than asked for is legal.
void store_release(std::uint32_t* word, std::uint32_t value) {
  const std::uintptr_t address = reference::number(word);
  running->stores->check(address, sizeof *word);
  running->stores->publish();
  reference::store_system(address, value, sizeof value);
}

std::uint64_t global_timer_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

void relax() {
  reference::stop_after_fault();
  reference::workers().poll_pause(running->polls++);
}

void trap() { throw reference::device_fault{CUDA_ERROR_LAUNCH_FAILED}; }
void assertion_failed() { throw reference::device_fault{CUDA_ERROR_ASSERT}; }

}  // namespace streamcts::kernels::host
