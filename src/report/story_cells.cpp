// Writes the text of each row, joins rows and leaves rows out.
#include "report/story_cells.hpp"

#include <fmt/format.h>
#include <set>
#include <utility>

#include "report/library_call.hpp"
#include "report/operation_text.hpp"
#include "report/race_text.hpp"
#include "report/summary.hpp"
#include "report/user_frames.hpp"
#include "report/wait_story.hpp"

namespace lockstep {
namespace {

class TableMaker {
 public:
  TableMaker(const Finding& finding, TraceNames& names, const Glyphs& glyphs)
      : finding_(finding), names_(names), glyphs_(glyphs), waits_(finding.trace) {
    for (const NeededOrder& order : finding.cause.orders) needed_.insert({order.first, order.second});
  }

  StoryTable make(size_t row_limit, Creation creation) {
    std::vector<StoryRow> rows = all_rows(finding_.trace, finding_.race ? &*finding_.race : nullptr);
    table_.folded = fold_creation(rows, finding_.trace, creation);
    for (const StoryRow& row : rows) {
      if (row.kind == StoryRow::Operation && !row.pending) table_.numbers[row.index] = row.number;
      if (row.pending) table_.pending[row.index] = row.number;
    }
    if (rows.size() > kManyRows && row_limit < rows.size() / kMargin) rows = thinned(std::move(rows), row_limit);
    std::vector<Draft> drafts;
    for (StoryRow& row : rows) add(drafts, draft_of(std::move(row)));
    fold_counts(drafts, creation);
    number_anew(drafts);
    select(std::move(drafts), row_limit);
    return std::move(table_);
  }

 private:
  // A row whose text is being written.
  struct Draft {
    StoryCell cell;
    std::span<const uint64_t> stack;
    LibraryCall call;
    std::string together;         // the text of several steps of the call; empty: that of the first
    std::vector<uint32_t> steps;  // steps that the row stands for
  };

  // In a long execution, rows that would be left out anyway get no text.
  static constexpr size_t kManyRows = 100'000, kMargin = 8;
  std::vector<StoryRow> thinned(std::vector<StoryRow> rows, size_t limit) const {
    const std::vector<bool> keep = rows_worth_telling(rows, finding_.trace, kMargin * limit);
    std::vector<StoryRow> left;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (keep[i] || (rows[i].kind == StoryRow::Operation && needed_.contains(rows[i].index))) {
        left.push_back(std::move(rows[i]));
        continue;
      }
      if (left.empty() || left.back().kind != StoryRow::Skipped) left.push_back({.kind = StoryRow::Skipped});
      left.back().count += rows[i].number != 0;
    }
    return left;
  }

  Draft draft_of(StoryRow row) {
    Draft draft{{std::move(row), "", "", {}}, {}, {}, {}, {}};
    StoryCell& cell = draft.cell;
    const StoryRow& r = cell.row;
    if (r.kind == StoryRow::Operation || r.kind == StoryRow::Blocked) {
      const Step& step = r.pending ? names_.trace().pending()[r.index] : names_.trace().steps()[r.index];
      draft.stack = r.pending ? names_.stack_of_pending(r.index) : names_.stack_of_step(r.index);
      cell.text = r.kind == StoryRow::Operation ? step_text(step, r) : blocked_text(step, r);
      if (r.kind == StoryRow::Operation && !r.pending) draft.steps.push_back(r.index);
      const uint32_t index = r.pending ? static_cast<uint32_t>(names_.trace().steps().size()) + r.index : r.index;
      cell.needed = needed_.contains(index) && (r.kind == StoryRow::Operation || r.pending);
      draft.call = call_of(step, draft.stack, index);
    } else if (r.kind == StoryRow::Racing) {
      const RaceAccess& access = r.index == 0 ? finding_.race->first : finding_.race->second;
      draft.stack = stack_of(access, names_);
      cell.text = fmt::format("{} {}", glyphs_.cross, access_text(access, names_));
    } else if (r.kind == StoryRow::Failure) {
      draft.stack = names_.stack_of_failure();
      cell.text = fmt::format("{} {}", glyphs_.cross, name_of(finding_.kind));
    }
    if (auto frame = innermost_user_frame(draft.stack, names_.symbols())) cell.place = short_place(frame->where);
    if (!draft.call.name.empty() && r.kind == StoryRow::Operation) name_call(draft);
    if (!draft.call.name.empty() && draft.call.caller.empty()) cell.place.clear();  // started by the library itself
    return draft;
  }

