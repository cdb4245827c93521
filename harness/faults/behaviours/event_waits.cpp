// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class C: stream waits that are lost, bound wrongly, or hold back too little.

#include <set>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/deferred_waits.h"
#include "harness/faults/tools/trail.h"

namespace streamcts::faults {
namespace {

/// Waits that satisfy a condition are lost.
class lost_waits : public behaviour {
 public:
  explicit lost_waits(condition lost) : lost_(std::move(lost)) {}

  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::wait) || !lost_(op)) return op.forward();
    if (is_pending(op.event)) hit();
    return CUDA_SUCCESS;
  }

 private:
  condition lost_;
};

/// What is known of an event, where it was made and last recorded.
struct event_facts {
  unsigned flags = 0;
  bool on_legacy = false;
  std::uint64_t thread = 0;
};

/// Waits are lost by what is known of their event.
class lost_waits_by_event : public behaviour {
 public:
  using test = bool (*)(const event_facts&);
  explicit lost_waits_by_event(test lost) : lost_(lost) {}

  template <typename F>
  auto with_facts(CUevent event, F&& f) {
    const std::lock_guard lock(mutex_);
    return f(facts_[event]);
  }

  CUresult create_event(CUevent* event, unsigned& flags, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) with_facts(*event, [&](event_facts& f) { f = {flags, false, 0}; });
    return result;
  }
  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::record)) {
      with_facts(op.event, [&](event_facts& f) {
        f.on_legacy = op.stream.is_legacy();
        f.thread = thread_number();
      });
    }
    if (op.is(operation_kind::wait) &&
        with_facts(op.event, [&](const event_facts& f) { return lost_(f); })) {
      if (is_pending(op.event)) hit();
      return CUDA_SUCCESS;
    }
    return op.forward();
  }

 private:
  const test lost_;
  std::mutex mutex_;
  std::map<CUevent, event_facts> facts_;
};

/// With more than 32 created streams alive, waits of the younger ones are lost.
class lost_beyond_32_streams : public behaviour {
 public:
  CUresult create_stream(CUstream* stream, unsigned, int, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) {
      const std::lock_guard lock(mutex_);
      if (alive_.size() >= 32) beyond_.insert(*stream);
      alive_.insert(*stream);
    }
    return result;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      alive_.erase(stream);
      beyond_.erase(stream);
    }
    return forward();
  }
  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::wait)) {
      if (op.is(operation_kind::record)) note_record_in(op);
      return op.forward();
    }
    if (!is_lost(op)) return op.forward();
    if (is_pending(op.event)) hit();
    return CUDA_SUCCESS;
  }

 private:
  void note_record_in(const operation& op) {
    const std::lock_guard lock(mutex_);
    if (beyond_.count(op.stream.handle) != 0) {
      recorded_beyond_.insert(op.event);
    } else {
      recorded_beyond_.erase(op.event);
    }
  }
  bool is_lost(const operation& op) {
    const std::lock_guard lock(mutex_);
    return beyond_.count(op.stream.handle) != 0 || recorded_beyond_.count(op.event) != 0;
  }

  std::mutex mutex_;
  std::set<CUstream> alive_, beyond_;
  std::set<CUevent> recorded_beyond_;
};

/// The second wait of one stream for one event is taken for a repetition of the first.
class repeated_wait_skipped : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::wait)) return op.forward();
    const bool repeated = waited_.with(op.stream.key(), [&](std::set<CUevent>& events) {
      return !events.insert(op.event).second;
    });
    if (!repeated) return op.forward();
    if (is_pending(op.event)) hit();
    return CUDA_SUCCESS;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    waited_.forget(stream_ref{stream}.key());
    return forward();
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    waited_.for_each([&](const stream_key&, std::set<CUevent>& events) { events.erase(event); });
    return forward();
  }

 private:
  per_stream<std::set<CUevent>> waited_;
};

/// Of waits that follow each other directly, some are lost by their place.
class lost_by_place : public behaviour {
 public:
  explicit lost_by_place(bool (*lost)(unsigned place)) : lost_(lost) {}

  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::wait)) {
      places_.with(op.stream.key(), [](unsigned& place) { place = 0; });
      return op.forward();
    }
    const unsigned place = places_.with(op.stream.key(), [](unsigned& p) { return ++p; });
    if (!lost_(place)) return op.forward();
    if (is_pending(op.event)) hit();
    return CUDA_SUCCESS;
  }

 private:
  bool (*lost_)(unsigned);
  per_stream<unsigned> places_;
};

