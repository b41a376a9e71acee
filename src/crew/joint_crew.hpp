// Workers of this machine and those of a queue, as one crew. Whoever has nothing to do gets the next unit.
#pragma once
#include <memory>
#include <string>

#include "search/exploration/unit_result.hpp"
#include "target/target.hpp"

namespace lockstep {

struct JointCrewOptions {
  // False: the workers here check what others say, and do nothing else unless there is nobody else.
  bool works_here = true;
  std::string search{};  // a packed SearchDescription, for workers elsewhere
};

std::unique_ptr<Crew> make_joint_crew(std::unique_ptr<Crew> local, JointCrewOptions options, RemoteOrders& remote,
                                      Target& target);

}  // namespace lockstep
