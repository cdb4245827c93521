// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <memory>

#include "harness/faults/layer/operation.h"

namespace streamcts::faults {

/// What this driver does differently from the one behind it: one fault or one legal oddity.
///
/// Every call of an overridden entry point, in either stream mode and by whichever route, arrives
/// at one of these functions; each forwards unless a behaviour says otherwise. They are called on
/// the program's threads, several at once. Calls that concern a stream under capture pass by,
/// except where sees_captures() says otherwise.
class behaviour {
 public:
  using forward_call = function_ref<CUresult()>;

  virtual ~behaviour() = default;

  virtual bool sees_captures() const { return false; }
  /// First thing in every overridden call; anything but success is the call's result.
  virtual CUresult admit() { return CUDA_SUCCESS; }

  virtual CUresult enqueue(operation& op) { return op.forward(); }
  virtual CUresult transfer_now(transfer& t) { return t.forward(); }
  virtual CUresult synchronize(host_wait& w) { return w.forward(); }
  virtual CUresult query(host_wait& w) { return w.forward(); }

  virtual CUresult create_stream(CUstream*, unsigned /*flags*/, int /*priority*/,
                                 forward_call forward) {
    return forward();
  }
  /// @p stream is still valid; after a success it is not.
  virtual CUresult destroy_stream(CUstream, forward_call forward) { return forward(); }
  /// @p flags may be changed before forwarding.
  virtual CUresult create_event(CUevent*, unsigned& /*flags*/, forward_call forward) {
    return forward();
  }
  virtual CUresult destroy_event(CUevent, forward_call forward) { return forward(); }
  virtual CUresult elapsed_time(float*, CUevent, CUevent, forward_call forward) {
    return forward();
  }
  virtual CUresult stream_id(const stream_ref&, unsigned long long*, forward_call forward) {
    return forward();
  }
  virtual CUresult stream_priority(const stream_ref&, int*, forward_call forward) {
    return forward();
  }

  /// An allocation of any kind of memory. Host memory is announced by allocated() after it.
  virtual CUresult allocate(forward_call forward) { return forward(); }
  virtual void allocated(const host_memory&) {}
  /// A free or unregister of @p address, whichever kind of memory it is.
  virtual CUresult release(void* /*address*/, forward_call forward) { return forward(); }

  /// @p mode may be changed before forwarding.
  /// The device's address of @p host is asked for; @p address may be changed after forwarding.
  virtual CUresult device_pointer(CUdeviceptr* /*address*/, void* /*host*/, forward_call forward) {
    return forward();
  }

  virtual CUresult begin_capture(const stream_ref&, CUstreamCaptureMode& /*mode*/,
                                 forward_call forward) {
    return forward();
  }
  virtual CUresult end_capture(const stream_ref&, CUgraph*, forward_call forward) {
    return forward();
  }

  /// @p id is null where the caller does not ask for it.
  virtual CUresult capture_info(const stream_ref&, cuuint64_t* /*id*/, forward_call forward) {
    return forward();
  }
  /// @p flags may be changed before forwarding.
  virtual CUresult update_capture_dependencies(const stream_ref&, unsigned& /*flags*/,
                                               forward_call forward) {
    return forward();
  }

  /// A node added with its dependencies; both may be changed before forwarding.
  struct node_request {
    CUgraphNode* node;
    CUgraph graph;
    const CUgraphNode* dependencies;
    std::size_t dependency_count;
    CUDA_HOST_NODE_PARAMS host;  ///< of a host node
    bool is_host;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  };
  virtual CUresult add_node(node_request&, forward_call forward) { return forward(); }
  virtual CUresult set_host_node(CUgraphNode, CUDA_HOST_NODE_PARAMS&, forward_call forward) {
    return forward();
  }
  virtual CUresult set_executable_host_node(CUgraphExec, CUgraphNode, CUDA_HOST_NODE_PARAMS&,
                                            forward_call forward) {
    return forward();
  }
  virtual CUresult instantiate(CUgraphExec*, CUgraph, forward_call forward) { return forward(); }
  /// Before an executable is changed by something other than set_executable_host_node.
  virtual void executable_changed(CUgraphExec) {}
  virtual CUresult destroy_executable(CUgraphExec, forward_call forward) { return forward(); }
  virtual CUresult destroy_graph(CUgraph, forward_call forward) { return forward(); }
  /// @p destructor and @p data may be changed before forwarding.
  virtual CUresult create_user_object(CUuserObject*, CUhostFn& /*destructor*/, void*& /*data*/,
                                      forward_call forward) {
    return forward();
  }
  virtual CUresult retain_user_object(CUgraph, CUuserObject, forward_call forward) {
    return forward();
  }
};

/// The behaviour that STREAMCTS_FAULT names, or null. Set before any call gets through.
behaviour* active();
void set_active(std::unique_ptr<behaviour> chosen);

}  // namespace streamcts::faults
