// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A run in which every field has a value of its own, for unit tests.

#pragma once

#include "reports/results/run.h"

namespace streamcts::results {

inline case_record example_record() {
  case_record out;
  out.id = "callback/order/null.kernel";
  out.clauses = {"CB-ORDER-001", "CB-ORDER-002"};
  out.tier = "quick";
  out.verdict = verdict::fail;
  out.reason = "a reason";
  out.seconds = 0.25;
  out.seed = 0xfedcba9876543210;
  out.repeat = 2;
  out.rounds = 7;
  out.opportunities = {.canary = 5, .calibrated = 1};
  out.opportunities_by_clause = {{"CB-ORDER-001", {4, 1}}, {"CB-ORDER-002", {1, 0}}};
  out.holds = 8;
  out.missed_holds = {{"gate expired", 2}};
  out.incidence = incidence{4, 11, "note"};
  out.replay = "CUDA_VISIBLE_DEVICES=0 streamcts replay x";
  out.stacks = {"thread 1", "  #0 f"};
  out.stdout_tail = "printed\n";
  out.stderr_tail = "complained\n";
  failure& broken = out.failure.emplace();
  broken.clause = "CB-ORDER-001";
  broken.kind = failure_kind::stale;
  broken.observer = "host call 1";
  broken.expected = "epoch 2";
  broken.seen = "epoch 1";
  broken.site = "order_cases.cpp:7";
  broken.edges = {{"kernel 1", "host call 1", "CB-ORDER-001", true},
                  {"host call 1", "kernel 2", "", false}};
  broken.events = {{1, "stream 1", "kernel 1", event_phase::enqueue, 100},
                   {2, "host call", "host call 1", event_phase::begin, std::nullopt},
                   {3, "host call", "host call 1", event_phase::end, -5},
                   {4, "host", "gate opens", event_phase::mark, 2'000'000'000}};
  return out;
}

inline observation example_observation() {
  return {.name = "threads",
          .case_id = "callback/threads",
          .clauses = {"CB-THREAD-002"},
          .value = "one",
          .table = {{"entry point", "answer"}, {{"cuMemAlloc", "0"}, {"cuMemFree", "1"}}},
          .note = "a note",
          .differs_from_documentation = true};
}

inline run_info example_info() {
  run_info out;
  out.suite = {.version = "1.2.3", .git = "abc-dirty"};
  out.driver = {.requested = "system",
                .path = "/lib/libcuda.so.1",
                .version = "13.0",
                .build_id = "1234",
                .runtime_requested = "cudart",
                .runtime_path = "/lib/libcudart.so.13",
                .runtime_version = "13.1",
                .runtime_note = "bound",
                .mapped_files = {{"/lib/libcuda.so.1", "1234"}}};
  out.device = {.name = "a GPU",
                .uuid = "GPU-0",
                .compute_capability = "9.0",
                .attributes = {{"CAN_MAP_HOST_MEMORY", "1"}}};
  out.environment = {.os = "Debian",
                     .kernel = "6.1",
                     .cpu = "a processor",
                     .cores = 2,
                     .variables = {{"CUDA_VISIBLE_DEVICES", "0"}}};
  out.options = {.command = {"streamcts", "run"},
                 .tier = "standard",
                 .filters = {"callback/*"},
                 .seed = 9,
                 .repeat = 3,
                 .jobs = 4,
                 .timeout_seconds = 5.5,
                 .fail_fast = true};
  out.capabilities = {{"gate", "works"}};
  out.calibration = {{"hold", "1 ms"}};
  out.uncovered_clauses = {{"EN-001", "no case yet"}};
  out.started = "2025-01-01T00:00:00Z";
  out.finished = "2025-01-01T00:01:00Z";
  out.seconds = 60;
  out.interrupted = "SIGINT";
  return out;
}

/// Comes back unchanged from run.json: a record for each case, in the order of the plan.
inline run example_run() {
  run out;
  out.info = example_info();
  out.records = {example_record(), example_record()};
  out.records[1].id = "event/record/null";
  out.records[1].verdict = verdict::pass;
  out.records[1].failure.reset();
  out.records[1].incidence.reset();
  for (const case_record& each : out.records) {
    out.planned.push_back({each.id, each.clauses, each.tier});
  }
  out.planned.push_back({"stream/order/null", {"ST-ORDER-001"}, "quick"});
  out.observations = {example_observation()};
  out.damages = {{"cases.jsonl", 3, "torn"}};
  return out;
}

}  // namespace streamcts::results
