// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/driver/unversioned_names.h"

namespace streamcts::driver {

/// What the NULL stream means: CUDA Programming Guide, "Default Stream". In `per_thread` a table
/// holds the variants that nvcc's `--default-stream per-thread` would choose.
enum class stream_mode { legacy, per_thread };
std::string_view to_string(stream_mode mode);

enum class need { required, optional };

/// What calling an absent function returns: the library's own code for what it does not support.
template <typename Result>
inline constexpr Result absent_result{};
template <>
inline constexpr CUresult absent_result<CUresult> = CUDA_ERROR_NOT_SUPPORTED;

/// A function of a library found at run time. Calling an absent one returns absent_result: a
/// capability that is absent, never a crash.
///
/// Otherwise like a function pointer: assignable from one (or from a lambda without captures, in
/// unit tests), convertible to it, null when absent.
template <typename Pointer>
class entry_point;

template <typename Result, typename... Args>
class entry_point<Result (*)(Args...)> {
 public:
  using pointer = Result (*)(Args...);

  constexpr entry_point() = default;
  constexpr entry_point(pointer function) : function_(function) {}  // NOLINT: like a pointer
  constexpr entry_point& operator=(pointer function) {
    function_ = function;
    return *this;
  }
  constexpr operator pointer() const { return function_; }  // NOLINT: like a pointer
  constexpr pointer get() const { return function_; }

  Result operator()(Args... args) const {
    return function_ ? function_(args...) : absent_result<Result>;
  }

 private:
  pointer function_ = nullptr;
};

/// The driver's functions in one stream mode, one member for each line of functions.def, named as
/// in the manual and typed by the PFN type of cudaTypedefs.h: `table.cuStreamAddCallback(...)`.
/// Where the suite uses several versions of one function the others have a suffix: `cuCtxCreate`
/// (v2) and `cuCtxCreate_v4`, `cuMemAdvise_v1` and `cuMemAdvise_v2`, `cuEventElapsedTime` and
/// `cuEventElapsedTime_v2`.
///
/// A plain copyable value; read-only after loading, and then safe from any thread.
struct function_table {
#define FUNCTION(level, name, member_suffix, version) \
  entry_point<PFN_##name##_v##version> name##member_suffix;
#include "harness/driver/functions.def"
};

/// One line of functions.def.
struct function_description {
  need required;
  const char* name;               ///< as cuGetProcAddress knows it
  const char* member;             ///< in function_table
  int version;                    ///< of the prototype, 1000 * major + 10 * minor
  const char* symbol;             ///< as exported
  int per_thread_version;         ///< 0 where the stream mode makes no difference
  const char* per_thread_symbol;  ///< as exported; == symbol where the mode makes no difference
};

/// All lines of functions.def, in the order of the members of function_table.
const std::vector<function_description>& function_descriptions();

/// How a table is filled: returns the function of this description in this mode, or null.
using resolver = void* (*)(void* state, const function_description& function, stream_mode mode);
function_table resolve(resolver find, void* state, stream_mode mode);

/// Names (members) of the functions that the table lacks.
std::vector<std::string_view> missing_functions(const function_table& table, need required);

/// Addresses of the functions that the table has.
std::vector<const void*> function_addresses(const function_table& table);

}  // namespace streamcts::driver
