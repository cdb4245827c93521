// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The text form of stream programs, one line a declaration or operation: docs/programs.md.

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/program/types.h"

namespace streamcts::program {

/// A program's text. parse() of it gives an equal program, names of unnamed operations apart
/// (name_operations()).
std::string to_text(const stream_program& program);

/// One operation as its line in the text, thread included: `@1 K0: kernel A write=x`.
std::string line_of(const stream_program& program, const operation& op);

/// Text that is no program. what() is one line: the line number, what is wrong, the remedy.
class parse_error : public std::runtime_error {
 public:
  /// @param line 1 for the first line.
  parse_error(std::size_t line, std::string_view message, std::string_view remedy);
  std::size_t line() const { return line_; }

 private:
  std::size_t line_;
};

/// Reads a program.
/// @throws parse_error where the text is malformed, or the program is not valid
///   (program_error_of()).
stream_program parse(std::string_view text);

}  // namespace streamcts::program
