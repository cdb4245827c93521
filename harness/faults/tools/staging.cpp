// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/staging.h"

#include "harness/faults/layer/real_driver.h"

namespace streamcts::faults {

staging::buffer staging::take(std::size_t size) {
  {
    const std::lock_guard lock(mutex_);
    for (auto each = returned_.begin(); each != returned_.end(); ++each) {
      if (each->lent.size < size || !is_complete(each->end)) continue;
      const buffer found = each->lent;
      returned_.erase(each);
      return found;
    }
  }
  const capture_exemption exempt;
  void* memory = nullptr;
  if (real().mem_host_alloc(&memory, size, CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS) return {};
  return {static_cast<std::byte*>(memory), size};
}

void staging::give_back(const buffer& lent, const stream_ref& stream) {
  private_event end = record_in(stream);
  const std::lock_guard lock(mutex_);
  returned_.push_back({lent, std::move(end)});
}

}  // namespace streamcts::faults
