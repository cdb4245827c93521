// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/detour.h"

#include <utility>
#include <vector>

namespace streamcts::faults {

CUresult detour::take(operation& op) {
  const private_event before = record_in(op.stream);
  private_event end;
  const CUresult result = enqueue_beside(op, before, &end);
  if (result != CUDA_SUCCESS) return result;
  const state taken{std::move(end), op.stream.context(), op.stream.is_legacy(),
                    op.stream.is_blocking()};
  outside_.with(op.stream.key(), [&](state& s) { s = taken; });
  return result;
}

void detour::rejoin_own(const stream_ref& stream) {
  const private_event end =
      outside_.with(stream.key(), [](state& s) { return std::exchange(s.end, nullptr); });
  wait_in(stream, end);
}

std::vector<private_event> detour::unfinished_others(const stream_ref& stream) {
  std::vector<private_event> ends;
  if (!stream.is_blocking()) return ends;
  const CUcontext context = stream.context();
  const bool legacy = stream.is_legacy();
  const stream_key own = stream.key();
  outside_.for_each([&](const stream_key& key, state& s) {
    if (key == own || !s.end || s.context != context) return;
    if (legacy ? s.blocking : s.legacy) ends.push_back(s.end);
  });
  std::erase_if(ends, [](const private_event& end) { return is_complete(end); });
  return ends;
}

void detour::rejoin_others(const stream_ref& stream) {
  for (const private_event& end : unfinished_others(stream)) wait_in(stream, end);
}

void detour::rejoin(const stream_ref& stream) {
  rejoin_own(stream);
  rejoin_others(stream);
}

bool detour::is_outside(const stream_ref& stream) {
  return !is_complete(outside_.with(stream.key(), [](state& s) { return s.end; }));
}

bool detour::are_others_outside(const stream_ref& stream) {
  return !unfinished_others(stream).empty();
}

}  // namespace streamcts::faults
