// Inspects a program that stops at every step: finds names of objects, and the variables of a failed assertion.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/allocation.hpp"
#include "model/observation.hpp"
#include "target/target.hpp"

namespace lockstep {

class Observer : public Inspector {
 public:
  virtual Observations take() = 0;
};

// `blocks`: heap blocks, as found in an earlier execution of the same plan. `stop`: returns true when no time is left.
std::unique_ptr<Observer> make_observer(const std::vector<Module>& modules, std::vector<Allocation> blocks,
                                        std::function<bool()> stop = {});

}  // namespace lockstep
