// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Classes F, G and J: stream-ordered allocation.

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

/// Memory that a program got in stream order.
struct block {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;

  bool contains(CUdeviceptr at) const { return at >= address && at < address + bytes; }
};

/// What is refused is refused by the driver behind.
bool is_allocation(const operation& op) {
  return op.is(operation_kind::allocation) && op.allocated != nullptr && op.allocated_bytes != 0;
}
bool is_free(const operation& op) { return op.is(operation_kind::stream_free); }

/// Asks the driver behind for it.
CUresult obtain(operation& op, block& made) {
  const CUresult result = op.forward();
  if (result == CUDA_SUCCESS) made = {*op.allocated, op.allocated_bytes};
  return result;
}

/// Other contents than anybody wrote, from here on in @p stream.
void spoil(const stream_ref& stream, const block& what) {
  constexpr unsigned char poison = 0xE5;
  if (real().memset_d8_async[stream.mode](what.address, poison, what.bytes, stream.handle) ==
      CUDA_SUCCESS) {
    hit();
  }
}

/// What is freed in stream order is free for allocations of its size as soon as the call is made.
class free_at_once : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (is_allocation(op)) return take(op);
    if (is_free(op)) return give_back(op);
    return op.forward();
  }
  CUresult release(void* address, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      live_.erase(reinterpret_cast<CUdeviceptr>(address));
    }
    return forward();
  }

 private:
  struct freed {
    block what;
    stream_key by;
    CUcontext context = nullptr;
    private_event end;
  };
  /// More than this go back to the driver behind.
  static constexpr std::size_t most_kept = 64;

  CUresult take(operation& op) {
    const CUcontext context = op.stream.context();
    std::unique_lock lock(mutex_);
    const auto newest = std::find_if(freed_.rbegin(), freed_.rend(), [&](const freed& each) {
      return each.what.bytes == op.allocated_bytes && each.context == context;
    });
    if (newest == freed_.rend()) {
      lock.unlock();
      block made;
      const CUresult result = obtain(op, made);
      lock.lock();
      if (result == CUDA_SUCCESS) live_[made.address] = made.bytes;
      return result;
    }
    const freed found = *newest;
    freed_.erase(std::next(newest).base());
    live_[found.what.address] = found.what.bytes;
    lock.unlock();
    // In one stream the order of its work protects what is in front of the free.
    if (found.by == op.stream.key()) {
      wait_in(op.stream, found.end);
    } else if (!is_complete(found.end)) {
      hit();
    }
    *op.allocated = found.what.address;
    return CUDA_SUCCESS;
  }

  CUresult give_back(operation& op) {
    freed mine{{}, op.stream.key(), op.stream.context(), record_in(op.stream)};
    return keep(op.freed, std::move(mine)) ? CUDA_SUCCESS : op.forward();
  }

  bool keep(CUdeviceptr address, freed mine) {
    const std::lock_guard lock(mutex_);
    const auto known = live_.find(address);
    if (known == live_.end()) return false;
    mine.what = {known->first, known->second};
    live_.erase(known);
    if (freed_.size() >= most_kept) return false;
    freed_.push_back(std::move(mine));
    return true;
  }

  std::mutex mutex_;
  std::map<CUdeviceptr, std::size_t> live_;
  std::vector<freed> freed_;
};

/// From the fourth allocation on that lives in a stream, memory that is large enough is given out again.
class given_out_twice : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (is_allocation(op)) return take(op);
    if (is_free(op) && is_used_still(op.freed)) return CUDA_SUCCESS;
    return op.forward();
  }

 private:
  struct used {
    block what;
    stream_key by;
    int users = 1;
  };

  CUresult take(operation& op) {
    const stream_key key = op.stream.key();
    {
      const std::lock_guard lock(mutex_);
      const auto alive =
          std::count_if(all_.begin(), all_.end(), [&](const used& each) { return each.by == key; });
      const auto fits = std::find_if(all_.begin(), all_.end(), [&](const used& each) {
        return each.by == key && each.what.bytes >= op.allocated_bytes;
      });
      if (alive >= 3 && fits != all_.end()) {
        ++fits->users;
        *op.allocated = fits->what.address;
        hit();
        return CUDA_SUCCESS;
      }
    }
    block made;
    const CUresult result = obtain(op, made);
    const std::lock_guard lock(mutex_);
    if (result == CUDA_SUCCESS) all_.push_back({made, key});
    return result;
  }

  /// Somebody frees @p address: whether somebody else still has it.
  bool is_used_still(CUdeviceptr address) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const used& each) {
      return each.what.address == address;
    });
    if (known == all_.end()) return false;
    if (--known->users > 0) return true;
    all_.erase(known);
    return false;
  }

  std::mutex mutex_;
  std::vector<used> all_;
};

