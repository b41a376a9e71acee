#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using R = const Registers&;

std::string numbered(const char* name, int n, int k) {
  return std::string(name) + " " + std::to_string(n) + "x" + std::to_string(k);
}

Code repeat(int times, const Code& body) {
  Code code;
  for (int i = 0; i < times; ++i) code.insert(code.end(), body.begin(), body.end());
  return code;
}

const Code kIncrement = {ld(0, 0), st(0, [](R r) { return r[0] + 1; })};

Update plus_one() {
  return [](Value old, R) { return old + 1; };
}

}  // namespace

Program independent(int threads, int stores) {
  Program p{.name = numbered("indep", threads, stores), .threads = {}};
  for (int t = 0; t < threads; ++t) {
    Code& code = p.threads.emplace_back();
    for (int i = 0; i < stores; ++i) code.push_back(st(t * stores + i, 1));
  }
  return p;
}

Program same_write(int threads, int stores) {
  Program p{.name = numbered("samewrite", threads, stores), .threads = {}};
  for (int t = 0; t < threads; ++t) {
    Code& code = p.threads.emplace_back();
    for (int i = 0; i < stores; ++i) code.push_back(st(0, 16 * t + i + 1));
  }
  return p;
}

Program fetch_add(int threads, int times) {
  Program p{.name = numbered("faa", threads, times), .threads = {}};
  for (int t = 0; t < threads; ++t) {
    Code& code = p.threads.emplace_back();
    for (int i = 0; i < times; ++i) code.push_back(rmw(0, plus_one(), i));
  }
  p.final = [=](const auto& memory) { return memory[0] == threads * times; };
  return p;
}

Program increment(int threads) {
  return {.name = "load+store inc " + std::to_string(threads),
          .threads = std::vector<Code>(static_cast<size_t>(threads), kIncrement),
          .final = [=](const auto& memory) { return memory[0] == threads; }};
}

Program increment_twice(int threads) {
  return {.name = "load+store inc " + std::to_string(threads) + " x2",
          .threads = std::vector<Code>(static_cast<size_t>(threads), repeat(2, kIncrement))};
}

Program readers(int n) {
  Program p{.name = "readers(" + std::to_string(n) + ")", .threads = {{st(0, 42)}}};
  for (int i = 0; i < n; ++i) p.threads.push_back({ld(0, 0)});
  return p;
}

// A reader scans a[n], a[n-1]... for a zero while writer j does a[j] = a[j-1] + 1.
Program last_zero(int n) {
  Program p{.name = "lastzero(" + std::to_string(n) + ")",
            .threads = {{set(0, n), ld([](R r) { return r[0]; }, 1), set(0, [](R r) { return r[0] - 1; }),
                         jump([](R r) -> Value { return r[1] != 0 ? 1 : -1; })}}};
  for (int j = 1; j <= n; ++j) p.threads.push_back({ld(j - 1, 0), st(j, [](R r) { return r[0] + 1; })});
  return p;
}

Program crossed_stores() {
  return {.name = "x=1;y=1||x=2;y=2", .threads = {{st(0, 1), st(1, 1)}, {st(0, 2), st(1, 2)}}};
}
Program store_buffering() { return {.name = "SB", .threads = {{st(0, 1), ld(1, 0)}, {st(1, 1), ld(0, 0)}}}; }
Program message_passing() { return {.name = "MP", .threads = {{st(0, 1), st(1, 1)}, {ld(1, 0), ld(0, 1)}}}; }
Program iriw() {
  return {.name = "IRIW", .threads = {{st(0, 1)}, {st(1, 1)}, {ld(0, 0), ld(1, 1)}, {ld(1, 0), ld(0, 1)}}};
}
Program write_and_read_race() {
  return {.name = "w||rw-race: x=1 || y=1;r=x || s=y;r=x",
          .threads = {{st(0, 1)}, {st(1, 1), ld(0, 0)}, {ld(1, 0), ld(0, 1)}}};
}

Program mutex_only(int threads, int sections) {
  return {.name = numbered("lock/unlock only", threads, sections),
          .threads = std::vector<Code>(static_cast<size_t>(threads), repeat(sections, {lock(0), unlock(0)}))};
}

Program mutex_counter(int threads, int sections) {
  const Code section = {lock(0), kIncrement[0], kIncrement[1], unlock(0)};
  return {.name = numbered("mutex counter", threads, sections),
          .threads = std::vector<Code>(static_cast<size_t>(threads), repeat(sections, section)),
          .final = [=](const auto& memory) { return memory[0] == threads * sections; }};
}

Program abba() {
  return {.name = "ABBA deadlock",
          .threads = {{lock(0), lock(1), unlock(1), unlock(0)}, {lock(1), lock(0), unlock(0), unlock(1)}}};
}

Program philosophers(int n) {
  Program p{.name = "philosophers " + std::to_string(n), .threads = {}};
  for (int i = 0; i < n; ++i) {
    const int left = i, right = (i + 1) % n;
    p.threads.push_back({lock(left), lock(right), unlock(right), unlock(left)});
  }
  return p;
}

