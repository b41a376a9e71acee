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
// b barrier, h heap object, f file, v value, n number, d milliseconds (0: 1).
// clang-format off
#define FALSIFIER_OPS(X) \
  X(spawn) X(join) /* t */ \
  X(load) X(store) X(put) X(add) X(xchg) X(cas) /* a; put: a = r + 1; cas a e v: r = did it */ \
  X(loadx) X(storex) X(addx) /* the same, relaxed */ \
  X(read) X(write) X(putp) X(inc) /* p; putp: p = r + 1 */ \
  X(lock) X(unlock) X(try) X(tryfor) /* tryfor m d; m: 0 pthread_mutex_t, 1 std::mutex, 2 std::recursive_mutex */ \
  X(rd) X(wr) X(tryrd) X(trywr) X(unrd) X(unwr) /* w: 0 pthread_rwlock_t, 1 std::shared_mutex */ \
  X(sl) X(st) X(su) /* s: lock, try, unlock */ \
  X(wait) X(waitfor) X(cwait) /* c m; waitfor c m d; cwait c m p v: while (p != v) wait */ \
  X(notify) X(notifyall) /* c */ \
  X(post) X(acq) X(tryacq) X(acqfor) /* acqfor q d; q: 1 std::counting_semaphore, others sem_t; 2 starts at 1 */ \
  X(bar) /* b n: for n threads */ \
  X(yield) X(sleep) /* sleep d */ \
  X(spin) X(spiny) /* a v: until a == v */ \
  X(spinc) X(spint) X(casloop) /* spinc a v n: at most n rounds, r = rounds; spint m: try until done */ \
  X(hload) X(hadd) X(hread) X(hwrite) X(hlock) X(hunlock) X(hpost) X(hacq) X(hnotify) X(hfree) /* h */ \
  X(dm) X(dc) X(dq) X(dw) X(ds) /* destroy a mutex, condition, semaphore, rwlock, spin lock */ \
  X(choose) X(abeg) X(aend) /* n; an atomic section */ \
  X(tinc) X(uinc) /* a++ in trusted code, p++ in code without instrumentation */ \
  X(opn) X(cls) /* r = number of a new descriptor; cls n: r = did it */ \
  X(mk) X(rm) X(has) X(ren) /* f; ren f g; r = did it */ \
  X(mask) X(senv) X(uenv) X(genv) /* mask v: r = umask before; senv v; genv: r = value or 0 */ \
  X(exit) X(qexit) X(abort) /* code */ \
  X(req) X(if) X(set) /* req v: r must not be v; if v n: unless r == v skip n; set v: r = v */ \
  X(is) X(isp) X(isr) X(never) /* a v, p v, t v: final values; never: not all of them hold */
// clang-format on

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

// Of a sleep or timed wait, in milliseconds.
inline int duration(const Instruction& i) {
  const int given = i.op == Op::sleep_ ? i.x : i.op == Op::waitfor_ ? i.z : i.y;
  return given == 0 ? 1 : given;
}

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
