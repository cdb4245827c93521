// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>

#include "harness/reference/handle_table.h"
#include "harness/reference/work_item.h"

namespace streamcts::reference {

/// Something of the program's that lives as long as graphs need it. When the last reference is gone
/// its destructor is called once, on a thread of the driver (UO-001, UO-003).
struct user_object {
  CUuserObject handle = nullptr;
  CUhostFn destructor = nullptr;
  void* data = nullptr;
  std::uint64_t all_references = 0;
  std::uint64_t callers_references = 0;  ///< those that the program itself owns
};
using user_object_ptr = std::shared_ptr<user_object>;

handle_table<user_object, CUuserObject>& user_objects();

/// Gives up @p count references; the last one calls the destructor.
void drop_references(driver_lock&, const user_object_ptr& object, std::uint64_t count);

/// The references that a graph or an executable graph owns. A copy of the object owns nothing: take
/// one by retained().
class object_references {
 public:
  void add(driver_lock&, const user_object_ptr& object, std::uint64_t count);
  /// Refuses with INVALID_VALUE if it has fewer than @p count.
  void remove(driver_lock&, const user_object_ptr& object, std::uint64_t count);
  /// The same references once more.
  object_references retained(driver_lock&) const;
  void release_all(driver_lock&);

 private:
  std::map<user_object_ptr, std::uint64_t> counts_;
};

}  // namespace streamcts::reference
