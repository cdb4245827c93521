// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/undelivered.h"

#include <algorithm>
#include <utility>

#include "harness/faults/tools/conditions.h"

namespace streamcts::faults {
namespace {

/// Looking at more than this before every kernel would be too slow to be of use.
constexpr std::size_t largest_view = std::size_t{64} << 20;

}  // namespace

void undelivered::add(const stream_key& key, old_view_ptr view) {
  outstanding_.with(key, [&](views& all) {
    // The newest look at a range counts.
    std::erase_if(all, [&](const old_view_ptr& v) { return v->begin == view->begin; });
    all.push_back(std::move(view));
  });
}

void undelivered::look_before_kernel(const stream_key& key) {
  for (const host_memory& memory : ranges_.all()) {
    if (memory.bytes > largest_view || !what_.mapped(memory)) continue;
    add(key, look_at(memory.begin, memory.bytes));
  }
}

void undelivered::drop_overlapping(const stream_key& key, CUdeviceptr begin, std::size_t bytes) {
  auto* const first = reinterpret_cast<std::byte*>(begin);
  outstanding_.with(key, [&](views& all) {
    std::erase_if(all, [&](const old_view_ptr& view) {
      return first < view->begin + view->bytes.size() && view->begin < first + bytes;
    });
  });
}

void undelivered::look_before_write(const operation& op) {
  const CUdeviceptr destination = op.copy ? op.copy->destination : op.fill->destination;
  const std::size_t bytes = op.copy ? op.copy->bytes : op.fill->bytes;
  if (bytes < what_.at_least) return;
  const std::optional<host_memory> memory = ranges_.containing(destination);
  if (!what_.destination(memory ? &*memory : nullptr)) return;
  add(op.stream.key(), look_at(reinterpret_cast<std::byte*>(destination), bytes));
}

void undelivered::follow(const operation& op) {
  const stream_key key = op.stream.key();
  if ((op.is(operation_kind::kernel) || op.is(operation_kind::graph)) && what_.writer(op)) {
    look_before_kernel(key);
  }
  // What a copy or memset writes is not what the kernels before it wrote.
  if (op.copy) drop_overlapping(key, op.copy->destination, op.copy->bytes);
  if (op.fill) drop_overlapping(key, op.fill->destination, op.fill->bytes);
  if (what_.copies && op.copy && is_download(op)) look_before_write(op);
  // A memset of device memory writes nothing that the host can read.
  if (what_.memsets && op.fill && ranges_.containing(op.fill->destination)) look_before_write(op);
  if (op.is(operation_kind::record)) {
    views captured = in(op.stream);
    std::erase_if(captured, [&](const old_view_ptr& view) {
      return !ranges_.containing(reinterpret_cast<CUdeviceptr>(view->begin));
    });
    const std::lock_guard lock(mutex_);
    recorded_[op.event] = std::move(captured);
  }
  if (op.is(operation_kind::wait)) {
    for (old_view_ptr& view : behind(op.event)) add(key, std::move(view));
  }
}

std::vector<old_view_ptr> undelivered::in(const stream_ref& stream) {
  return outstanding_.with(stream.key(), [](views& all) { return all; });
}

std::vector<old_view_ptr> undelivered::take(const stream_ref& stream) {
  return outstanding_.with(stream.key(), [](views& all) { return std::exchange(all, {}); });
}

std::vector<old_view_ptr> undelivered::behind(CUevent event) {
  const std::lock_guard lock(mutex_);
  const auto known = recorded_.find(event);
  return known == recorded_.end() ? views{} : known->second;
}

void undelivered::delivered(const stream_ref& stream) { delivered(in(stream)); }

void undelivered::delivered(const std::vector<old_view_ptr>& gone) {
  const auto is_gone = [&](const old_view_ptr& view) {
    return std::find(gone.begin(), gone.end(), view) != gone.end();
  };
  outstanding_.for_each([&](const stream_key&, views& all) { std::erase_if(all, is_gone); });
  const std::lock_guard lock(mutex_);
  for (auto& [event, all] : recorded_) std::erase_if(all, is_gone);
}

void undelivered::delivered_all() {
  outstanding_.for_each([](const stream_key&, views& all) { all.clear(); });
  const std::lock_guard lock(mutex_);
  recorded_.clear();
}

void undelivered::forget(const void* begin) {
  const auto starts_there = [&](const old_view_ptr& view) { return view->begin == begin; };
  outstanding_.for_each([&](const stream_key&, views& all) { std::erase_if(all, starts_there); });
  const std::lock_guard lock(mutex_);
  for (auto& [event, all] : recorded_) std::erase_if(all, starts_there);
  ranges_.remove(begin);
}

}  // namespace streamcts::faults
