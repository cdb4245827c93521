// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/worker.h"

#include <fmt/format.h>

#include <csignal>

#include "harness/runner/errors.h"
#include "harness/runner/stacks.h"

namespace streamcts::runner {

namespace {

using results::verdict;

/// How long a child that no longer answers may take to end by itself, so that we learn how.
constexpr std::chrono::seconds closing_limit{2};
constexpr std::size_t most_output = std::size_t{16} << 20;

std::string death(const child_exit& how) {
  if (!how.by_signal) return fmt::format("the process left with {}", to_string(how));
  return fmt::format("the process died of {}{}", to_string(how),
                     how.code == SIGKILL ? ", sent by somebody else or for want of memory" : "");
}

child_order order_for(const host_order& host, const job& what) {
  child_order order;
  order.host = host;
  for (const job_case& each : what.cases) {
    order.cases.push_back({each.instance->id, case_seed(each.seed, each.instance->id)});
  }
  return order;
}

}  // namespace

verdict verdict_of(case_result result) {
  switch (result) {
    case case_result::pass: return verdict::pass;
    case case_result::fail: return verdict::fail;
    case case_result::hang: return verdict::hang;
    case case_result::inconclusive: return verdict::inconclusive;
    case case_result::not_supported: return verdict::not_supported;
    case case_result::skipped: return verdict::skipped;
    case case_result::error: break;
  }
  return verdict::error;
}

worker::worker(const launcher& from, const host_order& host, const time_limits& limits, job what,
               job_listener& listener)
    : limits_(limits),
      job_(std::move(what)),
      listener_(listener),
      child_(from.start()),
      deadline_(clock::now() + limits.of_start()) {
  child_->channel().send(encode(order_for(host, job_)));
}

void worker::add_to(std::vector<pollfd>& descriptors) const {
  for (const int each :
       {child_->channel().descriptor_to_poll(), child_->output().descriptor_to_poll(),
        child_->errors().descriptor_to_poll()}) {
    if (each >= 0) descriptors.push_back({each, POLLIN, 0});
  }
}

void worker::read_output() {
  child_->output().drain();
  child_->errors().drain();
}

void worker::attend() {
  const bool ended = child_->ended();  // asked first: what it sent before is then there to be read
  read_output();
  child_->channel().receive();
  while (!over()) {
    const auto line = child_->channel().next();
    if (!line) break;
    try {
      handle(*line);
    } catch (const runner_error& error) {
      conclude(verdict::error, error.what(), {});
    }
  }
  if (over()) return;
  if (ended) {
    lost(death(child_->finish()));
  } else if (!child_->channel().open() && !closing_) {
    closing_ = true;
    deadline_ = std::min(deadline_, clock::now() + closing_limit);
  } else if (clock::now() >= deadline_) {
    expire();
  }
}

void worker::handle(const std::string& line) {
  child_message message = decode_message(line);
  switch (message.what) {
    case child_message::kind::ready:
      read_output();
      child_->output().take();  // what the driver prints while it starts is no case's
      child_->errors().take();
      release_next();
      return;
    case child_message::kind::not_started:
      child_->finish();
      phase_ = phase::over;
      listener_.job_ended(std::move(job_), next_, {message.cause, message.text});
      return;
    case child_message::kind::started: phase_ = phase::running; return;
    case child_message::kind::outcome:
      if (message.index != next_ || phase_ != phase::running) {
        throw runner_error(2, fmt::format("the child reports case {} out of turn", message.index));
      }
      end_case(std::move(message));
      return;
    case child_message::kind::step:
    case child_message::kind::ability:
    case child_message::kind::facts:
    case child_message::kind::devices: return;
  }
}

case_end worker::make_end(verdict value, std::string reason) {
  case_end end;
  end.verdict = value;
  end.reason = std::move(reason);
  end.seconds = std::chrono::duration<double>(clock::now() - released_at_).count();
  // The child has flushed; whatever it printed before its message is in the pipes.
  for (output_tail* each : {&child_->output(), &child_->errors()}) {
    for (std::size_t got = 0; got < most_output && each->drain(); got += std::size_t{1} << 20) {
    }
  }
  end.stdout_tail = child_->output().take();
  end.stderr_tail = child_->errors().take();
  return end;
}

void worker::end_case(child_message message) {
  case_end end = make_end(verdict_of(message.outcome.result), message.outcome.reason);
  end.seconds = message.seconds;
  end.outcome = std::move(message.outcome);
  const std::size_t index = next_++;
  // Not running any more, should the listener throw.
  phase_ = phase::released;
  listener_.case_ended(job_, index, std::move(end));
  release_next();
}

void worker::release_next() {
  released_at_ = clock::now();
  if (next_ == job_.cases.size()) {
    phase_ = phase::leaving;
    deadline_ = clock::now() + limits_.of_leaving();
    return;
  }
  phase_ = phase::released;
  deadline_ = clock::now() + limits_.of(*job_.cases[next_].instance->definition);
  child_->channel().send(encode_go(next_));
}

void worker::lost(const std::string& why) {
  const child_exit how = child_->finish();
  const bool clean = !how.by_signal && how.code == 0;
  if (phase_ == phase::leaving && clean) {
    phase_ = phase::over;
    listener_.job_ended(std::move(job_), next_, {});
    return;
  }
  conclude(verdict::crash, why, {});
}

void worker::expire() {
  const bool in_case = phase_ == phase::running || phase_ == phase::released;
  if (phase_ == phase::leaving) {  // every case has its verdict
    child_->finish();
    phase_ = phase::over;
    listener_.job_ended(std::move(job_), next_, {});
    return;
  }
  if (closing_) {
    conclude(verdict::crash, "the process closed the descriptor of its records and stayed", {});
    return;
  }
  std::vector<std::string> stacks = take_stacks(child_->pid());
  const auto limit = in_case ? limits_.of(*job_.cases[next_].instance->definition)
                             : limits_.of_start();
  conclude(verdict::hang, fmt::format("no end after {:.3g} s", 1e-3 * limit.count()),
           std::move(stacks));
}

void worker::conclude(verdict value, const std::string& what, std::vector<std::string> stacks) {
  const phase was = phase_;
  child_->finish();
  phase_ = phase::over;
  if (was == phase::starting) {
    const case_end end = make_end(value, what);
    std::string problem = "the child did not start: " + what;
    if (!end.stderr_tail.empty()) problem += "; it printed: " + end.stderr_tail.substr(0, 300);
    listener_.job_ended(std::move(job_), next_, {start_failure::other, problem});
    return;
  }
  // A hang between cases is the harness's own; a death there is what the case before left behind.
  const bool between = was != phase::running && next_ > 0 && value != verdict::hang;
  const std::size_t index = between ? next_ - 1 : next_;
  if (index < job_.cases.size()) {
    case_end end = make_end(value, between ? what + " after the case had ended" : what);
    end.stacks = std::move(stacks);
    listener_.case_ended(job_, index, std::move(end));
  }
  listener_.job_ended(std::move(job_), index + 1, {});
}

}  // namespace streamcts::runner