  // Of what the library keeps for itself beside the user's objects the call is all there is to tell.
  LibraryCall call_of(const Step& step, std::span<const uint64_t> stack, uint32_t index) const {
    LibraryCall call = library_call(stack, names_.symbols());
    const bool plain = step.kind == OpKind::PlainRead || step.kind == OpKind::PlainWrite;
    if (call.kind == LibraryCall::Container && !plain) call.name.clear();
    const std::string object = names_.object(step.object, index);
    if (object.ends_with(".use_count()") || object.ends_with(".weak_count()")) call.kind = LibraryCall::Counts;
    if (call.name.empty() && object.starts_with("std::__")) call.name = call.outermost;
    return call;
  }

  // A single access inside a container, or of a count, is told with its object and values.
  void name_call(Draft& draft) const {
    const StoryRow& row = draft.cell.row;
    const ObjectId object = names_.trace().steps()[row.index].object;
    const bool named = names_.has_name(object, row.index);
    if (draft.call.kind == LibraryCall::Container) {
      draft.together = named ? draft.call.name + " " + names_.object(object, row.index) : draft.call.name;
    } else if (draft.call.kind == LibraryCall::Counts && named) {
      draft.together = draft.call.name;
    } else {
      draft.cell.text = call_text(draft.call, row);
    }
  }

  // The counts of shared_ptr only matter where the failure depends on them. Rows beside a preemption show where it was.
  void fold_counts(std::vector<Draft>& drafts, Creation how) {
    if (needed_.empty()) return;
    const auto is_switch = [&](size_t i) {
      return i < drafts.size() && drafts[i].cell.row.kind == StoryRow::Preempted;
    };
    std::vector<Draft> left;
    for (size_t i = 0; i < drafts.size(); ++i) {
      Draft& draft = drafts[i];
      const bool folds = draft.call.kind == LibraryCall::Counts && draft.cell.row.kind == StoryRow::Operation &&
                         !draft.cell.needed && !is_switch(i + 1) && (i == 0 || !is_switch(i - 1));
      if (folds) {
        draft.cell.row.number = 0;
        table_.counts_folded += static_cast<uint32_t>(draft.steps.size());
      }
      if (!folds || how != Creation::LeftOut) left.push_back(std::move(draft));
    }
    drafts = std::move(left);
  }

  // "counting_semaphore::acquire gate.free": the object of the call, where the operation is on nothing else.
  std::string call_text(const LibraryCall& call, const StoryRow& row) const {
    const Step& step = names_.trace().steps()[row.index];
    std::string object = names_.object(step.object, row.index);
    if (call.name.starts_with("barrier::")) object = object.substr(0, object.find(" #"));  // it has several parts
    for (const char* type : {"counting_semaphore::", "latch::", "barrier::", "std::call_once"})
      if (call.name.starts_with(type) && names_.has_name(step.object, row.index) && object.find("std::") != 0)
        return call.name + " " + object;
    return call.name;
  }

  std::string all_threads(const std::vector<ThreadId>& threads) const {
    std::string text;
    for (size_t i = 0; i < threads.size(); ++i)
      text += (i == 0 ? "" : i + 1 == threads.size() ? " and " : ", ") + names_.thread(threads[i]);
    return text;
  }

  std::string step_text(const Step& step, const StoryRow& row) const {
    const uint32_t i = row.pending ? kNoStep : row.index;
    std::string text = operation_text(step, names_, i);
    if (step.kind == OpKind::CondBroadcast)
      if (const auto at = waits_.woken.find(i); at != waits_.woken.end())
        text += at->second.empty() ? ", nobody waits" : ", wakes " + all_threads(at->second);
    if (step.kind == OpKind::Reacquire)
      if (const auto at = waits_.woken_by.find(i); at != waits_.woken_by.end())
        text += fmt::format(", woken by step {}", number_of(at->second));
    if (const auto at = waits_.depth.find(i); at != waits_.depth.end())
      text += fmt::format(" (held {} times now)", at->second);
    if (const auto at = waits_.holders.find(i); at != waits_.holders.end())
      text += ": held by " + all_threads(at->second);
    if (row.waits && step.kind != OpKind::CondWait) text += fmt::format(" {} waits", glyphs_.ellipsis);
    return text;
  }
  // A placeholder for the number after rows have been joined; number_anew() replaces it.
  static std::string number_of(uint32_t step) { return fmt::format("\x01{}\x01", step); }

  std::string blocked_text(Step step, const StoryRow& row) const {
    // As the operation was when it blocked.
    step.flags = static_cast<uint8_t>((step.flags | Step::kBlocked) & ~Step::kTimedOut);
    std::string text = operation_text(step, names_) + " " + std::string(glyphs_.ellipsis) + " ";
    if (step.kind == OpKind::Join || row.blockers.empty()) return text + "waits";
    if (row.blockers.front() == row.thread) return text + "holds it already";
    text += names_.thread(row.blockers.front());
    if (row.blockers.size() > 1) return text + fmt::format(" and {} more hold it", row.blockers.size() - 1);
    return text + " holds it";
  }

