// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/testing/mock_driver.h"

namespace streamcts::driver::testing {

mock_driver::mock_driver() {
  current_ = this;
}
mock_driver::~mock_driver() {
  current_ = nullptr;
}

function_table mock_driver::table() {
  function_table made;
#define STREAMCTS_MOCK(name) \
  made.name = [](auto... arguments) { return current_->name.Call(arguments...); };
  STREAMCTS_MOCKED(STREAMCTS_MOCK)
#undef STREAMCTS_MOCK
  return made;
}

}  // namespace streamcts::driver::testing
