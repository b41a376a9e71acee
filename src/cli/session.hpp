// What `run` and `replay` share: where text goes, confirming a failure, the last words.
#pragma once
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/registry.hpp"
#include "cli/options.hpp"
#include "cli/world.hpp"
#include "report/json.hpp"
#include "report/suppressions.hpp"
#include "report/terminal.hpp"
#include "search/shrink.hpp"

namespace lockstep {

class Session {
 public:
  explicit Session(const Options& options);

  // Text for people: standard output, or standard error when a result for machines goes there.
  FILE* human() const { return human_; }
  const Terminal& terminal() const { return terminal_; }
  void print(const std::string& text) const;
  void warn(const std::string& text);  // said at once, and kept for the JSON result
  const std::vector<std::string>& warnings() const { return warnings_; }

  std::vector<Analysis*> analyses() const;
  void suppress(Suppressions suppressions, Target& target);  // races that are not to be reported
  bool suppressed(const DataRace& race, Target& target);

  // Runs the finding's plan with stacks; what an analysis of kind `kind` says about it, completed. nullopt: nothing
  // did. `seen` gets the trace in either case.
  std::optional<Finding> reproduce(Target& target, Finding finding, bool same_kind, Trace* seen = nullptr);

  // The same failure, of a confirmed finding, by a simpler schedule if there is one within the budget. `proved`: nothing
  // fails with up to so many preemptions.
  Finding simplify(Target& target, const Finding& finding, std::optional<uint32_t> proved, ShrinkBudget budget = {});

  Symbols& symbols(Target& target);  // opened when first needed: modules are known once the program ran

  // Where something happened, the user's frames only.
  void print_stack(Target& target, std::span<const uint64_t> stack);

  // Writes the results for machines that were asked for.
  void write_results(const JsonReport& report, const Exploration& result);

 private:
  void write_file(const std::string& path, const std::string& text);

  const Options& options_;
  FILE* human_;
  Terminal terminal_;
  std::vector<std::unique_ptr<Analysis>> analyses_;
  std::unique_ptr<Symbols> symbols_;
  const std::string& unseen_synchronisation(Target& target);  // code that nobody watches; see target/invisible_sync.hpp

  Suppressions suppressions_;
  std::optional<std::string> unseen_;  // looked for when there is the first race
  std::vector<std::string> warnings_;
};

Result<Suppressions> load_suppressions(const Options& options);

int fail(const Error& error);  // prints the sentence, gives the exit code

}  // namespace lockstep
