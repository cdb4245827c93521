// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/behaviours/overtakes.h"

#include <utility>

#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/hold.h"

namespace streamcts::faults {
namespace {

class overtaking_behaviour : public behaviour {
 public:
  explicit overtaking_behaviour(overtaking what)
      : what_(std::move(what)), trail_(what_.ignored) {}

  CUresult enqueue(operation& op) override {
    what_.prepare(op);
    if (what_.victim(op)) {
      const trail::run run = trail_.at_end_of(op.stream);
      if (run.length >= what_.run_of_at_least && run.length > 0) return overtake(op, run);
    }
    if (trail_.follow(op) && what_.slowed.count() != 0) slow_down(op.stream, what_.slowed);
    return op.forward();
  }

  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    trail_.forget(stream_ref{stream}.key());
    return forward();
  }

 private:
  CUresult overtake(operation& op, const trail::run& run) {
    if (!is_complete(record_in(op.stream))) hit();
    private_event end;
    const CUresult result = enqueue_beside(op, run.start, &end);
    if (result == CUDA_SUCCESS) wait_in(op.stream, end);
    trail_.follow(op);
    return result;
  }

  overtaking what_;
  trail trail_;
};

}  // namespace

std::unique_ptr<behaviour> overtakes(overtaking what) {
  return std::make_unique<overtaking_behaviour>(std::move(what));
}

}  // namespace streamcts::faults
