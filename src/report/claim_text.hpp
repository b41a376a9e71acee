// A claim in words. Nobody else writes such a sentence, and nobody reads one.
#pragma once
#include <string>
#include <vector>

#include "search/exploration/explorer.hpp"

namespace lockstep {

// What is known, as the object of "Known: ...": "every execution with at most 1 preemption". Never empty.
std::string known_text(const Exploration& result);

// What lies outside the claim, one clause each: "weaker memory orders at queue.hpp:14, 31".
std::vector<std::string> provisos_text(const Claim& claim);

// Both in one sentence: JSON `guarantee`, JUnit, explore().
std::string guarantee_text(const Exploration& result);

// "Not covered: more preemptions; weaker memory orders at queue.hpp:14." Empty if nothing is left.
std::string not_covered_text(const Exploration& result);

// What ended an exploration that found no bug, as in "stopped by ...".
const char* ending_text(Ending ending);

}  // namespace lockstep
