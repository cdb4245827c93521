// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/prober.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>

#include "harness/runner/device_probe.h"
#include "harness/runner/errors.h"
#include "reports/results/printable.h"

namespace streamcts::runner {

namespace {

using clock = std::chrono::steady_clock;

/// One child of a probe.
class probe_child {
 public:
  probe_child(const launcher& from, const child_order& order, const probe_limits& limits,
              signal_watch& signals, const std::function<void(std::string_view)>& told)
      : limits_(limits), signals_(signals), told_(told), child_(from.start()) {
    started_ = clock::now();
    deadline_ = started_ + limits.start;
    child_->channel().send(encode(order));
  }

  /// Goes on until the child has told all, or is gone. @return why it is gone without having told;
  /// empty where it told.
  std::string run() {
    for (;;) {
      const bool ended = child_->ended();
      child_->output().drain();
      child_->errors().drain();
      child_->channel().receive();
      while (const auto line = child_->channel().next()) {
        if (hear(decode_message(*line))) return {};
      }
      if (ended) return death();
      if (clock::now() >= deadline_) {
        child_->finish();
        return fmt::format("no end within {} s", limit_.count() / 1000);
      }
      wait();
    }
  }

  const std::string& step() const { return step_; }
  probe_outcome& outcome() { return outcome_; }
  /// What the child printed on stderr, one line of it.
  std::string printed() {
    child_->errors().drain();
    return results::to_printable_line(child_->errors().take().substr(0, 300));
  }

 private:
  bool hear(child_message message) {
    if (message.what == child_message::kind::step) {
      step_ = message.text;
      if (step_ == to_string(driver::feature{})) {  // the first feature: there is a context now
        start_seconds_ = std::chrono::duration<double>(clock::now() - started_).count();
      }
      const bool feature = driver::feature_from(step_) || step_ == calibration_step;
      limit_ = feature ? limits_.step : limits_.start;
      deadline_ = clock::now() + limit_;
      if (told_) told_(step_);
    } else if (message.what == child_message::kind::facts) {
      outcome_.facts = std::move(message.facts);
      outcome_.facts->start_seconds = start_seconds_;
      return true;
    } else if (message.what == child_message::kind::devices) {
      outcome_.devices = std::move(message.devices);
      return true;
    } else if (message.what == child_message::kind::not_started) {
      outcome_.cause = message.cause;
      outcome_.problem = message.text;
      return true;
    }
    return false;
  }

  std::string death() {
    const child_exit how = child_->finish();
    return how.by_signal ? fmt::format("died of {}", to_string(how))
                         : fmt::format("left with {}", to_string(how));
  }

  void wait() {
    std::vector<pollfd> descriptors{{signals_.descriptor_to_poll(), POLLIN, 0}};
    for (const int each :
         {child_->channel().descriptor_to_poll(), child_->output().descriptor_to_poll(),
          child_->errors().descriptor_to_poll()}) {
      if (each >= 0) descriptors.push_back({each, POLLIN, 0});
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - clock::now()).count();
    ::poll(descriptors.data(), descriptors.size(),
           static_cast<int>(std::clamp<decltype(left)>(left, 0, 1000)));
    signals_.drain();
    if (signals_.request()) throw machine_error("interrupted during the probe of the driver");
  }

  const probe_limits& limits_;
  signal_watch& signals_;
  const std::function<void(std::string_view)>& told_;
  std::unique_ptr<child_process> child_;
  clock::time_point started_;
  clock::time_point deadline_;
  std::chrono::milliseconds limit_{limits_.start};
  double start_seconds_ = 0;
  std::string step_{load_step};
  probe_outcome outcome_;
};

probe_outcome failure_of(probe_child& child, const std::string& driver, const std::string& gone) {
  probe_outcome failed;
  failed.problem = fmt::format("driver '{}': a process that loads it {} (in step '{}')", driver,
                               gone, child.step());
  if (const std::string text = child.printed(); !text.empty()) {
    failed.problem += fmt::format("; it printed: {}", text);
  }
  return failed;
}

}  // namespace

probe_outcome run_probe(const launcher& from, const host_order& host, const probe_limits& limits,
                        signal_watch& signals, const std::function<void(std::string_view)>& told) {
  child_order order;
  order.what = child_order::task::probe;
  order.host = host;
  // Each child that does not come back takes one thing away, so this ends.
  for (;;) {
    probe_child child(from, order, limits, signals, told);
    const std::string gone = child.run();
    if (gone.empty()) return std::move(child.outcome());
    const auto feature = driver::feature_from(child.step());
    if (feature && !order.skip.contains(*feature)) {
      order.skip[*feature] = fmt::format("the probe's process {} in it", gone);
    } else if (child.step() == calibration_step && order.calibrate) {
      order.calibrate = false;
    } else {
      return failure_of(child, host.driver, gone);
    }
  }
}

probe_outcome run_device_list(const launcher& from, const host_order& host,
                              const probe_limits& limits, signal_watch& signals) {
  child_order order;
  order.what = child_order::task::devices;
  order.host = host;
  const std::function<void(std::string_view)> nobody;
  probe_child child(from, order, limits, signals, nobody);
  const std::string gone = child.run();
  return gone.empty() ? std::move(child.outcome()) : failure_of(child, host.driver, gone);
}

}  // namespace streamcts::runner
