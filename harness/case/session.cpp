// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/context.h"
#include "harness/driver/kernel_image.h"
#include "harness/driver/runtime_as_driver.h"
#include "harness/driver/stream.h"

namespace streamcts {

struct device_session::loaded {
  explicit loaded(const options& given)
      : library(driver::driver_library::open(given.driver_path)),
        legacy(library.functions(driver::stream_mode::legacy)),
        per_thread(library.functions(driver::stream_mode::per_thread)),
        context(initialized(legacy, given.device_ordinal)),
        image(legacy),
        kernels(legacy, image),
        per_thread_kernels(per_thread, image),
        keeper(given.calibration) {}

  static driver::context initialized(const driver::function_table& table, int ordinal) {
    driver::initialize(table);
    return driver::context::primary(table, ordinal);
  }

  driver::driver_library library;
  const driver::function_table& legacy;
  const driver::function_table& per_thread;
  driver::context context;
  driver::kernel_image image;
  driver::kernel_set kernels;
  driver::kernel_set per_thread_kernels;
  gatekeeper keeper;
};

/// The runtime makes no context of its own here: the session's is current.
struct device_session::opened_runtime {
  opened_runtime(const std::string& path, const loaded& under)
      : library(driver::runtime_library::open(path, under.library)),
        legacy(table(under.legacy, driver::stream_mode::legacy)),
        per_thread(table(under.per_thread, driver::stream_mode::per_thread)),
        image(legacy),
        // Kernels of a module are launched by the API that loaded it.
        kernels(image.loading() == driver::kernel_loading::library ? legacy : under.legacy, image),
        per_thread_kernels(
            image.loading() == driver::kernel_loading::library ? per_thread : under.per_thread,
            image) {
    const driver::stream warm(legacy, driver::stream_kind::non_blocking);
    kernels.warm_up(warm.get());
  }

  driver::function_table table(const driver::function_table& driver,
                               driver::stream_mode mode) const {
    return driver::runtime_as_driver(driver, library.functions(mode), mode);
  }

  driver::runtime_library library;
  driver::function_table legacy;
  driver::function_table per_thread;
  driver::kernel_image image;
  driver::kernel_set kernels;
  driver::kernel_set per_thread_kernels;
};

device_session::opened_runtime& device_session::open_runtime() {
  if (runtime_ == nullptr) {
    const driver::capabilities& have = given_.capabilities;
    if (!have.works(driver::feature::runtime)) {
      throw driver::not_supported("runtime = no (" + have.of(driver::feature::runtime).reason + ")");
    }
    runtime_ = std::make_unique<opened_runtime>(have.runtime_path, *loaded_);
  }
  return *runtime_;
}

device_session::device_session(options given)
    : given_(std::move(given)), loaded_(std::make_unique<loaded>(given_)) {
  const driver::stream warm(loaded_->legacy, driver::stream_kind::non_blocking);
  loaded_->kernels.warm_up(warm.get());
}

device_session::~device_session() = default;

const driver::driver_library& device_session::library() const { return loaded_->library; }
const driver::function_table& device_session::cuda(driver::stream_mode mode) const {
  return mode == driver::stream_mode::legacy ? loaded_->legacy : loaded_->per_thread;
}
const driver::kernel_set& device_session::kernels() const { return loaded_->kernels; }
const driver::function_table& device_session::cuda(api which, driver::stream_mode mode) {
  if (which == api::driver) return cuda(mode);
  const opened_runtime& r = open_runtime();
  return mode == driver::stream_mode::legacy ? r.legacy : r.per_thread;
}
const driver::kernel_set& device_session::kernels(api which, driver::stream_mode mode) {
  const bool legacy = mode == driver::stream_mode::legacy;
  if (which == api::driver) return legacy ? loaded_->kernels : loaded_->per_thread_kernels;
  const opened_runtime& r = open_runtime();
  return legacy ? r.kernels : r.per_thread_kernels;
}
const driver::runtime_table& device_session::runtime(driver::stream_mode mode) {
  return open_runtime().library.functions(mode);
}
gatekeeper& device_session::keeper() { return loaded_->keeper; }
CUcontext device_session::context() const { return loaded_->context.get(); }
CUdevice device_session::device() const { return loaded_->context.device(); }
void device_session::make_current() const { loaded_->context.make_current(); }

}  // namespace streamcts
