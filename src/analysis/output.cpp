// Compares the output of an execution with the expected output.
#include "analysis/output.hpp"

#include "model/schedule.hpp"

namespace lockstep {
namespace {

std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

std::string quoted(std::string_view line) {
  constexpr size_t kMost = 80;
  return "'" + std::string(line.substr(0, kMost)) + (line.size() > kMost ? "...'" : "'");
}

}  // namespace

uint64_t hash_of_output(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash ? hash : 1;
}

std::string output_difference(std::string_view output, std::string_view expected) {
  for (size_t line = 1; !output.empty() || !expected.empty(); ++line) {
    const bool ended = output.empty(), more = expected.empty();
    const std::string_view is = next_line(output), should_be = next_line(expected);
    const std::string number = "line " + std::to_string(line);
    if (more) return number + " is " + quoted(is) + ", expected no more output";
    if (ended) return number + " is missing, expected " + quoted(should_be);
    if (is != should_be) return number + " is " + quoted(is) + ", expected " + quoted(should_be);
  }
  return "the last line ends differently";
}

std::optional<Finding> OutputAnalysis::check(TraceView trace) {
  if (!expected || trace.outcome() != Outcome::Ok || trace.header().output == 0) return std::nullopt;
  if (trace.header().output == hash_of_output(*expected)) return std::nullopt;
  Finding finding;
  finding.kind = FindingKind::Assertion;
  finding.preemptions = trace.is_brief() ? trace.header().preemptions : count_preemptions(trace);
  finding.threads = trace.header().threads;
  finding.message = "the output is not the expected one";
  return finding;
}

}  // namespace lockstep
