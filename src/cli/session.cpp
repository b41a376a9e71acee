#include "cli/session.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "analysis/races.hpp"
#include "report/confirm.hpp"
#include "report/fingerprint.hpp"
#include "report/junit.hpp"
#include "report/sarif.hpp"
#include "report/test_failure.hpp"
#include "report/user_code.hpp"
#include "search/simplify.hpp"
#include "target/invisible_sync.hpp"
#include "target/symbols.hpp"

namespace lockstep {

Session::Session(const Options& options) : options_(options), human_(options.uses_standard_output() ? stderr : stdout) {
  terminal_ = detect_terminal(fileno(human_), options.color);
  for (const AnalysisInfo& info : lockstep::analyses()) {
    analyses_.push_back(info.make());
    if (auto* races = dynamic_cast<RaceAnalysis*>(analyses_.back().get())) races->races_count = options.races;
  }
}

void Session::print(const std::string& text) const {
  std::fwrite(text.data(), 1, text.size(), human_);
  std::fflush(human_);
}

void Session::warn(const std::string& text) {
  for (const std::string& said : warnings_)
    if (said == text) return;
  warnings_.push_back(text);
  std::fflush(human_);  // keep the order where both streams are one terminal
  fmt::print(stderr, "lockstep: warning: {}\n", text);
}

std::vector<Analysis*> Session::analyses() const {
  std::vector<Analysis*> list;
  for (const auto& analysis : analyses_) list.push_back(analysis.get());
  return list;
}

void Session::suppress(Suppressions suppressions, Target& target) {
  suppressions_ = std::move(suppressions);
  for (const auto& analysis : analyses_)
    if (auto* races = dynamic_cast<RaceAnalysis*>(analysis.get())) {
      races->ignored = [this, &target](const DataRace& race) { return suppressed(race, target); };
      races->doubt = [this, &target](const DataRace&) { return unseen_synchronisation(target); };
    }
}

bool Session::suppressed(const DataRace& race, Target& target) { return suppressions_.covers(race, symbols(target)); }

const std::string& Session::unseen_synchronisation(Target& target) {
  if (!unseen_) unseen_ = invisible_synchronisation(target.modules());
  return *unseen_;
}

Symbols& Session::symbols(Target& target) {
  if (!symbols_) {
    std::error_code ignored;
    symbols_ = open_symbols({target.modules(), std::filesystem::current_path(ignored).string(),
                             [&t = target](uint64_t address) { return t.given_name(address); }});
  }
  return *symbols_;
}

std::optional<Finding> Session::reproduce(Target& target, Finding finding, bool same_kind, Trace* seen) {
  Plan plan = finding.plan;
  plan.detail = true;
  Target::Detailed replay = target.run_detailed(plan);
  if (seen != nullptr) *seen = replay.trace;
  if (replay.trace.empty()) return std::nullopt;
  const std::optional<Finding> best = best_match(finding, same_kind, replay.trace, analyses(), symbols(target));
  if (!best) return std::nullopt;
  finding.kind = best->kind;
  finding.message = best->message;
  finding.take_evidence(*best);
  finding = complete_finding(std::move(finding), std::move(replay.trace), std::move(replay.output), symbols(target));
  explain_by_test(finding);
  return finding;
}

void Session::print_stack(Target& target, std::span<const uint64_t> stack) {
  constexpr size_t kDepth = 8;
  const std::vector<Frame> frames = user_frames(stack, symbols(target));
  for (size_t i = 0; i < std::min(frames.size(), kDepth); ++i) {
    const std::string place = long_place(frames[i].where);
    print(fmt::format("       at {}{}\n", frames[i].where.function, place.empty() ? "" : "  " + place));
  }
}

Finding Session::simplify(Target& target, const Finding& finding, std::optional<uint32_t> proved, ShrinkBudget budget) {
  const auto confirm = [&](Finding other) { return reproduce(target, std::move(other), true); };
  return lockstep::simplify(target, analyses(), finding, confirm, proved, budget);
}

void Session::write_file(const std::string& path, const std::string& text) {
  FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == stdout)
    good = std::fflush(file) == 0 && good;
  else if (file != nullptr)
    good = std::fclose(file) == 0 && good;
  if (!good) warn(fmt::format("cannot write the result to {}: {}", path, std::strerror(errno)));
}

void Session::write_results(const JsonReport& report, const Exploration& result) {
  if (!options_.json.empty()) write_file(options_.json, to_json(report, result));
  if (!options_.junit.empty()) write_file(options_.junit, to_junit(report, result));
  if (!options_.sarif.empty()) write_file(options_.sarif, to_sarif(report, result));
}

Result<Suppressions> load_suppressions(const Options& options) {
  if (options.suppressions.empty()) return Suppressions();
  return Suppressions::load(options.suppressions);
}

int fail(const Error& error) {
  fmt::print(stderr, "lockstep: {}\n", error.message);
  return static_cast<int>(error.code);
}

}  // namespace lockstep
