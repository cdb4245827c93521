// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace streamcts::program {

// One line a defect: enumerator, id, clause, what is wrong.
#define STREAMCTS_PROGRAM_DEFECTS(X)                                                             \
  X(a1, "A1", "CB-ORDER-001", "host call runs when enqueued")                                    \
  X(a2, "A2", "CB-ORDER-001", "host call does not wait for the item just before it")             \
  X(a3, "A3", "CB-ORDER-002", "host call does not wait for copies just before it")               \
  X(a4, "A4", "CB-ORDER-002", "host call does not wait for memsets just before it")              \
  X(a5, "A5", "JN-EVENT-001", "host call forgets event waits just before it")                    \
  X(a6, "A6", "JN-EVENT-003", "host call forgets waits that came through an empty stream")       \
  X(a7, "A7", "ST-DEF-003", "host call in the legacy stream does not wait for blocking streams") \
  X(a8, "A8", "ST-PTDS-003", "host call in a per-thread stream does not wait for legacy work")   \
  X(a9, "A9", "GR-LAUNCH-004", "host call behind a graph waits for its roots only")              \
  X(a10, "A10", "CB-ORDER-004", "from the third pending host call on: starts at once")           \
  X(a10b, "A10b", "CB-ORDER-004", "from the 17th pending host call on: starts at once")          \
  X(a11, "A11", "HF-ORDER-001", "host function runs when enqueued, callback does not")           \
  X(a12, "A12", "CB-ORDER-001", "callback runs when enqueued, host function does not")           \
  X(a13, "A13", "CB-ORDER-001", "host call in a non-blocking stream runs when enqueued")         \
  X(a14, "A14", "ST-PRIO-001", "host call in a high-priority stream runs when enqueued")         \
  X(a15, "A15", "CB-ORDER-001", "first host call of a stream runs when enqueued")                \
  X(a16, "A16", "JN-EVENT-001", "host call in a stream without items runs when enqueued")        \
  X(b1, "B1", "CB-BLOCK-001", "nothing later waits for a host call")                             \
  X(b2, "B2", "CB-BLOCK-001", "host calls wait for a host call, device work does not")           \
  X(b3, "B3", "CB-BLOCK-002", "copies do not wait for the host call just before them")           \
  X(b4, "B4", "CB-BLOCK-003", "event right behind a host call completes when it starts")         \
  X(b5, "B5", "CB-BLOCK-001", "a host call releases later work when it starts")                  \
  X(b6, "B6", "ST-DEF-003", "blocking streams do not wait for a host call in the legacy stream") \
  X(b7, "B7", "CB-ORDER-004", "two adjacent host calls change places")                           \
  X(b8, "B8", "CB-ORDER-004", "a host call starts while the one before it runs")                 \
  X(b9, "B9", "CB-BLOCK-001", "a host call that takes long no longer blocks")                    \
  X(b10, "B10", "CB-BLOCK-001", "a kernel overtakes the host call just before it")               \
  X(b11, "B11", "CB-BLOCK-002", "a graph launch does not wait for the host call before it")      \
  X(b12l, "B12l", "CB-BLOCK-001", "host calls do not block later work in the legacy stream")     \
  X(b12n, "B12n", "CB-BLOCK-001", "host calls do not block later work in non-blocking streams")  \
  X(b12t, "B12t", "CB-BLOCK-001", "from the third host call of a stream on: blocks nothing")     \
  X(c1, "C1", "EV-WAIT-001", "wait is ignored")                                                  \
  X(c2, "C2", "EV-WAIT-001", "wait of a non-blocking stream is ignored")                         \
  X(c3, "C3", "EV-WAIT-001", "wait on an event recorded in the legacy stream is ignored")        \
  X(c4, "C4", "EV-REC-001", "record misses the last item")                                       \
  X(c5, "C5", "JN-EVENT-003", "record misses pending waits")                                     \
  X(c6, "C6", "CB-BLOCK-003", "record misses a host call just before it")                        \
  X(c7, "C7", "EV-REC-003", "second record of an event is ignored")                              \
  X(c8, "C8", "JN-EVENT-004", "wait takes the newest record when it is reached")                 \
  X(c9, "C9", "EV-REC-003", "event that was complete once stays complete when recorded again")   \
  X(c10, "C10", "EV-WAIT-001", "second wait of a stream on one event is ignored")                \
  X(c11, "C11", "JN-EVENT-002", "of two waits in a row only the first counts")                   \
  X(c12, "C12", "JN-EVENT-002", "of two waits in a row only the last counts")                    \
  X(c13, "C13", "EV-WAIT-001", "a copy or memset does not heed the wait just before it")         \
  X(c14, "C14", "JN-EVENT-007", "destroying an event cancels pending waits on it")               \
  X(c16, "C16", "EV-REC-004", "wait on an event never recorded does not end")                    \
  X(c17, "C17", "EV-WAIT-001", "wait on an event without timing is ignored")                     \
  X(c18, "C18", "ST-SYNC-001", "synchronizing a blocking-sync event returns at once")            \
  X(c19, "C19", "EV-WAIT-001", "after a wait, synchronizing the stream fails")                   \
  X(c21, "C21", "EV-REC-002", "event completes only with the next item of its stream")           \
  X(d1, "D1", "ST-DEF-001", "legacy actions do not wait for blocking streams")                   \
  X(d2, "D2", "ST-DEF-002", "blocking streams do not wait for legacy actions")                   \
  X(d3, "D3", "ST-DEF-001", "legacy actions wait for the first blocking stream only")            \
  X(d4, "D4", "ST-DEF-002", "the first blocking stream alone waits for legacy actions")          \
  X(d5, "D5", "ST-DEF-006", "record in the legacy stream does not wait for blocking streams")    \
  X(d6, "D6", "ST-DEF-005", "wait in the legacy stream does not wait for blocking streams")      \
  X(d7, "D7", "ST-DEF-005", "wait in the legacy stream does not hold blocking streams")          \
  X(d8, "D8", "ST-DEF-001", "graph launch in the legacy stream does not wait")                   \
  X(d9, "D9", "ST-DEF-002", "graph launch in the legacy stream holds no other stream")           \
  X(d10, "D10", "ST-DEF-008", "synchronous copies and memsets keep out of the barrier")          \
  X(d11, "D11", "ST-PTDS-003", "per-thread streams keep out of the barrier")                     \
  X(d12, "D12", "ST-DEF-001", "value writes keep out of the barrier")                            \
  X(d13, "D13", "ST-DEF-001", "the legacy handle means the per-thread stream")                   \
  X(e1, "E1", "ST-SYNC-001", "stream synchronize returns at once")                               \
  X(e2, "E2", "CB-BLOCK-005", "stream synchronize does not cover host calls at the end")         \
  X(e3, "E3", "ST-SYNC-002", "stream synchronize does not cover joins behind the last item")     \
  X(e4, "E4", "ST-SYNC-001", "event synchronize returns at once")                                \
  X(e5, "E5", "ST-SYNC-004", "context synchronize skips non-blocking streams")                   \
  X(e6, "E6", "CB-BLOCK-005", "context synchronize does not cover host calls")                   \
  X(e7, "E7", "CB-BLOCK-004", "stream query reports success while a host call runs")             \
  X(e8, "E8", "ST-QUERY-001", "stream query reports success while the last item runs")           \
  X(e8a, "E8a", "ST-QUERY-001", "stream query always reports success")                           \
  X(e9, "E9", "ST-QUERY-001", "event query always reports success")                              \
  X(e11, "E11", "CP-SYNC-001", "synchronous download returns before the data")                   \
  X(e12, "E12", "CP-SYNC-002", "synchronous upload reads its source after the return")           \
  X(e13, "E13", "CP-SYNC-006", "synchronous memset of pinned memory returns early")              \
  X(e15, "E15", "ST-QUERY-002", "queries never report success")                                  \
  X(f1, "F1", "GR-LAUNCH-001", "graph launch does not wait for its stream")                      \
  X(f2, "F2", "GR-LAUNCH-001", "later items do not wait for the graph")                          \
  X(f3, "F3", "GR-LAUNCH-002", "launches of one executable overlap")                             \
  X(f4, "F4", "GR-HOST-002", "host node does not wait for its predecessors")                     \
  X(f5, "F5", "GR-HOST-002", "successors do not wait for a host node")                           \
  X(f6, "F6", "GR-HOST-002", "a node waits for its first predecessor only")                      \
  X(f7, "F7", "GR-HOST-002", "the fifth and later successors of a node do not wait")             \
  X(f8, "F8", "GR-HOST-002", "copy node does not wait at the first launch")                      \
  X(f9, "F9", "GR-HOST-002", "a disabled node drops its edges")                                  \
  X(f10, "F10", "JN-CAP-001", "captured edges between streams are lost")                         \
  X(f11, "F11", "GR-HOST-001", "host node runs at the first launch only")                        \
  X(f12, "F12", "VS-COPY-001", "copy node's data is written again at a later synchronization")   \
  X(h1, "H1", "CB-ONCE-001", "host calls are made twice")                                        \
  X(h2, "H2", "CB-ONCE-001", "host calls are never made")                                        \
  X(h3, "H3", "CB-ONCE-001", "the third host call of a stream is lost")                          \
  X(h4, "H4", "CB-ONCE-001", "a host call in an empty stream is lost")                           \
  X(h5, "H5", "CB-ARGS-001", "a host call gets the user data of the one before it")              \
  X(h8, "H8", "LT-STREAM-001", "host calls pending in a destroyed stream are lost")              \
  X(j1, "J1", "ST-ORDER-001", "with three items pending the next one overtakes the last")        \
  X(j1b, "J1b", "ST-ORDER-001", "with 1,024 items pending the next one overtakes the last")      \
  X(j2, "J2", "CB-ORDER-008", "neighbours enqueued by two host threads change places")           \
  X(j3, "J3", "EV-WAIT-001", "waits of the 33rd and later streams are ignored")                  \
  X(j4, "J4", "ST-PRIO-001", "a kernel of a high-priority stream overtakes the item before it")  \
  X(j5, "J5", "ST-ORDER-001", "uploads of up to 64 KiB overtake everything")                     \
  X(i1, "I1", "CB-STATUS-002", "callbacks get success after a fault")                            \
  X(i3, "I3", "CB-STATUS-002", "only the first callback after a fault gets an error")            \
  X(i4, "I4", "CB-ONCE-003", "callbacks are not called after a fault")                           \
  X(i5, "I5", "HF-ERR-001", "host functions are called after a fault")                           \
  X(i6, "I6", "CB-STATUS-006", "callbacks in front of the fault get an error")                   \
  X(i7, "I7", "CB-STATUS-005", "callbacks of other streams get success after a fault")           \
  X(i8, "I8", "ER-STICKY-001", "the error is reported once")                                     \
  X(i9, "I9", "ER-PROP-001", "synchronize hangs after a fault")                                  \
  X(i10, "I10", "ER-PROP-001", "synchronize returns success after a fault")

/// An ordering defect that the simulator can be given. Ids are those of the catalogue; a letter
/// behind the number tells several mechanisms of one entry apart.
enum class defect : std::uint8_t {
  nothing,
#define X(name, id, clause, title) name,
  STREAMCTS_PROGRAM_DEFECTS(X)
#undef X
};

struct defect_info {
  defect which;
  std::string_view id;
  std::string_view clause;  ///< the promise that it breaks
  std::string_view title;
};

/// All defects, in the order of the catalogue.
std::span<const defect_info> all_defects();
std::optional<defect> find_defect(std::string_view id);
/// @pre @p which is not `defect::nothing`.
const defect_info& info(defect which);

}  // namespace streamcts::program
