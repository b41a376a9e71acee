// Gives names to the facts that were noticed about the program, for the claim.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "campaign/campaign.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

bool has_any(const std::string& name, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&name](const char* part) { return name.find(part) != std::string::npos; });
}

// True for std::atomic, its bases and free functions, with or without template arguments: their caller chooses the
// memory order. False for __atomic_semaphore and similar classes, which choose the order themselves.
bool is_atomic_wrapper(const Frame& frame) {
  return has_any(frame.where.function, {"std::atomic", "::__atomic_base", "::__atomic_impl::", "::__atomic_ref",
                                        "::__atomic_float", "__cxx_atomic_"});
}

// True for the functions between std::atomic::wait and its load, which uses the order passed to wait().
bool is_atomic_wait(const Frame& frame) {
  return has_any(frame.where.function,
                 {"std::__detail::__waiter", "std::__detail::__atomic_spin", "std::__atomic_wait_address",
                  "__libcpp_atomic_wait", "__cxx_atomic_wait", "__libcpp_thread_poll"});
}

// What only tries: std::mutex::try_lock() and what it calls.
bool is_attempt(const Frame& frame) {
  return has_any(frame.where.function, {"try_lock", "try_acquire", "__gthread_", "test_and_set"});
}

// Its function decides: where code was merged there is no line, and none of its neighbours' is right.
bool is_standard_library(const Frame& frame) {
  return frame.where.function.starts_with("std::") || frame.where.function.starts_with("__gnu_cxx::");
}

// The frame that chose the memory order of an operation; the outermost wrapper if its caller is not known.
const Frame& chooser_of_order(const std::vector<Frame>& frames) {
  const auto is_own_operation = [](const Frame& frame) { return !is_atomic_wrapper(frame); };
  auto caller = std::find_if(frames.begin(), frames.end(), is_own_operation);
  if (caller != frames.begin())
    caller = std::find_if(caller, frames.end(),
                          [](const Frame& frame) { return !is_atomic_wrapper(frame) && !is_atomic_wait(frame); });
  return caller == frames.end() ? *std::find_if(frames.rbegin(), frames.rend(), is_atomic_wrapper) : *caller;
}

