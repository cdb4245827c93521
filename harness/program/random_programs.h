// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of the random generators: the surroundings of a program, single operations, and the pass
// that gives items their buffers.

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "harness/program/builder.h"
#include "harness/program/generate.h"
#include "harness/program/random.h"

namespace streamcts::program {

/// How likely each kind of operation is, by op_kind.
using kind_weights = std::array<double, static_cast<std::size_t>(op_kind::destroy_stream) + 1>;

kind_weights usual_weights();

/// Streams, events and graphs for a random program.
/// @param thresholds whether to draw counts at which drivers change their ways
void add_surroundings(builder& b, random_source& r, bool thresholds);

/// Adds random operations until there are @p length.
void add_noise(builder& b, random_source& r, const kind_weights& weights, std::size_t length);

/// The number of idioms: short sequences known to be hard on drivers.
std::size_t idiom_count();
/// Adds idiom @p which on random streams and events; nothing where the program lacks a stream that
/// the idiom needs.
void add_idiom(builder& b, random_source& r, std::size_t which);

/// Two idioms and noise, interleaved so that each keeps its order.
void add_idioms(builder& b, random_source& r, const kind_weights& noise, std::size_t length);

/// A stream that @p thread may use; none if there is none.
index pick_stream(const builder& b, random_source& r, std::uint8_t thread);

/// Gives copies and memsets their buffers, and kernels and host calls some; every pair of accesses
/// is ordered. Operations must have none yet.
void add_data(stream_program& program, random_source& r);

}  // namespace streamcts::program
