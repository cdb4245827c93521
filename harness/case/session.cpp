// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/context.h"
#include "harness/driver/kernel_image.h"
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
  gatekeeper keeper;
};

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
gatekeeper& device_session::keeper() { return loaded_->keeper; }
CUcontext device_session::context() const { return loaded_->context.get(); }
CUdevice device_session::device() const { return loaded_->context.device(); }
void device_session::make_current() const { loaded_->context.make_current(); }

}  // namespace streamcts
