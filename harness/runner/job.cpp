// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/job.h"

namespace streamcts::runner {

namespace {

/// The finalizer of splitmix64.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t case_seed(std::uint64_t seed, std::string_view id) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const unsigned char each : id) hash = (hash ^ each) * 0x100000001b3u;
  return mixed(seed ^ mixed(hash));
}

std::uint64_t repeat_seed(std::uint64_t run_seed, std::uint64_t repeat) {
  return repeat == 0 ? run_seed : mixed(run_seed + repeat);
}

}  // namespace streamcts::runner
