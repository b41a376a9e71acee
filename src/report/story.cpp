#include "report/story.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "report/operation_text.hpp"
#include "report/race_text.hpp"
#include "report/story_cells.hpp"
#include "report/summary.hpp"
#include "report/trace_names.hpp"
#include "report/user_frames.hpp"
#include "report/wait_text.hpp"

namespace lockstep {
namespace {

constexpr const char* kRed = "1;31";
constexpr const char* kYellow = "33";
constexpr const char* kBold = "1";
constexpr const char* kDim = "2";

class Story {
 public:
  Story(const Finding& finding, Symbols& symbols, const StoryOptions& options)
      : finding_(finding),
        options_(options),
        term_(options.terminal),
        glyph_(term_.glyphs()),
        names_(finding.trace, symbols) {}

  std::string write() {
    header();
    steps();
    why();
    legend();
    output();
    what_next();
    return std::move(out_);
  }

 private:
  using Cell = StoryCell;
  static size_t width(const Cell& cell) {
    return columns(cell.text) + (cell.place.empty() ? 0 : 3 + columns(cell.place));
  }

  void header() {
    std::string kind = name_of(finding_.kind);
    for (char& c : kind) c = c == '-' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string when = options_.replayed ? "reproduced" : "at execution " + with_separators(finding_.execution);
    out_ += fmt::format("{} {} {} {}, {}\n", term_.paint(kRed, kind), when, glyph_.dash,
                        plural(finding_.preemptions, "preemption"), plural(finding_.threads, "thread"));
    if (finding_.kind != FindingKind::Deadlock) out_ += "  " + one_line(finding_.message) + "\n";
    out_ += "\n";
  }

  // --- the steps -------------------------------------------------------------------------------------------------

  void steps() {
    const std::vector<Cell> cells = story_cells(finding_, names_, glyph_, options_.row_limit);
    for (const Cell& cell : cells) margin_ = std::max(margin_, std::to_string(cell.row.number).size() + 3);
    std::vector<ThreadId> threads;
    for (const Cell& cell : cells)
      for (const ThreadId t : {cell.row.thread, cell.row.other})  // of whom an arrow points at, all rows may be skipped
        if (t != kNoThread) threads.push_back(t);
    std::sort(threads.begin(), threads.end());
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    if (std::vector<size_t> starts = column_starts(cells, threads); !starts.empty()) {
      in_columns(cells, threads, starts);
    } else {
      in_one_column(cells, threads);
    }
  }

  // Only one cell of a row is filled, so a cell may reach into the columns right of it. Narrower and narrower columns
  // are tried until every row fits; empty if none do.
  std::vector<size_t> column_starts(const std::vector<Cell>& cells, const std::vector<ThreadId>& threads) {
    for (size_t cap = 44; cap >= 12; cap -= 2) {
      std::vector<size_t> starts;
      size_t at = margin_;
      for (ThreadId thread : threads) {
        starts.push_back(at);
        size_t widest = columns(names_.thread(thread));
        for (const Cell& cell : cells)
          if (cell.row.thread == thread) widest = std::max(widest, width(cell));
        at += std::max(std::min(widest, cap), columns(names_.thread(thread))) + 2;
      }
      bool fits = true;
      for (size_t i = 0; i < threads.size() && fits; ++i) {
        fits = starts[i] + columns(names_.thread(threads[i])) <= term_.width;
        for (const Cell& cell : cells)
          fits = fits && (cell.row.thread != threads[i] || starts[i] + width(cell) <= term_.width);
      }
      if (fits) return starts;
    }
    return {};
  }

  void in_columns(const std::vector<Cell>& cells, const std::vector<ThreadId>& threads,
                  const std::vector<size_t>& starts) {
    auto start_of = [&](ThreadId t) {
      return starts[static_cast<size_t>(std::lower_bound(threads.begin(), threads.end(), t) - threads.begin())];
    };
    std::string line;
    for (size_t i = 0; i < threads.size(); ++i) {
      line.resize(std::max(starts[i], line.size()), ' ');
      line += names_.thread(threads[i]);
    }
    out_ += term_.paint(kBold, line) + "\n";
    for (const Cell& cell : cells) {
      switch (cell.row.kind) {
        case StoryRow::Skipped: out_ += std::string(margin_, ' ') + term_.paint(kDim, cell.text) + "\n"; break;
        case StoryRow::Preempted: out_ += arrow(start_of(cell.row.thread), start_of(cell.row.other)) + "\n"; break;
        default: out_ += number(cell) + std::string(start_of(cell.row.thread) - margin_, ' ') + painted(cell) + "\n";
      }
    }
  }

