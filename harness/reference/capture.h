// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/reference/operations.h"
#include "harness/reference/stream.h"

namespace streamcts::reference {

/// Makes @p o a node of the graph that @p s captures into; false if the stream does not capture.
bool capture_operation(driver_lock&, stream& s, const operation& o);

/// CAP-004: refuses with STREAM_CAPTURE_IMPLICIT if @p s is a legacy stream and a blocking stream of
/// its context captures. Such a capture is invalidated.
void refuse_legacy_use_during_capture(driver_lock&, const stream& s);

/// CAP-005: refuses to synchronize or query a stream that captures, or a context with such a stream,
/// and invalidates the capture.
void refuse_synchronization_during_capture(driver_lock&, stream& s);
void refuse_synchronization_during_capture(driver_lock&, context& c);

/// CAP-003, CAP-010: refuses what cannot be captured if @p s captures, and invalidates the capture.
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
bool capture_record(driver_lock&, event& e, stream& s, bool external);

/// A wait of a stream for an event, one of which is in a capture. False if neither is.
bool capture_wait(driver_lock&, stream& s, event& e, bool external);

}  // namespace streamcts::reference
