// Takes turns between the parts of a mixture and divides their shares.
#include "search/mix/mixture.hpp"

#include <algorithm>
#include <utility>

#include "model/text_lines.hpp"
#include "search/base/saved_trace.hpp"

namespace lockstep {

using Proof = MixturePart::Proof;

Mixture::Mixture(std::vector<MixturePart> parts, MixtureOptions options)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      learned_(parts_.size()),
      novelty_(parts_.size()),
      under_way_(parts_.size()) {
  for (const MixturePart& part : parts_) slices_.push_back(part.slice);
}

// Runs after every execution, so that next() does not have to.
void Mixture::look_for_end() {
  for (const MixturePart& part : parts_)
    if (may_end(part) && !finished_ && part.strategy->claim().finished) finished_ = &part;
  enough_ = !finished_ && has_enough();
}

// A failure may need more preemptions than the bound. Then only a proof that counts preemptions can show that none
// needs fewer.
bool Mixture::may_end(const MixturePart& part) const {
  return part.proof == Proof::Bounded || (part.proof == Proof::Full && !(options_.bound && failed_));
}

bool Mixture::has_enough() const {
  if (!options_.enough || all_learned_ < options_.enough->executions) return false;
  return claim().preemptions_completed >= options_.enough->preemptions;
}

// In the opening nothing is in flight, so a known trace can be learned immediately, whatever the window. Of several
// full proofs only the first skips known executions: it is the one that should end the search, because it claims most.
bool Mixture::spared(size_t part) const {
  if (!opening()) return false;
  const auto full = [](const MixturePart& p) { return p.proof == Proof::Full; };
  return !full(parts_[part]) || std::none_of(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(part), full);
}

std::optional<Plan> Mixture::take(size_t part) {
  Search& strategy = *parts_[part].strategy;
  std::optional<Plan> plan = strategy.next();
  while (plan && spared(part)) {
    const Trace* known = known_.find(*plan);
    if (!known) break;
    strategy.learn(*known);
    plan = strategy.next();
  }
  if (!plan) return plan;
  in_flight_.push_back(part);
  ++under_way_[part];
  return plan;
}

// Strategies that learn from every step need many times the duration of a long execution, and cannot finish unless
// there are few executions. Then only the strategies that draw get turns.
bool Mixture::favours_samples() const {
  constexpr uint32_t kLong = 1 << 16;
  const auto draws = [](const MixturePart& part) { return part.draws; };
  return longest_ > kLong && !repeats_.many() && std::ranges::any_of(parts_, draws);
}

std::optional<Plan> Mixture::open() {
  if (!in_flight_.empty()) return std::nullopt;
  for (; opening(); ++opened_) {
    const MixtureTurn turn = options_.opening[opened_];
    const size_t part = repeats_.many() ? turn.instead : turn.part;
    if (favours_samples() && !parts_[part].draws) continue;
    if (auto plan = take(turn_of(part))) {
      ++opened_;
      end_of_draws(*plan);
      return plan;
    }
  }
  return std::nullopt;
}

// A random execution of a program that goes round for ever never ends. So the default schedule, which is fair and finds
// cycles, takes over when it has become longer than any so far. The bound of pct needs all of its execution.
void Mixture::end_of_draws(Plan& plan) const {
  constexpr uint32_t kShortest = 2'000, kTimesAsLong = 4;
  if (!is_random(plan.policy) || plan.policy == Policy::Pct || plan.policy_until != kNoStep) return;
  if (longest_ < kNoStepLimit / kTimesAsLong) plan.policy_until = std::max(kShortest, kTimesAsLong * longest_);
}

uint32_t Mixture::slice() const {
  if (!parts_[turn_].draws && favours_samples()) return 1;
  const uint32_t slice = round_ < options_.early_rounds ? parts_[turn_].early : slices_[turn_];
  if (!has_long_executions_ || !parts_[turn_].costly) return slice;
  return std::max(slice / options_.long_executions->keeps_one_in, 1u);
}

size_t Mixture::turn_of(size_t part) {
  if (!has_long_executions_ || !parts_[part].costly) return part;
  return costly_turns_++ % options_.long_executions->keeps_one_in == 0 ? part : options_.long_executions->instead;
}

// The more turns go to the parts that look for bugs, the longer a proof takes. In a space that is too large for a proof
// soon, proofs compete as well, but keep half of their turns.
void Mixture::end_round() {
  if (++round_ <= options_.early_rounds || !options_.learn_shares) return;
  std::vector<Novelty::Share> shares;
  for (const MixturePart& part : parts_) {
    const bool looks = part.proof == Proof::None;
    shares.push_back({part.slice, looks ? part.slice / 8 : repeats_.many() ? part.slice : part.slice / 2});
  }
  slices_ = novelty_.share(shares);
}

std::optional<Plan> Mixture::next() {
  if (finished_ || enough_) return std::nullopt;
  if (opened_ < options_.opening.size()) {
    if (auto plan = open()) return plan;
    if (!in_flight_.empty()) return std::nullopt;
  }
  for (size_t tried = 0; tried <= parts_.size(); ++tried) {
    if (used_ < slice()) {
      if (auto plan = take(turn_)) {
        ++used_;
        return plan;
      }
      if (under_way_[turn_] > 0) return std::nullopt;  // learning these may give the part new plans
    }
    turn_ = (turn_ + 1) % parts_.size();
    if (turn_ == 0) end_round();
    used_ = 0;
  }
  return std::nullopt;
}

void Mixture::learn(TraceView trace) {
  if (in_flight_.empty()) return;  // the saved search was forged
  last_ = in_flight_.front();
  in_flight_.pop_front();
  --under_way_[last_];
  ++learned_[last_];
  ++all_learned_;
  longest_ = std::max(longest_, trace.header().decisions);
  failed_ |= (is_whole(trace.outcome()) && trace.outcome() != Outcome::Ok) || trace.header().races > 0;
  if (opening()) {
    known_.add(trace);
    repeats_.saw(trace, parts_[last_].draws);
  } else {
    known_.forget();
    repeats_.forget();
    if (options_.learn_shares) novelty_.saw(trace, last_);
  }
  has_long_executions_ |= options_.long_executions && trace.header().decisions > options_.long_executions->steps;
  for (size_t i = 0; i < parts_.size(); ++i)
    if (i != last_) parts_[i].strategy->observe_other(trace);
  parts_[last_].strategy->learn(trace);
  look_for_end();
}

// The claim of the proof that ended the search. Otherwise the strongest claim of any proof so far, preferably a bound
// on preemptions.
Claim Mixture::claim() const {
  Claim best;
  uint64_t unrepeated = 0;
  bool proves = false;
  for (const MixturePart& part : parts_) {
    const Claim claim = part.strategy->claim();
    unrepeated += claim.unrepeated;
    if (part.proof == Proof::None) continue;
    proves = true;
    const bool better =
        &part == finished_ || (!finished_ && claim.scope != Scope::None &&
                               (best.scope == Scope::None || claim.bounds.preemptions > best.bounds.preemptions));
    if (better) best = claim;
  }
  if (!proves) best.scope = Scope::Sample;
  if (finished_ && finished_->proof == Proof::Full) best.preemptions_completed = options_.bound;
  best.finished = finished_ != nullptr;
  best.ended_early = enough_;
  best.unrepeated = unrepeated;
  return best;
}

// Saves the current turn, then the parts one after the other.
void Mixture::save(StateWriter& out) const {
  for (const uint64_t number :
       {uint64_t{opened_}, uint64_t{turn_}, uint64_t{last_}, uint64_t{used_}, round_, all_learned_})
    out.put(number);
  out.put_all(learned_);
  put_queue(out, in_flight_);
  out.put(failed_);
  out.put(longest_);
  known_.save(out);
  repeats_.save(out);
  novelty_.save(out);
  out.put_all(slices_);
  out.put(has_long_executions_);
  out.put(costly_turns_);
  for (const MixturePart& part : parts_) part.strategy->save(out);
}

void Mixture::load(StateReader& in) {
  opened_ = in.get<uint64_t>();
  turn_ = in.get<uint64_t>();
  last_ = in.get<uint64_t>();
  used_ = static_cast<uint32_t>(in.get<uint64_t>());
  round_ = in.get<uint64_t>();
  all_learned_ = in.get<uint64_t>();
  learned_ = in.get_all<uint64_t>();
  in_flight_ = get_queue<size_t>(in);
  const bool known = std::ranges::all_of(in_flight_, [this](size_t part) { return part < parts_.size(); });
  if (turn_ >= parts_.size() || last_ >= parts_.size() || learned_.size() != parts_.size() || !known) {
    *this = Mixture(std::move(parts_), std::move(options_));
    return in.reject();
  }
  for (const size_t part : in_flight_) ++under_way_[part];
  failed_ = in.get<bool>();
  longest_ = in.get<uint32_t>();
  known_.load(in);
  repeats_.load(in);
  novelty_.load(in);
  slices_ = in.get_all<uint32_t>();
  has_long_executions_ = in.get<bool>() && options_.long_executions;
  costly_turns_ = in.get<uint64_t>();
  if (slices_.size() != parts_.size()) {
    *this = Mixture(std::move(parts_), std::move(options_));
    return in.reject();
  }
  for (const MixturePart& part : parts_) part.strategy->load(in);
  look_for_end();
}

void Mixture::limit_memory(uint64_t bytes) {
  for (const MixturePart& part : parts_) part.strategy->limit_memory(bytes / parts_.size());
}

void Mixture::stop_when(std::function<bool()> must_stop) {
  for (const MixturePart& part : parts_) part.strategy->stop_when(must_stop);
}

// Spills every part that can. What the others need reduces the share of each.
bool Mixture::spill(uint64_t bytes) {
  bool any = false;
  for (const MixturePart& part : parts_)
    if (part.strategy->memory_bytes() > bytes / parts_.size()) any |= part.strategy->spill(bytes / parts_.size());
  return any && memory_bytes() <= 2 * bytes;
}

uint64_t Mixture::memory_bytes() const {
  uint64_t sum = 0;
  for (const MixturePart& part : parts_) sum += part.strategy->memory_bytes();
  return sum;
}

Traits Mixture::traits() const {
  Traits all{.preempts_at_points = false, .relies_on_locks = false, .draws = true};
  for (const MixturePart& part : parts_) {
    const Traits one = part.strategy->traits();
    all.preempts_at_points |= one.preempts_at_points;
    all.relies_on_locks |= one.relies_on_locks;
    all.draws &= one.draws;
  }
  return all;
}

void Mixture::observe_other(TraceView trace) {
  for (const MixturePart& part : parts_) part.strategy->observe_other(trace);
}

// These are about the current execution, which only its own part knows.
void Mixture::recycle(Plan& plan) { parts_[last_].strategy->recycle(plan); }
std::optional<Measures> Mixture::measures() const { return parts_[last_].strategy->measures(); }
bool Mixture::counts(TraceView trace) {
  return parts_[in_flight_.empty() ? last_ : in_flight_.front()].strategy->counts(trace);
}

std::vector<Finding> Mixture::predictions() const {
  std::vector<Finding> all;
  for (const MixturePart& part : parts_)
    for (Finding& finding : part.strategy->predictions()) all.push_back(std::move(finding));
  return all;
}

SearchStatus Mixture::status() const {
  SearchStatus all;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const SearchStatus one = parts_[i].strategy->status();
    all.frontier_nodes += one.frontier_nodes;
    all.peak_frontier_nodes += one.peak_frontier_nodes;
    if (parts_[i].proof == Proof::Bounded) all.phase = one.phase;
    if (learned_[i] == 0) continue;
    all.by_strategy.emplace_back(parts_[i].name, learned_[i]);
    all.contributions +=
        (all.contributions.empty() ? "" : ", ") + count_of(learned_[i], "execution") + " of " + parts_[i].name;
  }
  all.phase += all.phase.empty() ? "random schedules" : " and random schedules";
  if (!all.contributions.empty())
    all.contributions += finished_ ? "; proved by " + finished_->name : "; last by " + parts_[last_].name;
  return all;
}

}  // namespace lockstep
