// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class J: numbers and priorities of streams.

#include <map>
#include <mutex>
#include <set>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

/// The id of a destroyed stream is given to the next one.
class reused_ids : public behaviour {
 public:
  CUresult create_stream(CUstream* stream, unsigned, int, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        given_[*stream] = *free_.begin();
        free_.erase(free_.begin());
      }
    }
    return result;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      const auto asked = asked_.find(stream);
      if (asked != asked_.end()) {
        free_.insert(asked->second);
        asked_.erase(asked);
      }
      given_.erase(stream);
    }
    return forward();
  }
  CUresult stream_id(const stream_ref& stream, unsigned long long* id,
                     forward_call forward) override {
    const CUresult result = forward();
    if (result != CUDA_SUCCESS || !id || stream.type() != stream_type::created) return result;
    const std::lock_guard lock(mutex_);
    const auto given = given_.find(stream.handle);
    if (given != given_.end()) {
      hit();
      *id = given->second;
    }
    asked_[stream.handle] = *id;
    return result;
  }

 private:
  std::mutex mutex_;
  std::set<unsigned long long> free_;                 ///< of destroyed streams
  std::map<CUstream, unsigned long long> given_;      ///< second-hand
  std::map<CUstream, unsigned long long> asked_;      ///< that the program has seen
};

/// A stream's priority is the one that was asked for, whatever the device has.
class unclamped_priority : public behaviour {
 public:
  CUresult create_stream(CUstream* stream, unsigned, int priority, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) {
      const std::lock_guard lock(mutex_);
      asked_[*stream] = priority;
    }
    return result;
  }
  CUresult stream_priority(const stream_ref& stream, int* priority,
                           forward_call forward) override {
    const CUresult result = forward();
    if (result != CUDA_SUCCESS || !priority) return result;
    const std::lock_guard lock(mutex_);
    const auto asked = asked_.find(stream.handle);
    if (asked != asked_.end() && asked->second != *priority) {
      hit();
      *priority = asked->second;
    }
    return result;
  }

 private:
  std::mutex mutex_;
  std::map<CUstream, int> asked_;
};

}  // namespace

std::unique_ptr<behaviour> make::stream_id_is_reused() { return std::make_unique<reused_ids>(); }
std::unique_ptr<behaviour> make::priority_is_not_clamped() {
  return std::make_unique<unclamped_priority>();
}

}  // namespace streamcts::faults
