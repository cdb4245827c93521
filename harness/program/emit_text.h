// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of the emitter: what every reproducer begins with.

#pragma once

#include <string_view>

namespace streamcts::program::reproducer {

inline constexpr std::string_view head = R"text(#include <cuda.h>
#include <nvrtc.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
using u64 = unsigned long long;
static std::atomic<bool> broken{false}, enqueued{false};
[[noreturn]] static void leave(int code) { std::fflush(stdout); std::_Exit(code); }
static void ok(int r, const char* what) {  // the arrangement
  if (r != 0) std::printf("no verdict: %s returned %d\n", what, r), leave(2);
}
static void must_succeed(CUresult r, const char* what) {  // the calls under test
  if (r == CUDA_ERROR_NOT_SUPPORTED) ok(r, what);
  if (r != CUDA_SUCCESS) std::printf("BROKEN: %s: expected CUDA_SUCCESS, seen %d\n", what, r), broken = true;
}
#define OK(call) ok(call, #call)
#define DO(call) must_succeed(call, #call)

// Every kernel of the program: says that it began, waits at a gate, fills or copies, says it is done.
static const char* const kernel_source = R"(
extern "C" __global__ void streamcts_program_item(unsigned* begun, unsigned* done, unsigned token,
    unsigned* gate, unsigned long long timeout_ns, unsigned char* out, const unsigned char* in,
    unsigned long long bytes, unsigned long long base, unsigned long long step) {
  if (begun) asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(begun), "r"(token) : "memory");
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  for (unsigned open = gate == 0; !open;) {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(open) : "l"(gate) : "memory");
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (now - start > timeout_ns) break;
  }
  for (unsigned long long i = 0; out && i < bytes; ++i)
    out[i] = in ? in[i] : (unsigned char)((base + i / 8 * step) >> i % 8 * 8);
  if (done) asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(done), "r"(token) : "memory");
})";
static CUfunction kernel;
static unsigned* cells;  // item i: 4 i says begun, 4 i + 2 done; behind the items two gates
static CUdeviceptr device_cells;
static CUdeviceptr cell(int i) { return device_cells + 4 * i; }
static unsigned load(int i) { return __atomic_load_n(cells + i, __ATOMIC_ACQUIRE); }
static void store(int i, unsigned v) { __atomic_store_n(cells + i, v, __ATOMIC_RELEASE); }
static void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

struct item_parameters {
  CUdeviceptr begun, done; unsigned token; CUdeviceptr gate; u64 timeout; CUdeviceptr out, in;
  u64 bytes, base, step;
  std::vector<void*> list() { return {&begun, &done, &token, &gate, &timeout, &out, &in, &bytes, &base, &step}; }
};
static item_parameters item(int i, int gate = 0, CUdeviceptr out = 0, u64 bytes = 0, int byte = 0, CUdeviceptr in = 0) {
  return {i < 0 ? 0 : cell(4 * i), i < 0 ? 0 : cell(4 * i + 2), 1, gate ? cell(gate) : 0, 10000000000, out, in, bytes, 0x0101010101010101ull * byte, 0};
}
static CUresult launch(CUstream s, item_parameters p) { return cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, s, p.list().data(), nullptr); }
)text";

inline constexpr std::string_view fill =
    R"text(static void fill(void* to, u64 bytes, int byte) { std::memset(to, byte, bytes); }
)text";

inline constexpr std::string_view look = R"text(
// Bits are items: those that must have ended when `who` looks, and those that must not have begun.
static void look(const char* who, u64 ended, u64 not_begun) {
  for (int i = 0; i < items; ++i) {
    if ((ended >> i & 1) && !load(4 * i + 2))
      std::printf("BROKEN: %s: expected %s to have ended, seen: it has not\n", who, names[i]), broken = true;
    if ((not_begun >> i & 1) && (load(4 * i) || load(4 * i + 2)))
      std::printf("BROKEN: %s: expected %s not to have begun, seen: it has\n", who, names[i]), broken = true;
  }
}
)text";

