// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "reports/digest/digest.h"
#include "reports/results/printable.h"

namespace streamcts::runner {

namespace {

constexpr std::chrono::milliseconds overwrite_every{200};
constexpr std::chrono::seconds print_every{10};
constexpr std::size_t widest = 400;

bool is_terminal(std::FILE* out) {
  const char* kind = std::getenv("TERM");
  return ::isatty(::fileno(out)) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::string shortened(std::string text) {
  if (text.size() > widest) text = text.substr(0, widest) + " ...";
  return results::to_printable_line(text);
}

}  // namespace

std::string red_line(const results::case_record& record) {
  std::string text =
      fmt::format("{:<6} {}", results::to_string(record.verdict), record.id);
  if (record.failure) {
    const results::failure& what = *record.failure;
    text += fmt::format(": {} {}: expected {}, seen {}", what.clause,
                        results::to_string(what.kind), what.expected, what.seen);
  } else if (!record.reason.empty()) {
    text += ": " + record.reason;
  }
  return shortened(std::move(text));
}

progress::progress(std::FILE* out, progress_mode mode)
    : out_(out),
      overwrite_(mode != progress_mode::never && is_terminal(out)),
      shown_(mode != progress_mode::never) {}

void progress::begin(std::size_t total) {
  total_ = total;
  start_ = clock::now();
  last_ = start_;
  phase_.clear();
}

void progress::record(const results::case_record& record) {
  const bool red = results::is_red(record.verdict);
  const bool again = record.incidence && record.incidence->runs > 0;
  if (again) {
    line(fmt::format("       {}: {}{}", record.id, results::incidence_text(*record.incidence),
                     red ? "" : fmt::format(", now {}", results::to_string(record.verdict))));
    return;
  }
  ++done_;
  if (red || record.verdict == results::verdict::error) {
    if (red) ++red_;
    line(red_line(record));
  }
}

void progress::phase(const std::string& text) { phase_ = text; }

std::string progress::state() const {
  if (!phase_.empty()) return phase_;
  std::string text = fmt::format("{}/{}", done_, total_);
  if (red_ > 0) text += fmt::format(", {} red", red_);
  const double spent = std::chrono::duration<double>(clock::now() - start_).count();
  if (done_ > 0 && done_ < total_ && spent > 1) {
    const double left =
        spent / static_cast<double>(done_) * static_cast<double>(total_ - done_);
    text += fmt::format(", about {} left", reports::duration_text(left));
  }
  return text;
}

void progress::tick() {
  if (!shown_) return;
  const auto now = clock::now();
  if (overwrite_) {
    if (now - last_ < overwrite_every) return;
    fmt::print(out_, "\r\033[K{}", state());
    line_open_ = true;
  } else {
    if (now - last_ < print_every) return;
    fmt::print(out_, "{}\n", state());
  }
  last_ = now;
  std::fflush(out_);
}

void progress::line(const std::string& text) {
  clear();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

void progress::clear() {
  if (!line_open_) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
  line_open_ = false;
}

}  // namespace streamcts::runner
