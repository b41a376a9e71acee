// Prints a failure as a story for the terminal.
#include "report/story.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "model/schedule.hpp"
#include "report/cause_text.hpp"
#include "report/end_states.hpp"
#include "report/operation_text.hpp"
#include "report/race_text.hpp"
#include "report/story_columns.hpp"
#include "report/summary.hpp"
#include "report/trace_names.hpp"
#include "report/user_frames.hpp"
#include "report/wait_text.hpp"

namespace lockstep {
namespace {

class Story {
 public:
  Story(const Finding& finding, Symbols& symbols, const StoryOptions& options)
      : finding_(finding),
        options_(options),
        term_(options.terminal),
        glyph_(term_.glyphs()),
        names_(finding.trace, symbols, &finding.seen) {}

  std::string tell() {
    header();
    table_ = story_table(finding_, names_, glyph_, options_.row_limit);
    out_ += lay_out(table_, names_, term_);
    folded();
    why();
    cause();
    if (const std::string states = end_states(names_); !states.empty()) out_ += "\nAt the end: " + plain(states) + "\n";
    legend();
    output();
    what_next();
    return std::move(out_);
  }

 private:
  // --- what, where, how deep -------------------------------------------------------------------------------------

  void header() {
    std::string kind = name_of(finding_.kind);
    for (char& c : kind) c = c == '-' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string what = one_line(plain(message()));
    const std::string where = lockstep::place_in_function(finding_.location);
    out_ += term_.paint(kRed, kind) + "  " + what;
    const bool fits = columns(kind) + columns(what) + columns(where) + 6 <= term_.width;
    if (!where.empty()) out_ += (fits ? "   " : "\n  ") + where;
    const std::string when = options_.replayed ? "reproduced" : "execution " + with_separators(finding_.execution);
    out_ += fmt::format("\n{}{}, {} {} {}\n\n", plural(finding_.preemptions, "preemption"), between(),
                        plural(finding_.threads, "thread"), glyph_.dash, when);
  }

  std::string message() const {
    std::string text = finding_.message;
    for (const std::string_view prefix :  // what the kind has said
         {"assertion failed: ", "deadlock: ", "livelock: ", "data race ", "use after free: ", "leak: "})
      if (text.starts_with(prefix)) text.erase(0, prefix.size());
    const std::string values = operand_text(finding_);
    return values.empty() ? text : fmt::format("{}   ({})", text, values);
  }

  // For a single preemption: ", between deque.hpp:17 and deque.hpp:18 in Deque::pop".
  std::string between() {
    if (finding_.preemptions != 1) return {};
    const auto steps = names_.trace().steps();
    for (ScheduleCursor cursor(names_.trace()); !cursor.done(); cursor.advance()) {
      if (cursor.step().is_note() || cursor.step().is_choice() || cursor.cost(cursor.step().thread) == 0) continue;
      const ThreadId t = cursor.running();
      std::optional<Frame> before, after;
      for (size_t i = 0; i < steps.size() && !after; ++i)
        if (steps[i].thread == t && !steps[i].is_choice())
          (i < cursor.index() ? before : after) = innermost_user_frame(names_.stack_of_step(i), names_.symbols());
      if (!after) after = innermost_user_frame(names_.stack_of_pending(t), names_.symbols());
      if (!before || !after || short_place(before->where).empty() || short_place(after->where).empty()) return {};
      const std::string from = short_place(before->where), to = short_place(after->where);
      return fmt::format(", {}{} in {}", from == to ? "at " : "between " + from + " and ", to,
                         short_function(after->where.function));
    }
    return {};
  }

  void folded() {
    std::string text;
    for (const auto& [thread, count] : table_.folded)
      text += fmt::format("{}{}: create and join, {} folded", text.empty() ? "" : "; ", names_.thread(thread),
                          plural(count, "step"));
    if (table_.counts_folded)
      text += fmt::format("{}counts of shared_ptr, {} folded", text.empty() ? "" : "; ",
                          plural(table_.counts_folded, "step"));
    if (!text.empty()) out_ += "       " + term_.paint(kDim, "(" + text + ")") + "\n";
  }

  // --- why it is wrong -------------------------------------------------------------------------------------------

  void why() {
    if (finding_.kind == FindingKind::Deadlock) {
      const WaitGraph graph = wait_graph(names_.trace());
      if (const std::string cycle = cycle_text(graph, names_, glyph_.right); !cycle.empty())
        out_ += "\n  " + term_.paint(kRed, cycle) + "\n";
      else
        out_ += "\n";
      for (const std::string& line : deadlock_lines(names_)) out_ += "  " + plain(line) + "\n";
    } else if (finding_.kind == FindingKind::Livelock && !race()) {
      out_ += "\n";
      const ThreadId culprit = names_.trace().header().culprit;
      bool waits = culprit == kNoThread;
      for (const Step& op : names_.trace().pending()) waits |= op.thread == culprit;
      if (!waits) stack_line(culprit, names_.stack_of_failure(), "");
      for (size_t i = 0; i < names_.trace().pending().size(); ++i) {
        const Step& op = names_.trace().pending()[i];
        stack_line(op.thread, names_.stack_of_pending(i), operation_text(op, names_));
      }
    } else if (race() && race()->misuse()) {
      told_stack(term_.paint(kBold, names_.thread(race()->second.thread)) +
                     (race()->second.misuse == Misuse::SpinsUnyielding ? " spins in" : " misused it in"),
                 stack_of(race()->second, names_));
    } else if (race()) {
      for (const RaceAccess* access : {&race()->first, &race()->second})
        told_stack(
            fmt::format("{}: {}", term_.paint(kBold, names_.thread(access->thread)), access_text(*access, names_)),
            stack_of(*access, names_));
      if (const std::string origin = allocation_text(race()->second.address, names_); !origin.empty())
        told_allocation(race()->second.address);
    } else if (finding_.allocation) {
      told_allocation(finding_.allocation->begin);
    } else if (!finding_.steps.empty() || !finding_.lock_cycle.empty()) {
      told_steps();
    } else if (user_frames(names_.stack_of_failure(), names_.symbols()).size() > 1) {
      const ThreadId culprit = names_.trace().header().culprit;
      told_stack(culprit == kNoThread ? "" : term_.paint(kBold, names_.thread(culprit)) + " failed in",
                 names_.stack_of_failure());
    }
  }

