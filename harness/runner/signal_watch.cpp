// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/signal_watch.h"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/runner/errors.h"

namespace streamcts::runner {

namespace {

bool ignored(int number) {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

signal_watch::signal_watch() {
  ::signal(SIGCHLD, SIG_DFL);  // whoever started us may have ignored it: then no child can be waited for
  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    if (!ignored(each)) ::sigaddset(&watched, each);  // nohup keeps its meaning
  }
  ::pthread_sigmask(SIG_BLOCK, &watched, &previous_);
  source_ = descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!source_) {
    ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
    throw machine_error(fmt::format("cannot watch signals: {}", std::strerror(errno)));
  }
}

signal_watch::~signal_watch() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

void signal_watch::drain() {
  signalfd_siginfo info;
  while (::read(source_.get(), &info, sizeof info) == sizeof info) {
    const int number = static_cast<int>(info.ssi_signo);
    if (number == SIGCHLD || request_) continue;
    request_ = number;
    sigset_t again;
    ::sigemptyset(&again);
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&again, each);
    ::pthread_sigmask(SIG_UNBLOCK, &again, nullptr);
  }
}

}  // namespace streamcts::runner
