// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/visibility.h"

#include <mutex>
#include <vector>

#include "harness/reference/variants.h"
#include "harness/reference/write_buffer.h"

namespace streamcts::reference {
namespace {

struct kept_back {
  std::mutex mutex;
  std::vector<std::unique_ptr<write_buffer>> buffers;
};

kept_back& kept() {
  static kept_back& only = *new kept_back;
  return only;
}

}  // namespace

void retire(std::unique_ptr<write_buffer> buffer) {
  if (!active(variant::visibility_late)) {
    buffer->publish();
    return;
  }
  const std::scoped_lock lock(kept().mutex);
  kept().buffers.push_back(std::move(buffer));
}

void publish_pending() {
  // The lock is held while writing: who finds nothing left must find it written.
  const std::scoped_lock lock(kept().mutex);
  for (const auto& buffer : kept().buffers) buffer->publish();
  kept().buffers.clear();
}

}  // namespace streamcts::reference
