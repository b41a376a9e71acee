// Builds the words for races and accesses.
#include "report/race_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "analysis/lock_owners.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

const char* verb(const RaceAccess& access) {
  if (access.flags & RaceAccess::kFree) return "free";
  if (access.flags & RaceAccess::kSync) return "use";
  if (access.atomic()) return access.write() ? "atomically write" : "atomically read";
  return access.write() ? "write" : "read";
}

std::string third_person(const RaceAccess& access) { return std::string(verb(access)) + "s"; }

// A block is freed as a whole; its name here is that of the part that the other thread uses.
std::string does_it(const RaceAccess& access) {
  return access.flags & RaceAccess::kFree ? "frees its memory" : third_person(access) + " it";
}

std::string at_place(std::span<const uint64_t> stack, const TraceNames& names) {
  const auto frame = innermost_user_frame(stack, names.symbols());
  const std::string place = frame ? short_place(frame->where) : "";
  if (!place.empty()) return " at " + place;
  return frame ? " in " + frame->where.function : "";
}
std::string at_place(const RaceAccess& access, const TraceNames& names) {
  return at_place(stack_of(access, names), names);
}

bool is_ended_stack(const RaceAccess& access) { return (access.flags & RaceAccess::kFree) && access.pc == 0; }

// "a and b for reading": the locks that the thread holds at its access.
std::string locks_at(const RaceAccess& access, const TraceNames& names) {
  LockOwners owners;
  std::map<ObjectId, OpKind> taken;
  const auto steps = names.trace().steps();
  for (uint32_t i = 0; i < std::min<size_t>(access.step, steps.size()); ++i) {
    owners.apply(steps[i]);
    if (steps[i].thread == access.thread && acquires(steps[i].kind, steps[i].flags))
      taken[steps[i].object] = steps[i].kind;
  }
  std::string text;
  for (const ObjectId object : owners.held_by(access.thread)) {
    const auto how = taken.find(object);
    if (how == taken.end() || !is_lock(how->second)) continue;
    text += (text.empty() ? "" : " and ") + names.object(object, access.step);
    if (has(how->second, OpTraits::kShared)) text += " for reading";
  }
  return text;
}

}  // namespace

std::span<const uint64_t> stack_of(const RaceAccess& access, const TraceNames& names) {
  if (auto stack = names.stack_of_race(access); !stack.empty()) return stack;
  return access.pc ? std::span<const uint64_t>{&access.pc, 1} : std::span<const uint64_t>{};
}

std::string access_text(const RaceAccess& access, const TraceNames& names) {
  if (access.misuse != Misuse::None)
    return fmt::format("{}: {}", text_of(access.misuse), names.object(ObjectId(access.address)));
  if (is_ended_stack(access)) return "leaves the frame of " + names.object(ObjectId(access.address));
  const char* whole = access.flags & RaceAccess::kFree ? "the memory of " : "";
  return fmt::format("{} {}{}", verb(access), whole, names.object(ObjectId(access.address)));
}

std::string allocation_text(uint64_t address, const TraceNames& names) {
  for (const Allocation& a : names.trace().allocations()) {
    if (!a.contains(address)) continue;
    const std::string place = at_place(names.stack_of_allocation(a), names);
    if (!place.empty()) return fmt::format("allocated by {}{}", names.thread(a.thread), place);
  }
  return "";
}

