// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/stream.h"

#include "harness/driver/poll.h"

namespace streamcts::driver {
namespace {

CUstream create_with_priority(const function_table& table, int priority, unsigned flags,
                              std::source_location site) {
  CUstream value = nullptr;
  check(table.cuStreamCreateWithPriority(&value, flags, priority), "cuStreamCreateWithPriority",
        site);
  return value;
}

CUstream create(const function_table& table, stream_kind kind, std::source_location site) {
  CUstream value = nullptr;
  switch (kind) {
    case stream_kind::blocking:
      check(table.cuStreamCreate(&value, CU_STREAM_DEFAULT), "cuStreamCreate", site);
      return value;
    case stream_kind::non_blocking:
      check(table.cuStreamCreate(&value, CU_STREAM_NON_BLOCKING), "cuStreamCreate", site);
      return value;
    case stream_kind::high_priority:
      return create_with_priority(table, stream_priorities(table).greatest, CU_STREAM_NON_BLOCKING,
                                  site);
    case stream_kind::low_priority:
      return create_with_priority(table, stream_priorities(table).least, CU_STREAM_NON_BLOCKING,
                                  site);
    default:
      return nullptr;  // the default streams are there already
  }
}

}  // namespace

std::string_view to_string(stream_kind kind) {
  constexpr std::string_view names[] = {"null",         "legacy",        "per_thread",  "blocking",
                                        "non_blocking", "high_priority", "low_priority"};
  return names[static_cast<int>(kind)];
}

bool synchronizes_with_legacy(stream_kind kind, stream_mode mode) {
  switch (kind) {
    case stream_kind::null_stream:
      return mode == stream_mode::per_thread;
    case stream_kind::per_thread:
    case stream_kind::blocking:
      return true;
    default:
      return false;
  }
}

priority_range stream_priorities(const function_table& table) {
  priority_range range{};
  STREAMCTS_CHECK(table.cuCtxGetStreamPriorityRange(&range.least, &range.greatest));
  return range;
}

stream::stream(const function_table& table, stream_kind kind, site_type site)
    : table_(&table), kind_(kind), owned_(table, create(table, kind, site)) {}

stream::stream(const function_table& table, stream_kind kind, CUstream owned)
    : table_(&table), kind_(kind), owned_(table, owned) {}

stream stream::with_priority(const function_table& table, int priority, unsigned flags,
                             site_type site) {
  const bool non_blocking = (flags & CU_STREAM_NON_BLOCKING) != 0;
  return stream(table, non_blocking ? stream_kind::non_blocking : stream_kind::blocking,
                create_with_priority(table, priority, flags, site));
}

CUstream stream::get() const {
  switch (kind_) {
    case stream_kind::legacy:
      return CU_STREAM_LEGACY;
    case stream_kind::per_thread:
      return CU_STREAM_PER_THREAD;
    default:
      return owned_.get();
  }
}

void stream::synchronize(site_type site) const {
  check(table_->cuStreamSynchronize(get()), "cuStreamSynchronize", site);
}

bool stream::query(site_type site) const {
  const CUresult result = table_->cuStreamQuery(get());
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, "cuStreamQuery", site);
  return true;
}

bool stream::wait_idle(std::chrono::nanoseconds limit, site_type site) const {
  return poll(limit, [&] { return query(site); });
}

void stream::wait(const event& condition, site_type site) const {
  wait(condition.get(), site);
}

void stream::wait(CUevent condition, site_type site) const {
  check(table_->cuStreamWaitEvent(get(), condition, CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent",
        site);
}

void stream::destroy(site_type site) {
  owned_.destroy(site);
}

}  // namespace streamcts::driver