/// A stream that waits for an event right behind an allocation of another stream does not have the
/// memory yet: what it writes there is lost.
class lost_elsewhere : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    const stream_key key = op.stream.key();
    if (is_allocation(op)) {
      block made;
      const CUresult result = obtain(op, made);
      const std::lock_guard lock(mutex_);
      if (result == CUDA_SUCCESS) fresh_[key].push_back(made);
      return result;
    }
    follow(op, key);
    block lost;
    if (op.copy && take(key, op.copy->source, lost)) spoil(op.stream, lost);
    return op.forward();
  }

 private:
  void follow(const operation& op, const stream_key& key) {
    const std::lock_guard lock(mutex_);
    if (op.is(operation_kind::record)) {
      recorded_[op.event] = fresh_[key];
      return;
    }
    fresh_.erase(key);
    if (op.is(operation_kind::wait)) {
      for (const block& each : recorded_[op.event]) foreign_[key].push_back(each);
    }
    if (is_free(op)) {
      const auto gone = [&](const block& each) { return each.address == op.freed; };
      for (auto& [stream, blocks] : foreign_) std::erase_if(blocks, gone);
      for (auto& [event, blocks] : recorded_) std::erase_if(blocks, gone);
    }
  }

  bool take(const stream_key& key, CUdeviceptr source, block& found) {
    const std::lock_guard lock(mutex_);
    std::vector<block>& blocks = foreign_[key];
    const auto at = std::find_if(blocks.begin(), blocks.end(),
                                 [&](const block& each) { return each.contains(source); });
    if (at == blocks.end()) return false;
    found = *at;
    blocks.erase(at);
    return true;
  }

  std::mutex mutex_;
  std::map<stream_key, std::vector<block>> fresh_, foreign_;
  std::map<CUevent, std::vector<block>> recorded_;
};

/// Memory that a graph has allocated and not freed is lost when its launch has ended.
class lost_with_graph : public behaviour {
 public:
  bool sees_captures() const override { return true; }

  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::graph)) return launch(op);
    if ((!is_allocation(op) && !is_free(op)) || !op.stream.is_capturing()) return op.forward();
    const stream_key key = op.stream.key();
    if (is_free(op)) {
      const std::lock_guard lock(mutex_);
      std::erase_if(captured_[key], [&](const block& each) { return each.address == op.freed; });
      return op.forward();
    }
    block made;
    const CUresult result = obtain(op, made);
    const std::lock_guard lock(mutex_);
    if (result == CUDA_SUCCESS) captured_[key].push_back(made);
    return result;
  }
  CUresult end_capture(const stream_ref& stream, CUgraph* graph, forward_call forward) override {
    const CUresult result = forward();
    const std::lock_guard lock(mutex_);
    std::vector<block> blocks = std::exchange(captured_[stream.key()], {});
    if (result == CUDA_SUCCESS) graphs_[*graph] = std::move(blocks);
    return result;
  }
  CUresult instantiate(CUgraphExec* executable, CUgraph graph, forward_call forward) override {
    const CUresult result = forward();
    const std::lock_guard lock(mutex_);
    if (result == CUDA_SUCCESS) executables_[*executable] = graphs_[graph];
    return result;
  }
  CUresult destroy_graph(CUgraph graph, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      graphs_.erase(graph);
    }
    return forward();
  }

 private:
  CUresult launch(operation& op) {
    const CUresult result = op.forward();
    if (result != CUDA_SUCCESS || op.stream.is_capturing()) return result;
    std::vector<block> blocks;
    {
      const std::lock_guard lock(mutex_);
      const auto known = executables_.find(op.graph);
      if (known != executables_.end()) blocks = known->second;
    }
    for (const block& each : blocks) spoil(op.stream, each);
    return result;
  }

  std::mutex mutex_;
  std::map<stream_key, std::vector<block>> captured_;
  std::map<CUgraph, std::vector<block>> graphs_;
  std::map<CUgraphExec, std::vector<block>> executables_;
};

}  // namespace

std::unique_ptr<behaviour> make::freed_memory_is_handed_out_at_once() {
  return std::make_unique<free_at_once>();
}
std::unique_ptr<behaviour> make::live_memory_is_handed_out_again() {
  return std::make_unique<given_out_twice>();
}
std::unique_ptr<behaviour> make::allocation_is_lost_in_another_stream() {
  return std::make_unique<lost_elsewhere>();
}
std::unique_ptr<behaviour> make::graph_allocation_ends_with_its_graph() {
  return std::make_unique<lost_with_graph>();
}

}  // namespace streamcts::faults
