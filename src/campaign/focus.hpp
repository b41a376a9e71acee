// What the user gives a search to go by: --focus-function and --focus-variable, globs over names that are asked for
// addresses, and ranks in shared objects.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "campaign/options.hpp"
#include "search/base/strategy.hpp"
#include "target/target.hpp"

namespace lockstep {

class Focus {
 public:
  explicit Focus(const CampaignOptions& options);
  void install(StrategyOptions& options) const;
  void watch(Target& target);  // names are known once the program has been started

  // What the search made no use of: globs that matched nothing it met, a focus without its rank, a rank without its
  // focus. Sentences for the user, once the search has ended.
  std::vector<std::string> warnings() const;

 private:
  void find_globals(StrategyOptions& options) const;

  struct State;
  std::shared_ptr<State> state_;
};

// The search that the options ask for, or what is wrong with them. No program is started.
Result<std::unique_ptr<Search>> make_search(const CampaignOptions& options);

}  // namespace lockstep
