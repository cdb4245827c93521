// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Unit tests call the runtime's objects, linked into the program, over the reference driver that
// they load by its path: it is then the process's libcuda.so.1.

#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <semaphore>
#include <string>

namespace streamcts::runtime {

inline void* reference_driver() {
  static void* loaded = dlopen(STREAMCTS_REFERENCE_DRIVER, RTLD_NOW | RTLD_LOCAL);
  return loaded;
}

/// The entry points of the other stream mode, which no header declares under their names.
#define STREAMCTS_PER_THREAD(name, suffix) extern "C" decltype(::name) name##suffix

class RuntimeTest : public ::testing::Test {
 protected:
  RuntimeTest() {
    if (reference_driver() == nullptr) ADD_FAILURE() << dlerror();
    cudaGetLastError();
  }
  ~RuntimeTest() override { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }
};

/// A stream that lives as long as the test.
struct test_stream {
  explicit test_stream(unsigned flags = cudaStreamNonBlocking) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&handle, flags), cudaSuccess);
  }
  test_stream(const test_stream&) = delete;
  test_stream& operator=(const test_stream&) = delete;
  ~test_stream() {
    EXPECT_EQ(cudaStreamSynchronize(handle), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(handle), cudaSuccess);
  }
  cudaStream_t handle = nullptr;
};

/// A host function that waits until the test lets it go on.
struct held_call {
  std::binary_semaphore begun{0}, go_on{0};

  static void CUDART_CB run(void* self) {
    auto& call = *static_cast<held_call*>(self);
    call.begun.release();
    call.go_on.acquire();
  }
};

/// Answers with @p code and leaves no last error behind.
inline void expect_error(cudaError_t result, cudaError_t code) {
  EXPECT_EQ(result, code) << cudaGetErrorName(result);
  EXPECT_EQ(cudaGetLastError(), code);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace streamcts::runtime
