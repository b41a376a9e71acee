// The commands of the command line. Each returns the exit code.
#pragma once
#include <string>

#include "campaign/saved_exploration.hpp"
#include "cli/options.hpp"
#include "cli/services.hpp"

namespace lockstep {

int run_command(const Options& options, const Services& services);
// `saved`: the exploration to resume.
int run_command(const Options& options, const Services& services, const SavedExploration& saved);
int resume_command(const std::string& folder, const Services& services);
int replay_command(const Options& options, const Services& services);
int shrink_command(const Options& options, const Services& services);
int explain_command(const Options& options, const Services& services);
int debug_command(const Options& options, const Services& services);
int work_command(const Options& options, const Services& services);
int list_command(const std::string& what, bool json);
int list_tests_command(const std::vector<std::string>& program, const Services& services);  // one name per line

}  // namespace lockstep
