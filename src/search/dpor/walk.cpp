// Implements the three walks: depth-first, best-first, lanes.
#include "search/dpor/walk.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "model/schedule.hpp"
#include "search/base/saved_trace.hpp"
#include "search/dpor/lanes.hpp"

namespace lockstep::dpor {
namespace {

using Status = ChoiceTree::Status;

bool is_child(const ChoiceTree& tree, uint32_t node) { return tree.holds(node) && tree.holds(tree[node].parent); }

// Nodes by depth, the deepest first.
class DepthBins {
 public:
  uint64_t size() const { return size_; }
  void push(uint32_t depth, uint32_t node) {
    if (depth >= bins_.size()) bins_.resize(depth + 1);
    bins_[depth].push_back(node);
    deepest_ = std::max(deepest_, depth);
    ++size_;
  }
  uint32_t top() {  // a node of the deepest bin that is not empty
    while (bins_[deepest_].empty()) --deepest_;
    return bins_[deepest_].back();
  }
  void pop() {  // removes the node of top(), or another of the same depth
    bins_[deepest_].pop_back();
    --size_;
  }
  void save(StateWriter& out) const {
    out.put<uint64_t>(bins_.size());
    for (const std::vector<uint32_t>& bin : bins_) out.put_all(bin);
  }
  void load(StateReader& in, const ChoiceTree& tree) {
    *this = {};
    const auto depths = in.get<uint64_t>();
    for (uint64_t depth = 0; depth < depths && in.good(); ++depth)
      for (const uint32_t node : in.get_all<uint32_t>()) {
        if (!is_child(tree, node)) return in.reject();
        push(static_cast<uint32_t>(depth), node);
      }
  }

 private:
  std::vector<std::vector<uint32_t>> bins_;
  uint32_t deepest_ = 0;
  uint64_t size_ = 0;
};

class DepthFirstWalk final : public Walk {
 public:
  DepthFirstWalk(ChoiceTree& tree, const uint64_t& max_bytes) : tree_(tree), max_bytes_(max_bytes) {}

  void add(uint32_t node) override {
    turns_.push(tree_[node].record, node);
    tree_[node].early = !tree_.may_be_extended(node);
    if (tree_[node].early) plans_.push(tree_[node].record, node);
  }
  uint32_t next(bool) override {
    const uint32_t due = turn();
    const bool is_planned = due != kNone && tree_[due].status == Status::Planned;
    if (is_planned && !tree_[due].early) return due;
    if (plans_.size() == 0 || (!is_planned && deferred_bytes_ >= max_bytes_ / kPartsOfMemory)) return kNone;
    uint32_t node = tree_[tree_[plans_.top()].parent].first;
    while (node != kNone && (tree_[node].status != Status::Planned || !tree_[node].early)) node = tree_[node].next;
    plans_.pop();
    return node;
  }
  uint64_t size() const override { return turns_.size(); }
  uint64_t memory_bytes() const override { return 2 * turns_.size() * sizeof(uint32_t) + deferred_bytes_; }
  bool defer(uint32_t head, TraceView trace) override {
    if (head == kRoot) return false;
    if (head == turn()) {
      turns_.pop();
      return false;
    }
    if (spare_.empty()) spare_.emplace_back();
    deferred_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    deferred_.back().head = head;
    deferred_.back().trace.assign(trace);
    deferred_bytes_ += trace.header().bytes;
    return true;
  }
  const DeferredTrace* take_deferred() override {
    const uint32_t due = turn();
    const auto found = std::ranges::find(deferred_, due, &DeferredTrace::head);
    if (found == deferred_.end()) return nullptr;
    turns_.pop();
    deferred_bytes_ -= found->trace.view().header().bytes;
    spare_.push_back(std::move(*found));
    deferred_.erase(found);
    return &spare_.back();
  }
  std::span<const DeferredTrace> deferred() const override { return deferred_; }
  void save(StateWriter& out) const override {
    turns_.save(out);
    plans_.save(out);
    out.put<uint64_t>(deferred_.size());
    for (const DeferredTrace& early : deferred_) {
      out.put(early.head);
      put_trace(out, early.trace);
    }
  }
  void load(StateReader& in) override {
    turns_.load(in, tree_);
    plans_.load(in, tree_);
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto head = in.get<uint32_t>();
      deferred_.push_back({head, get_trace(in)});
      if (in.good()) deferred_bytes_ += deferred_.back().trace.view().header().bytes;
    }
    if (!in.good()) deferred_.clear();
  }

