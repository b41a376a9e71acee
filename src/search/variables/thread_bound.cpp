// Groups permutations of priorities and runs one execution for each group.
#include "search/variables/thread_bound.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "search/base/schedule_segments.hpp"
#include "search/base/seeds.hpp"
#include "search/judge/judge.hpp"

namespace lockstep {

uint64_t permutations_needed(unsigned n, unsigned t, double epsilon) {
  t = std::min(t, n);
  if (t < 2) return 1;
  const double orders = std::tgamma(t + 1.0);
  const double pairs = std::lgamma(n + 1.0) - std::lgamma(n - t + 1.0);  // ln(t! C(n, t))
  return static_cast<uint64_t>(std::ceil((pairs - std::log(epsilon)) / -std::log1p(-1 / orders)));
}

// More permutations would not fit into memory. Trying all permutations needs none of them in memory.
static constexpr uint64_t kMostPermutations = 200'000;

ThreadBoundSearch::ThreadBoundSearch(const ThreadBoundOptions& options)
    : options_(options), next_ranking_(options.all_threads) {
  std::iota(next_ranking_.begin(), next_ranking_.end(), 0);
  if (options_.preemptions == 0 && options_.threads == 2) {  // an order and its reverse show both orders of every pair
    for (int reversed = 0; reversed < 2; ++reversed) {
      queue_.emplace_back().ranking = next_ranking_;
      std::reverse(next_ranking_.begin(), next_ranking_.end());
    }
    next_ranking_.clear();
    return;
  }
  const unsigned fragments = options_.all_threads + options_.preemptions;
  const uint64_t needed = permutations_needed(fragments, options_.threads + options_.preemptions, options_.epsilon);
  certain_ = std::tgamma(fragments + 1.0) <= static_cast<double>(needed) || needed > kMostPermutations;
  if (!certain_) draw_permutations(needed);
}

void ThreadBoundSearch::draw_permutations(uint64_t count) {
  std::vector<uint32_t> order(options_.all_threads + options_.preemptions);
  std::iota(order.begin(), order.end(), 1);
  std::map<std::vector<uint32_t>, Group> groups;  // by the order of the threads
  for (uint32_t p = 0; p < count; ++p) {
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[seed_of(options_.seed ^ 0x7b0d, p * order.size() + i) % i]);
    permutations_.push_back(order);
    std::vector<uint32_t> ranking = next_ranking_;
    std::sort(ranking.begin(), ranking.end(), [&](uint32_t a, uint32_t b) { return order[a] > order[b]; });
    groups[ranking].permutations.push_back(p);
  }
  next_ranking_.clear();
  for (auto& [ranking, group] : groups) {
    group.ranking = ranking;
    queue_.push_back(std::move(group));
  }
}

// True if the thread that ran last is next to an access to a tracked variable: its last access or its next one.
bool ThreadBoundSearch::is_near(const ScheduleCursor& at, ObjectId last) const {
  if (!options_.tracked) return true;
  const auto tracked = [&](ObjectId object) {
    const auto address = static_cast<uint64_t>(object);
    return std::any_of(options_.tracked->begin(), options_.tracked->end(),
                       [&](const TrackedRange& r) { return r.contains(address); });
  };
  return tracked(last) || (at.step().thread == at.running() && tracked(at.step().object));
}

std::optional<Plan> ThreadBoundSearch::next() {
  if (queue_.empty() && !next_ranking_.empty()) {
    queue_.emplace_back().ranking = next_ranking_;
    if (!std::next_permutation(next_ranking_.begin(), next_ranking_.end())) next_ranking_.clear();
  }
  if (queue_.empty() && in_flight_.empty()) queue_.swap(later_);
  if (queue_.empty()) return std::nullopt;
  in_flight_.push_back(std::move(queue_.front()));
  queue_.pop_front();
  const Group& group = in_flight_.back();
  deepest_ = std::max(deepest_, static_cast<uint32_t>(group.changes.size()));
  Plan plan;
  plan.policy = Policy::Priorities;
  plan.max_steps = options_.max_steps;
  plan.deltas = group.choices;
  if (options_.tracked) plan.tracked = *options_.tracked;
  std::vector<uint64_t> priority(group.ranking.size());
  for (size_t place = 0; place < group.ranking.size(); ++place)
    priority[group.ranking[place]] = group.ranking.size() - place;
  plan.extra.push_back(options_.all_threads);
  plan.extra.insert(plan.extra.end(), priority.begin(), priority.begin() + options_.all_threads);
  for (size_t i = 0; i < group.changes.size(); ++i)
    plan.extra.insert(plan.extra.end(), {group.changes[i], priority[options_.all_threads + i]});
  return plan;
}

