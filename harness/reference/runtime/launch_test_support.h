// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>

#include "harness/reference/runtime/test_support.h"

// nvcc's own entry points, which no header declares.
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
}

namespace streamcts::runtime {

// Their addresses stand for kernels and variables, as host twins do in a program of nvcc's.
inline char write_twin, add_twin, unknown_twin, variable_twin;
inline void* managed_twin = nullptr;

/// A fat binary with two kernels that the driver knows, and some things that it does not.
class RuntimeLaunch : public RuntimeTest {
 protected:
  RuntimeLaunch() {
    binary_ = __cudaRegisterFatBinary(&wrapper_);
    const auto add = [&](char* twin, const char* name) {
      __cudaRegisterFunction(binary_, twin, twin, name, -1, nullptr, nullptr, nullptr, nullptr,
                             nullptr);
    };
    add(&write_twin, "streamcts_write_pattern");
    add(&add_twin, "streamcts_add");
    add(&unknown_twin, "no_such_kernel");
    __cudaRegisterVar(binary_, &variable_twin, &variable_twin, "variable", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(binary_);
    EXPECT_EQ(cudaMallocManaged(&memory_, sizeof(std::uint64_t) * 64, cudaMemAttachGlobal),
              cudaSuccess);
    words_ = static_cast<std::uint64_t*>(memory_);
  }
  ~RuntimeLaunch() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
    __cudaUnregisterFatBinary(binary_);
  }
  /// The arguments of streamcts_write_pattern for 64 words of base + 2 i.
  void** write_arguments(std::uint64_t base) {
    base_ = base;
    return write_.data();
  }
  void expect_written(std::uint64_t base) {
    EXPECT_EQ(words_[0], base);
    EXPECT_EQ(words_[63], base + 126);
  }

  void** binary_ = nullptr;
  void* memory_ = nullptr;
  std::uint64_t* words_ = nullptr;
  std::uint64_t base_ = 0, count_ = 64, step_ = 2, late_ = 0, one_ = 1;
  std::array<void*, 5> write_{&memory_, &count_, &base_, &step_, &late_};
  std::array<void*, 2> add_{&memory_, &one_};

 private:
  struct {
    int magic = 0x466243b1, version = 1;
    const char* data = "the reference ignores the image";
    void* rest = nullptr;
  } wrapper_;
};

}  // namespace streamcts::runtime