/// Common to faults that give waits to the driver later than asked: whatever would notice the
/// delay itself comes after it.
class deferring : public behaviour {
 public:
  explicit deferring(deferred_waits::observer given = [](bool) {}) : waits_(std::move(given)) {}

  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::record)) record(op.event);
    if (op.is(operation_kind::wait) && op.stream.type() == stream_type::created) {
      return defer(op);
    }
    if (!passes(op)) waits_.give(op.stream);
    if (op.stream.is_legacy()) waits_.give_blocking();
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    waits_.give_blocking();
    return t.forward();
  }
  CUresult synchronize(host_wait& w) override {
    give_for(w);
    return w.forward();
  }
  CUresult query(host_wait& w) override {
    give_for(w);
    return w.forward();
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    waits_.give({stream});
    return forward();
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    waits_.give_event(event);
    return forward();
  }

 protected:
  virtual CUresult defer(operation& op) {
    waits_.defer(op);
    return CUDA_SUCCESS;
  }
  /// Before the record itself.
  virtual void record(CUevent event) {
    waits_.give_event(event);
    waits_.recorded(event);
  }
  virtual bool passes(const operation&) { return false; }

  deferred_waits waits_;

 private:
  void give_for(const host_wait& w) {
    if (w.of == host_wait::target::stream) waits_.give(w.stream);
    if (w.of == host_wait::target::context) waits_.give_all();
  }
};

/// A wait takes the event's state of the moment when the next thing follows it in its stream.
class late_binding : public deferring {
 public:
  late_binding()
      : deferring([](bool recorded_since) {
          if (recorded_since) hit();
        }) {}

 protected:
  void record(CUevent event) override { waits_.recorded(event); }
};

/// Destroying an event cancels the waits for it that nothing has followed yet.
class cancelled_by_destroy : public deferring {
 public:
  CUresult destroy_event(CUevent event, forward_call forward) override {
    if (is_pending(event)) hit();
    waits_.drop_event(event);
    return forward();
  }
};

/// Of waits that follow each other directly, the last one alone counts.
class last_wait_only : public deferring {
 protected:
  CUresult defer(operation& op) override {
    for (const CUevent earlier : waits_.events(op.stream)) {
      if (is_pending(earlier)) hit();
    }
    waits_.drop(op.stream);
    return deferring::defer(op);
  }
};

/// A wait holds back everything but copies.
class copies_pass_waits : public deferring {
 protected:
  bool passes(const operation& op) override {
    if (!op.is(operation_kind::copy)) return false;
    for (const CUevent event : waits_.events(op.stream)) {
      if (is_pending(event)) hit();
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<behaviour> make::wait_is_ignored() {
  return std::make_unique<lost_waits>([](const operation&) { return true; });
}
std::unique_ptr<behaviour> make::wait_is_ignored_in_nonblocking_stream() {
  return std::make_unique<lost_waits>(in_nonblocking_stream);
}
std::unique_ptr<behaviour> make::wait_is_ignored_in_priority_stream() {
  return std::make_unique<lost_waits>(in_priority_stream);
}
std::unique_ptr<behaviour> make::second_wait_of_stream_is_ignored() {
  return std::make_unique<lost_waits>(from_nth_in_stream(2));
}
std::unique_ptr<behaviour> make::wait_for_legacy_record_is_ignored() {
  return std::make_unique<lost_waits_by_event>([](const event_facts& f) { return f.on_legacy; });
}
std::unique_ptr<behaviour> make::wait_for_untimed_event_is_ignored() {
  return std::make_unique<lost_waits_by_event>(
      [](const event_facts& f) { return (f.flags & CU_EVENT_DISABLE_TIMING) != 0; });
}
std::unique_ptr<behaviour> make::wait_for_record_of_another_thread_is_ignored() {
  return std::make_unique<lost_waits_by_event>([](const event_facts& f) {
    return f.thread != 0 && f.thread != thread_number();
  });
}
std::unique_ptr<behaviour> make::wait_is_ignored_beyond_32_streams() {
  return std::make_unique<lost_beyond_32_streams>();
}
std::unique_ptr<behaviour> make::repeated_wait_is_skipped() {
  return std::make_unique<repeated_wait_skipped>();
}
std::unique_ptr<behaviour> make::first_of_joins_only() {
  return std::make_unique<lost_by_place>([](unsigned place) { return place > 1; });
}
std::unique_ptr<behaviour> make::fourth_join_is_lost() {
  return std::make_unique<lost_by_place>([](unsigned place) { return place == 4; });
}
std::unique_ptr<behaviour> make::last_of_joins_only() {
  return std::make_unique<last_wait_only>();
}
std::unique_ptr<behaviour> make::wait_binds_late() { return std::make_unique<late_binding>(); }
std::unique_ptr<behaviour> make::event_destroy_cancels_wait() {
  return std::make_unique<cancelled_by_destroy>();
}
std::unique_ptr<behaviour> make::wait_does_not_delay_copies() {
  return std::make_unique<copies_pass_waits>();
}

}  // namespace streamcts::faults
