// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that puts work into a stream, turned into operations.

#include <tuple>
#include <vector>

#include "harness/faults/layer/captured_events.h"
#include "harness/faults/layer/overrides.h"

namespace streamcts::faults {
namespace {

CUresult enqueue(operation& op) {
  return admitted([&](behaviour& chosen) {
    const bool capturing = op.stream.is_capturing();
    if (op.is(operation_kind::record)) note_record(op.event, capturing);
    // A wait on a captured event draws the stream into the capture.
    const bool joins = op.is(operation_kind::wait) && is_captured(op.event);
    if ((capturing || joins) && !chosen.sees_captures()) return op.forward();
    return chosen.enqueue(op);
  });
}

/// What is known about a call beside its stream. Each takes the call's arguments as a tuple.
struct nothing {
  template <typename T>
  static void describe(operation&, T&) {}
};
struct kernel_detail {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.function = std::get<0>(arguments);
  }
};
struct event_first {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.event = std::get<0>(arguments);
    if constexpr (std::tuple_size_v<T> == 3) op.event_flags = std::get<2>(arguments);
  }
};
struct event_second {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.event = std::get<1>(arguments);
    op.event_flags = std::get<2>(arguments);
  }
};
struct graph_first {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.graph = std::get<0>(arguments);
  }
};

struct value_detail {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.operand = {std::get<1>(arguments), std::get<2>(arguments), std::get<3>(arguments),
                  sizeof(std::get<2>(arguments)) == sizeof(cuuint64_t)};
  }
};
struct batch_detail {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.batch_count = std::get<1>(arguments);
    op.batch = std::get<2>(arguments);
  }
};
struct attach_detail {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.attach = {std::get<1>(arguments), std::get<3>(arguments)};
  }
};
struct allocation_detail {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.allocated = std::get<0>(arguments);
    op.allocated_bytes = std::get<1>(arguments);
  }
};
struct free_detail {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    op.freed = std::get<0>(arguments);
  }
};
struct copies_detail {
  template <typename T>
  static void describe(operation& op, T& arguments) {
    // A copy, which a behaviour may change; valid until this thread's next batch.
    thread_local std::vector<CUmemcpyAttributes> attributes;
    thread_local std::vector<CUdeviceptr> sources;
    thread_local copy_batch batch;
    CUdeviceptr*& from = std::get<1>(arguments);
    const std::size_t* const bytes = std::get<2>(arguments);
    const std::size_t copies = std::get<3>(arguments);
    CUmemcpyAttributes*& given = std::get<4>(arguments);
    const std::size_t* const first = std::get<5>(arguments);
    const std::size_t count = std::get<6>(arguments);
    // What is refused is refused by the driver behind.
    if (!from || !bytes || !given || !first || count == 0) return;
    attributes.assign(given, given + count);
    sources.assign(from, from + copies);
    given = attributes.data();
    from = sources.data();
    batch = {sources.data(), bytes, copies, attributes.data(), first, count};
    op.copies = &batch;
  }
};

/// The override of an entry point whose argument number `At` is its stream.
template <auto Member, operation_kind Kind, int At, typename Detail, stream_mode Mode, typename F>
struct stream_call;
template <auto Member, operation_kind Kind, int At, typename Detail, stream_mode Mode,
          typename... A>
struct stream_call<Member, Kind, At, Detail, Mode, CUresult (*)(A...)> {
  static CUresult call(A... values) {
    std::tuple<A...> arguments(values...);
    const auto send = [&](CUstream stream, stream_mode mode) {
      std::get<At>(arguments) = stream;
      return std::apply((real().*Member)[mode], arguments);
    };
    operation op{.kind = Kind, .stream = {std::get<At>(arguments), Mode}, .send = send};
    op.caller = __builtin_return_address(0);
    Detail::describe(op, arguments);
    return enqueue(op);
  }
};

template <typename To>
To address(CUdeviceptr value) {
  if constexpr (std::is_pointer_v<To>) {
    return reinterpret_cast<To>(value);
  } else {
    return value;
  }
}
template <typename From>
CUdeviceptr number(From value) {
  if constexpr (std::is_pointer_v<From>) {
    return reinterpret_cast<CUdeviceptr>(value);
  } else {
    return value;
  }
}

