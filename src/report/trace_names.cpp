// Chooses names for threads and objects.
#include "report/trace_names.hpp"

#include <algorithm>
#include <set>

#include "report/user_frames.hpp"

namespace lockstep {
namespace {

constexpr size_t kLongestThreadName = 18;

// The function that a thread runs, as a base for its name; empty if it is not descriptive ("main::lambda#1"). Nothing
// if the stack does not show it.
std::optional<std::string> role_of(std::span<const uint64_t> stack, Symbols& symbols) {
  for (size_t i = stack.size(); i-- > 0;) {
    const std::vector<Frame> frames = symbols.resolve(stack[i]);
    for (size_t k = frames.size(); k-- > 0;) {
      if (!is_user_code(frames[k])) continue;
      std::string name = frames[k].where.function;
      if (name.find("lambda") != std::string::npos || name.find("operator") != std::string::npos) return "";
      name = name.substr(0, name.find('('));
      if (name.size() > kLongestThreadName)
        name = name.substr(name.rfind("::") == std::string::npos ? 0 : name.rfind("::") + 2);
      const bool plain = name.find_first_of("+<> ") == std::string::npos;
      return plain && name != "main" && name.size() <= kLongestThreadName ? name : std::string{};
    }
  }
  return std::nullopt;
}

uint64_t begin_of(const ObservedObject& seen, ObjectId object) {
  return seen.begin ? seen.begin : static_cast<uint64_t>(object);
}

const char* noun_of(OpKind kind) { return name_of(traits(kind).primitive); }

}  // namespace

TraceNames::TraceNames(TraceView trace, Symbols& symbols, const Observations* seen)
    : trace_(trace),
      symbols_(symbols),
      seen_(seen),
      stacks_(trace.header().detail ? trace.all_stacks() : decltype(stacks_){}),
      variables_(trace, stacks_, symbols) {
  name_threads();
  number_equal_names();
  name_objects();
}

// Several threads may have a local variable of the same name.
void TraceNames::number_equal_names() {
  if (seen_ == nullptr) return;
  std::map<std::string, std::set<uint64_t>> uses;
  for (const auto& [object, names] : seen_->objects)
    for (const ObservedObject& name : names) {
      if (!name.name.empty()) uses[name.name].insert(begin_of(name, object));
    }
  for (const auto& [name, objects] : uses)
    if (objects.size() > 1) same_name_[name] = {objects.begin(), objects.end()};
}

const ObservedObject* TraceNames::seen(ObjectId object, uint32_t step) const {
  return seen_ ? seen_->find(object, step) : nullptr;
}

bool TraceNames::has_name(ObjectId object, uint32_t step) const {
  const ObservedObject* known = seen(object, step);
  return (known && !known->name.empty()) || symbols_.is_named(object);
}

// Of a heap object by what lies in it: where "node->next" is, the pointer to its begin is "node".
std::string TraceNames::name_of_block(uint64_t begin, uint32_t step) const {
  if (seen_ == nullptr) return {};
  for (const Allocation& block : trace_.allocations()) {
    if (block.begin != begin) continue;
    for (auto at = seen_->objects.lower_bound(ObjectId{begin});
         at != seen_->objects.end() && block.contains(static_cast<uint64_t>(at->first)); ++at) {
      std::string name = object(at->first, step);
      const size_t arrow = name.rfind("->"), number = name.find(" #");
      if (arrow == std::string::npos) continue;
      return name.substr(0, arrow) + (number == std::string::npos ? "" : name.substr(number));
    }
  }
  return {};
}

std::string TraceNames::value_text(ObjectId object, uint32_t step, uint64_t bits) const {
  const ObservedObject* known = seen(object, step);
  const ValueType type = known ? known->type : ValueType{};
  if (type.kind == ValueType::Pointer && bits != 0) {
    if (const ObservedObject* target = seen(ObjectId{bits}, step); target && !target->name.empty())
      return target->name[0] == '*' ? target->name.substr(1) : "&" + target->name;
    if (std::string name = name_of_block(bits, step); !name.empty()) return name;
  }
  return lockstep::value_text(bits, type);
}

std::optional<std::string> TraceNames::value(uint32_t step, StepValues::Known which) const {
  const auto values = trace_.values();
  if (step >= values.size() || !(values[step].known & which)) return std::nullopt;
  const uint64_t bits = which == StepValues::kBefore ? values[step].before : values[step].after;
  return value_text(trace_.steps()[step].object, step, bits);
}

void TraceNames::name_threads() {
  std::map<ThreadId, std::optional<std::string>> role;  // as the first of few stacks tells that shows it
  std::map<ThreadId, int> tries;
  std::set<ThreadId> seen;
  auto see = [&](const Step& step, std::span<const uint64_t> stack) {
    seen.insert(step.thread);
    if (step.kind == OpKind::Create) seen.insert(step.second.thread());
    if (step.thread == kMainThread || stack.empty()) return;
    std::optional<std::string>& known = role[step.thread];
    if (!known && ++tries[step.thread] <= 4) known = role_of(stack, symbols_);
  };
  const auto steps = trace_.steps();
  for (size_t i = 0; i < steps.size(); ++i) see(steps[i], stack_of_step(i));
  for (size_t i = 0; i < trace_.pending().size(); ++i) see(trace_.pending()[i], stack_of_pending(i));

  for (const DataRace& race : trace_.races())
    for (const RaceAccess* access : {&race.first, &race.second}) {
      seen.insert(access->thread);
      std::optional<std::string>& known = role[access->thread];
      if (access->thread != kMainThread && !known) known = role_of(stack_of_race(*access), symbols_);
    }

  std::map<std::string, int> uses, number;
  for (ThreadId t : seen) ++uses[role[t].value_or("")];
  for (ThreadId t : seen) {
    const std::string name = role[t].value_or("");
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
  if (const ObservedObject* known = seen(object, kNoStep); known && !known->name.empty()) return;
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

std::string TraceNames::object(ObjectId object, uint32_t step) const {
  if (const ObservedObject* known = seen(object, step); known && !known->name.empty()) {
    const auto same = same_name_.find(known->name);
    if (same == same_name_.end()) return known->name;
    const auto at = std::find(same->second.begin(), same->second.end(), begin_of(*known, object));
    return known->name + " #" + std::to_string(at - same->second.begin() + 1);
  }
  if (auto at = objects_.find(object); at != objects_.end()) return at->second;
  return variables_.of(object);
}

}  // namespace lockstep
