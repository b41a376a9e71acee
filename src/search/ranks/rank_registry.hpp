// The ranks by name. To add one: one file in this folder and one line in rank_registry.cpp.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "search/ranks/focus.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

// Makes a rank from a user's shared object (include/lockstep/rank.h).
using RankLoader = std::function<Result<std::unique_ptr<Rank>>(const std::string& path)>;

struct RankSettings {
  uint64_t seed = 0;
  FunctionFocus function{};
  VariableFocus variable{};
  RankLoader load{};
};

struct RankInfo {
  const char* name;
  const char* summary;  // one line for `lockstep list ranks`
  std::unique_ptr<Rank> (*make)(const RankSettings& settings);
};

std::span<const RankInfo> ranks();

using Ranks = std::vector<std::unique_ptr<Rank>>;
inline constexpr size_t kMaxRanks = 4;

// "mdpor,pb": the second rank decides among equals of the first. "2*mdpor+pb": the weighted sum decides. A name with a
// slash is the path of a shared object.
Result<Ranks> make_ranks(std::string_view list, const RankSettings& settings);
bool uses_rank(std::string_view list, std::string_view name);

}  // namespace lockstep
