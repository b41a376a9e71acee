// A tree search in units: a unit is a part of the frontier, all of one rank, and everything of that rank below it.
#include <algorithm>

#include "search/tree/tree_search.hpp"

namespace lockstep {
namespace {

constexpr size_t kParts = 8;         // that what is left of a unit becomes
constexpr size_t kMostInPart = 512;  // open executions

}  // namespace

bool TreeSearch::unit_goes_on() const {
  return unit_ && unit_->handed_out < parts_.unit_executions && !frontier_.empty() &&
         frontier_.best_rank() == unit_->rank;
}

bool TreeSearch::enter_unit() {
  if (unit_goes_on()) return true;
  if (!in_flight_.empty() || serves_) return false;
  leave_unit();
  const std::optional<UnitPart> part = units_.take_first();
  if (!part) return false;
  hang_unit(*part);
  return unit_goes_on();
}

void TreeSearch::leave_unit() {
  if (!unit_) return;
  std::vector<UnitPart> rest = rest_of_unit();
  units_.put_first(unit_->rank, std::move(rest));
  unit_.reset();
  peak_of_units_ = std::max(peak_of_units_, units_.size());
}

UnitList& TreeSearch::units() {
  leave_unit();
  return units_;
}

void TreeSearch::hang_unit(const UnitPart& part) {
  std::vector<Spill::Item> items;
  unit_ = UnitHere{.rank = part.rank};
  if (!Spill::unpack(part.bytes, part.size, items) || items.empty()) {
    lost_ += part.size;  // it was on a disk that lost it
  } else if (items[0].deltas.empty()) {
    frontier_.push(0, tree_.create_root());
  } else {
    hang(part.rank, items);
  }
}

// What would be run first comes first. Few parts of what is left of this rank, so that nobody works long for little;
// those of higher ranks are joined with others until they are large enough.
std::vector<UnitPart> TreeSearch::rest_of_unit() {
  std::vector<UnitPart> rest;
  while (!frontier_.empty()) {
    uint64_t rank = 0;
    const std::vector<OpenExecution> open = frontier_.give_up_best(rank);
    const size_t each =
        rank == unit_->rank ? std::clamp((open.size() + kParts - 1) / kParts, size_t{1}, kMostInPart) : kMostInPart;
    for (size_t end = open.size(); end > 0;) {
      const size_t begin = end > each ? end - each : 0;
      rest.push_back(part_of(rank, std::span(open).subspan(begin, end - begin)));
      end = begin;
    }
    for (const OpenExecution& one : open) forget(one);
  }
  return rest;
}

UnitPart TreeSearch::part_of(uint64_t rank, std::span<const OpenExecution> open) const {
  std::vector<Spill::Item> items(open.size());
  std::ranges::transform(open, items.begin(), [this](const OpenExecution& one) { return item_of(one); });
  return {.rank = rank, .size = items.size(), .bytes = Spill::pack(items)};
}

void TreeSearch::begin(const Unit& unit) {
  serves_ = true;
  units_ = {};
  weight_estimate_.begin_part();
  hang_unit({unit.rank, unit.size, unit.bytes});
}

std::vector<UnitPart> TreeSearch::end(StateWriter& totals) {
  std::vector<UnitPart> rest = rest_of_unit();
  for (const uint64_t number : {unit_->rank, diverged_, lost_, cut_, lowest_cut_rank_.value_or(~uint64_t{0})})
    totals.put(number);
  totals.put(beyond_depth_);
  weight_estimate_.save_part(totals);
  return rest;
}

bool TreeSearch::count(StateReader& totals, uint64_t executions) {
  const auto rank = totals.get<uint64_t>();
  for (uint64_t* number : {&diverged_, &lost_, &cut_}) *number += totals.get<uint64_t>();
  if (const auto cut_rank = totals.get<uint64_t>(); cut_rank != ~uint64_t{0})
    lowest_cut_rank_ = std::min(lowest_cut_rank_.value_or(cut_rank), cut_rank);
  beyond_depth_ |= totals.get<uint8_t>() != 0;
  weight_estimate_.add_part(totals);
  if (!level_begun_ || rank != level_) level_estimate_.begin(units_.size_of(rank), executed_);
  level_ = rank;
  level_begun_ = true;
  executed_ += executions;
  level_estimate_.executed(units_.size_of(rank), executed_);
  peak_of_units_ = std::max(peak_of_units_, units_.size());
  return true;
}

Spill::Item TreeSearch::item_of(const OpenExecution& open) const {
  const ExecutionTree::Node& node = tree_[open.node];
  Spill::Item item;
  tree_.deltas_of(open.node, item.deltas);
  item.cost = node.cost;
  if (!open.leaf) return item;
  item.cost = static_cast<uint16_t>(open.leaf->cost_after(node));
  item.deltas.push_back({open.leaf->step_after(node), static_cast<uint16_t>(open.leaf->value)});
  return item;
}

// It is kept elsewhere from now on.
void TreeSearch::forget(const OpenExecution& open) {
  if (open.leaf)
    tree_.drop_reserved(open.node);
  else
    tree_.drop(open.node);
}

// What comes back hangs below a root of its own: its ancestors have been executed and are needed for their deviations
// only. Executions that follow each other share as much of that as they have in common.
void TreeSearch::hang(uint64_t rank, const std::vector<Spill::Item>& items) {
  std::vector<NodeIndex> path{tree_.create_root()};
  std::vector<Delta> deltas;
  const auto retreat = [&](size_t depth) {
    for (; deltas.size() > depth; deltas.pop_back(), path.pop_back()) tree_.finish(path.back());
  };
  for (const Spill::Item& item : items) {
    const size_t inner = item.deltas.size() - 1;
    size_t shared = 0;
    while (shared < std::min(deltas.size(), inner) && deltas[shared] == item.deltas[shared]) ++shared;
    retreat(shared);
    // What the ancestors cost only says what their leaves cost more: about as much as the leaves will do.
    const uint32_t cost = item.cost == ExecutionTree::kCostUnknown ? item.cost : item.cost - (item.cost > 0);
    for (size_t i = shared; i < inner; ++i) {
      path.push_back(tree_.create(path.back(), item.deltas[i].step, item.deltas[i].value, cost));
      deltas.push_back(item.deltas[i]);
    }
    open(rank, path.back(), item.deltas[inner].step, item.deltas[inner].value, item.cost);
  }
  retreat(0);
  tree_.finish(path[0]);
}

void TreeSearch::load_units(StateReader& in) {
  units_.load(in);
  const auto unit = in.get<UnitHere>();
  unit_.reset();
  if (unit.rank != kNoUnit) unit_ = unit;
  peak_of_units_ = in.get<uint64_t>();
}

}  // namespace lockstep
