// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/witness/scene.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "kernels/pattern.h"

namespace streamcts::faults::witness {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

std::chrono::milliseconds hold_time{15};
std::chrono::milliseconds hold_cap{1000};
void run_probe(host_call_probe& probe, CUstream stream, int status) {
  probe.handle = stream;
  probe.status = status;
  probe.begun.fetch_add(1);
  if (probe.gate) {
    const auto end = steady_clock::now() + 3s;
    while (!probe.gate->is_open() && steady_clock::now() < end) {
      std::this_thread::sleep_for(100us);
    }
  }
  if (probe.body) probe.body();
  probe.ended.fetch_add(1);
}

void as_callback(CUstream stream, CUresult status, void* data) {
  run_probe(*static_cast<host_call_probe*>(data), stream, static_cast<int>(status));
}
void as_function(void* data) {
  run_probe(*static_cast<host_call_probe*>(data), nullptr, CUDA_SUCCESS);
}

}  // namespace

void must(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " returned " + std::to_string(result));
}

void set_hold_time(std::chrono::milliseconds time) { hold_time = time; }

void set_hold_cap(std::chrono::milliseconds time) { hold_cap = time; }

void held::open(bool by_force) {
  if (by_force) forced = true;
  std::atomic_ref(*word).store(1, std::memory_order_release);
}
bool held::is_open() const {
  return std::atomic_ref(*word).load(std::memory_order_acquire) == 1;
}

std::uint32_t look(const std::uint32_t* word) {
  return std::atomic_ref(*const_cast<std::uint32_t*>(word)).load(std::memory_order_acquire);
}

std::uint64_t word_of(std::uint64_t epoch, std::size_t index) {
  return kernels::ramp(epoch).word(index);
}
void fill(words out, std::uint64_t epoch) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = word_of(epoch, i);
}
bool holds(words in, std::uint64_t epoch) {
  for (std::size_t i = in.size(); i-- > 0;) {
    if (in[i] != word_of(epoch, i)) return false;
  }
  return true;
}
void fill_sentinel(words out) { std::fill(out.begin(), out.end(), sentinel); }
std::uint64_t new_epoch() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

bool wait_until(const std::function<bool()>& condition) {
  const auto end = steady_clock::now() + 1s;
  while (!condition()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(200us);
  }
  return true;
}

scene::scene() {
  void* page = nullptr;
  MUST(cu().MemHostAlloc(&page, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  control_ = static_cast<std::uint32_t*>(page);
  std::memset(page, 0, 4096);
  // Loading a kernel may synchronize: not while a gate is shut.
  load_kernels();
  keeper_ = std::thread([this] { keep(); });
}

scene::~scene() {
  try {
    finish();
  } catch (const std::exception&) {
    // A faulted context: the process ends next.
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  keeper_.join();
  for (CUgraphExec each : executables_) cu().GraphExecDestroy(each);
  for (CUgraph each : graphs_) cu().GraphDestroy(each);
  for (CUevent each : events_) cu().EventDestroy(each);
  for (CUstream each : streams_) cu().StreamDestroy(each);
  for (void* each : registered_) cu().MemHostUnregister(each);
  for (void* each : pinned_) cu().MemFreeHost(each);
  for (CUdeviceptr each : device_) cu().MemFree(each);
  cu().MemFreeHost(control_);
}

void scene::keep() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      const auto now = steady_clock::now();
      for (held& gate : gates_) {
        if (!gate.is_open() && now > gate.deadline) gate.open(true);
      }
    }
    std::this_thread::sleep_for(1ms);
  }
}

void scene::finish() {
  {
    const std::lock_guard lock(mutex_);
    for (held& gate : gates_) gate.open();
  }
  MUST(cu().CtxSynchronize());
}

CUstream scene::stream(unsigned flags, int priority) {
  CUstream made = nullptr;
  MUST(cu().StreamCreateWithPriority(&made, flags, priority));
  streams_.push_back(made);
  return made;
}

