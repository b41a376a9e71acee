// Builds the search by rank `view`, and adopts executions of other strategies.
#include "search/strategies/view_search.hpp"

#include <algorithm>
#include <deque>

#include "search/base/saved_trace.hpp"
#include "search/base/seeds.hpp"
#include "search/ranks/view.hpp"
#include "search/tree/tree_search.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kMostOpen = 1 << 20;
constexpr uint64_t kLeftOut = ~uint64_t{0} - 1;
constexpr uint64_t kShuffle = 256;
constexpr size_t kMostKept = 64;
constexpr uint32_t kLongestKept = 1 << 20;  // bytes
constexpr size_t kLongestRanked = 1 << 16;  // steps; ranking a longer execution takes many times as long as running it

class ViewSearch final : public Strategy {
 public:
  explicit ViewSearch(const SeededOptions& options) : seed_(options.seed), tree_(parts(options)) {}

  std::optional<Plan> next() override {
    if (in_flight_ > learned_ / 16) return std::nullopt;  // each execution changes the promising alternatives
    while (true) {
      if (auto plan = tree_.next()) {
        ++in_flight_;
        return plan;
      }
      if (in_flight_ > 0 || kept_.empty()) return std::nullopt;
      tree_.adopt(kept_.front());
      kept_.pop_front();
    }
  }
  void learn(TraceView trace) override {
    --in_flight_;
    ++learned_;
    tree_.learn(trace);
  }
  // Keeps executions of other strategies, to continue from them once nothing promising is left.
  void observe_other(TraceView trace) override {
    if (!is_whole(trace.outcome()) || trace.is_brief()) return;
    if (kept_.size() < kMostKept && trace.header().bytes <= kLongestKept) kept_.emplace_back(trace);
  }

  void save(StateWriter& out) const override {
    for (const uint64_t number : {ranked_, learned_, uint64_t{in_flight_}, uint64_t{kept_.size()}}) out.put(number);
    for (const Trace& trace : kept_) put_trace(out, trace);
    rank_.save(out);
    tree_.save(out);
  }
  void load(StateReader& in) override {
    for (uint64_t* number : {&ranked_, &learned_, &in_flight_}) *number = in.get<uint64_t>();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) kept_.push_back(get_trace(in));
    if (!in.good()) kept_.clear();
    rank_.load(in);
    tree_.load(in);
  }
  bool spill(uint64_t bytes) override { return tree_.spill(bytes); }

  Claim claim() const override { return sample(); }
  SearchStatus status() const override { return tree_.status(); }
  uint64_t memory_bytes() const override { return tree_.memory_bytes() + rank_.memory_bytes(); }

 private:
  TreeSearchParts parts(const SeededOptions& options) {
    TreeSearchParts parts;
    parts.max_steps = options.max_steps;
    parts.rank = [this](const Alternative& a) {
      if (view_.trace().steps().size() > kLongestRanked) return kLeftOut;
      const uint64_t rank = rank_.of(view_, a);
      if (rank == ViewRank::kNothingNew) return kLeftOut;
      // Random among equals; otherwise all alternatives around one execution would come before the rest.
      return (a.cost + rank) * kShuffle + seed_of(seed_, ranked_++) % kShuffle;
    };
    parts.look = [this](TraceView trace, std::span<const Delta> deltas) {
      view_.look(trace, deltas);
      if (trace.steps().size() > kLongestRanked) return;
      rank_.look(view_);
    };
    parts.worst_rank = kLeftOut - 1;
    parts.most_open = kMostOpen;
    return parts;
  }

  const uint64_t seed_;
  uint64_t ranked_ = 0;
  ExecutionView view_;
  ViewRank rank_;
  TreeSearch tree_;
  uint64_t in_flight_ = 0, learned_ = 0;
  std::deque<Trace> kept_;
};

}  // namespace

std::unique_ptr<Search> make_view_search(const SeededOptions& options) { return std::make_unique<ViewSearch>(options); }

}  // namespace lockstep
