// Executes every interleaving of the programs on standard input, one per line:
//   SPURIOUS TIMEOUTS MAY DELAY PROGRAM     (see Rules)
// and prints for each what can fail, with the fewest preemptions that needs, and the final values that are possible.
//
// A preemption is any switch from a thread that could go on, yields included; a timeout that fires while others can
// run counts as one more. That is never less than what Lockstep counts, so a failure below a bound refutes the bound.
#include <deque>
#include <iostream>
#include <map>
#include <string>
#include <unordered_map>

#include "semantics.hpp"

using namespace falsifier;

namespace {

constexpr int kMostPreemptions = 9;  // more are not told apart
constexpr std::size_t kMostStates = 150'000;

struct StateHash {
  std::size_t operator()(const State& s) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&s), sizeof s});
  }
};
struct StateEqual {
  bool operator()(const State& a, const State& b) const { return std::memcmp(&a, &b, sizeof a) == 0; }
};

class Oracle {
 public:
  Oracle(const Program& program, const Rules& rules) : program_(program), rules_(rules) {}

  void run() {
    std::vector<Next> failed;
    const State first = first_state(program_, failed);
    if (!failed.empty()) return reach(failed.front(), 0);
    add(first, 0);
    for (int cost = 0; cost <= kMostPreemptions; ++cost) {
      while (!open_[cost].empty()) {
        const State state = open_[cost].back();
        open_[cost].pop_back();
        if (seen_.at(state) < cost) continue;
        expand(state, cost);
        if (seen_.size() > kMostStates) {
          too_large_ = true;
          return;
        }
      }
    }
  }
  void print() const {
    static const char* const names[] = {"", "assertion", "stuck", "race", "undefined", "abort", "exit-code"};
    std::cout << "{\"states\":" << seen_.size() << ",\"too_large\":" << (too_large_ ? "true" : "false")
              << ",\"failures\":{";
    const char* separator = "";
    for (int f = 1; f < kFailures; ++f) {
      if (failures_[f] < 0) continue;
      std::cout << separator << '"' << names[f] << "\":" << failures_[f];
      separator = ",";
    }
    std::cout << "},\"finals\":[";
    separator = "";
    for (const auto& [values, cost] : finals_) {
      std::cout << separator << "[[" << values << "]," << cost << ']';
      separator = ",";
    }
    std::cout << "]}" << std::endl;
  }

 private:
  void add(const State& state, int cost) {
    cost = std::min(cost, kMostPreemptions);
    const auto [entry, is_new] = seen_.emplace(state, cost);
    if (!is_new && entry->second <= cost) return;
    entry->second = cost;
    open_[cost].push_back(state);
  }
  void fails(Failure failure, int cost) {
    if (failures_[failure] < 0 || cost < failures_[failure]) failures_[failure] = cost;
  }
  void reach(const Next& next, int cost) {
    if (next.race) fails(kRace, cost);
    if (next.failure != kNone) return fails(next.failure, cost);
    if (next.state.ended) return note_final(next.state, cost);
    add(next.state, cost);
  }
  void note_final(const State& state, int cost) {
    std::string values;
    for (const Atomic& a : state.a) values += std::to_string(a.value) + ",";
    for (const Variable& p : state.p) values += std::to_string(p.value) + ",";
    for (int t = 1; t < kThreads; ++t)
      values += std::to_string(state.thread[0].results[t]) + (t + 1 < kThreads ? "," : "");
    const auto [entry, is_new] = finals_.emplace(values, cost);
    if (!is_new) entry->second = std::min(entry->second, cost);
  }

  // The one thread that no other may interrupt, because it is inside an atomic section; or -1.
  int sole(const State& state) const {
    if (rules_.may) return -1;
    const auto insists = [&](int t) { return state.thread[t].section && enabled(program_, state, t, rules_); };
    if (insists(state.last)) return state.last;
    for (int t = 0; t < kThreads; ++t)
      if (insists(t)) return t;
    return -1;
  }

  // May the sleep or timed wait of `t` end before what the others do next? Promised only if it surely may.
  bool in_time(const State& state, int t, const std::array<bool, kThreads>& can) const {
    if (rules_.max_delay == 0) return true;
    const int end = rules_.may ? earliest_end(program_, state, t) : latest_end(program_, state, t);
    const int slack = rules_.may ? rules_.max_delay + 1 : rules_.max_delay - 1;  // polling takes some time, too
    for (int u = 0; u < kThreads; ++u) {
      if (u == t) continue;
      if (can[u] && end > (rules_.may ? state.latest : state.thread[u].clock[kTime]) + slack) return false;
      if (can[u] || !can_time_out(program_, state, u)) continue;
      if (end > (rules_.may ? latest_end(program_, state, u) : earliest_end(program_, state, u)) + slack) return false;
    }
    return true;
  }

  void expand(const State& state, int cost) {
    bool anyone = false, timers = false;
    std::array<bool, kThreads> can{};
    for (int t = 0; t < kThreads; ++t) {
      can[t] = enabled(program_, state, t, rules_);
      anyone = anyone || can[t];
    }
    const int only = sole(state);
    const auto switching = [&](int t) { return t != state.last && can[state.last] ? 1 : 0; };
    for (int t = 0; t < kThreads; ++t) {
      if (can[t] && (only < 0 || only == t))
        for (const Next& next : step(program_, state, t, rules_, false)) reach(next, cost + switching(t));
      if (only >= 0) continue;
      if (can_time_out(program_, state, t)) {
        timers = true;
        if ((!anyone || rules_.timeouts) && in_time(state, t, can))
          for (const Next& next : step(program_, state, t, rules_, true))
            reach(next, cost + switching(t) + (anyone ? 1 : 0));
      }
      if (state.spurious < rules_.spurious) {
        State woken = state;
        if (wake_spuriously(program_, woken, t)) add(woken, cost);
      }
    }
    if (!anyone && !timers) fails(kStuck, cost);
  }

  const Program& program_;
  const Rules rules_;
  std::unordered_map<State, int, StateHash, StateEqual> seen_;
  std::array<std::vector<State>, kMostPreemptions + 1> open_;
  std::array<int, kFailures> failures_{-1, -1, -1, -1, -1, -1, -1};
  std::map<std::string, int> finals_;
  bool too_large_ = false;
};

}  // namespace

int main() {
  Rules rules;
  int timeouts, may;
  std::string text;
  while (std::cin >> rules.spurious >> timeouts >> may >> rules.max_delay >> text) {
    rules.timeouts = timeouts;
    rules.may = may;
    const Program program = parse(text.c_str());
    Oracle oracle(program, rules);
    oracle.run();
    oracle.print();
  }
}
