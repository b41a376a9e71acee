// A generator of small programs: two or three threads with a handful of operations each, so that every schedule can
// be counted, and rich enough that a wrong rule of the search shows in one of a few hundred.
#include <algorithm>

#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using R = const Registers&;

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x1234567) {}
  int below(int n) {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return static_cast<int>((z ^ z >> 31) % static_cast<uint64_t>(n));
  }
  int from(int low, int high) { return low + below(high - low + 1); }
  bool percent(int p) { return below(100) < p; }

 private:
  uint64_t state_;
};

// Values tell who wrote them, so that different histories are different states.
int mark(int t, int i) { return 10 * (t + 1) + i + 1; }
Update history(int t, int i) {
  return [=](Value old, R) { return (old * 31 + mark(t, i)) % 1000003; };
}

Instruction plain_access(Dice& dice, int t, int i, int variables) {
  const int x = dice.below(variables), reg = i % 4;
  if (dice.percent(15)) return cas(x, 0, mark(t, i), reg);
  const int q = dice.below(100);
  if (q < 45) return ld(x, reg);
  if (q < 85) return st(x, mark(t, i));
  return rmw(x, history(t, i), reg);
}

// Lock sections that nest up to two deep.
Code locks(Dice& dice, int t, int most, int variables, int mutexes) {
  Code code;
  std::vector<int> held;
  const int n = dice.from(1, most);
  for (int i = 0; i < n; ++i) {
    const int k = dice.below(100);
    if (mutexes && k < 30 && held.size() < 2) {
      const int m = dice.below(mutexes);
      if (std::find(held.begin(), held.end(), m) == held.end()) {
        code.push_back(lock(m));
        held.push_back(m);
        continue;
      }
    }
    if (!held.empty() && k > 75) {
      code.push_back(unlock(held.back()));
      held.pop_back();
      continue;
    }
    code.push_back(plain_access(dice, t, i, variables));
  }
  for (; !held.empty(); held.pop_back()) code.push_back(unlock(held.back()));
  return code;
}

// `attempt` puts 1 into register 5 on success, then `body` and `release` run.
void guarded(Code& code, const Instruction& attempt, const Instruction& body, const Instruction& release) {
  const int past = static_cast<int>(code.size()) + 4;
  code.insert(code.end(), {attempt, jump([=](R r) -> Value { return r[5] ? -1 : past; }), body, release});
}

Code try_locks(Dice& dice, int t) {
  Code code;
  const int n = dice.from(1, 2);
  for (int i = 0; i < n; ++i) {
    const int x = dice.below(2), k = dice.below(100);
    if (k < 35)
      code.insert(code.end(), {lock(0), ld(x, i), unlock(0)});
    else if (k < 70)
      guarded(code, trylock(0, 5), st(x, mark(t, i)), unlock(0));
    else if (k < 85)
      code.push_back(cas(x, 0, mark(t, i), i));
    else
      code.push_back(st(x, mark(t, i)));
  }
  return code;
}

Code semaphores(Dice& dice, int t) {
  Code code;
  const int n = dice.from(1, 3);
  for (int i = 0; i < n; ++i) {
    const int k = dice.below(100), s = dice.below(3) / 2;
    if (k < 35)
      code.push_back(sem_wait(s));
    else if (k < 60)
      code.push_back(sem_post(s));
    else if (k < 73)
      code.push_back(sem_trywait(s, i));
    else if (k < 83)
      code.push_back(look_at_semaphore(s, i));
    else
      code.push_back(plain_access(dice, t, i, 2));
  }
  return code;
}

Code conditions(Dice& dice, int t) {
  Code code;
  const int n = dice.from(1, 2);
  for (int i = 0; i < n; ++i) {
    const int k = dice.below(100);
    const Instruction wake = dice.percent(60) ? signal(0) : broadcast(0);
    if (k < 45 && t < 2)
      code.insert(code.end(), {lock(0), cond_wait(0, 0), unlock(0)});
    else if (k < 65)
      code.insert(code.end(), {lock(0), wake, unlock(0)});
    else if (k < 85)
      code.push_back(wake);
    else
      code.push_back(plain_access(dice, t, i, 2));
  }
  return code;
}

Code yields(Dice& dice, int t) {
  Code code;
  const int n = dice.from(1, 4);
  for (int i = 0; i < n; ++i) {
    const int k = dice.below(100);
    if (k < 35)
      code.push_back(yield());
    else if (k < 50)
      code.push_back(choice(dice.from(2, 3), i));
    else
      code.push_back(plain_access(dice, t, i, 2));
  }
  return code;
}

Code readers_writers(Dice& dice, int t) {
  Code code;
  const int n = dice.from(1, 2);
  for (int i = 0; i < n; ++i) {
    const Instruction body = plain_access(dice, t, i, 2);
    switch (dice.below(6)) {
      case 0: code.insert(code.end(), {read_lock(0), body, read_unlock(0)}); break;
      case 1: code.insert(code.end(), {write_lock(0), body, write_unlock(0)}); break;
      case 2: guarded(code, try_read_lock(0, 5), body, read_unlock(0)); break;
      case 3: guarded(code, try_write_lock(0, 5), body, write_unlock(0)); break;
      case 4: {
        const int past = static_cast<int>(code.size()) + 6;
        if (dice.percent(50))  // as a compiler initialises a static of a function
          code.insert(code.end(), {look_at_once(0, 5), jump([=](R r) -> Value { return r[5] ? past : -1; })});
        guarded(code, once_enter(0, 5), body, once_exit(0));
        break;
      }
      default: code.push_back(body); break;
    }
  }
  return code;
}

