// Selectively uniform random walk (Zhao, Wolff, Mathur & Roychoudhury 2025): each execution picks a shared object and
// takes every order of the operations on it with equal chance.
#pragma once
#include "search/strategies/random.hpp"

namespace lockstep {

std::unique_ptr<Search> make_surw(const SeededOptions& options);

}  // namespace lockstep
