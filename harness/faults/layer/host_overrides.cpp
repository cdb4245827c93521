// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that wait, ask, create and destroy.

#include "harness/faults/layer/captured_events.h"
#include "harness/faults/layer/overrides.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using target = host_wait::target;

template <stream_mode Mode>
CUresult stream_synchronize(CUstream stream) {
  return admitted([&](behaviour& chosen) {
    const auto forward = [&] { return real().stream_synchronize[Mode](stream); };
    host_wait wait{.of = target::stream, .stream = {stream, Mode}, .forward = forward};
    if (!chosen.sees_captures() && wait.stream.is_waited_for_in_capture()) return forward();
    return chosen.synchronize(wait);
  });
}

template <stream_mode Mode>
CUresult stream_query(CUstream stream) {
  return admitted([&](behaviour& chosen) {
    const auto forward = [&] { return real().stream_query[Mode](stream); };
    host_wait wait{.of = target::stream, .stream = {stream, Mode}, .forward = forward};
    if (!chosen.sees_captures() && wait.stream.is_waited_for_in_capture()) return forward();
    return chosen.query(wait);
  });
}

CUresult event_synchronize(CUevent event) {
  return admitted([&](behaviour& chosen) {
    const auto forward = [&] { return real().event_synchronize(event); };
    host_wait wait{.of = target::event, .stream = {}, .event = event, .forward = forward};
    if (!chosen.sees_captures() && is_captured(event)) return forward();
    return chosen.synchronize(wait);
  });
}

CUresult event_query(CUevent event) {
  return admitted([&](behaviour& chosen) {
    const auto forward = [&] { return real().event_query(event); };
    host_wait wait{.of = target::event, .stream = {}, .event = event, .forward = forward};
    if (!chosen.sees_captures() && is_captured(event)) return forward();
    return chosen.query(wait);
  });
}

CUresult context_synchronize(CUcontext context, behaviour::forward_call forward) {
  return admitted([&](behaviour& chosen) {
    host_wait wait{
        .of = target::context, .stream = {}, .context = context, .forward = forward};
    // While something is being captured the driver behind refuses, whatever this layer does.
    if (stream_ref{CU_STREAM_LEGACY}.is_waited_for_in_capture()) return forward();
    return chosen.synchronize(wait);
  });
}
CUresult ctx_synchronize() {
  return context_synchronize(nullptr, [] { return real().ctx_synchronize(); });
}
CUresult ctx_synchronize_v2(CUcontext context) {
  return context_synchronize(context, [&] { return real().ctx_synchronize_v2(context); });
}

CUresult stream_create(CUstream* stream, unsigned flags) {
  return admitted([&](behaviour& chosen) {
    return chosen.create_stream(stream, flags, 0,
                                [&] { return real().stream_create(stream, flags); });
  });
}

CUresult stream_create_with_priority(CUstream* stream, unsigned flags, int priority) {
  return admitted([&](behaviour& chosen) {
    return chosen.create_stream(stream, flags, priority, [&] {
      return real().stream_create_with_priority(stream, flags, priority);
    });
  });
}

CUresult stream_destroy(CUstream stream) {
  return admitted([&](behaviour& chosen) {
    const stream_key key = stream_ref{stream}.key();
    const CUresult result =
        chosen.destroy_stream(stream, [&] { return real().stream_destroy(stream); });
    if (result == CUDA_SUCCESS) forget_side_stream(key);
    return result;
  });
}

CUresult event_create(CUevent* event, unsigned flags) {
  return admitted([&](behaviour& chosen) {
    unsigned wanted = flags;
    return chosen.create_event(event, wanted,
                               [&] { return real().event_create(event, wanted); });
  });
}

CUresult event_destroy(CUevent event) {
  return admitted([&](behaviour& chosen) {
    forget_event(event);
    return chosen.destroy_event(event, [&] { return real().event_destroy(event); });
  });
}

CUresult event_elapsed_time(float* milliseconds, CUevent begin, CUevent end) {
  return admitted([&](behaviour& chosen) {
    return chosen.elapsed_time(milliseconds, begin, end, [&] {
      return real().event_elapsed_time(milliseconds, begin, end);
    });
  });
}
CUresult event_elapsed_time_v2(float* milliseconds, CUevent begin, CUevent end) {
  return admitted([&](behaviour& chosen) {
    return chosen.elapsed_time(milliseconds, begin, end, [&] {
      return real().event_elapsed_time_v2(milliseconds, begin, end);
    });
  });
}

template <stream_mode Mode>
CUresult stream_get_id(CUstream stream, unsigned long long* id) {
  return admitted([&](behaviour& chosen) {
    return chosen.stream_id({stream, Mode}, id,
                            [&] { return real().stream_get_id[Mode](stream, id); });
  });
}

