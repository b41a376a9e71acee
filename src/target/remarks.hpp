// What the runtime noticed about the program, as sentences (RemarkBits in model/channel.hpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/channel.hpp"

namespace lockstep {

inline std::vector<std::string> in_words(uint32_t remarks) {
  std::vector<std::string> said;
  if (remarks & kSignalsBetweenThreads)
    said.emplace_back(
        "threads send each other signals: strategies that reduce (dpor, bpor and the like) may miss a place where one "
        "arrives; dfs and icb do not");
  if (remarks & kInputFromOutside)
    said.emplace_back(
        "the program waits for input from outside, which is not under control: its executions may not repeat");
  return said;
}

}  // namespace lockstep
