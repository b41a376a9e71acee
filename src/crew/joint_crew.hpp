// Workers of this machine and those of a queue, as one crew. Whoever has nothing to do gets the next unit.
#pragma once
#include <memory>
#include <string>

#include "crew/local_crew.hpp"

namespace lockstep {

struct JointCrewOptions {
  CrewOptions local;       // its workers check what others say, and do everything where nobody else can
  bool works_here = true;  // false: they do nothing but that
  std::string search;      // for workers elsewhere: a packed SearchDescription
};

std::unique_ptr<Crew> start_joint_crew(const JointCrewOptions& options, RemoteOrders& remote, Target& target);

}  // namespace lockstep
