// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes behind buffer values: what each item writes in one run, and whose bytes a buffer holds.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/program/check.h"
#include "kernels/pattern.h"

namespace streamcts::program {

/// The patterns of one run. Two values of one run, and the same value of two runs, differ in every
/// word; memsets write one byte or one 32-bit value throughout, as they must.
///
/// prepare() allocates; all else does not, so that host calls may use it, on any thread.
class contents_book {
 public:
  /// @param run another one for each run
  void prepare(const model& m, std::uint32_t run);

  /// Byte k of the contents is byte k % 8 of word k / 8. @pre @p value is not torn.
  kernels::pattern of(buffer_value value) const;
  /// Writes a whole buffer.
  void fill(void* to, std::size_t bytes, buffer_value value) const noexcept;
  /// Whose bytes these are: @p expected if they are, else the first that fits, else torn.
  /// @param sample look at both ends alone, where reading is slow and the buffer large
  buffer_value identify(const void* from, std::size_t bytes, buffer_value expected,
                        bool sample) const noexcept;

 private:
  std::vector<kernels::pattern> items_, initial_;
};

/// Whether a memset of so many bytes is made of 32-bit values rather than of bytes.
constexpr bool wide_memset(std::size_t bytes) {
  return bytes % 4 == 0;
}

}  // namespace streamcts::program