void ThreadBoundSearch::learn(TraceView trace) {
  if (in_flight_.empty()) return;  // the saved search was forged
  const Group group = std::move(in_flight_.front());
  in_flight_.pop_front();
  switch (trace.outcome()) {
    case Outcome::WorkerDied:
    case Outcome::Uncontrolled:
    case Outcome::Diverged: ++bad_; return;
    case Outcome::StepLimit: ++bad_; break;
    default: break;
  }
  if (options_.cache && allowed_by(trace.reasons(), Method::StateCache) != Reduction::Full) {
    options_.cache = false;
    bad_ += pruned_;  // perhaps wrongly pruned
  }
  expand(group, trace);
}

// Plans a preemption wherever the running thread is next to a tracked variable: the thread continues as another thread,
// with the next priority. Plans the other data choices as well.
void ThreadBoundSearch::expand(const Group& group, TraceView trace) {
  Expansion e{group, trace, std::vector<uint32_t>(options_.all_threads, 0),
              std::vector<uint32_t>(options_.all_threads)};
  std::iota(e.fragment.begin(), e.fragment.end(), 0);
  const auto knows = [&](ThreadId t) { return t != kNoThread && index_of(t) < options_.all_threads; };
  for (uint32_t i = 0; i < trace.steps().size(); ++i)
    if (knows(trace.steps()[i].thread)) e.last[index_of(trace.steps()[i].thread)] = i;
  for (const Step& pending : trace.pending())
    if (knows(pending.thread)) e.last[index_of(pending.thread)] = kNoStep;
  Fingerprinter state;
  LastAccess last;
  size_t change = 0;
  bool cache = options_.cache;
  for (ScheduleCursor at(trace); !at.done(); at.advance()) {
    const Step& step = at.step();
    const uint32_t record = at.index();
    if (step.is_choice() && record >= group.from)
      for (uint16_t value = 0; value < step.alternatives(); ++value) {
        if (value == step.taken()) continue;
        Group& other = queue_.emplace_back(group);
        other.choices.push_back({record, value, true});
        other.from = record + 1;
      }
    if (!step.is_note() && !step.is_choice()) {
      for (; change < group.changes.size() && group.changes[change] <= record; ++change)
        if (knows(at.running()))
          e.fragment[index_of(at.running())] = options_.all_threads + static_cast<uint32_t>(change);
      // After a yield the runtime's counts matter, which the order of events does not show.
      cache = cache && !at.yielded();
      if (cache && record >= group.from && visited(e, at, state.value())) return;
      if (record >= group.from && group.changes.size() < options_.preemptions && knows(at.running()) &&
          at.enabled().contains(at.running()) && is_near(at, last.of(at.running())))
        preempt(e, at);
      last.step(step);
    }
    if (options_.cache) state.add(step);
  }
}

// Threads that continue after this record, highest priority first. The same for all permutations of the group.
std::vector<ThreadId> ThreadBoundSearch::by_priority(const Expansion& e, uint32_t record) const {
  std::vector<ThreadId> threads;
  for (const uint32_t fragment : e.group.ranking) {
    const auto owner = std::find(e.fragment.begin(), e.fragment.end(), fragment);
    if (owner == e.fragment.end()) continue;  // the thread was preempted and has another priority now
    const auto thread = static_cast<size_t>(owner - e.fragment.begin());
    if (e.last[thread] >= record) threads.push_back(ThreadId{static_cast<uint16_t>(thread)});
  }
  return threads;
}

bool ThreadBoundSearch::visited(const Expansion& e, const ScheduleCursor& at, const Fingerprint& state) {
  Fingerprint key = state;
  std::vector<uint64_t> words;
  for (const ThreadId t : by_priority(e, at.index())) words.push_back(index_of(t));
  if (!certain_) {  // other permutations have other future priorities
    words.push_back(~uint64_t{0});
    words.insert(words.end(), e.group.permutations.begin(), e.group.permutations.end());
  }
  key.low += hash_of(words);
  const bool known = cache_.visited(key, at.running(), static_cast<uint32_t>(e.group.changes.size()));
  pruned_ = pruned_ || known;
  return known;
}