template <stream_mode Mode>
CUresult stream_get_priority(CUstream stream, int* priority) {
  return admitted([&](behaviour& chosen) {
    return chosen.stream_priority({stream, Mode}, priority, [&] {
      return real().stream_get_priority[Mode](stream, priority);
    });
  });
}

template <stream_mode Mode>
CUresult begin_capture(CUstream stream, CUstreamCaptureMode capture_mode) {
  return admitted([&](behaviour& chosen) {
    return chosen.begin_capture({stream, Mode}, capture_mode, [&] {
      return real().stream_begin_capture[Mode](stream, capture_mode);
    });
  });
}

template <stream_mode Mode>
CUresult end_capture(CUstream stream, CUgraph* graph) {
  return admitted([&](behaviour& chosen) {
    return chosen.end_capture({stream, Mode}, graph,
                              [&] { return real().stream_end_capture[Mode](stream, graph); });
  });
}

/// Both versions of the query, whose third argument is the id.
template <auto Member, stream_mode Mode, typename F>
struct capture_query;
template <auto Member, stream_mode Mode, typename... A>
struct capture_query<Member, Mode,
                     CUresult (*)(CUstream, CUstreamCaptureStatus*, cuuint64_t*, A...)> {
  static CUresult call(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                       A... more) {
    return admitted([&](behaviour& chosen) {
      return chosen.capture_info({stream, Mode}, id, [&] {
        return (real().*Member)[Mode](stream, status, id, more...);
      });
    });
  }
};
/// Both versions of the update, whose last argument is the flags.
template <stream_mode Mode>
CUresult update_dependencies_v1(CUstream stream, CUgraphNode* nodes, size_t count,
                                unsigned flags) {
  return admitted([&](behaviour& chosen) {
    return chosen.update_capture_dependencies({stream, Mode}, flags, [&] {
      return real().stream_update_capture_dependencies_v1[Mode](stream, nodes, count, flags);
    });
  });
}
template <stream_mode Mode>
CUresult update_dependencies(CUstream stream, CUgraphNode* nodes, const CUgraphEdgeData* edges,
                             size_t count, unsigned flags) {
  return admitted([&](behaviour& chosen) {
    return chosen.update_capture_dependencies({stream, Mode}, flags, [&] {
      return real().stream_update_capture_dependencies[Mode](stream, nodes, edges, count, flags);
    });
  });
}
#define CAPTURE_QUERY_HALF(member, which)                                          \
  STREAMCTS_MODED_HALF(                                                            \
      member, which,                                                               \
      capture_query<&real_table::member, stream_mode::which,                       \
                    std::remove_cvref_t<decltype(real_table::member.function[0])>>::call)
#define CAPTURE_QUERY(member) CAPTURE_QUERY_HALF(member, legacy), CAPTURE_QUERY_HALF(member, per_thread)

const override_entry overrides[] = {
    CAPTURE_QUERY(stream_get_capture_info_v2),
    CAPTURE_QUERY(stream_get_capture_info),
    STREAMCTS_MODED_OVERRIDE(stream_update_capture_dependencies_v1, update_dependencies_v1),
    STREAMCTS_MODED_OVERRIDE(stream_update_capture_dependencies, update_dependencies),
    STREAMCTS_MODED_OVERRIDE(stream_synchronize, stream_synchronize),
    STREAMCTS_MODED_OVERRIDE(stream_query, stream_query),
    STREAMCTS_OVERRIDE(event_synchronize, event_synchronize),
    STREAMCTS_OVERRIDE(event_query, event_query),
    STREAMCTS_OVERRIDE(ctx_synchronize, ctx_synchronize),
    STREAMCTS_OVERRIDE(ctx_synchronize_v2, ctx_synchronize_v2),
    STREAMCTS_OVERRIDE(stream_create, stream_create),
    STREAMCTS_OVERRIDE(stream_create_with_priority, stream_create_with_priority),
    STREAMCTS_OVERRIDE(stream_destroy, stream_destroy),
    STREAMCTS_OVERRIDE(stream_destroy_v1, stream_destroy),
    STREAMCTS_OVERRIDE(event_create, event_create),
    STREAMCTS_OVERRIDE(event_destroy, event_destroy),
    STREAMCTS_OVERRIDE(event_destroy_v1, event_destroy),
    STREAMCTS_OVERRIDE(event_elapsed_time, event_elapsed_time),
    STREAMCTS_OVERRIDE(event_elapsed_time_v2, event_elapsed_time_v2),
    STREAMCTS_MODED_OVERRIDE(stream_get_id, stream_get_id),
    STREAMCTS_MODED_OVERRIDE(stream_get_priority, stream_get_priority),
    STREAMCTS_MODED_OVERRIDE(stream_begin_capture, begin_capture),
    STREAMCTS_MODED_OVERRIDE(stream_end_capture, end_capture),
};

}  // namespace

std::span<const override_entry> host_overrides() { return overrides; }

}  // namespace streamcts::faults
