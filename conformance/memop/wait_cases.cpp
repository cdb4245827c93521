// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Value waits: what is behind them waits until memory satisfies the condition.

#include <span>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/memop/operations.h"
#include "kernels/parameters.h"

namespace streamcts {
namespace {

/// What stands behind the wait.
enum class behind {
  kernel,
  copy,
  graph,
  callback,
  host_function,
  event_query,
  stream_synchronize,
};
std::string_view name(behind what) {
  switch (what) {
    case behind::kernel: return "kernel";
    case behind::copy: return "copy";
    case behind::graph: return "graph";
    case behind::callback: return "callback";
    case behind::host_function: return "host_function";
    case behind::event_query: return "event_query";
    case behind::stream_synchronize: return "stream_synchronize";
  }
  return "unknown";
}

bool is_host_call(behind what) {
  return what == behind::callback || what == behind::host_function;
}

/// What device work behind the wait found in the gate's word; one word of payload.
struct snapshot {
  snapshot(case_context& context, CUdeviceptr word)
      : taken(context.cuda(), memory_kind::mapped, payload::visibility_words),
        aside(context.cuda(), sizeof(std::uint64_t)),
        graph(context.cuda()) {
    graph.add_kernel(context.kernels().get().copy_words, {1, 32}, {}, taken.target(), word,
                     std::uint64_t{1});
  }
  /// After everything has finished. A copy leaves it on the device: one between host memories may
  /// wait for the stream when it is enqueued.
  std::uint64_t seen(const driver::function_table& cuda, behind by) const {
    if (by != behind::copy) return taken.host_words()[0];
    std::uint64_t word = 0;
    STREAMCTS_CHECK(cuda.cuMemcpyDtoH(&word, aside.address(), sizeof word));
    return word;
  }

