// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class A: host calls that start before something that they must wait for.

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/pending_calls.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

// What is ignored.

std::unique_ptr<behaviour> make::callback_ignores_kernel() {
  return overtakes({.ignored = is_kernel});
}
std::unique_ptr<behaviour> make::callback_ignores_download() {
  return overtakes({.ignored = is_download, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::callback_ignores_upload() {
  return overtakes({.ignored = is_upload, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::callback_ignores_memset() {
  return overtakes({.ignored = is_memset, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::callback_ignores_large_copy() {
  return overtakes({.ignored = copies_of_at_least(large_copy), .slowed = 20ms});
}
std::unique_ptr<behaviour> make::callback_ignores_graph_launch() {
  return overtakes({.ignored = is_graph});
}
std::unique_ptr<behaviour> make::callback_ignores_value_wait() {
  return overtakes({.ignored = is_value_wait});
}
std::unique_ptr<behaviour> make::callback_ignores_joins() {
  return overtakes({.ignored = is_wait});
}

// Which calls ignore it.

std::unique_ptr<behaviour> make::host_function_ignores_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_launch_host_func});
}
std::unique_ptr<behaviour> make::add_callback_ignores_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_add_callback});
}
std::unique_ptr<behaviour> make::host_function_ignores_joins() {
  return overtakes({.ignored = is_wait, .victim = is_launch_host_func});
}
std::unique_ptr<behaviour> make::callback_ignores_kernel_in_nonblocking_stream() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_host_call, in_nonblocking_stream)});
}
std::unique_ptr<behaviour> make::callback_ignores_kernel_in_priority_stream() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_host_call, in_priority_stream)});
}
std::unique_ptr<behaviour> make::callback_ignores_kernel_in_per_thread_stream() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_host_call, in_per_thread_stream)});
}
std::unique_ptr<behaviour> make::callback_ignores_kernel_in_legacy_stream() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_host_call, in_legacy_stream)});
}
std::unique_ptr<behaviour> make::third_callback_ignores_kernel() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_host_call, from_nth_in_stream(3))});
}
std::unique_ptr<behaviour> make::first_callback_ignores_kernel() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_host_call, first_in_stream())});
}
std::unique_ptr<behaviour> make::hundredth_callback_ignores_kernel() {
  return overtakes({.ignored = is_kernel, .victim = all_of(is_host_call, every_nth(100))});
}
std::unique_ptr<behaviour> make::callback_ignores_kernel_beyond_64_pending() {
  auto pending = std::make_shared<pending_calls>();
  const auto crowded = [pending](const operation&) { return pending->count() > 64; };
  return overtakes({.ignored = is_kernel,
                    .victim = all_of(is_host_call, crowded),
                    .prepare = [pending](operation& op) { pending->follow(op); }});
}

namespace {

/// A stream that has been given nothing but waits counts as empty: its first host call starts
/// whatever it was joined with.
class empty_stream_ignores_joins : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    const bool only_joined = states_.with(op.stream.key(), [&](state& s) {
      if (op.is(operation_kind::wait)) {
        s.joined = true;
        return false;
      }
      return !std::exchange(s.used, true) && s.joined;
    });
    if (!only_joined || !op.call) return op.forward();
    if (!is_complete(record_in(op.stream))) hit();
    private_event end;
    const CUresult result = enqueue_beside(op, nullptr, &end);
    if (result == CUDA_SUCCESS) wait_in(op.stream, end);
    return result;
  }

  CUresult synchronize(host_wait& w) override {
    const CUresult result = w.forward();
    // Idle again: as good as new.
    if (w.of == host_wait::target::stream) states_.forget(w.stream.key());
    return result;
  }

  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    states_.forget(stream_ref{stream}.key());
    return forward();
  }

 private:
  struct state {
    bool joined = false;
    bool used = false;
  };
  per_stream<state> states_;
};

/// Of the joins directly in front of a host call, one alone is honoured, by asking its event again.
class one_join_honoured : public behaviour {
 public:
  explicit one_join_honoured(bool last) : last_(last) {}

  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::record)) {
      joins_.for_each([&](const stream_key&, std::vector<CUevent>& joined) {
        // Its present state is no longer what was waited for.
        if (std::erase(joined, op.event) != 0) joined.clear();
      });
    }
    const stream_key key = op.stream.key();
    if (op.is(operation_kind::wait)) {
      joins_.with(key, [&](std::vector<CUevent>& joined) { joined.push_back(op.event); });
    }
    if (op.call) {
      const std::vector<CUevent> joined =
          joins_.with(key, [](std::vector<CUevent>& j) { return std::exchange(j, {}); });
      const trail::run run = waits_.at_end_of(op.stream);
      if (joined.size() >= 2 && joined.size() == run.length) return honour_one(op, run, joined);
    }
    if (!waits_.follow(op)) joins_.forget(key);
    return op.forward();
  }

  CUresult destroy_event(CUevent event, forward_call forward) override {
    joins_.for_each([&](const stream_key&, std::vector<CUevent>& joined) {
      if (std::erase(joined, event) != 0) joined.clear();
    });
    return forward();
  }

 private:
  CUresult honour_one(operation& op, const trail::run& run, const std::vector<CUevent>& joined) {
    const CUstream side = side_stream(op.stream);
    const CUevent honoured = last_ ? joined.back() : joined.front();
    if (side) real().stream_wait_event[stream_mode::legacy](side, honoured, 0);
    if (!is_complete(record_in(op.stream))) hit();
    private_event end;
    const CUresult result = enqueue_beside(op, run.start, &end);
    if (result == CUDA_SUCCESS) wait_in(op.stream, end);
    waits_.follow(op);
    return result;
  }

  const bool last_;
  trail waits_{is_wait};
  per_stream<std::vector<CUevent>> joins_;
};

}  // namespace

std::unique_ptr<behaviour> make::callback_in_empty_stream_ignores_joins() {
  return std::make_unique<empty_stream_ignores_joins>();
}
std::unique_ptr<behaviour> make::callback_honours_last_join_only() {
  return std::make_unique<one_join_honoured>(true);
}
std::unique_ptr<behaviour> make::callback_honours_first_join_only() {
  return std::make_unique<one_join_honoured>(false);
}

}  // namespace streamcts::faults
