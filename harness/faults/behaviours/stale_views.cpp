// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class G: what was written on time is seen late, torn or short in host calls. The host is shown the
// old contents meanwhile, as by a driver that delivers to a copy of the memory.

#include "harness/faults/behaviours/watching.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"

namespace streamcts::faults {

namespace {

using source = host_memory::source;

constexpr std::size_t chunk = std::size_t{64} << 10;

bool is_write_combined(const host_memory& m) { return m.from == source::write_combined; }
bool is_registered(const host_memory& m) { return m.from == source::registered; }
bool is_large(const host_memory& m) { return is_allocated(m) && m.bytes > large_copy; }
bool is_portable(const host_memory& m) {
  return is_allocated(m) && (m.flags & CU_MEMHOSTALLOC_PORTABLE) != 0;
}
bool is_managed(const host_memory& m) {
  if (m.from != source::managed) return false;
  CUdevice device = 0;
  int concurrent = 0;
  // Without concurrent access the host may not look while a kernel runs.
  return real().ctx_get_device(&device) == CUDA_SUCCESS &&
         real().device_get_attribute(&concurrent,
                                     CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                                     device) == CUDA_SUCCESS &&
         concurrent != 0;
}
bool is_pageable(const host_memory* m) { return m == nullptr; }

/// From which byte of a range on a host call sees the old contents.
using old_from = std::size_t (*)(std::size_t bytes);
std::size_t whole(std::size_t) { return 0; }
std::size_t second_half(std::size_t bytes) { return bytes / 2; }
std::size_t last_chunk(std::size_t bytes) { return bytes > chunk ? (bytes - 1) / chunk * chunk : bytes; }
std::size_t last_words(std::size_t bytes) { return bytes - 64; }

/// A host call sees the old contents of what was written in front of it.
class stale_in_host_call : public watching {
 public:
  stale_in_host_call(undelivered::watched what, old_from from, condition which = is_host_call)
      : watching(std::move(what)), from_(from), which_(std::move(which)) {}

  CUresult enqueue(operation& op) override {
    if (op.call && which_(op)) {
      wrap_host_call(op, [views = writes_.take(op.stream), from = from_](host_run& run) {
        concealment hidden;
        for (const old_view_ptr& view : views) hidden.conceal(view, from(view->bytes.size()));
        if (!hidden.empty()) hit();
        run.call();
        hidden.reveal();
      });
    }
    return watching::enqueue(op);
  }

 private:
  const old_from from_;
  condition which_;
};

undelivered::watched kernels_into(std::function<bool(const host_memory&)> mapped) {
  return {.mapped = std::move(mapped), .copies = false};
}
undelivered::watched copies_into(bool (*destination)(const host_memory*),
                                 std::size_t at_least = smallest_payload) {
  return {.destination = destination, .at_least = at_least};
}
undelivered::watched memsets_into(bool (*destination)(const host_memory*)) {
  return {.destination = destination, .copies = false, .memsets = true};
}

std::unique_ptr<behaviour> stale(undelivered::watched what, old_from from = whole,
                                 condition which = is_host_call) {
  return std::make_unique<stale_in_host_call>(std::move(what), from, std::move(which));
}

}  // namespace

// In host calls.

std::unique_ptr<behaviour> make::mapped_memory_stale_in_callback() {
  return stale(kernels_into(is_allocated));
}
std::unique_ptr<behaviour> make::write_combined_memory_stale_in_callback() {
  return stale(kernels_into(is_write_combined));
}
std::unique_ptr<behaviour> make::portable_memory_stale_in_callback() {
  return stale(kernels_into(is_portable));
}
std::unique_ptr<behaviour> make::registered_memory_stale_in_callback() {
  return stale(kernels_into(is_registered));
}
std::unique_ptr<behaviour> make::managed_memory_stale_in_callback() {
  return stale(kernels_into(is_managed));
}
std::unique_ptr<behaviour> make::mapped_memory_stale_in_host_function() {
  return stale(kernels_into(is_allocated), whole, is_launch_host_func);
}
std::unique_ptr<behaviour> make::mapped_memory_stale_in_second_callback() {
  return stale(kernels_into(is_allocated), whole, all_of(is_host_call, from_nth_in_stream(2)));
}
std::unique_ptr<behaviour> make::mapped_memory_torn_in_callback() {
  return stale(kernels_into(is_allocated), second_half);
}
std::unique_ptr<behaviour> make::large_mapped_memory_tail_stale_in_callback() {
  return stale(kernels_into(is_large), last_chunk);
}
std::unique_ptr<behaviour> make::remote_domain_stale_in_callback() {
  undelivered::watched remote = kernels_into(is_allocated);
  remote.writer = [](const operation& op) { return op.remote_domain; };
  return stale(std::move(remote));
}
std::unique_ptr<behaviour> make::download_stale_in_callback() {
  return stale(copies_into(is_pinned));
}
std::unique_ptr<behaviour> make::pageable_download_stale_in_callback() {
  return stale(copies_into(is_pageable));
}
std::unique_ptr<behaviour> make::download_torn_in_callback() {
  return stale(copies_into(is_pinned), second_half);
}
std::unique_ptr<behaviour> make::download_tail_stale_in_callback() {
  return stale(copies_into(is_pinned, chunk + 1), last_chunk);
}
std::unique_ptr<behaviour> make::download_last_words_stale_in_callback() {
  return stale(copies_into(is_pinned), last_words);
}
std::unique_ptr<behaviour> make::large_download_stale_in_callback() {
  return stale(copies_into(is_pinned, large_copy));
}
std::unique_ptr<behaviour> make::download_stale_in_hundredth_callback() {
  return stale(copies_into(is_pinned), whole, all_of(is_host_call, every_nth(100)));
}
std::unique_ptr<behaviour> make::memset_stale_in_callback() {
  return stale(memsets_into(is_pinned));
}

}  // namespace streamcts::faults
