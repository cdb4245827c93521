// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What all copies and memsets share: checking addresses, and when the call waits for the transfer.

#pragma once

#include "harness/reference/operations.h"

namespace streamcts::reference {

/// One end of a transfer: memory known to the driver, or pageable host memory (no allocation).
struct place {
  std::uintptr_t address = 0;
  allocation_ptr memory;

  bool pageable() const { return memory == nullptr; }
  /// Pageable, pinned or registered.
  bool host() const {
    return pageable() || memory->kind == memory_kind::pinned ||
           memory->kind == memory_kind::registered;
  }
};

/// @p bytes at @p address. Refuses with INVALID_VALUE if they are partly known.
place any_place(std::uintptr_t address, std::size_t bytes);
/// The same, but pageable memory is refused.
place device_place(std::uintptr_t address, std::size_t bytes);

enum class call_form { synchronous, asynchronous };

/// Enqueues a copy in the stream @p handle, or for a synchronous call in the default stream of
/// @p mode, and waits where a rule says so:
///   synchronous    unless neither end is host memory                    CP-SYNC-001, -002, -005
///   asynchronous   only if an end is pageable, or both are host memory  CP-SYNC-004, -005
///   either         synchronous calls always, with SYNC_MEMOPS set       CP-SYNC-007
CUresult transfer(default_stream mode, CUstream handle, call_form form, const place& from,
                  const place& to, const copy_operation& o);

/// A plain copy of @p bytes.
CUresult transfer_bytes(default_stream mode, CUstream handle, call_form form, const place& from,
                        const place& to, std::size_t bytes);

/// Enqueues a memset; a synchronous call waits if the memory is host memory (CP-SYNC-006).
CUresult fill(default_stream mode, CUstream handle, call_form form, CUdeviceptr to, unsigned value,
              unsigned element_bytes, std::size_t width, std::size_t height, std::size_t pitch);

}  // namespace streamcts::reference
