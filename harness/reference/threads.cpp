// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/threads.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <thread>

#include "harness/reference/process.h"
#include "harness/reference/refusal.h"

namespace streamcts::reference {
namespace {

struct start {
  const char* name;
  std::function<void()> body;
};

void* thread_main(void* argument) {
  const std::unique_ptr<start> s(static_cast<start*>(argument));
  pthread_setname_np(pthread_self(), s->name);
  s->body();
  return nullptr;
}

}  // namespace

void start_thread(const char* name, std::function<void()> body) {
  // Host calls are user code: as much stack as a thread usually has, untouched pages cost nothing.
  constexpr std::size_t stack_bytes = 8u << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  sigfillset(&all);
  // A crash must still be a crash.
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, s);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto argument = std::make_unique<start>(start{name, std::move(body)});
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, thread_main, argument.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  require(error == 0, CUDA_ERROR_OUT_OF_MEMORY);
  argument.release();
}

void pause_randomly() {
  const std::uint32_t r = random_number();
  if (r % 2 == 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds((r >> 8) % 200));
}

}  // namespace streamcts::reference
