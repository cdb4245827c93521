// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/variants.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace streamcts::reference {
namespace {

constexpr std::array table{
    variant_description{variant::one_queue, "one_queue", "Z1",
                        "All streams share one in-order queue."},
    variant_description{variant::weak_scheduler, "weak_scheduler", "Z2",
                        "Whatever may start is started in random order, after random delays, and "
                        "nothing is ordered that the documentation leaves open."},
    variant_description{variant::launch_blocking, "launch_blocking", "Z3",
                        "Every call returns only when the context is idle; also by "
                        "CUDA_LAUNCH_BLOCKING=1."},
    variant_description{variant::host_calls_any_order, "host_calls_any_order", "Z4",
                        "One thread runs all host calls, picking any that may start."},
    variant_description{variant::fresh_thread, "fresh_thread", "Z5",
                        "Each host call runs on a thread of its own."},
    variant_description{variant::spurious_not_ready, "spurious_not_ready", "Z6",
                        "Queries answer NOT_READY for 20 ms after completion."},
    variant_description{variant::late_host_calls, "late_host_calls", "Z7",
                        "Host calls start 50 ms after they may."},
    variant_description{variant::legacy_syncs_non_blocking, "legacy_syncs_non_blocking", "Z8",
                        "The legacy stream synchronizes with non-blocking streams too."},
    variant_description{variant::reverse_host_calls, "reverse_host_calls", "Z9",
                        "Of several host calls that may start, the last enqueued runs first."},
    variant_description{variant::no_overlap, "no_overlap", "Z10",
                        "One piece of device work at a time."},
    variant_description{variant::alloc_synchronizes, "alloc_synchronizes", "Z11",
                        "Allocating and freeing wait until the context is idle."},
    variant_description{variant::host_function_blocks_others, "host_function_blocks_others", "Z12",
                        "While a host call runs, no other host call and no device work starts."},
    variant_description{variant::not_permitted_inside, "not_permitted_inside", "Z13",
                        "CUDA calls inside host functions are refused, as inside callbacks."},
    variant_description{variant::lazy_submit, "lazy_submit", "Z14",
                        "Work starts only at a query or synchronization, or after 3 ms."},
    variant_description{variant::inline_host_calls, "inline_host_calls", "Z15",
                        "The call that enqueues a host call waits for the stream and runs it."},
    variant_description{variant::visibility_late, "visibility_late", "-",
                        "Device writes reach host memory only at the next host call, returning "
                        "synchronization, successful query or device operation."},
    variant_description{variant::wait_covers_more, "wait_covers_more", "-",
                        "Synchronizing, event waits and stream destruction cover all streams of "
                        "the context."},
};

std::atomic<variant> selected{variant::none};
std::atomic<bool> blocking_by_environment{false};

}  // namespace

std::span<const variant_description> variants() { return table; }

bool active(variant id) {
  if (id == variant::launch_blocking && blocking_by_environment.load(std::memory_order_relaxed)) {
    return true;
  }
  return selected.load(std::memory_order_relaxed) == id;
}

bool select_variant(const std::string& name) {
  if (name.empty()) {
    selected = variant::none;
    return true;
  }
  for (const variant_description& v : table) {
    if (name != v.name) continue;
    selected = v.id;
    return true;
  }
  return false;
}

bool select_variant_from_environment() {
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  blocking_by_environment = blocking != nullptr && std::strcmp(blocking, "1") == 0;
  const char* name = std::getenv("STREAMCTS_VARIANT");
  if (select_variant(name == nullptr ? "" : name)) return true;
  std::string known;
  for (const variant_description& v : table) known += std::string(" ") + v.name;
  std::fprintf(stderr, "streamcts reference driver: STREAMCTS_VARIANT=%s is unknown; one of:%s\n",
               name, known.c_str());
  return false;
}

}  // namespace streamcts::reference
