// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/context.h"

#include <utility>

namespace streamcts::driver {

CUdevice device_at(const function_table& table, int ordinal) {
  CUdevice device = 0;
  STREAMCTS_CHECK(table.cuDeviceGet(&device, ordinal));
  return device;
}

int device_attribute(const function_table& table, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  STREAMCTS_CHECK(table.cuDeviceGetAttribute(&value, attribute, device));
  return value;
}

context context::primary(const function_table& table, int ordinal) {
  const CUdevice device = device_at(table, ordinal);
  CUcontext value = nullptr;
  STREAMCTS_CHECK(table.cuDevicePrimaryCtxRetain(&value, device));
  context made(table, device, value, true);
  made.make_current();
  return made;
}

context context::create(const function_table& table, int ordinal, unsigned flags) {
  const CUdevice device = device_at(table, ordinal);
  CUcontext value = nullptr;
  if (table.cuCtxCreate != nullptr) {
    STREAMCTS_CHECK(table.cuCtxCreate(&value, flags, device));
  } else {
    STREAMCTS_CHECK(table.cuCtxCreate_v4(&value, nullptr, flags, device));
  }
  return context(table, device, value, false);
}

context::context(context&& other) noexcept
    : table_(other.table_),
      device_(other.device_),
      context_(std::exchange(other.context_, nullptr)),
      primary_(other.primary_) {}

context& context::operator=(context&& other) noexcept {
  if (this != &other) {
    reset();
    table_ = other.table_;
    device_ = other.device_;
    context_ = std::exchange(other.context_, nullptr);
    primary_ = other.primary_;
  }
  return *this;
}

context::~context() {
  reset();
}

CUcontext context::release() {
  return std::exchange(context_, nullptr);
}

void context::reset() noexcept {
  const CUcontext value = release();
  if (value == nullptr) return;
  if (primary_) {
    report_destroy("cuDevicePrimaryCtxRelease", table_->cuDevicePrimaryCtxRelease(device_));
  } else {
    report_destroy("cuCtxDestroy", table_->cuCtxDestroy(value));
  }
}

void context::make_current() const {
  STREAMCTS_CHECK(table_->cuCtxSetCurrent(context_));
}
void context::synchronize() const {
  STREAMCTS_CHECK(table_->cuCtxSynchronize());
}

}  // namespace streamcts::driver
