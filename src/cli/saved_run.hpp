// An exploration on disk: how it was started and how far it is. Written while it runs, so that nothing is lost when it
// is interrupted or killed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "model/executor.hpp"
#include "model/result.hpp"
#include "report/program_identity.hpp"

namespace lockstep {

struct SavedRun {
  std::vector<std::string> arguments;  // of the command line, from "run" on
  std::string environment;             // LOCKSTEP_OPTIONS
  std::string cwd;
  ProgramIdentity build;
  std::vector<ThreadTable::Entry> threads;
  std::string state;                   // as the explorer wrote it
  PromotedPoints promoted;             // scheduling points of this search, found by those before it
  uint64_t executions_before = 0;      // which were so long
  double seconds_before = 0;
};

std::string saved_run_path(const std::string& out);  // within the folder given by --out

std::optional<Error> save_run(const SavedRun& run, const std::string& path);  // atomically
Result<SavedRun> load_run(const std::string& path);

}  // namespace lockstep
