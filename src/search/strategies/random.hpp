// Random walk: at every decision each alternative is equally likely. Finds shallow bugs of large programs; proves
// nothing and never ends by itself.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct RandomOptions {
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

std::unique_ptr<Search> make_random(const RandomOptions& options);

// The same with another policy that needs nothing but its seed.
std::unique_ptr<Search> make_walk(Policy policy, const RandomOptions& options);

}  // namespace lockstep
