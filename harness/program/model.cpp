// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/check.h"

namespace streamcts::program {
void model::build(const stream_program& program) {
  program_ = &program;
  items_.build(program);
  order_.build(program, items_);
  data_.build(program, items_, order_);
}

void model::assume(std::span<const call_outcome> outcomes) {
  order_.build(*program_, items_, outcomes);
}

item_set model::must(const observer& from) const {
  switch (from.at) {
    case observer::place::item_start:
    case observer::place::item_end:
      return order_.before(at(from.number));
    case observer::place::op_return:
      return order_.known(at(from.number));
    case observer::place::gate_look:
      return {};
    case observer::place::finish:
      break;
  }
  return order_.all();
}

item_set model::must_not(const observer& from) const {
  switch (from.at) {
    case observer::place::item_start:
    case observer::place::item_end:
    case observer::place::gate_look:
      return order_.after(at(from.number));
    case observer::place::op_return: {
      item_set later;
      for (std::size_t i = at(from.number) + 1; i < program_->ops.size(); ++i) {
        if (!order_.returned_before(at(from.number), i)) continue;
        for (std::size_t x = items_.first_item(i); x < items_.first_item(i + 1); ++x) later.add(x);
      }
      return later;
    }
    case observer::place::finish:
      break;
  }
  return {};
}

expectation model::expect(const observer& from, std::size_t item) const {
  if (must(from).has(item)) return expectation::must;
  return must_not(from).has(item) ? expectation::must_not : expectation::free;
}

std::optional<buffer_value> model::contents(const observer& from, std::size_t buffer) const {
  if (!host_readable(program_->buffers[buffer].memory)) return std::nullopt;
  if (from.at == observer::place::op_return &&
      !looks_at_return(*program_, program_->ops[at(from.number)])) {
    return std::nullopt;
  }
  const bool item = from.at == observer::place::item_start || from.at == observer::place::item_end;
  if (item && !is_host_item(items_.items()[at(from.number)].kind)) return std::nullopt;
  return data_.contents(buffer, must(from), must_not(from));
}

call_count model::calls(std::size_t item) const {
  if (items_.fault() < 0) return call_count::once;
  const auto fault = static_cast<std::size_t>(items_.fault());
  const bool node = items_.items()[item].node != none;
  if (items_.items()[item].kind == item_kind::callback) return call_count::once;
  if (order_.after(item).has(fault)) return call_count::once;
  return order_.before(item).has(fault) && !node ? call_count::never : call_count::at_most_once;
}

status_rule model::callback_status(std::size_t item) const {
  if (items_.fault() < 0) return status_rule::success;
  const auto fault = static_cast<std::size_t>(items_.fault());
  if (order_.before(item).has(fault)) return status_rule::error;
  return order_.after(item).has(fault) ? status_rule::success : status_rule::free;
}

status_rule model::op_status(std::size_t op) const {
  if (items_.fault() < 0) return status_rule::success;
  const auto fault = static_cast<std::size_t>(items_.fault());
  const op_kind kind = program_->ops[op].kind;
  const bool sync = kind >= op_kind::stream_sync && kind <= op_kind::event_poll;
  if (sync && order_.covered(op).has(fault)) return status_rule::error;
  const auto fault_op = at(items_.items()[fault].op);
  return order_.returned_before(op, fault_op) ? status_rule::success : status_rule::free;
}

}  // namespace streamcts::program
