// Selectively uniform random walk (Zhao, Wolff, Mathur & Roychoudhury 2025): each execution picks a shared object and
// takes every order of the operations on it with equal chance.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct SurwOptions {
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

std::unique_ptr<Search> make_surw(const SurwOptions& options);

}  // namespace lockstep
