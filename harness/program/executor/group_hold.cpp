// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/group_hold.h"

#include <algorithm>
#include <chrono>

namespace streamcts::program {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t kept_flags = 256;
/// One hold of a host call in so many is long: blocking may lapse after a time.
constexpr unsigned long_hold_every = 64;
constexpr std::chrono::milliseconds long_hold{80};

template <typename Done>
bool wait_for(clock::duration limit, Done done) {
  const auto start = clock::now();
  for (unsigned step = 0; !done(); ++step) {
    if (clock::now() - start > limit) return done();
    relax_thread(step);
  }
  return true;
}

}  // namespace

group_hold::group_hold(const environment& where)
    : where_(where),
      stream_(*where.cuda, driver::stream_kind::non_blocking),
      words_(*where.cuda),
      keeper_([] {}) {}

group_hold::~group_hold() = default;

void CUDA_CB group_hold::mark(void* data) {
  static_cast<std::atomic<bool>*>(data)->store(true);
}

void group_hold::begin(const std::vector<std::shared_ptr<program_run>>& runs) {
  results_.assign(runs.size(), hold_result::pending);
  by_kernel_ = runs.front()->holds_host_call();
  all_enqueued_.store(false);
  canary_gate_.reset();
  words_.reset();
  const control_word word = words_.next();
  canary_gate_.emplace(word, words_.next(), where_.limits.gate_timeout());
  canary_word_ = words_.next();
  if (flags_.size() >= kept_flags) flags_.erase(flags_.begin());
  canary_flag_ = std::make_shared<std::atomic<bool>>(false);
  flags_.push_back(canary_flag_);
  keeper_.start(0, [this, &runs] { attend(runs); });
}

bool group_hold::canary_ran() const {
  return by_kernel_ ? canary_word_.load() != 0 : canary_flag_->load();
}

void group_hold::send_canary() {
  const CUstream stream = stream_.get();
  try {
    if (by_kernel_) {
      canary_gate_->enqueue(*where_.cuda, *where_.kernels, stream, gate_kind::mapped_flag);
      where_.kernels->signal(stream, canary_word_.device(), 1);
    } else {
      (void)where_.cuda->cuLaunchHostFunc(stream, &mark, canary_flag_.get());
    }
  } catch (const driver::call_error&) {
    // No canary is less opportunity, and no more.
  }
}

void group_hold::await(const std::vector<std::shared_ptr<program_run>>& runs) {
  const bool quiet = wait_for(where_.limits.enqueue_cap(), [&] {
    return std::ranges::all_of(runs, [](const auto& r) { return r->quiet(); });
  });
  // Where a call waits for the gate, one more call would wait too.
  if (quiet) {
    send_canary();
    all_enqueued_.store(true);
  }
  keeper_.wait(std::chrono::hours(1));  // bounded by its own caps
  canary_gate_->open();
}

void group_hold::attend(const std::vector<std::shared_ptr<program_run>>& runs) {
  const calibration& limits = where_.limits;
  const auto every = [&](auto question) { return std::ranges::all_of(runs, question); };
  hold_result all = hold_result::enqueue_blocked;
  if (wait_for(limits.enqueue_cap(), [&] { return all_enqueued_.load(); })) {
    for (const auto& r : runs) r->open_front();
    const bool begun = wait_for(4 * limits.hold(),
                                [&] { return every([](auto& r) { return r->victim_begun(); }); });
    canary_gate_->open();
    const bool ran = begun && wait_for(limits.hold(), [&] { return canary_ran(); });
    const bool longer = by_kernel_ && (call_holds_++ % long_hold_every == 0 || always_long_);
    if (ran) {
      wait_for(longer ? std::max<clock::duration>(limits.margin(), long_hold) : limits.margin(),
               [] { return false; });
    }
    all = ran ? hold_result::canary : hold_result::calibrated;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool begun = runs[i]->victim_begun();
    const bool shut = runs[i]->look_and_open();
    results_[i] = !shut                                           ? hold_result::expired
                  : all != hold_result::enqueue_blocked && !begun ? hold_result::never_begun
                                                                  : all;
  }
}

void group_hold::release() {
  (void)stream_.release();
  if (canary_gate_) canary_gate_->open();
}

}  // namespace streamcts::program
