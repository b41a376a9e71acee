#include "report/race_text.hpp"

#include <fmt/format.h>

#include "report/user_code.hpp"

namespace lockstep {
namespace {

const char* verb(const RaceAccess& access) {
  if (access.flags & RaceAccess::kFree) return "free";
  if (access.atomic()) return access.write() ? "atomically write" : "atomically read";
  return access.write() ? "write" : "read";
}

std::string third_person(const RaceAccess& access) { return std::string(verb(access)) + "s"; }

std::string at_place(const RaceAccess& access, const TraceNames& names) {
  const auto frame = innermost_user_frame(stack_of(access, names), names.symbols());
  const std::string place = frame ? short_place(frame->where) : "";
  if (!place.empty()) return " at " + place;
  return frame ? " in " + frame->where.function : "";
}

}  // namespace

std::span<const uint64_t> stack_of(const RaceAccess& access, const TraceNames& names) {
  if (auto stack = names.stack_of_race(access); !stack.empty()) return stack;
  return {&access.pc, 1};
}

std::string access_text(const RaceAccess& access, const TraceNames& names) {
  return fmt::format("{} {}", verb(access), names.object(ObjectId(access.address)));
}

std::string race_message(const DataRace& race, const TraceNames& names) {
  const bool freed = (race.first.flags & RaceAccess::kFree) && !(race.second.flags & RaceAccess::kFree);
  if (freed)
    return fmt::format("use after free: {} {} {}{}, which {} freed{}", names.thread(race.second.thread),
                       third_person(race.second), names.object(ObjectId(race.second.address)), at_place(race.second, names),
                       names.thread(race.first.thread), at_place(race.first, names));
  return fmt::format("data race on {}: {} {} it{}, {} {} it{}", names.object(ObjectId(race.first.address)),
                     names.thread(race.first.thread), third_person(race.first), at_place(race.first, names),
                     names.thread(race.second.thread), third_person(race.second), at_place(race.second, names));
}

}  // namespace lockstep
