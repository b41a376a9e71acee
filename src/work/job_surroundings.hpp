// What a worker prepares before it runs the program of a job: files, folder, limits. Of the process as a whole.
#pragma once
#include <functional>
#include <string>

#include "work/job_files.hpp"
#include "work/messages.hpp"

namespace lockstep {

class JobSurroundings {
 public:
  JobSurroundings() = default;
  ~JobSurroundings();  // removes the private folder
  JobSurroundings(const JobSurroundings&) = delete;

  // The options with which the program is started on this machine. An error is one sentence: why this machine is of no
  // use. Files that are the same here are used where they are; others come from the queue.
  Result<TargetOptions> prepare(const Job& job, FileCache& cache, const std::function<bool()>& stop);

 private:
  std::optional<Error> find_libraries(const Job& job, FileCache& cache, const std::function<bool()>& stop);
  std::optional<Error> enter_folder(const Job& job, FileCache& cache, const std::function<bool()>& stop);
  std::optional<Error> make_private_folder(FileCache& cache);

  std::string private_;         // folder; empty: none
  std::string library_folder_;  // in it; empty: the machine has all libraries
};

}  // namespace lockstep
