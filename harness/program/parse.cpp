// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "harness/program/text.h"
#include "harness/program/validity.h"

namespace streamcts::program {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = text.find_first_of(separators);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end);
  }
}

template <typename Enum>
std::optional<Enum> word_of(std::string_view word, int count) {
  for (int i = 0; i < count; ++i) {
    if (to_string(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <typename Decl>
index find(const std::vector<Decl>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, [](const Decl& d) { return d.name.view(); });
  return found == list.end() ? none : static_cast<index>(found - list.begin());
}

/// Reads one line after another into a program.
class reader {
 public:
  stream_program read(std::string_view text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      std::string_view content = text.substr(begin, end - begin);
      content = content.substr(0, content.find('#'));
      words_ = split(content, " \t\r");
      next_ = 0;
      if (!words_.empty()) line();
      begin = end + 1;
    }
    if (!header_) fail("no program", "begin with the line 'streamcts-program 1'");
    if (const auto error = program_error_of(program_)) {
      line_ = error->op == none ? line_ : op_lines_[at(error->op)];
      fail(error->message, error->remedy);
    }
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(std::string_view message, std::string_view remedy) const {
    throw parse_error(std::max<std::size_t>(line_, 1), message, remedy);
  }

  std::string_view word(std::string_view what, std::string_view remedy) {
    if (next_ == words_.size()) fail(fmt::format("{} is missing", what), remedy);
    return words_[next_++];
  }

  short_name new_name(std::string_view name) const {
    const auto good = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    if (name.empty() || name.size() > short_name::max_size || !std::ranges::all_of(name, good)) {
      fail(fmt::format("'{}' is no name", name), "use 1 to 11 letters, digits and underscores");
    }
    return name;
  }

  template <typename Decl>
  short_name new_declaration(const std::vector<Decl>& list, std::size_t most) {
    const short_name name = new_name(word("the name", "write 'stream A blocking' or the like"));
    if (find(list, name.view()) != none) {
      fail(fmt::format("'{}' is declared twice", name.view()), "use another name");
    }
    if (list.size() == most) fail("too many declarations", fmt::format("use at most {}", most));
    return name;
  }

  template <typename Enum>
  Enum choice(std::string_view what, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += fmt::format("{}{}", i == 0 ? "use " : " or ", to_string(static_cast<Enum>(i)));
    }
    const std::string_view given = word(what, all);
    const auto value = word_of<Enum>(given, count);
    if (!value) fail(fmt::format("unknown {} '{}'", what, given), all);
    return *value;
  }

  template <typename Decl>
  index reference(const std::vector<Decl>& list, std::string_view what) {
    const std::string_view name = word(what, "name a declared one");
    return reference(list, what, name);
  }
  template <typename Decl>
  index reference(const std::vector<Decl>& list, std::string_view what,
                  std::string_view name) const {
    const index i = find(list, name);
    if (i == none) fail(fmt::format("unknown {} '{}'", what, name), "declare it in a line above");
    return i;
  }

  long number(std::string_view text, long low, long high) const {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
      fail(fmt::format("'{}' is no number from {} to {}", text, low, high), "give one");
    }
    return value;
  }

  /// If the next word is KEY=VALUE with this key, takes it.
  std::optional<std::string_view> option(std::string_view key) {
    if (next_ == words_.size()) return std::nullopt;
    const std::string_view w = words_[next_];
    if (!w.starts_with(key) || w.size() <= key.size() || w[key.size()] != '=') return std::nullopt;
    ++next_;
    return w.substr(key.size() + 1);
  }
  bool flag(std::string_view name) {
    if (next_ == words_.size() || words_[next_] != name) return false;
    ++next_;
    return true;
  }
  void end_of_line() const {
    if (next_ < words_.size()) {
      fail(fmt::format("'{}' does not belong here", words_[next_]), "take it out of the line");
    }
  }

  void line() {
    if (!header_) {
      if (words_[0] != "streamcts-program") {
        fail("no program", "begin with the line 'streamcts-program 1'");
      }
      if (words_.size() != 2 || words_[1] != "1") {
        fail("unknown version of the format", "this program reads version 1");
      }
      header_ = true;
      return;
    }
    const std::string_view first = words_[0];
    ++next_;
    if (first == "origin") {
      program_.origin =
          word("the origin", "write where the program is from, or leave the line out");
    } else if (first == "stream") {
      stream();
    } else if (first == "event") {
      event();
    } else if (first == "buffer") {
      buffer();
    } else if (first == "graph") {
      graph();
    } else if (first == "node") {
      node();
    } else if (first == "hold" || first == "delay") {
      disturb(first == "hold");
    } else {
      next_ = 0;
      op();
    }
    end_of_line();
  }

  void stream() {
    stream_decl s;
    s.name = new_declaration(program_.streams, limits::streams);
    s.kind = choice<stream_kind>("stream kind", 4);
    if (const auto p = option("priority")) s.priority = static_cast<std::int8_t>(number(*p, -9, 9));
    if (const auto t = option("thread")) s.thread = thread(*t);
    program_.streams.push_back(s);
  }

  std::uint8_t thread(std::string_view text) const {
    return static_cast<std::uint8_t>(number(text, 0, limits::threads - 1));
  }

  void event() {
    event_decl e;
    e.name = new_declaration(program_.events, limits::events);
    e.timing = flag("timing");
    e.blocking_sync = flag("blocking_sync");
    program_.events.push_back(e);
  }

  void buffer() {
    buffer_decl b;
    b.name = new_declaration(program_.buffers, limits::buffers);
    b.memory = choice<memory_kind>("kind of memory", 7);
    std::string_view size = word("the size", "write it as in 64K");
    long scale = 1;
    if (size.ends_with('K')) scale = 1024;
    if (size.ends_with('M')) scale = 1 << 20;
    if (scale != 1) size.remove_suffix(1);
    b.bytes = static_cast<std::uint32_t>(number(size, 1, static_cast<long>(limits::bytes) / scale) *
                                         scale);
    program_.buffers.push_back(b);
  }

  void graph() {
    graph_decl g;
    g.name = new_declaration(program_.graphs, limits::graphs);
    if (flag("captured")) g.origin = graph_origin::captured;
    program_.graphs.push_back(std::move(g));
  }

  void node() {
    graph_decl& g = program_.graphs[at(reference(program_.graphs, "graph"))];
    graph_node n;
    n.name = new_declaration(g.nodes, limits::graph_nodes);
    n.kind = choice<node_kind>("kind of node", 5);
    if (const auto after = option("after")) {
      for (const std::string_view name : split(*after, ",")) {
        n.after |= 1U << reference(g.nodes, "node", name);
      }
    }
    memory(n.read, n.write);
    if (const auto lane = option("lane")) n.lane = static_cast<std::uint8_t>(number(*lane, 0, 7));
    n.disabled = flag("disabled");
    g.nodes.push_back(n);
  }

  void memory(index& read, index& write) {
    if (const auto r = option("read")) read = reference(program_.buffers, "buffer", *r);
    if (const auto w = option("write")) write = reference(program_.buffers, "buffer", *w);
  }

  void op() {
    operation o;
    if (words_[next_].starts_with('@')) o.thread = thread(words_[next_++].substr(1));
    std::string_view verb = word("the operation", "write 'K0: kernel A' or the like");
    if (verb.ends_with(':')) {
      verb.remove_suffix(1);
      o.name = new_name(verb);
      if (find(program_.ops, o.name.view()) != none) {
        fail(fmt::format("'{}' is used twice", verb), "use another name");
      }
      verb = word("the operation", "write 'K0: kernel A' or the like");
    }
    const auto kind = word_of<op_kind>(verb, 25);
    if (!kind) fail(fmt::format("unknown operation '{}'", verb), "docs/programs.md lists them");
    o.kind = *kind;
    if (makes_items(o.kind) == o.name.empty()) {
      fail(o.name.empty() ? "this operation needs a name" : "this operation has no name",
           o.name.empty() ? "write it as in 'K0: kernel A'" : "leave out what is before the colon");
    }
    operands(o);
    if (program_.ops.size() == limits::operations) fail("too many operations", "use at most 512");
    program_.ops.push_back(o);
    op_lines_.push_back(line_);
  }

  void operands(operation& o) {
    switch (o.kind) {
      case op_kind::record:
      case op_kind::wait:
        o.event = reference(program_.events, "event");
        o.stream = reference(program_.streams, "stream");
        break;
      case op_kind::event_sync:
      case op_kind::event_query:
      case op_kind::event_poll:
      case op_kind::destroy_event:
        o.event = reference(program_.events, "event");
        break;
      case op_kind::await:
        o.target = reference(program_.ops, "host call");
        break;
      case op_kind::handoff:
        o.target = static_cast<index>(thread(word("the thread", "write 'handoff 1'")));
        break;
      case op_kind::context_sync:
      case op_kind::host_write:
        break;
      default:
        o.stream = reference(program_.streams, "stream");
    }
    if (o.kind == op_kind::launch) o.graph = reference(program_.graphs, "graph");
    if (o.kind == op_kind::attach) o.attach = choice<attach_mode>("way to attach", 2);
    if (o.kind == op_kind::fault) o.fault = choice<fault_kind>("kind of fault", 4);
    memory(o.read, o.write);
    if (const auto r = option("repeat")) {
      o.repeat = static_cast<std::uint16_t>(number(*r, 1, limits::repeat));
    }
  }

  void disturb(bool hold) {
    perturbation d;
    d.kind = hold ? perturbation::type::hold : perturbation::type::delay;
    const auto parts = split(word("the item", "write 'hold K0' or 'hold G0.b'"), ".");
    d.op = parts.empty() ? none : find(program_.ops, parts[0]);
    if (d.op == none || parts.size() > 2) fail("unknown item", "name an operation above");
    if (parts.size() == 2) {
      const index graph = program_.ops[at(d.op)].graph;
      if (graph == none) fail("a node of something that is no launch", "leave the node out");
      d.node = reference(program_.graphs[at(graph)].nodes, "node", parts[1]);
    }
    if (!hold) {
      std::string_view time = word("the time", "write it as in 100us");
      if (time.ends_with("us")) time.remove_suffix(2);
      d.microseconds = static_cast<std::uint32_t>(number(time, 1, 1'000'000));
    }
    program_.perturbations.push_back(d);
  }

  stream_program program_;
  std::vector<std::string_view> words_;
  std::vector<std::size_t> op_lines_;
  std::size_t next_ = 0;
  std::size_t line_ = 0;
  bool header_ = false;
};

}  // namespace

parse_error::parse_error(std::size_t line, std::string_view message, std::string_view remedy)
    : std::runtime_error(fmt::format("line {}: {}; {}", line, message, remedy)), line_(line) {}

stream_program parse(std::string_view text) {
  return reader().read(text);
}

}  // namespace streamcts::program
