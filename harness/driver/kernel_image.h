// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/driver/stream.h"

namespace streamcts::driver {

/// How the kernels got to the device.
enum class kernel_loading { library, module };
/// "library" (cuLibraryLoadData) or "module" (cuModuleLoadData).
std::string_view to_string(kernel_loading how);

/// A loaded kernel; valid as long as its kernel_image.
struct kernel {
  CUfunction function = nullptr;  ///< of the module; null where loaded by library
  CUkernel library_kernel = nullptr;
  /// What cuLaunchKernel takes: either of the two.
  CUfunction launchable() const {
    return function ? function : reinterpret_cast<CUfunction>(library_kernel);
  }
};

/// Grid and block of a launch, one-dimensional.
struct launch_shape {
  unsigned blocks = 1;
  unsigned threads = 1;
};

/// The program's embedded kernels, loaded for the current context. Every kernel of kernels/ is
/// looked up at once, so that no look-up happens behind a closed gate.
class kernel_image {
 public:
  /// By cuLibraryLoadData, else by cuModuleLoadData. @throws call_error of the latter
  explicit kernel_image(const function_table& table);
  /// One way only. @throws call_error
  kernel_image(const function_table& table, kernel_loading how);
  /// Another image than the embedded one, with the kernels in @p names.
  kernel_image(const function_table& table, kernel_loading how,
               std::span<const unsigned char> image, std::span<const char* const> names);
  kernel_image(kernel_image&& other) noexcept;
  kernel_image& operator=(kernel_image&& other) noexcept;
  kernel_image(const kernel_image&) = delete;
  kernel_image& operator=(const kernel_image&) = delete;
  ~kernel_image();

  kernel_loading loading() const { return how_; }
  /// @p name as in kernels/: empty where the driver found no such kernel in the image.
  kernel find(std::string_view name) const;
  /// The same. @throws not_supported where there is none
  kernel get(std::string_view name) const;
  /// Never unloads it, as after a hang.
  void release();

 private:
  void load(std::span<const unsigned char> image, std::span<const char* const> names);
  void reset() noexcept;

  const function_table* table_;
  kernel_loading how_;
  CUlibrary library_ = nullptr;
  CUmodule module_ = nullptr;
  struct entry {
    std::string name;
    kernel found;
  };
  std::vector<entry> kernels_;
};

/// The names of all kernels in kernels/.
std::span<const char* const> kernel_names();

/// A stream, and where in the source the work is enqueued: made by the call itself from a handle or
/// a stream, so that an error names the caller's line.
struct on_stream {
  CUstream handle;
  std::source_location site;
  on_stream(CUstream value,  // NOLINT: implicit on purpose
            std::source_location where = std::source_location::current())
      : handle(value), site(where) {}
  on_stream(const stream& value,  // NOLINT: implicit on purpose
            std::source_location where = std::source_location::current())
      : handle(value.get()), site(where) {}
};

/// cuLaunchKernel, with the arguments packed by value. Their types must be those of the kernel's
/// parameters: same size, same order. @throws call_error, or not_supported for a kernel that the
/// image lacks
template <typename... Args>
void launch(const function_table& table, const kernel& which, launch_shape shape, on_stream where,
            Args... args) {
  if (which.launchable() == nullptr) throw not_supported("the driver found no such kernel");
  void* parameters[sizeof...(Args) + 1] = {static_cast<void*>(&args)..., nullptr};
  check(table.cuLaunchKernel(which.launchable(), shape.blocks, 1, 1, shape.threads, 1, 1, 0,
                             where.handle, parameters, nullptr),
        "cuLaunchKernel", where.site);
}

}  // namespace streamcts::driver