  payload taken;
  driver::device_buffer aside;
  driver::graph graph;
};

/// Lets device work of kind @p what take a snapshot of @p word.
void take(case_context& context, behind what, lane& on, CUdeviceptr word, const void* host,
          const snapshot& into, const std::optional<driver::graph_exec>& graph) {
  if (what == behind::graph) return graph->launch(on.get());
  if (what == behind::copy) {
    STREAMCTS_CHECK(context.cuda().cuMemcpyHtoDAsync(into.aside.address(), host, 8, on.get()));
    return;
  }
  context.kernels().copy_words(on.get(), into.taken.target(), word, 1, {1, 32});
}

// Promise:   MO-WAIT-001. A value wait holds back all later work of its stream, host calls and waits of
//            the host too, until memory satisfies its condition.
// Defect:    the wait is ignored, or holds back kernels alone. What is behind it finds the word as it was
//            before the host wrote it, or has returned before.
// Any speed: the host writes the word only after what is behind had its chance; what that found of the
//            word stays.
STREAMCTS_CASE(value_wait_holds,
               {.arrangement = "memop/wait_holds",
                .clauses = {clause::MO_WAIT_001},
                .axes = {make_axis<behind>("behind", {behind::kernel, behind::copy, behind::graph,
                                                      behind::callback, behind::host_function,
                                                      behind::event_query,
                                                      behind::stream_synchronize}),
                         memop_forms(), streams()},
                .needs = {need::mapped_memory, need::value_wait}}) {
  const auto form = context.get<memop_form>("form");
  const auto what = context.get<behind>("behind");
  require_memop(context, form);
  if (what == behind::graph) require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  mark& event = scene.event();
  control_page page(context.cuda());
  const control_word word = page.next();
  const control_word begun = page.next();
  snapshot after(context, word.device());
  std::optional<driver::graph_exec> graph;
  if (what == behind::graph) {
    graph.emplace(after.graph);
    graph->launch(stream.get());
    stream.stream.synchronize();
  }
  while (scene.next_round(context.by_tier(2, 4, 40))) {
    after.taken.begin_round(kernels::ramp(context.next_epoch()));
    scene.gate_by(word, begun);
    observer* call = nullptr;
    host_wait* wait = nullptr;
    gate::state at_start = gate::state::shut;
    operation victim{}, next{};
    scene.hold_work([&] {
      victim = scene.note(stream, "wait for a value");
      const gate& held = scene.victim_gate();
      wait_value(context.cuda(), form, stream.get(), word.device(), kernels::gate_opened,
                 CU_STREAM_WAIT_VALUE_EQ);
      if (is_host_call(what)) {
        call = &scene.host_call(what == behind::callback ? host_call::add_callback
                                                         : host_call::launch_host_func);
        call->finally([&] { at_start = held.now(); });
        next = scene.enqueue(stream, *call);
      } else if (what == behind::event_query) {
        scene.record(event, stream);
        wait = &scene.poll(event);
      } else if (what == behind::stream_synchronize) {
        wait = &scene.synchronize(stream);
      } else {
        next = scene.note(stream, fmt::format("{} behind it", name(what)));
        take(context, what, stream, word.device(), word.host(), after, graph);
      }
    });
    scene.drain();
    if (call != nullptr) {
      scene.expect(clause::MO_WAIT_001, victim, next, failure_kind::early, at_start, IsNotHeld());
    } else if (wait != nullptr) {
      scene.expect_covered(clause::MO_WAIT_001, victim, *wait);
    } else {
      scene.expect(clause::MO_WAIT_001, victim, next, failure_kind::early, after.seen(context.cuda(), what),
                   ::testing::Eq(std::uint64_t{kernels::gate_opened}));
    }
  }
}

/// A row of the table: what is in memory, what is waited for, and whether that is satisfied; and what
/// satisfies it where it is not.
struct row {
  const char* what;
  unsigned condition;
  std::uint64_t value;
  std::uint64_t memory;
  bool satisfied;
  std::uint64_t release;
};

constexpr std::uint64_t high = 0x80000000u;
constexpr std::uint64_t all32 = 0xFFFFFFFFu;

constexpr row rows_32[] = {
    {"geq equal", CU_STREAM_WAIT_VALUE_GEQ, 5, 5, true, 0},
    {"geq above", CU_STREAM_WAIT_VALUE_GEQ, 5, 6, true, 0},
    {"geq below", CU_STREAM_WAIT_VALUE_GEQ, 5, 4, false, 5},
    {"geq below a great value", CU_STREAM_WAIT_VALUE_GEQ, high, high - 1, false, high},
    {"geq past 2^31", CU_STREAM_WAIT_VALUE_GEQ, high - 1, high, true, 0},
    {"geq wrapped around", CU_STREAM_WAIT_VALUE_GEQ, all32, 0, true, 0},
    {"geq before the wrap", CU_STREAM_WAIT_VALUE_GEQ, 0, all32, false, 0},
    {"eq other", CU_STREAM_WAIT_VALUE_EQ, 7, 8, false, 7},
    {"eq same", CU_STREAM_WAIT_VALUE_EQ, all32, all32, true, 0},
    {"and without a common bit", CU_STREAM_WAIT_VALUE_AND, 0x0F, 0xF0, false, 0x01},
    {"and with the highest bit", CU_STREAM_WAIT_VALUE_AND, high, all32, true, 0},
};
constexpr row rows_64[] = {
    {"geq in the high half", CU_STREAM_WAIT_VALUE_GEQ, std::uint64_t{1} << 32,
     (std::uint64_t{1} << 32) - 1, false, std::uint64_t{1} << 32},
    {"geq above in the high half", CU_STREAM_WAIT_VALUE_GEQ, all32, std::uint64_t{1} << 32, true, 0},
    {"geq wrapped around", CU_STREAM_WAIT_VALUE_GEQ, ~std::uint64_t{0}, 1, true, 0},
    {"geq before the wrap", CU_STREAM_WAIT_VALUE_GEQ, 1, ~std::uint64_t{0}, false, 1},
    {"eq in the low half alone", CU_STREAM_WAIT_VALUE_EQ, (std::uint64_t{3} << 32) | 7, 7, false,
     (std::uint64_t{3} << 32) | 7},
    {"eq same", CU_STREAM_WAIT_VALUE_EQ, (std::uint64_t{3} << 32) | 7, (std::uint64_t{3} << 32) | 7,
     true, 0},
    {"and in the low half alone", CU_STREAM_WAIT_VALUE_AND, std::uint64_t{1} << 40, all32, false,
     std::uint64_t{1} << 40},
    {"and in the high half", CU_STREAM_WAIT_VALUE_AND, std::uint64_t{1} << 63, std::uint64_t{1} << 63,
     true, 0},
};
constexpr row rows_nor_32[] = {
    {"nor with all bits set", CU_STREAM_WAIT_VALUE_NOR, 0xFFFF0000u, 0x0000FFFFu, false, 0},
    {"nor with a bit clear in both", CU_STREAM_WAIT_VALUE_NOR, 0xFFFF0000u, 0x00007FFFu, true, 0},
};

/// 64-bit words of mapped memory in lines of their own, written by the host.
class words {
 public:
  words(const driver::function_table& cuda, std::size_t count) : buffer_(cuda, count * line) {}

