// An exploration on disk: how it was started and how far it is. Written while it runs, so that nothing is lost when it
// is interrupted or killed.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/channel.hpp"
#include "model/executor.hpp"
#include "model/result.hpp"
#include "report/program_identity.hpp"
#include "search/base/saved_state.hpp"
#include "search/exploration/coverage.hpp"
#include "search/exploration/saved_finding.hpp"

namespace lockstep {

struct SavedExploration {
  std::vector<std::string> arguments;  // of the command line, from "run" on
  std::string environment;             // LOCKSTEP_OPTIONS
  std::string cwd;
  ProgramIdentity build;
  std::vector<ThreadTable::Entry> threads;
  PromotedPoints promoted;              // scheduling points of this search, found by those before it
  PromotedPoints found_racy;            // those of the next one
  uint64_t executions_before = 0;       // of those
  double seconds = 0;                   // all, until it was saved
  std::vector<Finding> bugs, warnings;  // reported so far; of the searches given up
  bool raced_before = false;
  unsigned bug_number = 0;  // of the last bug
  unsigned starts = 0;      // searches given up
  Coverage coverage;        // empty unless it was asked for
  std::string state;        // read: as the explorer wrote it
};

std::string saved_exploration_path(const std::string& out);  // within the folder given by --out

// Atomically. The state is written piece by piece: it may be larger than what is to be held in memory.
std::optional<Error> save_exploration_file(const SavedExploration& run, const std::function<void(StateWriter&)>& state,
                                           const std::string& path);
Result<SavedExploration> load_saved_exploration(
    const std::string& path);  // refused while who saved it is still exploring
// The content of such a file, unpacked; false: it is none. For load_saved_exploration() and for fuzzing.
bool unpack_exploration(std::string_view bytes, SavedExploration& run);
// In a copy of the process that explores: the state is that process's, and free as soon as that ends.
void leave_saved_exploration();
void remove_saved_exploration(const std::string& path);  // and what a kill left half-written

}  // namespace lockstep
