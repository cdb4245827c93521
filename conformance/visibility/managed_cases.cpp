// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed memory around host calls: who may use it when, prefetches, advice, discards.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

// Promise:   VS-MAN-002. Memory that is attached to a stream may be used by the stream's host calls though
//            other streams are busy.
// Defect:    a stream counts as busy until its host call has returned. The host call faults, or what it
//            writes is lost: the kernel behind it finds what was there before.
// Any speed: the other stream is busy for a while of its own; the data is right however long that is.
STREAMCTS_CASE(attached, {.arrangement = "visibility/attached_in_host_call",
                          .clauses = {clause::VS_MAN_002},
                          .axes = {host_calls()},
                          .needs = {need::managed_memory, need::mapped_memory},
                          .without_hold = "that another stream runs meanwhile may not be demanded, so "
                                          "nothing is held"}) {
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  lane& busy = scene.stream(driver::stream_kind::non_blocking);
  product& in = scene.buffer(memory_kind::managed);
  product& out = scene.buffer(memory_kind::mapped);
  const auto attach = [&](unsigned how) {
    STREAMCTS_CHECK(cuda.cuStreamAttachMemAsync(stream.get(), in.data.target(), 0, how));
  };
  attach(CU_MEM_ATTACH_SINGLE);
  stream.stream.synchronize();
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    const kernels::pattern answer = kernels::ramp(context.next_epoch());
    out.data.begin_round(answer);
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(in);
    call.finally([&in, answer] { fill_with_pattern(in.data.host_words(), answer); });
    scene.note(busy, "delay");
    context.kernels().delay(busy.get(), 1'000'000);
    const operation written = scene.write(stream, in);
    scene.enqueue(stream, call);
    const operation read = scene.note(stream, "kernel reading what the host call wrote");
    context.kernels().copy_words(stream.get(), out.data.target(), in.data.target(), in.data.words());
    scene.drain();
    scene.expect_complete(clause::VS_MAN_002, written, call);
    const sighting seen = out.data.look();
    scene.expect(clause::VS_MAN_002, call.op(), read, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
  attach(CU_MEM_ATTACH_GLOBAL);
  stream.stream.synchronize();
}

// Promise:   VS-MAN-003. Managed memory may be used in a host call though another stream has work on it
//            that waits for the host call.
// Defect:    the other stream counts as busy though it waits, and the host call faults; or it does not
//            wait, and its kernel finds what was there before.
// Any speed: the host call is held until the other stream's work is enqueued.
STREAMCTS_CASE(behind_join, {.arrangement = "visibility/managed_behind_join",
                             .clauses = {clause::VS_MAN_003},
                             .axes = {host_calls(), created_streams()},
                             .needs = {need::managed_memory, need::device_gate, need::host_gate,
                                       need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& other = scene.stream(stream_of(context));
  mark& event = scene.event();
  product& in = scene.buffer(memory_kind::managed);
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    const kernels::pattern answer = kernels::ramp(context.next_epoch());
    out.data.begin_round(answer);
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(in);
    call.finally([&in, answer] { fill_with_pattern(in.data.host_words(), answer); });
    // Done before the hold: a device that does one thing at a time has to get to the host call.
    const operation written = scene.write(stream, in);
    stream.stream.synchronize();
    operation read{};
    scene.hold_call(stream, call, [&] {
      scene.record(event, stream);
      scene.wait(other, event);
      read = scene.note(other, "kernel reading what the host call wrote");
      context.kernels().copy_words(other.get(), out.data.target(), in.data.target(),
                                   in.data.words());
    });
    scene.drain();
    scene.expect_complete(clause::VS_MAN_003, written, call);
    const sighting seen = out.data.look();
    scene.expect(clause::VS_MAN_003, call.op(), read, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

/// Looks as soon as @p call has ended, on this thread and with no CUDA call in between.
sighting look_after(case_context& context, const observer& call, const product& what) {
  const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
  for (unsigned step = 0; !call.slot().ended(); ++step) {
    if (std::chrono::steady_clock::now() > limit) break;  // drain() says that it is lost
    relax_thread(step);
  }
  return what.data.look();
}

// Promise:   VS-MAN-004. Between host calls with no device work in between, and after the last one, the
//            host may use managed data once it was signalled, without a CUDA call.
// Defect:    the stream counts as busy again, or what the host call saw is not there for others: the
//            signalled thread faults, or finds the sentinel.
// Any speed: the signal comes from inside the host call; the second look is after the last one.
STREAMCTS_CASE(after_signal, {.arrangement = "visibility/managed_after_signal",
                              .clauses = {clause::VS_MAN_004},
                              .axes = {host_calls()},
                              .needs = {need::managed_memory},
                              .without_hold = "the host looks when it is signalled, in every round"}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::managed);
  while (scene.next_round(context.by_tier(4, 10, 100))) {
    observer& first = scene.host_call(host_call_of(context));
    observer& second = scene.host_call(host_call_of(context));
    first.looks_at(out);
    second.looks_at(out);
    const operation written = scene.write(stream, out, 100'000);
    scene.enqueue(stream, first);
    scene.enqueue(stream, second);
    const sighting between = look_after(context, first, out);
    const sighting after = look_after(context, second, out);
    scene.drain();
    scene.expect_complete(clause::VS_MAN_004, written, first);
    scene.expect_complete(clause::VS_MAN_004, written, second);
    scene.expect(clause::VS_MAN_004, written, first.op(), kind_of(between, gate::state::opened),
                 between, IsComplete());
    scene.expect(clause::VS_MAN_004, written, second.op(), kind_of(after, gate::state::opened),
                 after, IsComplete());
  }
}

/// What is done to a managed range without changing its contents.
enum class treatment { prefetch_to_host, prefetch_to_device, prefetch_both_ways, read_mostly };
std::string_view name(treatment what) {
  switch (what) {
    case treatment::prefetch_to_host: return "prefetch_to_host";
    case treatment::prefetch_to_device: return "prefetch_to_device";
    case treatment::prefetch_both_ways: return "prefetch_both_ways";
    case treatment::read_mostly: return "read_mostly";
  }
  return "unknown";
}

/// Prefetches and advice by whichever version the driver has.
class range {
 public:
  range(case_context& context, const payload& data)
      : cuda_(context.cuda()), device_(context.session().device()), data_(data) {
    if (!cuda_.cuMemPrefetchAsync_v2 && !cuda_.cuMemPrefetchAsync_v1) {
      context.not_supported("cuMemPrefetchAsync is absent");
    }
  }
  void prefetch(bool to_device, CUstream stream) const {
    const CUmemLocation where = location(to_device);
    STREAMCTS_CHECK(cuda_.cuMemPrefetchAsync_v2
                        ? cuda_.cuMemPrefetchAsync_v2(data_.target(), data_.bytes(), where, 0, stream)
                        : cuda_.cuMemPrefetchAsync_v1(data_.target(), data_.bytes(),
                                                      to_device ? device_ : CU_DEVICE_CPU, stream));
  }
  void read_mostly(bool on) const {
    const CUmem_advise advice =
        on ? CU_MEM_ADVISE_SET_READ_MOSTLY : CU_MEM_ADVISE_UNSET_READ_MOSTLY;
    STREAMCTS_CHECK(cuda_.cuMemAdvise_v2
                        ? cuda_.cuMemAdvise_v2(data_.target(), data_.bytes(), advice, location(true))
                        : cuda_.cuMemAdvise_v1(data_.target(), data_.bytes(), advice, device_));
  }

 private:
  CUmemLocation location(bool to_device) const {
    CUmemLocation made{};
    made.type = to_device ? CU_MEM_LOCATION_TYPE_DEVICE : CU_MEM_LOCATION_TYPE_HOST;
    made.id = to_device ? device_ : 0;
    return made;
  }

  const driver::function_table& cuda_;
  CUdevice device_;
  const payload& data_;
};

// Promise:   VS-MAN-007. Prefetches and advice change no contents; prefetches take their place in the
//            stream, and a write makes all copies of a read-mostly range void.
// Defect:    the prefetch moves the pages as they were before the kernel in front was done; or the host
//            goes on reading its copy of a read-mostly page. The host call finds the sentinel.
// Any speed: the kernel is held until prefetch and host call are enqueued. Under read_mostly host and
//            device have read the range before, so that both have copies.
STREAMCTS_CASE(moved, {.arrangement = "visibility/prefetched",
                       .clauses = {clause::VS_MAN_007},
                       .axes = {host_calls(),
                                make_axis<treatment>("treatment", {treatment::prefetch_to_host,
                                                                   treatment::prefetch_to_device,
                                                                   treatment::prefetch_both_ways,
                                                                   treatment::read_mostly})},
                       .needs = {need::managed_memory, need::device_gate, need::mapped_memory}}) {
  const treatment how = context.get<treatment>("treatment");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::managed);
  const driver::device_buffer aside(context.cuda(), out.data.bytes());
  const range moved(context, out.data);
  if (how == treatment::read_mostly) moved.read_mostly(true);
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    if (how == treatment::read_mostly) {
      context.kernels().copy_words(stream.get(), aside.address(), out.data.target(),
                                   out.data.words());
      stream.stream.synchronize();
      (void)out.data.look();
    }
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      if (how != treatment::read_mostly) scene.note(stream, std::string(name(how)));
      if (how == treatment::prefetch_to_device || how == treatment::prefetch_both_ways) {
        moved.prefetch(true, stream.get());
      }
      if (how == treatment::prefetch_to_host || how == treatment::prefetch_both_ways) {
        moved.prefetch(false, stream.get());
      }
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(clause::VS_MAN_007, victim, call);
  }
  if (how == treatment::read_mostly) moved.read_mostly(false);
}

// Promise:   VS-MAN-009. What is written behind a discard is there for later readers.
// Defect:    the discard takes effect late and takes the later write with it. The host call finds zeros, or
//            what was there before.
// Any speed: discard, kernel and host call wait behind one gate. The half that is not written is not
//            looked at.
STREAMCTS_CASE(discarded, {.arrangement = "visibility/written_after_discard",
                           .clauses = {clause::VS_MAN_009},
                           .axes = {host_calls()},
                           .needs = {need::managed_memory, need::device_gate}}) {
  const driver::function_table& cuda = context.cuda();
  if (!cuda.cuMemDiscardBatchAsync) context.not_supported("cuMemDiscardBatchAsync is absent");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  // Whole pages of any size: 4 MiB, of which the first half is written.
  const std::size_t words = std::size_t{4} << 17;
  product& out = scene.buffer(memory_kind::managed, producer::kernel, words);
  kernels::pattern previous{kernels::sentinel, 0};
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    observer& call = scene.host_call(host_call_of(context));
    sighting seen;
    const kernels::pattern expected = out.data.expected();
    call.first([&] { seen = look(out.data.host_words().first(words / 2), expected, previous); });
    operation written{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(cuda, context.kernels(), stream.get(), gate_kind::mapped_flag);
      scene.note(stream, "discard");
      CUdeviceptr begin = out.data.target();
      std::size_t bytes = out.data.bytes();
      STREAMCTS_CHECK(cuda.cuMemDiscardBatchAsync(&begin, &bytes, 1, 0, stream.get()));
      written = scene.note(stream, "kernel writing the first half");
      context.kernels().write_pattern(stream.get(), out.data.target(), words / 2, expected);
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect(clause::VS_MAN_009, written, call.op(), kind_of(seen, gate::state::opened), seen,
                 IsComplete());
    previous = expected;
  }
}

}  // namespace
}  // namespace streamcts
