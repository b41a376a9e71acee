// What --focus-function and --focus-variable point at: globs over names, asked for addresses.
#pragma once
#include <memory>

#include "cli/options.hpp"
#include "target/target.hpp"

namespace lockstep {

class Focus {
 public:
  explicit Focus(const Options& options);
  void install(StrategyOptions& options) const;
  void watch(Target& target);  // names are known once the program has been started

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lockstep
