// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronous copies and memsets, allocations and frees.

#include <tuple>

#include "harness/faults/layer/overrides.h"

namespace streamcts::faults {
namespace {

CUresult transfer_now(transfer& t) {
  return admitted([&](behaviour& chosen) {
    if (t.stream.is_capturing()) return t.forward();
    return chosen.transfer_now(t);
  });
}

template <typename T>
T pointer(CUdeviceptr value) {
  return reinterpret_cast<T>(value);
}

template <stream_mode Mode>
CUresult memcpy_unified(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes) {
  copy_range range{copy_range::direction::unified, destination, source, bytes};
  const auto forward = [&] {
    return real().memcpy[Mode](range.destination, range.source, range.bytes);
  };
  const auto send = [&](CUstream stream, stream_mode mode) {
    return real().memcpy_async[mode](range.destination, range.source, range.bytes, stream);
  };
  const operation::sender enqueue(send);
  transfer t{.stream = {nullptr, Mode}, .copy = &range, .forward = forward, .enqueue = &enqueue};
  return transfer_now(t);
}

template <stream_mode Mode>
CUresult memcpy_htod(CUdeviceptr destination, const void* source, std::size_t bytes) {
  copy_range range{copy_range::direction::host_to_device, destination,
                   reinterpret_cast<CUdeviceptr>(source), bytes};
  const auto forward = [&] {
    return real().memcpy_htod[Mode](range.destination, pointer<const void*>(range.source),
                                    range.bytes);
  };
  const auto send = [&](CUstream stream, stream_mode mode) {
    return real().memcpy_htod_async[mode](range.destination, pointer<const void*>(range.source),
                                          range.bytes, stream);
  };
  const operation::sender enqueue(send);
  transfer t{.stream = {nullptr, Mode}, .copy = &range, .forward = forward, .enqueue = &enqueue};
  return transfer_now(t);
}

template <stream_mode Mode>
CUresult memcpy_dtoh(void* destination, CUdeviceptr source, std::size_t bytes) {
  copy_range range{copy_range::direction::device_to_host,
                   reinterpret_cast<CUdeviceptr>(destination), source, bytes};
  const auto forward = [&] {
    return real().memcpy_dtoh[Mode](pointer<void*>(range.destination), range.source, range.bytes);
  };
  const auto send = [&](CUstream stream, stream_mode mode) {
    return real().memcpy_dtoh_async[mode](pointer<void*>(range.destination), range.source,
                                          range.bytes, stream);
  };
  const operation::sender enqueue(send);
  transfer t{.stream = {nullptr, Mode}, .copy = &range, .forward = forward, .enqueue = &enqueue};
  return transfer_now(t);
}

template <stream_mode Mode>
CUresult memcpy_dtod(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes) {
  copy_range range{copy_range::direction::device_to_device, destination, source, bytes};
  const auto forward = [&] {
    return real().memcpy_dtod[Mode](range.destination, range.source, range.bytes);
  };
  const auto send = [&](CUstream stream, stream_mode mode) {
    return real().memcpy_dtod_async[mode](range.destination, range.source, range.bytes, stream);
  };
  const operation::sender enqueue(send);
  transfer t{.stream = {nullptr, Mode}, .copy = &range, .forward = forward, .enqueue = &enqueue};
  return transfer_now(t);
}

/// Memsets of one range: (destination, value, count).
template <auto Now, auto Async, stream_mode Mode, typename F>
struct range_fill;
template <auto Now, auto Async, stream_mode Mode, typename V>
struct range_fill<Now, Async, Mode, CUresult (*)(CUdeviceptr, V, std::size_t)> {
  static CUresult call(CUdeviceptr destination, V value, std::size_t count) {
    fill_range range{destination, count * sizeof(V)};
    const auto forward = [&] { return (real().*Now)[Mode](destination, value, count); };
    const auto send = [&](CUstream stream, stream_mode mode) {
      return (real().*Async)[mode](destination, value, count, stream);
    };
    const operation::sender enqueue(send);
    transfer t{
        .stream = {nullptr, Mode}, .fill = &range, .forward = forward, .enqueue = &enqueue};
    return transfer_now(t);
  }
};

/// Copies of which this layer knows only that they are synchronous.
template <auto Member, stream_mode Mode, typename F>
struct opaque_transfer;
template <auto Member, stream_mode Mode, typename... A>
struct opaque_transfer<Member, Mode, CUresult (*)(A...)> {
  static CUresult call(A... arguments) {
    const auto forward = [&] { return (real().*Member)[Mode](arguments...); };
    transfer t{.stream = {nullptr, Mode}, .forward = forward};
    return transfer_now(t);
  }
};

/// Any allocation: forwards, then announces what the host can read.
template <typename F>
CUresult allocate(F&& call, const host_memory* host, void** where) {
  return admitted([&](behaviour& chosen) {
    const CUresult result = chosen.allocate([&] { return call(); });
    if (result == CUDA_SUCCESS && host) {
      host_memory memory = *host;
      memory.begin = static_cast<std::byte*>(*where);
      chosen.allocated(memory);
    }
    return result;
  });
}

CUresult mem_alloc(CUdeviceptr* address, std::size_t bytes) {
  return allocate([&] { return real().mem_alloc(address, bytes); }, nullptr, nullptr);
}
CUresult mem_host_alloc(void** address, std::size_t bytes, unsigned flags) {
  const host_memory host{(flags & CU_MEMHOSTALLOC_WRITECOMBINED) != 0
                             ? host_memory::source::write_combined
                             : host_memory::source::allocated,
                         nullptr, bytes, flags};
  return allocate([&] { return real().mem_host_alloc(address, bytes, flags); }, &host, address);
}
CUresult mem_alloc_host(void** address, std::size_t bytes) {
  const host_memory host{host_memory::source::allocated, nullptr, bytes, 0};
  return allocate([&] { return real().mem_alloc_host(address, bytes); }, &host, address);
}
CUresult mem_host_register(void* address, std::size_t bytes, unsigned flags) {
  const host_memory host{host_memory::source::registered, nullptr, bytes, flags};
  return allocate([&] { return real().mem_host_register(address, bytes, flags); }, &host,
                  &address);
}
CUresult mem_alloc_managed(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  const host_memory host{host_memory::source::managed, nullptr, bytes, flags};
  return allocate([&] { return real().mem_alloc_managed(address, bytes, flags); }, &host,
                  reinterpret_cast<void**>(address));
}

template <typename F>
CUresult release(void* address, F&& call) {
  return admitted(
      [&](behaviour& chosen) { return chosen.release(address, [&] { return call(); }); });
}
CUresult mem_free(CUdeviceptr address) {
  return release(pointer<void*>(address), [&] { return real().mem_free(address); });
}
CUresult mem_free_host(void* address) {
  return release(address, [&] { return real().mem_free_host(address); });
}
CUresult mem_host_unregister(void* address) {
  return release(address, [&] { return real().mem_host_unregister(address); });
}

CUresult mem_host_get_device_pointer(CUdeviceptr* address, void* host, unsigned flags) {
  return admitted([&](behaviour& chosen) {
    return chosen.device_pointer(address, host, [&] {
      return real().mem_host_get_device_pointer(address, host, flags);
    });
  });
}

#define TYPE_OF(member) std::remove_cvref_t<decltype(real_table::member.function[0])>
#define FILL_HALF(now, async, which)                                                      \
  STREAMCTS_MODED_HALF(now, which,                                                        \
                       range_fill<&real_table::now, &real_table::async, stream_mode::which, \
                                  TYPE_OF(now)>::call)
#define FILL(now, async) FILL_HALF(now, async, legacy), FILL_HALF(now, async, per_thread)
#define OPAQUE_HALF(member, which) \
  STREAMCTS_MODED_HALF(            \
      member, which,               \
      opaque_transfer<&real_table::member, stream_mode::which, TYPE_OF(member)>::call)
#define OPAQUE(member) OPAQUE_HALF(member, legacy), OPAQUE_HALF(member, per_thread)

const override_entry overrides[] = {
    STREAMCTS_MODED_OVERRIDE(memcpy, memcpy_unified),
    STREAMCTS_MODED_OVERRIDE(memcpy_htod, memcpy_htod),
    STREAMCTS_MODED_OVERRIDE(memcpy_dtoh, memcpy_dtoh),
    STREAMCTS_MODED_OVERRIDE(memcpy_dtod, memcpy_dtod),
    OPAQUE(memcpy_peer),
    OPAQUE(memcpy_2d),
    OPAQUE(memcpy_2d_unaligned),
    OPAQUE(memcpy_3d),
    FILL(memset_d8, memset_d8_async),
    FILL(memset_d16, memset_d16_async),
    FILL(memset_d32, memset_d32_async),
    STREAMCTS_OVERRIDE(mem_alloc, mem_alloc),
    STREAMCTS_OVERRIDE(mem_host_alloc, mem_host_alloc),
    STREAMCTS_OVERRIDE(mem_alloc_host, mem_alloc_host),
    STREAMCTS_OVERRIDE(mem_host_register, mem_host_register),
    STREAMCTS_OVERRIDE(mem_alloc_managed, mem_alloc_managed),
    STREAMCTS_OVERRIDE(mem_free, mem_free),
    STREAMCTS_OVERRIDE(mem_free_host, mem_free_host),
    STREAMCTS_OVERRIDE(mem_host_unregister, mem_host_unregister),
    STREAMCTS_OVERRIDE(mem_host_get_device_pointer, mem_host_get_device_pointer),
};

}  // namespace

std::span<const override_entry> memory_overrides() { return overrides; }

}  // namespace streamcts::faults
