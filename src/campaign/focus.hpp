// The focus of a search as given by the user: globs of --focus-function and --focus-variable, matched with the names of
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
  void watch(Target& target);  // names are available once the program has started

  // Options without effect, as sentences for the user once the search has ended: globs without a match, a focus without
  // its rank, a rank without its focus.
  std::vector<std::string> warnings() const;

 private:
  void find_globals(StrategyOptions& options) const;

  struct State;
  std::shared_ptr<State> state_;
};

// The search that the options describe, or what is wrong with them. Starts no program.
Result<std::unique_ptr<Search>> make_search(const CampaignOptions& options);

}  // namespace lockstep
