// Reads schedule files. A file may come from anywhere, so everything in it is checked before use.
#include <exception>
#include <limits>

#include "report/input_file.hpp"
#include "report/schedule_file.hpp"
#include "report/schedule_json.hpp"

namespace lockstep {
namespace {

using schedule_json::Json;

constexpr int kDeepest = 6;                 // nesting of values; valid files have 3 levels
constexpr size_t kMostValues = 16'000'000;  // prevents a hostile file from exhausting memory
constexpr size_t kMostPolicyWords = 8192;
constexpr size_t kMostKeys = 200;  // finding a key takes linear time

struct Malformed {
  std::string what;
};

const Json& member(const Json& object, const char* key) {
  auto at = object.find(key);
  if (at == object.end()) throw Malformed{fmt::format("\"{}\" is missing", key)};
  return *at;
}

uint64_t natural(const Json& value, const char* key, uint64_t limit) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > limit)
    throw Malformed{fmt::format("\"{}\" is not a number from 0 to {}", key, limit)};
  return value.get<uint64_t>();
}

uint64_t natural_at(const Json& object, const char* key, uint64_t limit) {
  return natural(member(object, key), key, limit);
}

std::string string_of(const Json& value, const char* key) {
  if (!value.is_string()) throw Malformed{fmt::format("\"{}\" is not text", key)};
  std::string text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) throw Malformed{fmt::format("\"{}\" holds a zero byte", key)};
  return text;
}

std::string string_at(const Json& object, const char* key) { return string_of(member(object, key), key); }

const Json& object_at(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_object()) throw Malformed{fmt::format("\"{}\" is not an object", key)};
  return value;
}

const Json& array_at(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_array()) throw Malformed{fmt::format("\"{}\" is not a list", key)};
  return value;
}

const Json& tuple(const Json& value, const char* key, size_t size) {
  if (!value.is_array() || value.size() != size)
    throw Malformed{fmt::format("an entry of \"{}\" is not a list of {} values", key, size)};
  return value;
}

template <class E, size_t N>
E choice_at(const Json& object, const char* key, const std::string_view (&names)[N]) {
  const std::string text = string_at(object, key);
  for (size_t i = 0; i < N; ++i)
    if (names[i] == text) return static_cast<E>(i);
  throw Malformed{fmt::format("\"{}\" has an unknown value", key)};
}

template <class E>
E kind_named(const std::string& text, const char* key) {
  for (size_t i = 0; i < static_cast<size_t>(E::kCount); ++i)
    if (text == name_of(static_cast<E>(i))) return static_cast<E>(i);
  throw Malformed{fmt::format("\"{}\" has an unknown value", key)};
}

void read_threads(const Json& json, ScheduleFile& out) {
  for (const Json& entry : array_at(json, "threads")) {
    tuple(entry, "threads", 2);
    const size_t index = out.threads.size();
    if (index >= kMaxThreads) throw Malformed{fmt::format("\"threads\" has more than {} entries", kMaxThreads)};
    const auto parent = static_cast<uint16_t>(natural(entry[0], "threads", std::max<size_t>(index, 1) - 1));
    out.threads.push_back({parent, static_cast<uint16_t>(natural(entry[1], "threads", kMaxThreads))});
  }
  if (out.threads.empty()) throw Malformed{"\"threads\" is empty"};
}

void read_promoted(const Json& json, ScheduleFile& out) {
  for (const Json& place : array_at(json, "promoted")) {
    if (out.promoted.size() == kMaxPromoted) throw Malformed{"\"promoted\" is too long"};
    tuple(place, "promoted", 2);
    out.promoted.push_back(
        {string_of(place[0], "promoted"), natural(place[1], "promoted", std::numeric_limits<int64_t>::max())});
  }
}

void read_tracked(const Json& json, ScheduleFile& out) {
  if (!json.contains("tracked")) return;
  for (const Json& entry : array_at(json, "tracked")) {
    if (out.bug.plan.tracked.size() == kMaxTracked) throw Malformed{"\"tracked\" is too long"};
    tuple(entry, "tracked", 2);
    out.bug.plan.tracked.push_back({natural(entry[0], "tracked", std::numeric_limits<int64_t>::max()),
                                    natural(entry[1], "tracked", std::numeric_limits<uint32_t>::max())});
  }
}

