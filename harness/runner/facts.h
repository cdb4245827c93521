// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/driver/capabilities.h"
#include "harness/observe/calibration.h"

namespace streamcts::runner {

/// All that a probe found out about a driver on this machine: what `streamcts probe --out` writes
/// and `--capabilities` reads.
struct probe_facts {
  std::string driver;   ///< as requested: "system", "reference" or a path
  std::string runtime;  ///< as requested: empty for the default, "none" or a path
  driver::capabilities capabilities;
  streamcts::calibration limits;
  /// Why `limits` are the assumed values and not measured ones; empty where they were measured.
  std::string limits_note;
  double start_seconds = 0;  ///< from the start of a child until it had a context
  std::string boot_id;       ///< of the running kernel
  /// Variables that change how a driver behaves, as the probe had them.
  std::map<std::string, std::string> variables;
};

/// Value of `schema` in the file.
inline constexpr std::string_view facts_schema = "streamcts-capabilities/1";

/// The text of the file.
std::string facts_text(const probe_facts& facts);
/// @param name stands in messages. @throws usage_error naming the place and the remedy.
probe_facts parse_facts(std::string_view text, std::string_view name);

/// @throws usage_error where @p path cannot be read or is no such file.
probe_facts read_facts(const std::string& path);

/// Identity of the running kernel; empty where it cannot be read.
std::string read_boot_id();

}  // namespace streamcts::runner
