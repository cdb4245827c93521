// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "harness/case/arrangement.h"
#include "harness/driver/poll.h"

namespace streamcts {

namespace {

/// Repeats a query while it answers NOT_READY, at most @p limit.
CUresult repeat(const std::function<CUresult()>& query, std::chrono::nanoseconds limit) {
  CUresult code = CUDA_ERROR_NOT_READY;
  driver::poll(limit, [&] {
    code = query();
    return code != CUDA_ERROR_NOT_READY;
  });
  return code;
}

}  // namespace

host_wait& arrangement::host_wait(operation op, std::function<CUresult()> call) {
  return waits_.emplace_back(graph_.name(op), op, std::move(call));
}

host_wait& arrangement::synchronize(lane& on) {
  const operation op = host_after(on, fmt::format("cuStreamSynchronize of {}", on.name));
  return host_wait(op, [&cuda = context_.cuda(on.by), stream = on.get()] {
    return cuda.cuStreamSynchronize(stream);
  });
}

host_wait& arrangement::synchronize(mark& what) {
  const operation op = host_after(what, fmt::format("cuEventSynchronize of {}", what.name));
  return host_wait(op, [&cuda = what.event.table(), event = what.get()] {
    return cuda.cuEventSynchronize(event);
  });
}

host_wait& arrangement::poll(lane& on) {
  const operation op = host_after(on, fmt::format("successful cuStreamQuery of {}", on.name));
  return host_wait(op, [&cuda = context_.cuda(on.by), stream = on.get(),
                        limit = context_.calibration().patience()] {
    return repeat([&] { return cuda.cuStreamQuery(stream); }, limit);
  });
}

host_wait& arrangement::poll(mark& what) {
  const operation op = host_after(what, fmt::format("successful cuEventQuery of {}", what.name));
  return host_wait(op, [&cuda = what.event.table(), event = what.get(),
                        limit = context_.calibration().patience()] {
    return repeat([&] { return cuda.cuEventQuery(event); }, limit);
  });
}

// Wait i of a round belongs to thread i: a second hold of the round begins only its own.
void arrangement::begin_host_waits() {
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i].begun()) continue;
    while (wait_threads_.size() <= i) wait_threads_.emplace_back(context_.session());
    waits_[i].begin(wait_threads_[i], victim_gate_.get(), context_.calibration().enqueue_cap());
  }
}

void arrangement::await_host_waits() {
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (!waits_[i].begun()) continue;
    if (wait_threads_[i].wait(context_.calibration().patience())) continue;
    context_.broken({.clause = std::string(context_.instance().clauses.front().text),
                     .kind = failure_kind::progress,
                     .observer = waits_[i].name(),
                     .expected = "a return once all work had finished",
                     .seen = "it has not returned",
                     .site = {},
                     .edges = {},
                     .events = {}});
    return;
  }
}

}  // namespace streamcts
