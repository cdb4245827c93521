// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/conditions.h"

#include <atomic>
#include <memory>
#include <utility>

#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using counts = per_stream<unsigned>;

}  // namespace

condition any_of(condition a, condition b) {
  return [a = std::move(a), b = std::move(b)](const operation& op) { return a(op) || b(op); };
}

condition all_of(condition a, condition b) {
  return [a = std::move(a), b = std::move(b)](const operation& op) { return a(op) && b(op); };
}

bool is_kernel(const operation& op) { return op.is(operation_kind::kernel); }
bool is_memset(const operation& op) { return op.is(operation_kind::memset); }
bool is_copy(const operation& op) { return op.is(operation_kind::copy); }
bool is_graph(const operation& op) { return op.is(operation_kind::graph); }
bool is_wait(const operation& op) { return op.is(operation_kind::wait); }
bool is_record(const operation& op) { return op.is(operation_kind::record); }
bool is_value_wait(const operation& op) { return op.is(operation_kind::value_wait); }
bool is_value_write(const operation& op) { return op.is(operation_kind::value_write); }
bool is_host_call(const operation& op) { return op.is(operation_kind::host_call); }
bool is_add_callback(const operation& op) {
  return is_host_call(op) && op.call->api == host_call::form::add_callback;
}
bool is_launch_host_func(const operation& op) {
  return is_host_call(op) && op.call->api == host_call::form::launch_host_func;
}
bool is_download(const operation& op) {
  return op.copy && op.copy->resolved() == copy_range::direction::device_to_host;
}
bool is_upload(const operation& op) {
  return op.copy && op.copy->resolved() == copy_range::direction::host_to_device;
}
condition copies_of_at_least(std::size_t bytes) {
  return [bytes](const operation& op) { return op.copy && op.copy->bytes >= bytes; };
}

bool in_nonblocking_stream(const operation& op) { return !op.stream.is_blocking(); }
bool in_priority_stream(const operation& op) { return op.stream.priority() != 0; }
bool in_per_thread_stream(const operation& op) {
  return op.stream.type() == stream_type::per_thread;
}
bool in_legacy_stream(const operation& op) { return op.stream.is_legacy(); }
bool in_created_stream(const operation& op) { return op.stream.type() == stream_type::created; }

condition from_nth_in_stream(unsigned n) {
  auto seen = std::make_shared<counts>();
  return [seen, n](const operation& op) {
    return seen->with(op.stream.key(), [&](unsigned& count) { return ++count >= n; });
  };
}

condition first_in_stream() {
  auto seen = std::make_shared<counts>();
  return [seen](const operation& op) {
    return seen->with(op.stream.key(), [](unsigned& count) { return ++count == 1; });
  };
}

condition every_nth(unsigned n) {
  auto seen = std::make_shared<std::atomic<unsigned>>(0);
  return [seen, n](const operation&) { return seen->fetch_add(1) % n == n - 1; };
}

}  // namespace streamcts::faults
