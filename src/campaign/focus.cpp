// Matches names of functions and variables with the globs of a focus.
#include "campaign/focus.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "campaign/user_rank.hpp"
#include "report/variable_name.hpp"
#include "search/ranks/rank_registry.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "target/global_objects.hpp"
#include "target/symbols.hpp"

namespace lockstep {

struct Focus::State {
  struct Glob {
    std::string text;
    bool met = false;  // matched something
  };
  std::vector<Glob> functions, variables;
  bool by_function = false, by_variable = false;  // whether the search uses these ranks
  bool idle_ranks = false;                        // ranks were given to a strategy without ranks
  Target* target = nullptr;
  std::unique_ptr<Symbols> symbols;
  std::unordered_map<uint64_t, bool> known;  // by return address
  std::optional<std::vector<TrackedRange>> globals;
  std::shared_ptr<RankFailures> rank_failures = std::make_shared<RankFailures>();

  static std::vector<Glob> globs_of(const std::vector<std::string>& texts) {
    std::vector<Glob> globs;
    for (const std::string& text : texts) globs.push_back({text});
    return globs;
  }

  template <class Fits>
  static bool any(std::vector<Glob>& globs, Fits&& fits) {
    bool found = false;
    for (Glob& glob : globs)
      if (fits(glob.text)) found = glob.met = true;
    return found;
  }

  Symbols* names() {
    if (!symbols && target) {
      std::error_code ignored;
      symbols = open_symbols({target->modules(), std::filesystem::current_path(ignored).string(),
                              [this](uint64_t address) { return target->given_name(address); }});
    }
    return symbols.get();
  }

  bool frame_matches(uint64_t return_address) {
    const auto [place, fresh] = known.try_emplace(return_address, false);
    if (!fresh || !names()) return place->second;
    for (const Frame& frame : names()->resolve(return_address)) {
      const std::string& name = frame.where.function;
      const std::string plain = name.substr(0, name.find('('));
      place->second |= any(functions, [&](const std::string& glob) {
        return fnmatch(glob.c_str(), name.c_str(), 0) == 0 || fnmatch(glob.c_str(), plain.c_str(), 0) == 0;
      });
    }
    return place->second;
  }
};

Focus::Focus(const CampaignOptions& options) : state_(std::make_shared<State>()) {
  state_->functions = State::globs_of(options.focus_functions);
  state_->variables = State::globs_of(options.focus_variables);
  const std::string_view spec = options.strategy.spec;
  const std::string_view name = spec.substr(0, spec.find(':'));
  const bool ranked = name == "best-first";
  state_->idle_ranks = !ranked && options.strategy.rank != StrategyOptions{}.rank;
  state_->by_function = ranked && uses_rank(options.strategy.rank, "method");
  const bool first = (name == "vb" || name == "pctvb") && !state_->variables.empty();
  state_->by_variable = first || (ranked && uses_rank(options.strategy.rank, "var"));
}

void Focus::install(StrategyOptions& options) const {
  options.focus_function = [state = state_](std::span<const uint64_t> stack) {
    for (const uint64_t return_address : stack)
      if (state->frame_matches(return_address)) return true;
    return false;
  };
  // Naming a variable is slow, so it is done only if there are globs.
  if (!state_->variables.empty())
    options.focus_variable.contains =
        [state = state_](TraceView trace, std::span<const std::span<const uint64_t>> stacks, ObjectId object) {
          if (object == kNoObject || !state->names()) return false;
          const std::string name = VariableNames(trace, stacks, *state->names()).of(object);
          return State::any(state->variables, [&](const std::string& wanted) { return spells_variable(wanted, name); });
        };
  find_globals(options);
  options.load_rank = [failures = state_->rank_failures](const std::string& path) {
    return load_user_rank(path, failures);
  };
  // Recording where heap blocks are allocated costs time, so it is enabled only for globs that can match the heap.
  options.focus_variable.on_heap =
      std::any_of(state_->variables.begin(), state_->variables.end(), [](const State::Glob& wanted) {
        return wanted.text.starts_with(std::string_view(kHeapSpelling).substr(0, 4)) || wanted.text.starts_with('*');
      });
}

void Focus::find_globals(StrategyOptions& options) const {
  options.global_at = [state = state_](uint64_t address) {
    if (!state->globals && state->target) state->globals = find_global_objects(state->target->modules());
    return state->globals ? global_object_at(*state->globals, address) : TrackedRange{address, 0};
  };
}

void Focus::watch(Target& target) { state_->target = &target; }

std::vector<std::string> Focus::warnings() const {
  std::vector<std::string> warnings = *state_->rank_failures;
  if (state_->idle_ranks) warnings.push_back("--rank has no effect without --strategy best-first");
  const auto look = [&](const std::vector<State::Glob>& globs, bool used, const std::string& option, const char* rank,
                        const char* what, const char* also) {
    if (used && globs.empty()) warnings.push_back("rank '" + std::string(rank) + "' has no effect without " + option);
    if (!used && !globs.empty())
      warnings.push_back(option + " has no effect without --strategy best-first --rank " + rank + also);
    for (const State::Glob& glob : globs)
      if (used && !glob.met)
        warnings.push_back(option + ": no " + what + " seen by the search matches '" + glob.text + "'");
  };
  look(state_->functions, state_->by_function, "--focus-function", "method", "function", "");
  look(state_->variables, state_->by_variable, "--focus-variable", "var", "variable", " or --strategy vb or pctvb");
  return warnings;
}

Result<std::unique_ptr<Search>> make_search(const CampaignOptions& options) {
  StrategyOptions strategy = options.strategy;
  Focus(options).install(strategy);
  return make_strategy(strategy);
}

}  // namespace lockstep
