// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The process in which calls are made inside host calls. It may hang or crash.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <optional>
#include <stdexcept>

#include "conformance/observations/inside.h"
#include "harness/case/side_task.h"
#include "harness/driver/context.h"
#include "harness/driver/graph.h"
#include "harness/driver/kernel_image.h"
#include "harness/driver/kernels.h"
#include "harness/driver/memory.h"
#include "harness/driver/stream.h"
#include "harness/observe/gate.h"

namespace streamcts::inside {

namespace {

constexpr std::size_t bytes = 64 * 1024;

/// One try: what the host call is told and what it leaves.
struct attempt {
  surroundings* with;
  const call* what;
  std::atomic<bool> done{false};
  int code = 0;

  void make() {
    code = what->make(*with);
    done.store(true, std::memory_order_release);
  }
  static void CUDA_CB callback(CUstream, CUresult, void* self) {
    static_cast<attempt*>(self)->make();
  }
  static void CUDA_CB function(void* self) { static_cast<attempt*>(self)->make(); }
};

/// Fresh things for each try, which are not given back: what a call left of them is unknown.
class stage {
 public:
  stage(const driver::driver_library& library, const std::string& runtime_path, int ordinal)
      : cuda_(library.functions(driver::stream_mode::legacy)),
        context_((driver::initialize(cuda_), driver::context::primary(cuda_, ordinal))),
        image_(cuda_),
        kernels_(cuda_, image_) {
    if (!runtime_path.empty()) runtime_.emplace(driver::runtime_library::open(runtime_path, library));
    const driver::stream warm(cuda_, driver::stream_kind::non_blocking);
    kernels_.warm_up(warm.get());
    if (runtime_) (void)runtime()->cudaSetDevice(ordinal);
  }

  surroundings fresh() {
    surroundings made{.cuda = cuda_, .runtime = runtime()};
    made.device = context_.device();
    made.context = context_.get();
    made.own = driver::stream(cuda_, driver::stream_kind::non_blocking).release();
    made.idle = driver::stream(cuda_, driver::stream_kind::non_blocking).release();
    for (CUevent* each : {&made.event, &made.timed[0], &made.timed[1]}) {
      driver::event event(cuda_, each == &made.event ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT);
      event.record(made.idle);
      event.synchronize();
      *each = event.release();
    }
    made.memory = driver::device_buffer(cuda_, bytes).release();
    made.pinned = driver::host_buffer(cuda_, bytes).release();
    (void)cuda_.cuMemAllocManaged(&made.managed, bytes, CU_MEM_ATTACH_GLOBAL);
    driver::graph graph(cuda_);
    graph.add_empty();
    made.executable = driver::graph_exec(graph).release();
    made.graph = graph.release();
    made.kernel = kernels_.get().write_pattern.launchable();
    return made;
  }
  const driver::runtime_table* runtime() const {
    return runtime_ ? &runtime_->functions(driver::stream_mode::legacy) : nullptr;
  }

 private:
  const driver::function_table& cuda_;
  driver::context context_;
  driver::kernel_image image_;
  driver::kernel_set kernels_;
  std::optional<driver::runtime_library> runtime_;
};

const call& call_at(std::size_t index) {
  const std::size_t of_driver = driver_calls().size();
  return index < of_driver ? driver_calls()[index] : runtime_calls()[index - of_driver];
}

void say(const side_lines& out, const char* what, std::size_t index, int code) {
  char line[64];
  std::snprintf(line, sizeof line, "%s %zu %d", what, index, code);
  out.say(line);
}

/// Makes call @p index inside a host call and waits for it, for ever: the parent has the watch.
void try_call(stage& on, std::size_t index, bool in_callback, const side_lines& out) {
  // Both outlive a host call that comes late.
  static auto* settings = new std::deque<surroundings>;
  static auto* attempts = new std::deque<attempt>;
  surroundings& with = settings->emplace_back(on.fresh());
  attempt& now = attempts->emplace_back();
  now.with = &with;
  now.what = &call_at(index);
  say(out, "begin", index, 0);
  const CUresult code =
      in_callback ? with.cuda.cuStreamAddCallback(with.own, &attempt::callback, &now, 0)
                  : with.cuda.cuLaunchHostFunc(with.own, &attempt::function, &now);
  driver::check(code, in_callback ? "cuStreamAddCallback" : "cuLaunchHostFunc");
  for (unsigned step = 0; !now.done.load(std::memory_order_acquire); ++step) relax_thread(step);
  say(out, "end", index, now.code);
}

/// Arguments: driver, runtime or nothing, device, "callback" or "host_function", first call, and the
/// one behind the last.
int run(const side_arguments& arguments, const side_lines& out) {
  if (arguments.size() != 6) throw std::invalid_argument("six arguments are needed");
  const driver::driver_library library = driver::driver_library::open(arguments[0]);
  stage on(library, arguments[1], std::stoi(arguments[2]));
  out.say("ready");
  const bool in_callback = arguments[3] == "callback";
  const std::size_t all = driver_calls().size() + (on.runtime() ? runtime_calls().size() : 0);
  const std::size_t last = std::min<std::size_t>(std::stoul(arguments[5]), all);
  for (std::size_t i = std::stoul(arguments[4]); i < last; ++i) try_call(on, i, in_callback, out);
  return 0;
}
const side_task task("calls_inside", &run);

}  // namespace

}  // namespace streamcts::inside
