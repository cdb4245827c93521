// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a fault leaves behind once its process has ended: nothing.

#include <fmt/format.h>

#include <atomic>

#include "conformance/callback/fault_scene.h"
#include "conformance/clauses/clauses.h"
#include "harness/case/side_task.h"
#include "harness/observe/payload.h"

namespace streamcts {
namespace {

/// All that a process needs to use the device.
struct device_use {
  driver::driver_library library;
  const driver::function_table& cuda;
  driver::context context;
  driver::kernel_image image;
  driver::kernel_set kernels;
  driver::stream stream;

  device_use(const std::string& path, int ordinal)
      : library(driver::driver_library::open(path)),
        cuda(library.functions(driver::stream_mode::legacy)),
        context(begun(cuda, ordinal)),
        image(cuda),
        kernels(cuda, image),
        stream(cuda, driver::stream_kind::non_blocking) {}

 private:
  static driver::context begun(const driver::function_table& table, int ordinal) {
    driver::initialize(table);
    return driver::context::primary(table, ordinal);
  }
};

/// A kernel writes, a callback behind it looks. @return what was seen, in one line.
std::string use_device(device_use& device) {
  payload& out = *new payload(device.cuda, memory_kind::mapped, payload::visibility_words);
  host_call_slot& call = *new host_call_slot;
  static sighting seen;
  out.begin_round(kernels::ramp(7));
  call.at_start = [&out] { seen = out.look(); };
  device.kernels.write_pattern(device.stream.get(), out.target(), out.words(), out.expected());
  call.enqueue(device.cuda, host_call::add_callback, device.stream.get());
  const CUresult code = device.cuda.cuStreamSynchronize(device.stream.get());
  if (code != CUDA_SUCCESS) return std::string(driver::result_name(code));
  if (!call.ended()) return "the callback did not run";
  if (call.status() != CUDA_SUCCESS) return "the callback was told of an error";
  return seen.good() ? "as usual" : describe(seen);
}

/// Arguments: the driver's path, the device's number, and "fault" or "use".
int device_task(const side_arguments& arguments, const side_lines& out) {
  try {
    static auto& device = *new device_use(arguments.at(0), std::stoi(arguments.at(1)));
    if (arguments.at(2) == "use") {
      out.say(use_device(device));
      return 0;
    }
    device.kernels.fault_trap(device.stream.get());
    out.say(driver::result_name(device.cuda.cuStreamSynchronize(device.stream.get())));
  } catch (const std::exception& failed) {
    out.say(failed.what());
  }
  return 0;
}

const side_task registered("error_in_new_process", &device_task);

std::string run_in_process(case_context& context, const char* what) {
  const device_session::options& given = context.session().given();
  const side_end end =
      run_side_task("error_in_new_process",
                    {given.driver_path, std::to_string(given.device_ordinal), what},
                    context.calibration().patience(), 2 * context.calibration().patience());
  if (end.ended == side_end::how::not_started) {
    context.inconclusive("resource: a process could not be started");
  }
  return end.lines.empty() ? "nothing: the process hung or crashed" : end.lines.back();
}

// Promise:   ER-STICKY-007. When the process that faulted has ended, a new process can use the device as
//            ever.
// Defect:    the error is kept where the next process finds it: its synchronize answers an error, or its
//            callback is told of one.
// Any speed: the second process is started once the first has ended.
STREAMCTS_CASE(new_process, {.arrangement = "error/new_process",
                             .clauses = {clause::ER_STICKY_007},
                             .where = isolation::own_process,
                             .needs = {need::mapped_memory, need::faults},
                             .without_hold = "two processes one after the other"}) {
  for (int round = 0; round < context.by_tier(1, 3, 20); ++round) {
    context.count_round();
    const std::string fault = run_in_process(context, "fault");
    if (fault == "CUDA_SUCCESS") context.inconclusive("the fault did not show");
    if (round == 0) context.observe("code in the process that faulted", fault);
    if (!context.expect(clause::ER_STICKY_007, failure_kind::status, "a process after the fault",
                        run_in_process(context, "use"), testing::Eq("as usual"))) {
      return;
    }
  }
}

}  // namespace
}  // namespace streamcts