  // A line under the preempted thread's column that points at the one that runs instead.
  std::string arrow(size_t from, size_t to) const {
    constexpr std::string_view kWord = " preempted ";
    const size_t left = std::min(from, to), right = std::max(from, to);
    const size_t length = std::max(right - left, kWord.size() + 6) - 1;
    const size_t before = (length - kWord.size()) / 2, after = length - kWord.size() - before;
    std::string line;
    if (to < from) line += glyph_.head_left;
    for (size_t i = 0; i < before; ++i) line += glyph_.line;
    line += kWord;
    for (size_t i = 0; i < after; ++i) line += glyph_.line;
    if (to > from) line += glyph_.head_right;
    return std::string(left, ' ') + term_.paint(kYellow, line);
  }

  void in_one_column(const std::vector<Cell>& cells, const std::vector<ThreadId>& threads) {
    size_t widest = 0;
    for (ThreadId thread : threads) widest = std::max(widest, columns(names_.thread(thread)));
    for (const Cell& cell : cells) {
      const std::string name = cell.row.thread == kNoThread ? "" : names_.thread(cell.row.thread);
      if (cell.row.kind == StoryRow::Preempted) {
        const std::string line =
            fmt::format("{0}{0} {1} preempted {2} {3}", glyph_.line, name, glyph_.right, names_.thread(cell.row.other));
        out_ += std::string(margin_, ' ') + term_.paint(kYellow, line) + "\n";
      } else if (cell.row.kind == StoryRow::Skipped) {
        out_ += std::string(margin_, ' ') + term_.paint(kDim, cell.text) + "\n";
      } else {
        out_ += number(cell) + term_.paint(kBold, name) + std::string(widest + 2 - columns(name), ' ') + painted(cell) +
                "\n";
      }
    }
  }

  std::string number(const Cell& cell) const {
    return cell.row.number ? fmt::format("{:>{}}  ", cell.row.number, margin_ - 2) : std::string(margin_, ' ');
  }

  std::string painted(const Cell& cell) const {
    const bool failed = cell.row.kind == StoryRow::Failure || cell.row.kind == StoryRow::Racing;
    const bool bad = cell.row.kind == StoryRow::Blocked || failed;
    std::string text = bad ? term_.paint(failed ? kRed : kYellow, cell.text) : cell.text;
    return cell.place.empty() ? text : text + "   " + term_.paint(kDim, cell.place);
  }

  // --- why it is wrong -------------------------------------------------------------------------------------------

  void why() {
    const auto pending = names_.trace().pending();
    if (finding_.kind == FindingKind::Deadlock) {
      const WaitGraph graph = wait_graph(names_.trace());
      const std::string cycle = cycle_text(graph, names_, glyph_.right);
      out_ += "\n  " + term_.paint(kRed, cycle.empty() ? describe_waits(graph, names_) : cycle) + "\n";
      for (const Step& op : pending)
        if (op.flags & Step::kBlocked) stack_line(op);
    } else if (finding_.kind == FindingKind::Livelock) {
      out_ += "\n";
      for (const Step& op : pending) stack_line(op);
    } else if (race() && race()->misuse()) {
      print_stack(term_.paint(kBold, names_.thread(race()->second.thread)) + " misused it in",
                  stack_of(race()->second, names_));
    } else if (race()) {
      for (const RaceAccess* access : {&race()->first, &race()->second})
        print_stack(
            fmt::format("{}: {}", term_.paint(kBold, names_.thread(access->thread)), access_text(*access, names_)),
            stack_of(*access, names_));
      if (const std::string origin = allocation_text(race()->second.address, names_); !origin.empty())
        print_allocation(race()->second.address);
    } else if (finding_.allocation) {
      print_allocation(finding_.allocation->begin);
    } else if (!finding_.steps.empty() || !finding_.lock_cycle.empty()) {
      std::vector<uint32_t> steps = finding_.steps;
      for (const LockNesting& n : finding_.lock_cycle) steps.insert(steps.end(), {n.held_step, n.step});
      for (const uint32_t i : steps) {
        const Step& step = names_.trace().steps()[i];
        print_stack(fmt::format("{}: {}", term_.paint(kBold, names_.thread(step.thread)), operation_text(step, names_)),
                    names_.stack_of_step(i));
      }
    } else {
      const ThreadId culprit = names_.trace().header().culprit;
      print_stack(culprit == kNoThread ? "" : term_.paint(kBold, names_.thread(culprit)) + " failed in",
                  names_.stack_of_failure());
    }
  }

