// Hand-made traces and symbols: what a program did, without a program.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/schedule.hpp"

namespace lockstep {

// Code addresses are line numbers of one made-up file; objects have the names they were given.
class FakeSymbols final : public Symbols {
 public:
  struct Function {
    uint64_t first, last;  // lines
    std::string name;
    std::string file = "bank.cpp";
    std::string module = "bank_test";
  };
  std::vector<Function> functions;
  std::map<uint64_t, std::string> objects;

  std::vector<Frame> resolve(uint64_t address) override {
    for (const Function& f : functions)
      if (address >= f.first && address <= f.last)
        return {Frame{address, {f.name, "src/" + f.file, static_cast<int>(address)}, f.module}};
    return {Frame{address, {"bank_test+0x" + std::to_string(address), "", 0}, "bank_test"}};
  }
  std::string describe(ObjectId object) override {
    auto at = objects.find(static_cast<uint64_t>(object));
    return at != objects.end() ? at->second : "heap block of main+0x" + std::to_string(static_cast<uint64_t>(object));
  }
  bool is_named(ObjectId object) override { return objects.contains(static_cast<uint64_t>(object)); }
};

inline Companion thread_named(unsigned thread) { return Companion::thread(ThreadId(static_cast<uint16_t>(thread))); }

// What only some operations have.
struct Extra {
  Companion second{};
  int flags = 0;
};

// Builds a trace with stacks, step by step.
class FakeTrace {
 public:
  using Stack = std::vector<uint64_t>;  // lines, innermost first

  // A decision: `enabled` is a set of threads by bit.
  FakeTrace& step(unsigned thread, OpKind kind, uint64_t object, uint64_t enabled, Stack stack, Extra extra = {}) {
    builder_.steps.push_back(make(thread, kind, object, enabled, extra));
    push(stacks_, stack);
    return *this;
  }
  // Of the last step: what its object held before and after it.
  FakeTrace& values(uint64_t before, uint64_t after) {
    builder_.values.resize(builder_.steps.size());
    builder_.values.back() = {before, after, StepValues::kBefore | StepValues::kAfter, 4, {}};
    return *this;
  }
  FakeTrace& note(unsigned thread, OpKind kind, unsigned other, Stack stack) {
    return step(thread, kind, 0, 0, std::move(stack), {thread_named(other), Step::kNote});
  }
  FakeTrace& blocked(unsigned thread, OpKind kind, uint64_t object, Stack stack, Companion second = {}) {
    builder_.pending.push_back(make(thread, kind, object, 0, {second, Step::kBlocked}));
    push(pending_stacks_, stack);
    return *this;
  }
  FakeTrace& pending(unsigned thread, OpKind kind, uint64_t object, Stack stack) {
    builder_.pending.push_back(make(thread, kind, object, 0, {}));
    push(pending_stacks_, stack);
    return *this;
  }
  Trace end(Outcome outcome, unsigned culprit = 0xffff, Stack failure = {}, std::string_view message = {}) {
    builder_.header.outcome = outcome;
    builder_.header.detail = 1;
    if (!builder_.values.empty()) builder_.values.resize(builder_.steps.size());
    builder_.header.culprit = ThreadId(static_cast<uint16_t>(culprit));
    builder_.message = message;
    builder_.stacks = stacks_;
    builder_.stacks.insert(builder_.stacks.end(), pending_stacks_.begin(), pending_stacks_.end());
    push(builder_.stacks, failure);
    return builder_.build();
  }

 private:
  static Step make(unsigned thread, OpKind kind, uint64_t object, uint64_t enabled, Extra extra) {
    Step step{};
    step.thread = ThreadId(static_cast<uint16_t>(thread));
    step.kind = kind;
    step.object = ObjectId{object};
    step.second = extra.second;
    step.enabled = enabled;
    step.flags = static_cast<uint8_t>(extra.flags);
    return step;
  }
  static void push(std::vector<uint64_t>& to, const Stack& stack) {
    to.push_back(stack.size());
    to.insert(to.end(), stack.begin(), stack.end());
  }
  TraceBuilder builder_;
  std::vector<uint64_t> stacks_, pending_stacks_;
};

// Two threads transfer money in opposite directions: AB-BA.
struct BankDeadlock {
  FakeSymbols symbols;
  Trace trace;
  explicit BankDeadlock(unsigned first = 1, unsigned second = 2) {
    symbols.functions = {{31, 39, "transfer(int, int)"}, {10, 19, "main", "bank_test.cpp"}, {50, 59, "worker(int)"}};
    symbols.objects = {{0x10, "accounts[0]"}, {0x38, "accounts[1]"}};
    FakeTrace t;
    t.note(0, OpKind::Create, first, {12}).note(0, OpKind::Create, second, {13});
    const uint64_t both = uint64_t{1} << first | uint64_t{1} << second;
    t.step(first, OpKind::Lock, 0x10, both, {31, 51});
    t.step(second, OpKind::Lock, 0x38, both, {31, 52});
    t.blocked(0, OpKind::Join, 0, {14}, thread_named(first));
    auto stuck = [&](unsigned thread) {
      t.blocked(thread, OpKind::Lock, thread == first ? 0x38 : 0x10, {32, thread == first ? 51u : 52u});
    };
    stuck(std::min(first, second));
    stuck(std::max(first, second));
    trace = t.end(Outcome::Deadlock);
  }
};

inline Finding finding_of(FindingKind kind, const Trace& trace) {
  Finding finding;
  finding.kind = kind;
  finding.execution = 1118;
  finding.preemptions = count_preemptions(trace);
  finding.threads = 2;
  finding.plan = plan_of(trace);
  finding.trace = trace;
  finding.schedule = "lockstep-out/bank_test/bug-1.lockstep";
  return finding;
}

}  // namespace lockstep
