// Splits text into lines and formats counts with their nouns.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Lines without their line ends; an empty last line is omitted.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "1 preemption", "2 preemptions".
inline std::string count_of(uint64_t n, const char* thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

// "+12" to append to the name of an enclosing object; empty for its beginning.
inline std::string offset_suffix(uint64_t offset) {
  std::string text = "+";
  return offset == 0 ? "" : text.append(std::to_string(offset));
}

}  // namespace lockstep
