// Reads suppression files and matches races.
#include "report/suppressions.hpp"

#include <fmt/format.h>

#include "report/input_file.hpp"

namespace lockstep {

bool matches_glob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = pattern.npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {
// libstdc++ (gcc 12) unlocks its atomic<shared_ptr> with relaxed order after reading. That is formally a race with the
// next writer, but not the program's.
constexpr std::string_view kLibraryRace = "std::_Sp_atomic::*";
}  // namespace

Result<Suppressions> Suppressions::load(const std::string& path) {
  Result<std::string> text = read_input_file(path, 1 << 24);
  if (!text) return Error{ExitCode::Usage, fmt::format("cannot read suppressions: {}", text.error().message)};
  return parse(*text, path);
}

Result<Suppressions> Suppressions::parse(std::string_view text, const std::string& path) {
  Suppressions result;
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.remove_suffix(1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') continue;
    constexpr std::string_view kRace = "race:";
    if (!line.starts_with(kRace) || line.size() == kRace.size())
      return Error{ExitCode::Usage, fmt::format("{}:{}: expected race:PATTERN, not '{}'", path, number, line)};
    result.races_.emplace_back(line.substr(kRace.size()));
  }
  return result;
}

Suppressions::Match Suppressions::match(const DataRace& race, Symbols& symbols) {
  auto [at, fresh] = known_.try_emplace({race.first.pc, race.second.pc});
  if (!fresh) return at->second;
  std::vector<std::string> names{symbols.describe(ObjectId(race.first.address))};
  for (uint64_t pc : {race.first.pc, race.second.pc})
    for (const Frame& frame : symbols.resolve(pc)) {
      names.push_back(frame.where.function);
      names.push_back(frame.where.file);
      names.push_back(frame.where.file.substr(frame.where.file.find_last_of('/') + 1));
    }
  Match& found = at->second;
  for (const std::string& name : names) {
    found.library = found.library || matches_glob(kLibraryRace, name);
    for (const std::string& pattern : races_) found.covered = found.covered || matches_glob(pattern, name);
  }
  found.covered = found.covered || found.library;
  return found;
}

}  // namespace lockstep
