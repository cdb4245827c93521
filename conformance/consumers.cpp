// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "conformance/consumers.h"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/driver/result.h"

namespace streamcts {

std::string_view name(consumer what) {
  switch (what) {
    case consumer::kernel: return "kernel";
    case consumer::copy: return "copy";
    case consumer::upload: return "upload";
    case consumer::memset: return "memset";
    case consumer::graph: return "graph";
    case consumer::callback: return "callback";
    case consumer::host_function: return "host_function";
  }
  return "unknown";
}

axis consumers() {
  return make_axis<consumer>("consumer",
                             {consumer::kernel, consumer::copy, consumer::upload, consumer::memset,
                              consumer::graph, consumer::callback, consumer::host_function});
}

memory_kind input_of(consumer what) {
  return what == consumer::copy ? memory_kind::copied : memory_kind::mapped;
}

void require_graphs(case_context& context) {
  using driver::feature;
  if (context.capabilities().works(feature::graph)) return;
  context.not_supported(
      fmt::format("graph = no ({})", context.capabilities().of(feature::graph).reason));
}

consumption::consumption(case_context& context, arrangement& scene, consumer kind, product& input)
    : context_(context),
      scene_(scene),
      kind_(kind),
      input_(input),
      out_(context.cuda(), memory_kind::mapped, input.data.words()) {
  if (input.data.kind() != input_of(kind)) {
    throw std::logic_error("the input of a consumption is of another memory_kind than input_of()");
  }
  input.stays_on_device = true;
  if (kind == consumer::upload) aside_ = driver::device_buffer(context.cuda(), out_.bytes());
  if (kind == consumer::graph) build_graph();
}

void consumption::build_graph() {
  require_graphs(context_);
  driver::graph made(context_.cuda());
  made.add_kernel(context_.kernels().get().copy_words, {32, 128}, {}, out_.target(),
                  input_.data.target(), std::uint64_t{out_.words()});
  graph_.emplace(made);
  // A first launch may load or allocate, and would do so behind the gate.
  graph_->launch(scene_.canary_stream());
  STREAMCTS_CHECK(context_.cuda().cuStreamSynchronize(scene_.canary_stream()));
}

operation consumption::enqueue(lane& on) {
  if (kind_ == consumer::callback || kind_ == consumer::host_function) {
    call_ = &scene_.host_call(kind_ == consumer::callback ? host_call::add_callback
                                                          : host_call::launch_host_func);
    call_->looks_at(input_);
    return op_ = scene_.enqueue(on, *call_);
  }
  out_.begin_round(kind_ == consumer::memset ? kernels::uniform(context_.next_epoch())
                                             : input_.data.expected());
  op_ = scene_.note(on, fmt::format("{} behind {}", name(kind_), input_.name));
  enqueue_work(on);
  return op_;
}

void consumption::enqueue_work(lane& on) {
  const driver::function_table& cuda = context_.cuda();
  const CUdeviceptr in = input_.data.target();
  auto* host_view = out_.host_words().data();
  switch (kind_) {
    case consumer::kernel:
      context_.kernels().copy_words(on.get(), out_.target(), in, out_.words());
      return;
    case consumer::memset:
      STREAMCTS_CHECK(cuda.cuMemsetD32Async(in, static_cast<unsigned>(out_.expected().base),
                                            out_.words() * 2, on.get()));
      return;
    case consumer::upload:
      STREAMCTS_CHECK(cuda.cuMemcpyHtoDAsync(aside_.address(), input_.data.host_words().data(),
                                             out_.bytes(), on.get()));
      STREAMCTS_CHECK(cuda.cuMemcpyDtoHAsync(host_view, aside_.address(), out_.bytes(), on.get()));
      return;
    case consumer::copy:
      STREAMCTS_CHECK(cuda.cuMemcpyDtoHAsync(host_view, in, out_.bytes(), on.get()));
      return;
    case consumer::graph: graph_->launch(on.get()); return;
    default: return;
  }
}

/// A memset leaves its result in the input, in front of what it had to follow.
sighting consumption::look() const {
  if (kind_ != consumer::memset) return out_.look();
  return streamcts::look(input_.data.host_words(), out_.expected(), input_.data.expected());
}

void consumption::expect_ordered(clause_id clause, operation victim,
                                 std::source_location site) const {
  if (call_ != nullptr) return scene_.expect_complete(clause, victim, *call_, site);
  const sighting seen = look();
  scene_.expect(clause, victim, op_, kind_of(seen, gate::state::opened), seen, IsComplete(), site);
}

}  // namespace streamcts
