// What relates the steps of a trace, and the data of the page.
#include "report/story_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake_trace.hpp"
#include "golden.hpp"
#include "report/complete_finding.hpp"
#include "report/html.hpp"
#include "report/step_order.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// One thread waits for a condition that the other announces.
Trace wait_and_notify(OpKind notification) {
  FakeTrace t;
  const uint64_t condition = 0x20, mutex = 0x10;
  const auto woken = notification == OpKind::CondSignal ? Companion::woken(ThreadId{1}) : Companion{};
  t.note(0, OpKind::Create, 1, {12}).note(0, OpKind::Create, 2, {13});
  t.step(1, OpKind::Lock, mutex, 0b110, {31});
  t.step(1, OpKind::CondWait, condition, 0b110, {32}, {Companion::mutex(ObjectId{mutex})});
  t.step(2, OpKind::Lock, mutex, 0b100, {41});
  t.step(2, notification, condition, 0b100, {42}, {woken});
  t.step(2, OpKind::Unlock, mutex, 0b100, {43});
  t.step(1, OpKind::Reacquire, mutex, 0b010, {32}, {Companion::condition(ObjectId{condition})});
  t.step(1, OpKind::Unlock, mutex, 0b010, {33});
  t.note(0, OpKind::Join, 1, {14}).note(0, OpKind::Join, 2, {14});
  return t.end(Outcome::Ok);
}

std::string edge_text(const std::vector<OrderEdge>& edges) {
  static constexpr const char* kKinds[] = {"conflict", "wake", "start", "end"};
  std::string text;
  for (const OrderEdge& e : edges)
    text += std::to_string(e.from) + "-" + std::to_string(e.to) + " " + kKinds[e.kind] + "\n";
  return text;
}

TEST(StepOrder, SignalWakesTheWaiterAndLocksConflict) {
  EXPECT_EQ(edge_text(order_edges(wait_and_notify(OpKind::CondSignal))),
            "0-2 start\n1-4 start\n3-4 conflict\n3-5 conflict\n6-7 conflict\n5-7 wake\n8-9 end\n6-10 end\n");
}

TEST(StepOrder, BroadcastWakesTheWaiter) {
  EXPECT_NE(edge_text(order_edges(wait_and_notify(OpKind::CondBroadcast))).find("5-7 wake"), std::string::npos);
}

TEST(StepOrder, ABroadcastBeforeTheWaitWakesNobody) {
  FakeTrace t;
  t.step(2, OpKind::CondBroadcast, 0x20, 0b110, {42});
  t.step(1, OpKind::Lock, 0x10, 0b110, {31});
  t.step(1, OpKind::CondWait, 0x20, 0b110, {32}, {Companion::mutex(ObjectId{0x10})});
  t.step(2, OpKind::CondSignal, 0x20, 0b100, {43}, {Companion::woken(ThreadId{1})});
  t.step(1, OpKind::Reacquire, 0x10, 0b010, {32}, {Companion::condition(ObjectId{0x20})});
  const std::string edges = edge_text(order_edges(t.end(Outcome::Ok)));
  EXPECT_EQ(edges.find("0-4"), std::string::npos) << edges;
  EXPECT_NE(edges.find("3-4 wake"), std::string::npos) << edges;
}

TEST(StepOrder, AWriteComesAfterEveryReadSinceTheLastWrite) {
  FakeTrace t;
  t.step(1, OpKind::Store, 0x10, 0b111, {1});
  t.step(2, OpKind::Load, 0x10, 0b111, {1}).step(3, OpKind::Load, 0x10, 0b111, {1});
  t.step(1, OpKind::Store, 0x10, 0b111, {1}).step(1, OpKind::Load, 0x10, 0b111, {1});
  EXPECT_EQ(edge_text(order_edges(t.end(Outcome::Ok))), "0-1 conflict\n0-2 conflict\n1-3 conflict\n2-3 conflict\n");
}

TEST(StepOrder, ALockIsHeldUntilItIsGivenBackAlsoByAWait) {
  const std::vector<Hold> holds = lock_holds(wait_and_notify(OpKind::CondSignal));
  ASSERT_EQ(holds.size(), 3u);
  EXPECT_EQ(holds[0].first, 2u);
  EXPECT_EQ(holds[0].last, 3u);  // the wait releases it
  EXPECT_EQ(holds[2].first, 7u);
  EXPECT_EQ(holds[2].last, 8u);
  const std::vector<Hold> stuck = lock_holds(BankDeadlock().trace);
  ASSERT_EQ(stuck.size(), 2u);
  EXPECT_EQ(stuck[0].last, kNever);
}

TEST(StepOrder, ARecursiveLockIsHeldOnce) {
  FakeTrace t;
  for (const OpKind kind : {OpKind::Lock, OpKind::Lock, OpKind::Unlock, OpKind::Unlock})
    t.step(1, kind, 0x10, 0b10, {1});
  const std::vector<Hold> holds = lock_holds(t.end(Outcome::Ok));
  ASSERT_EQ(holds.size(), 1u);
  EXPECT_EQ(holds[0].last, 3u);
}

