// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The calls behind operations.

#include "harness/program/executor/program_run.h"

namespace streamcts::program {
namespace {

using parameters_of_item = program_kernels::item_parameters;

/// Pinned and pageable memory is copied by the host's address, as programs do.
bool as_host(const placed_buffer& b) {
  return b.kind != memory_kind::device && b.kind != memory_kind::managed;
}

CUdeviceptr any_address(const placed_buffer& b) {
  return b.device != 0 && !as_host(b) ? b.device : reinterpret_cast<CUdeviceptr>(b.host);
}

}  // namespace

program_kernels::item_parameters program_run::parameters(std::size_t x) const {
  const item& i = m_.items().items()[x];
  parameters_of_item p;
  p.begun = slot_.cells.begun_address(x);
  p.done = slot_.cells.done_address(x);
  p.token = token_;
  if (static_cast<index>(x) == held_) {
    p.gate = gate_->word().device();
    p.timeout_ns = gate_ns();
  }
  if (i.write == none) return p;
  const placed_buffer& to = buffer(i.write);
  p.out = to.device;
  p.bytes = to.bytes;
  if (i.read != none) {
    p.in = buffer(i.read).device;
  } else {
    const kernels::pattern made = record_->contents().of(buffer_value::of_item(x));
    p.base = made.base;
    p.step = made.step;
  }
  return p;
}

/// One launch, or the first, some in the middle, and the last of several.
CUresult program_run::kernel(CUstream stream, std::size_t x, std::uint16_t repeat) {
  const parameters_of_item whole = parameters(x);
  if (repeat == 1) return kernels_.launch_item(stream, whole);
  parameters_of_item first;
  first.begun = whole.begun;
  first.token = token_;
  first.gate = whole.gate;
  first.timeout_ns = whole.timeout_ns;
  CUresult r = kernels_.launch_item(stream, first);
  for (unsigned i = 2; i < repeat && r == CUDA_SUCCESS; ++i) {
    r = kernels_.launch_item(stream, {});
  }
  if (r != CUDA_SUCCESS) return r;
  parameters_of_item last = whole;
  last.begun = last.gate = 0;
  return kernels_.launch_item(stream, last);
}

CUresult program_run::copy(CUstream stream, std::size_t x) const {
  const item& i = m_.items().items()[x];
  const placed_buffer &from = buffer(i.read), &to = buffer(i.write);
  if (from.kind == memory_kind::device && to.kind == memory_kind::device) {
    return cuda_.cuMemcpyDtoDAsync(to.device, from.device, to.bytes, stream);
  }
  if (from.kind == memory_kind::device && as_host(to)) {
    return cuda_.cuMemcpyDtoHAsync(to.host, from.device, to.bytes, stream);
  }
  if (as_host(from) && to.kind == memory_kind::device) {
    return cuda_.cuMemcpyHtoDAsync(to.device, from.host, to.bytes, stream);
  }
  return cuda_.cuMemcpyAsync(any_address(to), any_address(from), to.bytes, stream);
}

CUresult program_run::copy_now(const driver::function_table& cuda, std::size_t x) const {
  const item& i = m_.items().items()[x];
  const placed_buffer &from = buffer(i.read), &to = buffer(i.write);
  if (from.kind == memory_kind::device && to.kind == memory_kind::device) {
    return cuda.cuMemcpyDtoD(to.device, from.device, to.bytes);
  }
  if (from.kind == memory_kind::device && as_host(to)) {
    return cuda.cuMemcpyDtoH(to.host, from.device, to.bytes);
  }
  if (as_host(from) && to.kind == memory_kind::device) {
    return cuda.cuMemcpyHtoD(to.device, from.host, to.bytes);
  }
  return cuda.cuMemcpy(any_address(to), any_address(from), to.bytes);
}

CUresult program_run::memset(CUstream stream, std::size_t x) const {
  const placed_buffer& to = buffer(m_.items().items()[x].write);
  const std::uint64_t word = record_->contents().of(buffer_value::of_item(x)).base;
  if (wide_memset(to.bytes)) {
    return cuda_.cuMemsetD32Async(to.device, static_cast<unsigned>(word), to.bytes / 4, stream);
  }
  return cuda_.cuMemsetD8Async(to.device, static_cast<unsigned char>(word), to.bytes, stream);
}

CUresult program_run::memset_now(const driver::function_table& cuda, std::size_t x) const {
  const placed_buffer& to = buffer(m_.items().items()[x].write);
  const std::uint64_t word = record_->contents().of(buffer_value::of_item(x)).base;
  if (wide_memset(to.bytes)) {
    return cuda.cuMemsetD32(to.device, static_cast<unsigned>(word), to.bytes / 4);
  }
  return cuda.cuMemsetD8(to.device, static_cast<unsigned char>(word), to.bytes);
}

CUresult program_run::fault(CUstream stream, const operation& o, std::size_t x) {
  parameters_of_item begin;
  begin.begun = slot_.cells.begun_address(x);
  begin.token = token_;
  if (const CUresult r = kernels_.launch_item(stream, begin); r != CUDA_SUCCESS) return r;
  try {
    switch (o.fault) {
      case fault_kind::trap:
        where_.kernels->fault_trap(stream);
        break;
      case fault_kind::illegal_address:
        where_.kernels->fault_illegal_address(stream);
        break;
      case fault_kind::misaligned:
        where_.kernels->fault_misaligned(stream, slot_.cells.done_address(x));
        break;
      case fault_kind::assertion:
        where_.kernels->fault_assert(stream);
        break;
    }
  } catch (const driver::call_error& error) {
    return error.code;
  }
  return CUDA_SUCCESS;
}

CUresult program_run::gate_in_front(CUstream stream, gate& g, bool marks) {
  parameters_of_item p;
  p.begun = marks ? g.begun_word().device() : 0;
  p.token = 1;
  p.gate = g.word().device();
  p.timeout_ns = static_cast<std::uint64_t>(g.timeout().count());
  return kernels_.launch_item(stream, p);
}

/// A kernel holds itself, a host call too, but only once all is enqueued; for what cannot, a gate
/// stands in front.
CUresult program_run::enqueue(const operation& o, std::size_t x) {
  const CUstream stream = handle(o.stream);
  const item_kind kind = m_.items().items()[x].kind;
  if (static_cast<index>(x) == held_ && kind != item_kind::kernel) {
    gate& g = front_ ? *front_ : *gate_;
    if (const CUresult r = gate_in_front(stream, g, true); r != CUDA_SUCCESS) return r;
  }
  const bool own = m_.source().streams[at(o.stream)].kind == stream_kind::per_thread;
  const driver::function_table& now = own ? *where_.per_thread : cuda_;
  host_call_record& call = record_->call_of(x);
  switch (o.kind) {
    case op_kind::kernel:
      return kernel(stream, x, o.repeat);
    case op_kind::copy:
      return copy(stream, x);
    case op_kind::memset:
      return memset(stream, x);
    case op_kind::callback: {
      const stream_kind made = m_.source().streams[at(o.stream)].kind;
      const bool named = made == stream_kind::blocking || made == stream_kind::nonblocking;
      call.expected_stream = named ? stream : nullptr;
      return cuda_.cuStreamAddCallback(stream, &host_call_record::callback, &call, 0);
    }
    case op_kind::host_function:
      return cuda_.cuLaunchHostFunc(stream, &host_call_record::host_function, &call);
    case op_kind::write_value:
      return cuda_.cuStreamWriteValue32(stream, slot_.cells.done_address(x), token_, 0);
    case op_kind::attach:
      return cuda_.cuStreamAttachMemAsync(
          stream, buffer(o.write).device, 0,
          o.attach == attach_mode::global ? CU_MEM_ATTACH_GLOBAL : CU_MEM_ATTACH_SINGLE);
    case op_kind::fault:
      return fault(stream, o, x);
    case op_kind::copy_sync:
      return copy_now(now, x);
    default:
      return memset_now(now, x);
  }
}

CUresult program_run::call(std::size_t op) {
  const operation& o = m_.source().ops[op];
  const std::size_t x = m_.items().first_item(op);
  switch (o.kind) {
    case op_kind::launch:
      return launch(o, op);
    case op_kind::record:
      return cuda_.cuEventRecord(events_[at(o.event)].get(), handle(o.stream));
    case op_kind::wait:
      return cuda_.cuStreamWaitEvent(handle(o.stream), events_[at(o.event)].get(), 0);
    case op_kind::await:
      return wait_flag(op) ? CUDA_SUCCESS : CUDA_ERROR_TIMEOUT;
    case op_kind::host_write:
      record_->fill(o.write, x);
      return CUDA_SUCCESS;
    case op_kind::handoff:
      return CUDA_SUCCESS;
    case op_kind::destroy_event:
      return cuda_.cuEventDestroy(events_[at(o.event)].release());
    case op_kind::destroy_stream:
      return cuda_.cuStreamDestroy(streams_[at(o.stream)].release());
    default:
      return is_enqueued(o.kind) ? enqueue(o, x) : host_step(o);
  }
}

CUresult program_run::host_step(const operation& o) {
  switch (o.kind) {
    case op_kind::stream_sync:
      return cuda_.cuStreamSynchronize(handle(o.stream));
    case op_kind::event_sync:
      return cuda_.cuEventSynchronize(events_[at(o.event)].get());
    case op_kind::context_sync:
      return cuda_.cuCtxSynchronize();
    case op_kind::stream_query:
      return cuda_.cuStreamQuery(handle(o.stream));
    case op_kind::event_query:
      return cuda_.cuEventQuery(events_[at(o.event)].get());
    default:
      return poll(o);
  }
}

CUresult program_run::poll(const operation& o) {
  for (unsigned step = 0;; ++step) {
    const CUresult r = o.kind == op_kind::stream_poll
                           ? cuda_.cuStreamQuery(handle(o.stream))
                           : cuda_.cuEventQuery(events_[at(o.event)].get());
    if (r != CUDA_ERROR_NOT_READY || abandoned_.load(std::memory_order_relaxed)) return r;
    relax_thread(step);
  }
}

/// Asks the driver now and then: a thread that only looks at memory may wait for ever (CUDA C++
/// execution model, API.2 to API.4).
bool program_run::wait_flag(std::size_t op) {
  const operation& o = m_.source().ops[op];
  const std::size_t x = m_.items().first_item(at(o.target));
  const std::atomic<bool>& flag = record_->call_of(x).looked;
  for (unsigned step = 0; !flag.load(std::memory_order_acquire); ++step) {
    if (abandoned_.load(std::memory_order_relaxed)) return false;
    if (step % 16 == 15) (void)cuda_.cuStreamQuery(handle(m_.source().ops[at(o.target)].stream));
    relax_thread(step);
  }
  return true;
}

}  // namespace streamcts::program
