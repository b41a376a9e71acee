// An exploration on disk: how it was started and how far it has come. It is saved while it runs, so that an interrupt
// or a kill loses little.
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
  PromotedPoints promoted;              // scheduling points of this search, found by earlier searches
  PromotedPoints found_racy;            // scheduling points found for the next search
  uint64_t executions_before = 0;       // of abandoned searches
  double seconds = 0;                   // total, until it was saved
  std::vector<Finding> bugs, warnings;  // bugs reported so far; warnings of abandoned searches
  bool raced_before = false;
  unsigned bug_number = 0;  // of the last bug
  unsigned starts = 0;      // number of abandoned searches
  Coverage coverage;        // empty unless requested
  std::string state;        // when read: as the explorer wrote it
};

std::string saved_exploration_path(const std::string& out);  // within the folder given by --out

// Saves atomically. The state is written piece by piece, because it may be larger than the memory budget. `gives_up` is
// polled; true: what was written is dropped, and an earlier file stays.
std::optional<Error> save_exploration_file(const SavedExploration& run, const std::function<void(StateWriter&)>& state,
                                           const std::string& path, const std::function<bool()>& gives_up);
Result<SavedExploration> load_saved_exploration(
    const std::string& path);  // fails while the process that saved it is still exploring
// Unpacks the contents of such a file; false: not a saved exploration. For load_saved_exploration() and fuzzing.
bool unpack_exploration(std::string_view bytes, SavedExploration& run);
// In a copy of the process that explores: the state is that process's, and free as soon as that ends.
void leave_saved_exploration();
void remove_saved_exploration(const std::string& path);  // and what a kill left half-written

}  // namespace lockstep
