// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/device_probe.h"

#include <fmt/format.h>

#include <optional>

#include "harness/driver/driver_library.h"
#include "harness/driver/probe.h"
#include "harness/driver/runtime.h"
#include "harness/runner/calibrate.h"
#include "harness/runner/device_host.h"

namespace streamcts::runner {

namespace {

/// The device's name, by which the reference driver is known, whatever lies in front of it.
std::string device_name(const driver::driver_library& library, int ordinal) {
  const driver::function_table& cuda = library.functions(driver::stream_mode::legacy);
  CUdevice device = 0;
  char name[256] = {};
  if (cuda.cuInit(0) != CUDA_SUCCESS || cuda.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS ||
      cuda.cuDeviceGetName(name, sizeof name - 1, device) != CUDA_SUCCESS) {
    return {};  // the probe will say what is wrong
  }
  return name;
}

std::string runtime_path(const host_order& host, const driver::driver_library& library) {
  if (host.runtime != "system" || host.reference_runtime.empty()) return host.runtime;
  driver::capabilities bottom;
  bottom.device_name = device_name(library, host.device_ordinal);
  return bottom.is_reference() ? host.reference_runtime : host.runtime;
}

/// Opens the runtime under test; where there is none, the probe gives the reason.
std::optional<driver::runtime_library> open_runtime(const child_order& order,
                                                    const driver::driver_library& library,
                                                    driver::probe& probe) {
  const std::string path = runtime_path(order.host, library);
  if (path == "none") {
    probe.no_runtime("--runtime none");
    return std::nullopt;
  }
  try {
    return driver::runtime_library::open(path, library);
  } catch (const driver::load_error& error) {
    // A runtime that was named must be there; the default one may be absent.
    if (order.host.runtime != "system") throw;
    probe.no_runtime(error.what());
  } catch (const driver::not_supported& error) {
    probe.no_runtime(error.what());
  }
  return std::nullopt;
}

driver::capabilities find_capabilities(const child_order& order, probe_listener& listener) {
  listener.step(load_step);
  const auto library = driver::driver_library::open(order.host.driver);
  driver::probe_options options;
  options.device_ordinal = order.host.device_ordinal;
  options.patience = order.patience;
  options.skip = order.skip;
  options.on_step = [&](std::string_view name) { listener.step(name); };
  options.on_result = [&](driver::feature which, const driver::ability& ability) {
    listener.result(which, ability);
  };
  driver::probe probe(library, options);
  const auto runtime = open_runtime(order, library, probe);
  if (runtime) probe.use_runtime(*runtime);
  return probe.run();
}

}  // namespace

probe_facts probe_device(const child_order& order, probe_listener& listener) {
  probe_facts facts;
  translate_start_errors([&] { facts.capabilities = find_capabilities(order, listener); });
  if (!order.calibrate) {
    facts.limits_note = "assumed, not measured: calibration did not end";
    return facts;
  }
  listener.step(calibration_step);
  try {
    device_session::options options;
    options.driver_path = order.host.driver;
    options.capabilities = facts.capabilities;
    options.device_ordinal = order.host.device_ordinal;
    device_session session(std::move(options));
    const measured_limits measured = calibrate(session);
    facts.limits = measured.limits;
    facts.limits_note = measured.note;
  } catch (const std::exception& error) {
    facts.limits_note = fmt::format("assumed, not measured: {}", error.what());
  }
  return facts;
}

}  // namespace streamcts::runner
