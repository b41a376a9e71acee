// The commands. Each returns the exit code.
#pragma once
#include <string>

#include "campaign/saved_run.hpp"
#include "cli/options.hpp"
#include "cli/world.hpp"

namespace lockstep {

int run_command(const Options& options, const World& world);
// `saved`: goes on with that exploration.
int run_command(const Options& options, const World& world, const SavedRun& saved);
int resume_command(const std::string& folder, const World& world);
int replay_command(const Options& options, const World& world);
int shrink_command(const Options& options, const World& world);
int explain_command(const Options& options, const World& world);
int debug_command(const Options& options, const World& world);
int list_command(const std::string& what, bool json);

}  // namespace lockstep
