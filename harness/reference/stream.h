// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "harness/reference/context.h"
#include "harness/reference/handle_table.h"
#include "harness/reference/work_item.h"

namespace streamcts::reference {

struct capture_session;
struct graph_node;

enum class stream_kind { legacy, per_thread, created };

/// A stream: nothing but the last item enqueued in it. Fields are guarded by the driver lock.
struct stream {
  CUstream handle = nullptr;
  std::weak_ptr<context> owner;
  stream_kind kind = stream_kind::created;
  unsigned flags = CU_STREAM_DEFAULT;
  int priority = 0;
  unsigned long long id = 0;
  item_ptr last;
  item_ptr last_action;  ///< of a legacy stream: what later work of blocking streams is behind

  std::shared_ptr<capture_session> capture;  ///< set while the stream captures
  std::vector<std::shared_ptr<graph_node>> captured;  ///< what the next captured node depends on
  std::vector<CUgraphNode> captured_handles;  ///< the array that a query of it gave out

  CUsynchronizationPolicy sync_policy = CU_SYNC_POLICY_AUTO;
  CUaccessPolicyWindow access_window{};

  /// Whether it synchronizes with the legacy stream of its context.
  bool blocking() const { return (flags & CU_STREAM_NON_BLOCKING) == 0; }
};
using stream_ptr = std::shared_ptr<stream>;

using stream_table = handle_table<stream, CUstream>;
stream_table& streams();

/// What a NULL handle means: it depends on which entry point was called.
enum class default_stream { legacy, per_thread };

/// The stream that @p handle denotes, special handles in the current context. Refuses with
/// INVALID_HANDLE or INVALID_CONTEXT.
stream_ptr find_stream(driver_lock&, CUstream handle, default_stream mode);

/// The same, for a call that uses the stream: refuses with the code of a device fault too, and with
/// STREAM_CAPTURE_IMPLICIT where the legacy stream is used while a blocking stream captures.
stream_ptr stream_for_use(driver_lock&, CUstream handle, default_stream mode);

stream_ptr create_stream(driver_lock&, const std::shared_ptr<context>& c, stream_kind kind,
                         unsigned flags, int priority);

/// Puts @p item behind the stream's work and behind what the default-stream rules put in front of
/// it, makes it the stream's last, and submits it. Further orderings are made beforehand. In a legacy
/// stream, blocking streams are behind it if @p is_action.
void enqueue(driver_lock&, stream& s, const item_ptr& item, bool is_action = true);

/// What a query of the stream asks about, and a synchronization waits for.
std::vector<item_ptr> queried_by(driver_lock&, const stream& s);
std::vector<item_ptr> synchronized_by(driver_lock&, const stream& s);

inline constexpr int least_priority = 0;
inline constexpr int greatest_priority = -5;

}  // namespace streamcts::reference
