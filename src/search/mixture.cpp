#include "search/mixture.hpp"

#include <algorithm>
#include <utility>

#include "search/claims.hpp"

namespace lockstep {

using Proof = MixturePart::Proof;

Mixture::Mixture(std::vector<MixturePart> parts, MixtureOptions options)
    : parts_(std::move(parts)), options_(std::move(options)), learned_(parts_.size()), under_way_(parts_.size()) {}

const MixturePart* Mixture::finished() const {
  for (const MixturePart& part : parts_) {
    if (part.proof == Proof::None || !part.strategy->complete()) continue;
    if (part.proof == Proof::Full || all_learned_ >= options_.look_beyond) return &part;
  }
  return nullptr;
}

// In the opening nothing is under way, so that a trace can be learned at once whatever the window. Of several full
// proofs only the first is spared: it shall be the one that ends the search, because it says most.
bool Mixture::spared(size_t part) const {
  if (!opening()) return false;
  const auto full = [](const MixturePart& p) { return p.proof == Proof::Full; };
  return !full(parts_[part]) || std::none_of(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(part), full);
}

std::optional<Plan> Mixture::take(size_t part) {
  Strategy& strategy = *parts_[part].strategy;
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

std::optional<Plan> Mixture::open() {
  if (!in_flight_.empty()) return std::nullopt;
  for (; opening(); ++opened_) {
    const MixtureTurn turn = options_.opening[opened_];
    if (auto plan = take(repeats_.many() ? turn.instead : turn.part)) {
      ++opened_;
      return plan;
    }
  }
  return std::nullopt;
}

uint32_t Mixture::slice() const {
  const MixturePart& part = parts_[turn_];
  return round_ < options_.early_rounds ? part.early : part.slice;
}

std::optional<Plan> Mixture::next() {
  if (complete()) return std::nullopt;
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
      if (under_way_[turn_] > 0) return std::nullopt;  // what it learns from these may make it go on
    }
    turn_ = (turn_ + 1) % parts_.size();
    round_ += turn_ == 0;
    used_ = 0;
  }
  return std::nullopt;
}

void Mixture::learn(TraceView trace) {
  last_ = in_flight_.front();
  in_flight_.pop_front();
  --under_way_[last_];
  ++learned_[last_];
  ++all_learned_;
  if (opening()) {
    known_.add(trace);
    repeats_.saw(trace, parts_[last_].draws);
  } else {
    known_.forget();
    repeats_.forget();
  }
  for (size_t i = 0; i < parts_.size(); ++i)
    if (i != last_) parts_[i].strategy->overhear(trace);
  parts_[last_].strategy->learn(trace);
}

std::string Mixture::guarantee() const {
  for (const Proof proof : {Proof::Full, Proof::Bounded, Proof::None})
    for (const MixturePart& part : parts_)
      if (std::string claim = part.proof == proof ? part.strategy->guarantee() : ""; !claim.empty()) return claim;
  return {};
}

std::string Mixture::why_incomplete() const {
  for (const MixturePart& part : parts_)
    if (std::string why = part.proof != Proof::None ? part.strategy->why_incomplete() : ""; !why.empty()) return why;
  return {};
}

uint64_t Mixture::unrepeated() const {
  uint64_t sum = 0;
  for (const MixturePart& part : parts_) sum += part.strategy->unrepeated();
  return sum;
}

std::optional<uint32_t> Mixture::preemptions_completed() const {
  std::optional<uint32_t> most;
  for (const MixturePart& part : parts_) {
    if (part.proof == Proof::Full && part.strategy->complete()) return options_.bound;
    if (part.proof == Proof::None) continue;
    if (const auto done = part.strategy->preemptions_completed()) most = std::max(most.value_or(0), *done);
  }
  return most;
}

bool Mixture::resumable() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const MixturePart& part) { return part.strategy->resumable(); });
}

// Whose turn it is, and the parts one after the other. What is in flight its part hands out again.
void Mixture::save(StateWriter& out) const {
  const size_t first = opening() ? opened_ - in_flight_.size() : opened_;
  for (const uint64_t number :
       {uint64_t{first}, uint64_t{turn_}, uint64_t{last_}, uint64_t{used_}, round_, all_learned_})
    out.put(number);
  out.put_all(learned_);
  repeats_.save(out);
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
  if (turn_ >= parts_.size() || last_ >= parts_.size() || learned_.size() != parts_.size()) {
    *this = Mixture(std::move(parts_), std::move(options_));
    return in.reject();
  }
  repeats_.load(in);
  for (const MixturePart& part : parts_) part.strategy->load(in);
}

void Mixture::stay_within(uint64_t bytes) {
  for (const MixturePart& part : parts_) part.strategy->stay_within(bytes / parts_.size());
}

// Whoever can give something up; what the others need comes off everybody's share.
bool Mixture::spill(uint64_t bytes) {
  bool any = false;
  for (const MixturePart& part : parts_)
    if (part.strategy->memory_bytes() > bytes / parts_.size()) any |= part.strategy->spill(bytes / parts_.size());
  return any && memory_bytes() <= 2 * bytes;
}

uint64_t Mixture::frontier_nodes() const {
  uint64_t sum = 0;
  for (const MixturePart& part : parts_) sum += part.strategy->frontier_nodes();
  return sum;
}

uint64_t Mixture::peak_frontier_nodes() const {
  uint64_t sum = 0;
  for (const MixturePart& part : parts_) sum += part.strategy->peak_frontier_nodes();
  return sum;
}

uint64_t Mixture::memory_bytes() const {
  uint64_t sum = 0;
  for (const MixturePart& part : parts_) sum += part.strategy->memory_bytes();
  return sum;
}

std::string Mixture::phase() const {
  std::string text;
  for (const MixturePart& part : parts_)
    if (part.proof == Proof::Bounded) text = part.strategy->phase();
  return text.empty() ? "random schedules" : text + " and random schedules";
}

std::string Mixture::remark() const {
  std::string text;
  for (size_t i = 0; i < parts_.size(); ++i)
    if (learned_[i] > 0)
      text.append(text.empty() ? "" : ", ")
          .append(count_of(learned_[i], "execution"))
          .append(" of ")
          .append(parts_[i].name);
  if (text.empty()) return text;
  const MixturePart* proof = finished();
  if (proof) return text + "; the proof is of " + proof->name;
  return text + "; the last was of " + parts_[last_].name;
}

}  // namespace lockstep
