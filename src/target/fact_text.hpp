// Sentences about what the runtime noticed in the program (model/fact.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"

namespace lockstep {

inline bool has(const std::set<Fact>& facts, FactKind kind) {
  return std::any_of(facts.begin(), facts.end(), [kind](const Fact& fact) { return fact.kind == kind; });
}

inline std::vector<std::string> in_words(const std::set<Fact>& facts) {
  std::vector<std::string> said;
  if (has(facts, FactKind::OutsideInput))
    said.emplace_back(
        "the program waits for input from outside, which Lockstep does not control: executions may not repeat");
  if (has(facts, FactKind::StartsProcesses))
    said.emplace_back(
        "the program starts other processes, which Lockstep does not control: it assumes that they respond and end "
        "promptly");
  if (has(facts, FactKind::CycleCounter))
    said.emplace_back(
        "the program reads the cycle counter (rdtsc), which shows the virtual clock where possible: other values are "
        "not explored");
  if (has(facts, FactKind::RandomInstruction))
    said.emplace_back(
        "the program contains rdrand or rdseed, whose values cannot be controlled: executions may not repeat");
  if (has(facts, FactKind::RandomValues))
    said.emplace_back(
        "the program reads random values and gets the same ones in every execution: other values are not explored");
  if (has(facts, FactKind::FilesChange))
    said.emplace_back(
        "an execution looked at a file or directory that had changed since the exploration began: executions may "
        "depend "
        "on what earlier ones wrote, and may not repeat");
  if (has(facts, FactKind::AddressesVary))
    said.emplace_back(
        "address randomisation cannot be disabled here (personality() fails): executions that depend on addresses do "
        "not repeat");
  if (has(facts, FactKind::CheckpointsDiffer))
    said.emplace_back(
        "an execution from a checkpoint differed from the same execution run from the start; the exploration was "
        "repeated without checkpoints");
  return said;
}

// What executions that do not repeat may depend on, as far as the facts show.
inline std::string dependence(const std::set<Fact>& facts, Isolation isolation) {
  std::string text;
  const auto add = [&text](const char* what) { text += (text.empty() ? "" : ", ") + std::string(what); };
  if (isolation == Isolation::Loop)
    add("what an earlier execution left in memory (try --prime 3, or --isolation reset)");
  if (has(facts, FactKind::FilesChange))
    add("files that change");
  else if (has(facts, FactKind::WritesFiles))
    add("files that it writes");
  if (has(facts, FactKind::CycleCounter)) add("the processor's cycle counter");
  if (has(facts, FactKind::RandomInstruction)) add("the processor's random numbers");
  if (has(facts, FactKind::AddressesVary)) add("addresses");
  if (has(facts, FactKind::ReadsSystem)) add("what it reads from /proc or /sys");
  if (has(facts, FactKind::OutsideInput)) add("input from outside");
  if (has(facts, FactKind::StartsProcesses)) add("processes it starts");
  if (text.empty())
    add("something Lockstep cannot see: the processor's cycle counter, memory shared with other processes, or "
        "uncontrolled threads");
  return text;
}

}  // namespace lockstep
