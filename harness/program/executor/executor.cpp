// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/executor.h"

#include <algorithm>
#include <chrono>
#include <deque>

#include "harness/driver/keep.h"
#include "harness/driver/result.h"
#include "harness/program/executor/group_hold.h"
#include "harness/program/executor/program_run.h"
#include "harness/program/executor/workers.h"

namespace streamcts::program {
namespace {

/// How many records of runs are kept for host calls that come late or twice.
constexpr std::size_t kept_records = 256;
/// After how long a host call that the final synchronization should have covered is lost, and not
/// just late.
constexpr std::chrono::milliseconds late_enough{300};

}  // namespace

std::shared_ptr<const ready_program> ready_program::make(stream_program program) {
  return std::shared_ptr<const ready_program>(new ready_program(std::move(program)));
}

class executor::state {
 public:
  explicit state(const environment& where)
      : where_(where),
        kernels_(where_),
        buffers_(*where_.cuda),
        workers_(where_.make_current),
        hold_(where_) {}

  bool usable() const { return usable_; }
  void always_hold_long(bool yes) { hold_.always_long(yes); }
  const environment& where() const { return where_; }

  std::vector<run_outcome> run(const std::shared_ptr<const ready_program>& program,
                               std::span<const index> held) {
    while (slots_.size() < held.size()) slots_.emplace_back(*where_.cuda);
    std::vector<std::shared_ptr<program_run>> runs;
    for (const index item : held) {
      if (++token_ == 0) ++token_;
      runs.push_back(std::make_shared<program_run>(where_, kernels_, slots_[runs.size()], buffers_,
                                                   program->expectations(), program->plan(), item,
                                                   token_));
      runs.back()->prepare(hold_.stream());
    }
    if (!hold_.stream_idle()) {
      throw driver::not_supported("the kernels that fill buffers did not end in time");
    }
    std::vector<run_outcome> outcomes = execute(runs);
    for (auto& r : runs) keep(std::move(r), program);
    return outcomes;
  }

  void release() {
    buffers_.release();
    kernels_.release();
    workers_.abandon();
    hold_.release();
  }

 private:
  std::vector<run_outcome> execute(std::vector<std::shared_ptr<program_run>>& runs) {
    const bool holds = runs.front()->holds();
    if (holds) hold_.begin(runs);
    std::size_t worker = 0;
    for (const auto& r : runs) {
      for (std::uint8_t t = 0; t < limits::threads; ++t) {
        if (r->uses_thread(t)) workers_.start(worker++, [r, t] { r->perform(t); });
      }
    }
    if (holds) hold_.await(runs);
    bool finished = workers_.wait(where_.limits.patience());
    if (finished) finished = synchronize();
    std::vector<run_outcome> outcomes;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      program_run& r = *runs[i];
      if (finished)
        r.record().look_from({observer::place::finish, none});
      else
        r.abandon();
      run_outcome& o = outcomes.emplace_back();
      o.seen = r.record().collect(finished);
      if (holds) o.hold = hold_.result(i);
      o.unsupported = r.unsupported();
    }
    usable_ = finished;
    return outcomes;
  }

  /// The final synchronization, by another thread, which may be stuck in it.
  bool synchronize() {
    workers_.start(0, [cuda = where_.cuda] { (void)cuda->cuCtxSynchronize(); });
    return workers_.wait(where_.limits.patience());
  }

  /// Keeps the record for calls that come twice; all of a run in which something never came.
  void keep(std::shared_ptr<program_run> run, const std::shared_ptr<const ready_program>& program) {
    const layout& items = program->expectations().items();
    bool quiet = usable_;
    items.host_calls().for_each([&](std::size_t x) {
      quiet = quiet && run->record().call_of(x).calls[0].left.load(std::memory_order_acquire) != 0;
    });
    if (quiet) {
      records_.push_back(run->share_record());
      if (records_.size() > kept_records) records_.pop_front();
      return;
    }
    driver::keep_for_ever(program);
    driver::keep_for_ever(std::move(run));
  }

  const environment where_;
  program_kernels kernels_;
  buffer_pool buffers_;
  std::deque<run_slot> slots_;
  worker_threads workers_;
  group_hold hold_;
  std::deque<std::shared_ptr<void>> records_;
  std::uint32_t token_ = 0x10000;
  bool usable_ = true;
};

executor::executor(const environment& where) : state_(std::make_shared<state>(where)) {}

executor::~executor() {
  if (!state_->usable()) driver::keep_for_ever(std::move(state_));
}

bool executor::usable() const {
  return state_->usable();
}

std::string executor::lacks(const stream_program& program) const {
  const auto memory = [&](memory_kind k) {
    return std::ranges::any_of(program.buffers,
                               [k](const buffer_decl& b) { return b.memory == k; });
  };
  const auto uses = [&](op_kind k) {
    return std::ranges::any_of(program.ops, [k](const operation& o) { return o.kind == k; });
  };
  const environment& where = state_->where();
  if (!where.managed && memory(memory_kind::managed)) return "managed memory";
  if (!where.memops && uses(op_kind::write_value)) return "stream value writes";
  if (where.cuda->cuStreamAddCallback == nullptr && uses(op_kind::callback)) {
    return "cuStreamAddCallback";
  }
  return {};
}

void executor::always_hold_long(bool yes) { state_->always_hold_long(yes); }

run_outcome executor::run(std::shared_ptr<const ready_program> program) {
  const index nothing = none;
  return std::move(state_->run(program, {&nothing, 1}).front());
}

std::vector<run_outcome> executor::run(std::shared_ptr<const ready_program> program,
                                       std::span<const index> held) {
  // Host calls and device work need different canaries.
  std::vector<index> order(held.begin(), held.end());
  const auto& items = program->expectations().items();
  const auto is_call = [&](index x) { return items.host_calls().has(at(x)); };
  const auto first_call =
      std::stable_partition(order.begin(), order.end(), [&](index x) { return !is_call(x); });
  const std::size_t most = program->plan().independent() ? state_->where().slots : 1;
  std::vector<run_outcome> outcomes;
  auto from = order.begin();
  while (from != order.end() && usable()) {
    const auto end = from < first_call ? first_call : order.end();
    const auto count = std::min<std::ptrdiff_t>(end - from, static_cast<std::ptrdiff_t>(most));
    auto some = state_->run(program, {from, from + count});
    std::ranges::move(some, std::back_inserter(outcomes));
    from += count;
  }
  return outcomes;
}

}  // namespace streamcts::program
