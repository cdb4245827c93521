// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/emit_calls.h"

#include <algorithm>

namespace streamcts::program::reproducer {
namespace {

using place = observer::place;

std::uint64_t bits(const item_set& items) {
  std::uint64_t all = 0;
  items.for_each([&](std::size_t x) { all |= std::uint64_t{1} << x; });
  return all;
}

std::size_t byte_of(buffer_value v) { return v.is_item() ? 64 + v.item() : 1 + v.buffer(); }

bool in_host_memory(memory_kind kind) { return kind != memory_kind::device; }

}  // namespace

call_writer::call_writer(const model& m) : m_(m), p_(m.source()) {
  for (const perturbation& d : p_.perturbations) {
    if (d.kind == perturbation::type::hold) held_ = m.items().item_of(d.op, d.node);
  }
}

int call_writer::front_gate() const {
  const bool call = held_ >= 0 && m_.items().host_calls().has(static_cast<std::size_t>(held_));
  return call ? gate() + 1 : 0;
}

bool call_writer::awaits() const {
  return std::ranges::any_of(p_.ops,
                             [](const program::operation& o) { return o.kind == op_kind::await; });
}

bool call_writer::uses(std::size_t buffer) const {
  const auto number = static_cast<index>(buffer);
  const auto by = [&](const auto& x) { return x.read == number || x.write == number; };
  return std::ranges::any_of(p_.ops, by) || std::ranges::any_of(p_.graphs, [&](const auto& g) {
           return std::ranges::any_of(g.nodes, by);
         });
}

std::string call_writer::look(const observer& from, const std::string& who,
                              std::string_view indent) const {
  std::string out;
  const std::uint64_t ended = bits(m_.must(from) & m_.items().done_cells());
  const std::uint64_t later =
      bits(m_.must_not(from) & (m_.items().begun_cells() | m_.items().done_cells()));
  if ((ended | later) != 0) {
    out += fmt::format("{}look(\"{}\", {:#x}, {:#x});\n", indent, who, ended, later);
  }
  for (std::size_t b = 0; b < p_.buffers.size(); ++b) {
    const auto value = m_.contents(from, b);
    if (!value || value->is_torn() || !uses(b)) continue;
    const std::string_view name = p_.buffers[b].name.view();
    const std::string whose =
        value->is_item()
            ? "what " + item_title(static_cast<int>(value->item())) + " writes"
            : "what " + std::string(p_.buffers[value->buffer()].name.view()) + " held at first";
    out += fmt::format("{0}holds(\"{1}\", \"{2}\", {2}, {3}, {4}, \"{5}\");\n", indent, who, name,
                       p_.buffers[b].bytes, byte_of(*value), whose);
  }
  return out;
}

std::string call_writer::host_function(std::size_t x) const {
  const item& i = m_.items().items()[x];
  const auto number = static_cast<index>(x);
  const std::string title = item_title(static_cast<int>(x));
  std::string out = fmt::format("static void CUDA_CB host_call_{0}(void*) {{  // {1}\n"
                                "  if (calls[{0}]++ != 0) return;\n  store({2}, 1);\n",
                                x, title, 4 * x);
  out += look({place::item_start, number}, "the start of " + title, "  ");
  if (awaits()) out += fmt::format("  flags[{}] = true;\n", x);
  if (held_ == static_cast<int>(x)) out += fmt::format("  wait_at({});\n", gate());
  if (i.write != none) {
    const buffer_decl& b = p_.buffers[at(i.write)];
    out += fmt::format("  fill({}, {}, {});\n", b.name.view(), b.bytes, 64 + x);
  }
  out += look({place::item_end, number}, "the end of " + title, "  ");
  out += fmt::format("  store({}, 1);\n}}\n", 4 * x + 2);
  if (i.kind != item_kind::callback) return out;
  const stream_kind kind = p_.streams[at(i.stream)].kind;
  const bool made = kind == stream_kind::blocking || kind == stream_kind::nonblocking;
  out += fmt::format("static void CUDA_CB callback_{0}(CUstream s, CUresult status, void*) {{\n"
                     "  if (status != CUDA_SUCCESS{1})\n"
                     "    std::printf(\"BROKEN: {2}: expected CUDA_SUCCESS and its stream, seen %d "
                     "and %p\\n\", status, (void*)s), broken = true;\n"
                     "  host_call_{0}(nullptr);\n}}\n",
                     x, made ? " || s != " + stream(i.stream) : "", title);
  return out;
}

std::string call_writer::allocate(std::size_t buffer) const {
  const buffer_decl& b = p_.buffers[buffer];
  const std::string name(b.name.view());
  std::string out;
  const auto line = [&](const std::string& text) { out += "  " + text + "\n"; };
  const std::string device = "device_" + name;
  switch (b.memory) {
    case memory_kind::device:
      line(fmt::format("OK(cuMemAlloc(&{}, {}));", device, b.bytes));
      line(fmt::format("OK(cuMemsetD8({}, {}, {}));", device, 1 + buffer, b.bytes));
      return out;
    case memory_kind::registered:
    case memory_kind::pageable:
      line(fmt::format("{} = (unsigned char*)std::aligned_alloc(4096, {});", name,
                       (b.bytes + 4095) / 4096 * 4096));
      if (b.memory == memory_kind::pageable) {
        line(fmt::format("{} = (CUdeviceptr){};", device, name));
        break;
      }
      line(fmt::format("OK(cuMemHostRegister({}, {}, CU_MEMHOSTREGISTER_DEVICEMAP));", name,
                       (b.bytes + 4095) / 4096 * 4096));
      line(fmt::format("OK(cuMemHostGetDevicePointer(&{}, {}, 0));", device, name));
      break;
    default: {
      const std::string flag = b.memory == memory_kind::write_combined
                                   ? " | CU_MEMHOSTALLOC_WRITECOMBINED"
                               : b.memory == memory_kind::portable ? " | CU_MEMHOSTALLOC_PORTABLE"
                                                                   : "";
      line(fmt::format("OK(cuMemHostAlloc((void**)&{}, {}, CU_MEMHOSTALLOC_DEVICEMAP{}));", name,
                       b.bytes, flag));
      line(fmt::format("OK(cuMemHostGetDevicePointer(&{}, {}, 0));", device, name));
    }
  }
  line(fmt::format("fill({}, {}, {});", name, b.bytes, 1 + buffer));
  return out;
}

std::string call_writer::address(index buffer) const {
  return "device_" + std::string(p_.buffers[at(buffer)].name.view());
}

std::string call_writer::parameters(std::size_t x) const {
  const item& i = m_.items().items()[x];
  std::string out = fmt::format("item({}", x);
  const int own_gate = held_ == static_cast<int>(x) ? gate() : 0;
  if (i.write != none) {
    out += fmt::format(", {}, {}, {}, {}", own_gate, address(i.write),
                       p_.buffers[at(i.write)].bytes, 64 + x);
    if (i.read != none) out += ", " + address(i.read);
  } else if (own_gate != 0) {
    out += fmt::format(", {}", own_gate);
  }
  return out + ")";
}

std::string call_writer::gate_kernel(const std::string& on, int gate_cell) const {
  return fmt::format("  OK(launch({}, item(-1, {})));  // a gate\n", on, gate_cell);
}

std::string call_writer::copy(std::size_t x, const std::string& on, bool sync, bool own) const {
  const item& i = m_.items().items()[x];
  const buffer_decl &from = p_.buffers[at(i.read)], &to = p_.buffers[at(i.write)];
  const bool up = in_host_memory(from.memory), down = in_host_memory(to.memory);
  const std::string call = up && !down   ? "HtoD"
                           : !up && down ? "DtoH"
                           : up          ? ""
                                         : "DtoD";
  const std::string target = call == "DtoH" ? std::string(to.name.view()) : address(i.write);
  const std::string source = call == "HtoD" ? std::string(from.name.view()) : address(i.read);
  const std::string versioned = sync && own ? (call.empty() ? "_ptds" : "_v2_ptds") : "";
  return fmt::format("  DO(cuMemcpy{}{}{}({}, {}, {}{}));\n", call, sync ? "" : "Async", versioned,
                     target, source, to.bytes, sync ? "" : ", " + on);
}

std::string call_writer::memset(std::size_t x, const std::string& on, bool sync, bool own) const {
  const item& i = m_.items().items()[x];
  const std::uint32_t bytes = p_.buffers[at(i.write)].bytes;
  const bool wide = bytes % 4 == 0;
  return fmt::format("  DO(cuMemsetD{}{}{}({}, {:#x}, {}{}));\n", wide ? 32 : 8,
                     sync ? "" : "Async", sync && own ? "_v2_ptds" : "", address(i.write),
                     (64 + x) * (wide ? 0x01010101 : 1), wide ? bytes / 4 : bytes,
                     sync ? "" : ", " + on);
}

std::string call_writer::enqueue(const program::operation& o, std::size_t x) const {
  const std::string on = stream(o.stream);
  const bool held = held_ == static_cast<int>(x);
  std::string out;
  const bool waits_itself = o.kind == op_kind::kernel;
  if (held && !waits_itself) out += gate_kernel(on, front_gate() != 0 ? front_gate() : gate());
  const bool own = p_.streams[at(o.stream)].kind == stream_kind::per_thread;
  switch (o.kind) {
    case op_kind::kernel:
      if (o.repeat == 1) return out + fmt::format("  DO(launch({}, {}));\n", on, parameters(x));
      out += fmt::format("  {{ item_parameters p = {1}; item_parameters first = item({0}); "
                         "first.done = 0; first.gate = p.gate; p.begun = p.gate = 0;\n"
                         "    DO(launch({2}, first));\n"
                         "    for (int i = 2; i < {3}; ++i) DO(launch({2}, item(-1)));\n"
                         "    DO(launch({2}, p)); }}\n",
                         x, parameters(x), on, o.repeat);
      return out;
    case op_kind::callback:
      return out + fmt::format("  DO(cuStreamAddCallback({}, callback_{}, nullptr, 0));\n", on, x);
    case op_kind::host_function:
      return out + fmt::format("  DO(cuLaunchHostFunc({}, host_call_{}, nullptr));\n", on, x);
    case op_kind::write_value:
      return out + fmt::format("  DO(cuStreamWriteValue32({}, cell({}), 1, 0));\n", on, 4 * x + 2);
    case op_kind::copy:
    case op_kind::copy_sync:
      return out + copy(x, on, o.kind == op_kind::copy_sync, own);
    default:
      return out + memset(x, on, o.kind == op_kind::memset_sync, own);
  }
}

std::string call_writer::host_step(const program::operation& o) const {
  const std::string on = o.stream == none ? "" : stream(o.stream);
  const std::string event = o.event == none ? "" : name_of(p_.events[at(o.event)].name);
  switch (o.kind) {
    case op_kind::record:
      return fmt::format("  DO(cuEventRecord({}, {}));\n", event, on);
    case op_kind::wait:
      return fmt::format("  DO(cuStreamWaitEvent({}, {}, 0));\n", on, event);
    case op_kind::stream_sync:
      return fmt::format("  DO(cuStreamSynchronize({}));\n", on);
    case op_kind::event_sync:
      return fmt::format("  DO(cuEventSynchronize({}));\n", event);
    case op_kind::context_sync:
      return "  DO(cuCtxSynchronize());\n";
    case op_kind::stream_poll:
      return fmt::format("  while (cuStreamQuery({}) == CUDA_ERROR_NOT_READY) sleep_ms(0);\n", on);
    case op_kind::event_poll:
      return fmt::format("  while (cuEventQuery({}) == CUDA_ERROR_NOT_READY) sleep_ms(0);\n", event);
    case op_kind::destroy_event:
      return fmt::format("  DO(cuEventDestroy({}));\n", event);
    case op_kind::destroy_stream:
      return fmt::format("  DO(cuStreamDestroy({}));\n", on);
    case op_kind::await: {
      const program::operation& call = p_.ops[at(o.target)];
      return fmt::format("  while (!flags[{}]) cuStreamQuery({}), sleep_ms(0);\n",
                         m_.items().first_item(at(o.target)), stream(call.stream));
    }
    default:
      return "";
  }
}

std::string call_writer::operation(std::size_t op) const {
  const program::operation& o = p_.ops[op];
  const std::size_t x = m_.items().first_item(op);
  const observer from{place::op_return, static_cast<index>(op)};
  std::string out = "  // " + line_of(p_, o) + "\n";
  if (is_query(o.kind)) {
    // What its success promises.
    std::vector<call_outcome> outcomes(p_.ops.size(), call_outcome::as_promised);
    outcomes[op] = call_outcome::query_succeeded;
    model known(p_);
    known.assume(outcomes);
    const std::string what = o.kind == op_kind::stream_query
                                 ? "cuStreamQuery(" + stream(o.stream) + ")"
                                 : "cuEventQuery(" + name_of(p_.events[at(o.event)].name) + ")";
    const call_writer then(known);
    return out + fmt::format("  if ({} == CUDA_SUCCESS) {{\n{}  }}\n", what,
                             then.look(from, "success of " + line_of(p_, o), "    "));
  }
  if (o.kind == op_kind::launch) {
    out += launch(o, op);
  } else if (o.kind == op_kind::host_write) {
    const buffer_decl& b = p_.buffers[at(o.write)];
    out += fmt::format("  fill({}, {}, {});\n", b.name.view(), b.bytes, 64 + x);
  } else if (makes_items(o.kind)) {
    out += enqueue(o, x);
  } else {
    out += host_step(o);
  }
  if (looks_at_return(p_, o)) out += look(from, "the return of " + line_of(p_, o), "  ");
  return out;
}

}  // namespace streamcts::program::reproducer
