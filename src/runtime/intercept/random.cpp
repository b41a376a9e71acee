// Random numbers. Every thread has its own stream, derived from its name and the number of earlier draws, so its values
// depend neither on the schedule nor on the machine. The main thread's rand() is libc's, whose state is restored with
// the rest of memory. The instructions rdrand and rdseed cannot be intercepted.
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/intercept/random.hpp"

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/facts.hpp"

namespace lockstep::rt {

uint64_t draw() {
  Thread& me = self();
  ++me.effects;
  notice(FactKind::RandomValues);
  uint64_t x = (uint64_t{index_of(me.id)} << 32 | ++me.random_calls) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

void draw_bytes(void* out, size_t size) {
  auto* p = static_cast<unsigned char*>(out);
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i, bits >>= 8) {
    if (i % 8 == 0) bits = draw();
    p[i] = static_cast<unsigned char>(bits);
  }
}

namespace {
// Otherwise all threads would share libc's generator, and the schedule would decide which thread gets which number.
bool own_stream() { return controlled() && self().id != kMainThread; }
}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  if (!controlled()) return LOCKSTEP_REAL(getrandom)(buffer, size, flags);
  draw_bytes(buffer, size);
  return static_cast<ssize_t>(size);
}
LOCKSTEP_EXPORT int getentropy(void* buffer, size_t size) {
  if (!controlled()) return LOCKSTEP_REAL(getentropy)(buffer, size);
  if (size > 256) return fail_with(EIO);
  draw_bytes(buffer, size);
  return 0;
}
LOCKSTEP_EXPORT uint32_t arc4random() noexcept {
  return controlled() ? static_cast<uint32_t>(draw()) : LOCKSTEP_REAL(arc4random)();
}
LOCKSTEP_EXPORT uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(arc4random_uniform)(bound);
  return bound ? static_cast<uint32_t>(draw() % bound) : 0;
}
LOCKSTEP_EXPORT void arc4random_buf(void* buffer, size_t size) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(arc4random_buf)(buffer, size);
  draw_bytes(buffer, size);
}

LOCKSTEP_EXPORT int rand() noexcept {
  return own_stream() ? static_cast<int>(draw() & RAND_MAX) : LOCKSTEP_REAL(rand)();
}
LOCKSTEP_EXPORT long random() noexcept {
  return own_stream() ? static_cast<long>(draw() & RAND_MAX) : LOCKSTEP_REAL(random)();
}
LOCKSTEP_EXPORT long lrand48() noexcept {
  return own_stream() ? static_cast<long>(draw() & 0x7fffffff) : LOCKSTEP_REAL(lrand48)();
}
LOCKSTEP_EXPORT long mrand48() noexcept {
  return own_stream() ? static_cast<int32_t>(draw()) : LOCKSTEP_REAL(mrand48)();
}
LOCKSTEP_EXPORT double drand48() noexcept {
  return own_stream() ? static_cast<double>(draw() >> 11) * 0x1p-53 : LOCKSTEP_REAL(drand48)();
}

// std::random_device in libstdc++, which uses rdrand if the processor has it.
extern "C" unsigned _ZNSt13random_device9_M_getvalEv(void* device);
LOCKSTEP_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  return controlled() ? static_cast<unsigned>(draw()) : LOCKSTEP_REAL(_ZNSt13random_device9_M_getvalEv)(device);
}
