// How often schedules of two threads come up, against exact probabilities. Seeds are fixed, so nothing here can flake.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/schedule.hpp"

namespace lockstep {

using Frequencies = std::map<std::string, double>;

// "abab": who took the decisions, `a` being the first thread besides main.
inline std::string letters_of(TraceView trace) {
  std::string letters;
  for (const Step& step : trace.steps())
    if (!step.is_note() && !step.is_choice()) letters += static_cast<char>('a' + index_of(step.thread) - 1);
  return letters;
}

// Every frequency within 4.5 standard deviations of its probability.
inline void expect_frequencies(const Frequencies& seen, const Frequencies& exact, uint64_t executions) {
  const auto n = static_cast<double>(executions);
  double total = 0;
  for (const auto& [schedule, p] : exact) {
    total += p;
    const auto place = seen.find(schedule);
    const double frequency = place == seen.end() ? 0 : place->second;
    EXPECT_NEAR(frequency, p, 4.5 * std::sqrt(p * (1 - p) / n)) << schedule;
  }
  EXPECT_NEAR(total, 1, 1e-9);
  for (const auto& [schedule, frequency] : seen) EXPECT_TRUE(exact.contains(schedule)) << schedule << " cannot happen";
}

// What PCT does with two threads of `a` and `b` steps that never block, by trying every draw there is: both orders of
// priority, all ordered tuples of distinct change points.
class ExactPct {
 public:
  ExactPct(unsigned a, unsigned b, unsigned depth, unsigned horizon) : steps_{a, b}, horizon_(horizon) {
    points_.assign(depth - 1, 0);
    draw(0);
    for (auto& [schedule, p] : frequencies_) p /= draws_;
  }
  const Frequencies& frequencies() const { return frequencies_; }

 private:
  void draw(size_t i) {
    if (i < points_.size()) {
      for (points_[i] = 1; points_[i] <= horizon_; ++points_[i]) {
        bool distinct = true;
        for (size_t j = 0; j < i; ++j) distinct &= points_[j] != points_[i];
        if (distinct) draw(i + 1);
      }
      return;
    }
    for (const int first : {0, 1}) {
      frequencies_[simulate(first)] += 1;
      draws_ += 1;
    }
  }
  std::string simulate(int first) const {
    int priority[2] = {first == 0 ? 200 : 100, first == 0 ? 100 : 200};
    unsigned left[2] = {steps_[0], steps_[1]};
    std::string schedule;
    for (unsigned decision = 0; left[0] + left[1] > 0;) {
      int next = left[0] == 0 ? 1 : 0;
      if (left[0] > 0 && left[1] > 0) {
        ++decision;
        next = priority[0] > priority[1] ? 0 : 1;
        for (size_t i = 0; i < points_.size(); ++i)
          if (points_[i] == decision) priority[next] = static_cast<int>(i) + 1;
        next = priority[0] > priority[1] ? 0 : 1;
      }
      --left[next];
      schedule += static_cast<char>('a' + next);
    }
    return schedule;
  }

  unsigned steps_[2], horizon_;
  std::vector<unsigned> points_;
  Frequencies frequencies_;
  double draws_ = 0;
};

// POS over two threads of two steps each: fresh draws at every step if all conflict; independent operations keep
// theirs, so the first thread goes on iff the other's operation is the smallest of three draws.
inline Frequencies exact_pos_conflicting() {
  return {{"aabb", 0.25}, {"abab", 0.125}, {"abba", 0.125}, {"bbaa", 0.25}, {"baba", 0.125}, {"baab", 0.125}};
}
inline Frequencies exact_pos_independent() {
  const double straight = 1 / 3.0, nested = 1 / 8.0, alternating = 1 / 24.0;
  return {{"aabb", straight}, {"abba", nested}, {"abab", alternating},
          {"bbaa", straight}, {"baab", nested}, {"baba", alternating}};
}

}  // namespace lockstep