  void told_steps() {
    std::vector<uint32_t> steps = finding_.steps;
    for (const LockNesting& n : finding_.lock_cycle) steps.insert(steps.end(), {n.held_step, n.step});
    for (const uint32_t i : steps) {
      const Step& step = names_.trace().steps()[i];
      told_stack(fmt::format("{}: {}", term_.paint(kBold, names_.thread(step.thread)), operation_text(step, names_, i)),
                 names_.stack_of_step(i));
    }
  }

  void cause() {
    const auto reference = [this](uint32_t step) {
      const auto steps = static_cast<uint32_t>(names_.trace().steps().size());
      const auto& numbers = step < steps ? table_.numbers : table_.pending;
      const auto at = numbers.find(step < steps ? step : step - steps);
      return at == numbers.end() ? plain(step_in_words(step, names_)) : fmt::format("step {}", at->second);
    };
    const std::string unordered = unordered_accesses(finding_, names_);
    const bool tried = finding_.cause.reversed + finding_.cause.left_out > 0;
    const std::string sentence = tried || unordered.empty() ? cause_sentence(finding_.cause, names_, reference) : "";
    if (unordered.empty() && sentence.empty()) return;
    out_ += "\n" + term_.paint(kBold, "Why") + "\n";
    for (const std::string& line : {unordered, sentence})
      if (!line.empty()) out_ += "  " + plain(line) + "\n";
    if (const std::string passing = nearest_passing(finding_.cause, names_, reference); !passing.empty())
      out_ += "  " + plain(passing) + "\n";
  }

  void told_allocation(uint64_t address) {
    for (const Allocation& a : names_.trace().allocations())
      if (a.contains(address))
        told_stack(fmt::format("{} bytes, allocated by {}", a.size, term_.paint(kBold, names_.thread(a.thread))),
                   names_.stack_of_allocation(a));
  }

  const DataRace* race() const { return finding_.race ? &*finding_.race : nullptr; }

  // One thread in one line: where it is, and through which calls it got there.
  void stack_line(ThreadId thread, std::span<const uint64_t> stack, const std::string& otherwise) {
    size_t widest = columns(names_.thread(thread));
    for (const Step& other : names_.trace().pending()) widest = std::max(widest, columns(names_.thread(other.thread)));
    const std::string name = names_.thread(thread);
    std::string line = "  " + term_.paint(kBold, name) + std::string(widest + 2 - columns(name), ' ');
    const std::vector<Frame> frames = user_frames(stack, names_.symbols());
    if (frames.empty()) line += otherwise;
    constexpr size_t kDepth = 5;
    for (size_t i = 0; i < frames.size() && i < kDepth; ++i) {
      const std::string place = short_place(frames[i].where);
      if (i == 0) line += frames[i].where.function + (place.empty() ? "" : "  " + place);
      if (i > 0 && !place.empty()) line += fmt::format(" {} {}", glyph_.left, place);
    }
    out_ += line + "\n";
  }

  void told_stack(const std::string& title, std::span<const uint64_t> stack) {
    const std::vector<Frame> frames = user_frames(stack, names_.symbols());
    if (frames.empty()) return;
    out_ += "\n";
    if (!title.empty()) out_ += "  " + plain(title) + "\n";
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

  // Explains only names that the story has used so far.
  void legend() {
    std::string text;
    size_t lines = 0;
    for (const auto& [name, place] : names_.legend()) {
      if (out_.find(name) == std::string::npos || ++lines > 12) continue;
      text += term_.paint(kDim, fmt::format("  {} is {}", name, place)) + "\n";
    }
    if (!text.empty()) out_ += "\n" + text;
  }

  void output() {
    std::vector<std::string_view> lines;
    std::string_view rest = finding_.output;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      const bool told = line.find(": Assertion `") != std::string_view::npos;  // the header has it
      if (!told) lines.push_back(line);
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

  // Names and values contain arrows, which not every terminal can show.
  std::string plain(std::string text) const {
    if (term_.utf8) return text;
    for (size_t at; (at = text.find("→")) != std::string::npos;) text.replace(at, std::string_view("→").size(), "->");
    return text;
  }

  // The program's output must not move the cursor.
  static std::string one_line(std::string_view text) {
    std::string line;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\033' && i + 1 < text.size() && text[i + 1] == '[') {  // up to the letter that ends the escape sequence
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
  StoryTable table_;
  std::string out_;
};

}  // namespace

std::string tell_story(const Finding& finding, Symbols& symbols, const StoryOptions& options) {
  return Story(finding, symbols, options).tell();
}

}  // namespace lockstep
