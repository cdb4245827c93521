// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace streamcts::faults {

/// What a NULL stream means in the entry point that was called: the plain one, or its `_ptsz` or
/// `_ptds` twin. Also the index into each pair of entry points of the real driver.
enum class stream_mode : int { legacy = 0, per_thread = 1 };

}  // namespace streamcts::faults
