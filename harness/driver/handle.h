// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include "harness/driver/functions.h"
#include "harness/driver/result.h"

namespace streamcts::driver {

/// Called when the destructor of a handle could not destroy it: a destructor does not throw, and
/// after a device fault every destroy fails. May be called on any thread; must not throw.
using destroy_failure_hook = void (*)(const char* call, CUresult code) noexcept;

/// Sets the hook of the process, null for none (the default), and returns the previous one.
destroy_failure_hook set_destroy_failure_hook(destroy_failure_hook hook) noexcept;

/// Reports a failed destroy to the hook; success is not reported.
void report_destroy(const char* call, CUresult code) noexcept;

/// A driver object owned by one C++ object: move-only. @p Traits has
///   value_type                                         the driver's handle
///   static CUresult destroy(table, value_type)
///   static constexpr const char* destroy_call          for errors
///
/// The table must outlive the handle. As with the driver's own handles, one object may be used from
/// several threads, but not while it is being moved or destroyed.
template <typename Traits>
class handle {
 public:
  using value_type = typename Traits::value_type;

  handle() = default;
  /// Owns @p value; a null one is never destroyed.
  handle(const function_table& table, value_type value) : table_(&table), value_(value) {}
  handle(handle&& other) noexcept
      : table_(other.table_), value_(std::exchange(other.value_, value_type{})) {}
  handle& operator=(handle&& other) noexcept {
    if (this != &other) {
      reset();
      table_ = other.table_;
      value_ = std::exchange(other.value_, value_type{});
    }
    return *this;
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() { reset(); }

  value_type get() const { return value_; }
  explicit operator bool() const { return value_ != value_type{}; }
  const function_table& table() const { return *table_; }

  /// Gives the handle up without destroying it.
  value_type release() { return std::exchange(value_, value_type{}); }

  /// Destroys now, so that the caller sees the result. The object is empty afterwards either way.
  void destroy(std::source_location site = std::source_location::current()) {
    if (*this) check(Traits::destroy(*table_, release()), Traits::destroy_call, site);
  }

 private:
  void reset() noexcept {
    if (*this) report_destroy(Traits::destroy_call, Traits::destroy(*table_, release()));
  }

  const function_table* table_ = nullptr;
  value_type value_{};
};

}  // namespace streamcts::driver
