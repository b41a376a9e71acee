// Strategy `surw`, selectively uniform random walk (Zhao, Wolff, Mathur & Roychoudhury 2025): each execution chooses a
// shared object, and every order of the operations on it is equally likely.
#pragma once
#include "search/strategies/random.hpp"

namespace lockstep {

std::unique_ptr<Search> make_surw(const SeededOptions& options);

}  // namespace lockstep
