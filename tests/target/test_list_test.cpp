// Programs made of test cases: what they list, the command for one of them, what they print when one fails.
#include <gtest/gtest.h>

#include "report/test_failure.hpp"
#include "target/test_frameworks.hpp"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

TEST(TestCases, GoogleTestListsSuitesParametersAndDisabledTests) {
  constexpr const char* kList =
      "Running main() from gtest_main.cc\n"
      "Queue.\n  Push\n  Pop  # GetParam() = 3\n  DISABLED_Slow\n"
      "DISABLED_Off.\n  Never\n"
      "Typed/0.  # TypeParam = int\n  Fits\n"
      "Some/Sum.\n  Adds/0  # GetParam() = (1, 2)\n"
      "a line that the program's own main prints at the end.\n";
  EXPECT_EQ(read_google_list(kList, false), (Words{"Queue.Push", "Queue.Pop", "Typed/0.Fits", "Some/Sum.Adds/0"}));
  EXPECT_EQ(read_google_list(kList, true).size(), 6u);
  EXPECT_TRUE(read_google_list("hello world.\n  not a test at all\n", false).empty());
}

TEST(TestCases, OneGoogleTestReplacesTheUsersFilterAndKeepsTheRest) {
  EXPECT_EQ(google_command({"./t", "--gtest_filter=A*", "--own=1"}, "A.b"),
            (Words{"./t", "--own=1", "--gtest_filter=A.b"}));
}

TEST(TestCases, OneCatchTestReplacesTheUsersNamesAndQuotesWhatIsSpecial) {
  EXPECT_EQ(catch_command({"./t", "[fast]", "-r", "xml", "other"}, "a, b [c]", true),
            (Words{"./t", "-r", "xml", "a\\, b \\[c\\]"}));
  EXPECT_EQ(catch_command({"./t", "-d", "yes"}, "plain", false), (Words{"./t", "-d", "yes", "plain"}));
}

TEST(TestCases, DoctestListsNamesBetweenRules) {
  constexpr const char* kList =
      "[doctest] listing all test case names\n"
      "===============================================================================\n"
      "pushes, then pops\nother\n"
      "===============================================================================\n"
      "[doctest] unskipped test cases passing the current filters: 2\n";
  EXPECT_EQ(read_doctest_list(kList), (Words{"pushes, then pops", "other"}));
  EXPECT_TRUE(read_doctest_list("hello\n").empty());
  EXPECT_EQ(doctest_command({"./t", "-tc=a*", "-s"}, "pushes, then pops"),
            (Words{"./t", "-s", "--test-case=pushes\\, then pops"}));
}

TEST(TestCases, BoostListsATreeAndMarksWhatIsEnabled) {
  constexpr const char* kList =
      "Queue*: queues\n    Push*\n    Slow\n    Inner*\n        Deep*\nFree*\nData*\n    _0*\n    _1*\n";
  EXPECT_EQ(read_boost_list(kList), (Words{"Queue/Push", "Queue/Inner/Deep", "Free", "Data/_0", "Data/_1"}));
  EXPECT_EQ(boost_command({"./t", "--run_test=a", "--own"}, "Queue/Push"),
            (Words{"./t", "--own", "--run_test=Queue/Push"}));
}

TEST(TestCases, OtherRunnersGetTheNameInPlaceOfBraces) {
  EXPECT_EQ(words_of("./t  --case '{}' \"a b\" ''"), (Words{"./t", "--case", "{}", "a b", ""}));
  EXPECT_EQ(with_name({"./t", "--case={}", "{}{}"}, "x y"), (Words{"./t", "--case=x y", "x yx y"}));
  EXPECT_EQ(read_plain_list("one\r\n\ntwo words\n"), (Words{"one", "two words"}));
}

struct Printed {
  const char* output;
  const char *test, *message, *file;
  int line;
};
class FailedChecks : public testing::TestWithParam<Printed> {};
TEST_P(FailedChecks, AreReadFromTheOutput) {
  const auto failure = read_test_failure(GetParam().output);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->test, GetParam().test);
  EXPECT_EQ(failure->message, GetParam().message);
  EXPECT_EQ(failure->file, GetParam().file);
  EXPECT_EQ(failure->line, GetParam().line);
}
INSTANTIATE_TEST_SUITE_P(
    Frameworks, FailedChecks,
    testing::Values(
        Printed{"[ RUN      ] A.ok\n[       OK ] A.ok (0 ms)\n[ RUN      ] A.b\nx/q.cpp:12: Failure\nValue of: f()\n  "
                "Actual: false\n\n[  FAILED  ] A.b\n",
                "A.b", "Value of: f(), Actual: false", "x/q.cpp", 12},
        Printed{"\x1b[0;32m[ RUN      ] \x1b[mA.b\nq.cpp:7: Failure\nFailed\n[  FAILED  ] A.b\n", "A.b", "Failed",
                "q.cpp", 7},
        Printed{
            "-------------------------------------------------------------------------------\nloses one\n  a section\n"
            "-------------------------------------------------------------------------------\nc.cpp:4\n"
            "...............................................................................\n\n"
            "c.cpp:6: FAILED:\n  REQUIRE( n==2 )\nwith expansion:\n  1 == 2\n\n",
            "loses one", "REQUIRE( n==2 ), with expansion: 1 == 2", "c.cpp", 6},
        Printed{"[doctest] run with \"--help\" for options\n"
                "===============================================================================\n"
                "d.cpp:4:\nTEST CASE:  loses one\n\nd.cpp:9: ERROR: CHECK( n == 2 ) is NOT correct!\n"
                "  values: CHECK( 1 == 2 )\n\n",
                "loses one", "CHECK( n == 2 ) is NOT correct!", "d.cpp", 9},
        Printed{"Running 1 test case...\nb/q.cpp(12): error: in \"Queue/Push\": check n == 2 has failed [1 != 2]\n\n"
                "*** 1 failure is detected in the test module \"queue\"\n",
                "Queue/Push", "check n == 2 has failed [1 != 2]", "b/q.cpp", 12}));

TEST(TestCases, OtherOutputIsNoFailedCheck) {
  for (const char* text : {"", "all good\n", "error: Failure\n", ":12: Failure\n", "a.cpp:x: Failure\n", "Failure\n"})
    EXPECT_FALSE(read_test_failure(text)) << text;
}

TEST(TestCases, AnExitCodeWithAFailedCheckIsAnAssertion) {
  Finding finding;
  finding.kind = FindingKind::ExitCode;
  finding.output = "[ RUN      ] A.b\nq.cpp:7: Failure\nFailed\n";
  explain_by_test(finding);
  EXPECT_EQ(finding.kind, FindingKind::Assertion);
  EXPECT_EQ(finding.observed, FindingKind::ExitCode);
  EXPECT_EQ(finding.message, "A.b failed: Failed");
  EXPECT_EQ(finding.location.line, 7);
  const std::string first = finding.fingerprint;
  finding.kind = FindingKind::ExitCode;
  finding.output = "[ RUN      ] A.b\nq.cpp:8: Failure\nFailed\n";
  explain_by_test(finding);
  EXPECT_NE(finding.fingerprint, first);
  finding.kind = FindingKind::Crash;
  explain_by_test(finding);
  EXPECT_EQ(finding.kind, FindingKind::Crash);
}

}  // namespace
}  // namespace lockstep
