// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/child_main.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "harness/runner/child_process.h"
#include "harness/runner/errors.h"
#include "harness/runner/gtest_cases.h"

namespace streamcts::runner {

namespace {

/// Without exit handlers: a driver's may hang or crash, and every verdict is already told. Coverage
/// and sanitizers report in theirs.
[[noreturn]] void leave(int status) {
  std::fflush(nullptr);
#if defined(STREAMCTS_COVERAGE) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(status);
#else
  ::_exit(status);
#endif
}

/// Sends a message; a child whose parent is gone has nothing left to do.
void tell(line_channel& channel, const child_message& message) {
  if (!channel.send(encode(message))) leave(0);
}

child_message of_kind(child_message::kind what) {
  child_message message;
  message.what = what;
  return message;
}

class telling_listener : public probe_listener {
 public:
  explicit telling_listener(line_channel& channel) : channel_(channel) {}
  void step(std::string_view name) override {
    child_message message = of_kind(child_message::kind::step);
    message.text = name;
    tell(channel_, message);
  }
  void result(driver::feature which, const driver::ability& ability) override {
    child_message message = of_kind(child_message::kind::ability);
    message.feature = which;
    message.ability = ability;
    tell(channel_, message);
  }

 private:
  line_channel& channel_;
};

void host_cases(const suite& program, const child_order& order, line_channel& channel) {
  const std::unique_ptr<case_host> host = program.make_host(order.host);
  tell(channel, of_kind(child_message::kind::ready));
  const auto before = [&](std::size_t index) {
    const std::optional<std::string> line = channel.wait();
    if (!line || decode_go(*line) != index) return false;
    child_message message = of_kind(child_message::kind::started);
    message.index = index;
    tell(channel, message);
    return true;
  };
  const auto after = [&](std::size_t index, case_outcome outcome, double seconds) {
    std::fflush(nullptr);  // what the case printed is to be in the pipes before its end is told
    child_message message = of_kind(child_message::kind::outcome);
    message.index = index;
    message.seconds = seconds;
    message.outcome = std::move(outcome);
    tell(channel, message);
  };
  run_as_tests(*host, order.cases, program.cases(), before, after);
#if !defined(STREAMCTS_COVERAGE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  leave(0);  // without taking the context apart, which may hang after a fault
#endif
}

}  // namespace

void child_main(const suite& program) {
  ::fcntl(child_process::control_descriptor, F_SETFD, FD_CLOEXEC);
  line_channel channel{descriptor(child_process::control_descriptor)};
  const std::optional<std::string> line = channel.wait();
  if (!line) leave(exit_usage);
  try {
    const child_order order = decode_order(*line);
    if (order.what == child_order::task::cases) {
      host_cases(program, order, channel);
    } else if (order.what == child_order::task::devices) {
      child_message message = of_kind(child_message::kind::devices);
      message.devices = program.devices(order);
      tell(channel, message);
    } else {
      telling_listener listener(channel);
      child_message message = of_kind(child_message::kind::facts);
      message.facts = program.probe(order, listener);
      tell(channel, message);
    }
  } catch (const start_error& error) {
    child_message message = of_kind(child_message::kind::not_started);
    message.cause = error.cause;
    message.text = error.what();
    tell(channel, message);
  } catch (const std::exception& error) {
    child_message message = of_kind(child_message::kind::not_started);
    message.text = error.what();
    tell(channel, message);
  }
  leave(0);
}

}  // namespace streamcts::runner
