// JSON, summaries, fingerprints, progress.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake_trace.hpp"
#include "golden.hpp"
#include "report/complete_finding.hpp"
#include "report/fingerprint.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/progress.hpp"
#include "report/sarif.hpp"
#include "report/summary.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

Exploration with_deadlock() {
  BankDeadlock bank;
  Exploration result;
  result.verdict = Verdict::Bug;
  result.ending = Ending::FirstBug;
  result.claim.scope = Scope::Executions;
  result.claim.bounds.preemptions = result.claim.preemptions_completed = 0;
  result.claim.ended_by_bug = true;
  result.executions = 1118;
  result.seconds = 0.25;
  Finding bug = finding_of(FindingKind::Deadlock, bank.trace);
  result.bugs.push_back(complete_finding(std::move(bug), bank.trace, "", bank.symbols));
  return result;
}

TEST(Json, HasEveryKeyOfTheSchema) {
  const std::string text = to_json({{"./bank_test", "-x"}, "icb", "reset", {"said once"}}, with_deadlock());
  const auto json = nlohmann::json::parse(text);
  for (const char* key : {"schema",
                          "program",
                          "verdict",
                          "complete",
                          "guarantee",
                          "claim",
                          "strategy",
                          "preemptions_completed",
                          "executions",
                          "redundant",
                          "traces",
                          "isolation",
                          "steps_max",
                          "threads_max",
                          "preemptions_max",
                          "seconds",
                          "executions_per_second",
                          "peak_frontier_nodes",
                          "peak_memory_bytes",
                          "bugs",
                          "warnings"})
    EXPECT_TRUE(json.contains(key)) << key;
  const auto& bug = json["bugs"].at(0);
  for (const char* key :
       {"kind", "message", "execution", "preemptions", "variables", "threads", "fingerprint", "location", "schedule"})
    EXPECT_TRUE(bug.contains(key)) << key;
  for (const char* key : {"function", "file", "line"}) EXPECT_TRUE(bug["location"].contains(key)) << key;
  EXPECT_EQ(json["verdict"], "bug");
  EXPECT_TRUE(json["traces"].is_null());
  EXPECT_EQ(bug["location"]["line"], 32);
  EXPECT_EQ(json["executions_per_second"], 4472.0);
  expect_golden("deadlock.json", text);
}

TEST(Json, SurvivesTextThatIsNotUtf8) {
  Exploration result = with_deadlock();
  result.bugs[0].message = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(to_json({{"\x80"}, "icb", "reset", {"\xc3"}}, result)));
}

TEST(Junit, IsOneFailedTestCase) {
  expect_golden("deadlock.junit.xml",
                to_junit({{"./bank_test", "-x"}, "icb", "reset", {"said once"}}, with_deadlock()));
}

TEST(Junit, WritesNothingThatXmlForbids) {
  Exploration result = with_deadlock();
  result.bugs[0].message = "<a b=\"c\"> & \x01\xff\n";
  const std::string text = to_junit({{"./a&b"}, "icb", "reset", {}}, result);
  EXPECT_NE(text.find("message=\"&lt;a b=&quot;c&quot;&gt; &amp; ?\xef\xbf\xbd&#10;\""), std::string::npos) << text;
  EXPECT_NE(text.find("&amp;b"), std::string::npos);
}

TEST(Junit, TellsAnErrorFromAFailure) {
  Exploration result;
  result.verdict = Verdict::Uncontrolled;
  result.uncontrolled = "it forks";
  const std::string text = to_junit({{"./a"}, "icb", "reset", {}}, result);
  EXPECT_NE(text.find("failures=\"0\" errors=\"1\""), std::string::npos) << text;
  EXPECT_NE(text.find("<error type=\"uncontrolled\" message=\"it forks\"/>"), std::string::npos) << text;
}

TEST(Sarif, HasTheBugWithItsPlace) {
  const std::string text = to_sarif({{"./bank_test", "-x"}, "icb", "reset", {"said once"}}, with_deadlock());
  const auto run = nlohmann::json::parse(text)["runs"][0];
  EXPECT_EQ(run["results"][0]["ruleId"], "deadlock");
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 32);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"], "deadlock");
  expect_golden("deadlock.sarif", text);
}

