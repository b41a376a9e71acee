// The summary of an exploration: the header line, and the result at the end.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/channel.hpp"
#include "report/terminal.hpp"
#include "search/exploration/explorer.hpp"

namespace lockstep {

std::string with_separators(uint64_t number);               // "1,204"
std::string plural(uint64_t count, std::string_view noun);  // "1 preemption", "no preemptions"... never "1 threads"
std::string plural(uint64_t count, std::string_view one, std::string_view many);  // "2 switches"
std::string seconds_text(double seconds);                                         // "0.02 s", "1 min 5 s"
std::string shell_word(std::string_view word);
std::string shell_words(const std::vector<std::string>& words);  // quoted if a shell would split or expand it

// How to instrument the code that is not; empty if there is none.
std::string how_to_instrument(const Claim& claim);

// The settings of an exploration, for the first and the last lines.
struct Setting {
  std::string program;   // base name
  unsigned threads = 0;  // 0: not known yet
  Points points = Points::Sync;
  std::optional<uint64_t> seed{};  // a seed that was drawn
};

// "  1 preemption    all pass (118 executions)"
std::string bound_line(uint32_t bound, uint64_t executions);

// "bank_test · 3 threads · preempting at sync calls and atomics"
std::string header_line(const Setting& setting, const Terminal& terminal);

// The last lines: PASS, INCOMPLETE or the depth of the bug, with what is not covered.
std::string final_lines(const Exploration& result, const Terminal& terminal, bool verbose = false);

// For a quick proof of a program that does little: what the proof covers, and what to try. Empty: not needed.
std::string small_workload_hint(const Exploration& result);

// The result in one line, for one of many tests: "pass    every execution (12 executions, 0.01 s)".
std::string test_line(const Exploration& result, const Terminal& terminal);

}  // namespace lockstep
