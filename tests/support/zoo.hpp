// The programs of the tests: textbook ones whose numbers of schedules are known, and small random ones.
#pragma once
#include "fake_program.hpp"

namespace lockstep::fake {

Program independent(int threads, int stores);  // each stores to variables of its own
Program same_write(int threads, int stores);
Program fetch_add(int threads, int times);
Program increment(int threads);  // r = x; x = r + 1: loses updates
Program increment_twice(int threads);
Program readers(int n);
Program last_zero(int n);
Program crossed_stores();  // x=1; y=1 || x=2; y=2
Program store_buffering();
Program message_passing();
Program iriw();
Program write_and_read_race();
Program mutex_only(int threads, int sections);
Program mutex_counter(int threads, int sections);
Program abba();
Program philosophers(int n);
Program split_sync();
Program indexer(int threads, int size, int most);
Program filesystem(int threads, int inodes, int blocks);
Program two_reads_one_increment();
Program two_reads_two_writes();
Program cas_race();
Program try_lock_vs_lock();
Program condition_flag(int waiters, bool broadcast);
Program lost_wakeup();
Program semaphore_exclusion(int threads);
Program choice_and_store();

// The same program for the same seed, everywhere. Seeds differ in flavour: locks, cas and rmw; try-locks;
// semaphores; condition variables; yields and data choices; readers-writer locks and once.
Program random_program(uint64_t seed);
Program random_program_of_four(uint64_t seed);    // four threads, taken from two of those
Program random_program_that_ends(uint64_t seed);  // one of those; some threads fail or end the process on their way

// Every variable has a lock that is held whenever it is accessed. `nested`: locks are taken inside others in any order,
// so that there are deadlocks; `conditions`: waits and signals, in and outside of locks.
Program disciplined_program(uint64_t seed, bool nested, bool conditions);

}  // namespace lockstep::fake
