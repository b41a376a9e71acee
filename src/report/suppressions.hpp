// What the user does not want to hear about: a file with lines "race:GLOB", matched against the functions, files and
// the variable of a data race. Empty lines and lines that start with # are skipped. Races that are the C++ library's own
// are left out in any case.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/result.hpp"

namespace lockstep {

bool matches_glob(std::string_view pattern, std::string_view text);  // * any text, ? any character

class Suppressions {
 public:
  static Result<Suppressions> load(const std::string& path);
  static Result<Suppressions> parse(std::string_view text, const std::string& path);

  Suppressions();
  bool covers(const DataRace& race, Symbols& symbols);  // answers are remembered by place: asked after every execution

 private:
  std::vector<std::string> races_;
  std::map<std::pair<uint64_t, uint64_t>, bool> known_;
};

}  // namespace lockstep
