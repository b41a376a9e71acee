// Writes schedule files.
#include "report/schedule_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "report/operation_text.hpp"
#include "report/schedule_json.hpp"
#include "report/user_frames.hpp"

namespace lockstep {

using schedule_json::Json;

const char* name_of(Isolation isolation) { return schedule_json::kIsolations[static_cast<size_t>(isolation)].data(); }
const char* name_of(Backend backend) { return schedule_json::kBackends[static_cast<size_t>(backend)].data(); }
const char* name_of(Timeouts timeouts) { return schedule_json::kTimeouts[static_cast<size_t>(timeouts)].data(); }
const char* name_of(Points points) { return schedule_json::kPoints[static_cast<size_t>(points)].data(); }

namespace {

// A schedule file must be valid UTF-8, so that its checksum is the same when it is read. The program's text may contain
// anything.
std::string valid_utf8(const std::string& text) {
  return Json::parse(schedule_json::dump(Json(text))).get<std::string>();
}

Json options_of(const ScheduleFile& schedule) {
  return {{"isolation", name_of(schedule.isolation)},
          {"backend", name_of(schedule.backend)},
          {"points", name_of(schedule.points)},
          {"timeouts", name_of(schedule.timeouts)},
          {"spin_rounds", schedule.spin_rounds},
          {"max_delay_ms", schedule.max_delay_ms == kAnyDelay ? Json() : Json(schedule.max_delay_ms)},
          {"spurious", schedule.spurious},
          {"expected_exit", schedule.expected_exit},
          {"compares_output", schedule.compares_output ? 1 : 0},
          {"expected_output", schedule.expected_output ? Json(valid_utf8(*schedule.expected_output)) : Json()},
          {"explore_call", schedule.explore_call},
          {"max_steps", schedule.bug.plan.max_steps}};
}

// The parameters of a random schedule of which only the seed is known.
Json policy_input_of(const Plan& plan) {
  return {{"depth", plan.pct_depth},
          {"horizon", plan.pct_horizon},
          {"focus", static_cast<uint64_t>(plan.focus)},
          {"extra", plan.extra}};
}

Json content_of(const ScheduleFile& schedule) {
  const Finding& bug = schedule.bug;
  Json program = Json::array(), threads = Json::array(), deltas = Json::array(), operations = Json::array();
  for (const std::string& word : schedule.program) program.push_back(valid_utf8(word));
  for (const ThreadTable::Entry& entry : schedule.threads) threads.push_back({entry.parent, entry.child});
  Json tracked = Json::array(), promoted = Json::array();
  for (const CodePlace& place : schedule.promoted) promoted.push_back({valid_utf8(place.module), place.offset});
  for (const TrackedRange& range : bug.plan.tracked) tracked.push_back({range.address, range.size});
  for (const Delta& delta : bug.plan.deltas) deltas.push_back({delta.step, delta.value});
  for (const RecordedOperation& op : schedule.operations)
    operations.push_back({index_of(op.thread), name_of(op.kind), op.value, valid_utf8(op.object), valid_utf8(op.place),
                          valid_utf8(op.function)});
  Json content{
      {schedule_json::kMagic, kScheduleVersion},
      {"program", program},
      {"cwd", valid_utf8(schedule.cwd)},
      {"build",
       {{"build_id", schedule.build.build_id}, {"size", schedule.build.size}, {"mtime", schedule.build.mtime}}},
      {"options", options_of(schedule)},
      {"kind", name_of(bug.kind)},
      {"message", valid_utf8(bug.message)},
      {"fingerprint", bug.fingerprint},
      {"location",
       {{"function", valid_utf8(bug.location.function)},
        {"file", valid_utf8(bug.location.file)},
        {"line", bug.location.line}}},
      {"execution", bug.execution},
      {"preemptions", bug.preemptions},
      {"thread_count", bug.threads},
      {"threads", threads},
      {"policy", schedule_json::kPolicies[static_cast<size_t>(bug.plan.policy)]},
      {"seed", bug.plan.seed},
      {"promoted", promoted},
      {"tracked", tracked},
      {"input", schedule_json::to_hex(schedule.input)},
      {"deltas", deltas},
      {"operations_total", schedule.operations_total},
      {"operations", operations},
  };
  if (is_random(bug.plan.policy)) content["policy_input"] = policy_input_of(bug.plan);
  return content;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

uint16_t value_of(const Step& step) {
  if (step.is_choice()) return step.taken();
  return Step::can_fail(step.kind) ? static_cast<uint16_t>(step.error() + 1) : uint16_t{0};
}

std::string in_words(const RecordedOperation& op) {
  std::string text = fmt::format("thread {} {}", index_of(op.thread), name_of(op.kind));
  if (op.thread == kMainThread) text = fmt::format("main {}", name_of(op.kind));
  if (!op.object.empty()) text += " " + op.object;
  if (op.kind == OpKind::Choose) text += fmt::format(" {}", op.value);
  if (!op.place.empty()) text += " at " + op.place;
  if (Step::can_fail(op.kind) && op.value > 0) text += op.value == 1 ? ", succeeds" : failure_text(op.value - 1);
  return text;
}

}  // namespace

std::vector<RecordedOperation> record_operations(const TraceNames& names) {
  std::vector<RecordedOperation> operations;
  const auto steps = names.trace().steps();
  for (size_t i = 0; i < std::min(steps.size(), kRecordedOperations); ++i) {
    const Step& step = steps[i];
    RecordedOperation op{step.thread, step.kind, value_of(step), "", ""};
    if (step.kind == OpKind::Create || step.kind == OpKind::Join) {
      op.object = fmt::format("thread {}", index_of(step.second.thread()));
    } else if (step.object != kNoObject && accesses(step.operation()).size > 0 && step.kind != OpKind::ThreadExit) {
      op.object = names.object(step.object);
    }
    if (auto frame = innermost_user_frame(names.stack_of_step(i), names.symbols())) {
      op.place = short_place(frame->where);
      op.function = frame->where.function;
    }
    operations.push_back(std::move(op));
  }
  return operations;
}

std::optional<Departure> first_departure(const ScheduleFile& recording, const std::vector<RecordedOperation>& now,
                                         uint64_t now_total) {
  const auto& then = recording.operations;
  const auto same_call = [](const RecordedOperation& a, const RecordedOperation& b) {
    return a.thread == b.thread && a.kind == b.kind && a.object == b.object;
  };
  const auto same_value = [](const RecordedOperation& a, const RecordedOperation& b) {
    return a.value == b.value || (Step::can_fail(a.kind) && (a.value == 0 || b.value == 0));
  };
  const size_t common = std::min(then.size(), now.size());
  for (size_t i = 0; i < common; ++i) {
    const bool same = same_call(then[i], now[i]);
    if (same && same_value(then[i], now[i])) continue;
    return Departure{i + 1, in_words(then[i]), in_words(now[i]), same && Step::can_fail(now[i].kind)};
  }
  if (recording.operations_total == now_total) return std::nullopt;
  if (now_total < recording.operations_total)
    return Departure{now_total + 1, common < then.size() ? in_words(then[common]) : "more operations", "ends"};
  return Departure{recording.operations_total + 1, "ends",
                   common < now.size() ? in_words(now[common]) : "more operations"};
}

// One line per key and one per operation, rather than a single line or a line for every number.
std::string schedule_text(const ScheduleFile& schedule) {
  Json content = content_of(schedule);
  content[schedule_json::kChecksum] = schedule_json::checksum_of(content);
  std::string text = "{";
  for (auto entry = content.begin(); entry != content.end(); ++entry) {
    text += fmt::format("{}\n  {}: ", entry == content.begin() ? "" : ",", schedule_json::dump(Json(entry.key())));
    if (entry.key() != "operations") {
      text += schedule_json::dump(entry.value());
      continue;
    }
    text += "[";
    for (size_t i = 0; i < entry.value().size(); ++i)
      text += fmt::format("{}\n    {}", i == 0 ? "" : ",", schedule_json::dump(entry.value()[i]));
    text += entry.value().empty() ? "]" : "\n  ]";
  }
  return text + "\n}\n";
}

std::optional<Error> save_schedule(const ScheduleFile& schedule, const std::string& path) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  unlink(temporary.c_str());  // left by a process that is gone
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  bool good = fd >= 0 && write_all(fd, schedule_text(schedule));
  int reason = errno;
  if (fd >= 0 && close(fd) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    reason = errno;
  }
  if (good) return std::nullopt;
  if (fd >= 0) unlink(temporary.c_str());
  return Error{ExitCode::Usage, fmt::format("cannot save the schedule to {}: {}", path, std::strerror(reason))};
}

}  // namespace lockstep
