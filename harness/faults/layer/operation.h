// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <cstddef>

#include "harness/faults/layer/function_ref.h"
#include "harness/faults/layer/stream_ref.h"

namespace streamcts::faults {

/// What a call puts into a stream.
enum class operation_kind {
  kernel,
  copy,
  memset,
  host_call,
  record,
  wait,
  graph,
  value_wait,
  value_write,
  value_batch,
  prefetch,
  attach,
  discard,
  allocation,   ///< in stream order
  stream_free,  ///< in stream order
};

/// A stream callback or host function as registered. A behaviour may change any field.
struct host_call {
  enum class form { add_callback, launch_host_func };
  form api = form::add_callback;
  CUstreamCallback callback = nullptr;  ///< of cuStreamAddCallback
  CUhostFn function = nullptr;          ///< of cuLaunchHostFunc
  void* user_data = nullptr;
};

/// A copy of one range of bytes. A behaviour may change any field.
struct copy_range {
  enum class direction { host_to_device, device_to_host, device_to_device, unified };
  direction way = direction::unified;  ///< as the entry point says; unified: by the addresses
  CUdeviceptr destination = 0;
  CUdeviceptr source = 0;
  std::size_t bytes = 0;

  /// Like `way`, but unified copies are resolved by asking the driver about both addresses.
  /// Host to host counts as unified.
  direction resolved() const;
};

/// A memset of one range of bytes.
struct fill_range {
  CUdeviceptr destination = 0;
  std::size_t bytes = 0;
};

/// What a value wait or write is given. Not for batches.
struct value_operand {
  CUdeviceptr address = 0;
  cuuint64_t value = 0;
  unsigned flags = 0;
  bool wide = false;  ///< 64 bits
};

/// A batch of copies. A behaviour may change the sources and the attributes.
struct copy_batch {
  CUdeviceptr* sources = nullptr;
  const std::size_t* bytes = nullptr;
  std::size_t count = 0;  ///< of sources and bytes
  CUmemcpyAttributes* attributes = nullptr;
  const std::size_t* first = nullptr;  ///< the copy from which on an attribute holds
  std::size_t attribute_count = 0;

  /// That holds for copy @p index.
  const CUmemcpyAttributes& attributes_of(std::size_t index) const {
    std::size_t found = 0;
    while (found + 1 < attribute_count && first[found + 1] <= index) ++found;
    return attributes[found];
  }
};

/// An attachment of managed memory.
struct attachment {
  CUdeviceptr address = 0;
  unsigned flags = 0;
};

/// One call that enqueues something. Lives as long as the call.
struct operation {
  using sender = function_ref<CUresult(CUstream, stream_mode)>;

  operation_kind kind;
  stream_ref stream;
  sender send;  ///< enqueues it in any stream

  host_call* call = nullptr;      ///< of a host_call
  copy_range* copy = nullptr;     ///< of a copy, where it is of one range
  fill_range* fill = nullptr;     ///< of a memset, where it is of one range
  copy_batch* copies = nullptr;   ///< of a copy, where it is a batch
  attachment attach = {};         ///< of an attachment
  bool remote_domain = false;     ///< of a kernel: its memory synchronization domain is not the default
  const void* caller = nullptr;   ///< the code that made the call, where known; else null
  CUevent event = nullptr;        ///< of a record or a wait
  unsigned event_flags = 0;       ///< of a record or a wait
  CUfunction function = nullptr;  ///< of a kernel
  CUgraphExec graph = nullptr;    ///< of a graph
  CUdeviceptr* allocated = nullptr;   ///< of an allocation: where its address goes
  std::size_t allocated_bytes = 0;    ///< of an allocation
  CUdeviceptr freed = 0;              ///< of a stream_free
  value_operand operand = {};     ///< of a value_wait or value_write
  const CUstreamBatchMemOpParams* batch = nullptr;  ///< of a value_batch
  unsigned batch_count = 0;

  /// As the caller asked.
  CUresult forward() const { return send(stream.handle, stream.mode); }
  /// The same, in another stream, named by an explicit handle.
  CUresult send_to(CUstream other) const { return send(other, stream_mode::legacy); }

  bool is(operation_kind k) const { return kind == k; }
};

/// A copy or memset that the documentation calls synchronous.
struct transfer {
  stream_ref stream;  ///< the default stream of the entry point's mode
  copy_range* copy = nullptr;
  fill_range* fill = nullptr;
  function_ref<CUresult()> forward;
  /// The asynchronous form of the same in @p stream; null where this layer has none.
  const operation::sender* enqueue = nullptr;
};

/// A call that waits on the host, or asks whether it would wait.
struct host_wait {
  enum class target { stream, event, context };
  target of;
  stream_ref stream;
  CUevent event = nullptr;
  CUcontext context = nullptr;  ///< of a context wait; null: the current one
  function_ref<CUresult()> forward;
};

/// Host memory, or memory that the host can read, as the program got it.
struct host_memory {
  enum class source { allocated, write_combined, registered, managed };
  source from = source::allocated;
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  unsigned flags = 0;
};

}  // namespace streamcts::faults
