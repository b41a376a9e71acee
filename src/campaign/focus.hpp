// What --focus-function and --focus-variable point at: globs over names, asked for addresses.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "campaign/options.hpp"
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
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lockstep
