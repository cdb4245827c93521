// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/user_object.h"

#include "harness/reference/entry.h"
#include "harness/reference/graph.h"
#include "harness/reference/host_calls.h"
#include "harness/reference/scheduler.h"

namespace streamcts::reference {
namespace {

host_call_queue& destructor_calls() {
  static const auto& only = *new std::shared_ptr<host_call_queue>(new host_call_queue);
  return *only;
}

}  // namespace

handle_table<user_object, CUuserObject>& user_objects() {
  static auto& only = *new handle_table<user_object, CUuserObject>;
  return only;
}

void drop_references(driver_lock& lock, const user_object_ptr& object, std::uint64_t count) {
  object->all_references -= count;
  if (object->all_references > 0) return;
  user_objects().erase(object->handle);
  destructor_calls().add(lock, make_item(lock, nullptr, executor::host, [object] {
    const host_call_scope scope(host_call_kind::callback);  // no CUDA calls inside
    object->destructor(object->data);
  }));
}

void object_references::add(driver_lock&, const user_object_ptr& object, std::uint64_t count) {
  object->all_references += count;
  counts_[object] += count;
}

void object_references::remove(driver_lock& lock, const user_object_ptr& object,
                               std::uint64_t count) {
  const auto at = counts_.find(object);
  require(at != counts_.end() && at->second >= count);
  at->second -= count;
  if (at->second == 0) counts_.erase(at);
  drop_references(lock, object, count);
}

object_references object_references::retained(driver_lock& lock) const {
  object_references copy;
  for (const auto& [object, count] : counts_) copy.add(lock, object, count);
  return copy;
}

void object_references::release_all(driver_lock& lock) {
  for (const auto& [object, count] : std::exchange(counts_, {})) {
    drop_references(lock, object, count);
  }
}

}  // namespace streamcts::reference

using namespace streamcts::reference;

STREAMCTS_ENTRY(cuUserObjectCreate,
                (CUuserObject * out, void* data, CUhostFn destructor, unsigned count,
                 unsigned flags),
                (out, data, destructor, count, flags)) {
  require(out != nullptr && destructor != nullptr && count > 0);
  require(flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  driver_lock lock;
  auto object = std::make_shared<user_object>();
  object->destructor = destructor;
  object->data = data;
  object->all_references = object->callers_references = count;
  *out = object->handle = user_objects().insert(object);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuUserObjectRetain, (CUuserObject handle, unsigned count), (handle, count)) {
  require(count > 0);
  driver_lock lock;
  const user_object_ptr object = user_objects().get(handle, CUDA_ERROR_INVALID_VALUE);
  object->all_references += count;
  object->callers_references += count;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuUserObjectRelease, (CUuserObject handle, unsigned count), (handle, count)) {
  require(count > 0);
  driver_lock lock;
  const user_object_ptr object = user_objects().get(handle, CUDA_ERROR_INVALID_VALUE);
  require(object->callers_references >= count);
  object->callers_references -= count;
  drop_references(lock, object, count);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphRetainUserObject,
                (CUgraph graph_handle, CUuserObject handle, unsigned count, unsigned flags),
                (graph_handle, handle, count, flags)) {
  require(count > 0 && (flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) == 0);
  driver_lock lock;
  const graph_ptr g = graphs().get(graph_handle, CUDA_ERROR_INVALID_VALUE);
  const user_object_ptr object = user_objects().get(handle, CUDA_ERROR_INVALID_VALUE);
  if ((flags & CU_GRAPH_USER_OBJECT_MOVE) != 0) {
    require(object->callers_references >= count);
    object->callers_references -= count;
    object->all_references -= count;
  }
  g->references.add(lock, object, count);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphReleaseUserObject,
                (CUgraph graph_handle, CUuserObject handle, unsigned count),
                (graph_handle, handle, count)) {
  require(count > 0);
  driver_lock lock;
  graphs()
      .get(graph_handle, CUDA_ERROR_INVALID_VALUE)
      ->references.remove(lock, user_objects().get(handle, CUDA_ERROR_INVALID_VALUE), count);
  return CUDA_SUCCESS;
}
