// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "reports/results/record.h"

namespace streamcts::runner {

/// Where records go as they are made: the run folder, and the display.
class record_sink {
 public:
  virtual ~record_sink() = default;
  /// @throws machine_error where it cannot be kept
  virtual void add(const results::case_record& record) = 0;
  virtual void add(const results::observation& observation) = 0;
};

}  // namespace streamcts::runner
