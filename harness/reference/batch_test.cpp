// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches, copies between contexts, events of whole contexts, user objects, node parameters.

#include <cstring>
#include <thread>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

CUdeviceptr number(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

class batch_test : public driver_test {
 protected:
  void hold(CUstream s, const gate& g) {
    launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  }
  static CUmemcpyAttributes ordered(CUmemcpySrcAccessOrder order) {
    CUmemcpyAttributes a{};
    a.srcAccessOrder = order;
    return a;
  }
};

TEST_F(batch_test, copies_take_their_sources_when_they_say) {
  CUstream s = make_stream();
  gate g(pinned(2));
  std::uint32_t *source = pinned(3), *out = pinned(3);
  CUdeviceptr to[3], from[3];
  size_t sizes[3] = {4, 4, 4}, places[2] = {0, 2};
  for (int i = 0; i < 3; ++i) {
    source[i] = static_cast<std::uint32_t>(i + 1);
    to[i] = number(out + i);
    from[i] = number(source + i);
  }
  CUmemcpyAttributes attributes[2] = {ordered(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM),
                                      ordered(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)};
  hold(s, g);
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyBatchAsync_v2(to, from, sizes, 3, attributes, places, 2, s));
  std::memset(source, 9, 12);
  EXPECT_EQ(0u, __atomic_load_n(out + 2, __ATOMIC_RELAXED));
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(0x09090909u, out[0]);  // in stream order
  EXPECT_EQ(0x09090909u, out[1]);
  EXPECT_EQ(3u, out[2]);  // during the call
  size_t failed = 0;
  EXPECT_EQ(CUDA_SUCCESS,
            cuMemcpyBatchAsync_ptsz(to, from, sizes, 3, attributes, places, 1, &failed, nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemcpyBatchAsync_v2(to, from, sizes, 3, attributes, places, 1, nullptr));
  attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemcpyBatchAsync_v2(to, from, sizes, 3, attributes, places, 1, s));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize_ptsz(nullptr));
}

TEST_F(batch_test, boxes_in_batches) {
  CUstream s = make_stream();
  auto *source = pinned<unsigned char>(64), *out = pinned<unsigned char>(64);
  for (int i = 0; i < 64; ++i) source[i] = static_cast<unsigned char>(i);
  CUDA_MEMCPY3D_BATCH_OP o{};
  o.src.type = o.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  o.src.op.ptr.ptr = number(source);
  o.src.op.ptr.rowLength = 8;
  o.dst.op.ptr.ptr = number(out);
  o.extent = {4, 2, 2};
  o.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy3DBatchAsync_v2(1, &o, 0, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(source[0], out[0]);
  EXPECT_EQ(source[8], out[4]);
  EXPECT_EQ(source[16], out[8]);
  EXPECT_EQ(source[24 + 3], out[15]);
  size_t failed = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy3DBatchAsync(1, &o, &failed, 0, s));
  o.src.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuMemcpy3DBatchAsync_v2(1, &o, 0, s));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_v2(0, &o, 0, s));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
}

