// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/driver/handle.h"

namespace streamcts::driver {

/// A context, current on the thread that made it (CUDA Driver API, "Context Management").
/// The destructor does not wait for work in the context. cuInit must have been called.
class context {
 public:
  /// Retains the primary context of device @p ordinal and makes it current. @throws call_error
  static context primary(const function_table& table, int ordinal = 0);
  /// Creates a further context (cuCtxCreate, flags as there) and makes it current: v2 of the call
  /// where the driver has it, else v4. @throws call_error
  static context create(const function_table& table, int ordinal = 0, unsigned flags = 0);

  context(context&& other) noexcept;
  context& operator=(context&& other) noexcept;
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context();

  CUcontext get() const { return context_; }
  CUdevice device() const { return device_; }
  bool is_primary() const { return primary_; }
  /// Gives the context up without destroying or releasing it, as after a hang.
  CUcontext release();

  /// Makes it current on the calling thread; each further thread of a case calls this once.
  void make_current() const;
  /// cuCtxSynchronize on the current context, which must be this one.
  void synchronize() const;

 private:
  context(const function_table& table, CUdevice device, CUcontext value, bool primary)
      : table_(&table), device_(device), context_(value), primary_(primary) {}
  void reset() noexcept;

  const function_table* table_;
  CUdevice device_;
  CUcontext context_;
  bool primary_;
};

/// Device @p ordinal. @throws call_error
CUdevice device_at(const function_table& table, int ordinal);
int device_attribute(const function_table& table, CUdevice device, CUdevice_attribute attribute);

}  // namespace streamcts::driver
