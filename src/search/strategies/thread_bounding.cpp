// Runs the orders of few threads, level by level of preemptions.
#include "search/strategies/thread_bounding.hpp"

#include <algorithm>

#include "model/text_lines.hpp"
#include "search/variables/thread_bound.hpp"

namespace lockstep {
namespace {

// The number of threads is learned: if an execution has more threads than expected, everything is run again.
class ThreadBounding final : public Strategy {
 public:
  explicit ThreadBounding(const ThreadBoundingOptions& options)
      : options_(options), level_(options.preemptions.value_or(0)) {
    start();
  }

  std::optional<Plan> next() override {
    // The first execution runs alone: it usually shows all threads.
    if (seen_ == 0 && in_flight_ > 0) return std::nullopt;
    while (!done_) {
      std::optional<Plan> plan = seen_ > all_threads_ ? std::nullopt : search_->next();
      if (plan) {
        ++in_flight_;
        return plan;
      }
      if (in_flight_ > 0) return std::nullopt;
      finish_search();
    }
    return std::nullopt;
  }

  void learn(TraceView trace) override {
    --in_flight_;
    seen_ = std::max(seen_, std::min<unsigned>(trace.header().threads, kMaxThreads));
    search_->learn(trace);
  }

  Claim claim() const override {
    Claim claim;
    if (broken_ || !completed_) return claim;
    claim.scope = Scope::Executions;
    claim.finished = done_;
    claim.preemptions_completed = completed_;
    if (!everything_) claim.bounds.preemptions = completed_;
    claim.bounds.threads = options_.threads;
    if (!certain_) claim.certainty = 1 - options_.epsilon;
    return claim;
  }

  void save(StateWriter& out) const override {
    for (const bool flag : {done_, broken_, certain_, everything_}) out.put(flag);
    for (const uint32_t n : {level_, all_threads_, seen_, in_flight_, completed_.value_or(kNone)}) out.put(n);
    search_->save(out);
  }
  void load(StateReader& in) override {
    for (bool* flag : {&done_, &broken_, &certain_, &everything_}) *flag = in.get<bool>();
    for (uint32_t* n : {&level_, &all_threads_, &seen_, &in_flight_}) *n = in.get<uint32_t>();
    const auto completed = in.get<uint32_t>();
    completed_ = completed == kNone ? std::nullopt : std::optional(completed);
    if (!in.good() || all_threads_ > kMaxThreads || level_ > kMaxThreads) return in.reject();
    start();
    search_->load(in);
  }
  SearchStatus status() const override {
    return {.frontier_nodes = search_->open(), .phase = count_of(level_, "preemption")};
  }

 private:
  static constexpr uint32_t kNone = ~0u;

  void start() {
    search_.emplace(ThreadBoundOptions{.threads = options_.threads,
                                       .all_threads = all_threads_,
                                       .preemptions = level_,
                                       .epsilon = options_.epsilon,
                                       .seed = options_.seed,
                                       .max_steps = options_.max_steps,
                                       .cache = options_.cache});
    certain_ = certain_ && search_->certain();
  }

  void finish_search() {
    if (seen_ > all_threads_) {
      all_threads_ = seen_;
      level_ = options_.preemptions.value_or(0);
      completed_.reset();
      certain_ = true;
      return start();
    }
    broken_ |= !search_->good();
    completed_ = level_;
    everything_ = !options_.preemptions && search_->deepest() < level_;
    done_ = options_.preemptions || everything_;
    if (done_) return;
    ++level_;
    start();
  }

  const ThreadBoundingOptions options_;
  bool done_ = false, broken_ = false, certain_ = true;
  bool everything_ = false;  // no execution can have more preemptions
  uint32_t level_;           // number of preemptions
  uint32_t all_threads_ = 2, seen_ = 0;
  std::optional<uint32_t> completed_;
  uint32_t in_flight_ = 0;
  std::optional<ThreadBoundSearch> search_;
};

}  // namespace

std::unique_ptr<Search> make_thread_bounding(const ThreadBoundingOptions& options) {
  return std::make_unique<ThreadBounding>(options);
}

}  // namespace lockstep
