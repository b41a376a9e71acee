// What was noticed about the program, by name, for the claim.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "campaign/campaign.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

// std::atomic, its bases and free functions: the order is chosen by who calls them. Not __atomic_semaphore and the
// like, which choose it themselves.
bool is_atomic_wrapper(const Frame& frame) {
  const std::string& name = frame.where.function;
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  return name.starts_with("std::atomic") || has("std::__atomic_base<") || has("std::__atomic_impl::") ||
         has("std::__atomic_ref<") || has("std::__atomic_float<");
}

// "shared_ptr" for bits/shared_ptr_base.h.
std::string header_name(const Frame& frame) {
  std::string name = frame.where.file.substr(frame.where.file.find_last_of('/') + 1);
  for (const std::string_view end : {".h", "_base"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

constexpr const char* kSomePlace = "some place";

// "queue.hpp:14", or the function where there is no line.
std::string place_text(const Frame& frame) {
  const std::string place = short_place(frame.where);
  return place.empty() ? frame.where.function : place;
}

class Places {
 public:
  Places(Replayer& replayer, const std::set<Fact>& facts) : replayer_(replayer), facts_(facts) {}

  // Each place once, in the order of the source.
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

  // Operations of the program's own code; those of standard headers are taken at their specification.
  void find_weak_orders(Evidence& evidence) {
    std::set<std::string> own, headers;
    for (const Fact& fact : facts_) {
      if (fact.kind != FactKind::WeakOrder) continue;
      const std::vector<Frame> frames = replayer_.symbols().resolve(fact.place);
      const auto caller = std::find_if_not(frames.begin(), frames.end(), is_atomic_wrapper);
      if (caller != frames.end() && !is_user_code(*caller)) {
        headers.insert(header_name(*caller));
        continue;
      }
      ++evidence.weak_order_operations;
      own.insert(place_text(caller == frames.end() ? frames.back() : *caller));
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

// Values that are one choice of many, whatever the schedule.
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

// Where another thread, or a signal handler, could come in between and never does.
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
