// What is run next: whose turn it is, alone or in lanes, and what a plan says.
#include <algorithm>
#include <utility>

#include "model/schedule.hpp"
#include "search/dpor/dpor_search.hpp"

namespace lockstep::dpor {

constexpr uint32_t kNone = ChoiceTree::kNone;
using Status = ChoiceTree::Status;

uint64_t DporSearch::rank_of(uint32_t node) const {
  const uint32_t record = tree_[node].record;
  const uint16_t value = tree_[node].value;
  uint32_t cost = 0;
  if (record < path_.size())
    cost = preemptions(record);
  else if (record > 0)
    cost = preemptions_through(record - 1);
  if (!tree_[node].data) cost += ScheduleCursor(*trace_, record, 0).cost(ThreadId{value});
  return parts_.order->rank({record, value, cost});
}

void DporSearch::wait_for_turn(uint32_t node) {
  if (parts_.order) {
    ranked_.push(rank_of(node), node);
    peak_waiting_ = std::max(peak_waiting_, ranked_.size());
    return;
  }
  if (in_lanes_) {
    lanes_.push(lane_, tree_[node].record, node);
    peak_waiting_ = std::max(peak_waiting_, lanes_.size());
    return;
  }
  turns_.push(tree_[node].record, node);
  peak_waiting_ = std::max(peak_waiting_, turns_.size());
  tree_[node].early = !open_ended(node);
  if (tree_[node].early) plans_.push(tree_[node].record, node);
}

// More may still be planned below it.
bool DporSearch::open_ended(uint32_t head) const {
  while (tree_[head].first != kNone) head = tree_[head].first;
  return tree_[head].open_end;
}

// A waiting node stands for one of its siblings; the eldest goes first.
uint32_t DporSearch::turn() {
  if (turns_.size() == 0) return kNone;
  uint32_t node = tree_[tree_[turns_.top()].parent].first;
  while (tree_[node].status > Status::UnderWay) node = tree_[node].next;
  return node;
}

// They would not sleep below it, so it has to wait for them.
bool DporSearch::has_sibling_under_way(uint32_t node) const {
  bool found = false;
  tree_.for_each_child(tree_[node].parent,
                       [&](uint32_t c) { found |= tree_[c].status == Status::UnderWay && !tree_[c].data; });
  return found;
}

uint32_t DporSearch::best() {
  return ranked_.size() == 0 || has_sibling_under_way(ranked_.top()) ? kNone : ranked_.pop();
}

// A sequence goes after all that is before it, so that nothing is planned for it later that has to be known when it is
// run; it only need not wait until all of that is finished. Unless it is one to which more may be added.
bool DporSearch::may_go(uint32_t node) const {
  if (any_order_) return !has_sibling_under_way(node);
  for (uint32_t c = tree_[tree_[node].parent].first; c != node; c = tree_[c].next)
    if (tree_[c].status < Status::Executed) return false;
  return !open_ended(node) || tree_.left_is_finished(node);
}

// Of all that is planned, what a single depth-first search would run now; kNone if that is under way.
uint32_t DporSearch::leftmost() const {
  for (uint32_t state = ChoiceTree::kRoot;;) {
    uint32_t c = tree_[state].first;
    while (c != kNone && tree_[c].status == Status::Finished) c = tree_[c].next;
    if (c == kNone || tree_[c].status == Status::UnderWay) return kNone;
    if (tree_[c].status == Status::Planned) return c;
    state = c;
  }
}

// What sequences led to is kept until all before it is finished. A quarter, so that there is room for what comes
// meanwhile.
bool DporSearch::too_large() {
  const uint64_t bytes = tree_.live() * sizeof(ChoiceTree::Node);
  drains_ = bytes > most_bytes_ / (drains_ ? 8 : 4);
  return drains_;
}

uint32_t DporSearch::next_in_lanes() {
  if (!any_order_ && too_large()) {
    if (!in_flight_.empty()) return kNone;
    const uint32_t due = leftmost();
    const auto is_due = [due](uint32_t node) { return node == due; };
    uint32_t node = lanes_.take_own(lane_, is_due);
    if (node == kNone) node = lanes_.take_from_others(lane_, is_due);
    if (node != kNone) std::erase(idle_, lane_);
    return node;
  }
  const auto ready = [this](uint32_t node) { return may_go(node); };
  bool all_looked_through = false;
  for (size_t i = 0; i < idle_.size() && lanes_.size() > 0; ++i) {
    const unsigned lane = idle_.front();
    idle_.pop_front();
    uint32_t node = lanes_.take_own(lane, ready);
    if (node == kNone && !all_looked_through) {
      node = lanes_.take_from_others(lane, ready);
      all_looked_through = node == kNone;
    }
    if (node != kNone) {
      enter(lane);
      return node;
    }
    idle_.push_back(lane);
  }
  return kNone;
}

// Each keeps a path, so of long ones there are fewer. Few are enough to keep a single worker busy, if executions are
// not short; more would only take each other's place in the processor's caches.
void DporSearch::limit_lanes(size_t records) {
  constexpr size_t kRecords = 1 << 16, kLeast = 4, kRecordsForOne = 1 << 10, kLeastForOne = 8;
  records = std::max<size_t>(records, 1);
  size_t most = kRecords / records;
  if (parts_.for_one_worker) most = std::min(most, std::max(kLeastForOne, kRecordsForOne / records));
  while (idle_.size() > std::max(kLeast, most)) idle_.pop_front();
}

void DporSearch::enter(unsigned lane) {
  if (lane == lane_) return;
  const auto exchange = [this](Parked& with) {
    std::swap(order_, with.order);
    std::swap(fingerprint_, with.fingerprint);
    std::swap(path_, with.path);
    std::swap(sleepers_, with.sleepers);
  };
  for (uint32_t number = static_cast<uint32_t>(numbers_.size()); number < order_.objects(); ++number)
    numbers_.push_back(order_.object(number).id);
  parked_bytes_ += parked_[lane_].bytes = path_bytes();
  parked_bytes_ -= parked_[lane].bytes;
  exchange(parked_[lane_]);
  exchange(parked_[lane]);
  lane_ = lane;
  while (order_.objects() < numbers_.size()) (void)order_.number_of(numbers_[order_.objects()]);
}

uint32_t DporSearch::next_head() {
  if (parts_.order) return best();
  if (in_lanes_) return next_in_lanes();
  const uint32_t due = turn();
  if (due != kNone && tree_[due].status == Status::Planned && !tree_[due].early) return due;
  if (plans_.size() == 0) return kNone;
  uint32_t node = tree_[tree_[plans_.top()].parent].first;
  while (tree_[node].status != Status::Planned || !tree_[node].early) node = tree_[node].next;
  plans_.pop();
  return node;
}

std::optional<Plan> DporSearch::next() {
  Plan& plan = plan_;
  plan.deltas.clear();
  plan.sleep.clear();
  plan.sleep_at = kNoStep;
  if (!started_) {
    started_ = true;
    in_flight_.push_back({kNone, lane_});
    if (in_lanes_) std::erase(idle_, lane_);
    return std::move(plan);
  }
  const uint32_t head = next_head();
  if (head == kNone) return std::nullopt;
  if (any_order_) tree_.hand_out(head);
  tree_[head].status = Status::UnderWay;
  in_flight_.push_back({head, lane_});
  plan_prefix(head, plan);
  for (uint32_t c = tree_[head].first; c != kNone; c = tree_[c].first)
    plan.deltas.push_back({kNextDecision, tree_[c].value, tree_[c].data ? Delta::kData : uint16_t{0}});
  if (parts_.whole_sequences) plan.deltas.back().reserved |= Delta::kTentative;
  if (parts_.sleep_sets) plan_sleep(head, plan);
  return std::move(plan);  // taken back when it is done with
}

void DporSearch::plan_prefix(uint32_t head, Plan& plan) const {
  plan.deltas.push_back({tree_[head].record, tree_[head].value});
  for (uint32_t n = nearest_deviation(tree_[head].parent); n != ChoiceTree::kRoot; n = tree_[n].deviation)
    plan.deltas.push_back({tree_[n].record, tree_[n].value});
  std::reverse(plan.deltas.begin(), plan.deltas.end());
}

void DporSearch::plan_sleep(uint32_t head, Plan& plan) const {
  // From the nearest ancestor whose sleepers are at hand, down again.
  chain_.clear();
  uint32_t n = tree_[head].parent;
  while (n != ChoiceTree::kRoot && !on_path(n)) {
    chain_.push_back(n);
    n = tree_[n].parent;
  }
  asleep_.clear();
  if (n != ChoiceTree::kRoot) {
    const std::span<const Label> before = asleep(tree_[n].record);
    asleep_.assign(before.begin(), before.end());
    chain_.push_back(n);
  }
  for (size_t i = chain_.size(); i-- > 0;) {
    if (tree_[chain_[i]].data) continue;
    const size_t end = asleep_.size();
    inherit_sleep(chain_[i], 0, end, asleep_);
    asleep_.erase(asleep_.begin(), asleep_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  const auto sleep = [&plan](const Label& label) {  // what ends the process is awake after any other step
    if (!label.ends && std::find(plan.sleep.begin(), plan.sleep.end(), label.thread) == plan.sleep.end())
      plan.sleep.push_back(label.thread);
  };
  for (const Label& label : asleep_) sleep(label);
  if (!tree_[head].data)
    for (uint32_t c = tree_[tree_[head].parent].first; c != head; c = tree_[c].next)
      if (may_sleep(c)) sleep(tree_[c].label);
  if (parts_.all_siblings_sleep && !tree_[head].data)
    for (uint32_t c = tree_[head].next; c != kNone; c = tree_[c].next) sleep(tree_[c].label);
  if (!plan.sleep.empty()) plan.sleep_at = tree_[head].record;
}

}  // namespace lockstep::dpor
