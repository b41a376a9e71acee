// Replays stored schedules, and adapts them to a changed program.
#include "campaign/stored_schedules.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "campaign/code_places.hpp"
#include "model/policy_input.hpp"
#include "model/schedule.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Operations = std::vector<RecordedOperation>;

constexpr int kAttempts = 4;               // each attempt uses the operations that the previous one has seen
constexpr size_t kLongestMatched = 2'000;  // operations of a thread; matching is quadratic

std::optional<unsigned> number_of(const std::string& name) {
  constexpr std::string_view kBefore = "bug-", kAfter = ".lockstep";
  if (name.size() <= kBefore.size() + kAfter.size() || !name.starts_with(kBefore) || !name.ends_with(kAfter))
    return std::nullopt;
  const char *begin = name.data() + kBefore.size(), *end = name.data() + name.size() - kAfter.size();
  unsigned number = 0;
  const auto [stopped, failure] = std::from_chars(begin, end, number);
  return failure == std::errc{} && stopped == end ? std::optional(number) : std::nullopt;
}

// How likely two operations are the same: the object counts more than the place. 0: they differ.
uint32_t likeness(const RecordedOperation& a, const RecordedOperation& b) {
  if (a.kind != b.kind) return 0;
  return 2 * (a.object == b.object) + (!a.function.empty() && a.function == b.function);
}

bool is_note(OpKind kind) { return kind == OpKind::Create || kind == OpKind::ThreadExit || kind == OpKind::Join; }

// The operations of each thread, without notes and data choices.
std::map<ThreadId, Operations> by_thread(const Operations& operations) {
  std::map<ThreadId, Operations> lists;
  for (const RecordedOperation& op : operations)
    if (!is_note(op.kind) && op.kind != OpKind::Choose) lists[op.thread].push_back(op);
  return lists;
}

// The current numbers of the recorded threads, matched by creation path.
std::vector<ThreadId> numbers_now(const std::vector<ThreadTable::Entry>& then,
                                  const std::vector<ThreadTable::Entry>& now) {
  std::vector<ThreadId> numbers;
  for (size_t i = 0; i < then.size(); ++i) {
    ThreadId found{static_cast<uint16_t>(i)};
    for (size_t j = i == 0 ? 0 : 1; j < now.size() && i > 0; ++j)
      if (ThreadId{now[j].parent} == numbers[then[i].parent] && now[j].child == then[i].child)
        found = ThreadId{static_cast<uint16_t>(j)};
    numbers.push_back(found);
  }
  return numbers;
}

// The recorded switches as a schedule for the current program.
GuidedSchedule schedule_for(const Operations& recorded, const Operations& now) {
  std::map<ThreadId, std::vector<uint32_t>> places;
  const auto then_lists = by_thread(recorded);
  auto now_lists = by_thread(now);
  for (const auto& [thread, list] : then_lists) places[thread] = carry_over(list, now_lists[thread]);
  GuidedSchedule schedule;
  std::map<ThreadId, uint32_t> done, reached, chosen;
  for (size_t i = 0; i < recorded.size(); ++i) {
    const RecordedOperation& op = recorded[i];
    if (is_note(op.kind)) continue;
    if (op.kind == OpKind::Choose) {
      const uint32_t number = chosen[op.thread]++;
      if (op.value != 0) schedule.choices.push_back({op.thread, number, op.value});
      continue;
    }
    const uint32_t place = places[op.thread][done[op.thread]++];
    uint32_t& at = reached[op.thread];
    if (place <= at) continue;
    schedule.run(op.thread, place - at);
    at = place;
  }
  return schedule;
}

}  // namespace

std::vector<uint32_t> carry_over(const Operations& recorded, const Operations& now) {
  const size_t n = std::min(recorded.size(), kLongestMatched), m = std::min(now.size(), kLongestMatched);
  // best[i][j]: the value of the best match of recorded[i..] with now[j..].
  std::vector<std::vector<uint32_t>> best(n + 1, std::vector<uint32_t>(m + 1, 0));
  const auto matched = [&](size_t i, size_t j) {
    const uint32_t alike = likeness(recorded[i], now[j]);
    return alike > 0 ? best[i + 1][j + 1] + alike : 0;
  };
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;) best[i][j] = std::max({best[i + 1][j], best[i][j + 1], matched(i, j)});
  std::vector<uint32_t> places;
  size_t j = 0;
  uint32_t place = 0;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (i >= n || j >= m) {
      ++place;  // beyond the matched operations: one by one
    } else {
      while (j < m && best[i][j] > std::max(best[i + 1][j], matched(i, j))) ++j;
      if (j < m && best[i][j] > best[i + 1][j]) place = static_cast<uint32_t>(++j);
    }
    places.push_back(place);
  }
  return places;
}

std::vector<StoredSchedule> stored_schedules(const std::string& out, const std::vector<std::string>& command) {
  std::vector<StoredSchedule> stored;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(out, error)) {
    const auto number = number_of(entry.path().filename().string());
    if (!number || !entry.is_regular_file(error)) continue;
    Result<ScheduleFile> loaded = load_schedule(entry.path().string());
    if (!loaded || loaded->program != command) continue;
    stored.push_back({std::move(*loaded), out + "/" + entry.path().filename().string(), *number});
  }
  std::sort(stored.begin(), stored.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return stored;
}

std::optional<Finding> replay_stored(Replayer& replayer, const StoredSchedule& stored, bool same_build) {
  Target& target = replayer.target();
  const ScheduleFile& schedule = stored.schedule;
  Plan first;
  first.max_steps = schedule.bug.plan.max_steps;
  target.run_detailed(first);  // gives threads the numbers that they get in a run without stored schedules
  const std::vector<ThreadId> numbers = numbers_now(schedule.threads, target.threads());
  Operations recorded = schedule.operations;
  for (RecordedOperation& op : recorded) op.thread = numbers[index_of(op.thread)];
  Finding wanted = schedule.bug;
  wanted.schedule = stored.path;
  for (Delta& delta : wanted.plan.deltas)
    if (delta.step < recorded.size() && recorded[delta.step].kind != OpKind::Choose && delta.value < numbers.size())
      delta.value = static_cast<uint16_t>(numbers[delta.value]);
  const bool promoted = same_build && !schedule.promoted.empty();
  PromotedPoints points;
  points.places = addresses_of(target.modules(), schedule.promoted);
  if (promoted) target.promote(points);

  Trace seen;
  std::optional<Finding> found = replayer.reproduce(wanted, true, &seen);
  Operations now = recorded;
  std::optional<GuidedSchedule> tried;
  for (int attempt = 0; !found && attempt < kAttempts; ++attempt) {
    const GuidedSchedule adapted = schedule_for(recorded, now);
    if (adapted == tried) break;
    tried = adapted;
    wanted.plan.policy = Policy::Guided;
    wanted.plan.deltas.clear();
    wanted.plan.extra = adapted.words();
    if ((found = replayer.reproduce(wanted, true, &seen))) {
      Finding exact = *found;
      exact.plan = plan_of(found->trace);
      exact.plan.max_steps = first.max_steps;
      found = replayer.reproduce(exact, true);
    } else if (!seen.empty()) {
      now = record_operations(TraceNames(seen, replayer.symbols()));
    }
  }
  if (promoted) target.promote({});
  return found;
}

}  // namespace lockstep
