// Stories as approved files: read them, they are what users read.
#include "report/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fake_trace.hpp"
#include "golden.hpp"
#include "report/cause_text.hpp"
#include "report/complete_finding.hpp"
#include "report/story_rows.hpp"

namespace lockstep {
namespace {

std::string story(Finding finding, Symbols& symbols, StoryOptions options = {}) {
  Trace trace = finding.trace;
  const std::string output = finding.output;
  finding = complete_finding(std::move(finding), trace, output, symbols);
  return tell_story(finding, symbols, options);
}

TEST(Story, DeadlockShowsColumnsCycleAndStacks) {
  BankDeadlock bank;
  expect_golden("story_deadlock.txt", story(finding_of(FindingKind::Deadlock, bank.trace), bank.symbols));
}

TEST(Story, NarrowTerminalHasOneColumn) {
  BankDeadlock bank;
  StoryOptions options;
  options.terminal.width = 60;
  expect_golden("story_deadlock_narrow.txt",
                story(finding_of(FindingKind::Deadlock, bank.trace), bank.symbols, options));
}

TEST(Story, AsciiWhereTheLocaleIsNotUtf8) {
  BankDeadlock bank;
  StoryOptions options;
  options.terminal.utf8 = false;
  const std::string text = story(finding_of(FindingKind::Deadlock, bank.trace), bank.symbols, options);
  for (char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  expect_golden("story_deadlock_ascii.txt", text);
}

TEST(Story, ColourOnlyWhenAskedFor) {
  BankDeadlock bank;
  StoryOptions options;
  EXPECT_EQ(story(finding_of(FindingKind::Deadlock, bank.trace), bank.symbols, options).find('\033'),
            std::string::npos);
  options.terminal.colour = true;
  EXPECT_NE(story(finding_of(FindingKind::Deadlock, bank.trace), bank.symbols, options).find("\033[1;31mDEADLOCK"),
            std::string::npos);
}

// A lost update: both read, both write.
Trace lost_update(FakeSymbols& symbols, unsigned padding) {
  symbols.functions = {{20, 29, "increment()", "counter.cpp"},
                       {40, 49, "main::lambda#1", "counter_test.cpp"},
                       {10, 19, "main", "counter_test.cpp"}};
  symbols.objects = {{0x10, "counter"}, {0x20, "log.size"}};
  FakeTrace t;
  t.note(0, OpKind::Create, 1, {12}).note(0, OpKind::Create, 2, {12});
  for (unsigned i = 0; i < padding; ++i) t.step(1, OpKind::Store, 0x20, 0b110, {21, 41});
  t.step(1, OpKind::Load, 0x10, 0b110, {22, 41});
  t.step(2, OpKind::Load, 0x10, 0b110, {22, 41});
  t.step(2, OpKind::Store, 0x10, 0b110, {23, 41});
  t.note(2, OpKind::ThreadExit, 2, {});
  t.step(1, OpKind::Store, 0x10, 0b010, {23, 41});
  t.note(1, OpKind::ThreadExit, 1, {});
  t.note(0, OpKind::Join, 1, {14}).note(0, OpKind::Join, 2, {14});
  t.step(0, OpKind::Load, 0x10, 0b001, {15});
  return t.end(Outcome::Assertion, 0, {15}, "counter_test.cpp:15: Assertion `counter == 2' failed.");
}

TEST(Story, AssertionShowsMessageStackAndOutput) {
  FakeSymbols symbols;
  Finding finding = finding_of(FindingKind::Assertion, lost_update(symbols, 0));
  finding.output = "starting\n\033[2Jcounter is 1\n";
  expect_golden("story_assertion.txt", story(finding, symbols));
}

TEST(Story, LongExecutionsAreShortened) {
  FakeSymbols symbols;
  expect_golden("story_long.txt", story(finding_of(FindingKind::Assertion, lost_update(symbols, 20'000)), symbols));
}

std::vector<StoryRow> told(TraceView trace, size_t limit) {
  const std::vector<StoryRow> rows = all_rows(trace);
  const std::vector<bool> keep = rows_worth_telling(rows, trace, limit);
  std::vector<StoryRow> told;
  for (size_t i = 0; i < rows.size(); ++i)
    if (keep[i]) told.push_back(rows[i]);
  return told;
}

TEST(Story, NeverMoreRowsThanTheLimit) {
  FakeTrace t;
  for (unsigned i = 0; i < 5'000; ++i) t.step(i % 3, OpKind::Rmw, 0x10 + i % 4, 0b111, {});
  const Trace trace = t.end(Outcome::Assertion, 1, {});
  for (size_t limit : {10u, 45u, 200u}) EXPECT_LE(told(trace, limit).size(), 2 * limit + 10);
  EXPECT_EQ(told(trace, 45).back().kind, StoryRow::Failure);
}

// Where rows are skipped, an arrow may point at a thread of which nothing else is told.
TEST(Story, WhoeverAnArrowPointsAtHasAColumn) {
  constexpr unsigned kPlace = 10;  // of the only step of thread 3
  FakeTrace t;
  for (unsigned i = 0; i < 60; ++i)
    t.step(i == kPlace ? 3 : i % 2, OpKind::Rmw, 0x10 + (i == kPlace), i > kPlace ? 0b0011 : 0b1011, {});
  const Finding finding = finding_of(FindingKind::Assertion, t.end(Outcome::Assertion, 1, {}));
  size_t alone = 0;
  for (size_t limit = 20; limit < 120; ++limit) {
    const auto rows = told(finding.trace, limit);
    const auto tells = [&](ThreadId StoryRow::*who) {
      return std::any_of(rows.begin(), rows.end(), [&](const StoryRow& r) { return r.*who == ThreadId{3}; });
    };
    if (!tells(&StoryRow::other) || tells(&StoryRow::thread)) continue;
    ++alone;
    FakeSymbols symbols;
    StoryOptions options;
    options.row_limit = limit;
    EXPECT_NE(story(finding, symbols, options).find("thread 3"), std::string::npos);
  }
  EXPECT_GT(alone, 0u);
}

// A consumer that missed its signal: heap objects are numbered, the wait is part of the operation's own row.
TEST(Story, LostWakeupNumbersNamelessObjects) {
  FakeSymbols symbols;
  symbols.functions = {{20, 29, "consumer(Queue*)", "queue.cpp"},
                       {30, 39, "producer(Queue*)", "queue.cpp"},
                       {10, 19, "main", "queue_test.cpp"}};
  FakeTrace t;
  t.note(0, OpKind::Create, 1, {11}).note(0, OpKind::Create, 2, {12});
  t.step(1, OpKind::Load, 0x80, 0b110, {21});
  t.step(2, OpKind::Store, 0x80, 0b110, {31});
  t.step(2, OpKind::CondSignal, 0x90, 0b110, {32}, {{}, Step::kWrite});
  t.note(2, OpKind::ThreadExit, 2, {});
  t.step(1, OpKind::Lock, 0xa0, 0b010, {22});
  t.step(1, OpKind::CondWait, 0x90, 0b010, {23}, {Companion::mutex(ObjectId{0xa0}), Step::kWrite});
  t.blocked(0, OpKind::Join, 0, {13}, thread_named(1));
  t.blocked(1, OpKind::Reacquire, 0xa0, {23}, Companion::condition(ObjectId{0x90}));
  expect_golden("story_lost_wakeup.txt", story(finding_of(FindingKind::Deadlock, t.end(Outcome::Deadlock)), symbols));
}

TEST(Story, CrashWithoutSymbolsStillTells) {
  FakeSymbols symbols;
  FakeTrace t;
  t.note(0, OpKind::Create, 1, {900});
  t.step(1, OpKind::ThreadStart, 0, 0b11, {});
  t.step(0, OpKind::Lock, 0x77, 0b11, {901});
  t.pending(0, OpKind::Unlock, 0x77, {902});
  expect_golden("story_crash.txt",
                story(finding_of(FindingKind::Crash, t.end(Outcome::Crash, 1, {903, 904})), symbols));
}

// Names, values and the cause as a replay that was looked at gives them: a deque whose owner and thief take one item.
Finding stolen_twice(FakeSymbols& symbols) {
  symbols.functions = {{17, 24, "Deque::pop()", "deque.hpp"},
                       {28, 37, "Deque::steal()", "deque.hpp"},
                       {50, 60, "main::lambda#1", "deque_test.cpp"},
                       {10, 16, "main", "deque_test.cpp"}};
  FakeTrace t;
  const auto cas = [](uint64_t expected, int flags) { return Extra{Companion::expected(expected), flags}; };
  t.note(0, OpKind::Create, 1, {12}).note(0, OpKind::Create, 2, {13});
  t.step(1, OpKind::Load, 0x10, 0b110, {17, 51}).values(0, 0);
  t.step(2, OpKind::Lock, 0x30, 0b110, {28, 55});
  t.step(2, OpKind::Load, 0x10, 0b110, {29, 55}).values(0, 0);
  t.step(2, OpKind::Cas, 0x10, 0b110, {30, 55}, cas(0, Step::kConditional | Step::kWrite)).values(0, 1);
  t.step(2, OpKind::Unlock, 0x30, 0b110, {37, 55});
  for (int i = 0; i < 17; ++i) t.step(2, OpKind::Load, 0x18, 0b110, {36, 55}).values(0, 0);
  t.note(2, OpKind::ThreadExit, 2, {});
  t.step(1, OpKind::Cas, 0x10, 0b010, {18, 51}, cas(0, Step::kConditional)).values(1, 1);
  t.step(1, OpKind::Rmw, 0x20, 0b010, {24, 51}, {{}, Step::kWrite}).values(1, 2);
  t.note(1, OpKind::ThreadExit, 1, {});
  t.note(0, OpKind::Join, 1, {14}).note(0, OpKind::Join, 2, {14});
  Finding finding =
      finding_of(FindingKind::Assertion, t.end(Outcome::Assertion, 0, {15}, "assertion failed: executed.load() == 1"));
  const ValueType integer{ValueType::Signed, 4, {}}, truth{ValueType::Bool, 1, {}};
  finding.seen.objects = {{ObjectId{0x10}, {{"deque.head_", integer, 0}}},
                          {ObjectId{0x18}, {{"deque.closed_", truth, 0}}},
                          {ObjectId{0x20}, {{"executed", integer, 0}}},
                          {ObjectId{0x30}, {{"deque.mutex_", {}, 0}}}};
  finding.seen.operands = {{"executed", "2"}};
  finding.cause.orders = {{2, 5, {}, {}}};
  finding.cause.reversed = 3;
  return finding;
}

TEST(Story, NamesValuesAndTheCause) {
  FakeSymbols symbols;
  expect_golden("story_values.txt", story(stolen_twice(symbols), symbols));
}

// A step that the failure depends on is told however long the execution is.
TEST(Story, GapsSwallowNoStepThatMatters) {
  FakeSymbols symbols;
  Finding finding = finding_of(FindingKind::Assertion, lost_update(symbols, 20'000));
  finding.cause.orders = {{9'000, 20'004, {}, {}}};
  finding.cause.reversed = 1;
  symbols.objects[0x21] = "other";
  const std::string text = story(finding, symbols);
  EXPECT_NE(text.find("!"), std::string::npos);
  EXPECT_EQ(text.find("not shown"), std::string::npos) << text;
}

TEST(Story, ARaceEndsWithTheSecondAccess) {
  FakeSymbols symbols;
  FakeTrace t;
  t.step(1, OpKind::Lock, 0x10, 0b110, {21}).step(2, OpKind::Lock, 0x20, 0b110, {31});
  t.step(1, OpKind::Unlock, 0x10, 0b110, {22}).step(2, OpKind::Unlock, 0x20, 0b110, {32});
  const Trace trace = t.end(Outcome::Ok);
  DataRace race{};
  race.first.thread = ThreadId{1};
  race.first.step = 1;
  race.second.thread = ThreadId{2};
  race.second.step = 2;
  const std::vector<StoryRow> rows = all_rows(trace, &race);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.back().kind, StoryRow::Racing);
  EXPECT_EQ(rows.back().index, 1u);
}

// Two accesses under locks that do not exclude each other.
Trace two_accesses(OpKind lock, ObjectId second_lock) {
  FakeTrace t;
  t.step(1, lock, 0x10, 0b110, {21}).step(2, lock, static_cast<uint64_t>(second_lock), 0b110, {31});
  return t.end(Outcome::Ok);
}

Finding race_in(const Trace& trace) {
  Finding finding = finding_of(FindingKind::DataRace, trace);
  DataRace race{};
  race.first.thread = ThreadId{1};
  race.first.step = 1;
  race.second.thread = ThreadId{2};
  race.second.step = 2;
  race.second.address = 0x30;
  finding.race = race;
  return finding;
}

TEST(Story, ARaceSaysWhyNothingOrdersTheAccesses) {
  FakeSymbols symbols;
  symbols.objects[0x10] = "reading";
  symbols.objects[0x20] = "other";
  EXPECT_NE(story(race_in(two_accesses(OpKind::Lock, ObjectId{0x20})), symbols)
                .find("Nothing orders the two accesses: thread 1 holds reading, thread 2 holds other."),
            std::string::npos);
  EXPECT_NE(story(race_in(two_accesses(OpKind::ReadLock, ObjectId{0x10})), symbols)
                .find("Nothing orders the two accesses: both threads hold reading for reading."),
            std::string::npos);
  EXPECT_NE(story(race_in(two_accesses(OpKind::Load, ObjectId{0x10})), symbols)
                .find("Nothing orders the two accesses: neither thread holds a lock."),
            std::string::npos);
  Finding freed = race_in(two_accesses(OpKind::Load, ObjectId{0x10}));
  freed.race->first.flags = RaceAccess::kFree;  // what comes after the free may be ordered
  EXPECT_EQ(story(freed, symbols).find("Nothing"), std::string::npos);
}

TEST(Story, ChainsOfOrdersReadAsAList) {
  FakeSymbols symbols;
  FakeTrace t;
  const Trace trace = t.end(Outcome::Ok);
  const TraceNames names(trace, symbols);
  Cause cause;
  cause.reversed = 3;
  for (uint32_t i = 0; i < 3; ++i) cause.orders.push_back({.first = i, .second = i + 1});
  EXPECT_EQ(cause_sentence(cause, names, [](uint32_t step) { return "step " + std::to_string(step); }),
            "Fails because step 0 comes before step 1, step 1 before step 2 and step 2 before step 3: reversing any "
            "one passes.");
  EXPECT_EQ(cause_sentence({}, names, {}), "") << "nobody has searched";
}

TEST(Story, ASwitchMayBeTheCause) {
  FakeSymbols symbols;
  const auto run = [](std::initializer_list<unsigned> threads) {
    FakeTrace t;
    for (const unsigned thread : threads) t.step(thread, OpKind::Load, 0x10, 0xff, {});
    return t.end(Outcome::Ok);
  };
  const auto sentence = [&](const Trace& failing, const Trace& passing, uint32_t departs) {
    Cause cause;
    cause.reversed = 3;
    cause.passing = passing;
    cause.departs = departs;
    const TraceNames names(failing, symbols);
    return cause_sentence(cause, names, [](uint32_t step) { return "step " + std::to_string(step); });
  };
  EXPECT_EQ(sentence(run({1, 2, 1}), run({1, 1, 2}), 1),
            "Fails because thread 1 is preempted after step 0: if it goes on there, it passes.");
  EXPECT_EQ(sentence(run({1, 2, 3}), run({1, 3, 2}), 1),
            "Fails because thread 2 goes on after step 0: if thread 3 goes on there, it passes.");
}

// A destructor that runs when the thread has returned from its function does not name it.
TEST(Story, AThreadIsNamedByWhatItRunsFirst) {
  FakeSymbols symbols;
  symbols.functions = {{1, 1, "main::lambda"}, {2, 2, "T::~T"}, {3, 3, "consume"}};
  FakeTrace t;
  t.step(1, OpKind::Load, 0x10, 0xff, {1}).step(1, OpKind::Load, 0x10, 0xff, {2});
  t.step(2, OpKind::Load, 0x10, 0xff, {3}).step(2, OpKind::Load, 0x10, 0xff, {2});
  const Trace trace = t.end(Outcome::Ok);
  const TraceNames names(trace, symbols);
  EXPECT_EQ(names.thread(ThreadId(uint16_t{1})), "thread 1");
  EXPECT_EQ(names.thread(ThreadId(uint16_t{2})), "consume");
}

TEST(Story, EmptyTraceIsNoProblem) {
  FakeSymbols symbols;
  FakeTrace t;
  EXPECT_NE(story(finding_of(FindingKind::Crash, t.end(Outcome::WorkerDied)), symbols).find("CRASH"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
