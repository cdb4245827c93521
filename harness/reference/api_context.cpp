// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Contexts: creation, the stack of current ones, the primary context of a device, synchronization.

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"

using namespace streamcts::reference;

namespace {

constexpr unsigned known_context_flags = CU_CTX_FLAGS_MASK;
constexpr unsigned api_version = 13000;

CUresult create(CUcontext* out, unsigned flags, CUdevice device, unsigned version) {
  require(out != nullptr && (flags & ~known_context_flags) == 0);
  require_device(device);
  driver_lock lock;
  *out = create_context(lock, device, flags, version)->handle;
  context_stack().push_back(*out);
  return CUDA_SUCCESS;
}

CUresult synchronize(driver_lock& lock, const std::shared_ptr<context>& c) {
  refuse_synchronization_during_capture(lock, *c);
  wait(lock, frontier(lock, *c));
  return fault();
}

void drop_primary(driver_lock& lock, primary_context& p) {
  p.owners = 0;
  if (const auto c = std::exchange(p.active, nullptr)) destroy_context(lock, c);
}

CUresult release_primary(CUdevice device) {
  driver_lock lock;
  primary_context& p = primary(lock, device);
  require(p.owners > 0, CUDA_ERROR_INVALID_CONTEXT);
  if (--p.owners == 0) drop_primary(lock, p);
  return CUDA_SUCCESS;
}

CUresult reset_primary(CUdevice device) {
  driver_lock lock;
  drop_primary(lock, primary(lock, device));
  return CUDA_SUCCESS;
}

CUresult set_primary_flags(CUdevice device, unsigned flags) {
  require((flags & ~known_context_flags) == 0);
  driver_lock lock;
  primary_context& p = primary(lock, device);
  p.flags = flags;
  if (p.active != nullptr) p.active->flags = flags;
  return CUDA_SUCCESS;
}

CUresult destroy(CUcontext handle) {
  driver_lock lock;
  const auto c = contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
  require(!c->primary, CUDA_ERROR_INVALID_CONTEXT);
  std::vector<CUcontext>& stack = context_stack();
  if (!stack.empty() && stack.back() == handle) stack.pop_back();
  destroy_context(lock, c);
  return fault();
}

CUresult pop(CUcontext* out) {
  std::vector<CUcontext>& stack = context_stack();
  require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
  if (out != nullptr) *out = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult push(CUcontext handle) {
  driver_lock lock;
  contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
  context_stack().push_back(handle);
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_ENTRY(cuCtxCreate, (CUcontext * out, unsigned flags, CUdevice device),
                (out, flags, device)) {
  return create(out, flags, device, 3010);
}
STREAMCTS_ENTRY(cuCtxCreate_v2, (CUcontext * out, unsigned flags, CUdevice device),
                (out, flags, device)) {
  return create(out, flags, device, 3020);
}
STREAMCTS_ENTRY(cuCtxCreate_v3,
                (CUcontext * out, [[maybe_unused]] CUexecAffinityParam* affinity, int count,
                 unsigned flags, CUdevice device),
                (out, affinity, count, flags, device)) {
  require(count == 0, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
  return create(out, flags, device, 11040);
}
STREAMCTS_ENTRY(cuCtxCreate_v4,
                (CUcontext * out, CUctxCreateParams* extra, unsigned flags, CUdevice device),
                (out, extra, flags, device)) {
  require(extra == nullptr || extra->numExecAffinityParams == 0,
          CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
  require(extra == nullptr || extra->cigParams == nullptr, CUDA_ERROR_NOT_SUPPORTED);
  return create(out, flags, device, api_version);
}

STREAMCTS_ENTRY(cuCtxDestroy, (CUcontext handle), (handle)) { return destroy(handle); }
STREAMCTS_ENTRY(cuCtxDestroy_v2, (CUcontext handle), (handle)) { return destroy(handle); }
STREAMCTS_ENTRY(cuCtxPopCurrent, (CUcontext * out), (out)) { return pop(out); }
STREAMCTS_ENTRY(cuCtxPopCurrent_v2, (CUcontext * out), (out)) { return pop(out); }
STREAMCTS_ENTRY(cuCtxPushCurrent, (CUcontext handle), (handle)) { return push(handle); }
STREAMCTS_ENTRY(cuCtxPushCurrent_v2, (CUcontext handle), (handle)) { return push(handle); }

STREAMCTS_ENTRY(cuCtxSetCurrent, (CUcontext handle), (handle)) {
  driver_lock lock;
  if (handle != nullptr) contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
  std::vector<CUcontext>& stack = context_stack();
  if (!stack.empty()) stack.pop_back();
  if (handle != nullptr) stack.push_back(handle);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetCurrent, (CUcontext * out), (out)) {
  require(out != nullptr);
  *out = context_stack().empty() ? nullptr : context_stack().back();
  return CUDA_SUCCESS;
}

STREAMCTS_EXPORT cuCtxSynchronize() {
  return call([] {
    driver_lock lock;
    return synchronize(lock, current_context(lock, true));
  });
}

STREAMCTS_ENTRY(cuCtxSynchronize_v2, (CUcontext handle), (handle)) {
  driver_lock lock;
  return synchronize(lock, handle == nullptr ? current_context(lock, true)
                                             : contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT));
}

STREAMCTS_ENTRY(cuDevicePrimaryCtxRetain, (CUcontext * out, CUdevice device), (out, device)) {
  require(out != nullptr);
  driver_lock lock;
  primary_context& p = primary(lock, device);
  require(fault() == CUDA_SUCCESS, fault());
  if (p.active == nullptr) {
    p.active = create_context(lock, device, p.flags, api_version);
    p.active->primary = true;
  }
  ++p.owners;
  *out = p.active->handle;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDevicePrimaryCtxRelease, (CUdevice device), (device)) {
  return release_primary(device);
}
STREAMCTS_ENTRY(cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device)) {
  return release_primary(device);
}
STREAMCTS_ENTRY(cuDevicePrimaryCtxReset, (CUdevice device), (device)) {
  return reset_primary(device);
}
STREAMCTS_ENTRY(cuDevicePrimaryCtxReset_v2, (CUdevice device), (device)) {
  return reset_primary(device);
}
STREAMCTS_ENTRY(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), (device, flags)) {
  return set_primary_flags(device, flags);
}
STREAMCTS_ENTRY(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),
                (device, flags)) {
  return set_primary_flags(device, flags);
}

STREAMCTS_ENTRY(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned* flags, int* is_active),
                (device, flags, is_active)) {
  require(flags != nullptr && is_active != nullptr);
  driver_lock lock;
  const primary_context& p = primary(lock, device);
  *flags = p.flags;
  *is_active = p.active != nullptr ? 1 : 0;
  return CUDA_SUCCESS;
}
