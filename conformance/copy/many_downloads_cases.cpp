// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies to the host by the hundred, each with a host call of its own behind it.

#include <fmt/format.h>

#include <deque>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// A copy, and what the host call right behind it finds.
struct download {
  kernels::pattern expected;
  operation copied{};
  observer* call = nullptr;
  sighting seen;
};

// Promise:   VS-COPY-001, for each of some hundred copies in one stream.
// Defect:    one copy in a hundred is not awaited, or not delivered, when a ring of buffers or of counters
//            wraps. The host call behind it finds the pattern of the copy before.
// Any speed: the same memory is the destination of all copies, so that a host call that comes too early
//            finds another pattern. Nothing is held: the host would have to wait behind so many items.
STREAMCTS_CASE(many_downloads, {.arrangement = "copy/many_downloads",
                                .clauses = {clause::VS_COPY_001},
                                .axes = {host_calls()},
                                .without_hold = "contents behind every copy"}) {
  const int count = context.by_tier(105, 300, 1'000);
  constexpr std::size_t words = payload::visibility_words;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const driver::device_buffer source(context.cuda(), words * 8);
  const driver::host_buffer memory(context.cuda(), words * 8, driver::host_memory::pinned);
  while (scene.next_round(context.by_tier(1, 2, 20))) {
    fill_with_sentinel(memory.words());
    std::deque<download> all;
    kernels::pattern previous{kernels::sentinel, 0};
    for (int i = 0; i < count; ++i) {
      download& now = all.emplace_back();
      now.expected = kernels::ramp(context.next_epoch());
      now.call = &scene.host_call(host_call_of(context));
      now.call->first([&now, &memory, previous] {
        now.seen = look(memory.words(), now.expected, previous);
      });
      context.kernels().write_pattern(stream.get(), source.address(), words, now.expected, 0,
                                      {1, 32});
      now.copied = scene.note(stream, fmt::format("copy {} to the host", i + 1));
      STREAMCTS_CHECK(context.cuda().cuMemcpyDtoHAsync(memory.data(), source.address(), words * 8,
                                                       stream.get()));
      scene.enqueue(stream, *now.call);
      previous = now.expected;
    }
    scene.drain();
    for (const download& each : all) {
      if (!scene.expect(clause::VS_COPY_001, each.copied, each.call->op(),
                        kind_of(each.seen, gate::state::opened), each.seen, IsComplete())) {
        return;
      }
    }
  }
}

}  // namespace
}  // namespace streamcts
