// The online detector against happens-before computed from its definition, on random executions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <random>
#include <set>

#include "runtime/detect/races.hpp"

namespace lockstep::rt {
namespace {

constexpr size_t kMost = 64;  // events of an execution

struct Event {
  enum Kind { Plain, Load, Store, Rmw, Fence, Lock, Unlock } kind;
  unsigned thread;
  unsigned where;  // Plain: first byte; atomics and locks: object
  unsigned size = 1;
  bool write = false;
  Order order = Order::Relaxed;
};
using Execution = std::vector<Event>;
constexpr Order kOrders[] = {Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst};

bool is_read(const Event& e) { return e.kind == Event::Load || e.kind == Event::Rmw; }
bool is_store(const Event& e) { return e.kind == Event::Store || e.kind == Event::Rmw; }

Execution random_execution(std::mt19937& random, unsigned threads) {
  auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Execution execution;
  std::map<unsigned, unsigned> holder;  // lock -> thread
  const unsigned length = 8 + below(kMost - 16);
  while (execution.size() < length) {
    Event e{Event::Plain, 1 + below(threads), below(12)};
    switch (below(8)) {
      case 0: e = {Event::Load, e.thread, below(2), 1, false, kOrders[below(5)]}; break;
      case 1: e = {Event::Store, e.thread, below(2), 1, true, kOrders[below(5)]}; break;
      case 2: e = {Event::Rmw, e.thread, below(2), 1, true, kOrders[below(5)]}; break;
      case 3: e = {Event::Fence, e.thread, 0, 1, false, kOrders[1 + below(4)]}; break;
      case 4:
        e = {Event::Lock, e.thread, below(2)};
        if (holder.contains(e.where)) {
          if (holder[e.where] != e.thread) continue;
          e.kind = Event::Unlock;
          holder.erase(e.where);
        } else {
          holder[e.where] = e.thread;
        }
        break;
      default:
        e.size = 1u << below(4);
        e.where = below(16 / e.size) * e.size;
        e.write = below(2);
    }
    execution.push_back(e);
  }
  return execution;
}

using Relation = std::vector<std::bitset<kMost>>;

// Happens-before from its definition: sequenced-before and synchronises-with, closed transitively.
Relation happens_before(const Execution& execution) {
  const size_t n = execution.size();
  Relation before(n);  // before[j][i]: i happens before j
  auto fences = [&](size_t from, size_t to, unsigned thread, auto&& good) {
    std::vector<size_t> found;
    for (size_t i = from; i < to; ++i)
      if (execution[i].kind == Event::Fence && execution[i].thread == thread && good(execution[i].order))
        found.push_back(i);
    return found;
  };
  for (size_t j = 0; j < n; ++j) {
    const Event& e = execution[j];
    for (size_t i = 0; i < j; ++i)
      if (execution[i].thread == e.thread) before[j].set(i);
    if (e.kind == Event::Lock)
      for (size_t i = 0; i < j; ++i)
        if (execution[i].kind == Event::Unlock && execution[i].where == e.where) before[j].set(i);
    if (!is_read(e)) continue;
    // Release sequences that the store read from belongs to: its own, and through read-modify-writes earlier ones.
    std::vector<size_t> sources, targets = fences(j + 1, n, e.thread, acquires);
    if (acquires(e.order)) targets.push_back(j);
    for (size_t i = j; i-- > 0;) {
      const Event& s = execution[i];
      if (!is_store(s) || s.where != e.where) continue;
      if (releases(s.order)) sources.push_back(i);
      for (size_t f : fences(0, i, s.thread, releases)) sources.push_back(f);
      if (s.kind != Event::Rmw) break;
    }
    for (size_t t : targets)
      for (size_t s : sources) before[t].set(s);
  }
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i-- > 0;)
      if (before[j][i]) before[j] |= before[i];
  return before;
}

using Pair = std::pair<size_t, size_t>;  // events, earlier first

std::set<Pair> racing_pairs(const Execution& execution) {
  const Relation before = happens_before(execution);
  std::set<Pair> pairs;
  for (size_t j = 0; j < execution.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      const Event &a = execution[i], &b = execution[j];
      if (a.kind != Event::Plain || b.kind != Event::Plain || a.thread == b.thread || !(a.write || b.write)) continue;
      if (a.where < b.where + b.size && b.where < a.where + a.size && !before[j][i]) pairs.insert({i, j});
    }
  return pairs;
}

alignas(64) char memory[64];
char atomics[2], locks[2];

class Detector {
 public:
  Detector() { races_.init(&calls_); }
  std::set<Pair> run(const Execution& execution, unsigned threads) {
    races_.begin(true, false);
    addresses_.clear();
    uint32_t records = 0;
    for (unsigned t = 1; t <= threads; ++t) races_.started(ThreadId(t), kMainThread, ++records);
    for (size_t i = 0; i < execution.size(); ++i) {
      const Event& e = execution[i];
      const ThreadId t{static_cast<uint16_t>(e.thread)};
      const auto object = reinterpret_cast<uintptr_t>(&atomics[e.where % 2]);
      if (e.kind != Event::Plain) races_.stepped(t, ++records);
      Clocks& clocks = races_.clocks();
      switch (e.kind) {
        case Event::Plain:
          races_.range(t, reinterpret_cast<uintptr_t>(memory + e.where), e.size, e.write ? RaceAccess::kWrite : 0,
                       shared_places_ ? 1 + e.thread : i + 1);
          break;
        case Event::Load: clocks.load(t, object, e.order); break;
        case Event::Store: clocks.store(t, object, e.order); break;
        case Event::Rmw: clocks.modify_end(t, clocks.modify_begin(t, object, e.order), e.order); break;
        case Event::Fence: clocks.fence(t, e.order); break;
        case Event::Lock: races_.acquire(t, &locks[e.where]); break;
        case Event::Unlock: races_.release(t, &locks[e.where]); break;
      }
    }
    races_.end();
    std::set<Pair> pairs;
    for (unsigned i = 0; i < races_.count; ++i) addresses_.insert(races_.found[i].first.address);
    for (unsigned i = 0; i < races_.count; ++i)
      pairs.insert({races_.found[i].first.pc - 1, races_.found[i].second.pc - 1});
    return pairs;
  }
  unsigned most() const { return RaceDetector::kMost; }
  void share_places() { shared_places_ = true; }  // all accesses of a thread come from one pc, as in a loop
  const std::set<uint64_t>& addresses() const { return addresses_; }

