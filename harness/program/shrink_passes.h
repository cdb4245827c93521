// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of the shrinker: the simplifications it tries.

#pragma once

#include <functional>

#include "harness/program/types.h"

namespace streamcts::program {

/// Takes a candidate if it is valid and still fails; then later candidates start from it.
using attempt = std::function<bool(const stream_program&)>;

/// Each goes through a program and offers simpler ones. @p current is what was taken last; the
/// passes read it again after each success.
void drop_chunks(const stream_program& current, const attempt& take);
void merge_streams(const stream_program& current, const attempt& take);
void inline_events(const stream_program& current, const attempt& take);
void wait_for_streams(const stream_program& current, const attempt& take);
void simplify_graphs(const stream_program& current, const attempt& take);
void simplify_kinds(const stream_program& current, const attempt& take);
void simplify_memory(const stream_program& current, const attempt& take);
void simplify_streams(const stream_program& current, const attempt& take);
void simplify_rest(const stream_program& current, const attempt& take);

}  // namespace streamcts::program
