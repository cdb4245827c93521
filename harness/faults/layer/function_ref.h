// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace streamcts::faults {

template <typename Signature>
class function_ref;

/// Refers to something that can be called, which must outlive it. Allocates nothing.
template <typename R, typename... A>
class function_ref<R(A...)> {
 public:
  function_ref() = default;
  template <typename F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>)
  function_ref(F&& target)  // NOLINT(google-explicit-constructor): stands in for the callable
      : target_(const_cast<void*>(static_cast<const void*>(std::addressof(target)))),
        call_([](void* at, A... arguments) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(at))(std::forward<A>(arguments)...);
        }) {}

  R operator()(A... arguments) const { return call_(target_, std::forward<A>(arguments)...); }

 private:
  void* target_ = nullptr;
  R (*call_)(void*, A...) = nullptr;
};

}  // namespace streamcts::faults
