// Failed Catch2 assertions in an explored body: a failed CHECK or REQUIRE ends the execution and is reported with
// Catch2's text. Included by lockstep/catch2.hpp.
#pragma once
#include <sstream>
#include <string>

#include "lockstep/lockstep.hpp"

#if defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR == 2
#if CATCH_VERSION_MINOR >= 13
namespace lockstep::detail {

inline std::string catch_text(const Catch::AssertionInfo& info) {
  return std::string(info.macroName) + "( " + std::string(info.capturedExpression) + " )";
}

// Replaces Catch2's receiver of results while a body runs.
class WatchedResults final : public Catch::IResultCapture {
 public:
  WatchedResults() : own_(*context().getResultCapture()) { context().setResultCapture(this); }
  ~WatchedResults() override { context().setResultCapture(&own_); }

  void handleExpr(const Catch::AssertionInfo& info, const Catch::ITransientExpression& expression,
                  Catch::AssertionReaction& reaction) override {
    if (expression.getResult() == Catch::isFalseTest(info.resultDisposition)) {
      std::ostringstream values;
      expression.streamReconstructedExpression(values);
      failed(info, values.str());
    }
    own_.handleExpr(info, expression, reaction);
  }
  void handleMessage(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type, const Catch::StringRef& message,
                     Catch::AssertionReaction& reaction) override {
    if (!Catch::isOk(type)) failed(info, std::string(message));
    own_.handleMessage(info, type, message, reaction);
  }
  void handleUnexpectedExceptionNotThrown(const Catch::AssertionInfo& info,
                                          Catch::AssertionReaction& reaction) override {
    failed(info, "no exception was thrown");
    own_.handleUnexpectedExceptionNotThrown(info, reaction);
  }
  void handleUnexpectedInflightException(const Catch::AssertionInfo& info, const std::string& message,
                                         Catch::AssertionReaction& reaction) override {
    failed(info, "exception: " + message);
    own_.handleUnexpectedInflightException(info, message, reaction);
  }
  void handleNonExpr(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type,
                     Catch::AssertionReaction& reaction) override {
    if (!Catch::isOk(type)) failed(info, "");
    own_.handleNonExpr(info, type, reaction);
  }

  // The remaining functions forward to Catch2's receiver.
  bool sectionStarted(const Catch::SectionInfo& info, Catch::Counts& assertions) override {
    return own_.sectionStarted(info, assertions);
  }
  void sectionEnded(const Catch::SectionEndInfo& info) override { own_.sectionEnded(info); }
  void sectionEndedEarly(const Catch::SectionEndInfo& info) override { own_.sectionEndedEarly(info); }
  Catch::IGeneratorTracker& acquireGeneratorTracker(Catch::StringRef name, const Catch::SourceLineInfo& line) override {
    return own_.acquireGeneratorTracker(name, line);
  }
#if defined(CATCH_CONFIG_ENABLE_BENCHMARKING)
  void benchmarkPreparing(const std::string& name) override { own_.benchmarkPreparing(name); }
  void benchmarkStarting(const Catch::BenchmarkInfo& info) override { own_.benchmarkStarting(info); }
  void benchmarkEnded(const Catch::BenchmarkStats<>& stats) override { own_.benchmarkEnded(stats); }
  void benchmarkFailed(const std::string& error) override { own_.benchmarkFailed(error); }
#endif
  void pushScopedMessage(const Catch::MessageInfo& message) override { own_.pushScopedMessage(message); }
  void popScopedMessage(const Catch::MessageInfo& message) override { own_.popScopedMessage(message); }
  void emplaceUnscopedMessage(const Catch::MessageBuilder& builder) override { own_.emplaceUnscopedMessage(builder); }
  void handleFatalErrorCondition(Catch::StringRef message) override { own_.handleFatalErrorCondition(message); }
  void handleIncomplete(const Catch::AssertionInfo& info) override { own_.handleIncomplete(info); }
  bool lastAssertionPassed() override { return own_.lastAssertionPassed(); }
  void assertionPassed() override { own_.assertionPassed(); }
  std::string getCurrentTestName() const override { return own_.getCurrentTestName(); }
  const Catch::AssertionResult* getLastResult() const override { return own_.getLastResult(); }
  void exceptionEarlyReported() override { own_.exceptionEarlyReported(); }

 private:
  static Catch::IMutableContext& context() { return Catch::getCurrentMutableContext(); }
  static void failed(const Catch::AssertionInfo& info, const std::string& how) {
    if (!controlled() || info.resultDisposition & Catch::ResultDisposition::SuppressFail) return;
    const std::string text = catch_text(info) + " failed" + (how.empty() ? "" : ": " + how);
    lockstep_rt_require_failed(text.c_str(), info.lineInfo.file, static_cast<int>(info.lineInfo.line));
  }

  Catch::IResultCapture& own_;
};

}  // namespace lockstep::detail
#else
#error "lockstep/catch2.hpp needs Catch2 2.13 or later: before that a failed CHECK cannot be seen"
#endif
#else
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace lockstep::detail {

// Catch2 3 reports every assertion to listeners. Each file that includes this header registers a listener; the first
// listener that is called ends the execution.
class FailOnAssertion : public Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;
  void assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.isOk() || !controlled()) return;
    const std::string text = result.getExpressionInMacro() + " failed";
    lockstep_rt_require_failed(text.c_str(), result.getSourceInfo().file,
                               static_cast<int>(result.getSourceInfo().line));
  }
};
CATCH_REGISTER_LISTENER(FailOnAssertion)

struct WatchedResults {};  // Catch2 3 needs no replacement

}  // namespace lockstep::detail
#endif