 private:
  // Every execution run ahead of its turn waits for it, so without a limit they pile up: a path that is still getting
  // deeper leaves one behind at each of its nodes.
  static constexpr uint64_t kPartsOfMemory = 64;

  // The node whose trace is learned next. A node stands for one of its siblings; the eldest goes first.
  uint32_t turn() {
    if (turns_.size() == 0) return kNone;
    uint32_t node = tree_[tree_[turns_.top()].parent].first;
    while (node != kNone && tree_[node].status > Status::UnderWay) node = tree_[node].next;
    return node;
  }

  ChoiceTree& tree_;
  DepthBins plans_, turns_;  // nodes that can be handed out; nodes whose traces have not been learned
  const uint64_t& max_bytes_;
  std::vector<DeferredTrace> deferred_, spare_;
  uint64_t deferred_bytes_ = 0;
};

class BestFirstWalk final : public Walk {
 public:
  BestFirstWalk(ChoiceTree& tree, const Path& path, const DporOrder& order) : tree_(tree), path_(path), order_(order) {}

  void add(uint32_t node) override { add(rank_of(node), node); }
  uint32_t next(bool) override {  // the newest of equal rank
    if (size_ == 0) return kNone;
    const auto best = bins_.begin();
    const uint32_t node = best->second.back();
    if (tree_.has_sibling_under_way(node)) return kNone;
    best->second.pop_back();
    if (best->second.empty()) bins_.erase(best);
    --size_;
    return node;
  }
  uint64_t size() const override { return size_; }
  uint64_t memory_bytes() const override { return size_ * sizeof(uint32_t) + bins_.size() * kBin; }
  void examine(uint32_t head, TraceView trace) override {
    deltas_.clear();
    if (head != kRoot) tree_.add_deltas(head, deltas_);
    order_.look(trace, deltas_);
  }
  void save(StateWriter& out) const override {
    out.put<uint64_t>(bins_.size());
    for (const auto& [rank, nodes] : bins_) {
      out.put(rank);
      out.put_all(nodes);
    }
  }
  void load(StateReader& in) override {
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto rank = in.get<uint64_t>();
      for (const uint32_t node : in.get_all<uint32_t>()) {
        if (!is_child(tree_, node)) return in.reject();
        add(rank, node);
      }
    }
  }

 private:
  void add(uint64_t rank, uint32_t node) {
    bins_[rank].push_back(node);
    ++size_;
  }
  uint64_t rank_of(uint32_t node) const {
    const uint32_t record = tree_[node].record;
    const uint16_t value = tree_[node].value;
    uint32_t cost = record == 0 ? 0 : path_.preemptions_through(record - 1);
    if (!tree_[node].data) cost += ScheduleCursor(path_.trace(), record, 0).cost(ThreadId{value});
    return order_.rank({record, value, cost});
  }

  ChoiceTree& tree_;
  const Path& path_;
  const DporOrder& order_;
  static constexpr uint64_t kBin = 80;              // approximate size of an empty bin
  std::map<uint64_t, std::vector<uint32_t>> bins_;  // nodes by rank; no bin is empty
  uint64_t size_ = 0;
  std::vector<Delta> deltas_;
};