  void print_allocation(uint64_t address) {
    for (const Allocation& a : names_.trace().allocations())
      if (a.contains(address))
        print_stack(fmt::format("{} bytes at {:#x}, {} by {}", a.size, a.begin, "allocated",
                                term_.paint(kBold, names_.thread(a.thread))),
                    names_.stack_of_allocation(a));
  }

  const DataRace* race() const { return finding_.race ? &*finding_.race : nullptr; }

  // One thread in one line: where it is, and through which calls it got there.
  void stack_line(const Step& op) {
    size_t widest = 0;
    for (const Step& other : names_.trace().pending()) widest = std::max(widest, columns(names_.thread(other.thread)));
    const std::string name = names_.thread(op.thread);
    std::string line = "  " + term_.paint(kBold, name) + std::string(widest + 2 - columns(name), ' ');
    const std::vector<Frame> frames = user_frames(names_.stack_of_pending(op.thread), names_.symbols());
    if (frames.empty()) line += operation_text(op, names_);
    constexpr size_t kDepth = 5;
    for (size_t i = 0; i < frames.size() && i < kDepth; ++i) {
      const std::string place = short_place(frames[i].where);
      if (i == 0) line += frames[i].where.function + (place.empty() ? "" : "  " + place);
      if (i > 0 && !place.empty()) line += fmt::format(" {} {}", glyph_.left, place);
    }
    out_ += line + "\n";
  }

  void print_stack(const std::string& title, std::span<const uint64_t> stack) {
    const std::vector<Frame> frames = user_frames(stack, names_.symbols());
    if (frames.empty()) return;
    out_ += "\n";
    if (!title.empty()) out_ += "  " + title + "\n";
    constexpr size_t kDepth = 12;
    size_t widest = 0;
    for (size_t i = 0; i < std::min(frames.size(), kDepth); ++i)
      widest = std::max(widest, columns(frames[i].where.function));
    widest = std::min<size_t>(widest, 48);
    for (size_t i = 0; i < std::min(frames.size(), kDepth); ++i) {
      const std::string& function = frames[i].where.function;
      const std::string place = long_place(frames[i].where);
      const size_t pad = columns(function) < widest ? widest - columns(function) : 0;
      out_ += "    " + function + (place.empty() ? "" : std::string(pad + 2, ' ') + place) + "\n";
    }
    if (frames.size() > kDepth) out_ += fmt::format("    {} {} more\n", glyph_.ellipsis, frames.size() - kDepth);
  }

  void legend() {
    if (names_.legend().empty() || names_.legend().size() > 12) return;
    out_ += "\n";
    for (const auto& [name, place] : names_.legend())
      out_ += term_.paint(kDim, fmt::format("  {} is {}", name, place)) + "\n";
  }

  void output() {
    std::vector<std::string_view> lines;
    std::string_view rest = finding_.output;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      lines.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (lines.empty()) return;
    const size_t first = lines.size() > options_.output_lines ? lines.size() - options_.output_lines : 0;
    out_ += first ? fmt::format("\n  The program printed (last {} of {} lines):\n", lines.size() - first, lines.size())
                  : "\n  The program printed:\n";
    for (size_t i = first; i < lines.size(); ++i) out_ += "    " + one_line(lines[i]) + "\n";
  }

  void what_next() {
    if (finding_.schedule.empty()) return;
    const std::string schedule = shell_word(finding_.schedule);
    const std::string program = options_.program.empty() ? "" : " -- " + options_.program;
    out_ += fmt::format("\n  replay  lockstep replay {0}{1}\n  debug   lockstep debug {0}{1}\n", schedule, program);
    out_ += fmt::format("  view    lockstep explain {} --html bug.html{}\n", schedule, program);
  }

  // What the program said must not move the cursor.
  static std::string one_line(std::string_view text) {
    std::string line;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\033' && i + 1 < text.size() && text[i + 1] == '[') {  // up to the letter that ends the sequence
        i += 2;
        while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
      } else if (c == '\n') {
        line += "\n  ";
      } else if (c == '\t') {
        line += "  ";
      } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
        line += c;
      }
    }
    return line;
  }

  const Finding& finding_;
  const StoryOptions& options_;
  const Terminal& term_;
  const Glyphs& glyph_;
  TraceNames names_;
  size_t margin_ = 5;  // where the columns begin
  std::string out_;
};

}  // namespace

std::string tell_story(const Finding& finding, Symbols& symbols, const StoryOptions& options) {
  return Story(finding, symbols, options).write();
}

}  // namespace lockstep
