// A schedule as a person would tell it: this thread runs for so many steps, then that one. Shrinking changes outlines;
// the runtime follows them as far as it can (Policy::Guided).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/plan.hpp"
#include "model/policy_input.hpp"
#include "model/trace.hpp"

namespace lockstep {

struct Outline : Wishes {
  size_t size() const { return stretches.size(); }
  size_t next_of_thread(size_t i) const;  // size(): it has no further stretch

  Outline without_choice(size_t i) const;
  Outline first(size_t count) const;  // what follows is left to the default schedule
  Outline without(size_t i) const;
  Outline drawn_out(size_t i) const;  // a switch where the thread cannot go on is free
  Outline moved(size_t from, size_t to) const;
  Outline joined(size_t i, size_t j) const;  // what the thread does in stretch j it does in i
};

Outline outline_of(TraceView trace);
Plan plan_for(const Outline& outline, uint32_t max_steps);
uint64_t hash_of(std::span<const uint64_t> words);
uint64_t hash_of(std::span<const Delta> deltas);

}  // namespace lockstep
