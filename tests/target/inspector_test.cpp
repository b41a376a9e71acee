// What is read from a program that stops at every step: names, types, values, the variables of a failed assertion.
#include "target/inspector.hpp"

#include "programs.hpp"

namespace lockstep {
namespace {

struct Seen {
  Trace trace;
  Observations names;
};

Seen look_at(const std::string& program, Isolation isolation = Isolation::Auto) {
  TargetOptions options = options_for(program);
  options.isolation = isolation;
  auto target = start(options);
  const Trace first = target->run_detailed(Plan{}).trace;
  const auto blocks = first.view().allocations();
  const auto observer = make_observer(target->modules(), {blocks.begin(), blocks.end()});
  Seen seen{target->run_detailed(Plan{}, observer.get()).trace, {}};
  seen.names = observer->take();
  EXPECT_EQ(seen.trace.view().steps().size(), first.view().steps().size()) << "stopping changes nothing";
  return seen;
}

// The steps that access memory, in words.
std::vector<std::string> accesses_of(const Seen& seen) {
  std::vector<std::string> all;
  const TraceView trace = seen.trace;
  for (uint32_t i = 0; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    const ObservedObject* object = seen.names.find(step.object, i);
    if (!is_access(step.kind) || !object) continue;
    const StepValues& values = trace.values()[i];
    all.push_back(std::string(name_of(step.kind)) + " " + object->name + " " + value_text(values.before, object->type) +
                  " " + value_text(values.after, object->type));
  }
  return all;
}

TEST(Inspector, ValuesAreThoseReadAndWritten) {
  for (const Isolation isolation : {Isolation::Reset, Isolation::Fork, Isolation::Loop}) {
    const Seen seen = look_at("observed-gcc-O0 values", isolation);
    EXPECT_EQ(accesses_of(seen), (std::vector<std::string>{
                                     "load flag false false",
                                     "store flag false true",
                                     "rmw count 4 5",
                                     "cas count 5 9",
                                     "cas count 9 9",
                                     "store level kLow kHigh",
                                     "store share 0.5 0.25",
                                     "rmw counted->references 1 0",
                                 }));
  }
}

TEST(Inspector, AnAssertionHasTheValuesOfItsVariables) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O2"}) {
    const Seen seen = look_at("observed-" + std::string(build) + " operands");
    std::string text;
    for (const Operand& operand : seen.names.operands) text += operand.name + "=" + operand.value + " ";
    // What an optimiser keeps nowhere is left out, never made up.
    const std::string with_size = "total=3 box.items.size()=2 box.limit=7 ", without = "total=3 box.limit=7 ";
    EXPECT_TRUE(text == with_size || (std::string(build).ends_with("O2") && text == without)) << build << ": " << text;
  }
}

// Memory of the stack is used again: each variable has its own name.
TEST(Inspector, StackMemoryIsNamedAnewWhenItIsUsedAgain) {
  const Seen seen = look_at("observed-gcc-O0 reuse");
  const auto accesses = accesses_of(seen);
  EXPECT_NE(std::find(accesses.begin(), accesses.end(), "store first 0 1"), accesses.end());
  EXPECT_NE(std::find(accesses.begin(), accesses.end(), "store second 0 2"), accesses.end());
}

}  // namespace
}  // namespace lockstep
