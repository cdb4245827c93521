// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "harness/driver/memory.h"
#include "harness/driver/poll.h"
#include "harness/driver/result.h"
#include "harness/driver/stream.h"
#include "harness/observe/host_call.h"

namespace streamcts::runner {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr nanoseconds patience = 2s;
constexpr std::size_t most_rounds = 600;
constexpr std::size_t warm_up_rounds = 5;
constexpr std::size_t copy_bytes = std::size_t{16} << 20;
constexpr int copies = 3;

/// Something did not come within the patience; the driver is left as it is.
struct too_slow : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void await(const char* what, auto done) {
  if (!driver::poll(patience, done)) {
    throw too_slow(fmt::format("{} did not come within {} s", what,
                               std::chrono::duration_cast<std::chrono::seconds>(patience).count()));
  }
}

/// The kind of gate that holds a stream here; nothing where none does.
std::optional<gate_kind> working_gate(const driver::capabilities& have) {
  if (have.works(driver::feature::gate_kernel_mapped)) return gate_kind::mapped_flag;
  if (have.works(driver::feature::gate_host_function)) return gate_kind::host_function;
  if (have.works(driver::feature::gate_value_wait)) return gate_kind::value_wait;
  return std::nullopt;
}

/// A gate and a host call behind it, again and again.
class latency_probe {
 public:
  latency_probe(device_session& session, host_call call)
      : cuda_(session.cuda(driver::stream_mode::legacy)),
        kernels_(session.kernels()),
        kind_(working_gate(session.given().capabilities)),
        call_(call),
        stream_(cuda_, driver::stream_kind::non_blocking),
        page_(cuda_) {}

  void round() {
    page_.reset();
    gate holding(page_.next(), page_.next(), patience);
    auto slot = std::make_unique<host_call_slot>();
    clock::time_point started;
    slot->at_start = [&started] { started = clock::now(); };
    if (kind_) holding.enqueue(cuda_, kernels_, stream_.get(), *kind_);
    const auto before = clock::now();
    clock::time_point opened = before;
    try {
      slot->enqueue(cuda_, call_, stream_.get());
      enqueues_.push_back(clock::now() - before);
      if (kind_) {
        if (*kind_ != gate_kind::value_wait) await("a gate", [&] { return holding.begun(); });
        opened = clock::now();
        holding.open();
      }
      await("a host call", [&] { return slot->ended(); });
    } catch (...) {
      static_cast<void>(slot.release());  // the driver may call it yet
      throw;
    }
    latencies_.push_back(started - opened);
    await("the end of a stream's work", [&] { return stream_.query(); });
  }

  void forget() {
    latencies_.clear();
    enqueues_.clear();
  }
  const std::vector<nanoseconds>& latencies() const { return latencies_; }
  const std::vector<nanoseconds>& enqueues() const { return enqueues_; }

 private:
  const driver::function_table& cuda_;
  const driver::kernel_set& kernels_;
  std::optional<gate_kind> kind_;
  host_call call_;
  driver::stream stream_;
  control_page page_;
  std::vector<nanoseconds> latencies_;
  std::vector<nanoseconds> enqueues_;
};

void measure_latency(device_session& session, nanoseconds budget, streamcts::calibration& limits) {
  const driver::capabilities& have = session.given().capabilities;
  latency_probe probe(session, have.works(driver::feature::host_function)
                                   ? host_call::launch_host_func
                                   : host_call::add_callback);
  for (std::size_t i = 0; i < warm_up_rounds; ++i) probe.round();
  probe.forget();
  const auto end = clock::now() + budget;
  while (probe.latencies().size() < most_rounds && clock::now() < end) probe.round();
  if (probe.latencies().empty()) probe.round();
  limits.host_call_latency_median = quantile(probe.latencies(), 0.5);
  limits.host_call_latency_p999 = quantile(probe.latencies(), 0.999);
  limits.enqueue_median = quantile(probe.enqueues(), 0.5);
}

void measure_copy(device_session& session, streamcts::calibration& limits) {
  const driver::function_table& cuda = session.cuda(driver::stream_mode::legacy);
  driver::device_buffer source(cuda, copy_bytes);
  driver::host_buffer target(cuda, copy_bytes, driver::host_memory::pinned);
  const driver::stream stream(cuda, driver::stream_kind::non_blocking);
  nanoseconds best = nanoseconds::max();
  for (int i = 0; i < copies; ++i) {
    const auto start = clock::now();
    STREAMCTS_CHECK(
        cuda.cuMemcpyDtoHAsync(target.data(), source.address(), copy_bytes, stream.get()));
    try {
      await("a copy", [&] { return stream.query(); });
    } catch (...) {
      static_cast<void>(source.release());  // the copy may still run
      static_cast<void>(target.release());
      throw;
    }
    best = std::min<nanoseconds>(best, clock::now() - start);
  }
  const double seconds = std::chrono::duration<double>(best).count();
  limits.copy_bytes_per_second = static_cast<double>(copy_bytes) / std::max(seconds, 1e-9);
}

}  // namespace

nanoseconds quantile(std::vector<nanoseconds> values, double fraction) {
  const auto rank = static_cast<std::size_t>(
      std::ceil(fraction * static_cast<double>(values.size())));
  const std::size_t index = std::min(values.size() - 1, rank == 0 ? 0 : rank - 1);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}

measured_limits calibrate(device_session& session, std::chrono::milliseconds budget) {
  measured_limits made;
  const auto attempt = [&](const char* what, auto measure) {
    try {
      measure();
    } catch (const std::exception& error) {
      if (!made.note.empty()) made.note += "; ";
      made.note += fmt::format("{} assumed, not measured: {}", what, error.what());
    }
  };
  attempt("latency", [&] { measure_latency(session, budget, made.limits); });
  attempt("copy speed", [&] { measure_copy(session, made.limits); });
  return made;
}

}  // namespace streamcts::runner
