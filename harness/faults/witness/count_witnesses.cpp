// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host calls run once, in order, one at a time, and are told what they were registered with. Also
// what streams say of themselves.

#include <set>

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

void callback_runs_once(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    for (int round = 0; round < 4; ++round) {
      // Idle at the first call, busy at the second.
      MUST(cu().StreamSynchronize(stream));
      for (int i = 0; i < 2; ++i) {
        host_call_probe& probe = s.probe();
        s.call(stream, how, probe);
        MUST(cu().StreamSynchronize(stream));
        s.expect(probe.ended == 1, "a host call did not run exactly once");
      }
    }
  }
}

void two_hundred_callbacks_run_once(scene& s) {
  CUstream stream = s.stream();
  std::vector<host_call_probe*> probes;
  for (int i = 0; i < 200; ++i) {
    probes.push_back(&s.probe());
    s.call(stream, i % 2 ? form::add_callback : form::launch_host_func, *probes.back());
  }
  s.finish();
  for (const host_call_probe* probe : probes) {
    s.expect(probe->ended == 1, "one of 200 host calls did not run exactly once");
  }
}

void crowded_callbacks_all_run(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  std::vector<host_call_probe*> probes;
  for (int i = 0; i < 70; ++i) {
    probes.push_back(&s.probe());
    s.call(stream, form::add_callback, *probes.back());
  }
  gate.open();
  s.finish();
  for (const host_call_probe* probe : probes) {
    s.expect(probe->ended == 1, "one of 70 pending host calls did not run exactly once");
  }
}

void callbacks_outlive_their_stream(scene& s) {
  CUstream stream = nullptr;
  MUST(cu().StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  held& gate = s.hold(stream);
  host_call_probe& probe = s.probe();
  s.call(stream, form::add_callback, probe);
  MUST(cu().StreamDestroy(stream));
  gate.open();
  s.finish();
  s.expect(probe.ended == 1, "a host call was lost with its stream");
}

void callbacks_outlive_their_thread(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  host_call_probe& probe = s.probe();
  CUcontext context = nullptr;
  MUST(cu().CtxGetCurrent(&context));
  std::thread([&] {
    cu().CtxSetCurrent(context);
    s.call(stream, form::launch_host_func, probe);
  }).join();
  gate.open();
  s.finish();
  s.expect(probe.ended == 1, "a host call was lost with its thread");
}

/// Host calls behind a gate, in the given forms, that note their order and whether they overlap.
void run_in_order(scene& s, std::initializer_list<form> forms, bool two_threads,
                  const char* order, const char* overlap) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  std::atomic<int> inside{0}, overlaps{0}, next{0};
  std::vector<int> seen(forms.size(), -1);
  CUcontext context = nullptr;
  MUST(cu().CtxGetCurrent(&context));
  int number = 0;
  for (const form how : forms) {
    host_call_probe& probe = s.probe();
    probe.body = [&, number] {
      if (inside.fetch_add(1) != 0) overlaps.fetch_add(1);
      seen[static_cast<std::size_t>(number)] = next.fetch_add(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      inside.fetch_sub(1);
    };
    if (two_threads && number % 2 == 1) {
      std::thread([&] {
        cu().CtxSetCurrent(context);
        s.call(stream, how, probe);
      }).join();
    } else {
      s.call(stream, how, probe);
    }
    ++number;
  }
  gate.open();
  s.finish();
  for (int i = 0; i < number; ++i) s.expect(seen[static_cast<std::size_t>(i)] == i, order);
  s.expect(overlaps == 0, overlap);
}

void callbacks_keep_order(scene& s) {
  constexpr form add = form::add_callback, launch = form::launch_host_func;
  run_in_order(s, {add, add, add}, false, "stream callbacks changed places",
               "stream callbacks overlapped");
  run_in_order(s, {launch, launch, launch}, false, "host functions changed places",
               "host functions overlapped");
  run_in_order(s, {add, launch, add, launch}, false,
               "a stream callback and a host function changed places",
               "a stream callback and a host function overlapped");
}

void callbacks_of_two_threads_keep_order(scene& s) {
  constexpr form add = form::add_callback;
  run_in_order(s, {add, add, add, add}, true, "callbacks of two threads changed places",
               "callbacks of two threads overlapped");
}

void callbacks_get_their_user_data(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    held& gate = s.hold(stream);
    host_call_probe &first = s.probe(), &second = s.probe();
    std::atomic<bool> first_was_first{false};
    first.body = [&] { first_was_first = second.begun == 0; };
    s.call(stream, how, first);
    s.call(stream, how, second);
    gate.open();
    s.finish();
    s.expect(first.ended == 1 && second.ended == 1 && first_was_first,
             "a host call got the user data of another");
  }
}

void identical_callbacks_run_each(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    held& gate = s.hold(stream);
    host_call_probe& probe = s.probe();
    for (int i = 0; i < 3; ++i) s.call(stream, how, probe);
    gate.open();
    s.finish();
    s.expect(probe.ended == 3, "identical host calls were merged");
  }
}

void callback_is_told_its_stream(scene& s) {
  for (CUstream stream :
       {s.stream(), CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    host_call_probe& probe = s.probe();
    s.call(stream, form::add_callback, probe);
    s.finish();
    s.expect(probe.handle == stream, "a callback was told another stream than its own");
  }
}

void stream_ids_are_unique(scene& s) {
  std::set<unsigned long long> seen;
  for (int i = 0; i < 20; ++i) {
    CUstream stream = nullptr;
    unsigned long long id = 0;
    MUST(cu().StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cu().StreamGetId(stream, &id));
    MUST(cu().StreamDestroy(stream));
    s.expect(seen.insert(id).second, "the id of a destroyed stream was used again");
  }
}

void priorities_are_clamped(scene& s) {
  int least = 0, greatest = 0, priority = 0;
  MUST(cu().CtxGetStreamPriorityRange(&least, &greatest));
  CUstream stream = s.stream(CU_STREAM_NON_BLOCKING, greatest - 10);
  MUST(cu().StreamGetPriority(stream, &priority));
  s.expect(priority == greatest, "a priority outside the range was not clamped");
}

const witness list[] = {
    {"callback_runs_once", callback_runs_once},
    {"two_hundred_callbacks_run_once", two_hundred_callbacks_run_once},
    {"crowded_callbacks_all_run", crowded_callbacks_all_run},
    {"callbacks_outlive_their_stream", callbacks_outlive_their_stream},
    {"callbacks_outlive_their_thread", callbacks_outlive_their_thread},
    {"callbacks_keep_order", callbacks_keep_order},
    {"callbacks_of_two_threads_keep_order", callbacks_of_two_threads_keep_order},
    {"callbacks_get_their_user_data", callbacks_get_their_user_data},
    {"identical_callbacks_run_each", identical_callbacks_run_each},
    {"callback_is_told_its_stream", callback_is_told_its_stream},
    {"stream_ids_are_unique", stream_ids_are_unique},
    {"priorities_are_clamped", priorities_are_clamped},
};

}  // namespace

std::span<const witness> count_witnesses() { return list; }

}  // namespace streamcts::faults::witness
