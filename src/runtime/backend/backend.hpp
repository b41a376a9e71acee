// Switches between logical threads. Two backends with one interface: fibers that borrow parked pool threads, and the
// pool threads themselves, which hand over a baton.
#pragma once
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

bool fsgsbase_available();

namespace fiber {
void prepare(Thread& thread);              // its next switch_to() enters thread_entry()
void switch_to(Thread& from, Thread& to);  // returns when another thread switches back
}  // namespace fiber

namespace os_thread {
void prepare(Thread& thread);
void switch_to(Thread& from, Thread& to);
[[noreturn]] void serve(Thread& self);  // body of a pool thread: waits for `go`, runs thread_entry(), repeats
}  // namespace os_thread

// The entry of a logical thread: calls Thread::entry, which does not return.
extern "C" void lockstep_thread_entry() __attribute__((visibility("hidden"), noreturn));

}  // namespace lockstep::rt
