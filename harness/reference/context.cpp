// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/context.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/reference/memory.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/stream.h"

namespace streamcts::reference {
namespace {

constexpr int most_devices = 8;

}  // namespace

context_table& contexts() {
  static context_table& only = *new context_table;
  return only;
}

std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t mine = ++last;
  return mine;
}

std::vector<CUcontext>& context_stack() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}

std::shared_ptr<context> current_context(driver_lock&, bool even_if_faulted) {
  const std::vector<CUcontext>& stack = context_stack();
  require(!stack.empty() && stack.back() != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  std::shared_ptr<context> c = contexts().get(stack.back(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  require(even_if_faulted || fault() == CUDA_SUCCESS, fault());
  return c;
}

std::shared_ptr<context> create_context(driver_lock& lock, CUdevice device, unsigned flags,
                                        unsigned version) {
  static unsigned long long last_id = 0;
  require(fault() == CUDA_SUCCESS, fault());
  auto c = std::make_shared<context>();
  c->device = device;
  c->flags = flags;
  c->version = version;
  c->id = ++last_id;
  c->host_calls = std::make_shared<host_call_queue>();
  c->handle = contexts().insert(c);
  c->legacy = create_stream(lock, c, stream_kind::legacy, CU_STREAM_DEFAULT, least_priority);
  return c;
}

void destroy_context(driver_lock& lock, const std::shared_ptr<context>& c) {
  wait(lock, frontier(lock, *c));
  for (const stream_ptr& s : c->streams) {
    if (s->handle != nullptr) streams().erase(s->handle);
  }
  c->streams.clear();
  c->per_thread.clear();
  c->legacy.reset();
  c->orphans.clear();
  c->host_calls->close(lock);
  contexts().erase(c->handle);
  memory::release_all(c->handle);
}

std::vector<item_ptr> frontier(driver_lock&, context& c) {
  std::erase_if(c.orphans, [](const item_ptr& item) { return item->finished; });
  std::vector<item_ptr> items = c.orphans;
  for (const stream_ptr& s : c.streams) {
    if (s->last != nullptr && !s->last->finished) items.push_back(s->last);
  }
  return items;
}

int device_count() {
  static const int count = [] {
    const char* text = std::getenv("STREAMCTS_REFERENCE_DEVICES");
    return text == nullptr ? 1 : std::clamp(std::atoi(text), 1, most_devices);
  }();
  return count;
}

void require_device(CUdevice device) {
  require(device >= 0 && device < device_count(), CUDA_ERROR_INVALID_DEVICE);
}

primary_context& primary(driver_lock&, CUdevice device) {
  static std::array<primary_context, most_devices>& all = *new std::array<primary_context, 8>;
  require_device(device);
  return all[static_cast<std::size_t>(device)];
}

}  // namespace streamcts::reference
