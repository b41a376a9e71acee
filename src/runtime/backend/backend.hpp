// How control passes from one logical thread to another. Two backends, one interface: fibers that borrow parked
// pool threads, and the pool threads themselves handing over a baton.
#pragma once
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

bool fsgsbase_available();

namespace fiber {
void prepare(Thread& thread);              // its next switch_to() enters thread_entry()
void switch_to(Thread& from, Thread& to);  // returns when somebody switches back
}  // namespace fiber

namespace os_thread {
void prepare(Thread& thread);
void switch_to(Thread& from, Thread& to);
[[noreturn]] void serve(Thread& self);  // body of a pool thread: wait for go, run thread_entry(), again
}  // namespace os_thread

// Where a logical thread begins: calls Thread::entry, which does not return.
extern "C" void lockstep_thread_entry() __attribute__((visibility("hidden"), noreturn));

}  // namespace lockstep::rt
