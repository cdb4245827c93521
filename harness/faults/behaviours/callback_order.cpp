// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Classes B and H: two host calls that follow each other directly in one stream.

#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/neighbours.h"

namespace streamcts::faults {
namespace {

using call = neighbours::call;
using pair_test = bool (*)(const call&, const call&);

/// When the first of two neighbours runs and the second is already enqueued, `pair` runs both.
struct pairing {
  pair_test fits;
  void (*pair)(const call& first, const call& second, host_run& run);
};

class pairing_behaviour : public behaviour {
 public:
  explicit pairing_behaviour(pairing what) : what_(what) {}

  CUresult enqueue(operation& op) override {
    const std::shared_ptr<call> mine = calls_.follow(op);
    if (!mine) return op.forward();
    wrap_host_call(op, [mine, what = what_](host_run& run) {
      if (!neighbours::begin(*mine)) return;
      const auto fits = [&](const call& next) { return what.fits(*mine, next); };
      if (const std::shared_ptr<call> next = neighbours::take_next(*mine, fits)) {
        hit();
        what.pair(*mine, *next, run);
      } else {
        run.call();
      }
    });
    const CUresult result = op.forward();
    // Never enqueued: never to be called, not even by its neighbour.
    if (result != CUDA_SUCCESS) neighbours::begin(*mine);
    return result;
  }

 private:
  pairing what_;
  neighbours calls_;
};

std::unique_ptr<behaviour> pairs(pair_test fits,
                                 void (*pair)(const call&, const call&, host_run&)) {
  return std::make_unique<pairing_behaviour>(pairing{fits, pair});
}

bool same_form(const call& a, const call& b) { return a.original.api == b.original.api; }
bool other_form(const call& a, const call& b) { return !same_form(a, b); }
bool same_function(const call& a, const call& b) {
  return same_form(a, b) && a.original.callback == b.original.callback &&
         a.original.function == b.original.function;
}
bool other_thread(const call& a, const call& b) { return a.thread != b.thread; }

void swapped(const call& first, const call& second, host_run& run) {
  neighbours::invoke(second, run);
  neighbours::invoke(first, run);
}

void at_once(const call& first, const call& second, host_run& run) {
  std::promise<void> started;
  std::thread other([&] {
    started.set_value();
    neighbours::invoke(second, run);
  });
  started.get_future().wait();
  neighbours::invoke(first, run);
  other.join();
}

void with_data(const call& c, void* user_data, host_run& run) {
  host_run changed = run;
  changed.original = c.original;
  changed.original.user_data = user_data;
  changed.shown = c.handle;
  changed.call();
}

void with_swapped_data(const call& first, const call& second, host_run& run) {
  with_data(first, second.original.user_data, run);
  with_data(second, first.original.user_data, run);
}

void with_latest_data(const call& first, const call& second, host_run& run) {
  with_data(first, second.original.user_data, run);
  neighbours::invoke(second, run);
}

void only_second(const call&, const call& second, host_run& run) {
  neighbours::invoke(second, run);
}

bool identical(const call& a, const call& b) {
  return same_function(a, b) && a.original.user_data == b.original.user_data;
}
bool both_functions(const call& a, const call& b) {
  return same_function(a, b) && a.original.api == host_call::form::launch_host_func &&
         a.original.user_data != b.original.user_data;
}
bool same_function_other_data(const call& a, const call& b) {
  return same_function(a, b) && a.original.user_data != b.original.user_data;
}

}  // namespace

std::unique_ptr<behaviour> make::adjacent_callbacks_swapped() { return pairs(same_form, swapped); }
std::unique_ptr<behaviour> make::callback_and_host_function_swapped() {
  return pairs(other_form, swapped);
}
std::unique_ptr<behaviour> make::callbacks_of_two_threads_swapped() {
  return pairs(other_thread, swapped);
}
std::unique_ptr<behaviour> make::adjacent_callbacks_overlap() { return pairs(same_form, at_once); }
std::unique_ptr<behaviour> make::callback_and_host_function_overlap() {
  return pairs(other_form, at_once);
}
std::unique_ptr<behaviour> make::adjacent_callbacks_exchange_user_data() {
  return pairs(same_function_other_data, with_swapped_data);
}
std::unique_ptr<behaviour> make::host_function_gets_latest_user_data() {
  return pairs(both_functions, with_latest_data);
}
std::unique_ptr<behaviour> make::identical_callbacks_coalesced() {
  return pairs(identical, only_second);
}

}  // namespace streamcts::faults
