// Looks at a program that stops at every step: what its objects are called, and the variables of a failed assertion.
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

// `blocks`: of the heap, as an earlier execution of the same plan knew them. `stop`: there is no time for more names.
std::unique_ptr<Observer> make_observer(const std::vector<Module>& modules, std::vector<Allocation> blocks,
                                        std::function<bool()> stop = {});

}  // namespace lockstep
