// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "harness/faults/witness/api.h"

namespace streamcts::faults::witness {

/// What a witness has to say; also its exit status.
enum class verdict { kept = 0, broken = 1, cannot_tell = 2 };

/// Throws where @p result is not success: the witness then cannot tell.
void must(CUresult result, const char* call);
#define MUST(call) ::streamcts::faults::witness::must(call, #call)

/// How long a witness keeps things held while nothing wrong is seen.
void set_hold_time(std::chrono::milliseconds time);
/// How long anything stays held at most, whoever waits.
void set_hold_cap(std::chrono::milliseconds time);

enum class form { add_callback, launch_host_func };
inline constexpr form both_forms[] = {form::add_callback, form::launch_host_func};

/// Something shut that somebody waits for: a kernel on the device or a host call. Opened by the
/// witness or, so that nothing ever hangs, by the scene's keeper after a while.
struct held {
  std::uint32_t* word = nullptr;
  std::atomic<bool> forced{false};  ///< opened by the keeper
  std::chrono::steady_clock::time_point deadline;
  void open(bool by_force = false);
  bool is_open() const;
};

/// A host call and what is seen of it. Its owner keeps it until the scene has been finished.
struct host_call_probe {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::atomic<int> status{-1};
  std::atomic<CUstream> handle{nullptr};
  held* gate = nullptr;         ///< waited for inside, where there is one
  std::function<void()> body;   ///< run inside
};

using words = std::span<std::uint64_t>;

/// A stage for one witness: makes what it needs and takes it down in the right order.
class scene {
 public:
  scene();
  ~scene();
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  // Things.
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING, int priority = 0);
  /// One stream of every kind: blocking, non-blocking, of high priority, legacy, per-thread.
  std::vector<CUstream> streams_of_every_kind();
  CUevent event(unsigned flags = CU_EVENT_DISABLE_TIMING);
  std::uint32_t* control_word();
  words pinned(std::size_t bytes, unsigned flags = CU_MEMHOSTALLOC_DEVICEMAP);
  words managed(std::size_t bytes);
  words registered(std::size_t bytes);
  CUdeviceptr device(std::size_t bytes);
  /// Where kernels find a word of pinned memory.
  static CUdeviceptr on_device(const void* host);

  // Work.
  /// A kernel that keeps @p s until the gate opens.
  held& hold(CUstream s);
  /// The same, and it then writes a pattern.
  held& hold_and_write(CUstream s, CUdeviceptr out, std::size_t count, std::uint64_t epoch);
  void write(CUstream s, CUdeviceptr out, std::size_t count, std::uint64_t epoch);
  void copy_words(CUstream s, CUdeviceptr out, CUdeviceptr in, std::size_t count);
  /// A kernel that sets a control word to 1.
  void signal(CUstream s, std::uint32_t* word);
  /// As write(), in the memory synchronization domain that is not the default.
  void write_in_remote_domain(CUstream s, CUdeviceptr out, std::size_t count,
                              std::uint64_t epoch);
  /// A kernel that traps.
  void trap(CUstream s);
  /// A kernel with a failed assertion.
  void fail_assertion(CUstream s);
  static CUfunction any_kernel();
  /// A gate for a host call.
  held& host_gate();
  /// A gate on a word of the witness's own, which is 1 once it is open: for value waits.
  held& gate_on(std::uint32_t* word) { return new_gate(word); }
  void call(CUstream s, form how, host_call_probe& probe);
  /// Another probe, which lives as long as the scene.
  host_call_probe& probe();
  /// A graph that is one kernel gate, instantiated.
  CUgraphExec gate_graph(held** gate);
  /// A graph of one signal kernel, instantiated.
  CUgraphExec signal_graph(std::uint32_t* word);
  CUgraph graph();
  CUgraphExec instantiate(CUgraph graph);
  CUgraphNode kernel_node(CUgraph graph, std::vector<CUgraphNode> behind, held** gate);
  CUgraphNode signal_node(CUgraph graph, std::vector<CUgraphNode> behind, std::uint32_t* word);
  CUgraphNode host_node(CUgraph graph, std::vector<CUgraphNode> behind, host_call_probe& probe);

  // Judgements. Each opens the gate at its end.
  void must_not_happen(held& gate, const std::function<bool()>& happened, const char* what);
  void must_not_start(held& gate, host_call_probe& probe, const char* what);
  /// @p call, made on a thread of its own, must not return before the gate opens.
  void must_not_return(held& gate, const std::function<void()>& call, const char* what);
  /// Something that the gate does not hold back must happen before it opens.
  void must_happen(held& gate, const std::function<bool()>& happened, const char* what);
  void expect(bool holds, const char* what);
  void cannot_tell(const char* why);

  /// Opens every gate and waits for everything.
  void finish();
  verdict result() const { return verdict_; }

 private:
  static void load_kernels();
  void launch(const char* kernel, CUstream s, unsigned blocks, void** parameters);
  held& new_gate(std::uint32_t* word);
  void keep();

  verdict verdict_ = verdict::kept;
  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;
  std::vector<void*> pinned_, registered_;
  std::vector<CUdeviceptr> device_;
  std::vector<CUgraph> graphs_;
  std::vector<CUgraphExec> executables_;
  std::vector<std::vector<std::uint64_t>> ordinary_;
  std::uint32_t* control_ = nullptr;
  int control_used_ = 0;
  std::deque<std::uint32_t> host_words_;
  std::deque<host_call_probe> probes_;
  std::mutex mutex_;  ///< guards gates_ and stopping_
  std::deque<held> gates_;
  bool stopping_ = false;
  std::thread keeper_;
};

/// Contents of payloads: every word tells its epoch.
std::uint64_t word_of(std::uint64_t epoch, std::size_t index);
void fill(words out, std::uint64_t epoch);
bool holds(words in, std::uint64_t epoch);
inline constexpr std::uint64_t sentinel = 0xA6A6A6A6A6A6A6A6;
void fill_sentinel(words out);
std::uint64_t new_epoch();

/// Waits until @p condition holds, for a second at most.
bool wait_until(const std::function<bool()>& condition);
/// An acquire load of a control word.
std::uint32_t look(const std::uint32_t* word);

/// A witness: a promise and how to see it broken.
struct witness {
  const char* name;
  void (*run)(scene&);
  /// Leaves the process without a usable context, or counts calls from the start of the process.
  bool own_process = false;
};
std::span<const witness> start_witnesses();
std::span<const witness> blocking_witnesses();
std::span<const witness> event_witnesses();
std::span<const witness> order_witnesses();
std::span<const witness> default_stream_witnesses();
std::span<const witness> wait_witnesses();
std::span<const witness> visibility_witnesses();
std::span<const witness> count_witnesses();
std::span<const witness> status_witnesses();
std::span<const witness> graph_witnesses();
std::span<const witness> managed_witnesses();
std::span<const witness> batch_witnesses();
std::span<const witness> graph_node_witnesses();
std::span<const witness> capture_witnesses();
std::span<const witness> memory_operation_witnesses();
std::span<const witness> allocation_witnesses();
std::span<const witness> runtime_witnesses();

}  // namespace streamcts::faults::witness
