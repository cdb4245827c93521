// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/driver/functions.h"

namespace streamcts::driver {

/// A library could not be had. what() is one line: the input, what is wrong with it, the remedy.
class load_error : public std::runtime_error {
 public:
  enum class cause {
    not_found,      ///< there is no such file, or the loader finds none
    does_not_load,  ///< it is there and dlopen refuses it
    not_a_driver,   ///< it loads and lacks the functions every driver has, or is the toolkit's stub
  };
  load_error(cause why, const std::string& message) : std::runtime_error(message), why_(why) {}
  cause why() const { return why_; }

 private:
  cause why_;
};

/// The driver under test: a library with libcuda's interface, in this process.
///
/// Never unloaded: drivers start threads, register exit handlers and hand out function pointers
/// (callbacks that may still run), so that unloading one crashes where it does anything at all. The
/// tables therefore stay valid for the rest of the process, also after the object is gone or moved.
/// Const members are safe from any thread.
class driver_library {
 public:
  /// Loads @p path, or "system" for the loader's libcuda.so.1, privately (RTLD_LOCAL).
  ///
  /// Functions are asked for by `cuGetProcAddress_v2`, else by the older `cuGetProcAddress`, else
  /// by their exported symbols; all three by plain dlsym, which is what interposers that sit in
  /// front of a driver by LD_PRELOAD hook. Makes no call but cuGetProcAddress and
  /// cuDriverGetVersion.
  /// @throws load_error
  static driver_library open(const std::string& path);

  const function_table& functions(stream_mode mode) const;

  /// cuDriverGetVersion: 1000 * major + 10 * minor.
  int version() const;
  /// Real path of the file that was loaded; what @p path of open() led to.
  const std::string& path() const;
  /// GNU build id of that file as it is mapped, in hexadecimal; empty if it has none.
  const std::string& build_id() const;
  /// How the functions were found: "cuGetProcAddress_v2", "cuGetProcAddress" or "symbols".
  const std::string& lookup() const;
  /// The loader's handle of the library, to compare with.
  void* loader_handle() const;

  /// Files mapped at this moment that answer for CUDA: everything named like a library of NVIDIA's
  /// or of the runtime, and whatever file a function of the tables lies in. This shows interposers.
  std::vector<std::string> mapped_files() const;

 private:
  struct state;
  explicit driver_library(const state* loaded) : state_(loaded) {}
  const state* state_;
};

/// cuInit(0). @throws call_error
void initialize(const function_table& table);

}  // namespace streamcts::driver
