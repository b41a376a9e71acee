// What is said about an output that is not the expected one.
#include "analysis/output.hpp"

#include <gtest/gtest.h>

#include "model/trace.hpp"

namespace lockstep {
namespace {

TEST(Output, TheFirstDifferentLineIsNamed) {
  EXPECT_EQ(output_difference("a\nc\n", "a\nb\n"), "line 2 is 'c', expected 'b'");
  EXPECT_EQ(output_difference("a\n", "a\nb\n"), "line 2 is missing, expected 'b'");
  EXPECT_EQ(output_difference("a\nb\n", "a\n"), "line 2 is 'b', expected no more output");
  EXPECT_EQ(output_difference("", "x"), "line 1 is missing, expected 'x'");
  EXPECT_EQ(output_difference("a", "a\n"), "the last line ends differently");
}

TEST(Output, OnlyExecutionsThatEndedWellAreCompared) {
  OutputAnalysis analysis;
  TraceBuilder builder;
  Trace trace = builder.build();
  EXPECT_FALSE(analysis.check(trace)) << "nothing is expected";
  analysis.expected = "a\n";
  EXPECT_FALSE(analysis.check(trace)) << "the output is not known";
}

TEST(Output, HashesTellTextsApart) {
  EXPECT_NE(hash_of_output("a\nb\n"), hash_of_output("b\na\n"));
  EXPECT_EQ(hash_of_output(""), 0xcbf29ce484222325ull);
  EXPECT_NE(hash_of_output("a"), 0u);
}

}  // namespace
}  // namespace lockstep
