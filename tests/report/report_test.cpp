// JSON, summaries, fingerprints, progress.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "fake_trace.hpp"
#include "golden.hpp"
#include "report/annotations.hpp"
#include "report/bug_story.hpp"
#include "report/cause_text.hpp"
#include "report/complete_finding.hpp"
#include "report/fingerprint.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/perfetto.hpp"
#include "report/progress.hpp"
#include "report/run_log.hpp"
#include "report/sarif.hpp"
#include "report/story_json.hpp"
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

// Pending operations count behind the steps: here the locks that were never taken.
TEST(Json, ABugSaysWhyItFails) {
  BankDeadlock bank;
  Exploration result = with_deadlock();
  Finding& bug = result.bugs.at(0);
  bug.cause.orders = {{2, 6, {}, {}}, {3, 5, {}, {}}};
  bug.cause.reversed = 2;
  explain_cause(bug, bank.symbols);
  const JsonReport report{{"./bank_test"}, "icb", "reset", {}};
  const auto why = nlohmann::json::parse(to_json(report, result))["bugs"].at(0)["why"];
  EXPECT_EQ(why["text"],
            "Fails because lock accounts[0] of worker 1 (bank.cpp:31) comes before lock accounts[0] of worker 2 "
            "(bank.cpp:32) and lock accounts[1] of worker 2 (bank.cpp:31) before lock accounts[1] of worker 1 "
            "(bank.cpp:32): reversing either passes.");
  EXPECT_EQ(why["orders"].size(), 2u);
  EXPECT_EQ(why["orders"][0]["second"]["line"], 32);
  const auto sarif = nlohmann::json::parse(to_sarif(report, result))["runs"][0]["results"][0];
  EXPECT_EQ(sarif["relatedLocations"].size(), 4u);
  EXPECT_EQ(sarif["properties"]["why"], why["text"]);
}

// Several steps of a library call are one row of a story.
TEST(Json, AnOrderIsToldOnce) {
  Cause cause;
  cause.orders = {{1, 4, {}, {}}, {2, 4, {}, {}}};
  cause.reversed = 2;
  const auto row = [](uint32_t step) { return step < 4 ? std::string("step 1") : "step 2"; };
  FakeSymbols symbols;
  FakeTrace t;
  const Trace trace = t.end(Outcome::Ok);
  EXPECT_EQ(cause_sentence(cause, TraceNames(trace, symbols), row),
            "Fails because step 1 comes before step 2: reversed, it passes.");
}

TEST(Json, WhatFailsInEveryOrderSaysSo) {
  BankDeadlock bank;
  Finding bug = finding_of(FindingKind::Deadlock, bank.trace);
  explain_cause(bug, bank.symbols);
  EXPECT_EQ(bug.cause.text, "") << "nothing was tried";
  bug.cause.left_out = 2;
  explain_cause(bug, bank.symbols);
  EXPECT_EQ(bug.cause.text,
            "Not known: no execution with one of 2 pairs of conflicting steps reversed came to an end.");
  bug.cause.reversed = 3;
  explain_cause(bug, bank.symbols);
  EXPECT_EQ(bug.cause.text, "Fails in every order tried: 3 pairs of conflicting steps reversed, one at a time.");
}

TEST(Json, SurvivesTextThatIsNotUtf8) {
  Exploration result = with_deadlock();
  result.bugs[0].message = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(to_json({{"\x80"}, "icb", "reset", {"\xc3"}}, result)));
}

// As the commands write it: with the story of the bug.
JsonReport bank_report(const Exploration& result) {
  BankDeadlock bank;
  JsonReport report{{"./build/bank_test", "-x"}, "icb", "reset", {"said once"}};
  report.version = "1.2.3";
  report.folder = "/home/user/bank";
  report.stories[result.bugs[0].fingerprint] = bug_story(result.bugs[0], bank.symbols);
  return report;
}

TEST(Junit, IsOneFailedTestCaseWithTheStory) {
  const Exploration result = with_deadlock();
  expect_golden("deadlock.junit.xml", to_junit(bank_report(result), result));
}

TEST(Junit, NamesClassesByProgramAndSuite) {
  JsonReport report{{"/a/b/queue_test"}, "auto", "reset", {}};
  report.tests = {{"Queue.Push", {}, {}}, {"plain", {}, {}}, {".hidden", {}, {}}};
  const std::string text = to_junit(report, {});
  EXPECT_NE(text.find("<testsuite name=\"queue_test\""), std::string::npos) << text;
  EXPECT_NE(text.find("<testcase classname=\"queue_test.Queue\" name=\"Push\""), std::string::npos) << text;
  EXPECT_NE(text.find("<testcase classname=\"queue_test\" name=\"plain\""), std::string::npos) << text;
  EXPECT_NE(text.find("<testcase classname=\"queue_test\" name=\".hidden\""), std::string::npos) << text;
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

using nlohmann::json;

TEST(Sarif, HasTheBugWithItsPlaceRuleAndVersion) {
  const Exploration result = with_deadlock();
  const std::string text = to_sarif(bank_report(result), result);
  const json run = json::parse(text)["runs"][0];
  EXPECT_EQ(run["results"][0]["ruleId"], "deadlock");
  EXPECT_EQ(run["results"][0]["ruleIndex"], 0);
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 32);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"], "deadlock");
  EXPECT_EQ(run["tool"]["driver"]["semanticVersion"], "1.2.3");
  EXPECT_NE(run["tool"]["driver"]["rules"][0]["help"]["text"], "");
  expect_golden("deadlock.sarif", text);
}