Code barriers(Dice& dice, int t) {
  Code code;
  const int n = dice.from(1, 3), count = dice.from(2, 3);
  for (int i = 0; i < n; ++i) {
    const int k = dice.below(100);
    if (k < 40)
      code.push_back(barrier(0, 2, i));
    else if (k < 50)
      code.push_back(barrier(1, count, i));
    else if (k < 60)
      code.insert(code.end(), {lock(0), barrier(0, 2, i), unlock(0)});
    else if (k < 70)
      guarded(code, barrier(0, 2, 5), st(dice.below(2), mark(t, i)), yield());
    else
      code.push_back(plain_access(dice, t, i, 2));
  }
  return code;
}

}  // namespace

Program random_program(uint64_t seed) {
  Dice dice(seed);
  Program p{.name = "random " + std::to_string(seed), .threads = {}};
  const int threads = dice.from(2, 3), variables = dice.from(1, 3), mutexes = dice.below(3), most = dice.from(3, 4);
  const uint64_t flavour = seed % 21 == 8 ? 7 : seed % 7;
  if (flavour == 3) p.semaphores = {{0, dice.below(2)}, {1, 1}};
  for (int t = 0; t < threads; ++t) {
    switch (flavour) {
      case 2: p.threads.push_back(try_locks(dice, t)); break;
      case 3: p.threads.push_back(semaphores(dice, t)); break;
      case 4: p.threads.push_back(conditions(dice, t)); break;
      case 5: p.threads.push_back(yields(dice, t)); break;
      case 6: p.threads.push_back(readers_writers(dice, t)); break;
      case 7: p.threads.push_back(barriers(dice, t)); break;
      default: p.threads.push_back(locks(dice, t, most, variables, mutexes)); break;
    }
  }
  return p;
}

Program disciplined_program(uint64_t seed, bool nested, bool conditions) {
  Dice dice(seed ^ 0x5eed);
  Program p{.name = "disciplined " + std::to_string(seed), .threads = {}};
  const int threads = dice.from(2, 3), locks = dice.from(1, nested ? 3 : 2);
  for (int t = 0; t < threads; ++t) {
    Code code;
    int number = 0;
    const auto access = [&](int m) {  // variables m and m + 4 belong to lock m
      const int x = m + 4 * dice.below(2), i = number++;
      switch (dice.below(4)) {
        case 0: return ld(x, i % 4);
        case 1: return st(x, mark(t, i));
        case 2: return st(x, [i](R r) { return r[static_cast<size_t>(i % 4)] * 7 + 1; });
        default: return rmw(x, history(t, i), i % 4);
      }
    };
    for (int sections = dice.from(1, threads == 2 ? 3 : 2); sections > 0; --sections) {
      const int m = dice.below(locks);
      code.push_back(lock(m));
      if (dice.percent(80)) code.push_back(access(m));
      if (nested && locks > 1 && dice.percent(60)) {
        const int inner = (m + dice.from(1, locks - 1)) % locks;
        code.push_back(lock(inner));
        if (dice.percent(50)) code.push_back(access(inner));
        code.push_back(unlock(inner));
        if (dice.percent(50)) code.push_back(access(m));
      }
      if (conditions && dice.percent(50)) {
        if (t == 0 || dice.percent(30))
          code.push_back(cond_wait(m, m));
        else
          code.push_back(dice.percent(60) ? signal(m) : broadcast(m));
        if (dice.percent(50)) code.push_back(access(m));
      } else if (dice.percent(25)) {
        const size_t reg = static_cast<size_t>(dice.below(4));
        const int value = mark(dice.below(threads), dice.below(3));
        code.push_back(check([=](R r) { return r[reg] != value; }, t == 0 ? "first" : "other"));
      }
      code.push_back(unlock(m));
      if (conditions && dice.percent(20)) code.push_back(signal(m));
    }
    p.threads.push_back(code);
  }
  return p;
}

Program random_program_of_four(uint64_t seed) {
  Program p = random_program(seed);
  const Program other = random_program(seed + 7 * (1 + seed % 5));  // of the same flavour
  p.name += " and " + other.name;
  p.threads.insert(p.threads.end(), other.threads.begin(), other.threads.end());
  p.threads.resize(4);
  return p;
}

Program random_program_that_ends(uint64_t seed) {
  Dice dice(seed ^ 0xe4d);
  const uint64_t base = static_cast<uint64_t>(dice.below(1'000'000));
  Program p = dice.percent(33) ? random_program_of_four(base) : random_program(base);
  p.name = "random " + std::to_string(seed) + " with endings, from " + p.name;
  for (Code& code : p.threads) {
    if (dice.percent(33)) continue;
    const bool jumps =
        std::any_of(code.begin(), code.end(), [](const Instruction& i) { return i.local == Local::Jump; });
    const int end = static_cast<int>(code.size());
    const auto at = code.begin() + (jumps || dice.percent(50) ? end : dice.from(0, end));
    const auto reg = static_cast<size_t>(dice.below(4));
    const int divisor = dice.from(2, 4);
    code.insert(at, dice.percent(33) ? exit_process() : check([=](R r) { return r[reg] % divisor == 0; }, "register"));
  }
  return p;
}

}  // namespace lockstep::fake
