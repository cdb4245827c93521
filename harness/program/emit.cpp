// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/emit.h"

#include <algorithm>
#include <utility>

#include "harness/program/emit_calls.h"
#include "harness/program/emit_text.h"
#include "harness/program/text.h"

namespace streamcts::program {
namespace reproducer {
namespace {

/// Each line behind `// `.
std::string as_comment(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += "// " + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class file_writer {
 public:
  explicit file_writer(const stream_program& p) : p_(p), m_(p), calls_(m_) {}

  std::string write(const std::string& comment) {
    buffers();
    host_calls();
    out_ += begin_main;
    objects();
    gatekeeper();
    operations();
    finish();
    out_ += end_main;
    const std::string body = std::exchange(out_, start(comment));
    names();
    const auto used = [&](std::string_view call) { return body.find(call) != std::string::npos; };
    if (used("fill(")) out_ += fill;
    if (used("look(")) out_ += look;
    if (used("holds(")) out_ += holds;
    if (used("wait_at(")) out_ += wait_at;
    if (!p_.graphs.empty()) out_ += graphs;
    out_ += body;
    return std::move(out_);
  }

 private:
  std::string start(const std::string& comment) const {
    std::string text =
        "// A reproducer. Build: nvcc -o reproducer reproducer.cu -lcuda -lnvrtc\n"
        "// Exit code: 0 all held, 1 a promise was broken, 2 no verdict.\n//\n";
    text += as_comment(comment) + as_comment(to_text(p_));
    text += head;
    return text + "static CUcontext context;\n";
  }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void names() {
    line("static const int items = {};", m_.items().size());
    out_ += "static const char* const names[] = {";
    for (const item& i : m_.items().items()) out_ += "\"" + item_name(p_, i) + "\", ";
    out_ += "nullptr};\nstatic std::atomic<int> calls[items + 1];\n";
    if (calls_.awaits()) out_ += "static std::atomic<bool> flags[items];\n";
  }

  void buffers() {
    for (std::size_t n = 0; n < p_.buffers.size(); ++n) {
      const buffer_decl& b = p_.buffers[n];
      if (!calls_.uses(n)) continue;
      line("static unsigned char* {0}; static CUdeviceptr device_{0};  // {1}, {2} bytes",
           b.name.view(), to_string(b.memory), b.bytes);
    }
    std::string all;
    for (std::size_t s = 0; s < p_.streams.size(); ++s) {
      all += (s == 0 ? "" : ", ") + calls_.stream(static_cast<index>(s));
    }
    if (!all.empty()) line("static CUstream {};", all);
  }

  void host_calls() {
    m_.items().host_calls().for_each([&](std::size_t x) { out_ += calls_.host_function(x); });
  }

  void objects() {
    for (std::size_t s = 0; s < p_.streams.size(); ++s) {
      const stream_decl& d = p_.streams[s];
      const std::string name = calls_.stream(static_cast<index>(s));
      if (d.kind == stream_kind::legacy) line("  {} = CU_STREAM_LEGACY;", name);
      else if (d.kind == stream_kind::per_thread) line("  {} = CU_STREAM_PER_THREAD;", name);
      else line("  OK(cuStreamCreateWithPriority(&{}, {}, {}));", name,
                d.kind == stream_kind::blocking ? "CU_STREAM_DEFAULT" : "CU_STREAM_NON_BLOCKING",
                d.priority);
    }
    for (std::size_t b = 0; b < p_.buffers.size(); ++b) {
      if (calls_.uses(b)) out_ += calls_.allocate(b);
    }
    for (const event_decl& e : p_.events) {
      line("  CUevent {0};\n  OK(cuEventCreate(&{0}, {1}));", calls_.name_of(e.name),
           (e.timing ? 0U : unsigned{CU_EVENT_DISABLE_TIMING_FLAG}) |
               (e.blocking_sync ? unsigned{CU_EVENT_BLOCKING_SYNC_FLAG} : 0U));
    }
    for (std::size_t g = 0; g < p_.graphs.size(); ++g) out_ += calls_.graph(g);
    line("  OK(cuCtxSynchronize());");
  }

  /// Holds until all is enqueued, or 300 ms have passed since a call may wait for the gate, and
  /// 200 ms more for whatever is wrong to show.
  void gatekeeper() {
    const int held = calls_.held();
    if (held < 0) return;
    const observer from{observer::place::gate_look, static_cast<index>(held)};
    line("  std::thread gatekeeper([] {{  // makes no CUDA call\n"
         "    for (int ms = 0; !enqueued && ms < 300; ++ms) sleep_ms(1);");
    if (calls_.front_gate() != 0) line("    store({}, 1);", calls_.front_gate());
    line("    sleep_ms(200);");
    out_ += calls_.look(from, "the look before " + calls_.item_title(held) + " is let go", "    ");
    line("    store({}, 1);\n  }});", calls_.gate());
  }

  void operations() {
    if (!m_.items().many_threads()) {
      for (std::size_t op = 0; op < p_.ops.size(); ++op) out_ += calls_.operation(op);
      line("  enqueued = true;");
    } else {
      line("  std::atomic<int> returned[{}];\n  for (auto& r : returned) r = -1;", limits::threads);
      line("  std::vector<std::thread> threads;");
      for (unsigned t = 0; t < limits::threads; ++t) thread(t);
      line("  for (auto& t : threads) t.join();\n  enqueued = true;");
    }
    if (calls_.held() >= 0) line("  gatekeeper.join();");
  }

  void thread(unsigned t) {
    const auto mine = [t](const program::operation& o) { return o.thread == t; };
    if (std::ranges::none_of(p_.ops, mine)) return;
    line("  threads.emplace_back([&] {{\n  OK(cuCtxSetCurrent(context));");
    for (std::size_t op = 0; op < p_.ops.size(); ++op) {
      if (p_.ops[op].thread != t) continue;
      const auto& earlier = m_.items().returned_before(op);
      for (std::size_t other = 0; other < limits::threads; ++other) {
        if (earlier[other] != none) {
          line("  while (returned[{}] < {}) sleep_ms(0);", other, earlier[other]);
        }
      }
      out_ += calls_.operation(op);
      line("  returned[{}] = {};", t, op);
    }
    line("  }});");
  }

  void finish() {
    line("  DO(cuCtxSynchronize());");
    out_ += calls_.look({observer::place::finish, none}, "the end", "  ");
    m_.items().host_calls().for_each([&](std::size_t x) {
      line("  if (calls[{0}] != 1) std::printf(\"BROKEN: expected one call of {1}, seen: %d\\n\", "
           "calls[{0}].load()), broken = true;",
           x, calls_.item_title(static_cast<int>(x)));
    });
  }

  static constexpr unsigned CU_EVENT_DISABLE_TIMING_FLAG = 2, CU_EVENT_BLOCKING_SYNC_FLAG = 1;
  const stream_program& p_;
  model m_;
  call_writer calls_;
  std::string out_;
};

}  // namespace
}  // namespace reproducer

bool can_emit(const stream_program& program) {
  const layout items(program);
  const bool own_default = std::ranges::any_of(program.ops, [&](const operation& o) {
    return (o.kind == op_kind::copy_sync || o.kind == op_kind::memset_sync) &&
           program.streams[at(o.stream)].kind == stream_kind::per_thread;
  });
  return !own_default && items.fault() < 0 && items.size() + program.buffers.size() <= 62 &&
         std::ranges::none_of(program.buffers, [](const buffer_decl& b) {
           return b.memory == memory_kind::managed;
         });
}

std::string emit(const stream_program& program, const std::string& comment) {
  return reproducer::file_writer(program).write(comment);
}

}  // namespace streamcts::program
