// The ranks by name. A new rank is one file here and one line in registry.cpp.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "search/ranks/focus.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

struct RankSettings {
  uint64_t seed = 0;
  FunctionFocus function;
  VariableFocus variable;
};

struct RankInfo {
  const char* name;
  const char* summary;  // one line for `lockstep list ranks`
  std::unique_ptr<Rank> (*make)(const RankSettings& settings);
};

std::span<const RankInfo> ranks();

using Ranks = std::vector<std::unique_ptr<Rank>>;
inline constexpr size_t kMaxRanks = 4;

// "mdpor,pb": the first decides, the second among equals of the first, and so on.
Result<Ranks> make_ranks(std::string_view list, const RankSettings& settings);

}  // namespace lockstep
