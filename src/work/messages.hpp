// What goes through a queue, as bytes: an exploration (Job), what its executions run with at the moment (JobSettings),
// a unit of work and its answer. The bytes are compressed and begin with a version; what does not fit is refused.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/fact.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "target/target.hpp"

namespace lockstep {

// A file known by its content.
struct QueuedFile {
  std::string path;  // where the coordinator has it; of a file of the working folder: relative to that
  std::string hash;  // SHA-256, in hexadecimal
  uint64_t size = 0;
  uint32_t mode = 0;
  int64_t mtime = 0;  // nanoseconds
};

// One soft limit of the coordinator's process (getrlimit).
struct ResourceLimit {
  int32_t resource;
  uint64_t value;
};

// All that an exploration needs to be run elsewhere. It does not change.
struct Job {
  std::string version;   // of Lockstep
  std::string machine;   // the coordinator's
  TargetOptions target;  // with the environment; of what is code or shared memory nothing travels
  std::string input;     // standard input; `has_input` false: end of file
  bool has_input = false;
  std::string folder;  // working folder
  QueuedFile program, runtime;
  std::vector<QueuedFile> libraries;     // that the program loads
  std::vector<QueuedFile> folder_files;  // of the working folder
  std::vector<ResourceLimit> limits;
};

// A control execution: who runs the plan must see this trace.
struct Control {
  Plan plan;
  uint64_t hash[2];
};

// What executions run with. It changes while the search goes on: each change has a number.
struct JobSettings {
  PromotedPoints promoted;
  std::vector<CodeRange> trusted, preemptible;
  std::vector<uint64_t> native_loops;
  std::vector<ThreadTable::Entry> threads;
  uint32_t spurious = 0;
  CheckpointUse checkpoints = CheckpointUse::Worthwhile;
  std::vector<Control> controls;
  std::string search;  // a packed SearchDescription, for orders; empty: there are none
};

// A batch of plans, in the order in which the search made them; or an order of a crew.
struct UnitMessage {
  uint64_t settings = 0;  // their number
  std::vector<Plan> plans{};
  std::string order{};  // a packed CrewOrder; empty: plans
};

struct AnswerMessage {
  enum Kind : uint8_t {
    Done,
    NewThreads,  // threads were created that the settings do not name: nothing was done
    Refused,     // this worker must not be used: `text` says why
  };
  Kind kind = Done;
  uint64_t unit = 0;
  std::string worker, machine;
  std::vector<Trace> traces;                // by plan
  std::string result;                       // of an order: a packed UnitResult
  std::vector<ThreadTable::Entry> threads;  // NewThreads: all
  std::set<Fact> facts;                     // of the worker's process so far
  std::set<std::string> libraries;          // likewise
  std::vector<uint64_t> native_loops;       // likewise
  uint64_t resumed = 0;                     // executions of this unit from a checkpoint
  uint64_t microseconds = 0;                // that it took
  std::string text;
};

// What a worker says of itself with every heartbeat.
struct WorkerReport {
  uint64_t beat = 0;
  std::string machine;
  uint64_t executions = 0;
  double busy = 0, seconds = 0;  // with units; since it joined
};

std::string pack(const Job& job);
std::string pack(const JobSettings& settings);
std::string pack(const UnitMessage& unit);
std::string pack(const AnswerMessage& answer);
std::string pack(const WorkerReport& report);
// None: it is no such message, or one of another version.
std::optional<Job> unpack_job(std::string_view bytes);
std::optional<JobSettings> unpack_settings(std::string_view bytes);
std::optional<UnitMessage> unpack_unit(std::string_view bytes);
std::optional<AnswerMessage> unpack_answer(std::string_view bytes);
std::optional<WorkerReport> unpack_report(std::string_view bytes);

}  // namespace lockstep