 private:
  bool shared_places_ = false;
  std::set<uint64_t> addresses_;
  CallTree calls_;
  RaceDetector races_;
};

std::set<unsigned> bytes_of(const std::set<Pair>& pairs, const Execution& execution) {
  std::set<unsigned> bytes;
  for (const auto& [i, j] : pairs) {
    const Event &a = execution[i], &b = execution[j];
    for (unsigned at = std::max(a.where, b.where); at < std::min(a.where + a.size, b.where + b.size); ++at)
      bytes.insert(at);
  }
  return bytes;
}

// Only true races, and every byte that has one: after the first race of a byte nothing more is promised for it.
TEST(Detector, AgreesWithTheDefinitionOfHappensBefore) {
  static Detector detector;
  std::mt19937 random(2009);
  unsigned racy = 0, clean = 0;
  for (int round = 0; round < 60'000; ++round) {
    const unsigned threads = 2 + round % 9;  // more than one block of clock components
    const Execution execution = random_execution(random, threads);
    const std::set<Pair> expected = racing_pairs(execution), found = detector.run(execution, threads);
    for (const Pair& pair : found)
      ASSERT_TRUE(expected.contains(pair)) << "round " << round << ": events " << pair.first << " and " << pair.second;
    if (found.size() < detector.most()) {
      ASSERT_EQ(bytes_of(found, execution), bytes_of(expected, execution)) << "round " << round;
    }
    ++(expected.empty() ? clean : racy);
  }
  EXPECT_GT(racy, 1000u);
  EXPECT_GT(clean, 1000u);
}

TEST(Detector, AgreesWhenTheSamePlaceIsReachedAgainAndAgain) {
  static Detector detector;
  detector.share_places();
  std::mt19937 random(1978);
  for (int round = 0; round < 60'000; ++round) {
    const unsigned threads = 2 + round % 3;
    const Execution execution = random_execution(random, threads);
    const std::set<unsigned> expected = bytes_of(racing_pairs(execution), execution);
    detector.run(execution, threads);
    ASSERT_EQ(detector.addresses().empty(), expected.empty()) << "round " << round;
    for (uint64_t address : detector.addresses())
      ASSERT_TRUE(expected.contains(static_cast<unsigned>(address - reinterpret_cast<uint64_t>(memory))))
          << "round " << round;
  }
}

TEST(Detector, StartsAfreshMoreOftenThanItsTagCanCount) {
  static Detector detector;
  const Execution one{{Event::Plain, 1, 0, 4, true}}, two{{Event::Plain, 2, 0, 4, true}};
  for (int round = 0; round < 140'000; ++round) ASSERT_TRUE(detector.run(round % 2 ? one : two, 2).empty()) << round;
}

}  // namespace
}  // namespace lockstep::rt
