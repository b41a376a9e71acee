// Suppressions: a file with lines "race:GLOB", matched with the functions, files and the variable of a data race. Empty
// lines and lines that start with # are skipped. Races inside the C++ library are always suppressed.
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

  // Results are cached by place, because this is called after every execution.
  bool covers(const DataRace& race, Symbols& symbols) { return match(race, symbols).covered; }
  bool is_library_race(const DataRace& race, Symbols& symbols) { return match(race, symbols).library; }

 private:
  struct Match {
    bool covered = false, library = false;
  };
  Match match(const DataRace& race, Symbols& symbols);

  std::vector<std::string> races_;
  std::map<std::pair<uint64_t, uint64_t>, Match> known_;
};

}  // namespace lockstep
