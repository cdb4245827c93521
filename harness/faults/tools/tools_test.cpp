// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "harness/faults/layer/function_ref.h"
#include "harness/faults/tools/background.h"
#include "harness/faults/tools/concealment.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/host_ranges.h"
#include "harness/faults/tools/neighbours.h"
#include "harness/faults/tools/pending_calls.h"

namespace streamcts::faults {
namespace {

using namespace std::chrono_literals;

std::byte* bytes_of(std::vector<std::uint64_t>& words) {
  return reinterpret_cast<std::byte*>(words.data());
}

TEST(function_ref, calls_what_it_refers_to) {
  int calls = 0;
  auto add = [&](int by) { return calls += by; };
  const function_ref<int(int)> ref(add);
  EXPECT_EQ(ref(2), 2);
  EXPECT_EQ(ref(3), 5);
  EXPECT_EQ(calls, 5);
}

TEST(concealment, shows_old_words_and_gives_the_new_ones_back) {
  std::vector<std::uint64_t> memory = {1, 2, 3, 4};
  const old_view_ptr before = look_at(bytes_of(memory), 32);
  memory = {1, 20, 30, 4};
  concealment hidden;
  hidden.conceal(before);
  EXPECT_EQ(memory, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(hidden.touches(bytes_of(memory) + 8, 8));
  EXPECT_FALSE(hidden.touches(bytes_of(memory), 8));
  hidden.reveal();
  EXPECT_EQ(memory, (std::vector<std::uint64_t>{1, 20, 30, 4}));
  EXPECT_TRUE(hidden.empty());
}

TEST(concealment, keeps_what_is_written_meanwhile) {
  std::vector<std::uint64_t> memory = {1, 2};
  const old_view_ptr before = look_at(bytes_of(memory), 16);
  memory = {10, 20};
  concealment hidden;
  hidden.conceal(before);
  memory[1] = 99;
  hidden.reveal();
  EXPECT_EQ(memory, (std::vector<std::uint64_t>{10, 99}));
}

TEST(concealment, can_begin_further_on_and_leaves_odd_bytes_alone) {
  std::vector<std::uint64_t> memory = {1, 2, 3, 4};
  const old_view_ptr before = look_at(bytes_of(memory), 32);
  const old_view_ptr odd = look_at(bytes_of(memory) + 3, 17);
  memory = {10, 20, 30, 40};
  concealment hidden;
  hidden.conceal(before, 16);
  EXPECT_EQ(memory, (std::vector<std::uint64_t>{10, 20, 3, 4}));
  hidden.reveal();
  hidden.conceal(odd);
  EXPECT_EQ(memory, (std::vector<std::uint64_t>{10, 2, 30, 40}));
  hidden.reveal();
  concealment nothing;
  nothing.conceal(look_at(bytes_of(memory), 4));
  EXPECT_TRUE(nothing.empty());
}

TEST(host_ranges, know_payloads_and_leave_out_pages) {
  host_ranges ranges;
  std::vector<std::byte> payload(smallest_payload), page(4096);
  ranges.add({host_memory::source::allocated, payload.data(), payload.size(), 0});
  ranges.add({host_memory::source::allocated, page.data(), page.size(), 0});
  const auto address = reinterpret_cast<CUdeviceptr>(payload.data());
  EXPECT_TRUE(ranges.containing(address).has_value());
  EXPECT_TRUE(ranges.containing(address + payload.size() - 1).has_value());
  EXPECT_FALSE(ranges.containing(address + payload.size()).has_value());
  EXPECT_EQ(ranges.all().size(), 1u);
  ranges.remove(payload.data());
  EXPECT_FALSE(ranges.containing(address).has_value());
}

TEST(background, calls_jobs_until_they_are_done) {
  auto counted = std::make_shared<std::atomic<int>>(0);
  std::promise<void> done;
  in_background([counted, &done] {
    if (++*counted < 3) return false;
    done.set_value();
    return true;
  });
  ASSERT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_EQ(*counted, 3);
}

TEST(background, keeps_a_delay) {
  std::promise<std::chrono::steady_clock::time_point> done;
  const auto start = std::chrono::steady_clock::now();
  later(5ms, [&] { done.set_value(std::chrono::steady_clock::now()); });
  auto future = done.get_future();
  ASSERT_EQ(future.wait_for(10s), std::future_status::ready);
  EXPECT_GE(future.get() - start, 5ms);
}

/// A host call as a driver would get it.
struct fake_operation {
  host_call call;
  operation op{.kind = operation_kind::host_call, .stream = {}, .send = {}};

  fake_operation(host_call::form api, CUstreamCallback callback, CUhostFn function, void* data)
      : call{api, callback, function, data} {
    op.call = &call;
  }
  void run(CUstream stream, CUresult status) const {
    if (call.api == host_call::form::add_callback) {
      call.callback(stream, status, call.user_data);
    } else {
      call.function(call.user_data);
    }
  }
};

struct seen {
  int calls = 0;
  CUstream stream = nullptr;
  CUresult status = CUDA_SUCCESS;
};
void note_callback(CUstream stream, CUresult status, void* data) {
  auto& s = *static_cast<seen*>(data);
  ++s.calls;
  s.stream = stream;
  s.status = status;
}
void note_function(void* data) { ++static_cast<seen*>(data)->calls; }

CUstream stream(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }

TEST(host_calls, are_wrapped_once_and_again) {
  seen s;
  fake_operation fake(host_call::form::add_callback, note_callback, nullptr, &s);
  int inner = 0, outer = 0;
  bool inside = false;
  wrap_host_call(fake.op, [&](host_run& run) {
    ++inner;
    inside = in_host_call();
    run.call();
  });
  wrap_host_call(fake.op, [&](host_run& run) {
    ++outer;
    run.status = CUDA_ERROR_UNKNOWN;
    run.call();
  });
  fake.run(stream(77), CUDA_SUCCESS);
  EXPECT_EQ(s.calls, 1);
  EXPECT_EQ(s.stream, stream(77));
  EXPECT_EQ(s.status, CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 1);
  EXPECT_TRUE(inside);
  EXPECT_FALSE(in_host_call());
}

TEST(host_calls, can_be_told_another_handle) {
  seen s;
  fake_operation fake(host_call::form::add_callback, note_callback, nullptr, &s);
  show_stream(fake.op, stream(5));
  fake.run(stream(77), CUDA_SUCCESS);
  EXPECT_EQ(s.stream, stream(5));
}

TEST(host_calls, functions_are_wrapped_too) {
  seen s;
  fake_operation fake(host_call::form::launch_host_func, nullptr, note_function, &s);
  show_stream(fake.op, stream(5));
  pending_calls pending;
  pending.follow(fake.op);
  EXPECT_EQ(pending.count(), 1u);
  fake.run(nullptr, CUDA_SUCCESS);
  EXPECT_EQ(s.calls, 1);
  EXPECT_EQ(pending.count(), 0u);
}

TEST(host_calls, can_be_given_up_waiting_for) {
  seen s;
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  host_run run;
  run.original = {host_call::form::launch_host_func, nullptr, note_function, &s};
  EXPECT_TRUE(run_for_at_most(run, 10s));
  EXPECT_EQ(s.calls, 1);
  struct slow {
    std::shared_future<void> until;
    std::promise<void> left;
  };
  slow held{gone, {}};
  run.original.function = [](void* data) {
    auto& h = *static_cast<slow*>(data);
    h.until.wait();
    h.left.set_value();
  };
  run.original.user_data = &held;
  EXPECT_FALSE(run_for_at_most(run, 5ms));
  go.set_value();
  held.left.get_future().wait();
}

TEST(neighbours, are_host_calls_with_nothing_between) {
  seen s;
  fake_operation first(host_call::form::launch_host_func, nullptr, note_function, &s);
  fake_operation second(host_call::form::launch_host_func, nullptr, note_function, &s);
  fake_operation third(host_call::form::launch_host_func, nullptr, note_function, &s);
  // Resolving a stream would ask the driver: the legacy stream needs no asking.
  operation kernel{.kind = operation_kind::kernel, .stream = {}, .send = {}};
  neighbours calls;
  const auto a = calls.follow(first.op);
  const auto b = calls.follow(second.op);
  EXPECT_EQ(calls.follow(kernel), nullptr);
  const auto c = calls.follow(third.op);
  const auto any = [](const neighbours::call&) { return true; };
  EXPECT_EQ(neighbours::take_next(*b, any), nullptr);
  EXPECT_EQ(neighbours::take_next(*a, [](const neighbours::call&) { return false; }), nullptr);
  EXPECT_EQ(neighbours::take_next(*a, any), b);
  EXPECT_FALSE(neighbours::begin(*b));
  EXPECT_TRUE(neighbours::begin(*c));
}

}  // namespace
}  // namespace streamcts::faults
