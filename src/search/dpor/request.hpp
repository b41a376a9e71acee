// An alternative that whoever explores a part of a search wants in a state above it, whose owner may have planned
// another that does as well.
#pragma once
#include <cstdint>
#include <vector>

#include "search/dpor/label.hpp"

namespace lockstep::dpor {

struct Request {
  uint32_t record;
  bool sleeps;  // the thread does, in that state
  Label label;
  std::vector<ThreadId> initials;  // one of these threads has to be planned there; ascending
};

}  // namespace lockstep::dpor
