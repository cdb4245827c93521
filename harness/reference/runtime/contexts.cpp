// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/runtime/contexts.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace streamcts::runtime {
namespace {

thread_local int chosen_device = 0;

/// Primary contexts by device, and the handles of those that were destroyed by a reset: a thread
/// may still have one current.
struct primary_contexts {
  std::mutex mutex;
  std::map<int, CUcontext> retained;
  std::set<CUcontext> destroyed;
  std::atomic<bool> any_destroyed{false};
};
primary_contexts& primaries() {
  static auto& made = *new primary_contexts;
  return made;
}

bool destroyed(CUcontext context) {
  primary_contexts& p = primaries();
  if (!p.any_destroyed.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(p.mutex);
  return p.destroyed.count(context) != 0;
}

/// This thread's context, null where it has none that lives.
CUresult live_context(CUcontext* context) {
  const CUresult result = driver().legacy.cuCtxGetCurrent(context);
  if (result == CUDA_SUCCESS && *context != nullptr && destroyed(*context)) *context = nullptr;
  return result;
}

}  // namespace

CUresult primary_context(int device, CUcontext* context) {
  const driver_calls& calls = driver().legacy;
  CUdevice handle = 0;
  if (const CUresult r = calls.cuDeviceGet(&handle, device); r != CUDA_SUCCESS) return r;
  primary_contexts& p = primaries();
  const std::lock_guard lock(p.mutex);
  if (const auto at = p.retained.find(device); at != p.retained.end()) {
    *context = at->second;
    return CUDA_SUCCESS;
  }
  const CUresult result = calls.cuDevicePrimaryCtxRetain(context, handle);
  if (result != CUDA_SUCCESS) return result;
  p.retained[device] = *context;
  p.destroyed.erase(*context);  // a driver may use a handle again
  return CUDA_SUCCESS;
}

CUresult choose_device(int device) {
  CUcontext context = nullptr;
  if (const CUresult r = primary_context(device, &context); r != CUDA_SUCCESS) return r;
  chosen_device = device;
  return driver().legacy.cuCtxSetCurrent(context);
}

CUresult ensure_context() {
  CUcontext current = nullptr;
  const CUresult result = live_context(&current);
  if (result != CUDA_SUCCESS || current != nullptr) return result;
  return choose_device(chosen_device);
}

CUresult current_device(int* device) {
  CUcontext current = nullptr;
  if (const CUresult r = live_context(&current); r != CUDA_SUCCESS) return r;
  if (current != nullptr) return driver().legacy.cuCtxGetDevice(device);
  *device = chosen_device;
  return CUDA_SUCCESS;
}

CUresult reset_device() {
  const driver_calls& calls = driver().legacy;
  int device = 0;
  if (const CUresult r = current_device(&device); r != CUDA_SUCCESS) return r;
  CUdevice handle = 0;
  if (const CUresult r = calls.cuDeviceGet(&handle, device); r != CUDA_SUCCESS) return r;
  chosen_device = device;
  primary_contexts& p = primaries();
  const std::lock_guard lock(p.mutex);
  const CUresult result = calls.cuDevicePrimaryCtxReset(handle);
  if (const auto at = p.retained.find(device); result == CUDA_SUCCESS && at != p.retained.end()) {
    p.destroyed.insert(at->second);
    p.retained.erase(at);
    p.any_destroyed.store(true, std::memory_order_release);
  }
  return result;
}

}  // namespace streamcts::runtime