inline constexpr std::string_view holds = R"text(static void holds(const char* who, const char* buffer, const unsigned char* at, u64 bytes, int byte, const char* whose) {
  for (u64 k = bytes; k-- > 0;) {
    if (at[k] == byte) continue;
    std::printf("BROKEN: %s: expected %s to hold 0x%02x, %s; seen: byte %llu is 0x%02x\n", who, buffer, byte, whose, k, at[k]);
    broken = true;
    return;
  }
}
)text";

inline constexpr std::string_view wait_at = R"text(static void wait_at(int gate) {
  for (int ms = 0; !load(gate) && ms < 10000; ++ms) sleep_ms(1);
}
)text";

inline constexpr std::string_view graphs = R"text(
static CUgraphNode kernel_node(CUgraph g, std::vector<CUgraphNode> after, item_parameters p) {
  auto list = p.list();
  CUDA_KERNEL_NODE_PARAMS k{};
  k.func = kernel;
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  k.kernelParams = list.data();
  CUgraphNode n;
  OK(cuGraphAddKernelNode(&n, g, after.data(), after.size(), &k));
  return n;
}
static CUgraphNode host_node(CUgraph g, std::vector<CUgraphNode> after, CUhostFn f) {
  CUDA_HOST_NODE_PARAMS h{};
  h.fn = f;
  CUgraphNode n;
  OK(cuGraphAddHostNode(&n, g, after.data(), after.size(), &h));
  return n;
}
static CUgraphNode copy_node(CUgraph g, std::vector<CUgraphNode> after, CUdeviceptr to, CUdeviceptr from, u64 bytes) {
  CUDA_MEMCPY3D c{};
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  c.srcDevice = from, c.dstDevice = to;
  c.WidthInBytes = c.srcPitch = c.dstPitch = bytes, c.Height = c.Depth = 1;
  CUgraphNode n;
  OK(cuGraphAddMemcpyNode(&n, g, after.data(), after.size(), &c, context));
  return n;
}
static CUgraphNode memset_node(CUgraph g, std::vector<CUgraphNode> after, CUdeviceptr to, int byte, u64 bytes) {
  CUDA_MEMSET_NODE_PARAMS m{};
  m.dst = to, m.value = byte, m.elementSize = 1, m.width = bytes, m.height = 1;
  CUgraphNode n;
  OK(cuGraphAddMemsetNode(&n, g, after.data(), after.size(), &m, context));
  return n;
}
static CUgraphNode empty_node(CUgraph g, std::vector<CUgraphNode> after) {
  CUgraphNode n;
  OK(cuGraphAddEmptyNode(&n, g, after.data(), after.size()));
  return n;
}
static CUresult update(CUgraphExec e, CUgraphNode n, item_parameters p) {
  auto list = p.list();
  CUDA_KERNEL_NODE_PARAMS k{};
  k.func = kernel;
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  k.kernelParams = list.data();
  return cuGraphExecKernelNodeSetParams(e, n, &k);
}
)text";

inline constexpr std::string_view begin_main = R"text(
int main() {
  std::thread([] { sleep_ms(30000); std::puts("BROKEN: expected an end, seen: still waiting after 30 s"); leave(1); }).detach();
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  nvrtcProgram compiled;
  OK(nvrtcCreateProgram(&compiled, kernel_source, "kernel.cu", 0, nullptr, nullptr));
  OK(nvrtcCompileProgram(compiled, 0, nullptr));
  size_t size;
  OK(nvrtcGetPTXSize(compiled, &size));
  std::string ptx(size, 0);
  OK(nvrtcGetPTX(compiled, &ptx[0]));
  CUmodule module;
  OK(cuModuleLoadData(&module, ptx.data()));
  OK(cuModuleGetFunction(&kernel, module, "streamcts_program_item"));
  OK(cuMemHostAlloc((void**)&cells, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  OK(cuMemHostGetDevicePointer(&device_cells, cells, 0));
  std::memset(cells, 0, 4096);
  OK(launch(nullptr, item(-1)));
)text";

inline constexpr std::string_view end_main = R"text(  std::puts(broken ? "the promise was broken" : "all held");
  leave(broken ? 1 : 0);
}
)text";

}  // namespace streamcts::program::reproducer