void read_input(const Json& json, ScheduleFile& out) {
  if (!json.contains("input")) return;
  const auto bytes = schedule_json::from_hex(string_at(json, "input"));
  if (!bytes || bytes->size() > kRecordedInput) throw Malformed{"\"input\" is not what a program could have read"};
  out.input = *bytes;
}

void read_operations(const Json& json, ScheduleFile& out) {
  const Json& list = array_at(json, "operations");
  if (list.size() > kRecordedOperations) throw Malformed{"\"operations\" is too long"};
  for (const Json& entry : list) {
    tuple(entry, "operations", entry.is_array() && entry.size() == 5 ? 5 : 6);
    RecordedOperation op;
    op.thread = ThreadId(static_cast<uint16_t>(natural(entry[0], "operations", out.threads.size() - 1)));
    op.kind = kind_named<OpKind>(string_of(entry[1], "operations"), "operations");
    op.value = static_cast<uint16_t>(natural(entry[2], "operations", 0xffff));
    op.object = string_of(entry[3], "operations");
    op.place = string_of(entry[4], "operations");
    if (entry.size() > 5) op.function = string_of(entry[5], "operations");
    out.operations.push_back(std::move(op));
  }
  out.operations_total = natural_at(json, "operations_total", std::numeric_limits<uint32_t>::max());
  if (out.operations_total < out.operations.size()) throw Malformed{"\"operations_total\" is too small"};
}

// Read after the operations, which determine whether a delta names a thread or a data alternative.
void read_deltas(const Json& json, ScheduleFile& out) {
  uint64_t after = 0;  // smallest valid step
  for (const Json& entry : array_at(json, "deltas")) {
    tuple(entry, "deltas", 2);
    const uint64_t step = natural(entry[0], "deltas", kNoStep - 1);
    if (step < after) throw Malformed{"\"deltas\" are not in ascending order"};
    after = step + 1;
    const bool choice = step >= out.operations.size() || out.operations[step].kind == OpKind::Choose;
    const uint64_t most = choice ? 0xffff : out.threads.size() - 1;
    out.bug.plan.deltas.push_back(
        {static_cast<uint32_t>(step), static_cast<uint16_t>(natural(entry[1], "deltas", most))});
  }
}

void read_bug(const Json& json, Finding& bug) {
  bug.kind = kind_named<FindingKind>(string_at(json, "kind"), "kind");
  bug.message = string_at(json, "message");
  bug.fingerprint = string_at(json, "fingerprint");
  const Json& where = object_at(json, "location");
  bug.location = {string_at(where, "function"), string_at(where, "file"),
                  static_cast<int>(natural_at(where, "line", std::numeric_limits<int>::max()))};
  bug.execution = natural_at(json, "execution", std::numeric_limits<uint64_t>::max());
  bug.preemptions = static_cast<uint32_t>(natural_at(json, "preemptions", std::numeric_limits<uint32_t>::max()));
  bug.threads = static_cast<uint32_t>(natural_at(json, "thread_count", kMaxThreads));
}

// The parameters of a random schedule of which only the seed is known.
void read_policy_input(const Json& json, Plan& plan) {
  if (!json.contains("policy_input")) return;
  const Json& input = object_at(json, "policy_input");
  plan.pct_depth = static_cast<uint16_t>(natural_at(input, "depth", kMaxPctDepth));
  plan.pct_horizon = static_cast<uint32_t>(natural_at(input, "horizon", std::numeric_limits<uint32_t>::max()));
  plan.focus = ObjectId{natural_at(input, "focus", std::numeric_limits<uint64_t>::max())};
  const Json& extra = array_at(input, "extra");
  if (extra.size() > kMostPolicyWords) throw Malformed{"\"extra\" is too long"};
  for (const Json& word : extra) {
    if (!word.is_number_unsigned()) throw Malformed{"\"extra\" holds values that are not numbers"};
    plan.extra.push_back(word.get<uint64_t>());
  }
}

