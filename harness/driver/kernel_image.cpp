// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/kernel_image.h"

#include <array>
#include <utility>

#include "kernels/embedded.h"

namespace streamcts::driver {
namespace {

constexpr std::array names = {
    "streamcts_add",
    "streamcts_alternate",
    "streamcts_check",
    "streamcts_copy_words",
    "streamcts_count",
    "streamcts_delay",
    "streamcts_fault_assert",
    "streamcts_fault_illegal_address",
    "streamcts_fault_misaligned",
    "streamcts_fault_trap",
    "streamcts_gate",
    "streamcts_gated_copy",
    "streamcts_gated_write",
    "streamcts_hash_step",
    "streamcts_message",
    "streamcts_scatter",
    "streamcts_signal",
    "streamcts_write_pattern"};

}  // namespace

std::string_view to_string(kernel_loading how) {
  return how == kernel_loading::library ? "library" : "module";
}

std::span<const char* const> kernel_names() {
  return names;
}

kernel_image::kernel_image(const function_table& table)
    : table_(&table), how_(kernel_loading::library) {
  try {
    load(kernels::embedded_image(), names);
  } catch (const call_error&) {
    reset();
    how_ = kernel_loading::module;
    load(kernels::embedded_image(), names);
  }
}

kernel_image::kernel_image(const function_table& table, kernel_loading how)
    : kernel_image(table, how, kernels::embedded_image(), names) {}

kernel_image::kernel_image(const function_table& table, kernel_loading how,
                           std::span<const unsigned char> image,
                           std::span<const char* const> wanted)
    : table_(&table), how_(how) {
  load(image, wanted);
}

kernel_image::kernel_image(kernel_image&& other) noexcept
    : table_(other.table_),
      how_(other.how_),
      library_(std::exchange(other.library_, nullptr)),
      module_(std::exchange(other.module_, nullptr)),
      kernels_(std::exchange(other.kernels_, {})) {}

kernel_image& kernel_image::operator=(kernel_image&& other) noexcept {
  if (this != &other) {
    reset();
    table_ = other.table_;
    how_ = other.how_;
    library_ = std::exchange(other.library_, nullptr);
    module_ = std::exchange(other.module_, nullptr);
    kernels_ = std::exchange(other.kernels_, {});
  }
  return *this;
}

kernel_image::~kernel_image() {
  reset();
}

void kernel_image::release() {
  library_ = nullptr;
  module_ = nullptr;
}

/// A kernel that the image lacks is no error until somebody asks for it: an older image, or a
/// driver that knows fewer kernels, can do what it can.
void kernel_image::load(std::span<const unsigned char> image, std::span<const char* const> wanted) {
  if (how_ == kernel_loading::library) {
    STREAMCTS_CHECK(table_->cuLibraryLoadData(&library_, image.data(), nullptr, nullptr, 0, nullptr,
                                              nullptr, 0));
  } else {
    STREAMCTS_CHECK(table_->cuModuleLoadData(&module_, image.data()));
  }
  for (const char* name : wanted) {
    kernel found;
    const CUresult result = how_ == kernel_loading::library
                                ? table_->cuLibraryGetKernel(&found.library_kernel, library_, name)
                                : table_->cuModuleGetFunction(&found.function, module_, name);
    if (result == CUDA_ERROR_NOT_FOUND) continue;
    if (result != CUDA_SUCCESS) reset();
    check(result, how_ == kernel_loading::library ? "cuLibraryGetKernel" : "cuModuleGetFunction");
    kernels_.push_back({name, found});
  }
}

void kernel_image::reset() noexcept {
  if (library_ != nullptr) report_destroy("cuLibraryUnload", table_->cuLibraryUnload(library_));
  if (module_ != nullptr) report_destroy("cuModuleUnload", table_->cuModuleUnload(module_));
  release();
  kernels_.clear();
}

kernel kernel_image::find(std::string_view name) const {
  for (const entry& e : kernels_) {
    if (e.name == name) return e.found;
  }
  return {};
}

kernel kernel_image::get(std::string_view name) const {
  const kernel found = find(name);
  if (found.launchable() != nullptr) return found;
  throw not_supported("the driver found no kernel '" + std::string(name) + "' in the image");
}

}  // namespace streamcts::driver
