// Parses /proc/PID/maps.
#include "target/mapped_modules.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

namespace lockstep {
namespace {

// Takes the next word off the line.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

uint64_t from_hex(std::string_view digits) {
  uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

}  // namespace

std::vector<Module> modules_of(pid_t process) {
  std::vector<Module> modules;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string text; std::getline(maps, text);) {
    // The format is: begin-end permissions offset device inode path
    std::string_view line = text;
    if (line.find('/') == line.npos) continue;
    const std::string_view range = next_word(line), permissions = next_word(line), offset = next_word(line);
    next_word(line), next_word(line);
    const size_t path = line.find_first_not_of(' '), dash = range.find('-');
    if (path == line.npos || line[path] != '/' || dash == range.npos || permissions.size() < 3) continue;
    modules.push_back({from_hex(range.substr(0, dash)), from_hex(range.substr(dash + 1)), from_hex(offset),
                       std::string(line.substr(path)), permissions[2] == 'x'});
  }
  return modules;
}

}  // namespace lockstep
