// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A driver in miniature: queues and tokens in virtual time, one action at a time. It does what the
// documents allow and no more than they demand, as adversarially as they allow; nothing in it knows
// the happens-before model. Given a defect it breaks one promise.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/program/defects.h"
#include "harness/program/history.h"
#include "harness/program/layout.h"
#include "harness/program/random.h"
#include "harness/program/types.h"

namespace streamcts::program {

/// Who moves next.
enum class schedule : std::uint8_t {
  uniform,        ///< anything that can, equally likely
  priority,       ///< random priorities, now and then changed
  natural,        ///< by latencies as on a device: 3 us a call, 2 us a kernel, 15 us a host call
  random_delays,  ///< natural, half of the items up to 100 us longer
  equal_delays,   ///< natural, every item 100 us longer
  timed_hold,     ///< natural, one item 1 ms longer
  hold,           ///< one item does not end while anything else can move
};

/// Legal behaviour. `weakest` orders nothing that the documents leave open.
enum class variant : std::uint8_t {
  weakest,
  ambiguous,           ///< each open question decided at random, again for each call
  single_queue,        ///< Z1, Z10: one queue in issue order
  blocking_calls,      ///< Z3: each call returns when the device is idle
  serial_host_calls,   ///< Z4, Z12: one host call at a time
  spurious_not_ready,  ///< Z6
  late_host_calls,     ///< Z7: host calls start when nothing else can move
  all_blocking,        ///< Z8: non-blocking streams take part in the barrier
  lazy_start,          ///< Z14: work starts at a query or synchronization
  inline_host_calls,   ///< Z15: the enqueuing call waits for its host call
  count
};
std::string_view to_string(schedule s);
std::string_view to_string(variant v);

struct run_options {
  schedule how = schedule::uniform;
  variant legal = variant::weakest;
  defect broken = defect::nothing;
  index held = none;  ///< the item for `hold` and `timed_hold`
  std::uint64_t seed = 0;
};

/// Runs programs. Not thread-safe; memory is kept from run to run.
class simulator {
 public:
  /// Prepares for runs of @p program, which must outlive them, as must @p items.
  /// @pre the program is valid (validity.h).
  void load(const stream_program& program, const layout& items);
  /// One run. The result is overwritten by the next one.
  const history& run(const run_options& options);

 private:
  static constexpr double infinity = 1e300;

  struct entry {
    enum class type : std::uint8_t { item, wait, signal, wait_event };
    /// Why a wait is there.
    enum class cause : std::uint8_t { plain, barrier, event, relay, graph };
    type what = type::item;
    cause why = cause::plain;
    std::uint16_t number = 0;  ///< item, token or event
    std::uint16_t weight = 1;  ///< launches that the entry stands for
  };
  struct queue {
    std::vector<entry> entries;
    std::size_t head = 0;
    std::size_t popped = 0;
    bool busy = false;  ///< the entry at the head has started
    bool empty() const { return head == entries.size(); }
    std::size_t pending() const { return entries.size() - head; }
  };
  struct completion {
    bool token = false;
    std::uint16_t number = 0;
  };
  struct stream_state {
    std::size_t queue = 0;
    bool legacy = false, barrier = false, nonblocking = false, per_thread = false;
    bool high_priority = false, destroyed = false, waited = false;
    std::vector<completion> fence, device_fence, previous_fence;
    std::size_t host_calls = 0;
    int side_queue = -1;   ///< for host calls, under B2
    int late_signal = -1;  ///< under C21
    int last_thread = -1;
  };
  struct event_state {
    int token = -1;
    index stream = none;
    bool relay = false;
    std::vector<std::uint16_t> waits;  ///< tokens, under C14
  };
  struct graph_state {
    int done_token = -1;
    std::size_t launches = 0;
  };
  struct thread_state {
    std::vector<index> ops;
    std::size_t next = 0;
    bool in_call = false;
    std::vector<completion> waits_for;
    std::vector<std::size_t> marks;  ///< of each queue, for a context synchronization
    bool whole_context = false;
    double ready = -1;
  };
  struct running_item {
    std::size_t queue;
    std::uint16_t item;
    double ready = -1;
    double started = 0;
    bool released = false;  ///< no longer at the head of its queue
  };
  struct action {
    enum class type : std::uint8_t { start, finish, host, lapse };
    type what;
    std::uint16_t index;  ///< queue, position in running_, thread
    std::uint16_t item;
  };

