// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/run_record.h"

#include <algorithm>

namespace streamcts::program {
namespace {

using place = observer::place;
using cell = std::atomic_ref<std::uint32_t>;

void set(std::uint32_t* word, std::uint32_t token) {
  cell(*word).store(token, std::memory_order_relaxed);
}

}  // namespace

void CUDA_CB host_call_record::callback(CUstream stream, CUresult status, void* data) {
  auto& call = *static_cast<host_call_record*>(data);
  call.run->run_host_call(call, stream, status, true);
}

void CUDA_CB host_call_record::host_function(void* data) {
  auto& call = *static_cast<host_call_record*>(data);
  call.run->run_host_call(call, nullptr, CUDA_SUCCESS, false);
}

run_record::run_record(const model& m, const reading_plan& plan, const cell_page& cells,
                       std::span<const placed_buffer> buffers, std::uint32_t token)
    : m_(m),
      plan_(plan),
      cells_(cells),
      buffers_(buffers),
      token_(token),
      sights_(2 * m.items().size() + m.source().ops.size() + 2),
      host_calls_(m.items().size()),
      ops_(m.source().ops.size()) {
  contents_.prepare(m, token);
  for (std::size_t x = 0; x < m.items().size(); ++x) {
    host_calls_[x].run = this;
    host_calls_[x].item = x;
    prepare_sight({place::item_start, static_cast<index>(x)});
    prepare_sight({place::item_end, static_cast<index>(x)});
    if (!plan.at({place::gate_look, static_cast<index>(x)}).empty()) {
      sights_[sights_.size() - 2].values.assign(buffers.size(), buffer_value::unread());
    }
  }
  for (std::size_t op = 0; op < ops_.size(); ++op) {
    prepare_sight({place::op_return, static_cast<index>(op)});
  }
  prepare_sight({place::finish, none});
}

run_record::sight& run_record::place_of(const observer& from) {
  const std::size_t items = host_calls_.size();
  switch (from.at) {
    case place::item_start:
      return sights_[2 * at(from.number)];
    case place::item_end:
      return sights_[2 * at(from.number) + 1];
    case place::op_return:
      return sights_[2 * items + at(from.number)];
    case place::gate_look:
      return sights_[sights_.size() - 2];
    case place::finish:
      break;
  }
  return sights_.back();
}

void run_record::prepare_sight(const observer& from) {
  if (plan_.at(from).empty()) return;
  place_of(from).values.assign(buffers_.size(), buffer_value::unread());
}

void run_record::look_from(const observer& from) noexcept {
  sight& s = place_of(from);
  if (s.taken.exchange(true)) return;
  s.seen.from = from;
  s.seen.sequence = next();
  for (std::size_t x = 0; x < host_calls_.size(); ++x) {
    if (m_.items().begun_cells().has(x) &&
        cell(*cells_.begun(x)).load(std::memory_order_acquire) == token_) {
      s.seen.begun.add(x);
    }
    if (m_.items().done_cells().has(x) &&
        cell(*cells_.done(x)).load(std::memory_order_acquire) == token_) {
      s.seen.done.add(x);
    }
  }
  for (const allowed_read& r : plan_.at(from)) {
    const placed_buffer& b = buffers_[at(r.buffer)];
    s.values[at(r.buffer)] =
        contents_.identify(b.host, b.bytes, r.expected, b.kind == memory_kind::write_combined);
  }
  s.ready.store(true, std::memory_order_release);
}

void run_record::calling(std::size_t op) noexcept {
  ops_[op].status.store(call_status::running, std::memory_order_relaxed);
  ops_[op].called.store(next(), std::memory_order_release);
}

void run_record::returned(std::size_t op, call_status status, call_outcome outcome) noexcept {
  ops_[op].status.store(status, std::memory_order_relaxed);
  ops_[op].outcome.store(outcome, std::memory_order_relaxed);
  ops_[op].returned.store(next(), std::memory_order_release);
}

void run_record::fill(index buffer, std::size_t item) noexcept {
  const placed_buffer& b = buffers_[at(buffer)];
  contents_.fill(b.host, b.bytes, buffer_value::of_item(item));
}

void run_record::run_host_call(host_call_record& call, CUstream stream, CUresult status,
                               bool callback) noexcept {
  const std::uint32_t time = call.times.fetch_add(1, std::memory_order_acq_rel);
  if (time >= host_call_record::most_calls) return;
  const auto number = static_cast<index>(call.item);
  host_call_record::made& now = call.calls[time];
  now.status = status;
  now.stream = callback ? stream : call.expected_stream;
  now.entered.store(next(), std::memory_order_release);
  // A second call must not repair what the first one saw and left.
  if (time == 0) {
    set(cells_.begun(call.item), token_);
    look_from({place::item_start, number});
    call.looked.store(true, std::memory_order_release);
    if (held_ == number) gate_->hold_this_thread();
    const index target = m_.items().items()[call.item].write;
    if (target != none) fill(target, call.item);
    look_from({place::item_end, number});
    set(cells_.done(call.item), token_);
  }
  now.left.store(next(), std::memory_order_release);
}

void run_record::await_host_calls(std::chrono::nanoseconds limit) const {
  const auto start = std::chrono::steady_clock::now();
  const auto missing = [this](const host_call_record& c) {
    if (!m_.items().host_calls().has(c.item)) return false;
    const std::size_t op = at(m_.items().items()[c.item].op);
    return ops_[op].status.load() == call_status::success &&
           c.calls[0].left.load(std::memory_order_acquire) == 0;
  };
  for (unsigned step = 0; std::ranges::any_of(host_calls_, missing); ++step) {
    if (std::chrono::steady_clock::now() - start > limit) return;
    relax_thread(step);
  }
}

history run_record::collect(bool finished) const {
  history h;
  for (const call_progress& o : ops_) {
    const std::uint32_t returned = o.returned.load(std::memory_order_acquire);
    h.ops.push_back({o.status.load(), o.called.load(), returned});
    h.outcomes.push_back(o.outcome.load());
  }
  h.held = held_;
  h.finished = finished;
  for (const sight& s : sights_) {
    if (!s.ready.load(std::memory_order_acquire)) continue;
    look l = s.seen;
    if (l.from.at == place::gate_look) h.begun_at_look = l.begun;
    if (!s.values.empty()) {
      l.values = static_cast<std::uint32_t>(h.values.size());
      h.values.insert(h.values.end(), s.values.begin(), s.values.end());
    }
    h.looks.push_back(l);
  }
  std::ranges::sort(h.looks, {}, &look::sequence);
  add_host_calls(h);
  add_log(h);
  return h;
}

void run_record::add_host_calls(history& h) const {
  for (const host_call_record& c : host_calls_) {
    const std::size_t times = std::min<std::size_t>(c.times.load(std::memory_order_acquire),
                                                    host_call_record::most_calls);
    for (std::size_t i = 0; i < times; ++i) {
      const host_call_record::made& made = c.calls[i];
      const std::uint32_t entered = made.entered.load(std::memory_order_acquire);
      if (entered == 0) continue;
      host_call seen;
      seen.item = static_cast<index>(c.item);
      seen.error_status = made.status != CUDA_SUCCESS;
      seen.right_arguments = c.expected_stream == nullptr || made.stream == c.expected_stream;
      seen.entered = entered;
      seen.left = made.left.load(std::memory_order_acquire);
      h.host_calls.push_back(seen);
    }
  }
}

void run_record::add_log(history& h) const {
  using event = log_entry::event;
  for (std::size_t op = 0; op < ops_.size(); ++op) {
    const auto number = static_cast<index>(op);
    if (h.ops[op].called != 0) h.log.push_back({h.ops[op].called, event::called, number});
    if (h.ops[op].returned != 0) h.log.push_back({h.ops[op].returned, event::returned, number});
  }
  for (const host_call& c : h.host_calls) {
    h.log.push_back({c.entered, event::begun, c.item});
    if (c.left != 0) h.log.push_back({c.left, event::done, c.item});
  }
  log_cells(h);
  for (const look& l : h.looks) {
    if (l.from.at == place::gate_look) {
      h.log.push_back({l.sequence, event::released, l.from.number});
    }
  }
  std::ranges::stable_sort(h.log, {}, &log_entry::sequence);
}

/// Items of the device log nothing themselves: they are dated by who saw them first.
void run_record::log_cells(history& h) const {
  item_set begun = m_.items().host_calls(), done = begun;
  for (const look& l : h.looks) {
    (l.begun - begun).for_each([&](std::size_t x) {
      h.log.push_back({l.sequence, log_entry::event::begun, static_cast<index>(x)});
    });
    (l.done - done).for_each([&](std::size_t x) {
      h.log.push_back({l.sequence, log_entry::event::done, static_cast<index>(x)});
    });
    begun |= l.begun;
    done |= l.done;
  }
}

}  // namespace streamcts::program
