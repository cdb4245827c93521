// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/capture.h"

namespace streamcts::reference {

bool capture_operation(driver_lock&, stream&, const operation&) { return false; }
void refuse_legacy_use_during_capture(driver_lock&, const stream&) {}
void refuse_synchronization_during_capture(driver_lock&, stream&) {}
void refuse_synchronization_during_capture(driver_lock&, context&) {}
void refuse_uncapturable(driver_lock&, stream&) {}
void refuse_unsafe_during_capture(driver_lock&) {}
void end_capture_of_destroyed_stream(driver_lock&, stream&) {}
void refuse_captured_event(driver_lock&, event&) {}
bool capture_record(driver_lock&, event&, stream&, bool) { return false; }
bool capture_wait(driver_lock&, stream&, event&, bool) { return false; }

}  // namespace streamcts::reference
