// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels and graphs of a scene.

#include <map>

#include "harness/faults/witness/scene.h"
#include "kernels/embedded.h"
#include "kernels/pattern.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::uint64_t gate_timeout_ns = 4'000'000'000;

CUfunction kernel(const char* name) {
  static CUlibrary library = [] {
    CUlibrary loaded = nullptr;
    MUST(cu().LibraryLoadData(&loaded, kernels::embedded_image().data(), nullptr, nullptr, 0,
                              nullptr, nullptr, 0));
    return loaded;
  }();
  static std::map<std::string, CUkernel> known;
  CUkernel& found = known[name];
  if (!found) MUST(cu().LibraryGetKernel(&found, library, name));
  return reinterpret_cast<CUfunction>(found);
}

}  // namespace

void scene::load_kernels() {
  for (const char* name : {"streamcts_gate", "streamcts_gated_write", "streamcts_write_pattern",
                           "streamcts_copy_words", "streamcts_signal", "streamcts_fault_trap"}) {
    kernel(name);
  }
}

void scene::launch(const char* name, CUstream s, unsigned blocks, void** parameters) {
  MUST(cu().LaunchKernel(kernel(name), blocks, 1, 1, 32, 1, 1, 0, s, parameters, nullptr));
}

held& scene::hold(CUstream s) {
  held& gate = new_gate(control_word());
  CUdeviceptr word = on_device(gate.word);
  CUdeviceptr begun = on_device(control_word());
  std::uint32_t token = 1;
  std::uint64_t timeout = gate_timeout_ns;
  void* parameters[] = {&word, &begun, &token, &timeout};
  MUST(cu().LaunchKernel(kernel("streamcts_gate"), 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr));
  return gate;
}

held& scene::hold_and_write(CUstream s, CUdeviceptr out, std::size_t count, std::uint64_t epoch) {
  held& gate = new_gate(control_word());
  CUdeviceptr word = on_device(gate.word);
  CUdeviceptr begun = on_device(control_word());
  std::uint32_t token = 1;
  std::uint64_t timeout = gate_timeout_ns;
  kernels::pattern ramp = kernels::ramp(epoch);
  void* parameters[] = {&word, &begun, &token, &timeout, &out, &count, &ramp.base, &ramp.step};
  launch("streamcts_gated_write", s, 1, parameters);
  return gate;
}

void scene::write(CUstream s, CUdeviceptr out, std::size_t count, std::uint64_t epoch) {
  kernels::pattern ramp = kernels::ramp(epoch);
  std::uint64_t late = 0;
  void* parameters[] = {&out, &count, &ramp.base, &ramp.step, &late};
  launch("streamcts_write_pattern", s, 4, parameters);
}

void scene::copy_words(CUstream s, CUdeviceptr out, CUdeviceptr in, std::size_t count) {
  void* parameters[] = {&out, &in, &count};
  launch("streamcts_copy_words", s, 4, parameters);
}

void scene::signal(CUstream s, std::uint32_t* word) {
  CUdeviceptr at = on_device(word);
  std::uint32_t value = 1;
  void* parameters[] = {&at, &value};
  MUST(cu().LaunchKernel(kernel("streamcts_signal"), 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr));
}

void scene::trap(CUstream s) {
  MUST(cu().LaunchKernel(kernel("streamcts_fault_trap"), 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr));
}

void scene::fail_assertion(CUstream s) {
  MUST(cu().LaunchKernel(kernel("streamcts_fault_assert"), 1, 1, 1, 1, 1, 1, 0, s, nullptr,
                         nullptr));
}

void scene::write_in_remote_domain(CUstream s, CUdeviceptr out, std::size_t count,
                                   std::uint64_t epoch) {
  kernels::pattern ramp = kernels::ramp(epoch);
  std::uint64_t late = 0;
  void* parameters[] = {&out, &count, &ramp.base, &ramp.step, &late};
  CUlaunchAttribute domain{};
  domain.id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
  domain.value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
  CUlaunchConfig config{};
  config.gridDimX = 4;
  config.blockDimX = 64;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.hStream = s;
  config.attrs = &domain;
  config.numAttrs = 1;
  MUST(cu().LaunchKernelEx(&config, kernel("streamcts_write_pattern"), parameters, nullptr));
}

CUfunction scene::any_kernel() { return kernel("streamcts_signal"); }

CUgraph scene::graph() {
  CUgraph made = nullptr;
  MUST(cu().GraphCreate(&made, 0));
  graphs_.push_back(made);
  return made;
}

CUgraphExec scene::instantiate(CUgraph graph) {
  CUgraphExec made = nullptr;
  MUST(cu().GraphInstantiate(&made, graph, 0));
  executables_.push_back(made);
  return made;
}

CUgraphNode scene::kernel_node(CUgraph graph, std::vector<CUgraphNode> behind, held** gate) {
  *gate = &new_gate(control_word());
  CUdeviceptr word = on_device((*gate)->word);
  CUdeviceptr begun = on_device(control_word());
  std::uint32_t token = 1;
  std::uint64_t timeout = gate_timeout_ns;
  void* parameters[] = {&word, &begun, &token, &timeout};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = kernel("streamcts_gate");
  node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = parameters;
  CUgraphNode made = nullptr;
  MUST(cu().GraphAddKernelNode(&made, graph, behind.data(), behind.size(), &node));
  return made;
}

CUgraphNode scene::signal_node(CUgraph graph, std::vector<CUgraphNode> behind,
                               std::uint32_t* word) {
  CUdeviceptr at = on_device(word);
  std::uint32_t value = 1;
  void* parameters[] = {&at, &value};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = kernel("streamcts_signal");
  node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = parameters;
  CUgraphNode made = nullptr;
  MUST(cu().GraphAddKernelNode(&made, graph, behind.data(), behind.size(), &node));
  return made;
}

CUgraphExec scene::gate_graph(held** gate) {
  CUgraph made = graph();
  kernel_node(made, {}, gate);
  return instantiate(made);
}

CUgraphExec scene::signal_graph(std::uint32_t* word) {
  CUgraph made = graph();
  signal_node(made, {}, word);
  return instantiate(made);
}

}  // namespace streamcts::faults::witness