// "shared_ptr" for bits/shared_ptr_base.h: the header of the function that the program called.
std::string header_name(const std::vector<Frame>& frames) {
  const auto called = std::find_if_not(frames.begin(), frames.end(), is_standard_library);
  const std::string& file = std::prev(called)->where.file;
  std::string name = file.substr(file.find_last_of('/') + 1);
  for (const std::string_view end : {".h", "_base"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

constexpr const char* kSomePlace = "some place";

// "queue.hpp:14", or the function if the line is not known.
std::string place_text(const Frame& frame) {
  const std::string place = short_place(frame.where);
  return place.empty() ? frame.where.function : place;
}

class Places {
 public:
  Places(Replayer& replayer, const std::set<Fact>& facts) : replayer_(replayer), facts_(facts) {}

  // Each place once, in source order.
  std::vector<std::string> of(FactKind kind) {
    std::set<std::string> texts;
    for (const Fact& fact : facts_) {
      if (fact.kind != kind) continue;
      const uint64_t stack[] = {fact.place};
      const std::optional<Frame> frame = fact.place ? innermost_user_frame(stack, replayer_.symbols()) : std::nullopt;
      texts.insert(frame ? place_text(*frame) : kSomePlace);
    }
    return {texts.begin(), texts.end()};
  }

  // Loops of the program's own code that spin without a yield; those of standard headers it cannot change. Reads in one
  // function are taken for one loop. None if no loop of the program yields: then it is meant to spin.
  std::vector<std::string> unyielding() {
    if (!facts_.contains({0, FactKind::SpinsUnyielding})) return {};
    std::map<std::string, std::string> texts;  // by function
    for (const Fact& fact : facts_) {
      if (fact.kind != FactKind::SpinsUnyielding) continue;
      const std::vector<Frame> frames = replayer_.symbols().resolve(fact.place);
      if (frames.empty()) continue;
      const auto reader = std::ranges::find_if_not(
          frames, [](const Frame& frame) { return is_atomic_wrapper(frame) || is_attempt(frame); });
      if (reader != frames.end() && !is_standard_library(*reader) && is_user_code(*reader))
        texts.try_emplace(reader->where.function, place_text(*reader));
    }
    std::vector<std::string> places;
    for (const auto& [function, place] : texts) places.push_back(place);
    return places;
  }

  // Operations of the program's own code; those of standard headers are taken at their specification.
  void find_weak_orders(Evidence& evidence) {
    std::set<std::string> own, headers;
    for (const Fact& fact : facts_) {
      if (fact.kind != FactKind::WeakOrder) continue;
      const std::vector<Frame> frames = replayer_.symbols().resolve(fact.place);
      ++evidence.weak_order_operations;
      if (frames.empty()) {
        own.insert(kSomePlace);
        continue;
      }
      const Frame& chooser = chooser_of_order(frames);
      if (is_atomic_wrapper(chooser)) {
        own.insert(chooser.where.function);
      } else if (is_standard_library(chooser)) {
        --evidence.weak_order_operations;
        headers.insert(header_name(frames));
      } else {
        own.insert(is_user_code(chooser) ? place_text(chooser) : chooser.where.function);
      }
    }
    evidence.weak_orders.assign(own.begin(), own.end());
    headers.erase("");
    evidence.weak_order_headers = fmt::format("{}", fmt::join(headers, ", "));
  }

  bool has(FactKind kind) const {
    return std::any_of(facts_.begin(), facts_.end(), [kind](const Fact& fact) { return fact.kind == kind; });
  }

 private:
  Replayer& replayer_;
  const std::set<Fact>& facts_;
};

std::string joined(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places)
    if (place != kSomePlace) text += (text.empty() ? " (" : ", ") + place;
  return text.empty() ? text : text + ")";
}

// Sources of values of which each execution sees only one, whatever the schedule.
std::vector<std::string> dependences(Places& places) {
  std::vector<std::string> list;
  const auto add = [&](FactKind kind, const std::string& what, bool where = false) {
    if (places.has(kind)) list.push_back(what + (where ? joined(places.of(kind)) : ""));
  };
  add(FactKind::CycleCounter, "the cycle counter (rdtsc)", true);
  add(FactKind::RandomInstruction, "the processor's random numbers (rdrand)", true);
  add(FactKind::RandomValues, "random values", true);
  add(FactKind::FilesChange, "files that change");
  add(FactKind::OutsideInput, "input from outside");
  add(FactKind::StartsProcesses, "processes it starts");
  add(FactKind::AddressesVary, "addresses (address randomisation cannot be disabled)");
  add(FactKind::OutsideThread, "callbacks in threads that are not controlled", true);
  return list;
}

// Points where another thread or a signal handler could run but is never scheduled.
std::vector<std::string> unexplored_points(const Places& places) {
  std::vector<std::string> list;
  if (places.has(FactKind::FailedAtStart))
    list.emplace_back(
        "the first operations of threads (a thread failed before its own, or before that of a thread it had just "
        "created)");
  if (places.has(FactKind::ChangesLocale))
    list.emplace_back("formatting and conversion of text (setlocale() changes them)");
  if (places.has(FactKind::SignalsBetweenThreads))
    list.emplace_back("plain accesses that a signal handler may interrupt");
  return list;
}

}  // namespace

// One line, however many.
void Campaign::warn_of_unyielding_loops() {
  constexpr size_t kMost = 5;
  const std::set<Fact> facts = target_->facts();
  std::vector<std::string> loops = Places(replayer_, facts).unyielding();
  if (loops.empty()) return;
  const size_t more = loops.size() - std::min(loops.size(), kMost);
  loops.resize(loops.size() - more);
  listener_.warn(
      fmt::format("livelock: a thread that waits at {}{} does not always yield, while the thread it waits for may "
                  "need its processor (--error livelock shows how)",
                  fmt::join(loops, ", "), more ? fmt::format(" and {} more places", more) : ""));
}

void Campaign::complete_evidence(Evidence& evidence) {
  const std::set<Fact> facts = target_->facts();
  Places places(replayer_, facts);
  evidence.instrumented = target_->info().instrumented;
  evidence.points = points_;
  evidence.points_given = options_.points != Points::Auto;
  evidence.detects_races = options_.looks_for_races();
  evidence.promotes_races = promotion_.wanted() || !search_->traits().preempts_at_points;
  evidence.too_many_racy_accesses = !promotion_.complete();
  evidence.unexplored_points = unexplored_points(places);
  evidence.trusts_code = !options_.trusted.empty();
  evidence.preempts_in = options_.preempt_in;
  if (places.has(FactKind::TimedOperations) && options_.max_delay_ms != kAnyDelay)
    evidence.max_delay_ms = options_.max_delay_ms;
  if (evidence.instrumented)
    for (const PlainCode& code : target_->plain_code()) evidence.uninstrumented.push_back(in_words(code));
  for (const uint64_t jump : target_->native_loops()) {
    const uint64_t stack[] = {jump + 1};
    if (const auto frame = innermost_user_frame(stack, replayer_.symbols()))
      evidence.native_loops.push_back(place_text(*frame));
  }
  evidence.lock_misuses = places.of(FactKind::LockMisuse);
  evidence.spin_loops = places.of(FactKind::SpinRounds);
  evidence.spin_rounds = options_.spin_rounds.value_or(kDefaultSpinRounds);
  evidence.spin_rounds_given = options_.spin_rounds.has_value();
  places.find_weak_orders(evidence);
  if (spurious_ == 0) evidence.condition_waits = places.of(FactKind::ConditionWait);
  evidence.depends_on = dependences(places);
  evidence.varies_with = target_->dependence();
}

}  // namespace lockstep
