// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream capture: operations become nodes of a graph instead of being executed (CAP-001).

#pragma once

#include "harness/reference/graph.h"
#include "harness/reference/operations.h"
#include "harness/reference/stream.h"

namespace streamcts::reference {

/// One capture, from begin to end, with all streams that joined it. Guarded by the driver lock.
struct capture_session {
  unsigned long long id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::uint64_t thread = 0;  ///< the one that began it
  stream* origin = nullptr;
  std::vector<stream_ptr> members;
  graph_ptr target;
  bool own_graph = true;  ///< made by the capture, not given to it
  bool invalidated = false;
  bool ended = false;
};

/// Begins a capture in @p s, into @p target or a new graph. Refuses the legacy stream and one that
/// captures already.
void begin_capture(driver_lock&, const stream_ptr& s, CUstreamCaptureMode mode,
                   const graph_ptr& target, std::vector<node_ptr> behind);

/// Ends the capture that began in @p s. Refuses with
///   ILLEGAL_STATE       no capture
///   CAPTURE_WRONG_THREAD  begun by another thread, unless relaxed (CAP-008)
///   CAPTURE_UNMATCHED   @p s joined it later
///   CAPTURE_INVALIDATED (CAP-009)
///   CAPTURE_UNJOINED    a forked stream has nodes that the origin is not behind (JN-CAP-002)
/// All but the first three end the capture.
graph_ptr end_capture(driver_lock&, stream& s);

/// The calling thread's mode, for cuThreadExchangeStreamCaptureMode.
CUstreamCaptureMode& thread_capture_mode();

/// Makes @p o a node of the graph that @p s captures into; false if the stream does not capture.
bool capture_operation(driver_lock&, stream& s, const operation& o);

/// AL-008: an allocation or free in a stream that captures becomes a node.
allocation_ptr capture_allocation(driver_lock&, stream& s, std::size_t bytes);
void capture_free(driver_lock&, stream& s, CUdeviceptr address);

/// CAP-004: refuses with CAPTURE_IMPLICIT if @p s is a legacy stream and a blocking stream of its
/// context captures. Such a capture is invalidated, unless the use is a query of captures.
void refuse_legacy_use_during_capture(driver_lock&, const stream& s, bool query = false);

/// CAP-005: refuses to synchronize or query a stream that captures, or a context with such a stream,
/// and invalidates the capture.
void refuse_synchronization_during_capture(driver_lock&, stream& s);
void refuse_synchronization_during_capture(driver_lock&, context& c);

/// CAP-003: refuses what cannot be captured if @p s captures, and invalidates the capture.
void refuse_uncapturable(driver_lock&, stream& s);

/// CAP-010: refuses calls such as allocations, as far as the modes of captures and of the calling
/// thread reach.
void refuse_unsafe_during_capture(driver_lock&);

/// Destroying a stream ends its part in a capture, which is invalidated.
void end_capture_of_destroyed_stream(driver_lock&, stream& s);

/// CAP-006: refuses to query or synchronize an event whose last record was captured.
void refuse_captured_event(driver_lock&, event& e);

/// Records a captured event: it stands for the nodes that the stream's next one would depend on.
/// False if the stream does not capture.
bool capture_record(driver_lock&, const event_ptr& e, stream& s, bool external);

/// A wait of a stream for an event, one of which is in a capture. False if neither is.
bool capture_wait(driver_lock&, const stream_ptr& s, const event_ptr& e, bool external);

}  // namespace streamcts::reference
