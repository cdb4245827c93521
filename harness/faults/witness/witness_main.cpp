// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// faults_witness --driver PATH [--hold-ms N] [--cap-ms N] NAME... | shared | --list
//
// Runs witnesses one after the other on the driver at PATH. `shared` stands for every witness that
// may share a process with others. Exit status: 0 every promise was kept, 1 one was broken, 2 one
// could not be told (and none was broken), 64 wrong arguments.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::span<const witness> (*lists[])() = {
    start_witnesses,      blocking_witnesses,   event_witnesses,
    order_witnesses,      default_stream_witnesses, wait_witnesses,
    visibility_witnesses, count_witnesses,      status_witnesses,
    graph_witnesses,      managed_witnesses,    batch_witnesses,
    graph_node_witnesses, capture_witnesses,    memory_operation_witnesses,
    allocation_witnesses, runtime_witnesses};

template <typename F>
void for_each_witness(F&& f) {
  for (const auto list : lists) {
    for (const witness& each : list()) f(each);
  }
}

void start_device() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  MUST(cu().Init(0));
  MUST(cu().DeviceGet(&device, 0));
  MUST(cu().DevicePrimaryCtxRetain(&context, device));
  MUST(cu().CtxSetCurrent(context));
}

verdict run(const witness& w) {
  verdict result = verdict::cannot_tell;
  try {
    scene stage;
    try {
      w.run(stage);
    } catch (const std::exception& failed) {
      stage.cannot_tell(failed.what());
    }
    result = stage.result();
  } catch (const std::exception& failed) {
    std::printf("  cannot tell: %s\n", failed.what());
  }
  static constexpr const char* texts[] = {"kept", "broken", "cannot tell"};
  std::printf("%s: %s\n", w.name, texts[static_cast<int>(result)]);
  std::fflush(stdout);
  return result;
}

int usage(const char* what) {
  std::fprintf(stderr,
               "%s\nusage: faults_witness --driver PATH [--hold-ms N] [--cap-ms N] "
               "NAME... | shared | --list\n",
               what);
  return 64;
}

int run_all(const std::string& driver, const std::vector<std::string>& names) {
  std::vector<witness> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    for_each_witness([&](const witness& w) {
      if (name == w.name || (name == "shared" && !w.own_process)) chosen.push_back(w);
    });
    if (chosen.size() == before) return usage(("no witness is called " + name).c_str());
  }
  bool broken = false, unknown = false;
  try {
    open_driver(driver);
    start_device();
  } catch (const std::exception& failed) {
    std::printf("  cannot tell: %s\n", failed.what());
    return 2;
  }
  for (const witness& w : chosen) {
    const verdict result = run(w);
    broken = broken || result == verdict::broken;
    unknown = unknown || result == verdict::cannot_tell;
  }
  return broken ? 1 : unknown ? 2 : 0;
}

int main_program(int count, char** arguments) {
  std::string driver;
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--list") {
      for_each_witness([](const witness& w) {
        std::printf("%s%s\n", w.name, w.own_process ? " own-process" : "");
      });
      return 0;
    }
    if (argument == "--driver" || argument == "--hold-ms" || argument == "--cap-ms") {
      if (++i == count) return usage((argument + " wants a value").c_str());
      if (argument == "--driver") driver = arguments[i];
      const std::chrono::milliseconds time(std::atoi(arguments[i]));
      if (argument == "--hold-ms") set_hold_time(time);
      if (argument == "--cap-ms") set_hold_cap(time);
    } else {
      names.push_back(argument);
    }
  }
  if (driver.empty() || names.empty()) return usage("a driver and a name are wanted");
  return run_all(driver, names);
}

}  // namespace
}  // namespace streamcts::faults::witness

int main(int count, char** arguments) {
  return streamcts::faults::witness::main_program(count, arguments);
}
