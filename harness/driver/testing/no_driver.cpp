// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A library that loads and is neither driver nor runtime.

extern "C" __attribute__((visibility("default"))) int streamcts_no_driver() {
  return 0;
}
