// Starting the test programs.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "model/schedule.hpp"
#include "target/target.hpp"

namespace lockstep {

inline std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

// "counts-gcc-O2 faa 2 2": a program of tests/programs with its arguments. A leading "example:" is one of examples/.
inline std::vector<std::string> command_of(const std::string& line) {
  std::vector<std::string> command = words(line);
  const std::string example = "example:";
  if (command[0].starts_with(example))
    command[0] = LOCKSTEP_EXAMPLES "/" + command[0].substr(example.size());
  else if (command[0].find('/') == std::string::npos)
    command[0] = LOCKSTEP_PROGRAMS "/" + command[0];
  return command;
}

inline TargetOptions options_for(const std::string& line) {
  TargetOptions options;
  options.command = command_of(line);
  options.runtime_library = LOCKSTEP_RUNTIME;
  return options;
}

inline std::unique_ptr<Target> start(const TargetOptions& options) {
  auto target = Target::start(options);
  if (!target) {
    ADD_FAILURE() << options.command[0] << ": " << target.error().message;
    return nullptr;
  }
  return std::move(*target);
}

inline Trace run(Target& target, const Plan& plan) {
  target.submit(plan);
  const auto trace = target.next(nullptr);
  return trace ? Trace(*trace) : Trace();
}

// What was done to locks that must not be, in the order in which it was.
inline std::string misuses(TraceView trace) {
  std::string text;
  for (const DataRace& found : trace.races())
    if (found.misuse()) text += std::string(text_of(found.second.misuse)) + "; ";
  return text;
}

// Equal in every record, every pending operation and the outcome.
inline testing::AssertionResult same(TraceView a, TraceView b) {
  if (a.outcome() != b.outcome())
    return testing::AssertionFailure() << "outcomes " << name_of(a.outcome()) << " and " << name_of(b.outcome());
  if (a.steps().size() != b.steps().size())
    return testing::AssertionFailure() << a.steps().size() << " and " << b.steps().size() << " steps";
  if (const auto at = first_difference(a, b))
    return testing::AssertionFailure() << "differ at step " << *at << ": " << name_of(a.steps()[*at].kind)
                                       << " of thread " << index_of(a.steps()[*at].thread) << " and "
                                       << name_of(b.steps()[*at].kind) << " of thread "
                                       << index_of(b.steps()[*at].thread);
  for (size_t i = 0; i < a.steps().size(); ++i) {
    const auto x = a.enabled(a.steps()[i]), y = b.enabled(b.steps()[i]);
    bool equal = x.size() == y.size();
    x.for_each([&](ThreadId t) { equal &= y.contains(t); });
    if (!equal) return testing::AssertionFailure() << "enabled sets differ at step " << i;
  }
  if (a.pending().size() != b.pending().size()) return testing::AssertionFailure() << "pending operations differ";
  for (size_t i = 0; i < a.pending().size(); ++i)
    if (a.pending()[i].kind != b.pending()[i].kind || a.pending()[i].object != b.pending()[i].object)
      return testing::AssertionFailure() << "pending operation " << i << " differs";
  if (a.races().size() != b.races().size())
    return testing::AssertionFailure() << a.races().size() << " and " << b.races().size() << " data races";
  for (size_t i = 0; i < a.races().size(); ++i) {
    const DataRace &x = a.races()[i], &y = b.races()[i];
    if (std::tie(x.first.pc, x.first.thread, x.first.step, x.first.address, x.second.pc, x.second.thread,
                 x.second.step) != std::tie(y.first.pc, y.first.thread, y.first.step, y.first.address, y.second.pc,
                                            y.second.thread, y.second.step))
      return testing::AssertionFailure() << "data race " << i << " differs";
  }
  return testing::AssertionSuccess();
}

}  // namespace lockstep
