// What DporSearch does as the search of a unit, and as the one whose tree is divided into units.
#include <algorithm>

#include "search/dpor/dpor_search.hpp"
#include "search/dpor/subtree.hpp"

namespace lockstep::dpor {

bool DporSearch::can_be_divided(uint64_t executions) const {
  return executions_ >= executions && reduces_ && !out_of_memory_ && !out_of_time_ && !is_void() && !tree_.finished();
}

// Source sets go on with what is planned, in any order. The plans of wakeup trees depend on what is finished.
void DporSearch::begin_crown() {
  if (parts_.whole_sequences) start_over();
  walk_->clear();
  path_.clear();
  tree_.set_any_order(true);
}

void DporSearch::abandon(Abandoned why) {
  if (part_) {  // whoever owns the search starts over
    part_->abandoned = why;
  } else if (why == Abandoned::Reduction) {
    reduce_nothing();
  } else {
    out_of_memory_ |= why == Abandoned::Memory;
    out_of_time_ |= why == Abandoned::Time;
    start_over();
  }
}

bool DporSearch::begin_part(StateReader& in, uint64_t executions) {
  const uint32_t top = get_way(in, tree_, path_.order());
  get_subtree(in, tree_, top, path_.order());
  if (!in.good() || !in.at_end()) return false;
  part_ = Part{.top = top, .left = executions};
  own_part();
  started_ = top != kRoot || tree_[top].first != kNone;
  uint32_t records = 0;
  for (const uint32_t node : tree_.available()) {
    if (top != kRoot && node != top && tree_[node].record <= tree_[top].record) continue;  // on the way
    records = std::max(records, tree_[node].record);
    walk_->add(node);
  }
  if (records > 0) walk_->expect_records(records);
  return true;
}

void DporSearch::own_part() { planner_.own_from(part_->top == kRoot ? 0 : tree_[part_->top].record + 1); }

bool DporSearch::part_goes_on() const {
  if (part_->abandoned != Abandoned::No) return false;
  return !under_way_.empty() || (part_->left > 0 && (!started_ || walk_->size() > 0));
}

void DporSearch::end_part(StateWriter& out) {
  ChoiceTree::Node& top = tree_[part_->top];
  const bool finished = top.status == ChoiceTree::Status::Finished;
  if (finished) top.status = ChoiceTree::Status::Executed;
  out.put(part_->abandoned);
  for (const uint64_t number : {complete_, diverged_, lost_, cut_}) out.put(number);
  out.put(static_cast<uint8_t>(failed_ | repeats_ << 1));
  put_requests(out, planner_.requests(), path_.order());
  out.put(finished);
  put_subtree(out, tree_, part_->top, path_.order());
}

bool DporSearch::add_counts(StateReader& in, uint64_t executions) {
  const auto abandoned = in.get<Abandoned>();
  if (abandoned != Abandoned::No) {
    abandon(abandoned);
    return false;
  }
  for (uint64_t* number : {&complete_, &diverged_, &lost_, &cut_}) *number += in.get<uint64_t>();
  const auto flags = in.get<uint8_t>();
  failed_ |= (flags & 1) != 0;
  repeats_ |= (flags & 2) != 0;
  executions_ += executions;
  return true;
}

void DporSearch::save_part(StateWriter& out) const {
  save(out);
  out.put(part_->top);
  out.put(part_->left);
  out.put(part_->abandoned);
  put_requests(out, planner_.requests(), path_.order());
}

void DporSearch::load_part(StateReader& in) {
  load(in);
  part_ = Part{.top = in.get<uint32_t>(), .left = in.get<uint64_t>()};
  part_->abandoned = in.get<Abandoned>();
  if (part_->abandoned == Abandoned::Time) part_->abandoned = Abandoned::Anew;  // there is time again
  planner_.ask_again(get_requests(in, path_.order()));
  if (!tree_.holds(part_->top)) return in.reject();
  own_part();
}

}  // namespace lockstep::dpor