  // simulator.cpp: the loop
  void reset(const run_options& options);
  void reset_streams();
  void collect();
  int rank(const action& a) const;
  std::size_t choose();
  double ready_time(const action& a);
  void perform(const action& a);
  void advance();
  bool pop_ready(queue& q);
  void look_from(const observer& from, bool buffers);
  void note(log_entry::event what, std::size_t number);
  bool is(defect d) const { return options_.broken == d; }

  // simulator_device.cpp: items start and end
  bool may_start(std::size_t item) const;
  void start(std::size_t in, std::size_t item);
  void finish(std::size_t running);
  void enter_host_call(std::size_t item);
  void fault_now();
  bool dropped_by_fault(std::size_t item);
  void release(running_item& r);

  // simulator_enqueue.cpp: what calls put into queues
  std::uint16_t new_token();
  std::size_t new_queue();
  queue& queue_of(const stream_state& s) { return queues_[s.queue]; }
  void push(queue& q, entry::type what, std::size_t number, entry::cause why = entry::cause::plain);
  bool last_is_host_call(const queue& q) const;
  bool skips_barrier_before(op_kind kind) const;
  bool skips_barrier_after(op_kind kind) const;
  void barrier_before(stream_state& s, op_kind kind, std::size_t waiter);
  void barrier_after(stream_state& s, op_kind kind);
  void set_fence(stream_state& s, std::size_t item);
  void enqueue_item(const operation& o, std::size_t item);
  void flush_late_signal(stream_state& s);
  void record(const operation& o);
  std::size_t record_position(const queue& q) const;
  bool wait_is_lost(const stream_state& s, const operation& o);
  void wait(const operation& o);
  void destroy(const operation& o);

  // simulator_place.cpp: where in the queues
  void place(stream_state& s, std::size_t item, std::size_t position);
  void place_now(stream_state& s, std::size_t item);
  void place_beside(stream_state& s, std::size_t item, int* side = nullptr);
  template <typename Skip>
  std::size_t trim(const queue& q, Skip skip) const;
  bool starts_at_once(const stream_state& s, std::size_t item);
  std::size_t host_call_position(const stream_state& s) const;
  bool blocks_nothing(const stream_state& s) const;
  bool place_host_call(stream_state& s, std::size_t item);
  bool overtakes_last(const stream_state& s, const operation& o) const;
  void place_device_item(stream_state& s, std::size_t item, const operation& o);
  int graph_base(stream_state& s);
  std::uint32_t node_waits(const graph_decl& g, std::size_t n, bool first_launch) const;
  void launch(const operation& o, std::size_t op);

  // simulator_host.cpp: calls of host threads
  bool can_call(const thread_state& t) const;
  bool can_return(const thread_state& t);
  void host_action(std::size_t thread);
  void call(thread_state& t, std::size_t op);
  bool refused(const operation& o);
  void capture_wait(thread_state& t, const operation& o);
  void capture_context(thread_state& t);
  bool sync_is_lost(const operation& o) const;
  void query(thread_state& t, const operation& o);
  bool complete(const std::vector<completion>& all) const;
  bool complete(const completion& c) const;
  bool context_idle(const thread_state& t) const;
  bool copy_returns(const operation& o, std::size_t item);
  void give_back(thread_state& t, call_status status);
  void finish_program();
  bool nothing_pending() const;
  void replay_copies();

  const stream_program* program_ = nullptr;
  const layout* items_ = nullptr;
  run_options options_;
  random_source random_{0};
  history seen_;
  std::vector<queue> queues_;
  std::size_t queues_used_ = 0;
  std::vector<std::uint8_t> tokens_;
  std::vector<stream_state> streams_;
  std::vector<event_state> events_;
  std::vector<graph_state> graphs_;
  std::array<thread_state, limits::threads> threads_;
  std::vector<running_item> running_;
  std::vector<action> actions_;
  std::vector<buffer_value> contents_, taken_;
  std::vector<std::uint8_t> returned_;
  std::vector<std::uint16_t> replays_;  ///< copies to be written again, under F12
  std::vector<double> start_ready_;
  std::vector<double> priorities_;
  std::vector<std::array<std::uint16_t, 2>> waits_seen_;
  item_set begun_, done_, over_, submitted_, flushed_, captured_, doomed_;
  std::size_t host_running_ = 0;
  std::size_t errors_reported_ = 0, error_callbacks_ = 0;
  bool faulted_ = false;
  index fault_stream_ = none;
  std::uint32_t sequence_ = 0;
  double now_ = 0;
  std::size_t final_thread_ = 0;
  bool final_called_ = false, final_returned_ = false;
};

}  // namespace streamcts::program
