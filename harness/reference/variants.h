// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <span>
#include <string>

namespace streamcts::reference {

/// Legal ways to behave that no common driver has. Each breaks no promise of the documentation, so
/// that a conformance test that turns red under one asserts too much.
enum class variant {
  none,
  one_queue,
  weak_scheduler,
  launch_blocking,
  host_calls_any_order,
  fresh_thread,
  spurious_not_ready,
  late_host_calls,
  legacy_syncs_non_blocking,
  reverse_host_calls,
  no_overlap,
  alloc_synchronizes,
  host_function_blocks_others,
  not_permitted_inside,
  lazy_submit,
  inline_host_calls,
  visibility_late,
  wait_covers_more,
};

struct variant_description {
  variant id;
  const char* name;      ///< value of STREAMCTS_VARIANT
  const char* decoy;     ///< its id among the decoys of the method, "-" if it has none
  const char* sentence;  ///< what it does
};

/// Every variant, in the order of the enumeration without `none`.
std::span<const variant_description> variants();

/// Whether the driver behaves as @p id demands.
bool active(variant id);

/// Takes STREAMCTS_VARIANT and CUDA_LAUNCH_BLOCKING from the environment. False, with a line on
/// stderr that names the known ids, if the variant is unknown.
bool select_variant_from_environment();

/// Chooses by name; empty for none. Only while nothing is enqueued. False if unknown.
bool select_variant(const std::string& name);

/// Times of the variants that delay.
inline constexpr std::chrono::milliseconds late_host_call_delay{50};
inline constexpr std::chrono::milliseconds spurious_not_ready_time{20};
inline constexpr std::chrono::milliseconds lazy_submit_time{3};
inline constexpr std::chrono::microseconds reverse_gathering_time{500};

}  // namespace streamcts::reference
