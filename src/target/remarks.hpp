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
  if (remarks & kStartsProcesses)
    said.emplace_back(
        "the program starts other processes, which are not under control: they are taken to answer and to end promptly");
  if (remarks & kCheckpointsDiffer)
    said.emplace_back(
        "an execution that was started from a checkpoint differed from the same one run from the beginning; it was all "
        "done again without checkpoints");
  return said;
}

// What executions that do not repeat may depend on, as far as it was noticed.
inline std::string dependence(uint32_t remarks, Isolation isolation) {
  std::string text;
  const auto add = [&text](const char* what) { text += (text.empty() ? "" : ", ") + std::string(what); };
  if (isolation == Isolation::Loop) add("what an earlier execution left in memory (try --prime 3, or --isolation reset)");
  if (remarks & kWritesFiles) add("files that it writes");
  if (remarks & kReadsSystem) add("what it reads from /proc or /sys");
  if (remarks & kInputFromOutside) add("input from outside");
  if (remarks & kStartsProcesses) add("processes it starts");
  if (text.empty()) add("something that is not seen: the processor's cycle counter, memory shared with other processes, threads out of control");
  return text;
}

}  // namespace lockstep
