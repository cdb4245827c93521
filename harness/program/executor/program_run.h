// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of a program on the driver under test: its streams, events and graphs, and the calls of
// its threads.

#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/driver/event.h"
#include "harness/driver/graph.h"
#include "harness/driver/stream.h"
#include "harness/observe/control.h"
#include "harness/program/executor/environment.h"
#include "harness/program/executor/run_record.h"

namespace streamcts::program {

/// What the runs of one slot share, and keep from run to run.
struct run_slot {
  explicit run_slot(const driver::function_table& cuda) : cells(cuda), gates(cuda) {}
  cell_page cells;
  control_page gates;
};

/// Made for each run. prepare(), objects and the destructor belong to the thread that made it;
/// perform() runs on the program's threads; what is marked so makes no CUDA call, for the thread
/// that opens gates.
class program_run {
 public:
  /// What it refers to must outlive it. @param held an item, or `none`
  program_run(const environment& where, const program_kernels& kernels, run_slot& slot,
              buffer_pool& buffers, const model& m, const reading_plan& plan, index held,
              std::uint32_t token);
  program_run(const program_run&) = delete;
  program_run& operator=(const program_run&) = delete;
  ~program_run();

  /// Makes everything, and enqueues the filling of device memory into @p stream, to be waited for.
  /// @throws driver::call_error
  void prepare(CUstream stream);

  /// Makes the calls of one host thread. For that thread; does not throw.
  void perform(std::uint8_t thread) noexcept;
  bool uses_thread(std::uint8_t thread) const { return threads_[thread].used; }

  /// Whether every thread has made all its calls, or waits in one that may wait for the held item.
  /// No CUDA call.
  bool quiet() const;
  bool holds() const { return held_ != none; }
  /// Whether the held item is a host call. No CUDA call.
  bool holds_host_call() const;
  /// Opens what stands in front of a held host call. No CUDA call.
  void open_front();
  /// Whether the held item, or what holds it, has begun. No CUDA call.
  bool victim_begun() const;
  /// Looks, then opens the gate. No CUDA call. @return false where the gate had expired
  bool look_and_open();
  /// Makes threads that wait for each other leave. No CUDA call.
  void abandon() { abandoned_.store(true); }

  run_record& record() { return *record_; }
  /// Keeps the record beyond the run.
  std::shared_ptr<run_record> share_record() const { return record_; }
  /// The first call that the driver does not support; empty where there was none.
  std::string unsupported() const;
  /// Gives everything up without destroying it.
  void release();

 private:
  struct host_thread {
    bool used = false;
    std::atomic<int> next{0};       ///< the operation that it makes or waits to make
    std::atomic<int> returned{-1};  ///< the last one that has returned
    std::atomic<bool> finished{false};
  };
  struct made_graph {
    std::optional<driver::graph> graph;
    std::optional<driver::graph_exec> exec;
    std::vector<CUgraphNode> nodes;  ///< by hand alone
    std::size_t launches = 0;        ///< so far
  };

  // program_run.cpp
  void make_streams();
  void make_buffers(CUstream stream);
  void make_gates();
  CUstream handle(index stream) const;
  bool wait_for_others(std::size_t op);
  CUresult call(std::size_t op);
  bool wait_flag(std::size_t op);
  std::uint64_t gate_ns() const { return static_cast<std::uint64_t>(gate_->timeout().count()); }

  // program_calls.cpp
  CUresult enqueue(const operation& o, std::size_t x);
  CUresult gate_in_front(CUstream stream, gate& g, bool marks);
  CUresult kernel(CUstream stream, std::size_t x, std::uint16_t repeat);
  CUresult copy(CUstream stream, std::size_t x) const;
  CUresult copy_now(const driver::function_table& cuda, std::size_t x) const;
  CUresult memset(CUstream stream, std::size_t x) const;
  CUresult memset_now(const driver::function_table& cuda, std::size_t x) const;
  CUresult fault(CUstream stream, const operation& o, std::size_t x);
  CUresult host_step(const operation& o);
  CUresult poll(const operation& o);
  program_kernels::item_parameters parameters(std::size_t x) const;
  const placed_buffer& buffer(index b) const { return buffers_[at(b)]; }

  // program_graphs.cpp
  void make_graph(std::size_t g);
  void build_by_hand(std::size_t g, std::size_t op);
  void build_by_capture(std::size_t g, std::size_t op);
  CUgraphNode add_node(made_graph& made, std::size_t g, std::size_t n, std::size_t op,
                       const std::vector<CUgraphNode>& after);
  void capture_node(CUstream lane, const graph_node& node, std::size_t x);
  CUresult launch(const operation& o, std::size_t op);
  CUresult update_nodes(made_graph& made, const operation& o, std::size_t op);
  CUDA_MEMSET_NODE_PARAMS memset_parameters(std::size_t x) const;

  const environment& where_;
  const driver::function_table& cuda_;
  const program_kernels& kernels_;
  run_slot& slot_;
  buffer_pool& pool_;
  const model& m_;
  const reading_plan& plan_;
  index held_;
  std::uint32_t token_;
  std::vector<placed_buffer> buffers_;
  std::shared_ptr<run_record> record_;
  std::deque<driver::stream> streams_;
  std::deque<driver::event> events_;
  std::vector<made_graph> graphs_;
  std::optional<gate> gate_, front_;
  std::array<host_thread, limits::threads> threads_;
  std::atomic<bool> abandoned_{false};
  std::atomic<int> unsupported_{-1};
};

}  // namespace streamcts::program
