// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/arrangement.h"

#include <fmt/format.h>

#include "harness/driver/result.h"

namespace streamcts {

std::string_view name(producer what) {
  switch (what) {
    case producer::kernel: return "kernel";
    case producer::copy: return "copy";
    case producer::memset: return "memset";
  }
  return "unknown";
}

bool lane::takes_part_in_legacy_barrier() const {
  switch (stream.kind()) {
    case driver::stream_kind::blocking:
    case driver::stream_kind::per_thread: return true;
    default: return false;
  }
}

namespace {

bool is_legacy(const lane& which) {
  return which.stream.kind() == driver::stream_kind::legacy ||
         which.stream.kind() == driver::stream_kind::null_stream;
}

}  // namespace

arrangement::arrangement(case_context& context)
    : context_(context),
      control_(context.cuda()),
      canary_stream_(context.cuda(), driver::stream_kind::non_blocking),
      observers_(std::make_shared<std::deque<streamcts::observer>>()) {}

// --- pieces

lane& arrangement::stream(driver::stream_kind kind, api by) {
  const char letter = static_cast<char>('A' + lanes_.size() % 26);
  const std::string number = lanes_.size() < 26 ? "" : std::to_string(lanes_.size() / 26);
  return lanes_.emplace_back(
      lane{.stream = driver::stream(context_.cuda(by), kind),
           .name = fmt::format("stream {}{} ({})", letter, number, to_string(kind)),
           .last = std::nullopt,
           .by = by});
}

product& arrangement::buffer(memory_kind kind, producer by, std::size_t words) {
  product& made = products_.emplace_back(product{payload(context_.cuda(), kind, words), by, {},
                                                 fmt::format("payload {}", products_.size() + 1),
                                                 std::nullopt});
  if (by == producer::copy) made.source = driver::device_buffer(context_.cuda(), made.data.bytes());
  return made;
}

mark& arrangement::event(unsigned flags, api by) {
  return marks_.emplace_back(mark{driver::event(context_.cuda(by), flags),
                                  fmt::format("event {}", marks_.size() + 1), std::nullopt});
}

host_thread& arrangement::thread() { return threads_.emplace_back(context_.session()); }

observer& arrangement::host_call(streamcts::host_call call) {
  streamcts::observer& made = observers_->emplace_back();
  made.call_ = call;
  made.name_ = fmt::format("{} {}",
                           call == host_call::add_callback ? "callback" : "host function",
                           observers_->size());
  made.slot_.log = &context_.log();
  made.slot_.label = made.name_;
  made.slot_.counts = &counts_;
  return made;
}

control_word arrangement::marker() { return control_.next(); }

// --- rounds

bool arrangement::next_round(int count) {
  if (round_ != 0) drain();
  if (round_ == count || context_.failed() || blocked_holds_ == 2) return false;
  ++round_;
  begin_round();
  context_.count_round();
  return true;
}

void arrangement::begin_round() {
  observers_->clear();
  waits_.clear();
  victim_gate_.reset();
  front_gate_.reset();
  canary_gate_.reset();
  control_.reset();
  context_.log().clear();
  graph_.clear();
  named_ = 0;
  for (lane& each : lanes_) each.last.reset();
  for (mark& each : marks_) each.recorded.reset();
  for (product& each : products_) prepare(each);
  canary_stream_.synchronize();
}

void arrangement::prepare(product& what) {
  const std::uint64_t epoch = context_.next_epoch();
  const kernels::pattern pattern =
      what.by == producer::memset ? kernels::uniform(epoch) : kernels::ramp(epoch);
  what.written.reset();
  what.data.begin_round(pattern);
  if (what.by == producer::copy) {
    context_.kernels().write_pattern(canary_stream_.get(), what.source.address(),
                                     what.data.words(), pattern);
  }
}

// --- operations

operation arrangement::add(lane& on, std::string operation_name, std::string_view clause) {
  const operation made = graph_.add(std::move(operation_name));
  if (on.last) graph_.order(*on.last, made, clause);
  if (is_legacy(on)) {
    for (lane& each : lanes_) {
      if (!each.takes_part_in_legacy_barrier()) continue;
      if (each.last) graph_.order(*each.last, made, "ST-DEF-001");
    }
  } else if (on.takes_part_in_legacy_barrier()) {
    for (lane& each : lanes_) {
      if (is_legacy(each) && each.last) graph_.order(*each.last, made, "ST-DEF-002");
    }
  }
  on.last = made;
  context_.log().add(on.name, graph_.name(made), log_phase::enqueue);
  return made;
}

arrangement::way arrangement::into(const lane& on, bool by_null) const {
  const driver::stream_mode mode =
      by_null ? driver::stream_mode::per_thread : driver::stream_mode::legacy;
  return {context_.cuda(on.by, mode), context_.kernels(on.by, mode), by_null ? nullptr : on.get()};
}

void arrangement::deliver(lane& on, const product& what) const {
  const way to = into(on);
  if (!what.stays_on_device) what.data.deliver(to.stream, to.cuda);
}

void arrangement::enqueue_write(lane& on, const product& what, std::uint64_t late_ns) {
  const way to = into(on);
  const payload& data = what.data;
  switch (what.by) {
    case producer::kernel:
      to.kernels.write_pattern(to.stream, data.target(), data.words(), data.expected(), late_ns);
      deliver(on, what);
      return;
    case producer::memset:
      STREAMCTS_CHECK(to.cuda.cuMemsetD32Async(data.target(),
                                               static_cast<unsigned>(data.expected().base),
                                               data.words() * 2, to.stream));
      deliver(on, what);
      return;
    case producer::copy:
      if (data.kind() == memory_kind::managed || data.is_copied()) {
        STREAMCTS_CHECK(to.cuda.cuMemcpyDtoDAsync(data.target(), what.source.address(),
                                                  data.bytes(), to.stream));
        deliver(on, what);
      } else {
        STREAMCTS_CHECK(
            to.cuda.cuMemcpyDtoHAsync(const_cast<std::uint64_t*>(data.host_words().data()),
                                      what.source.address(), data.bytes(), to.stream));
      }
      return;
  }
}

operation arrangement::write(lane& on, product& what, std::uint64_t late_ns) {
  const operation made = add(on, fmt::format("{} writing {}", streamcts::name(what.by), what.name));
  what.written = made;
  enqueue_write(on, what, late_ns);
  return made;
}

operation arrangement::victim(lane& on, product& what) {
  const operation made =
      add(on, fmt::format("held {} writing {}", streamcts::name(what.by), what.name));
  what.written = made;
  gate& held = *victim_gate_;
  const way to = into(on);
  if (what.by == producer::kernel) {
    to.kernels.gated_write(to.stream, held.word().device(), held.begun_word().device(), 1,
                           static_cast<std::uint64_t>(held.timeout().count()), what.data.target(),
                           what.data.words(), what.data.expected());
    deliver(on, what);
  } else {
    held.enqueue(to.cuda, to.kernels, to.stream, gate_kind::mapped_flag);
    enqueue_write(on, what, 0);
  }
  return made;
}

operation arrangement::enqueue(lane& on, streamcts::observer& call) {
  arm(call);
  call.op_ = add(on, call.name_, call.call_ == host_call::add_callback ? "CB-ORDER-001"
                                                                       : "HF-ORDER-001");
  const way to = into(on, on.calls_by_null || on.all_by_null);
  call.slot_.enqueue(to.cuda, call.call_, to.stream);
  return call.op_;
}

operation arrangement::record(mark& what, lane& on) {
  const operation made = add(on, fmt::format("record of {}", what.name), "EV-REC-001");
  const way to = into(on);
  STREAMCTS_CHECK(to.cuda.cuEventRecord(what.get(), to.stream));
  what.recorded = made;
  return made;
}

operation arrangement::wait(lane& on, mark& what) {
  const operation made = add(on, fmt::format("wait for {}", what.name));
  if (what.recorded) graph_.order(*what.recorded, made, "EV-WAIT-001");
  const way to = into(on);
  STREAMCTS_CHECK(to.cuda.cuStreamWaitEvent(to.stream, what.get(), CU_EVENT_WAIT_DEFAULT));
  return made;
}

operation arrangement::signal(lane& on, control_word marker) {
  const operation made = add(on, fmt::format("marker kernel {}", ++named_));
  const way to = into(on);
  to.kernels.signal(to.stream, marker.device(), 1);
  return made;
}

operation arrangement::note(lane& on, std::string operation_name) {
  return add(on, std::move(operation_name));
}

operation arrangement::node(std::string node_name, const std::vector<operation>& before,
                            std::string_view clause) {
  const operation made = graph_.add(std::move(node_name));
  for (const operation each : before) graph_.order(each, made, clause);
  return made;
}

operation arrangement::node(streamcts::observer& call, const std::vector<operation>& before,
                            std::string_view clause) {
  arm(call);
  return call.op_ = node(call.name_ + " (host node)", before, clause);
}

operation arrangement::host_after(lane& on, std::string host_name) {
  const operation made = graph_.add(std::move(host_name));
  if (on.last) graph_.order(*on.last, made, "ST-SYNC-001");
  context_.log().add("host", graph_.name(made), log_phase::mark);
  return made;
}

operation arrangement::host_after(mark& what, std::string host_name) {
  const operation made = graph_.add(std::move(host_name));
  if (what.recorded) graph_.order(*what.recorded, made, "ST-SYNC-001");
  context_.log().add("host", graph_.name(made), log_phase::mark);
  return made;
}

}  // namespace streamcts
