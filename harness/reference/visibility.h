// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// When plain device writes reach host memory. They go through the write buffer of their kernel or
// copy, which is emptied when the operation ends; under the variant visibility_late it is kept until
// something that the documentation names makes it visible.

#pragma once

#include <memory>

namespace streamcts::reference {

class write_buffer;

/// The operation that filled @p buffer has ended.
void retire(std::unique_ptr<write_buffer> buffer);

/// Makes visible whatever is kept back. Called at the start of device operations and host calls and
/// before a synchronization or a successful query returns.
void publish_pending();

}  // namespace streamcts::reference