  // A step with the same text as the previous one, or of the same library call, gets no row.
  void add(std::vector<Draft>& drafts, Draft draft) {
    Draft* last = drafts.empty() ? nullptr : &drafts.back();
    const bool joins = last && last->cell.row.thread == draft.cell.row.thread &&
                       last->cell.row.kind == StoryRow::Operation && draft.cell.row.kind == StoryRow::Operation &&
                       !last->cell.row.waits && !last->cell.row.pending && !draft.cell.row.pending;
    const bool same_call = joins && !draft.call.name.empty() && draft.call.name == last->call.name &&
                           draft.call.caller == last->call.caller;
    const bool same_text = joins && draft.cell.text == last->cell.text && draft.cell.place == last->cell.place;
    if (!same_call && !same_text) {
      drafts.push_back(std::move(draft));
      return;
    }
    if (same_call && !draft.together.empty()) {
      if (last->together != draft.together) last->together = draft.call.name;
      last->cell.text = last->together;
    }
    last->steps.insert(last->steps.end(), draft.steps.begin(), draft.steps.end());
    last->cell.needed |= draft.cell.needed;
    last->cell.row.waits = draft.cell.row.waits;
  }

  void number_anew(std::vector<Draft>& drafts) {
    uint32_t number = 0;
    for (Draft& draft : drafts) {
      if (draft.cell.row.number) draft.cell.row.number = ++number;
      number += draft.cell.row.count;
      for (const uint32_t step : draft.steps) table_.numbers[step] = draft.cell.row.number;
      if (draft.cell.row.pending) table_.pending[draft.cell.row.index] = draft.cell.row.number;
    }
    for (Draft& draft : drafts) {
      std::string& text = draft.cell.text;
      for (size_t at; (at = text.find('\x01')) != std::string::npos;) {
        const size_t end = text.find('\x01', at + 1);
        const auto step = static_cast<uint32_t>(std::stoul(text.substr(at + 1, end - at - 1)));
        text.replace(at, end + 1 - at, std::to_string(table_.numbers[step]));
      }
      const size_t steps = draft.steps.size();
      const bool call = !draft.call.name.empty() && text.starts_with(draft.call.name);
      if (steps > 1) text += call ? fmt::format("   ({} steps)", steps) : fmt::format("  ×{}", with_separators(steps));
      if (glyphs_.right != "→") make_ascii(text);
    }
  }
  static void make_ascii(std::string& text) {
    for (const auto& [from, to] : {std::pair{"→", "->"}, std::pair{"×", "x"}})
      for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, std::string_view(from).size(), to);
  }

  void select(std::vector<Draft> drafts, size_t limit) {
    std::vector<StoryRow> rows;
    for (const Draft& draft : drafts) rows.push_back(draft.cell.row);
    std::vector<bool> keep = rows_worth_telling(rows, finding_.trace, limit);
    for (size_t i = 0; i < drafts.size(); ++i)
      if (drafts[i].cell.needed || rows[i].kind == StoryRow::Skipped) keep[i] = drafts[i].cell.needed;
    for (size_t i = 0; i < drafts.size();) {
      size_t end = i;
      while (end < drafts.size() && !keep[end]) ++end;
      if (end - i == 1 && rows[i].kind != StoryRow::Skipped) {
        tell(std::move(drafts[i]));  // a line that says "1 more" would not be shorter
      } else if (end > i) {
        StoryRow row{.kind = StoryRow::Skipped};
        for (size_t k = i; k < end; ++k) row.count += rows[k].count + (rows[k].number != 0);
        if (row.count > 0) {
          const std::string text = fmt::format("{} {} more steps", glyphs_.ellipsis, with_separators(row.count));
          table_.cells.push_back({std::move(row), text, "", {}});
        }
      }
      if (end < drafts.size()) tell(std::move(drafts[end]));
      i = end + 1;
    }
  }
  void tell(Draft draft) {
    draft.cell.frames = user_frames(draft.stack, names_.symbols());
    table_.cells.push_back(std::move(draft.cell));
  }

  const Finding& finding_;
  TraceNames& names_;
  const Glyphs& glyphs_;
  const WaitStory waits_;
  std::set<uint32_t> needed_;
  StoryTable table_;
};

}  // namespace

std::string operand_text(const Finding& finding) {
  if (finding.race) return {};  // an assertion of the same execution
  std::string text;
  for (const Operand& operand : finding.seen.operands)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", operand.name, operand.value);
  return text;
}

StoryTable story_table(const Finding& finding, TraceNames& names, const Glyphs& glyphs, size_t row_limit,
                       Creation creation) {
  return TableMaker(finding, names, glyphs).make(row_limit, creation);
}

}  // namespace lockstep