TEST(StepOrder, AWaitEndsByTheNotification) {
  const Trace trace = wait_and_notify(OpKind::CondSignal);
  const std::vector<StoryRow> rows = all_rows(trace);
  const std::vector<Wait> waits = waits_of(rows, trace);
  ASSERT_FALSE(waits.empty());
  const Wait& wait = waits.back();
  EXPECT_EQ(rows[wait.first].index, 3u);
  EXPECT_EQ(rows[wait.last].index, 7u);
  ASSERT_NE(wait.ended_by, kNever);
  EXPECT_TRUE(rows[wait.ended_by].index == 5u || rows[wait.ended_by].index == 6u);
}

Json bank_story(const std::string& message = {}) {
  BankDeadlock bank;
  Finding finding =
      complete_finding(finding_of(FindingKind::Deadlock, bank.trace), bank.trace, "printed", bank.symbols);
  finding.test = "Bank.Transfer";
  if (!message.empty()) finding.message = message;
  return story_json(finding, bank.symbols, {"./bank_test", "-x"});
}

TEST(StoryJson, NamesProgramTestAndBug) {
  const Json story = bank_story();
  EXPECT_EQ(story["program"], Json::parse(R"(["./bank_test", "-x"])"));
  EXPECT_EQ(story["test"], "Bank.Transfer");
  EXPECT_EQ(story["kind"], "deadlock");
  EXPECT_EQ(story["output"], "printed");
}

TEST(StoryJson, ColumnsAreEquallyLongAndPointIntoTheTables) {
  const Json story = bank_story(), &rows = story["rows"];
  const size_t size = rows["kind"].size();
  for (const char* column : {"thread", "text", "stack", "object", "number", "key"})
    EXPECT_EQ(rows[column].size(), size) << column;
  std::vector<std::string> texts;
  for (size_t i = 0; i < size; ++i) texts.push_back(story["texts"][rows["text"][i].get<size_t>()]);
  EXPECT_EQ(texts[0], "create worker 1");
  EXPECT_EQ(rows["number"][0], 0);  // the terminal folds it
  const auto lock = std::find(texts.begin(), texts.end(), "lock accounts[0]");
  EXPECT_EQ(rows["number"].at(static_cast<size_t>(lock - texts.begin())), 1);
  EXPECT_EQ(texts.back(), "lock accounts[1] … worker 2 holds it");
  const Json& stack = story["stacks"][rows["stack"].back().get<size_t>()];
  const Json& frame = story["frames"][stack[0].get<size_t>()];
  EXPECT_EQ(frame[0], "transfer(int, int)");
  EXPECT_EQ(story["files"][frame[1].get<size_t>()]["path"], "src/bank.cpp");
}

TEST(StoryJson, ADeadlockHasItsCycleAndHowEveryThreadEnded) {
  const Json story = bank_story();
  EXPECT_EQ(story["waits_for"]["cycle"], Json::parse("[1, 2]"));
  EXPECT_EQ(story["waits_for"]["edges"].size(), 3u);
  EXPECT_EQ(story["threads"][0]["end"], "waits: join worker 1");
  EXPECT_EQ(story["threads"][2]["end"], "waits: lock accounts[0]");
  EXPECT_EQ(story["holds"].size(), 2u);
}

TEST(StoryJson, ThePassingScheduleStandsBesideFromTheFirstDifferenceOn) {
  BankDeadlock bank;
  FakeTrace passing;
  passing.note(0, OpKind::Create, 1, {12}).note(0, OpKind::Create, 2, {13});
  passing.step(1, OpKind::Lock, 0x10, 0b110, {31, 51}).step(1, OpKind::Lock, 0x38, 0b110, {32, 51});
  Finding finding = complete_finding(finding_of(FindingKind::Deadlock, bank.trace), bank.trace, "", bank.symbols);
  finding.cause.passing = passing.end(Outcome::Ok);
  finding.cause.orders = {{.first = 2, .second = 5}};  // the pending operation of the second worker
  finding.cause.text = "because";
  finding.seen.operands = {{"n", "2"}, {"limit", "1"}};
  const Json story = story_json(finding, bank.symbols, {"./bank_test"});
  EXPECT_EQ(story["values"], "n = 2, limit = 1");
  EXPECT_EQ(story["passing"]["first"], 0);
  EXPECT_EQ(story["passing"]["difference"], 1);
  EXPECT_EQ(story["passing"]["rows"].size(), 2u);
  EXPECT_EQ(story["passing"]["rows"][1]["text"], "lock accounts[1]");
  const Json& order = story["why"]["orders"].at(0);
  EXPECT_EQ(order["first"], 1);
  EXPECT_EQ(order["second"], 4);
}

TEST(StoryJson, NothingInThePageEndsItsData) {
  const std::string evil = "</script><script>alert(1)</script><!-- & ]]>";
  const std::string page = html_page(bank_story(evil));
  EXPECT_EQ(page.find(evil), std::string::npos);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  const size_t begin = page.find("id=\"data\">") + 10;
  const Json data = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["message"], evil);
}

}  // namespace
}  // namespace lockstep
