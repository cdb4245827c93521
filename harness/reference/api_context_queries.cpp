// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Queries and settings of the current context. None of the settings changes what is promised.

#include "harness/reference/entry.h"

using namespace streamcts::reference;

namespace {

std::shared_ptr<context> given_or_current(driver_lock& lock, CUcontext handle) {
  if (handle == nullptr) return current_context(lock);
  return contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace

STREAMCTS_ENTRY(cuCtxGetDevice, (CUdevice * device), (device)) {
  require(device != nullptr);
  driver_lock lock;
  *device = current_context(lock, true)->device;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetDevice_v2, (CUdevice * device, CUcontext handle), (device, handle)) {
  require(device != nullptr);
  driver_lock lock;
  *device = given_or_current(lock, handle)->device;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetFlags, (unsigned* flags), (flags)) {
  require(flags != nullptr);
  driver_lock lock;
  *flags = current_context(lock)->flags;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxSetFlags, (unsigned flags), (flags)) {
  require((flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0);
  driver_lock lock;
  current_context(lock)->flags = flags;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetId, (CUcontext handle, unsigned long long* id), (handle, id)) {
  require(id != nullptr);
  driver_lock lock;
  *id = given_or_current(lock, handle)->id;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetApiVersion, (CUcontext handle, unsigned* version), (handle, version)) {
  require(version != nullptr);
  driver_lock lock;
  *version = given_or_current(lock, handle)->version;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetStreamPriorityRange, (int* least, int* greatest), (least, greatest)) {
  driver_lock lock;
  current_context(lock);
  if (least != nullptr) *least = least_priority;
  if (greatest != nullptr) *greatest = greatest_priority;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetLimit, (size_t * value, CUlimit limit), (value, limit)) {
  require(value != nullptr && limit >= 0 && limit < CU_LIMIT_MAX);
  driver_lock lock;
  const auto c = current_context(lock);
  const auto set = c->limits.find(limit);
  constexpr std::size_t usual = 1024;
  *value = set == c->limits.end() ? usual : set->second;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxSetLimit, (CUlimit limit, size_t value), (limit, value)) {
  require(limit >= 0 && limit < CU_LIMIT_MAX);
  driver_lock lock;
  current_context(lock)->limits[limit] = value;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetCacheConfig, (CUfunc_cache * config), (config)) {
  require(config != nullptr);
  driver_lock lock;
  *config = current_context(lock)->cache;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxSetCacheConfig, (CUfunc_cache config), (config)) {
  driver_lock lock;
  current_context(lock)->cache = config;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxGetSharedMemConfig, (CUsharedconfig * config), (config)) {
  require(config != nullptr);
  driver_lock lock;
  *config = current_context(lock)->shared_memory;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuCtxSetSharedMemConfig, (CUsharedconfig config), (config)) {
  driver_lock lock;
  current_context(lock)->shared_memory = config;
  return CUDA_SUCCESS;
}

STREAMCTS_EXPORT cuCtxResetPersistingL2Cache() {
  return call([] {
    driver_lock lock;
    current_context(lock);
    return CUDA_SUCCESS;
  });
}

STREAMCTS_ENTRY(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), (peer, flags)) {
  require(flags == 0);
  driver_lock lock;
  const auto mine = current_context(lock);
  const auto other = contexts().get(peer, CUDA_ERROR_INVALID_CONTEXT);
  require(other->device != mine->device, CUDA_ERROR_INVALID_DEVICE);
  const bool added = mine->peers.insert(peer).second;
  return added ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

STREAMCTS_ENTRY(cuCtxDisablePeerAccess, (CUcontext peer), (peer)) {
  driver_lock lock;
  const bool removed = current_context(lock)->peers.erase(peer) > 0;
  return removed ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
