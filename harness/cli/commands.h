// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// One function for each command. They print to stdout and return the exit code.

#pragma once

#include "harness/cli/arguments.h"
#include "harness/runner/run.h"

namespace streamcts::cli {

int run_command(const arguments& given, const runner::program_parts& program);
int probe_command(const arguments& given, const runner::program_parts& program);
int list_command(const arguments& given, const runner::program_parts& program);
int clauses_command(const arguments& given, const runner::program_parts& program);
int devices_command(const arguments& given, const runner::program_parts& program);
int report_command(const arguments& given, const runner::program_parts& program);
int doctor_command(const arguments& given, const runner::program_parts& program);
int faults_list_command(const arguments& given);
int faults_matrix_command(const arguments& given, const runner::program_parts& program);
int program_command(const arguments& given, const runner::program_parts& program);
int version_command();

}  // namespace streamcts::cli