// Lanes: see docs/decisions/0012.
class LanesWalk final : public Walk {
 public:
  LanesWalk(ChoiceTree& tree, Path& path, unsigned lanes, bool for_one_worker, const uint64_t& max_tree_bytes)
      : tree_(tree), path_(path), for_one_worker_(for_one_worker), max_tree_bytes_(max_tree_bytes), planned_(lanes) {
    for (unsigned lane = 0; lane < lanes; ++lane) free_.push_back(lane);
  }
  void add(uint32_t node) override { planned_.push(path_.lane(), tree_[node].record, node); }
  uint64_t size() const override { return planned_.size(); }
  void clear() override { planned_ = Lanes(planned_.count()); }
  uint32_t next(bool any_under_way) override {
    if (!tree_.any_order() && is_too_large()) return any_under_way ? kNone : take_leftmost();
    const auto ready = [this](uint32_t node) { return is_ready(node); };
    bool others_have_none = false;
    for (size_t i = 0; i < free_.size() && planned_.size() > 0; ++i) {
      const unsigned lane = free_.front();
      free_.pop_front();
      uint32_t node = planned_.take_own(lane, ready);
      if (node == kNone && !others_have_none) {
        node = planned_.take_from_others(lane, ready);
        others_have_none = node == kNone;
      }
      if (node != kNone) {
        path_.select(lane);
        return node;
      }
      free_.push_back(lane);
    }
    return kNone;
  }
  void occupy(unsigned lane) override { std::erase(free_, lane); }
  // May be free already: before there were lanes, several plans were under way in one.
  void release(unsigned lane) override {
    if (std::ranges::find(free_, lane) == free_.end()) free_.push_back(lane);
    path_.select(lane);
  }
  // Each lane keeps a path, so there are fewer lanes for long executions. A few lanes keep a single worker busy unless
  // executions are short; more would only compete for the processor's caches.
  void expect_records(size_t records) override {
    constexpr size_t kRecords = 1 << 16, kLeast = 4, kRecordsForOne = 1 << 10, kLeastForOne = 8;
    records = std::max<size_t>(records, 1);
    size_t most = kRecords / records;
    if (for_one_worker_) most = std::min(most, std::max(kLeastForOne, kRecordsForOne / records));
    while (free_.size() > std::max(kLeast, most)) free_.pop_front();
  }
  void save(StateWriter& out) const override {
    out.put(path_.lane());
    out.put(drains_);
    put_queue(out, free_);
    planned_.save(out);
  }
  void load(StateReader& in) override {
    const auto lane = in.get<unsigned>();
    drains_ = in.get<bool>();
    free_ = get_queue<unsigned>(in);
    planned_.load(in, [this](uint32_t node) { return is_child(tree_, node); });
    const auto exists = [this](unsigned l) { return l < planned_.count(); };
    if (!exists(lane) || !std::ranges::all_of(free_, exists)) return in.reject();
    path_.select(lane);
  }

 private:
  // A sequence is run after all nodes before it have been run, so that nothing it depends on is planned later. It
  // does not wait for them to finish, except for a sequence that may be extended.
  bool is_ready(uint32_t node) const {
    if (tree_.any_order()) return !tree_.has_sibling_under_way(node);
    for (uint32_t c = tree_[tree_[node].parent].first; c != node; c = tree_[c].next)
      if (tree_[c].status < Status::Executed) return false;
    return !tree_.may_be_extended(node) || tree_.left_is_finished(node);
  }

  // Guided nodes stay until everything before them has finished. The limit is a quarter of the memory, which leaves
  // room for what is planned meanwhile.
  bool is_too_large() {
    drains_ = tree_.live() * sizeof(ChoiceTree::Node) > max_tree_bytes_ / (drains_ ? 8 : 4);
    return drains_;
  }
  uint32_t take_leftmost() {
    const auto is_due = [due = tree_.leftmost()](uint32_t node) { return node == due; };
    uint32_t node = planned_.take_own(path_.lane(), is_due);
    if (node == kNone) node = planned_.take_from_others(path_.lane(), is_due);
    if (node != kNone) occupy(path_.lane());
    return node;
  }

  ChoiceTree& tree_;
  Path& path_;
  const bool for_one_worker_;
  const uint64_t& max_tree_bytes_;
  Lanes planned_;
  std::deque<unsigned> free_;  // lanes without a plan under way
  bool drains_ = false;        // runs only the leftmost node until there is room again
};

}  // namespace

std::unique_ptr<Walk> make_depth_first_walk(ChoiceTree& tree, const uint64_t& max_bytes) {
  return std::make_unique<DepthFirstWalk>(tree, max_bytes);
}
std::unique_ptr<Walk> make_best_first_walk(ChoiceTree& tree, const Path& path, const DporOrder& order) {
  return std::make_unique<BestFirstWalk>(tree, path, order);
}
std::unique_ptr<Walk> make_lanes_walk(ChoiceTree& tree, Path& path, unsigned lanes, bool for_one_worker,
                                      const uint64_t& max_tree_bytes) {
  return std::make_unique<LanesWalk>(tree, path, lanes, for_one_worker, max_tree_bytes);
}

}  // namespace lockstep::dpor
