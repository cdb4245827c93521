// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Makers of programs. All are pure functions of an index or a seed, the same on every machine, and
// make only valid programs (validity.h).

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/program/types.h"

namespace streamcts::program {

/// Part of every origin; raised when a generator changes what it makes.
inline constexpr unsigned generator_version = 1;

enum class generator : std::uint8_t {
  enumerator,  ///< every source, one ordering edge, every observer
  idiom,       ///< two idioms interleaved with noise
  swarm,       ///< random, a random part of the kinds left out, thresholds of sizes and counts
  plain,       ///< random over everything, as the base line
  fault,       ///< random, with one kernel that faults: a process of its own on a real driver
  count
};
std::string_view to_string(generator g);

/// How many programs the enumerator has.
std::size_t enumerated_programs();

/// Program @p number of a generator: of the enumerator the index (modulo its size), else the seed.
/// Its origin is GENERATOR:NUMBER.
stream_program generate(generator g, std::uint64_t number);

/// The program that an origin names, such as `swarm:17`; nothing if it names none.
std::optional<stream_program> generate(std::string_view origin);

}  // namespace streamcts::program
