// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/compare.h"

#include <fmt/format.h>

#include "harness/program/validity.h"

namespace streamcts::program {

namespace {

std::string describe(const model& m, const violation& v) {
  const auto name = [&](index i) {
    return i == none ? std::string("nothing")
                     : item_name(m.source(), m.items().items()[static_cast<std::size_t>(i)]);
  };
  const bool item = v.from.at <= observer::place::item_end;
  return fmt::format("about {}, seen from {}", name(v.item),
                     item ? name(v.from.number) : fmt::format("operation {}", v.from.number + 1));
}

}  // namespace

bool comparer::differ(const run_options& options, std::string what) {
  if (!result_.disagreement.empty()) return false;
  const std::string held =
      options.held == none
          ? "nothing"
          : item_name(model_.source(),
                      model_.items().items()[static_cast<std::size_t>(options.held)]);
  result_.disagreement =
      fmt::format("{}, {} schedule, {} behaviour, seed {}, holding {}: {}", model_.source().origin,
                  to_string(options.how), to_string(options.legal), options.seed, held, what);
  result_.culprit = model_.source();
  return false;
}

/// Under the weakest legal behaviour, what has not happened when nothing but the held item can move
/// is what the model says must come after it.
bool comparer::exact(const history& seen, const run_options& options) {
  ++result_.exact;
  const auto held = static_cast<std::size_t>(options.held);
  const happens_before& order = model_.order();
  for (const look& l : seen.looks) {
    if (l.from.at != observer::place::gate_look) continue;
    item_set waiting = order.all() - seen.begun_at_look;
    if (!(waiting == order.after(held))) {
      const bool more = !order.after(held).contains(waiting);
      const item_set odd = more ? waiting - order.after(held) : order.after(held) - waiting;
      const auto name = item_name(model_.source(), model_.items().items()[odd.front()]);
      return differ(options, name + (more ? " waits, and the model does not say so"
                                          : " has begun, and the model says it must wait"));
    }
    for (std::size_t op = 0; op < seen.ops.size(); ++op) {
      const bool back = seen.ops[op].returned != 0 && seen.ops[op].returned < l.sequence;
      if (back != order.known(op).has(held)) continue;
      return differ(options, fmt::format("operation {} {}", op + 1,
                                         back ? "has returned, and the model says it must wait"
                                              : "waits, and the model does not say so"));
    }
  }
  return true;
}

bool comparer::run(const run_options& options) {
  ++result_.runs;
  const history& seen = simulator_.run(options);
  model_.assume(seen.outcomes);
  const auto found = check(model_, seen);
  if (!found.empty()) {
    return differ(options, fmt::format("{} reported on a legal run: {}", to_string(found[0].kind),
                                       describe(model_, found[0])));
  }
  const bool both_ways = options.how == schedule::hold && options.legal == variant::weakest &&
                         model_.items().fault() < 0;
  return !both_ways || exact(seen, options);
}

bool comparer::compare(const stream_program& program, std::uint64_t seed) {
  if (const auto error = structural_error(program)) {
    result_.culprit = program;
    result_.disagreement = fmt::format("{}: not valid: {}", program.origin, error->message);
    return false;
  }
  model_.build(program);
  ++result_.programs;
  if (const auto error = semantic_error(model_)) {
    return differ({}, "not valid: " + error->message);
  }
  simulator_.load(program, model_.items());
  random_source random(seed);
  run_options options;
  const auto next = [&](schedule how, variant legal) {
    options.how = how;
    options.legal = legal;
    options.seed = random.next();
    options.held = none;
    if (model_.items().size() == 0) return run(options);
    options.held = static_cast<index>(random.below(model_.items().size()));
    return run(options);
  };
  const auto legal = static_cast<variant>(random.below(static_cast<std::size_t>(variant::count)));
  const auto how = static_cast<schedule>(random.below(7));
  return next(schedule::hold, variant::weakest) && next(how, variant::ambiguous) &&
         next(static_cast<schedule>(random.below(7)), legal);
}

}  // namespace streamcts::program
