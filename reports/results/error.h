// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>

namespace streamcts::results {

/// A file that cannot be read or written. The message is one line: what, where and the remedy.
class results_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace streamcts::results
