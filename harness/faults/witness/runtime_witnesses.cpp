// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// One stream through both APIs. The runtime is the library that STREAMCTS_WITNESS_RUNTIME names, else the
// loader's libcudart.so.13; it finds the driver that this process has opened by its SONAME.

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t payload = std::size_t{256} << 10;

/// The few calls that are wanted of the runtime; 0 is success.
struct runtime_api {
  int (*launch_host_func)(CUstream, void (*)(void*), void*) = nullptr;
  int (*memcpy_async)(void*, const void*, std::size_t, int kind, CUstream) = nullptr;

  runtime_api() {
    const char* const named = std::getenv("STREAMCTS_WITNESS_RUNTIME");
    void* const library = dlopen(named ? named : "libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(std::string("cannot open the runtime: ") + dlerror());
    fetch(library, launch_host_func, "cudaLaunchHostFunc");
    fetch(library, memcpy_async, "cudaMemcpyAsync");
  }

 private:
  template <typename F>
  static void fetch(void* library, F& slot, const char* symbol) {
    slot = reinterpret_cast<F>(dlsym(library, symbol));
    if (!slot) throw std::runtime_error(std::string("the runtime has no ") + symbol);
  }
};

void must_succeed(int result, const char* call) {
  if (result != 0) throw std::runtime_error(std::string(call) + " = " + std::to_string(result));
}

void run_probe(void* data) {
  auto& probe = *static_cast<host_call_probe*>(data);
  ++probe.begun;
  if (probe.body) probe.body();
  ++probe.ended;
}

void runtime_call_waits_for_driver_work(scene& s) {
  const runtime_api runtime;
  CUstream stream = s.stream();
  const words out = s.pinned(payload);
  fill_sentinel(out);
  const std::uint64_t epoch = new_epoch();
  held& gate = s.hold_and_write(stream, s.on_device(out.data()), out.size(), epoch);
  host_call_probe& probe = s.probe();
  std::atomic<bool> whole{false};
  probe.body = [&] { whole = holds(out, epoch); };
  must_succeed(runtime.launch_host_func(stream, run_probe, &probe), "cudaLaunchHostFunc");
  s.must_not_start(gate, probe, "a host call of the runtime did not wait for a kernel");
  s.finish();
  s.expect(whole, "a host call of the runtime did not find what a kernel wrote");
}

void driver_call_waits_for_runtime_work(scene& s) {
  const runtime_api runtime;
  CUstream stream = s.stream();
  const words out = s.pinned(payload);
  fill_sentinel(out);
  CUdeviceptr source = s.device(payload);
  const std::uint64_t epoch = new_epoch();
  held& gate = s.hold_and_write(stream, source, out.size(), epoch);
  constexpr int device_to_host = 2;
  must_succeed(runtime.memcpy_async(out.data(), reinterpret_cast<const void*>(source), payload,
                                    device_to_host, stream),
               "cudaMemcpyAsync");
  host_call_probe& probe = s.probe();
  std::atomic<bool> whole{false};
  probe.body = [&] { whole = holds(out, epoch); };
  s.call(stream, form::launch_host_func, probe);
  gate.open();
  s.finish();
  s.expect(whole, "a host call of the driver API did not wait for a copy of the runtime");
}

const witness list[] = {
    {"runtime_call_waits_for_driver_work", runtime_call_waits_for_driver_work, true},
    {"driver_call_waits_for_runtime_work", driver_call_waits_for_runtime_work, true},
};

}  // namespace

std::span<const witness> runtime_witnesses() { return list; }

}  // namespace streamcts::faults::witness
