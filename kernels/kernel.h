// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The language that kernels are written in. The same source is compiled twice: by nvcc into a
// fatbin for GPUs, and by the host compiler into a function that a CPU implementation of the driver
// interface runs for each thread of the grid, one after another.
//
// Two channels, never mixed:
//   payload words   put() and get(): plain accesses. Whether they are visible is what a case tests.
//   control words   load_acquire_sys() and store_release_sys(): gates, begun flags, done flags.
//
// Rules that keep both forms equal: no shared memory, no barrier, no atomic read-modify-write on
// payloads, no thread waits for another thread of its own grid.

#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)

#define STREAMCTS_DEVICE __device__ __forceinline__
/// Head of a kernel: STREAMCTS_KERNEL(name)(parameters) { ... }
#define STREAMCTS_KERNEL(name) extern "C" __global__ void name
/// Makes a kernel known to a CPU implementation; nothing on a GPU.
#define STREAMCTS_EXPORT_KERNEL(name)

namespace streamcts::kernels {

STREAMCTS_DEVICE std::uint32_t block_index() { return blockIdx.x; }
STREAMCTS_DEVICE std::uint32_t block_count() { return gridDim.x; }
STREAMCTS_DEVICE std::uint32_t thread_index() { return threadIdx.x; }
STREAMCTS_DEVICE std::uint32_t threads_per_block() { return blockDim.x; }

template <typename T>
STREAMCTS_DEVICE void put(T* address, T value) {
  *address = value;
}
template <typename T>
STREAMCTS_DEVICE T get(const T* address) {
  return *address;
}

STREAMCTS_DEVICE std::uint32_t load_acquire_sys(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
STREAMCTS_DEVICE void store_release_sys(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Nanoseconds of the device's global timer.
STREAMCTS_DEVICE std::uint64_t global_timer_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}
/// Lets others run while a thread polls.
STREAMCTS_DEVICE void relax() { __nanosleep(200); }

STREAMCTS_DEVICE void trap() { asm volatile("trap;"); }

}  // namespace streamcts::kernels

#else  // host form

#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#define STREAMCTS_DEVICE inline
#define STREAMCTS_KERNEL(name) static void name
/// Not const: some compilers drop the stores of the constructor if only a pointer in another unit
/// reads them.
#define STREAMCTS_EXPORT_KERNEL(name)                      \
  static ::streamcts::kernels::host_kernel name##_export = \
      ::streamcts::kernels::make_host_kernel<&name>(#name);

/// What a CPU implementation provides to the kernels it runs. Each function is called on the thread
/// that runs the kernel.
namespace streamcts::kernels::host {

/// Place of the running thread in its grid.
struct position {
  std::uint32_t block_index, block_count, thread_index, threads_per_block;
};
position current_position();

/// A plain device store of @p size bytes: goes to the write buffer, after the address check.
void store(void* address, const void* value, std::size_t size);
/// A plain device load: sees the device's own earlier stores.
void load(const void* address, void* value, std::size_t size);
/// Control words: at once visible to everybody; also publishes this thread's earlier plain stores.
std::uint32_t load_acquire(const std::uint32_t* word);
void store_release(std::uint32_t* word, std::uint32_t value);

std::uint64_t global_timer_ns();
void relax();
/// The fault path. Neither returns.
[[noreturn]] void trap();
[[noreturn]] void assertion_failed();

}  // namespace streamcts::kernels::host

namespace streamcts::kernels {

inline std::uint32_t block_index() { return host::current_position().block_index; }
inline std::uint32_t block_count() { return host::current_position().block_count; }
inline std::uint32_t thread_index() { return host::current_position().thread_index; }
inline std::uint32_t threads_per_block() { return host::current_position().threads_per_block; }

template <typename T>
inline void put(T* address, T value) {
  host::store(address, &value, sizeof(T));
}
template <typename T>
inline T get(const T* address) {
  T value;
  host::load(address, &value, sizeof(T));
  return value;
}
inline std::uint32_t load_acquire_sys(const std::uint32_t* word) {
  return host::load_acquire(word);
}
inline void store_release_sys(std::uint32_t* word, std::uint32_t value) {
  host::store_release(word, value);
}
inline std::uint64_t global_timer_ns() { return host::global_timer_ns(); }
inline void relax() { host::relax(); }
[[noreturn]] inline void trap() { host::trap(); }

/// One kernel in its host form: name, sizes of its parameters in order, and the function to call
/// once for each thread of the grid with pointers to the parameter values.
struct host_kernel {
  const char* name;
  const std::size_t* parameter_sizes;
  std::size_t parameter_count;
  void (*run_thread)(const void* const* parameters);

  host_kernel(const char* kernel_name, const std::size_t* sizes, std::size_t count,
              void (*run)(const void* const*))
      : name(kernel_name), parameter_sizes(sizes), parameter_count(count), run_thread(run) {
    next = first();
    first() = this;
  }
  /// All exported kernels of the program: a list made before main().
  static const host_kernel*& first() {
    static const host_kernel* head = nullptr;
    return head;
  }
  const host_kernel* next = nullptr;
};

namespace detail {
template <typename T>
T parameter(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <auto Kernel, typename... Args>
struct thunk {
  static constexpr std::array<std::size_t, sizeof...(Args)> sizes{sizeof(Args)...};
  template <std::size_t... I>
  static void call(const void* const* parameters, std::index_sequence<I...>) {
    Kernel(parameter<Args>(parameters[I])...);
  }
  static void run(const void* const* parameters) {
    call(parameters, std::index_sequence_for<Args...>{});
  }
};
template <auto Kernel, typename... Args>
host_kernel make(const char* name, void (*)(Args...)) {
  using t = thunk<Kernel, Args...>;
  return host_kernel(name, t::sizes.data(), t::sizes.size(), &t::run);
}
}  // namespace detail

template <auto Kernel>
host_kernel make_host_kernel(const char* name) {
  return detail::make<Kernel>(name, Kernel);
}

}  // namespace streamcts::kernels

#endif