/// Copies of one range: (destination, source, bytes, stream).
template <auto Member, copy_range::direction Way, stream_mode Mode, typename F>
struct range_copy;
template <auto Member, copy_range::direction Way, stream_mode Mode, typename To, typename From>
struct range_copy<Member, Way, Mode, CUresult (*)(To, From, std::size_t, CUstream)> {
  static CUresult call(To destination, From source, std::size_t bytes, CUstream stream) {
    copy_range range{Way, number(destination), number(source), bytes};
    const auto send = [&](CUstream in, stream_mode mode) {
      return (real().*Member)[mode](address<To>(range.destination), address<From>(range.source),
                                    range.bytes, in);
    };
    operation op{.kind = operation_kind::copy, .stream = {stream, Mode}, .send = send};
    op.caller = __builtin_return_address(0);
    op.copy = &range;
    return bytes == 0 ? op.forward() : enqueue(op);
  }
};

/// Memsets of one range: (destination, value, count, stream).
template <auto Member, stream_mode Mode, typename F>
struct range_fill;
template <auto Member, stream_mode Mode, typename V>
struct range_fill<Member, Mode, CUresult (*)(CUdeviceptr, V, std::size_t, CUstream)> {
  static CUresult call(CUdeviceptr destination, V value, std::size_t count, CUstream stream) {
    fill_range range{destination, count * sizeof(V)};
    const auto send = [&](CUstream in, stream_mode mode) {
      return (real().*Member)[mode](destination, value, count, in);
    };
    operation op{.kind = operation_kind::memset, .stream = {stream, Mode}, .send = send};
    op.fill = &range;
    return count == 0 ? op.forward() : enqueue(op);
  }
};

template <stream_mode Mode>
CUresult launch_kernel_ex(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  if (!config) return real().launch_kernel_ex[Mode](config, function, parameters, extra);
  CUlaunchConfig changed = *config;
  const auto send = [&](CUstream stream, stream_mode mode) {
    changed.hStream = stream;
    return real().launch_kernel_ex[mode](&changed, function, parameters, extra);
  };
  operation op{
      .kind = operation_kind::kernel, .stream = {config->hStream, Mode}, .send = send};
  op.caller = __builtin_return_address(0);
  op.function = function;
  for (unsigned i = 0; config->attrs && i < config->numAttrs; ++i) {
    const CUlaunchAttribute& each = config->attrs[i];
    if (each.id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN) {
      op.remote_domain = each.value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    }
  }
  return enqueue(op);
}

template <stream_mode Mode>
CUresult add_callback(CUstream stream, CUstreamCallback callback, void* user_data,
                      unsigned flags) {
  host_call call{host_call::form::add_callback, callback, nullptr, user_data};
  const auto send = [&](CUstream in, stream_mode mode) {
    return real().stream_add_callback[mode](in, call.callback, call.user_data, flags);
  };
  operation op{.kind = operation_kind::host_call, .stream = {stream, Mode}, .send = send};
  op.caller = __builtin_return_address(0);
  op.call = &call;
  // What is refused is refused by the driver behind.
  return callback == nullptr || flags != 0 ? op.forward() : enqueue(op);
}

template <stream_mode Mode>
CUresult launch_host_func(CUstream stream, CUhostFn function, void* user_data) {
  host_call call{host_call::form::launch_host_func, nullptr, function, user_data};
  const auto send = [&](CUstream in, stream_mode mode) {
    return real().launch_host_func[mode](in, call.function, call.user_data);
  };
  operation op{.kind = operation_kind::host_call, .stream = {stream, Mode}, .send = send};
  op.caller = __builtin_return_address(0);
  op.call = &call;
  return function == nullptr ? op.forward() : enqueue(op);
}

#define TYPE_OF(member) std::remove_cvref_t<decltype(real_table::member.function[0])>
#define STREAM_CALL_HALF(member, kind, at, detail, which)                                \
  STREAMCTS_MODED_HALF(member, which,                                                    \
                       stream_call<&real_table::member, operation_kind::kind, at, detail, \
                                   stream_mode::which, TYPE_OF(member)>::call)
