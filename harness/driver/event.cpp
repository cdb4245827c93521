// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/event.h"

#include "harness/driver/poll.h"

namespace streamcts::driver {
namespace {
CUevent create(const function_table& table, unsigned flags, std::source_location site) {
  CUevent value = nullptr;
  check(table.cuEventCreate(&value, flags), "cuEventCreate", site);
  return value;
}
}  // namespace

event::event(const function_table& table, unsigned flags, site_type site)
    : handle(table, create(table, flags, site)) {}

void event::record(CUstream stream, site_type site) const {
  check(table().cuEventRecord(get(), stream), "cuEventRecord", site);
}

void event::record_with_flags(CUstream stream, unsigned flags, site_type site) const {
  check(table().cuEventRecordWithFlags(get(), stream, flags), "cuEventRecordWithFlags", site);
}

bool event::query(site_type site) const {
  const CUresult result = table().cuEventQuery(get());
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, "cuEventQuery", site);
  return true;
}

void event::synchronize(site_type site) const {
  check(table().cuEventSynchronize(get()), "cuEventSynchronize", site);
}

bool event::wait(std::chrono::nanoseconds limit, site_type site) const {
  return poll(limit, [&] { return query(site); });
}

float elapsed_ms(const event& begin, const event& end) {
  float milliseconds = 0;
  const function_table& table = begin.table();
  if (table.cuEventElapsedTime != nullptr) {
    STREAMCTS_CHECK(table.cuEventElapsedTime(&milliseconds, begin.get(), end.get()));
  } else {
    STREAMCTS_CHECK(table.cuEventElapsedTime_v2(&milliseconds, begin.get(), end.get()));
  }
  return milliseconds;
}

}  // namespace streamcts::driver