ScheduleFile read_content(const Json& json) {
  ScheduleFile out;
  for (const Json& word : array_at(json, "program")) out.program.push_back(string_of(word, "program"));
  if (out.program.empty() || out.program[0].empty()) throw Malformed{"\"program\" is empty"};
  out.cwd = string_at(json, "cwd");
  const Json& build = object_at(json, "build");
  out.build = {string_at(build, "build_id"), natural_at(build, "size", std::numeric_limits<int64_t>::max()),
               static_cast<int64_t>(natural_at(build, "mtime", std::numeric_limits<int64_t>::max()))};
  const Json& options = object_at(json, "options");
  out.isolation = choice_at<Isolation>(options, "isolation", schedule_json::kIsolations);
  out.backend = choice_at<Backend>(options, "backend", schedule_json::kBackends);
  out.points = choice_at<Points>(options, "points", schedule_json::kPoints);
  out.timeouts = choice_at<Timeouts>(options, "timeouts", schedule_json::kTimeouts);
  out.spurious = static_cast<uint32_t>(natural_at(options, "spurious", std::numeric_limits<uint32_t>::max()));
  if (options.contains("expected_exit"))
    out.expected_exit = static_cast<uint8_t>(natural_at(options, "expected_exit", 255));
  if (options.contains("compares_output")) out.compares_output = natural_at(options, "compares_output", 1) != 0;
  if (options.contains("expected_output") && !options["expected_output"].is_null())
    out.expected_output = string_at(options, "expected_output");
  out.explore_call = static_cast<uint32_t>(natural_at(options, "explore_call", std::numeric_limits<uint32_t>::max()));
  out.spin_rounds = static_cast<uint32_t>(natural_at(options, "spin_rounds", kMostSpinRounds));
  const bool limits_delay = options.contains("max_delay_ms") && !options["max_delay_ms"].is_null();
  out.max_delay_ms =
      limits_delay ? static_cast<uint32_t>(natural_at(options, "max_delay_ms", kAnyDelay - 1)) : kAnyDelay;
  read_bug(json, out.bug);
  out.bug.plan.max_steps =
      static_cast<uint32_t>(natural_at(options, "max_steps", std::numeric_limits<uint32_t>::max()));
  if (out.bug.plan.max_steps == 0) throw Malformed{"\"max_steps\" is 0"};
  out.bug.plan.policy = choice_at<Policy>(json, "policy", schedule_json::kPolicies);
  out.bug.plan.seed = natural_at(json, "seed", std::numeric_limits<uint64_t>::max());
  read_policy_input(json, out.bug.plan);
  read_promoted(json, out);
  read_tracked(json, out);
  read_input(json, out);
  read_threads(json, out);
  read_operations(json, out);
  read_deltas(json, out);
  return out;
}

// Parses with limited depth and size, because printing and destroying a deep value recurses.
Json parse_bounded(const std::string& text) {
  size_t values = 0, keys = 0;
  bool excessive = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t event, Json&) {
        excessive = excessive || depth > kDeepest || ++values > kMostValues;
        excessive = excessive || (event == Json::parse_event_t::key && ++keys > kMostKeys);
        return !excessive;
      },
      /*allow_exceptions=*/false);
  if (excessive) return Json(Json::value_t::discarded);
  return json;
}

Error bad(const std::string& path, const std::string& why) {
  return {ExitCode::Usage, fmt::format("{} {}", path, why)};
}

}  // namespace

Result<ScheduleFile> parse_schedule(const std::string& text, const std::string& path) {
  try {
    const Json json = parse_bounded(text);
    if (json.is_discarded())
      return bad(
          path, "is not a Lockstep schedule, or it is truncated (not valid JSON); record it again with 'lockstep run'");
    if (!json.is_object() || !json.contains(schedule_json::kMagic))
      return bad(path, "is not a Lockstep schedule: it has no \"lockstep-schedule\"");
    const Json& version = json[schedule_json::kMagic];
    if (!version.is_number_unsigned() || version.get<uint64_t>() != kScheduleVersion)
      return bad(
          path,
          fmt::format("has schedule version {}, this Lockstep reads version {}; record it again with 'lockstep run'",
                      schedule_json::dump(version).substr(0, 20), kScheduleVersion));
    ScheduleFile schedule = read_content(json);
    if (string_at(json, schedule_json::kChecksum) != schedule_json::checksum_of(json))
      return bad(path, "was changed after it was written (checksum mismatch); record it again with 'lockstep run'");
    schedule.bug.schedule = path;
    return schedule;
  } catch (const Malformed& malformed) {
    return bad(path, "is a damaged Lockstep schedule: " + malformed.what);
  } catch (const std::exception&) {
    return bad(path, "is a damaged Lockstep schedule");
  }
}

Result<ScheduleFile> load_schedule(const std::string& path) {
  Result<std::string> text = read_input_file(path, kScheduleFileLimit);
  if (!text) return text.error();
  return parse_schedule(*text, path);
}

}  // namespace lockstep