TEST(Sarif, HasAFlowForEachThreadInOneOrder) {
  const Exploration result = with_deadlock();
  const json bug = json::parse(to_sarif(bank_report(result), result))["runs"][0]["results"][0];
  const json& threads = bug["codeFlows"][0]["threadFlows"];
  ASSERT_EQ(threads.size(), 2u);  // main only creates and joins
  std::set<size_t> orders;
  for (const json& thread : threads) {
    size_t last = 0;
    for (const json& step : thread["locations"]) {
      const size_t order = step["executionOrder"];
      EXPECT_GT(order, last);
      EXPECT_TRUE(orders.insert(last = order).second);
      EXPECT_NE(step["location"]["message"]["text"], "");
    }
  }
  EXPECT_EQ(*orders.rbegin(), orders.size());
  EXPECT_FALSE(bug.contains("relatedLocations")) << "both workers are at the place of the bug";
}

TEST(Sarif, PathsAreRelativeToTheWorkingDirectory) {
  Exploration result = with_deadlock();
  JsonReport report = bank_report(result);
  const auto place = [&](const std::string& file) {
    result.bugs[0].location.file = file;
    return json::parse(
        to_sarif(report, result))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(place("/home/user/bank/src/a b.cpp"), json::parse(R"({"uri": "src/a%20b.cpp", "uriBaseId": "SRCROOT"})"));
  EXPECT_EQ(place("./src/../src/a.cpp"), json::parse(R"({"uri": "src/a.cpp", "uriBaseId": "SRCROOT"})"));
  EXPECT_EQ(place("/usr/include/a.h"), json::parse(R"({"uri": "file:///usr/include/a.h"})"));
  EXPECT_EQ(place("/home/user/bank2/a.h"), json::parse(R"({"uri": "file:///home/user/bank2/a.h"})"));
}

TEST(Annotations, AreOneLineEach) {
  Finding bug;
  bug.kind = FindingKind::Deadlock;
  bug.message = "100% stuck:\nboth";
  bug.location = {"f", "/repo/src/a,b.cpp", 7};
  bug.test = "Bank.Transfer";
  EXPECT_EQ(github_annotation(bug, "/repo"),
            "::error file=src/a%2Cb.cpp,line=7,title=deadlock::Bank.Transfer: 100%25 stuck:%0Aboth\n");
  bug.seen.operands = {{"n", "2"}};
  bug.cause.text = "Fails because of that.";
  EXPECT_EQ(github_annotation(bug, "/repo"),
            "::error file=src/a%2Cb.cpp,line=7,title=deadlock::Bank.Transfer: 100%25 stuck:%0Aboth   (n = 2)%0AFails "
            "because of "
            "that.\n");
  bug.seen.operands.clear();
  bug.cause.text.clear();
  bug.location = {};
  bug.kind = FindingKind::LockOrder;
  EXPECT_EQ(github_annotation(bug, "/repo"), "::warning title=lock-order::Bank.Transfer: 100%25 stuck:%0Aboth\n");
}

TEST(Perfetto, HasATrackForEachThreadAndLock) {
  BankDeadlock bank;
  const Finding finding = with_deadlock().bugs[0];
  const json trace = json::parse(perfetto_trace(story_json(finding, bank.symbols, {"./bank_test"})));
  std::map<std::string, int> phases;
  std::set<std::string> tracks;
  int created = 0;
  for (const json& event : trace["traceEvents"]) {
    ++phases[event["ph"]];
    created += event["name"].get<std::string>().starts_with("create worker");
    if (event["name"] == "thread_name") tracks.insert(event["args"]["name"]);
  }
  EXPECT_EQ(tracks, (std::set<std::string>{"main", "worker 1", "worker 2", "accounts[0]", "accounts[1]"}));
  EXPECT_EQ(phases["s"], phases["f"]);
  EXPECT_EQ(phases["i"], 1);  // the preemption
  EXPECT_EQ(created, 2);
}

// --- what happens while it runs ---

TEST(RunLog, WritesALineForEachEventAndAPage) {
  const std::string folder = testing::TempDir();
  const std::string events = folder + "events.jsonl", page = folder + "run.html";
  const Exploration result = with_deadlock();
  {
    RunLog log({events, page}, {"./bank_test"}, "icb");
    log.start("");
    Progress progress{118, 0.5, "1 preemption", 7, 340, 0};
    progress.seconds_left = 0.94;
    progress.executions_before = 1000;
    progress.by_strategy = {{"chess", 100}, {"random", 18}};
    progress.levels = {{0, 18, 9}, {1, 100, 40}};
    log.progress("", progress);
    log.bound_finished("", 0, 18);
    log.starts_over("", 3);
    log.found("", result.bugs[0]);
    EXPECT_NE(log.page().find("\"finished\":false"), std::string::npos);
    log.end("", bank_report(result), result);
    log.close();
    EXPECT_EQ(log.problem(), "");
  }
  std::ifstream in(events);
  std::vector<json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  ASSERT_EQ(lines.size(), 6u);
  std::vector<std::string> names;
  for (const json& line : lines) {
    names.push_back(line["event"]);
    EXPECT_TRUE(line["seconds"].is_number());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"start", "progress", "bound", "restart", "bug", "end"}));
  EXPECT_EQ(lines[1]["executions"], 1118);
  EXPECT_EQ(lines[1]["distinct"], 49);
  EXPECT_EQ(lines[1]["estimated_total"], 1340);
  EXPECT_EQ(lines[1]["by_strategy"]["random"], 18);
  EXPECT_EQ(lines[4]["bug"]["kind"], "deadlock");
  EXPECT_EQ(lines[5]["result"]["verdict"], "bug");
  std::ifstream written(page);
  const std::string html{std::istreambuf_iterator<char>(written), {}};
  EXPECT_NE(html.find("\"finished\":true"), std::string::npos);
}

TEST(RunLog, SaysWhatItCannotWrite) {
  RunLog log({"/no/such/folder/events", ""}, {"./a"}, "icb");
  log.start("");
  EXPECT_NE(log.problem().find("cannot write /no/such/folder/events"), std::string::npos);
}

TEST(RunLog, ThePageOfALongRunStaysSmall) {
  RunLog log({"", testing::TempDir() + "long.html"}, {"./a"}, "icb");
  for (uint64_t i = 0; i < 10'000; ++i) log.progress("", {i, 0.1 * static_cast<double>(i), "", 0, 0, 0});
  log.found("", with_deadlock().bugs[0]);
  const std::string page = log.page();
  EXPECT_LT(page.size(), 1u << 20);
  EXPECT_NE(page.find("\"executions\":9999,"), std::string::npos);
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
  EXPECT_FALSE(is_user_code({0, {"testing::Test::Run()", "", 0}, "bank_test"}));
  EXPECT_TRUE(is_user_code({0, {"testing::helper()", "src/helper.cpp", 3}, "bank_test"}));
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

TEST(Summary, HintsThatAQuickProofCoversLittle) {
  Exploration pass;
  pass.verdict = Verdict::Pass;
  pass.claim.scope = Scope::Executions;
  pass.claim.finished = true;
  pass.threads_max = 3;
  pass.steps_max = 14;
  pass.seconds = 0.02;
  EXPECT_NE(small_workload_hint(pass).find("3 threads with about 5 steps each"), std::string::npos);
  EXPECT_NE(final_lines(pass, Terminal{}).find("Hint: "), std::string::npos);
  const auto silent = [&pass](auto change) {
    Exploration other = pass;
    change(other);
    return small_workload_hint(other).empty();
  };
  EXPECT_TRUE(silent([](Exploration& r) { r.steps_max = 200; })) << "not small";
  EXPECT_TRUE(silent([](Exploration& r) { r.seconds = 5; })) << "not quick";
  EXPECT_TRUE(silent([](Exploration& r) { r.claim.finished = false; })) << "no proof";
  EXPECT_TRUE(silent([](Exploration& r) { r.claim.bounds.preemptions = 1; })) << "more preemptions come first";
  EXPECT_TRUE(silent([](Exploration& r) { r.threads_max = 1; })) << "nothing to interleave";
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
  Progress progress{118, 0.5, "1 preemption", 0, 340, 1};
  progress.seconds_left = 0.94;
  EXPECT_EQ(progress_text(progress, terminal),
            "  1 preemption   ▇▇▇▇▇            118 of about 340 · 236/s · 1 bug · 1 s left");
  progress.seconds_left = 100'000'000;
  progress.executions = 123'456'789'012;
  progress.estimated_total = 999'999'999'999;
  for (const bool utf8 : {true, false}) {
    terminal.utf8 = utf8;
    for (terminal.width = 0; terminal.width < 120; ++terminal.width)
      EXPECT_LE(columns(progress_text(progress, terminal)), std::max(terminal.width, 2u) - 1) << terminal.width;
  }
}

TEST(Progress, DropsTheBarFirst) {
  Progress progress{118, 0.5, "1 preemption", 0, 340, 0};
  progress.seconds_left = 75;
  Terminal terminal;
  terminal.width = 60;
  EXPECT_EQ(progress_text(progress, terminal), "  1 preemption   118 of about 340 · 236/s · 1 min left");
  terminal.width = 40;
  EXPECT_EQ(progress_text(progress, terminal), "  118 of about 340 · 1 min left");
  terminal.width = 20;
  EXPECT_EQ(progress_text(progress, terminal), "  118 of about 340");
}

}  // namespace
}  // namespace lockstep
