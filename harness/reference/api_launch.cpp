// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel launches.

#include "harness/reference/entry.h"
#include "harness/reference/module.h"
#include "harness/reference/operations.h"

using namespace streamcts::reference;

namespace {

struct shape {
  unsigned grid[3], block[3], shared_bytes;
};

kernel_launch make_launch(driver_lock& lock, CUfunction handle, const shape& s, void** parameters,
                          void** extra) {
  kernel_launch launch;
  launch.kernel = function_of(lock, handle)->kernel;
  launch.function = handle;
  std::copy(s.grid, s.grid + 3, launch.grid);
  std::copy(s.block, s.block + 3, launch.block);
  launch.shared_bytes = s.shared_bytes;
  check_shape(launch);
  take_parameters(launch, parameters, extra);
  return launch;
}

// The events that a launch may name complete, at the latest, with the kernel. Earlier completion is
// best effort (PD-003), and this driver makes none.
void record_launch_events(driver_lock& lock, stream& s, const CUlaunchConfig& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& a = config.attrs[i];
    if (a.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT) {
      record(lock, *events().get(a.value.launchCompletionEvent.event), s);
    } else if (a.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) {
      record(lock, *events().get(a.value.programmaticEvent.event), s);
    }
  }
}

CUresult launch(default_stream mode, CUfunction f, const shape& shape, CUstream in,
                void** parameters, void** extra) {
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, in, mode);
  perform(lock, *s, make_launch(lock, f, shape, parameters, extra));
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuLaunchKernel, _ptsz,
                       (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream in, void** parameters,
                        void** extra),
                       (f, gx, gy, gz, bx, by, bz, shared, in, parameters, extra)) {
  return launch(mode, f, {{gx, gy, gz}, {bx, by, bz}, shared}, in, parameters, extra);
}

STREAMCTS_STREAM_ENTRY(cuLaunchCooperativeKernel, _ptsz,
                       (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream in, void** parameters),
                       (f, gx, gy, gz, bx, by, bz, shared, in, parameters)) {
  return launch(mode, f, {{gx, gy, gz}, {bx, by, bz}, shared}, in, parameters, nullptr);
}

STREAMCTS_STREAM_ENTRY(cuLaunchKernelEx, _ptsz,
                       (const CUlaunchConfig* config, CUfunction f, void** parameters,
                        void** extra),
                       (config, f, parameters, extra)) {
  require(config != nullptr && (config->numAttrs == 0 || config->attrs != nullptr));
  const CUlaunchConfig& c = *config;
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, c.hStream, mode);
  const shape shape{{c.gridDimX, c.gridDimY, c.gridDimZ},
                    {c.blockDimX, c.blockDimY, c.blockDimZ},
                    c.sharedMemBytes};
  const item_ptr item = perform(lock, *s, make_launch(lock, f, shape, parameters, extra));
  if (item != nullptr) record_launch_events(lock, *s, c);
  return CUDA_SUCCESS;
}
