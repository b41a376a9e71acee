// Lays out a story's table in columns.
#include "report/story_columns.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "report/user_frames.hpp"

namespace lockstep {
namespace {

class Layout {
 public:
  Layout(const StoryTable& table, const TraceNames& names, const Terminal& terminal)
      : cells_(table.cells), names_(names), term_(terminal), glyph_(terminal.glyphs()) {
    shorten_places();
    for (const StoryCell& cell : cells_) {
      margin_ = std::max(margin_, std::to_string(cell.row.number).size() + 5);
      for (const ThreadId t : {cell.row.thread, cell.row.other})  // a thread may occur only as the target of an arrow
        if (t != kNoThread) threads_.push_back(t);
    }
    std::sort(threads_.begin(), threads_.end());
    threads_.erase(std::unique(threads_.begin(), threads_.end()), threads_.end());
    for (const ThreadId t : threads_) started_.push_back(start_of_thread(t));
  }

  std::string text() {
    const std::vector<size_t> starts = column_starts();
    starts.empty() ? in_one_column() : in_columns(starts);
    return std::move(out_);
  }

 private:
  // In each column, names a file only where it changes.
  void shorten_places() {
    std::map<ThreadId, std::string> file;
    for (StoryCell& cell : cells_) {
      const size_t colon = cell.place.rfind(':');
      if (colon == std::string::npos) continue;
      std::string& last = file[cell.row.thread];
      const std::string name = cell.place.substr(0, colon);
      if (name == last) cell.place.erase(0, colon);
      last = name;
    }
  }

  static size_t width(const StoryCell& cell) {
    return columns(cell.text) + (cell.place.empty() ? 0 : 3 + columns(cell.place));
  }
  std::string start_of_thread(ThreadId t) const {
    const auto steps = names_.trace().steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != OpKind::Create || steps[i].second.thread() != t) continue;
      const auto frame = innermost_user_frame(names_.stack_of_step(i), names_.symbols());
      const std::string place = frame ? short_place(frame->where) : "";
      return place.empty() ? place : "(started " + place + ")";
    }
    return {};
  }

  // Only one cell of a row is filled, so a cell may extend into the columns to its right. Columns are narrowed until
  // every row fits. Empty if no width fits.
  std::vector<size_t> column_starts() const {
    for (size_t cap = 44; cap >= 12; cap -= 2) {
      std::vector<size_t> starts;
      size_t at = margin_;
      for (size_t i = 0; i < threads_.size(); ++i) {
        starts.push_back(at);
        const size_t title = std::max(columns(names_.thread(threads_[i])), columns(started_[i]));
        size_t widest = title;
        for (const StoryCell& cell : cells_)
          if (cell.row.thread == threads_[i]) widest = std::max(widest, width(cell));
        at += std::max(std::min(widest, cap), title) + 2;
      }
      bool fits = true;
      for (size_t i = 0; i < threads_.size() && fits; ++i) {
        fits = starts[i] + std::max(columns(names_.thread(threads_[i])), columns(started_[i])) <= term_.width;
        for (const StoryCell& cell : cells_)
          fits = fits && (cell.row.thread != threads_[i] || starts[i] + width(cell) <= term_.width);
      }
      if (fits) return starts;
    }
    return {};
  }

  void in_columns(const std::vector<size_t>& starts) {
    auto start_of = [&](ThreadId t) {
      return starts[static_cast<size_t>(std::lower_bound(threads_.begin(), threads_.end(), t) - threads_.begin())];
    };
    std::string names, started;
    for (size_t i = 0; i < threads_.size(); ++i) {
      names.resize(std::max(starts[i], names.size()), ' ');
      names += names_.thread(threads_[i]);
      if (started_[i].empty()) continue;
      started.resize(std::max(starts[i], started.size()), ' ');
      started += started_[i];
    }
    out_ += term_.paint(kBold, names) + "\n";
    if (!started.empty()) out_ += term_.paint(kDim, started) + "\n";
    for (const StoryCell& cell : cells_) {
      switch (cell.row.kind) {
        case StoryRow::Skipped: out_ += std::string(margin_, ' ') + term_.paint(kDim, cell.text) + "\n"; break;
        case StoryRow::Preempted: out_ += arrow(start_of(cell.row.thread), start_of(cell.row.other)) + "\n"; break;
        default: out_ += number(cell) + std::string(start_of(cell.row.thread) - margin_, ' ') + painted(cell) + "\n";
      }
    }
  }

  // A line from the preempted thread's column to the column of the thread that runs instead.
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

  void in_one_column() {
    size_t widest = 0;
    for (const ThreadId thread : threads_) widest = std::max(widest, columns(names_.thread(thread)));
    for (const StoryCell& cell : cells_) {
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

  // An exclamation mark: the failure depends on the order of this step.
  std::string number(const StoryCell& cell) const {
    if (!cell.row.number) return std::string(margin_, ' ');
    return fmt::format("{:>{}} {}  ", cell.row.number, margin_ - 4, cell.needed ? '!' : ' ');
  }

  std::string painted(const StoryCell& cell) const {
    const bool failed = cell.row.kind == StoryRow::Failure || cell.row.kind == StoryRow::Racing;
    const bool bad = cell.row.kind == StoryRow::Blocked || failed;
    std::string text = bad ? term_.paint(failed ? kRed : kYellow, cell.text) : cell.text;
    return cell.place.empty() ? text : text + "   " + term_.paint(kDim, cell.place);
  }

  std::vector<StoryCell> cells_;
  const TraceNames& names_;
  const Terminal& term_;
  const Glyphs& glyph_;
  std::vector<ThreadId> threads_;
  std::vector<std::string> started_;
  size_t margin_ = 7;  // start of the columns
  std::string out_;
};

}  // namespace

std::string lay_out(const StoryTable& table, const TraceNames& names, const Terminal& terminal) {
  return Layout(table, names, terminal).text();
}

}  // namespace lockstep
