// The monitor of store buffers against a machine that has them: on random programs, looking at every sequentially
// consistent execution, it says something exactly when store buffers allow more.
#include "analysis/sc_violation.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>

namespace lockstep {
namespace {

struct Op {
  char kind;  // R, W, U (locked), F
  unsigned variable;
};
using Thread = std::vector<Op>;
using Code = std::vector<Thread>;

// What can be observed: which write every read saw, and the order of writes to each variable.
using Id = std::pair<unsigned, unsigned>;
constexpr Id kInitial{~0u, ~0u};
struct State {
  std::vector<unsigned> pc;
  std::vector<std::vector<std::pair<unsigned, Id>>> buffer;
  std::map<unsigned, Id> memory;
  std::map<Id, Id> reads;
  std::map<unsigned, std::vector<Id>> writes;
  auto operator<=>(const State&) const = default;
};

class Machine {
 public:
  Machine(const Code& code, bool buffers) : code_(code), buffers_(buffers) {
    State start;
    start.pc.resize(code.size());
    start.buffer.resize(code.size());
    run(start);
  }
  std::set<std::pair<std::map<Id, Id>, std::map<unsigned, std::vector<Id>>>> results;

 private:
  static Id value(const State& s, unsigned v) {
    const auto at = s.memory.find(v);
    return at == s.memory.end() ? kInitial : at->second;
  }
  static void commit(State& s, unsigned v, Id id) {
    s.memory[v] = id;
    s.writes[v].push_back(id);
  }
  void run(const State& s) {
    if (!seen_.insert(s).second) return;
    bool done = true;
    for (unsigned t = 0; t < code_.size(); ++t) {
      if (!s.buffer[t].empty()) {
        done = false;
        State next = s;
        commit(next, s.buffer[t][0].first, s.buffer[t][0].second);
        next.buffer[t].erase(next.buffer[t].begin());
        run(next);
      }
      if (s.pc[t] == code_[t].size()) continue;
      done = false;
      const Op op = code_[t][s.pc[t]];
      const Id id{t, s.pc[t]};
      State next = s;
      ++next.pc[t];
      if (op.kind == 'R') {
        Id read = value(s, op.variable);
        for (const auto& [v, w] : s.buffer[t])
          if (v == op.variable) read = w;
        next.reads[id] = read;
      } else if (op.kind == 'W' && buffers_) {
        next.buffer[t].emplace_back(op.variable, id);
      } else if (!s.buffer[t].empty()) {
        continue;  // locked operations and fences wait until the buffer is empty
      } else if (op.kind == 'U' || op.kind == 'W') {
        if (op.kind == 'U') next.reads[id] = value(s, op.variable);
        commit(next, op.variable, id);
      }
      run(next);
    }
    if (done) results.insert({s.reads, s.writes});
  }
  const Code& code_;
  const bool buffers_;
  std::set<State> seen_;
};

// Does the monitor say anything about some sequentially consistent execution?
bool monitor_speaks(const Code& code) {
  bool spoke = false;
  std::vector<unsigned> pc(code.size());
  std::vector<bool> fenced(code.size());
  TraceBuilder builder;
  const std::function<void()> go = [&] {
    if (spoke) return;
    bool last = true;
    for (unsigned t = 0; t < code.size(); ++t) {
      if (pc[t] == code[t].size()) continue;
      last = false;
      const Op op = code[t][pc[t]];
      const bool was_fenced = fenced[t];
      ++pc[t];
      if (op.kind == 'F') {
        fenced[t] = true;
        go();
      } else {
        Step step{};
        step.thread = ThreadId(t);
        step.object = ObjectId{0x1000 + 8 * op.variable};
        step.kind = op.kind == 'R' ? OpKind::Load : op.kind == 'W' ? OpKind::Store : OpKind::Rmw;
        step.flags = op.kind == 'R' ? 0 : Step::kWrite;
        const int order = op.kind == 'U' ? 5 : op.kind == 'W' ? 3 : 2;
        step.set_access(static_cast<uint16_t>(order | (was_fenced ? Step::kAfterFence : 0)), 0);
        fenced[t] = false;
        builder.steps.push_back(step);
        go();
        builder.steps.pop_back();
      }
      fenced[t] = was_fenced;
      --pc[t];
    }
    if (last) spoke = find_stale_load(builder.build()).has_value();
  };
  go();
  return spoke;
}

TEST(ScViolation, StoreBufferingIsTold) {
  EXPECT_TRUE(monitor_speaks({{{'W', 0}, {'R', 1}}, {{'W', 1}, {'R', 0}}}));
  EXPECT_FALSE(monitor_speaks({{{'W', 0}, {'F', 0}, {'R', 1}}, {{'W', 1}, {'F', 0}, {'R', 0}}}));
  EXPECT_FALSE(monitor_speaks({{{'U', 0}, {'R', 1}}, {{'U', 1}, {'R', 0}}}));
  EXPECT_TRUE(monitor_speaks({{{'W', 0}, {'F', 0}, {'R', 1}}, {{'W', 1}, {'R', 0}}}));
}

TEST(ScViolation, MessagePassingIsFine) { EXPECT_FALSE(monitor_speaks({{{'W', 0}, {'W', 1}}, {{'R', 1}, {'R', 0}}})); }

TEST(ScViolation, SpeaksExactlyWhenStoreBuffersAllowMore) {
  unsigned unsafe = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const unsigned threads = below(3) ? 2 : 3, variables = 2 + below(2);
    Code code(threads);
    for (Thread& t : code)
      for (unsigned n = 1 + below(threads == 2 ? 4 : 3); n > 0; --n)
        t.push_back({"RRWWWUF"[below(seed % 2 ? 7 : 4)], below(variables)});
    const bool more = Machine(code, true).results != Machine(code, false).results;
    unsafe += more;
    EXPECT_EQ(monitor_speaks(code), more) << "seed " << seed;
  }
  EXPECT_GT(unsafe, 10u);
}

}  // namespace
}  // namespace lockstep