TEST_F(batch_test, prefetch_and_discard) {
  CUstream s = make_stream();
  CUdeviceptr p = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
  std::memset(reinterpret_cast<void*>(p), 5, 4096);
  size_t size = 4096, place = 0;
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  ASSERT_EQ(CUDA_SUCCESS, cuMemPrefetchBatchAsync(&p, &size, 1, &here, &place, 1, 0, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(5, *reinterpret_cast<unsigned char*>(p));
  ASSERT_EQ(CUDA_SUCCESS, cuMemDiscardBatchAsync(&p, &size, 1, 0, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD8Async(p, 6, 2048, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(6, reinterpret_cast<unsigned char*>(p)[2047]);
  EXPECT_NE(5, reinterpret_cast<unsigned char*>(p)[2048]);  // rubbish
  ASSERT_EQ(CUDA_SUCCESS,
            cuMemDiscardAndPrefetchBatchAsync(&p, &size, 1, &here, &place, 1, 0, s));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(&p, &size, 1, 0, nullptr));
  size = 4097;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(&p, &size, 1, 0, s));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(p));
}

TEST_F(batch_test, peer_copies_serialize_their_contexts) {
  CUcontext other = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuCtxCreate_v2(&other, 0, 0));
  CUdeviceptr far = 0;
  CUstream theirs = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAlloc_v2(&far, 64));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&theirs, CU_STREAM_NON_BLOCKING));
  gate g(pinned(2));
  hold(theirs, g);
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32Async(far, 4, 16, theirs));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
  CUdeviceptr near = device_bytes(64);
  CUstream mine = make_stream(CU_STREAM_NON_BLOCKING);
  std::uint32_t* out = pinned(2);
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyPeer(near, context_, far, other, 64));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2(out, near, 4, mine));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(mine));
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(mine));
  EXPECT_EQ(4u, out[0]);
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32_v2(near, 8, 16));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyPeerAsync(far, other, near, context_, 64, nullptr));
  CUDA_MEMCPY3D_PEER p{};
  p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.srcDevice = far;
  p.srcContext = other;
  p.dstDevice = near;
  p.dstContext = context_;
  p.WidthInBytes = 8;
  p.Height = p.Depth = 1;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy3DPeer(&p));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy3DPeerAsync(&p, nullptr));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoH_v2(out + 1, near, 4));
  EXPECT_EQ(8u, out[1]);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DPeer(nullptr));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxDestroy_v2(other));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(near, context_, near, other, 64));
}

TEST_F(batch_test, events_of_whole_contexts) {
  CUstream a = make_stream(CU_STREAM_NON_BLOCKING), b = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent all = make_event(CU_EVENT_DISABLE_TIMING), other = make_event(CU_EVENT_DISABLE_TIMING);
  gate g(pinned(2)), h(pinned(2));
  call_record record;
  hold(a, g);
  ASSERT_EQ(CUDA_SUCCESS, cuCtxRecordEvent(context_, all));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(all));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(all));
  hold(a, h);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(other, a));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxWaitEvent(context_, other));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(b, count_function, &record));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(b));
  EXPECT_TRUE(eventually([&] { return h.begun(); }));
  EXPECT_EQ(0, record.calls);
  h.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b));
  EXPECT_EQ(1, record.calls);
}

TEST_F(batch_test, user_objects_live_as_long_as_their_owners) {
  CUgraph g = nullptr;
  CUgraphExec exec = nullptr;
  CUuserObject object = nullptr;
  call_record destroyed, ran;
  gate held(pinned(2));
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuGraphCreate(&g, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuUserObjectCreate(&object, &destroyed, count_function, 1,
                                             CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&object, &destroyed, count_function, 1, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuUserObjectRetain(object, 2));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphRetainUserObject(g, object, 1, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphReleaseUserObject(g, object, 1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphReleaseUserObject(g, object, 5));
  ASSERT_EQ(CUDA_SUCCESS, cuUserObjectRelease(object, 2));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(object, 1));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0,
                                                      CU_STREAM_CAPTURE_MODE_RELAXED));
  hold(s, held);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(s, &g));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&exec, g, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphDestroy(g));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(exec, s));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(exec));
  EXPECT_TRUE(eventually([&] { return held.begun(); }));
  EXPECT_EQ(0, destroyed.calls);
  held.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_TRUE(eventually([&] { return destroyed.calls == 1; }));
}

