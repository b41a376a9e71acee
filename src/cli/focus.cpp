#include "cli/focus.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "report/variable_name.hpp"
#include "target/symbols.hpp"

namespace lockstep {

struct Focus::State {
  std::vector<std::string> functions, variables;
  Target* target = nullptr;
  std::unique_ptr<Symbols> symbols;
  std::unordered_map<uint64_t, bool> known;  // by return address

  static bool matches(const std::vector<std::string>& globs, const std::string& name) {
    for (const std::string& glob : globs)
      if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
    return false;
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
      place->second |= matches(functions, name) || matches(functions, name.substr(0, name.find('(')));
    }
    return place->second;
  }
};

Focus::Focus(const Options& options) : state_(std::make_shared<State>()) {
  state_->functions = options.focus_functions;
  state_->variables = options.focus_variables;
}

void Focus::install(StrategyOptions& options) const {
  options.focus_function = [state = state_](std::span<const uint64_t> stack) {
    for (const uint64_t return_address : stack)
      if (state->frame_matches(return_address)) return true;
    return false;
  };
  options.focus_variable.contains = [state = state_](TraceView trace, std::span<const std::span<const uint64_t>> stacks,
                                                     ObjectId object) {
    if (object == kNoObject || !state->names()) return false;
    const std::string name = VariableNames(trace, stacks, *state->names()).of(object);
    return std::any_of(state->variables.begin(), state->variables.end(),
                       [&](const std::string& wanted) { return spells_variable(wanted, name); });
  };
  // Only those who point at the heap pay for knowing where its blocks came from.
  options.focus_variable.on_heap =
      std::any_of(state_->variables.begin(), state_->variables.end(), [](const std::string& wanted) {
        return wanted.starts_with(std::string_view(kHeapSpelling).substr(0, 4)) || wanted.starts_with('*');
      });
}

void Focus::watch(Target& target) { state_->target = &target; }

}  // namespace lockstep