  void store(std::size_t index, bool wide, std::uint64_t value) const {
    std::byte* const at = buffer_.as<std::byte>() + index * line;
    if (wide) {
      std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at)).store(value);
    } else {
      std::atomic_ref(*reinterpret_cast<std::uint32_t*>(at)).store(static_cast<std::uint32_t>(value));
    }
  }
  CUdeviceptr device(std::size_t index) const { return buffer_.device_address() + index * line; }

 private:
  static constexpr std::size_t line = 64;
  driver::host_buffer buffer_;
};

/// Which part of the table.
enum class part { bits_32, bits_64, nor_32 };
std::string_view name(part what) {
  switch (what) {
    case part::bits_32: return "bits_32";
    case part::bits_64: return "bits_64";
    case part::nor_32: return "nor_32";
  }
  return "unknown";
}
std::span<const row> rows_of(part what) {
  if (what == part::bits_64) return rows_64;
  return what == part::nor_32 ? std::span<const row>(rows_nor_32) : std::span<const row>(rows_32);
}

axis parts() { return make_axis<part>("part", {part::bits_32, part::bits_64, part::nor_32}); }

memop_form form_of(part what) {
  return what == part::bits_64 ? memop_form::value_64 : memop_form::value_32;
}

void require_part(case_context& context, part what) {
  require_memop(context, form_of(what));
  if (what == part::nor_32 &&
      context.capabilities().attribute("can_use_stream_wait_value_nor") == 0) {
    context.not_supported("can_use_stream_wait_value_nor = 0");
  }
}

/// Waits for @p done, at most @p limit.
bool await(const std::function<bool()>& done, std::chrono::nanoseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  for (unsigned step = 0; !done(); ++step) {
    if (std::chrono::steady_clock::now() - start > limit) return false;
    relax_thread(step);
  }
  return true;
}

/// What satisfies a wait for sure, whichever its condition.
std::uint64_t escape(const row& of) {
  return of.condition == CU_STREAM_WAIT_VALUE_NOR ? 0 : of.value;
}

