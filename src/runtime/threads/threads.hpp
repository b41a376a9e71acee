// Creation, end and joining of logical threads, and the pool of real threads that they borrow.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/memory/snapshot.hpp"

namespace lockstep::rt {

void grow_pool(unsigned size);  // between executions only
void capture_main_thread();     // the calling thread becomes thread 0

ThreadId intern_child(ThreadId parent, unsigned child);
Thread* thread_of(pthread_t handle);  // of this execution; nullptr if there is none

// Prepares a thread for its start in this execution.
Thread& new_thread(ThreadId id, void* (*function)(void*), void* argument);
Thread& new_main();  // resets thread 0 for a new execution

[[noreturn]] void finish_thread(Thread& me, void* result);  // runs destructors, completes joins
void run_thread_local_destructors(Thread& me);
using AbandonMutexes = void (*)();
inline constinit AbandonMutexes abandon_mutexes = nullptr;  // releases the robust mutexes of a thread that ends
[[noreturn]] void finish_process(int code);                 // exit(): handlers, then the end of the execution
enum class Flush : bool { No, Yes };                        // whether to write out the buffers of stdio
[[noreturn]] void end_process(int code, Flush flush);       // _exit()

// Creates a thread of the runtime that the program does not know. It is detached, and the program may end without it.
void create_task(void* (*function)(void*), void* argument);

int join_thread(pthread_t handle, void** result);
int try_join_thread(pthread_t handle, void** result);
int timed_join_thread(pthread_t handle, void** result, clockid_t clock, const timespec* deadline);  // nullptr: forever

// The runtime keeps the program's keys and exit handlers, from before control and since. After the snapshot, libc keeps
// those of uncontrolled callers.
inline bool keeps_registrations() { return runtime.active && (controlled() || !snapshot.taken()); }

// pthread keys (keys.cpp)
void run_key_destructors(Thread& me);
void reset_keys();
ThreadDestructor* main_destructors();  // registered before the snapshot
void save_keys();
void adopt_keys();  // keys created before this process became a worker, with the calling thread's values

// atexit handlers (exit.cpp)
void run_exit_handlers(int code);
void save_exit_handlers();
void restore_exit_handlers();
extern const Module threads_module;
extern const Module keys_module;
extern const Module exit_module;

}  // namespace lockstep::rt
