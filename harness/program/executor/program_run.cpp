// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/program_run.h"

#include <algorithm>

#include "harness/driver/result.h"
#include "harness/program/text.h"

namespace streamcts::program {

program_run::program_run(const environment& where, const program_kernels& kernels, run_slot& slot,
                         buffer_pool& buffers, const model& m, const reading_plan& plan, index held,
                         std::uint32_t token)
    : where_(where),
      cuda_(*where.cuda),
      kernels_(kernels),
      slot_(slot),
      pool_(buffers),
      m_(m),
      plan_(plan),
      held_(held),
      token_(token) {
  for (const operation& o : m.source().ops) threads_[o.thread].used = true;
}

program_run::~program_run() {
  if (gate_) gate_->open();
  if (front_) front_->open();
  for (const placed_buffer& b : buffers_) pool_.take_back(b);
}

void program_run::prepare(CUstream stream) {
  make_buffers(stream);
  make_gates();
  record_ = std::make_shared<run_record>(m_, plan_, slot_.cells, buffers_, token_);
  record_->hold(held_, gate_ ? &*gate_ : nullptr);
  make_streams();
  graphs_.resize(m_.source().graphs.size());
  for (std::size_t g = 0; g < graphs_.size(); ++g) make_graph(g);
}

void program_run::make_buffers(CUstream stream) {
  contents_book book;
  book.prepare(m_, token_);
  for (std::size_t b = 0; b < m_.source().buffers.size(); ++b) {
    const buffer_decl& d = m_.source().buffers[b];
    buffers_.push_back(pool_.lend(d.memory, d.bytes));
    const placed_buffer& at = buffers_.back();
    const buffer_value first = buffer_value::initial(b);
    if (at.kind == memory_kind::managed) {
      STREAMCTS_CHECK(cuda_.cuStreamAttachMemAsync(stream, at.device, 0, CU_MEM_ATTACH_GLOBAL));
    }
    if (at.host != nullptr && at.kind != memory_kind::managed) {
      book.fill(at.host, at.bytes, first);
      continue;
    }
    const kernels::pattern p = book.of(first);
    program_kernels::item_parameters fill;
    fill.out = at.device;
    fill.bytes = at.bytes;
    fill.base = p.base;
    fill.step = p.step;
    STREAMCTS_CHECK(kernels_.launch_item(stream, fill));
  }
}

void program_run::make_gates() {
  if (held_ == none) return;
  slot_.gates.reset();
  const control_word word = slot_.gates.next();
  gate_.emplace(word, slot_.gates.next(), where_.limits.gate_timeout());
  if (!holds_host_call()) return;
  const control_word in_front = slot_.gates.next();
  front_.emplace(in_front, slot_.gates.next(), where_.limits.gate_timeout());
}

void program_run::make_streams() {
  for (const stream_decl& s : m_.source().streams) {
    switch (s.kind) {
      case stream_kind::legacy:
        streams_.emplace_back(cuda_, token_ % 2 == 0 ? driver::stream_kind::legacy
                                                     : driver::stream_kind::null_stream);
        break;
      case stream_kind::per_thread:
        streams_.emplace_back(cuda_, driver::stream_kind::per_thread);
        break;
      default: {
        const bool blocking = s.kind == stream_kind::blocking;
        if (s.priority == 0) {
          streams_.emplace_back(
              cuda_, blocking ? driver::stream_kind::blocking : driver::stream_kind::non_blocking);
        } else {
          streams_.push_back(driver::stream::with_priority(
              cuda_, s.priority, blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
        }
      }
    }
  }
  for (const event_decl& e : m_.source().events) {
    events_.emplace_back(cuda_, (e.timing ? 0U : unsigned{CU_EVENT_DISABLE_TIMING}) |
                                    (e.blocking_sync ? unsigned{CU_EVENT_BLOCKING_SYNC} : 0U));
  }
}

CUstream program_run::handle(index stream) const {
  return stream == none ? nullptr : streams_[at(stream)].get();
}

/// Waits for the calls of other threads that come before this one.
bool program_run::wait_for_others(std::size_t op) {
  const auto& earlier = m_.items().returned_before(op);
  for (std::size_t t = 0; t < limits::threads; ++t) {
    if (earlier[t] == none) continue;
    for (unsigned step = 0; threads_[t].returned.load(std::memory_order_acquire) < earlier[t];
         ++step) {
      if (abandoned_.load(std::memory_order_relaxed)) return false;
      relax_thread(step);
    }
  }
  return true;
}

void program_run::perform(std::uint8_t thread) noexcept {
  host_thread& me = threads_[thread];
  for (std::size_t op = 0; op < m_.source().ops.size(); ++op) {
    const operation& o = m_.source().ops[op];
    if (o.thread != thread) continue;
    me.next.store(static_cast<int>(op), std::memory_order_release);
    if (!wait_for_others(op)) break;
    record_->calling(op);
    const CUresult code = call(op);
    call_status status = call_status::error;
    call_outcome outcome = call_outcome::as_promised;
    if (code == CUDA_SUCCESS) {
      status = call_status::success;
      if (is_query(o.kind)) outcome = call_outcome::query_succeeded;
    } else if (code == CUDA_ERROR_NOT_READY) {
      status = call_status::not_ready;
    } else {
      outcome = call_outcome::failed;
      const bool lacking = code == CUDA_ERROR_NOT_SUPPORTED || code == CUDA_ERROR_OUT_OF_MEMORY;
      if (lacking) unsupported_.store(static_cast<int>(op));
    }
    if (status == call_status::success && looks_at_return(m_.source(), o)) {
      record_->look_from({observer::place::op_return, static_cast<index>(op)});
    }
    record_->returned(op, status, outcome);
    me.returned.store(static_cast<int>(op), std::memory_order_release);
    if (abandoned_.load(std::memory_order_relaxed)) break;
  }
  me.finished.store(true, std::memory_order_release);
}

bool program_run::quiet() const {
  return std::ranges::all_of(threads_, [&](const host_thread& t) {
    if (!t.used || t.finished.load(std::memory_order_acquire)) return true;
    const auto op = static_cast<std::size_t>(t.next.load(std::memory_order_acquire));
    return held_ != none && plan_.may_wait(op, at(held_));
  });
}

bool program_run::holds_host_call() const {
  return held_ != none && is_host_item(m_.items().items()[at(held_)].kind);
}

void program_run::open_front() {
  if (front_) front_->open();
}

bool program_run::victim_begun() const {
  if (gate_->begun()) return true;
  const std::uint32_t* cell = slot_.cells.begun(at(held_));
  return std::atomic_ref<const std::uint32_t>(*cell).load(std::memory_order_acquire) == token_;
}

bool program_run::look_and_open() {
  if (gate_->now() == gate::state::shut) {
    record_->look_from({observer::place::gate_look, held_});
  }
  if (front_) front_->open();
  return gate_->open();
}

std::string program_run::unsupported() const {
  const int op = unsupported_.load();
  return op < 0 ? "" : line_of(m_.source(), m_.source().ops[static_cast<std::size_t>(op)]);
}

void program_run::release() {
  for (driver::stream& s : streams_) s.release();
  for (driver::event& e : events_) e.release();
  for (made_graph& g : graphs_) {
    if (g.exec) g.exec->release();
    if (g.graph) g.graph->release();
  }
}

}  // namespace streamcts::program
