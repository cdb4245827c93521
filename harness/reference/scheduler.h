// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "harness/reference/work_item.h"

namespace streamcts::reference {

/// A new item of @p owner, behind nothing yet, not submitted.
item_ptr make_item(driver_lock&, std::shared_ptr<context> owner, executor by,
                   std::function<void()> run = nullptr);

/// Orders @p later, which is not submitted yet, behind @p earlier. A null or finished @p earlier
/// adds nothing.
void order(driver_lock&, const item_ptr& earlier, const item_ptr& later);

/// All orderings of @p item are made: it starts as soon as they allow.
void submit(driver_lock&, const item_ptr& item);

/// Called by executors: @p item has ended, so what is ordered behind it may start.
void finish(driver_lock&, const item_ptr& item);

/// Blocks the calling thread, with the lock released, until every item of @p items has finished,
/// and makes their writes visible to the host. Refused with NOT_PERMITTED on a thread that runs a
/// host call, since the wait could be for that call itself.
void wait(driver_lock&, const std::vector<item_ptr>& items);
void wait(driver_lock&, const item_ptr& item);

/// For executor::caller: blocks until @p item may start, runs it on this thread and finishes it.
void claim(driver_lock&, const item_ptr& item);

/// Whether a query may report @p item as finished. Null counts as finished.
bool reported_finished(driver_lock&, const item_ptr& item);

/// Starts work that the variant lazy_submit holds back.
void flush_submissions(driver_lock&);

}  // namespace streamcts::reference