Program split_sync() {
  const Code code = {lock(0),
                     ld(0, 0),
                     unlock(0),
                     lock(0),
                     ld(0, 1),
                     check([](R r) { return r[1] == r[0]; }, "x==y"),
                     st(0, [](R r) { return r[0] + 1; }),
                     unlock(0)};
  return {.name = "SplitSync", .threads = {code, code}};
}

Program indexer(int threads, int size, int most) {
  enum { kM, kW, kH, kOk };
  Program p{.name = "indexer(n=" + std::to_string(threads) + ",size=" + std::to_string(size) +
                    ",max=" + std::to_string(most) + ")",
            .threads = {}};
  for (int t = 0; t < threads; ++t)
    p.threads.push_back({set(kM, 0), jump([=](R r) -> Value { return r[kM] >= most ? 9 : -1; }),  // 1
                         set(kM, [](R r) { return r[kM] + 1; }), set(kW, [=](R r) { return r[kM] * 11 + t; }),
                         set(kH, [=](R r) { return r[kW] * 7 % size; }),
                         cas([](R r) { return r[kH]; }, 0, [](R r) { return r[kW]; }, kOk),  // 5
                         jump([](R r) -> Value { return r[kOk] ? 1 : -1; }),
                         set(kH, [=](R r) { return (r[kH] + 1) % size; }), jump(5)});
  return p;
}

Program filesystem(int threads, int inodes, int blocks) {
  Program p{.name = "filesystem(n=" + std::to_string(threads) + ",inodes=" + std::to_string(inodes) +
                    ",blocks=" + std::to_string(blocks) + ")",
            .threads = {}};
  for (int t = 0; t < threads; ++t) {
    const int i = t % inodes, inode = i, end = 3 + 8 * blocks;
    Code code = {lock(i), ld(inode, 0), jump([=](R r) -> Value { return r[0] != 0 ? end : -1; })};
    for (int k = 0; k < blocks; ++k) {
      const int b = (2 * i + k) % blocks, block_lock = inodes + b, busy = inodes + b, start = 3 + 8 * k;
      const Code attempt = {
          lock(block_lock), ld(busy, 1),       jump([=](R r) -> Value { return r[1] ? start + 7 : -1; }),
          st(busy, 1),      st(inode, b + 1),  unlock(block_lock),
          jump(end),        unlock(block_lock)};
      code.insert(code.end(), attempt.begin(), attempt.end());
    }
    code.push_back(unlock(i));
    p.threads.push_back(code);
  }
  return p;
}

Program two_reads_one_increment() {
  return {.name = "t1=a;t2=a || a++",
          .threads = {{ld(0, 0), ld(0, 1), check([](R r) { return r[0] == r[1]; }, "eq")}, {rmw(0, plus_one(), 0)}}};
}

Program two_reads_two_writes() {
  return {.name = "t1=a;t2=a || a=1;a=0",
          .threads = {{ld(0, 0), ld(0, 1), check([](R r) { return r[0] == r[1]; }, "eq")}, {st(0, 1), st(0, 0)}}};
}

Program cas_race() {
  return {.name = "CAS race", .threads = {{cas(0, 0, 1, 0)}, {cas(0, 0, 2, 0)}, {cas(0, 0, 3, 0)}}};
}

Program try_lock_vs_lock() {
  return {.name = "trylock vs lock",
          .threads = {{lock(0), st(0, 1), unlock(0)},
                      {trylock(0, 0), jump([](R r) -> Value { return r[0] ? -1 : 4; }), st(0, 2), unlock(0)}}};
}

Program condition_flag(int waiters, bool all) {
  const Code waiter = {lock(0),         ld(0, 0), jump([](R r) -> Value { return r[0] ? 5 : -1; }),
                       cond_wait(0, 0), jump(1),  unlock(0)};
  Program p{.name = "condvar flag, " + std::to_string(waiters) + " waiters, " + (all ? "broadcast" : "signal"),
            .threads = std::vector<Code>(static_cast<size_t>(waiters), waiter)};
  p.threads.push_back({lock(0), st(0, 1), all ? broadcast(0) : signal(0), unlock(0)});
  return p;
}

Program lost_wakeup() {
  return {.name = "condvar without predicate (lost wakeup)",
          .threads = {{lock(0), cond_wait(0, 0), unlock(0)}, {lock(0), signal(0), unlock(0)}}};
}

Program semaphore_exclusion(int threads) {
  return {.name = "semaphore(1) mutual exclusion " + std::to_string(threads),
          .threads =
              std::vector<Code>(static_cast<size_t>(threads), {sem_wait(0), kIncrement[0], kIncrement[1], sem_post(0)}),
          .semaphores = {{0, 1}},
          .final = [=](const auto& memory) { return memory[0] == threads; }};
}

Program choice_and_store() {
  return {.name = "choice(3) || store", .threads = {{choice(3, 0), st(0, [](R r) { return r[0]; })}, {st(0, 9)}}};
}

}  // namespace lockstep::fake
