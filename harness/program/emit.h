// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a program as stand-alone CUDA C++ that anybody can build and run.

#pragma once

#include <string>

#include "harness/program/types.h"

namespace streamcts::program {

/// Whether emit() can write the program: it has no fault, no managed memory, no synchronous copy in a
/// per-thread stream, and at most 62 items and buffers.
bool can_emit(const stream_program& program);

/// The source of a program that makes the same calls, holds what the `hold` line names, and checks
/// everything that must hold. Driver API; builds with `nvcc -o F F.cu -lcuda -lnvrtc`; prints what
/// was expected and seen; exits 0 where all held, 1 where something was broken, 2 without a verdict;
/// every wait is bounded, and a watchdog ends it after 30 s.
/// @param comment what the reader should know, such as an explanation; several lines
/// @pre can_emit() and the program is valid
std::string emit(const stream_program& program, const std::string& comment = {});

}  // namespace streamcts::program