std::string race_message(const DataRace& race, const TraceNames& names) {
  const ObjectId object{race.second.address};
  const std::string origin = allocation_text(race.second.address, names);
  const std::string tail = origin.empty() ? "" : "; it was " + origin;
  const std::string first = names.thread(race.first.thread), second = names.thread(race.second.thread);
  if (race.unlocked() && race.first.thread == race.second.thread)
    return fmt::format("no common lock protects {}: {} {} it{}, another thread used it before{}", names.object(object),
                       second, third_person(race.second), at_place(race.second, names), tail);
  if (race.unlocked())
    return fmt::format("no common lock protects {}: {} {} it{}, {} {} it{}{}", names.object(object), first,
                       third_person(race.first), at_place(race.first, names), second, third_person(race.second),
                       at_place(race.second, names), tail);
  if (race.second.misuse == Misuse::SpinsUnyielding)
    return fmt::format("{} waits for {}{} and never yields, while other threads can run", second, names.object(object),
                       at_place(race.second, names));
  if (race.misuse())
    return fmt::format("{} misused a lock: {}: {}{}{}", second, text_of(race.second.misuse), names.object(object),
                       at_place(race.second, names), tail);
  if (is_ended_stack(race.first))
    return fmt::format("use after return: {} {} {}{}, on the stack of {}, after the function returned", second,
                       third_person(race.second), names.object(object), at_place(race.second, names), first);
  if (is_ended_stack(race.second))
    return fmt::format("use after return: {} {} {}{}, on the stack of {}; {} does not wait before it returns", first,
                       third_person(race.first), names.object(object), at_place(race.first, names), second, second);
  const bool freed = (race.first.flags & RaceAccess::kFree) && !(race.second.flags & RaceAccess::kFree);
  if (freed)
    return fmt::format("use after free: {} {} {}{}, which {} freed{}{}", second, third_person(race.second),
                       names.object(object), at_place(race.second, names), first, at_place(race.first, names), tail);
  return fmt::format("data race on {}: {} {}{}, {} {}{}{}", names.object(object), first, does_it(race.first),
                     at_place(race.first, names), second, does_it(race.second), at_place(race.second, names), tail);
}

std::string unordered_accesses(const Finding& finding, const TraceNames& names) {
  if (!finding.race || !finding.race->race() || is_ended_stack(finding.race->second)) return {};
  const RaceAccess &first = finding.race->first, &second = finding.race->second;
  if (first.flags & RaceAccess::kFree) return {};  // what comes after may be ordered
  const char* what =
      second.flags & RaceAccess::kFree ? "Nothing makes the free come last" : "Nothing orders the two accesses";
  const std::string by_first = locks_at(first, names), by_second = locks_at(second, names);
  if (by_first == by_second)
    return by_first.empty() ? fmt::format("{}: neither thread holds a lock.", what)
                            : fmt::format("{}: both threads hold {}.", what, by_first);
  const auto holds = [&](const RaceAccess& access, const std::string& locks) {
    return fmt::format("{} holds {}", names.thread(access.thread), locks.empty() ? "no lock" : locks);
  };
  return fmt::format("{}: {}, {}.", what, holds(first, by_first), holds(second, by_second));
}

std::string double_free_text(const TraceNames& names) {
  const uint64_t address = names.trace().header().fault_address;
  std::string text;
  for (const DataRace& race : names.trace().races())
    if ((race.first.flags & race.second.flags & RaceAccess::kFree) && race.second.begin == address)
      text = fmt::format("{} frees it{}, after {} freed it{}", names.thread(race.second.thread),
                         at_place(race.second, names), names.thread(race.first.thread), at_place(race.first, names));
  const std::string origin = allocation_text(address, names);
  if (origin.empty()) return text;
  return text.empty() ? origin : text + "; " + origin;
}

std::string leak_message(const Allocation& first, const TraceNames& names) {
  uint64_t blocks = 0, bytes = 0;
  for (const Allocation& a : names.trace().allocations())
    if (a.flags & Allocation::kLeaked) ++blocks, bytes += a.size;
  return fmt::format("leak: {} bytes {}{} are never freed{}", first.size, allocation_text(first.begin, names),
                     first.count ? fmt::format(" (after {} earlier ones from there)", first.count) : "",
                     blocks > 1 ? fmt::format("; in total {} blocks, {} bytes", blocks, bytes) : "");
}

std::string stale_load_message(uint32_t store, uint32_t load, const TraceNames& names) {
  const Step &written = names.trace().steps()[store], &read = names.trace().steps()[load];
  return fmt::format(
      "{} reads {}{} and may miss the write of {}{} on a processor with store buffers; such executions are not "
      "explored (use memory_order_seq_cst, or a fence between the store and the load)",
      names.thread(read.thread), names.object(read.object), at_place(names.stack_of_step(load), names),
      names.thread(written.thread), at_place(names.stack_of_step(store), names));
}

}  // namespace lockstep