TEST_F(batch_test, parameters_of_all_kinds_of_nodes) {
  CUgraph g = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphCreate(&g, 0));
  std::uint32_t *word = pinned(4), one = 1, two = 2;
  CUgraphNode kernel_node = nullptr, copy = nullptr, set = nullptr, host = nullptr, batch = nullptr,
              memory = nullptr, free_node = nullptr, generic = nullptr;
  void* parameters[] = {&word, &one};
  CUDA_KERNEL_NODE_PARAMS_v1 k{};
  k.func = kernel("streamcts_signal");
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  k.kernelParams = parameters;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddKernelNode(&kernel_node, g, nullptr, 0, &k));
  CUDA_MEMCPY3D c{};
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  c.srcDevice = number(word);
  c.dstDevice = number(word + 1);
  c.WidthInBytes = 4;
  c.Height = c.Depth = 1;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddMemcpyNode(&copy, g, &kernel_node, 1, &c, context_));
  CUDA_MEMSET_NODE_PARAMS_v1 m{number(word + 2), 0, 5, 4, 1, 1};
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddMemsetNode(&set, g, &copy, 1, &m, context_));
  call_record record;
  CUDA_HOST_NODE_PARAMS_v1 h{count_function, &record};
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddHostNode(&host, g, &set, 1, &h));
  CUstreamBatchMemOpParams step{};
  step.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, number(word + 3), {7}, 0, 0};
  CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 b{context_, 1, &step, 0};
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddBatchMemOpNode(&batch, g, &host, 1, &b));
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 a{};
  a.bytesize = 128;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddMemAllocNode(&memory, g, nullptr, 0, &a));
  ASSERT_NE(0u, a.dptr);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddMemFreeNode(&free_node, g, &memory, 1, a.dptr));
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_EMPTY;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddNode_v2(&generic, g, nullptr, nullptr, 0, &any));
  any.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&generic, g, nullptr, 0, &any));

  CUDA_KERNEL_NODE_PARAMS_v2 k2{};
  ASSERT_EQ(CUDA_SUCCESS, cuGraphKernelNodeGetParams(kernel_node, &k));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphKernelNodeGetParams_v2(kernel_node, &k2));
  EXPECT_EQ(1u, *static_cast<std::uint32_t*>(k2.kernelParams[1]));
  CUDA_MEMCPY3D c2{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphMemcpyNodeGetParams(copy, &c2));
  EXPECT_EQ(c.srcDevice, c2.srcDevice);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphMemcpyNodeGetParams(set, &c2));
  CUDA_MEMSET_NODE_PARAMS_v1 m2{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphMemsetNodeGetParams(set, &m2));
  EXPECT_EQ(5u, m2.value);
  CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 b2{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphBatchMemOpNodeGetParams(batch, &b2));
  EXPECT_EQ(1u, b2.count);
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 a2{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphMemAllocNodeGetParams(memory, &a2));
  EXPECT_EQ(a.dptr, a2.dptr);
  CUdeviceptr freed = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphMemFreeNodeGetParams(free_node, &freed));
  EXPECT_EQ(a.dptr, freed);

  CUgraphExec e = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&e, g, 0));
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1u, word[0]);
  EXPECT_EQ(1u, word[1]);
  EXPECT_EQ(5u, word[2]);
  EXPECT_EQ(7u, word[3]);

  parameters[1] = &two;
  k.kernelParams = k2.kernelParams = parameters;
  m.value = 6;
  step.writeValue.value = 8;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecKernelNodeSetParams(e, kernel_node, &k));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecKernelNodeSetParams_v2(e, kernel_node, &k2));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecMemcpyNodeSetParams(e, copy, &c, context_));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecMemsetNodeSetParams(e, set, &m, context_));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecBatchMemOpNodeSetParams(e, batch, &b));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(e, copy, &m, context_));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(2u, word[1]);
  EXPECT_EQ(6u, word[2]);
  EXPECT_EQ(8u, word[3]);

  EXPECT_EQ(CUDA_SUCCESS, cuGraphKernelNodeSetParams(kernel_node, &k));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphKernelNodeSetParams_v2(kernel_node, &k2));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphMemcpyNodeSetParams(copy, &c));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphMemsetNodeSetParams(set, &m));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphBatchMemOpNodeSetParams(batch, &b));
  any.type = CU_GRAPH_NODE_TYPE_HOST;
  any.host = {count_function, &record};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeSetParams(host, &any));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecNodeSetParams(e, host, &any));
  CUgraphExecUpdateResult result{};
  CUgraphNode trouble = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecUpdate(e, g, &trouble, &result));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(g));
}

}  // namespace
}  // namespace streamcts::reference::test
