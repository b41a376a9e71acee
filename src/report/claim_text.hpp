// A claim in words. All sentences about claims come from here, and no code parses them.
#pragma once
#include <string>
#include <vector>

#include "search/exploration/explorer.hpp"

namespace lockstep {

// What is proved, as the object of "Known: ...": "every execution with at most 1 preemption". Never empty.
std::string known_text(const Exploration& result);

// The limitations of the claim, one clause each: "weaker memory orders at queue.hpp:14, 31".
std::vector<std::string> provisos_text(const Claim& claim);

// Both in one sentence, for JSON `guarantee`, JUnit and explore().
std::string guarantee_text(const Exploration& result);

// "Not covered: more preemptions; weaker memory orders at queue.hpp:14." Empty if everything is covered.
std::string not_covered_text(const Exploration& result);

// The reason why an exploration without a bug ended, as in "stopped by ...".
const char* ending_text(Ending ending);

}  // namespace lockstep
