// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Part of the library alone, so that unit tests can link everything else without loading a driver.

extern "C" __attribute__((visibility("hidden"))) void streamcts_faults_load();

namespace {
__attribute__((constructor)) void on_load() { streamcts_faults_load(); }
}  // namespace
