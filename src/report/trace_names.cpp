#include "report/trace_names.hpp"

#include <set>

#include "report/user_frames.hpp"

namespace lockstep {
namespace {

constexpr size_t kLongestThreadName = 18;

// What a thread runs, as a base for its name; empty if that says nothing ("main::lambda#1").
std::string role_of(std::span<const uint64_t> stack, Symbols& symbols) {
  for (size_t i = stack.size(); i-- > 0;) {
    const std::vector<Frame> frames = symbols.resolve(stack[i]);
    for (size_t k = frames.size(); k-- > 0;) {
      if (!is_user_code(frames[k])) continue;
      std::string name = frames[k].where.function;
      if (name.find("lambda") != std::string::npos || name.find("operator") != std::string::npos) return {};
      name = name.substr(0, name.find('('));
      if (name.size() > kLongestThreadName)
        name = name.substr(name.rfind("::") == std::string::npos ? 0 : name.rfind("::") + 2);
      const bool plain = name.find_first_of("+<> ") == std::string::npos;
      return plain && name != "main" && name.size() <= kLongestThreadName ? name : std::string{};
    }
  }
  return {};
}

const char* noun_of(OpKind kind) { return name_of(traits(kind).primitive); }

}  // namespace

TraceNames::TraceNames(TraceView trace, Symbols& symbols)
    : trace_(trace),
      symbols_(symbols),
      stacks_(trace.header().detail ? trace.all_stacks() : decltype(stacks_){}),
      variables_(trace, stacks_, symbols) {
  name_threads();
  name_objects();
}

void TraceNames::name_threads() {
  std::map<ThreadId, std::string> role;
  std::map<ThreadId, int> tries;  // a thread without a telling name stays so: do not ask at every step
  std::set<ThreadId> seen;
  auto see = [&](const Step& step, std::span<const uint64_t> stack) {
    seen.insert(step.thread);
    if (step.kind == OpKind::Create) seen.insert(step.second.thread());
    if (step.thread == kMainThread || stack.empty()) return;
    std::string& known = role[step.thread];
    if (known.empty() && ++tries[step.thread] <= 4) known = role_of(stack, symbols_);
  };
  const auto steps = trace_.steps();
  for (size_t i = 0; i < steps.size(); ++i) see(steps[i], stack_of_step(i));
  for (size_t i = 0; i < trace_.pending().size(); ++i) see(trace_.pending()[i], stack_of_pending(i));

  for (const DataRace& race : trace_.races())
    for (const RaceAccess* access : {&race.first, &race.second}) {
      seen.insert(access->thread);
      std::string& known = role[access->thread];
      if (access->thread != kMainThread && known.empty()) known = role_of(stack_of_race(*access), symbols_);
    }

  std::map<std::string, int> uses, number;
  for (ThreadId t : seen) ++uses[role[t]];
  for (ThreadId t : seen) {
    const std::string& name = role[t];
    if (t == kMainThread) {
      threads_[t] = "main";
    } else if (name.empty()) {
      threads_[t] = "thread " + std::to_string(index_of(t));
    } else {
      threads_[t] = uses[name] == 1 ? name : name + " " + std::to_string(++number[name]);
    }
  }
}

void TraceNames::name_objects() {
  auto see = [&](const Step& step) {
    if (const char* noun = noun_of(step.kind)) add_object(step.object, noun);
    if (step.kind == OpKind::CondWait) add_object(step.second.mutex(), "mutex");
    if (step.kind == OpKind::Reacquire && !step.second.none()) add_object(step.second.condition(), "condvar");
  };
  for (const Step& step : trace_.steps()) see(step);
  for (const Step& step : trace_.pending()) see(step);
  for (const DataRace& race : trace_.races()) add_object(ObjectId(race.first.address), "variable");
}

void TraceNames::add_object(ObjectId object, const char* noun) {
  if (object == kNoObject) return;
  auto [at, fresh] = objects_.try_emplace(object);
  if (!fresh) return;
  const std::string described = variables_.of(object);
  if (symbols_.is_named(object)) {
    at->second = described;
    return;
  }
  at->second = std::string(noun) + " " + std::to_string(++numbered_[noun]);
  legend_.emplace_back(at->second, described);
}

std::string TraceNames::thread(ThreadId t) const {
  if (auto at = threads_.find(t); at != threads_.end()) return at->second;
  return t == kMainThread ? "main" : "thread " + std::to_string(index_of(t));
}

std::span<const uint64_t> TraceNames::stack_of_pending(ThreadId t) const {
  for (size_t i = 0; i < trace_.pending().size(); ++i)
    if (trace_.pending()[i].thread == t) return stack_of_pending(i);
  return {};
}

std::string TraceNames::object(ObjectId object) const {
  if (auto at = objects_.find(object); at != objects_.end()) return at->second;
  return variables_.of(object);
}

}  // namespace lockstep