// Splits the permutations by the place of the next priority among those of the threads that continue.
void ThreadBoundSearch::preempt(const Expansion& e, const ScheduleCursor& at) {
  std::vector<ThreadId> others = by_priority(e, at.index());
  std::erase(others, at.running());
  const auto next = static_cast<uint32_t>(e.group.ranking.size());
  std::vector<std::vector<uint32_t>> agreeing(others.size() + 1);  // by the number of threads before it
  for (const uint32_t p : e.group.permutations) {
    const std::vector<uint32_t>& order = permutations_[p];
    const auto above = std::partition_point(others.begin(), others.end(),
                                            [&](ThreadId t) { return order[e.fragment[index_of(t)]] > order[next]; });
    agreeing[static_cast<size_t>(above - others.begin())].push_back(p);
  }
  bool others_run = false;  // another thread runs instead of the preempted one
  for (size_t before = 1; before <= others.size(); ++before) {
    const ThreadId last_before = others[before - 1];
    others_run = others_run || at.enabled().contains(last_before);
    if (!others_run || (!e.group.permutations.empty() && agreeing[before].empty())) continue;
    Group& child = later_.emplace_back();
    child.ranking = e.group.ranking;
    const auto place = std::find(child.ranking.begin(), child.ranking.end(), e.fragment[index_of(last_before)]);
    child.ranking.insert(place + 1, next);
    child.permutations = std::move(agreeing[before]);
    child.changes = e.group.changes;
    child.changes.push_back(at.index());
    child.choices = e.group.choices;
    child.from = at.index() + 1;
  }
}

void ThreadBoundSearch::save(StateWriter& out, const Group& group) {
  out.put_all(group.ranking);
  out.put_all(group.permutations);
  out.put_all(group.changes);
  out.put_all(group.choices);
  out.put(group.from);
}

// True if each of 0, 1, 2 ... occurs once.
static bool is_ranking(std::vector<uint32_t> ranking) {
  std::sort(ranking.begin(), ranking.end());
  for (size_t i = 0; i < ranking.size(); ++i)
    if (ranking[i] != i) return false;
  return true;
}

bool ThreadBoundSearch::load(StateReader& in, Group& group) const {
  group.ranking = in.get_all<uint32_t>();
  group.permutations = in.get_all<uint32_t>();
  group.changes = in.get_all<uint32_t>();
  group.choices = in.get_all<Delta>();
  group.from = in.get<uint32_t>();
  return is_ranking(group.ranking) && group.ranking.size() == options_.all_threads + group.changes.size() &&
         group.changes.size() <= options_.preemptions && group.permutations.empty() == permutations_.empty() &&
         std::all_of(group.permutations.begin(), group.permutations.end(),
                     [&](uint32_t p) { return p < permutations_.size(); });
}

void ThreadBoundSearch::save(StateWriter& out) const {
  for (const std::deque<Group>* queue : {&in_flight_, &queue_, &later_}) {
    out.put<uint64_t>(queue->size());
    for (const Group& group : *queue) save(out, group);
  }
  out.put_all(next_ranking_);
  cache_.save(out);
  for (const bool flag : {options_.cache, pruned_}) out.put(flag);
  out.put(bad_);
  out.put(deepest_);
}

void ThreadBoundSearch::load(StateReader& in) {
  for (std::deque<Group>* queue : {&in_flight_, &queue_, &later_}) {
    queue->clear();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count)
      if (!load(in, queue->emplace_back())) return in.reject();
  }
  next_ranking_ = in.get_all<uint32_t>();
  if (!next_ranking_.empty() && (next_ranking_.size() != options_.all_threads || !is_ranking(next_ranking_)))
    return in.reject();
  cache_.load(in);
  for (bool* flag : {&options_.cache, &pruned_}) *flag = in.get<bool>();
  bad_ = in.get<uint64_t>();
  deepest_ = in.get<uint32_t>();
}

}  // namespace lockstep
