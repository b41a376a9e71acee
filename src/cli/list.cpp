#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/registry.hpp"
#include "cli/commands.hpp"
#include "search/ranks/registry.hpp"
#include "search/registry.hpp"

namespace lockstep {

int list_command(const std::string& what, bool json) {
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

}  // namespace lockstep
