// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

/// Takes single operations out of their stream into the private one beside it, so that what follows
/// need not wait for them, and puts the order back where it is wanted.
class detour {
 public:
  /// Runs @p op beside its stream, behind everything in it. Until rejoin(), nothing waits for it.
  CUresult take(operation& op);

  /// Lets @p stream wait for whatever was taken out of it and, by the legacy stream's barrier, out
  /// of the streams that it is ordered behind.
  void rejoin(const stream_ref& stream);
  /// The same for what was taken out of @p stream alone, or out of others alone.
  void rejoin_own(const stream_ref& stream);
  void rejoin_others(const stream_ref& stream);

  /// True while something taken out of @p stream, and not put back, has not finished.
  bool is_outside(const stream_ref& stream);
  /// The same for the streams that @p stream is ordered behind by the legacy stream's barrier.
  bool are_others_outside(const stream_ref& stream);

  void forget(const stream_key& key) { outside_.forget(key); }

 private:
  struct state {
    private_event end;
    CUcontext context = nullptr;
    bool legacy = false;
    bool blocking = false;
  };
  std::vector<private_event> unfinished_others(const stream_ref& stream);

  per_stream<state> outside_;
};

}  // namespace streamcts::faults
