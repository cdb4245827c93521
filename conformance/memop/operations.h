// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/format.h>

#include <string_view>

#include "conformance/axes.h"
#include "harness/driver/result.h"

// Stream memory operations, by whichever entry point.

namespace streamcts {

/// The entry point of a single wait or write.
enum class memop_form {
  value_32,  ///< cuStreamWaitValue32, cuStreamWriteValue32
  value_64,
  batch_32,  ///< cuStreamBatchMemOp of one operation
  batch_64,
};
inline std::string_view name(memop_form what) {
  switch (what) {
    case memop_form::value_32: return "value_32";
    case memop_form::value_64: return "value_64";
    case memop_form::batch_32: return "batch_32";
    case memop_form::batch_64: return "batch_64";
  }
  return "unknown";
}
inline axis memop_forms() {
  return make_axis<memop_form>("form", {memop_form::value_32, memop_form::value_64,
                                        {memop_form::batch_32, tier::standard},
                                        {memop_form::batch_64, tier::standard}});
}
inline bool is_wide(memop_form what) {
  return what == memop_form::value_64 || what == memop_form::batch_64;
}

/// Ends the case where @p form does not work.
inline void require_memop(case_context& context, memop_form form) {
  using driver::feature;
  const auto require = [&](feature which) {
    if (context.capabilities().works(which)) return;
    context.not_supported(fmt::format("{} = no ({})", to_string(which),
                                      context.capabilities().of(which).reason));
  };
  require(is_wide(form) ? feature::memop_64 : feature::memop_32);
  if (form == memop_form::batch_32 || form == memop_form::batch_64) require(feature::memop_batch);
}

inline CUstreamBatchMemOpParams wait_parameters(bool wide, CUdeviceptr address, std::uint64_t value,
                                                unsigned condition) {
  CUstreamBatchMemOpParams made{};
  made.waitValue.operation = wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
  made.waitValue.address = address;
  made.waitValue.value64 = value;
  made.waitValue.flags = condition;
  return made;
}

inline CUstreamBatchMemOpParams write_parameters(bool wide, CUdeviceptr address,
                                                 std::uint64_t value) {
  CUstreamBatchMemOpParams made{};
  made.writeValue.operation =
      wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
  made.writeValue.address = address;
  made.writeValue.value64 = value;
  made.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
  return made;
}

/// Enqueues a wait for @p value at @p address. @throws driver::call_error
inline void wait_value(const driver::function_table& cuda, memop_form form, CUstream stream,
                       CUdeviceptr address, std::uint64_t value, unsigned condition) {
  switch (form) {
    case memop_form::value_32:
      STREAMCTS_CHECK(cuda.cuStreamWaitValue32(stream, address, static_cast<cuuint32_t>(value),
                                               condition));
      return;
    case memop_form::value_64:
      STREAMCTS_CHECK(cuda.cuStreamWaitValue64(stream, address, value, condition));
      return;
    default: break;
  }
  CUstreamBatchMemOpParams one = wait_parameters(is_wide(form), address, value, condition);
  STREAMCTS_CHECK(cuda.cuStreamBatchMemOp(stream, 1, &one, 0));
}

/// Enqueues a write of @p value to @p address. @throws driver::call_error
inline void write_value(const driver::function_table& cuda, memop_form form, CUstream stream,
                        CUdeviceptr address, std::uint64_t value) {
  switch (form) {
    case memop_form::value_32:
      STREAMCTS_CHECK(cuda.cuStreamWriteValue32(stream, address, static_cast<cuuint32_t>(value),
                                                CU_STREAM_WRITE_VALUE_DEFAULT));
      return;
    case memop_form::value_64:
      STREAMCTS_CHECK(
          cuda.cuStreamWriteValue64(stream, address, value, CU_STREAM_WRITE_VALUE_DEFAULT));
      return;
    default: break;
  }
  CUstreamBatchMemOpParams one = write_parameters(is_wide(form), address, value);
  STREAMCTS_CHECK(cuda.cuStreamBatchMemOp(stream, 1, &one, 0));
}

/// For arrangement::host_wait(): polls @p word until it is @p value, at most @p limit.
inline std::function<CUresult()> poll_word(control_word word, std::uint32_t value,
                                           std::chrono::nanoseconds limit) {
  return [=] {
    const auto start = std::chrono::steady_clock::now();
    for (unsigned step = 0; word.load() != value; ++step) {
      if (std::chrono::steady_clock::now() - start > limit) return CUDA_ERROR_NOT_READY;
      if (step > 1000) relax_thread(step);
    }
    return CUDA_SUCCESS;
  };
}

}  // namespace streamcts