// Promise:   MO-WAIT-002. A wait whose condition holds lets its stream pass: the default condition is a
//            cyclic, signed greater-or-equal; equality, and, nor follow their formulas.
// Defect:    an unsigned comparison, or the low half of 64 bits alone. The stream stays shut.
// Any speed: nothing else is on the device, and the stream has as long as anything that must happen.
STREAMCTS_CASE(satisfied_conditions, {.arrangement = "memop/satisfied",
                                      .clauses = {clause::MO_WAIT_002},
                                      .axes = {parts()},
                                      .needs = {need::mapped_memory, need::value_wait},
                                      .without_hold = "every wait must let its stream pass"}) {
  const auto which = context.get<part>("part");
  require_part(context, which);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const words memory(context.cuda(), rows_of(which).size());
  while (scene.next_round(context.by_tier(1, 2, 10))) {
    std::size_t index = 0;
    for (const row& each : rows_of(which)) {
      if (!each.satisfied) continue;
      memory.store(index, is_wide(form_of(which)), each.memory);
      const operation wait = scene.note(stream, fmt::format("wait: {}", each.what));
      wait_value(context.cuda(), form_of(which), stream.get(), memory.device(index), each.value,
                 each.condition);
      const bool passed = stream.stream.wait_idle(context.calibration().patience());
      scene.expect(clause::MO_WAIT_002, wait, wait, failure_kind::late, passed,
                   ::testing::IsTrue());
      memory.store(index++, is_wide(form_of(which)), escape(each));
      if (!passed) return;
    }
  }
}

// Promise:   MO-WAIT-002. A wait whose condition does not hold keeps its stream shut until it does.
// Defect:    an unsigned comparison, one that does not wrap around, or the low half of 64 bits alone. The
//            kernel behind the wait has passed before the host wrote the value.
// Any speed: the words are written only after a canary had passed; the kernel keeps what it found of a
//            flag that the host sets just before.
STREAMCTS_CASE(unsatisfied_conditions, {.arrangement = "memop/unsatisfied",
                                        .clauses = {clause::MO_WAIT_002},
                                        .axes = {parts()},
                                        .needs = {need::mapped_memory, need::value_wait}}) {
  const auto which = context.get<part>("part");
  require_part(context, which);
  const bool wide = is_wide(form_of(which));
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  std::vector<row> rows;
  for (const row& each : rows_of(which)) {
    if (!each.satisfied) rows.push_back(each);
  }
  const words memory(cuda, rows.size());
  payload found(cuda, memory_kind::mapped, payload::visibility_words);
  std::deque<lane*> lanes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lanes.push_back(&scene.stream(driver::stream_kind::non_blocking));
  }
  control_page page(cuda);
  const control_word released = page.next();
  lane& canary_lane = scene.stream(driver::stream_kind::non_blocking);
  host_thread& enqueuer = scene.thread();
  while (scene.next_round(context.by_tier(2, 4, 20))) {
    found.begin_round(kernels::ramp(context.next_epoch()));
    released.store(0);
    std::vector<operation> waits;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      memory.store(i, wide, rows[i].memory);
      waits.push_back(scene.note(*lanes[i], fmt::format("wait: {}", rows[i].what)));
    }
    observer& canary = scene.host_call(host_call::launch_host_func);
    enqueuer.start([&] {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        wait_value(cuda, form_of(which), lanes[i]->get(), memory.device(i), rows[i].value,
                   rows[i].condition);
        context.kernels().copy_words(lanes[i]->get(), found.target() + 8 * i, released.device(), 1,
                                     {1, 32});
      }
      scene.enqueue(canary_lane, canary);
    });
    // A driver may let an enqueuing call wait for the words; then nothing is shown.
    const bool enqueued = enqueuer.wait(context.calibration().enqueue_cap());
    const bool passed =
        enqueued && await([&] { return canary.slot().ended(); }, context.calibration().hold());
    if (passed) await([] { return false; }, context.calibration().margin());
    context.count_hold({clause::MO_WAIT_002}, !enqueued ? hold_result::enqueue_blocked
                                              : passed  ? hold_result::canary
                                                        : hold_result::calibrated);
    released.store(1);
    for (std::size_t i = 0; i < rows.size(); ++i) memory.store(i, wide, rows[i].release);
    if (!enqueued && !enqueuer.wait(context.calibration().patience())) {
      context.inconclusive("an enqueuing call did not return");
    }
    scene.drain();
    if (!enqueued) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scene.expect(clause::MO_WAIT_002, waits[i], waits[i], failure_kind::early,
                   found.host_words()[i], ::testing::Eq(std::uint64_t{1}));
    }
  }
}

}  // namespace
}  // namespace streamcts
