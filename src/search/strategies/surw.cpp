// Counts operations and plans executions of the selectively uniform random walk.
#include "search/strategies/surw.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "model/policy_input.hpp"
#include "search/base/saved_trace.hpp"
#include "search/base/seeds.hpp"

namespace lockstep {
namespace {

// Number of operations of each thread, on one object or in total.
struct Counts {
  std::map<ThreadId, uint32_t> of;
  bool written = false;

  bool shared() const { return of.size() > 1 && written; }
  // Natural logarithm of the number of orders of these operations.
  double orders() const {
    double sum = 0, log = 0;
    for (const auto& [thread, n] : of) {
      sum += n;
      log -= std::lgamma(n + 1.0);
    }
    return log + std::lgamma(sum + 1);
  }
  bool grow(const std::map<ThreadId, uint32_t>& seen) {
    bool grew = false;
    for (const auto& [thread, n] : seen)
      if (uint32_t& most = of[thread]; n > most) {
        most = n;
        grew = true;
      }
    return grew;
  }
};

class Surw final : public Strategy {
 public:
  explicit Surw(const SeededOptions& options) : options_(options) {}

  std::optional<Plan> next() override {
    // Without counts it is only a random walk, so only few executions are in flight at the beginning.
    if (in_flight_.size() > learned_) return std::nullopt;
    const uint64_t seed = seed_of(options_.seed, handed_out_++);
    Plan plan;
    plan.policy = Policy::Surw;
    plan.seed = seed;
    plan.max_steps = options_.max_steps;
    plan.whole = handed_out_ <= kCounted;
    // With n shared objects, one of n + 1 executions treats all operations as interesting: a bug may not depend on a
    // single object.
    const Counts* counts = &all_;
    if (const size_t pick = seed_of(seed, 1) % (shared_.size() + 1); pick < shared_.size()) {
      plan.focus = shared_[pick];
      counts = &objects_.at(plan.focus);
    }
    for (const auto& [thread, n] : counts->of) plan.extra.push_back(ExpectedOperations{thread, n}.word());
    in_flight_.push_back(generation_);
    return plan;
  }

  // The counts are the largest values seen so far, so executions planned with smaller counts do not count.
  void learn(TraceView trace) override {
    if (in_flight_.empty()) return;  // the saved search was forged
    const uint64_t planned_with = in_flight_.front();
    in_flight_.pop_front();
    ++learned_;
    if (!is_whole(trace.outcome()) || trace.is_brief()) return;
    if (count_operations(trace)) {
      ++generation_;
      counted_ = 0;
    } else if (planned_with == generation_ && trace.steps().size() <= kSurwPatience) {
      ++counted_;
    }
  }

  // The first executions of other strategies are counted as well, fewer of long ones.
  void observe_other(TraceView trace) override {
    constexpr uint64_t kEnough = 64, kEnoughSteps = 1 << 18;
    if (observed_ >= kEnough || !is_whole(trace.outcome()) || trace.is_brief()) return;
    observed_ += 1 + kEnough * trace.steps().size() / kEnoughSteps;
    if (!count_operations(trace)) return;
    ++generation_;
    counted_ = 0;
  }

  Claim claim() const override {
    Claim claim = sample();
    if (counted_ == 0 || shared_.empty()) return claim;
    double most = 0;
    for (const ObjectId object : shared_) most = std::max(most, objects_.at(object).orders());
    const double hit = std::exp(-most) / static_cast<double>(shared_.size() + 1);
    claim.chance = {.of = Chance::Of::OrderOfOneObject,
                    .missed = std::exp(static_cast<double>(counted_) * std::log1p(-hit)),
                    .objects = shared_.size(),
                    .executions = counted_,
                    .orders = std::exp(most)};
    return claim;
  }

  void save(StateWriter& out) const override {
    for (const uint64_t number : {handed_out_, learned_, observed_, counted_, generation_}) out.put(number);
    put_queue(out, in_flight_);
    put(out, all_);
    out.put<uint64_t>(objects_.size());
    for (const auto& [object, counts] : objects_) {
      out.put(object);
      put(out, counts);
    }
    out.put_all(std::vector<ObjectId>(written_.begin(), written_.end()));
    out.put_all(shared_);
  }
  void load(StateReader& in) override {
    for (uint64_t* number : {&handed_out_, &learned_, &observed_, &counted_, &generation_})
      *number = in.get<uint64_t>();
    in_flight_ = get_queue<uint64_t>(in);
    all_ = get(in);
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto object = in.get<ObjectId>();
      objects_[object] = get(in);
    }
    const std::vector<ObjectId> written = in.get_all<ObjectId>();
    written_.insert(written.begin(), written.end());
    shared_ = in.get_all<ObjectId>();
    known_.insert(shared_.begin(), shared_.end());
    for (const ObjectId object : shared_)
      if (!objects_.contains(object)) in.reject();
    if (!in.good()) shared_.clear();
  }

  Traits traits() const override { return {.draws = true}; }

 private:
  static void put(StateWriter& out, const Counts& counts) {
    out.put<uint64_t>(counts.of.size());
    for (const auto& [thread, n] : counts.of) {
      out.put(thread);
      out.put(n);
    }
    out.put(counts.written);
  }
  static Counts get(StateReader& in) {
    Counts counts;
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto thread = in.get<ThreadId>();
      counts.of[thread] = in.get<uint32_t>();
    }
    counts.written = in.get<bool>();
    return counts;
  }

  bool count_operations(TraceView trace) {
    std::map<ThreadId, uint32_t> all;
    std::unordered_map<ObjectId, std::map<ThreadId, uint32_t>> each;
    for (const Step& step : trace.steps()) {
      if (step.is_note() || step.is_choice()) continue;
      ++all[step.thread];
      for (const Access& access : accesses(step.operation())) {
        ++each[access.object][step.thread];
        if (access.write) written_.insert(access.object);
      }
    }
    bool grew = all_.grow(all);
    for (const auto& [object, seen] : each) {
      Counts& counts = objects_[object];
      grew |= counts.grow(seen);
      counts.written = written_.contains(object);
      if (counts.shared() && known_.insert(object).second) {
        shared_.insert(std::upper_bound(shared_.begin(), shared_.end(), object), object);
        grew = true;
      }
    }
    return grew;
  }

  static constexpr uint64_t kCounted = 2;  // the operations of these first executions are counted however long they are

  SeededOptions options_;
  uint64_t handed_out_ = 0, learned_ = 0, observed_ = 0, counted_ = 0;
  uint64_t generation_ = 0;  // number of changes of the counts
  std::deque<uint64_t> in_flight_;
  Counts all_;
  std::unordered_map<ObjectId, Counts> objects_;
  std::set<ObjectId> written_, known_;
  std::vector<ObjectId> shared_;  // sorted; accessed by several threads, one of which writes
};

}  // namespace

std::unique_ptr<Search> make_surw(const SeededOptions& options) { return std::make_unique<Surw>(options); }

}  // namespace lockstep
