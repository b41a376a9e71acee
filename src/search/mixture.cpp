#include "search/mixture.hpp"

#include <utility>

#include "search/claims.hpp"

namespace lockstep {

Mixture::Mixture(std::vector<MixturePart> parts, MixtureOptions options)
    : parts_(std::move(parts)), options_(options), handed_out_(parts_.size()), learned_(parts_.size()) {}

bool Mixture::prover_alone() const {
  if (options_.head_start == 0) return false;
  const auto done = prover().preemptions_completed();
  if (handed_out_[0] < options_.head_start && (!done || *done < options_.finish_first)) return true;
  return prover().frontier_nodes() <= options_.little_left;
}

std::optional<Plan> Mixture::take(size_t part) {
  std::optional<Plan> plan = parts_[part].strategy->next();
  if (!plan) return std::nullopt;
  ++handed_out_[part];
  in_flight_.push_back(part);
  return plan;
}

std::optional<Plan> Mixture::next() {
  if (complete()) return std::nullopt;
  if (prover_alone()) return take(0);
  for (size_t tried = 0; tried <= parts_.size(); ++tried) {
    if (used_ < parts_[turn_].slice)
      if (auto plan = take(turn_)) {
        ++used_;
        return plan;
      }
    turn_ = (turn_ + 1) % parts_.size();
    used_ = 0;
  }
  return std::nullopt;
}

void Mixture::learn(TraceView trace) {
  last_ = in_flight_.front();
  in_flight_.pop_front();
  ++learned_[last_];
  parts_[last_].strategy->learn(trace);
}

std::string Mixture::guarantee() const {
  for (const MixturePart& part : parts_)
    if (std::string claim = part.strategy->guarantee(); !claim.empty()) return claim;
  return {};
}

std::string Mixture::phase() const {
  std::string text = prover().phase();
  if (!prover_alone()) text += text.empty() ? "random schedules" : " and random schedules";
  return text;
}

std::string Mixture::remark() const {
  std::string text;
  size_t used = 0;
  for (const uint64_t n : learned_) used += n > 0;
  if (used == 1) return "only " + parts_[last_].name + " was needed";
  for (size_t i = 0; i < parts_.size(); ++i)
    if (learned_[i] > 0)
      text.append(text.empty() ? "" : ", ").append(count_of(learned_[i], "execution")).append(" of ").append(parts_[i].name);
  return text.empty() ? text : text + "; the last was of " + parts_[last_].name;
}

}  // namespace lockstep