TEST(Confirm, SaysWhoWaitsForWhom) {
  BankDeadlock bank;
  const Finding bug = complete_finding(finding_of(FindingKind::Deadlock, bank.trace), bank.trace, "", bank.symbols);
  EXPECT_EQ(
      bug.message,
      "deadlock: worker 1 waits for accounts[1] held by worker 2, worker 2 waits for accounts[0] held by worker 1");
  EXPECT_EQ(bug.location.function, "transfer(int, int)");
}

TEST(Fingerprint, DoesNotDependOnThreadNumbers) {
  BankDeadlock one(1, 2), other(2, 1), far(7, 5);
  auto print = [](BankDeadlock& b, FindingKind kind = FindingKind::Deadlock) {
    Finding finding;
    finding.kind = kind;
    return fingerprint_of(finding, TraceNames(b.trace, b.symbols));
  };
  EXPECT_EQ(print(one).size(), 16u);
  EXPECT_EQ(print(one), print(other));
  EXPECT_EQ(print(one), print(far));
  EXPECT_NE(print(one), print(one, FindingKind::Livelock));
}

TEST(UserCode, IsNotTheLibraries) {
  EXPECT_TRUE(is_user_code({0, {"transfer(int)", "src/bank.cpp", 3}, "bank_test"}));
  EXPECT_TRUE(is_user_code({0, {"prog+0x12", "", 0}, "prog"}));
  EXPECT_FALSE(is_user_code({0, {"abort", "", 0}, "libc.so.6"}));
  EXPECT_FALSE(is_user_code({0, {"reach", "src/runtime/x.cpp", 1}, "liblockstep-rt.so"}));
  EXPECT_FALSE(is_user_code({0, {"lock", "/usr/include/c++/12/bits/std_mutex.h", 100}, "bank_test"}));
  EXPECT_FALSE(is_user_code({0, {"std::mutex::lock()", "", 0}, "bank_test"}));
  EXPECT_FALSE(is_user_code({0, {"0x1234", "", 0}, ""}));
}

TEST(Summary, NumbersAndWords) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(plural(1, "thread"), "1 thread");
  EXPECT_EQ(plural(0, "bug"), "0 bugs");
  EXPECT_EQ(seconds_text(0.015), "0.01 s");
  EXPECT_EQ(seconds_text(65), "1 min 5 s");
  EXPECT_EQ(shell_word("a/b-1.lockstep"), "a/b-1.lockstep");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(Summary, SaysWhatIsKnown) {
  const Terminal terminal;
  const Setting setting{"bank_test", 3, Points::Atomics};
  std::string text = header_line(setting, terminal);
  text += final_lines(with_deadlock(), terminal);
  Exploration pass;
  pass.verdict = Verdict::Pass;
  pass.claim.scope = Scope::Executions;
  pass.claim.finished = true;
  pass.claim.bounds.preemptions = 2;
  pass.claim.provisos.push_back({ProvisoKind::MemoryOrder, false, 3, {"queue.hpp:14", "queue.hpp:31"}, "shared_ptr"});
  pass.executions = 1204;
  pass.traces = 611;
  pass.seconds = 0.02;
  text += final_lines(pass, terminal);
  Exploration half = pass;
  half.verdict = Verdict::Incomplete;
  half.claim.finished = false;
  half.ending = Ending::TimeBudget;
  half.claim.bounds.preemptions = 1;
  text += final_lines(half, terminal);
  Exploration lost;
  lost.verdict = Verdict::Uncontrolled;
  lost.uncontrolled = "the program called vfork()";
  text += final_lines(lost, terminal);
  expect_golden("summary.txt", text);
}

TEST(Progress, FitsTheLine) {
  Terminal terminal;
  EXPECT_EQ(progress_text({118, 0.5, "1 preemption", 0, 340, 1}, terminal),
            "  1 preemption   ▇▇▇▇▇            118 of about 340 · 236/s · 1 bug");
  terminal.width = 20;
  EXPECT_LE(columns(progress_text({118, 0.5, "1 preemption", 0, 340, 1}, terminal)), 19u);
}

}  // namespace
}  // namespace lockstep
