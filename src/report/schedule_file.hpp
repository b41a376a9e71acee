// A recorded failure: `.lockstep` files, in readable JSON.
//
// A file has everything needed to run the schedule again. It also has the operations of the schedule, with names that
// can be compared with those of another build. A checksum over the content detects edits and truncation.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/channel.hpp"
#include "model/result.hpp"
#include "report/program_identity.hpp"
#include "report/trace_names.hpp"

namespace lockstep {

inline constexpr int kScheduleVersion = 2;
inline constexpr size_t kScheduleFileLimit = 256u << 20;
inline constexpr size_t kRecordedOperations = 20'000;  // a longer recording would not improve comparisons

inline constexpr size_t kRecordedInput = 1u << 20;  // input of the program; longer input has to be given again

struct RecordedOperation {
  ThreadId thread = kNoThread;
  OpKind kind = OpKind::Yield;
  uint16_t value = 0;      // Choose: what was taken; Step::can_fail(): 1 + errno, 0 in older recordings
  std::string object;      // by name, so that it compares across builds and environments
  std::string place;       // "bank.cpp:31"; for messages only
  std::string function{};  // of the user, the innermost; empty in recordings from before it was kept
};

// A return address that is valid wherever its module is loaded.
struct CodePlace {
  std::string module;   // path
  uint64_t offset = 0;  // in the file
  bool operator==(const CodePlace&) const = default;
};

struct ScheduleFile {
  std::vector<std::string> program;  // with its arguments
  std::string cwd;
  ProgramIdentity build;
  Isolation isolation = Isolation::Auto;
  Backend backend = Backend::Auto;
  Points points = Points::Auto;
  Timeouts timeouts = Timeouts::Cost;
  uint32_t spin_rounds = kDefaultSpinRounds;
  uint32_t max_delay_ms = kDefaultMaxDelay;
  uint32_t spurious = 0;
  uint8_t expected_exit = 0;
  bool compares_output = false;
  std::optional<std::string> expected_output{};
  std::string input;                // standard input, if any and not too long
  uint32_t explore_call = 0;        // number of the call of lockstep::explore(); 0: recorded by lockstep run
  std::vector<CodePlace> promoted;  // plain accesses that were scheduling points
  Finding bug;                      // without trace and output; a replay follows its plan
  std::vector<ThreadTable::Entry> threads;
  std::vector<RecordedOperation> operations;  // up to kRecordedOperations
  uint64_t operations_total = 0;
};

const char* name_of(Isolation isolation);
const char* name_of(Backend backend);
const char* name_of(Points points);
const char* name_of(Timeouts timeouts);

// The operations of a trace, at most kRecordedOperations.
std::vector<RecordedOperation> record_operations(const TraceNames& names);

// The first operation at which `now` differs from the recording.
struct Departure {
  size_t operation;  // 1-based
  std::string recorded, happened;
  bool returned = false;  // the same call, with another result
};
std::optional<Departure> first_departure(const ScheduleFile& recording, const std::vector<RecordedOperation>& now,
                                         uint64_t now_total);

std::string schedule_text(const ScheduleFile& schedule);

// Atomic: written next to `path` and renamed.
std::optional<Error> save_schedule(const ScheduleFile& schedule, const std::string& path);

// Accepts any content: an error is one sentence with ExitCode::Usage.
Result<ScheduleFile> load_schedule(const std::string& path);
Result<ScheduleFile> parse_schedule(const std::string& text, const std::string& shown_path);

}  // namespace lockstep