std::vector<CUstream> scene::streams_of_every_kind() {
  int least = 0, greatest = 0;
  MUST(cu().CtxGetStreamPriorityRange(&least, &greatest));
  return {stream(CU_STREAM_DEFAULT), stream(), stream(CU_STREAM_NON_BLOCKING, greatest),
          CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
}

CUevent scene::event(unsigned flags) {
  CUevent made = nullptr;
  MUST(cu().EventCreate(&made, flags));
  events_.push_back(made);
  return made;
}

std::uint32_t* scene::control_word() {
  if (control_used_ == 1024) throw std::runtime_error("a witness uses too many control words");
  return control_ + control_used_++;
}

words scene::pinned(std::size_t bytes, unsigned flags) {
  void* made = nullptr;
  MUST(cu().MemHostAlloc(&made, bytes, flags));
  pinned_.push_back(made);
  words all(static_cast<std::uint64_t*>(made), bytes / 8);
  fill_sentinel(all);
  return all;
}

words scene::managed(std::size_t bytes) {
  CUdeviceptr made = 0;
  MUST(cu().MemAllocManaged(&made, bytes, CU_MEM_ATTACH_GLOBAL));
  device_.push_back(made);
  words all(reinterpret_cast<std::uint64_t*>(made), bytes / 8);
  fill_sentinel(all);
  return all;
}

words scene::registered(std::size_t bytes) {
  ordinary_.emplace_back(bytes / 8 + 512, sentinel);
  // Whole pages only.
  void* begin = ordinary_.back().data();
  std::size_t space = ordinary_.back().size() * 8;
  begin = std::align(4096, bytes, begin, space);
  MUST(cu().MemHostRegister(begin, bytes, CU_MEMHOSTREGISTER_DEVICEMAP));
  registered_.push_back(begin);
  return words(static_cast<std::uint64_t*>(begin), bytes / 8);
}

CUdeviceptr scene::device(std::size_t bytes) {
  CUdeviceptr made = 0;
  MUST(cu().MemAlloc(&made, bytes));
  device_.push_back(made);
  return made;
}

CUdeviceptr scene::on_device(const void* host) {
  CUdeviceptr address = 0;
  MUST(cu().MemHostGetDevicePointer(&address, const_cast<void*>(host), 0));
  return address;
}

held& scene::new_gate(std::uint32_t* word) {
  const std::lock_guard lock(mutex_);
  held& made = gates_.emplace_back();
  made.word = word;
  made.deadline = steady_clock::now() + hold_cap;
  return made;
}

held& scene::host_gate() {
  host_words_.push_back(0);
  return new_gate(&host_words_.back());
}

host_call_probe& scene::probe() { return probes_.emplace_back(); }

void scene::call(CUstream s, form how, host_call_probe& probe) {
  if (how == form::add_callback) {
    MUST(cu().StreamAddCallback(s, as_callback, &probe, 0));
  } else {
    MUST(cu().LaunchHostFunc(s, as_function, &probe));
  }
}

CUgraphNode scene::host_node(CUgraph graph, std::vector<CUgraphNode> behind,
                             host_call_probe& probe) {
  CUDA_HOST_NODE_PARAMS node{};
  node.fn = as_function;
  node.userData = &probe;
  CUgraphNode made = nullptr;
  MUST(cu().GraphAddHostNode(&made, graph, behind.data(), behind.size(), &node));
  return made;
}

void scene::must_not_happen(held& gate, const std::function<bool()>& happened, const char* what) {
  const auto end = steady_clock::now() + hold_time;
  bool seen = false;
  while (!(seen = happened()) && !gate.forced && steady_clock::now() < end) {
    std::this_thread::sleep_for(200us);
  }
  // In this order: where the keeper opened the gate, nothing that was seen counts.
  if (gate.forced) {
    cannot_tell(what);
  } else {
    expect(!seen, what);
  }
  gate.open();
}

void scene::must_happen(held& gate, const std::function<bool()>& happened, const char* what) {
  // Well before the keeper opens the gate.
  const auto end = steady_clock::now() + hold_cap * 2 / 3;
  bool seen = false;
  while (!(seen = happened()) && !gate.forced && steady_clock::now() < end) {
    std::this_thread::sleep_for(200us);
  }
  if (gate.forced) {
    cannot_tell(what);
  } else {
    expect(seen, what);
  }
  gate.open();
}

void scene::must_not_start(held& gate, host_call_probe& probe, const char* what) {
  must_not_happen(gate, [&] { return probe.begun > 0; }, what);
}

void scene::must_not_return(held& gate, const std::function<void()>& call, const char* what) {
  std::atomic<bool> returned{false};
  CUcontext context = nullptr;
  MUST(cu().CtxGetCurrent(&context));
  std::thread caller([&] {
    cu().CtxSetCurrent(context);
    call();
    returned = true;
  });
  must_not_happen(gate, [&] { return returned.load(); }, what);
  caller.join();
}

void scene::expect(bool holds, const char* what) {
  if (holds) return;
  verdict_ = verdict::broken;
  std::printf("  broken: %s\n", what);
}

void scene::cannot_tell(const char* why) {
  if (verdict_ == verdict::kept) verdict_ = verdict::cannot_tell;
  std::printf("  cannot tell: %s\n", why);
}

}  // namespace streamcts::faults::witness
