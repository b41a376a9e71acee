// Programs that end while other threads are under way: every strategy finds the failures that depth-first search finds,
// and every reduction the same traces. What the programs can see is what depth-first search found, checked by hand for
// some.
#include "reduced.hpp"

namespace lockstep {
namespace {

class Failures final : public Analysis {
 public:
  const char* name() const override { return "failures"; }
  const char* summary() const override { return "collects failures"; }
  std::optional<Finding> check(TraceView trace) override {
    const Outcome o = trace.outcome();
    if (o == Outcome::Ok || o == Outcome::Redundant) return std::nullopt;
    found.insert(std::string(name_of(o)) + (trace.message().empty() ? "" : ": ") + std::string(trace.message()));
    return std::nullopt;
  }
  std::set<std::string> found;
};

struct Search {
  const char* strategy;
  std::optional<uint32_t> preemptions;
};

std::set<std::string> failures_of(Target& target, const Search& search) {
  StrategyOptions options;
  options.spec = search.strategy;
  options.preemptions = search.preemptions;
  options.preemptions_none = !search.preemptions && search.strategy == std::string("chess");
  options.max_steps = 2000;
  auto made = make_strategy(options);
  EXPECT_TRUE(made);
  Failures failures;
  Analysis* analyses[] = {&failures};
  Budget budget;
  budget.executions = 50'000;
  const Exploration result = Explorer(**made, target, analyses, budget, true, {}).run();
  EXPECT_TRUE(result.complete()) << search.strategy << ": " << int(result.ending);
  return failures.found;
}

struct Row {
  const char* program;
  std::set<std::string> seen;  // by failing executions
  bool reduced = true;         // and optimal-dpor runs each trace once
};

std::set<std::string> values(std::initializer_list<int> numbers, const char* besides = nullptr) {
  std::set<std::string> all;
  for (const int number : numbers) all.insert("assertion: required: saw " + std::to_string(number));
  if (besides) all.insert(besides);
  return all;
}

const Row kRows[] = {
    {"main_returns", values({0, 1, 2, 11, 12, 22})},
    {"destructor_looks", values({0, 1, 2, 3})},
    {"handler_looks_twice", values({0, 1, 2, 4, 11, 12, 14, 22, 24, 41, 42, 44})},
    {"handlers_in_turn", values({0, 1, 2, 11, 12, 22})},
    {"thread_looks_at_exit", values({0, 1, 2, 11, 12, 22})},
    {"exit_by_a_thread", values({10, 11, 12})},
    {"exit_with_a_code", values({0, 1, 2})},
    {"two_exits", values({0, 1})},
    {"quick_exits", values({0, 1, 2})},
    {"exits_at_once", values({1, 2})},
    {"main_ends_as_a_thread", values({11, 12, 21, 22})},
    {"detached", values({0, 1, 10, 11, 20, 21})},
    {"destructor_joins", values({0, 1, 2})},
    {"destructor_signals", values({0, 1})},
    {"handler_takes_a_lock", values({0, 2})},
    {"handler_waits_for_ever", values({0}, "deadlock")},
    {"handler_tries_a_lock", values({0, 1})},
    {"thread_locals_of_main", values({0, 1, 2})},
    {"thread_locals_of_a_thread", values({0, 1, 2})},
    {"key_of_main", values({})},
    {"registered_by_two", values({0, 1, 2, 12, 21})},
    {"registered_late", values({10, 11})},
    {"thread_blocked_at_exit", values({0, 1})},
    {"timed_wait_at_exit", values({0, 1, 2, 3})},
    {"canceled_at_exit", values({0, 1, 2}), false},
    {"input_at_exit", values({0, 1}), false},
    {"semaphore_at_exit", values({0, 1, 2})},
    {"handler_chooses", values({0, 1, 2, 10, 11, 12})},
    {"handler_starts_a_thread", values({0, 1, 2, 3, 11, 12, 13, 22, 23, 31, 32, 33})},
    {"compare_exchange_at_exit", values({0, 2, 101, 102, 105})},
};

class Exits : public testing::TestWithParam<Row> {};
constexpr auto kName = [](const auto& info) { return std::string(info.param.program); };

TEST_P(Exits, HaveTheSameTracesInEveryReduction) {
  TargetOptions options = options_for(std::string("exits-gcc-O1 ") + GetParam().program);
  options.max_steps = 2000;
  auto target = start(options);
  ASSERT_TRUE(target);
  compare_with_depth_first_search(*target, GetParam().reduced);
}

TEST_P(Exits, FailInEveryWayTheyCan) {
  TargetOptions options = options_for(std::string("exits-gcc-O1 ") + GetParam().program + " fail");
  options.max_steps = 2000;
  auto target = start(options);
  ASSERT_TRUE(target);
  const Search searches[] = {{"dfs", {}},         {"icb", {}},          {"chess", {}}, {"dpor", {}},
                             {"source-dpor", {}}, {"optimal-dpor", {}}, {"bpor", 4},   {"best-first:expand=dpor", {}}};
  for (const Search& search : searches) EXPECT_EQ(failures_of(*target, search), GetParam().seen) << search.strategy;
}

Reasons reasons_of(const std::string& program) {
  auto target = start(options_for("exits-gcc-O1 " + program));
  return target ? run(*target, {}).view().reasons() : Reasons{};
}

TEST(RuntimeNamesItsReasons, ForWhatOperationsDoNotShow) {
  const Reasons left = reasons_of("main_returns");
  EXPECT_TRUE(left.has(Reason::ThreadsAtExit));
  EXPECT_TRUE(left.has(Reason::EarlyExit));
  EXPECT_FALSE(left.has(Reason::Timeout) || left.has(Reason::Interrupt) || left.has(Reason::Input));
  EXPECT_TRUE(reasons_of("canceled_at_exit").has(Reason::Interrupt));
  EXPECT_TRUE(reasons_of("input_at_exit").has(Reason::Input));
  const Reasons last = reasons_of("main_ends_as_a_thread");
  EXPECT_FALSE(last.has(Reason::EarlyExit) || last.has(Reason::ThreadsAtExit));
}

INSTANTIATE_TEST_SUITE_P(Programs, Exits, testing::ValuesIn(kRows), kName);

}  // namespace
}  // namespace lockstep
