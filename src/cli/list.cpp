// The command `lockstep list`: strategies, ranks, analyses, tests.
#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analysis/analysis_registry.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "report/terminal.hpp"
#include "search/ranks/rank_registry.hpp"
#include "search/strategies/strategy_registry.hpp"

namespace lockstep {

namespace {

struct InterceptInfo {
  const char* family;
  const char* name;
  const char* proof;
};
constexpr InterceptInfo kIntercepts[] = {
#define LOCKSTEP_INTERCEPT(family, name, proof) {family, #name, #proof},
#include "runtime/intercept/list.def"
#undef LOCKSTEP_INTERCEPT
};

int list_intercepts(bool json) {
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const InterceptInfo& info : kIntercepts)
      list.push_back({{"name", info.name}, {"family", info.family}, {"case", info.proof}});
    fmt::print("{}\n", nlohmann::ordered_json{{"count", std::size(kIntercepts)}, {"intercepts", list}}.dump(2));
    return 0;
  }
  const char* family = "";
  for (const InterceptInfo& info : kIntercepts) {
    if (std::string_view(family) != info.family) fmt::print("{}{}:", *family ? "\n" : "", info.family);
    family = info.family;
    fmt::print(" {}", info.name);
  }
  fmt::print("\n{} functions, and the entry points of instrumented code\n", std::size(kIntercepts));
  return 0;
}

}  // namespace

int list_command(const std::string& what, bool json) {
  if (what == "intercepts") return list_intercepts(json);
  std::vector<std::pair<std::string, std::string>> entries;
  if (what == "strategies") {
    for (const StrategyInfo& info : strategies()) entries.emplace_back(info.name, info.summary);
  } else if (what == "ranks") {
    for (const RankInfo& info : ranks()) entries.emplace_back(info.name, info.summary);
  } else {
    for (const AnalysisInfo& info : analyses()) entries.emplace_back(info.name, info.summary);
  }
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [name, summary] : entries) list.push_back({{"name", name}, {"summary", summary}});
    fmt::print("{}\n", list.dump(2));
    return 0;
  }
  size_t widest = 0;
  for (const auto& [name, summary] : entries) widest = std::max(widest, name.size());
  for (const auto& [name, summary] : entries) fmt::print("{:<{}}  {}\n", name, widest, summary);
  return 0;
}

int list_tests_command(const std::vector<std::string>& program, const Services& services) {
  Result<std::string> path = services.find_program(program[0]);
  if (!path) return fail(path.error());
  Result<std::string> runtime = services.find_runtime();
  if (!runtime) return fail(runtime.error());
  const auto list = services.list_tests ? services.list_tests({.path = *path, .command = program, .runtime = *runtime})
                                        : std::nullopt;
  if (!list) return fail({ExitCode::Usage, fmt::format("{} has no test cases of a known framework", program[0])});
  for (const TestCase& test : list->tests) fmt::print("{}\n", printable(test.name, false));
  return 0;
}

}  // namespace lockstep