#define STREAM_CALL(member, kind, at, detail)             \
  STREAM_CALL_HALF(member, kind, at, detail, legacy),     \
      STREAM_CALL_HALF(member, kind, at, detail, per_thread)
#define RANGE_COPY_HALF(member, way, which)                                          \
  STREAMCTS_MODED_HALF(member, which,                                                \
                       range_copy<&real_table::member, copy_range::direction::way,   \
                                  stream_mode::which, TYPE_OF(member)>::call)
#define RANGE_COPY(member, way) \
  RANGE_COPY_HALF(member, way, legacy), RANGE_COPY_HALF(member, way, per_thread)
#define RANGE_FILL_HALF(member, which) \
  STREAMCTS_MODED_HALF(                \
      member, which, range_fill<&real_table::member, stream_mode::which, TYPE_OF(member)>::call)
#define RANGE_FILL(member) RANGE_FILL_HALF(member, legacy), RANGE_FILL_HALF(member, per_thread)

const override_entry overrides[] = {
    STREAM_CALL(launch_kernel, kernel, 8, kernel_detail),
    STREAM_CALL(launch_cooperative_kernel, kernel, 8, kernel_detail),
    STREAMCTS_MODED_OVERRIDE(launch_kernel_ex, launch_kernel_ex),
    RANGE_COPY(memcpy_async, unified),
    RANGE_COPY(memcpy_htod_async, host_to_device),
    RANGE_COPY(memcpy_dtoh_async, device_to_host),
    RANGE_COPY(memcpy_dtod_async, device_to_device),
    STREAM_CALL(memcpy_peer_async, copy, 5, nothing),
    STREAM_CALL(memcpy_2d_async, copy, 1, nothing),
    STREAM_CALL(memcpy_3d_async, copy, 1, nothing),
    STREAM_CALL(memcpy_batch_async, copy, 8, copies_detail),
    STREAM_CALL(memcpy_batch_async_v2, copy, 7, copies_detail),
    RANGE_FILL(memset_d8_async),
    RANGE_FILL(memset_d16_async),
    RANGE_FILL(memset_d32_async),
    STREAM_CALL(memset_2d_d8_async, memset, 5, nothing),
    STREAM_CALL(memset_2d_d16_async, memset, 5, nothing),
    STREAM_CALL(memset_2d_d32_async, memset, 5, nothing),
    STREAMCTS_MODED_OVERRIDE(stream_add_callback, add_callback),
    STREAMCTS_MODED_OVERRIDE(launch_host_func, launch_host_func),
    STREAM_CALL(event_record, record, 1, event_first),
    STREAM_CALL(event_record_with_flags, record, 1, event_first),
    STREAM_CALL(stream_wait_event, wait, 0, event_second),
    STREAM_CALL(graph_launch, graph, 1, graph_first),
    STREAM_CALL(stream_wait_value32_v1, value_wait, 0, nothing),
    STREAM_CALL(stream_wait_value64_v1, value_wait, 0, nothing),
    STREAM_CALL(stream_write_value32_v1, value_write, 0, nothing),
    STREAM_CALL(stream_write_value64_v1, value_write, 0, nothing),
    STREAM_CALL(stream_batch_mem_op_v1, value_batch, 0, nothing),
    STREAM_CALL(stream_wait_value32, value_wait, 0, value_detail),
    STREAM_CALL(stream_wait_value64, value_wait, 0, value_detail),
    STREAM_CALL(stream_write_value32, value_write, 0, value_detail),
    STREAM_CALL(stream_write_value64, value_write, 0, value_detail),
    STREAM_CALL(stream_batch_mem_op, value_batch, 0, batch_detail),
    STREAM_CALL(mem_prefetch_async, prefetch, 3, nothing),
    STREAM_CALL(mem_prefetch_async_v2, prefetch, 4, nothing),
    STREAM_CALL(stream_attach_mem_async, attach, 0, attach_detail),
    STREAM_CALL(mem_discard_batch_async, discard, 4, nothing),
    STREAM_CALL(mem_alloc_async, allocation, 2, allocation_detail),
    STREAM_CALL(mem_free_async, stream_free, 1, free_detail),
};

}  // namespace

std::span<const override_entry> enqueue_overrides() { return overrides; }

}  // namespace streamcts::faults
