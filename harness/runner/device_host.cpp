// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/device_host.h"

#include "harness/case/context.h"
#include "harness/driver/driver_library.h"
#include "harness/driver/result.h"

#include <fmt/format.h>

namespace streamcts::runner {

namespace {

class device_host : public case_host {
 public:
  explicit device_host(device_session::options options) : session_(std::move(options)) {
    check_identity();
  }
  case_outcome run(const case_instance& instance, std::uint64_t seed) override {
    return run_case(session_, instance, seed);
  }

 private:
  /// What was found out about one driver says nothing about another.
  void check_identity() const {
    const driver::capabilities& probed = session_.given().capabilities;
    const driver::driver_library& here = session_.library();
    if (here.build_id() != probed.driver_build_id || here.path() != probed.driver_path) {
      throw start_error(
          start_failure::mismatch,
          fmt::format("the capabilities are those of {} (build {}), and the driver is {} (build "
                      "{}); probe it with 'streamcts probe --out FILE'",
                      probed.driver_path, probed.driver_build_id, here.path(), here.build_id()));
    }
    char name[256] = {};
    STREAMCTS_CHECK(session_.cuda(driver::stream_mode::legacy)
                        .cuDeviceGetName(name, sizeof name - 1, session_.device()));
    if (name != probed.device_name) {
      throw start_error(
          start_failure::mismatch,
          fmt::format("the capabilities are those of a device '{}', and this one is '{}'; probe it "
                      "with 'streamcts probe --out FILE'",
                      probed.device_name, name));
    }
  }

  device_session session_;
};

start_failure cause_of(const driver::load_error& error) {
  switch (error.why()) {
    case driver::load_error::cause::not_found: return start_failure::not_found;
    case driver::load_error::cause::does_not_load: return start_failure::does_not_load;
    case driver::load_error::cause::not_a_driver: return start_failure::not_a_driver;
  }
  return start_failure::other;
}

}  // namespace

void translate_start_errors(const std::function<void()>& action) {
  try {
    action();
  } catch (const driver::load_error& error) {
    throw start_error(cause_of(error), error.what());
  } catch (const driver::call_error& error) {
    // Whatever its name, a driver that fails here has no device that could be used.
    throw start_error(start_failure::no_device, error.what());
  } catch (const driver::not_supported& error) {
    throw start_error(start_failure::no_device, error.what());
  }
}

std::unique_ptr<case_host> make_device_host(const host_order& order) {
  device_session::options options;
  options.driver_path = order.driver;
  options.capabilities = order.capabilities;
  options.calibration = order.limits;
  options.device_ordinal = order.device_ordinal;
  options.run_tier = order.run_tier;
  std::unique_ptr<case_host> host;
  translate_start_errors([&] { host = std::make_unique<device_host>(std::move(options)); });
  return host;
}

}  // namespace streamcts::runner
