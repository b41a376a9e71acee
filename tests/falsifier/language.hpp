// The language of the falsifier's programs: what the program under test executes and the oracle interprets.
//
//   spawn.1,spawn.2,join.1,join.2,is.0.1,never/load.0,put.0/load.0,put.0
//
// Threads are separated by '/', main first; the last part after '#' runs when the process exits. Instructions are
// separated by ',', their operands by '.'. Each thread has one register r, which is its result for join.
#pragma once
#include <array>
#include <cstdlib>
#include <cstring>

namespace falsifier {

constexpr int kThreads = 5;  // main included
constexpr int kHandler = kThreads;
constexpr int kLength = 28;
constexpr int kObjects = 3;  // of each kind

// Operands: a atomic, p plain variable, m mutex, w reader-writer lock, s spin lock, c condition, q semaphore,
// b barrier, h heap object, v value, n number.
#define FALSIFIER_OPS(X)                                                                                             \
  X(spawn)                                                                                                           \
  X(join)                                           /* t */                                                          \
      X(load) X(store) X(put) X(add) X(xchg) X(cas) /* a; put: a = r + 1; cas a e v: r = did it */                   \
      X(loadx) X(storex) X(addx)                    /* the same, relaxed */                                          \
      X(read) X(write) X(putp) X(inc)               /* p */                                                          \
      X(lock) X(unlock) X(try) X(tryfor)            /* m: 0 pthread, 1 std::timed_mutex, 2 std::recursive_mutex */   \
      X(rd) X(wr) X(tryrd) X(trywr) X(unrd) X(unwr) /* w: 0 pthread, 1 std::shared_mutex */                          \
      X(sl) X(st) X(su)                             /* s */                                                          \
      X(wait) X(waitfor) X(cwait)                   /* c m; cwait c m p v: while (p != v) wait */                    \
      X(notify) X(notifyall) X(post) X(acq) X(tryacq) X(acqfor) X(bar) X(yield) X(sleep) X(spin) X(spiny) X(spinc)   \
          X(spint) X(casloop) /* a v: until a == v; spinc a v n: at most n rounds, r = rounds */                     \
      X(hload) X(hadd) X(hread) X(hwrite) X(hlock) X(hunlock) X(hpost) X(hacq) X(hnotify) X(hfree) X(dm) X(dc) X(dq) \
          X(dw) X(ds) /* destroy */                                                                                  \
      X(choose) X(abeg) X(aend) X(tinc) X(uinc) X(exit) X(qexit) X(abort) X(req) X(if)                               \
          X(set)                   /* req v: r must not be v; if v n: unless r == v skip n; set v: r = v */          \
      X(is) X(isp) X(isr) X(never) /* final values: is a v, isp p v, isr t v; never: not all of them hold */

enum class Op {
#define X(name) name##_,
  FALSIFIER_OPS(X)
#undef X
};

struct Instruction {
  Op op = Op::yield_;
  int x = 0, y = 0, z = 0, u = 0;
};
struct Code {
  int length = 0;
  std::array<Instruction, kLength> at{};
};
struct Program {
  std::array<Code, kThreads + 1> code;
  int threads = 0;
};

inline Instruction parse_instruction(const char*& p) {
  static const char* const names[] = {
#define X(name) #name,
      FALSIFIER_OPS(X)
#undef X
  };
  const std::size_t n = std::strcspn(p, ".,/#");
  Instruction i;
  int op = 0;
  for (const char* name : names) {
    if (std::strlen(name) == n && std::memcmp(name, p, n) == 0) break;
    ++op;
  }
  if (op == int(sizeof names / sizeof *names)) std::abort();
  i.op = static_cast<Op>(op);
  p += n;
  for (int* field : {&i.x, &i.y, &i.z, &i.u}) {
    if (*p != '.') break;
    char* end;
    *field = static_cast<int>(std::strtol(p + 1, &end, 10));
    p = end;
  }
  return i;
}

inline Program parse(const char* p) {
  Program program;
  int thread = 0;
  while (*p) {
    if (*p == '/') {
      ++p, ++thread;
    } else if (*p == '#') {
      ++p, program.threads = thread + 1, thread = kHandler;
    } else if (*p == ',') {
      ++p;
    } else {
      Code& code = program.code[static_cast<std::size_t>(thread)];
      if (thread > kHandler || code.length == kLength) std::abort();
      code.at[static_cast<std::size_t>(code.length++)] = parse_instruction(p);
    }
  }
  if (thread != kHandler) program.threads = thread + 1;
  return program;
}

}  // namespace falsifier
